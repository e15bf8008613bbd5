/** What a turn does not begin with, what it goes on with, and what comes of two at once. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { PromptedModel, SessionStep, SessionTurn } from "../../src/ai/index.ts"
import { Plugin } from "../../src/index.ts"
import { AgentStep, Compaction, Session, SessionLog, Surface } from "../../src/session/index.ts"
import { tool } from "./agent.ts"
import { call, said, scripted, text } from "./scripted.ts"
import { agent, imbalance, open, plain, reopened } from "./session.ts"

const saying = (...contents: ReadonlyArray<string>) => ({
  route: plain,
  maxSteps: 5,
  said: contents.map((content) => ({ content }))
})

const turn = (session: Session.Session, options: Partial<SessionTurn.Options> = {}) =>
  SessionTurn.run(session, { ...saying(), ...options }, SessionStep.answer)

describe("a turn that is refused", () => {
  it.effect("leaves the log as it was: what was said is still to be said", () => {
    const model = scripted([text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      yield* AgentStep.prepare(session, saying("open"))
      const before = yield* Session.log(session)
      for (const maxSteps of [0, -1, 0.5, 1.5, Number.NaN, -Infinity]) {
        const error = yield* Effect.flip(turn(session, { ...saying("go"), maxSteps }))
        assert(error._tag === "InvalidMaxSteps")
        assert.deepStrictEqual(error.maxSteps, maxSteps)
        assert.include(error.message, `maxSteps is ${maxSteps}`)
      }
      const image = { type: "image", url: "x" }
      const content = [{ type: "text" as const, text: "look" }, image]
      const error = yield* Effect.flip(turn(session, { ...saying(), said: [{ content: "go" }, { content }] }))
      assert.deepInclude(error, { _tag: "UnsendableMessage", messageId: "said 2", block: 1 })
      const prompted = yield* Effect.flip(
        turn(session, saying("go")).pipe(Effect.provide(PromptedModel.layer().pipe(Layer.provide(model.layer))))
      )
      assert.strictEqual(prompted._tag, "PromptedTwice")
      assert.strictEqual(yield* Session.log(session), before)
      assert.lengthOf(model.seen, 0)
      assert.deepInclude(yield* turn(session, { ...saying("go"), maxSteps: Infinity }), { text: "done", steps: 1 })
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer)))
  })

  it.effect("asks no model where nothing was said and nothing waits for an answer", () => {
    const model = scripted([text("done")], [call("1", "read", { path: "a" })], [text("read")])
    const nothing = { reason: "nothing-to-answer", text: "", steps: 0 } as const
    return Effect.gen(function* () {
      const session = yield* open()
      assert.deepStrictEqual(yield* turn(session), nothing)
      assert.strictEqual((yield* Session.log(session)).length, 0)
      yield* turn(session, saying("one"))
      const { length } = yield* Session.log(session)
      assert.deepStrictEqual(yield* turn(session), nothing)
      assert.strictEqual((yield* Session.log(session)).length, length)
      // A checkpoint of a compaction is nothing that was said.
      yield* Session.commit(session, (log) =>
        Compaction.drafts(log, {
          id: "c",
          startSeq: Surface.events(log.surface)[1]!.seq,
          endSeq: Surface.events(log.surface).at(-1)!.seq,
          content: [{ type: "text", text: "sum" }],
          messageId: "sum",
          time: 0
        })
      )
      assert.deepStrictEqual(yield* turn(session), nothing)
      // After its limit, the results of its calls wait.
      assert.strictEqual((yield* turn(session, { ...saying("two"), maxSteps: 1 })).reason, "step-limit")
      assert.isTrue(SessionTurn.isWaiting(yield* Session.log(session)))
      assert.deepInclude(yield* turn(session), { reason: "completed", text: "read" })
      assert.lengthOf(model.seen, 3)
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("read"))))
  })
})

describe("SessionTurn.isWaiting", () => {
  it.effect("is not told by a snapshot of the contexts, which nobody said", () => {
    let time = "noon"
    const model = scripted([text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      yield* turn(session, saying("one"))
      time = "one"
      yield* AgentStep.prepare(session, saying())
      assert.isTrue(SessionTurn.isWaiting(yield* Session.log(session)))
      yield* Session.endTurn(session, "aborted")
      const log = yield* Session.log(session)
      assert.strictEqual(Surface.events(log.surface).at(-1)?.type, "user/message")
      assert.isFalse(SessionTurn.isWaiting(log))
    }).pipe(
      Effect.scoped,
      Effect.provide(agent(model.layer, Plugin.context({ name: "now", order: 100, text: () => time })))
    )
  })

  it.effect("is told by a call that has no result, also behind the end of its turn", () => {
    const model = scripted([call("1", "read", { path: "a" })], [text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      yield* turn(session, { ...saying("go"), maxSteps: 1 })
      const events = SessionLog.events(yield* Session.log(session))
      const killed = events.slice(
        0,
        events.findIndex(({ type }) => type === "tool/result")
      )
      const left = yield* reopened("left", killed)
      yield* Session.commit(left, [{ type: "turn/end", data: { turn: 1, reason: { kind: "interrupted" } } }])
      assert.isTrue(SessionTurn.isWaiting(yield* Session.log(left)))
      assert.deepInclude(yield* turn(left), { reason: "completed", text: "done", steps: 1 })
      assert.deepStrictEqual(imbalance(yield* Session.log(left)), [])
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("read"))))
  })
})

describe("a session whose process was killed in a tool", () => {
  it.effect("goes on by a step alone, without any settling by hand", () => {
    const model = scripted([call("1", "read", { path: "a" })], [text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      yield* turn(session, { ...saying("go"), maxSteps: 1 })
      const events = SessionLog.events(yield* Session.log(session))
      const killed = events.slice(
        0,
        events.findIndex(({ type }) => type === "tool/result")
      )
      const left = yield* reopened("left", killed)
      yield* AgentStep.run(left, saying("and?"), SessionStep.answer)
      assert.deepStrictEqual(
        said(model.seen[1]!.prompt).map(([role]) => role),
        ["user", "assistant", "tool", "user"]
      )
      assert.deepStrictEqual(imbalance(yield* Session.log(left)), ["a turn is open"])
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("read"))))
  })
})

describe("two turns at once", () => {
  it.effect("are one too many: the one whose step was ended fails, and the log stays one that models take", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const wait = Effect.andThen(Deferred.succeed(reached, undefined), Effect.as(Deferred.await(gate), "late"))
      const model = scripted([call("1", "wait", { path: "a" })], [text("second")])
      yield* Effect.gen(function* () {
        const session = yield* open()
        const first = yield* Effect.forkChild(Effect.flip(turn(session, saying("one"))))
        yield* Deferred.await(reached)
        assert.strictEqual((yield* turn(session, saying("two"))).text, "second")
        yield* Deferred.succeed(gate, undefined)
        const error = yield* Fiber.join(first)
        assert(error._tag === "StepEnded")
        assert.include(error.message, "another step of this session began meanwhile")
        assert.include(error.message, "one turn of a session at a time")
        assert.deepStrictEqual(imbalance(yield* Session.log(session)), [])
      }).pipe(
        Effect.scoped,
        Effect.provide(
          agent(
            model.layer,
            tool("wait", () => wait)
          )
        )
      )
    })
  )
})

describe("a message that cannot be sent", () => {
  it.effect("is named by its event", () =>
    Effect.gen(function* () {
      const session = yield* open()
      const content = [{ type: "image", url: "x" }]
      const error = yield* Effect.flip(
        AgentStep.run(session, { route: plain, said: [{ content: "a" }, { content }] }, SessionStep.answer)
      )
      assert(error._tag === "UnsendableMessage" && error.seq !== undefined)
      const event = Option.getOrThrow(SessionLog.get(yield* Session.log(session), error.seq))
      assert.deepInclude(event.data, { id: error.messageId, content })
      assert.include(error.message, `(event ${error.seq}, user, block 0)`)
      // Where two messages have its id, none is named.
      yield* Session.commit(session, [
        {
          type: "user/message",
          data: { role: "user", id: error.messageId, source: { kind: "user" }, content: [] },
          surfaceOp: "append"
        }
      ])
      const again = yield* Effect.flip(AgentStep.run(session, { route: plain }, SessionStep.answer))
      assert(again._tag === "UnsendableMessage")
      assert.deepStrictEqual([again.messageId, again.seq], [error.messageId, undefined])
    }).pipe(Effect.scoped, Effect.provide(agent(scripted().layer)))
  )
})
