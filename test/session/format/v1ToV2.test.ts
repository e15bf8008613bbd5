/** 1 → 2: pieces of answers move into messages. */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "effect/Schema"
import { entriesOf } from "../../../src/session/format/MigrationReport.ts"
import { at, json, migrated, only, refused, typesOf } from "./support/look.ts"
import { append, assistant, chunk, delta, log, model, type Row, step, stepEnd, text } from "./support/rows.ts"

describe("1 → 2: pieces of answers", () => {
  const attempt = (...pieces: ReadonlyArray<Row>) => [...step, ...pieces]

  it("[295] they move into the message that they became, with their times", () => {
    const source = log(1, [
      ...attempt(chunk({ type: "block-start", index: 0, blockType: "text" }), delta("a"), delta("b")),
      assistant("a", "ab", { ...append, sourceEventSeqs: [2, 3, 4] }),
      ["command/done", { sourceEventSeq: 5 }],
      stepEnd
    ])
    const { events } = migrated(source)
    const message = only(events, "assistant/message")
    assert.deepStrictEqual(at(message, "data", "stream"), [
      { type: "chunk", time: 1030, chunk: { type: "block-start", index: 0, blockType: "text" } },
      { type: "text-chunks", time0: 1040, index: 0, dt: [10], texts: ["a", "b"] }
    ])
    assert.notProperty(message, "sourceEventSeqs")
    assert.deepStrictEqual(only(events, "command/done")["data"], { sourceEventSeq: message["seq"] ?? null })
    assert.notInclude(typesOf(events), "assistant/chunk")
    const more: ReadonlyArray<Row> = [
      delta("a"),
      assistant("a", "a", { ...append, sourceEventSeqs: [2] }),
      delta("b"),
      delta("c"),
      assistant("b", "bc", { ...append, sourceEventSeqs: [4, 5] })
    ]
    const { report } = migrated(log(1, [...step, ...more]))
    const dropped = entriesOf(report, "dropped").map(({ count, line }) => ({ count, line }))
    assert.deepStrictEqual(dropped, [{ count: 3, line: 5 }])
  })

  it("[295] an attempt that failed becomes an event that is only logged", () => {
    const retry: Row = ["llm/retry", { turn: 1, step: 1, retryId: "r" }]
    const source = log(1, [
      ...attempt(delta("fail"), chunk({ type: "finish", reason: { kind: "error" } }), retry, delta("ok")),
      assistant("a", "ok", { ...append, sourceEventSeqs: [5] }),
      delta("lost"),
      stepEnd
    ])
    const { events, report } = migrated(source)
    assert.deepStrictEqual(typesOf(events), [
      "turn/start",
      "step/start",
      "system/message",
      "assistant/attempt",
      "llm/retry",
      "assistant/message",
      "assistant/attempt",
      "step/end"
    ])
    const [failed, lost] = events.filter((event) => event.type === "assistant/attempt").map(json)
    assert.deepInclude(failed, { time: 1040 })
    assert.notProperty(failed, "surfaceOp")
    assert.deepStrictEqual(at(failed, "data", "turn"), 1)
    assert.deepStrictEqual(at(lost, "data", "stream"), [
      { type: "text-chunks", time0: 1080, index: 0, dt: [], texts: ["lost"] }
    ])
    assert.deepStrictEqual(
      entriesOf(report, "inserted").find((entry) => entry.what.startsWith("assistant/attempt"))?.count,
      2
    )
  })

  it("[295] what refers to a piece is refused, and so is a message made of other pieces than one answer", () => {
    const whole = assistant("a", "ab", { ...append, sourceEventSeqs: [2, 3] })
    const refers = refused(log(1, [...attempt(delta("a"), delta("b")), whole, ["command/done", { sourceEventSeq: 3 }]]))
    assert.deepInclude(refers, { from: 1, to: 2, line: 7, seq: 5 })
    assert.include(refers.reason, "event 3")
    for (const sources of [[2], [3, 2], [1, 2, 3], [2, 3, 3]]) {
      const odd = assistant("a", "ab", { ...append, sourceEventSeqs: sources })
      assert.include(refused(log(1, [...attempt(delta("a"), delta("b")), odd])).reason, "one whole answer")
    }
    const elsewhere: Row = [
      "assistant/message",
      { turn: 1, step: 2, message: { role: "assistant", id: "a", source: model, content: [] } },
      { ...append, sourceEventSeqs: [2] }
    ]
    assert.include(refused(log(1, attempt(delta("a"), elsewhere))).reason, "its own turn and step")
  })

  it("[295] pieces that a message does not cite are no part of it", () => {
    for (const more of [append, { ...append, sourceEventSeqs: [] }]) {
      const { events } = migrated(log(1, [...attempt(delta("a")), assistant("a", "b", more), stepEnd]))
      assert.deepStrictEqual(typesOf(events).slice(3), ["assistant/attempt", "assistant/message", "step/end"])
      assert.deepStrictEqual(at(only(events, "assistant/message"), "data", "stream"), [])
    }
  })

  it("a turn that ended with its process is closed before the next one", () => {
    const splice: Row = ["agent/inbox/spliced", { target: "next-turn", inserted: [{ id: "w" }] }]
    const next: Row = ["turn/start", { turn: 2 }]
    for (const version of [1, 2, 3]) {
      const closed = migrated(log(version, [["turn/start", { turn: 1 }], splice, next]))
      assert.deepStrictEqual(typesOf(closed.events), ["turn/start", "agent/inbox/spliced", "turn/end", "turn/start"])
      assert.deepInclude(only(closed.events, "turn/end"), {
        seq: 2,
        time: 1030,
        data: { turn: 1, reason: { kind: "interrupted" } }
      })
      // Nothing shows it: no message for the next turn, another number, an open step, something in between.
      const odd: ReadonlyArray<ReadonlyArray<Row>> = [
        [["turn/start", { turn: 1 }], ["agent/inbox/spliced", { target: "next-turn", inserted: [] }], next],
        [["turn/start", { turn: 1 }], ["agent/inbox/spliced", { target: "next-step", inserted: [{}] }], next],
        [["turn/start", { turn: 1 }], splice, ["turn/start", { turn: 3 }]],
        [...step, splice, next],
        [["turn/start", { turn: 1 }], splice, ["acme/note", {}], next],
        [["turn/start", { turn: 1 }], ["turn/end", { turn: 1, reason: { kind: "completed" } }], splice, next]
      ]
      for (const rows of odd) {
        const { report } = migrated(log(version, rows))
        const ends = entriesOf(report, "inserted").filter((entry) => entry.what.startsWith("turn/end"))
        assert.deepStrictEqual(ends, [])
      }
    }
  })

  it("a goal in the source of a message becomes an event before it", () => {
    const goal: Row = [
      "user/message",
      { role: "user", id: "g", source: { kind: "goal", change: { goal: "x" }, round: 0 }, content: [text("x")] },
      append
    ]
    const { events } = migrated(log(1, [...step, goal]))
    assert.deepStrictEqual(typesOf(events).slice(2), ["system/message", "goal/change", "user/message"])
    assert.deepStrictEqual(only(events, "goal/change")["data"], { goal: "x" })
    assert.deepStrictEqual(at(only(events, "user/message"), "data", "source"), { kind: "goal", round: 0 })
  })

  it("[295] an attempt is over where the log says so, and not before", () => {
    const ends = [
      "turn/start",
      "turn/end",
      "step/start",
      "step/end",
      "llm/retry",
      "llm/retry-started",
      "session/end-seed"
    ]
    const data = { turn: 1, step: 1, reason: { kind: "completed" } }
    for (const type of ends) {
      const { events } = migrated(log(1, [...attempt(delta("a")), [type, data]]))
      assert.deepStrictEqual(typesOf(events).slice(3), ["assistant/attempt", type])
    }
    // Another piece goes on with it, whatever was logged in between; one after its end, or of another step, does not.
    const note: Row = ["acme/note", {}]
    const later: Row = ["assistant/chunk", { turn: 1, step: 2, chunk: { type: "finish" } }]
    const finish = chunk({ type: "finish" })
    const { events } = migrated(log(1, attempt(delta("a"), note, delta("b"), finish, delta("c"), later)))
    assert.deepStrictEqual(typesOf(events).slice(3), [
      "acme/note",
      "assistant/attempt",
      "assistant/attempt",
      "assistant/attempt"
    ])
    const streams = events.map((event) => at(event, "data", "stream")).filter((it) => it !== undefined)
    assert.deepStrictEqual(
      streams.map((stream) => (Array.isArray(stream) ? stream.length : 0)),
      [2, 1, 1]
    )
  })

  it("what could not be kept is refused", () => {
    const timed = (time: Json): Row => ["assistant/chunk", delta("a")[1], { time }]
    const rows: ReadonlyArray<readonly [row: Row, word: string]> = [
      [timed("now"), "time"],
      [timed(null), "time"],
      [["assistant/chunk", delta("a")[1], { more: 1 }], '"more"'],
      [["text-chunks", { turn: 1, step: 1, index: 0, dt: [], texts: ["a"] }, { more: 1 }], '"more"'],
      [["assistant/chunk", { turn: 1, step: 1, chunk: {}, more: 1 }], '"more"'],
      [["assistant/chunk", { turn: 1, step: -1, chunk: {} }], "data.step"],
      [["assistant/chunk", { turn: 1, step: 1, chunk: "a" }], "data.chunk"],
      [["assistant/chunk", []], "data"],
      [assistant("a", "a", { ...append, sourceEventSeqs: 2 }), "sourceEventSeqs"],
      [["assistant/message", { turn: 1, step: 1, message: {}, stream: [] }, append], "stream"],
      [["session/end-seed", { inherited: true }], "header"]
    ]
    for (const [row, word] of rows) {
      const error = refused(log(1, [...step, row]))
      assert.deepInclude(error, { from: 1, to: 2, seq: 2, line: 4 })
      assert.include(error.reason, word)
    }
    assert.include(refused(log(1, [], { isSeeded: true })).reason, "isSeeded")
  })

  it("pieces of other kinds, and those that say more than can be packed, stay as they are", () => {
    const pieces = [
      { type: "text-delta", index: 0, text: "a" },
      { type: "text-delta", index: 0, text: "b", more: 1 },
      { type: "text-delta", index: 0, text: "c" },
      { type: "text-delta", index: 1, text: "d" },
      { type: "reasoning-delta", index: 1, text: "e" },
      { type: "tool-call-delta", index: 2, id: "x", argumentsDelta: "f" },
      { type: "tool-call-delta", index: 2, id: "x", name: "n", argumentsDelta: "g" },
      { type: "tool-call-delta", index: 2, id: "x", name: "n", argumentsDelta: "h" },
      { type: "text-delta", index: 0, text: 7 }
    ]
    const { events } = migrated(log(1, [...step, ...pieces.map(chunk), stepEnd]))
    const packed = (type: string, time0: number, rest: JsonObject): JsonObject => ({ type, time0, dt: [], ...rest })
    assert.deepStrictEqual(at(only(events, "assistant/attempt"), "data", "stream"), [
      packed("text-chunks", 1030, { index: 0, texts: ["a"] }),
      { type: "chunk", time: 1040, chunk: pieces[1] ?? null },
      packed("text-chunks", 1050, { index: 0, texts: ["c"] }),
      packed("text-chunks", 1060, { index: 1, texts: ["d"] }),
      packed("reasoning-chunks", 1070, { index: 1, texts: ["e"] }),
      packed("tool-call-chunks", 1080, { index: 2, id: "x", args: ["f"] }),
      packed("tool-call-chunks", 1090, { index: 2, id: "x", name: "n", dt: [10], args: ["g", "h"] }),
      { type: "chunk", time: 1110, chunk: pieces[8] ?? null }
    ])
  })

  it("pieces without times have none afterwards", () => {
    const [first = "", ...rest] = log(1, [...step, delta("a"), delta("b"), chunk({ type: "finish" }), stepEnd])
    const { events } = migrated([first, ...rest.map((line) => line.replace(/"time":\d+,/, ""))])
    assert.deepStrictEqual(at(only(events, "assistant/attempt"), "data", "stream"), [
      { type: "text-chunks", index: 0, dt: [], texts: ["a"] },
      { type: "text-chunks", index: 0, dt: [], texts: ["b"] },
      { type: "chunk", chunk: { type: "finish" } }
    ])
    for (const event of events) assert.notProperty(event, "time")
  })

  it("[294] the seed's end was a number in the header, and splits no answer", () => {
    const answer: ReadonlyArray<Row> = [
      ...step,
      delta("a"),
      delta("b"),
      assistant("a", "ab", { ...append, sourceEventSeqs: [2, 3] }),
      stepEnd
    ]
    const marks = (seedLength: number, rows: ReadonlyArray<Row> = answer) =>
      migrated(log(1, rows, { seedLength }))
        .events.filter((event) => event.type === "session/end-seed")
        .map(json)
    assert.deepInclude(marks(2)[0], { seq: 3, data: { inherited: true } })
    assert.deepInclude(marks(5)[0], { seq: 4 })
    assert.deepInclude(marks(6)[0], { seq: 5, time: 1060 })
    const own: Row = ["session/end-seed", { by: "writer" }]
    assert.deepStrictEqual(
      marks(6, [...answer, own]).map((mark) => mark["data"]),
      [{ by: "writer", inherited: true }]
    )
    for (const cut of [3, 4]) assert.include(refused(log(1, answer, { seedLength: cut })).reason, "within an answer")
    const packed: Row = ["text-chunks", { turn: 1, step: 1, index: 0, dt: [1], texts: ["a", "b"] }]
    assert.include(refused(log(1, [...step, packed], { seedLength: 3 })).reason, "within an answer")
    assert.include(refused(log(1, answer, { seedLength: 7 })).reason, "7")
    assert.include(refused(log(1, answer, { seedLength: "7" })).reason, "seedLength")
  })
})
