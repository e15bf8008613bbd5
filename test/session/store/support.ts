/** What the tests of stores share: events, files of their own, and a file system that fails when it is told to. */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Effect, FileSystem, Layer, type Path, Result, type Scope, Stream } from "effect"
import { systemError } from "effect/PlatformError"
import type { Json } from "effect/Schema"
import * as Event from "../../../src/session/Event.ts"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import type { SessionWriter } from "../../../src/session/store/SessionStore.ts"
import type { Random } from "../../support/random.ts"

// -----------------------------------------------------------------------------
// events
// -----------------------------------------------------------------------------

export const headerOf = (id: string): SessionHeader.SessionHeader =>
  Result.getOrThrow(SessionHeader.make({ id, createdAt: 1_700_000_000_000 }))

const made = (event: object): Event.Event => Result.getOrThrow(Event.fromUnknown(event))

export const note = (seq: number, data: Json = { n: seq }): Event.Event =>
  made({ seq, time: 1000 + seq, type: "test/note", data })

export const notes = (from: number, count: number): ReadonlyArray<Event.Event> =>
  Array.from({ length: count }, (_, i) => note(from + i))

/** Texts that a careless format would stumble over. */
const texts = [
  "",
  "é",
  "\u{1f600}",
  "\ud800",
  "\u2028",
  "\n",
  "\r\n",
  "\0",
  "\ufeff",
  '","crc":"0:00000000"}',
  "}",
  "__proto__"
] as const

const json = (random: Random, depth: number): Json => {
  switch (random.below(depth === 0 ? 4 : 6)) {
    case 0:
      return random.pick([null, true, false])
    case 1:
      return random.pick([0, -1, 1.5, 1e300, Number.MAX_SAFE_INTEGER, 5e-324])
    case 2:
      return "x".repeat(random.below(300))
    case 3:
      return Array.from({ length: random.below(4) }, () => random.pick(texts)).join("")
    case 4:
      return Array.from({ length: random.below(4) }, () => json(random, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [random.pick([...texts, "a", "seq"]), json(random, depth - 1)])
      )
  }
}

/** An event of the given place in a log, of any kind that fits there. */
export const anyEvent = (random: Random, seq: number): Event.Event => {
  if (random.oneIn(3)) {
    const content = [{ type: "text", text: random.pick(texts) }]
    const data = { role: "user", id: `m${seq}`, source: { kind: "user" }, content }
    return made({ seq, type: "user/message", data, surfaceOp: "append" })
  }
  const event = { seq, type: `test/${random.pick(["a", "b"])}`, data: json(random, 3) }
  if (random.oneIn(2)) return made({ ...event, time: 1_700_000_000_000 + seq })
  return made(random.oneIn(2) ? { ...event, ignorable: true, surfaceOp: { op: "?" } } : event)
}

// -----------------------------------------------------------------------------
// files
// -----------------------------------------------------------------------------

export const platform = Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)

/** The name of a log in a new folder, gone with the scope. */
export const newLog = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return `${yield* fs.makeTempDirectoryScoped({ prefix: "store-" })}/log.jsonl`
})

export const readLog = (log: string) => Stream.runCollect(SessionFile.read(log))

/** Creates a log with one append for each of the counts. */
export const createLog = (log: string, ...counts: ReadonlyArray<number>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* SessionFile.create(log, headerOf("s"), { fsync: false })
      for (const count of counts) yield* append(writer, count)
    })
  )

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Everything that is in a file, a byte order mark too. */
export const readText = (file: string) =>
  FileSystem.FileSystem.use((fs) => Effect.map(fs.readFile(file), (bytes) => utf8.decode(bytes)))

export const writeText = (file: string, text: string) =>
  FileSystem.FileSystem.use((fs) => fs.writeFileString(file, text))

/** A test with a log of its own. */
export const onFile =
  (body: (log: string) => Effect.Effect<void, unknown, FileSystem.FileSystem | Path.Path | Scope.Scope>) => () =>
    Effect.flatMap(newLog, body).pipe(Effect.provide(platform))

/** Appends so many notes at once. */
export const append = Effect.fnUntraced(function* (writer: SessionWriter, count: number) {
  yield* writer.append(notes(yield* writer.next, count))
})

// -----------------------------------------------------------------------------
// failures
// -----------------------------------------------------------------------------

/** An error of the operating system, as Node makes them. */
export const errno = (code: string) => {
  const cause = Object.assign(new Error(`${code}: as the test wants it`), { code })
  return systemError({ _tag: "Unknown", module: "FileSystem", method: "test", cause })
}

/** What goes wrong with an open file, until it is changed. */
export interface Faults {
  /** Of a write, only so many bytes are written before it fails. */
  write?: { readonly bytes: number; readonly code: string } | undefined
  sync?: string | undefined
  /** So many are brought to the disk before the next one fails. */
  syncAfter?: number | undefined
  truncate?: string | undefined
}

const faulty = (file: FileSystem.File, faults: Faults): FileSystem.File => ({
  [FileSystem.FileTypeId]: FileSystem.FileTypeId,
  get stat() {
    return file.stat
  },
  seek: (offset, from) => file.seek(offset, from),
  get sync() {
    return Effect.suspend(() => {
      if (faults.syncAfter !== undefined && faults.syncAfter-- === 0) return Effect.fail(errno("EIO"))
      return faults.sync === undefined ? file.sync : Effect.fail(errno(faults.sync))
    })
  },
  read: (buffer, options) => file.read(buffer, options),
  readAlloc: (size, options) => file.readAlloc(size, options),
  truncate: (length) => (faults.truncate === undefined ? file.truncate(length) : Effect.fail(errno(faults.truncate))),
  write: (buffer) => file.write(buffer),
  writeAll: (buffer) => {
    const { write } = faults
    return write === undefined
      ? file.writeAll(buffer)
      : Effect.andThen(file.writeAll(buffer.subarray(0, write.bytes)), Effect.fail(errno(write.code)))
  }
})

/** The real file system, whose open files fail as `faults` says at the moment. */
export const failingWith = (faults: Faults) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({
      ...fs,
      open: (path, options) => Effect.map(fs.open(path, options), (file) => faulty(file, faults))
    }))
  ).pipe(Layer.provide(NodeFileSystem.layer), Layer.merge(NodePath.layer))
