/**
 * A tool as registered: what the model is told of it, and what only the host knows.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import { clip } from "./internal/excerpt.ts"
import * as rules from "./internal/rules.ts"
import * as toolName from "./internal/toolName.ts"
import type { InvalidRegistration, InvalidToolSchema, ReservedToolName } from "./PromptError.ts"
import * as ToolOrder from "./ToolOrder.ts"
import * as ToolSchema from "./ToolSchema.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A tool as registered. `H` is what runs its calls; none, if the host runs them elsewhere.
 *
 * @since 0.1.0
 * @category models
 */
export interface RegisteredTool<out H = unknown> {
  readonly kind: "tool"
  readonly name: string
  /** All that a model is told. */
  readonly schema: ToolSchema.ToolSchema
  /** What only the host knows, keyed by `Context` references: no model is told any of it. */
  readonly annotations: Context.Context<never>
  readonly plugin: string | undefined
  readonly handler: H | undefined
}

/**
 * What a registered tool is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out H = unknown> {
  /** 1 to 64 of the letters `A` to `Z`, `a` to `z`, digits, `_` and `-`: what all model providers take. */
  readonly name: string
  readonly description: string
  /** A JSON Schema with the keys in the author's order. */
  readonly parameters: object
  /** Asks the route to load the tool only when it is searched for. */
  readonly deferLoading?: boolean | undefined
  /** What only the host knows: no model is told any of it. */
  readonly annotations?: Context.Context<never> | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
  readonly handler?: H | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen tool, or the rule it breaks. Nothing in a name is replaced or cut off. `scope` is the label of the scope it is
 * meant for.
 *
 * **Provider's cache**: tools come before the prompt; a new one costs the whole prefix from there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <H>(
  options: Options<H>,
  scope: string
) => Result.Result<RegisteredTool<H>, InvalidRegistration | InvalidToolSchema | ReservedToolName> = (options, scope) =>
  fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked.
 *
 * @internal
 */
export const fromUnknown = <H>(
  options: rules.Unchecked<Options<H>, "handler">,
  scope: string
): Result.Result<RegisteredTool<H>, InvalidRegistration | InvalidToolSchema | ReservedToolName> => {
  const owner = rules.ownerOf("tool", options, scope)
  return Result.gen(function* () {
    const name = yield* rules.name(owner, options.name)
    yield* ToolOrder.reserved(name, owner)
    if (!toolName.isLegal(name)) return yield* rules.broken(owner, "name", illegal(name))
    const { description, handler, parameters } = options
    const deferLoading = yield* rules.flag(owner, "deferLoading", options.deferLoading, false)
    const schema = yield* ToolSchema.fromUnknown({ name, description, parameters, deferLoading }, owner)
    const { annotations = Context.empty() } = options
    if (!Context.isContext(annotations)) {
      const reason = `expected a Context, got ${rules.describeType(annotations)}. Make it with Context.make(Key, value).`
      return yield* rules.broken(owner, "annotations", reason)
    }
    const plugin = yield* rules.plugin(owner, options.plugin)
    return Object.freeze<RegisteredTool<H>>({ kind: "tool", name, schema, annotations, plugin, handler })
  })
}

const illegal = (name: string): string => {
  const what = name.length > toolName.longest ? `has ${name.length} characters` : "has other characters"
  return `${JSON.stringify(clip(name, 200))} ${what}. Model providers take 1 to 64 of A-Z, a-z, 0-9, _ and -: rename the tool.`
}
