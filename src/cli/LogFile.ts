/**
 * A session log of any format, read from its file. An older one is migrated as it is read, and the file stays as it is.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Event } from "../session/Event.ts"
import type { FormatError } from "../session/format/FormatError.ts"
import type { MigrationReport } from "../session/format/MigrationReport.ts"
import * as MigrationStream from "../session/format/MigrationStream.ts"
import type { SessionHeader } from "../session/SessionHeader.ts"
import * as SessionLog from "../session/SessionLog.ts"
import * as SessionFile from "../session/store/SessionFile.ts"
import type { Torn } from "../session/store/SessionStore.ts"
import type { LogDamaged, LogNotFound, StoreFailure } from "../session/store/StoreError.ts"

/** A log and what was done to read it. */
export interface LogFile<out A> {
  readonly file: string
  readonly value: A
  /** What the migration did, if the log is of an older format. */
  readonly report: MigrationReport
  /** What an unfinished append left at the end of the file. */
  readonly torn: Torn | undefined
}

type ReadError = FormatError | LogNotFound | LogDamaged | StoreFailure

type Events = Stream.Stream<Event, ReadError, FileSystem.FileSystem>

const isEvent = (part: MigrationStream.Part): part is Extract<MigrationStream.Part, { readonly _tag: "Event" }> =>
  part._tag === "Event"

/**
 * Reads a log once, as it is used: `use` gets the header, and must run through all events. It holds no more of the log
 * than a migration does. Sessions that this one started are listed only where the log does so already: their own logs
 * would have to be read.
 */
export const read = Effect.fnUntraced(function* <A, E, R>(
  file: string,
  use: (header: SessionHeader, events: Events) => Effect.Effect<A, E, R>
) {
  let torn: Torn | undefined
  let report: MigrationReport | undefined
  const parts = SessionFile.lines(file, { onTorn: (found) => Effect.sync(() => void (torn = found)) }).pipe(
    MigrationStream.migrate({ file, children: [] }),
    Stream.tap((part) => Effect.sync(() => void (part._tag === "Report" && ({ report } = part))))
  )
  const [first, rest] = yield* Stream.peel(parts, Sink.head<MigrationStream.Part>())
  if (Option.isNone(first) || first.value._tag !== "Header")
    return yield* Effect.die(new Error("a log without a header"))
  const value = yield* use(
    first.value.header,
    Stream.map(Stream.filter(rest, isEvent), ({ event }) => event)
  )
  if (report === undefined) return yield* Effect.die(new Error("a log that was not read to its end"))
  return { file, value, report, torn } satisfies LogFile<A>
}, Effect.scoped)

/** The whole log, in memory. */
export const load = (file: string) =>
  read(file, (header, events) =>
    Stream.runFoldEffect(
      events,
      () => SessionLog.empty(header),
      (log, event) => Effect.fromResult(SessionLog.append(log, [event]))
    )
  )
