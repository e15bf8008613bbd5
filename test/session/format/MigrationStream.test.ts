/** Lines in, the current format out. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FormatError, InvalidLog, MigrationFailure } from "../../../src/session/format/FormatError.ts"
import * as MigrationStream from "../../../src/session/format/MigrationStream.ts"
import * as Migrator from "../../../src/session/format/Migrator.ts"
import { own } from "./support/logs.ts"
import { migrated } from "./support/look.ts"
import { header, log, step, stepEnd, user } from "./support/rows.ts"
import { migrate } from "./support/run.ts"

const run = (lines: ReadonlyArray<string>) =>
  Stream.runCollect(MigrationStream.migrate({ file: "a.jsonl", children: [] })(Stream.fromIterable(lines)))

describe("a stream of lines", () => {
  it.effect("gives the header, the events and the report, in whatever portions the lines come", () =>
    Effect.gen(function* () {
      for (const [, lines] of own) {
        const { events, header, report } = Result.getOrThrow(migrate(lines, { file: "a.jsonl" }))
        const expected: ReadonlyArray<MigrationStream.Part> = [
          { _tag: "Header", header, version: report.from },
          ...events.map((event): MigrationStream.Part => ({ _tag: "Event", event })),
          { _tag: "Report", report }
        ]
        for (const size of [1, 7, 1000]) {
          const text = Stream.fromIterable([...lines.map((line) => `${line}\n`).join("")]).pipe(
            Stream.rechunk(size),
            Stream.splitLines
          )
          const parts = yield* Stream.runCollect(MigrationStream.migrate({ file: "a.jsonl", children: [] })(text))
          assert.deepStrictEqual<ReadonlyArray<MigrationStream.Part>>(parts, expected)
        }
      }
    })
  )

  it.effect("[282] a current log comes out byte for byte", () =>
    Effect.gen(function* () {
      const lines = own.find(([file]) => file === "session.v4.jsonl")?.[1] ?? []
      const parts = yield* run(lines)
      assert.deepStrictEqual(
        parts.flatMap((part) => MigrationStream.line(part) ?? []),
        lines
      )
    })
  )

  it.effect("passes over the mark that a store puts behind each row of a current log, and over no other", () =>
    Effect.gen(function* () {
      const lines = log(4, [...step, stepEnd])
      const marked = lines.map((line) => `${line.slice(0, -1)},"crc":"0:00000000"}`)
      const parts = yield* run(marked)
      assert.deepStrictEqual(
        parts.flatMap((part) => MigrationStream.line(part) ?? []),
        lines
      )
      const [first = "", second = ""] = lines
      const error = yield* Effect.flip(run([first, second.replace("{", '{"crc":"0:00000000",')]))
      assert.instanceOf(error, InvalidLog)
      assert.deepInclude(error, { line: 2, seq: 0 })
    })
  )

  it.effect("[283] of a newer log nothing comes, and no more than its header is read", () =>
    Effect.gen(function* () {
      let read = 0
      const lines = Stream.fromIterable(log(5, step)).pipe(
        Stream.rechunk(1),
        Stream.tap(() => Effect.sync(() => read++))
      )
      const seen: Array<MigrationStream.Part> = []
      const exit = yield* Effect.exit(
        Stream.runForEach(MigrationStream.migrate({ children: [] })(lines), (part) =>
          Effect.sync(() => seen.push(part))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(seen, [])
      assert.strictEqual(read, 1)
    })
  )

  it.effect("[301] fails without a report where a later line cannot be migrated", () =>
    Effect.gen(function* () {
      const lines = log(2, [...step, header({ system: "P" }), user("u", "a"), stepEnd, header({ system: "Q" })])
      const seen: Array<string> = []
      const parts = MigrationStream.migrate({ children: [] })(Stream.rechunk(Stream.fromIterable(lines), 1))
      const error = yield* Effect.flip(Stream.runForEach(parts, (part) => Effect.sync(() => seen.push(part._tag))))
      assert.instanceOf(error, MigrationFailure)
      assert.deepInclude(error, { line: 7, seq: 5, from: 2, to: 3 })
      assert.isFalse("file" in error)
      assert.include(error.message, "line 7, event 5")
      assert.notInclude(seen, "Report")
      assert.include(seen, "Event")
    })
  )

  it.effect("names line and event where a line is no JSON, empty, no event, or out of order", () =>
    Effect.gen(function* () {
      const [first = "", ...rest] = log(2, step)
      const wrong: ReadonlyArray<readonly [line: string, word: string]> = [
        ["{", "no JSON"],
        ['{"type":"a","seq":1,', "not finished"],
        ["", "empty"],
        ["  ", "empty"],
        ["7", "object"],
        ['{"type":"a","seq":3,"data":{}}', "must be 2"],
        ['{"type":"a"}', "data"]
      ]
      for (const [line, word] of wrong) {
        const error = yield* Effect.flip(run([first, ...rest, line]))
        assert.instanceOf(error, InvalidLog)
        assert.deepInclude(error, { file: "a.jsonl", line: 4 })
        assert.include(error.message, '"a.jsonl", line 4')
        assert.include(error.message, word)
      }
      const empty = yield* Effect.flip(run([]))
      assert.deepInclude(empty, { _tag: "InvalidLog", line: 1 })
    })
  )

  it.effect("passes failures of the source on", () =>
    Effect.gen(function* () {
      const lines = Stream.concat(Stream.fromIterable(log(4, step)), Stream.fail("unplugged"))
      const error = yield* Effect.flip(Stream.runDrain(MigrationStream.migrate({ children: [] })(lines)))
      assert.strictEqual(error, "unplugged")
    })
  )

  it.effect("can be run again", () =>
    Effect.gen(function* () {
      const parts = MigrationStream.migrate({ children: [] })(Stream.fromIterable(log(0, [...step, stepEnd])))
      assert.deepStrictEqual(yield* Stream.runCollect(parts), yield* Stream.runCollect(parts))
    })
  )
})

describe("a migrator", () => {
  it("gives its first failure again, whatever comes", () => {
    const [first = "", ...rest] = log(4, [...step, stepEnd])
    const migrator = Result.getOrThrow(Migrator.open(first, { children: [] }))
    const failure = Result.getOrThrow(Result.flip(migrator.push("{")))
    for (const line of rest) assert.strictEqual(Result.getOrThrow(Result.flip(migrator.push(line))), failure)
    assert.strictEqual(Result.getOrThrow(Result.flip(migrator.finish())), failure)
  })

  it("counts what it did, and where it did so first", () => {
    const { report } = migrated(own.find(([file]) => file === "session.v2.jsonl")?.[1] ?? [])
    const prompts = report.entries.find((entry) => entry.what === "system/message: another prompt")
    assert.deepStrictEqual(prompts, {
      action: "inserted",
      edge: "2→3",
      what: "system/message: another prompt",
      count: 5,
      line: 8
    })
    const dropped = report.entries.find((entry) => entry.what === "request/header data.header.system")
    assert.strictEqual(dropped?.count, 5)
  })
})

describe("errors", () => {
  it("survive encoding", () => {
    const codec = Schema.toCodecJson(FormatError)
    const sources = [
      log(5, []),
      ["{"],
      log(2, [header({ system: "P" })]),
      log(2, [["turn/start", {}]]),
      log(4, [user("u", "a", {})]),
      log(4, [], { createdAt: "now" })
    ]
    const tags = sources.map((lines) => {
      const error = Result.getOrThrow(Result.flip(migrate(lines, { file: "a.jsonl" })))
      const encoded = Schema.encodeUnknownResult(codec)(error)
      const decoded = Schema.decodeUnknownResult(codec)(JSON.parse(JSON.stringify(Result.getOrThrow(encoded))))
      assert.deepStrictEqual(Result.getOrThrow(decoded), error)
      assert.strictEqual(Result.getOrThrow(decoded).message, error.message)
      return error._tag
    })
    assert.deepStrictEqual(tags, [
      "UnsupportedFormat",
      "InvalidLog",
      "MigrationFailure",
      "MigrationFailure",
      "InvalidLog",
      "InvalidLog"
    ])
  })
})
