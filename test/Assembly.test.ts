import { afterAll, assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Arbitrary, Cause, Context, Deferred, Effect, Exit, Fiber, Option, pipe, Result, Schema, Scope } from "effect"
import {
  Annotations,
  Assembly,
  type Listener,
  Overlay,
  type PromptContext,
  PromptScope,
  type Section,
  SystemPrompt,
  Template,
  ToolOrder,
  ToolSchema
} from "../src/index.ts"
import { byCodeUnits } from "../src/internal/codeUnits.ts"
import { accept } from "../src/internal/wellFormed.ts"
import type { AssembleError, Owner } from "../src/PromptError.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import type * as Chain from "../src/testing/Chain.ts"
import * as generate from "../src/testing/internal/generate.ts"
import * as edits from "../src/testing/Edit.ts"
import { changeable } from "./support/frozen.ts"
import { assemble, overlay, prompt, refused } from "./support/known.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

const tool = (name: string, description = name) => ({ name, description, parameters: { type: "object" } })

/** All scopes of a chain, farthest first. */
const family = Effect.gen(function* () {
  const parent = yield* PromptScope.make("parent")
  const child = yield* PromptScope.make("child", { parent: parent.scope })
  return [PromptScope.global, parent.scope, child.scope] as const
})

// -----------------------------------------------------------------------------
// evaluation
// -----------------------------------------------------------------------------

describe("evaluation", () => {
  /** Registers in each scope of a chain a tool provider, a context, a section and a variable, and shadows all of the global ones. */
  const registerAll = (log: Array<string>, provide: (note: string) => Effect.Effect<string> | (() => string)) =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scopes = yield* family
      for (const scope of scopes.toReversed()) {
        const note = (what: string) => provide(`${what} of ${scope.label}`)
        const names = scope.label === "child" ? ["own-child", "shared"] : [`own-${scope.label}`, "shared"]
        const tools = note("tools")
        yield* PromptScope.provide(scope)(
          Effect.gen(function* () {
            for (const name of names) {
              yield* prompt.context({ name, order: 1, text: note(`context ${name}`) })
              yield* prompt.section({ name, order: -1, text: note(`section ${name}`) })
              yield* prompt.variable(name.replace("-", "_"), note(`variable ${name}`))
            }
            yield* prompt.tools(
              typeof tools === "function" ? () => [tool(tools())] : Effect.map(tools, (name) => [tool(name)])
            )
          })
        )
      }
      log.splice(0)
      return { prompt, scopes }
    })

  const expected = [
    "variable own-child of child",
    "variable own-global of global",
    "variable own-parent of parent",
    "variable shared of child",
    "tools of global",
    "tools of parent",
    "tools of child",
    "section own-child of child",
    "section own-global of global",
    "section own-parent of parent",
    "section shared of child",
    "context own-child of child",
    "context own-global of global",
    "context own-parent of parent",
    "context shared of child"
  ]

  it.effect(
    "[47, 61, 73, 77] variables by name, tools by chain, sections, contexts; the shadowed are never called",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const { prompt, scopes } = yield* registerAll(log, (note) => () => (log.push(note), note))
        const assembly = yield* PromptScope.provide(scopes[2])(prompt.assemble)
        assert.deepStrictEqual(log, expected)
        assert.deepStrictEqual(view.variables(assembly).at(-1), ["shared", "variable shared of child"])
        assert.strictEqual(assembly.scope, "child")
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("the order is the same when every provider is an Effect that waits", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const { prompt, scopes } = yield* registerAll(log, (note) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => (log.push(note), note))
        )
      )
      yield* PromptScope.provide(scopes[2])(prompt.assemble)
      assert.deepStrictEqual(log, expected)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a chain of two thousand effectful providers does not overflow the stack", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (let i = 0; i < 2000; i++) yield* prompt.variable(`v${i}`, Effect.as(Effect.yieldNow, String(i)))
      const assembly = yield* prompt.assemble
      assert.strictEqual(assembly.variables.length, 2000)
      for (const { name, value } of assembly.variables) assert.strictEqual(name, `v${value}`)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  const boom = new Error("boom")
  class Offline extends Schema.TaggedError<Offline>("test/Offline")("Offline", {}) {}
  const offline = new Offline()

  type Given = readonly [what: string, provider: unknown, reason: string, cause: unknown]
  const failing: ReadonlyArray<Given> = [
    [
      "throws",
      () => {
        throw boom
      },
      "threw",
      boom
    ],
    ["fails", Effect.fail(offline), "failed", offline],
    ["fails when called", () => Effect.fail(offline), "failed", offline],
    ["dies", () => Effect.die(boom), "died", boom],
    ["returns a Promise", () => Promise.resolve("x"), "must not return a Promise", TypeError],
    ["gives a Promise by an Effect", Effect.sync(() => Promise.resolve("x")), "must not return a Promise", TypeError],
    ["gives a number", () => 42, "must give a string", TypeError],
    ["gives null by an Effect", Effect.succeed(null), "must give a string", TypeError],
    ["gives what cannot be read", () => new Proxy({}, { get: () => assert.fail("read") }), "", undefined]
  ]

  for (const kind of ["section", "context", "variable"] as const) {
    for (const [what, provider, reason, cause] of failing) {
      it.effect(
        `[54] a ${kind} provider that ${what} fails the assembly with owner and cause; no later one is called`,
        () =>
          Effect.gen(function* () {
            const prompt = yield* SystemPrompt
            const agent = yield* PromptScope.make("agent")
            const log: Array<string> = []
            const later = () => (log.push("later"), "later")
            yield* PromptScope.provide(agent.scope)(
              Effect.gen(function* () {
                if (kind === "variable") yield* prompt.variable("odd", untyped(provider), { plugin: "core" })
                else yield* prompt[kind]({ name: "odd", order: 0, text: untyped(provider), plugin: "core" })
                yield* prompt.context({ name: "z-later", order: 1, text: later })
                if (kind !== "context") yield* prompt.section({ name: "z-later", order: 1, text: later })
                if (kind === "variable") yield* prompt.tools(() => (later(), []))
              })
            )
            const error = yield* Effect.flip(PromptScope.provide(agent.scope)(prompt.assemble))
            if (error._tag !== "ProviderFailure") assert.fail(error._tag)
            assert.deepInclude(error, { kind, entry: "odd", scope: "agent", plugin: "core" })
            assert.include(error.reason, reason)
            if (cause === TypeError) assert.instanceOf(error.cause, TypeError)
            else if (cause !== undefined) assert.strictEqual(error.cause, cause)
            for (const mention of [kind, "odd", "agent", "core"]) assert.include(error.message, mention)
            assert.deepStrictEqual(log, [])
          }).pipe(Effect.provide(SystemPrompt.layer))
      )
    }
  }

  it.effect("a Template where text is not interpolated is a ProviderFailure of its section or context", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (const kind of ["section", "context"] as const) {
        const text = () => Template.text`${Template.ref("v")}`
        const error = yield* Effect.scoped(
          Effect.andThen(prompt[kind]({ name: "t", order: 0, text, interpolate: false }), Effect.flip(prompt.assemble))
        )
        assert.deepInclude(error, { _tag: "ProviderFailure", kind, entry: "t" })
        assert.include(error.message, "interpolate")
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("values that are known are held to the same rules, and nothing is thrown", () => {
    const hostile: never = untyped(
      new Proxy(
        {},
        {
          has: () => {
            throw boom
          },
          getPrototypeOf: () => {
            throw boom
          }
        }
      )
    )
    const chains: ReadonlyArray<readonly [kind: Owner["kind"], options: Overlay.Options]> = [
      ["section", { sections: [{ name: "x", order: 0, text: hostile }] }],
      ["section", { sections: [{ name: "x", order: 0, text: untyped(1) }] }],
      ["context", { contexts: [{ name: "x", order: 0, text: hostile }] }],
      ["variable", { variables: [{ name: "x", value: hostile }] }],
      ["tools", { tools: [{ name: "x", tools: hostile }] }]
    ]
    for (const [kind, options] of chains) {
      const error = refused([overlay(options, "agent")])
      assert.deepInclude(error, { _tag: "ProviderFailure", kind, entry: "x", scope: "agent" })
    }
  })

  it.effect("[328] interruption while a provider waits is interruption, and its finalisers run", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const started = yield* Deferred.make<void>()
      const log: Array<string> = []
      yield* prompt.variable(
        "first",
        Effect.as(
          Effect.addFinalizer(() => Effect.sync(() => log.push("scope"))),
          "v"
        )
      )
      yield* prompt.section({
        name: "waits",
        order: 0,
        text: Effect.onInterrupt(Effect.andThen(Deferred.succeed(started, undefined), Effect.never), () =>
          Effect.sync(() => log.push("provider"))
        )
      })
      const fiber = yield* Effect.forkChild(prompt.assemble)
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(log, ["provider", "scope"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a listener's Effect scope closes with the assembly, also when every provider is plain", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const log: Array<string> = []
      yield* prompt.listener({
        name: "l",
        around: (assembly, next) =>
          Effect.andThen(
            Effect.addFinalizer(() => Effect.sync(() => log.push("closed"))),
            Effect.tap(next(assembly), () => Effect.sync(() => log.push("rest")))
          )
      })
      yield* prompt.assemble
      assert.deepStrictEqual(log, ["rest", "closed"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect(
    "a provider's Effect scope is the assembly's: it closes when the assembly is done, after the listeners",
    () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const log: Array<string> = []
        yield* prompt.variable(
          "v",
          Effect.as(
            Effect.addFinalizer(() => Effect.sync(() => log.push("closed"))),
            "v"
          )
        )
        yield* prompt.listener({ name: "l", edit: (assembly) => Effect.sync(() => (log.push("listener"), assembly)) })
        yield* prompt.assemble
        assert.deepStrictEqual(log, ["listener", "closed"])
        yield* prompt.assemble
        assert.strictEqual(log.length, 4, "each assembly has its own")
      }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// one snapshot
// -----------------------------------------------------------------------------

describe("snapshot", () => {
  it.effect(
    "[51, 53, BC-043] what providers and listeners register, of every kind, counts from the next assembly",
    () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const scope = yield* Effect.scope
        const agent = yield* PromptScope.make("agent")
        const forAgent = PromptScope.provide(agent.scope)(prompt.assemble)
        const once = (by: string) => {
          const fresh = [by]
          return Effect.forEach(
            fresh,
            () =>
              Effect.gen(function* () {
                if (fresh.splice(0).length === 0) return
                yield* prompt.section({ name: by, order: 0, text: by })
                yield* prompt.context({ name: by, order: 0, text: by })
                yield* prompt.variable(by, by)
                yield* prompt.tools([tool(by)])
                yield* prompt.listener({ name: by, order: 9, edit: Assembly.setVariable(`listened_${by}`, by) })
              }),
            { discard: true }
          ).pipe(PromptScope.provide(agent.scope), Scope.provide(scope), Effect.orDie)
        }
        yield* prompt.variable("v", Effect.as(once("variable"), "v"))
        yield* prompt.tools(Effect.as(once("tools"), []))
        yield* prompt.section({ name: "s", order: 0, text: Effect.as(once("section"), "s") })
        yield* prompt.context({ name: "c", order: 0, text: Effect.as(once("context"), "c") })
        const byListener = once("listener")
        yield* prompt.listener({ name: "l", edit: (assembly) => Effect.as(byListener, assembly) })
        const now = yield* forAgent
        assert.deepStrictEqual(view.sections(now), [["s", "s"]])
        assert.deepStrictEqual(view.contexts(now), [["c", "c"]])
        assert.deepStrictEqual(view.variables(now), [["v", "v"]])
        assert.deepStrictEqual(view.tools(now), [])
        const next = yield* forAgent
        const all = ["context", "listener", "section", "tools", "variable"]
        assert.deepStrictEqual(view.tools(next), all)
        assert.deepStrictEqual(
          view.sections(next).map(([name]) => name),
          ["context", "listener", "s", "section", "tools", "variable"]
        )
        assert.deepStrictEqual(
          view.contexts(next).map(([name]) => name),
          ["c", ...all]
        )
        assert.deepStrictEqual(
          view.variables(next).map(([name]) => name),
          [...all, ...all.map((name) => `listened_${name}`), "v"].sort(byCodeUnits)
        )
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect(
    "[52] a provider that disposes itself and registers its replacement: now the first value, then the other",
    () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const scope = yield* Effect.scope
        const own = yield* Scope.make()
        yield* prompt
          .variable(
            "v",
            Effect.as(
              Effect.andThen(
                Scope.close(own, Exit.void),
                Effect.orDie(Scope.provide(prompt.variable("v", "second"), scope))
              ),
              "first"
            )
          )
          .pipe(Scope.provide(own))
        assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "first"]])
        assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "second"]])
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-043] sections that come and go while a listener waits change the next assembly, not this one", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [waiting, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const old = yield* Scope.make()
      yield* Scope.provide(prompt.section({ name: "old", order: 0, text: "old" }), old)
      yield* prompt.listener({
        name: "waits",
        around: (assembly, next) =>
          Effect.andThen(
            Effect.andThen(Deferred.succeed(waiting, undefined), Deferred.await(go)),
            Effect.suspend(() => next(assembly))
          )
      })
      const fiber = yield* Effect.forkChild(prompt.assemble)
      yield* Deferred.await(waiting)
      yield* prompt.section({ name: "new", order: 0, text: "new" })
      yield* prompt.listener({ name: "z-new", edit: Assembly.setVariable("new", "new") })
      yield* Scope.close(old, Exit.void)
      yield* Deferred.succeed(go, undefined)
      const now = yield* Fiber.join(fiber)
      assert.deepStrictEqual(view.sections(now), [["old", "old"]])
      assert.deepStrictEqual(view.variables(now), [])
      const next = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(next), [["new", "new"]])
      assert.deepStrictEqual(view.variables(next), [["new", "new"]])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[56, 327] providers are asked anew each time; with constant ones two assemblies are equal", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let n = 0
      yield* prompt.section({ name: "s", order: 0, text: () => "S {{v}}", requires: ["t"] })
      yield* prompt.context({ name: "c", order: 0, text: Effect.succeed("C") })
      yield* prompt.tools(() => [tool("t")], { name: "fs" })
      yield* prompt.listener({ name: "l", edit: Assembly.addTool(tool("u")) })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* prompt.variable("v", () => String(n++))
          assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "0"]])
          assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "1"]])
        })
      )
      yield* prompt.variable("v", () => "V")
      const [one, two] = [yield* prompt.assemble, yield* prompt.assemble]
      assert.deepStrictEqual(two, one)
      assert.strictEqual(view.bytes(two), view.bytes(one))
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// annotations
// -----------------------------------------------------------------------------

describe("annotations", () => {
  interface Workspace {
    readonly readOnly: boolean
  }
  const Workspace = Context.Reference<Workspace>("test/Workspace", { defaultValue: () => ({ readOnly: false }) })
  class Agent extends Context.Service<Agent, { readonly id: string }>()("test/Agent") {}

  it.effect("of the AssembleContext are typed: a reference has its default, a service may be absent", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.variable("read_only", ({ annotations }) => {
        expectTypeOf(Context.get(annotations, Workspace)).toEqualTypeOf<Workspace>()
        return String(Context.get(annotations, Workspace).readOnly)
      })
      yield* prompt.variable("agent", ({ annotations }) => {
        const agent = Context.getOption(annotations, Agent)
        return agent._tag === "Some" ? agent.value.id : undefined
      })
      yield* prompt.variable(
        "effectful",
        Effect.map(Workspace, ({ readOnly }) => String(readOnly))
      )
      assert.deepStrictEqual(view.variables(yield* prompt.assemble), [
        ["agent", undefined],
        ["effectful", "false"],
        ["read_only", "false"]
      ])
      const annotated = prompt.assemble.pipe(
        Effect.provideService(
          Annotations,
          Context.make(Workspace, { readOnly: true }).pipe(Context.add(Agent, { id: "ada" }))
        )
      )
      assert.deepStrictEqual(view.variables(yield* annotated), [
        ["agent", "ada"],
        ["effectful", "true"],
        ["read_only", "true"]
      ])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("of an assembly are empty at first; annotate adds and overwrites, typed", () => {
    const base = assemble([])
    assert.deepStrictEqual(Context.getOrUndefined(base.annotations, Workspace), undefined)
    const one = Assembly.annotate(base, Workspace, { readOnly: true })
    const two = pipe(one, Assembly.annotate(Workspace, { readOnly: false }), Assembly.annotate(Agent, { id: "ada" }))
    assert.isTrue(Context.get(one.annotations, Workspace).readOnly)
    assert.isFalse(Context.get(two.annotations, Workspace).readOnly)
    assert.strictEqual(Context.getOrUndefined(two.annotations, Agent)?.id, "ada")
    assert.isUndefined(Context.getOrUndefined(one.annotations, Agent), "the input stays")
    // @ts-expect-error: the value is not of the reference's type
    Assembly.annotate(base, Workspace, { readOnly: "yes" })
    // @ts-expect-error: the value is not of the service's type
    pipe(base, Assembly.annotate(Agent, "ada"))
  })

  it("annotate with what is there already gives the same assembly", () => {
    const value = { readOnly: true }
    const one = Assembly.annotate(assemble([]), Workspace, value)
    assert.strictEqual(Assembly.annotate(one, Workspace, value), one)
    assert.notStrictEqual(Assembly.annotate(one, Workspace, { readOnly: true }), one)
  })

  it("annotate with undefined is an annotation too, where there was none", () => {
    const Reason = Context.Service<string | undefined>("test/Reason")
    const none = assemble([])
    assert.isFalse(Context.getOption(none.annotations, Reason)._tag === "Some")
    const one = Assembly.annotate(none, Reason, undefined)
    assert.deepStrictEqual(Context.getOption(one.annotations, Reason), Option.some(undefined))
  })
})

// -----------------------------------------------------------------------------
// immutability
// -----------------------------------------------------------------------------

describe("immutability", () => {
  it.effect("nothing of an assembly can be changed, whatever brought it there, and no attempt shows in the next", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scopes = yield* family
      for (const scope of scopes) {
        yield* PromptScope.provide(scope)(
          Effect.gen(function* () {
            yield* prompt.section({ name: "s", order: 0, text: Template.text`${Template.ref("v")}`, plugin: "core" })
            yield* prompt.section({ name: "r", order: 0, text: "", requires: ["t"] })
            yield* prompt.context({ name: "c", order: 0, text: "C" })
            yield* prompt.variable("v", "V", { plugin: "core" })
            yield* prompt.tools(() => [{ ...tool("t"), deferLoading: true, parameters: { a: [{ b: [] }] } }], {
              name: "fs"
            })
            yield* prompt.listener({
              name: "adds",
              edit: (assembly) => ({
                ...assembly,
                sections: [
                  ...assembly.sections,
                  untyped({ name: `x-${scope.label}`, order: 1, text: "", requires: ["t"] })
                ],
                tools: [...assembly.tools, untyped({ schema: { ...tool("u"), parameters: { a: {} } } })]
              })
            })
          })
        )
      }
      const assembly = yield* PromptScope.provide(scopes[2])(prompt.assemble)
      const before = view.bytes(assembly)
      assert.strictEqual(assembly.sections.find(({ name }) => name === "s")?.origin.shadows.length, 2)
      assert.deepStrictEqual(changeable(assembly, [assembly.annotations]), [])
      assert.strictEqual(view.bytes(assembly), before)
      assert.strictEqual(view.bytes(yield* PromptScope.provide(scopes[2])(prompt.assemble)), before)
    }).pipe(Effect.provide(SystemPrompt.layerWith({ identity: true, toolOrder: [ToolOrder.restMarker] })))
  )

  it.prop("nothing of any assembly can be changed", [arbitraries.chain, arbitraries.toolOrder], ([chain, order]) => {
    const result = Assembly.assemble(known(chain), orderOf(order))
    if (Result.isFailure(result)) return
    assert.deepStrictEqual(changeable(result.success, [result.success.annotations]), [])
  })

  it("changeable finds what can be changed, also deep down", () => {
    assert.deepStrictEqual(changeable(Object.freeze({ a: Object.freeze([{}]), b: [] })), ["$.a.0", "$.b"])
  })
})

// -----------------------------------------------------------------------------
// the pure pipeline
// -----------------------------------------------------------------------------

/** Overlays of generated contributions. */
const known = (chain: Chain.Chain): ReadonlyArray<Overlay.Overlay> =>
  chain.map(({ label, listeners, ...rest }) =>
    Result.getOrThrow(
      Overlay.make(label, { ...rest, listeners: listeners.map((one) => ({ ...one, edit: edits.run(one) })) })
    )
  )

const orderOf = (list: ReadonlyArray<string> | undefined) =>
  list === undefined ? undefined : { toolOrder: Result.getOrThrow(ToolOrder.make(list)) }

describe("whose assembly it is", () => {
  it("that of the last overlay's scope, or of the scope of the context; of no overlay, the global one", () => {
    const chain = ["global", "preset", "agent"].map((label) => overlay({}, label))
    assert.deepStrictEqual(
      [[], chain.slice(0, 1), chain.slice(0, 2), chain].map((one) => assemble(one).scope),
      ["global", "global", "preset", "agent"]
    )
    const context = { scope: PromptScope.global, annotations: Context.empty() }
    assert.strictEqual(assemble(chain, { context }).scope, "global")
  })
})

describe("assemble", () => {
  it("of no overlays is the empty assembly", () => {
    assert.deepStrictEqual(assemble([]), {
      scope: "global",
      sections: [],
      contexts: [],
      tools: [],
      variables: [],
      complete: undefined,
      suppressed: false,
      toolOrder: undefined,
      annotations: Context.empty()
    })
  })

  it.effect("tells its listeners the given context, and takes the label of its scope", () =>
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("agent")
      const context = Object.freeze({ scope: agent.scope, annotations: Context.make(edits.Note, "told") })
      const seen: Array<unknown> = []
      const chain = [overlay({ listeners: [{ name: "l", edit: (assembly, told) => (seen.push(told), assembly) }] })]
      assert.strictEqual(assemble(chain, { context }).scope, "agent")
      assert.deepStrictEqual(seen, [context])
      assemble(chain)
      assert.deepInclude(seen[1], { scope: PromptScope.global }, "by default the global scope")
    })
  )

  it("without a context it is the assembly of the last overlay's scope, and errors say so", () => {
    const everyone = overlay({ sections: [{ name: "a", order: 0, text: "A", complete: true }] })
    const ada = overlay({ variables: [{ name: "v", value: "V" }] }, "ada")
    assert.strictEqual(assemble([everyone, ada]).scope, "ada")
    assert.strictEqual(assemble([everyone]).scope, "global")
    assert.strictEqual(assemble([]).scope, "global")
    const error = refused([
      everyone,
      overlay({ sections: [{ name: "b", order: 0, text: "B", complete: true }] }, "ada")
    ])
    assert.deepInclude(error, { _tag: "MultipleCompleteSections", scope: "ada" })
    assert.include(error.message, 'scope "ada"')
    const added = Assembly.addSection({ name: "x", order: 0, text: "X" })
    const listening = overlay({ listeners: [{ name: "l", edit: (given) => added({ ...given, scope: "global" }) }] })
    assert.deepInclude(refused([listening, ada]), { _tag: "InvalidAssembly", entry: "l", path: "$.scope" })
  })

  it.effect("a global listener of any overlay ties with the global ones, as in the service", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const parent = yield* PromptScope.make("parent")
      const child = yield* PromptScope.make("child", { parent: parent.scope })
      const scopes = [PromptScope.global, parent.scope, child.scope]
      const log: Array<string> = []
      const listener = (scope: PromptScope.PromptScope): Listener.PureInput => ({
        name: "l",
        global: scope === child.scope,
        edit: (given) => (log.push(scope.label), given)
      })
      for (const scope of scopes.slice(1)) yield* prompt.listener(listener(scope)).pipe(PromptScope.provide(scope))
      yield* PromptScope.provide(child.scope)(prompt.assemble)
      assert.deepStrictEqual(log.splice(0), ["child", "parent"])
      assemble([overlay({}), ...scopes.slice(1).map((scope) => overlay({ listeners: [listener(scope)] }, scope.label))])
      assert.deepStrictEqual(log, ["child", "parent"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a Promise where a value belongs is the same ProviderFailure as in the service", () =>
    Effect.gen(function* () {
      const late = Promise.resolve("late")
      // oxlint-disable-next-line unicorn/no-thenable -- promises of other realms and libraries are no instances of Promise
      const thenable = { then: () => undefined }
      for (const value of [late, thenable]) {
        const cases: ReadonlyArray<
          readonly [
            options: Overlay.Options,
            register: (prompt: SystemPrompt["Service"]) => Effect.Effect<void, unknown, Scope.Scope>
          ]
        > = [
          [
            { variables: [{ name: "v", value: untyped(value), plugin: "p" }] },
            (prompt) => prompt.variable("v", untyped(value), { plugin: "p" })
          ],
          [
            { tools: [{ name: "fs", tools: untyped(value), plugin: "p" }] },
            (prompt) => prompt.tools(untyped(value), { name: "fs", plugin: "p" })
          ],
          [
            { sections: [{ name: "s", order: 0, text: untyped(value), plugin: "p" }] },
            (prompt) => prompt.section({ name: "s", order: 0, text: untyped(value), plugin: "p" })
          ],
          [
            { contexts: [{ name: "c", order: 0, text: untyped(value), plugin: "p" }] },
            (prompt) => prompt.context({ name: "c", order: 0, text: untyped(value), plugin: "p" })
          ]
        ]
        for (const [options, register] of cases) {
          const error = refused([overlay(options)])
          assert.deepInclude(error, { _tag: "ProviderFailure", plugin: "p", reason: "must not return a Promise" })
          assert.include(error.message, "Effect.tryPromise")
          const registered = yield* Effect.gen(function* () {
            const prompt = yield* SystemPrompt
            yield* register(prompt)
            return yield* Effect.flip(prompt.assemble)
          }).pipe(Effect.scoped, Effect.provide(SystemPrompt.layer, { local: true }))
          assert.deepStrictEqual(registered, error)
        }
      }
    })
  )

  it("refuses with the first error: two complete sections, a provider, the order of tools, a listener, in this order", () => {
    const complete = (name: string) => ({ name, order: 0, text: name, complete: true })
    const listeners = [{ name: "l", edit: () => untyped(1) }]
    const bad = { sections: [{ name: "s", order: 0, text: untyped(1) }], listeners }
    const toolOrder = Result.getOrThrow(ToolOrder.make(["ghost", ToolOrder.restMarker]))
    const cases: ReadonlyArray<readonly [AssembleError["_tag"], Overlay.Options]> = [
      ["MultipleCompleteSections", { ...bad, sections: [...bad.sections, complete("x"), complete("y")] }],
      ["ProviderFailure", bad],
      ["UnknownTool", { listeners }]
    ]
    for (const [tag, options] of cases) assert.strictEqual(refused([overlay(options)], { toolOrder })._tag, tag)
    assert.strictEqual(refused([overlay({ listeners })])._tag, "InvalidAssembly")
  })

  it("[119] listeners of the whole chain run, each on what the outer one gave", () => {
    const append = (text: string) => Assembly.mapVariable("v", (value) => `${value ?? ""}${text}`)
    const chain = [
      overlay({ variables: [{ name: "v", value: "v" }], listeners: [{ name: "l", edit: append("1") }] }),
      overlay({ listeners: [{ name: "l", edit: append("2") }] }, "agent"),
      overlay({ listeners: [{ name: "l", order: -1, edit: append("0") }] }, "sub")
    ]
    assert.deepStrictEqual(view.variables(assemble(chain)), [["v", "v012"]])
  })

  it.prop("[327] twice gives equal bytes", [arbitraries.chain, arbitraries.toolOrder], ([chain, order]) => {
    const [one, two] = [1, 2].map(() => Assembly.assemble(known(chain), orderOf(order)))
    assert.deepStrictEqual(two, one)
    if (one !== undefined && two !== undefined && Result.isSuccess(one) && Result.isSuccess(two)) {
      assert.strictEqual(view.bytes(two.success), view.bytes(one.success))
    }
  })

  const copying: ReadonlyArray<readonly [what: string, edit: Listener.Edit]> = [
    ["returns what it got", (assembly) => assembly],
    ["copies the assembly", (assembly) => ({ ...assembly })],
    ["copies the lists", (assembly) => ({ ...assembly, sections: [...assembly.sections], tools: [...assembly.tools] })],
    [
      "copies every part",
      (assembly) => ({
        ...assembly,
        sections: assembly.sections.map((one) => ({ ...one })),
        contexts: assembly.contexts.map((one) => ({ ...one })),
        tools: assembly.tools.map((one) => ({ ...one })),
        variables: assembly.variables.map((one) => ({ ...one }))
      })
    ]
  ]
  for (const [what, edit] of copying) {
    it.prop(
      `an identity listener that ${what} changes nothing, wherever it stands`,
      [arbitraries.chain, arbitraries.toolOrder, arbitraries.order, Schema.Natural],
      ([chain, toolOrder, order, place]) => {
        const [without, withIdentity] = [known(chain), known(chain)]
        const at = place % chain.length
        const identity = overlay({ listeners: [{ name: "identity", order, edit }] }).listeners
        const inserted = withIdentity.map((one, i) =>
          i === at ? { ...one, listeners: [...one.listeners, ...identity] } : one
        )
        const [expected, result] = [without, inserted].map((all) => Assembly.assemble(all, orderOf(toolOrder)))
        assert.deepStrictEqual(result, expected)
      }
    )
  }
})

// -----------------------------------------------------------------------------
// seal
// -----------------------------------------------------------------------------

/** The assembly that goes into the waterfall. */
const unsealed = (chain: ReadonlyArray<Overlay.Overlay>): Result.Result<Assembly.Assembly, AssembleError> => {
  let base: Assembly.Assembly | undefined
  const capture: Listener.Edit = (assembly) => (base = assembly)
  const outermost = overlay({ listeners: [{ name: "capture", order: -Number.MAX_VALUE, edit: capture }] })
  return Result.map(
    Assembly.assemble([outermost, ...chain.map((one) => ({ ...one, listeners: [] }))]),
    () => base ?? assert.fail("not captured")
  )
}

describe("seal", () => {
  const listener: Owner = { kind: "listener", entry: "l", scope: "global" }

  let sealed = 0
  afterAll(() => assert.isAtLeast(sealed, 40, "most edits must be accepted, else the laws say nothing"))

  it.prop(
    "whatever edits do: the complete section alone and as it was, no suppressed context, all required tools; idempotent",
    [arbitraries.chain, arbitraries.listener],
    ([chain, edit]) => {
      const base = unsealed(known(chain))
      if (Result.isFailure(base)) return
      const edited = Result.flatMap(
        Result.try(() => edits.run(edit)(base.success, { scope: PromptScope.global, annotations: Context.empty() })),
        (after) => accept([base.success], after, listener)
      )
      if (Result.isFailure(edited)) return
      sealed++
      const once = Result.getOrThrow(Assembly.seal(base.success, edited.success))
      const { complete, suppressed, toolOrder, scope } = base.success
      assert.deepInclude(once, { complete, suppressed, toolOrder, scope })
      const shown = new Set(view.tools(once))
      const kept = edited.success.sections.filter((one) => one.requires.every((name) => shown.has(name)))
      const whole = base.success.sections.filter((one) => one.name === complete)
      assert.deepStrictEqual(once.sections, complete === undefined ? kept : whole)
      assert.deepStrictEqual(once.contexts, suppressed ? [] : edited.success.contexts)
      assert.strictEqual(once.tools, edited.success.tools)
      assert.strictEqual(once.variables, edited.success.variables)
      assert.strictEqual(once.annotations, edited.success.annotations)
      assert.strictEqual(Result.getOrThrow(Assembly.seal(base.success, once)), once, "sealing again")
      assert.strictEqual(Result.getOrThrow(Assembly.seal(once, once)), once, "sealing what is sealed")
    }
  )

  it("gives the very assembly when there is nothing to do", () => {
    const base = assemble([overlay({ sections: [{ name: "s", order: 0, text: "S" }] })])
    assert.strictEqual(Result.getOrThrow(Assembly.seal(base, base)), base)
    const edited = Result.getOrThrow(accept([base], Assembly.setVariable(base, "v", "V"), listener))
    assert.strictEqual(Result.getOrThrow(Assembly.seal(base, edited)), edited)
  })

  it("refuses what nobody has accepted and is ill-formed, and names the waterfall", () => {
    const base = assemble([])
    const error = Result.getOrThrow(Result.flip(Assembly.seal(base, untyped({ ...base, variables: 1 }))))
    assert.deepInclude(error, {
      _tag: "InvalidAssembly",
      kind: "listener",
      entry: "waterfall",
      scope: "global",
      path: "$.variables"
    })
  })
})

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

describe("combinators", () => {
  const base = assemble(
    [
      overlay({
        sections: [
          { name: "a", order: 0, text: "A", plugin: "core" },
          { name: "m", order: 5, text: "M" },
          { name: "z", order: 5, text: "Z" }
        ],
        contexts: [
          { name: "c", order: 1, text: "C" },
          { name: "d", order: 3, text: "D" }
        ],
        tools: [{ tools: [tool("b"), tool("d", "d1"), tool("d", "d2"), tool("t")] }],
        variables: [
          { name: "v", value: "V" },
          { name: "w", value: undefined }
        ]
      })
    ],
    { toolOrder: Result.getOrThrow(ToolOrder.make(["t", ToolOrder.restMarker])) }
  )

  const fresh = { scope: "global", shadows: [] }

  type Case = readonly [what: string, dataFirst: Assembly.Assembly, piped: Assembly.Assembly]
  const input = { name: "n", order: 5, text: "N" }
  const other = { name: "m", order: 9, text: "other", interpolate: false, requires: ["t"] }
  const shout = <A extends { readonly text: Template.Text }>(one: A): A => ({ ...one, text: `${String(one.text)}!` })
  const describeLoudly = (one: ToolSchema.ToolSchema) => ({ ...one, description: `${one.description}!` })

  /** Each edit in both call styles. */
  const changing: ReadonlyArray<Case> = [
    ["addSection", Assembly.addSection(base, input), pipe(base, Assembly.addSection(input))],
    ["replaceSection", Assembly.replaceSection(base, other), pipe(base, Assembly.replaceSection(other))],
    ["removeSection", Assembly.removeSection(base, "m"), pipe(base, Assembly.removeSection("m"))],
    ["mapSection", Assembly.mapSection(base, "m", shout), pipe(base, Assembly.mapSection("m", shout))],
    ["addContext", Assembly.addContext(base, input), pipe(base, Assembly.addContext(input))],
    [
      "replaceContext",
      Assembly.replaceContext(base, { ...input, name: "c" }),
      pipe(base, Assembly.replaceContext({ ...input, name: "c" }))
    ],
    ["removeContext", Assembly.removeContext(base, "c"), pipe(base, Assembly.removeContext("c"))],
    ["mapContext", Assembly.mapContext(base, "c", shout), pipe(base, Assembly.mapContext("c", shout))],
    ["addTool", Assembly.addTool(base, tool("c")), pipe(base, Assembly.addTool(tool("c")))],
    ["replaceTool", Assembly.replaceTool(base, tool("d", "new")), pipe(base, Assembly.replaceTool(tool("d", "new")))],
    ["removeTool", Assembly.removeTool(base, "d"), pipe(base, Assembly.removeTool("d"))],
    ["mapTool", Assembly.mapTool(base, "d", describeLoudly), pipe(base, Assembly.mapTool("d", describeLoudly))],
    ["setVariable, new", Assembly.setVariable(base, "a", "A"), pipe(base, Assembly.setVariable("a", "A"))],
    ["setVariable, old", Assembly.setVariable(base, "v", "W"), pipe(base, Assembly.setVariable("v", "W"))],
    [
      "setVariable, no value",
      Assembly.setVariable(base, "v", undefined),
      pipe(base, Assembly.setVariable("v", undefined))
    ],
    ["removeVariable", Assembly.removeVariable(base, "v"), pipe(base, Assembly.removeVariable("v"))],
    [
      "mapVariable",
      Assembly.mapVariable(base, "v", (one) => `${one}!`),
      pipe(
        base,
        Assembly.mapVariable("v", (one) => `${one}!`)
      )
    ],
    ["annotate", Assembly.annotate(base, edits.Note, "n"), pipe(base, Assembly.annotate(edits.Note, "n"))]
  ]

  const before = view.bytes(base)

  for (const [what, dataFirst, piped] of changing) {
    it(`${what}: both call styles agree, all of the result is frozen, the input stays`, () => {
      assert.deepStrictEqual(piped, dataFirst)
      assert.notDeepEqual(dataFirst, base)
      assert.deepStrictEqual(changeable(dataFirst, [dataFirst.annotations]), [])
      assert.strictEqual(view.bytes(base), before)
    })
  }

  const idle: ReadonlyArray<Case> = [
    ["replaceSection of none", Assembly.replaceSection(base, input), pipe(base, Assembly.replaceSection(input))],
    ["removeSection of none", Assembly.removeSection(base, "n"), pipe(base, Assembly.removeSection("n"))],
    ["mapSection of none", Assembly.mapSection(base, "n", shout), pipe(base, Assembly.mapSection("n", shout))],
    [
      "mapSection to itself",
      Assembly.mapSection(base, "m", (one) => one),
      pipe(
        base,
        Assembly.mapSection("m", (one) => one)
      )
    ],
    ["replaceContext of none", Assembly.replaceContext(base, input), pipe(base, Assembly.replaceContext(input))],
    ["removeContext of none", Assembly.removeContext(base, "n"), pipe(base, Assembly.removeContext("n"))],
    [
      "mapContext to itself",
      Assembly.mapContext(base, "c", (one) => one),
      pipe(
        base,
        Assembly.mapContext("c", (one) => one)
      )
    ],
    ["replaceTool of none", Assembly.replaceTool(base, tool("n")), pipe(base, Assembly.replaceTool(tool("n")))],
    ["removeTool of none", Assembly.removeTool(base, "n"), pipe(base, Assembly.removeTool("n"))],
    [
      "mapTool to itself",
      Assembly.mapTool(base, "d", (one) => one),
      pipe(
        base,
        Assembly.mapTool("d", (one) => one)
      )
    ],
    ["setVariable to its value", Assembly.setVariable(base, "v", "V"), pipe(base, Assembly.setVariable("v", "V"))],
    [
      "setVariable without value",
      Assembly.setVariable(base, "w", undefined),
      pipe(base, Assembly.setVariable("w", undefined))
    ],
    ["removeVariable of none", Assembly.removeVariable(base, "n"), pipe(base, Assembly.removeVariable("n"))],
    [
      "mapVariable to its value",
      Assembly.mapVariable(base, "v", (one) => one),
      pipe(
        base,
        Assembly.mapVariable("v", (one) => one)
      )
    ],
    [
      "mapVariable of none",
      Assembly.mapVariable(base, "n", () => "x"),
      pipe(
        base,
        Assembly.mapVariable("n", () => "x")
      )
    ]
  ]
  for (const [what, dataFirst, piped] of idle) {
    it(`${what} changes nothing and gives the same assembly`, () => {
      assert.strictEqual(dataFirst, base)
      assert.strictEqual(piped, base)
    })
  }

  const resultOf = (what: string): Assembly.Assembly => changing.find(([name]) => name === what)![1]

  it("sections: added where order and name belong, replaced and mapped in place, removed", () => {
    const [a, m, z] = [base.sections[0]!, base.sections[1]!, base.sections[2]!]
    const added = { ...input, interpolate: true, requires: [], origin: fresh }
    assert.deepStrictEqual(resultOf("addSection").sections, [a, m, added, z])
    const needy = Assembly.addSection(base, { ...input, requires: ["t"] }).sections[2]
    assert.deepStrictEqual(needy, { ...added, requires: ["t"] })
    assert.deepStrictEqual(resultOf("replaceSection").sections, [a, { ...other, origin: fresh }, z], "where it stood")
    assert.deepStrictEqual(resultOf("removeSection").sections, [a, z])
    assert.deepStrictEqual(resultOf("mapSection").sections, [a, { ...m, text: "M!" }, z])
    for (const [what, after] of changing) {
      if (!what.endsWith("Section")) assert.strictEqual(after.sections, base.sections, what)
    }
    assert.deepStrictEqual(
      Assembly.replaceSection(base, { name: "a", order: 1, text: "" }).sections[0]?.origin,
      a.origin,
      "a replaced section keeps the origin of its name"
    )
  })

  it("contexts: added where order and name belong, replaced and mapped in place, removed", () => {
    const [c, d] = [base.contexts[0]!, base.contexts[1]!]
    assert.deepStrictEqual(resultOf("addContext").contexts, [c, d, { ...input, interpolate: true, origin: fresh }])
    assert.deepStrictEqual(
      Assembly.addContext(base, { ...input, order: 2, interpolate: false }).contexts.map(({ name, interpolate }) => [
        name,
        interpolate
      ]),
      [
        ["c", true],
        ["n", false],
        ["d", true]
      ]
    )
    const replaced = { ...input, name: "c", interpolate: true, origin: fresh }
    assert.deepStrictEqual(resultOf("replaceContext").contexts, [replaced, d])
    assert.deepStrictEqual(resultOf("removeContext").contexts, [d])
    assert.deepStrictEqual(resultOf("mapContext").contexts, [{ ...c, text: "C!" }, d])
    for (const [what, after] of changing) {
      if (!what.endsWith("Context")) assert.strictEqual(after.contexts, base.contexts, what)
    }
  })

  it("tools: added where the order of tools puts them, after those of their name; all of a name replaced, mapped, removed", () => {
    const shown = (assembly: Assembly.Assembly) => assembly.tools.map(({ schema }) => schema.description)
    assert.deepStrictEqual(shown(base), ["t", "b", "d1", "d2"])
    assert.deepStrictEqual(shown(resultOf("addTool")), ["t", "b", "c", "d1", "d2"])
    assert.deepStrictEqual(shown(Assembly.addTool(base, tool("d", "d0"))), ["t", "b", "d1", "d2", "d0"])
    assert.deepStrictEqual(shown(Assembly.addTool(base, tool("t", "t2"))), ["t", "t2", "b", "d1", "d2"])
    assert.deepStrictEqual(shown(resultOf("replaceTool")), ["t", "b", "new", "new"])
    assert.deepStrictEqual(shown(resultOf("mapTool")), ["t", "b", "d1!", "d2!"])
    assert.deepStrictEqual(shown(resultOf("removeTool")), ["t", "b"])
    for (const { schema } of resultOf("mapTool").tools) assert.isTrue(ToolSchema.isToolSchema(schema))
    for (const [what, after] of changing) {
      if (!what.endsWith("Tool")) assert.strictEqual(after.tools, base.tools, what)
    }
  })

  it("tools: what is no tool is refused where it stands, once its listener has given its result; no edit throws", () => {
    const odds: ReadonlyArray<readonly [odd: ToolSchema.Input, path: string]> = [
      [{ ...tool("e"), parameters: { max: Number.NaN } }, "$.tools[I].schema.parameters.max"],
      [{ ...tool("e"), parameters: untyped("none") }, "$.tools[I].schema.parameters"],
      [untyped({ name: "e", parameters: {} }), "$.tools[I].schema.description"],
      [{ ...tool("e"), name: untyped(7) }, "$.tools[I].schema.name"]
    ]
    for (const [odd, path] of odds) {
      const edits: ReadonlyArray<readonly [at: number, edit: (self: Assembly.Assembly) => Assembly.Assembly]> = [
        [1, Assembly.addTool(odd)],
        [0, Assembly.mapTool("d", () => odd)],
        ...(odd.name === "e" ? [[0, Assembly.replaceTool({ ...odd, name: "d" })] as const] : [])
      ]
      for (const [at, edit] of edits) {
        const chain = [overlay({ tools: [{ tools: [tool("d")] }], listeners: [{ name: "l", edit }] })]
        const error = refused(chain)
        const expected = path.replace("I", String(at))
        assert.deepInclude(error, { _tag: "InvalidAssembly", kind: "listener", entry: "l", path: expected })
        assert.include(error.message, expected)
      }
    }
  })

  it("tools: one that a later edit of the same listener puts right, or takes away, is no flaw", () => {
    const odd = { ...tool("e"), parameters: { max: Number.NaN } }
    const edit = (given: Assembly.Assembly) =>
      pipe(
        given,
        Assembly.addTool(odd),
        Assembly.mapTool("e", (schema) => ({ ...schema, parameters: {} })),
        Assembly.addTool({ ...odd, name: "f" }),
        Assembly.removeTool("f")
      )
    const { tools } = assemble([overlay({ listeners: [{ name: "l", edit }] })])
    assert.deepStrictEqual(
      tools.map(({ schema }) => schema),
      [{ ...tool("e"), parameters: {} }]
    )
  })

  it("variables: set where the name belongs, set and mapped in place, removed", () => {
    assert.deepStrictEqual(view.variables(resultOf("setVariable, new")), [["a", "A"], ...view.variables(base)])
    assert.deepStrictEqual(resultOf("setVariable, new").variables[0], { name: "a", value: "A", origin: fresh })
    assert.deepStrictEqual(view.variables(resultOf("setVariable, old")), [
      ["v", "W"],
      ["w", undefined]
    ])
    assert.deepStrictEqual(view.variables(resultOf("setVariable, no value")), [
      ["v", undefined],
      ["w", undefined]
    ])
    assert.deepStrictEqual(view.variables(resultOf("removeVariable")), [["w", undefined]])
    assert.deepStrictEqual(view.variables(resultOf("mapVariable")), [
      ["v", "V!"],
      ["w", undefined]
    ])
    assert.deepStrictEqual(view.variables(Assembly.mapVariable(base, "w", (value) => String(value))), [
      ["v", "V"],
      ["w", "undefined"]
    ])
  })

  it("what a listener arranged is not sorted again by what adds", () => {
    const arranged: Assembly.Assembly = {
      ...base,
      sections: base.sections.toReversed(),
      contexts: base.contexts.toReversed(),
      tools: base.tools.toReversed()
    }
    const after = pipe(
      arranged,
      Assembly.addSection({ name: "n", order: 7, text: "" }),
      Assembly.addContext({ name: "n", order: 2, text: "" }),
      Assembly.addTool(tool("c"))
    )
    const names = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name)
    assert.deepStrictEqual(names(after.sections), ["z", "m", "a", "n"])
    assert.deepStrictEqual(names(after.contexts), ["n", "d", "c"])
    assert.deepStrictEqual(view.tools(after), ["c", "d", "d", "b", "t"])
  })

  it("what was added goes through the whole pipeline", () => {
    const edit = (given: Assembly.Assembly) =>
      pipe(
        given,
        Assembly.addSection({ name: "s", order: 0, text: "{{v}} {{raw}}", interpolate: false, requires: ["t"] }),
        Assembly.addSection({ name: "t", order: 1, text: Template.text`${Template.ref("v")}` }),
        Assembly.setVariable("v", "V"),
        Assembly.addTool(tool("t"))
      )
    assert.strictEqual(prompt(assemble([overlay({ listeners: [{ name: "l", edit }] })])), "{{v}} {{raw}}\n\nV")
  })

  interface Named {
    readonly name: string
    readonly order: number
  }

  const named = Arbitrary.all({ name: arbitraries.name, order: arbitraries.order })
  const lists = generate.distinct(named, 6)

  const comesBefore = (a: Named, b: Named) => (a.order === b.order ? a.name < b.name : a.order < b.order)

  /** What inserting means, word for word: before the first that comes after it, the others as they were. */
  const inserted = (list: ReadonlyArray<Named>, item: Named): ReadonlyArray<Named> => {
    const result: Array<Named> = []
    let done = false
    for (const one of list) {
      if (!done && comesBefore(item, one)) {
        result.push(item)
        done = true
      }
      result.push(one)
    }
    return done ? result : [...result, item]
  }

  const withLists = (list: ReadonlyArray<Named>): Assembly.Assembly =>
    assemble([
      overlay({
        listeners: [
          {
            name: "arranges",
            edit: (given) => {
              const parts = list.map((one) => ({ ...one, text: one.name }))
              return untyped({
                ...given,
                sections: parts,
                contexts: parts,
                tools: list.map(({ name }) => ({ schema: tool(name) }))
              })
            }
          }
        ]
      })
    ])

  const heads = (all: ReadonlyArray<Named>) => all.map(({ name, order }) => ({ name, order }))

  it.prop(
    "adding equals the naive insertion into any arrangement, for sections, contexts and tools",
    [lists, named],
    ([list, item]) => {
      const given = withLists(list)
      const text = "added"
      assert.deepStrictEqual(heads(Assembly.addSection(given, { ...item, text }).sections), heads(inserted(list, item)))
      assert.deepStrictEqual(heads(Assembly.addContext(given, { ...item, text }).contexts), heads(inserted(list, item)))
      const flat = (all: ReadonlyArray<Named>) => all.map(({ name }) => ({ name, order: 0 }))
      assert.deepStrictEqual(
        view.tools(Assembly.addTool(given, tool(item.name))),
        inserted(flat(list), { ...item, order: 0 }).map(({ name }) => name)
      )
    }
  )

  it.prop("adding to what is in order equals registering it", [lists, named], ([list, item]) => {
    const others = list.filter(({ name }) => name !== item.name)
    const options = (all: ReadonlyArray<Named>) => all.map((one) => ({ ...one, text: one.name }))
    const sections = (all: ReadonlyArray<Section.Options>) => assemble([overlay({ sections: all })])
    const contexts = (all: ReadonlyArray<PromptContext.Options>) => assemble([overlay({ contexts: all })])
    const added = { ...item, text: item.name }
    assert.deepStrictEqual(Assembly.addSection(sections(options(others)), added), sections(options([item, ...others])))
    assert.deepStrictEqual(Assembly.addContext(contexts(options(others)), added), contexts(options([item, ...others])))
    const provider = (all: ReadonlyArray<Named>) =>
      assemble([overlay({ tools: [{ tools: all.map(({ name }) => tool(name)) }] })])
    assert.deepStrictEqual(Assembly.addTool(provider(others), tool(item.name)), provider([item, ...others]))
  })

  it.prop(
    "removing, mapping and replacing equal the naive edits of the list",
    [lists, arbitraries.name],
    ([list, name]) => {
      const given = withLists(list)
      const is = (one: { readonly name: string }) => one.name === name
      const replacement = { name, order: 3, text: "new" }
      const edited = <A extends Named>(all: ReadonlyArray<A>, f: (one: A) => A) =>
        all.map((one) => (is(one) ? f(one) : one))
      assert.deepStrictEqual(
        Assembly.removeSection(given, name).sections,
        given.sections.filter((one) => !is(one))
      )
      assert.deepStrictEqual(Assembly.mapSection(given, name, shout).sections, edited(given.sections, shout))
      assert.deepStrictEqual(
        Assembly.replaceSection(given, replacement).sections,
        edited(given.sections, (one) => ({ ...one, ...replacement }))
      )
      assert.deepStrictEqual(
        Assembly.removeContext(given, name).contexts,
        given.contexts.filter((one) => !is(one))
      )
      assert.deepStrictEqual(Assembly.mapContext(given, name, shout).contexts, edited(given.contexts, shout))
      assert.deepStrictEqual(
        Assembly.replaceContext(given, replacement).contexts,
        edited(given.contexts, (one) => ({ ...one, ...replacement }))
      )
      assert.deepStrictEqual(
        Assembly.removeTool(given, name).tools,
        given.tools.filter((one) => !is(one.schema))
      )
      assert.deepStrictEqual(
        Assembly.mapTool(given, name, describeLoudly).tools,
        given.tools.map((one) => (is(one.schema) ? { ...one, schema: describeLoudly(one.schema) } : one))
      )
      assert.deepStrictEqual(
        Assembly.replaceTool(given, tool(name, "new")).tools,
        given.tools.map((one) => (is(one.schema) ? { ...one, schema: tool(name, "new") } : one))
      )
    }
  )

  it.prop(
    "setting, removing and mapping variables equal the edits of a sorted map",
    [generate.distinct(arbitraries.variable, 5), arbitraries.variableName, arbitraries.value],
    ([variables, name, value]) => {
      const given = assemble([overlay({ variables })])
      const all = () => new Map(variables.map((one) => [one.name, one.value]))
      const sorted = (map: Map<string, string | undefined>) => [...map].sort(([a], [b]) => byCodeUnits(a, b))
      const without = all()
      without.delete(name)
      assert.deepStrictEqual(view.variables(Assembly.setVariable(given, name, value)), sorted(all().set(name, value)))
      assert.deepStrictEqual(view.variables(Assembly.removeVariable(given, name)), sorted(without))
      const shouted = all()
      if (shouted.has(name)) shouted.set(name, `${shouted.get(name)}!`)
      assert.deepStrictEqual(view.variables(Assembly.mapVariable(given, name, (one) => `${one}!`)), sorted(shouted))
    }
  )

  it("types: every combinator is data-first and data-last, and refuses what is not its input", () => {
    type Piped = (self: Assembly.Assembly) => Assembly.Assembly
    expectTypeOf(Assembly.addSection(input)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.addSection(base, input)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.replaceSection(input)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.replaceSection(base, input)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.removeSection("a")).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.removeSection(base, "a")).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.mapSection("a", (one) => one)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.mapSection(base, "a", (one) => one)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.addContext(input)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.addContext(base, input)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.replaceContext(input)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.replaceContext(base, input)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.removeContext("c")).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.removeContext(base, "c")).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.mapContext("c", (one) => one)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.mapContext(base, "c", (one) => one)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.addTool(tool("t"))).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.addTool(base, { ...tool("t"), execute: () => 1 })).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.replaceTool(tool("t"))).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.replaceTool(base, tool("t"))).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.removeTool("t")).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.removeTool(base, "t")).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.mapTool("t", (one) => one)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.mapTool(base, "t", (one) => one)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.setVariable("v", undefined)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.setVariable(base, "v", "V")).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.removeVariable("v")).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.removeVariable(base, "v")).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.mapVariable("v", (one) => one)).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.mapVariable(base, "v", (one) => one)).toEqualTypeOf<Assembly.Assembly>()
    expectTypeOf(Assembly.annotate(edits.Note, "n")).toEqualTypeOf<Piped>()
    expectTypeOf(Assembly.annotate(base, edits.Note, "n")).toEqualTypeOf<Assembly.Assembly>()
    const refusedByTypes = () => {
      // @ts-expect-error: a section has an order
      Assembly.addSection({ name: "a", text: "A" })
      // @ts-expect-error: a text is no number
      Assembly.addSection(base, { name: "a", order: 0, text: 42 })
      // @ts-expect-error: a context has no requires
      Assembly.addContext({ name: "a", order: 0, text: "", requires: [] })
      // @ts-expect-error: a tool has parameters
      Assembly.addTool({ name: "t", description: "" })
      // @ts-expect-error: a value is a string or undefined
      Assembly.setVariable("v", null)
      // @ts-expect-error: the assembly comes first
      Assembly.removeTool("t", base)
      // @ts-expect-error: an assembly is read-only
      base.sections.push(base.sections[0]!)
      // @ts-expect-error: an assembly is read-only
      base.sections[0]!.text = "changed"
    }
    assert.isFunction(refusedByTypes)
  })
})
