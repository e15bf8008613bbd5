import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Schema, Stream } from "effect"
import type * as Event from "../../../src/session/Event.ts"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import * as StoreError from "../../../src/session/store/StoreError.ts"
import { makePipe } from "../../support/makePipe.ts"
import { append, createLog, headerOf, notes, onFile, readLog, readText, writeText } from "./support.ts"

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
    "takes the place of what an unfinished creation has left, and nothing of it counts",
    onFile((log) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* writeText(`${log}.new`, "left")
        yield* fs.chmod(`${log}.new`, 0o644)
        yield* createLog(log, 2)
        assert.deepStrictEqual(yield* readLog(log), notes(0, 2))
        assert.strictEqual((yield* fs.stat(log)).mode & 0o777, 0o600)
        yield* writeText(`${log}3`, "of somebody else")
        yield* fs.symlink(`${log}3`, `${log}2.new`)
        yield* createLog(`${log}2`, 1)
        assert.strictEqual(yield* readText(`${log}3`), "of somebody else")
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
        assert.include(error.message, `the folder ${JSON.stringify(`${log}/none`)} is not there: create it first.`)
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
    "leaves nothing beside what is no log of ours",
    onFile((log) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = log.slice(0, log.lastIndexOf("/"))
        const older = `${JSON.stringify({ ...headerOf("s"), version: 3 })}\n`
        const bare = `${JSON.stringify(headerOf("s"))}\n`
        for (const [text, message] of [
          ["sections:\n  - name: a\n", /this is no session log: its first line is no header, since it is no JSON/u],
          ["[1]\n", /this is no session log/u],
          ["one line", /this is no session log/u],
          [older, /format 3/u],
          [bare, /checksums/u]
        ] as const) {
          yield* writeText(log, text)
          assert.match((yield* Effect.flip(SessionFile.open(log))).message, message)
          assert.deepStrictEqual(yield* fs.readDirectory(folder), ["log.jsonl"])
        }
        yield* fs.remove(log)
        yield* fs.makeDirectory(log)
        assert.match((yield* Effect.flip(SessionFile.open(log))).message, /a folder, and no session log/u)
        assert.deepStrictEqual(yield* fs.readDirectory(folder), ["log.jsonl"])
      })
    )
  )

  it.effect(
    "does not open what is no file",
    onFile((log) =>
      Effect.gen(function* () {
        makePipe(log)
        for (const name of [log, "/dev/zero"]) {
          const never = `session log ${JSON.stringify(name)}: this is not a file but a pipe or a device, which may never end`
          const read = Stream.runDrain(SessionFile.lines(name, { onTorn: () => Effect.void }))
          for (const failing of [SessionFile.open(name), SessionFile.inspect(name), read]) {
            const error = yield* Effect.flip(Effect.asVoid(failing))
            assert.strictEqual(error._tag, "StoreFailure")
            assert.include(error.message, never)
          }
        }
      })
    )
  )

  it.effect(
    "says of a changed line that it was changed, and how to keep those before",
    onFile((log) =>
      Effect.gen(function* () {
        yield* createLog(log, 1, 1, 1)
        const text = yield* readText(log)
        yield* writeText(log, text.replace('"n":1', '"n":7'))
        const error = yield* Effect.flip(SessionFile.open(log))
        assert(error._tag === "LogDamaged")
        assert.match(
          error.message,
          /line 3, .* this line was changed after it was written.* Those before it are intact/u
        )
        yield* writeText(log, text.slice(0, error.offset))
        yield* SessionFile.open(log)
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
        assert.match(error.message, /^could not lock session log .*\.lock: file is not a database/u)
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
    assert.match(
      errors[4]?.message ?? "",
      /Those before it are intact\. .* its first 70 bytes, as `head -c 70` prints them\.$/u
    )
    const whole = new StoreError.LogDamaged({ log, line: 1, offset: 0, reason: "its header is missing" })
    assert.match(whole.message, /its header is missing\. Restore the file from a copy\.$/u)
  })
})
