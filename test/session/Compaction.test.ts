import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Compaction from "../../src/session/Compaction.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import { assistant, extend, log, said, seqs, stepStart, system, text, user } from "./support/events.ts"

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
