/** What must come out, the plain way: the pure assembly of what is registered and of what the cells say, all made anew. */
import { Context, Result, Schema } from "effect"
import * as Assembly from "../../../src/Assembly.ts"
import type { PromptScope, Template } from "../../../src/index.ts"
import * as BuiltIns from "../../../src/BuiltIns.ts"
import * as Listener from "../../../src/Listener.ts"
import type * as Overlay from "../../../src/Overlay.ts"
import * as PromptContext from "../../../src/PromptContext.ts"
import { type AssembleError, PromptError, type RenderError } from "../../../src/PromptError.ts"
import * as Rendered from "../../../src/Rendered.ts"
import * as Section from "../../../src/Section.ts"
import * as ToolProvider from "../../../src/ToolProvider.ts"
import * as Edit from "../../../src/testing/Edit.ts"
import * as ToolOrder from "../../../src/ToolOrder.ts"
import * as ToolSchema from "../../../src/ToolSchema.ts"
import * as Variable from "../../../src/Variable.ts"
import { type Cells, copy, Voice } from "./cells.ts"
import type { Entry } from "./program.ts"

/** A registration as it was made. */
export interface Registered {
  readonly id: number
  readonly entry: Entry
  readonly made: Overlay.Entry
  /** What a constant is. */
  readonly constant: unknown
}

export interface Seen {
  readonly node: PromptScope.PromptScope
  readonly registered: ReadonlyArray<Registered>
}

export const toolOrder = Result.getOrThrow(ToolOrder.make(["c", ToolOrder.restMarker]))

const valueOf = ({ constant, entry }: Registered, cells: Cells, voice: string): unknown => {
  if (!("way" in entry)) return undefined
  if (entry.way === "constant") return constant
  switch (entry.kind) {
    case "variable":
      return cells.value(entry.cell, voice)
    case "tools":
      return copy(cells.toolsOf(entry.cell, voice))
    default:
      return cells.text(entry.cell, voice)
  }
}

/** As the constructors make it, but for what its cell says. */
export const skeleton = (entry: Entry, scope: string): Overlay.Entry => {
  switch (entry.kind) {
    case "section":
      return Result.getOrThrow(Section.make({ ...entry, text: "" }, scope))
    case "context":
      return Result.getOrThrow(PromptContext.make({ ...entry, text: "" }, scope))
    case "variable":
      return Result.getOrThrow(Variable.make({ ...entry, value: "" }, scope))
    case "tools":
      return Result.getOrThrow(ToolProvider.make({ name: entry.name, tools: [] }, scope))
    case "listener":
      return Result.getOrThrow(Listener.pure({ ...entry, edit: (assembly) => assembly }, scope))
    case "suppressor":
      return { kind: "suppressor", plugin: undefined }
  }
}

const entryOf = (one: Registered, cells: Cells, voice: string): Overlay.Entry => {
  // What is no text, value or list of tools is for the assembly to refuse.
  const value = valueOf(one, cells, voice) as never
  const { entry, made } = one
  switch (made.kind) {
    case "section":
    case "context":
      return { ...made, text: value }
    case "variable":
      return { ...made, value }
    case "tools":
      return { ...made, tools: value }
    case "listener":
      return entry.kind === "listener" ? { ...made, run: editOf(entry, cells) } : made
    case "suppressor":
      return made
  }
}

/** What a listener does, as its cell says when it runs. */
export const editOf =
  ({ cell, name, order }: Extract<Entry, { kind: "listener" }>, cells: Cells): Listener.Edit =>
  (assembly, context) => {
    const steps = cells.editsOf(cell, Context.get(context.annotations, Voice))
    return Edit.run({ name, order, steps })(assembly, context)
  }

const builtIns = BuiltIns.contributions({}).sections.map((one) => Result.getOrThrow(Section.make(one, "global")))

const overlayOf = ({ node, registered }: Seen, cells: Cells, voice: string): Overlay.Overlay => {
  const entries = registered.map((one) => entryOf(one, cells, voice))
  const of = <K extends Overlay.Entry["kind"]>(kind: K) =>
    entries.filter((entry): entry is Extract<typeof entry, { kind: K }> => entry.kind === kind)
  return {
    scope: node.label,
    sections: [...(node.parent === undefined ? builtIns : []), ...of("section")],
    contexts: of("context"),
    variables: of("variable"),
    tools: of("tools"),
    listeners: of("listener"),
    suppressors: of("suppressor").length
  }
}

/** The assembly of a chain, farthest first. */
export const assemble = (
  chain: ReadonlyArray<Seen>,
  cells: Cells,
  options: { readonly voice: string; readonly toolOrder: boolean }
): Result.Result<Assembly.Assembly, AssembleError> =>
  Assembly.assemble(
    chain.map((one) => overlayOf(one, cells, options.voice)),
    {
      context: { scope: chain.at(-1)!.node, annotations: Context.make(Voice, options.voice) },
      toolOrder: options.toolOrder ? toolOrder : undefined
    }
  )

/** The registrations that are evaluated: the nearest of each name, and all tool providers. */
export const winners = (chain: ReadonlyArray<Seen>): ReadonlySet<number> => {
  const all = chain.flatMap(({ registered }) => registered)
  const suppressed = all.some(({ entry }) => entry.kind === "suppressor")
  const nearest = new Map<string, number>()
  for (const { entry, id } of all) {
    if (!("way" in entry) || (suppressed && entry.kind === "context")) continue
    nearest.set(entry.kind === "tools" ? `${id}` : `${entry.kind} ${entry.name}`, id)
  }
  return new Set(nearest.values())
}

// -----------------------------------------------------------------------------
// as plain data
// -----------------------------------------------------------------------------

const encode = Schema.encodeUnknownSync(Schema.toCodecJson(PromptError))

const failed = (failure: AssembleError | RenderError) => ({ error: encode(failure), message: failure.message })

const text = (self: Template.Text): unknown =>
  typeof self === "string"
    ? self
    : { template: self.segments.map((one) => (one._tag === "Literal" ? one.text : [one.name])) }

/** All that an assembly says, or the failure. */
export const said = (result: Result.Result<Assembly.Assembly, AssembleError>): object => {
  if (Result.isFailure(result)) return failed(result.failure)
  const { annotations, ...assembly } = result.success
  return {
    ...assembly,
    note: Context.get(annotations, Edit.Note),
    sections: assembly.sections.map((one) => ({ ...one, text: text(one.text) })),
    contexts: assembly.contexts.map((one) => ({ ...one, text: text(one.text) })),
    tools: assembly.tools.map((one) => ({ schema: ToolSchema.emit(one.schema), origin: one.origin }))
  }
}

const part = ({ source, ...one }: Rendered.Part<Assembly.AssembledContext>) => ({
  ...one,
  source: { name: source.name, order: source.order, text: text(source.text), interpolate: source.interpolate },
  origin: source.origin
})

/** All that a rendering says, or the failure. */
export const renderedSaid = (result: Result.Result<Rendered.Rendered, AssembleError | RenderError>): object => {
  if (Result.isFailure(result)) return failed(result.failure)
  const { contexts, sections, snapshot, text, variables } = result.success
  return { text, snapshot, sections: sections.map(part), contexts: contexts.map(part), variables }
}

/** Rendered without anything from before. */
export const render = (
  assembly: Result.Result<Assembly.Assembly, AssembleError>
): Result.Result<Rendered.Rendered, AssembleError | RenderError> =>
  Result.isFailure(assembly) ? Result.fail(assembly.failure) : Rendered.render(assembly.success)
