/**
 * A session at work: its log in memory and the writer that keeps it.
 *
 * Everything that comes to the log comes through one door, one transaction after the
 * other: it is checked against the log as it is, written by the store, and only then part
 * of the log in memory. So the two never differ, also if the fibre is interrupted.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as Event from "./Event.ts"
import * as sparse from "./internal/sparse.ts"
import type { Source } from "./Message.ts"
import * as OpenCalls from "./OpenCalls.ts"
import * as Request from "./Request.ts"
import * as SessionError from "./SessionError.ts"
import * as SessionHeader from "./SessionHeader.ts"
import * as SessionLog from "./SessionLog.ts"
import {
  type AppendError,
  type CreateError,
  type OpenError,
  SessionStore,
  type SessionWriter,
  type Torn
} from "./store/SessionStore.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a session knows at one moment: the log, and what this run of it has asked of a model.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly log: SessionLog.SessionLog
  /** Whether this run has logged a header yet. */
  readonly hasRequested: boolean
  /** How often something on the surface had been replaced when the last request was made; 0, if there is none. */
  readonly generation: number
  /** The last request, of an earlier run too, as far as the log tells. */
  readonly previous: Option<Request.Request>
}

/**
 * A session at work.
 *
 * @since 0.1.0
 * @category models
 */
export interface Session {
  readonly header: SessionHeader.SessionHeader
  /** What an append that was not finished had left, and was cut off when the session was opened. */
  readonly repaired: Torn | undefined
  readonly state: Effect.Effect<State>
  /**
   * One transaction: `f` says what the session becomes, from what it is. The events that the new log has more are written
   * before anyone sees it. If `f` or the store fails, nothing is different.
   *
   * The new log is the one that `f` was given, with events behind it or none. Any other is a defect.
   */
  readonly modify: <A, E>(
    f: (state: State) => Result.Result<{ readonly state: State; readonly value: A }, E>
  ) => Effect.Effect<A, E | AppendError>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A session over its writer and the log that was read.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (writer: SessionWriter, log: SessionLog.SessionLog): Effect.Effect<Session> =>
  Effect.gen(function* () {
    const ref = yield* Ref.make(restore(log))
    const door = yield* Semaphore.make(1)
    return {
      header: log.header,
      repaired: writer.repaired,
      state: Ref.get(ref),
      modify: (f) =>
        Effect.flatMap(Ref.get(ref), (state) =>
          Effect.flatMap(Effect.fromResult(f(state)), ({ state: next, value }) =>
            added(state.log, next.log).pipe(
              Effect.flatMap((events) => writer.append(events)),
              Effect.andThen(Ref.set(ref, next)),
              Effect.as(value)
            )
          )
        ).pipe(
          // Whoever waits can be interrupted; whoever has begun leaves store and memory the same.
          Effect.uninterruptible,
          door.withPermit
        )
    }
  })

/** The events that a log has more than the one before, whose others the store has. */
const added = (before: SessionLog.SessionLog, log: SessionLog.SessionLog): Effect.Effect<ReadonlyArray<Event.Event>> =>
  log.header === before.header && sparse.includes(log.entries, before.entries)
    ? Effect.succeed(SessionLog.events(log, { from: before.length }))
    : Effect.die(
        new TypeError(
          `the log of session ${JSON.stringify(before.header.id)} becomes another one, and not itself with events behind it. Begin with the log that \`modify\` gives, and use SessionLog.commit.`
        )
      )

/** What a run begins with. It follows from the log, so that this run decides as the one before would have. */
const restore = (log: SessionLog.SessionLog): State => ({
  log,
  hasRequested: false,
  generation: log.requested?.surface.generation ?? 0,
  previous: Request.last(log)
})

/**
 * Begins a session, until the scope closes. That of a fork (see `SessionHeader.fork`) begins with a seed: the first events
 * of another one, in their order, perhaps none. Behind them it logs that its own begin.
 *
 * Fails with `InvalidHeader` if there is a seed and the header does not say `isSeeded`, or the other way round.
 *
 * @since 0.1.0
 * @category constructors
 */
export const create = Effect.fnUntraced(function* (
  header: SessionHeader.SessionHeader,
  seed?: ReadonlyArray<Event.Event>
): Effect.fn.Return<Session, CreateError, SessionStore | Scope.Scope> {
  const store = yield* SessionStore
  const own = yield* Effect.fromResult(SessionHeader.fromUnknown(header))
  const log = yield* Effect.fromResult(begin(own, seed))
  return yield* make(yield* store.create(own, Stream.fromArray(SessionLog.events(log))), log)
})

const begin = (
  header: SessionHeader.SessionHeader,
  seed: ReadonlyArray<Event.Event> | undefined
): Result.Result<SessionLog.SessionLog, SessionError.InvalidHeader | SessionError.AppendError> => {
  const refuse = (reason: string) => Result.fail(new SessionError.InvalidHeader({ path: "$.isSeeded", reason }))
  if (seed === undefined) {
    return header.isSeeded
      ? refuse(
          "it is true, and there is no seed. Give the events that the session begins with, or make the header with SessionHeader.make."
        )
      : Result.succeed(SessionLog.empty(header))
  }
  if (!header.isSeeded) return refuse("it is false, and there is a seed. Make the header with SessionHeader.fork.")
  return Result.flatMap(
    SessionLog.fromEvents(header, seed),
    SessionLog.commit([{ type: "session/end-seed", time: header.createdAt, data: { inherited: true } }])
  )
}

/**
 * Goes on with a session, until the scope closes. A step that was open when its process ended is closed by the next one,
 * which also answers the calls that have no result; a turn goes on, unless `endTurn` is called first. `repaired` says what
 * an unfinished append had left.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = Effect.fnUntraced(function* (
  id: string
): Effect.fn.Return<Session, OpenError | SessionError.AppendError, SessionStore | Scope.Scope> {
  const store = yield* SessionStore
  const writer = yield* store.open(id)
  return yield* make(writer, yield* read(id, writer.header))
})

/** All events of a stored log, folded. */
const read = (id: string, header: SessionHeader.SessionHeader) =>
  SessionStore.use((store) =>
    store.read(id).pipe(
      Stream.runFoldEffect(
        () => SessionLog.empty(header),
        (log, event) => Effect.fromResult(SessionLog.append(log, [event]))
      )
    )
  )

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * The log at this moment.
 *
 * @since 0.1.0
 * @category combinators
 */
export const log = (self: Session): Effect.Effect<SessionLog.SessionLog> => Effect.map(self.state, ({ log }) => log)

/**
 * Appends events as one transaction: all of them or none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const commit = <E = never>(
  self: Session,
  drafts:
    | ReadonlyArray<Event.Draft | Event.OpaqueDraft>
    | ((log: SessionLog.SessionLog) => Result.Result<ReadonlyArray<Event.Draft | Event.OpaqueDraft>, E>)
): Effect.Effect<SessionLog.SessionLog, E | AppendError> =>
  self.modify((state) =>
    Result.flatMap(
      typeof drafts === "function" ? drafts(state.log) : Result.succeed(drafts),
      (
        drafts
      ): Result.Result<
        { readonly state: State; readonly value: SessionLog.SessionLog },
        E | SessionError.AppendError
      > => Result.map(SessionLog.commit(state.log, drafts), (log) => ({ state: { ...state, log }, value: log }))
    )
  )

/**
 * Ends the open turn, and its step; nothing, if none is open. `reason` is what ended it, such as `completed`, or an object
 * of that `kind`. Calls that have no result are answered first, as `OpenCalls` says.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endTurn = (self: Session, reason: string | Source): Effect.Effect<void, AppendError> =>
  Effect.flatMap(Clock.currentTimeMillis, (time) =>
    Effect.asVoid(commit(self, (log) => Result.succeed(OpenCalls.endTurn(log, reason, time))))
  )
