/** Whether a log is a file at all. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { notAFile } from "../../../internal/notAFile.ts"
import { LogNotFound, StoreFailure } from "../StoreError.ts"
import { causeOf, isNotFound } from "./platform.ts"

/** Fails for what is there and no file. To be asked before it is opened: a pipe may keep one waiting for good. */
export const refuseOther = Effect.fnUntraced(function* (log: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.mapError(fs.stat(log), (error) =>
    isNotFound(error) ? new LogNotFound({ log }) : new StoreFailure({ log, operation: "read", cause: causeOf(error) })
  )
  const what = notAFile(info.type)
  if (what === undefined) return
  const cause = new Error(`this is ${what}, and no session log`)
  return yield* new StoreFailure({ log, operation: "read", cause })
})
