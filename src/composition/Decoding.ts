/**
 * Says in an author's words, and at the author's place, what a Schema refused.
 *
 * The Schema's own wording is for programmers; and of a union it reports every
 * member. Here an issue becomes what was expected and what was given, an unknown
 * key the known one nearest to it, and a union the member that was meant.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { clip } from "../internal/excerpt.ts"
import { nearest } from "../internal/nearest.ts"
import { describeType } from "../internal/rules.ts"
import { restMarker } from "../ToolOrder.ts"
import type { Complaint, Path } from "./Complaint.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

type Decodable = Schema.Top & { readonly DecodingServices: never }

interface Refusal {
  readonly path: Path
  readonly part: "key" | "value"
  readonly message: string
  readonly tag?: string
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** The value at `path`, if all of it is well-formed, keys that the Schema does not know aside. */
export const attempt = <S extends Decodable>(schema: S, value: unknown): S["Type"] | undefined => {
  const decoded = Schema.decodeUnknownResult(schema)(value)
  return Result.isSuccess(decoded) ? decoded.success : undefined
}

/** All that a Schema refuses in the part of a document at `path`, save of what has a foreign tag, which is refused anyway. */
export const complaintsOf = (
  document: Document,
  schema: Decodable,
  value: unknown,
  path: Path = []
): ReadonlyArray<Complaint> => {
  const decoded = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(value)
  if (Result.isSuccess(decoded)) return []
  const refusals: Array<Refusal> = []
  collect(refusals, decoded.failure.issue, value, path)
  const tagged = new Set(document.foreignTags.map((one) => keyOf(one.path)))
  return refusals
    .filter((refusal) => !refusal.path.some((_, i) => tagged.has(keyOf(refusal.path.slice(0, i + 1)))))
    .map(({ message, part, path, tag }) => ({
      source: document.source,
      offset: document.locate(path, part),
      path,
      message,
      ...(tag === undefined ? undefined : { tag })
    }))
}

const keyOf = (path: Path): string => JSON.stringify(path)

// -----------------------------------------------------------------------------
// issues
// -----------------------------------------------------------------------------

const collect = (refusals: Array<Refusal>, issue: SchemaIssue.Issue, input: unknown, path: Path): void => {
  switch (issue._tag) {
    case "Pointer":
      return collect(refusals, issue.issue, at(input, issue.path), [...path, ...issue.path.map(toStep)])
    case "Composite":
      for (const inner of issue.issues) if (!isMistyped(issue, inner)) collect(refusals, inner, input, path)
      return
    case "Filter":
    case "Encoding":
      if (issue.issue._tag === "Pointer" || issue.issue._tag === "Composite")
        return collect(refusals, issue.issue, input, path)
      refusals.push({
        path,
        part: "value",
        message: mismatch(expectedOf(issue._tag === "Filter" ? issue.filter : issue.ast), input)
      })
      return
    case "AnyOf": {
      const meant = memberMeant(issue, input)
      if (meant !== undefined) return collect(refusals, meant, input, path)
      refusals.push({ path, part: "value", ...bandHint(issue.ast, input) })
      return
    }
    case "MissingKey":
      refusals.push({ path, part: "value", message: `the key ${JSON.stringify(path.at(-1))} is missing. Add it here.` })
      return
    case "UnexpectedKey":
      refusals.push({ path, part: "key", message: unknownKey(issue.ast, String(path.at(-1))) })
      return
    case "InvalidType":
    case "OneOf":
      refusals.push({ path, part: "value", message: mismatch(expectedOf(issue.ast), input) })
      return
    case "InvalidValue":
    case "Forbidden":
      refusals.push({ path, part: "value", message: mismatch("another value", input) })
  }
}

/** Whether a key is missing only because it is there with a typo, which is said already. */
const isMistyped = (issue: SchemaIssue.Composite, inner: SchemaIssue.Issue): boolean => {
  if (inner._tag !== "Pointer" || inner.issue._tag !== "MissingKey") return false
  const known = namesOf(issue.ast)
  return issue.issues.some(
    (other) =>
      other._tag === "Pointer" &&
      other.issue._tag === "UnexpectedKey" &&
      nearest(String(other.path[0]), known) === String(inner.path[0])
  )
}

const toStep = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))

const at = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    input
  )

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map((property) => String(property.name)) : []

/** Of several shapes that a map may have, the one with which it shares most keys. */
const memberMeant = (issue: SchemaIssue.AnyOf, input: unknown): SchemaIssue.Issue | undefined => {
  const keys = new Set(typeof input === "object" && input !== null ? Object.keys(input) : [])
  let best: SchemaIssue.Issue | undefined
  let most = -1
  for (const inner of issue.issues) {
    if (inner._tag !== "Composite") continue
    const shared = namesOf(inner.ast).filter((name) => keys.has(name)).length
    if (shared > most) {
      best = inner
      most = shared
    }
  }
  // A map that shares no key with any shape was not meant as one of them, unless there is but one.
  return most === 0 && issue.issues.filter((inner) => inner._tag === "Composite").length > 1 ? undefined : best
}

// -----------------------------------------------------------------------------
// words
// -----------------------------------------------------------------------------

const expectedOf = (ast: {
  readonly annotations?: { readonly [key: string]: unknown } | undefined
  readonly _tag: string
}): string => {
  const expected = ast.annotations?.["expected"]
  if (typeof expected === "string") return expected
  return ast._tag === "String"
    ? "text"
    : ast._tag === "Boolean"
      ? "true or false"
      : ast._tag === "Number"
        ? "a number"
        : "another value"
}

const maxShown = 40

/** A value in words that fit after "got"; a text as it is, since what is wrong is in it. */
const describe = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(clip(value, maxShown))
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a map"
  return describeType(value)
}

const wantsText = /^text\b|\(text\)$|^a file name$|^the name of an/

const wantsNames = /^a list of (?:tool names|module files)\b/

/** What needs no quotes in a list of YAML. */
const plain = /^[\w./][\w./-]*$/

const mismatch = (expected: string, input: unknown): string => {
  const message = `expected ${expected}, got ${describe(input)}.`
  if (typeof input !== "string") {
    // No text is read as a list or a map, save `{{x}}`, which is refused before.
    return typeof input !== "object" && wantsText.test(expected)
      ? `${message} Quote it if it is meant as text.`
      : message
  }
  if (!wantsNames.test(expected) || input === "") return message
  const withRest = expected.includes(restMarker) && input !== restMarker
  return `${message} Write ${asList(withRest ? [input, restMarker] : [input])}.`
}

const asList = (names: ReadonlyArray<string>): string =>
  `[${names.map((name) => (plain.test(name) ? clip(name, maxShown) : JSON.stringify(clip(name, maxShown)))).join(", ")}]`

const unknownKey = (ast: SchemaAST.AST, key: string): string => {
  const known = namesOf(ast)
  const near = nearest(key, known)
  const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
  return `unknown key ${JSON.stringify(key)}.${hint} Known keys: ${known.join(", ")}.`
}

/** A text where an order belongs is a mistyped band, or a number in quotes. */
const bandHint = (ast: SchemaAST.AST, input: unknown): { readonly message: string; readonly tag?: string } => {
  const bands = bandsOf(ast)
  const message = mismatch(expectedOf(ast), input)
  if (bands.length === 0 || typeof input !== "string") return { message }
  const near = nearest(input, bands)
  const number = input.trim() !== "" && Number.isFinite(Number(input))
  const hint = number
    ? "Remove the quotes."
    : near === undefined
      ? `Bands: ${bands.join(", ")}.`
      : `Did you mean ${near}?`
  return { message: `${message} ${hint}`, tag: "InvalidRegistration" }
}

const bandsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" && typeof ast.literal === "string"
    ? [ast.literal]
    : ast._tag === "Union"
      ? ast.types.flatMap(bandsOf)
      : []
