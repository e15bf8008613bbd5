/** 0 → 1: old names and shapes. */
import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "effect/Schema"
import { entriesOf } from "../../../src/session/format/MigrationReport.ts"
import { at, json, migrated, only, refused, typesOf } from "./support/look.ts"
import { append, header, log, type Row, step, stepEnd, text } from "./support/rows.ts"

const replace = (start: number, end: number): JsonObject => ({ surfaceOp: { op: "replace", start, end } })

describe("0 → 1: old names and shapes", () => {
  it("[296] compactions and steering messages have other names", () => {
    const source = log(0, [
      ...step,
      ["steering/message", { turn: 1, content: [text("left")], source: { kind: "user" } }, append],
      [
        "steering/message",
        { turn: 1, message: { role: "user", id: "m", content: [text("right")], source: { kind: "user" } } },
        append
      ],
      ["compact/start", { reason: "long" }],
      ["compact/summary", { shadowedRange: { start: 2, end: 3 }, shadowedSeqs: [2, 3] }],
      [
        "user/message",
        { content: [text("short")], source: { kind: "plugin", plugin: "compact" } },
        { sourceEventSeqs: [2, 3], ...replace(2, 3) }
      ],
      ["compact/end", {}],
      ["compact/prune", { shadowedSeqs: [6] }],
      stepEnd
    ])
    const { events, report } = migrated(source)
    assert.deepStrictEqual(typesOf(events).slice(3), [
      "user/message",
      "user/message",
      "compaction/start",
      "compaction/summary",
      "user/message",
      "compaction/end",
      "compaction/prune",
      "step/end"
    ])
    const messages = events.filter((event) => event.type === "user/message").map(json)
    assert.deepStrictEqual(
      messages.map((event) => at(event, "data", "id")),
      ["legacy-message:s:2", "m", "legacy-message:s:6"]
    )
    assert.notProperty(messages[0]?.["data"], "turn")
    // One id for the whole compaction, and for nothing after it.
    const id = "legacy-compaction:s:4"
    const ids = ["compaction/start", "compaction/summary", "compaction/end", "compaction/prune"].map((type) =>
      at(only(events, type), "data", "compactionId")
    )
    assert.deepStrictEqual(ids, [id, id, id, undefined])
    assert.deepStrictEqual(at(messages[2], "data", "source"), { kind: "compact-checkpoint", compactionId: id })
    assert.includeMembers(
      entriesOf(report, "renamed").map((entry) => entry.what),
      ["compact/start → compaction/start", "compact/prune → compaction/prune", "steering/message → user/message"]
    )
  })

  it("[296] a compaction that has an id keeps it, and one that a seed cuts off names nothing after it", () => {
    const source = log(0, [
      ["compact/start", { compactionId: "mine" }],
      ["compact/end", {}],
      ["compact/start", {}],
      ["session/end-seed", {}],
      ["compact/prune", {}],
      ...step,
      ["user/message", { content: [], source: { kind: "plugin", plugin: "compact" } }, append],
      ["compact/start", {}],
      ["compact/end", { compactionId: "own" }],
      ["user/message", { content: [], source: { kind: "plugin", plugin: "compact" } }, append]
    ])
    const messages = migrated(source).events.filter((event) => event.type === "user/message")
    for (const event of messages) assert.deepStrictEqual(at(event, "data", "source"), { kind: "compact-checkpoint" })
    assert.strictEqual(messages.length, 2)
    const compactions = migrated(source).events.filter((event) => event.type.startsWith("compaction/"))
    const ids = compactions.map((event) => at(event, "data", "compactionId"))
    assert.deepStrictEqual(ids, ["mine", "mine", "legacy-compaction:s:2", undefined, "legacy-compaction:s:8", "own"])
  })

  it("[296] messages are put together, with ids that say where they come from", () => {
    const source = log(0, [
      ...step,
      ["user/message", { content: [text("a")], source: { kind: "user" } }, append],
      [
        "assistant/message",
        {
          turn: 1,
          step: 1,
          content: [text("b")],
          provenance: { provider: "p", model: "m" },
          usage: { inputTokens: 1 }
        },
        append
      ],
      ["tool/result", { turn: 1, step: 1, callId: "c", content: [text("long")], isError: true, meta: 1 }, append],
      [
        "tool/result",
        { turn: 1, step: 1, callId: "c", content: [text("…")], isError: true, meta: 1 },
        { sourceEventSeqs: [4], ...replace(4, 4) }
      ],
      [
        "tool/result",
        { turn: 1, step: 1, callId: "c", content: [], isError: true, meta: 1 },
        { sourceEventSeqs: [5], ...replace(5, 5) }
      ]
    ])
    const { events } = migrated(source)
    assert.deepStrictEqual(only(events, "user/message")["data"], {
      content: [text("a")],
      source: { kind: "user" },
      id: "legacy-message:s:2",
      role: "user"
    })
    assert.deepStrictEqual(only(events, "assistant/message")["data"], {
      turn: 1,
      step: 1,
      usage: { inputTokens: 1 },
      message: {
        id: "legacy-message:s:3",
        role: "assistant",
        content: [text("b")],
        source: { provider: "p", model: "m", kind: "model" }
      },
      stream: []
    })
    // A result that replaces another one takes over its id, also at second hand.
    const results = events.filter((event) => event.type === "tool/result").map((event) => at(event, "data", "message"))
    const same = { role: "tool", id: "legacy-message:s:4", source: { kind: "tool", callId: "c" }, toolCallId: "c" }
    assert.deepStrictEqual(
      results,
      [[text("long")], [text("…")], []].map((content): Json => ({ ...same, content, isError: true }))
    )
    const orphan: Row = ["tool/result", { turn: 1, step: 1, callId: "c", content: [], isError: false }, replace(0, 0)]
    assert.include(refused(log(0, [...step, orphan])).reason, "no earlier result")
  })

  it("[296] retries of one chain have one id", () => {
    const retry = (more: JsonObject): Row => ["llm/retry", { turn: 1, step: 1, provider: "p", policyKey: "k", ...more }]
    const source = log(0, [
      retry({}),
      retry({}),
      retry({ provider: "q" }),
      retry({ step: 2, retryId: "own" }),
      retry({ step: 2 }),
      ["turn/start", { turn: 1 }],
      retry({})
    ])
    assert.deepStrictEqual(
      migrated(source).events.map((event) => at(event, "data", "retryId")),
      ["legacy-retry:s:0", "legacy-retry:s:0", "legacy-retry:s:2", "own", "own", undefined, "legacy-retry:s:6"]
    )
  })

  it("[296] triggers, message prefixes and old reasons go or change", () => {
    const ends: ReadonlyArray<readonly [before: JsonObject, after: JsonObject]> = [
      [{ kind: "completed" }, { kind: "completed" }],
      [{ kind: "aborted" }, { kind: "aborted", reason: { kind: "legacy" } }],
      [
        { kind: "aborted", reason: { kind: "user" } },
        { kind: "aborted", reason: { kind: "user" } }
      ],
      [{ kind: "disposed" }, { kind: "aborted", reason: { kind: "disposed" } }],
      [
        { kind: "error", step: 1, failure: { message: "m", code: "c", status: 500 } },
        { kind: "error", error: { message: "m", code: "c", status: 500 } }
      ],
      [
        { kind: "error", step: 1, message: "m" },
        { kind: "error", error: { message: "m", code: "UNKNOWN" } }
      ],
      [
        { kind: "error", step: 1, message: "m", code: "c" },
        { kind: "error", error: { message: "m", code: "c" } }
      ],
      [
        { kind: "error", error: { message: "m", code: "c" } },
        { kind: "error", error: { message: "m", code: "c" } }
      ],
      [{ kind: "later" }, { kind: "later" }]
    ]
    for (const [before, after] of ends) {
      const rows: ReadonlyArray<Row> = [
        ["turn/start", { turn: 1, trigger: { kind: "user" } }],
        header({ messagePrefix: [1] }),
        ["turn/end", { turn: 1, reason: before }]
      ]
      const { events } = migrated(log(0, rows))
      assert.deepStrictEqual(only(events, "turn/start")["data"], { turn: 1 })
      assert.deepStrictEqual(at(only(events, "request/header"), "data", "header"), {
        config: { provider: "p", model: "m" }
      })
      assert.deepStrictEqual(at(only(events, "turn/end"), "data", "reason"), after)
    }
    const lossy: Row = ["turn/end", { turn: 1, reason: { kind: "error", message: "m", more: 1 } }]
    assert.include(refused(log(0, [lossy])).reason, '"more"')
  })

  it("[296] what later formats cannot say is refused", () => {
    const rows: ReadonlyArray<readonly [row: Row, word: string]> = [
      [["request/header-delta", {}], "request/header-delta"],
      [["mode/set", {}], "mode/set"],
      [header({}, "fallback"), "fallback"]
    ]
    for (const [row, word] of rows) {
      const error = refused(log(0, [...step, row]))
      assert.deepInclude(error, { from: 0, to: 1, line: 4, seq: 2 })
      assert.include(error.reason, word)
    }
  })

  it("[296] unknown events that are only logged are kept and reported, unless they concern what the model sees", () => {
    const rows: ReadonlyArray<Row> = [
      ["acme/note", { messageSeqs: [7], any: null }],
      ["acme/note", { more: 1 }, { ignorable: true }],
      ["acme/card", { text: "x" }, { ignorable: true, surfaceOp: "append", sourceEventSeqs: [0] }]
    ]
    for (const version of [0, 1, 2, 3]) {
      const { events, report } = migrated(log(version, rows))
      assert.deepStrictEqual(
        events.map((event) => JSON.stringify(event)),
        log(version, rows).slice(1)
      )
      assert.deepStrictEqual(
        entriesOf(report, "opaque").map(({ count, line, what }) => ({ count, line, what })),
        [
          { what: "acme/note", count: 2, line: 2 },
          { what: "acme/card", count: 1, line: 4 }
        ]
      )
      for (const more of [append, { sourceEventSeqs: [0] }]) {
        const error = refused(
          log(version, [
            ["acme/note", {}],
            ["acme/card", {}, more]
          ])
        )
        assert.deepInclude(error, { from: version, to: version + 1, seq: 1, line: 3 })
        assert.include(error.reason, "acme/card")
      }
    }
    // A message that a format does not have is as unknown to it as any other.
    assert.include(refused(log(2, [["system/message", {}, append]])).reason, "system/message")
    assert.include(refused(log(3, [["developer/message", {}, append]])).reason, "developer/message")
  })
})
