/**
 * A lock that the kernel lets go of when its holder ends, however it ends.
 *
 * It is the lock of an empty SQLite database: it holds between processes and within one, and no number of a process is
 * kept that another one could get. The file stays: whoever removed it could remove one that the next holder has locked.
 * Nor may the holder's process read or copy it: POSIX lets go of the locks of a process on a file when it closes that file.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DatabaseSync } from "node:sqlite"
import { describeCause } from "../../../Owner.ts"
import { LogBusy, StoreFailure } from "../StoreError.ts"

/** SQLITE_BUSY. Its extended codes have it in the lowest byte. */
const busy = 5

const isBusy = (cause: unknown): boolean =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === busy

const lockUnsafe = (file: string): DatabaseSync => {
  // Loaded only where it is used: older versions of Node print a warning when it is.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    // Without a journal nothing is ever written.
    database.exec("pragma journal_mode = off; begin exclusive")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Locks a log by the file beside it, until the scope closes; fails at once if it is locked. */
export const lock = (log: string, file: string): Effect.Effect<void, LogBusy | StoreFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => lockUnsafe(file),
      catch: (cause) => {
        if (isBusy(cause)) return new LogBusy({ log })
        // SQLite does not say which file it could not open.
        return new StoreFailure({
          log,
          operation: "lock",
          cause: new Error(`${file}: ${describeCause(cause)}`, { cause })
        })
      }
    }),
    (database) => Effect.sync(() => database.close())
  )
