/**
 * Putting one message, usually a summary, in the place of many. To the surface that is a replacement like any other.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Event from "./Event.ts"
import type * as Message from "./Message.ts"
import * as OpenCalls from "./OpenCalls.ts"
import { SplitCalls, type SurfaceViolation } from "./SessionError.ts"
import type { SessionLog } from "./SessionLog.ts"
import * as Surface from "./Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The messages from one to another on the surface, both included.
 *
 * @since 0.1.0
 * @category models
 */
export interface Range {
  readonly startSeq: number
  readonly endSeq: number
}

/**
 * What is to be replaced, by what. The system message at the head may not be among it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends Range {
  /** Names this compaction in all its events. */
  readonly id: string
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
 * this order; and with `SplitCalls`, which says where to begin and end instead, if a call would be parted from its result
 * or still waits for it. Other rules are those of every commit.
 *
 * **Provider's cache**: costs everything from the first replaced message on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const drafts = (
  log: SessionLog,
  { content, endSeq, id, messageId, startSeq, time }: Options
): Result.Result<ReadonlyArray<Event.Draft>, SurfaceViolation | SplitCalls> => {
  const about = { type: "user/message", seq: log.length + 2 } as const
  return Result.gen(function* () {
    const replacement = yield* Surface.replacement(log.surface, { startSeq, endSeq }, about)
    yield* together(log, { startSeq, endSeq })
    return [
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
    ]
  })
}

// -----------------------------------------------------------------------------
// rules
// -----------------------------------------------------------------------------

/** Which messages an answer with calls and their results are, by their places on the surface. */
interface Exchange {
  readonly places: Array<number>
  /** Whether results are still to come. */
  readonly isWaiting: boolean
}

const isAnswer = Event.is("assistant/message")
const isResult = Event.is("tool/result")

/** A result belongs to the last answer before it that made its call. */
const exchanges = (log: SessionLog, events: ReadonlyArray<Event.Surface>): ReadonlyArray<Exchange> => {
  const waiting = OpenCalls.fromLog(log).length === 0 ? undefined : OpenCalls.lastAnswer(log)?.answer
  const all: Array<Exchange> = []
  const byCall = new Map<string, Exchange>()
  for (const [place, event] of events.entries()) {
    if (isAnswer(event)) {
      const exchange = { places: [place], isWaiting: event === waiting }
      all.push(exchange)
      for (const { callId } of OpenCalls.of(event.data)) byCall.set(callId, exchange)
    } else if (isResult(event)) {
      byCall.get(event.data.message.toolCallId)?.places.push(place)
    }
  }
  return all
}

/** The first and the last place of some messages. */
interface Span {
  readonly from: number
  readonly to: number
}

const touches = ({ places }: Exchange, { from, to }: Span): boolean =>
  places.some((place) => from <= place && place <= to)

/** What is cut or waits in a span. */
const broken = (all: ReadonlyArray<Exchange>, span: Span): ReadonlyArray<Exchange> =>
  all.filter((one) => touches(one, span) && (one.isWaiting || outside(one, span).length > 0))

const outside = ({ places }: Exchange, { from, to }: Span): ReadonlyArray<number> =>
  places.filter((place) => place < from || place > to)

/** Takes in all of what is cut, as long as that ends before what waits. */
const widen = (all: ReadonlyArray<Exchange>, span: Span, last: number): Span | undefined => {
  if (span.from > span.to || span.to > last) return undefined
  const [cut] = broken(all, span)
  if (cut === undefined) return span
  return widen(all, { from: Math.min(span.from, ...cut.places), to: Math.max(span.to, ...cut.places) }, last)
}

const nearest = (all: ReadonlyArray<Exchange>, { from, to }: Span): Span | undefined => {
  const [answer = Infinity] = all.find(({ isWaiting }) => isWaiting)?.places ?? []
  return widen(all, { from, to: Math.min(to, answer - 1) }, answer - 1)
}

/** Calls and their results are replaced together, or not at all. */
const together = (log: SessionLog, { endSeq, startSeq }: Range): Result.Result<void, SplitCalls> => {
  const events = Surface.events(log.surface)
  const placeOf = (seq: number) => events.findIndex((event) => event.seq === seq)
  const all = exchanges(log, events)
  const span = { from: placeOf(startSeq), to: placeOf(endSeq) }
  const found = broken(all, span)
  if (found.length === 0) return Result.void
  const cut = found.filter(({ isWaiting }) => !isWaiting).flatMap((one) => outside(one, span))
  const waiting = found.filter(({ isWaiting }) => isWaiting).flatMap(({ places }) => places.slice(0, 1))
  const seqsOf = (places: ReadonlyArray<number>) => places.flatMap((place) => events[place]?.seq ?? [])
  const [first, last] = seqsOf(ends(nearest(all, span)))
  return Result.fail(
    new SplitCalls({
      startSeq,
      endSeq,
      seqs: seqsOf(cut.length > 0 ? cut : waiting),
      isWaiting: cut.length === 0,
      ...(first === undefined || last === undefined ? undefined : { nearest: { startSeq: first, endSeq: last } })
    })
  )
}

const ends = (span: Span | undefined): ReadonlyArray<number> => (span === undefined ? [] : [span.from, span.to])
