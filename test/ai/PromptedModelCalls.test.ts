import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { LanguageModel } from "effect/ai"
import type { ModelToolkit } from "../../src/ai/index.ts"
import { PromptScope, ToolRegistry } from "../../src/index.ts"
import { agent, tool } from "./agent.ts"
import { call, finish, results, scripted } from "./scripted.ts"

const ask = LanguageModel.generateText({ prompt: "go" })

describe("calls", () => {
  it.effect("run in the model's order as concurrently as the caller says, and all are answered", () => {
    const model = scripted(
      [...["1", "2", "3", "4"].map((id) => call(id, id === "2" ? "raed" : "read", { path: id })), finish("tool-calls")],
      [...["1", "2"].map((id) => call(id, "read", { path: id })), finish("tool-calls")]
    )
    return Effect.gen(function* () {
      const started: Array<string> = []
      const both = yield* Deferred.make<void>()
      yield* ToolRegistry.use((registry) =>
        registry.register({
          name: "read",
          description: "",
          parameters: Schema.Struct({ path: Schema.String }),
          handler: ({ path }) => {
            started.push(path)
            return started.length === 5
              ? Deferred.await(both)
              : started.length === 6
                ? Deferred.succeed(both, undefined)
                : Effect.succeed(path)
          }
        })
      )
      const response = yield* LanguageModel.generateText({ prompt: "go", concurrency: 1 })
      assert.deepStrictEqual(started, ["1", "3", "4"])
      assert.deepStrictEqual(
        results(response).map(([id, name, isFailure]) => [id, name, isFailure]),
        [
          ["1", "read", false],
          ["2", "raed", true],
          ["3", "read", false],
          ["4", "read", false]
        ]
      )
      started.push("-")
      // The first one waits for the second one.
      yield* LanguageModel.generateText({ prompt: "go" })
      assert.deepStrictEqual(started.slice(4), ["1", "2"])
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, Layer.empty)))
  })

  it.effect("of the response keep their names, arguments and metadata", () => {
    const metadata = { some: { provider: "data" } }
    const model = scripted([
      { ...call("1", "raed", { path: "a" }), metadata },
      { ...call("2", "read", { path: "a" }), metadata },
      finish("tool-calls")
    ])
    return Effect.gen(function* () {
      const response = yield* ask
      assert.deepStrictEqual(
        response.toolCalls.map(({ id, metadata, name, params }: LooseCall) => [id, name, params, metadata]),
        [
          ["1", "raed", { path: "a" }, metadata],
          ["2", "read", { path: "a" }, metadata]
        ]
      )
      assert.strictEqual(response.finishReason, "tool-calls")
      assert.strictEqual(response.usage.inputTokens.total, 1)
    }).pipe(Effect.provide(agent(model.layer, tool("read"))))
  })

  const disguises = [
    "Rm",
    "RM",
    " rm",
    "rm ",
    "rm\n",
    "rm.exe",
    "functions.rm",
    "rm()",
    "r\u200bm",
    "\uff52\uff4d",
    "гm",
    "rm\u0000",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "<undeclared>",
    "",
    "rm"
  ]

  it.effect(`[BC-034] of a hidden tool and its ${disguises.length} disguises are all answered as not found`, () => {
    const model = scripted([...disguises.map((name, at) => call(`${at}`, name, { path: "a" })), finish("tool-calls")])
    let ran = 0
    return Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("child")
      yield* PromptScope.provide(scope)(ToolRegistry.use((registry) => registry.restrict({ deny: ["rm"] })))
      const response = yield* PromptScope.provide(scope)(ask)
      assert.strictEqual(ran, 0)
      assert.strictEqual(response.toolResults.length, disguises.length)
      for (const [id, name, isFailure, result] of results(response)) {
        assert.strictEqual(name, disguises[Number(id)])
        assert.isTrue(isFailure)
        assert.match(String(result), /^there is no tool ".*"\..* Call one of these by its exact name: read\.$/su)
      }
    }).pipe(
      Effect.scoped,
      Effect.provide(
        agent(
          model.layer,
          Layer.mergeAll(
            tool("read"),
            tool("rm", () => Effect.sync(() => ++ran))
          )
        )
      )
    )
  })

  it.effect("of a response without any tools are answered, too", () => {
    const model = scripted([call("1", "read", {}), finish("tool-calls")])
    return Effect.gen(function* () {
      assert.deepStrictEqual(results(yield* ask), [
        ["1", "read", true, 'there is no tool "read". There are no tools to call.']
      ])
    }).pipe(Effect.provide(agent(model.layer, Layer.empty)))
  })

  it.effect("that fail are told to the host as they are", () => {
    const model = scripted([call("1", "no", {}), call("2", "dies", { path: "a" }), finish("tool-calls")])
    const told: Array<string> = []
    const onFailure: ModelToolkit.Options["onFailure"] = (error) => Effect.sync(() => void told.push(error.message))
    return Effect.gen(function* () {
      assert.deepStrictEqual(results(yield* LanguageModel.generateText({ prompt: "go", concurrency: 1 })), [
        ["1", "no", true, 'there is no tool "no". Call one of these by its exact name: dies.'],
        ["2", "dies", true, 'tool "dies" did not work, because of a fault that is not yours.']
      ])
      assert.deepStrictEqual(told, [
        'there is no tool "no". Call one of these by its exact name: dies.',
        'tool "dies" died: hunter2.'
      ])
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("dies", () => Effect.die("hunter2")),
          { onFailure }
        )
      )
    )
  })

  it.effect("of a response that was cut off do not run, whether there is such a tool or not", () => {
    const model = scripted([call("1", "read", { path: "a" }), call("2", "raed", {}), finish("length")])
    return Effect.gen(function* () {
      for (const [, name, isFailure, result] of results(yield* ask)) {
        assert.include(["read", "raed"], name)
        assert.isTrue(isFailure)
        assert.deepInclude(result, { type: "execution-interrupted" })
      }
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read", () => Effect.die("it ran"))
        )
      )
    )
  })

  it.effect("are interrupted with the request", () => {
    const model = scripted([call("1", "wait", { path: "a" }), finish("tool-calls")])
    return Effect.gen(function* () {
      const [running, stopped] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* ToolRegistry.use((registry) =>
        registry.register({
          name: "wait",
          description: "",
          parameters: Schema.Struct({ path: Schema.String }),
          handler: () =>
            Deferred.succeed(running, undefined).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
        })
      )
      const fiber = yield* Effect.forkChild(ask)
      yield* Deferred.await(running)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.isDone(stopped))
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, Layer.empty)))
  })

  it.effect("are left to the caller who wants that, with all names", () => {
    const model = scripted(
      [call("1", "read", { path: "a" }), call("2", "raed", {}), finish("tool-calls")],
      [call("1", "raed", {}), finish("tool-calls")]
    )
    return Effect.gen(function* () {
      const response = yield* LanguageModel.generateText({
        prompt: "go",
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      })
      assert.deepStrictEqual(
        response.toolCalls.map(({ name, params }: LooseCall) => [name, params]),
        [
          ["read", { path: "a" }],
          ["raed", {}]
        ]
      )
      assert.deepStrictEqual(response.toolResults, [])
      // Strict is what it says.
      const error = yield* Effect.flip(LanguageModel.generateText({ prompt: "go", disableToolCallResolution: true }))
      assert.strictEqual(error.reason._tag, "InvalidOutputError")
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read", () => Effect.die("it ran"))
        )
      )
    )
  })
})

/** What a response without a toolkit has by its type, and a model may send all the same. */
interface LooseCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly metadata: unknown
}
