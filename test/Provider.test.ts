import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import {
  Cause,
  Context,
  Data,
  Deferred,
  Effect,
  ErrorReporter,
  Exit,
  Fiber,
  Layer,
  Option,
  Metric,
  References,
  Scheduler,
  Schema,
  type Scope,
  Tracer
} from "effect"
import { TestClock } from "effect/testing"
import {
  Annotations,
  type AssembleContext,
  type Assembly,
  Plugin,
  PromptError,
  PromptScope,
  type Provider,
  SystemPrompt,
  Template,
  type ToolProvider
} from "../src/index.ts"
import * as registry from "./support/registry.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

/** A value that has come past the compiler, as from a JavaScript file. */
const unchecked = (u: unknown): never => u as never

const assemble = SystemPrompt.use((prompt) => prompt.assemble)
const render = Effect.map(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => rendered.text
)

/** A provider of each kind whose value never comes about, and who is blamed for it. */
const kinds: ReadonlyArray<{
  readonly owner: Required<Omit<PromptError.Owner, "listener">>
  /** What is said of a value of the wrong type. */
  readonly rule: string
  readonly plugin: (provider: Provider<never, unknown>) => Plugin.Plugin
}> = [
  {
    rule: "must give a string, or undefined for no value",
    owner: { kind: "variable", entry: "v", scope: "agent", plugin: "p" },
    plugin: (provider) => Plugin.variable("v", provider, { plugin: "p" })
  },
  {
    rule: "must give an array of tools, or { schemas, knownNames }",
    owner: { kind: "tools", entry: "ts", scope: "agent", plugin: "p" },
    plugin: (provider) => Plugin.tools(provider, { name: "ts", plugin: "p" })
  },
  {
    rule: "must give a string or a Template",
    owner: { kind: "section", entry: "s", scope: "agent", plugin: "p" },
    plugin: (provider) => Plugin.section({ name: "s", order: 0, text: provider, plugin: "p" })
  },
  {
    rule: "must give a string or a Template",
    owner: { kind: "context", entry: "c", scope: "agent", plugin: "p" },
    plugin: (provider) => Plugin.context({ name: "c", order: 0, text: provider, plugin: "p" })
  }
]

/** How an assembly for a descendant of the scope that has the plugin ends. */
const exitWith = (plugin: Plugin.Plugin) =>
  Effect.gen(function* () {
    const agent = yield* PromptScope.make("agent")
    const child = yield* PromptScope.make("child", { parent: agent.scope })
    yield* Layer.build(Plugin.mount(agent.scope)(plugin))
    return yield* Effect.exit(PromptScope.provide(child.scope)(assemble))
  }).pipe(Effect.scoped, Effect.provide(registry.layer))

const failureWith = (plugin: Plugin.Plugin) =>
  Effect.gen(function* () {
    const exit = yield* exitWith(plugin)
    const error = Option.flatMap(Exit.getCause(exit), Cause.findErrorOption)
    assert.isTrue(Option.isSome(error), "it failed, with a typed error")
    if (!Option.isSome(error) || !(error.value instanceof PromptError.ProviderFailure)) {
      return assert.fail("it is a ProviderFailure")
    }
    return error.value
  })

class Model extends Context.Service<Model, string>()("test/Model") {}

describe("what gives the value", () => {
  const forms: Record<string, Provider<string, never, Model>> = {
    "a value": "x",
    "a plain function": () => "x",
    "an Effect": Effect.succeed("x"),
    "a function that returns an Effect": () => Effect.succeed("x"),
    "a function that returns either": ({ scope }) => (scope.closed ? "y" : Effect.succeed("x")),
    "Effect.fnUntraced": Effect.fnUntraced(function* () {
      yield* Effect.yieldNow
      return "x"
    }),
    "Effect.fn": Effect.fn("provider")(function* () {
      return yield* Effect.succeed("x")
    }),
    "an Effect that needs a service": Effect.map(Model, (model) => model),
    "a service, itself a function": Model
  }

  for (const [form, provider] of Object.entries(forms)) {
    it.effect(`${form}, of a variable, a section and a context`, () =>
      Effect.gen(function* () {
        yield* Layer.build(
          Layer.mergeAll(
            Plugin.variable("v", provider),
            Plugin.section({ name: "s", order: 0, text: provider }),
            Plugin.context({ name: "c", order: 0, text: provider })
          )
        )
        const assembly = yield* assemble
        assert.deepStrictEqual(view.variables(assembly), [["v", "x"]])
        assert.deepStrictEqual(view.sections(assembly), [["s", "x"]])
        assert.deepStrictEqual(view.contexts(assembly), [["c", "x"]])
      }).pipe(Effect.provide([registry.layer, Layer.succeed(Model, "x")]))
    )
  }

  it.effect("the same of tools, as a list or with known names", () =>
    Effect.gen(function* () {
      const tool = (name: string) => ({ name, description: "", parameters: {} })
      const providers: ReadonlyArray<Provider<ToolProvider.Tools>> = [
        [tool("a")],
        () => ({ schemas: [tool("b")], knownNames: ["hidden"] }),
        Effect.succeed([tool("c")]),
        () => Effect.succeed({ schemas: [tool("d")] }),
        Effect.fnUntraced(function* () {
          yield* Effect.yieldNow
          return [tool("e")]
        })
      ]
      yield* Layer.build(Layer.mergeAll(Layer.empty, ...providers.map((one) => Plugin.tools(one))))
      assert.deepStrictEqual(view.tools(yield* assemble), ["a", "b", "c", "d", "e"])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("undefined, the empty text and a Template are values", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.variable("none", Effect.succeed(undefined))
      yield* prompt.variable("empty", () => "")
      yield* prompt.section({ name: "t", order: 0, text: () => Template.text`{{[${Template.ref("empty")}]}}` })
      yield* prompt.section({ name: "u", order: 1, text: Effect.succeed(Template.verbatim("{{none}}")) })
      assert.deepStrictEqual(view.variables(yield* assemble), [
        ["empty", ""],
        ["none", undefined]
      ])
      assert.strictEqual(yield* render, "{{[]}}\n\n{{none}}")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("[55, 56, 63] a function gets the context of the assembly, frozen, once for each assembly", () =>
    Effect.gen(function* () {
      const Turn = Context.Reference<number>("test/Turn", { defaultValue: () => 0 })
      const agent = yield* PromptScope.make("agent")
      const seen: Array<AssembleContext> = []
      const note = (context: AssembleContext) => {
        seen.push(context)
        return `${context.scope.label} ${Context.get(context.annotations, Turn)} ${seen.length}`
      }
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: note })
      const run = (turn: number) =>
        render.pipe(PromptScope.provide(agent.scope), Effect.provideService(Annotations, Context.make(Turn, turn)))
      assert.strictEqual(yield* run(7), "agent 7 1")
      assert.strictEqual(yield* run(8), "agent 8 2")
      assert.strictEqual(yield* render, "global 0 3")
      assert.strictEqual(seen[0]?.scope, agent.scope)
      assert.isTrue(seen.every(Object.isFrozen))
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("without Effects an assembly is one synchronous step", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.variable("v", () => "x")
      yield* prompt.section({ name: "s", order: 0, text: () => "{{v}}" })
      yield* prompt.tools(() => [])
      yield* prompt.listener({ name: "l", edit: (assembly) => assembly })
      const fiber = yield* Effect.forkChild(prompt.render, { startImmediately: true })
      const exit = fiber.pollUnsafe()
      assert.strictEqual(exit !== undefined && Exit.isSuccess(exit) ? exit.value.text : "not yet", "x")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("one after the other: variables by name, tools, sections, contexts in their order", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const slow =
        <A>(name: string, value: A) =>
        () =>
          Effect.gen(function* () {
            events.push(`${name}<`)
            yield* Effect.yieldNow
            events.push(`>${name}`)
            return value
          })
      const agent = yield* PromptScope.make("agent")
      const inScope = [
        Plugin.context({ name: "c", order: 0, text: slow("context c", "") }),
        Plugin.section({ name: "s", order: -1, text: slow("section s", "") }),
        Plugin.tools(slow("tools of the agent", []), { name: "a" }),
        Plugin.variable("a", slow("variable a", ""))
      ]
      const globally = [
        Plugin.context({ name: "d", order: -1, text: slow("context d", "") }),
        Plugin.section({ name: "t", order: 0, text: slow("section t", "") }),
        Plugin.tools(slow("tools z", []), { name: "z" }),
        Plugin.tools(slow("tools y", []), { name: "y" }),
        Plugin.variable("b", slow("variable b", "")),
        Plugin.variable("ab", () => {
          events.push("variable ab")
          return ""
        })
      ]
      yield* Layer.build(Layer.mergeAll(Layer.empty, ...globally, ...inScope.map(Plugin.mount(agent.scope))))
      yield* PromptScope.provide(agent.scope)(assemble)
      assert.deepStrictEqual(events, [
        "variable a<",
        ">variable a",
        "variable ab",
        "variable b<",
        ">variable b",
        "tools y<",
        ">tools y",
        "tools z<",
        ">tools z",
        "tools of the agent<",
        ">tools of the agent",
        "section s<",
        ">section s",
        "section t<",
        ">section t",
        "context d<",
        ">context d",
        "context c<",
        ">context c"
      ])
    }).pipe(Effect.provide(registry.layer))
  )

  it("types: what is needed and what is refused", () => {
    const register = (prompt: SystemPrompt["Service"]) => prompt.variable("v", Model)
    expectTypeOf<Effect.Services<ReturnType<typeof register>>>().toEqualTypeOf<Model | Scope.Scope>()
    expectTypeOf<Effect.Error<ReturnType<typeof register>>>().toEqualTypeOf<PromptError.RegistrationError>()
    expectTypeOf<"x">().toExtend<Provider<string>>()
    expectTypeOf<() => Promise<string>>().not.toExtend<Provider<string>>()
    expectTypeOf<Effect.Effect<string, "e", Model>>().toExtend<Provider<string, "e", Model>>()
    expectTypeOf<Effect.Effect<string, "e", Model>>().not.toExtend<Provider<string, "e">>()
  })
})

describe("what becomes a ProviderFailure", () => {
  class Unreachable extends Data.TaggedError("Unreachable")<{ readonly host: string }> {}

  class Unnamed extends Schema.TaggedError<Unnamed>("app/errors")("Unnamed", { host: Schema.String }) {}

  const boom = new Error("boom")
  const unnamed = new Unnamed({ host: "example.org" })
  const unreachable = new Unreachable({ host: "example.org" })

  const failing: Record<string, { provider: Provider<never, unknown>; reason: string; cause: unknown; says: string }> =
    {
      "a throw": {
        provider: () => {
          throw boom
        },
        reason: "threw",
        cause: boom,
        says: "boom"
      },
      "a throw of something else": {
        provider: () => {
          throw "just a string"
        },
        reason: "threw",
        cause: "just a string",
        says: "just a string"
      },
      "a failed Effect": { provider: Effect.fail(boom), reason: "failed", cause: boom, says: "boom" },
      "a function whose Effect fails": {
        provider: () => Effect.fail(boom),
        reason: "failed",
        cause: boom,
        says: "boom"
      },
      "a failure late in an Effect": {
        provider: Effect.fnUntraced(function* () {
          yield* Effect.yieldNow
          return yield* Effect.fail(boom)
        }),
        reason: "failed",
        cause: boom,
        says: "boom"
      },
      "a typed failure without a message, by its tag": {
        provider: Effect.fail(unreachable),
        reason: "failed",
        cause: unreachable,
        says: "Unreachable"
      },
      "a typed failure without a message, by its tag even if its name is another": {
        provider: Effect.fail(unnamed),
        reason: "failed",
        cause: unnamed,
        says: ": Unnamed"
      },
      "a failure that is no error": {
        provider: Effect.fail({ _tag: "Odd", code: 3 }),
        reason: "failed",
        cause: { _tag: "Odd", code: 3 },
        says: "Odd"
      },
      "a defect": { provider: Effect.die(boom), reason: "died", cause: boom, says: "boom" },
      "a throw inside of an Effect": {
        provider: Effect.sync(() => {
          throw boom
        }),
        reason: "died",
        cause: boom,
        says: "boom"
      },
      "a failure together with a defect": {
        provider: Effect.failCause(Cause.combine(Cause.die("later"), Cause.fail(boom))),
        reason: "failed",
        cause: boom,
        says: "boom"
      },
      "a failure together with an interruption": {
        provider: Effect.failCause(Cause.combine(Cause.interrupt(), Cause.fail(boom))),
        reason: "failed",
        cause: boom,
        says: "boom"
      },
      "a defect together with an interruption": {
        provider: Effect.failCause(Cause.combine(Cause.interrupt(), Cause.die(boom))),
        reason: "died",
        cause: boom,
        says: "boom"
      }
    }

  for (const [what, { provider, reason, cause, says }] of Object.entries(failing)) {
    for (const { owner, plugin } of kinds) {
      it.effect(`${what}, in a ${owner.kind} provider`, () =>
        Effect.gen(function* () {
          const error = yield* failureWith(plugin(provider))
          assert.deepInclude(error, { _tag: "ProviderFailure", ...owner, reason })
          if (cause instanceof Error) assert.strictEqual(error.cause, cause, "the original")
          assert.deepStrictEqual(error.cause, cause)
          for (const part of [owner.entry, owner.scope, owner.plugin, reason, says]) assert.include(error.message, part)
        })
      )
    }
  }

  const promise = () => Promise.resolve("x")
  // oxlint-disable-next-line unicorn/no-thenable -- that is the point
  const thenable = { then: () => {} }
  const promising: Record<string, unknown> = {
    "a Promise": promise(),
    "an async function": async () => "x",
    "a function that returns a Promise": promise,
    "a thenable": () => thenable,
    "an Effect of a Promise": Effect.sync(promise),
    "a function that returns an Effect of a thenable": () => Effect.succeed(thenable)
  }

  for (const [what, provider] of Object.entries(promising)) {
    for (const { owner, plugin } of kinds) {
      it.effect(`${what}, in a ${owner.kind} provider, with what to do instead`, () =>
        Effect.gen(function* () {
          const error = yield* failureWith(plugin(unchecked(provider)))
          assert.deepInclude(error, { ...owner, reason: "must not return a Promise" })
          assert.instanceOf(error.cause, TypeError)
          for (const part of [owner.entry, "Promise", "Effect.tryPromise"]) assert.include(error.message, part)
        })
      )
    }
  }

  const wrong: ReadonlyArray<readonly [value: unknown, named: string]> = [
    [3, "the number 3"],
    [Number.NaN, "the number NaN"],
    [null, "null"],
    [true, "true"],
    [{ text: "x" }, "an object"],
    [Symbol("x"), "a symbol"]
  ]
  for (const { owner, rule, plugin } of kinds) {
    it.effect(`a value of the wrong type, in a ${owner.kind} provider`, () =>
      Effect.gen(function* () {
        const also = owner.kind === "variable" ? [] : [[undefined, "undefined"] as const]
        const own = owner.kind === "tools" ? (["x", "a string"] as const) : ([["x"], "an array"] as const)
        for (const [value, named] of [...wrong, ...also, own]) {
          for (const provider of [value, () => value, Effect.succeed(value), () => Effect.succeed(value)]) {
            const error = yield* failureWith(plugin(unchecked(provider)))
            assert.deepInclude(error, { ...owner, reason: rule })
            assert.instanceOf(error.cause, TypeError)
            for (const part of [owner.entry, owner.plugin, named]) assert.include(error.message, part)
          }
        }
      })
    )
  }

  it.effect("a Template where text is not interpolated, from a provider", () =>
    Effect.gen(function* () {
      const error = yield* failureWith(
        Plugin.section({ name: "s", order: 0, text: () => Template.ref("v"), interpolate: false, plugin: "p" })
      )
      assert.deepInclude(error, { kind: "section", entry: "s", scope: "agent", plugin: "p" })
      assert.include(error.message, "interpolate: false")
    })
  )

  it.effect("tools whose knownNames are no names", () =>
    Effect.gen(function* () {
      const error = yield* failureWith(Plugin.tools(unchecked(() => ({ schemas: [], knownNames: ["a", 1] }))))
      assert.deepInclude(error, { kind: "tools", entry: "", reason: "must give knownNames as an array of strings" })
      assert.notProperty(error, "plugin")
    })
  )

  it.effect("[54, 85] the first failure ends the assembly: what comes later does not run", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const noting =
        <A>(name: string, value: A) =>
        () => {
          ran.push(name)
          return value
        }
      const others = Layer.mergeAll(
        Plugin.variable("a", noting("a", "")),
        Plugin.variable("z", noting("z", "")),
        Plugin.tools(noting("tools", [])),
        Plugin.section({ name: "s", order: 0, text: noting("section", "") }),
        Plugin.context({ name: "c", order: 0, text: noting("context", "") }),
        Plugin.listener({ name: "l", edit: (assembly) => noting("listener", assembly)() })
      )
      const withFailing = (plugin: Plugin.Plugin) => failureWith(Layer.merge(others, plugin))
      yield* withFailing(Plugin.variable("v", Effect.fail(boom)))
      assert.deepStrictEqual(ran.splice(0), ["a"])
      yield* withFailing(Plugin.tools(Effect.fail(boom), { name: "later" }))
      assert.deepStrictEqual(ran.splice(0), ["a", "z", "tools"])
    })
  )
})

describe("interruption", () => {
  /** A variable whose provider hangs, and tells when it is called and when it is interrupted. */
  const hanging = Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const calls = { started: 0, finalised: 0 }
    const provider = Effect.suspend(() => {
      calls.started++
      return Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => calls.finalised++)))
    return { started: Deferred.await(started), calls, plugin: Plugin.variable("v", provider) }
  })

  it.effect("[328] of an assembly stays interruption, and runs the finalisers of the provider", () =>
    Effect.gen(function* () {
      const { started, calls, plugin } = yield* hanging
      const close = yield* registry.own(Effect.asVoid(Layer.build(plugin)))
      const fiber = yield* Effect.forkChild(assemble)
      yield* started
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(calls, { started: 1, finalised: 1 })
      yield* close
      assert.deepStrictEqual((yield* assemble).variables, [])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("[BC-058] a caller that gives up after a time is not held up by a provider that hangs", () =>
    Effect.gen(function* () {
      const { started, calls, plugin } = yield* hanging
      const close = yield* registry.own(Effect.asVoid(Layer.build(plugin)))
      const fiber = yield* Effect.forkChild(Effect.timeoutOption(assemble, "20 millis"))
      yield* started
      yield* TestClock.adjust("19 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), Option.none())
      assert.deepStrictEqual(calls, { started: 1, finalised: 1 })
      yield* close
      assert.deepStrictEqual((yield* assemble).variables, [], "the registry is usable")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("[BC-058] of an assembly that has not begun calls no provider", () =>
    Effect.gen(function* () {
      const { calls, plugin } = yield* hanging
      yield* Layer.build(plugin)
      const fiber = yield* Effect.forkChild(assemble)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(calls, { started: 0, finalised: 0 })
    }).pipe(Effect.provide(registry.layer))
  )

  for (const { owner, plugin } of kinds) {
    it.effect(`a ${owner.kind} provider that interrupts itself interrupts the assembly`, () =>
      Effect.gen(function* () {
        const exit = yield* exitWith(plugin(Effect.interrupt))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      })
    )
  }
})

describe("a provider that needs an Effect scope", () => {
  /** A variable whose provider leaves a finaliser behind. */
  const resource = () => {
    const count = { acquired: 0, released: 0 }
    const provider = Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => count.acquired++),
        () => Effect.sync(() => count.released++)
      ),
      "x"
    )
    return { count, plugin: Plugin.variable("resource", provider) }
  }

  it.effect("gets that of the assembly: 100 assemblies leave nothing to its plugin or its caller", () =>
    Effect.gen(function* () {
      const { count, plugin } = resource()
      yield* Layer.build(plugin)
      for (let i = 1; i <= 100; i++) {
        yield* assemble
        assert.deepStrictEqual(count, { acquired: i, released: i })
      }
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("keeps what it acquired until the listeners have run", () =>
    Effect.gen(function* () {
      const { count, plugin } = resource()
      const during: Array<number> = []
      const note = (assembly: Assembly.Assembly) => {
        during.push(count.released)
        return assembly
      }
      yield* Layer.build(
        Layer.mergeAll(
          plugin,
          Plugin.section({ name: "s", order: 0, text: () => `${during.push(count.released)}` }),
          Plugin.listener({ name: "l", edit: (assembly) => Effect.sync(() => note(assembly)) })
        )
      )
      yield* assemble
      assert.deepStrictEqual(during, [0, 0])
      assert.deepStrictEqual(count, { acquired: 1, released: 1 })
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("gives it back when a later provider fails", () =>
    Effect.gen(function* () {
      const { count, plugin } = resource()
      yield* Layer.build(Layer.merge(plugin, Plugin.section({ name: "s", order: 0, text: Effect.fail("no") })))
      assert.instanceOf(yield* Effect.flip(assemble), PromptError.ProviderFailure)
      assert.deepStrictEqual(count, { acquired: 1, released: 1 })
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("gives it back when the assembly is interrupted", () =>
    Effect.gen(function* () {
      const { count, plugin } = resource()
      const reached = yield* Deferred.make<void>()
      const stuck = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      yield* Layer.build(Layer.merge(plugin, Plugin.section({ name: "s", order: 0, text: stuck })))
      const fiber = yield* Effect.forkChild(assemble)
      yield* Deferred.await(reached)
      assert.deepStrictEqual(count, { acquired: 1, released: 0 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(count, { acquired: 1, released: 1 })
    }).pipe(Effect.provide(registry.layer))
  )
})

describe("what an Effect of a provider sees", () => {
  class Db extends Context.Service<Db, { readonly name: string }>()("test/Db") {}
  class Agent extends Context.Service<Agent, { readonly user: string }>()("test/Agent") {}
  const Workspace = Context.Reference<string>("test/Workspace", { defaultValue: () => "none" })

  it.effect("the services of its plugin, whatever the caller has, after the plugin's layer has been built", () =>
    Effect.gen(function* () {
      const section = (name: string) =>
        Plugin.section({ name, order: 0, text: Effect.map(Db, (db) => `${name} uses ${db.name}`) }).pipe(
          Layer.provide(Layer.succeed(Db, { name: `the Db of ${name}` }))
        )
      yield* Layer.build(Layer.merge(section("a"), section("b")))
      const text = yield* Effect.provideService(render, Db, { name: "the Db of the caller" })
      assert.strictEqual(text, "a uses the Db of a\n\nb uses the Db of b")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("the services of the caller that its plugin does not have", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const optional = Effect.map(
        Effect.serviceOption(Db),
        Option.match({ onNone: () => "none", onSome: (db) => db.name })
      )
      yield* prompt.section({ name: "a", order: 0, text: optional })
      assert.strictEqual(yield* render, "none")
      assert.strictEqual(yield* Effect.provideService(render, Db, { name: "the caller's" }), "the caller's")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("the prompt scope of the assembly, not the one it was registered in", () =>
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("agent")
      const child = yield* PromptScope.make("child", { parent: agent.scope })
      const text = Effect.map(PromptScope.Current, (scope) => scope.label)
      yield* Layer.build(Plugin.mount(agent.scope)(Plugin.section({ name: "a", order: 0, text })))
      assert.strictEqual(yield* PromptScope.provide(child.scope)(render), "child")
      assert.strictEqual(yield* PromptScope.provide(agent.scope)(render), "agent")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("the annotations of the assembly: as the argument, as `Annotations`, and as services", () =>
    Effect.gen(function* () {
      const text = (context: AssembleContext) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* Annotations, context.annotations)
          const argument = Context.get(context.annotations, Workspace)
          const agent = Context.getOption(context.annotations, Agent)
          assert.deepStrictEqual(yield* Effect.serviceOption(Agent), agent)
          return `${argument} ${yield* Workspace} ${Option.getOrThrow(agent).user}`
        })
      const of = (workspace: string, user: string) =>
        Context.make(Workspace, workspace).pipe(Context.add(Agent, { user }))
      // The registrar has some too.
      yield* Layer.build(Plugin.section({ name: "a", order: 0, text })).pipe(
        Effect.provideService(Annotations, of("the registrar's", "nobody")),
        Effect.provideContext(of("the registrar's", "nobody"))
      )
      const run = (annotations: Context.Context<never>) => Effect.provideService(render, Annotations, annotations)
      assert.strictEqual(yield* run(of("/a", "ada")), "/a /a ada")
      assert.strictEqual(yield* run(of("/b", "bob")), "/b /b bob")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("the span, the tracer and the log annotations of the caller, not those of its plugin", () =>
    Effect.gen(function* () {
      const spans: Record<string, Array<string>> = { caller: [], registrar: [] }
      const as = (who: string) => {
        const tracer = Tracer.make({
          span: (options) => {
            const parent = Option.match(options.parent, {
              onNone: () => "",
              onSome: (span) => (span._tag === "Span" ? ` in ${span.name}` : "")
            })
            spans[who]?.push(`${options.name}${parent}`)
            return new Tracer.NativeSpan(options)
          }
        })
        return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          effect.pipe(
            Effect.withSpan(`span of the ${who}`),
            Effect.withTracer(tracer),
            Effect.annotateLogs("who", who),
            Effect.withLogSpan(`log span of the ${who}`),
            Effect.provideService(References.MinimumLogLevel, who === "caller" ? "Debug" : "Error")
          )
      }
      const text = Effect.gen(function* () {
        const { who } = yield* References.CurrentLogAnnotations
        const logSpans = (yield* References.CurrentLogSpans).map(([label]) => label)
        const { name } = yield* Effect.orDie(Effect.currentSpan)
        return [who, name, logSpans.join(), yield* References.MinimumLogLevel].join(" | ")
      }).pipe(Effect.withSpan("provider"))
      yield* Layer.build(Plugin.section({ name: "a", order: 0, text })).pipe(as("registrar"))
      assert.strictEqual(yield* render.pipe(as("caller")), "caller | provider | log span of the caller | Debug")
      assert.deepStrictEqual(spans, {
        caller: ["span of the caller", "provider in span of the caller"],
        registrar: ["span of the registrar"]
      })
    }).pipe(Effect.provide(registry.layer))
  )

  const ambient: Record<string, Effect.Effect<void, PromptError.PromptError, SystemPrompt | Scope.Scope>> = {}
  /** The reference with a value of the registrar and one of the caller: the latter counts. */
  const reference = <A>(ref: Context.Reference<A>, registrar: A, caller: A) => {
    ambient[ref.key] = Effect.gen(function* () {
      const seen: Array<A> = []
      const text = Effect.map(ref, (value) => `${seen.push(value)}`)
      yield* Layer.build(Plugin.section({ name: "a", order: 0, text })).pipe(Effect.provideService(ref, registrar))
      yield* Effect.provideService(assemble, ref, caller)
      assert.lengthOf(seen, 1)
      assert.strictEqual(seen[0], caller)
    })
  }
  const frame = (name: string) => ({ name, stack: () => undefined, parent: undefined })
  const runtimeMetrics = () => ({ ...Metric.FiberRuntimeMetricsImpl })
  reference(ErrorReporter.CurrentErrorReporters, new Set(), new Set())
  reference(Metric.FiberRuntimeMetrics, runtimeMetrics(), runtimeMetrics())
  reference(Metric.MetricRegistry, new Map(), new Map())
  reference(Metric.CurrentMetricAttributes, { who: "registrar" }, { who: "caller" })
  reference(References.CurrentLogAnnotations, { who: "registrar" }, { who: "caller" })
  reference(References.CurrentLogLevel, "Error", "Debug")
  reference(References.CurrentLogSpans, [["registrar", 0]], [["caller", 0]])
  reference(References.CurrentLoggers, new Set(), new Set())
  reference(References.CurrentStackFrame, frame("registrar"), frame("caller"))
  reference(References.LogToStderr, true, false)
  reference(References.MinimumLogLevel, "Error", "Debug")
  reference(References.TracerEnabled, false, true)
  reference(References.TracerSpanAnnotations, { who: "registrar" }, { who: "caller" })
  reference(References.TracerSpanLinks, [], [])
  reference(References.TracerTimingEnabled, false, true)
  reference(References.UnhandledLogLevel, "Error", "Debug")
  reference(Scheduler.MaxOpsBeforeYield, 1000, 2000)
  reference(Scheduler.PreventSchedulerYield, true, false)
  reference(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"), new Scheduler.MixedScheduler())
  reference(Tracer.CurrentTraceLevel, "Error", "Debug")
  reference(Tracer.DisablePropagation, true, false)
  reference(Tracer.MinimumTraceLevel, "Error", "Debug")

  for (const [key, program] of Object.entries(ambient)) {
    it.effect(`${key} of the caller, not of its plugin`, () => Effect.provide(program, registry.layer))
  }

  it.effect("the memo map of the caller: a layer that it builds is not taken for built because its plugin did", () =>
    Effect.gen(function* () {
      const builds: Array<string> = []
      const layer = Layer.effect(
        Db,
        Effect.sync(() => ({ name: `${builds.push("Db")}` }))
      )
      const text = Effect.map(Effect.provide(Db, layer), (db) => db.name)
      const prompt = yield* SystemPrompt
      yield* Layer.build(Layer.provideMerge(Plugin.section({ name: "a", order: 0, text }), layer))
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [["a", "2"]])
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [["a", "3"]])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("the scope and annotations of the assembly, though a listener changed the ambient ones", () =>
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("agent")
      const other = yield* PromptScope.make("other")
      const seen: Array<string> = []
      const confusing = Plugin.listener({
        name: "a",
        around: (assembly, next) =>
          next(assembly).pipe(
            PromptScope.provide(other.scope),
            Effect.provideService(Annotations, Context.make(Workspace, "other"))
          )
      })
      const inner = Plugin.listener({
        name: "b",
        edit: (assembly, context) =>
          Effect.gen(function* () {
            seen.push((yield* PromptScope.Current).label, yield* Workspace, context.scope.label)
            assert.strictEqual(yield* Annotations, context.annotations)
            return assembly
          })
      })
      yield* Layer.build(Layer.merge(confusing, inner))
      yield* assemble.pipe(
        PromptScope.provide(agent.scope),
        Effect.provideService(Annotations, Context.make(Workspace, "mine"))
      )
      assert.deepStrictEqual(seen, ["agent", "mine", "agent"])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("assemblies of other scopes, which it may make", () =>
    Effect.gen(function* () {
      const parent = yield* PromptScope.make("parent")
      const child = yield* PromptScope.make("child")
      const text = Effect.map(PromptScope.provide(child.scope)(render), (text) => `The child is told: ${text}`)
      yield* Layer.build(
        Layer.mergeAll(
          Plugin.variable("who", ({ scope }) => scope.label),
          Plugin.mount(parent.scope)(Plugin.section({ name: "delegate", order: 0, text })),
          Plugin.mount(child.scope)(
            Plugin.section({ name: "task", order: 0, text: () => Effect.succeed("You are {{who}}.") })
          )
        )
      )
      assert.strictEqual(yield* PromptScope.provide(parent.scope)(render), "The child is told: You are child.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("and an assembly needs nothing", () =>
    Effect.gen(function* () {
      expectTypeOf<Effect.Services<SystemPrompt["Service"]["assemble"]>>().toBeNever()
      expectTypeOf<Effect.Services<SystemPrompt["Service"]["render"]>>().toBeNever()
      const prompt = yield* SystemPrompt
      yield* Layer.build(Layer.provide(Plugin.variable("v", Model), Layer.succeed(Model, "x")))
      const { variables } = yield* Effect.promise(() => Effect.runPromise(prompt.assemble))
      assert.strictEqual(variables[0]?.value, "x")
    }).pipe(Effect.provide(registry.layer))
  )
})

describe("a value that cannot be looked at", () => {
  it.effect("is registered, and is a ProviderFailure that names its owner when it is evaluated", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const hostile = new Proxy(
        {},
        {
          has: () => {
            throw new Error("trap")
          }
        }
      )
      yield* prompt.section({ name: "s", order: 0, text: untyped(hostile), plugin: "p" })
      const error = yield* Effect.flip(prompt.assemble)
      assert.deepInclude(error, { _tag: "ProviderFailure", kind: "section", entry: "s", scope: "global", plugin: "p" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})
