/**
 * A process that writes to a log, for tests that kill it, hold it up, or take its disk away. It tells what it does in
 * lines on stdout, written before it goes on.
 */
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as Result from "effect/Result"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import { batchAt } from "./batches.ts"

const [, , mode = "", log = "", argument = "", count = "0", moment = ""] = process.argv

const say = (line: string): Effect.Effect<void> => Effect.sync(() => void fs.writeSync(1, `${line}\n`))

const header = Result.getOrThrow(SessionHeader.make({ id: "s", createdAt: 1 }))

const openOrCreate = SessionFile.open(log).pipe(Effect.catchTag("LogNotFound", () => SessionFile.create(log, header)))

/** Appends until so many events are there. */
const write = Effect.gen(function* () {
  const writer = yield* openOrCreate
  let next = yield* writer.next
  yield* say(`open ${next} ${writer.repaired?.bytes ?? 0}`)
  for (let appends = 1; next < Number(argument); appends++) {
    stalls = appends === Number(count)
    yield* writer.append(batchAt(next))
    next = yield* writer.next
    yield* say(`done ${next}`)
  }
})

/** Whether the next append stops, to be killed, at the moment that was named. */
let stalls = false

const stall = Effect.andThen(
  say("stalled"),
  Effect.callback<never>(() => void process.stdin.resume())
)

/** The real file system, that can stop in the middle of a write, or between a write and its fsync. */
const stalling = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (files): FileSystem.FileSystem => {
    const writeAll = (file: FileSystem.File) => (bytes: Uint8Array) => {
      if (!stalls || moment === "running") return file.writeAll(bytes)
      return Effect.andThen(
        file.writeAll(moment === "half" ? bytes.subarray(0, (bytes.length * 7) >> 3) : bytes),
        stall
      )
    }
    return {
      ...files,
      open: (path, options) =>
        Effect.map(
          files.open(path, options),
          (file) =>
            new Proxy(file, {
              get: (target, key) => (key === "writeAll" ? writeAll(target) : Reflect.get(target, key, target))
            })
        )
    }
  })
).pipe(Layer.provide(NodeFileSystem.layer))

/** Opens the log, and keeps it open until it is told to end. */
const hold = Effect.gen(function* () {
  const writer = yield* openOrCreate
  yield* say(`open ${yield* writer.next}`)
  yield* Effect.callback<void>((resume) => {
    process.stdin.once("end", () => resume(Effect.void)).resume()
  })
}).pipe(Effect.catch((error) => say(error._tag)))

/** Appends until that fails, and tells what is there then; makes room, and goes on. */
const fill = Effect.gen(function* () {
  const acknowledged = yield* Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* openOrCreate
      for (;;) {
        const next = yield* writer.next
        const result = yield* Effect.result(writer.append(batchAt(next)))
        if (Result.isFailure(result)) {
          yield* say(JSON.stringify(result.failure))
          yield* say(result.failure.message)
          return next
        }
      }
    })
  )
  const events = yield* Stream.runCount(SessionFile.read(log))
  yield* say(JSON.stringify({ acknowledged, events, ...(yield* SessionFile.inspect(log)) }))
  if (argument === "") return
  fs.rmSync(argument)
  const writer = yield* SessionFile.open(log)
  yield* writer.append(batchAt(events))
  yield* say(`done ${yield* writer.next}`)
})

const program = mode === "write" ? write : mode === "hold" ? hold : fill

void Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Layer.mergeAll(stalling, NodePath.layer))))
