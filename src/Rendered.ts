/**
 * An assembly as text: the system prompt, the context snapshot, and where every
 * character of the prompt comes from.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import type { AssembledContext, AssembledSection, AssembledVariable, Assembly } from "./Assembly.ts"
import type { Textual } from "./internal/parsed.ts"
import { separator } from "./internal/renderList.ts"
import { owner, valuesOf } from "./internal/render.ts"
import type { Kind, RenderError } from "./PromptError.ts"
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

export { separator } from "./internal/renderList.ts"

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

export { render } from "./internal/render.ts"

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
