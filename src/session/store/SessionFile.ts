/**
 * The log of one session in a file of its own: JSON Lines in the current format, with checksums.
 *
 * There is one writer at a time, which the kernel sees to, by a lock on the file's name with `.lock` behind it. An append
 * is written and brought to the disk (`fsync`) before it is acknowledged. What a crash has left of an unfinished one is
 * cut off when the log is opened, and reported. Everything else that is not as it was written is refused.
 *
 * How a line is built, and why, is in decision 15.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Event } from "../Event.ts"
import * as SessionHeader from "../SessionHeader.ts"
import { eventAt } from "./internal/batch.ts"
import * as decode from "./internal/decode.ts"
import { encode } from "./internal/line.ts"
import { lock } from "./internal/lock.ts"
import { owned } from "./internal/owned.ts"
import { causeOf, isNotFound, isUnsyncable } from "./internal/platform.ts"
import { refuseOther } from "./internal/refuseOther.ts"
import * as reader from "./internal/reader.ts"
import * as writer from "./internal/writer.ts"
import type { CreateError, Inspection, OpenError, ReadError, SessionWriter, Torn } from "./SessionStore.ts"
import { LogDamaged, LogExists, LogNotFound, MigrationRequired, StoreFailure } from "./StoreError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * `fsync` is on unless it is switched off: then an append is acknowledged once the operating system has it, and may be
 * lost when the machine, not the process, ends.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly fsync?: boolean | undefined
}

/**
 * The id that the header must have, if one is given.
 *
 * @since 0.1.0
 * @category models
 */
export interface Expected {
  readonly session?: string | undefined
}

type Services = FileSystem.FileSystem | Path.Path

/** How many lines are before the first event. */
const headerLines = 1

/** Only the owner can read what a user has told an agent. */
const mode = 0o600

const utf8 = new TextEncoder()

const failing =
  (log: string, operation: string) =>
  (error: PlatformError): StoreFailure =>
    new StoreFailure({ log, operation, cause: causeOf(error) })

// -----------------------------------------------------------------------------
// reading
// -----------------------------------------------------------------------------

const openToRead = Effect.fnUntraced(function* (log: string) {
  const fs = yield* FileSystem.FileSystem
  yield* refuseOther(log)
  const file = yield* Effect.mapError(fs.open(log), (error) =>
    isNotFound(error) ? new LogNotFound({ log }) : failing(log, "open")(error)
  )
  return yield* reader.make(log, file)
})

/** Reads on until there is a header. */
const readHeader = Effect.fnUntraced(function* (log: string, pieces: reader.Reader, expected?: Expected) {
  for (;;) {
    const piece = yield* pieces
    const [first, ...lines] = piece.lines
    if (first !== undefined) {
      const header = yield* Effect.fromResult(decode.header(log, first, expected?.session))
      return { header, checked: first.checked, piece: { ...piece, lines } }
    }
    if (piece.ending !== undefined) {
      return yield* new LogDamaged({
        log,
        line: 1,
        offset: 0,
        reason: "its header is missing or not complete, or this is no session log"
      })
    }
  }
})

/** The header of a log that can be written. */
const readOwnHeader = Effect.fnUntraced(function* (log: string, pieces: reader.Reader, expected?: Expected) {
  const read = yield* readHeader(log, pieces, expected)
  if (read.checked) return read
  const reason = "has no checksums, since another program wrote it"
  return yield* new MigrationRequired({ log, version: read.header.version, reason })
})

/** Reads on to the end. */
const readEnding = Effect.fnUntraced(function* (pieces: reader.Reader, from: reader.Piece) {
  let piece = from
  let lines = piece.lines.length
  while (piece.ending === undefined) {
    piece = yield* pieces
    lines += piece.lines.length
  }
  return { ending: piece.ending, lines }
})

/** What `f` makes of each piece, from the one that `first` gives to the last. */
const fromPieces = <A, E>(
  first: reader.Reader,
  others: reader.Reader,
  f: (piece: reader.Piece) => Effect.Effect<ReadonlyArray<A>, E>
): Stream.Stream<A, E | LogDamaged | StoreFailure> =>
  Stream.paginate<reader.Reader, A, E | LogDamaged | StoreFailure>(
    first,
    Effect.flatMap((piece) =>
      Effect.map(f(piece), (all) => [all, piece.ending === undefined ? Option.some(others) : Option.none()] as const)
    )
  )

/**
 * The events that the log has when the stream begins, those before the seq `from` left out. It holds no more of the file
 * than a piece of it and the longest append. A log without checksums can be read too, if it is in the current format.
 *
 * @since 0.1.0
 * @category destructors
 */
export const read = (
  log: string,
  options?: Expected & { readonly from?: number | undefined }
): Stream.Stream<Event, ReadError, FileSystem.FileSystem> => {
  const first = (options?.from ?? 0) + headerLines
  const start = Effect.gen(function* () {
    const pieces = yield* openToRead(log)
    const { piece } = yield* readHeader(log, pieces, options)
    return fromPieces(Effect.succeed(piece), pieces, ({ lines }) =>
      Effect.forEach(
        lines.filter(({ line }) => line > first),
        (line) => Effect.fromResult(decode.event(log, line))
      )
    )
  })
  return Stream.unwrap(start)
}

/**
 * The lines of a log in any format, as JSON without checksums: what a migration reads. `onTorn` is told of what an
 * unfinished append has left at the end, which is no line.
 *
 * @since 0.1.0
 * @category destructors
 */
export const lines = (
  log: string,
  options: { readonly onTorn: (torn: Torn) => Effect.Effect<void> }
): Stream.Stream<string, LogNotFound | LogDamaged | StoreFailure, FileSystem.FileSystem> =>
  Stream.unwrap(
    Effect.map(openToRead(log), (pieces) =>
      fromPieces(
        pieces,
        pieces,
        Effect.fnUntraced(function* ({ ending, lines }) {
          const texts = yield* Effect.forEach(lines, (line) => Effect.fromResult(decode.text(log, line)))
          if (ending?.torn !== undefined) yield* options.onTorn(ending.torn)
          return texts
        })
      )
    )
  )

/**
 * What there is to know of a log without its events. It reads the whole file, and reports damage.
 *
 * @since 0.1.0
 * @category destructors
 */
export const inspect: (log: string, options?: Expected) => Effect.Effect<Inspection, ReadError, FileSystem.FileSystem> =
  Effect.fnUntraced(function* (log, options) {
    const pieces = yield* openToRead(log)
    const { checked, header, piece } = yield* readHeader(log, pieces, options)
    const { ending, lines } = yield* readEnding(pieces, piece)
    return { header, next: lines, torn: ending.torn, writable: checked }
  }, Effect.scoped)

// -----------------------------------------------------------------------------
// writing
// -----------------------------------------------------------------------------

/**
 * Makes the name of a file as durable as the file. Windows opens no folders, and some network file systems do not sync
 * them: those keep names by themselves.
 */
const syncFolder = Effect.fnUntraced(function* (folder: string) {
  if (process.platform === "win32") return
  const fs = yield* FileSystem.FileSystem
  const opened = yield* fs.open(folder)
  yield* Effect.catchIf(opened.sync, isUnsyncable, () => Effect.void)
}, Effect.scoped)

/**
 * For calls that change a file. An interrupted one goes on in the operating system, where it could come after its file
 * was closed and another one got the number, or after the lock was let go of.
 */
const toItsEnd = Effect.uninterruptible

const openToAppend = Effect.fnUntraced(function* (log: string, path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.mapError(fs.open(path, { flag: "a+", mode }), failing(log, "open"))
})

/**
 * Opens a log to append to it, until the scope closes. It reads the whole file once, to see that it is intact.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = Effect.fnUntraced(function* (
  log: string,
  options?: Options & Expected
): Effect.fn.Return<SessionWriter, OpenError, Services | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const fsync = options?.fsync ?? true
  const failure = failing(log, "open")
  const path = yield* Effect.mapError(fs.realPath(log), (error) =>
    isNotFound(error) ? new LogNotFound({ log }) : failure(error)
  )
  // A file that is no log of ours gets no lock beside it.
  yield* Effect.scoped(Effect.flatMap(openToRead(log), (pieces) => readOwnHeader(log, pieces, options)))
  yield* lock(log, `${path}.lock`)
  const file = yield* openToAppend(log, path)
  const pieces = yield* reader.make(log, file)
  const { header, piece } = yield* readOwnHeader(log, pieces, options)
  const { committed, torn } = (yield* readEnding(pieces, piece)).ending
  if (torn !== undefined) {
    yield* file
      .truncate(committed.offset)
      .pipe(
        Effect.andThen(fsync ? file.sync : Effect.void),
        Effect.mapError(failing(log, "cut an unfinished append off")),
        toItsEnd
      )
  }
  // Whoever created the log may have ended before its name was durable.
  if (fsync) yield* Effect.mapError(syncFolder(paths.dirname(path)), failure)
  return yield* writer.make(fs, { log, path, file, header, end: committed, repaired: torn, fsync })
}, owned)

const noFolder = (folder: string): Error =>
  new Error(`the folder ${JSON.stringify(folder)} is not there: create it first`)

/** Writes a whole log into a file that nobody knows yet. */
const writeAll = Effect.fnUntraced(function* <E, R>(
  log: string,
  path: string,
  header: SessionHeader.SessionHeader,
  seed: Stream.Stream<Event, E, R>,
  fsync: boolean
) {
  const fs = yield* FileSystem.FileSystem
  const failure = failing(log, "create")
  // What a crash has left may have other permissions, and a link would lead into somebody's file.
  yield* toItsEnd(Effect.mapError(fs.remove(path, { force: true }), failure))
  const file = yield* Effect.mapError(fs.open(path, { flag: "wx", mode }), failure)
  let end = { offset: 0, lines: 0, checksum: 0 }
  const write = (rows: ReadonlyArray<object>) => {
    let { checksum } = end
    let text = ""
    for (const row of rows) {
      // The file as a whole is there or not, so that each line can be an append of its own.
      const line = encode([row], checksum)
      text += line.text
      checksum = line.checksum
    }
    const bytes = utf8.encode(text)
    end = { offset: end.offset + bytes.length, lines: end.lines + rows.length, checksum }
    return toItsEnd(Effect.mapError(file.writeAll(bytes), failure))
  }
  yield* write([header])
  yield* Stream.runForEachArray(seed, (given) =>
    Effect.flatMap(
      Effect.forEach(given, (event, i) => Effect.fromResult(eventAt(event, end.lines - 1 + i))),
      write
    )
  )
  if (fsync) yield* Effect.mapError(file.sync, failure)
  return end
}, Effect.scoped)

/**
 * Creates a log in a folder that is there, and opens it, until the scope closes. With a seed it begins with those events:
 * the file appears under its name when all of them are in it, or never.
 *
 * @since 0.1.0
 * @category constructors
 */
export const create = Effect.fnUntraced(function* <E = never, R = never>(
  log: string,
  given: SessionHeader.SessionHeader,
  options?: Options & { readonly seed?: Stream.Stream<Event, E, R> | undefined }
): Effect.fn.Return<SessionWriter, CreateError | E, Services | R | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const fsync = options?.fsync ?? true
  const failure = failing(log, "create")
  const header = yield* Effect.fromResult(SessionHeader.fromUnknown(given))
  const refuseExisting = Effect.flatMap(Effect.mapError(fs.exists(log), failure), (exists) =>
    exists ? Effect.fail(new LogExists({ log })) : Effect.void
  )
  const discard = (file: string) => Effect.ignore(fs.remove(file, { force: true }))
  yield* refuseExisting
  const named = paths.dirname(log)
  const folder = yield* Effect.mapError(fs.realPath(named), (error) =>
    isNotFound(error) ? new StoreFailure({ log, operation: "create", cause: noFolder(named) }) : failure(error)
  )
  const path = paths.join(folder, paths.basename(log))
  yield* lock(log, `${path}.lock`)
  yield* refuseExisting
  const unfinished = `${path}.new`
  const end = yield* writeAll(log, unfinished, header, options?.seed ?? Stream.empty, fsync).pipe(
    Effect.tap(toItsEnd(Effect.mapError(fs.rename(unfinished, path), failure))),
    // Whoever creates the log next writes over what cannot be removed.
    Effect.onError(() => discard(unfinished))
  )
  if (fsync) {
    yield* syncFolder(folder).pipe(
      Effect.mapError(failure),
      Effect.onError(() => discard(path))
    )
  }
  const file = yield* openToAppend(log, path)
  return yield* writer.make(fs, { log, path, file, header, end, repaired: undefined, fsync })
}, owned)
