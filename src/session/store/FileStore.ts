/**
 * A store that keeps each session in a file of one folder, as `SessionFile` does.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { byCodeUnits } from "../../internal/codeUnits.ts"
import { causeOf } from "./internal/platform.ts"
import * as SessionFile from "./SessionFile.ts"
import { SessionStore } from "./SessionStore.ts"
import { StoreFailure } from "./StoreError.ts"

/**
 * `folder` must be there. `fsync` is on unless it is switched off; see `SessionFile.Options`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly folder: string
  readonly fsync?: boolean | undefined
}

// -----------------------------------------------------------------------------
// names
// -----------------------------------------------------------------------------

const suffix = ".jsonl"

/** File systems take names of 255 bytes, and SQLite looks beside the lock for a file with the longest name. */
const longest = 255 - ".lock-journal".length

/** How a name may not begin: a dot hides the file, and to Windows the others are devices, whatever comes after the dot. */
const reserved = /^(?:\.|(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$))/iu

const escapeFirst = (text: string): string => `%${text.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}`

/**
 * The name of the file in which a store keeps the session of this id: one that every file system takes, unless it is too
 * long, and that no two ids share. Where large and small letters are the same to the file system, the header tells the
 * sessions apart.
 *
 * @since 0.1.0
 * @category names
 */
export const fileName = (id: string): string =>
  encodeURIComponent(id).replaceAll("*", "%2A").replace(reserved, escapeFirst) + suffix

const shortNameOf = (id: string): string => {
  const name = fileName(id)
  if (name.length <= longest) return name
  throw new RangeError(
    `its name would have ${name.length} characters, and at most ${longest} fit. Give the session a shorter id.`
  )
}

/** The id that a file is named after; nothing if it is not named so. */
const idOf = (name: string): string | undefined => {
  if (!name.endsWith(suffix)) return undefined
  try {
    const id = decodeURIComponent(name.slice(0, -suffix.length))
    return id !== "" && fileName(id) === name ? id : undefined
  } catch {
    return undefined
  }
}

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

/**
 * Keeps each session in `folder`, in a file named after its id, with `.jsonl` behind it. Files that are not named so are
 * passed over. Beside each log is an empty file, its lock, which must stay; no process with an open writer may read it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<SessionStore, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    SessionStore,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const services = Context.make(FileSystem.FileSystem, fs).pipe(Context.add(Path.Path, paths))
      const { folder, fsync } = options

      const fileOf = (id: string): Effect.Effect<string, StoreFailure> =>
        Effect.try({
          try: () => paths.join(folder, shortNameOf(id)),
          catch: (cause) => new StoreFailure({ log: id, operation: "name a file after", cause })
        })

      const list = fs.readDirectory(folder).pipe(
        Effect.map((names) =>
          names
            .map(idOf)
            .filter((id) => id !== undefined)
            .toSorted(byCodeUnits)
        ),
        Effect.mapError((error) => new StoreFailure({ log: folder, operation: "list", cause: causeOf(error) }))
      )

      return SessionStore.of({
        create: (header, seed) =>
          Effect.flatMap(fileOf(header.id), (file) => SessionFile.create(file, header, { fsync, seed })).pipe(
            Effect.provide(services)
          ),
        open: (session) =>
          Effect.flatMap(fileOf(session), (file) => SessionFile.open(file, { fsync, session })).pipe(
            Effect.provide(services)
          ),
        read: (session, from) =>
          Stream.unwrap(Effect.map(fileOf(session), (file) => SessionFile.read(file, { ...from, session }))).pipe(
            Stream.provide(services)
          ),
        inspect: (session) =>
          Effect.flatMap(fileOf(session), (file) => SessionFile.inspect(file, { session })).pipe(
            Effect.provide(services)
          ),
        list
      })
    })
  )
