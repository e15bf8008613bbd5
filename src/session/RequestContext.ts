/**
 * Which route a request takes, as far as it is logged. No request is rebuilt from it.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Schema from "effect/Schema"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The provider and the model, how many tokens the model reads at most, and whether the route reads system messages
 * within the history.
 *
 * @since 0.1.0
 * @category models
 */
export const RequestContext = Schema.Struct({
  provider: Schema.String,
  model: Schema.String,
  contextWindow: Schema.optionalKey(Schema.Finite),
  systemPromptUpdate: Schema.optionalKey(Schema.Literal("in-history"))
})

/**
 * The route of a request.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestContext = typeof RequestContext.Type

// -----------------------------------------------------------------------------
// instances
// -----------------------------------------------------------------------------

/**
 * Whether two routes agree in all four members. One that is there in one of them only is a difference. If they do, the
 * second need not be logged.
 *
 * @since 0.1.0
 * @category instances
 */
export const equals: {
  (that: RequestContext): (self: RequestContext) => boolean
  (self: RequestContext, that: RequestContext): boolean
} = dual(
  2,
  (self: RequestContext, that: RequestContext): boolean =>
    self.provider === that.provider &&
    self.model === that.model &&
    self.contextWindow === that.contextWindow &&
    self.systemPromptUpdate === that.systemPromptUpdate
)
