import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option, Result, Stream } from "effect"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import { createLog, headerOf, note, notes, onFile, readLog, readText, writeText } from "./support.ts"

describe("reading while others write", () => {
  it.effect(
    "an append that is under way is not there yet",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1, 2)
        const text = yield* readText(log)
        for (let length = text.length - 1; length > text.length - 150; length -= 13) {
          yield* writeText(log, text.slice(0, length))
          assert.deepStrictEqual(yield* readLog(log), notes(0, 1))
        }
      })
    )
  )

  it.effect(
    "what is cut off and written anew in the middle of reading is read again, and only lasting damage counts",
    onFile((log) =>
      Effect.gen(function* () {
        const large = "x".repeat(400_000)
        const real = yield* FileSystem.FileSystem
        const write = (char: string, cut: number) =>
          Effect.gen(function* () {
            yield* Effect.ignore(real.remove(log))
            yield* Effect.scoped(
              Effect.flatMap(SessionFile.create(log, headerOf("s"), { fsync: false }), (writer) =>
                Effect.andThen(writer.append([note(0)]), writer.append([note(1, char + large)]))
              )
            )
            const bytes = yield* real.readFile(log)
            yield* real.writeFile(log, bytes.subarray(0, bytes.length - cut))
          })
        for (const lasting of [false, true]) {
          yield* write("a", 0)
          let reads = 0
          const switching: FileSystem.FileSystem = {
            ...real,
            open: (path, options) =>
              Effect.map(
                real.open(path, options),
                (file) =>
                  new Proxy(file, {
                    get: (target, key) => {
                      if (key !== "readAlloc") return Reflect.get(target, key, target)
                      return (size: number, options: FileSystem.File.ReadOptions) =>
                        Effect.flatMap(
                          Effect.sync(() => ++reads),
                          (n) =>
                            Effect.map(target.readAlloc(size, options), (piece) => {
                              // Half of the line as it was, half as it is now.
                              const change = n === 2 || (lasting && n > 2 && Number(options.position) > 0)
                              return change
                                ? Option.map(piece, (bytes) => bytes.map((byte) => (byte === 120 ? 121 : byte)))
                                : piece
                            })
                        )
                    }
                  })
              )
          }
          const result = yield* Effect.result(
            readLog(log).pipe(Effect.provideService(FileSystem.FileSystem, switching))
          )
          if (lasting) assert.deepInclude(Result.getOrThrow(Result.flip(result)), { _tag: "LogDamaged", line: 3 })
          else assert.deepStrictEqual(Result.getOrThrow(result), [note(0), note(1, `a${large}`)])
          assert.isAbove(reads, 2)
        }
      })
    )
  )
})

describe("a large file", () => {
  it.effect(
    "is read piece by piece, and no further than somebody asks",
    onFile((log) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* Effect.scoped(
          Effect.flatMap(SessionFile.create(log, headerOf("s"), { fsync: false }), (writer) =>
            Effect.forEach(notes(0, 40), (event) => writer.append([note(event.seq, "x".repeat(100_000))]))
          )
        )
        const sizes: Array<number> = []
        const counting: FileSystem.FileSystem = {
          ...fs,
          readFile: () => Effect.die("the whole file at once"),
          open: (path, options) =>
            Effect.map(
              fs.open(path, options),
              (file) =>
                new Proxy(file, {
                  get: (target, key) => {
                    if (key !== "readAlloc") return Reflect.get(target, key, target)
                    return (size: number, options: FileSystem.File.ReadOptions) => {
                      sizes.push(size)
                      return target.readAlloc(size, options)
                    }
                  }
                })
            )
        }
        const first = Stream.runCollect(Stream.take(SessionFile.read(log), 1))
        assert.lengthOf(yield* Effect.provideService(first, FileSystem.FileSystem, counting), 1)
        assert.lengthOf(sizes, 1)
        assert.isAtMost(Math.max(...sizes), 1_000_000)
        assert.lengthOf(yield* Effect.provideService(readLog(log), FileSystem.FileSystem, counting), 40)
        assert.isAtMost(Math.max(...sizes), 1_000_000)
      })
    )
  )
})
