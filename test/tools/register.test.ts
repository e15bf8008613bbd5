import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Result, Scheduler, Schema, Scope, Stream } from "effect"
import {
  type Needs,
  Plugin,
  PromptScope,
  RegisteredTool,
  type RestrictionError,
  SystemPrompt,
  ToolOrder,
  type ToolRegistrationError,
  ToolRegistry,
  ToolSchema
} from "../../src/index.ts"
import type { Owner } from "../../src/PromptError.ts"
import { changeable } from "../support/frozen.ts"
import * as registrations from "../support/registry.ts"
import { untyped } from "../support/untyped.ts"
import * as view from "../support/view.ts"
import {
  announced,
  anything,
  assembled,
  assembledIn,
  call,
  failed,
  family,
  give,
  layer,
  shown,
  test,
  tool
} from "./support.ts"

class Label extends Context.Reference<string>("test/Label", { defaultValue: () => "none" }) {}
class Secret extends Context.Service<Secret, string>()("test/Secret") {}

const register = (name: string) => ToolRegistry.use((registry) => registry.register(tool(name)))

// -----------------------------------------------------------------------------
// what is registered
// -----------------------------------------------------------------------------

describe("a registered tool", () => {
  test(
    "is shown with its name, description and parameters, by name, and nothing else of it",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const parameters = { type: "object", properties: { b: { type: "string" }, a: { type: "number" } } }
      yield* registry.register({
        name: "write",
        description: "Writes",
        parameters,
        deferLoading: true,
        plugin: "fs",
        annotations: Context.make(Label, "dangerous"),
        handler: () => Effect.succeed("done")
      })
      yield* register("read")
      const { tools } = registry.view(PromptScope.global)
      assert.deepStrictEqual(
        tools.map(({ schema }) => schema.name),
        ["read", "write"]
      )
      assert.deepStrictEqual(tools[1], {
        schema: { name: "write", description: "Writes", parameters, deferLoading: true },
        origin: { scope: "global", plugin: "fs", shadows: [] }
      })
      assert.strictEqual(
        ToolSchema.emit(tools[1]!.schema),
        JSON.stringify({ name: "write", description: "Writes", parameters, deferLoading: true })
      )
      assert.deepStrictEqual((yield* assembled).tools, tools)
      assert.deepStrictEqual(changeable(registry.view(PromptScope.global)), [])
    })
  )

  test(
    "[BC-037] its annotations are in no schema, no assembly and no text, and its handler is told of them",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const prompt = yield* SystemPrompt
      const hostOnly = { timeoutMs: 5, outputSchema: { title: "host-only" }, present: "host-only" }
      const annotations = Context.empty().pipe(Context.add(Label, "host-only"), Context.add(Secret, "host-only"))
      yield* registry.register({
        ...tool("read"),
        ...hostOnly,
        parameters: { type: "object", properties: { _background: { type: "boolean" } } },
        annotations,
        handler: (_, { annotations }) => Effect.succeed(Context.get(annotations, Label))
      })
      yield* prompt.section({ name: "s", order: 0, text: "Hello" })
      const assembly = yield* assembled
      const rendered = yield* prompt.render
      const trace = yield* prompt.trace
      assert.strictEqual(
        ToolSchema.emit(assembly.tools[0]!.schema),
        '{"name":"read","description":"Does read","parameters":{"type":"object","properties":{"_background":{"type":"boolean"}}}}'
      )
      for (const value of [assembly, rendered, trace.assembly, registry.view(PromptScope.global)]) {
        assert.notInclude(JSON.stringify(value), "host-only")
        assert.notInclude(JSON.stringify(value), "timeoutMs")
      }
      assert.strictEqual(yield* call(assembly, "read"), "host-only")
    })
  )

  test(
    "is a copy: what its author changes later is neither shown nor checked",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const parameters = { type: "object", properties: { a: { type: "string" } }, required: ["a"] }
      const options = { ...tool("read"), parameters }
      yield* registry.register(options)
      parameters.properties.a.type = "number"
      parameters.required.push("b")
      options.handler = () => Effect.succeed("another")
      const assembly = yield* assembled
      assert.deepStrictEqual(assembly.tools[0]!.schema.parameters, {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"]
      })
      assert.strictEqual(yield* call(assembly, "read", { a: "x" }), "read")
    })
  )

  test(
    "has the JSON Schema of what its Schema decodes from",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      class Query extends Schema.Class<Query>("Query")({
        text: Schema.String.annotate({ description: "What to look for" }),
        since: Schema.optionalKey(Schema.Date)
      }) {}
      yield* registry.register({ name: "search", description: "", parameters: Query, handler: () => Effect.void })
      const shownAs = (yield* assembled).tools[0]!.schema.parameters
      assert.deepStrictEqual(shownAs, {
        type: "object",
        properties: { text: { type: "string", description: "What to look for" }, since: { type: "string" } },
        required: ["text"],
        additionalProperties: true
      })
    })
  )

  test(
    "shows recursive Schemas by definitions, and no reference at the top",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      interface Tree {
        readonly children: ReadonlyArray<Tree>
      }
      const Tree: Schema.Codec<Tree> = Schema.Struct({
        children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
      }).annotate({ identifier: "Tree" })
      const Leaf = Schema.Struct({ a: Schema.String }).annotate({ identifier: "Leaf" })
      for (const [name, parameters] of [
        ["tree", Tree],
        ["leaf", Leaf],
        ["nested", Schema.Struct({ leaf: Leaf, tree: Tree })]
      ] as const) {
        yield* registry.register({ name, description: "", parameters, handler: () => Effect.void })
      }
      const [leaf, nested, tree] = (yield* assembled).tools.map(({ schema }) => schema.parameters)
      const children = {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
        required: ["children"],
        additionalProperties: true
      }
      assert.deepStrictEqual(tree, { ...children, $defs: { Tree: children } })
      assert.notProperty(leaf, "$defs")
      assert.strictEqual(leaf!["type"], "object")
      assert.strictEqual(nested!["type"], "object")
      assert.sameMembers(Object.keys(Object(nested!["$defs"])), ["Leaf", "Tree"])
    })
  )

  it("has handlers typed by their Schema, or by `decode`", () => {
    const registered = (registry: ToolRegistry["Service"]) =>
      [
        registry.register({
          name: "a",
          description: "",
          parameters: Schema.Struct({ n: Schema.NumberFromString }),
          handler: (args) => {
            expectTypeOf(args).toEqualTypeOf<{ readonly n: number }>()
            return Effect.as(Secret, "x")
          }
        }),
        registry.register({
          name: "b",
          description: "",
          parameters: { type: "object" },
          handler: (args) => {
            expectTypeOf(args).toEqualTypeOf<unknown>()
            return Effect.void
          }
        }),
        registry.register({
          name: "c",
          description: "",
          parameters: { type: "object" },
          decode: Schema.Struct({ d: Schema.Date }),
          handler: (args) => {
            expectTypeOf(args).toEqualTypeOf<{ readonly d: Date }>()
            return Effect.void
          }
        })
      ] as const
    type All = ReturnType<typeof registered>
    expectTypeOf<All[0]>().toEqualTypeOf<Effect.Effect<void, ToolRegistrationError, Needs<Secret>>>()
    expectTypeOf<All[1]>().toEqualTypeOf<Effect.Effect<void, ToolRegistrationError, Scope.Scope>>()
    expectTypeOf<All[2]>().toEqualTypeOf<Effect.Effect<void, ToolRegistrationError, Scope.Scope>>()
    // What a Plugin needs is what its handler needs, and the registry.
    const plugin = () =>
      Plugin.tool({ name: "a", description: "", parameters: anything, handler: () => Effect.as(Secret, 1) })
    expectTypeOf<ReturnType<typeof plugin>>().toEqualTypeOf<
      Layer.Layer<never, ToolRegistrationError, ToolRegistry | Secret>
    >()
  })
})

// -----------------------------------------------------------------------------
// what is refused
// -----------------------------------------------------------------------------

describe("registration refuses", () => {
  const refuse = (options: object) =>
    ToolRegistry.use((registry) => {
      const given: ReturnType<typeof tool> = untyped({ ...tool("t"), plugin: "p", ...options })
      return Effect.flip(registry.register(given))
    })

  test(
    "[BC-010] [BC-032] names that no model provider takes; none is renamed or cut",
    Effect.gen(function* () {
      const long = "x".repeat(64)
      const illegal = [
        "calendar.list",
        "a/b",
        "Docker scan",
        `${long}x`,
        " read",
        "read ",
        "read\n",
        "read\u0000",
        "re\u200bad",
        "\u0440ead",
        "\uff52ead",
        "reàd",
        "a:b",
        "a$",
        "🚀"
      ]
      for (const name of illegal) {
        const error = yield* refuse({ name })
        if (error._tag !== "InvalidRegistration") return assert.fail(error.message)
        assert.deepInclude(error, { kind: "tool", entry: name, scope: "global", plugin: "p", field: "name" })
        assert.include(error.reason, name.length > 64 ? "has 65 characters" : "has other characters")
        assert.include(error.message, "1 to 64 of A-Z, a-z, 0-9, _ and -")
        // As a line of a log: the name is quoted.
        assert.notMatch(error.reason, /[\n\0]/)
      }
      // Two that a cut would make one.
      for (const verb of ["create", "delete"]) {
        const name = `srv_${"x".repeat(40)}_${verb}PageWithAttachmentsAndPermissions`
        const error = yield* refuse({ name })
        assert.include(error.message, name)
        assert.include(error.message, "64")
      }
      for (const name of ["", undefined, 3, null, ["read"]]) {
        assert.deepInclude(yield* refuse({ name }), { _tag: "InvalidRegistration", entry: "", field: "name" })
      }
      assert.deepStrictEqual(yield* shown(PromptScope.global), [])
      const legal = ["-", "0", "A_b-9", "_", "ok_name-1", long, "toString", "__proto__", "constructor"]
      yield* give(...legal)
      assert.deepStrictEqual(yield* shown(PromptScope.global), [...legal].sort())
      const assembly = yield* assembled
      for (const name of legal) assert.strictEqual(yield* call(assembly, name), name)
    })
  )

  test(
    "a very long name in a message of bounded length",
    Effect.gen(function* () {
      const error = yield* refuse({ name: "y".repeat(1_000_000) })
      if (error._tag !== "InvalidRegistration") return assert.fail(error.message)
      assert.include(error.reason, "has 1000000 characters")
      assert.isBelow(error.reason.length, 500)
    })
  )

  test(
    "[BC-075] the reserved name, as such",
    Effect.gen(function* () {
      const error = yield* refuse({ name: ToolOrder.restMarker })
      assert.deepInclude(error, { _tag: "ReservedToolName", kind: "tool", tool: ToolOrder.restMarker, plugin: "p" })
      assert.include(error.message, ToolOrder.restMarker)
    })
  )

  test(
    "[BC-009] a second tool of a name in one scope, whoever comes first; bare providers append",
    Effect.gen(function* () {
      const { parent } = yield* family
      const registry = yield* ToolRegistry
      const prompt = yield* SystemPrompt
      const both = [tool("search", { plugin: "p1", says: "1" }), tool("search", { plugin: "p2", says: "2" })] as const
      for (const [first, second] of [
        [0, 1],
        [1, 0]
      ] as const) {
        for (const scope of [PromptScope.global, parent]) {
          const inScope = PromptScope.provide(scope)
          const take = yield* registrations.own(inScope(registry.register(both[first])))
          const error = yield* Effect.flip(inScope(registry.register(both[second])))
          const plugins = { plugin: `p${second + 1}`, existingPlugin: `p${first + 1}` }
          const owner: Owner = { kind: "tool", entry: "search", scope: scope.label }
          assert.deepInclude(error, { _tag: "DuplicateRegistration", ...owner, ...plugins })
          for (const word of ["search", "p1", "p2"]) assert.include(error.message, word)
          assert.strictEqual(yield* call(yield* assembledIn(scope), "search"), `${first + 1}`)
          yield* take
          yield* registrations.own(inScope(registry.register(both[second]))).pipe(Effect.flatten)
        }
      }
      yield* registry.register(both[0])
      yield* prompt.tools([{ name: "search", description: "bare", parameters: {} }], { name: "mcp" })
      assert.deepStrictEqual(view.tools(yield* assembled), ["search", "search"])
    })
  )

  test(
    "[BC-041] parameters that are no JSON object, with their place",
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      for (const [parameters, path] of [
        [cycle, "$.parameters.self"],
        [{ default: () => 1 }, "$.parameters.default"],
        [{ maximum: Number.NaN }, "$.parameters.maximum"],
        [{ default: new Date(0) }, "$.parameters.default"],
        [{ default: 1n }, "$.parameters.default"],
        [{ x: undefined }, "$.parameters.x"],
        ["object", "$.parameters"],
        [null, "$.parameters"],
        [undefined, "$.parameters"],
        [[], "$.parameters"]
      ] as const) {
        assert.deepInclude(yield* refuse({ parameters }), {
          _tag: "InvalidToolSchema",
          kind: "tool",
          entry: "t",
          plugin: "p",
          tool: "t",
          path
        })
      }
    })
  )

  test(
    "other fields that are not what they should be, by field",
    Effect.gen(function* () {
      for (const [options, field] of [
        [{ deferLoading: "yes" }, "deferLoading"],
        [{ annotations: { timeout: 5 } }, "annotations"],
        [{ annotations: null }, "annotations"],
        [{ handler: "run" }, "handler"],
        [{ handler: Effect.void }, "handler"],
        [{ decode: { type: "object" } }, "decode"],
        [{ plugin: 3 }, "plugin"]
      ] as const) {
        const error = yield* refuse(options)
        assert.deepInclude(error, { _tag: "InvalidRegistration", kind: "tool", entry: "t", field })
      }
      assert.deepInclude(yield* refuse({ description: 3 }), { _tag: "InvalidToolSchema", path: "$.description" })
      assert.deepStrictEqual(yield* shown(PromptScope.global), [])
    })
  )

  test(
    "a raw schema that does not say that it is of objects, if there is a handler, and the fields of a struct without it",
    Effect.gen(function* () {
      const handler = () => Effect.void
      for (const parameters of [{}, { type: "objekt" }, { type: "string" }]) {
        const error = yield* refuse({ parameters, handler })
        assert.deepInclude(error, { _tag: "InvalidToolSchema", path: "$.parameters" })
        assert.include(error.message, 'Write `type: "object"`')
      }
      const fields = yield* refuse({ parameters: { word: Schema.String } })
      assert.deepInclude(fields, { _tag: "InvalidRegistration", field: "parameters" })
      assert.include(fields.message, "Schema.Struct({ … })")
    })
  )

  test(
    "what decodes, without a handler to decode for",
    Effect.gen(function* () {
      const error = yield* refuse({ parameters: { type: "object" }, decode: Schema.Struct({}), handler: undefined })
      assert.deepInclude(error, { _tag: "InvalidRegistration", field: "decode" })
      assert.include(error.message, "Give a handler")
    })
  )

  test(
    "no struct without fields, which takes any object",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const parameters = Schema.Struct({}).annotate({ description: "nothing" })
      yield* registry.register({ name: "now", description: "", parameters, handler: () => Effect.succeed("noon") })
      const assembly = yield* assembled
      assert.deepStrictEqual(assembly.tools[0]!.schema.parameters, {
        description: "nothing",
        type: "object",
        properties: {}
      })
      assert.strictEqual(yield* call(assembly, "now", {}), "noon")
      assert.strictEqual(yield* call(assembly, "now", { more: 1 }), "noon")
      for (const args of ["now", [], null, 1]) {
        assert.strictEqual((yield* failed(assembly, "now", args))._tag, "InvalidToolArguments")
      }
    })
  )

  test(
    "a Schema that describes no object",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      for (const parameters of [Schema.String, Schema.Unknown, Schema.instanceOf(Map)]) {
        const error = yield* refuse({ parameters })
        assert.deepInclude(error, { _tag: "InvalidRegistration", field: "parameters" })
        assert.include(error.message, "Schema.Struct")
      }
      const either = Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })])
      yield* registry.register({ name: "either", description: "", parameters: either })
      class Tree extends Schema.Class<Tree>("Tree")({
        children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
      }) {}
      yield* registry.register({ name: "tree", description: "", parameters: Tree })
      assert.deepInclude((yield* assembled).tools[1]!.schema.parameters, { type: "object" })
      const parameters = Schema.Record(Schema.String, Schema.Never)
      yield* registry.register({ name: "now", description: "", parameters, handler: () => Effect.succeed("noon") })
      const assembly = yield* assembled
      const now = assembly.tools.find(({ schema }) => schema.name === "now")
      assert.deepStrictEqual(now?.schema.parameters, { type: "object", additionalProperties: false })
      assert.strictEqual(yield* call(assembly, "now", {}), "noon")
      assert.strictEqual((yield* failed(assembly, "now", { a: 1 }))._tag, "InvalidToolArguments")
      assert.strictEqual((yield* failed(assembly, "now", "now"))._tag, "InvalidToolArguments")
    })
  )

  test(
    "a prompt scope that has closed",
    Effect.gen(function* () {
      const lifetime = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), lifetime)
      yield* Scope.close(lifetime, Exit.void)
      const registry = yield* ToolRegistry
      const inScope = PromptScope.provide(scope)
      assert.deepInclude(yield* Effect.flip(inScope(registry.register(tool("a")))), {
        _tag: "ScopeClosed",
        kind: "tool",
        entry: "a",
        scope: "agent"
      })
      assert.deepInclude(yield* Effect.flip(inScope(registry.guard({ name: "g", check: () => undefined }))), {
        _tag: "ScopeClosed",
        kind: "guard",
        entry: "g",
        scope: "agent"
      })
    })
  )
})

// -----------------------------------------------------------------------------
// how long it lives
// -----------------------------------------------------------------------------

describe("a registration ends", () => {
  test(
    "with its Effect scope, once; what is registered again under its name stays",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const take = yield* registrations.own(registry.register(tool("a", { says: "first" })))
      const before = yield* assembled
      yield* take
      assert.deepStrictEqual(yield* shown(PromptScope.global), [])
      yield* registry.register(tool("a", { says: "second" }))
      yield* take
      assert.strictEqual(yield* call(yield* assembled, "a"), "second")
      const error = yield* failed(before, "a")
      assert.deepInclude(error, { _tag: "ToolWithoutHandler", entry: "a" })
      assert.include(error.message, "its registration has ended")
    })
  )

  test(
    "also where the next one is of the very same schema: what runs and where it comes from is the next one's",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const parameters = Object.freeze({ type: "object" })
      const options = (plugin: string) => ({ ...tool("a", { plugin, says: plugin }), parameters })
      const take = yield* registrations.own(registry.register(options("first")))
      const before = yield* assembled
      yield* take
      yield* registry.register(options("second"))
      const after = yield* assembled
      assert.strictEqual(after.tools[0]!.schema, before.tools[0]!.schema)
      assert.strictEqual(after.tools[0]!.origin.plugin, "second")
      assert.strictEqual(yield* call(after, "a"), "second")
      assert.strictEqual((yield* failed(before, "a"))._tag, "ToolWithoutHandler")
    })
  )

  test(
    "with its prompt scope: then it is gone for the scope's children, too",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      yield* registry.register(tool("a", { says: "global" }))
      const lifetime = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), lifetime)
      const { scope: child } = yield* PromptScope.make("child", { parent: scope })
      const take = yield* registrations.own(
        Effect.all([registry.register(tool("a", { says: "agent" })), registry.register(tool("b"))]).pipe(
          PromptScope.provide(scope)
        )
      )
      const before = yield* assembledIn(child)
      assert.strictEqual(yield* call(before, "a"), "agent")
      yield* Scope.close(lifetime, Exit.void)
      assert.deepStrictEqual(yield* shown(child), ["a"])
      assert.deepStrictEqual(yield* shown(scope), ["a"])
      assert.strictEqual(yield* call(yield* assembledIn(child), "a"), "global")
      assert.strictEqual((yield* failed(before, "b"))._tag, "ToolWithoutHandler")
      assert.strictEqual(yield* announced(take), 0)
    })
  )

  test(
    "at once, if its Effect scope has closed already",
    Effect.gen(function* () {
      const lifetime = yield* Scope.make()
      yield* Scope.close(lifetime, Exit.void)
      yield* Scope.provide(register("a"), lifetime)
      assert.deepStrictEqual(yield* shown(PromptScope.global), [])
    })
  )

  it.effect("with its layer; a plugin that is mounted into several scopes registers in each", () =>
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      const registry = yield* ToolRegistry
      const plugin = Layer.mergeAll(Plugin.tool(tool("a")), Plugin.guard({ name: "g", check: () => undefined }))
      yield* give("x")
      const restricting = Plugin.restrict({ deny: ["x"] })
      const unmounted = yield* Effect.flip(Layer.build(restricting))
      assert.deepInclude(unmounted, { _tag: "InvalidRegistration", kind: "restriction", field: "scope" })
      const mounted = yield* Scope.make()
      yield* Layer.buildWithScope(
        Layer.mergeAll(
          Plugin.mount(parent)(Layer.mergeAll(plugin, restricting)),
          Plugin.mount(other)(plugin),
          Plugin.mount(other)(plugin)
        ),
        mounted
      )
      const origins = (scope: PromptScope.PromptScope) => registry.view(scope).tools.map(({ origin }) => origin.scope)
      assert.deepStrictEqual(origins(parent), ["parent"])
      assert.deepStrictEqual(origins(other), ["other", "global"])
      assert.deepStrictEqual(origins(child), ["parent"])
      assert.deepStrictEqual(origins(PromptScope.global), ["global"])
      const assembly = yield* assembledIn(other)
      assert.strictEqual(yield* call(assembly, "a"), "a")
      yield* Scope.close(mounted, Exit.void)
      for (const scope of [parent, other, child]) assert.deepStrictEqual(yield* shown(scope), ["x"])
      assert.strictEqual((yield* failed(assembly, "a"))._tag, "ToolWithoutHandler")
    }).pipe(Effect.provide(layer))
  )

  it.effect("with a build that is interrupted half way, and nothing of it stays", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const plugin = Plugin.tool(tool("a")).pipe(Layer.provideMerge(Plugin.tool(tool("b"))), (both) =>
        Layer.provide(Layer.effectDiscard(Effect.andThen(Deferred.succeed(started, undefined), Effect.never)), both)
      )
      const fiber = yield* Effect.forkChild(Layer.launch(plugin))
      yield* Deferred.await(started)
      assert.deepStrictEqual(yield* shown(PromptScope.global), ["a", "b"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* shown(PromptScope.global), [])
      yield* give("a", "b")
    }).pipe(Effect.provide(layer))
  )

  test(
    "with its Effect scope, wherever the fibre that registers it is interrupted: it has both, or neither",
    Effect.gen(function* () {
      const came = new Set<number>()
      for (const [ops, turns] of [3, 4, 5].flatMap((ops) =>
        Array.from({ length: 20 }, (_, turns) => [ops, turns] as const)
      )) {
        const lifetime = yield* Scope.make()
        const fiber = yield* register("a").pipe(
          Scope.provide(lifetime),
          Effect.provideService(Scheduler.MaxOpsBeforeYield, ops),
          Effect.forkChild
        )
        yield* Effect.repeat(Effect.yieldNow, { times: turns })
        yield* Fiber.interrupt(fiber)
        came.add((yield* shown(PromptScope.global)).length)
        yield* Scope.close(lifetime, Exit.void)
        assert.deepStrictEqual(yield* shown(PromptScope.global), [], `after ${turns} turns of ${ops}`)
      }
      assert.deepStrictEqual([...came].toSorted(), [0, 1])
    })
  )

  it.effect("with the layer of the registry, which feeds the global scope wherever it is built", () =>
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("agent")
      const services = yield* Layer.build(ToolRegistry.layer).pipe(PromptScope.provide(scope))
      yield* Effect.provide(give("a"), services)
      assert.deepStrictEqual(view.tools(yield* assembled), ["a"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("with the registry itself: a prompt that outlives it is shown none of its tools", () =>
    Effect.gen(function* () {
      const lifetime = yield* Scope.make()
      const services = yield* Layer.buildWithScope(ToolRegistry.layer, lifetime)
      yield* Effect.provide(give("a"), services)
      const before = yield* assembled
      assert.deepStrictEqual(view.tools(before), ["a"])
      yield* Scope.close(lifetime, Exit.void)
      assert.deepStrictEqual(view.tools(yield* assembled), [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("apart from those of another registry over the same prompt: each calls its own", () =>
    Effect.gen(function* () {
      const own = Effect.map(Layer.build(Layer.fresh(ToolRegistry.layer)), (services) =>
        Context.get(services, ToolRegistry)
      )
      const [one, two] = [yield* own, yield* own]
      yield* one.register(tool("a"))
      yield* two.register(tool("b"))
      const assembly = yield* assembled
      assert.deepStrictEqual(view.tools(assembly), ["a", "b"])
      assert.strictEqual(yield* one.call(assembly, "a", {}), "a")
      assert.strictEqual((yield* Effect.flip(one.call(assembly, "b", {})))._tag, "ToolWithoutHandler")
      assert.strictEqual(yield* two.call(assembly, "b", {}), "b")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// who is told
// -----------------------------------------------------------------------------

describe("changes", () => {
  test(
    "tells of each tool and restriction that comes or goes, and of nothing else",
    Effect.gen(function* () {
      const { parent } = yield* family
      const registry = yield* ToolRegistry
      yield* give("z")
      const restrict = PromptScope.provide(parent)(registry.restrict({ deny: ["z"] }))
      const registrationsOf: ReadonlyArray<
        Effect.Effect<void, ToolRegistrationError | RestrictionError, Needs<ToolRegistry>>
      > = [register("a"), PromptScope.provide(parent)(register("a")), restrict]
      for (const registration of registrationsOf) {
        const lifetime = yield* Scope.make()
        assert.strictEqual(yield* announced(Scope.provide(registration, lifetime)), 1)
        assert.strictEqual(yield* announced(Scope.close(lifetime, Exit.void)), 1)
        assert.strictEqual(yield* announced(Scope.close(lifetime, Exit.void)), 0)
      }
      const assembly = yield* assembled
      const nothings: ReadonlyArray<Effect.Effect<unknown, unknown, Needs<ToolRegistry | SystemPrompt>>> = [
        Effect.flip(register("z")),
        Effect.flip(register("a b")),
        Effect.flip(PromptScope.provide(parent)(registry.restrict({ deny: ["nosuch"] }))),
        Effect.flip(registry.restrict({ deny: ["z"] })),
        // No model is told of guards.
        registry.guard({ name: "g", check: () => undefined }),
        Effect.flip(registry.guard({ name: "g", check: () => undefined })),
        registrations.own(registry.guard({ name: "h", check: () => undefined })).pipe(Effect.flatten),
        Effect.sync(() => registry.view(parent)),
        assembledIn(parent),
        registry.call(assembly, "z", {}),
        Effect.flip(registry.call(assembly, "nosuch", {}))
      ]
      for (const nothing of nothings) assert.strictEqual(yield* announced(nothing), 0)
    })
  )

  test(
    "wakes a watcher, who is then shown the tool",
    Effect.gen(function* () {
      const { changes } = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("agent")
      const seen = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        Stream.runForEach(changes, () =>
          Effect.flatMap(assembledIn(scope), (assembly) =>
            view.tools(assembly).includes("a") ? Deferred.succeed(seen, undefined) : Effect.void
          )
        )
      )
      yield* Effect.yieldNow
      yield* register("a")
      yield* Deferred.await(seen)
    })
  )
})

// -----------------------------------------------------------------------------
// one snapshot
// -----------------------------------------------------------------------------

describe("what registers during an assembly", () => {
  const names = (self: { readonly tools: ReadonlyArray<{ readonly schema: { readonly name: string } }> }) =>
    self.tools.map(({ schema }) => schema.name)

  for (const [what, effectful] of [
    ["at once", false],
    ["after a provider has yielded", true]
  ] as const) {
    for (const [by, kind] of [
      ["a variable provider", "variable"],
      ["a tool provider", "tools"],
      ["a section", "section"],
      ["a listener", "listener"]
    ] as const) {
      for (const traced of [false, true]) {
        test(
          `[BC-043] by ${by}, ${what}, counts from the next ${traced ? "trace" : "assembly"}`,
          Effect.gen(function* () {
            const prompt = yield* SystemPrompt
            const registry = yield* ToolRegistry
            const { scope } = yield* PromptScope.make("agent")
            const lifetime = yield* Effect.scope
            yield* give("early", "gone")
            const wait = effectful ? Effect.repeat(Effect.yieldNow, { times: 3 }) : Effect.void
            let turn = 0
            const once = Effect.suspend(() =>
              turn++ === 0
                ? Effect.andThen(
                    wait,
                    Effect.all([
                      registry.register(tool(`late-${kind}`)),
                      registry.register(tool("early", { says: "own" })),
                      registry.restrict({ deny: ["gone"] })
                    ]).pipe(PromptScope.provide(scope), Scope.provide(lifetime), Effect.orDie)
                  )
                : Effect.void
            )
            switch (kind) {
              case "variable":
                // First of all that is evaluated.
                yield* prompt.variable("a", Effect.as(once, ""))
                break
              case "tools":
                yield* prompt.tools(Effect.as(once, []), { name: "a" })
                break
              case "section":
                yield* prompt.section({ name: "a", order: -2000, text: Effect.as(once, "") })
                break
              case "listener":
                yield* prompt.listener({ name: "a", edit: (assembly) => Effect.as(once, assembly) })
            }
            const look = PromptScope.provide(scope)(
              traced ? Effect.map(prompt.trace, ({ assembly }) => assembly) : prompt.assemble
            )
            const first = yield* look
            assert.deepStrictEqual(names(first), ["early", "gone"])
            assert.strictEqual(yield* registry.call(first, "early", {}), "early")
            assert.deepStrictEqual(names(yield* look), ["early", `late-${kind}`])
          })
        )
      }
    }
  }

  test(
    "is not there when an assembly goes on, whatever comes and goes while it waits",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const registry = yield* ToolRegistry
      const started = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const take = yield* registrations.own(register("a"))
      const open = yield* registrations.own(
        prompt.variable(
          "v",
          Deferred.succeed(started, undefined).pipe(Effect.andThen(Deferred.await(go)), Effect.as(""))
        )
      )
      const fiber = yield* Effect.forkChild(prompt.assemble)
      yield* Deferred.await(started)
      yield* take
      yield* give("b")
      assert.deepStrictEqual(yield* shown(PromptScope.global), ["b"])
      // Another one, meanwhile, begins now.
      yield* open
      assert.deepStrictEqual(names(yield* prompt.assemble), ["b"])
      yield* Deferred.succeed(go, undefined)
      const assembly = yield* Fiber.join(fiber)
      assert.deepStrictEqual(names(assembly), ["a"])
      assert.strictEqual((yield* Effect.flip(registry.call(assembly, "a", {})))._tag, "ToolWithoutHandler")
    })
  )
})

// -----------------------------------------------------------------------------
// pure
// -----------------------------------------------------------------------------

describe("RegisteredTool.make", () => {
  const options = { name: "read", description: "Reads", parameters: { type: "object" } }
  const owner: Owner = { kind: "tool", entry: "read", scope: "agent" }

  it("gives a frozen tool with what is not given left at its default", () => {
    const made = Result.getOrThrow(RegisteredTool.make(options, "agent"))
    assert.deepStrictEqual(made, {
      kind: "tool",
      name: "read",
      schema: ToolSchema.make(options),
      annotations: Context.empty(),
      plugin: undefined,
      handler: undefined
    })
    assert.isTrue(Object.isFrozen(made))
    assert.isTrue(Object.isFrozen(made.schema))
    const handler = () => "done"
    const full = Result.getOrThrow(
      RegisteredTool.make(
        { ...options, plugin: "p", handler, deferLoading: false, annotations: Context.make(Label, "x") },
        "a"
      )
    )
    assert.strictEqual(full.handler, handler)
    assert.strictEqual(full.plugin, "p")
    assert.notProperty(full.schema, "deferLoading")
    assert.strictEqual(Context.get(full.annotations, Label), "x")
  })

  it("refuses what registering refuses, in the scope that it is meant for", () => {
    const error = (given: object) =>
      Result.getOrThrow(Result.flip(RegisteredTool.make(untyped({ ...options, ...given }), "agent")))
    assert.deepInclude(error({ name: "a b" }), { ...owner, _tag: "InvalidRegistration", entry: "a b", field: "name" })
    assert.deepInclude(error({ name: ToolOrder.restMarker }), { _tag: "ReservedToolName", scope: "agent" })
    assert.deepInclude(error({ parameters: [] }), { ...owner, _tag: "InvalidToolSchema", path: "$.parameters" })
    assert.deepInclude(error({ annotations: {} }), { ...owner, _tag: "InvalidRegistration", field: "annotations" })
  })
})
