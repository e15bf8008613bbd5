/**
 * Every way in which the call of a tool can fail.
 *
 * They are told to the model as well as to the host: what they say of other tools is
 * what the model was shown, and no more.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { quoteName, sentence } from "./internal/excerpt.ts"
import { stackless } from "./internal/stackless.ts"
import { describeCause, describeOwner, ownerSchema } from "./Owner.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * The model was shown no tool of this name. That there is one which is hidden, or another scope's, makes no difference: all
 * of this error follows from the name and the tools shown. `known` lists a hundred of them at most; `more` says how many
 * there are beyond.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolNotFound extends stackless(
  Schema.TaggedError<ToolNotFound>("effect-preamble/ToolNotFound")("ToolNotFound", {
    tool: Schema.String,
    known: Schema.Array(Schema.String),
    more: Schema.optionalKey(Schema.Int),
    nearest: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const hint = this.nearest === undefined ? "" : ` Did you mean "${this.nearest}"?`
    const more = this.more === undefined ? "" : ` and ${this.more} more`
    const known =
      this.known.length === 0
        ? "There are no tools to call."
        : `Call one of these by its exact name: ${this.known.join(", ")}${more}.`
    return `there is no tool ${quoteName(this.tool)}.${hint} ${known}`
  }
}

/**
 * The model was shown the tool, and nothing here can run it. `reason` says why: it came from a bare tool provider or a
 * listener, was registered without a handler, its registration has ended, or the guards of the scope that was shown it
 * cannot be asked.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolWithoutHandler extends stackless(
  Schema.TaggedError<ToolWithoutHandler>("effect-preamble/ToolWithoutHandler")("ToolWithoutHandler", {
    ...ownerSchema,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describeOwner(this)} cannot be called: ${this.reason}`
  }
}

/**
 * The arguments of a call do not fit the parameters of the tool; its handler did not run. Each problem has its place as a
 * JSONPath. There are twenty at most; `more` says how many there are beyond.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidToolArguments extends stackless(
  Schema.TaggedError<InvalidToolArguments>("effect-preamble/InvalidToolArguments")("InvalidToolArguments", {
    ...ownerSchema,
    problems: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String })),
    more: Schema.optionalKey(Schema.Int)
  })
) {
  override get message(): string {
    const all = this.problems.map(({ path, reason }) => `at ${path}: ${sentence(reason)}`).join(" ")
    const more = this.more === undefined ? "" : ` There are ${this.more} more problems.`
    return `invalid arguments of tool "${this.entry}": ${all}${more} Call it again with arguments that fit its parameters.`
  }
}

/**
 * A guard refused the call; the handler did not run. The owner is the guard.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolRefused extends stackless(
  Schema.TaggedError<ToolRefused>("effect-preamble/ToolRefused")("ToolRefused", {
    ...ownerSchema,
    tool: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `the call of tool "${this.tool}" was refused by ${describeOwner(this)}: ${sentence(this.reason)}`
  }
}

/**
 * A guard failed, died, or gave something else than a reason; so the handler did not run. The owner is the guard.
 *
 * @since 0.1.0
 * @category errors
 */
export class GuardFailure extends stackless(
  Schema.TaggedError<GuardFailure>("effect-preamble/GuardFailure")("GuardFailure", {
    ...ownerSchema,
    tool: Schema.String,
    reason: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    return `the call of tool "${this.tool}" was not let through: ${describeOwner(this)} ${this.reason}: ${sentence(describeCause(this.cause))} Correct the guard, or let it handle its failure.`
  }
}

/**
 * The handler of a tool failed, died, or gave a result that is no plain JSON; or its arguments could not be decoded, through
 * no fault of theirs.
 *
 * @since 0.1.0
 * @category errors
 */
export class ToolFailure extends stackless(
  Schema.TaggedError<ToolFailure>("effect-preamble/ToolFailure")("ToolFailure", {
    ...ownerSchema,
    /**
     * `failed`: the typed failure of the handler is the cause. `died`: a defect of it is. `arguments`: the Schema of its
     * arguments failed or died. `result`: what it gave is no Effect, or no plain JSON.
     */
    fault: Schema.Literals(["failed", "died", "arguments", "result"]),
    /** The same in words, to go after the name of the tool. */
    reason: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    return `tool "${this.entry}" ${this.reason}: ${sentence(describeCause(this.cause))}`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * Every error of a call as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const ToolError = Schema.Union([
  ToolNotFound,
  ToolWithoutHandler,
  InvalidToolArguments,
  ToolRefused,
  GuardFailure,
  ToolFailure
])

/**
 * Any error of a call.
 *
 * @since 0.1.0
 * @category errors
 */
export type ToolError = typeof ToolError.Type
