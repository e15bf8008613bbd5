import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Ref, Schema } from "effect"
import { AiError, Chat, LanguageModel, Tool, Toolkit } from "effect/ai"
import { ModelStep, PromptedModel, ToolkitError } from "../../src/ai/index.ts"
import { Plugin, PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { agent, heading, now, provided, rawTool, rules, services, tool } from "./agent.ts"
import { bytes, call, described, finish, results, said, scripted, text } from "./scripted.ts"

const ask = LanguageModel.generateText({ prompt: "go" })

describe("what the model is sent", () => {
  it.effect("is the prompt, the history and the snapshot, and the tools, at every step", () => {
    const model = scripted(
      [call("1", "read", { path: "a" }), finish("tool-calls")],
      [call("2", "read", { path: "b" }), finish("tool-calls")],
      [text("bye"), finish("stop")]
    )
    return Effect.gen(function* () {
      const chat = yield* Chat.fromPrompt("go")
      for (const _ of [1, 2, 3]) yield* chat.generateText({ prompt: [] })
      const turn = (id: string, path: string) => [
        ["assistant", { call: id, name: "read", params: { path } }],
        ["tool", { result: id, name: "read", isFailure: false, says: `read ${path}` }]
      ]
      const snapshot = ["user", `${heading}\n\nMonday.`]
      const history = [["user", "go"], ...turn("1", "a"), ...turn("2", "b")]
      assert.deepStrictEqual(
        model.seen.map(({ prompt }) => said(prompt)),
        [1, 3, 5].map((length) => [["system", "Be brief."], ...history.slice(0, length), snapshot])
      )
      for (const { responseFormat, toolChoice, tools } of model.seen) {
        assert.deepStrictEqual(tools.map(described), [
          {
            name: "read",
            description: "Does read.",
            parameters: {
              type: "object",
              properties: { path: { type: "string" } },
              required: ["path"],
              additionalProperties: true
            }
          }
        ])
        assert.strictEqual(toolChoice, "auto")
        assert.deepStrictEqual(responseFormat, { type: "text" })
      }
      // The history has what was said, and nothing of ours.
      assert.deepStrictEqual(said(yield* Ref.get(chat.history)), [...history, ["assistant", "bye"]])
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(tool("read"), rules, now("Monday.")))))
  })

  it.effect("begins with the same bytes at each step, though contexts change", () => {
    const model = scripted([call("1", "read", { path: "a" }), finish("tool-calls")])
    let day = "Monday."
    const context = Plugin.context({ name: "now", order: 100, text: () => day })
    return Effect.gen(function* () {
      const chat = yield* Chat.fromPrompt("go")
      yield* chat.generateText({ prompt: [] })
      day = "Tuesday."
      yield* chat.generateText({ prompt: [] })
      const [one, two] = model.seen.map(bytes)
      const before = one!.slice(0, one!.indexOf(`${heading}`) - 60)
      assert.isAbove(before.length, 200)
      assert.include(before, '"content":"Be brief."')
      assert.isTrue(two!.startsWith(before))
      assert.include(one!, "Monday.")
      assert.include(two!, "Tuesday.")
      assert.notInclude(two!, "Monday.")
      assert.strictEqual(model.seen[0]!.tools[0], model.seen[1]!.tools[0])
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(tool("read"), rawTool({ name: "raw" }), rules, context))))
  })

  it.effect("is byte for byte the same for the same state", () => {
    const model = scripted()
    return Effect.gen(function* () {
      yield* ask
      yield* ask
      assert.strictEqual(bytes(model.seen[0]!), bytes(model.seen[1]!))
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(rawTool({ name: "raw" }), tool("read"), rules, now("x")))))
  })

  it.effect("has no message and no tool for what is not there", () => {
    const model = scripted()
    return Effect.gen(function* () {
      yield* ask
      const [{ prompt, toolChoice, tools }] = model.seen as [LanguageModel.ProviderOptions]
      assert.deepStrictEqual(said(prompt), [["user", "go"]])
      assert.deepStrictEqual(tools, [])
      assert.strictEqual(toolChoice, "none")
    }).pipe(Effect.provide(agent(model.layer, Layer.empty)))
  })

  it.effect("is that of the ambient prompt scope", () => {
    const model = scripted(
      [call("1", "rm", { path: "a" }), finish("tool-calls")],
      [call("2", "rm", { path: "a" }), finish("tool-calls")]
    )
    return Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("child")
      const registry = yield* ToolRegistry
      yield* PromptScope.provide(scope)(registry.restrict({ deny: ["rm"] }))
      yield* PromptScope.provide(scope)(
        SystemPrompt.use((prompt) => prompt.section({ name: "child", order: 950, text: "You only read." }))
      )
      assert.deepStrictEqual(results(yield* ask), [["1", "rm", false, "rm a"]])
      assert.deepStrictEqual(results(yield* PromptScope.provide(scope)(ask)), [
        ["2", "rm", true, 'there is no tool "rm". Call one of these by its exact name: read.']
      ])
      assert.deepStrictEqual(
        model.seen.map(({ prompt, tools }) => [prompt.content[0]?.content, tools.map(({ name }) => name)]),
        [
          ["Be brief.", ["read", "rm"]],
          ["Be brief.\n\nYou only read.", ["read"]]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, Layer.mergeAll(tool("read"), tool("rm"), rules))))
  })

  it.effect("has the choice of the caller", () => {
    const model = scripted()
    return Effect.gen(function* () {
      yield* LanguageModel.generateText({ prompt: "go", toolChoice: "none" })
      yield* LanguageModel.generateText({ prompt: "go", toolChoice: "required" })
      assert.deepStrictEqual(
        model.seen.map(({ toolChoice }) => toolChoice),
        ["none", "required"]
      )
    }).pipe(Effect.provide(agent(model.layer, tool("read"))))
  })
})

describe("generateObject", () => {
  const schema = Schema.Struct({ answer: Schema.Number })

  it.effect("is given the prompt and the snapshot, and no tools", () => {
    const model = scripted([text('{"answer":42}'), finish("stop")])
    return Effect.gen(function* () {
      const response = yield* LanguageModel.generateObject({ prompt: "go", schema })
      assert.deepStrictEqual(response.value, { answer: 42 })
      const [{ prompt, responseFormat, tools }] = model.seen as [LanguageModel.ProviderOptions]
      assert.deepStrictEqual(said(prompt), [
        ["system", "Be brief."],
        ["user", "go"],
        ["user", `${heading}\n\nMonday.`]
      ])
      assert.deepStrictEqual(tools, [])
      assert.deepInclude(responseFormat, { type: "json", schema })
      // Not even tools that could not be sent are in the way.
    }).pipe(Effect.provide(agent(model.layer, Layer.mergeAll(provided("p", "a b"), rules, now("Monday.")))))
  })

  it.effect("fails as the prompt does", () => {
    const model = scripted()
    const broken = Plugin.section({ name: "broken", order: 1, text: "{{nosuch}}" })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(LanguageModel.generateObject({ prompt: "go", schema }))
      assert.strictEqual(Option.getOrThrow(PromptedModel.stepError(error))._tag, "UnknownVariable")
      assert.match(error.message, /^PromptedModel\.generateObject: /u)
      assert.deepStrictEqual(model.seen, [])
    }).pipe(Effect.provide(agent(model.layer, broken)))
  })
})

describe("failures", () => {
  const broken: ReadonlyArray<
    readonly [tag: string, plugin: Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>]
  > = [
    ["ProviderFailure", Plugin.section({ name: "s", order: 1, text: () => Effect.fail("disk") })],
    ["UnknownVariable", Plugin.section({ name: "s", order: 1, text: "{{nosuch}}" })],
    ["DuplicateToolName", provided("p", "a", "a")],
    ["IllegalToolNames", provided("p", "a b")],
    ["UnsupportedCapability", rawTool({ name: "later", deferLoading: true })]
  ]
  for (const [tag, plugin] of broken) {
    it.effect(`${tag} is found in the AiError, and the model is not asked`, () => {
      const model = scripted()
      return Effect.gen(function* () {
        const error = yield* Effect.flip(ask)
        assert.instanceOf(error, AiError.AiError)
        assert.instanceOf(error.reason, PromptedModel.StepFailed)
        assert.isFalse(error.isRetryable)
        const found = Option.getOrThrow(PromptedModel.stepError(error))
        assert.strictEqual(found._tag, tag)
        assert.strictEqual(error.message, `PromptedModel.generateText: Invalid request. ${found.message}`)
        assert.deepStrictEqual(model.seen, [])
        // It is what a host gets that makes the step itself.
        const own = yield* Effect.flip(ModelStep.make())
        assert.strictEqual(own._tag, found._tag)
        // An AiError can be encoded, whatever its reason.
        const encoded = Schema.encodeSync(AiError.AiError)(error)
        assert.strictEqual(Schema.decodeSync(AiError.AiError)(encoded).message, error.message)
        // And caught by its reason.
        const caught = yield* ask.pipe(
          Effect.catchReason("AiError", "InvalidRequestError", (reason) => Effect.succeed(reason))
        )
        assert.instanceOf(caught, PromptedModel.StepFailed)
      }).pipe(Effect.provide(agent(model.layer, plugin)))
    })
  }

  it.effect("of the model pass as they are", () => {
    const failure = AiError.make({
      module: "Test",
      method: "generateText",
      reason: new AiError.InvalidRequestError({ description: "too long" })
    })
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({ generateText: () => Effect.fail(failure), streamText: () => assert.fail("not asked") })
    )
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask)
      assert.strictEqual(error, failure)
      assert.isTrue(Option.isNone(PromptedModel.stepError(error)))
      assert.isTrue(Option.isNone(PromptedModel.stepError("another")))
    }).pipe(Effect.provide(agent(model, tool("read"))))
  })
})

describe("the caller's own toolkit", () => {
  const Weather = Tool.make("weather", {
    parameters: Schema.Struct({ day: Schema.DateFromString }),
    success: Schema.Struct({ at: Schema.DateFromString }),
    failure: Schema.String
  })
  const own = Toolkit.make(Weather)
  const handlers = own.toLayer({ weather: ({ day }) => Effect.succeed({ at: day }) })

  it.effect("is beside the tools of the assembly, and stays as it is", () => {
    const model = scripted([
      call("1", "weather", { day: "2026-11-30T00:00:00.000Z" }),
      call("2", "read", { path: "a" }),
      call("3", "wether", {}),
      finish("tool-calls")
    ])
    return Effect.gen(function* () {
      const response = yield* LanguageModel.generateText({ prompt: "go", toolkit: own, concurrency: 1 })
      const day = new Date("2026-11-30T00:00:00.000Z")
      const [first] = response.toolResults
      assert.deepStrictEqual(first?.result, { at: day })
      assert.deepStrictEqual(first?.encodedResult, { at: "2026-11-30T00:00:00.000Z" })
      assert.deepStrictEqual(results(response).slice(1), [
        ["2", "read", false, "read a"],
        [
          "3",
          "wether",
          true,
          'there is no tool "wether". Did you mean "weather"? Call one of these by its exact name: read, weather.'
        ]
      ])
      assert.deepStrictEqual(
        model.seen[0]!.tools.map(({ name }) => name),
        ["read", "weather"]
      )
      assert.strictEqual(model.seen[0]!.tools[1], Weather)
    }).pipe(Effect.provide(handlers), Effect.provide(agent(model.layer, tool("read"))))
  })

  it.effect("fails the request where it says so", () => {
    const model = scripted(
      [call("1", "weather", { day: "no date" }), finish("tool-calls")],
      [call("1", "weather", { day: "2026-11-30T00:00:00.000Z" }), finish("tool-calls")]
    )
    const failing = own.toLayer({ weather: () => Effect.fail("storm") })
    return Effect.gen(function* () {
      const wrong = yield* Effect.flip(LanguageModel.generateText({ prompt: "go", toolkit: own }))
      assert.isTrue(AiError.isAiError(wrong) && wrong.reason._tag === "ToolParameterValidationError")
      assert.strictEqual(yield* Effect.flip(LanguageModel.generateText({ prompt: "go", toolkit: own })), "storm")
    }).pipe(Effect.provide(failing), Effect.provide(agent(model.layer, tool("read"))))
  })

  it.effect("may not have a name of the assembly's", () => {
    const model = scripted()
    return Effect.gen(function* () {
      const error = yield* Effect.flip(LanguageModel.generateText({ prompt: "go", toolkit: own }))
      assert.deepStrictEqual(
        PromptedModel.stepError(error),
        Option.some(
          new ToolkitError.ToolNameClash({
            tool: "weather",
            owner: { kind: "tool", entry: "weather", scope: "global" }
          })
        )
      )
      assert.deepStrictEqual(model.seen, [])
    }).pipe(Effect.provide(handlers), Effect.provide(agent(model.layer, tool("weather"))))
  })
})

describe("layer", () => {
  it.effect("may be merged over the model that it wraps", () => {
    const model = scripted()
    const layer = PromptedModel.layer().pipe(
      Layer.provideMerge(model.layer),
      Layer.provideMerge(rules),
      Layer.provideMerge(services)
    )
    return Effect.gen(function* () {
      yield* ask
      assert.deepStrictEqual(said(model.seen[0]!.prompt)[0], ["system", "Be brief."])
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps what the model says of itself", () => {
    const model = Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () => assert.fail("not asked"),
        streamText: () => assert.fail("not asked"),
        supportsSystemMessagesInHistory: Effect.succeed(true)
      })
    )
    return Effect.gen(function* () {
      const prompted = yield* LanguageModel.LanguageModel
      assert.strictEqual(yield* prompted.supportsSystemMessagesInHistory ?? Effect.succeed(false), true)
    }).pipe(Effect.provide(agent(model, Layer.empty)))
  })
})
