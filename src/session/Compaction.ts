/**
 * Putting one message, usually a summary, in the place of many. To the surface that is a replacement like any other.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type * as Event from "./Event.ts"
import type * as Message from "./Message.ts"
import type { SurfaceViolation } from "./SessionError.ts"
import type { SessionLog } from "./SessionLog.ts"
import * as Surface from "./Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What is to be replaced, by what. Both ends are included; the system message at the head may not be among them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Names this compaction in all its events. */
  readonly id: string
  readonly startSeq: number
  readonly endSeq: number
  /** What takes their place. */
  readonly content: ReadonlyArray<Message.Block>
  /** The id of the message. */
  readonly messageId: string
  /** In milliseconds since 1970. */
  readonly time: number
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The events of one compaction, to be committed next to this very log, in one go: its start, the record of what it
 * takes away, the message that takes its place, its end. Fails if an end is not on the surface, or the two are not in
 * this order; other rules are those of every commit.
 *
 * **Provider's cache**: costs everything from the first replaced message on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const drafts = (
  log: SessionLog,
  { content, endSeq, id, messageId, startSeq, time }: Options
): Result.Result<ReadonlyArray<Event.Draft>, SurfaceViolation> => {
  const about = { type: "user/message", seq: log.length + 2 } as const
  return Result.map(Surface.replacement(log.surface, { startSeq, endSeq }, about), (replacement) => [
    { type: "compaction/start", time, data: { compactionId: id } },
    {
      type: "compaction/summary",
      time,
      data: {
        compactionId: id,
        shadowedRange: { start: startSeq, end: endSeq },
        shadowedSeqs: replacement.sourceEventSeqs
      }
    },
    {
      type: "user/message",
      time,
      data: { role: "user", content, source: { kind: "compact-checkpoint", compactionId: id }, id: messageId },
      ...replacement
    },
    { type: "compaction/end", time, data: { compactionId: id } }
  ])
}
