/** What `effect/ai` does with requests and responses stays as it is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Schema, Stream } from "effect"
import { Chat, LanguageModel, type Prompt, type Response, ResponseIdTracker, Telemetry, Tool, Toolkit } from "effect/ai"
import { Plugin } from "../../src/index.ts"
import { agent, heading, now, rules, tool } from "./agent.ts"
import { call, finish, results, said, scripted, text } from "./scripted.ts"

describe("approvals", () => {
  const Deploy = Tool.make("deploy", {
    parameters: Schema.Struct({ to: Schema.String }),
    success: Schema.String,
    needsApproval: ({ to }) => to === "production"
  })
  const own = Toolkit.make(Deploy)
  const plugins = Layer.mergeAll(tool("read"), rules, now("x"))

  const conversation = (streamed: boolean) => {
    const model = scripted(
      [call("1", "deploy", { to: "production" }), call("2", "deploy", { to: "staging" }), finish("tool-calls")],
      [text("deployed"), finish("stop")]
    )
    let ran: Array<string> = []
    const handlers = own.toLayer({ deploy: ({ to }) => Effect.sync(() => (ran.push(to), `deployed to ${to}`)) })
    return Effect.gen(function* () {
      const chat = yield* Chat.fromPrompt("go")
      const step = (prompt: Prompt.RawInput): Effect.Effect<ReadonlyArray<Response.AnyPart>, unknown, never> =>
        (streamed
          ? Stream.runCollect(chat.streamText({ prompt, toolkit: own }))
          : Effect.map(chat.generateText({ prompt, toolkit: own }), ({ content }) => content)) as never
      const first = yield* step([])
      const request = first.find((part) => part.type === "tool-approval-request")
      assert.strictEqual(request?.toolCallId, "1")
      assert.deepStrictEqual(ran, ["staging"])
      ran = []
      yield* step([
        {
          role: "tool",
          content: [{ type: "tool-approval-response", approvalId: request?.approvalId ?? "", approved: true }]
        }
      ])
      // Once, before the model is asked again, and the result is right after its call.
      assert.deepStrictEqual(ran, ["production"])
      assert.deepStrictEqual(said(model.seen[1]!.prompt), [
        ["system", "Be brief."],
        ["user", "go"],
        [
          "assistant",
          { call: "1", name: "deploy", params: { to: "production" } },
          { call: "2", name: "deploy", params: { to: "staging" } }
        ],
        ["tool", { result: "2", name: "deploy", isFailure: false, says: "deployed to staging" }],
        ["tool", { result: "1", name: "deploy", isFailure: false, says: "deployed to production" }],
        ["user", `${heading}\n\nx`]
      ])
      yield* step("and now?")
      assert.deepStrictEqual(ran, ["production"], "not again at a later step")
    }).pipe(Effect.provide(handlers), Effect.provide(agent(model.layer, plugins)))
  }

  it.effect("are asked for, given and carried out once", () => conversation(false))
  it.effect("are so in streams", () => conversation(true))
})

describe("tools of the provider", () => {
  const Search = Tool.providerDefined({
    id: "test.search",
    customName: "search",
    providerName: "web_search",
    args: Schema.Struct({}),
    parameters: Schema.Struct({ query: Schema.String }),
    success: Schema.Struct({ found: Schema.NumberFromString })
  })
  const own = Toolkit.make(Search({}))
  const script = [
    { type: "tool-call", id: "1", name: "search", params: { query: "q" }, providerExecuted: true },
    { type: "tool-result", id: "1", name: "search", result: { found: "3" }, isFailure: false, providerExecuted: true },
    { type: "source", sourceType: "url", id: "s", url: "https://example.org/", title: "t" },
    { type: "file", mediaType: "text/plain", data: "aGk=" },
    { type: "response-metadata", id: "r1", modelId: "m", timestamp: "2026-11-30T00:00:00.000Z" },
    call("2", "read", { path: "a" }),
    finish("tool-calls")
  ] satisfies ReadonlyArray<Response.PartEncoded>

  it.effect("and all other parts of a response come through", () => {
    const [direct, through] = [scripted(script), scripted(script)]
    const ask = LanguageModel.generateText({ prompt: "go", toolkit: own, concurrency: 1 })
    return Effect.gen(function* () {
      const expected = yield* LanguageModel.generateText({
        prompt: "go",
        toolkit: own,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      }).pipe(Effect.provide(direct.layer))
      const response = yield* ask
      assert.deepStrictEqual(
        response.content.slice(0, script.length).map((part) => ({ ...part })),
        expected.content.map((part) => ({ ...part }))
      )
      assert.strictEqual(response.content.length, script.length + 1)
      assert.deepInclude(response.toolResults[0], { result: { found: 3 }, encodedResult: { found: "3" } })
      assert.deepStrictEqual(results(response)[1], ["2", "read", false, "read a"])
    }).pipe(Effect.provide(agent(through.layer, tool("read"))))
  })
})

describe("calls that the provider executed", () => {
  it.effect("of tools that nobody declared fail as they do without us", () => {
    const script = [{ ...call("1", "search"), providerExecuted: true }, finish("stop")]
    const ask = LanguageModel.generateText({ prompt: "go" })
    return Effect.gen(function* () {
      const expected = yield* Effect.flip(ask.pipe(Effect.provide(scripted(script).layer)))
      const error = yield* Effect.flip(ask)
      assert.strictEqual(expected.reason._tag, "InvalidOutputError")
      assert.strictEqual(error.reason._tag, expected.reason._tag)
    }).pipe(Effect.provide(agent(scripted(script).layer, tool("read"))))
  })
})

describe("preliminary results", () => {
  it.effect("of the caller's own tools come through in streams", () => {
    const own = Toolkit.make(Tool.make("count", { success: Schema.Number }))
    const model = scripted([call("1", "count"), finish("tool-calls")])
    const handlers = own.toLayer({
      count: (_, { preliminary }) => Effect.as(Effect.andThen(preliminary(1), preliminary(2)), 3)
    })
    return Effect.gen(function* () {
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: "go", toolkit: own }))
      assert.deepStrictEqual(
        Array.from(parts).flatMap((part) => (part.type === "tool-result" ? [[part.result, part.preliminary]] : [])),
        [
          [1, true],
          [2, true],
          [3, false]
        ]
      )
    }).pipe(Effect.provide(handlers), Effect.provide(agent(model.layer, Layer.empty)))
  })
})

describe("ResponseIdTracker", () => {
  const response = (id: string, path: string) => [
    { type: "response-metadata" as const, id, modelId: "m", timestamp: undefined },
    call(id, "read", { path }),
    finish("tool-calls")
  ]

  it.effect("sends what is new, as long as the prompt is the same, whatever contexts say", () => {
    const model = scripted(response("r1", "a"), response("r2", "b"), response("r3", "c"))
    let [text, day] = ["Be brief.", "Monday."]
    const plugins = Layer.mergeAll(
      tool("read"),
      Plugin.section({ name: "s", order: 900, text: () => text }),
      Plugin.context({ name: "now", order: 100, text: () => day })
    )
    return Effect.gen(function* () {
      const chat = yield* Chat.fromPrompt("go")
      yield* chat.generateText({ prompt: [] })
      day = "Tuesday."
      yield* chat.generateText({ prompt: [] })
      text = "Be long."
      yield* chat.generateText({ prompt: [] })
      assert.deepStrictEqual(
        model.seen.map(({ incrementalPrompt, previousResponseId }) => [
          previousResponseId,
          incrementalPrompt === undefined ? undefined : said(incrementalPrompt)
        ]),
        [
          [undefined, undefined],
          [
            "r1",
            [
              ["tool", { result: "r1", name: "read", isFailure: false, says: "read a" }],
              ["user", `${heading}\n\nTuesday.`]
            ]
          ],
          // A provider keeps the prompt of before with its response.
          [undefined, undefined]
        ]
      )
      assert.strictEqual(said(yield* Ref.get(chat.history)).length, 7)
    }).pipe(
      Effect.provideServiceEffect(ResponseIdTracker.ResponseIdTracker, ResponseIdTracker.make),
      Effect.provide(agent(model.layer, plugins))
    )
  })
})

describe("CurrentSpanTransformer", () => {
  const counted = (ask: Effect.Effect<unknown, unknown, LanguageModel.LanguageModel>) =>
    Effect.gen(function* () {
      const model = scripted([call("1", "nested", { path: "a" }), finish("tool-calls")])
      const spans: Array<number> = []
      const nested = Plugin.tool({
        name: "nested",
        description: "",
        parameters: { type: "object" },
        handler: () => Effect.map(Effect.serviceOption(Telemetry.CurrentSpanTransformer), ({ _tag }) => _tag)
      })
      yield* ask.pipe(
        Effect.provideService(Telemetry.CurrentSpanTransformer, ({ prompt }) => void spans.push(prompt.content.length)),
        Effect.provide(agent(model.layer, Layer.mergeAll(nested, rules)))
      )
      // Once for each request, with all that was sent.
      assert.deepStrictEqual(spans, [2])
    })

  it.effect("is told of a request once", () => counted(LanguageModel.generateText({ prompt: "go" })))
  it.effect("is so for streams", () => counted(Stream.runDrain(LanguageModel.streamText({ prompt: "go" }))))

  it.effect("is there for handlers that ask a model themselves", () => {
    const model = scripted([call("1", "nested", { path: "a" }), finish("tool-calls")])
    return Effect.gen(function* () {
      const response = yield* LanguageModel.generateText({ prompt: "go" })
      assert.deepStrictEqual(results(response), [["1", "nested", false, "Some"]])
    }).pipe(
      Effect.provideService(Telemetry.CurrentSpanTransformer, () => undefined),
      Effect.provide(
        agent(
          model.layer,
          tool("nested", () => Effect.map(Effect.serviceOption(Telemetry.CurrentSpanTransformer), ({ _tag }) => _tag))
        )
      )
    )
  })
})
