import { admit } from "../src/internal/admit.ts"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Effect, Layer, Result, type Scope, type Stream } from "effect"
import {
  Assembly,
  Overlay,
  Overlays,
  Persona,
  Plugin,
  PromptError,
  PromptScope,
  type Rendered,
  Renderer,
  SystemPrompt,
  type SystemPromptOptions,
  ToolOrder,
  Variable,
  Waterfall
} from "../src/index.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

const assemble = SystemPrompt.use((prompt) => prompt.assemble)
const render = SystemPrompt.use((prompt) => prompt.render)

const plugins = Layer.mergeAll(
  Plugin.section({ name: "a", order: 0, text: "A {{v}}" }),
  Plugin.section({ name: "b", order: 1, text: "B" }),
  Plugin.context({ name: "c", order: 0, text: "C" }),
  Plugin.variable("v", "V"),
  Plugin.listener({ name: "l", edit: Assembly.addSection({ name: "l", order: 2, text: "L" }) })
)

/** `SystemPrompt` over these services, with the plugins. */
const over = <E, R>(services: Layer.Layer<Overlays | Renderer | Waterfall, E, R>) =>
  plugins.pipe(Layer.provideMerge(SystemPrompt.layerNoDeps), Layer.provideMerge(services))

const usual = Layer.mergeAll(Overlays.layer, Waterfall.layer, Renderer.layer)

describe("each service has a layer", () => {
  it.effect("SystemPrompt.layer is its own over those of the three", () =>
    Effect.gen(function* () {
      const bundled = yield* render.pipe(Effect.provide(Layer.provideMerge(plugins, SystemPrompt.layer)))
      const composed = yield* render.pipe(Effect.provide(over(usual)))
      assert.strictEqual(bundled.text, "A V\n\nB\n\nL")
      assert.deepStrictEqual(composed, bundled)
    })
  )

  it.effect("Overlays alone holds registrations; two of it are two registries", () =>
    Effect.gen(function* () {
      const suppress = Effect.gen(function* () {
        const overlays = yield* Overlays
        yield* overlays.register(() => Result.succeed([Overlay.suppressor("p")]))
        return overlays
      })
      const [first, second] = [
        yield* Effect.provide(suppress, yield* Layer.build(Layer.fresh(Overlays.layer))),
        Context.get(yield* Layer.build(Layer.fresh(Overlays.layer)), Overlays)
      ]
      assert.strictEqual(first.size(PromptScope.global), 1)
      assert.strictEqual(second.size(PromptScope.global), 0)
      assert.isTrue(Result.getOrThrow(first.plan(PromptScope.global)).suppressed)
      assert.isFalse(Result.getOrThrow(second.plan(PromptScope.global)).suppressed)
    })
  )

  it.effect("Overlays takes no slot that is none of SystemPrompt's: not by its type, and not in silence", () =>
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const slot = { value: "hello" }
      // @ts-expect-error: an object with the fields of a slot is none.
      yield* overlays.register((scope) => Result.all([Variable.make({ name: "w", value: slot }, scope)]))
      const error = yield* Effect.flip(assemble)
      assert.deepInclude(error, { _tag: "ProviderFailure", kind: "variable", entry: "w", scope: "global" })
      assert.include(error.message, "got an object. Register it with SystemPrompt")
    }).pipe(Effect.provide(over(usual)))
  )

  it.effect("Waterfall alone runs the listeners of a plan", () =>
    Effect.gen(function* () {
      const base = Result.getOrThrow(Assembly.assemble([]))
      const context = { scope: PromptScope.global, annotations: Context.empty() }
      const overlays = yield* Overlays
      const plan = Result.getOrThrow(overlays.plan(PromptScope.global))
      const { run } = yield* Waterfall
      assert.strictEqual(yield* run([], base), base)
      const after = yield* run(
        plan.listeners.map((listener) => admit(listener, context)),
        base
      )
      assert.deepStrictEqual(view.sections(after), [["l", "L"]])
    }).pipe(Effect.provide(over(usual)))
  )

  it.effect("Renderer alone renders an assembly, the same object while nothing changes", () =>
    Effect.gen(function* () {
      const overlay = Overlay.make("global", { sections: [{ name: "a", order: 0, text: "A" }] })
      const assembly = () => Result.getOrThrow(Assembly.assemble([Result.getOrThrow(overlay)]))
      const renderer = yield* Renderer
      const first = yield* renderer.render(assembly())
      assert.strictEqual(first.text, "A")
      assert.strictEqual(yield* renderer.render(assembly()), first)
    }).pipe(Effect.provide(Renderer.layer))
  )
})

describe("SystemPrompt", () => {
  it.effect("renderAssembly renders an assembly made before, whatever has been registered since", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const before = yield* prompt.assemble
      yield* Layer.build(Plugin.section({ name: "late", order: -1, text: "Late {{missing}}" }))
      assert.strictEqual((yield* prompt.renderAssembly(before)).text, "A V\n\nB\n\nL")
      const error = yield* Effect.flip(prompt.renderAssembly(yield* prompt.assemble))
      assert.instanceOf(error, PromptError.UnknownVariable)
      const edited = Assembly.removeSection(before, "a")
      assert.strictEqual((yield* prompt.renderAssembly(edited)).text, "B\n\nL")
    }).pipe(Effect.provide(over(usual)))
  )

  it.effect("render is renderAssembly of assemble, the very same object", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      assert.strictEqual(yield* prompt.render, yield* prompt.renderAssembly(yield* prompt.assemble))
    }).pipe(Effect.provide(over(usual)))
  )

  it.effect("has the built-ins that its layer is given, in the global scope even if built in another", () =>
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("agent")
      const options: SystemPromptOptions = {
        identity: true,
        persona: { prefix: "P", suffix: "S" },
        runtimeContext: false,
        toolOrder: ["b", ToolOrder.restMarker]
      }
      const tool = (name: string) => ({ name, description: "", parameters: {} })
      const contributions = Layer.merge(
        Plugin.tools([tool("a"), tool("b")]),
        Plugin.context({ name: "c", order: 0, text: "C" })
      )
      const layer = Layer.provideMerge(Plugin.mount(PromptScope.global)(contributions), SystemPrompt.layerWith(options))
      const services = yield* PromptScope.provide(agent.scope)(Layer.build(layer))
      const assembly = yield* Effect.provide(assemble, services)
      assert.deepStrictEqual(view.sections(assembly), [
        [Persona.names.identity, Persona.neutralIdentity],
        [Persona.names.prefix, "P"],
        [Persona.names.suffix, "S"]
      ])
      assert.deepStrictEqual(view.tools(assembly), ["b", "a"])
      assert.deepStrictEqual(view.contexts(assembly), [])
    })
  )

  it.effect("is not built with a bad tool order, and says so", () =>
    Effect.gen(function* () {
      for (const toolOrder of [[], ["a"], [ToolOrder.restMarker, "a", "a"]]) {
        for (const layer of [
          SystemPrompt.layerWith({ toolOrder }),
          Layer.provide(SystemPrompt.layerNoDepsWith({ toolOrder }), usual)
        ]) {
          const error = yield* Effect.flip(Layer.build(layer))
          assert.instanceOf(error, PromptError.InvalidToolOrder)
          assert.deepInclude(error, { kind: "toolOrder", scope: "global" })
        }
      }
    })
  )

  it.effect("is not built with flags that are no booleans, and leaves nothing", () =>
    Effect.gen(function* () {
      for (const [field, kind, value, got] of [
        ["runtimeContext", "suppressor", "no", "a string"],
        ["runtimeContext", "suppressor", 0, "the number 0"],
        ["sortToolKeys", "tools", 1, "the number 1"],
        ["sortToolKeys", "tools", null, "null"]
      ] as const) {
        const options: SystemPromptOptions = { identity: true, [field]: untyped(value) }
        yield* Effect.gen(function* () {
          for (const layer of [SystemPrompt.layerWith(options), SystemPrompt.layerNoDepsWith(options)]) {
            const error = yield* Effect.flip(Layer.build(layer))
            assert.deepInclude(error, { _tag: "InvalidRegistration", kind, entry: "", scope: "global", field })
            assert.include(error.message, `expected true or false, got ${got}`)
          }
          assert.strictEqual((yield* Overlays).size(PromptScope.global), 0)
        }).pipe(Effect.provide(usual))
      }
    })
  )

  it("types: what each layer gives, needs and fails with, and that using the service needs nothing", () => {
    expectTypeOf(SystemPrompt.layer).toEqualTypeOf<Layer.Layer<SystemPrompt>>()
    type Misconfigured = PromptError.InvalidRegistration | PromptError.InvalidToolOrder
    expectTypeOf(SystemPrompt.layerWith({})).toEqualTypeOf<Layer.Layer<SystemPrompt, Misconfigured>>()
    expectTypeOf(SystemPrompt.layerNoDeps).toEqualTypeOf<
      Layer.Layer<SystemPrompt, never, Overlays | Renderer | Waterfall>
    >()
    expectTypeOf(SystemPrompt.layerNoDepsWith({})).toEqualTypeOf<
      Layer.Layer<SystemPrompt, Misconfigured, Overlays | Renderer | Waterfall>
    >()
    expectTypeOf(usual).toEqualTypeOf<Layer.Layer<Overlays | Renderer | Waterfall>>()
    type Prompt = SystemPrompt["Service"]
    expectTypeOf<Prompt["assemble"]>().toEqualTypeOf<Effect.Effect<Assembly.Assembly, PromptError.AssembleError>>()
    expectTypeOf<Prompt["render"]>().toEqualTypeOf<
      Effect.Effect<Rendered.Rendered, PromptError.AssembleError | PromptError.RenderError>
    >()
    expectTypeOf<Prompt["renderAssembly"]>().returns.toEqualTypeOf<
      Effect.Effect<Rendered.Rendered, PromptError.RenderError>
    >()
    expectTypeOf<Prompt["changes"]>().toEqualTypeOf<Stream.Stream<number>>()
    expectTypeOf<Prompt["suppressContexts"]>().toEqualTypeOf<
      Effect.Effect<void, PromptError.RegistrationError, Scope.Scope>
    >()
  })

  it.effect("has a registry of its own, also inside of a program that has another one", () =>
    Effect.gen(function* () {
      const outer = yield* SystemPrompt
      yield* outer.section({ name: "s", order: 0, text: "outer" })
      const inner = yield* Effect.provide(
        SystemPrompt.use((prompt) => prompt.render),
        SystemPrompt.layerWith({ identity: "inner" })
      )
      assert.strictEqual(inner.text, "inner")
      assert.strictEqual((yield* outer.render).text, "outer")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("a service can be replaced by another layer", () => {
  it.effect("the Renderer: another form of the prompt", () =>
    Effect.gen(function* () {
      const tagged = Layer.effect(
        Renderer,
        Effect.map(Renderer, (inner) => ({
          render: (assembly: Assembly.Assembly) =>
            Effect.map(inner.render(assembly), (rendered) => ({
              ...rendered,
              text: rendered.sections.map(({ name, text }) => `<${name}>${text}</${name}>`).join("")
            }))
        }))
      ).pipe(Layer.provide(Renderer.layer))
      const services = yield* Layer.build(over(Layer.mergeAll(Overlays.layer, Waterfall.layer, tagged)))
      const rendered = yield* Effect.provide(render, services)
      assert.strictEqual(rendered.text, "<a>A V</a><b>B</b><l>L</l>")
      const prompt = Context.get(services, SystemPrompt)
      const again = yield* prompt.renderAssembly(yield* prompt.assemble)
      assert.strictEqual(again.text, rendered.text, "renderAssembly uses it too")
    })
  )

  it.effect("the Renderer: one that refuses, by the errors of rendering", () =>
    Effect.gen(function* () {
      const refusal = new PromptError.UndefinedVariable({
        kind: "section",
        entry: "a",
        scope: "global",
        offset: 0,
        line: 1,
        column: 1,
        excerpt: "{{v}}",
        variable: "v"
      })
      const refusing = Layer.succeed(Renderer, { render: () => Effect.fail(refusal) })
      const program = Effect.flip(render).pipe(
        Effect.provide(over(Layer.mergeAll(Overlays.layer, Waterfall.layer, refusing)))
      )
      assert.strictEqual(yield* program, refusal)
    })
  )

  it.effect("the Waterfall: one that runs no listener", () =>
    Effect.gen(function* () {
      const none = Layer.succeed(Waterfall, { run: (_, base) => Effect.succeed(base) })
      const { text } = yield* Effect.provide(render, over(Layer.mergeAll(Overlays.layer, none, Renderer.layer)))
      assert.strictEqual(text, "A V\n\nB")
    })
  )

  it.effect("the Waterfall: one that records what goes in and comes out", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const names = (assembly: Assembly.Assembly) => view.sections(assembly).map(([name]) => name)
      const recording = Layer.effect(
        Waterfall,
        Effect.map(Waterfall, (inner) =>
          Waterfall.of({
            run: (listeners, base) =>
              Effect.tap(inner.run(listeners, base), (after) =>
                Effect.sync(() => {
                  const by = listeners.map(({ owner }) => owner.entry)
                  log.push(`${base.scope}: ${names(base).join()} by ${by.join()}: ${names(after).join()}`)
                })
              )
          })
        )
      ).pipe(Layer.provide(Waterfall.layer))
      const services = Layer.mergeAll(Overlays.layer, recording, Renderer.layer)
      const { text } = yield* Effect.provide(render, over(services))
      assert.strictEqual(text, "A V\n\nB\n\nL")
      assert.deepStrictEqual(log, ["global: a,b by l: a,b,l"])
    })
  )

  it.effect("the Waterfall: what it gives is validated and sealed like what listeners give", () =>
    Effect.gen(function* () {
      const giving = (f: (base: Assembly.Assembly) => Assembly.Assembly) => {
        const waterfall = Layer.succeed(Waterfall, { run: (_, base) => Effect.succeed(f(base)) })
        return Layer.mergeAll(Overlays.layer, waterfall, Renderer.layer)
      }
      const twice = giving((base) => ({ ...base, sections: [...base.sections, ...base.sections] }))
      const error = yield* Effect.flip(Effect.provide(assemble, over(twice)))
      assert.instanceOf(error, PromptError.InvalidAssembly)
      assert.deepInclude(error, { kind: "listener", entry: "waterfall", scope: "global" })
      assert.match(error.path, /^\$\.sections\[\d+\]\.name$/)

      const only = Layer.merge(
        Plugin.section({ name: "only", order: 0, text: "Only.", complete: true }),
        Plugin.suppressContexts
      )
      const stubborn = giving((base) =>
        Assembly.addContext(Assembly.removeSection(base, "only"), { name: "x", order: 0, text: "X" })
      )
      const rendered = yield* Effect.provide(render, Layer.provideMerge(only, over(stubborn)))
      assert.strictEqual(rendered.text, "Only.")
      assert.strictEqual(rendered.snapshot, "")
    })
  )

  it.effect("Overlays: one that counts what is registered", () =>
    Effect.gen(function* () {
      const registered: Array<string> = []
      const counting = Layer.effect(
        Overlays,
        Effect.map(Overlays, (inner) =>
          Overlays.of({
            ...inner,
            register: (make) =>
              inner.register((scope) =>
                Result.map(make(scope), (entries) => {
                  registered.push(...entries.map((entry) => entry.kind))
                  return entries
                })
              )
          })
        )
      ).pipe(Layer.provide(Overlays.layer))
      const services = Layer.mergeAll(counting, Waterfall.layer, Renderer.layer)
      const { text } = yield* Effect.provide(render, over(services))
      assert.strictEqual(text, "A V\n\nB\n\nL")
      assert.deepStrictEqual(registered.toSorted(), [
        "context",
        "listener",
        "section",
        "section",
        "section",
        "section",
        "variable"
      ])
    })
  )
})
