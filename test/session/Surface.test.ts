import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Event from "../../src/session/Event.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import type { Rule } from "../../src/session/SessionError.ts"
import * as Surface from "../../src/session/Surface.ts"
import { changeable } from "../support/frozen.ts"
import {
  assistant,
  config,
  developer,
  extend,
  log,
  refusal,
  replacing,
  requestHeader,
  said,
  seqs,
  snapshot,
  stepEnd,
  stepStart,
  system,
  text,
  tool,
  toolResult,
  user
} from "./support/events.ts"

/** A head, a user, the model, a user: 0, 2, 3, 5 of six events. */
const base = log(system("P"), stepStart, user("a"), assistant("b"), stepEnd, user("c"))

const breaks = (
  self: SessionLog.SessionLog,
  rule: Rule,
  seqs: ReadonlyArray<number>,
  ...drafts: ReadonlyArray<object>
): string => {
  const error = refusal(self, ...drafts)
  assert.strictEqual(error._tag, "SurfaceViolation", error.message)
  const last = drafts.at(-1)
  const type = last !== undefined && "type" in last ? String(last.type) : ""
  assert.deepInclude(error, { rule, type, seq: self.length + drafts.length - 1, seqs }, error.message)
  return error.message
}

describe("replacing", () => {
  it("[265] an end that is unknown or already replaced is refused by name", () => {
    const op = (startSeq: number, endSeq: number) => ({
      surfaceOp: { op: "replace" as const, startSeq, endSeq },
      sourceEventSeqs: [2]
    })
    assert.include(breaks(base, "endpoint", [1], user("x", op(1, 2))), "startSeq 1")
    assert.include(breaks(base, "endpoint", [4], user("x", op(2, 4))), "endSeq 4")
    const replaced = extend(base, user("x", replacing(2, 3)))
    assert.deepStrictEqual(seqs(replaced), [0, 6, 5])
    assert.include(breaks(replaced, "endpoint", [2], user("x", op(2, 5))), "startSeq 2")
    assert.include(breaks(replaced, "endpoint", [3], user("x", op(6, 3))), "endSeq 3")
    assert.include(breaks(base, "endpoint", [9], user("x", op(9, 5))), "startSeq 9")
  })

  it("[266] ends in the wrong order are refused; the order is that of the surface, not of the log", () => {
    breaks(base, "endpoint", [3, 2], user("x", replacing(3, 2)))
    const replaced = extend(base, user("x", replacing(2, 3)))
    assert.deepStrictEqual(seqs(replaced), [0, 6, 5])
    assert.include(breaks(replaced, "endpoint", [5, 6], user("y", replacing(5, 6))), "startSeq 5 stands after endSeq 6")
    assert.deepStrictEqual(seqs(extend(replaced, user("y", replacing(6, 5)))), [0, 7])
  })

  it("[267] everything that is taken away has to be cited; what is missing is named", () => {
    const most = { ...replacing(2, 3, 5), sourceEventSeqs: [3] }
    assert.include(breaks(base, "coverage", [2, 5], user("x", most)), "Add 2, 5")
    breaks(base, "coverage", [2, 3, 5], user("x", { surfaceOp: most.surfaceOp }))
    const all = Array.from({ length: 30 }, (_, i) => i)
    const many = log(...all.map((seq) => user(String(seq))))
    const told = breaks(many, "coverage", all, user("x", { surfaceOp: replacing(0, 29).surfaceOp }))
    assert.include(told, "18, 19 and 10 more.")
    assert.deepStrictEqual(seqs(extend(base, user("x", replacing(2, 3, 5)))), [0, 6])
  })

  it("[268] earlier events that stay may be cited too", () => {
    const more = { ...replacing(2, 3), sourceEventSeqs: [5, 3, 4, 2, 0] }
    assert.deepStrictEqual(seqs(extend(base, user("x", more))), [0, 6, 5])
    const citing = extend(base, user("x", { sourceEventSeqs: [2, 3] }))
    assert.deepStrictEqual(seqs(citing), [0, 2, 3, 5, 6])
  })

  it("takes the place of the first that it takes away", () => {
    const log = extend(base, user("x", replacing(2, 3)), user("d"), user("y", replacing(5)), user("z", replacing(6, 8)))
    assert.deepStrictEqual(seqs(log), [0, 9, 7])
    assert.deepStrictEqual(said(log), [
      ["system", "P"],
      ["user", "z"],
      ["user", "d"]
    ])
  })

  it("[271] the system message at the head is replaced alone, by another one", () => {
    assert.include(breaks(base, "head", [0], user("x", replacing(0))), "begins with the system/message 0")
    breaks(base, "head", [0], user("x", replacing(0, 2, 3)))
    breaks(base, "head", [0], system("Q", replacing(0, 2)))
    const replaced = extend(base, system("Q", replacing(0)))
    assert.deepStrictEqual(seqs(replaced), [6, 2, 3, 5])
    breaks(replaced, "head", [6], user("x", replacing(6, 2)))
    assert.deepStrictEqual(seqs(extend(replaced, system("R", replacing(6)))), [7, 2, 3, 5])
  })

  it("a head that is no system message is like any other message", () => {
    const late = log(user("a"), system("P"), user("b"))
    assert.deepStrictEqual(seqs(extend(late, user("x", replacing(0, 1)))), [3, 2])
    assert.deepStrictEqual(seqs(extend(late, system("Q", replacing(0)))), [3, 1, 2])
  })

  it("[272] later system messages may be replaced by anything", () => {
    const two = extend(base, system("Q"), user("d"))
    assert.deepStrictEqual(seqs(extend(two, user("sum", replacing(5, 6, 7)))), [0, 2, 3, 8])
    assert.deepStrictEqual(seqs(extend(two, system("R", replacing(2, 3, 5, 6)))), [0, 8, 7])
  })

  it("[273] a result of a tool is replaced alone, by one that differs in its content only", () => {
    const tools = log(user("a"), toolResult("long"), toolResult("other"), user("b"))
    breaks(tools, "tool-result", [0], toolResult("x", replacing(0)))
    breaks(tools, "tool-result", [1, 2], toolResult("x", replacing(1, 2)))
    const { data } = toolResult("short")
    for (const other of [
      { ...data, step: 2 },
      { ...data, more: true },
      { ...data, message: { ...data.message, id: "other" } },
      { ...data, message: { ...data.message, isError: false } },
      { ...data, message: { ...data.message, toolCallId: "c", source: { kind: "tool", callId: "c" } } }
    ]) {
      const message = breaks(tools, "tool-result", [1], { ...toolResult("short", replacing(1)), data: other })
      assert.include(message, "differs from 1")
    }
    const pruned = extend(tools, toolResult("short", replacing(1)))
    assert.deepStrictEqual(seqs(pruned), [0, 4, 2, 3])
    assert.deepStrictEqual(seqs(extend(pruned, toolResult("", replacing(4)))), [0, 5, 2, 3])
    assert.deepStrictEqual(seqs(extend(tools, user("sum", replacing(1, 2)))), [0, 4, 3])
  })

  it("[275] moves the generation by one, and appending leaves it", () => {
    const generation = (self: SessionLog.SessionLog) => self.surface.generation
    assert.strictEqual(generation(base), 0)
    const replaced = extend(base, user("x", replacing(2, 3)))
    assert.strictEqual(generation(replaced), 1)
    assert.strictEqual(generation(extend(replaced, user("y"), system("Q"), stepEnd)), 1)
    assert.strictEqual(generation(extend(replaced, system("Q", replacing(0)))), 2)
  })

  it("[277] what was replaced stays readable in the log", () => {
    const replaced = extend(base, user("x", replacing(2, 3)))
    assert.isFalse(Surface.has(replaced.surface, 2))
    assert.isTrue(Surface.has(replaced.surface, 6))
    assert.deepStrictEqual<unknown>(SessionLog.events(replaced)[2], { seq: 2, ...user("a") })
    assert.lengthOf(SessionLog.events(replaced), 7)
  })
})

describe("appending", () => {
  it("[276] a place that is not the next is refused with the one that is", () => {
    for (const seq of [0, 5, 7, 600]) {
      const error = Result.getOrThrow(Result.flip(SessionLog.append(base, [{ seq, ...user("x") }])))
      assert.deepInclude(error, { rule: "dense-seq", seq, seqs: [6] })
      assert.include(error.message, "the next event of this log is 6")
    }
    const seed = SessionLog.events(base)
    const gap = SessionLog.fromEvents(base.header, seed.toSpliced(3, 1))
    assert.deepInclude(Result.getOrThrow(Result.flip(gap)), { rule: "dense-seq", seq: 4, seqs: [3] })
  })

  it("[274] a refused event leaves log and surface as they were, and its place is taken by the next", () => {
    const before = JSON.stringify(base)
    breaks(base, "coverage", [3], user("x"), system("y"), user("z", { ...replacing(2, 3), sourceEventSeqs: [2] }))
    assert.strictEqual(JSON.stringify(base), before)
    const next = extend(base, user("next"))
    assert.strictEqual(SessionLog.events(next).at(-1)?.seq, 6)
    assert.deepStrictEqual(seqs(next), [0, 2, 3, 5, 6])
    assert.strictEqual(JSON.stringify(base), before, "an earlier log is good for ever")
  })

  it("[278] an unknown event that may be ignored does nothing, whatever it says; one that is only logged is kept", () => {
    const odd = { type: "later/thing", data: [1], ignorable: true, ...replacing(0, 2) }
    const events = [odd, { type: "later/fact", data: { a: 1 } }].map((draft, i) =>
      Result.getOrThrow(Event.fromUnknown({ seq: 6 + i, ...draft }))
    )
    const after = Result.getOrThrow(SessionLog.append(base, events))
    assert.deepStrictEqual(seqs(after), seqs(base))
    assert.strictEqual(after.surface.generation, 0)
    assert.deepStrictEqual(SessionLog.events(after, { from: 6 }), events)
    assert.deepInclude(refusal(base, { ...odd, ignorable: undefined }), { _tag: "InvalidEvent" })
    const { ignorable: _, ...required } = odd
    breaks(base, "unknown-on-surface", [], required)
  })

  it("holds events that nobody checked to the same rules, and freezes what it keeps", () => {
    const draft = user("x")
    const after = extend(base, draft)
    assert.deepStrictEqual(changeable(SessionLog.events(after)), ["$"], "the list alone is the caller's")
    assert.notStrictEqual<unknown>(SessionLog.events(after)[6], draft)
    const bad = SessionLog.commit(base, [{ ...user("x"), data: { ...user("x").data, id: "" } }])
    assert.deepInclude(Result.getOrThrow(Result.flip(bad)), { _tag: "InvalidEvent", seq: 6, path: "$.data.id" })
  })
})

describe("tools that are announced", () => {
  it("are defined once in the header that is named, which is an earlier event", () => {
    const headed = log(stepStart, requestHeader(["read", "write"]), user("a"))
    assert.deepStrictEqual(seqs(extend(headed, developer(["read", "write"], 1), developer([], 0))), [2, 3, 4])
    assert.include(
      breaks(headed, "tool-header", [0], developer(["read"], 0)),
      "headerSeq 0 is no earlier request/header"
    )
    breaks(headed, "tool-header", [2], developer(["read"], 2))
    breaks(headed, "tool-header", [3], developer(["read"], 3))
    breaks(headed, "tool-header", [2 ** 40], developer(["read"], 2 ** 40))
    assert.include(breaks(headed, "tool-header", [1], developer(["read", "grep"], 1)), 'defines 0 tools named "grep"')
    const twice = log({
      type: "request/header",
      data: { header: { config, tools: [tool("read"), tool("read")] }, reason: "initial" }
    })
    assert.include(breaks(twice, "tool-header", [0], developer(["read"], 0)), 'defines 2 tools named "read"')
    breaks(log(requestHeader([])), "tool-header", [0], developer(["read"], 0))
  })
})

describe("messages", () => {
  it("come in the order of the surface, verbatim; empty ones of system, developer and assistant hold their place only", () => {
    const all = log(
      system(""),
      user(""),
      assistant(""),
      toolResult(""),
      user([{ type: "image" }]),
      requestHeader(["read"]),
      developer(["read"], 5)
    )
    const empty = { ...developer([], 0), data: { ...developer([], 0).data } }
    const bare = extend(all, {
      ...empty,
      data: { ...empty.data, message: { ...empty.data.message, content: [] } }
    })
    assert.deepStrictEqual(seqs(bare), [0, 1, 2, 3, 4, 6, 7])
    assert.strictEqual(Surface.size(bare.surface), 7)
    assert.deepStrictEqual(
      SessionLog.messages(bare).map((message) => message.role),
      ["user", "tool", "user", "developer"]
    )
    assert.deepStrictEqual<unknown>(SessionLog.messages(bare)[2], user([{ type: "image" }]).data)
    assert.deepStrictEqual<unknown>(SessionLog.messages(bare)[1], toolResult("").data.message)
    const filled = extend(bare, system([text("P")], replacing(0)))
    assert.deepStrictEqual(said(filled)[0], ["system", "P"])
  })

  it("of a generation are the first messages of all that follow in it", () => {
    const steps = [assistant("d"), snapshot("now"), system("Q"), toolResult("e")]
    let before = base
    for (const draft of steps) {
      const after = extend(before, draft)
      const [old, now] = [SessionLog.messages(before), SessionLog.messages(after)]
      assert.strictEqual(after.surface.generation, before.surface.generation)
      assert.deepStrictEqual(now.slice(0, old.length), old)
      before = after
    }
  })
})
