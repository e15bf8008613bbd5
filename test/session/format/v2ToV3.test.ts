/** 2 → 3: the prompt leaves the headers. */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "effect/Schema"
import { createHash } from "node:crypto"
import { entriesOf } from "../../../src/session/format/MigrationReport.ts"
import { at, idsOf, json, migrated, only, promptsOf, refused, typesOf } from "./support/look.ts"
import { append, header, log, result, type Row, step, stepEnd, text, user } from "./support/rows.ts"

describe("2 → 3: the prompt becomes a message", () => {
  it("[287] an empty head after the first step has begun, the prompt right before its header", () => {
    const source = log(2, [...step, user("u", "Hi"), header({ system: "P" }), stepEnd])
    const { events } = migrated(source)
    assert.deepStrictEqual(typesOf(events), [
      "turn/start",
      "step/start",
      "system/message",
      "user/message",
      "system/message",
      "request/header",
      "step/end"
    ])
    const [head, prompt] = events.filter((event) => event.type === "system/message").map(json)
    assert.deepInclude(head, { seq: 2, time: 1020, surfaceOp: "append" })
    assert.deepStrictEqual(at(head, "data", "message", "content"), [])
    assert.deepInclude(prompt, { seq: 4, time: 1040, sourceEventSeqs: [2] })
    assert.deepStrictEqual(prompt?.["surfaceOp"], { op: "replace", startSeq: 2, endSeq: 2 })
    assert.deepStrictEqual(at(prompt, "data", "message", "content"), [text("P")])
    assert.deepStrictEqual([at(prompt, "data", "turn"), at(prompt, "data", "step")], [1, 1])
    assert.deepStrictEqual(only(events, "request/header")["data"], {
      header: { config: { provider: "p", model: "m" } },
      reason: "initial"
    })
  })

  it("[287] a step that asks for nothing has the empty head, too", () => {
    assert.deepStrictEqual(promptsOf(migrated(log(2, [...step, stepEnd]))), [[]])
  })

  it("[288] the same text inserts nothing, another one replaces the head, none clears it", () => {
    const again = (more: JsonObject) => header(more, "change")
    const source = log(2, [
      ...step,
      header({ system: "P" }),
      again({ system: "P" }),
      again({ system: "Q" }),
      again({}),
      again({ system: null }),
      stepEnd
    ])
    const it = migrated(source)
    assert.deepStrictEqual(promptsOf(it), [[], [text("P")], [text("Q")], []])
    const heads = it.events.filter((event) => event.type === "system/message").map(json)
    assert.deepStrictEqual(
      heads.map((head) => [head["seq"], head["sourceEventSeqs"]]),
      [
        [2, undefined],
        [3, [2]],
        [6, [3]],
        [8, [6]]
      ]
    )
    for (const event of it.events) assert.isUndefined(at(event, "data", "header", "system"))
  })

  it("[289] white space is a prompt", () => {
    assert.deepStrictEqual(promptsOf(migrated(log(2, [...step, header({ system: " \n" }), stepEnd]))), [
      [],
      [text(" \n")]
    ])
  })

  it("[290] a log without steps and messages gets no head", () => {
    const { events } = migrated(log(2, [["session/title", { title: "t", messageSeqs: [], source: { kind: "user" } }]]))
    assert.deepStrictEqual(typesOf(events), ["session/title"])
    assert.deepStrictEqual(migrated(log(2, [])).events, [])
    // A header without a prompt outside a step says nothing that would need one.
    assert.deepStrictEqual(typesOf(migrated(log(2, [header()])).events), ["request/header"])
  })

  it("[291] a message before the first step, and another prompt outside one, are refused", () => {
    const early = refused(log(2, [["turn/start", { turn: 1 }], user("u", "Hi")]))
    assert.deepInclude(early, { line: 3, seq: 1, from: 2, to: 3 })
    assert.include(early.reason, "before the first step")
    const outside = refused(log(2, [...step, stepEnd, header({ system: "P" })]))
    assert.deepInclude(outside, { line: 5, seq: 3, from: 2, to: 3 })
    assert.include(outside.reason, "no step is open")
    assert.include(refused(log(2, [header({ system: "P" })])).reason, "no step is open")
  })

  it("[292] references are mapped, and other numbers are left alone", () => {
    const untouched = { turn: 1, step: 1, callId: "3", name: "3", arguments: '{"seq":3}' }
    const source = log(2, [
      ...step,
      user("u2", "a"),
      user("u3", "b"),
      header({ system: "P" }),
      ["tool/call", untouched],
      result("r6", "3", [text("out")], { ...append, sourceEventSeqs: [5] }),
      ["session/title", { title: "3", messageSeqs: [2, 3], source: { kind: "user" }, seq: 3 }],
      ["session/title-llm-request", { messageSeqs: [3], messages: [] }],
      ["command/done", { sourceEventSeq: 3, seq: 3 }],
      ["compaction/start", { compactionId: "c", seq: 3 }],
      ["compaction/summary", { compactionId: "c", shadowedRange: { start: 2, end: 3 }, shadowedSeqs: [2, 3], seq: 3 }],
      ["compaction/prune", { shadowedRange: { start: 6, end: 6 }, shadowedSeqs: [6] }],
      user("u13", "summary", { sourceEventSeqs: [2, 3, 6], surfaceOp: { op: "replace", start: 2, end: 3 } }),
      ["acme/note", { sourceEventSeqs: [2], messageSeqs: [3], seq: 3 }],
      stepEnd
    ])
    const { events, report } = migrated(source)
    const data = (type: string) => only(events, type)["data"]
    // The head is 2 and the prompt 5, so that 2, 3 and 6 are 3, 4 and 8.
    assert.deepStrictEqual(data("tool/call"), untouched)
    assert.deepStrictEqual(only(events, "tool/result")["sourceEventSeqs"], [7])
    assert.deepInclude(data("session/title"), { messageSeqs: [3, 4], title: "3", seq: 3 })
    assert.deepInclude(data("session/title-llm-request"), { messageSeqs: [4] })
    assert.deepStrictEqual(data("command/done"), { sourceEventSeq: 4, seq: 3 })
    assert.deepStrictEqual(data("compaction/start"), { compactionId: "c", seq: 3 })
    assert.deepStrictEqual(data("compaction/summary"), {
      compactionId: "c",
      shadowedRange: { start: 3, end: 4 },
      shadowedSeqs: [3, 4],
      seq: 3
    })
    assert.deepStrictEqual(data("compaction/prune"), { shadowedRange: { start: 8, end: 8 }, shadowedSeqs: [8] })
    const summary = json(events.find((event) => at(event, "data", "id") === "u13"))
    assert.deepStrictEqual(summary["sourceEventSeqs"], [3, 4, 8])
    assert.deepStrictEqual(summary["surfaceOp"], { op: "replace", startSeq: 3, endSeq: 4 })
    assert.deepStrictEqual(data("acme/note"), { sourceEventSeqs: [2], messageSeqs: [3], seq: 3 })
    assert.isTrue(report.renumbered)
    assert.deepStrictEqual(
      entriesOf(report, "opaque").map(({ line, what }) => [what, line]),
      [["acme/note", 16]]
    )
  })

  it("what may be passed over keeps what it says of the surface", () => {
    const said = { ignorable: true, surfaceOp: { op: "replace", start: 2, end: 2 }, sourceEventSeqs: [2] }
    const { events, report } = migrated(log(2, [...step, user("u", "a"), ["acme/card", {}, said]]))
    assert.deepInclude(only(events, "acme/card"), { seq: 4, ...said })
    assert.notInclude(JSON.stringify(entriesOf(report, "renamed")), "surfaceOp")
  })

  it("[292] a reference to a later event, to itself or to none is refused", () => {
    for (const seq of [3, 4, 99]) {
      const error = refused(log(2, [...step, user("u", "a"), ["command/done", { sourceEventSeq: seq }], stepEnd]))
      assert.include(error.reason, `event ${seq}`)
      assert.include(error.reason, "sourceEventSeq")
    }
    const odd = refused(log(2, [...step, ["session/title", { title: "t", messageSeqs: [-1] }]]))
    assert.include(odd.reason, "messageSeqs[0]")
  })

  it("[293] generated ids are the same each time, differ by session and place, and never meet another", () => {
    const rows = [...step, header({ system: "P" }), stepEnd]
    const ids = idsOf(migrated(log(2, rows)))
    assert.deepStrictEqual(idsOf(migrated(log(2, rows))), ids)
    assert.notIncludeMembers(idsOf(migrated(log(2, rows, { id: "other" }))), ids)
    assert.strictEqual(new Set(ids).size, 2)
    const idAt = (seq: number, type: string) =>
      `v2-to-v3-system-${createHash("sha256")
        .update(JSON.stringify(["session-format-v2-to-v3", "s", seq, type]))
        .digest("hex")}`
    assert.deepStrictEqual(ids, [idAt(1, "step/start"), idAt(2, "request/header")])
    const taken = idAt(1, "step/start")
    const after = refused(log(2, [...step, user(taken, "mine"), stepEnd]))
    assert.deepInclude(after, { seq: 2, line: 4 })
    assert.include(after.reason, taken)
    const inbox: Row = ["agent/inbox/spliced", { target: "next-turn", inserted: [{ id: idAt(2, "step/start") }] }]
    const before = refused(log(2, [inbox, ...step, stepEnd]))
    assert.deepInclude(before, { seq: 2, line: 4 })
    assert.include(before.reason, idAt(2, "step/start"))
    // One that only looks so is as good as any other.
    assert.strictEqual(migrated(log(2, [...step, user("v2-to-v3-system-", "mine"), stepEnd])).events.length, 5)
  })

  it("[294] the end of a seed keeps its place; without it, or against the header, the log is refused", () => {
    const seeded = { isSeeded: true }
    const end: Row = ["session/end-seed", { inherited: true }]
    const turn: ReadonlyArray<Row> = [...step, header({ system: "P" }), stepEnd]
    const it = migrated(log(2, [...turn, end, ["acme/note", {}]], seeded))
    assert.strictEqual(only(it.events, "session/end-seed")["seq"], 6)
    assert.isTrue(it.header.isSeeded)
    assert.include(refused(log(2, turn, seeded)).reason, "isSeeded: true")
    assert.include(refused(log(2, [...turn, end])).reason, "isSeeded: false")
    const odd: Row = ["session/end-seed", { inherited: false }]
    assert.include(refused(log(2, [...turn, odd], seeded)).reason, "inherited")
    // One that is not tagged ends nothing.
    assert.deepStrictEqual(only(migrated(log(2, [["session/end-seed", {}]])).events, "session/end-seed")["data"], {})
    assert.include(refused(log(3, turn.slice(0, 2), seeded)).reason, "isSeeded: true")
  })
})
