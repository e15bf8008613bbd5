/** Steps that are stopped: by interruption, or because their process ends. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { LanguageModel } from "effect/ai"
import { SessionStep } from "../../src/ai/index.ts"
import { Plugin } from "../../src/index.ts"
import { AgentStep, Session, SessionLog, SessionStore } from "../../src/session/index.ts"
import { tool } from "./agent.ts"
import { call, said, scripted, text } from "./scripted.ts"
import { agent, header, imbalance, logged, open, plain, resultTexts } from "./session.ts"

const hello = { route: plain, said: [{ content: "hello" }] }

const step = (session: Session.Session, options: Partial<AgentStep.Options> = {}, how?: SessionStep.Options) =>
  AgentStep.run(session, { route: plain, ...options }, (step) => SessionStep.answer(step, how))

const stopped = /stopped before it gave a result/u

describe("a step that is interrupted", () => {
  it.effect("in the middle of a tool has a result for every call: what was there, and what was stopped", () => {
    const model = scripted(
      ["1", "2", "3", "4"].map((id) => call(id, id === "2" ? "hang" : "read", { path: id })),
      [text("done")]
    )
    return Effect.gen(function* () {
      const session = yield* open()
      const reached = yield* Deferred.make<void>()
      const hang = Plugin.tool({
        name: "hang",
        description: "",
        parameters: Schema.Struct({ path: Schema.String }),
        handler: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      })
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(step(session, hello))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        const log = yield* Session.log(session)
        assert.deepStrictEqual(imbalance(log), ["a turn is open"])
        assert.deepStrictEqual((yield* logged(session)).slice(-5), [
          "tool/result 1",
          "tool/result 2 failed",
          "tool/result 3 failed",
          "tool/result 4 failed",
          "step/end"
        ])
        const [first, ...others] = resultTexts(log).map(String)
        assert.strictEqual(first, "read 1")
        for (const other of others) assert.match(other, stopped)
        yield* step(session)
        assert.lengthOf(said(model.seen[1]!.prompt), 6)
      }).pipe(Effect.provide(hang))
    }).pipe(Effect.provide(agent(model.layer, tool("read"))))
  })

  it.effect("after a tool has given its result keeps the result", () => {
    const model = scripted([call("1", "read", { path: "a" })])
    return Effect.gen(function* () {
      const session = yield* open()
      const fiber: { current?: Fiber.Fiber<unknown, unknown> } = {}
      // Interrupts its own step, at the last moment.
      const read = tool("read", () =>
        Effect.uninterruptible(
          Effect.suspend(() => Effect.as(Effect.forkDetach(Fiber.interrupt(fiber.current!)), "all of it"))
        )
      )
      yield* Effect.gen(function* () {
        fiber.current = yield* Effect.forkChild(step(session, hello))
        yield* Fiber.await(fiber.current)
        assert.deepStrictEqual(imbalance(yield* Session.log(session)), ["a turn is open"])
        assert.deepStrictEqual(resultTexts(yield* Session.log(session)), [["all of it"]])
      }).pipe(Effect.provide(read))
    }).pipe(Effect.provide(agent(model.layer)))
  })

  it.effect("while a result waits for the log keeps it", () =>
    Effect.gen(function* () {
      const model = scripted([call("1", "read", { path: "a" }), call("2", "read", { path: "b" })])
      const [writing, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        const store = yield* SessionStore
        const writer = yield* store.create(header())
        const session = yield* Session.make(
          {
            ...writer,
            append: (events) =>
              events[0]?.type === "tool/result"
                ? Deferred.succeed(writing, undefined).pipe(
                    Effect.andThen(Deferred.await(goOn)),
                    Effect.andThen(writer.append(events))
                  )
                : writer.append(events)
          },
          SessionLog.empty(header())
        )
        const fiber = yield* Effect.forkChild(step(session, hello, { concurrency: "unbounded" }))
        // The first result is being written, and the second one waits.
        yield* Deferred.await(writing)
        yield* Effect.yieldNow
        const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* Effect.yieldNow
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.await(interrupted)
        assert.deepStrictEqual(resultTexts(yield* Session.log(session)), [["read a"], ["read b"]])
        assert.deepStrictEqual(imbalance(yield* Session.log(session)), ["a turn is open"])
      }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("read"))))
    })
  )

  it.effect("while the model answers logs no answer", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const model = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never),
          streamText: () => {
            throw new Error("not streamed")
          }
        })
      )
      yield* Effect.gen(function* () {
        const session = yield* open()
        const fiber = yield* Effect.forkChild(step(session, hello))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual((yield* logged(session)).slice(-2), ["request/context", "step/end"])
      }).pipe(Effect.provide(agent(model)))
    })
  )
})
