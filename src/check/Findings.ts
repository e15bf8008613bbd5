/**
 * All that is to be said about one composition: the errors and the warnings of all its scopes, each once, each at its
 * place in the files, in the order of the files.
 *
 * Pure. It is apart from the rules, which know nothing of files.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Assembly } from "../Assembly.ts"
import { type Path, showPath } from "../composition/Complaint.ts"
import type { Composition } from "../composition/Composition.ts"
import { type Environment, UnknownScope } from "../composition/CompositionScopes.ts"
import type { InvalidComposition } from "../composition/InvalidComposition.ts"
import { pathOf, placesInText, placesInTool, placesOf, textOf } from "../composition/Places.ts"
import { problemsOf } from "../composition/RenderProblems.ts"
import { type Place, placeAt } from "../composition/SourceFile.ts"
import { byCodeUnits } from "../internal/codeUnits.ts"
import { nearest } from "../internal/nearest.ts"
import { describeOwner } from "../Owner.ts"
import { type AssembleError, PromptError, type RenderError } from "../PromptError.ts"
import * as Template from "../Template.ts"
import type { Trace } from "../Trace.ts"
import * as Check from "./Check.ts"
import { type Code, codes } from "./Code.ts"
import { make as makeSubject, type Text } from "./Subject.ts"
import * as Warning from "./Warning.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** One error or warning. */
export interface Finding {
  readonly severity: "error" | "warning"
  /** The code of a warning, the tag of an error. */
  readonly code: string
  readonly message: string
  /** The most exact one first. None where nothing in the files is at fault. */
  readonly places: ReadonlyArray<Place>
  /** The scopes in which it is so, in the order of the file. */
  readonly scopes: ReadonlyArray<string>
  /** Where the composition has what it is about. */
  readonly at: string | undefined
  /** Why it does not matter, if the composition says so. */
  readonly silenced: string | undefined
  /** The fields of the error or warning. */
  readonly details: object
}

export interface Report {
  readonly file: string
  /** What was checked. */
  readonly scopes: ReadonlyArray<string>
  readonly findings: ReadonlyArray<Finding>
  /** Errors that are counted and not listed. */
  readonly omitted: number
}

/** One scope, assembled. */
export interface Assembled {
  readonly scope: string
  readonly result: Result.Result<{ readonly trace: Trace; readonly later: Assembly | undefined }, AssembleError>
}

/** So many errors are listed of a file. Who has more mends the first of them first. */
const maxErrors = 500

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A composition that could not be read. */
export const ofInvalid = (error: InvalidComposition): Report => ({
  file: error.file,
  scopes: [],
  findings: error.problems.map(({ column, file, frame, line, message, path, tag }) => ({
    severity: "error",
    code: tag ?? error._tag,
    message: path === "" ? message : `${path}: ${message}`,
    places: [{ file, line, column, frame }],
    scopes: [],
    at: path === "" ? undefined : path,
    silenced: undefined,
    details: {}
  })),
  omitted: error.total - error.problems.length
})

/** A composition that has no scope of the name that was asked for. */
export const ofUnknownScope = (error: UnknownScope): Report => ({
  file: error.file,
  scopes: [],
  findings: [{ ...errorBase(error), places: [], at: undefined, scopes: [] }],
  omitted: 0
})

export interface Options {
  readonly env: Environment
  /** What variables of the command line have as their plugin: whether they are used is not a matter of the file. */
  readonly settings: ReadonlySet<string>
  /** The real path of each text file, by the name that messages give it. */
  readonly realPaths: ReadonlyMap<string, string>
  /** Whether these are all the scopes of the composition. */
  readonly whole: boolean
}

/** A composition whose scopes were assembled. */
export const make = (composition: Composition, assembled: ReadonlyArray<Assembled>, options: Options): Report => {
  const { findings: errors, omitted } = errorsOf(composition, assembled, options)
  const { unused, warnings } = silence(composition, warningsOf(composition, assembled, options))
  const complete = options.whole && assembled.every(({ result }) => Result.isSuccess(result))
  return {
    file: composition.file,
    scopes: assembled.map(({ scope }) => scope),
    findings: inOrder(composition, [...errors, ...warnings, ...(complete ? unused : [])]),
    omitted
  }
}

/** The file itself first, then other files by name, each from top to bottom; what has no place comes last. */
const inOrder = (composition: Composition, findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const fileOf = ({ places: [place] }: Finding): number =>
    place === undefined ? 2 : Number(place.file !== composition.file)
  return findings.toSorted((a, b) => {
    const [left, right] = [a.places[0], b.places[0]]
    return (
      fileOf(a) - fileOf(b) ||
      byCodeUnits(left?.file ?? "", right?.file ?? "") ||
      (left?.line ?? 0) - (right?.line ?? 0) ||
      (left?.column ?? 0) - (right?.column ?? 0) ||
      byCodeUnits(a.severity, b.severity) ||
      byCodeUnits(a.code, b.code) ||
      byCodeUnits(a.message, b.message)
    )
  })
}

/** Things that hold in several scopes, each once, with these. */
const merge = <A>(
  all: ReadonlyArray<{ readonly scope: string; readonly things: ReadonlyArray<A> }>,
  keyOf: (thing: A) => string
): ReadonlyArray<{ readonly thing: A; readonly scopes: ReadonlyArray<string> }> => {
  const merged = new Map<string, { readonly thing: A; readonly scopes: Array<string> }>()
  for (const { scope, things } of all) {
    for (const thing of things) {
      const key = keyOf(thing)
      const known = merged.get(key)
      if (known === undefined) merged.set(key, { thing, scopes: [scope] })
      else if (!known.scopes.includes(scope)) known.scopes.push(scope)
    }
  }
  return [...merged.values()]
}

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

const encode = Schema.encodeUnknownResult(Schema.toCodecJson(Schema.Union([PromptError, UnknownScope])))

const errorBase = (error: PromptError | UnknownScope) => {
  const fields = Result.getOrElse(encode(error), () => ({}))
  const { _tag, ...details } = { _tag: "", ...(typeof fields === "object" ? fields : {}) }
  return {
    severity: "error" as const,
    code: error._tag,
    message: error.message,
    silenced: undefined,
    details
  }
}

/** What two scopes see otherwise, and what is no other error for it: the names that each knows. */
const keyOfError = (error: PromptError): string => {
  switch (error._tag) {
    case "UnknownVariable":
    case "UndefinedVariable":
    case "MalformedGroup": {
      const { _tag, entry, kind, listener, offset, plugin, scope } = error
      const environment = error._tag === "UndefinedVariable" ? error.environment : undefined
      return JSON.stringify([_tag, kind, entry, scope, plugin, listener, offset, environment])
    }
    case "UnknownTool":
      return JSON.stringify([error._tag, error.unknown])
    case "MultipleCompleteSections":
      return JSON.stringify([error._tag, error.sections])
    default:
      return JSON.stringify([error._tag, error.message])
  }
}

const errorsOf = (composition: Composition, assembled: ReadonlyArray<Assembled>, { env }: Options) => {
  const all = assembled.map(({ result, scope }) => ({
    scope,
    things: Result.match(result, {
      onFailure: (error): ReadonlyArray<AssembleError | RenderError> => [error],
      onSuccess: ({ trace }) => problemsOf(composition, trace.assembly, { env })
    })
  }))
  const merged = merge(all, keyOfError)
  const findings = merged.slice(0, maxErrors).map(({ scopes, thing }): Finding => {
    const path = "kind" in thing ? pathOf(composition, thing) : undefined
    return {
      ...errorBase(thing),
      places: placesOf(composition, thing),
      scopes,
      at: path === undefined ? undefined : showPath(path)
    }
  })
  return { findings, omitted: merged.length - findings.length }
}

// -----------------------------------------------------------------------------
// warnings
// -----------------------------------------------------------------------------

const contentsOf = (composition: Composition) => [composition.global, ...composition.scopes]

/** What the texts in the files refer to, shown or not: contexts that are suppressed are in no assembly. */
const referencesIn = (composition: Composition): ReadonlyArray<string> =>
  contentsOf(composition)
    .flatMap((contents) => [...contents.sections, ...contents.contexts])
    .flatMap(({ value }) => (value.interpolate === false ? [] : [value.text]))
    .concat([...composition.builtIns.values()].map(({ text }) => text))
    .flatMap(Template.references)

const warningsOf = (
  composition: Composition,
  assembled: ReadonlyArray<Assembled>,
  options: Options
): ReadonlyArray<Finding> => {
  const successes = assembled.flatMap(({ result, scope }) =>
    Result.isSuccess(result) ? [{ scope, ...result.success }] : []
  )
  const references = [...referencesIn(composition), ...successes.flatMap(({ trace }) => Check.referencesOf(trace))]
  const knownTools = [
    ...contentsOf(composition).flatMap((contents) => contents.tools.map((tool) => tool.name)),
    ...successes.flatMap(({ trace }) => Check.toolsOf(trace))
  ]
  const all = successes.map(({ later, scope, trace }) => {
    const sources = duplicateSources(composition, trace.assembly, options.realPaths)
    const echoes = new Set(sources.map((one) => keyOfPair(one)))
    const things = Check.trace(trace, { references, knownTools, later })
      .filter((one) => !(one.code === "duplicate-text" && echoes.has(keyOfPair(one))))
      .filter((one) => !(one.code === "unused-variable" && options.settings.has(one.plugin ?? "")))
      .filter((one) => !endsAsFilesDo(composition, one))
    return { scope, things: [...things, ...sources] }
  })
  return merge(all, keyOfWarning).map(({ scopes, thing }) => {
    const path = pathOf(composition, thing)
    return {
      ...ofWarning(thing),
      places: placesOfWarning(composition, thing, path),
      scopes,
      at: path === undefined ? undefined : showPath(path)
    }
  })
}

/** A volatile text quotes something else whenever it is asked for; another warning is one of another kind of thing. */
const keyOfWarning = ({ message, place, ...rest }: Warning.Warning): string =>
  JSON.stringify(rest.code === "volatile-text" ? rest : { ...rest, message, place })

const ofWarning = ({ code, message, ...details }: Warning.Warning) => ({
  severity: "warning" as const,
  code,
  message,
  silenced: undefined,
  details
})

/** Most editors end a file with one line break, and none but its author can tell a text from a file of text. */
const endsAsFilesDo = (composition: Composition, warning: Warning.Warning): boolean =>
  warning.code === "trailing-newline" &&
  warning.place?.found === "\n" &&
  textOf(composition, warning)?.file !== undefined

const keyOfPair = ({ entry, kind, related, scope }: Warning.Warning): string =>
  JSON.stringify([kind, entry, scope, related?.map((one) => [one.entry, one.scope])])

/** By the real path: two names may lead to one file. */
const duplicateSources = (
  composition: Composition,
  assembly: Assembly,
  realPaths: ReadonlyMap<string, string>
): ReadonlyArray<Warning.Warning> => {
  const subject = makeSubject(assembly, {
    references: [],
    leftOut: [],
    knownTools: [],
    hidersOf: () => [],
    requirements: [],
    later: undefined
  })
  return [subject.sections, subject.contexts].flatMap((texts) => {
    const first = new Map<string, { readonly text: Text; readonly name: string }>()
    return texts.flatMap((text) => {
      const placed = textOf(composition, text.owner)
      // A listener may have put another text there.
      if (placed?.file === undefined || placed.text !== text.written || placed.text === "") return []
      const name = placed.file.file
      const real = realPaths.get(name) ?? name
      const other = first.get(real)
      if (other === undefined) {
        first.set(real, { text, name })
        return []
      }
      const by = other.name === name ? "" : ` (${JSON.stringify(name)} and ${JSON.stringify(other.name)} are one file)`
      const message = `${describeOwner(text.owner)} has the same file as its text as ${describeOwner(other.text.owner)}${by}, so the model reads it twice. Remove one of them.`
      return [Warning.make("duplicate-source", text.owner, message, { related: [other.text.owner] })]
    })
  })
}

const placesOfWarning = (
  composition: Composition,
  warning: Warning.Warning,
  path: Path | undefined
): ReadonlyArray<Place> => {
  if (warning.tool !== undefined) return placesInTool(composition, warning, warning.path ?? [])
  if (warning.place !== undefined) {
    const places = placesInText(composition, warning, warning.place)
    if (places.length > 0) return places
  }
  if (path === undefined) return []
  const { document } = composition
  const field = fieldOf(warning.code)
  const text = field === "text" ? textOf(composition, warning)?.path : undefined
  const exact = text ?? (field === undefined ? path : [...path, field])
  return [placeAt(document.source, document.locate(exact, warning.kind === "variable" ? "key" : "value"))]
}

/** What of an entry a warning without a place in a text is about. */
const fieldOf = (code: Code): string | undefined => {
  switch (code) {
    case "near-duplicate-name":
      return "name"
    case "unknown-required-tool":
      return "requires"
    case "blank-text":
    case "duplicate-text":
    case "duplicate-source":
    case "volatile-text":
      return "text"
    default:
      return undefined
  }
}

// -----------------------------------------------------------------------------
// silences
// -----------------------------------------------------------------------------

const isAt = (finding: Finding, at: string | undefined): boolean => {
  if (at === undefined) return true
  const { entry, tool } = { entry: "", tool: "", ...finding.details }
  if (at === entry || at === tool || at === finding.at) return true
  return finding.at?.startsWith(at) === true && /^[.[]/.test(finding.at.slice(at.length))
}

/** Marks the warnings that the composition silences, and says which of its entries silence none. */
const silence = (composition: Composition, warnings: ReadonlyArray<Finding>) => {
  const used = new Set<object>()
  const marked = warnings.map((warning): Finding => {
    const mine = composition.silences.filter(({ value }) => value.warning === warning.code && isAt(warning, value.at))
    for (const one of mine) used.add(one)
    return { ...warning, silenced: mine[0]?.value.reason }
  })
  const { document } = composition
  const unused = composition.silences
    .filter((one) => !used.has(one))
    .map(({ path, value }): Finding => {
      const known = Object.hasOwn(codes, value.warning)
      const key = known && value.at !== undefined ? "at" : "warning"
      return {
        severity: "warning",
        code: "unused-silence" satisfies Code,
        message: unusedMessage(value.warning, value.at, marked),
        places: [placeAt(document.source, document.locate([...path, key]))],
        scopes: [],
        at: showPath(path),
        silenced: undefined,
        details: {}
      }
    })
  return { warnings: marked, unused }
}

const unusedMessage = (code: string, at: string | undefined, warnings: ReadonlyArray<Finding>): string => {
  if (!Object.hasOwn(codes, code)) {
    const near = nearest(code, Object.keys(codes))
    return `there is no warning ${JSON.stringify(code)}.${near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`}`
  }
  const others = warnings.flatMap((one) => (one.code === code && one.at !== undefined ? [one.at] : []))
  if (at === undefined || others.length === 0) return `there is no ${code} to silence here. Remove the entry.`
  return `there is no ${code} at ${JSON.stringify(at)} to silence. There is one at ${others[0]}.`
}
