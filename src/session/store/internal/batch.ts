/** What a store checks of events before it keeps them. */
import * as Result from "effect/Result"
import * as Event from "../../Event.ts"
import { type InvalidEvent, SurfaceViolation } from "../../SessionError.ts"
import { UnexpectedSeq } from "../StoreError.ts"

/** Takes the event of this seq out of anything. */
export const eventAt = (given: unknown, seq: number): Result.Result<Event.Event, InvalidEvent | SurfaceViolation> =>
  Result.flatMap(Event.fromUnknown(given), (event) =>
    event.seq === seq ? Result.succeed(event) : Result.fail(gap(event, seq))
  )

const gap = ({ seq, type }: Event.Event, expected: number): SurfaceViolation => {
  const reason = `expected seq ${expected}, since numbers count the events of a log from 0 without a gap. Append events in the order that their log gave them.`
  return new SurfaceViolation({ rule: "dense-seq", type, seq, seqs: [expected], reason })
}

/** Takes the events of one append to a log that goes on with `next`. */
export const batch = (
  log: string,
  events: ReadonlyArray<Event.Event>,
  next: number
): Result.Result<ReadonlyArray<Event.Event>, UnexpectedSeq | InvalidEvent | SurfaceViolation> => {
  const [first] = events
  if (first !== undefined && first.seq !== next) {
    return Result.fail(new UnexpectedSeq({ log, expected: first.seq, actual: next }))
  }
  const taken: Array<Event.Event> = []
  for (const given of events) {
    const event = eventAt(given, next + taken.length)
    if (Result.isFailure(event)) return Result.fail(event.failure)
    taken.push(event.success)
  }
  return Result.succeed(taken)
}
