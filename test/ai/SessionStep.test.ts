import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { AiError, LanguageModel, type Prompt } from "effect/ai"
import { PromptedModel, SessionStep } from "../../src/ai/index.ts"
import { Plugin, type SystemPrompt, type ToolError, type ToolRegistry } from "../../src/index.ts"
import { AgentStep, type Request, Session, SessionLog, SessionStore } from "../../src/session/index.ts"
import { WriterUnusable } from "../../src/session/store/StoreError.ts"
import { now, provided, rules, tool } from "./agent.ts"
import { call, described, finish, said, scripted, text } from "./scripted.ts"
import { agent, header, imbalance, logged, open, plain, resultTexts } from "./session.ts"

const hello = { route: plain, said: [{ content: "hello" }] }

const step = (session: Session.Session, options: Partial<AgentStep.Options> = {}, how?: SessionStep.Options) =>
  AgentStep.run(session, { route: plain, ...options }, (step) => SessionStep.answer(step, how))

describe("SessionStep.answer", () => {
  it.effect("sends the messages of the request and the tools of its assembly, and logs what comes of it", () => {
    const model = scripted([text("I read."), call("1", "read", { path: "a" }), finish("tool-calls")], [text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      const requests: Array<AgentStep.AgentStep> = []
      const take = (options: AgentStep.Options) =>
        AgentStep.run(session, options, (step) => {
          requests.push(step)
          return SessionStep.answer(step)
        })
      const response = yield* take(hello)
      assert.strictEqual(response.text, "I read.")
      assert.strictEqual(response.finishReason, "tool-calls")
      yield* take({ route: plain })
      assert.deepStrictEqual(yield* logged(session), [
        "turn/start",
        "step/start",
        "system/message",
        "user/message",
        "user/message",
        "request/header initial",
        "request/context",
        "assistant/message",
        "tool/call 1",
        "tool/result 1",
        "step/end",
        "step/start",
        "assistant/message",
        "step/end"
      ])
      const [first, second] = model.seen
      assert.deepStrictEqual(said(first!.prompt), requests[0]!.request.messages.map(spoken))
      assert.deepStrictEqual(said(second!.prompt), [
        ...said(first!.prompt),
        ["assistant", "I read.", { call: "1", name: "read", params: { path: "a" } }],
        ["tool", { result: "1", name: "read", isFailure: false, says: "read a" }]
      ])
      assert.deepStrictEqual(
        first!.tools.map(described),
        requests[0]!.assembly.tools.map(({ schema }) => schema)
      )
      const log = yield* Session.log(session)
      assert.deepInclude(Option.getOrThrow(SessionLog.get(log, 9)), {
        type: "tool/result",
        sourceEventSeqs: [8],
        data: {
          turn: 1,
          step: 1,
          message: {
            role: "tool",
            id: "answer:7.1",
            toolCallId: "1",
            source: { kind: "tool", callId: "1" },
            content: [{ type: "text", text: "read a" }]
          }
        }
      })
      assert.deepStrictEqual(imbalance(log), ["a turn is open"])
    }).pipe(Effect.provide(agent(model.layer, rules, now("noon"), tool("read"))))
  })

  it.effect("answers every call that fails, as ToolAnswer says, and tells the host", () => {
    const calls = [
      call("1", "rm", { path: "a" }),
      call("2", "read", { path: 1 }),
      call("3", "fails", { path: "a" }),
      call("4", "dies", { path: "a" }),
      call("5", "bare"),
      call("6", "guarded", { path: "a" }),
      call("7", "read", { path: "a" })
    ]
    const model = scripted(calls)
    const told: Array<ToolError.ToolError> = []
    return Effect.gen(function* () {
      const session = yield* open()
      yield* step(session, hello, { onFailure: (error) => Effect.sync(() => told.push(error)) })
      const log = yield* Session.log(session)
      assert.deepStrictEqual((yield* logged(session)).slice(-14, -1), [
        ...["1", "2", "3", "4", "5", "6", "7"].map((id) => `tool/call ${id}`).slice(1),
        ...["1", "2", "3", "4", "5", "6"].map((id) => `tool/result ${id} failed`),
        "tool/result 7"
      ])
      const texts = resultTexts(log).map(String)
      assert.match(texts[0]!, /^there is no tool "rm"\. Call one of these by its exact name: bare, /u)
      assert.match(texts[1]!, /path/u)
      assert.include(texts[2]!, "no such file")
      assert.notInclude(texts[3]!, "secret")
      assert.include(texts[5]!, "not today")
      assert.deepStrictEqual(
        told.map(({ _tag }) => _tag),
        ["ToolNotFound", "InvalidToolArguments", "ToolFailure", "ToolFailure", "ToolWithoutHandler", "ToolRefused"]
      )
      assert.deepStrictEqual(imbalance(log), ["a turn is open"])
      yield* step(session)
      assert.lengthOf(model.seen, 2)
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read"),
          tool("guarded"),
          tool("fails", () => Effect.fail(new Error("no such file"))),
          tool("dies", () => Effect.die("secret")),
          provided("bare", "bare"),
          Plugin.guard({ name: "g", check: ({ tool }) => (tool === "guarded" ? "not today" : undefined) })
        )
      )
    )
  })

  it.effect("answers a call where no tool was shown at all", () => {
    const model = scripted([call("1", "rm", { path: "a" })], [text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      yield* step(session, hello)
      yield* step(session)
      assert.match(String(resultTexts(yield* Session.log(session))[0]), /^there is no tool "rm"/u)
      assert.deepStrictEqual(imbalance(yield* Session.log(session)), ["a turn is open"])
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer)))
  })

  it.effect("does not run the calls of an answer that was cut off", () => {
    const model = scripted([call("1", "read", { path: "a" }), finish("length")])
    let runs = 0
    return Effect.gen(function* () {
      const session = yield* open()
      yield* step(session, hello)
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual((yield* logged(session)).slice(-4), [
        "assistant/message",
        "tool/call 1",
        "tool/result 1 failed",
        "step/end"
      ])
      assert.match(String(resultTexts(yield* Session.log(session))[0]), /was not run: .* cut off \(length\)/u)
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read", () => Effect.sync(() => ++runs))
        )
      )
    )
  })

  it.effect("runs calls one after the other, or as concurrently as it is told", () => {
    const three = [..."123"].map((id) => call(id, "read", { path: id }))
    const model = scripted(three, three)
    let running = 0
    const most: Array<number> = []
    return Effect.gen(function* () {
      const session = yield* open()
      yield* step(session, hello)
      assert.deepStrictEqual(most, [1, 1, 1])
      yield* step(session, {}, { concurrency: "unbounded" })
      assert.strictEqual(most.at(-1), 3)
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read", () =>
            Effect.suspend(() => {
              most.push(++running)
              return Effect.yieldNow
            }).pipe(Effect.ensuring(Effect.sync(() => running--)))
          )
        )
      )
    )
  })
})

/** A message of a request, as `said` gives those of a prompt. */
const spoken = ({ content, role }: Request.Request["messages"][number]) => [
  role,
  ...content.map((block) => ("text" in block ? block.text : block))
]

const overloaded = AiError.make({ module: "test", method: "generateText", reason: new AiError.RateLimitError({}) })

/** A model that fails so many times, then answers. */
const flaky = (failures: number) => {
  const seen: Array<Prompt.Prompt> = []
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) => {
        seen.push(prompt)
        return seen.length <= failures ? Effect.fail(overloaded) : Effect.succeed([text("done")])
      },
      streamText: () => {
        throw new Error("not streamed")
      }
    })
  )
  return { seen, layer }
}

describe("a step that fails", () => {
  it.effect("in the model is as it was, and can be retried without saying anything twice", () => {
    const model = flaky(2)
    return Effect.gen(function* () {
      const session = yield* open()
      const persistent = (step: AgentStep.AgentStep): ReturnType<typeof SessionStep.answer> =>
        Effect.catchTag(SessionStep.answer(step), "AiError", (error) =>
          error.isRetryable ? Effect.flatMap(step.retry(), persistent) : Effect.fail(error)
        )
      yield* AgentStep.run(session, hello, persistent)
      assert.lengthOf(model.seen, 3)
      for (const prompt of model.seen) assert.deepStrictEqual(said(prompt), said(model.seen[0]!))
      const log = yield* logged(session)
      assert.deepStrictEqual(log.slice(-2), ["assistant/message", "step/end"])
      assert.lengthOf(
        log.filter((event) => event === "user/message"),
        1
      )
    }).pipe(Effect.provide(agent(model.layer, rules)))
  })

  it.effect("before the model is asked says why: its prompt, its tools, what stands in its log", () => {
    const model = scripted()
    const failing = (layer: Layer.Layer<never, unknown, ToolRegistry | SystemPrompt>, options = hello) =>
      Effect.gen(function* () {
        const session = yield* open()
        return yield* Effect.flip(step(session, options))
      }).pipe(Effect.provide(agent(model.layer, layer)), Effect.scoped)
    return Effect.gen(function* () {
      const twice = yield* Effect.gen(function* () {
        const session = yield* open()
        return yield* Effect.flip(step(session, hello)).pipe(Effect.provide(PromptedModel.layer()))
      }).pipe(Effect.provide(agent(model.layer)), Effect.scoped)
      assert.strictEqual(twice._tag, "PromptedTwice")
      assert.include(twice.message, "PromptedModel")
      assert.strictEqual((yield* failing(provided("a", "a b")))._tag, "IllegalToolNames")
      const image = { route: plain, said: [{ content: [{ type: "image" }] }] }
      assert.strictEqual((yield* failing(Layer.empty, image as never))._tag, "UnsendableMessage")
      assert.lengthOf(model.seen, 0)
    })
  })

  it.effect("in its store is the error of the store", () => {
    const model = scripted([call("1", "read", { path: "a" }), call("2", "read", { path: "b" })])
    return Effect.gen(function* () {
      const store = yield* SessionStore
      const writer = yield* store.create(header())
      let left = 2
      const session = yield* Session.make(
        {
          ...writer,
          append: (events) =>
            left-- > 0 ? writer.append(events) : Effect.fail(new WriterUnusable({ log: "s", reason: "test" }))
        },
        SessionLog.empty(header())
      )
      const error = yield* Effect.flip(step(session, hello))
      assert.strictEqual(error._tag, "WriterUnusable")
      assert.deepStrictEqual((yield* logged(session)).slice(-3), ["assistant/message", "tool/call 1", "tool/call 2"])
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("read"))))
  })
})
