/** 3 → 4: results of tools and makers of messages. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import type { Child } from "../../../src/session/format/Edge.ts"
import { InvalidLog, MigrationFailure } from "../../../src/session/format/FormatError.ts"
import { slim } from "../../../src/session/format/slim.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as Surface from "../../../src/session/Surface.ts"
import { own } from "./support/logs.ts"
import { at, invalid, json, migrated, only, refused, typesOf } from "./support/look.ts"
import { anonymous, requestsOf } from "./support/oracle.ts"
import { append, header, log, result, type Row, step, text, user } from "./support/rows.ts"
import { migrate } from "./support/run.ts"

describe("3 → 4: results of tools", () => {
  it("[297] they become messages of the role tool; ids and empty content stay", () => {
    const source = log(3, [...step, result("r", "c", []), result("q", "d", [text("out")])])
    const results = migrated(source)
      .events.filter((event) => event.type === "tool/result")
      .map((event) => at(event, "data", "message"))
    assert.deepStrictEqual(results, [
      { role: "tool", id: "r", source: { kind: "tool", callId: "c" }, toolCallId: "c", content: [] },
      { role: "tool", id: "q", source: { kind: "tool", callId: "d" }, toolCallId: "d", content: [text("out")] }
    ])
  })

  it("[297] failures, and members of others, stay with whom they belong to", () => {
    const message = {
      role: "user",
      id: "r",
      source: { kind: "tool", callId: "c" },
      note: 1,
      content: [{ type: "tool-result", toolCallId: "c", content: [], isError: true, note: 2 }]
    }
    const row: Row = ["tool/result", { turn: 1, step: 1, message, error: { code: "E" }, meta: { a: 1 } }, append]
    const { data } = only(migrated(log(3, [...step, row])).events, "tool/result")
    assert.deepInclude(data, { error: { code: "E" }, meta: { a: 1 } })
    assert.deepInclude(at(data, "message"), {
      isError: true,
      "plugin:message:note": 1,
      "plugin:result:note": 2
    })
  })

  it("[297] a wrapper in a wrapper, none, two, or one of another call is refused", () => {
    const block = { type: "tool-result", toolCallId: "c", content: [] }
    const contents: ReadonlyArray<Json> = [
      [{ ...block, content: [block] }],
      [],
      [block, block],
      [{ ...block, toolCallId: "d" }],
      [text("out")],
      [{ ...block, content: "out" }],
      "out"
    ]
    for (const content of contents) {
      const message = { role: "user", id: "r", source: { kind: "tool", callId: "c" }, content }
      const error = refused(log(3, [...step, ["tool/result", { turn: 1, step: 1, message }, append]]))
      assert.deepInclude(error, { from: 3, to: 4, seq: 2, line: 4 })
    }
  })
})

describe("3 → 4: messages", () => {
  const from = (plugin: Json, more: JsonObject = {}): Row => [
    "user/message",
    { role: "user", id: "u", source: { kind: "plugin", plugin, ...more }, content: [text("x")] },
    append
  ]

  it("[298] they name who made them: of one package, by their role", () => {
    const plugin = "@deepseek-ai/dsh-system-prompt"
    const head = { role: "system", id: "h", source: { kind: "plugin", plugin }, content: [] }
    const source = log(3, [
      ["turn/start", { turn: 1 }],
      ["system/message", { turn: 1, step: 1, message: head }, append],
      from(plugin, { form: "snapshot", sections: [] })
    ])
    const { events } = migrated(source)
    assert.deepStrictEqual(at(only(events, "system/message"), "data", "message", "source"), { kind: "system-prompt" })
    assert.deepStrictEqual(at(only(events, "user/message"), "data", "source"), {
      kind: "runtime-context",
      form: "snapshot",
      sections: []
    })
  })

  it("[298] known producers have kinds of their own, all others keep the name of their package", () => {
    const kinds = {
      compact: "compact-checkpoint",
      "tools-code-mode": "ptc-mode",
      "tools-ptc": "ptc-mode",
      "dsh-compaction-basic": "compact-basic",
      goal: "goal",
      "hooks-codex": "hooks-codex",
      acme: "plugin:acme",
      constructor: "plugin:constructor"
    }
    for (const [plugin, kind] of Object.entries(kinds)) {
      const waiting: Row = [
        "agent/inbox/spliced",
        {
          target: "next-turn",
          inserted: [{ id: "w", source: { kind: "plugin", plugin } }, { source: { kind: "user" } }]
        }
      ]
      const { events } = migrated(log(3, [waiting, from(plugin)]))
      assert.deepStrictEqual(at(only(events, "user/message"), "data", "source"), { kind })
      assert.deepStrictEqual(at(only(events, "agent/inbox/spliced"), "data", "inserted"), [
        { id: "w", source: { kind } },
        { source: { kind: "user" } }
      ])
    }
    assert.include(refused(log(3, [from(7)])).reason, "plugin")
    // Only a system message is a prompt, also among those that wait or were sent elsewhere.
    const plugin = "@deepseek-ai/dsh-system-prompt"
    const messages = [{ source: { kind: "plugin", plugin } }, { role: "system", source: { kind: "plugin", plugin } }]
    const titles = migrated(log(3, [["session/title-llm-request", { messages, messageSeqs: [] }]])).events
    assert.deepStrictEqual(at(titles[0], "data", "messages"), [
      { source: { kind: "runtime-context" } },
      { role: "system", source: { kind: "system-prompt" } }
    ])
  })

  it("blocks of others get names that none of ours has", () => {
    const row: Row = [
      "user/message",
      {
        role: "user",
        id: "u",
        source: { kind: "user" },
        content: [{ type: "chart", data: { type: "chart" } }, text("x")]
      },
      append
    ]
    assert.deepStrictEqual(at(only(migrated(log(3, [row])).events, "user/message"), "data", "content"), [
      { type: "plugin:chart", data: { type: "chart" } },
      text("x")
    ])
    const known = ["text", "reasoning", "image", "file", "tool-call", "tool-result"].map((type) => ({
      type,
      text: "x"
    }))
    const ours: Row = ["user/message", { role: "user", id: "u", source: { kind: "user" }, content: known }, append]
    const kept = only(migrated(log(2, [...step, ours])).events, "user/message")
    assert.deepStrictEqual(at(kept, "data", "content"), known)
    // Format 2 is closed: nobody can say what such a block was.
    for (const old of [row, result("r", "c", [{ type: "chart" }])]) {
      const error = refused(log(2, [...step, old]))
      assert.deepInclude(error, { from: 2, to: 3 })
      assert.include(error.reason, '"chart"')
    }
  })

  it("[299] a tool that says deferLoading is refused", () => {
    const tool = { name: "t", description: "", parameters: { properties: { deferLoading: {} } } }
    const { events } = migrated(log(3, [header({ tools: [tool] })]))
    assert.deepStrictEqual(at(only(events, "request/header"), "data", "header", "tools"), [tool])
    for (const deferLoading of [true, false]) {
      const error = refused(log(3, [header({ tools: [tool, { ...tool, deferLoading }] })]))
      assert.deepInclude(error, { from: 3, to: 4, seq: 0, line: 2 })
      assert.include(error.reason, '"t"')
    }
  })

  it("[299] unknown events keep their type", () => {
    const { events } = migrated(
      log(3, [
        ["acme/note", {}, { ignorable: true }],
        ["acme/other", {}]
      ])
    )
    assert.deepStrictEqual(typesOf(events), ["acme/note", "acme/other"])
  })

  it("a delivery marker that counts in the target's numbers is refused, any other one is kept", () => {
    const marker = (version: number): Row => [
      "session-log-deepseek/delivery-accepted",
      { sessionId: "s", throughSeq: 3, sessionFormatVersion: version }
    ]
    for (const from of [0, 1, 2, 3]) {
      assert.deepInclude(refused(log(from, [marker(4)])), { from: 3, to: 4 })
      const { events } = migrated(log(from, [marker(from), marker(9)]))
      assert.deepStrictEqual(
        events.map((event) => at(event, "data", "sessionFormatVersion")),
        [from, 9]
      )
    }
  })

  it("references are mapped where a turn had to be closed", () => {
    const splice: Row = ["agent/inbox/spliced", { target: "next-turn", inserted: [{ id: "w" }] }]
    const source = log(3, [
      ["turn/start", { turn: 1 }],
      splice,
      ["turn/start", { turn: 2 }],
      user("a", "a"),
      user("b", "b", { sourceEventSeqs: [3], surfaceOp: { op: "replace", startSeq: 3, endSeq: 3 } }),
      ["image/offload", { targets: [{ seq: 4, index: 4 }] }]
    ])
    const { events } = migrated(source)
    const last = json(events.find((event) => at(event, "data", "id") === "b"))
    assert.deepStrictEqual(last["sourceEventSeqs"], [4])
    assert.deepStrictEqual(last["surfaceOp"], { op: "replace", startSeq: 4, endSeq: 4 })
    assert.deepStrictEqual(only(events, "image/offload")["data"], { targets: [{ seq: 5, index: 4 }] })
  })
})

describe("3 → 4: sessions that this one started", () => {
  const child: Child = { id: "b", createdAt: 5, mode: "continuable", label: "B" }
  const fact = { childId: "b", childCreatedAt: 5, mode: "continuable", label: "B" }
  const listed: Row = ["subagent/catalog", fact]
  const run = (rows: ReadonlyArray<Row>, children: ReadonlyArray<Child>, more: JsonObject = {}) =>
    Result.map(migrate(log(3, rows, more), { children }), ({ events }) =>
      events.filter((event) => event.type === "subagent/catalog").map(json)
    )

  it("are listed at the end, the oldest first, if they are not yet", () => {
    const children: ReadonlyArray<Child> = [
      child,
      { id: "a", createdAt: 5, mode: "one-shot" },
      { id: "z", createdAt: 1, mode: "unknown" }
    ]
    const facts = Result.getOrThrow(run([["turn/start", { turn: 1 }]], children))
    assert.deepStrictEqual(facts, [
      {
        type: "subagent/catalog",
        seq: 1,
        time: 1010,
        data: { version: 1, childId: "z", childCreatedAt: 1, mode: "unknown" }
      },
      {
        type: "subagent/catalog",
        seq: 2,
        time: 1010,
        data: { version: 0, childId: "a", childCreatedAt: 5, mode: "one-shot" }
      },
      { type: "subagent/catalog", seq: 3, time: 1010, data: { version: 0, ...fact } }
    ])
    assert.deepInclude(Result.getOrThrow(run([], children))[0], { seq: 0, time: 1000 })
    const { report } = Result.getOrThrow(migrate(log(3, [["turn/start", { turn: 1 }]]), { children }))
    assert.deepInclude(report, { renumbered: false, eventsRead: 1, eventsWritten: 4 })
    assert.deepStrictEqual(Result.getOrThrow(run([listed], [child])).length, 1)
    assert.deepStrictEqual(Result.getOrThrow(run([listed], [])).length, 1)
    assert.deepStrictEqual(Result.getOrThrow(run([listed], [{ id: "b", createdAt: 5, mode: "unknown" }])).length, 1)
  })

  it("are refused where the log says something else, or the same twice", () => {
    const others: ReadonlyArray<Child> = [
      { ...child, createdAt: 6 },
      { ...child, mode: "one-shot" },
      { ...child, label: "C" },
      { id: "b", createdAt: 6, mode: "unknown" }
    ]
    for (const other of others) {
      const error = Result.getOrThrow(Result.flip(run([listed], [other])))
      assert.instanceOf(error, MigrationFailure)
      assert.include(error.message, '"b"')
    }
    assert.include(refused(log(3, [listed, listed])).reason, "twice")
    // What a seed brought along is not this session's.
    const end: Row = ["session/end-seed", { inherited: true }]
    assert.deepStrictEqual(Result.getOrThrow(run([listed, end, listed], [], { isSeeded: true })).length, 2)
  })
})

describe("all steps together", () => {
  for (const [file, lines] of own) {
    it(`[300] ${file}: what was asked stays what it was`, () => {
      const { events, header } = migrated(lines)
      const after = [header, ...events].map((row) => JSON.stringify(row))
      const same = file.startsWith("first-writers") ? anonymous : (requests: ReturnType<typeof requestsOf>) => requests
      const before = requestsOf(lines)
      assert.isAbove(before.length, 5)
      assert.deepStrictEqual(same(requestsOf(after)), same(before))
    })
  }

  it("[301] what was migrated keeps the rules of what is appended, or is refused", () => {
    for (const [, lines] of own) {
      const { events, header } = migrated(lines)
      const log = Result.getOrThrow(SessionLog.fromEvents(header, events))
      assert.strictEqual(log.length, events.length)
      assert.isAbove(Surface.size(log.surface), 0)
    }
    const uncovered = user("c", "c", { sourceEventSeqs: [2], surfaceOp: { op: "replace", start: 2, end: 3 } })
    const error = refused(log(2, [...step, user("a", "a"), user("b", "b"), uncovered]))
    // The source's own numbers in the place, the target's in the rule.
    assert.deepInclude(error, { from: 2, to: 4, seq: 4, line: 6 })
    assert.deepInclude(error.problem, { _tag: "SurfaceViolation", rule: "coverage", seq: 5 })
    assert.include(error.message, "Add 4")
    assert.deepInclude(refused(log(2, [...step, ["turn/end", {}]])).problem, { _tag: "InvalidEvent", type: "turn/end" })
  })

  it("[301] the rules that need no text are kept without it", () => {
    const results = (more: JsonObject): ReadonlyArray<Row> => {
      const [type, data] = result("r", "c", [text("…")])
      return [
        ...step,
        result("r", "c", [text("long")]),
        [
          type,
          { ...json(data), ...more },
          { sourceEventSeqs: [2], surfaceOp: { op: "replace", startSeq: 2, endSeq: 2 } }
        ]
      ]
    }
    assert.strictEqual(migrated(log(3, results({}))).events.length, 4)
    const error = refused(log(3, results({ meta: 1 })))
    assert.deepInclude(error.problem, { _tag: "SurfaceViolation", rule: "tool-result" })
  })

  it("what only checks holds no texts", () => {
    const long = "x".repeat(10_000)
    const message = {
      role: "tool",
      id: "r",
      source: { kind: "tool", callId: "c" },
      toolCallId: "c",
      content: [text(long)]
    }
    const rows: ReadonlyArray<Row> = [
      user("u", long),
      ["system/message", { turn: 1, step: 1, message: { role: "system", content: [text(long)] } }],
      [
        "assistant/message",
        { turn: 1, step: 1, message: { role: "assistant", content: [text(long)] }, stream: [long] }
      ],
      ["tool/result", { turn: 1, step: 1, message, meta: { lines: [long] } }],
      header({ tools: [{ name: "t", description: long, parameters: { description: long } }] })
    ]
    for (const [type, data] of rows) {
      assert.isBelow(JSON.stringify(slim({ type, seq: 0, data })).length, 400, type)
    }
    const other = { type: "acme/note", seq: 0, data: { long } }
    assert.strictEqual(slim(other), other)
  })

  it("[BC-083] a current header that still carries the prompt is refused", () => {
    const error = invalid(log(4, [header({ system: "P" })]))
    assert.instanceOf(error, InvalidLog)
    assert.deepInclude(error, { line: 2, seq: 0 })
    for (const word of ["system", "request/header"]) assert.include(error.message, word)
    assert.deepInclude(refused(log(3, [header({ system: "" })])).problem, { _tag: "InvalidEvent" })
  })
})
