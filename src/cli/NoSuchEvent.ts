/**
 * A command was asked about an event that a session log does not have.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { visible } from "../internal/excerpt.ts"
import { stackless } from "../internal/stackless.ts"

/**
 * The log has not so many events.
 *
 * @since 0.1.0
 * @category errors
 */
export class NoSuchEvent extends stackless(
  Schema.TaggedError<NoSuchEvent>("effect-preamble/NoSuchEvent")("NoSuchEvent", {
    file: Schema.String,
    seq: Schema.Int,
    /** How many events the log has. */
    events: Schema.Int
  })
) {
  override get message(): string {
    const has = this.events === 1 ? "1 event" : `${this.events} events`
    return `${visible(this.file)} has ${has}, in the current format; it never was as it would be before event ${this.seq}. Give --at a number from 0 to ${this.events}.`
  }
}
