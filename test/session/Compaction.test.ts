import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Compaction from "../../src/session/Compaction.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import type * as Event from "../../src/session/Event.ts"
import { assistant, extend, log, said, seqs, stepStart, system, text, toolResult, user } from "./support/events.ts"

const history = log(system("P"), stepStart, user("a"), assistant("b"), user("c"), assistant("d"))

const options = { id: "compaction", startSeq: 2, endSeq: 4, content: [text("sum")], messageId: "sum", time: 9 }

const drafts = (self: SessionLog.SessionLog, more: Partial<Compaction.Options> = {}) =>
  Compaction.drafts(self, { ...options, ...more })

describe("a compaction", () => {
  it("is a replacement like any other, and says in the log what it took away", () => {
    const made = Result.getOrThrow(drafts(history))
    assert.deepStrictEqual<unknown>(made, [
      { type: "compaction/start", time: 9, data: { compactionId: "compaction" } },
      {
        type: "compaction/summary",
        time: 9,
        data: { compactionId: "compaction", shadowedRange: { start: 2, end: 4 }, shadowedSeqs: [2, 3, 4] }
      },
      {
        type: "user/message",
        time: 9,
        data: {
          role: "user",
          content: [text("sum")],
          source: { kind: "compact-checkpoint", compactionId: "compaction" },
          id: "sum"
        },
        surfaceOp: { op: "replace", startSeq: 2, endSeq: 4 },
        sourceEventSeqs: [2, 3, 4]
      },
      { type: "compaction/end", time: 9, data: { compactionId: "compaction" } }
    ])
    const after = extend(history, ...made)
    assert.deepStrictEqual(seqs(after), [0, 8, 5])
    assert.deepStrictEqual(said(after), [
      ["system", "P"],
      ["user", "sum"],
      ["assistant", "d"]
    ])
    assert.strictEqual(after.surface.generation, 1)
  })

  it("covers earlier compactions, in the order of the surface", () => {
    const once = extend(history, ...Result.getOrThrow(drafts(history)))
    const twice = extend(once, ...Result.getOrThrow(drafts(once, { startSeq: 8, endSeq: 5, messageId: "again" })))
    assert.deepStrictEqual(seqs(twice), [0, 12])
  })

  it("fails where an end is not on the surface, or the two are in the wrong order", () => {
    const refused = (more: Partial<Compaction.Options>) => Result.getOrThrow(Result.flip(drafts(history, more)))
    assert.deepInclude(refused({ startSeq: 1 }), { rule: "endpoint", type: "user/message", seq: 8, seqs: [1] })
    assert.deepInclude(refused({ endSeq: 99 }), { rule: "endpoint", seq: 8, seqs: [99] })
    assert.deepInclude(refused({ startSeq: 4, endSeq: 2 }), { rule: "endpoint", seqs: [4, 2] })
  })

  it("cannot take the head with it: that is seen when it is committed, and nothing is", () => {
    const made = Result.getOrThrow(drafts(history, { startSeq: 0 }))
    const refused = Result.getOrThrow(Result.flip(SessionLog.commit(history, made)))
    assert.deepInclude(refused, { rule: "head", type: "user/message", seq: 8, seqs: [0] })
  })
})

const calling = (...ids: ReadonlyArray<string>): Event.Draft<"assistant/message"> => {
  const draft = assistant("")
  const content = ids.map((id) => ({ type: "tool-call", id, name: "read", arguments: "{}" }))
  return { ...draft, data: { ...draft.data, message: { ...draft.data.message, content } } }
}

const result = (callId: string): Event.Draft<"tool/result"> => {
  const draft = toolResult("done")
  const message = { ...draft.data.message, toolCallId: callId, source: { kind: "tool" as const, callId } }
  return { ...draft, data: { ...draft.data, message } }
}

describe("a compaction among calls", () => {
  const calls = log(
    system("P"),
    user("a"),
    calling("1", "2"),
    result("1"),
    result("2"),
    calling("1"),
    result("1"),
    user("b"),
    calling("3")
  )

  const split = (self: SessionLog.SessionLog, startSeq: number, endSeq: number) => {
    const error = Result.getOrThrow(Result.flip(drafts(self, { startSeq, endSeq })))
    assert(error._tag === "SplitCalls")
    assert.deepStrictEqual([error.startSeq, error.endSeq], [startSeq, endSeq])
    const { isWaiting, nearest, seqs } = error
    return [isWaiting, seqs, nearest && [nearest.startSeq, nearest.endSeq]]
  }

  it("parts no call from its result, and says where to begin and end instead", () => {
    assert.deepStrictEqual(split(calls, 1, 2), [false, [3, 4], [1, 4]])
    assert.deepStrictEqual(split(calls, 1, 3), [false, [4], [1, 4]])
    assert.deepStrictEqual(split(calls, 3, 4), [false, [2], [2, 4]])
    assert.deepStrictEqual(split(calls, 4, 5), [false, [2, 3, 6], [2, 6]])
    assert.deepStrictEqual(split(calls, 6, 7), [false, [5], [5, 7]])
    for (const [startSeq, endSeq] of [
      [1, 1],
      [1, 4],
      [2, 4],
      [2, 6],
      [5, 7],
      [7, 7]
    ] as const) {
      extend(calls, ...Result.getOrThrow(drafts(calls, { startSeq, endSeq })))
    }
  })

  it("takes no call away that waits for its result", () => {
    assert.deepStrictEqual(split(calls, 1, 8), [true, [8], [1, 7]])
    assert.deepStrictEqual(split(calls, 6, 8), [false, [5], [5, 7]])
    assert.deepStrictEqual(split(calls, 8, 8), [true, [8], undefined])
    const settled = extend(calls, result("3"))
    assert.deepStrictEqual(split(settled, 1, 8), [false, [9], [1, 9]])
    // A result that stands behind it, of a call before it.
    const stray = extend(calls, result("1"))
    assert.deepStrictEqual(split(stray, 5, 6), [false, [9], undefined])
    assert.deepStrictEqual(split(stray, 1, 8), [false, [9], undefined])
    // One that can get none any more is what a compaction is to take away.
    const dead = extend(calls, user("c"))
    assert.isTrue(Result.isSuccess(drafts(dead, { startSeq: 1, endSeq: 8 })))
  })

  it("goes by the order of the surface", () => {
    const once = extend(calls, ...Result.getOrThrow(drafts(calls, { startSeq: 2, endSeq: 4 })))
    assert.deepStrictEqual(split(once, 11, 5), [false, [6], [11, 6]])
  })

  it("is the only one that is refused so: a replacement by hand is as the rules of the surface have it", () => {
    const by = user("sum", { surfaceOp: { op: "replace", startSeq: 1, endSeq: 2 }, sourceEventSeqs: [1, 2] })
    assert.deepStrictEqual(seqs(extend(calls, by)), [0, 9, 3, 4, 5, 6, 7, 8])
  })
})
