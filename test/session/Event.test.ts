import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Event from "../../src/session/Event.ts"
import type { AppendError } from "../../src/session/SessionError.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import { changeable } from "../support/frozen.ts"
import * as make from "./support/events.ts"

const event = (input: unknown): Event.Event => Result.getOrThrow(Event.fromUnknown(input))

const refused = (input: unknown): AppendError => Result.getOrThrow(Result.flip(Event.fromUnknown(input)))

/** The place and reason of what is no event. */
const invalid = (input: unknown) => {
  const error = refused(input)
  return error._tag === "InvalidEvent" ? error : assert.fail(error.message)
}

const violation = (input: unknown) => {
  const error = refused(input)
  return error._tag === "SurfaceViolation" ? error : assert.fail(error.message)
}

/** Would not compile without the comments. */
export const mistakes = () => [
  // @ts-expect-error: its data would be that of a known type.
  Event.opaque("turn/start", { sky: "clear" }),
  // @ts-expect-error: data of a known type is checked, also where drafts of other types are taken.
  Event.number([{ type: "turn/start", data: { sky: "clear" } }], 0),
  // @ts-expect-error: only `opaque` makes drafts of other types.
  Event.number([{ type: "weather/report", data: { sky: "clear" } }], 0)
]

const opaque = (data: unknown, more?: object) => ({ seq: 3, type: "odd/thing", data, ...more })

describe("fromUnknown", () => {
  it("a host's own event is a draft like others, and is kept as it is", () => {
    const drafts = [
      { type: "turn/start" as const, data: { turn: 1 } },
      Event.opaque("my-host/note", { sky: "clear" }),
      Event.opaque("my-host/note", null, 5)
    ]
    const log = Result.getOrThrow(SessionLog.commit(SessionLog.empty(make.header), drafts))
    const [, first, second] = SessionLog.events(log)
    assert.deepStrictEqual<unknown>(first, { type: "my-host/note", data: { sky: "clear" }, seq: 1 })
    assert.deepStrictEqual<unknown>(second, { type: "my-host/note", data: null, time: 5, seq: 2 })
    assert.isTrue(Event.isOpaque(first!))
    assert.deepStrictEqual(SessionLog.messages(log), [])
  })

  it("shares nothing with what it was given, freezes all of it, and keeps members that no Schema names", () => {
    const input = {
      seq: 0,
      time: 17,
      type: "assistant/message",
      data: {
        turn: 1,
        step: 2,
        interrupted: true,
        stream: [{ type: "chunk" }],
        message: {
          role: "assistant",
          id: "a",
          source: { kind: "model", provider: "p", model: "m", extra: [1] },
          content: [{ type: "reasoning", text: "hm", signature: "x" }],
          more: null
        }
      },
      surfaceOp: "append"
    }
    const copy = structuredClone(input)
    const made = event(input)
    assert.deepStrictEqual<unknown>(made, copy)
    assert.deepStrictEqual(changeable(made), [])
    input.data.message.content.pop()
    assert.deepStrictEqual<unknown>(made, copy)
    assert.deepStrictEqual<unknown>(JSON.parse(JSON.stringify(made)), copy)
  })

  it("gives back what was made here, and copies of it anew", () => {
    const made = event(opaque([1]))
    assert.isTrue(Event.isEvent(made))
    assert.strictEqual(event(made), made)
    const copy = Object.freeze({ ...made })
    assert.isFalse(Event.isEvent(copy))
    assert.notStrictEqual(event(copy), made)
    assert.deepStrictEqual(event(copy), made)
  })

  it("tells events apart by what is understood of them", () => {
    const known = event({ seq: 0, ...make.user("hi") })
    const logged = event({ seq: 1, ...make.stepStart })
    const other = event(opaque(null))
    assert.deepStrictEqual([known, logged, other].map(Event.isSurface), [true, false, false])
    assert.deepStrictEqual([known, logged, other].map(Event.isOpaque), [false, false, true])
    assert.deepStrictEqual([known, logged, other].map(Event.is("user/message")), [true, false, false])
    for (const type of ["toString", "constructor", "__proto__"]) {
      assert.isTrue(Event.isOpaque(event({ seq: 0, type, data: {} })), type)
    }
  })

  it("keeps a type that nobody knows with any data, time or none", () => {
    for (const data of [null, 0, "", [], { deep: [{ a: null }] }]) {
      assert.deepStrictEqual<unknown>(event(opaque(data)), opaque(data))
      assert.deepStrictEqual<unknown>(event(opaque(data, { time: 5, ignorable: true })).time, 5)
    }
  })

  it("[281] data that is no plain JSON is refused at its place: nothing is repaired", () => {
    const cycle: Record<string, unknown> = {}
    cycle["self"] = cycle
    const sparse: Array<number> = [1]
    sparse.length = 3
    for (const [title, data, path, word] of [
      ["undefined", { a: undefined }, "$.data.a", "undefined"],
      ["-0", { a: [1, -0] }, "$.data.a[1]", "-0"],
      ["NaN", { a: Number.NaN }, "$.data.a", "NaN"],
      ["an infinity", Number.NEGATIVE_INFINITY, "$.data", "-Infinity"],
      ["a function", { a: () => 1 }, "$.data.a", "function"],
      ["a BigInt", [1n], "$.data[0]", "BigInt"],
      ["a class instance", { a: new Date(0) }, "$.data.a", "Date"],
      ["a hole", sparse, "$.data[1]", "hole"],
      ["a cycle", cycle, "$.data.self", "itself"]
    ] as const) {
      const error = invalid(opaque(data))
      assert.deepInclude(error, { type: "odd/thing", seq: 3, path }, title)
      assert.include(error.reason, word, title)
      assert.include(error.message, `event 3 (odd/thing) is invalid at ${path}: `)
    }
    assert.strictEqual(event(opaque(0)).data, 0)
  })

  it("[281] so is what is no event at all, or has members that no event has", () => {
    for (const [input, path, word] of [
      [5, "$", "a number"],
      [[], "$", "an array"],
      [null, "$", "null"],
      [{}, "$.type", "undefined"],
      [{ type: "" }, "$.type", "an empty string"],
      [{ type: "a" }, "$.seq", "undefined"],
      [{ type: "a", seq: 1.5, data: 1 }, "$.seq", "a number"],
      [{ type: "a", seq: -1, data: 1 }, "$.seq", "a number"],
      [{ type: "a", seq: -0, data: 1 }, "$.seq", "a number"],
      [{ type: "a", seq: 2 ** 53, data: 1 }, "$.seq", "a number"],
      [{ type: "a", seq: "0", data: 1 }, "$.seq", "a string"],
      [{ type: "a", seq: 0 }, "$.data", "null"],
      [{ type: "a", seq: 0, data: undefined }, "$.data", "undefined"],
      [{ type: "a", seq: 0, data: 1, time: "now" }, "$.time", "a string"],
      [{ type: "a", seq: 0, data: 1, time: null }, "$.time", "null"],
      [{ type: "a", seq: 0, data: 1, ignorable: false }, "$.ignorable", "true"],
      [{ type: "a", seq: 0, data: 1, sourceSeqs: [] }, "$.sourceSeqs", "sourceEventSeqs"]
    ] as const) {
      const error = invalid(input)
      assert.strictEqual(error.path, path, JSON.stringify(input))
      assert.include(error.reason, word, JSON.stringify(input))
    }
    assert.notProperty(invalid({ type: "a" }), "seq")
    assert.strictEqual(invalid({ type: "a" }).message.slice(0, 32), 'an event "a" is invalid at $.seq')
  })

  it("nothing of the input runs, and what a proxy throws is told", () => {
    const error = invalid({
      type: "a",
      seq: 0,
      get data() {
        return assert.fail("never run")
      }
    })
    assert.strictEqual(error.path, "$.data")
    const thrower = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error("boo")
        }
      }
    )
    assert.include(invalid(thrower).reason, "boo")
  })
})

describe("the data of an event", () => {
  const message = { role: "user", id: "u", source: { kind: "user" }, content: [] }
  const of = (type: string, data: unknown, more?: object) => ({ seq: 0, type, data, surfaceOp: "append", ...more })
  const logged = (type: string, data: unknown) => ({ seq: 0, type, data })
  const at = { turn: 1, step: 1 }

  it("has the role and the source that its type demands", () => {
    const model = { kind: "model", provider: "p", model: "m" }
    for (const [title, input, path] of [
      ["a role of another type", of("user/message", { ...message, role: "system" }), "$.data.role"],
      ["a message without an id", of("user/message", { ...message, id: "" }), "$.data.id"],
      ["a message without a source", of("user/message", { ...message, source: {} }), "$.data.source.kind"],
      ["a wrapper that is not there", of("system/message", message), "$.data.turn"],
      [
        "a system message of somebody",
        of("system/message", { ...at, message: { ...message, role: "system" } }),
        "$.data.message.source.kind"
      ],
      [
        "an assistant that is no model",
        of("assistant/message", { ...at, message: { ...message, role: "assistant", source: { ...model, kind: "x" } } }),
        "$.data.message.source.kind"
      ],
      [
        "an unknown model",
        of("assistant/message", {
          ...at,
          message: { ...message, role: "assistant", source: { kind: "model", provider: "p" } }
        }),
        "$.data.message.source.model"
      ],
      ["a developer's message by a user", of("developer/message", { ...at, message }), "$.data.message.role"],
      ["a developer's role for a user", of("user/message", { ...message, role: "developer" }), "$.data.role"],
      [
        "a result of another call",
        of("tool/result", {
          ...at,
          message: { ...message, role: "tool", toolCallId: "a", source: { kind: "tool", callId: "b" } }
        }),
        "$.data.message.source.callId"
      ],
      [
        "a text without text",
        of("user/message", { ...message, content: [{ type: "text" }] }),
        "$.data.content[0].text"
      ],
      ["a block without a type", of("user/message", { ...message, content: [{}] }), "$.data.content[0].type"],
      ["a turn that is no number", logged("turn/start", { turn: "1" }), "$.data.turn"],
      ["an end without a reason", logged("turn/end", { turn: 1 }), "$.data.reason"],
      [
        "arguments that are no text",
        logged("tool/call", { ...at, callId: "c", name: "n", arguments: {} }),
        "$.data.arguments"
      ],
      [
        "a title of no messages",
        logged("session/title", { title: "t", source: { kind: "fallback" } }),
        "$.data.messageSeqs"
      ],
      ["a compaction of no id", logged("compaction/start", {}), "$.data.compactionId"],
      [
        "an unknown update",
        logged("request/context", { provider: "p", model: "m", systemPromptUpdate: "x" }),
        "$.data.systemPromptUpdate"
      ],
      ["a seed that is odd", logged("session/end-seed", { inherited: 1 }), "$.data.inherited"]
    ] as const) {
      const error = invalid(input)
      assert.strictEqual(error.path, path, `${title}: ${error.message}`)
    }
  })

  it("announces tools by name, in developer messages, with the header that defines them", () => {
    const developer = (content: ReadonlyArray<object>, more?: object) =>
      of("developer/message", { ...at, ...more, message: { ...message, role: "developer", content } })
    const addition = { type: "tool-addition", toolName: "read" }
    const removal = { type: "tool-removal", toolName: "read" }
    event({
      ...developer([addition, removal, { type: "text", text: "so" }, { type: "odd" }], { headerSeq: 0 }),
      seq: 1
    })
    event(developer([removal]))
    for (const [input, path, word] of [
      [developer([addition]), "$.data.headerSeq", "defines them"],
      [developer([removal], { headerSeq: 0 }), "$.data.headerSeq", "Leave headerSeq out"],
      [developer([{ ...addition, toolName: "" }], { headerSeq: 0 }), "$.data.message.content[0].toolName", "length"],
      [developer([{ type: "tool-removal" }]), "$.data.message.content[0].toolName", "missing"],
      [developer([{ ...addition, tool: {} }], { headerSeq: 0 }), "$.data.message.content[0].tool", "request/header"],
      [
        developer([{ ...addition, parameters: {} }], { headerSeq: 0 }),
        "$.data.message.content[0].parameters",
        "request/header"
      ],
      [of("user/message", { ...message, content: [addition] }), "$.data.content[0].type", "developer/message"],
      [of("user/message", { ...message, content: [removal] }), "$.data.content[0].type", "developer/message"]
    ] as const) {
      const error = invalid(input)
      assert.strictEqual(error.path, path, error.message)
      assert.include(error.reason, word)
    }
  })

  it("[280, BC-083] a request/header carries no system prompt, whatever it says, and no empty list of tools", () => {
    const header = (more: object) =>
      logged("request/header", { header: { config: make.config, ...more }, reason: "initial" })
    event(header({}))
    event(header({ adapterDefaults: { maxTokens: true, later: 1 }, tools: [make.tool("read")] }))
    for (const system of ["P", "", null, { text: "P" }]) {
      const error = invalid(header({ system }))
      assert.strictEqual(error.path, "$.data.header.system")
      assert.include(error.message, "system/message")
      assert.include(error.message, "request/header")
    }
    for (const [more, path] of [
      [{ tools: [] }, "$.data.header.tools"],
      [{ adapterDefaults: {} }, "$.data.header.adapterDefaults"],
      [{ tools: [{ ...make.tool("read"), deferLoading: false }] }, "$.data.header.tools[0].deferLoading"],
      [{ tools: [{ name: "read" }] }, "$.data.header.tools[0].description"],
      [{ config: { provider: "p" } }, "$.data.header.config.model"]
    ] as const) {
      assert.strictEqual(invalid(header(more)).path, path)
    }
    assert.strictEqual(invalid(logged("request/header", [])).path, "$.data")
    assert.strictEqual(invalid(logged("request/header", { header: "h", reason: "initial" })).path, "$.data.header")
    const fallback = logged("request/header", { header: { config: make.config }, reason: "fallback" })
    assert.strictEqual(invalid(fallback).path, "$.data.reason")
  })

  it("of a tool's result has an error only where the result says so", () => {
    const { data } = make.toolResult("no")
    const failed = { ...data, error: { code: "X" } }
    assert.strictEqual(invalid(of("tool/result", failed)).path, "$.data.message.isError")
    const no = { ...failed, message: { ...data.message, isError: false } }
    assert.strictEqual(invalid(of("tool/result", no)).path, "$.data.message.isError")
    event(of("tool/result", { ...failed, message: { ...data.message, isError: true } }))
    event(of("tool/result", { ...data, message: { ...data.message, isError: true } }))
  })
})

describe("rules that an event keeps in itself", () => {
  const user = (more: object) => ({ seq: 9, ...make.user("hi"), ...more })

  it("[262] a message says how it comes to the surface", () => {
    const { surfaceOp: _, ...rest } = make.user("hi")
    const error = violation({ seq: 9, ...rest })
    assert.deepInclude(error, { rule: "operation", type: "user/message", seq: 9 })
    assert.include(error.message, "event 9 (user/message) breaks the rule operation: it has no surfaceOp")
  })

  it("[263] what is only logged neither has an operation nor cites", () => {
    for (const more of [{ surfaceOp: "append" }, { sourceEventSeqs: [1] }, { surfaceOp: null }]) {
      for (const ignorable of [{}, { ignorable: true }]) {
        const error = violation({ seq: 9, ...make.stepStart, ...more, ...ignorable })
        assert.deepInclude(error, { rule: "log-only", type: "step/start", seq: 9 })
        assert.include(error.reason, Object.keys(more).join())
      }
    }
  })

  it("[264] an operation is append, or a replacement with its three members", () => {
    const op = { op: "replace", startSeq: 1, endSeq: 2 }
    for (const [surfaceOp, word] of [
      ["replace", '"replace"'],
      ["", '""'],
      [null, "null"],
      [[], "an array"],
      [7, "a number"],
      [{}, "replace"],
      [{ ...op, op: "append" }, "replace"],
      [{ ...op, extra: 1 }, "extra"],
      [{ op: "replace", startSeq: 1 }, "endSeq"],
      [{ op: "replace", endSeq: 1 }, "startSeq"],
      [{ op: "replace", start: 1, end: 2 }, "start"],
      [{ ...op, startSeq: 1.5 }, "startSeq"],
      [{ ...op, endSeq: -1 }, "endSeq"],
      [{ ...op, endSeq: "2" }, "endSeq"]
    ] as const) {
      const error = violation(user({ surfaceOp, sourceEventSeqs: [1, 2] }))
      assert.strictEqual(error.rule, "operation", JSON.stringify(surfaceOp))
      assert.include(error.reason, word, JSON.stringify(surfaceOp))
    }
    assert.strictEqual(invalid(user({ surfaceOp: { ...op, startSeq: -0 } })).path, "$.surfaceOp.startSeq")
    for (const [key, other] of [
      ["startSeq", "endSeq"],
      ["endSeq", "startSeq"]
    ] as const) {
      const error = violation(user({ surfaceOp: { ...op, [other]: 1, [key]: 9 }, sourceEventSeqs: [1] }))
      assert.deepInclude(error, { rule: "endpoint", seqs: [9] })
      assert.include(error.reason, key)
    }
    event(user({ surfaceOp: op, sourceEventSeqs: [1, 2] }))
  })

  it("[269] citations are earlier events, at least one, each once", () => {
    for (const [sourceEventSeqs, seqs] of [
      [[], []],
      [[1, 2, 1], [1]],
      [[1.5], []],
      [["1"], []],
      [[-1], []],
      [[1, 9], [9]],
      [[10], [10]],
      [5, []],
      [null, []],
      [{ 0: 1 }, []]
    ] as const) {
      const error = violation(user({ sourceEventSeqs }))
      assert.deepInclude(error, { rule: "citation", seqs }, JSON.stringify(sourceEventSeqs))
      assert.include(error.reason, "sourceEventSeqs")
    }
    assert.strictEqual(invalid(user({ sourceEventSeqs: [1, -0] })).path, "$.sourceEventSeqs[1]")
    event(user({ sourceEventSeqs: [8, 0] }))
  })

  it("[270] what the model said cites nothing, so it replaces nothing", () => {
    const said = { seq: 9, ...make.assistant("yes") }
    for (const more of [{ sourceEventSeqs: [1] }, make.replacing(1), { surfaceOp: make.replacing(1).surfaceOp }]) {
      assert.deepInclude(violation({ ...said, ...more }), { rule: "citation", type: "assistant/message", seq: 9 })
    }
    event(said)
  })

  it("[278] an unknown event that may be ignored says what it will; another that concerns the surface is refused", () => {
    const odd = { seq: 9, type: "later/message", data: { role: "user" } }
    for (const more of [{ surfaceOp: "append" }, { sourceEventSeqs: [99] }, { surfaceOp: { odd: [] } }]) {
      assert.deepStrictEqual<unknown>(event({ ...odd, ...more, ignorable: true }), { ...odd, ...more, ignorable: true })
      const error = violation({ ...odd, ...more })
      assert.deepInclude(error, { rule: "unknown-on-surface", type: "later/message", seq: 9 })
      assert.include(error.reason, Object.keys(more).join())
    }
    event(odd)
  })
})

describe("number", () => {
  it("gives each event the next place", () => {
    const numbered = Event.number([make.user("a"), make.stepEnd], 5)
    assert.deepStrictEqual(numbered, [
      { ...make.user("a"), seq: 5 },
      { ...make.stepEnd, seq: 6 }
    ])
  })
})
