/** Appends to a log file. Whoever makes a writer holds the lock of the file. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Event } from "../../Event.ts"
import type { SessionHeader } from "../../SessionHeader.ts"
import type { AppendError, SessionWriter, Torn } from "../SessionStore.ts"
import { AppendFailed, ForeignWrite, StoreFailure, WriterUnusable } from "../StoreError.ts"
import { batch } from "./batch.ts"
import { encode } from "./line.ts"
import { causeOf, isFull, isNotFound } from "./platform.ts"
import type { Position } from "./scan.ts"

export interface Options {
  /** What errors call it. */
  readonly log: string
  /** Where it is, without symbolic links. */
  readonly path: string
  /** Open to append. */
  readonly file: FileSystem.File
  readonly header: SessionHeader
  /** Its end, behind the last whole append. */
  readonly end: Position
  readonly repaired: Torn | undefined
  readonly fsync: boolean
}

const utf8 = new TextEncoder()

/** Whether two descriptions are of one file. Where the system does not number files, nothing speaks against it. */
const isSame = (a: FileSystem.File.Info, b: FileSystem.File.Info): boolean =>
  a.dev === b.dev && Option.getOrUndefined(a.ino) === Option.getOrUndefined(b.ino)

/** What the file has that this writer does not know of. */
const foreign = (opened: FileSystem.File.Info, now: FileSystem.File.Info, size: number): string | undefined => {
  if (!isSame(opened, now)) return "another file is in its place"
  const extra = Number(now.size) - size
  if (extra === 0) return undefined
  return extra > 0 ? `it is ${extra} bytes longer than it was left` : `it is ${-extra} bytes shorter than it was left`
}

/** A writer until the scope closes. */
export const make = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  options: Options
): Effect.fn.Return<SessionWriter, StoreFailure, Scope.Scope> {
  const { file, fsync, log, path } = options
  const opened = yield* Effect.mapError(
    file.stat,
    (error) => new StoreFailure({ log, operation: "open", cause: causeOf(error) })
  )
  const mutex = yield* Semaphore.make(1)
  let { end } = options
  let unusable: string | undefined

  const spoil = <E extends AppendFailed | ForeignWrite>(error: E): Effect.Effect<never, E> => {
    unusable = `an earlier append failed (${error._tag})`
    return Effect.fail(error)
  }

  const checkForeign = fs.stat(path).pipe(
    Effect.map((now) => foreign(opened, now, end.offset)),
    Effect.catchIf(isNotFound, () => Effect.succeed("it is gone")),
    Effect.catchTag("PlatformError", (error) =>
      spoil(new AppendFailed({ log, full: false, undone: true, cause: causeOf(error) }))
    ),
    Effect.flatMap((reason) => (reason === undefined ? Effect.void : spoil(new ForeignWrite({ log, reason }))))
  )

  /**
   * Takes back what of an append may have been written. After a failed fsync, bytes can be read that are not on the
   * disk and that no later fsync would bring there: they must not stay before others.
   */
  const undo = (length: number): Effect.Effect<boolean> =>
    file.stat.pipe(
      Effect.flatMap(({ size }) => {
        const written = Number(size) - end.offset
        if (written < 0 || written > length) return Effect.succeed(false)
        return Effect.as(Effect.andThen(file.truncate(end.offset), fsync ? file.sync : Effect.void), true)
      }),
      // What failed is told anyway, and whoever opens the log next cuts off what is not whole.
      Effect.orElseSucceed(() => false)
    )

  const onFailure =
    (length: number) =>
    (error: PlatformError): Effect.Effect<never, AppendFailed> => {
      const cause = causeOf(error)
      return Effect.flatMap(undo(length), (undone) =>
        spoil(new AppendFailed({ log, full: isFull(cause), undone, cause }))
      )
    }

  const write = Effect.fnUntraced(function* (events: ReadonlyArray<Event>): Effect.fn.Return<void, AppendError> {
    if (unusable !== undefined) return yield* new WriterUnusable({ log, reason: unusable })
    const next = end.lines - 1
    const taken = yield* Effect.fromResult(batch(log, events, next))
    const { checksum, text } = encode(taken, end.checksum)
    const bytes = utf8.encode(text)
    yield* checkForeign
    yield* file
      .writeAll(bytes)
      .pipe(Effect.andThen(fsync ? file.sync : Effect.void), Effect.catch(onFailure(bytes.length)))
    end = { offset: end.offset + bytes.length, lines: end.lines + taken.length, checksum }
  })

  // Whoever closes waits for the append that is under way.
  const close = Effect.sync(() => {
    unusable ??= "its writer is closed"
  })
  yield* Effect.addFinalizer(() => mutex.withPermit(close))

  return {
    header: options.header,
    repaired: options.repaired,
    next: Effect.sync(() => end.lines - 1),
    append: (events) => (events.length === 0 ? Effect.void : mutex.withPermit(Effect.uninterruptible(write(events))))
  }
})
