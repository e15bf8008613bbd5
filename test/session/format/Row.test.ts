/** Rows are not events. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import * as Row from "../../../src/session/format/Row.ts"

const data = { turn: 1, step: 1, index: 0 }
const packed = (more: JsonObject = {}): JsonObject => ({
  type: "text-chunks",
  seq0: 3,
  time0: 100,
  data: { ...data, dt: [1, 2], texts: ["a", "b", "c"], ...more }
})

const read = (version: number, row: Json, next = 3) => Result.getOrThrow(Row.read(version, row, next))

const reason = (version: number, row: Json, next = 3) =>
  Result.getOrThrow(Result.flip(Row.read(version, row, next))).reason

describe("packed rows", () => {
  it("count and stand for as many events as they pack", () => {
    for (const version of [0, 1]) {
      const row = read(version, packed())
      assert.strictEqual(row.count, 3)
      assert.deepStrictEqual(
        Row.unpack(version, row),
        ["a", "b", "c"].map((text, index) => ({
          type: "assistant/chunk",
          seq: 3 + index,
          time: [100, 101, 103][index] ?? 0,
          data: { turn: 1, step: 1, chunk: { type: "text-delta", index: 0, text } }
        }))
      )
    }
  })

  it("pack reasoning and calls of tools, too", () => {
    const reasoning = read(0, { type: "reasoning-chunks", data: { ...data, dt: [], texts: ["a"] } })
    assert.deepStrictEqual(
      Row.unpack(0, reasoning).map((event) => event.data),
      [{ turn: 1, step: 1, chunk: { type: "reasoning-delta", index: 0, text: "a" } }]
    )
    const call = read(0, { type: "tool-call-chunks", data: { ...data, id: "c", name: "n", dt: [0], args: ["{", "}"] } })
    assert.deepStrictEqual(
      Row.unpack(0, call).map((event) => event.data),
      ["{", "}"].map((argumentsDelta) => ({
        turn: 1,
        step: 1,
        chunk: { type: "tool-call-delta", index: 0, id: "c", name: "n", argumentsDelta }
      }))
    )
  })

  it("have no times where the log has none", () => {
    const row = read(0, { type: "text-chunks", data: { ...data, dt: [1], texts: ["a", "b"] } })
    for (const one of Row.unpack(0, row)) assert.notProperty(one, "time")
  })

  it("are ordinary rows from format 2 on", () => {
    const { seq0: _, time0: __, ...row } = packed()
    for (const version of [2, 3, 4]) {
      const it = read(version, row)
      assert.strictEqual(it.count, 1)
      assert.deepStrictEqual(Row.unpack(version, it), [it.event])
    }
  })

  it("are refused if they are not what they say", () => {
    const odd: ReadonlyArray<readonly [more: JsonObject, word: string]> = [
      [{ texts: [] }, "texts"],
      [{ texts: ["a", 1, "c"] }, "texts"],
      [{ texts: "abc" }, "texts"],
      [{ dt: [1] }, "dt"],
      [{ dt: [1, "2"] }, "dt"],
      [{ dt: [1, 0.5] }, "dt"],
      [{ turn: -1 }, "turn"],
      [{ step: "1" }, "step"],
      [{ index: null }, "index"],
      [{ more: 1 }, "more"]
    ]
    for (const [more, word] of odd) assert.include(reason(0, packed(more)), word)
    assert.include(reason(0, { type: "text-chunks", data: [] }), "data")
    assert.include(reason(0, packed(), 2), "seq0")
  })
})

describe("rows", () => {
  const row = { type: "a", seq: 3, data: {} }

  it("are numbered by their place where they say no number, and must say that one", () => {
    assert.strictEqual(read(4, row).event.seq, 3)
    assert.strictEqual(read(4, { type: "a", data: 1 }).event.seq, 3)
    for (const seq of [2, 4, "3", null, 3.5, -3]) assert.include(reason(4, { ...row, seq }), "must be 3")
    // [276] What is missing or too much shows at the first place after it.
    assert.include(reason(4, { ...row, seq: 5 }), "found 5")
  })

  it("keep every member, in any format", () => {
    const whole = { ...row, time: 7, ignorable: true, surfaceOp: "append", sourceEventSeqs: [1, 0], more: null }
    for (const version of [0, 1, 2, 3, 4]) assert.deepStrictEqual(read(version, whole), { event: whole, count: 1 })
  })

  it("may cite ranges", () => {
    const cites = (sourceEventSeqs: Json) => read(2, { ...row, seq: 9, sourceEventSeqs }, 9).event["sourceEventSeqs"]
    assert.deepStrictEqual(cites([0, [2, 5], [7, 7]]), [0, 2, 3, 4, 5, 7])
    assert.deepStrictEqual(cites("x"), "x")
    const wrong: ReadonlyArray<Json> = [[[5, 2]], [[1]], [[1, 2, 3]], [["1", 2]], [[1, 9]], [[1, 1e15]], [[]]]
    for (const sources of wrong) assert.include(reason(2, { ...row, sourceEventSeqs: sources }), "sourceEventSeqs")
    // Ranges that overlap cannot make a list longer than there are events.
    const many = Array.from({ length: 1000 }, () => [0, 2])
    assert.include(reason(2, { ...row, sourceEventSeqs: many }), "twice")
  })

  it("are refused without a type or data", () => {
    for (const one of [null, 1, "row", [row]]) assert.include(reason(4, one), "object")
    for (const type of [undefined, 1, "", null]) {
      assert.include(reason(4, JSON.parse(JSON.stringify({ ...row, type }))), "type")
    }
    assert.include(reason(4, { type: "a" }), "data")
  })
})
