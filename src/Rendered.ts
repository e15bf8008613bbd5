/**
 * An assembly as text: the system prompt, the context snapshot, and where every
 * character of the prompt comes from.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { AssembledContext, AssembledSection, AssembledVariable, Assembly } from "./Assembly.ts"
import { byCodeUnits } from "./internal/codeUnits.ts"
import { parse, type Parsed, type Reading, type Textual } from "./internal/parsed.ts"
import * as Origin from "./Origin.ts"
import * as PromptContext from "./PromptContext.ts"
import { type Kind, type Owner, ownerFields, type RenderError } from "./PromptError.ts"
import * as Template from "./Template.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A part that renders to something: `text` stands at `offset` of the prompt, or of the snapshot for a context.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part<out From> {
  readonly name: string
  readonly order: number
  /** 0-based, in UTF-16 units. */
  readonly offset: number
  readonly text: string
  /** What it was rendered from. */
  readonly source: From
}

/**
 * The texts of an assembly, with what they were made of. Everything in it is frozen.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rendered {
  /** The system prompt: the non-empty sections, with a blank line between them. */
  readonly text: string
  /** The sections that render to something, in order. */
  readonly sections: ReadonlyArray<Part<AssembledSection>>
  /** The contexts that render to something, in order. */
  readonly contexts: ReadonlyArray<Part<AssembledContext>>
  /** The contexts as one message under a heading; empty without any. */
  readonly snapshot: string
  /** The variables that some text refers to, sorted by name. */
  readonly variables: ReadonlyArray<AssembledVariable>
}

/**
 * Where a character of the prompt comes from, and its offset there.
 *
 * - `Text`: the section's own text; a `Template` is counted as its `toString()`.
 * - `Value`: the value of a variable, put in by the section's text at `reference`.
 * - `Separator`: the blank line between two sections.
 *
 * @since 0.1.0
 * @category models
 */
export type Source =
  | { readonly _tag: "Text"; readonly section: AssembledSection; readonly offset: number }
  | {
      readonly _tag: "Value"
      readonly section: AssembledSection
      readonly variable: AssembledVariable
      readonly offset: number
      readonly reference: number
    }
  | {
      readonly _tag: "Separator"
      readonly before: AssembledSection
      readonly after: AssembledSection
      readonly offset: number
    }

/**
 * A piece of the prompt that comes from one place: from `start` up to `end`, both 0-based, in UTF-16 units. `source` is
 * that of its first character, and each further one comes from the next character there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Span {
  readonly start: number
  readonly end: number
  readonly source: Source
}

// -----------------------------------------------------------------------------
// constants
// -----------------------------------------------------------------------------

/**
 * What stands between two sections, and between two contexts.
 *
 * @since 0.1.0
 * @category constants
 */
export const separator = "\n\n"

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Renders an assembly. Fails with the leftmost problem of the first section, or context, that has one.
 *
 * Given what was rendered before, it comes back, the same object, if nothing that matters is different: neither a
 * text, nor the value of a variable in use, nor where one of them comes from. Parts and lists of an assembly never
 * change: the same object is taken to say the same.
 *
 * @since 0.1.0
 * @category constructors
 */
export const render = (assembly: Assembly, previous?: Rendered): Result.Result<Rendered, RenderError> => {
  const before = previous === undefined ? undefined : parsedOf(previous)
  // What was made elsewhere, such as an edited copy, may say something else than its parts say.
  const made = before === undefined ? undefined : previous
  const sections = parse(assembly.sections, before?.sections)
  const contexts = parse(assembly.contexts, before?.contexts)
  const variables = used(assembly.variables, sections.names, contexts.names)
  const values = valuesOf(variables)
  const changed = made === undefined ? undefined : changedNames(made.variables, variables)
  const prompt = renderList(
    { kind: "section", sources: assembly.sections, parsed: sections, heading: "" },
    { assembly, values, changed, text: made?.text, parts: made?.sections }
  )
  if (Result.isFailure(prompt)) return Result.fail(prompt.failure)
  const snapshot = renderList(
    { kind: "context", sources: assembly.contexts, parsed: contexts, heading: PromptContext.heading + separator },
    { assembly, values, changed, text: made?.snapshot, parts: made?.contexts }
  )
  if (Result.isFailure(snapshot)) return Result.fail(snapshot.failure)
  const rendered = new RenderedImpl(prompt.success, snapshot.success, variables, { sections, contexts })
  return Result.succeed(previous !== undefined && equals(previous, rendered) ? previous : rendered)
}

/** The lists that something was rendered from, read. */
interface From {
  readonly sections: Parsed
  readonly contexts: Parsed
}

/** What a rendering was made from, if it was made here. */
let parsedOf: (rendered: Rendered) => From | undefined

class RenderedImpl implements Rendered {
  readonly text: string
  readonly sections: ReadonlyArray<Part<AssembledSection>>
  readonly contexts: ReadonlyArray<Part<AssembledContext>>
  readonly snapshot: string
  readonly variables: ReadonlyArray<AssembledVariable>
  readonly #from: From

  static {
    parsedOf = (rendered) => (#from in rendered ? rendered.#from : undefined)
  }

  constructor(
    prompt: RenderedList<AssembledSection>,
    snapshot: RenderedList<AssembledContext>,
    variables: ReadonlyArray<AssembledVariable>,
    from: From
  ) {
    this.text = prompt.text
    this.sections = prompt.parts
    this.contexts = snapshot.parts
    this.snapshot = snapshot.text
    this.variables = variables
    this.#from = from
    Object.freeze(this)
  }
}

// Plain loops from here on: this runs for each step of an agent, and the methods of frozen arrays are slow.

const used = (
  all: ReadonlyArray<AssembledVariable>,
  inSections: ReadonlySet<string>,
  inContexts: ReadonlySet<string>
): ReadonlyArray<AssembledVariable> => {
  const found: Array<AssembledVariable> = []
  for (let i = 0; i < all.length; i++) {
    const variable = all[i]!
    if (inSections.has(variable.name) || inContexts.has(variable.name)) found.push(variable)
  }
  return Object.freeze(found)
}

/** The variables that have another value now, are new, or are gone. Both lists are sorted by name. */
const changedNames = (
  before: ReadonlyArray<AssembledVariable>,
  now: ReadonlyArray<AssembledVariable>
): ReadonlyArray<string> => {
  const changed: Array<string> = []
  let at = 0
  for (let i = 0; i < now.length; i++) {
    const variable = now[i]!
    while (at < before.length && byCodeUnits(before[at]!.name, variable.name) < 0) changed.push(before[at++]!.name)
    const old = before[at]?.name === variable.name ? before[at++] : undefined
    if (old === undefined || old.value !== variable.value) changed.push(variable.name)
  }
  while (at < before.length) changed.push(before[at++]!.name)
  return changed
}

const valuesOf = (variables: ReadonlyArray<AssembledVariable>): Template.Values => {
  const values = new Map<string, string | undefined>()
  for (let i = 0; i < variables.length; i++) values.set(variables[i]!.name, variables[i]!.value)
  return values
}

interface List<S> {
  readonly kind: Kind
  readonly sources: ReadonlyArray<S>
  readonly parsed: Parsed
  /** What stands before the parts, if there are any. */
  readonly heading: string
}

interface RenderedList<S> {
  readonly text: string
  readonly parts: ReadonlyArray<Part<S>>
}

/** What a list is rendered with, and what it was rendered to before. */
interface Given<S> {
  readonly text: string | undefined
  readonly parts: ReadonlyArray<Part<S>> | undefined
  readonly assembly: Assembly
  readonly values: Template.Values
  readonly changed: ReadonlyArray<string> | undefined
}

const nothing: RenderedList<never> = { text: "", parts: Object.freeze([]) }

/** Renders a list. What neither changed nor moved is the part that it was, and if all are, the whole is what it was. */
const renderList = <S extends Textual>(list: List<S>, given: Given<S>): Result.Result<RenderedList<S>, RenderError> => {
  const { heading, kind, parsed, sources } = list
  const parts: Array<Part<S>> = []
  const pieces = new Pieces(heading, given.text ?? "")
  let offset = heading.length
  let same = true
  let next = 0
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!
    const reading = parsed.readings[i]!
    const candidate = given.parts?.[next]
    // One that a listener makes anew each time has the same name, but is not the same.
    if (candidate?.name === source.name) next++
    const kept = candidate?.source === source && isKept(reading, given.changed) ? candidate : undefined
    const text = kept === undefined ? textOf(reading, given.values) : kept.text
    if (text === undefined) {
      const problem = Template.render(source.text, valuesOf(given.assembly.variables), owner(kind, source))
      return Result.map(problem, () => nothing)
    }
    if (text === "") continue
    if (kept === undefined) pieces.add(text)
    else pieces.keep(kept.offset, kept.offset + text.length)
    if (kept !== undefined && kept.offset === offset) parts.push(kept)
    else {
      same = false
      parts.push(Object.freeze({ name: source.name, order: source.order, offset, text, source }))
    }
    offset += text.length + separator.length
  }
  if (same && given.text !== undefined && given.parts?.length === parts.length) {
    return Result.succeed({ text: given.text, parts: given.parts })
  }
  return Result.succeed(parts.length === 0 ? nothing : { text: pieces.text(), parts: Object.freeze(parts) })
}

/**
 * The pieces of a text. Parts that stood side by side before are one piece of the text of then: joining few long pieces
 * is several times faster than joining many short ones.
 */
class Pieces {
  readonly #before: string
  readonly #pieces: Array<string>
  readonly #bare: number
  #start = 0
  #end: number | undefined

  constructor(heading: string, before: string) {
    this.#before = before
    this.#pieces = heading === "" ? [] : [heading]
    this.#bare = this.#pieces.length
  }

  /** Takes what stood from `start` up to `end` of the text before. */
  keep(start: number, end: number): void {
    if (this.#end === undefined || start !== this.#end + separator.length) {
      this.#flush()
      this.#start = start
    }
    this.#end = end
  }

  add(text: string): void {
    this.#flush()
    this.#push(text)
  }

  #flush(): void {
    if (this.#end !== undefined) this.#push(this.#before.slice(this.#start, this.#end))
    this.#end = undefined
  }

  #push(text: string): void {
    if (this.#pieces.length > this.#bare) this.#pieces.push(separator)
    this.#pieces.push(text)
  }

  text(): string {
    this.#flush()
    return this.#pieces.join("")
  }
}

const isKept = (reading: Reading, changed: ReadonlyArray<string> | undefined): boolean => {
  if (typeof reading === "string") return true
  if (changed === undefined) return false
  for (let i = 0; i < changed.length; i++) if (reading.names.includes(changed[i]!)) return false
  return true
}

/** The text with all values, or nothing if something keeps it from rendering. */
const textOf = (reading: Reading, values: Template.Values): string | undefined => {
  if (typeof reading === "string") return reading
  let text = ""
  for (const segment of reading.segments) {
    if (segment._tag === "Literal") text += segment.text
    else {
      const value = segment._tag === "Reference" ? values.get(segment.name) : undefined
      if (value === undefined) return undefined
      text += value
    }
  }
  return text
}

const owner = (kind: Kind, source: Textual): Owner =>
  ownerFields({ kind, entry: source.name, scope: source.origin.scope, plugin: source.origin.plugin })

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Everything that keeps an assembly from rendering, in order; empty exactly when it renders.
 *
 * @since 0.1.0
 * @category destructors
 */
export const problems = (assembly: Assembly): ReadonlyArray<RenderError> => {
  const values = valuesOf(assembly.variables)
  const of = (kind: Kind, sources: ReadonlyArray<Textual>) =>
    sources
      .filter((source) => source.interpolate)
      .flatMap((source) => Template.problems(source.text, values, owner(kind, source)))
  return [...of("section", assembly.sections), ...of("context", assembly.contexts)]
}

/**
 * Where the character at an offset of the prompt comes from; none beyond its ends.
 *
 * @since 0.1.0
 * @category destructors
 */
export const sourceAt: {
  (offset: number): (self: Rendered) => Option.Option<Source>
  (self: Rendered, offset: number): Option.Option<Source>
} = dual(2, (self: Rendered, offset: number): Option.Option<Source> => {
  const at = self.sections.findLastIndex((part) => part.offset <= offset)
  const part = self.sections[at]
  if (part === undefined || !Number.isInteger(offset)) return Option.none()
  const within = offset - part.offset
  if (within < part.text.length) return sourceWithin(self, part.source, within)
  const next = self.sections[at + 1]
  return next === undefined
    ? Option.none()
    : Option.some({
        _tag: "Separator",
        before: part.source,
        after: next.source,
        offset: within - part.text.length
      })
})

const sourceWithin = (self: Rendered, section: AssembledSection, offset: number): Option.Option<Source> =>
  section.interpolate
    ? Option.map(Template.sourceAt(section.text, valuesOf(self.variables), offset), (found) =>
        found._tag === "Literal"
          ? { _tag: "Text", section, offset: found.offset }
          : {
              _tag: "Value",
              section,
              variable: self.variables.find((variable) => variable.name === found.name)!,
              offset: found.offset,
              reference: found.reference
            }
      )
    : Option.some({ _tag: "Text", section, offset })

/**
 * Where the whole prompt comes from, from left to right without gaps: `sourceAt` for all offsets at once, in time linear
 * in the prompt.
 *
 * @since 0.1.0
 * @category destructors
 */
export const spans = (self: Rendered): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  const variables = new Map(self.variables.map((variable) => [variable.name, variable]))
  let start = 0
  const add = (length: number, source: Source) => {
    if (length > 0) found.push({ start, end: start + length, source })
    start += length
  }
  for (const [i, part] of self.sections.entries()) {
    const section = part.source
    if (section.interpolate) {
      for (const segment of Template.parse(section.text)) {
        const variable = segment._tag === "Reference" ? variables.get(segment.name) : undefined
        if (variable === undefined) add(segment.end - segment.start, { _tag: "Text", section, offset: segment.start })
        else {
          add(variable.value?.length ?? 0, { _tag: "Value", section, variable, offset: 0, reference: segment.start })
        }
      }
    } else add(part.text.length, { _tag: "Text", section, offset: 0 })
    const next = self.sections[i + 1]
    if (next !== undefined) add(separator.length, { _tag: "Separator", before: section, after: next.source, offset: 0 })
  }
  return found
}

/** Whether two renderings agree in everything that they say. */
const equals = (a: Rendered, b: Rendered): boolean =>
  a.text === b.text &&
  a.snapshot === b.snapshot &&
  allEqual(a.sections, b.sections, samePart) &&
  allEqual(a.contexts, b.contexts, samePart) &&
  allEqual(a.variables, b.variables, sameVariable)

const sameVariable = (a: AssembledVariable, b: AssembledVariable): boolean =>
  a.name === b.name && a.value === b.value && Origin.equals(a.origin, b.origin)

const allEqual = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>, same: (a: A, b: A) => boolean): boolean =>
  a.length === b.length && a.every((one, i) => same(one, b[i]!))

const samePart = (a: Part<Textual>, b: Part<Textual>): boolean =>
  a === b ||
  (a.name === b.name &&
    a.order === b.order &&
    a.offset === b.offset &&
    a.text === b.text &&
    sameSource(a.source, b.source))

const sameSource = (a: Textual, b: Textual): boolean =>
  a === b || (a.interpolate === b.interpolate && Template.equals(a.text, b.text) && Origin.equals(a.origin, b.origin))
