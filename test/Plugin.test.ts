import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, ManagedRuntime, Scope } from "effect"
import {
  Assembly,
  Overlays,
  Persona,
  Plugin,
  PromptError,
  PromptScope,
  type SystemPromptOptions,
  SystemPrompt
} from "../src/index.ts"
import * as registry from "./support/registry.ts"
import * as view from "./support/view.ts"

const assembledFor = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => prompt.assemble).pipe(PromptScope.provide(scope))

const textFor = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => prompt.render).pipe(
    PromptScope.provide(scope),
    Effect.map((rendered) => rendered.text)
  )

/** How many entries the overlay of a scope holds. */
const sizeOf = (scope: PromptScope.PromptScope) => Overlays.use((overlays) => Effect.succeed(overlays.size(scope)))

/** Builds a layer, under the given memo map if there is one; gives the effect that closes it. */
const built = <A, E, R>(layer: Layer.Layer<A, E, R>, memoMap?: Layer.MemoMap) =>
  registry.own(
    Effect.flatMap(Effect.scope, (scope) =>
      Effect.asVoid(
        memoMap === undefined ? Layer.buildWithScope(layer, scope) : Layer.buildWithMemoMap(layer, memoMap, scope)
      )
    )
  )

const twoScopes = Effect.gen(function* () {
  const a = yield* PromptScope.make("a")
  const b = yield* PromptScope.make("b")
  return [a.scope, b.scope] as const
})

const hello = Plugin.section({ name: "hello", order: 1, text: "Hello.", plugin: "greeter" })

/** A service that tells how often it has been built, and released. */
class Db extends Context.Service<Db, { readonly id: number }>()("test/Db") {
  static counting() {
    const count = { built: 0, released: 0 }
    const layer = Layer.effect(
      this,
      Effect.acquireRelease(
        Effect.sync(() => ({ id: ++count.built })),
        () => Effect.sync(() => count.released++)
      )
    )
    return { count, layer }
  }
}

const dbSection = Plugin.section({
  name: "db",
  order: 2,
  text: () => Effect.map(Db, (db) => `Database ${db.id}.`)
})

describe("constructors", () => {
  it.effect("[1, 12, 17] each registers what it says, for as long as its layer; built-ins stay", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const plugins = [
        Plugin.section({ name: "s", order: 5, text: "S {{v}}", requires: ["t"], plugin: "p" }),
        Plugin.context({ name: "c", order: 6, text: "C {{v}}", interpolate: false, plugin: "p" }),
        Plugin.variable("v", () => "V", { plugin: "p" }),
        Plugin.tools({ schemas: [{ name: "t", description: "T", parameters: {} }] }, { name: "ts", plugin: "p" }),
        Plugin.listener({
          name: "l",
          edit: Assembly.addSection({ name: "l", order: 0, text: "L" }),
          plugin: "p"
        }),
        Plugin.persona({ prefix: "P", suffix: "Q", plugin: "p" })
      ]
      const before = view.bytes(yield* assembledFor(a))
      const close = yield* built(Plugin.mount(a)(Layer.mergeAll(Layer.empty, ...plugins)))
      assert.strictEqual(yield* sizeOf(a), 7, "the persona has two")
      const origin = { scope: "a", plugin: "p", shadows: [] }
      const assembly = yield* assembledFor(a)
      const text = { interpolate: true, requires: [] }
      const shadowing = { ...origin, shadows: [{ scope: "global" }] }
      assert.deepStrictEqual(assembly.sections, [
        { name: Persona.names.prefix, order: 0, text: "P", ...text, origin: shadowing },
        {
          name: "l",
          order: 0,
          text: "L",
          ...text,
          origin: { ...origin, listener: { name: "l", scope: "a", plugin: "p" } }
        },
        { name: "s", order: 5, text: "S {{v}}", interpolate: true, requires: ["t"], origin },
        { name: Persona.names.suffix, order: 10200, text: "Q", ...text, origin: shadowing }
      ])
      assert.deepStrictEqual(assembly.contexts, [{ name: "c", order: 6, text: "C {{v}}", interpolate: false, origin }])
      assert.deepStrictEqual(assembly.variables, [{ name: "v", value: "V", origin }])
      assert.deepStrictEqual(assembly.tools, [
        {
          schema: { name: "t", description: "T", parameters: {} },
          origin: { scope: "a", plugin: "p", provider: "ts", shadows: [] }
        }
      ])
      yield* close
      assert.strictEqual(yield* sizeOf(a), 0)
      assert.strictEqual(yield* sizeOf(PromptScope.global), registry.builtIns)
      assert.strictEqual(view.bytes(yield* assembledFor(a)), before)
      yield* close
      assert.strictEqual(view.bytes(yield* assembledFor(a)), before)
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("[16] suppressContexts turns contexts off while one of its layers is there", () =>
    Effect.gen(function* () {
      const suppressed = Effect.map(assembledFor(PromptScope.global), (assembly) => assembly.contexts.length === 0)
      yield* Layer.build(Plugin.context({ name: "c", order: 0, text: "C" }))
      const first = yield* built(Plugin.suppressContexts)
      const second = yield* built(Layer.fresh(Plugin.suppressContexts))
      yield* first
      assert.isTrue(yield* suppressed)
      yield* second
      assert.isFalse(yield* suppressed)
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("one that breaks a rule fails its layer with the typed error", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Layer.build(Plugin.section({ name: "s", order: Number.NaN, text: "", plugin: "p" }))
      )
      assert.instanceOf(error, PromptError.InvalidRegistration)
      assert.deepInclude(error, { kind: "section", entry: "s", scope: "global", plugin: "p", field: "order" })
      const closed = yield* Effect.scoped(PromptScope.make("gone"))
      const late = yield* Effect.flip(Layer.build(Plugin.mount(closed.scope)(hello)))
      assert.instanceOf(late, PromptError.ScopeClosed)
      assert.deepInclude(late, { kind: "section", entry: "hello", scope: "gone", plugin: "greeter" })
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("[325] merged plugins build at once, and which one is ready first does not show", () =>
    Effect.gen(function* () {
      const listener = (name: string, order: number) =>
        Plugin.listener({
          name,
          order,
          edit: Assembly.mapSection("hello", (section) => ({ ...section, text: `${String(section.text)} ${name}` }))
        })
      const parts = [hello, listener("a", 1), listener("b", 0), Plugin.tools([]), Plugin.variable("v", "x")]
      const bytes: Array<string> = []
      for (let last = 0; last < parts.length; last++) {
        const ready = yield* Deferred.make<void>()
        const delayed = parts.map((part, i) =>
          i === last ? Layer.unwrap(Effect.as(Deferred.await(ready), part)) : part
        )
        const others = Layer.effectDiscard(Deferred.succeed(ready, undefined)).pipe(
          Layer.provide(Layer.mergeAll(Layer.empty, ...parts.toSpliced(last, 1)))
        )
        const close = yield* built(Layer.mergeAll(others, ...delayed))
        bytes.push(view.bytes(yield* assembledFor(PromptScope.global)))
        yield* close
      }
      assert.strictEqual(new Set(bytes).size, 1)
      assert.include(bytes[0], "Hello. b a")
    }).pipe(Effect.provide(registry.layer))
  )
})

describe("mount", () => {
  it.effect("one plugin value in two scopes registers in both, and nowhere else", () =>
    Effect.gen(function* () {
      const [a, b] = yield* twoScopes
      // A constructor, a layer by hand, and one with a service of its own: all are memoised by themselves.
      const bundle = Layer.mergeAll(
        hello,
        Layer.effectDiscard(SystemPrompt.use((prompt) => prompt.variable("v", "V"))),
        dbSection.pipe(Layer.provide(Db.counting().layer))
      )
      yield* Layer.build(Layer.mergeAll(Plugin.mount(a)(bundle), Plugin.mount(b)(bundle)))
      assert.strictEqual(yield* textFor(a), "Hello.\n\nDatabase 1.")
      assert.strictEqual(yield* textFor(b), "Hello.\n\nDatabase 2.")
      for (const scope of [a, b]) assert.deepStrictEqual(view.variables(yield* assembledFor(scope)), [["v", "V"]])
      assert.strictEqual(yield* sizeOf(PromptScope.global), registry.builtIns)
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("two scopes of one label are two", () =>
    Effect.gen(function* () {
      const first = yield* PromptScope.make("agent")
      const second = yield* PromptScope.make("agent")
      yield* Layer.build(Layer.mergeAll(Plugin.mount(first.scope)(hello), Plugin.mount(second.scope)(hello)))
      assert.strictEqual(yield* sizeOf(first.scope), 1)
      assert.strictEqual(yield* sizeOf(second.scope), 1)
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("one plugin value twice in one scope, as part of two others, registers once", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const left = Layer.mergeAll(hello, Plugin.section({ name: "left", order: 2, text: "Left." }))
      const right = Layer.mergeAll(hello, Plugin.section({ name: "right", order: 3, text: "Right." }))
      yield* Layer.build(Plugin.mount(a)(Layer.mergeAll(left, right)))
      assert.strictEqual(yield* textFor(a), "Hello.\n\nLeft.\n\nRight.")
      const [, b] = yield* twoScopes
      yield* Layer.build(Layer.mergeAll(Plugin.mount(b)(left), Plugin.mount(b)(right), Plugin.mount(b)(hello)))
      assert.strictEqual(yield* textFor(b), "Hello.\n\nLeft.\n\nRight.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("what is mounted without a scope of its own goes into the ambient one, `global` into the global one", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const other = Plugin.section({ name: "other", order: 2, text: "Other." })
      yield* Layer.build(Layer.mergeAll(hello, Plugin.mount(PromptScope.global)(other))).pipe(PromptScope.provide(a))
      assert.strictEqual(yield* textFor(PromptScope.global), "Other.")
      assert.strictEqual(yield* textFor(a), "Hello.\n\nOther.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("inside of another mount counts alone, and is the same as outside", () =>
    Effect.gen(function* () {
      const [a, b] = yield* twoScopes
      const inB = Plugin.mount(b)(hello)
      const inA = Layer.mergeAll(Plugin.section({ name: "mine", order: 0, text: "Mine." }), inB)
      yield* Layer.build(Layer.mergeAll(inB, Plugin.mount(a)(inA), Plugin.mount(b)(Plugin.mount(b)(hello))))
      assert.strictEqual(yield* textFor(a), "Mine.")
      assert.strictEqual(yield* textFor(b), "Hello.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("builds a service provided inside once for each scope, one provided outside once for all", () =>
    Effect.gen(function* () {
      const [a, b] = yield* twoScopes
      const twice = (plugin: Plugin.Plugin<never, Db>) =>
        Layer.mergeAll(plugin, Plugin.section({ name: "again", order: 3, text: Effect.map(Db, (db) => `${db.id}`) }))
      const inside = Db.counting()
      const own = twice(dbSection).pipe(Layer.provide(inside.layer))
      const closeInside = yield* built(Layer.mergeAll(Plugin.mount(a)(own), Plugin.mount(b)(own)))
      assert.deepStrictEqual(inside.count, { built: 2, released: 0 })
      assert.strictEqual(yield* textFor(a), "Database 1.\n\n1")
      assert.strictEqual(yield* textFor(b), "Database 2.\n\n2")
      yield* closeInside
      assert.deepStrictEqual(inside.count, { built: 2, released: 2 })

      const outside = Db.counting()
      const mounted = Layer.mergeAll(Plugin.mount(a)(twice(dbSection)), Plugin.mount(b)(dbSection))
      const closeOutside = yield* built(mounted.pipe(Layer.provide(outside.layer)))
      assert.deepStrictEqual(outside.count, { built: 1, released: 0 })
      assert.strictEqual(yield* textFor(a), "Database 1.\n\n1")
      assert.strictEqual(yield* textFor(b), "Database 1.")
      yield* closeOutside
      assert.deepStrictEqual(outside.count, { built: 1, released: 1 })
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("mounts into a running program, for as long as an Effect scope", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(Plugin.mount(a)(hello))
          assert.strictEqual(yield* textFor(a), "Hello.")
        })
      )
      assert.strictEqual(yield* textFor(a), "")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("ends with the prompt scope, if that one is closed first", () =>
    Effect.gen(function* () {
      const life = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), life)
      const close = yield* built(Plugin.mount(scope)(hello))
      yield* Scope.close(life, Exit.void)
      assert.strictEqual(yield* sizeOf(scope), 0)
      assert.strictEqual(yield* textFor(scope), "")
      yield* close
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("a plugin of a merge that fails leaves nothing behind, and can be mounted again", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const memoMap = yield* Layer.makeMemoMap
      const { count, layer } = Db.counting()
      const twin = Plugin.section({ name: "hello", order: 9, text: "Twin.", plugin: "twin" })
      const good = Layer.mergeAll(hello, dbSection.pipe(Layer.provide(layer)))
      const bad = Plugin.mount(a)(Layer.mergeAll(good, Layer.provide(twin, hello)))
      const error = yield* Effect.flip(built(bad, memoMap))
      assert.instanceOf(error, PromptError.DuplicateRegistration)
      assert.deepInclude(error, {
        kind: "section",
        entry: "hello",
        scope: "a",
        plugin: "twin",
        existingPlugin: "greeter"
      })
      assert.strictEqual(yield* sizeOf(a), 0)
      assert.deepStrictEqual(count, { built: 1, released: 1 })
      yield* built(Plugin.mount(a)(good), memoMap)
      assert.strictEqual(yield* textFor(a), "Hello.\n\nDatabase 2.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("a build that is interrupted leaves nothing behind, and can be done again", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const memoMap = yield* Layer.makeMemoMap
      const waiting = yield* Deferred.make<void>()
      const stuck = Layer.effectDiscard(Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never))
      const build = built(Plugin.mount(a)(Layer.mergeAll(hello, Layer.provide(stuck, hello))), memoMap)
      const fiber = yield* Effect.forkChild(build)
      yield* Deferred.await(waiting)
      assert.strictEqual(yield* sizeOf(a), 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(yield* sizeOf(a), 0)
      yield* built(Plugin.mount(a)(hello), memoMap)
      assert.strictEqual(yield* textFor(a), "Hello.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("mounted, closed, and mounted again into the same scope of the same build, registers again", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const memoMap = yield* Layer.makeMemoMap
      const { count, layer } = Db.counting()
      const plugin = Plugin.mount(a)(Layer.mergeAll(hello, dbSection.pipe(Layer.provide(layer))))
      for (let i = 1; i <= 3; i++) {
        const close = yield* built(plugin, memoMap)
        assert.strictEqual(yield* textFor(a), `Hello.\n\nDatabase ${i}.`)
        yield* close
        assert.strictEqual(yield* sizeOf(a), 0)
        assert.deepStrictEqual(count, { built: i, released: i })
      }
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("twice at a time in the same scope of the same build, stays until both are closed", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const memoMap = yield* Layer.makeMemoMap
      const first = yield* built(Plugin.mount(a)(hello), memoMap)
      const second = yield* built(Plugin.mount(a)(hello), memoMap)
      yield* first
      assert.strictEqual(yield* textFor(a), "Hello.")
      yield* second
      assert.strictEqual(yield* textFor(a), "")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("again and again from inside of a layer that stays", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      class Agents extends Context.Service<
        Agents,
        { readonly run: Effect.Effect<string, PromptError.PromptError, SystemPrompt> }
      >()("test/Agents") {}
      const plugin = Plugin.mount(a)(hello)
      const agents = Layer.fromBuild((memoMap) => {
        const build = Effect.flatMap(Effect.scope, (scope) => Layer.buildWithMemoMap(plugin, memoMap, scope))
        return Effect.succeed(Context.make(Agents, { run: Effect.scoped(Effect.andThen(build, textFor(a))) }))
      })
      yield* Agents.use(({ run }) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* run, "Hello.")
          assert.strictEqual(yield* textFor(a), "")
          assert.strictEqual(yield* run, "Hello.")
        })
      ).pipe(Effect.provide(agents))
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("again and again in a runtime, and by a second runtime over the same memo map", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.acquireRelease(
        Effect.sync(() => ManagedRuntime.make(registry.layer)),
        (runtime) => runtime.disposeEffect
      )
      const [a] = yield* twoScopes
      const plugin = Plugin.mount(a)(hello)
      const inside = Layer.build(plugin).pipe(Effect.andThen(textFor(a)), Effect.scoped)
      const run = <A, E>(effect: Effect.Effect<A, E, SystemPrompt | Overlays>) =>
        Effect.promise(() => runtime.runPromise(effect))
      for (let i = 0; i < 2; i++) {
        assert.strictEqual(yield* run(inside), "Hello.")
        assert.strictEqual(yield* run(textFor(a)), "")
      }
      for (let i = 0; i < 2; i++) {
        const second = ManagedRuntime.make(Layer.provideMerge(plugin, registry.layer), { memoMap: runtime.memoMap })
        assert.strictEqual(yield* Effect.promise(() => second.runPromise(textFor(a))), "Hello.")
        assert.strictEqual(yield* run(textFor(a)), "Hello.", "it is one registry")
        yield* second.disposeEffect
        assert.strictEqual(yield* run(textFor(a)), "")
      }
    })
  )

  it.effect("what a mount is provided to does not take for built what has been built in the prompt scope only", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const later = Layer.effectDiscard(Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(hello, scope)))
      yield* Layer.build(Layer.provide(later, Plugin.mount(a)(hello)))
      assert.strictEqual(yield* sizeOf(a), 1)
      assert.strictEqual(yield* textFor(PromptScope.global), "Hello.")
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("gives what the plugin provides", () =>
    Effect.gen(function* () {
      const [a] = yield* twoScopes
      const providing = Layer.provideMerge(dbSection, Db.counting().layer)
      const services = yield* Layer.build(Plugin.mount(a)(providing))
      assert.deepStrictEqual(Context.get(services, Db), { id: 1 })
    }).pipe(Effect.provide(registry.layer))
  )
})

describe("types", () => {
  class Skills extends Context.Service<Skills, { readonly list: Effect.Effect<ReadonlyArray<string>, "none"> }>()(
    "test/Skills"
  ) {}
  const list = Effect.map(
    Skills.use((skills) => skills.list),
    (all) => all.join(", ")
  )
  const scoped = Effect.as(
    Effect.addFinalizer(() => Effect.void),
    "x"
  )

  it("what a provider needs is what the plugin needs, but no Effect scope; its errors come with the assembly", () => {
    const a = { name: "a", order: 0 }
    expectTypeOf(Plugin.section({ ...a, text: "x" })).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(Plugin.section({ ...a, text: () => list })).toEqualTypeOf<Plugin.Plugin<never, Skills>>()
    expectTypeOf(Plugin.section({ ...a, text: scoped })).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(Plugin.context({ ...a, text: list })).toEqualTypeOf<Plugin.Plugin<never, Skills>>()
    expectTypeOf(Plugin.variable("a", list)).toEqualTypeOf<Plugin.Plugin<never, Skills>>()
    expectTypeOf(Plugin.variable("a", undefined)).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(Plugin.tools(() => Effect.as(list, []))).toEqualTypeOf<Plugin.Plugin<never, Skills>>()
    expectTypeOf(Plugin.tools([])).toEqualTypeOf<Plugin.Plugin>()
    const edit = Plugin.listener({ name: "a", edit: (assembly) => Effect.as(list, assembly) })
    expectTypeOf(edit).toEqualTypeOf<Plugin.Plugin<never, Skills>>()
    const around = Plugin.listener({ name: "a", around: (assembly, next) => Effect.andThen(scoped, next(assembly)) })
    expectTypeOf(around).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(Plugin.suppressContexts).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(Plugin.persona({ prefix: "" })).toEqualTypeOf<Plugin.Plugin>()
  })

  it("a plugin fails with a RegistrationError, needs SystemPrompt and gives nothing", () => {
    const plugin = Plugin.variable("a", list)
    expectTypeOf<Layer.Error<typeof plugin>>().toEqualTypeOf<PromptError.RegistrationError>()
    expectTypeOf<Layer.Services<typeof plugin>>().toEqualTypeOf<SystemPrompt | Skills>()
    expectTypeOf<Layer.Success<typeof plugin>>().toBeNever()
    const provided = Layer.provide(plugin, Layer.effect(Skills, Effect.fail("no skills" as const)))
    expectTypeOf(provided).toEqualTypeOf<Plugin.Plugin<"no skills">>()
    const complete = Layer.provideMerge(Plugin.suppressContexts, SystemPrompt.layer)
    expectTypeOf(complete).toEqualTypeOf<Layer.Layer<SystemPrompt, PromptError.RegistrationError>>()
  })

  it("mount changes no type", () => {
    const plugin = Plugin.variable("a", list)
    expectTypeOf(Plugin.mount(PromptScope.global)(plugin)).toEqualTypeOf<typeof plugin>()
    expectTypeOf(Plugin.mount(PromptScope.global)(Db.counting().layer)).toEqualTypeOf<Layer.Layer<Db>>()
  })

  it("what is no text, value, list of tools or listener does not compile", () => {
    const options: SystemPromptOptions = {}
    const compiles: (program: () => unknown) => void = () => {}
    const a = { name: "a", order: 0 }
    compiles(() => [
      // @ts-expect-error a number
      Plugin.section({ ...a, text: 1 }),
      // @ts-expect-error a Promise
      Plugin.section({ ...a, text: async () => "x" }),
      // @ts-expect-error no order
      Plugin.context({ name: "a", text: "x" }),
      // @ts-expect-error an Effect of a number
      Plugin.variable("a", Effect.succeed(1)),
      // @ts-expect-error a tool without parameters
      Plugin.tools([{ name: "a", description: "x" }]),
      // @ts-expect-error neither edit nor around
      Plugin.listener({ name: "a" }),
      // @ts-expect-error both
      Plugin.listener({ name: "a", edit: (assembly) => assembly, around: (assembly, next) => next(assembly) }),
      // @ts-expect-error a persona has a prefix
      Plugin.persona({ suffix: "x" }),
      // @ts-expect-error Skills are missing
      Effect.runPromise(Effect.provide(Effect.void, Layer.provide(Plugin.variable("a", list), SystemPrompt.layer))),
      // @ts-expect-error mounted from outside, a plugin is no scope
      Plugin.mount(Plugin.suppressContexts)(options)
    ])
  })
})
