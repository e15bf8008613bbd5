/**
 * A surface that goes on behind violations, to find those that come after.
 *
 * Where an event cannot be taken as it is, what it most likely means is done, or one of which nothing is claimed takes its
 * number. What others say of such a number is not held against them.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { JsonObject } from "effect/Schema"
import * as Event from "../session/Event.ts"
import { isNatural, isObject, type PlainEvent, without } from "../session/format/plain.ts"
import { slim } from "../session/format/slim.ts"
import type { AppendError } from "../session/SessionError.ts"
import * as Surface from "../session/Surface.ts"

const stand = (seq: number): PlainEvent => ({ seq, type: "unreadable", data: null })

/** A surface that grows event by event, whatever they are. */
export class TolerantSurface {
  #surface = Surface.empty
  /** Events of which not all is known. */
  readonly #doubtful = new Set<number>()
  /** Events whose only violation concerns those. */
  unjudged = 0

  get length(): number {
    return this.#surface.length
  }

  /** Leaves a number to an event that cannot be read. */
  pass(): void {
    const { length } = this.#surface
    this.#doubtful.add(length)
    this.#append(stand(length))
  }

  /** Takes an event, and gives what it breaks. */
  take(event: PlainEvent): AppendError | undefined {
    const whole = Event.fromUnknown(event)
    if (Result.isFailure(whole)) {
      this.pass()
      return whole.failure
    }
    const kept = slim(event)
    const violation = this.#append(kept)
    if (violation === undefined) return undefined
    const isDoubtful = this.#isDoubtful(violation)
    if (isDoubtful) this.unjudged += 1
    this.#recover(kept)
    return isDoubtful ? undefined : violation
  }

  #append(event: PlainEvent): AppendError | undefined {
    const next = Result.flatMap(Event.fromUnknown(event), (it) => Surface.append(this.#surface, it))
    if (Result.isFailure(next)) return next.failure
    this.#surface = next.success
    return undefined
  }

  /** Whether a rule may be broken only because something else is. */
  #isDoubtful(violation: AppendError): boolean {
    if (violation._tag === "InvalidEvent") return false
    const doubtful = violation.seqs.filter((seq) => this.#doubtful.has(seq))
    // What else is not cited is missing all the same.
    return violation.rule === "coverage"
      ? doubtful.length === violation.seqs.length && doubtful.length > 0
      : doubtful.length > 0
  }

  /** Does what the event most likely means: what it replaces is gone, or it stands at the end. */
  #recover(event: PlainEvent): void {
    const { length } = this.#surface
    for (const likely of [this.#covering(event), { ...without(event, "sourceEventSeqs"), surfaceOp: "append" }]) {
      if (
        likely !== undefined &&
        this.#append({ ...likely, type: event.type, seq: length, data: event.data }) === undefined
      ) {
        return
      }
      this.#doubtful.add(length)
    }
    this.#append(stand(length))
  }

  /** A replacement that cites all that it replaces. */
  #covering(event: PlainEvent): JsonObject | undefined {
    const op = event["surfaceOp"]
    if (!isObject(op)) return undefined
    const { endSeq, startSeq } = op
    if (!isNatural(startSeq) || !isNatural(endSeq)) return undefined
    const about = { type: "user/message", seq: event.seq } as const
    const whole = Surface.replacement(this.#surface, { startSeq, endSeq }, about)
    if (Result.isFailure(whole)) return undefined
    const { sourceEventSeqs } = whole.success
    for (const seq of sourceEventSeqs) this.#doubtful.add(seq)
    return { ...event, sourceEventSeqs }
  }
}
