import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SystemPrompt } from "../../src/index.ts"
import * as AgentStep from "../../src/session/AgentStep.ts"
import * as Session from "../../src/session/Session.ts"
import { StepEnded } from "../../src/session/SessionError.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as MemoryStore from "../../src/session/store/MemoryStore.ts"
import { agent, answer, appending, bare, brief, lengthOf, only, plain, said, stored, take } from "./support/agent.ts"

/** Interrupts an effect when it has reached something, and opens the gate that it waits at only then. */
const cutOff = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  reached: Deferred.Deferred<void>,
  gate: Deferred.Deferred<void>
) {
  const running = yield* Effect.forkChild(effect)
  yield* Deferred.await(reached)
  const ends = yield* Effect.forkChild(Fiber.interrupt(running))
  yield* Effect.yieldNow
  yield* Deferred.succeed(gate, undefined)
  yield* Fiber.join(ends)
})

describe("a step that does not come to its request", () => {
  it.effect("logs nothing where the prompt does not render [256]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.persona = "You run on {{model}}."
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, ...said("hello") }))
        assert.strictEqual(failed._tag, "UnknownVariable")
        assert.strictEqual((yield* Session.log(session)).length, 0)
      })
    )
  )

  it.effect("logs nothing where a context does not render, and no step [257]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.policy = "{{policy}}"
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, ...said("hello") }))
        assert.deepInclude(failed, { _tag: "UnknownVariable", kind: "context", entry: "policy" })
        assert.strictEqual((yield* Session.log(session)).length, 0)
      })
    )
  )

  it.effect("logs nothing where it is called off while the prompt is assembled [255]", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const prompt = yield* SystemPrompt
        yield* prompt.section({
          name: "slow",
          order: 1,
          text: Deferred.succeed(reached, undefined).pipe(Effect.andThen(Effect.never))
        })
        const fiber = yield* Effect.forkChild(take(session, said("hello")))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* Session.log(session)).length, 0)
      }).pipe(Effect.scoped)
    )
  )

  for (const written of [false, true]) {
    const when = written ? "has written" : "still writes"
    it.effect(`is logged and ended where it is called off while the store ${when} [255]`, () =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const wait = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
        const store = appending(MemoryStore.layer, (write, tried) =>
          tried > 0 ? write : written ? Effect.andThen(write, wait) : Effect.andThen(wait, write)
        )
        yield* agent(
          (_, session) =>
            Effect.gen(function* () {
              let asked = 0
              const use = () => Effect.sync(() => asked++)
              yield* cutOff(AgentStep.run(session, { route: plain, ...said("hello") }, use), reached, gate)
              const log = yield* Session.log(session)
              assert.strictEqual(asked, 0)
              assert.deepStrictEqual(only(SessionLog.events(log).map(brief), "step"), ["step/start", "step/end"])
              assert.deepStrictEqual(yield* stored, SessionLog.events(log))
              assert.deepStrictEqual((yield* take(session)).logged, bare)
            }),
          store
        )
      })
    )

    it.effect(`leaves memory and store the same where a commit is called off while the store ${when}`, () =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const wait = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
        const store = appending(MemoryStore.layer, (write) =>
          written ? Effect.andThen(write, wait) : Effect.andThen(wait, write)
        )
        yield* agent(
          (_, session) =>
            Effect.gen(function* () {
              yield* cutOff(AgentStep.prepare(session, { route: plain }), reached, gate)
              const events = SessionLog.events(yield* Session.log(session))
              assert.deepStrictEqual(yield* stored, events)
              assert.lengthOf(events, 6)
              assert.deepStrictEqual((yield* take(session)).logged, ["step/end", ...bare])
            }),
          store
        )
      })
    )
  }

  it.effect("does not wait for the store when it is called off while another one writes", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const store = appending(MemoryStore.layer, (_, tried) =>
        tried > 0 ? Effect.void : Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      )
      yield* agent(
        (_, session) =>
          Effect.gen(function* () {
            yield* Effect.forkDetach(Session.endTurn(session, "x").pipe(Effect.andThen(take(session))))
            yield* Deferred.await(reached)
            const waiting = yield* Effect.forkChild(AgentStep.prepare(session, { route: plain }))
            yield* Effect.yieldNow
            yield* Fiber.interrupt(waiting)
            assert.strictEqual(yield* lengthOf(session), 0)
          }),
        store
      )
    })
  )

  it.effect("takes nothing more once it has ended, also since another one began", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all(
          [AgentStep.prepare(session, { route: plain }), AgentStep.prepare(session, { route: plain })],
          { concurrency: 2 }
        )
        assert.deepStrictEqual([first.step, second.step], [1, 2])
        const length = yield* lengthOf(session)
        const late = [yield* Effect.flip(first.commit([answer(first)])), yield* Effect.flip(first.retry())]
        const ended = new StepEnded({ turn: 1, step: 1, next: { turn: 1, step: 2 } })
        assert.deepStrictEqual(late, [ended, ended])
        yield* first.end
        assert.strictEqual(yield* lengthOf(session), length)
        yield* second.commit([answer(second)])
        yield* Session.endTurn(session, "completed")
        assert.strictEqual((yield* Effect.flip(second.commit([answer(second, "more")])))._tag, "StepEnded")
        assert.strictEqual((yield* Effect.flip(second.retry()))._tag, "StepEnded")
      })
    )
  )

  it.effect("logs nothing where something that was said or is configured is no plain JSON", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const content = [{ type: "image", data: new Date(0) }]
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, said: [{ content }] }))
        assert.deepInclude(failed, { _tag: "InvalidEvent", type: "user/message" })
        assert.strictEqual(yield* lengthOf(session), 0)
        assert.deepStrictEqual((yield* take(session, said("hello"))).logged.length, 9)
        const { log } = yield* take(session, { route: { config: { ...plain.config, seed: null } } })
        for (const seed of [1n, Number.NaN, () => 1, undefined, [undefined]]) {
          const route = { config: { ...plain.config, seed } }
          assert.strictEqual((yield* Effect.flip(AgentStep.prepare(session, { route })))._tag, "InvalidEvent")
        }
        assert.strictEqual(yield* Session.log(session), log)
      })
    )
  )

  it.effect("ends where it is called off while the model answers, or the model fails", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          AgentStep.run(session, { route: plain }, () =>
            Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
          )
        )
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        const failed = yield* Effect.exit(AgentStep.run(session, { route: plain }, () => Effect.fail("no model")))
        assert.isTrue(Exit.isFailure(failed))
        const log = yield* Session.log(session)
        assert.deepStrictEqual(
          SessionLog.events(log)
            .map(brief)
            .filter((type) => type.startsWith("step")),
          ["step/start", "step/end", "step/start", "step/end"]
        )
        yield* Session.endTurn(session, "aborted")
        yield* Session.endTurn(session, "aborted")
        assert.strictEqual((yield* Session.log(session)).length, log.length + 1)
      })
    )
  )

  it.effect("is closed by the next step, if its process has ended meanwhile", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        yield* AgentStep.prepare(session, { route: plain })
        assert.deepStrictEqual((yield* take(session)).logged, ["step/end", ...bare])
      })
    )
  )
})
