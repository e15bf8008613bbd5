import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Result, Schema, Scope } from "effect"
import {
  Annotations,
  Assembly,
  Guard,
  type GuardOptions,
  Overlays,
  Plugin,
  PromptScope,
  Renderer,
  SystemPrompt,
  type ToolCall,
  ToolRegistry,
  Waterfall
} from "../../src/index.ts"
import type { Owner } from "../../src/PromptError.ts"
import * as registrations from "../support/registry.ts"
import { untyped } from "../support/untyped.ts"
import { anything, assembled, assembledIn, call, encoded, failed, family, give, layer, test, tool } from "./support.ts"

const guardIn = <E = never, R = never>(scope: PromptScope.PromptScope, options: GuardOptions<E, R>) =>
  ToolRegistry.use((registry) => registry.guard(options)).pipe(PromptScope.provide(scope))

/** A tool that counts its runs. */
const counted = Effect.fnUntraced(function* (name: string) {
  const registry = yield* ToolRegistry
  const ran = { count: 0 }
  yield* registry.register({ ...tool(name), handler: () => Effect.sync(() => ++ran.count) })
  return ran
})

describe("guards", () => {
  test(
    "are asked after decoding and before the handler: those of the whole chain, global first, by name in each scope",
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      const registry = yield* ToolRegistry
      const asked: Array<string> = []
      yield* registry.register({
        name: "t",
        description: "",
        parameters: Schema.Struct({ n: Schema.NumberFromString }),
        handler: () => Effect.sync(() => void asked.push("handler"))
      })
      const note = (who: string) => ({
        name: who,
        check: (call: ToolCall) => void asked.push(`${who} ${JSON.stringify(call.arguments)}`)
      })
      for (const [scope, name] of [
        [child, "b"],
        [child, "a"],
        [other, "never"],
        [parent, "z"],
        [PromptScope.global, "y"],
        [PromptScope.global, "x"]
      ] as const) {
        yield* guardIn(scope, note(name))
      }
      yield* call(yield* assembledIn(child), "t", { n: "1" })
      assert.deepStrictEqual(
        asked.splice(0),
        ["x", "y", "z", "a", "b"].map((who) => `${who} {"n":1}`).concat("handler")
      )
      yield* call(yield* assembledIn(parent), "t", { n: "1" })
      assert.deepStrictEqual(asked.splice(0), ['x {"n":1}', 'y {"n":1}', 'z {"n":1}', "handler"])
      // Whoever calls, and wherever: the assembly's chain decides.
      yield* PromptScope.provide(other)(call(yield* assembled, "t", { n: "1" }))
      yield* PromptScope.provide(parent)(call(yield* assembledIn(other), "t", { n: "1" }))
      assert.deepStrictEqual(asked.splice(0), [
        'x {"n":1}',
        'y {"n":1}',
        "handler",
        'x {"n":1}',
        'y {"n":1}',
        'never {"n":1}',
        "handler"
      ])
      for (const [name, args] of [
        ["t", { n: 1 }],
        ["u", { n: "1" }]
      ] as const) {
        yield* failed(yield* assembledIn(child), name, args)
      }
      assert.deepStrictEqual(asked, [], "of what was not shown, or has wrong arguments, none is asked")
    })
  )

  test(
    "refuse with a reason, plain or by an Effect: the first one decides, and no handler runs",
    Effect.gen(function* () {
      const { parent } = yield* family
      const ran = yield* counted("t")
      const asked: Array<string> = []
      const pass = { name: "a", check: () => Effect.sync(() => void asked.push("a")) }
      yield* guardIn(PromptScope.global, pass)
      yield* guardIn(parent, { name: "b", plugin: "p", check: () => (asked.push("b"), "Ask the user first.") })
      yield* guardIn(parent, { name: "c", check: () => Effect.sync(() => (asked.push("c"), undefined)) })
      const error = yield* failed(yield* assembledIn(parent), "t")
      assert.deepStrictEqual(encoded(error), {
        _tag: "ToolRefused",
        kind: "guard",
        entry: "b",
        scope: "parent",
        plugin: "p",
        tool: "t",
        reason: "Ask the user first."
      })
      assert.strictEqual(
        error.message,
        'the call of tool "t" was refused by guard "b" of scope "parent" (plugin "p"): Ask the user first.'
      )
      assert.deepStrictEqual(asked.splice(0), ["a", "b"])
      assert.strictEqual(ran.count, 0)
      yield* guardIn(PromptScope.global, { name: "0", check: () => Effect.as(Effect.yieldNow, "not today") })
      assert.deepInclude(yield* failed(yield* assembled, "t"), { _tag: "ToolRefused", entry: "0", reason: "not today" })
      assert.deepStrictEqual([...asked, ran.count], [0])
    })
  )

  test(
    "cannot force: none lets through what another one refuses, what is hidden or what has wrong arguments",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      const registry = yield* ToolRegistry
      const ran = yield* counted("t")
      yield* guardIn(PromptScope.global, { name: "no", check: ({ tool }) => (tool === "t" ? "no" : undefined) })
      yield* guardIn(child, { name: "yes", check: () => undefined })
      yield* guardIn(child, { name: "z", check: () => Effect.succeed(undefined) })
      yield* give("hidden")
      yield* PromptScope.provide(parent)(registry.restrict({ deny: ["hidden"] }))
      const view = yield* assembledIn(child)
      assert.strictEqual((yield* failed(view, "t"))._tag, "ToolRefused")
      assert.strictEqual((yield* failed(view, "hidden"))._tag, "ToolNotFound")
      assert.strictEqual((yield* failed(view, "t", "text"))._tag, "InvalidToolArguments")
      assert.strictEqual(ran.count, 0)
    })
  )

  test(
    "change nothing of the call",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const got: Array<unknown> = []
      yield* registry.register({
        ...tool("t"),
        handler: (args, { tool }) => Effect.sync(() => void got.push(tool, args))
      })
      yield* guardIn(PromptScope.global, {
        name: "meddles",
        check: (call) => {
          for (const [key, value] of [
            ["tool", "other"],
            ["arguments", { n: 2 }]
          ] as const) {
            assert.isFalse(Reflect.set(call, key, value))
          }
          return undefined
        }
      })
      yield* call(yield* assembled, "t", { n: 1 })
      assert.deepStrictEqual(got, ["t", { n: 1 }])
    })
  )

  test(
    "fail closed: one that fails, dies, throws or gives something else refuses, and no handler runs",
    Effect.gen(function* () {
      const ran = yield* counted("t")
      const view = yield* assembled
      for (const [check, reason, said] of [
        [() => Effect.fail("no answer"), "failed", "no answer"],
        [() => Effect.die(new Error("boom")), "died", "boom"],
        [
          () => {
            throw new Error("thrown")
          },
          "died",
          "thrown"
        ],
        [() => true, "must give a reason or undefined", "got the boolean true"],
        [() => false, "must give a reason or undefined", "got the boolean false"],
        [() => null, "must give a reason or undefined", "got null"],
        [() => Effect.succeed(true), "must give a reason or undefined", "got the boolean true"],
        [() => ({ allow: true }), "must give a reason or undefined", "got an object"],
        [() => Promise.resolve(undefined), "must return an Effect", "got a Promise. Return an Effect"],
        [() => Effect.succeed(Promise.resolve()), "must give a reason or undefined", "got a Promise"]
      ] as const) {
        const error = yield* Effect.scoped(
          Effect.andThen(
            guardIn(PromptScope.global, { name: "g", plugin: "p", check: (): undefined => untyped(check()) }),
            failed(view, "t")
          )
        )
        const owner: Owner = { kind: "guard", entry: "g", scope: "global", plugin: "p" }
        assert.deepInclude(error, { ...owner, _tag: "GuardFailure", tool: "t", reason })
        assert.include(
          error.message,
          `the call of tool "t" was not let through: guard "g" of scope "global" (plugin "p") ${reason}`
        )
        assert.include(error.message, said)
      }
      // No reason is given, and still it is refused.
      const error = yield* Effect.scoped(
        Effect.andThen(guardIn(PromptScope.global, { name: "g", check: () => "" }), failed(view, "t"))
      )
      assert.deepInclude(error, { _tag: "ToolRefused", reason: "" })
      assert.strictEqual(ran.count, 0)
      assert.strictEqual(yield* call(view, "t"), 1)
    })
  )

  test(
    "that are interrupted, or called off while they wait, interrupt the call",
    Effect.gen(function* () {
      const ran = yield* counted("t")
      const started = yield* Deferred.make<void>()
      const released: Array<string> = []
      const waits: GuardOptions<never, Scope.Scope> = {
        name: "g",
        check: () =>
          Effect.addFinalizer(() => Effect.sync(() => void released.push("released"))).pipe(
            Effect.andThen(Deferred.succeed(started, undefined)),
            Effect.andThen(Effect.never)
          )
      }
      const end = yield* registrations.own(guardIn(PromptScope.global, waits))
      const fiber = yield* Effect.forkChild(call(yield* assembled, "t"))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(released, ["released"])
      yield* end
      yield* guardIn(PromptScope.global, { name: "g", check: () => Effect.interrupt })
      const exit = yield* Effect.exit(call(yield* assembled, "t"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.strictEqual(ran.count, 0)
    })
  )

  it.effect("have the services of their registration, the scope of the assembly and the annotations of the tool", () =>
    Effect.gen(function* () {
      class Policy extends Context.Service<Policy, string>()("test/Policy") {}
      const Level = Context.Reference<number>("test/Level", { defaultValue: () => 0 })
      const seen: Array<unknown> = []
      const plugin = Plugin.guard({
        name: "g",
        check: ({ annotations, scope }) =>
          Effect.gen(function* () {
            seen.push(yield* Policy, (yield* PromptScope.Current) === scope, scope.label)
            seen.push(Context.get(annotations, Level), Context.get(yield* Annotations, Level))
            return undefined
          })
      }).pipe(Layer.provide(Layer.succeed(Policy, "strict")))
      const { child, parent } = yield* family
      yield* Layer.build(Plugin.mount(parent)(plugin))
      const registry = yield* ToolRegistry
      yield* registry.register({ ...tool("t"), annotations: Context.make(Level, 3) })
      yield* call(yield* assembledIn(child), "t").pipe(Effect.provideService(Annotations, Context.make(Level, 7)))
      assert.deepStrictEqual(seen, ["strict", true, "child", 3, 7])
    }).pipe(Effect.provide(layer))
  )

  test(
    "hold for tools that were shown before, and no longer when they have ended or their scope has closed",
    Effect.gen(function* () {
      const ran = yield* counted("t")
      const lifetime = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), lifetime)
      const { scope: child } = yield* PromptScope.make("child", { parent: scope })
      const before = yield* assembledIn(child)
      const end = yield* registrations.own(guardIn(PromptScope.global, { name: "g", check: () => "no" }))
      yield* guardIn(scope, { name: "g", check: () => "never" })
      assert.deepInclude(yield* failed(before, "t"), { _tag: "ToolRefused", scope: "global" })
      yield* end
      assert.deepInclude(yield* failed(before, "t"), { _tag: "ToolRefused", scope: "agent" })
      yield* Scope.close(lifetime, Exit.void)
      yield* end
      assert.strictEqual(yield* call(before, "t"), 1)
      assert.strictEqual(ran.count, 1)
    })
  )

  test(
    "are not got past by whoever still holds the assembly of a scope that has closed",
    Effect.gen(function* () {
      const ran = yield* counted("t")
      const lifetime = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), lifetime)
      yield* guardIn(scope, { name: "g", check: () => "never" })
      const view = yield* assembledIn(scope)
      yield* Scope.close(lifetime, Exit.void)
      const error = yield* failed(view, "t")
      assert.deepInclude(error, { _tag: "ToolWithoutHandler", entry: "t", scope: "global" })
      assert.include(error.message, 'the scope "agent", which it was shown to, has closed')
      assert.strictEqual((yield* failed(view, "nothing"))._tag, "ToolNotFound")
      assert.strictEqual(ran.count, 0)
    })
  )

  test(
    "are not got past by a copy of the assembly: nothing says which scope it is for, also not its label",
    Effect.gen(function* () {
      const { scope: guarded } = yield* PromptScope.make("agent")
      const { scope: namesake } = yield* PromptScope.make("agent")
      const ran = yield* counted("t")
      yield* guardIn(guarded, { name: "g", check: () => "no" })
      const view = yield* assembledIn(guarded)
      const copies = [
        { ...view },
        { ...view, scope: "global" },
        Assembly.annotate(view, Context.Reference<number>("test/Note", { defaultValue: () => 0 }), 1),
        Result.getOrThrow(Assembly.seal(view, Assembly.setVariable(view, "v", "V")))
      ]
      for (const copy of copies) {
        for (const scope of [PromptScope.global, namesake, guarded]) {
          const error = yield* PromptScope.provide(scope)(failed(copy, "t"))
          assert.deepInclude(error, { _tag: "ToolWithoutHandler", entry: "t", scope: "global" })
          assert.include(error.message, "nobody knows whose guards to ask")
        }
        assert.strictEqual((yield* failed(copy, "nothing"))._tag, "ToolNotFound")
      }
      assert.deepInclude(yield* PromptScope.provide(namesake)(failed(view, "t")), { _tag: "ToolRefused", entry: "g" })
      assert.strictEqual(ran.count, 0)
      assert.strictEqual(yield* call(yield* assembledIn(namesake), "t"), 1)
    })
  )

  it.effect("are not got past where another Waterfall gives the assembly of another scope of that label", () =>
    Effect.gen(function* () {
      const { scope: guarded } = yield* PromptScope.make("agent")
      const { scope: namesake } = yield* PromptScope.make("agent")
      const ran = yield* counted("t")
      yield* guardIn(guarded, { name: "g", check: () => "no" })
      yield* SystemPrompt.use((prompt) => prompt.listener({ name: "v", edit: Assembly.setVariable("v", "V") }))
      const first = yield* assembledIn(namesake)
      const second = yield* assembledIn(guarded)
      assert.deepStrictEqual(second, first)
      assert.isTrue(Object.isFrozen(second))
      assert.deepInclude(yield* failed(second, "t"), { _tag: "ToolRefused", entry: "g" })
      assert.strictEqual(ran.count, 0)
      assert.strictEqual(yield* call(first, "t"), 1)
      assert.deepInclude((yield* SystemPrompt.use(({ trace }) => PromptScope.provide(guarded)(trace))).assembly, first)
    }).pipe(
      Effect.provide(
        Layer.suspend(() => {
          let kept: Assembly.Assembly | undefined
          const keeping = Layer.succeed(Waterfall, {
            run: ([listener], base) =>
              kept === undefined
                ? Effect.tap(listener!.run(base, Effect.succeed), (given) => Effect.sync(() => (kept = given)))
                : Effect.succeed(kept)
          })
          return ToolRegistry.layer.pipe(
            Layer.provideMerge(SystemPrompt.layerNoDeps),
            Layer.provide(Layer.mergeAll(Overlays.layer, keeping, Renderer.layer))
          )
        })
      )
    )
  )

  test(
    "stay when the last tool and the last restriction of their scope go",
    Effect.gen(function* () {
      const { parent } = yield* family
      const registry = yield* ToolRegistry
      yield* counted("t")
      const inParent = PromptScope.provide(parent)
      const ends = [
        yield* registrations.own(inParent(registry.register(tool("own")))),
        yield* registrations.own(inParent(registry.restrict({ deny: [] })))
      ]
      yield* guardIn(parent, { name: "g", check: () => "no" })
      for (const end of ends) {
        yield* end
        assert.strictEqual((yield* failed(yield* assembledIn(parent), "t"))._tag, "ToolRefused")
      }
    })
  )

  test(
    "have a name of their own in each scope, which ends with them",
    Effect.gen(function* () {
      const { parent } = yield* family
      const pass = (name: string, plugin: string) => ({ name, plugin, check: () => undefined })
      const end = yield* registrations.own(guardIn(parent, pass("g", "p")))
      yield* guardIn(PromptScope.global, pass("g", "p"))
      yield* PromptScope.provide(parent)(give("g"))
      const error = yield* Effect.flip(guardIn(parent, pass("g", "q")))
      const owner: Owner = { kind: "guard", entry: "g", scope: "parent", plugin: "q" }
      assert.deepInclude(error, { ...owner, _tag: "DuplicateRegistration", existingPlugin: "p" })
      yield* end
      yield* guardIn(parent, pass("g", "q"))
      yield* end
      assert.strictEqual((yield* Effect.flip(guardIn(parent, pass("g", "r"))))._tag, "DuplicateRegistration")
    })
  )

  test(
    "are copied, and are in no assembly",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* give("t")
      const before = yield* prompt.assemble
      const options: GuardOptions = { name: "g", check: () => "no" }
      yield* guardIn(PromptScope.global, options)
      Object.assign(options, { check: () => undefined })
      const after = yield* prompt.assemble
      assert.strictEqual(after, before)
      assert.strictEqual((yield* failed(after, "t"))._tag, "ToolRefused")
    })
  )

  test(
    "that are none are refused, by field",
    Effect.gen(function* () {
      for (const [options, field] of [
        [{ name: "" }, "name"],
        [{ name: 3 }, "name"],
        [{ plugin: 3 }, "plugin"],
        [{ check: "no" }, "check"],
        [{ check: Effect.void }, "check"],
        [{ check: undefined }, "check"]
      ] as const) {
        const given: GuardOptions = untyped({ name: "g", check: () => undefined, ...options })
        const error = yield* Effect.flip(guardIn(PromptScope.global, given))
        assert.deepInclude(error, { _tag: "InvalidRegistration", kind: "guard", scope: "global", field })
      }
    })
  )
})

describe("Guard.make", () => {
  it("gives a frozen guard, or says what is wrong with it", () => {
    const check = () => undefined
    const made = Result.getOrThrow(Guard.make({ name: "g", check, plugin: "p" }, "agent"))
    assert.deepStrictEqual(made, { kind: "guard", name: "g", check, plugin: "p" })
    assert.isTrue(Object.isFrozen(made))
    assert.strictEqual(Result.getOrThrow(Guard.make({ name: "g", check }, "agent")).plugin, undefined)
    const error = Result.getOrThrow(Result.flip(Guard.make({ name: "g", check: anything }, "agent")))
    assert.deepInclude(error, { kind: "guard", entry: "g", scope: "agent", field: "check" })
    assert.include(error.message, "expected a function, got an object")
  })
})
