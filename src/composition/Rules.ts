/**
 * What the library would refuse when a draft is registered, found beforehand
 * and all at once, each at its place in the file.
 *
 * The rules are the library's own (`Section.make` and its like). Only what
 * needs a whole file is decided here: names given twice, and the tree of scopes.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { nearest } from "../internal/nearest.ts"
import { names } from "../Persona.ts"
import * as PromptContext from "../PromptContext.ts"
import type { InvalidRegistration } from "../PromptError.ts"
import * as Section from "../Section.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as Variable from "../Variable.ts"
import type { ContentsDraft, Draft, Located, ScopeDraft } from "./Draft.ts"
import { complain, type Complaint, type Path } from "./Complaint.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** Every rule that the draft breaks. */
export const complaintsOf = (draft: Draft): ReadonlyArray<Complaint> => [
  ...[draft.global, ...draft.scopes].flatMap((contents) => contentsRules(draft.document, contents)),
  ...builtInRule(draft),
  ...toolOrderRule(draft),
  ...scopeRules(draft)
]

/** `Did you mean "child"?`, with a blank before it, or nothing. */
const didYouMean = (name: string, known: Iterable<string>): string => {
  const near = nearest(name, known)
  return near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
}

// -----------------------------------------------------------------------------
// contents of a scope
// -----------------------------------------------------------------------------

const contentsRules = (document: Document, contents: ContentsDraft): ReadonlyArray<Complaint> => {
  const refused = <A>(made: Result.Result<A, InvalidRegistration>, path: Path): ReadonlyArray<Complaint> =>
    Result.isSuccess(made) ? [] : [invalidRegistration(document, path, made.failure)]
  return [
    ...contents.sections.flatMap((section) => refused(Section.make(section.value, contents.scope), section.path)),
    ...contents.contexts.flatMap((context) => refused(PromptContext.make(context.value, contents.scope), context.path)),
    ...contents.names.flatMap(({ path, value }) =>
      value.kind === "variable"
        ? refused(Variable.make({ name: value.name, value: undefined }, contents.scope), path)
        : []
    ),
    ...duplicateRule(document, contents)
  ]
}

const invalidRegistration = (document: Document, path: Path, error: InvalidRegistration): Complaint => {
  const { _tag: tag, kind, message } = error
  // The name of a variable is its key; the fields of all others stand below the entry.
  if (kind === "variable") return complain(document, path, message, { tag, part: "key" })
  const field = /^\w+/.exec(error.field)?.[0]
  return complain(document, field === undefined ? path : [...path, field], message, { tag })
}

const duplicateRule = (document: Document, contents: ContentsDraft): ReadonlyArray<Complaint> => {
  const first = new Map<string, Path>()
  return contents.names.flatMap(({ path, value }) => {
    const key = JSON.stringify([value.kind, value.name])
    const earlier = first.get(key)
    if (earlier === undefined) {
      first.set(key, path)
      return []
    }
    const { line } = document.source.positionOf(document.locate(earlier))
    const owner = `${value.kind} ${JSON.stringify(value.name)} of scope ${JSON.stringify(contents.scope)}`
    const message = `${owner} is already given on line ${line}. Choose another name, or put it in a scope of its own.`
    return [complain(document, path, message, { tag: "DuplicateRegistration" })]
  })
}

// -----------------------------------------------------------------------------
// global settings
// -----------------------------------------------------------------------------

const builtInRule = (draft: Draft): ReadonlyArray<Complaint> => {
  const builtIns = new Map<string, string>([
    [names.prefix, "persona.prefix"],
    [names.suffix, "persona.suffix"]
  ])
  if (draft.identity !== false) builtIns.set(names.identity, "identity")
  return draft.global.names.flatMap(({ path, value }) => {
    const key = value.kind === "section" ? builtIns.get(value.name) : undefined
    if (key === undefined) return []
    const message = `section ${JSON.stringify(value.name)} of scope "global" is a built-in. Give its text under \`${key}\`, or shadow it in a scope of its own.`
    return [complain(draft.document, path, message, { tag: "DuplicateRegistration" })]
  })
}

const toolOrderRule = (draft: Draft): ReadonlyArray<Complaint> => {
  if (draft.toolOrder === undefined) return []
  const { path, value } = draft.toolOrder
  const made = ToolOrder.make(value)
  if (Result.isSuccess(made)) return []
  const seen = new Set<string>()
  // A set grows with each entry but a repeated one.
  const repeated = value.findIndex((entry, index) => seen.add(entry).size <= index)
  const { _tag: tag, message } = made.failure
  return [complain(draft.document, repeated < 0 ? path : [...path, repeated], message, { tag })]
}

// -----------------------------------------------------------------------------
// scopes
// -----------------------------------------------------------------------------

const maxNames = 100

const scopeRules = (draft: Draft): ReadonlyArray<Complaint> => {
  const known = new Set(["global", ...draft.scopes.map((scope) => scope.scope)])
  // Comparing thousands of names with thousands of typos would take minutes and help nobody.
  const shown = [...known].slice(0, maxNames)
  let roots: ReadonlyArray<string | undefined> | undefined
  const unknown = (reference: Located<string>, of?: ScopeDraft): ReadonlyArray<Complaint> => {
    if (known.has(reference.value)) return []
    // A scope whose parent is unknown is the root of itself and of what descends from it. None of these can be the parent.
    const rooted = (roots ??= rootsOf(draft, shown))
    const meant = of === undefined ? shown : shown.filter((_, i) => rooted[i] !== of.scope)
    const hint = didYouMean(reference.value, meant)
    const rest = known.size > maxNames ? ", …" : ""
    const message = `unknown scope ${JSON.stringify(reference.value)}.${hint} Known scopes: ${shown.join(", ")}${rest}.`
    return [complain(draft.document, reference.path, message)]
  }
  return [
    ...draft.scopes.flatMap((scope) => nameRule(draft.document, scope)),
    ...draft.scopes.flatMap((scope) => (scope.parent === undefined ? [] : unknown(scope.parent, scope))),
    ...(draft.scope === undefined ? [] : unknown(draft.scope)),
    ...cycleRule(draft)
  ]
}

/** The first scopes of the chains of these, as far as they are known. */
const rootsOf = (draft: Draft, names: ReadonlyArray<string>): ReadonlyArray<string | undefined> => {
  const scopes = new Map(draft.scopes.map((scope) => [scope.scope, scope]))
  return names.map((name) => {
    const chain = new Set<string>()
    let root: string | undefined
    for (let at: string | undefined = name; at !== undefined && !chain.has(at); at = scopes.get(at)?.parent?.value) {
      chain.add(at)
      if (scopes.has(at)) root = at
    }
    return root
  })
}

const nameRule = (document: Document, scope: ScopeDraft): ReadonlyArray<Complaint> => {
  if (scope.scope === "") return [complain(document, scope.path, "a scope needs a name. Give it one.", { part: "key" })]
  if (scope.scope !== "global" && scope.scope !== "__proto__") return []
  const what =
    scope.scope === "global" ? "taken: it is the scope of everything outside `scopes`" : "no name for a scope"
  return [
    complain(document, scope.path, `${JSON.stringify(scope.scope)} is ${what}. Choose another name.`, { part: "key" })
  ]
}

/** One complaint for each circle of scopes, at the parent of its first member. */
const cycleRule = (draft: Draft): ReadonlyArray<Complaint> => {
  const scopes = new Map(draft.scopes.map((scope) => [scope.scope, scope]))
  // As a parent, this name means the one that is not in `scopes` and has no parent itself.
  scopes.delete("global")
  const done = new Set<string>()
  return [...scopes.values()].flatMap((start) => {
    const chain: Array<ScopeDraft> = []
    const here = new Set<string>()
    let scope: ScopeDraft | undefined = start
    while (scope !== undefined && !done.has(scope.scope) && !here.has(scope.scope)) {
      chain.push(scope)
      here.add(scope.scope)
      scope = scope.parent === undefined ? undefined : scopes.get(scope.parent.value)
    }
    for (const name of here) done.add(name)
    if (scope?.parent === undefined || !here.has(scope.scope)) return []
    const circle = chain.slice(chain.indexOf(scope)).map((one) => one.scope)
    const message = `scope ${JSON.stringify(scope.scope)} is its own ancestor: ${[...circle, scope.scope].join(" → ")}. Take one of these parents away.`
    return [complain(draft.document, scope.parent.path, message, { tag: "ScopeCycle" })]
  })
}
