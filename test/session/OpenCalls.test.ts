/** Calls that have no result, since a process ended in a tool or another step began. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import * as AgentStep from "../../src/session/AgentStep.ts"
import type * as Event from "../../src/session/Event.ts"
import * as Message from "../../src/session/Message.ts"
import * as OpenCalls from "../../src/session/OpenCalls.ts"
import * as Request from "../../src/session/Request.ts"
import * as Session from "../../src/session/Session.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import { agent, answer, bare, brief, plain, said, take } from "./support/agent.ts"
import { assistant, extend, log, toolResult, user } from "./support/events.ts"

const block = (id: string, more?: object) => ({ type: "tool-call", id, name: "bash", arguments: "{}", ...more })

/** An answer with these calls. */
const calling = (
  step: Pick<AgentStep.AgentStep, "turn" | "step">,
  ...blocks: ReadonlyArray<Message.Block>
): Event.Draft<"assistant/message"> => {
  const said = answer(step)
  return { ...said, data: { ...said.data, message: { ...said.data.message, content: blocks } } }
}

const at = { turn: 1, step: 1 }

const open = (self: SessionLog.SessionLog) => OpenCalls.fromLog(self).map(({ callId }) => callId)

/** A result for one call. */
const result = (callId: string): Event.Draft<"tool/result"> => {
  const draft = toolResult("done")
  const message = {
    ...draft.data.message,
    id: `of ${callId}`,
    toolCallId: callId,
    source: { kind: "tool" as const, callId }
  }
  return { ...draft, data: { ...draft.data, message } }
}

describe("what is open", () => {
  it("are the calls of the last answer that have no result, unless the provider runs them", () => {
    assert.deepStrictEqual(open(log()), [])
    assert.deepStrictEqual(open(log(user("a"), assistant("b"))), [])
    const asked = log(user("a"), calling(at, block("1"), block("2", { providerExecuted: true }), block("3")))
    assert.deepStrictEqual(open(asked), ["1", "3"])
    assert.deepStrictEqual(open(extend(asked, result("3"))), ["1"])
    assert.deepStrictEqual(open(extend(asked, result("3"), result("1"))), [])
    assert.deepStrictEqual(open(log(calling(at, { type: "tool-call", callId: "1" }))), [])
  })

  it("is nothing that something else stands behind, for that can be answered no more", () => {
    const asked = log(calling(at, block("1")))
    assert.deepStrictEqual(open(extend(asked, user("wait"))), [])
    assert.deepStrictEqual(open(extend(asked, assistant("and"))), [])
    assert.deepStrictEqual(open(extend(asked, { type: "step/end", data: at })), ["1"])
  })

  it("is settled by an error for each, with an id of its own", () => {
    const asked = log(calling(at, block("1"), block("2"), block("3")), result("2"))
    const drafts = OpenCalls.settle(asked, 9)
    assert.deepStrictEqual(
      drafts.map(({ data: { message }, time }) => [time, message.id, message.toolCallId, message.isError]),
      [
        [9, "answer 1.1.1", "1", true],
        [9, "answer 1.1.3", "3", true]
      ]
    )
    for (const { data } of drafts)
      assert.match(String(Message.textOf(data.message)), /stopped before it gave a result/u)
    assert.deepStrictEqual(open(extend(asked, ...drafts)), [])
    assert.deepStrictEqual(OpenCalls.settle(extend(asked, ...drafts), 9), [])
  })
})

describe("the end of a turn", () => {
  const turn: Event.Draft = { type: "turn/start", data: { turn: 1 } }
  const step: Event.Draft = { type: "step/start", data: at }
  const ends = [
    { type: "step/end", time: 9, data: at },
    { type: "turn/end", time: 9, data: { turn: 1, reason: { kind: "aborted" } } }
  ]
  const closed: Event.Draft = { type: "turn/end", data: { turn: 1, reason: { kind: "completed" } } }

  for (const [what, events, types] of [
    ["nothing, if none is open", [], []],
    ["nothing, if it has ended", [turn, step, closed], []],
    ["the end of a turn between steps", [turn], ["turn/end"]],
    ["the end of a step without a turn", [step], ["step/end"]],
    ["both, if both are open", [turn, step], ["step/end", "turn/end"]],
    ["results before both", [turn, step, calling(at, block("1"))], ["tool/result", "step/end", "turn/end"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Event.Draft>, ReadonlyArray<string>]>) {
    it(`is ${what}`, () => {
      const drafts = OpenCalls.endTurn(log(...events), "aborted", 9)
      assert.deepStrictEqual(
        drafts.map(({ type }) => type),
        types
      )
      for (const end of ends)
        assert.deepStrictEqual(
          drafts.filter(({ type }) => type === end.type),
          (types.includes(end.type) ? [end] : []) as ReadonlyArray<Event.Draft>
        )
    })
  }

  it("says why, in a word or with more", () => {
    const reason = { kind: "error", error: { message: "no model" } }
    assert.deepStrictEqual<unknown>(OpenCalls.endTurn(log(turn), reason, 9), [
      { type: "turn/end", time: 9, data: { turn: 1, reason } }
    ])
  })
})

/** Of each message what it is, and the calls and results in it. */
const paired = (messages: ReadonlyArray<Message.Message>) =>
  messages.map((message) =>
    message.role === "tool"
      ? `${message.toolCallId}${message.isError === true ? " failed" : ""}`
      : [
          message.role,
          ...(message.role === "assistant" ? message.content.filter(Message.isToolCall) : []).map(({ id }) => id)
        ].join(" ")
  )

describe("a session whose process was killed in a tool", () => {
  for (const ended of [false, true]) {
    it.effect(
      `goes on ${ended ? "behind the end of its turn" : "with its next step"}, and no call is without a result`,
      () =>
        agent((_, session) =>
          Effect.gen(function* () {
            const left = yield* AgentStep.prepare(session, { route: plain, ...said("hello") })
            const drafts = [calling(left, block("1"), block("2"))]
            yield* left.commit([...drafts, result("1")])
            if (ended) {
              // As a version wrote it that did not settle.
              yield* Session.commit(session, [
                { type: "step/end", data: at },
                { type: "turn/end", data: { turn: 1, reason: { kind: "interrupted" } } }
              ])
            }
            const { log, logged, step } = yield* take(session, said("again"))
            const begins = ended ? ["turn/start", "step/start"] : ["step/end", "step/start"]
            assert.deepStrictEqual(logged, ["tool/result", ...begins, "user/message", ...bare.slice(1)])
            assert.deepStrictEqual(paired(step.request.messages).slice(2), [
              "user",
              "assistant 1 2",
              "1",
              "2 failed",
              "user"
            ])
            assert.deepStrictEqual(Request.rebuild(log, step.request.seq), Option.some(step.request))
            assert.isTrue(Option.getOrThrow(step.prefix).isWhole)
          })
        )
    )
  }

  it.effect("settles at the end of the turn, too, and once", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const left = yield* AgentStep.prepare(session, { route: plain, ...said("hello") })
        const { length } = yield* left.commit([calling(left, block("1"))])
        yield* Session.endTurn(session, { kind: "interrupted", by: "nobody" })
        yield* Session.endTurn(session, "interrupted")
        const events = SessionLog.events(yield* Session.log(session), { from: length })
        assert.deepStrictEqual(events.map(brief), ["tool/result", "step/end", "turn/end"])
        assert.deepStrictEqual(events.at(-1)?.data, { turn: 1, reason: { kind: "interrupted", by: "nobody" } })
        assert.deepStrictEqual((yield* take(session, said("again"))).logged.slice(0, 2), ["turn/start", "step/start"])
      })
    )
  )

  it.effect("is one transaction: what does not render leaves the calls as they are", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        const left = yield* AgentStep.prepare(session, { route: plain, ...said("hello") })
        const { length } = yield* left.commit([calling(left, block("1"))])
        world.persona = "{{missing}}"
        yield* Effect.flip(AgentStep.prepare(session, { route: plain }))
        assert.strictEqual((yield* Session.log(session)).length, length)
      })
    )
  )
})

describe("a step whose tool still runs while another one begins", () => {
  it.effect("has its call answered as stopped, and comes too late with the result", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const running = yield* AgentStep.prepare(session, { route: plain, ...said("hello") })
        yield* running.commit([calling(running, block("1"))])
        const next = yield* AgentStep.prepare(session, { route: plain })
        assert.deepStrictEqual(paired(next.request.messages).slice(-2), ["assistant 1", "1 failed"])
        const { length } = yield* Session.log(session)
        const late = yield* Effect.flip(running.commit([result("1")]))
        assert.deepInclude(late, { _tag: "StepEnded", turn: 1, step: 1, next: { turn: 1, step: 2 } })
        assert.strictEqual((yield* Session.log(session)).length, length)
        yield* next.commit([answer(next)])
      })
    )
  )

  it.effect("keeps its call open for a retry of its own: only another step settles", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const running = yield* AgentStep.prepare(session, { route: plain, ...said("hello") })
        yield* running.commit([calling(running, block("1"))])
        yield* running.retry()
        assert.deepStrictEqual(open(yield* Session.log(session)), ["1"])
        const settled = yield* running.commit([result("1")])
        assert.deepStrictEqual(open(settled), [])
        assert.isTrue(Result.isSuccess(SessionLog.fromEvents(settled.header, SessionLog.events(settled))))
      })
    )
  )
})
