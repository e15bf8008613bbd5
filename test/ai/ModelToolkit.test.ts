import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { Tool } from "effect/ai"
import { ModelToolkit, ToolkitError } from "../../src/ai/index.ts"
import { Assembly, Plugin, SystemPrompt, ToolRegistry, ToolSchema } from "../../src/index.ts"
import { provided, rawTool, run, tool, toolkitOf } from "./agent.ts"
import { described } from "./scripted.ts"

const assemble = SystemPrompt.use((prompt) => prompt.assemble)

const Recursive = Schema.Struct({
  value: Schema.String,
  get next(): Schema.optionalKey<Schema.Codec<unknown>> {
    return Schema.optionalKey(Schema.suspend((): Schema.Codec<unknown> => Recursive))
  }
}).annotate({ identifier: "Recursive" })

/** Schemas that change on the way from JSON, that describe, that refer to others. */
const schemas: ReadonlyArray<readonly [what: string, schema: Schema.Codec<unknown>, own: boolean]> = [
  ["a struct", Schema.Struct({ zeta: Schema.String, alpha: Schema.Number }), true],
  ["nothing", Schema.Record(Schema.String, Schema.Never), true],
  ["optional keys", Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.optional(Schema.Int) }), true],
  [
    "descriptions and checks",
    Schema.Struct({
      path: Schema.String.check(Schema.isMinLength(1), Schema.isPattern(/^\//u)).annotate({ description: "absolute" })
    }),
    true
  ],
  ["a date", Schema.Struct({ at: Schema.Date }), true],
  ["a number from text", Schema.Struct({ n: Schema.NumberFromString }), true],
  ["lists and choices", Schema.Struct({ a: Schema.Array(Schema.Literals(["x", "y"])) }), true],
  ["a union", Schema.Struct({ a: Schema.Union([Schema.String, Schema.Struct({ b: Schema.Boolean })]) }), true],
  ["a named part", Schema.Struct({ a: Schema.Struct({ b: Schema.String }).annotate({ identifier: "Part" }) }), true],
  ["a named whole", Schema.Struct({ a: Schema.String }).annotate({ identifier: "Whole" }), false],
  ["one that holds itself", Recursive, false]
]

describe("tools", () => {
  it.effect("are those of the assembly, in its order, with its very JSON Schemas", () =>
    run(
      Effect.gen(function* () {
        const assembly = yield* assemble
        const toolkit = yield* ModelToolkit.make(assembly)
        const shown = assembly.tools.map(({ schema }) => schema)
        assert.deepStrictEqual(
          shown.map(({ name }) => name),
          ["Zeta", "alpha", "constructor", "read", "toString"]
        )
        assert.deepStrictEqual(
          Object.keys(toolkit.tools),
          shown.map(({ name }) => name)
        )
        for (const { description, name, parameters } of shown) {
          const tool = toolkit.tools[name]!
          assert.strictEqual(tool.name, name)
          assert.strictEqual(tool.description, description)
          assert.strictEqual(tool.failureMode, "return")
          if (name !== "read") assert.strictEqual(Tool.getJsonSchema(tool), parameters, name)
          assert.strictEqual(JSON.stringify(Tool.getJsonSchema(tool)), JSON.stringify(parameters))
        }
      }),
      rawTool({ name: "toString" }),
      rawTool({ name: "Zeta" }),
      tool("read"),
      provided("bare", "constructor", "alpha")
    )
  )

  it.effect("have the configured order", () =>
    Effect.gen(function* () {
      const toolkit = yield* toolkitOf()
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["c", "a", "b"])
    }).pipe(
      Effect.provide(Layer.mergeAll(tool("a"), tool("b"), tool("c"))),
      Effect.provide(
        ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layerWith({ toolOrder: ["c", "<unlisted-tools>"] })))
      )
    )
  )

  it.effect("of a Schema are offered with its encoded side where it says what is shown, else with what is shown", () =>
    Effect.forEach(schemas, ([what, schema, own]) =>
      run(
        Effect.gen(function* () {
          const { tools } = yield* assemble
          const [offered] = yield* Effect.fromResult(ModelToolkit.tools(yield* assemble))
          const shown = tools[0]!.schema.parameters
          assert.strictEqual(JSON.stringify(Tool.getJsonSchema(offered!)), JSON.stringify(shown), what)
          assert.strictEqual(Tool.getJsonSchema(offered!) !== shown, own, what)
          // Strict mode is up to the provider where it may rewrite the schema, and off where it may not.
          assert.strictEqual(Tool.getStrictMode(offered!), own ? undefined : false, what)
        }),
        Plugin.tool({ name: "t", description: "", parameters: schema, handler: () => Effect.void })
      )
    )
  )

  it.effect("of a Schema decode nothing: that is done when a call runs", () =>
    run(
      Effect.gen(function* () {
        const [offered] = yield* Effect.fromResult(ModelToolkit.tools(yield* assemble))
        const sent = { at: "2026-11-30T00:00:00.000Z", n: "7" }
        assert.deepStrictEqual(Schema.decodeUnknownSync(offered!.parametersSchema)(sent), sent)
        assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(offered!.parametersSchema)({ at: 1, n: "7" })))
      }),
      Plugin.tool({
        name: "t",
        description: "",
        parameters: Schema.Struct({ at: Schema.Date, n: Schema.NumberFromString }),
        handler: () => Effect.void
      })
    )
  )

  it.effect("that a listener changed are offered as it left them", () =>
    run(
      Effect.gen(function* () {
        const [offered] = yield* Effect.fromResult(ModelToolkit.tools(yield* assemble))
        assert.deepStrictEqual(described(offered!), {
          name: "read",
          description: "Reads below /home.",
          parameters: { type: "object", properties: { path: { const: "/home/a" } }, required: ["path"] }
        })
        assert.isFalse(Tool.getStrictMode(offered!))
      }),
      tool("read"),
      Plugin.listener({
        name: "narrow",
        edit: (assembly) =>
          Assembly.mapTool(assembly, "read", (schema) =>
            ToolSchema.make({
              ...schema,
              description: "Reads below /home.",
              parameters: { type: "object", properties: { path: { const: "/home/a" } }, required: ["path"] }
            })
          )
      })
    )
  )

  it.effect("have the annotations of their registration", () =>
    run(
      Effect.gen(function* () {
        const { tools } = yield* toolkitOf()
        assert.isTrue(Context.get(tools["raw"]!.annotations, Tool.Readonly))
        assert.isTrue(Tool.getStrictMode(tools["raw"]!))
        assert.isFalse(Context.get(tools["other"]!.annotations, Tool.Readonly))
      }),
      rawTool({ name: "raw", annotations: Context.make(Tool.Readonly, true).pipe(Context.add(Tool.Strict, true)) }),
      rawTool({ name: "other" })
    )
  )

  it.effect("are the same objects at each step", () =>
    run(
      Effect.gen(function* () {
        const [one, two] = [yield* toolkitOf(), yield* toolkitOf()]
        assert.deepStrictEqual(Object.keys(one.tools), ["raw", "read"])
        for (const name of Object.keys(one.tools)) assert.strictEqual(one.tools[name], two.tools[name])
      }),
      tool("read"),
      rawTool({ name: "raw" })
    )
  )
})

describe("what is refused", () => {
  const refused = (...plugins: ReadonlyArray<Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>>) =>
    run(Effect.flip(toolkitOf()), ...plugins)

  it.effect("[BC-009] two tools of one name, each with its provider", () =>
    Effect.gen(function* () {
      const error = yield* refused(provided("p2", "search"), provided("p1", "other", "search"))
      const owners = ["p1", "p2"].map((entry) => ({ kind: "tools" as const, entry, scope: "global" }))
      assert.deepStrictEqual(error, new ToolkitError.DuplicateToolName({ tool: "search", owners }))
      for (const name of ['"search"', '"p1"', '"p2"']) assert.include(String(error), name)
    })
  )

  it.effect("a bare tool with the name of a registered one, which has its scope and plugin", () =>
    Effect.gen(function* () {
      const registered = rawTool({ name: "read", plugin: "files" })
      const error = yield* refused(registered, Plugin.tools([{ name: "read", description: "", parameters: {} }]))
      assert.deepStrictEqual(
        error,
        new ToolkitError.DuplicateToolName({
          tool: "read",
          owners: [
            { kind: "tools", entry: "", scope: "global" },
            { kind: "tool", entry: "read", scope: "global", plugin: "files" }
          ]
        })
      )
    })
  )

  it.effect("[BC-010] names that are too long, all of them in full: none is cut", () =>
    Effect.gen(function* () {
      const prefix = `srv_${"x".repeat(40)}`
      const names = [`${prefix}_createPageWithAttachments`, `${prefix}_deletePageWithAttachments`]
      const error = yield* refused(provided("wiki", ...names))
      assert.instanceOf(error, ToolkitError.IllegalToolNames)
      for (const name of [...names, "64", '"wiki"']) assert.include(error.message, name)
    })
  )

  const illegal = ["calendar.list", "a/b", "Docker scan", "x".repeat(65), "é", "0", "1", "42", "007", "__proto__"]

  it.effect("[BC-032] names that model providers or toolkits cannot take, and no others", () =>
    Effect.gen(function* () {
      const legal = ["ok_name-1", "x".repeat(64), "-1", "1e3", "_", "constructor", "__proto", "hasOwnProperty"]
      const error = yield* refused(provided("p", ...illegal, ...legal))
      assert.instanceOf(error, ToolkitError.IllegalToolNames)
      assert.sameMembers(
        error.tools.map(({ tool }) => tool),
        illegal
      )
      for (const { owner, reason } of error.tools) {
        assert.deepStrictEqual(owner, { kind: "tools", entry: "p", scope: "global" })
        assert.include(error.message, reason)
      }
      const reasons = new Map(error.tools.map(({ reason, tool }) => [tool, reason]))
      assert.match(reasons.get("42") ?? "", /number/u)
      assert.match(reasons.get("__proto__") ?? "", /property/u)
      assert.match(reasons.get("a/b") ?? "", /other characters/u)
      assert.match(reasons.get("x".repeat(65)) ?? "", /65 characters/u)
    })
  )

  it.effect("a number as the name of a registered tool: it would come first", () =>
    Effect.gen(function* () {
      const error = yield* refused(rawTool({ name: "7" }), tool("a"))
      assert.instanceOf(error, ToolkitError.IllegalToolNames)
      assert.deepStrictEqual(error.tools[0]?.owner, { kind: "tool", entry: "7", scope: "global" })
    })
  )

  it.effect("what a listener added, with the listener", () =>
    Effect.gen(function* () {
      const error = yield* refused(
        Plugin.listener({
          name: "more",
          plugin: "extras",
          edit: (assembly) => Assembly.addTool(assembly, { name: "a b", description: "", parameters: {} })
        })
      )
      assert.instanceOf(error, ToolkitError.IllegalToolNames)
      assert.deepStrictEqual(error.tools[0]?.owner, {
        kind: "listener",
        entry: "more",
        scope: "global",
        plugin: "extras"
      })
    })
  )

  it.effect("illegal names before duplicates, and these before what cannot be done", () =>
    Effect.gen(function* () {
      const later = rawTool({ name: "later", deferLoading: true })
      assert.strictEqual(
        (yield* refused(later, provided("p", "a", "a"), provided("q", "a b")))._tag,
        "IllegalToolNames"
      )
      assert.strictEqual((yield* refused(later, provided("p", "a", "a")))._tag, "DuplicateToolName")
      assert.strictEqual((yield* refused(later))._tag, "UnsupportedCapability")
    })
  )

  it("each error can be encoded and decoded", () => {
    const owner = { kind: "tool" as const, entry: "a", scope: "s", plugin: "p" }
    const errors: ReadonlyArray<ToolkitError.ToolkitError> = [
      new ToolkitError.DuplicateToolName({ tool: "a", owners: [owner, owner] }),
      new ToolkitError.IllegalToolNames({ tools: [{ tool: "a b", owner, reason: "r" }] }),
      new ToolkitError.UnsupportedCapability({ capability: "deferLoading", tools: [{ tool: "a", owner }] }),
      new ToolkitError.ToolNameClash({ tool: "a", owner })
    ]
    for (const error of errors) {
      const encoded: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(ToolkitError.ToolkitError)(error)))
      assert.deepStrictEqual(Schema.decodeUnknownSync(ToolkitError.ToolkitError)(encoded), error)
    }
    assert.deepStrictEqual(
      errors.map((error) => error._tag),
      ToolkitError.ToolkitError.members.map((member) => member.fields._tag.schema.literal)
    )
  })
})

describe("deferLoading", () => {
  const plugins = [rawTool({ name: "later", deferLoading: true, plugin: "files" }), rawTool({ name: "now" })]
  const later = (toolkit: { readonly tools: ModelToolkit.ModelTools }) =>
    Object.entries(toolkit.tools).map(([name, tool]) => [
      name,
      Context.get(tool.annotations, ModelToolkit.DeferLoading)
    ])

  it.effect("is refused unless the host has chosen", () =>
    Effect.gen(function* () {
      const expected = new ToolkitError.UnsupportedCapability({
        capability: "deferLoading",
        tools: [{ tool: "later", owner: { kind: "tool", entry: "later", scope: "global", plugin: "files" } }]
      })
      assert.deepStrictEqual(yield* run(Effect.flip(toolkitOf()), ...plugins), expected)
      assert.deepStrictEqual(yield* run(Effect.flip(toolkitOf({ deferLoading: "refuse" })), ...plugins), expected)
      assert.include(expected.message, '"later"')
    })
  )

  it.effect("is an annotation where the host says that the adapter reads it, and nothing where it says eager", () =>
    run(
      Effect.gen(function* () {
        // One after the other, so that nothing kept from one choice is taken for the other.
        for (const _ of [1, 2]) {
          assert.deepStrictEqual(later(yield* toolkitOf({ deferLoading: "annotate" })), [
            ["later", true],
            ["now", false]
          ])
          assert.deepStrictEqual(later(yield* toolkitOf({ deferLoading: "eager" })), [
            ["later", false],
            ["now", false]
          ])
        }
      }),
      ...plugins
    )
  )
})

describe("tools alone", () => {
  it.effect("need no registry", () =>
    SystemPrompt.use((prompt) =>
      Effect.gen(function* () {
        yield* prompt.tools([{ name: "bash", description: "Runs.", parameters: { type: "object" } }])
        const result = ModelToolkit.tools(yield* prompt.assemble)
        assert.deepStrictEqual(
          Result.map(result, (tools) => tools.map(described)),
          Result.succeed([{ name: "bash", description: "Runs.", parameters: { type: "object" } }])
        )
      })
    ).pipe(Effect.provide(SystemPrompt.layer))
  )
})
