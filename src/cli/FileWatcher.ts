/**
 * Watches files through the folders that they are in, since editors and checkouts put new files in the place of old ones.
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface FileWatcher {
  /**
   * Watches these files, whose paths are absolute, and no others any more. Returns once every change from now on will be
   * seen. Folders on the way from `root` to a file are watched too: they may come later, or be replaced.
   */
  readonly watch: (files: ReadonlyArray<string>, root: string) => Effect.Effect<void, PlatformError>
  /** One or more changes. Many in a row may come as one. */
  readonly signals: Stream.Stream<void>
  /** The paths that changed since this was last asked. */
  readonly changed: () => ReadonlyArray<string>
  /** The files that are watched. */
  readonly files: () => ReadonlyArray<string>
}

/** By folder, the names in it that matter. */
type Names = ReadonlyMap<string, ReadonlySet<string>>

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Stops watching when the scope closes. */
export const make: Effect.Effect<FileWatcher, never, FileSystem.FileSystem | Path.Path | Scope.Scope> = Effect.gen(
  function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folders = yield* FiberMap.make<string, void, PlatformError>()
    const signals = yield* Queue.sliding<void>(1)
    const dirty = new Set<string>()
    let running: ReadonlySet<string> = new Set()
    let wanted: Names = new Map()
    let files: ReadonlyArray<string> = []

    const onEvent = (folder: string) => (event: FileSystem.WatchEvent) => {
      const name = path.basename(event.path)
      if (wanted.get(folder)?.has(name) !== true) return Effect.void
      dirty.add(path.join(folder, name))
      return Queue.offer(signals, undefined)
    }

    const start = Effect.fnUntraced(function* (id: string, folder: string) {
      const ready = yield* Deferred.make<void, PlatformError>()
      const events = fs.watch(folder, { onReady: () => Deferred.doneUnsafe(ready, Effect.void) })
      yield* FiberMap.run(
        folders,
        id,
        Stream.runForEach(events, onEvent(folder)).pipe(
          Effect.tapError((error) => Deferred.fail(ready, error)),
          Effect.ensuring(Deferred.succeed(ready, undefined))
        )
      )
      yield* Deferred.await(ready)
    })

    const watch = Effect.fnUntraced(function* (given: ReadonlyArray<string>, root: string) {
      files = [...new Set(given)]
      const targets = yield* Effect.forEach(files, (file) => Effect.orElseSucceed(fs.realPath(file), () => file))
      wanted = namesOf(path, [...files, ...targets], root)
      const ids = new Map<string, string>()
      for (const folder of wanted.keys()) {
        const id = yield* idOf(fs, folder)
        if (id !== undefined) ids.set(id, folder)
      }
      for (const id of running) if (!ids.has(id)) yield* FiberMap.remove(folders, id)
      running = new Set(ids.keys())
      for (const [id, folder] of ids) if (!FiberMap.hasUnsafe(folders, id)) yield* start(id, folder)
    })

    return {
      watch,
      signals: Stream.fromQueue(signals),
      changed: () => {
        const paths = [...dirty]
        dirty.clear()
        return paths
      },
      files: () => files
    }
  }
)

/** A folder that was replaced is another one under the same name. */
const idOf = (fs: FileSystem.FileSystem, folder: string): Effect.Effect<string | undefined> =>
  fs.stat(folder).pipe(
    Effect.map((info) => (info.type === "Directory" ? `${folder}\0${Option.getOrElse(info.ino, () => 0)}` : undefined)),
    Effect.orElseSucceed(() => undefined)
  )

const namesOf = (path: Path.Path, files: ReadonlyArray<string>, root: string): Names => {
  const names = new Map<string, Set<string>>()
  const add = (file: string): void => {
    const folder = path.dirname(file)
    names.set(folder, (names.get(folder) ?? new Set()).add(path.basename(file)))
    if (folder !== root && folder.startsWith(root + path.sep)) add(folder)
  }
  for (const file of files) add(file)
  return names
}
