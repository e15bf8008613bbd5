import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, FileSystem, Latch, type Path, Scope, Stream } from "effect"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import {
  append,
  createLog,
  errno,
  failingWith,
  type Faults,
  headerOf,
  newLog,
  note,
  notes,
  onFile,
  readLog,
  readText,
  writeText
} from "./support.ts"

describe("bringing to the disk", () => {
  const counted = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const synced: Array<string> = []
    const counting: FileSystem.FileSystem = {
      ...fs,
      open: (path, options) =>
        Effect.map(fs.open(path, options), (file) => {
          const sync = Effect.andThen(
            Effect.sync(() => synced.push(path.slice(path.lastIndexOf("/") + 1))),
            file.sync
          )
          return new Proxy(file, { get: (target, key) => (key === "sync" ? sync : Reflect.get(target, key, target)) })
        })
    }
    return { synced, counting }
  })

  it.effect(
    "is done before an append is acknowledged, and for the name of a new file",
    onFile((log) =>
      Effect.gen(function* () {
        const { counting, synced } = yield* counted
        const folder = log.split("/").at(-2) ?? ""
        yield* Effect.gen(function* () {
          const writer = yield* SessionFile.create(log, headerOf("s"), { seed: Stream.make(note(0)) })
          assert.deepStrictEqual(synced.splice(0), ["log.jsonl.new", folder])
          yield* append(writer, 3)
          yield* append(writer, 1)
          assert.deepStrictEqual(synced.splice(0), ["log.jsonl", "log.jsonl"])
        }).pipe(Effect.provideService(FileSystem.FileSystem, counting), Effect.scoped)
        yield* writeText(log, (yield* readText(log)).slice(0, -1))
        const opened = SessionFile.open(log).pipe(Effect.provideService(FileSystem.FileSystem, counting))
        assert.isDefined((yield* opened).repaired)
        assert.deepStrictEqual(synced, ["log.jsonl", folder], "the repair is brought there too, and the name again")
      })
    )
  )

  it.effect(
    "is not asked for folders where the file system does not do that",
    onFile((log) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = log.slice(0, log.lastIndexOf("/"))
        const refusing = (code: string): FileSystem.FileSystem => ({
          ...fs,
          open: (path, options) =>
            Effect.map(fs.open(path, options), (file) =>
              path === folder
                ? new Proxy(file, {
                    get: (it, key) => (key === "sync" ? Effect.fail(errno(code)) : Reflect.get(it, key, it))
                  })
                : file
            )
        })
        const on = (code: string) => Effect.provideService(FileSystem.FileSystem, refusing(code))
        assert.strictEqual((yield* Effect.flip(on("EIO")(SessionFile.create(log, headerOf("s")))))._tag, "StoreFailure")
        yield* Effect.scoped(on("EINVAL")(SessionFile.create(log, headerOf("s"))))
        assert.strictEqual((yield* Effect.flip(on("EIO")(SessionFile.open(log))))._tag, "StoreFailure")
        yield* append(yield* on("EINVAL")(SessionFile.open(log)), 1)
        assert.lengthOf(yield* readLog(log), 1)
      })
    )
  )

  it.effect(
    "can be switched off",
    onFile((log) =>
      Effect.gen(function* () {
        const { counting, synced } = yield* counted
        const writer = yield* SessionFile.create(log, headerOf("s"), { fsync: false }).pipe(
          Effect.provideService(FileSystem.FileSystem, counting)
        )
        yield* append(writer, 1)
        yield* Effect.scoped(Effect.provideService(createLog(`${log}2`, 1), FileSystem.FileSystem, counting))
        yield* SessionFile.open(`${log}2`, { fsync: false }).pipe(
          Effect.provideService(FileSystem.FileSystem, counting)
        )
        assert.deepStrictEqual(synced, [])
      })
    )
  )
})

describe("a failing disk", () => {
  /** A test with a log of its own, on a disk that fails as the test says. */
  const failing =
    (
      body: (
        log: string,
        faults: Faults
      ) => Effect.Effect<void, unknown, FileSystem.FileSystem | Path.Path | Scope.Scope>
    ) =>
    () => {
      const faults: Faults = {}
      return Effect.flatMap(newLog, (log) => body(log, faults)).pipe(Effect.provide(failingWith(faults)))
    }

  /** After a failed append: the error, the state of the file, and that the writer is of no use. */
  const failedAppend = Effect.fnUntraced(function* (log: string, faults: Faults, fault: Faults) {
    const scope = yield* Scope.make()
    const writer = yield* Scope.provide(SessionFile.create(log, headerOf("s")), scope)
    yield* append(writer, 2)
    Object.assign(faults, fault)
    const error = yield* Effect.flip(append(writer, 3))
    for (const key of ["write", "sync", "truncate"] as const) delete faults[key]
    const unusable = yield* Effect.flip(append(writer, 1))
    assert.strictEqual(unusable._tag, "WriterUnusable")
    assert.include(unusable.message, "AppendFailed")
    assert.strictEqual(yield* writer.next, 2)
    yield* Scope.close(scope, Exit.void)
    return error
  })

  for (const [code, full] of [
    ["ENOSPC", true],
    ["EDQUOT", true],
    ["EIO", false]
  ] as const) {
    it.effect(
      `${code} is told, nothing of the append stays, and what was there before can be read`,
      failing((log, faults) =>
        Effect.gen(function* () {
          for (const bytes of [0, 1, 100, 170]) {
            const here = `${log}-${bytes}`
            const error = yield* failedAppend(here, faults, { write: { bytes, code } })
            assert.deepInclude(error, { _tag: "AppendFailed", log: here, full, undone: true })
            assert.include(error.message, code)
            assert.strictEqual(error.message.includes("no space left"), full)
            assert.deepStrictEqual(yield* readLog(here), notes(0, 2))
            const writer = yield* SessionFile.open(here)
            assert.strictEqual(writer.repaired, undefined)
            yield* append(writer, 3)
            assert.deepStrictEqual(yield* readLog(here), notes(0, 5))
          }
        })
      )
    )
  }

  it.effect(
    "that cannot take back what it wrote says so, and whoever opens the log finds all of it or nothing",
    failing((log, faults) =>
      Effect.gen(function* () {
        const error = yield* failedAppend(log, faults, { write: { bytes: 170, code: "EIO" }, truncate: "EIO" })
        assert.deepInclude(error, { _tag: "AppendFailed", undone: false })
        assert.include(error.message, "All of them or none")
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
        const writer = yield* SessionFile.open(log)
        assert.deepInclude(writer.repaired, { bytes: 170, lines: 2 })
      })
    )
  )

  it.effect(
    "on fsync: what may not be on the disk is taken back",
    failing((log, faults) =>
      Effect.gen(function* () {
        // The second fsync, of what was taken back, fails as well.
        const error = yield* failedAppend(log, faults, { sync: "EIO" })
        assert.deepInclude(error, { _tag: "AppendFailed", full: false, undone: false })
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
      })
    )
  )

  it.effect(
    "while a session is created leaves no session",
    failing((log, faults) =>
      Effect.gen(function* () {
        for (const fault of [{ write: { bytes: 30, code: "ENOSPC" } }, { sync: "EIO" }, { syncAfter: 1 }]) {
          Object.assign(faults, fault)
          const error = yield* Effect.flip(SessionFile.create(log, headerOf("s"), { seed: Stream.make(note(0)) }))
          assert.strictEqual(error._tag, "StoreFailure")
          delete faults.write
          delete faults.sync
          delete faults.syncAfter
          const fs = yield* FileSystem.FileSystem
          assert.deepStrictEqual(yield* fs.readDirectory(log.slice(0, log.lastIndexOf("/"))), ["log.jsonl.lock"])
        }
        yield* SessionFile.create(log, headerOf("s"))
      })
    )
  )

  it.effect(
    "that cannot cut off what is torn opens nothing",
    failing((log, faults) =>
      Effect.gen(function* () {
        yield* createLog(log, 1)
        yield* writeText(log, (yield* readText(log)).slice(0, -1))
        faults.truncate = "EIO"
        const error = yield* Effect.flip(SessionFile.open(log))
        assert.strictEqual(error._tag, "StoreFailure")
        assert.include(error.message, "could not cut an unfinished append off")
        delete faults.truncate
        yield* SessionFile.open(log)
      })
    )
  )
})

describe("interruption", () => {
  /** A file system in which one kind of call takes until it is let go on, and what was done of those calls. */
  const slow = Effect.fnUntraced(function* (call: "writeAll" | "truncate" | "rename") {
    const fs = yield* FileSystem.FileSystem
    const began = yield* Latch.make()
    const goOn = yield* Latch.make()
    const done: Array<string> = []
    const slowly = <A, E>(effect: Effect.Effect<A, E>) =>
      began.open.pipe(
        Effect.andThen(goOn.await),
        Effect.andThen(effect),
        Effect.tap(() => Effect.sync(() => done.push(call)))
      )
    const slowFile = (file: FileSystem.File): FileSystem.File => {
      const calls: Partial<FileSystem.File> = {
        writeAll: (bytes) => slowly(file.writeAll(bytes)),
        truncate: (length) => slowly(file.truncate(length))
      }
      return new Proxy(file, { get: (it, key) => Reflect.get(key === call ? calls : it, key) })
    }
    const system: FileSystem.FileSystem = {
      ...fs,
      open: (path, options) => Effect.map(fs.open(path, options), slowFile),
      rename: (from, to) => (call === "rename" ? slowly(fs.rename(from, to)) : fs.rename(from, to))
    }
    return { began, goOn, done, system }
  })

  const create = (log: string) => SessionFile.create(`${log}2`, headerOf("s"))
  const cases: ReadonlyArray<
    readonly [
      call: "writeAll" | "truncate" | "rename",
      act: (log: string) => Effect.Effect<unknown, unknown, FileSystem.FileSystem | Path.Path | Scope.Scope>
    ]
  > = [
    ["writeAll", create],
    ["rename", create],
    ["truncate", SessionFile.open]
  ]
  for (const [call, act] of cases) {
    it.effect(
      `does not leave a ${call} behind that is still under way when the file is closed and the lock is gone`,
      onFile((log) =>
        Effect.gen(function* () {
          yield* createLog(log, 1)
          yield* writeText(log, (yield* readText(log)).slice(0, -1))
          const { began, done, goOn, system } = yield* slow(call)
          const acting = act(log).pipe(Effect.provideService(FileSystem.FileSystem, system), Effect.scoped)
          const fiber = yield* Effect.forkChild(acting)
          yield* began.await
          const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
          yield* Effect.yieldNow
          yield* Effect.yieldNow
          yield* goOn.open
          yield* Fiber.join(interrupting)
          assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
          assert.deepStrictEqual(done, [call])
        })
      )
    )
  }
})

describe("foreign writes", () => {
  const cases: ReadonlyArray<
    readonly [
      what: string,
      reason: RegExp,
      change: (log: string) => Effect.Effect<void, unknown, FileSystem.FileSystem>
    ]
  > = [
    [
      "a longer file",
      /4 bytes longer/u,
      (log) => FileSystem.FileSystem.use((fs) => fs.writeFileString(log, "abc\n", { flag: "a" }))
    ],
    [
      "a shorter file",
      /10 bytes shorter/u,
      (log) =>
        Effect.flatMap(readText(log), (text) => FileSystem.FileSystem.use((fs) => fs.truncate(log, text.length - 10)))
    ],
    [
      "another file in its place",
      /another file/u,
      (log) => FileSystem.FileSystem.use((fs) => Effect.andThen(fs.copyFile(log, `${log}2`), fs.rename(`${log}2`, log)))
    ],
    ["a removed file", /gone/u, (log) => FileSystem.FileSystem.use((fs) => fs.remove(log))]
  ]
  for (const [what, reason, change] of cases) {
    it.effect(
      `${what}: noticed before anything is written, and the writer stops`,
      onFile((log) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const writer = yield* SessionFile.create(log, headerOf("s"))
          yield* append(writer, 1)
          yield* change(log)
          const before = yield* Effect.option(fs.readFile(log))
          const error = yield* Effect.flip(append(writer, 1))
          assert.strictEqual(error._tag, "ForeignWrite")
          assert.match(error.message, reason)
          assert.deepStrictEqual(yield* Effect.option(fs.readFile(log)), before)
          assert.strictEqual((yield* Effect.flip(append(writer, 1)))._tag, "WriterUnusable")
        })
      )
    )
  }
})
