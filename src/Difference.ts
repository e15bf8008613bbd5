/**
 * What changed between two renderings: by section, context, tool and variable; the first byte at which prompt and tools
 * differ, with its owner on both sides; and how much of the prefix that a provider has cached stays good.
 *
 * Everything here is pure. `make` of two sides and `make` of the same sides exchanged say the same, exchanged.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { Json } from "effect/Schema"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "./Assembly.ts"
import { compareParts } from "./internal/compareParts.ts"
import * as jsonPlaces from "./internal/jsonPlaces.ts"
import { placeOf } from "./internal/place.ts"
import { byteLength, firstDifference } from "./internal/utf8.ts"
import { type Rendered, type Source, sourceAt } from "./Rendered.ts"
import * as ToolSchema from "./ToolSchema.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What is compared: an assembly and what it renders to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Side {
  readonly assembly: Assembly
  readonly rendered: Rendered
}

/**
 * What something was, and what it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pair<out A> {
  readonly before: A
  readonly after: A
}

/**
 * A section or context with the text that it renders to; empty if that is nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Textual<out From> {
  readonly source: From
  readonly rendered: string
}

/**
 * A part that is there on one side only, or differs. `was` and `at` are its places in its list, from 0.
 *
 * One that is on both sides and differs in nothing but its place is `Changed` with `moved` and without `fields`.
 *
 * @since 0.1.0
 * @category models
 */
export type Change<A, Field extends string> =
  | { readonly _tag: "Added"; readonly name: string; readonly at: number; readonly after: A }
  | { readonly _tag: "Removed"; readonly name: string; readonly was: number; readonly before: A }
  | {
      readonly _tag: "Changed"
      readonly name: string
      readonly was: number
      readonly at: number
      readonly before: A
      readonly after: A
      readonly fields: ReadonlyArray<Field>
      /** Whether it stands elsewhere among the parts that both sides have. */
      readonly moved: boolean
    }

/**
 * What may differ in a section. `text` is what its author wrote, `rendered` what the model sees.
 *
 * @since 0.1.0
 * @category models
 */
export type SectionField = ContextField | "requires"

/**
 * What may differ in a context. `text` is what its author wrote, `rendered` what the model sees.
 *
 * @since 0.1.0
 * @category models
 */
export type ContextField = "text" | "rendered" | "order" | "interpolate" | "origin"

/**
 * What may differ in a tool of one name; `schemaChanges` says where in the schema.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolField = "description" | "parameters" | "deferLoading" | "origin"

/**
 * What may differ in a variable.
 *
 * @since 0.1.0
 * @category models
 */
export type VariableField = "value" | "origin"

/**
 * One place in which two schemas differ, as a JSONPath. `reordered`: the members that both have stand in another order,
 * which means the same to a model and costs as much as any change.
 *
 * @since 0.1.0
 * @category models
 */
export interface SchemaChange {
  readonly path: string
  readonly change: "added" | "removed" | "changed" | "reordered"
}

/**
 * The changes of each list, from top to bottom.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changes {
  readonly sections: ReadonlyArray<Change<Textual<AssembledSection>, SectionField>>
  readonly contexts: ReadonlyArray<Change<Textual<AssembledContext>, ContextField>>
  /** Tools of one name are told apart by what they say: the same belong together, then the others as they come. */
  readonly tools: ReadonlyArray<Change<AssembledTool, ToolField>>
  readonly variables: ReadonlyArray<Change<AssembledVariable, VariableField>>
}

/**
 * Where two texts part. If one is the beginning of the other, that is where the shorter ends.
 *
 * @since 0.1.0
 * @category models
 */
export interface Point {
  /** The first byte that differs, from 0, of the UTF-8 bytes. */
  readonly byte: number
  /** Where the character that it belongs to begins, from 0, in UTF-16 units. */
  readonly offset: number
  /** The same place as a line and a column, both from 1, the column in UTF-16 units. */
  readonly line: number
  readonly column: number
}

/**
 * Where two prompts part, and whose character stands there; none where the prompt has ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptPoint extends Point {
  readonly before: Source | undefined
  readonly after: Source | undefined
}

/**
 * A tool, its place in the list from 0, and the JSONPath of the innermost value in its schema.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolPlace {
  readonly tool: AssembledTool
  readonly index: number
  readonly path: string
}

/**
 * Where two lists of tools part as they are emitted, and whose character stands there; none where the list has ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolsPoint extends Point {
  readonly before: ToolPlace | undefined
  readonly after: ToolPlace | undefined
}

/**
 * A piece of the prefix: its bytes, and its text up to the next whole character.
 *
 * @since 0.1.0
 * @category models
 */
export interface Extent {
  readonly bytes: number
  readonly text: string
}

/**
 * The prefix that providers cache is the tools as emitted, and then the prompt.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prefix {
  /** What both have, up to the first byte that differs: it stays cached. */
  readonly kept: Extent
  /** What follows it now: the model reads it anew. */
  readonly written: Extent
  /** What followed it before: it was cached in vain. */
  readonly dropped: Extent
}

/**
 * What changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Difference {
  /** Labels of the scopes that were assembled for. Other labels alone are no difference. */
  readonly scopes: Pair<string>
  readonly changes: Changes
  /** Names of the section that is the whole prompt, if they differ. */
  readonly complete: Pair<string | undefined> | undefined
  /** Whether contexts are turned off, if that differs. */
  readonly suppressed: Pair<boolean> | undefined
  /** Where prompt, tools and context snapshot part, each if its bytes differ. */
  readonly prompt: PromptPoint | undefined
  readonly tools: ToolsPoint | undefined
  readonly snapshot: Point | undefined
  readonly prefix: Prefix
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Compares what was with what is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (before: Side, after: Side): Difference => {
  const prompt = firstDifference(before.rendered.text, after.rendered.text)
  const [old, now] = [emitTools(before.assembly.tools), emitTools(after.assembly.tools)]
  const tools = firstDifference(old, now)
  return {
    scopes: { before: before.assembly.scope, after: after.assembly.scope },
    changes: compareParts(before, after),
    complete: pairUnlessSame(before.assembly.complete, after.assembly.complete),
    suppressed: pairUnlessSame(before.assembly.suppressed, after.assembly.suppressed),
    prompt: prompt && {
      ...pointIn(after.rendered.text, prompt),
      before: Option.getOrUndefined(sourceAt(before.rendered, prompt.offset)),
      after: Option.getOrUndefined(sourceAt(after.rendered, prompt.offset))
    },
    tools: tools && {
      ...pointIn(now, tools),
      before: toolAt(before.assembly.tools, tools.offset),
      after: toolAt(after.assembly.tools, tools.offset)
    },
    snapshot: snapshotPoint(before.rendered.snapshot, after.rendered.snapshot),
    prefix: prefixOf(old + before.rendered.text, now + after.rendered.text)
  }
}

const pairUnlessSame = <A>(before: A, after: A): Pair<A> | undefined =>
  before === after ? undefined : { before, after }

/** Up to there both texts are the same but for halves of pairs, so the place is the same in both. */
const pointIn = (text: string, { byte, offset }: { readonly byte: number; readonly offset: number }): Point => ({
  byte,
  offset,
  ...placeOf(text, offset)
})

const snapshotPoint = (before: string, after: string): Point | undefined => {
  const found = firstDifference(before, after)
  return found && pointIn(after, found)
}

const prefixOf = (before: string, after: string): Prefix => {
  const { byte, offset } = firstDifference(before, after) ?? { byte: byteLength(after), offset: after.length }
  const rest = (text: string): Extent => ({ bytes: byteLength(text) - byte, text: text.slice(offset) })
  return { kept: { bytes: byte, text: after.slice(0, offset) }, written: rest(after), dropped: rest(before) }
}

/** The comma before a tool is the tool's, and so is the bracket before the first. */
const toolAt = (tools: ReadonlyArray<AssembledTool>, offset: number): ToolPlace | undefined => {
  let start = 1
  for (const [index, tool] of tools.entries()) {
    const text = ToolSchema.emit(tool.schema)
    if (offset < start + text.length) {
      return { tool, index, path: jsonPlaces.pathAt(schemaAsJson(tool.schema), offset - start) }
    }
    start += text.length + 1
  }
  return undefined
}

/** As it is emitted. */
const schemaAsJson = ({ deferLoading, description, name, parameters }: ToolSchema.ToolSchema): Json => ({
  name,
  description,
  parameters,
  ...(deferLoading === true ? { deferLoading } : undefined)
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The tools as they stand in front of the prompt: what `ToolSchema.emitAll` gives. Empty where there are none, since then
 * none are sent.
 *
 * @since 0.1.0
 * @category destructors
 */
export const emitTools = (tools: ReadonlyArray<AssembledTool>): string =>
  tools.length === 0 ? "" : ToolSchema.emitAll(tools.map(({ schema }) => schema))

/**
 * The innermost places in which two schemas differ; empty exactly when they are emitted alike.
 *
 * @since 0.1.0
 * @category destructors
 */
export const schemaChanges = (
  before: ToolSchema.ToolSchema,
  after: ToolSchema.ToolSchema
): ReadonlyArray<SchemaChange> => jsonPlaces.differences(schemaAsJson(before), schemaAsJson(after))

/**
 * Whether nothing changed, neither what the model sees nor where it comes from.
 *
 * @since 0.1.0
 * @category destructors
 */
export const isEmpty = (self: Difference): boolean =>
  isUnseen(self) &&
  Object.values(self.changes).every((changes) => changes.length === 0) &&
  self.complete === undefined &&
  self.suppressed === undefined

/**
 * Whether the model sees no change: prompt, tools and context snapshot are the same bytes.
 *
 * @since 0.1.0
 * @category destructors
 */
export const isUnseen = (self: Difference): boolean =>
  self.prompt === undefined && self.tools === undefined && self.snapshot === undefined
