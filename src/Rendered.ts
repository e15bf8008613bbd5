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
 * text, nor the value of a variable in use, nor where one of them comes from.
 *
 * @since 0.1.0
 * @category constructors
 */
export const render = (assembly: Assembly, previous?: Rendered): Result.Result<Rendered, RenderError> => {
  const values = valuesOf(assembly)
  return Result.gen(function* () {
    const sections = yield* renderParts("section", assembly.sections, values, 0)
    const contexts = yield* renderParts(
      "context",
      assembly.contexts,
      values,
      PromptContext.heading.length + separator.length
    )
    const rendered: Rendered = {
      text: join(sections),
      sections,
      contexts,
      snapshot: contexts.length === 0 ? "" : PromptContext.heading + separator + join(contexts),
      variables: used(assembly)
    }
    return previous !== undefined && equals(previous, rendered) ? previous : Object.freeze(rendered)
  })
}

const valuesOf = (assembly: Pick<Assembly, "variables">): Template.Values =>
  new Map(assembly.variables.map(({ name, value }) => [name, value]))

const join = (parts: ReadonlyArray<Part<unknown>>): string => parts.map((part) => part.text).join(separator)

interface Textual {
  readonly name: string
  readonly order: number
  readonly text: Template.Text
  readonly interpolate: boolean
  readonly origin: Origin.Origin
}

const renderParts = <S extends Textual>(
  kind: Kind,
  sources: ReadonlyArray<S>,
  values: Template.Values,
  start: number
): Result.Result<ReadonlyArray<Part<S>>, RenderError> => {
  const parts: Array<Part<S>> = []
  let offset = start
  for (const source of sources) {
    const text = source.interpolate
      ? Template.render(source.text, values, owner(kind, source))
      : Result.succeed(source.text.toString())
    if (Result.isFailure(text)) return Result.fail(text.failure)
    if (text.success === "") continue
    parts.push(Object.freeze({ name: source.name, order: source.order, offset, text: text.success, source }))
    offset += text.success.length + separator.length
  }
  return Result.succeed(Object.freeze(parts))
}

const owner = (kind: Kind, source: Textual): Owner =>
  ownerFields({ kind, entry: source.name, scope: source.origin.scope, plugin: source.origin.plugin })

const used = (assembly: Assembly): ReadonlyArray<AssembledVariable> => {
  const names = new Set<string>()
  for (const { text, interpolate } of [...assembly.sections, ...assembly.contexts]) {
    if (interpolate) for (const name of Template.references(text)) names.add(name)
  }
  return Object.freeze(assembly.variables.filter((variable) => names.has(variable.name)))
}

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
  const values = valuesOf(assembly)
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
    ? Option.map(Template.sourceAt(section.text, valuesOf(self), offset), (found) =>
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
  allEqual(
    a.variables,
    b.variables,
    (x, y) => x.name === y.name && x.value === y.value && Origin.equals(x.origin, y.origin)
  )

const allEqual = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>, same: (a: A, b: A) => boolean): boolean =>
  a.length === b.length && a.every((one, i) => same(one, b[i]!))

const samePart = (a: Part<Textual>, b: Part<Textual>): boolean =>
  a.source === b.source ||
  (a.name === b.name &&
    a.order === b.order &&
    a.text === b.text &&
    a.source.interpolate === b.source.interpolate &&
    Template.equals(a.source.text, b.source.text) &&
    Origin.equals(a.source.origin, b.source.origin))
