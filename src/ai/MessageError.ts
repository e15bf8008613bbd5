/**
 * Why a request of a session cannot be sent to a model.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { quoteName } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * A message of the log says something that `effect/ai` has no words for, such as a block that another program wrote. The
 * model was not asked. `messageId` is the id of the message, `block` the place in its content, if it is one block, and `seq`
 * that of its event, if it is in a log.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsendableMessage extends stackless(
  Schema.TaggedError<UnsendableMessage>("effect-preamble/ai/UnsendableMessage")("UnsendableMessage", {
    role: Schema.String,
    messageId: Schema.String,
    seq: Schema.optionalKey(Schema.Int),
    block: Schema.optionalKey(Schema.Int),
    reason: Schema.String
  })
) {
  override get message(): string {
    const place = this.block === undefined ? "" : `, block ${this.block}`
    const event = this.seq === undefined ? "" : `event ${this.seq}, `
    return `message ${quoteName(this.messageId)} (${event}${this.role}${place}) cannot be sent to a model: ${this.reason} Replace it, as a compaction does if it is in a log, or use an adapter that knows it.`
  }
}

/**
 * Nothing says which model this is: its layer is not one of `Model.make` of `effect/ai`. `missing` is what to give.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnnamedModel extends stackless(
  Schema.TaggedError<UnnamedModel>("effect-preamble/ai/UnnamedModel")("UnnamedModel", {
    missing: Schema.Array(Schema.Literals(["provider", "model"]))
  })
) {
  override get message(): string {
    return `nothing names the ${this.missing.join(" and the ")} of the language model. Make its layer with \`Model.make\`, or give the names to \`ModelRoute.make\`.`
  }
}

/**
 * The language model of a session is a `PromptedModel`. Each request would have two system prompts, one from the log and one
 * from the model. The model was not asked.
 *
 * @since 0.1.0
 * @category errors
 */
export class PromptedTwice extends stackless(
  Schema.TaggedError<PromptedTwice>("effect-preamble/ai/PromptedTwice")("PromptedTwice", {})
) {
  override get message(): string {
    return "the language model is a `PromptedModel`, which adds a prompt, and a session has its prompt in its log. Provide the model as it is."
  }
}

/**
 * A turn is to take a number of steps that is none: the most is at least one. Nothing was admitted, and the model was not
 * asked.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidMaxSteps extends stackless(
  Schema.TaggedError<InvalidMaxSteps>("effect-preamble/ai/InvalidMaxSteps")("InvalidMaxSteps", {
    maxSteps: Schema.Number
  })
) {
  override get message(): string {
    return `maxSteps is ${this.maxSteps}, and must be 1, 2, 3, …, or Infinity. Nothing was admitted: run the turn again with such a number.`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * Any of them as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const MessageError = Schema.Union([UnsendableMessage, UnnamedModel, PromptedTwice, InvalidMaxSteps])

/**
 * Any of them.
 *
 * @since 0.1.0
 * @category errors
 */
export type MessageError = typeof MessageError.Type
