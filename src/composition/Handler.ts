/**
 * What runs the calls of a tool that a composition describes.
 *
 * A file can say all that a model is told of a tool, and not what the tool does. A host gives that by the name of
 * the tool, when it builds the layer of the composition. (To register the tool once more in a scope further down
 * would make it that scope's own tool, which no restriction of the file hides.)
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Needs } from "../SystemPrompt.ts"
import type { DecodingServices, ToolOptions, ToolRegistrationError, ToolRegistry } from "../ToolRegistry.ts"
import type { ToolSchema } from "../ToolSchema.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What runs the calls of a tool; `R` is what it needs, captured when the layer is built.
 *
 * @since 0.1.0
 * @category models
 */
export interface Handler<R = never> {
  /** Registers the tool as the file describes it, to be run so. */
  readonly register: (
    registry: ToolRegistry["Service"],
    tool: ToolSchema
  ) => Effect.Effect<void, ToolRegistrationError, Needs<R>>
}

/**
 * Handlers by the names of the tools.
 *
 * @since 0.1.0
 * @category models
 */
export type Handlers<R = never> = { readonly [tool: string]: Handler<R> }

type Parameters = { readonly [keyword: string]: unknown }

/**
 * What a handler is made from: what a tool of the registry has beside what the file says.
 *
 * @since 0.1.0
 * @category models
 */
export type Options<D extends Schema.Constraint | Parameters, E, R> = Pick<
  ToolOptions<Parameters, D, E, R>,
  "annotations" | "decode" | "handler"
>

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * What runs the calls of a tool of the file. Arguments are checked by the file's `parameters`, or by `decode`, if given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const handler = <D extends Schema.Constraint | Parameters = Parameters, E = never, R = never>(
  options: Options<D, E, R>
): Handler<R | DecodingServices<D>> => ({
  register: (registry, tool) => registry.register({ ...tool, ...options })
})
