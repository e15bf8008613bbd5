import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Stream } from "effect"
import * as SessionFile from "../../../src/session/store/SessionFile.ts"
import type { Torn } from "../../../src/session/store/SessionStore.ts"
import { createLog, headerOf, note, notes, onFile, readLog, readText, writeText } from "./support.ts"

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
    "may name ranges of events where we list them",
    onFile((log) =>
      Effect.gen(function* () {
        const content = [{ type: "text", text: "hello" }]
        const message = { role: "user", id: "m", source: { kind: "user" }, content }
        const row = { type: "user/message", data: message, surfaceOp: "append", sourceEventSeqs: [[0, 2]] }
        yield* writeText(log, [...lines, JSON.stringify(row), ""].join("\n"))
        const events = yield* readLog(log)
        assert.deepInclude(events[3], { seq: 3, type: "user/message", sourceEventSeqs: [0, 1, 2] })
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
        const cases: ReadonlyArray<readonly [row: object, tag: string | undefined]> = [
          [note(2), undefined],
          [{ ...note(1), surfaceOp: "append" }, "SurfaceViolation"],
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
