/**
 * The template language: text in which `{{name}}` stands for the value of a variable.
 *
 * A text is a string, in which every `{{` counts, or a `Template`, built with the
 * tagged literal `text`, in which only its holes refer to variables and all braces
 * of its literal parts are literal. Interpolation is strict: a reference to a variable
 * that is missing or has no value, or braces that are neither a reference nor plainly
 * text, are typed errors with their place; nothing is repaired, trimmed or read twice.
 *
 * Everything here is pure and linear in the text.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Result from "effect/Result"
import { byCodeUnits } from "./internal/codeUnits.ts"
import { lineAround, lineFrom } from "./internal/excerpt.ts"
import * as malformed from "./internal/malformed.ts"
import { nearest } from "./internal/nearest.ts"
import { placeOf, placesIn } from "./internal/place.ts"
import { scan, type Literal, type Malformed, type Reference, type Segment } from "./internal/scan.ts"
import {
  MalformedGroup,
  ownerFields,
  UndefinedVariable,
  UnknownVariable,
  type Owner,
  type RenderError
} from "./PromptError.ts"
import { isVariableName, rule, type Checked } from "./VariableName.ts"

const TypeId = "~effect-preamble/Template"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export type { Literal, Malformed, Reference, Segment } from "./internal/scan.ts"

/**
 * A text whose references are known, `Names` being the variables it refers to. Immutable.
 *
 * As a string or in JSON it shows each reference as `{{name}}`. That is for readers: it cannot be parsed back when
 * literal parts hold braces.
 *
 * @since 0.1.0
 * @category models
 */
export interface Template<out Names extends string = string> {
  readonly [TypeId]: typeof TypeId
  /** Adjacent literals are one segment, and none is empty. Offsets are those of `toString()`. */
  readonly segments: ReadonlyArray<Literal | Reference<Names>>
  readonly toString: () => string
  readonly toJSON: () => string
}

/**
 * What a section or a context has as its text.
 *
 * @since 0.1.0
 * @category models
 */
export type Text = string | Template

/**
 * The variables of one assembly by name; `undefined` for those registered without a value.
 *
 * @since 0.1.0
 * @category models
 */
export type Values = ReadonlyMap<string, string | undefined>

/**
 * Where a character of a rendered text comes from: literal text, at `offset` of the source, or the value of the variable
 * `name`, at `offset` of that value, put in by the reference at `reference` of the source.
 *
 * @since 0.1.0
 * @category models
 */
export type Source =
  | { readonly _tag: "Literal"; readonly offset: number }
  | { readonly _tag: "Variable"; readonly name: string; readonly offset: number; readonly reference: number }

class TemplateImpl<Names extends string> implements Template<Names> {
  readonly [TypeId]: typeof TypeId = TypeId
  readonly segments: ReadonlyArray<Literal | Reference<Names>>

  constructor(segments: ReadonlyArray<Literal | Reference<Names>>) {
    this.segments = Object.freeze(segments.map((segment) => Object.freeze(segment)))
    Object.freeze(this)
  }

  toString(): string {
    return this.segments.map((one) => (one._tag === "Literal" ? one.text : `{{${one.name}}}`)).join("")
  }

  toJSON(): string {
    return this.toString()
  }
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Whether a value is a `Template`.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTemplate = (u: unknown): u is Template => hasProperty(u, TypeId)

/**
 * Whether a value can be the text of a section or a context.
 *
 * @since 0.1.0
 * @category guards
 */
export const isText = (u: unknown): u is Text => typeof u === "string" || isTemplate(u)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Lays parts end to end: offsets run on, adjacent literals become one, empty ones vanish. */
const concat = <Names extends string>(parts: ReadonlyArray<string | Template<Names>>): Template<Names> => {
  const segments: Array<Literal | Reference<Names>> = []
  let literal = ""
  let start = 0
  const flush = () => {
    if (literal === "") return
    segments.push({ _tag: "Literal", start, end: start + literal.length, text: literal })
    start += literal.length
    literal = ""
  }
  for (const part of parts) {
    if (typeof part === "string") {
      literal += part
      continue
    }
    for (const one of part.segments) {
      if (one._tag === "Literal") {
        literal += one.text
        continue
      }
      flush()
      const end = start + one.end - one.start
      segments.push({ _tag: "Reference", start, end, name: one.name })
      start = end
    }
  }
  flush()
  return new TemplateImpl(segments)
}

/**
 * A template from a tagged literal. Its literal parts are never scanned, so that all their braces are literal; a hole
 * is `ref("name")`, `verbatim(string)` or another template.
 *
 * A string as a hole could mean a name or a text, so the compiler refuses it. Throws a `TypeError` for whatever slips
 * past the compiler, and for an invalid escape such as `\unicode`.
 *
 * **Example**
 *
 * ```ts
 * import { Template } from "effect-preamble"
 *
 * // Template<"model">
 * const t = Template.text`Jinja uses {{ user.name }}. You run on ${Template.ref("model")}.`
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const text = <Names extends string = never>(
  strings: TemplateStringsArray,
  ...holes: ReadonlyArray<Template<Names>>
): Template<Names> => {
  const parts: Array<string | Template<Names>> = []
  for (const [i, literal] of strings.entries()) {
    if (typeof literal !== "string") {
      const raw = JSON.stringify(strings.raw[i])
      throw new TypeError(
        `Template.text: invalid escape in the literal part ${raw}; write \\\\ for a backslash, or use verbatim(String.raw\`…\`)`
      )
    }
    parts.push(literal)
    if (i >= holes.length) continue
    const hole = holes[i]
    if (!isTemplate(hole)) {
      const what = hole === null ? "null" : typeof hole
      throw new TypeError(
        `Template.text: hole ${i + 1} is of type ${what}; write ref("name") for a variable, verbatim(string) for literal text, or put in a template`
      )
    }
    parts.push(hole)
  }
  return concat(parts)
}

/** At run time a `Checked` name is a sentence or the name itself, and no sentence is a valid name. */
const passes = <Name extends string>(name: Checked<Name>): name is Checked<Name> & Name => isVariableName(name)

/**
 * A reference to a variable. The name must be a literal, checked by the compiler, or a `VariableName`. Throws a
 * `TypeError` for a bad name that slips past the compiler.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ref = <const Name extends string>(name: Checked<Name>): Template<Name> => {
  if (!passes(name)) {
    throw new TypeError(`Template.ref: ${JSON.stringify(name)} is not a variable name (${rule})`)
  }
  return new TemplateImpl<Name>([{ _tag: "Reference", start: 0, end: name.length + 4, name }])
}

/**
 * Text that refers to nothing, whatever braces it holds: a file, or data. Throws a `TypeError` for anything but a string.
 *
 * @since 0.1.0
 * @category constructors
 */
export const verbatim = (text: string): Template<never> => {
  if (typeof text !== "string") throw new TypeError(`Template.verbatim: expected a string, got ${typeof text}`)
  return concat<never>([text])
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * All parts of a text, in order and without gaps. Total: malformed groups are parts too.
 *
 * @since 0.1.0
 * @category destructors
 */
export const parse = (text: Text): ReadonlyArray<Segment> => (typeof text === "string" ? scan(text) : text.segments)

/**
 * The names of the variables that a text refers to, each once, by first appearance. Malformed groups refer to nothing.
 *
 * @since 0.1.0
 * @category destructors
 */
export const references = (self: Text): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const segment of parse(self)) if (segment._tag === "Reference") names.add(segment.name)
  return [...names]
}

/**
 * Whether two texts mean the same: the same string, or templates with the same segments. A string and a template never
 * do, since the braces of a string count.
 *
 * @since 0.1.0
 * @category destructors
 */
export const equals: {
  (that: Text): (self: Text) => boolean
  (self: Text, that: Text): boolean
} = dual(2, (self: Text, that: Text): boolean => {
  if (self === that) return true
  if (typeof self === "string" || typeof that === "string" || self.segments.length !== that.segments.length)
    return false
  return self.segments.every((one, i) => {
    const other = that.segments[i]
    return one._tag === "Literal"
      ? other?._tag === "Literal" && other.text === one.text
      : other?._tag === "Reference" && other.name === one.name
  })
})

/** A reader looks through so many names at the most, and each error of a text has its own list. */
const mostKnown = 100

/** Makes the errors of one text. What they share is found once, and only when there is an error. */
const explainer = (self: Text, variables: Values, owner: Owner, placesOf: typeof placesIn) => {
  const text = self.toString()
  const names = [...variables.keys()].sort(byCodeUnits)
  const known = names.slice(0, mostKnown)
  const more = names.length > mostKnown ? { more: names.length - mostKnown } : undefined
  const nearestTo = new Map<string, string | undefined>()
  const place = placesOf(text)
  return (segment: Reference | Malformed): RenderError => {
    const { start, end } = segment
    const shared = { ...ownerFields(owner), offset: start, ...place(start) }
    if (segment._tag === "Malformed") {
      const reason = malformed.reasonOf(segment, text, variables, place)
      return new MalformedGroup({ ...shared, excerpt: lineFrom(text, start, 16), group: segment.group, reason })
    }
    const { name } = segment
    const excerpt = lineAround(text, start, end)
    if (variables.has(name)) return new UndefinedVariable({ ...shared, excerpt, variable: name })
    if (!nearestTo.has(name)) nearestTo.set(name, nearest(name, names))
    const near = nearestTo.get(name)
    return new UnknownVariable({
      ...shared,
      excerpt,
      variable: name,
      known,
      ...more,
      ...(near === undefined ? undefined : { nearest: near })
    })
  }
}

/**
 * The text with each reference replaced by its value, as it is. Stops at the leftmost problem, and looks at no variable
 * that the text does not refer to.
 *
 * Fails with `MalformedGroup`, `UnknownVariable` or `UndefinedVariable`, blaming `owner`.
 *
 * @since 0.1.0
 * @category destructors
 */
export const render: {
  (variables: Values, owner: Owner): (self: Text) => Result.Result<string, RenderError>
  (self: Text, variables: Values, owner: Owner): Result.Result<string, RenderError>
} = dual(3, (self: Text, variables: Values, owner: Owner): Result.Result<string, RenderError> => {
  let rendered = ""
  for (const segment of parse(self)) {
    if (segment._tag === "Literal") {
      rendered += segment.text
      continue
    }
    const value = segment._tag === "Reference" ? variables.get(segment.name) : undefined
    if (value === undefined) {
      const explain = explainer(self, variables, owner, (text) => (offset) => placeOf(text, offset))
      return Result.fail(explain(segment))
    }
    rendered += value
  }
  return Result.succeed(rendered)
})

/**
 * Everything that keeps a text from rendering, from left to right; empty exactly when `render` succeeds. The first one is
 * what `render` fails with.
 *
 * @since 0.1.0
 * @category destructors
 */
export const problems: {
  (variables: Values, owner: Owner): (self: Text) => ReadonlyArray<RenderError>
  (self: Text, variables: Values, owner: Owner): ReadonlyArray<RenderError>
} = dual(3, (self: Text, variables: Values, owner: Owner): ReadonlyArray<RenderError> => {
  const bad = parse(self)
    .filter((segment) => segment._tag !== "Literal")
    .filter((segment) => segment._tag === "Malformed" || variables.get(segment.name) === undefined)
  return bad.length === 0 ? [] : bad.map(explainer(self, variables, owner, placesIn))
})

/**
 * Where the character at `offset` of the rendered text comes from. None when `offset` is outside of that text, or a
 * problem stands before it.
 *
 * @since 0.1.0
 * @category destructors
 */
export const sourceAt: {
  (variables: Values, offset: number): (self: Text) => Option.Option<Source>
  (self: Text, variables: Values, offset: number): Option.Option<Source>
} = dual(3, (self: Text, variables: Values, offset: number): Option.Option<Source> => {
  // Offset into what the remaining segments render to.
  let rest = offset
  if (!(rest >= 0)) return Option.none()
  for (const segment of parse(self)) {
    if (segment._tag === "Literal") {
      if (rest < segment.text.length) return Option.some({ _tag: "Literal", offset: segment.start + rest })
      rest -= segment.text.length
      continue
    }
    const value = segment._tag === "Reference" ? variables.get(segment.name) : undefined
    if (segment._tag === "Malformed" || value === undefined) return Option.none()
    if (rest < value.length) {
      return Option.some({ _tag: "Variable", name: segment.name, offset: rest, reference: segment.start })
    }
    rest -= value.length
  }
  return Option.none()
})
