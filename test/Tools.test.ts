import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import { Assembly, Plugin, PromptScope, type Rendered, SystemPrompt, ToolOrder, ToolSchema } from "../src/index.ts"
import type { Owner } from "../src/PromptError.ts"
import type * as ToolProvider from "../src/ToolProvider.ts"
import { changeable } from "./support/frozen.ts"
import { assemble, overlay, prompt, refused } from "./support/known.ts"
import { sections, tools } from "./support/view.ts"
import { untyped } from "./support/untyped.ts"

const R = ToolOrder.restMarker

const tool = (name: string, description = name) => ({ name, description, parameters: { type: "object" } })

const give = (...names: ReadonlyArray<string>): ToolProvider.Options => ({ tools: names.map((name) => tool(name)) })

const order = (...list: ReadonlyArray<string>) => ({ toolOrder: Result.getOrThrow(ToolOrder.make(list)) })

const emitted = (assembly: Assembly.Assembly) => assembly.tools.map(({ schema }) => ToolSchema.emit(schema))

/** Registers a provider that notes each of its calls. */
const noting = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const calls: Array<string> = []
  const register = (name: string, ...tools: ReadonlyArray<string>) =>
    prompt.tools(
      () => {
        calls.push(name)
        return tools.map((one) => tool(one))
      },
      { name }
    )
  return { prompt, calls, register }
})

const family = Effect.gen(function* () {
  const parent = yield* PromptScope.make("parent")
  const child = yield* PromptScope.make("child", { parent: parent.scope })
  return { parent: parent.scope, child: child.scope }
})

describe("providers", () => {
  it.effect(
    "[76, 77] those of the whole chain contribute, each called once, farthest first; without scope the global",
    () =>
      Effect.gen(function* () {
        const { prompt, calls, register } = yield* noting
        const { parent, child } = yield* family
        yield* register("child", "c").pipe(PromptScope.provide(child))
        yield* register("parent", "p").pipe(PromptScope.provide(parent))
        yield* register("global", "g")
        const assembly = yield* PromptScope.provide(child)(prompt.assemble)
        assert.deepStrictEqual(tools(assembly), ["c", "g", "p"])
        assert.deepStrictEqual(calls.splice(0), ["global", "parent", "child"])
        assert.deepStrictEqual(
          assembly.tools.map(({ origin }) => origin),
          [
            { scope: "child", provider: "child", shadows: [] },
            { scope: "global", provider: "global", shadows: [] },
            { scope: "parent", provider: "parent", shadows: [] }
          ]
        )
        assert.deepStrictEqual(tools(yield* prompt.assemble), ["g"])
        assert.deepStrictEqual(calls, ["global"])
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[77] in one scope they are called by name, whatever the order of registration", () =>
    Effect.gen(function* () {
      for (const names of [
        ["b", "a", "c"],
        ["c", "a", "b"]
      ]) {
        const { prompt, calls, register } = yield* noting
        const scope = yield* PromptScope.make("agent")
        for (const name of names) yield* register(name).pipe(PromptScope.provide(scope.scope))
        yield* PromptScope.provide(scope.scope)(prompt.assemble)
        assert.deepStrictEqual(calls, ["a", "b", "c"])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[83, 84] a provider that a tool provider or a variable provider registers runs in the next assembly", () =>
    Effect.gen(function* () {
      const { prompt, calls, register } = yield* noting
      const scope = yield* Effect.scope
      const once = (name: string) => {
        const fresh = [name]
        return Effect.suspend(() =>
          Effect.forEach(fresh.splice(0), (one) => register(one, one), { discard: true })
        ).pipe(Scope.provide(scope), Effect.orDie)
      }
      yield* prompt.tools(Effect.as(once("by-tools"), [tool("first")]))
      yield* prompt.variable("v", Effect.as(once("by-variable"), "v"))
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["first"])
      assert.deepStrictEqual(calls, [])
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["by-tools", "by-variable", "first"])
      assert.deepStrictEqual(calls, ["by-tools", "by-variable"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[85] one that throws fails the assembly with its owner and cause; no later provider is called", () =>
    Effect.gen(function* () {
      const { prompt, calls, register } = yield* noting
      const { parent } = yield* family
      const boom = new Error("boom")
      yield* register("a", "a")
      yield* register("z", "z").pipe(PromptScope.provide(parent))
      yield* prompt
        .tools(
          () => {
            throw boom
          },
          { name: "broken", plugin: "mcp" }
        )
        .pipe(PromptScope.provide(parent))
      for (const kind of ["section", "context"] as const) {
        yield* prompt[kind]({ name: "s", order: 0, text: () => (calls.push(kind), kind) })
      }
      const error = yield* Effect.flip(PromptScope.provide(parent)(prompt.assemble))
      assert.deepInclude(error, {
        _tag: "ProviderFailure",
        kind: "tools",
        entry: "broken",
        scope: "parent",
        plugin: "mcp",
        cause: boom
      })
      assert.include(error.message, "boom")
      assert.include(error.message, "broken")
      assert.deepStrictEqual(calls, ["a"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("one that gives no tools at all is blamed, with what it gave", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const cases: ReadonlyArray<readonly [given: unknown, reason: string, cause: string]> = [
        [undefined, "array of tools", "undefined"],
        ["bash", "array of tools", "a string"],
        [{ schemas: {} }, "array of tools", "an object"],
        [{ schemas: [], knownNames: "bash" }, "knownNames", "a string"],
        [{ schemas: [], knownNames: ["bash", 1] }, "knownNames", "an array"],
        [Promise.resolve([]), "Promise", "Promise"]
      ]
      for (const [given, reason, cause] of cases) {
        const error = yield* Effect.scoped(
          Effect.andThen(
            prompt.tools(() => untyped(given), { name: "odd" }),
            Effect.flip(prompt.assemble)
          )
        )
        if (error._tag !== "ProviderFailure") assert.fail(error._tag)
        assert.deepInclude(error, { kind: "tools", entry: "odd", scope: "global" })
        assert.include(error.reason, reason)
        assert.include(error.message, cause)
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("projection", () => {
  const hostTool = {
    name: "t",
    description: "d",
    parameters: { type: "object", properties: { _background: { type: "boolean" } } },
    execute: () => 1,
    timeoutMs: 5,
    output: "text",
    outputSchema: {},
    annotations: { title: "x" },
    isConcurrencySafe: true,
    presentCall: () => "",
    deferLoading: false
  }

  it("[79, BC-037] only the allow-listed fields survive; the user's own properties of the parameters stay", () => {
    const assembly = assemble([overlay({ tools: [{ tools: [hostTool] }] })])
    assert.deepStrictEqual(
      assembly.tools.map((one) => one.schema),
      [
        {
          name: "t",
          description: "d",
          parameters: { type: "object", properties: { _background: { type: "boolean" } } }
        }
      ]
    )
    assert.deepStrictEqual(Reflect.ownKeys(assembly.tools[0]!), ["schema", "origin"])
  })

  it("[80] deferLoading survives only when it is exactly true", () => {
    for (const [deferLoading, expected] of [
      [true, true],
      [false, undefined],
      [undefined, undefined],
      ["true", undefined],
      [1, undefined]
    ] as const) {
      const [only] = assemble([overlay({ tools: [{ tools: [{ ...tool("t"), deferLoading }] }] })]).tools
      assert.strictEqual(only?.schema.deferLoading, expected)
      assert.strictEqual("deferLoading" in only!.schema, expected === true)
    }
  })

  it.effect("[81] what a provider returned is detached from it in both directions", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const own = { name: "t", description: "d", parameters: { type: "object", required: ["a"] } }
      yield* prompt.tools(() => [own])
      const before = yield* prompt.assemble
      assert.deepStrictEqual(changeable(before.tools), [])
      assert.isFalse(
        Object.isFrozen(own) || Object.isFrozen(own.parameters) || Object.isFrozen(own.parameters.required)
      )
      own.parameters.required.push("b")
      own.description = "new"
      assert.deepStrictEqual(before.tools[0]?.schema.parameters, { type: "object", required: ["a"] })
      assert.strictEqual(before.tools[0]?.schema.description, "d")
      const after = yield* prompt.assemble
      assert.deepStrictEqual(after.tools[0]?.schema.parameters, { type: "object", required: ["a", "b"] })
      assert.strictEqual(after.tools[0]?.schema.description, "new", "a provider that changes its object is seen")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("schemas made with ToolSchema.make are taken as they are", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const made = ToolSchema.make(tool("t"))
      yield* prompt.tools([made])
      assert.strictEqual((yield* prompt.assemble).tools[0]?.schema, made)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const notJson: ReadonlyArray<readonly [parameters: unknown, path: string]> = [
    [cyclic, "$.parameters.self"],
    [{ default: () => 1 }, "$.parameters.default"],
    [{ maximum: Number.NaN }, "$.parameters.maximum"],
    [{ default: new Date(0) }, "$.parameters.default"],
    [{ default: 1n }, "$.parameters.default"],
    [{ x: undefined }, "$.parameters.x"],
    ["string instead of object", "$.parameters"],
    [null, "$.parameters"]
  ]

  it.effect("tools given anew that say what they said are the very same; whatever differs is seen", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const usual = (): ReadonlyArray<ToolSchema.Input> => [tool("a"), tool("b"), ToolSchema.make(tool("c"))]
      let given: () => ToolProvider.Tools = usual
      yield* prompt.tools(() => given())
      const first = yield* prompt.assemble
      assert.strictEqual((yield* prompt.assemble).tools, first.tools)
      const others: ReadonlyArray<ToolProvider.Tools> = [
        [],
        usual().slice(1),
        [...usual(), tool("d")],
        [tool("a", "other"), ...usual().slice(1)],
        [{ ...tool("a"), parameters: { type: "object", required: [] } }, ...usual().slice(1)],
        [{ ...tool("a"), deferLoading: true }, ...usual().slice(1)],
        [...usual().slice(0, 2), ToolSchema.make(tool("c", "other"))],
        { schemas: [tool("e")], knownNames: ["d"] }
      ]
      for (const other of others) {
        given = () => other
        const schemas = "schemas" in other ? other.schemas : other
        assert.deepStrictEqual(
          emitted(yield* prompt.assemble),
          schemas.map((one) => ToolSchema.emit(ToolSchema.make(one)))
        )
        given = usual
        assert.deepStrictEqual(emitted(yield* prompt.assemble), emitted(first))
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("of an array that is given again, what could change is looked at again", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const made = ToolSchema.make(tool("b"))
      const inner = tool("a")
      const outer: Array<ToolSchema.Input> = [made]
      let given: ToolProvider.Tools = Object.freeze([inner, made])
      yield* prompt.tools(() => given)
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["a", "b"])
      inner.name = "z"
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["b", "z"])
      given = outer
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["b"])
      outer.push(ToolSchema.make(tool("c")))
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["b", "c"])
      given = Object.freeze([made])
      const { tools: fixed } = yield* prompt.assemble
      assert.strictEqual((yield* prompt.assemble).tools, fixed)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("the tools of an explicit value, given without its known names, know less", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const explicit = Object.freeze({ schemas: Object.freeze([ToolSchema.make(tool("a"))]), knownNames: ["x"] })
      let given: ToolProvider.Tools = explicit
      yield* prompt.tools(() => given)
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["a"])
      given = explicit.schemas
      assert.strictEqual((yield* Effect.flip(prompt.assemble))._tag, "UnknownTool")
    }).pipe(Effect.provide(SystemPrompt.layerWith({ toolOrder: ["x", R] })))
  )

  it.effect("one that gives no tools any more is blamed as if it had never given any", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let given: unknown = [tool("a")]
      yield* prompt.tools(() => untyped(given))
      for (const usual of [[tool("a")], Object.freeze([ToolSchema.make(tool("a"))])]) {
        given = usual
        const { tools: before } = yield* prompt.assemble
        // oxlint-disable-next-line unicorn/no-thenable -- promises of other realms and libraries are no instances of Promise
        for (const none of [undefined, null, "a", Object.defineProperty([tool("a")], "then", { value: () => {} })]) {
          given = none
          assert.strictEqual((yield* Effect.flip(prompt.assemble))._tag, "ProviderFailure")
        }
        given = usual
        assert.strictEqual((yield* prompt.assemble).tools, before)
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an item that is a getter, or one that an iterator gives, is asked for again", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const made = [ToolSchema.make(tool("a")), ToolSchema.make(tool("b"))]
      let at = 0
      const getter = Object.freeze(Object.defineProperty([], 0, { get: () => made[at], enumerable: true }))
      const iterator = Object.freeze(Object.assign([made[0]], { [Symbol.iterator]: () => [made[at]].values() }))
      let given: ToolProvider.Tools = untyped(getter)
      yield* prompt.tools(() => given)
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["a"])
      at = 1
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["b"])
      given = untyped(iterator)
      assert.deepStrictEqual(tools(yield* prompt.assemble), ["a"], "a list is what its indices say")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("tools that an Effect gives anew are the very same, too", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let description = "usual"
      yield* prompt.tools(() => Effect.sync(() => [tool("a", description)]))
      const { tools: before } = yield* prompt.assemble
      assert.strictEqual((yield* prompt.assemble).tools, before)
      description = "other"
      assert.strictEqual((yield* prompt.assemble).tools[0]?.schema.description, "other")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[82, BC-041] parameters that are not plain JSON fail the assembly with tool, owner and path", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      for (const [parameters, path] of notJson) {
        const error = yield* Effect.scoped(
          Effect.andThen(
            prompt.tools([tool("ok"), untyped({ ...tool("odd"), parameters })], { name: "fs", plugin: "core" }),
            Effect.flip(prompt.assemble)
          )
        ).pipe(PromptScope.provide(agent.scope))
        const owner: Owner = { kind: "tools", entry: "fs", scope: "agent", plugin: "core" }
        assert.deepInclude(error, { _tag: "InvalidToolSchema", ...owner, tool: "odd", path })
        for (const mention of ["odd", path, "fs", "agent"]) assert.include(error.message, mention)
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("[82, BC-041] the pure assembly refuses them likewise", () => {
    for (const [parameters, path] of notJson) {
      const tools = [{ tools: [untyped({ ...tool("odd"), parameters })] }]
      assert.deepInclude(refused([overlay({ tools })]), { _tag: "InvalidToolSchema", tool: "odd", path })
    }
  })

  it("[BC-002] braces in a tool's description are no template; a section that quotes it is marked as data", () => {
    const fill = {
      name: "fill_template",
      description: "Replaces {{name}} markers in a document.",
      parameters: {
        type: "object",
        properties: { path: { type: "string", description: "File with {{name}} markers" } }
      }
    }
    const assembly = assemble([
      overlay({
        tools: [{ tools: [fill] }],
        sections: [
          { name: "base", order: 0, text: "Base." },
          { name: "tools:sdk", order: 100, text: JSON.stringify(fill), interpolate: false }
        ]
      })
    ])
    assert.deepStrictEqual(assembly.tools[0]?.schema, fill)
    assert.include(prompt(assembly), "Replaces {{name}} markers")
  })
})

describe("order", () => {
  it("[86] by the code units of their names, whatever provider and order of registration", () => {
    const providers = [give("b", "Z"), give("é", "a")]
    for (const tools_ of [providers, providers.toReversed()]) {
      assert.deepStrictEqual(tools(assemble([overlay({ tools: tools_ })])), ["Z", "a", "b", "é"])
    }
  })

  it.effect("[BC-007] the same bytes in all orders of registration, also when a provider went and came back", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const p1 = prompt.tools([tool("zeta"), tool("alpha")], { name: "p1" })
      const p2 = prompt.tools([tool("mu")], { name: "p2" })
      const seen = Effect.map(prompt.assemble, (assembly) => {
        assert.deepStrictEqual(tools(assembly), ["alpha", "mu", "zeta"])
        return emitted(assembly).join("\n")
      })
      const first = yield* Effect.scoped(Effect.andThen(Effect.andThen(p1, p2), seen))
      const second = yield* Effect.scoped(Effect.andThen(Effect.andThen(p2, p1), seen))
      const third = yield* Effect.scoped(
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          yield* Scope.provide(p1, scope)
          yield* p2
          yield* Scope.close(scope, Exit.void)
          yield* p1
          return yield* seen
        })
      )
      assert.strictEqual(second, first)
      assert.strictEqual(third, first)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  const descriptions = (assembly: Assembly.Assembly) => assembly.tools.map(({ schema }) => schema.description)

  it("[78, BC-009] tools of one name all stay: by chain position, then provider name, then JSON", () => {
    const global: ReadonlyArray<ToolProvider.Options> = [
      { name: "p2", tools: [tool("dup", "global p2 b"), tool("dup", "global p2 a")] },
      { name: "p1", tools: [tool("dup", "z: global p1")] },
      { tools: [tool("dup", "zz: global anonymous"), tool("a")] }
    ]
    const agent = { tools: [{ name: "p0", tools: [tool("dup", "agent p0")] }] }
    for (const tools of [global, global.toReversed()]) {
      const assembly = assemble([overlay({ tools }), overlay(agent, "agent")])
      assert.deepStrictEqual(descriptions(assembly), [
        "a",
        "zz: global anonymous",
        "z: global p1",
        "global p2 a",
        "global p2 b",
        "agent p0"
      ])
    }
  })

  it("[78] equal tools of two plugins of one scope are told apart in their origins, in one order", () => {
    const providers = ["b", "a"].map((plugin) => ({ plugin, tools: [tool("dup")] }))
    for (const tools of [providers, providers.toReversed()]) {
      assert.deepStrictEqual(
        assemble([overlay({ tools })]).tools.map(({ origin }) => origin.plugin),
        ["a", "b"]
      )
    }
  })

  it("[BC-009] each of two tools of one name says which provider it is from", () => {
    const assembly = assemble([
      overlay({
        tools: [
          { name: "p2", tools: [tool("search", "B")] },
          { name: "p1", tools: [tool("search", "A")] }
        ]
      })
    ])
    assert.deepStrictEqual(
      assembly.tools.map(({ schema, origin }) => [schema.description, origin.provider]),
      [
        ["A", "p1"],
        ["B", "p2"]
      ]
    )
  })

  it("[100] with an order, tools of one name stand together, by chain position and provider", () => {
    const three = (by: string) => ["c", "a", "b"].map((name) => tool(name, `${name}${by}`))
    // Of the farther scope, then of the nearer one, though by JSON it would be the other way round.
    const chain = [overlay({ tools: [{ tools: three("2") }] }), overlay({ tools: [{ tools: three("1") }] }, "agent")]
    const expected = ["b2", "b1", "c2", "c1", "a2", "a1"]
    assert.deepStrictEqual(descriptions(assemble(chain, order("b", R, "a"))), expected)
    const named = [
      { name: "q", tools: three("1") },
      { name: "p", tools: three("2") }
    ]
    for (const tools of [named, named.toReversed()]) {
      assert.deepStrictEqual(descriptions(assemble([overlay({ tools })], order("b", R, "a"))), expected)
    }
  })
})

describe("toolOrder", () => {
  it("[87] listed names stand where the list has them, the others at the marker, by name", () => {
    const chain = [overlay({ tools: [give("b", "e2"), give("t", "e1")] })]
    assert.deepStrictEqual(tools(assemble(chain, order("t", R, "b"))), ["t", "e1", "e2", "b"])
  })

  it("[88] the marker alone equals the default order", () => {
    const chain = [overlay({ tools: [give("b", "e2"), give("t", "e1")] })]
    assert.deepStrictEqual(emitted(assemble(chain, order(R))), emitted(assemble(chain)))
  })

  it.effect("[89–92] a list that is none fails when the service is made, duplicates first", () =>
    Effect.gen(function* () {
      const made = (toolOrder: ReadonlyArray<string>) =>
        Effect.flip(Effect.scoped(Layer.build(SystemPrompt.layerWith({ toolOrder }))))
      for (const toolOrder of [[], ["bash"]]) {
        const error = yield* made(toolOrder)
        assert.deepInclude(error, { _tag: "InvalidToolOrder", kind: "toolOrder", scope: "global" })
        assert.include(error.message, R)
      }
      for (const [toolOrder, entry] of [
        [["bash", R, "bash"], "bash"],
        [[R, R], R],
        [["bash", "bash"], "bash"]
      ] as const) {
        const error = yield* made(toolOrder)
        assert.deepInclude(error, { _tag: "InvalidToolOrder", entry })
        assert.include(error.message, "more than once")
      }
    })
  )

  const bothUnknown = order("wraith", "ghost", R)

  it("[93] unknown names fail the assembly, in configured order, with the known names sorted", () => {
    const chain = [overlay({ tools: [give("read"), { tools: { schemas: [], knownNames: ["bash"] } }] })]
    const error = refused(chain, bothUnknown)
    assert.deepInclude(error, {
      _tag: "UnknownTool",
      kind: "toolOrder",
      unknown: ["wraith", "ghost"],
      known: ["bash", "read"]
    })
    assert.include(error.message, "wraith, ghost")
    assert.include(error.message, "bash, read")
  })

  it("[94] without any tool the known names are none", () => {
    const error = refused([], order("ghost", R))
    assert.deepInclude(error, { _tag: "UnknownTool", unknown: ["ghost"], known: [] })
    assert.include(error.message, "none")
  })

  const hiding = overlay({ tools: [{ tools: { schemas: [tool("read")], knownNames: ["read", "bash"] } }] })

  it("[95, BC-034] a listed name that is known and hidden takes no place", () => {
    assert.deepStrictEqual(tools(assemble([hiding], order("bash", R))), ["read"])
  })

  it("[96] a mistyped name fails, and the nearest known one is named", () => {
    const error = refused([hiding], order("basj", R))
    assert.deepInclude(error, { _tag: "UnknownTool", unknown: ["basj"], known: ["bash", "read"], nearest: "bash" })
    assert.include(error.message, "bash")
  })

  it("[97] a visible tool is known, whatever knownNames says", () => {
    for (const knownNames of [[], ["b"], undefined]) {
      const chain = [overlay({ tools: [{ tools: { schemas: [tool("a")], knownNames } }] })]
      assert.deepStrictEqual(tools(assemble(chain, order("a", R))), ["a"])
    }
  })

  it("[98] known names of all providers of the chain are united", () => {
    const knows = (name: string) => ({ tools: [{ tools: { schemas: [], knownNames: [name] } }] })
    const chain = [overlay(knows("a")), overlay(knows("b"), "agent")]
    assert.deepStrictEqual(tools(assemble(chain, order("b", "a", R))), [])
    assert.deepInclude(refused(chain.slice(0, 1), order("b", "a", R)), { _tag: "UnknownTool", unknown: ["b"] })
  })

  it("[99, BC-075] a tool named like the marker fails the assembly, with and without an order", () => {
    const chain = [overlay({ tools: [{ name: "fs", plugin: "core", tools: [tool("a"), tool(R)] }] }, "agent")]
    for (const options of [undefined, order(R)]) {
      const error = refused(chain, options)
      assert.deepInclude(error, {
        _tag: "ReservedToolName",
        kind: "tools",
        entry: "fs",
        scope: "agent",
        plugin: "core",
        tool: R
      })
      assert.include(error.message, R)
      assert.include(error.message, "fs")
    }
  })

  it.effect("[101] an unknown name fails after section and context providers ran, and before any listener", () =>
    Effect.gen(function* () {
      const { prompt, calls, register } = yield* noting
      yield* register("tools", "a")
      yield* prompt.variable("v", () => (calls.push("variable"), "v"))
      yield* prompt.context({ name: "c", order: 0, text: () => (calls.push("context"), "c") })
      yield* prompt.section({ name: "s", order: 0, text: () => (calls.push("section"), "s") })
      yield* prompt.listener({ name: "l", edit: (assembly) => (calls.push("listener"), assembly) })
      const error = yield* Effect.flip(prompt.assemble)
      assert.deepInclude(error, { _tag: "UnknownTool", unknown: ["ghost"], known: ["a"] })
      assert.deepStrictEqual(calls, ["variable", "tools", "section", "context"])
    }).pipe(Effect.provide(SystemPrompt.layerWith({ toolOrder: ["ghost", R] })))
  )

  it("[102] tools that a listener arranged are not sorted again", () => {
    const last = (assembly: Assembly.Assembly) => ({
      ...assembly,
      tools: [...assembly.tools.toReversed(), untyped({ schema: tool("a") })]
    })
    const chain = [overlay({ tools: [give("b", "c")], listeners: [{ name: "last", edit: last }] })]
    assert.deepStrictEqual(tools(assemble(chain)), ["c", "b", "a"])
    assert.deepStrictEqual(tools(assemble(chain, order("c", R))), ["b", "c", "a"])
  })
})

describe("requires", () => {
  const grep = { name: "tool:grep", order: 100, text: "Prefer `grep` for search.", requires: ["grep"] }
  const base = { name: "base", order: 0, text: "Use glob if unsure." }

  it("[BC-035] a section goes with the tool that it requires; free text is not edited", () => {
    const known = { schemas: [tool("read")], knownNames: ["read", "grep", "glob"] }
    const hidden = assemble([overlay({ sections: [base, grep], tools: [{ tools: known }] })])
    assert.strictEqual(prompt(hidden), "Use glob if unsure.")
    assert.deepStrictEqual(sections(hidden), [["base", "Use glob if unsure."]])
    const shown = assemble([overlay({ sections: [base, grep], tools: [give("read", "grep")] })])
    assert.strictEqual(prompt(shown), "Use glob if unsure.\n\nPrefer `grep` for search.")
  })

  it("all of the required tools must be there", () => {
    const both = { ...grep, requires: ["grep", "glob"] }
    const cases: ReadonlyArray<readonly [tools: ToolProvider.Options, expected: Array<string>]> = [
      [give("grep"), []],
      [give("glob"), []],
      [give("glob", "grep"), ["tool:grep"]]
    ]
    for (const [tools, expected] of cases) {
      const assembly = assemble([overlay({ sections: [both], tools: [tools] })])
      assert.deepStrictEqual(
        assembly.sections.map(({ name }) => name),
        expected
      )
    }
  })

  it("the tools after the waterfall decide: a listener that hides a tool hides its guidance, one that adds it brings it", () => {
    const run = (edit: (assembly: Assembly.Assembly) => Assembly.Assembly, ...names: ReadonlyArray<string>) =>
      prompt(assemble([overlay({ sections: [base, grep], tools: [give(...names)], listeners: [{ name: "l", edit }] })]))
    assert.strictEqual(run(Assembly.removeTool("grep"), "grep"), base.text)
    assert.strictEqual(run(Assembly.addTool(tool("grep")), "read"), `${base.text}\n\n${grep.text}`)
  })

  it("listeners see the section, whether or not its tools are there; one that they add is judged like others", () => {
    const seen: Array<ReadonlyArray<string>> = []
    const look = (assembly: Assembly.Assembly) => {
      seen.push(assembly.sections.map(({ name }) => name))
      return assembly.sections.length === 2 ? Assembly.addSection(assembly, { ...grep, name: "more" }) : assembly
    }
    const assembly = assemble([overlay({ sections: [base, grep], listeners: [{ name: "l", edit: look }] })])
    assert.deepStrictEqual(seen, [["base", "tool:grep"]])
    assert.deepStrictEqual(sections(assembly), [["base", base.text]])
  })

  it.effect("the provider of a section that is dropped has run", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const calls: Array<string> = []
      yield* prompt.section({ ...grep, text: () => (calls.push("grep"), "G") })
      assert.deepStrictEqual(sections(yield* prompt.assemble), [])
      assert.deepStrictEqual(calls, ["grep"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("of a plugin with tool and guidance, mounted for one agent, only that agent sees either", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      yield* prompt.section(grep)
      yield* Layer.build(Plugin.mount(agent.scope)(Plugin.tools([tool("grep")])))
      assert.strictEqual((yield* prompt.render).text, "")
      const rendered: Rendered.Rendered = yield* PromptScope.provide(agent.scope)(prompt.render)
      assert.strictEqual(rendered.text, grep.text)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})
