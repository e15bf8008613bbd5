/**
 * What the registry of tools would refuse of a draft and its files beyond each tool by itself: names given twice in a
 * scope, and restrictions.
 *
 * Plugins may register tools too, and which ones is known only when they are mounted. So in a composition with plugins
 * a name that no tool of the files has is left to the registry.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { byCodeUnits } from "../internal/codeUnits.ts"
import { nearest } from "../internal/nearest.ts"
import * as Restriction from "../Restriction.ts"
import { complain, type Complaint, type Path, showPath } from "./Complaint.ts"
import type * as CompositionFile from "./CompositionFile.ts"
import type { ContentsDraft, Draft, Located, ScopeDraft } from "./Draft.ts"
import { distinct, type PlacedTool, type ReadTool, type Resources } from "./Resources.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** Every rule of the registry that a scope as a whole breaks. */
export const complaintsOf = (draft: Draft, resources: Resources): ReadonlyArray<Complaint> => [
  ...distinct(
    [draft.global, ...draft.scopes].flatMap((contents) =>
      duplicateRule(draft.document, contents.scope, resources.toolsOf(contents))
    )
  ),
  ...restrictionRules(draft, resources)
]

// -----------------------------------------------------------------------------
// names
// -----------------------------------------------------------------------------

const duplicateRule = (document: Document, scope: string, tools: ReadonlyArray<ReadTool>): ReadonlyArray<Complaint> => {
  const first = new Map<string, PlacedTool>()
  return tools.flatMap(({ name, place }) => {
    const earlier = name === undefined ? undefined : first.get(name)
    if (name !== undefined && earlier === undefined) first.set(name, place)
    return name === undefined || earlier === undefined ? [] : [duplicate(document, scope, name, place, earlier)]
  })
}

const duplicate = (
  document: Document,
  scope: string,
  name: string,
  place: PlacedTool,
  earlier: PlacedTool
): Complaint => {
  const tag = "DuplicateRegistration"
  const { source } = place.document
  const isSameFile = source.file === earlier.document.source.file
  if (place.reference !== undefined && isSameFile && showPath(place.path) === showPath(earlier.path)) {
    // One file is named twice, which is one mistake however many tools it holds.
    const { line } = document.source.positionOf(document.locate(earlier.reference ?? []))
    const message = `scope ${JSON.stringify(scope)} has the tools of this file already, from line ${line}. Name it once.`
    return complain(document, place.reference, message, { tag })
  }
  const { line } = earlier.document.source.positionOf(earlier.document.locate([...earlier.path, "name"]))
  // What a file has twice it has twice for whichever scope.
  const of = place.reference !== undefined && isSameFile ? "" : ` of scope ${JSON.stringify(scope)}`
  const where = `line ${line}${isSameFile ? "" : ` of ${earlier.document.source.file}`}`
  const message = `tool ${JSON.stringify(name)}${of} is already given on ${where}. Choose another name, or put it in a scope of its own.`
  return complain(place.document, [...place.path, "name"], message, { tag })
}

// -----------------------------------------------------------------------------
// restrictions
// -----------------------------------------------------------------------------

const lists = ["allow", "deny"] as const

type Listed = Located<string> & { readonly list: (typeof lists)[number] }

/** The names in both lists of a restriction, each at its place. */
export const namesIn = ({ path, value }: Located<CompositionFile.Restriction>): ReadonlyArray<Listed> =>
  lists.flatMap((list) =>
    (value[list] ?? []).map((name, index): Listed => ({ value: name, path: [...path, list, index], list }))
  )

const restrictionRules = (draft: Draft, resources: Resources): ReadonlyArray<Complaint> => {
  const { document } = draft
  const scopes = new Map(draft.scopes.map((one) => [one.scope, one]))
  const hasPlugins = [draft.global, ...draft.scopes].some(({ plugins }) => plugins.length > 0)
  return draft.scopes.flatMap((scope) => {
    const { restrict } = scope
    if (restrict === undefined) return []
    const { allow, deny } = restrict.value
    if (allow === undefined && deny === undefined) return refused(document, scope, restrict.value, restrict.path)
    const names = namesIn(restrict).map((one) => ({
      ...one,
      complaints: refused(document, scope, { [one.list]: [one.value] }, one.path)
    }))
    const broken = names.flatMap(({ complaints }) => complaints)
    const above = hasPlugins ? undefined : ancestorsOf(draft, scopes, scope)
    if (above === undefined) return broken
    const inherited = above.flatMap((one) => resources.toolsOf(one))
    const fair = names.filter(({ complaints }) => complaints.length === 0)
    return [...broken, ...unknownRule(document, scope.scope, fair, inherited, resources.toolsOf(scope))]
  })
}

/** What a restriction breaks of the rules that have nothing to do with what the scope inherits. */
const refused = (
  document: Document,
  { scope }: ScopeDraft,
  options: CompositionFile.Restriction,
  path: Path
): ReadonlyArray<Complaint> => {
  const inherited = [...(options.allow ?? []), ...(options.deny ?? [])]
  const made = Restriction.make(options, { scope, isGlobal: false, inherited })
  return Result.isSuccess(made) ? [] : [complain(document, path, made.failure.message, { tag: made.failure._tag })]
}

const unknownRule = (
  document: Document,
  scope: string,
  names: ReadonlyArray<Located<string>>,
  inherited: ReadonlyArray<ReadTool>,
  own: ReadonlyArray<ReadTool>
): ReadonlyArray<Complaint> => {
  const known = namesOf(inherited)
  const unknown = names.filter(({ value }) => !known.has(value))
  // Among those without a name there may be the one that is meant.
  return inherited.some(({ name }) => name === undefined)
    ? []
    : unknownTools(document, scope, unknown, { inherited: known, own: namesOf(own) })
}

const namesOf = (tools: ReadonlyArray<ReadTool>): ReadonlySet<string> =>
  new Set(tools.flatMap(({ name }) => (name === undefined ? [] : [name])))

/** All that the scope inherits from, the nearest first; nothing if that cannot be told. */
const ancestorsOf = (
  draft: Draft,
  scopes: ReadonlyMap<string, ScopeDraft>,
  scope: ScopeDraft
): ReadonlyArray<ContentsDraft> | undefined => {
  const above: Array<ContentsDraft> = []
  let at = scope
  while (at.parent !== undefined && at.parent.value !== "global") {
    const parent = scopes.get(at.parent.value)
    // Longer than there are scopes is a circle. It is told elsewhere, as an unknown parent is.
    if (parent === undefined || above.push(parent) > scopes.size) return undefined
    at = parent
  }
  return [...above, draft.global]
}

const maxNames = 100

/** One complaint for each name in a restriction that the scope does not inherit. */
export const unknownTools = (
  document: Document,
  scope: string,
  unknown: ReadonlyArray<Located<string>>,
  known: { readonly inherited: Iterable<string>; readonly own: ReadonlySet<string> }
): ReadonlyArray<Complaint> => {
  if (unknown.length === 0) return []
  const names = [...known.inherited].sort(byCodeUnits)
  // Comparing thousands of names with thousands of typos would take minutes and help nobody.
  const shown = names.slice(0, maxNames)
  const all = shown.length === 0 ? "none" : shown.join(", ") + (names.length > maxNames ? ", …" : "")
  return unknown.map(({ path, value }) => {
    const near = nearest(value, shown)
    const hint = known.own.has(value)
      ? " It is a tool of the scope itself, which no restriction hides there."
      : near === undefined
        ? ""
        : ` Did you mean ${JSON.stringify(near)}?`
    const message = `restriction of scope ${JSON.stringify(scope)} names ${JSON.stringify(value)}, which is no tool that the scope inherits.${hint} Inherited tools: ${all}.`
    return complain(document, path, message, { tag: "UnknownTool" })
  })
}
