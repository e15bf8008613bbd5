import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Ref, Schema, Stream } from "effect"
import { Chat, LanguageModel, type Response, Tool, Toolkit } from "effect/ai"
import { PromptedModel } from "../../src/ai/index.ts"
import { Plugin, PromptScope, ToolRegistry } from "../../src/index.ts"
import { agent, heading, now, provided, rules, tool } from "./agent.ts"
import { bytes, call, finish, said, scripted, text } from "./scripted.ts"

/** The parts of a stream, shortened. */
const shortened = (parts: Iterable<Response.AnyPart>) =>
  Array.from(parts, (part) => {
    switch (part.type) {
      case "text-delta":
        return part.delta
      case "tool-call":
        return ["call", part.id, part.name, part.params]
      case "tool-result":
        return ["result", part.id, part.name, part.isFailure, part.result]
      default:
        return part.type
    }
  })

const stream = Stream.runCollect(LanguageModel.streamText({ prompt: "go" }))

describe("streamText", () => {
  it.effect("sends what generateText sends, byte for byte", () => {
    const model = scripted()
    return Effect.gen(function* () {
      yield* stream
      yield* LanguageModel.generateText({ prompt: "go" })
      assert.deepStrictEqual(said(model.seen[0]!.prompt), [
        ["system", "Be brief."],
        ["user", "go"],
        ["user", `${heading}\n\nMonday.`]
      ])
      assert.strictEqual(bytes(model.seen[0]!), bytes(model.seen[1]!))
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(tool("read"), rules, now("Monday.")))))
  })

  it.effect("runs the calls of declared tools and answers those of others", () => {
    const model = scripted([
      text("Let me see."),
      call("1", "raed", { path: "a" }),
      call("2", "read", { path: "a" }),
      call("3", "read", {}),
      call("4", "toString"),
      finish("tool-calls")
    ])
    return Effect.gen(function* () {
      const parts = shortened(yield* stream)
      assert.strictEqual(parts.at(-1), "finish")
      const notFound = (name: string, hint = "") =>
        `there is no tool "${name}".${hint} Call one of these by its exact name: read.`
      assert.sameDeepMembers(parts, [
        "text-start",
        "Let me see.",
        "text-end",
        ["call", "1", "raed", { path: "a" }],
        ["call", "2", "read", { path: "a" }],
        ["call", "3", "read", {}],
        ["call", "4", "toString", {}],
        ["result", "1", "raed", true, notFound("raed", ' Did you mean "read"?')],
        ["result", "2", "read", false, "read a"],
        [
          "result",
          "3",
          "read",
          true,
          'invalid arguments of tool "read": at $.path: Missing key. Call it again with arguments that fit its parameters.'
        ],
        ["result", "4", "toString", true, notFound("toString")],
        "finish"
      ])
      assert.deepStrictEqual(parts.slice(0, 4), ["text-start", "Let me see.", "text-end", parts[3]])
    }).pipe(Effect.provide(agent(model.layer, tool("read"))))
  })

  it.effect("gives text before the model has ended, and calls run meanwhile", () =>
    Effect.gen(function* () {
      const [ran, seen] = [yield* Deferred.make<void>(), yield* Deferred.make<string>()]
      // The response ends only when the call has run and its text has been seen.
      const model = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => assert.fail("not asked"),
          streamText: () =>
            Stream.make<[Response.StreamPartEncoded, Response.StreamPartEncoded, Response.StreamPartEncoded]>(
              { type: "text-delta", id: "t", delta: "early" },
              { type: "tool-call", id: "1", name: "read", params: { path: "a" } },
              { type: "text-delta", id: "t", delta: "later" }
            ).pipe(
              Stream.rechunk(1),
              Stream.concat(
                Stream.unwrap(
                  Effect.all([Deferred.await(ran), Deferred.await(seen)]).pipe(Effect.as(Stream.make({ ...finished })))
                )
              )
            )
        })
      )
      const read = tool("read", ({ path }) => Effect.as(Deferred.succeed(ran, undefined), path))
      const parts = yield* LanguageModel.streamText({ prompt: "go" }).pipe(
        Stream.tap((part) => (part.type === "text-delta" ? Deferred.succeed(seen, part.delta) : Effect.void)),
        Stream.runCollect,
        Effect.provide(agent(model, read))
      )
      assert.strictEqual(yield* Deferred.await(seen), "early")
      assert.strictEqual(shortened(parts).at(-1), "finish")
    })
  )

  const finished: Response.StreamPartEncoded = {
    type: "finish",
    reason: "tool-calls",
    usage: {
      inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 }
    },
    response: undefined
  }

  it.effect("keeps a chat going, which gets neither the prompt nor the snapshot", () => {
    const model = scripted([text("see"), call("1", "raed"), finish("tool-calls")], [text("bye"), finish("stop")])
    return Effect.gen(function* () {
      const chat = yield* Chat.fromPrompt("go")
      yield* Stream.runDrain(chat.streamText({ prompt: [] }))
      yield* Stream.runDrain(chat.streamText({ prompt: [] }))
      const history = [
        ["user", "go"],
        ["assistant", "see", { call: "1", name: "raed", params: {} }],
        ["tool", { result: "1", name: "raed", isFailure: true, says: notFoundOf("raed") }],
        ["assistant", "bye"]
      ]
      assert.deepStrictEqual(said(yield* Ref.get(chat.history)), history)
      assert.deepStrictEqual(said(model.seen[1]!.prompt), [
        ["system", "Be brief."],
        ...history.slice(0, 3),
        ["user", `${heading}\n\nx`]
      ])
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(rules, now("x"), tool("read")))))
  })

  const notFoundOf = (name: string) =>
    `there is no tool "${name}". Did you mean "read"? Call one of these by its exact name: read.`

  it.effect("is for the prompt scope that it runs in", () => {
    const model = scripted()
    return Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("child")
      yield* PromptScope.provide(scope)(ToolRegistry.use((registry) => registry.restrict({ deny: ["rm"] })))
      yield* PromptScope.provide(scope)(stream)
      yield* stream
      assert.deepStrictEqual(
        model.seen.map(({ tools }) => tools.map(({ name }) => name)),
        [["read"], ["read", "rm"]]
      )
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, Layer.mergeAll(tool("read"), tool("rm")))))
  })

  it.effect("leaves calls to the caller who wants that", () => {
    const model = scripted([call("1", "read", { path: "a" }), call("2", "raed"), finish("tool-calls")])
    return Effect.gen(function* () {
      const parts = yield* Stream.runCollect(
        LanguageModel.streamText({ prompt: "go", disableToolCallResolution: true, toolCallValidation: "deferred" })
      )
      assert.deepStrictEqual(shortened(parts), [
        ["call", "1", "read", { path: "a" }],
        ["call", "2", "raed", {}],
        "finish"
      ])
    }).pipe(
      Effect.provide(
        agent(
          model.layer,
          tool("read", () => Effect.die("it ran"))
        )
      )
    )
  })

  it.effect("takes the caller's own toolkit beside, and refuses a name that both have", () => {
    const own = Toolkit.make(Tool.make("weather", { success: Schema.String }))
    const model = scripted([call("1", "weather"), call("2", "read", { path: "a" }), finish("tool-calls")])
    const ask = Stream.runCollect(LanguageModel.streamText({ prompt: "go", toolkit: own, concurrency: 1 }))
    return Effect.gen(function* () {
      assert.deepStrictEqual(shortened(yield* ask).slice(2), [
        ["result", "1", "weather", false, "rain"],
        ["result", "2", "read", false, "read a"],
        "finish"
      ])
      yield* ToolRegistry.use((registry) =>
        registry.register({ name: "weather", description: "", parameters: { type: "object" } })
      )
      const error = yield* Effect.flip(ask)
      assert.strictEqual(Option.getOrThrow(PromptedModel.stepError(error))._tag, "ToolNameClash")
      assert.strictEqual(model.seen.length, 1)
    }).pipe(
      Effect.scoped,
      Effect.provide(own.toLayer({ weather: () => Effect.succeed("rain") })),
      Effect.provide(agent(model.layer, tool("read")))
    )
  })

  it.effect("fails as the prompt and its tools do", () => {
    const model = scripted()
    return Effect.forEach(
      [
        ["UnknownVariable", Plugin.section({ name: "s", order: 1, text: "{{nosuch}}" })],
        ["IllegalToolNames", provided("p", "a b")]
      ] as const,
      ([tag, plugin]) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(stream)
          assert.strictEqual(Option.getOrThrow(PromptedModel.stepError(error))._tag, tag)
          assert.match(error.message, /^PromptedModel\.streamText: /u)
          assert.deepStrictEqual(model.seen, [])
        }).pipe(Effect.provide(agent(model.layer, plugin)))
    )
  })

  it.effect("interrupts what runs", () => {
    const model = scripted([call("1", "wait"), finish("tool-calls")])
    return Effect.gen(function* () {
      const [running, stopped] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* ToolRegistry.use((registry) =>
        registry.register({
          name: "wait",
          description: "",
          parameters: { type: "object" },
          handler: () =>
            Deferred.succeed(running, undefined).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
            )
        })
      )
      const fiber = yield* Effect.forkChild(stream)
      yield* Deferred.await(running)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.isDone(stopped))
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, Layer.empty)))
  })
})
