import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Option, type Path, Result, Schema, Scope, Stream } from "effect"
import type * as Event from "../../../src/session/Event.ts"
import type { Torn } from "../../../src/session/store/SessionStore.ts"
import * as StoreError from "../../../src/session/store/StoreError.ts"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import {
  append,
  createLog,
  failingWith,
  type Faults,
  headerOf,
  newLog,
  note,
  notes,
  platform,
  readLog
} from "./support.ts"

/** With everything that is in the file, a byte order mark too. */
const readText = (file: string) =>
  FileSystem.FileSystem.use((fs) => Effect.map(fs.readFile(file), (bytes) => utf8.decode(bytes)))
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const writeText = (file: string, text: string) => FileSystem.FileSystem.use((fs) => fs.writeFileString(file, text))

/** A test with a log of its own. */
const onFile =
  (body: (log: string) => Effect.Effect<void, unknown, FileSystem.FileSystem | Path.Path | Scope.Scope>) => () =>
    Effect.flatMap(newLog, body).pipe(Effect.provide(platform))

/** Opens a log, and closes it again. */
const reopened = (log: string) => Effect.scoped(SessionFile.open(log, { fsync: false }))

describe("a new file", () => {
  it.effect(
    "can be read by its owner alone, and leaves nothing else but its lock",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 2)
        const fs = yield* FileSystem.FileSystem
        assert.strictEqual((yield* fs.stat(log)).mode & 0o777, 0o600)
        assert.deepStrictEqual((yield* fs.readDirectory(log.slice(0, log.lastIndexOf("/")))).toSorted(), [
          "log.jsonl",
          "log.jsonl.lock"
        ])
        assert.strictEqual(Number((yield* fs.stat(`${log}.lock`)).size), 0)
      })
    )
  )

  it.effect(
    "is written over what an unfinished creation has left",
    onFile((log) =>
      Effect.gen(function* () {
        yield* writeText(`${log}.new`, "left")
        yield* createLog(log, 2)
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
      })
    )
  )

  it.effect(
    "needs a folder",
    onFile((log) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.scoped(SessionFile.create(`${log}/none/log`, headerOf("s"))))
        assert.strictEqual(error._tag, "StoreFailure")
        assert.include(error.message, "could not create")
        assert.include(error.message, "ENOENT")
      })
    )
  )

  it.effect(
    "never takes the place of a file that is no log",
    onFile((log) =>
      Effect.gen(function* () {
        yield* writeText(log, "a note")
        assert.strictEqual(
          (yield* Effect.flip(Effect.scoped(SessionFile.create(log, headerOf("s")))))._tag,
          "LogExists"
        )
        assert.strictEqual(yield* readText(log), "a note")
      })
    )
  )
})

describe("opening", () => {
  it.effect(
    "cuts off what an unfinished append has left, and reports it",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 2, 3)
        const text = yield* readText(log)
        const lines = text.split(/(?<=\n)/u)
        const offset = lines.slice(0, 3).join("").length
        // Two lines of the append of three, and half of the third.
        yield* writeText(log, text.slice(0, -20))
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
        const torn = { offset, bytes: text.length - 20 - offset, lines: 2 }
        assert.deepStrictEqual((yield* SessionFile.inspect(log)).torn, torn)
        assert.strictEqual((yield* readText(log)).length, text.length - 20, "who only reads repairs nothing")
        const writer = yield* SessionFile.open(log)
        assert.deepStrictEqual(writer.repaired, torn)
        assert.strictEqual(yield* readText(log), text.slice(0, offset))
        yield* append(writer, 3)
        assert.strictEqual(yield* readText(log), text)
        assert.strictEqual((yield* SessionFile.inspect(log)).torn, undefined)
      })
    )
  )

  it.effect(
    "repairs nothing where nothing is torn",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 2)
        assert.strictEqual((yield* reopened(log)).repaired, undefined)
      })
    )
  )

  it.effect(
    "from every beginning of the file finds the appends that are whole in it, and goes on",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1, 2)
        const fs = yield* FileSystem.FileSystem
        const bytes = yield* fs.readFile(log)
        const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([i]) => i + 1)
        const wholes = [ends[0] ?? 0, ends[1] ?? 0, bytes.length]
        for (let length = 0; length <= bytes.length; length += 7) {
          yield* fs.writeFile(log, bytes.subarray(0, length))
          const count = wholes.filter((end) => end <= length).length
          if (count === 0) {
            const error = yield* Effect.flip(reopened(log))
            assert.deepInclude(error, { _tag: "LogDamaged", line: 1, offset: 0 })
            assert.include(error.message, "header")
            continue
          }
          const events = [0, 1, 3][count - 1] ?? 0
          yield* Effect.scoped(
            Effect.gen(function* () {
              const writer = yield* SessionFile.open(log, { fsync: false })
              assert.strictEqual(writer.repaired?.bytes ?? 0, length - (wholes[count - 1] ?? 0))
              assert.strictEqual(yield* writer.next, events)
              yield* append(writer, 2)
            })
          )
          assert.deepStrictEqual(yield* readLog(log), notes(0, events + 2))
        }
      })
    )
  )

  it.effect(
    "refuses damage with line and offset, writes nothing, and lets go of the lock",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1, 1, 1)
        const text = yield* readText(log)
        const [header = "", first = "", ...rest] = text.split(/(?<=\n)/u)
        const cases: ReadonlyArray<readonly [what: string, text: string, line: number]> = [
          ["a changed character", header + first.replace('"n":0', '"n":1') + rest.join(""), 2],
          ["a deleted line", header + rest.join(""), 2],
          ["garbage", `${header}garbage\n${first}${rest.join("")}`, 2],
          ["a byte order mark", `\ufeff${text}`, 1],
          ["a bad last line that is terminated", `${text.slice(0, -10)}\n`, 4],
          ["nothing at all", "", 1],
          ["half a header", header.slice(0, 20), 1]
        ]
        for (const [what, damaged, line] of cases) {
          yield* writeText(log, damaged)
          const offset = new TextEncoder().encode(
            damaged
              .split("\n")
              .slice(0, line - 1)
              .map((one) => `${one}\n`)
              .join("")
          ).length
          for (const effect of [
            Effect.asVoid(SessionFile.open(log)),
            Effect.asVoid(SessionFile.inspect(log)),
            Effect.asVoid(readLog(log))
          ]) {
            const error = yield* Effect.flip(effect)
            assert.deepInclude(error, { _tag: "LogDamaged", log, line, offset }, what)
            assert.include(error.message, `line ${line}, at byte ${offset}`)
          }
          assert.strictEqual(yield* readText(log), damaged, what)
        }
        // The failed attempts above were in this very scope.
        yield* writeText(log, text)
        yield* SessionFile.open(log)
      })
    )
  )

  it.effect(
    "finds the events before the damage when it only reads",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 2, 1)
        const text = yield* readText(log)
        yield* writeText(log, text.replace('"n":2', '"n":7'))
        const seen: Array<Event.Event> = []
        const error = yield* Effect.flip(
          Stream.runForEach(SessionFile.read(log), (event) => Effect.sync(() => seen.push(event)))
        )
        assert.deepInclude(error, { _tag: "LogDamaged", line: 4 })
        assert.deepStrictEqual(seen, notes(0, 2))
      })
    )
  )

  it.effect(
    "by another name of the file meets the same lock",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1)
        const fs = yield* FileSystem.FileSystem
        yield* fs.symlink(log, `${log}.link`)
        const writer = yield* SessionFile.open(`${log}.link`)
        yield* append(writer, 1)
        assert.strictEqual((yield* Effect.flip(SessionFile.open(log)))._tag, "LogBusy")
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
      })
    )
  )

  it.effect(
    "finds a lock file that nobody holds, as a crash leaves it",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1)
        yield* writeText(`${log}.lock`, "")
        yield* append(yield* SessionFile.open(log), 1)
      })
    )
  )

  it.effect(
    "says why the lock cannot be had",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1)
        yield* writeText(`${log}.lock`, "no database at all, and much longer than its header".repeat(20))
        const error = yield* Effect.flip(SessionFile.open(log))
        assert.strictEqual(error._tag, "StoreFailure")
        assert.match(error.message, /^could not lock session log .*not a database/u)
      })
    )
  )

  it.effect(
    "refuses the log of another session where one was named",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1)
        const expected = { session: "t" }
        for (const effect of [
          Effect.asVoid(SessionFile.open(log, expected)),
          Effect.asVoid(SessionFile.inspect(log, expected)),
          Stream.runDrain(SessionFile.read(log, expected))
        ]) {
          const error = yield* Effect.flip(effect)
          assert.deepInclude(error, { _tag: "InvalidLog", file: log, line: 1 })
          assert.include(error.message, 'session "s", and not of "t"')
        }
        yield* SessionFile.open(log, { session: "s" })
      })
    )
  )
})

describe("the log of another program", () => {
  const lines = [headerOf("s"), ...notes(0, 3)].map((row) => JSON.stringify(row))

  it.effect(
    "[282] in the current format is read as it is, and not written",
    onFile((log) =>
      Effect.gen(function* () {
        const { seq: _, ...unnumbered } = note(1)
        const text = [lines[0], lines[1], JSON.stringify(unnumbered), lines[3]].join("\n")
        for (const end of ["", "\n"]) {
          yield* writeText(log, text + end)
          assert.deepStrictEqual(yield* readLog(log), notes(0, 3))
          assert.deepStrictEqual(yield* SessionFile.inspect(log), {
            header: headerOf("s"),
            next: 3,
            torn: undefined,
            writable: false
          })
          const error = yield* Effect.flip(SessionFile.open(log))
          assert.deepInclude(error, { _tag: "MigrationRequired", log, version: 4 })
          assert.include(error.message, "checksums")
          assert.include(error.message, "`preamble log migrate`")
          assert.strictEqual(yield* readText(log), text + end)
        }
      })
    )
  )

  it.effect(
    "in an older format is left to the migration, also for readers",
    onFile((log) =>
      Effect.gen(function* () {
        for (const version of [0, 3]) {
          const text = `${JSON.stringify({ ...headerOf("s"), version })}\n${lines[1]}\n`
          yield* writeText(log, text)
          for (const effect of [
            Effect.asVoid(SessionFile.open(log)),
            Effect.asVoid(SessionFile.inspect(log)),
            Effect.asVoid(readLog(log))
          ]) {
            const error = yield* Effect.flip(effect)
            assert.deepInclude(error, { _tag: "MigrationRequired", log, version })
            assert.include(error.message, `format ${version}`)
            assert.include(error.message, "`preamble log migrate`")
          }
          assert.strictEqual(yield* readText(log), text)
        }
      })
    )
  )

  it.effect(
    "[283] in a later format is refused, and nothing is written",
    onFile((log) =>
      Effect.gen(function* () {
        const text = `${JSON.stringify({ ...headerOf("s"), version: 5 })}\n`
        yield* writeText(log, text)
        for (const effect of [
          Effect.asVoid(SessionFile.open(log)),
          Effect.asVoid(SessionFile.inspect(log)),
          Effect.asVoid(readLog(log))
        ]) {
          assert.deepInclude(yield* Effect.flip(effect), { _tag: "UnsupportedFormat", version: 5, current: 4 })
        }
        assert.strictEqual(yield* readText(log), text)
      })
    )
  )

  it.effect(
    "[284] without a version, or with an invalid header, is malformed",
    onFile((log) =>
      Effect.gen(function* () {
        const { version: _, ...unversioned } = headerOf("s")
        for (const header of [
          unversioned,
          { ...unversioned, version: "4" },
          { ...unversioned, version: 4.5 },
          { ...headerOf("s"), id: "" },
          note(0)
        ]) {
          yield* writeText(log, `${JSON.stringify(header)}\n`)
          assert.deepInclude(yield* Effect.flip(SessionFile.open(log)), { _tag: "InvalidLog", file: log, line: 1 })
        }
        yield* writeText(log, `${JSON.stringify({ ...headerOf("s"), crc: "0:1234567g" })}\n`)
        assert.deepInclude(yield* Effect.flip(SessionFile.open(log)), { _tag: "LogDamaged", line: 1 })
      })
    )
  )

  it.effect(
    "[276] whose numbers have gaps, or that holds what is no event, is refused by line and seq",
    onFile((log) =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [row: object, tag: string]> = [
          [note(2), "SurfaceViolation"],
          [{ ...note(1), unknown: 1 }, "InvalidEvent"],
          [{ seq: 1, type: "step/start", data: {} }, "InvalidEvent"]
        ]
        for (const [row, tag] of cases) {
          yield* writeText(log, `${lines[0]}\n${lines[1]}\n${JSON.stringify(row)}\n`)
          const error = yield* Effect.flip(readLog(log))
          assert.deepInclude(error, { _tag: "InvalidLog", file: log, line: 3, seq: 1 })
          assert.strictEqual(error._tag === "InvalidLog" ? error.problem?._tag : undefined, tag)
        }
      })
    )
  )
})

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
        assert.deepStrictEqual(synced, ["log.jsonl"], "the repair is brought there too")
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

describe("the lines of a log", () => {
  const linesOf = Effect.fnUntraced(function* (log: string) {
    const torn: Array<Torn> = []
    const onTorn = (one: Torn) => Effect.sync(() => void torn.push(one))
    return { lines: yield* Stream.runCollect(SessionFile.lines(log, { onTorn })), torn }
  })

  it.effect(
    "come without checksums, and in any format as they are",
    onFile((log) =>
      Effect.gen(function* () {
        const current = [headerOf("s"), ...notes(0, 3)].map((row) => JSON.stringify(row))
        yield* createLog(log, 1, 2)
        assert.deepStrictEqual(yield* linesOf(log), { lines: current, torn: [] })
        const old = ['{"type":"session","version":0}', '{ "type": "x" }', "no JSON", ""]
        yield* writeText(log, `${old.join("\n")}\n`)
        assert.deepStrictEqual(yield* linesOf(log), { lines: old, torn: [] })
        assert.strictEqual((yield* Effect.flip(linesOf(`${log}.none`)))._tag, "LogNotFound")
      })
    )
  )

  it.effect(
    "tell what is torn, in files of others too, and fail where the bytes are damaged",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1, 2)
        const text = yield* readText(log)
        yield* writeText(log, text.slice(0, -1))
        const { lines, torn } = yield* linesOf(log)
        assert.lengthOf(lines, 2)
        assert.deepStrictEqual(torn, [(yield* SessionFile.inspect(log)).torn])
        yield* writeText(log, '{"a":1}\n{"b":')
        assert.deepStrictEqual(yield* linesOf(log), { lines: ['{"a":1}'], torn: [{ offset: 8, bytes: 5, lines: 0 }] })
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFile(log, Uint8Array.from([0x7b, 0x7d, 10, 0xff, 10]))
        assert.deepInclude(yield* Effect.flip(linesOf(log)), { _tag: "LogDamaged", line: 2, offset: 3 })
        yield* writeText(log, text.replace('"n":0', '"n":7'))
        assert.deepInclude(yield* Effect.flip(linesOf(log)), { _tag: "LogDamaged", line: 2 })
      })
    )
  )
})

describe("the errors", () => {
  it("survive encoding, and say where", () => {
    const log = "/logs/a.jsonl"
    const cause = Object.assign(new Error("ENOSPC: no space"), { code: "ENOSPC" })
    const errors = [
      new StoreError.LogExists({ log }),
      new StoreError.LogNotFound({ log }),
      new StoreError.LogBusy({ log }),
      new StoreError.MigrationRequired({ log, version: 3, reason: "is in format 3" }),
      new StoreError.LogDamaged({ log, line: 3, offset: 70, reason: "it is no JSON" }),
      new StoreError.UnexpectedSeq({ log, expected: 3, actual: 5 }),
      new StoreError.AppendFailed({ log, full: true, undone: true, cause }),
      new StoreError.ForeignWrite({ log, reason: "it is gone" }),
      new StoreError.WriterUnusable({ log, reason: "its writer is closed" }),
      new StoreError.StoreFailure({ log, operation: "open", cause })
    ]
    for (const error of errors) {
      assert.include(error.message, JSON.stringify(log))
      assert.match(error.message, /[.!?]$/u)
      const json = Schema.toCodecJson(StoreError.StoreError)
      const decoded = Schema.decodeUnknownSync(json)(JSON.parse(JSON.stringify(Schema.encodeSync(json)(error))))
      assert.strictEqual(decoded.message, error.message)
      assert.strictEqual(decoded._tag, error._tag)
    }
  })
})
