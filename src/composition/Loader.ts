/**
 * Reads a composition from disk, with every file that it refers to.
 *
 * All files are read before anything is judged, so that a missing text and a
 * mistyped key come in one report.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import { notAFile } from "../internal/notAFile.ts"
import { toError } from "./Complaint.ts"
import { type Composition, draft, resolve } from "./Composition.ts"
import type { InvalidComposition } from "./InvalidComposition.ts"
import * as Resources from "./Resources.ts"
import * as SourceFile from "./SourceFile.ts"

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Loads the composition in a file. A file that cannot be read is an `InvalidComposition`, like every other problem.
 *
 * @since 0.1.0
 * @category constructors
 */
export const load: (file: string) => Effect.Effect<Composition, InvalidComposition, FileSystem.FileSystem | Path.Path> =
  Effect.fn("Composition.load")(function* (file) {
    const path = yield* Path.Path
    const content = yield* read(file)
    return yield* loadFrom({ file, content, folder: path.dirname(path.resolve(file)) })
  })

/**
 * Loads a composition that was read elsewhere, for instance from standard input. `file` stands for it in messages;
 * the files that it refers to are looked up from `folder`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const loadFrom: (options: {
  readonly file: string
  readonly content: Resources.Content
  readonly folder: string
}) => Effect.Effect<Composition, InvalidComposition, FileSystem.FileSystem | Path.Path> = Effect.fnUntraced(function* ({
  content,
  file,
  folder
}) {
  const path = yield* Path.Path
  const text = Resources.decode(content)
  if (Result.isFailure(text)) {
    const nothing = SourceFile.make(file, "")
    return yield* toError(nothing, [
      { source: nothing, offset: 0, path: [], message: Resources.unreadable(file, text.failure) }
    ])
  }
  const drafted = yield* Effect.fromResult(draft(file, text.success))
  const files = new Map<string, Resources.Content>()
  for (const name of Resources.referencesOf(drafted)) files.set(name, yield* read(path.resolve(folder, name)))
  return yield* Effect.fromResult(resolve(drafted, files))
})

/** The bytes of a file, or why there are none. */
export const read: (file: string) => Effect.Effect<Resources.Content, never, FileSystem.FileSystem> = Effect.fnUntraced(
  function* (file) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* fs.stat(file)
    // A pipe is fine (`<(command)`), if somebody writes to it; a device may never end.
    const problem = info.type === "FIFO" ? undefined : problemOf(info.type)
    if (problem !== undefined) return { problem }
    if (info.size > SourceFile.maxBytes) return { problem: SourceFile.tooLarge }
    return yield* fs.readFile(file)
  },
  Effect.catch((error: PlatformError) => Effect.succeed({ problem: reasonOf(error) }))
)

/** Why what is no file is not read. */
export const problemOf = (type: FileSystem.File.Type): string | undefined => {
  const what = notAFile(type)
  return (
    what &&
    `it is ${what}. ${type === "Directory" ? "Name a file in it." : "Save what it gives as a file, and name that."}`
  )
}

const reasonOf = (error: PlatformError): string => {
  switch (error.reason._tag) {
    case "NotFound":
      return "there is no such file."
    case "PermissionDenied":
      return "permission denied."
    default:
      return error.message
  }
}
