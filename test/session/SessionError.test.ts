import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import {
  InvalidEvent,
  InvalidHeader,
  SessionError,
  SplitCalls,
  StepEnded,
  SurfaceViolation
} from "../../src/session/SessionError.ts"

const errors = [
  new InvalidEvent({ type: "a/b", seq: 3, path: "$.data", reason: "no." }),
  new InvalidEvent({ type: "", path: "$", reason: "no." }),
  new InvalidHeader({ path: "$.id", reason: "no." }),
  new SurfaceViolation({ rule: "coverage", type: "user/message", seq: 3, seqs: [1, 2], reason: "no." }),
  new InvalidEvent({ type: `x\n${"y".repeat(99)}`, seq: 3, path: "$", reason: "no." }),
  new StepEnded({ turn: 2, step: 3 }),
  new StepEnded({ turn: 2, step: 3, next: { turn: 3, step: 1 } }),
  new SplitCalls({ startSeq: 2, endSeq: 4, seqs: [5, 6], isWaiting: false, nearest: { startSeq: 2, endSeq: 6 } }),
  new SplitCalls({ startSeq: 4, endSeq: 4, seqs: [4], isWaiting: true })
]

describe("SessionError", () => {
  it("survives encoding, and says what, where and why", () => {
    const codec = Schema.toCodecJson(SessionError)
    for (const error of errors) {
      const text = JSON.stringify(Schema.encodeUnknownSync(codec)(error))
      const back = Schema.decodeUnknownSync(codec)(JSON.parse(text))
      assert.deepStrictEqual(back, error)
      assert.strictEqual(back.message, error.message)
    }
    assert.deepStrictEqual(
      errors.map((error) => error.message),
      [
        "event 3 (a/b) is invalid at $.data: no.",
        "an event is invalid at $: no.",
        "the header of the session log is invalid at $.id: no.",
        "event 3 (user/message) breaks the rule coverage: no.",
        `event 3 (x\\n${"y".repeat(76)}…) is invalid at $: no.`,
        "step 3 of turn 2 has ended, and nothing more was appended to it. Prepare another step; what belongs to none can be appended with Session.commit.",
        "step 3 of turn 2 has ended, since another step of this session began meanwhile (turn 3, step 1), and nothing more was appended to it. Run one turn of a session at a time.",
        "the messages from 2 to 4 cannot be replaced: it would part calls from their results, which models refuse: 5, 6 would be left without the other. Begin at 2 and end at 6 instead.",
        "the messages from 4 to 4 cannot be replaced: calls of 4 wait for results, which would have no call. Replace nothing of it until its calls have their results."
      ]
    )
  })
})
