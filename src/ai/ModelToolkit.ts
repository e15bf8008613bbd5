/**
 * The tools of an assembly as a toolkit of `effect/ai`, whose calls the registry of tools runs.
 *
 * What a model is sent is what the assembly shows: the same tools in the same order, the
 * same JSON Schemas byte for byte. Calls are judged by the assembly, arguments are decoded
 * once, by the registry, and every failure is an answer to the model.
 *
 * @since 0.1.0
 */
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { AssembledTool, Assembly } from "../Assembly.ts"
import { Handler } from "../internal/toolHandler.ts"
import { registeredAs } from "../internal/toolLink.ts"
import * as toolName from "../internal/toolName.ts"
import { ownerOf } from "../internal/toolOwner.ts"
import type { ToolError } from "../ToolError.ts"
import { ToolRegistry } from "../ToolRegistry.ts"
import * as ToolAnswer from "./ToolAnswer.ts"
import { DuplicateToolName, IllegalToolNames, type ToolkitError, UnsupportedCapability } from "./ToolkitError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A tool of an assembly for `effect/ai`. Its results are JSON, its failures text for the model.
 *
 * @since 0.1.0
 * @category models
 */
export type ModelTool = Tool.Tool<
  string,
  {
    readonly parameters: Schema.Codec<unknown>
    readonly success: typeof Schema.Json
    readonly failure: typeof Schema.String
    readonly failureMode: "return"
  }
>

/**
 * The tools of an assembly by name, in its order.
 *
 * @since 0.1.0
 * @category models
 */
export type ModelTools = Record<string, ModelTool>

/**
 * What to do with tools that ask to be loaded only when they are searched for. No model of `effect/ai` says whether its
 * provider can do that, so the host says what is to be done:
 *
 * - `refuse`: fail with `UnsupportedCapability`.
 * - `annotate`: give them the annotation `DeferLoading`, for a provider's adapter that reads it.
 * - `eager`: send them like all others.
 *
 * @since 0.1.0
 * @category models
 */
export type DeferLoadingPolicy = "refuse" | "annotate" | "eager"

/**
 * What a host decides.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * Default `refuse`.
   *
   * **Provider's cache**: tools that are loaded later are not in the cached prefix, others are.
   */
  readonly deferLoading?: DeferLoadingPolicy | undefined
  /**
   * Told of every call that fails, with the error itself, before the model is answered. Default `logWithheld`.
   */
  readonly onFailure?: ((error: ToolError) => Effect.Effect<void>) | undefined
}

// -----------------------------------------------------------------------------
// references
// -----------------------------------------------------------------------------

/**
 * Whether a tool is to be loaded only when it is searched for. An annotation of the tools of a toolkit, for adapters of
 * model providers: `Context.get(tool.annotations, ModelToolkit.DeferLoading)`.
 *
 * @since 0.1.0
 * @category references
 */
export const DeferLoading: Context.Reference<boolean> = Context.Reference<boolean>("effect-preamble/ai/DeferLoading", {
  defaultValue: () => false
})

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The toolkit of an assembly: with `LanguageModel.generateText({ toolkit })` its tools are offered and their calls run.
 *
 * A tool that was registered with an Effect Schema is offered with its encoded side, so that a provider may rewrite it for
 * its strict mode, if that says the same as the assembly does. All others, also those that a listener changed, are offered
 * with the JSON Schema of the assembly, and without strict mode, which takes few JSON Schemas as they are. The annotations
 * of the registration go with the tool.
 *
 * A tool without a handler is offered, too; a call of it is answered by the text of `ToolWithoutHandler`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  assembly: Assembly,
  options?: Options
) => Effect.Effect<Toolkit.WithHandler<ModelTools>, ToolkitError, ToolRegistry> = Effect.fnUntraced(
  function* (assembly, options) {
    const registry = yield* ToolRegistry
    const list = yield* Effect.fromResult(tools(assembly, options?.deferLoading))
    return {
      tools: Object.fromEntries(list.map((tool) => [tool.name, tool])),
      handle: (name, args) => Effect.succeed(answer(registry.call(assembly, name, args), options))
    }
  }
)

/**
 * The tools alone, or why they cannot be in one toolkit: names that are illegal for models or for a toolkit, two tools of
 * one name, tools that ask for what the target cannot do.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tools = (
  { tools }: Assembly,
  deferLoading: DeferLoadingPolicy = "refuse"
): Result.Result<ReadonlyArray<ModelTool>, DuplicateToolName | IllegalToolNames | UnsupportedCapability> => {
  const illegal = tools.flatMap((tool) => {
    const reason = whyIllegal(tool.schema.name)
    return reason === undefined ? [] : [{ tool: tool.schema.name, owner: ownerOf(tool), reason }]
  })
  if (illegal.length > 0) return Result.fail(new IllegalToolNames({ tools: illegal }))
  const names = new Set<string>()
  for (const { schema } of tools) {
    if (names.has(schema.name)) {
      const owners = tools.filter((tool) => tool.schema.name === schema.name).map(ownerOf)
      return Result.fail(new DuplicateToolName({ tool: schema.name, owners }))
    }
    names.add(schema.name)
  }
  const deferred = deferLoading === "refuse" ? tools.filter((tool) => tool.schema.deferLoading === true) : []
  return deferred.length > 0
    ? Result.fail(
        new UnsupportedCapability({
          capability: "deferLoading",
          tools: deferred.map((tool) => ({ tool: tool.schema.name, owner: ownerOf(tool) }))
        })
      )
    : Result.succeed(tools.map((tool) => toolOf(tool, deferLoading === "annotate")))
}

const whyIllegal = (name: string): string | undefined => {
  if (name.length > toolName.longest)
    return `has ${name.length} characters, and model providers take ${toolName.longest}`
  if (!toolName.isLegal(name))
    return "has other characters than A-Z, a-z, 0-9, _ and -, which are what all model providers take"
  if (name === "__proto__") return "is no name of a property that every object can have, as a toolkit is one"
  return /^\d+$/u.test(name) ? "looks like a number, so that a toolkit would put it before all others" : undefined
}

/** Tools made once for each part of an assembly, so that models know them again; also those that are to be loaded later. */
const made = { now: new WeakMap<AssembledTool, ModelTool>(), later: new WeakMap<AssembledTool, ModelTool>() }

const toolOf = (assembled: AssembledTool, annotate: boolean): ModelTool => {
  const later = annotate && assembled.schema.deferLoading === true
  const held = later ? made.later : made.now
  let tool = held.get(assembled)
  if (tool === undefined) held.set(assembled, (tool = makeTool(assembled, later)))
  return tool
}

const makeTool = (assembled: AssembledTool, later: boolean): ModelTool => {
  const { description, name, parameters } = assembled.schema
  const schema = ownSchema(assembled)
  const options = { description, success: Schema.Json, failure: Schema.String, failureMode: "return" } as const
  const tool: ModelTool =
    schema === undefined
      ? Tool.dynamic(name, { ...options, parameters })
      : Tool.dynamic(name, { ...options, parameters: schema })
  const annotations = Context.mergeAll(
    schema === undefined ? Context.make(Tool.Strict, false) : Context.empty(),
    registeredAs(assembled)?.annotations ?? Context.empty(),
    later ? Context.make(DeferLoading, true) : Context.empty()
  )
  return tool.annotateMerge(annotations)
}

/** The encoded side of the Schema that the tool was registered with, if it says what the assembly shows. */
const ownSchema = (assembled: AssembledTool): Schema.Codec<unknown> | undefined => {
  const handler = registeredAs(assembled)?.handler
  if (!(handler instanceof Handler) || handler.parameters === undefined) return undefined
  const schema = Schema.toEncoded(Schema.toCodecJson(handler.parameters))
  const sent = JSON.stringify(Tool.getJsonSchemaFromSchema(schema))
  return sent === JSON.stringify(assembled.schema.parameters) ? schema : undefined
}

/**
 * Answers a call: with its result, or with what the model is told of its failure.
 *
 * @internal
 */
export const answer = (
  call: Effect.Effect<Schema.Json, ToolError>,
  { onFailure = logWithheld }: Options = {}
): Stream.Stream<Tool.HandlerResult<ModelTool>> =>
  Stream.fromEffect(
    Effect.matchEffect(call, {
      onSuccess: (result) =>
        Effect.succeed({ result, encodedResult: result, isFailure: false, preliminary: false } as const),
      onFailure: (error) => {
        const result = ToolAnswer.text(error)
        const failureOrigin = error._tag === "InvalidToolArguments" ? "parameters" : "handler"
        return Effect.as(onFailure(error), {
          result,
          encodedResult: result,
          isFailure: true,
          failureOrigin,
          preliminary: false
        } as const)
      }
    })
  )

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Logs, as an error, what the model is not told of a failed call: the defect of a handler, the failure of a guard, a tool
 * that nothing can run. Everything else stands in the history anyway.
 *
 * @since 0.1.0
 * @category destructors
 */
export const logWithheld = (error: ToolError): Effect.Effect<void> =>
  ToolAnswer.withholds(error) ? Effect.logError(error.message, error) : Effect.void
