/**
 * Keeps the logs of sessions.
 *
 * A store keeps events and does not judge them: whether an event fits what is on the surface is for the log that
 * it is appended to in memory, before it comes here, and again when that log is built of what was read. A store sees to
 * it that what was acknowledged is kept, in order and once, and that an append is there as a whole or not at all.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Event } from "../Event.ts"
import type { InvalidLog, UnsupportedFormat } from "../format/FormatError.ts"
import type { InvalidEvent, InvalidHeader, SurfaceViolation } from "../SessionError.ts"
import type { SessionHeader } from "../SessionHeader.ts"
import type {
  AppendFailed,
  ForeignWrite,
  LogBusy,
  LogDamaged,
  LogExists,
  LogNotFound,
  MigrationRequired,
  StoreFailure,
  UnexpectedSeq,
  WriterUnusable
} from "./StoreError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What an append that was not finished left at the end of a log: nobody was told that it is there. `offset` and `bytes`
 * say where it is in the file; `lines` of it were whole.
 *
 * @since 0.1.0
 * @category models
 */
export interface Torn {
  readonly offset: number
  readonly bytes: number
  readonly lines: number
}

/**
 * What there is to know of a log without its events.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inspection {
  readonly header: SessionHeader
  /** How many events it has, which is the seq of the next one. */
  readonly next: number
  /** What the next writer will cut off. */
  readonly torn: Torn | undefined
  /** Whether it can be opened to write. The logs of other programs have no checksums, and are only read. */
  readonly writable: boolean
}

/**
 * The one writer of a log, or one of several where the store lets several try.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionWriter {
  readonly header: SessionHeader
  /** What was cut off when the log was opened. */
  readonly repaired: Torn | undefined
  /** The seq of the next event. */
  readonly next: Effect.Effect<number>
  /**
   * Appends events as one transaction: once it is done they are kept, and however it ends, all of them are in the log or
   * none. The first one's seq says which state of the log they were made for: if that is not the next seq, the append
   * fails with `UnexpectedSeq`. Nothing to append is no append.
   *
   * It is not interrupted once it has begun to write. After `AppendFailed` or `ForeignWrite` the writer is of no use.
   */
  readonly append: (events: ReadonlyArray<Event>) => Effect.Effect<void, AppendError>
}

/**
 * What appending can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type AppendError = UnexpectedSeq | InvalidEvent | SurfaceViolation | AppendFailed | ForeignWrite | WriterUnusable

/**
 * What creating a session can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type CreateError = LogExists | LogBusy | InvalidHeader | InvalidEvent | SurfaceViolation | StoreFailure

/**
 * What reading a log can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type ReadError = LogNotFound | LogDamaged | InvalidLog | UnsupportedFormat | MigrationRequired | StoreFailure

/**
 * What opening a log to write can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type OpenError = ReadError | LogBusy

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * Keeps the logs of sessions, by the ids of their headers.
 *
 * @since 0.1.0
 * @category services
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * Creates a session and opens its log, until the scope closes. With a seed, the log begins with those events; the
     * session is there with all of them or not at all.
     */
    readonly create: <E = never, R = never>(
      header: SessionHeader,
      seed?: Stream.Stream<Event, E, R>
    ) => Effect.Effect<SessionWriter, CreateError | E, R | Scope.Scope>
    /**
     * Opens a session's log to write, until the scope closes. A store with one writer for each log tells the second one
     * at once.
     */
    readonly open: (id: string) => Effect.Effect<SessionWriter, OpenError, Scope.Scope>
    /**
     * The events that the log has when the stream begins, those before the seq `from` left out. It needs no writer and
     * disturbs none. What a writer is about to acknowledge may be among them already.
     */
    readonly read: (id: string, options?: { readonly from?: number | undefined }) => Stream.Stream<Event, ReadError>
    /** What there is to know of a log without its events. It reads the whole log, and reports damage. */
    readonly inspect: (id: string) => Effect.Effect<Inspection, ReadError>
    /** The ids of all sessions, by code units. */
    readonly list: Effect.Effect<ReadonlyArray<string>, StoreFailure>
  }
>()("effect-preamble/session/SessionStore") {}
