/** What is appended to a log, known from the length of the log alone, so that anyone can tell what must be in it. */
import * as Result from "effect/Result"
import * as Event from "../../../src/session/Event.ts"

type Batch = ReadonlyArray<Event.Event>

const eventAt = (seq: number): Event.Event =>
  Result.getOrThrow(
    Event.fromUnknown({
      seq,
      time: seq,
      type: "test/note",
      data: { seq, text: String.fromCharCode(97 + (seq % 26)).repeat((seq * 37) % 2000) }
    })
  )

/** One to four events. */
export const batchAt = (seq: number): Batch => Array.from({ length: 1 + ((seq * 7) % 4) }, (_, i) => eventAt(seq + i))

/** The batches of a log of so many events; the last one may go beyond it. */
export const batchesOf = (length: number): ReadonlyArray<Batch> => {
  const batches: Array<Batch> = []
  for (let seq = 0; seq < length; seq += batches.at(-1)?.length ?? 0) batches.push(batchAt(seq))
  return batches
}
