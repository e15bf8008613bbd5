/**
 * A request: what a model is sent in one step. It follows from the log alone: the messages on the surface, and the header
 * that was logged last.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as asking from "./internal/asking.ts"
import { isSame, ofHeader, sharedBytes, sum } from "./internal/requestParts.ts"
import type { Message } from "./Message.ts"
import type { RequestHeader } from "./RequestHeader.ts"
import * as SessionLog from "./SessionLog.ts"
import * as Surface from "./Surface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a model is sent. The system prompt is one of the messages.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request {
  /** How many events the log had: `rebuild` gives the request again from it. */
  readonly seq: number
  readonly header: RequestHeader
  readonly messages: ReadonlyArray<Message>
}

/**
 * How much of an earlier request stands at the beginning of a later one, which is what a provider can have in its cache. A
 * request counts as its configuration, tools and messages, in this order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Prefix {
  /** Whether it is all of the earlier one. */
  readonly isWhole: boolean
  /** How many of its first messages are the same; 0 if the configuration or a tool differs. */
  readonly messages: number
  /** How many of its bytes are the same, and how many it has. */
  readonly bytes: number
  readonly of: number
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The request that follows from a log; none before a header was logged.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromLog = (log: SessionLog.SessionLog): Option.Option<Request> =>
  Option.map(Option.fromUndefinedOr(SessionLog.requested(log)), derive)

const derive = ({ header, seq, surface }: SessionLog.Requested): Request => ({
  seq,
  header,
  messages: Surface.messages(surface)
})

/**
 * The request as it was sent when the log had so many events; none before a header was logged, or if it never had as many.
 * Reads the log from its beginning.
 *
 * @since 0.1.0
 * @category constructors
 */
export const rebuild: {
  (seq: number): (log: SessionLog.SessionLog) => Option.Option<Request>
  (log: SessionLog.SessionLog, seq: number): Option.Option<Request>
} = dual(2, (log: SessionLog.SessionLog, seq: number) =>
  seq > log.length ? Option.none() : fromLog(SessionLog.until(log, seq))
)

/**
 * The places of the requests of a log, as far as it tells: of each answer, and of each step without one, what was sent last
 * before it. Reads the log from its beginning.
 *
 * @since 0.1.0
 * @category constructors
 */
export const places = (log: SessionLog.SessionLog): ReadonlyArray<number> => {
  const found: Array<number> = []
  let place: number | undefined
  let isAsking = false
  let isRequested = false
  for (const event of SessionLog.events(log)) {
    if (event.type === "request/header") isRequested = true
    if (place !== undefined && ends.has(event.type)) {
      found.push(place)
      place = undefined
    }
    isAsking = asking.after(isAsking, event)
    if (isAsking && isRequested && asking.leads(event)) place = event.seq + 1
  }
  if (place !== undefined) found.push(place)
  return found
}

const ends: ReadonlySet<string> = new Set(["assistant/message", "step/start", "step/end", "turn/end"])

/**
 * The last request of a log, as far as it tells: that at the last of its `places`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const last = (log: SessionLog.SessionLog): Option.Option<Request> =>
  Option.map(Option.fromUndefinedOr(log.requested), derive)

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** The parts of a request in the order of a provider's cache. */
const parts = ({ header, messages }: Request): ReadonlyArray<object> => [...ofHeader(header), ...messages]

/** Bytes of whole requests: what was sent is compared with the next one, which mostly begins with all of it. */
const totals = new WeakMap<Request, number>()

/**
 * How much of an earlier request stands at the beginning of this one.
 *
 * @since 0.1.0
 * @category destructors
 */
export const prefix: {
  (earlier: Request): (self: Request) => Prefix
  (self: Request, earlier: Request): Prefix
} = dual(2, (self: Request, earlier: Request): Prefix => {
  const now = parts(self)
  const before = parts(earlier)
  const differing = before.findIndex((part, i) => !isSame(part, now[i]))
  const same = differing === -1 ? before.length : differing
  const isWhole = same === before.length
  const of = totals.get(earlier) ?? sum(before)
  const bytes = isWhole ? of : sum(before.slice(0, same))
  totals.set(self, bytes + sum(now.slice(same)))
  return {
    isWhole,
    messages: Math.max(0, same - (before.length - earlier.messages.length)),
    bytes: bytes + sharedBytes(before[same], now[same]),
    of
  }
})
