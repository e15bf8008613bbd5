/**
 * What can be wrong with the events of a session log.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { clip, quoteName, visible } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/** Names an event in prose. What is wrong may be the very member that names it. */
const describe = ({ seq, type }: { readonly type: string; readonly seq?: number }): string => {
  if (seq !== undefined) return `event ${seq} (${clip(visible(type), 80)})`
  return type === "" ? "an event" : `an event ${quoteName(type)}`
}

/**
 * An event is not what its type demands, or no plain JSON. `path` is a JSONPath into the event; `seq` is absent, and
 * `type` empty, where that very member cannot be read.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidEvent extends stackless(
  Schema.TaggedError<InvalidEvent>("effect-preamble/session/InvalidEvent")("InvalidEvent", {
    type: Schema.String,
    seq: Schema.optionalKey(Schema.Int),
    path: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describe(this)} is invalid at ${this.path}: ${this.reason}`
  }
}

/**
 * The header of a session log is not what the format demands. `path` is a JSONPath into it.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidHeader extends stackless(
  Schema.TaggedError<InvalidHeader>("effect-preamble/session/InvalidHeader")("InvalidHeader", {
    path: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `the header of the session log is invalid at ${this.path}: ${this.reason}`
  }
}

/**
 * The rules that an event has to keep among the others of its log.
 *
 * - `dense-seq`: numbers count the events from 0, without a gap.
 * - `log-only`: what never becomes a message has neither operation nor citations.
 * - `unknown-on-surface`: nobody knows what an unknown event would do to the messages.
 * - `operation`: a message says how it comes to the surface, in one of two well-formed ways.
 * - `citation`: what is cited are earlier events, each once; an assistant's message cites none.
 * - `tool-header`: tools that are announced are defined, once and wholly, in the request header that is named.
 * - `endpoint`: both ends of what is replaced are on the surface, the first not after the last.
 * - `coverage`: a replacement cites everything that it takes from the surface.
 * - `tool-result`: a tool's result is replaced alone, by a result that differs in content only.
 * - `head`: the system message at the head is replaced alone, by another system message.
 *
 * @since 0.1.0
 * @category models
 */
export const Rule = Schema.Literals([
  "dense-seq",
  "log-only",
  "unknown-on-surface",
  "operation",
  "citation",
  "tool-header",
  "endpoint",
  "coverage",
  "tool-result",
  "head"
])

/**
 * The rules that an event has to keep among the others of its log.
 *
 * @since 0.1.0
 * @category models
 */
export type Rule = typeof Rule.Type

/**
 * An event breaks a rule of the surface; the log is as it was. `seqs` are the events that the rule misses or refuses:
 * the endpoint that is not on the surface, what was not cited, the source that is not earlier.
 *
 * @since 0.1.0
 * @category errors
 */
export class SurfaceViolation extends stackless(
  Schema.TaggedError<SurfaceViolation>("effect-preamble/session/SurfaceViolation")("SurfaceViolation", {
    rule: Rule,
    type: Schema.String,
    seq: Schema.Int,
    seqs: Schema.Array(Schema.Int),
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${describe(this)} breaks the rule ${this.rule}: ${this.reason}`
  }
}

/**
 * A step has ended: by its own end, by that of its turn, or since another step began. What was to come to the log with
 * it did not. `next` is where the session stands if something began meanwhile.
 *
 * @since 0.1.0
 * @category errors
 */
export class StepEnded extends stackless(
  Schema.TaggedError<StepEnded>("effect-preamble/session/StepEnded")("StepEnded", {
    turn: Schema.Int,
    step: Schema.Int,
    next: Schema.optionalKey(Schema.Struct({ turn: Schema.Int, step: Schema.Int }))
  })
) {
  override get message(): string {
    const what = `step ${this.step} of turn ${this.turn} has ended`
    return this.next === undefined
      ? `${what}, and nothing more was appended to it. Prepare another step; what belongs to none can be appended with Session.commit.`
      : `${what}, since another step of this session began meanwhile (turn ${this.next.turn}, step ${this.next.step}), and nothing more was appended to it. Run one turn of a session at a time.`
  }
}

/**
 * A compaction would take calls away from their results, or results from their calls, which models refuse for good. `seqs`
 * are the messages outside of the range that belong to some in it; or answers in it whose calls wait for their results, if
 * `isWaiting`. `nearest` is the range to replace instead, if there is one.
 *
 * @since 0.1.0
 * @category errors
 */
export class SplitCalls extends stackless(
  Schema.TaggedError<SplitCalls>("effect-preamble/session/SplitCalls")("SplitCalls", {
    startSeq: Schema.Int,
    endSeq: Schema.Int,
    seqs: Schema.Array(Schema.Int),
    isWaiting: Schema.Boolean,
    nearest: Schema.optionalKey(Schema.Struct({ startSeq: Schema.Int, endSeq: Schema.Int }))
  })
) {
  override get message(): string {
    const seqs = this.seqs.join(", ")
    const why = this.isWaiting
      ? `calls of ${seqs} wait for results, which would have no call`
      : `it would part calls from their results, which models refuse: ${seqs} would be left without the other`
    const instead =
      this.nearest === undefined
        ? "Replace nothing of it until its calls have their results."
        : `Begin at ${this.nearest.startSeq} and end at ${this.nearest.endSeq} instead.`
    return `the messages from ${this.startSeq} to ${this.endSeq} cannot be replaced: ${why}. ${instead}`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * What appending to a log can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type AppendError = InvalidEvent | SurfaceViolation

/**
 * Every error of a session's events as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const SessionError = Schema.Union([InvalidEvent, InvalidHeader, SurfaceViolation, StepEnded, SplitCalls])

/**
 * Any error of a session's events.
 *
 * @since 0.1.0
 * @category errors
 */
export type SessionError = typeof SessionError.Type
