/** The tools of a composition, and which scope shows which of them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Plugin, PromptScope, SystemPrompt, ToolRegistry } from "effect-preamble"
import {
  CompositionScopes,
  handler,
  type InvalidComposition,
  layer,
  layerFile,
  type Options,
  type Plugins
} from "effect-preamble/composition"
import { accept, placesOf, refuse } from "./support.ts"

const tool = (name: string, description = "d", more = "") =>
  `{ name: ${name}, description: ${description}, parameters: { type: object${more} } }`

/** The names that a scope is shown, with the scope that each is from. */
const shownIn = (scope: string) =>
  Effect.gen(function* () {
    const scopes = yield* CompositionScopes
    const prompt = yield* SystemPrompt
    const { tools } = yield* PromptScope.provide(yield* scopes.find(scope))(prompt.assemble)
    return tools.map(({ origin, schema }) => `${schema.name} of ${origin.scope}`)
  })

const shown = <R = never>(text: string, scopes: ReadonlyArray<string>, options?: Options<R>) =>
  Effect.forEach(scopes, shownIn).pipe(Effect.provide(layer(accept(text), options)))

const refusedBy = <A, E, R>(effect: Effect.Effect<A, E | InvalidComposition, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    const failure = error as InvalidComposition
    assert.strictEqual(failure._tag, "InvalidComposition")
    return { places: placesOf(failure), messages: failure.problems.map((one) => one.message) }
  })

describe("tools of a composition", () => {
  it.effect("are registered in their scopes: the nearest of a name is shown, and nobody else's", () =>
    Effect.gen(function* () {
      const text = `
tools: [${tool("bash", "Run")}, ${tool("read")}]
scopes:
  child: { tools: [${tool("bash", "Run with care")}] }
  below: { parent: child, tools: [${tool("note")}] }
  other: {}
`
      assert.deepStrictEqual(yield* shown(text, ["global", "child", "below", "other"]), [
        ["bash of global", "read of global"],
        ["bash of child", "read of global"],
        ["bash of child", "note of below", "read of global"],
        ["bash of global", "read of global"]
      ])
      const assembled = Effect.gen(function* () {
        const scopes = yield* CompositionScopes
        const prompt = yield* SystemPrompt
        return yield* PromptScope.provide(yield* scopes.find("below"))(prompt.assemble)
      })
      const { tools } = yield* assembled.pipe(Effect.provide(layer(accept(text))))
      const [bash] = tools
      assert.strictEqual(bash!.schema.description, "Run with care")
      assert.deepStrictEqual(bash!.origin, { scope: "child", shadows: [{ scope: "global" }] })
    })
  )

  it.effect("two compositions in one build have registries of their own", () =>
    Effect.gen(function* () {
      class Other extends Context.Service<
        Other,
        CompositionScopes["Service"] & { readonly prompt: SystemPrompt["Service"] }
      >()("Other") {}
      const first = layer(accept(`tools: [${tool("bash")}]`))
      const second = Layer.effect(
        Other,
        Effect.gen(function* () {
          return Other.of({ ...(yield* CompositionScopes), prompt: yield* SystemPrompt })
        })
      ).pipe(Layer.provide(layer(accept(`tools: [${tool("read")}]`))))
      const both = Effect.gen(function* () {
        const mine = yield* shownIn("global")
        const { tools } = yield* (yield* Other).prompt.assemble
        return [mine, tools.map(({ schema }) => schema.name)]
      })
      assert.deepStrictEqual(yield* both.pipe(Effect.provide(Layer.mergeAll(first, second))), [
        ["bash of global"],
        ["read"]
      ])
    })
  )

  it("all that is wrong with them is told at once, names and parameters of one tool too", () => {
    const error = refuse(
      `tools: [{ name: a.b, description: d, parameters: x }, { file: t.json }, { file: t.json }, ${tool("t")}]
scopes: { s: { tools: [{ file: t.json }], restrict: { deny: [] } } }`,
      {
        "t.json": `[${JSON.stringify({ name: "t", description: "d", parameters: {} })},\n{"name":"u","description":"","parameters":{}},{"name":"u","description":"","parameters":{}}]`
      }
    )
    assert.deepStrictEqual(placesOf(error), [
      "1:17 tools[0].name InvalidRegistration",
      "1:50 tools[0].parameters InvalidToolSchema",
      "1:81 tools[2].file DuplicateRegistration",
      "1:99 tools[3].name DuplicateRegistration",
      "t.json:2:55 [2].name DuplicateRegistration"
    ])
    const [, schema, twice, across, within] = error.problems.map((one) => one.message)
    assert.isTrue(schema!.startsWith('tool "a.b" of scope "global" is invalid at $.parameters: '), schema)
    assert.strictEqual(twice, 'scope "global" has the tools of this file already, from line 1. Name it once.')
    assert.include(across, "is already given on line 1 of t.json.")
    assert.include(within, 'tool "u" is already given on line 2.')
  })

  it("a file may be named by several scopes, and one name be given in several", () => {
    const files = { "t.json": JSON.stringify({ name: "t", description: "d", parameters: {} }) }
    const composition = accept("tools: [{ file: t.json }]\nscopes: { s: { tools: [{ file: t.json }] } }", files)
    assert.deepStrictEqual(
      [composition.global, ...composition.scopes].map(({ tools }) => tools.map(({ name }) => name)),
      [["t"], ["t"]]
    )
    assert.strictEqual(composition.toolPlaces.size, 2)
  })
})

describe("restrict", () => {
  it.effect("hides what a scope inherits, for those below it too; its own tools stay in it", () =>
    Effect.gen(function* () {
      const text = `
tools: [${tool("bash")}, ${tool("edit")}, ${tool("read")}]
scopes:
  safe: { restrict: { deny: [bash] } }
  narrow: { parent: safe, restrict: { allow: [read, bash] }, tools: [${tool("note")}] }
  below: { parent: narrow }
  own: { restrict: { deny: [bash], allow: [] }, tools: [${tool("bash")}] }
  none: { restrict: { allow: [] } }
  all: { restrict: { deny: [] } }
`
      assert.deepStrictEqual(yield* shown(text, ["global", "safe", "narrow", "below", "own", "none", "all"]), [
        ["bash of global", "edit of global", "read of global"],
        ["edit of global", "read of global"],
        ["note of narrow", "read of global"],
        // The rule, to the letter: what it inherits of `narrow` is on no list of `narrow`.
        ["read of global"],
        ["bash of own"],
        [],
        ["bash of global", "edit of global", "read of global"]
      ])
    })
  )

  it("knows the tools of all scopes above, in whatever order the file has them", () => {
    const text = (name: string) => `
scopes:
  c: { parent: b, restrict: { deny: [${name}] } }
  b: { parent: a, tools: [${tool("two")}] }
  a: { tools: [${tool("one")}] }
  other: { tools: [${tool("far")}] }
tools: [${tool("zero")}]
`
    for (const name of ["zero", "one", "two"]) accept(text(name))
    const [problem] = refuse(text("far")).problems
    assert.strictEqual(problem!.tag, "UnknownTool")
    assert.include(problem!.message, "Inherited tools: one, two, zero.")
  })

  it("is not judged by what cannot be read, or stands in the wrong place", () => {
    const restricted = "scopes: { a: { restrict: { deny: [bash] } } }\n"
    for (const [tools, places] of [
      ["tools: [{ file: no.json }]", ["2:17 tools[0].file"]],
      ["tools: [{ nam: bash, description: d, parameters: {} }]", ["2:11 tools[0].nam"]],
      ["tools: [{ name: bash, description: 1, parameters: {} }]", ["2:36 tools[0].description"]],
      ["tools: { name: bash }", ["2:8 tools"]]
    ] as const) {
      assert.deepStrictEqual(placesOf(refuse(restricted + tools)), places, tools)
    }
    const parents = "scopes: { a: { parent: b, restrict: { deny: [bash] } }, b: { parent: ¦ } }"
    assert.deepStrictEqual(placesOf(refuse(parents.replace("¦", "c"))), ["1:70 scopes.b.parent"])
    assert.deepStrictEqual(placesOf(refuse(parents.replace("¦", "a"))), ["1:24 scopes.a.parent ScopeCycle"])
  })

  it("has all its problems at once, each at its place, and not every name of thousands", () => {
    const many = Array.from({ length: 3_000 }, (_, i) => `t${i}`)
    const text = `
tools: [${many.map((name) => tool(name)).join(", ")}]
scopes:
  a:
    restrict:
      allow: [t1, x, "<unlisted-tools>"]
      deny:
        - t2
        - ${many
          .map((name) => `${name}x`)
          .join(", ")
          .replaceAll(", ", "\n        - ")}
`
    const error = refuse(text)
    assert.strictEqual(error.total, 3_002)
    assert.deepStrictEqual(placesOf(error).slice(0, 3), [
      "6:19 scopes.a.restrict.allow[1] UnknownTool",
      "6:22 scopes.a.restrict.allow[2] ReservedToolName",
      "9:11 scopes.a.restrict.deny[1] UnknownTool"
    ])
  })
})

describe("restrict and plugins", () => {
  const text = (name: string, more = "") => `
plugins: [p]
scopes:
  child:
    ${more}
    restrict:
      deny: [read, ${name}]
tools: [${tool("read")}]
`
  const remote = Plugin.tool({ name: "remote", description: "d", parameters: {} })
  const plugins = new Map<string, Plugins.PluginLayer>([["p", remote]])

  it.effect("names what a plugin registers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shown(text("remote"), ["global", "child"], { plugins }), [
        ["read of global", "remote of global"],
        []
      ])
    })
  )

  it.effect("a name that nobody registers is known when plugins are mounted, and told at its place", () =>
    Effect.gen(function* () {
      const { messages, places } = yield* refusedBy(shown(text("remoet"), ["child"], { plugins }))
      assert.deepStrictEqual(places, ["7:20 scopes.child.restrict.deny[1] UnknownTool"])
      assert.include(messages[0], 'Did you mean "remote"? Inherited tools: read, remote.')
      const own = yield* refusedBy(shown(text("mine", `tools: [${tool("mine")}]`), ["child"], { plugins }))
      assert.include(own.messages[0], "It is a tool of the scope itself")
      // What does not depend on plugins is told without them.
      assert.deepStrictEqual(placesOf(refuse(text('""').replace("[p]", "[p, 1]"))), [
        "2:14 plugins[1]",
        "7:20 scopes.child.restrict.deny[1] InvalidRegistration"
      ])
    })
  )

  it.effect("restrictions of all scopes are told together, after all plugins", () =>
    Effect.gen(function* () {
      const two = `${text("x")}`.replace("scopes:", "scopes:\n  early: { restrict: { allow: [y, remote] } }")
      const { places } = yield* refusedBy(shown(two, ["child"], { plugins }))
      assert.deepStrictEqual(places, [
        "4:32 scopes.early.restrict.allow[0] UnknownTool",
        "8:20 scopes.child.restrict.deny[1] UnknownTool"
      ])
      const broken = new Map([["p", Layer.effectDiscard(Effect.fail("no")) as Plugins.PluginLayer]])
      const failed = yield* refusedBy(shown(two, ["child"], { plugins: broken }))
      assert.deepStrictEqual(failed.places, ["2:11 plugins[0]"], "what comes of it is not told")
    })
  )

  it.effect("a tool of a plugin that the file has already is the plugin's problem", () =>
    Effect.gen(function* () {
      const twice = `plugins: [p]\ntools: [${tool("remote")}]`
      const { messages, places } = yield* refusedBy(shown(twice, ["global"], { plugins }))
      assert.deepStrictEqual(places, ["1:11 plugins[0] DuplicateRegistration"])
      assert.include(messages[0], 'tool "remote" of scope "global" is already registered')
    })
  )
})

describe("handlers", () => {
  class Greeting extends Context.Service<Greeting, { readonly text: string }>()("Greeting") {}

  const text = `
tools: [${tool("greet", "Greet", ", properties: { who: { type: string } }, required: [who]")}, ${tool("show")}]
scopes:
  quiet: { restrict: { deny: [greet] } }
`
  const greet = handler({
    decode: Schema.Struct({ who: Schema.String }),
    handler: ({ who }) => Effect.map(Greeting, (greeting) => `${greeting.text}, ${who}`)
  })

  const call = (scope: string, name: string, args: unknown) =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const prompt = yield* SystemPrompt
      const { scope: agent } = yield* PromptScope.make("agent", {
        parent: yield* (yield* CompositionScopes).find(scope)
      })
      return yield* registry.call(yield* PromptScope.provide(agent)(prompt.assemble), name, args)
    }).pipe(Effect.scoped)

  const built = layer(accept(text), { handlers: { greet } }).pipe(
    Layer.provide(Layer.succeed(Greeting, { text: "Hello" }))
  )

  it.effect("run the file's tools as its restrictions allow, for agents below its scopes too", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* call("global", "greet", { who: "Ada" }), "Hello, Ada")
      const failures = yield* Effect.forEach(
        [
          call("global", "greet", { who: 1 }),
          call("quiet", "greet", { who: "Ada" }),
          call("quiet", "nobody", {}),
          call("global", "show", {})
        ],
        Effect.flip
      )
      assert.deepStrictEqual(
        failures.map((error) => error._tag),
        ["InvalidToolArguments", "ToolNotFound", "ToolNotFound", "ToolWithoutHandler"]
      )
    }).pipe(Effect.provide(built))
  )

  it.effect("arguments are checked by the file's schema where there is no other", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* call("global", "greet", { who: "Ada" }), { who: "Ada" })
      assert.strictEqual((yield* Effect.flip(call("global", "greet", {})))._tag, "InvalidToolArguments")
    }).pipe(
      Effect.provide(layer(accept(text), { handlers: { greet: handler({ handler: (args) => Effect.succeed(args) }) } }))
    )
  )

  it.effect("one that no tool has is a problem, and a schema that cannot be checked is one at its place", () =>
    Effect.gen(function* () {
      const handlers = { gret: greet, greet: handler({ handler: () => Effect.void }) }
      const { messages, places } = yield* refusedBy(
        shown(text, ["global"], { handlers }).pipe(Effect.provideService(Greeting, { text: "" }))
      )
      assert.deepStrictEqual(places, ["2:1  UnknownTool"])
      assert.include(messages[0], 'handler for "gret", which is no tool of this composition. Did you mean "greet"?')
      const odd = `tools: [${tool("a", "d", ", not: { required: [x] }")}, ${tool("b", "d", ", not: { required: [x] }")}]`
      const run = handler({ handler: () => Effect.void })
      const unchecked = yield* refusedBy(shown(odd, ["global"], { handlers: { a: run, b: run } }))
      assert.deepStrictEqual(unchecked.places, [
        "1:48 tools[0].parameters InvalidToolSchema",
        "1:131 tools[1].parameters InvalidToolSchema"
      ])
      assert.include(unchecked.messages[0], 'tool "a" of scope "global" is invalid at $.parameters')
      yield* shown(odd, ["global"], {
        handlers: { a: handler({ decode: Schema.Struct({}), handler: () => Effect.void }) }
      })
      // Names of every object are no handlers.
      yield* shown(`tools: [${tool("constructor")}]`, ["global"], { handlers: {} })
    })
  )
})

describe("layerFile", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  // Inside the project, so that plugins find the library.
  const folder = mkdtempSync(join(root, "test/composition/tools-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  it.effect("imports plugins that register tools, and runs the file's tools by the host's handlers", () =>
    Effect.gen(function* () {
      const file = join(folder, "agent.yaml")
      writeFileSync(
        join(folder, "p.ts"),
        `import { Effect } from "effect"
import { Plugin } from "effect-preamble"
export default Plugin.tool({ name: "ping", description: "d", parameters: { type: "object" }, handler: () => Effect.succeed("pong") })
`
      )
      writeFileSync(file, `plugins: [p.ts]\ntools: [${tool("echo")}]\nscopes: { s: { restrict: { deny: [ping] } } }\n`)
      const handlers = { echo: handler({ handler: () => Effect.succeed("echo") }) }
      const answers = Effect.gen(function* () {
        const registry = yield* ToolRegistry
        const prompt = yield* SystemPrompt
        const assembly = yield* prompt.assemble
        const results = yield* Effect.forEach(["ping", "echo"], (name) => registry.call(assembly, name, {}))
        return [results, yield* shownIn("s")]
      })
      assert.deepStrictEqual(yield* answers.pipe(Effect.provide(layerFile(file, { handlers }))), [
        ["pong", "echo"],
        ["echo of global"]
      ])
    }).pipe(Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)))
  )
})

describe("types", () => {
  it("what handlers need is what the layer needs", () => {
    class Files extends Context.Service<Files, { readonly read: string }>()("Files") {}
    const composition = accept("identity: x")
    const needs = handler({ handler: () => Files })
    const layered: Layer.Layer<CompositionScopes | SystemPrompt | ToolRegistry, InvalidComposition, Files> = layer(
      composition,
      { handlers: { t: needs } }
    )
    const free: Layer.Layer<CompositionScopes | SystemPrompt | ToolRegistry, InvalidComposition> = layer(composition)
    // @ts-expect-error: it needs the files.
    const missing: Layer.Layer<CompositionScopes, InvalidComposition> = layer(composition, { handlers: { t: needs } })
    assert.isTrue([layered, free, missing].every(Layer.isLayer))
  })
})
