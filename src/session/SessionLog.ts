/**
 * The log of a session: its events, and all that follows from them.
 *
 * A log never changes: appending gives another one, in time that does not depend on how long it is, and the one before
 * stays as good as it was. What follows from the events (the surface, what the projections go by, the last header and
 * route) is folded along, so that a log that grew event by event is the same as one that was read from its beginning.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Event from "./Event.ts"
import * as asking from "./internal/asking.ts"
import * as sparse from "./internal/sparse.ts"
import type * as Message from "./Message.ts"
import * as Position from "./Position.ts"
import type { RequestHeader } from "./RequestHeader.ts"
import * as RuntimeContextProjection from "./RuntimeContextProjection.ts"
import type { AppendError } from "./SessionError.ts"
import type { SessionHeader } from "./SessionHeader.ts"
import * as Surface from "./Surface.ts"
import * as SystemPromptProjection from "./SystemPromptProjection.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The log of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionLog {
  readonly header: SessionHeader
  /** How many events there are: the seq of the next one. */
  readonly length: number
  /** By seq. */
  readonly entries: sparse.Sparse<Event.Event>
  readonly surface: Surface.Surface
  /** What `SystemPromptProjection.project` goes by. */
  readonly systemPrompt: SystemPromptProjection.State
  /** What `RuntimeContextProjection.project` goes by. */
  readonly runtimeContext: RuntimeContextProjection.State
  /** In which turn and step it stands. */
  readonly position: Position.Position
  /** The request/header that was logged last. */
  readonly requestHeader: Event.Of<"request/header"> | undefined
  /** The request/context that was logged last. */
  readonly requestContext: Event.Of<"request/context"> | undefined
  /** Whether an answer is awaited. */
  readonly isAsking: boolean
  /** What the last request was derived from, as far as the log tells. */
  readonly requested: Requested | undefined
}

/**
 * What a request is derived from, and how much of the log there was.
 *
 * @since 0.1.0
 * @category models
 */
export interface Requested {
  readonly seq: number
  readonly header: RequestHeader
  readonly surface: Surface.Surface
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A log without events.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty = (header: SessionHeader): SessionLog =>
  Object.freeze<SessionLog>({
    header,
    length: 0,
    entries: sparse.empty(),
    surface: Surface.empty,
    systemPrompt: SystemPromptProjection.initial,
    runtimeContext: RuntimeContextProjection.initial,
    position: Position.initial,
    requestHeader: undefined,
    requestContext: undefined,
    isAsking: false,
    requested: undefined
  })

/**
 * The log of these events, from the first on. Fails with the first that breaks a rule.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromEvents = (
  header: SessionHeader,
  events: Iterable<Event.Event>
): Result.Result<SessionLog, AppendError> => append(empty(header), events)

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

const isRequestHeader = Event.is("request/header")
const isRequestContext = Event.is("request/context")

const appendOne = (self: SessionLog, input: Event.Event): Result.Result<SessionLog, AppendError> =>
  Result.map(Surface.plan(self.surface, input), (plan) => {
    const { event } = plan
    const log: SessionLog = {
      header: self.header,
      length: self.length + 1,
      entries: sparse.set(self.entries, event.seq, event),
      surface: Surface.commit(plan),
      systemPrompt: SystemPromptProjection.step(self.systemPrompt, plan),
      runtimeContext: RuntimeContextProjection.step(self.runtimeContext, plan),
      position: Position.step(self.position, event),
      requestHeader: isRequestHeader(event) ? event : self.requestHeader,
      requestContext: isRequestContext(event) ? event : self.requestContext,
      isAsking: asking.after(self.isAsking, event),
      requested: self.requested
    }
    const leads = log.isAsking && asking.leads(event)
    return Object.freeze(leads ? { ...log, requested: requested(log) } : log)
  })

/**
 * The log with these events after its own, or the first rule that one of them breaks: then none is appended. Each must
 * have its place as seq; see `commit` for events that are still to get theirs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const append: {
  (events: Iterable<Event.Event>): (self: SessionLog) => Result.Result<SessionLog, AppendError>
  (self: SessionLog, events: Iterable<Event.Event>): Result.Result<SessionLog, AppendError>
} = dual(2, (self: SessionLog, events: Iterable<Event.Event>): Result.Result<SessionLog, AppendError> => {
  let log = self
  for (const event of events) {
    const next = appendOne(log, event)
    if (Result.isFailure(next)) return next
    log = next.success
  }
  return Result.succeed(log)
})

/**
 * As `append`, with the next places as seqs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const commit: {
  (drafts: Iterable<Event.Draft | Event.OpaqueDraft>): (self: SessionLog) => Result.Result<SessionLog, AppendError>
  (self: SessionLog, drafts: Iterable<Event.Draft | Event.OpaqueDraft>): Result.Result<SessionLog, AppendError>
} = dual(2, (self: SessionLog, drafts: Iterable<Event.Draft | Event.OpaqueDraft>) =>
  append(self, Event.number(drafts, self.length))
)

/**
 * The log as it was when it had so many events; all of it if it never had as many. Reads it from its beginning.
 *
 * @since 0.1.0
 * @category combinators
 */
export const until: {
  (length: number): (self: SessionLog) => SessionLog
  (self: SessionLog, length: number): SessionLog
} = dual(2, (self: SessionLog, length: number): SessionLog =>
  length >= self.length
    ? self
    : // Its events were accepted once, one after the other, as they are here.
      Result.getOrThrow(fromEvents(self.header, events(self, { to: length })))
)

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * What the request that follows from a log is derived from; nothing before a header was logged.
 *
 * @since 0.1.0
 * @category destructors
 */
export const requested = ({ length, requestHeader, surface }: SessionLog): Requested | undefined =>
  requestHeader && { seq: length, header: requestHeader.data.header, surface }

/**
 * The event at a place.
 *
 * @since 0.1.0
 * @category destructors
 */
export const get: {
  (seq: number): (self: SessionLog) => Option.Option<Event.Event>
  (self: SessionLog, seq: number): Option.Option<Event.Event>
} = dual(2, (self: SessionLog, seq: number) => Option.fromUndefinedOr(sparse.get(self.entries, seq)))

/**
 * The events from one place on, up to and without another; all of them by default.
 *
 * @since 0.1.0
 * @category destructors
 */
export const events = (
  self: SessionLog,
  range?: { readonly from?: number | undefined; readonly to?: number | undefined }
): ReadonlyArray<Event.Event> => sparse.values(self.entries, range?.from, (range?.to ?? self.length) - 1)

/**
 * The messages that the model sees.
 *
 * @since 0.1.0
 * @category destructors
 */
export const messages = (self: SessionLog): ReadonlyArray<Message.Message> => Surface.messages(self.surface)
