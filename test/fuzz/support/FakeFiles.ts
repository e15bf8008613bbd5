/**
 * A file system in memory with the things in it that should not be opened. It keeps what was opened, and refuses, by a
 * defect, whatever a loader has no business with.
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { badArgument, systemError } from "effect/PlatformError"
import type { Content } from "../../../src/composition/Resources.ts"

export const folder = "/w"

type Readable = Exclude<Content, { readonly problem: string }>

export interface FakeFiles {
  readonly layer: Layer.Layer<FileSystem.FileSystem | Path.Path>
  /** The paths that were looked at or read. */
  readonly touched: ReadonlySet<string>
}

const never = () => new Date(0)

const infoOf = (type: FileSystem.File.Type, size: number): FileSystem.File.Info => ({
  type,
  size: ByteSize.bytes(size),
  mtime: Option.some(never()),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o644,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  blksize: Option.none(),
  blocks: Option.none()
})

const kinds = new Map<string, FileSystem.File.Info>([
  ["/", infoOf("Directory", 0)],
  [folder, infoOf("Directory", 0)],
  [`${folder}/guidance`, infoOf("Directory", 0)],
  ["/dev/zero", infoOf("CharacterDevice", 0)],
  [`${folder}/huge.md`, infoOf("File", 1e12)],
  [`${folder}/pipe`, infoOf("FIFO", 0)]
])

const fail = (method: string, path: string, _tag: "NotFound" | "PermissionDenied") =>
  Effect.fail(systemError({ _tag, module: "FileSystem", method, pathOrDescriptor: path }))

const bytesOf = (content: Readable): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content

export const make = (files: ReadonlyMap<string, Readable>): FakeFiles => {
  const touched = new Set<string>()
  const stat = (path: string) => {
    touched.add(path)
    const kind = kinds.get(path)
    if (kind !== undefined) return Effect.succeed(kind)
    if (path === `${folder}/secret.md`) return fail("stat", path, "PermissionDenied")
    if (path.includes("\0"))
      return Effect.fail(badArgument({ module: "FileSystem", method: "stat", description: "a path with a null byte" }))
    const content = files.get(path)
    return content === undefined
      ? fail("stat", path, "NotFound")
      : Effect.succeed(infoOf("File", bytesOf(content).length))
  }
  const readFile = (path: string) => {
    const kind = kinds.get(path)
    if (kind?.type === "FIFO") return Effect.succeed(bytesOf("from a pipe"))
    if (kind !== undefined) return Effect.die(new Error(`${path} must not be read`))
    const content = files.get(path)
    return content === undefined ? fail("readFile", path, "NotFound") : Effect.succeed(bytesOf(content))
  }
  return { layer: Layer.merge(FileSystem.layerNoop({ stat, readFile }), Path.layer), touched }
}
