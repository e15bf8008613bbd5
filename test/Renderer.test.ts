import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import {
  Overlays,
  PromptContext,
  PromptScope,
  Rendered,
  Renderer,
  SystemPrompt,
  Template,
  Waterfall
} from "../src/index.ts"
import { assemble, overlay } from "./support/known.ts"
import { own } from "./support/registry.ts"

const section = (name: string, text: string, plugin?: string) => ({ name, order: 0, text, plugin })

/** A child of the global scope, with this label. */
const scopeOf = (label: string) => Effect.map(PromptScope.make(label), ({ scope }) => scope)

const renderIn = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => prompt.render).pipe(PromptScope.provide(scope))

/** Weak references are kept until the turn of the event loop ends, hence the two. */
const collectGarbage = Effect.promise(async () => {
  v8.setFlagsFromString("--expose-gc")
  const collect: unknown = vm.runInNewContext("gc")
  if (typeof collect !== "function") return assert.fail("there is no gc")
  for (let i = 0; i < 2; i++) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    collect()
  }
})

describe("render", () => {
  it.effect("gives prompt, named parts, snapshot with its heading, and used variables at once", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("id", "You run on {{model}}."))
      yield* prompt.context({ name: "policy", order: 0, text: Effect.succeed("Ask.") })
      yield* prompt.variable("model", () => "m1")
      yield* prompt.variable("unused", undefined)
      const rendered = yield* prompt.render
      assert.strictEqual(rendered.text, "You run on m1.")
      assert.strictEqual(rendered.snapshot, `${PromptContext.heading}\n\nAsk.`)
      assert.deepStrictEqual(
        [...rendered.sections, ...rendered.contexts].map(({ name, text }) => [name, text]),
        [
          ["id", "You run on m1."],
          ["policy", "Ask."]
        ]
      )
      assert.deepStrictEqual(rendered.variables, [
        { name: "model", value: "m1", origin: { scope: "global", shadows: [] } }
      ])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("gives the same object again, also where another service renders for the same scope in between", () =>
    Effect.gen(function* () {
      const outer = yield* SystemPrompt
      yield* outer.section(section("a", "outer"))
      yield* Effect.gen(function* () {
        const inner = yield* SystemPrompt
        assert.notStrictEqual(inner, outer)
        yield* inner.section(section("a", "inner"))
        const renderBoth = Effect.all([outer.render, inner.render])
        const before = yield* renderBoth
        assert.deepStrictEqual(
          before.map(({ text }) => text),
          ["outer", "inner"]
        )
        const after = yield* renderBoth
        before.forEach((one, i) => assert.strictEqual(after[i], one))
      }).pipe(Effect.provide(SystemPrompt.layerWith({})))
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("fails with the leftmost problem, typed", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("a", "{{nope}}"))
      const fallback = yield* prompt.render.pipe(
        Effect.catchTags({
          UnknownVariable: (error) => Effect.succeed(`no {{${error.variable}}} in ${error.kind} ${error.entry}`)
        })
      )
      assert.strictEqual(fallback, "no {{nope}} in section a")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[208] {{cwd}} without a value in the persona suffix names the suffix section", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.variable("cwd", undefined)
      const error = yield* Effect.flip(prompt.render)
      assert.deepInclude(error, {
        _tag: "UndefinedVariable",
        kind: "section",
        entry: "deployment:persona-suffix",
        scope: "global",
        variable: "cwd",
        offset: 26
      })
      assert.include(error.message, 'section "deployment:persona-suffix"')
    }).pipe(
      Effect.provide(
        SystemPrompt.layerWith({ persona: { prefix: "You help.", suffix: "Your working directory is {{cwd}}." } })
      )
    )
  )

  it.effect("an assembly made before renders as it was, whatever has changed since", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const remove = yield* own(prompt.section(section("a", "{{x}}")))
      yield* prompt.variable("x", "X")
      const assembly = yield* prompt.assemble
      yield* remove
      assert.strictEqual((yield* prompt.render).text, "")
      assert.strictEqual((yield* prompt.renderAssembly(assembly)).text, "X")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("the same rendered object comes back", () => {
  it.effect("while nothing that matters changes: assembled anew, frozen, `===`", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "a", order: 0, text: () => ["A", "{{x}}"].join(" ") })
      yield* prompt.section({ name: "t", order: 1, text: () => Template.text`T ${Template.ref("x")}` })
      yield* prompt.context({ name: "c", order: 0, text: Effect.as(Effect.yieldNow, "C") })
      yield* prompt.variable("x", () => "X")
      const first = yield* prompt.render
      assert.strictEqual(first.text, "A X\n\nT X")
      assert.strictEqual(yield* prompt.render, first)
      assert.strictEqual(yield* prompt.renderAssembly(yield* prompt.assemble), first)
      assert.isTrue(Object.isFrozen(first))
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("although a variable that no text refers to changes with every assembly", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let count = 0
      yield* prompt.variable("count", () => String(count++))
      yield* prompt.section(section("a", "A"))
      const first = yield* prompt.render
      assert.strictEqual(yield* prompt.render, first)
      assert.strictEqual(count, 2, "it was evaluated both times")
      // Once a context refers to it, it matters.
      yield* prompt.context({ name: "c", order: 0, text: "{{count}}" })
      const second = yield* prompt.render
      assert.strictEqual(second.text, "A")
      assert.notStrictEqual(yield* prompt.render, second)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("and another one when the same text comes from another plugin, or hides another", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* scopeOf("agent")
      const inAgent = PromptScope.provide(agent)
      const remove = yield* own(prompt.section(section("a", "A", "one")))
      const first = yield* renderIn(agent)
      yield* remove
      yield* prompt.section(section("a", "A", "two"))
      const second = yield* renderIn(agent)
      yield* prompt.section(section("a", "A", "two")).pipe(inAgent)
      const third = yield* renderIn(agent)
      assert.deepStrictEqual(
        [first, second, third].map(({ text, sections }) => [text, sections[0]?.source.origin]),
        [
          ["A", { scope: "global", plugin: "one", shadows: [] }],
          ["A", { scope: "global", plugin: "two", shadows: [] }],
          ["A", { scope: "agent", plugin: "two", shadows: [{ scope: "global", plugin: "two" }] }]
        ]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("for each prompt scope on its own: two of one label do not disturb each other", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [one, other] = [yield* scopeOf("agent"), yield* scopeOf("agent")]
      yield* prompt.section(section("a", "one")).pipe(PromptScope.provide(one))
      yield* prompt.section(section("a", "other")).pipe(PromptScope.provide(other))
      const first = yield* renderIn(one)
      const second = yield* renderIn(other)
      assert.deepStrictEqual([first.text, second.text], ["one", "other"])
      // In all sequences, so that what rendered last, or first, is once of either.
      for (const scope of [one, one, other, other, one, other, one, one]) {
        assert.strictEqual(yield* renderIn(scope), scope === one ? first : second)
      }
      yield* prompt.section(section("b", "B")).pipe(PromptScope.provide(other))
      assert.strictEqual((yield* renderIn(other)).text, "other\n\nB")
      assert.strictEqual(yield* renderIn(one), first)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("for the scope that an assembly was made for, wherever it is rendered", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scopes = [yield* scopeOf("agent"), yield* scopeOf("agent")]
      for (const [i, scope] of scopes.entries()) {
        yield* prompt.section(section("a", `${i}`)).pipe(PromptScope.provide(scope))
      }
      const rendered = yield* Effect.forEach(scopes, renderIn)
      const assemblies = yield* Effect.forEach(scopes, (scope) => PromptScope.provide(scope)(prompt.assemble))
      for (const i of [0, 1, 1, 0]) {
        assert.strictEqual(yield* prompt.renderAssembly(assemblies[i]!), rendered[i])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("also after a rendering that failed in between", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("a", "A"))
      const first = yield* prompt.render
      const remove = yield* own(prompt.section(section("bad", "{{nope}}")))
      assert.strictEqual((yield* Effect.flip(prompt.render))._tag, "UnknownVariable")
      yield* remove
      assert.strictEqual(yield* prompt.render, first)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("and not that of an older state: after a change and back it is a new one, which then stays", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const text = yield* Ref.make("one")
      yield* prompt.section({ name: "a", order: 0, text: Ref.get(text) })
      const first = yield* prompt.render
      yield* Ref.set(text, "two")
      assert.strictEqual((yield* prompt.render).text, "two")
      yield* Ref.set(text, "one")
      const back = yield* prompt.render
      assert.deepStrictEqual(back, first)
      assert.strictEqual(yield* prompt.render, back)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("in the 32 scopes that rendered last; in others it is an equal one", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("a", "A"))
      const scopes = yield* Effect.forEach(Array.from({ length: 300 }), (_, i) => scopeOf(`agent-${i}`))
      for (const [i, scope] of scopes.entries()) {
        yield* prompt.variable("me", `agent ${i}`).pipe(PromptScope.provide(scope))
        yield* prompt.section(section("b", "{{me}}")).pipe(PromptScope.provide(scope))
      }
      const first = yield* Effect.forEach(scopes, renderIn)
      assert.strictEqual(new Set(first).size, 300, "each scope has its own")
      yield* collectGarbage
      const last = yield* Effect.forEach(scopes.slice(-32), renderIn)
      assert.isTrue(last.every((rendered, i) => rendered === first[268 + i]))
      assert.deepStrictEqual(yield* Effect.forEach(scopes, renderIn), first)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("under a chain of more scopes than are kept, whose plan is not made again either", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      yield* prompt.section(section("a", "A"))
      let scope = PromptScope.global
      for (let i = 0; i < 300; i++) {
        scope = (yield* PromptScope.make(`scope-${i}`, { parent: scope })).scope
        yield* prompt.variable("me", `${i}`).pipe(PromptScope.provide(scope))
      }
      const first = yield* renderIn(scope)
      const plan = overlays.plan(scope)
      for (let i = 0; i < 3; i++) assert.strictEqual(yield* renderIn(scope), first)
      assert.strictEqual(overlays.plan(scope), plan)
    }).pipe(
      Effect.provide(
        SystemPrompt.layerNoDeps.pipe(
          Layer.provideMerge(Layer.mergeAll(Overlays.layer, Waterfall.layer, Renderer.layer))
        )
      )
    )
  )

  it.effect("but not for an assembly of the caller's own whose lists were exchanged meanwhile", () =>
    Effect.gen(function* () {
      const renderer = yield* Renderer
      const mine = { ...assemble([overlay({ sections: [section("a", "A")] })]) }
      assert.strictEqual((yield* renderer.render(mine)).text, "A")
      mine.sections = assemble([overlay({ sections: [section("b", "B")] })]).sections
      assert.strictEqual((yield* renderer.render(mine)).text, "B")
    }).pipe(Effect.provide(Renderer.layer))
  )

  it.effect("from a memory that is bounded: of 300 renderings that nobody holds, most are gone", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("a", "A"))
      const scopes = yield* Effect.forEach(Array.from({ length: 300 }), (_, i) => scopeOf(`agent-${i}`))
      // Else all would be the same one.
      for (const [i, scope] of scopes.entries()) {
        yield* prompt.section(section("b", `agent ${i}`)).pipe(PromptScope.provide(scope))
      }
      const first = yield* Effect.forEach(scopes, (scope) => Effect.map(renderIn(scope), (one) => new WeakRef(one)))
      yield* collectGarbage
      const alive = first.map((one) => one.deref() !== undefined)
      assert.isBelow(alive.filter(Boolean).length, 150)
      // Those that rendered last need no consumer.
      assert.isTrue(alive.slice(-20).every(Boolean))
      assert.strictEqual(yield* renderIn(scopes.at(-1)!), first.at(-1)?.deref())
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("and a scope that goes on rendering is not forgotten, however many others come", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("a", "A"))
      const busy = yield* scopeOf("busy")
      const first = new WeakRef(yield* renderIn(busy))
      for (let i = 0; i < 200; i++) {
        yield* renderIn(yield* scopeOf("other"))
        yield* renderIn(busy)
      }
      yield* collectGarbage
      assert.isDefined(first.deref())
      assert.strictEqual(yield* renderIn(busy), first.deref())
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("holds no variable that no text refers to, neither of its assembly nor of an earlier one", () =>
    Effect.gen(function* () {
      const unused: Array<WeakRef<object>> = []
      const renderOnce = (value: string, previous: Rendered.Rendered | undefined) => {
        const variables = ["used", "unused"].map((name) => ({ name, value }))
        const assembly = assemble([overlay({ sections: [{ name: "a", order: 0, text: "{{used}}" }], variables })])
        unused.push(...assembly.variables.filter(({ name }) => name === "unused").map((one) => new WeakRef(one)))
        return Result.getOrThrow(Rendered.render(assembly, previous))
      }
      const first = renderOnce("1", undefined)
      const second = renderOnce("2", first)
      yield* collectGarbage
      assert.deepStrictEqual(
        unused.map((ref) => ref.deref()),
        [undefined, undefined]
      )
      assert.deepStrictEqual([first.text, second.text], ["1", "2"])
    })
  )

  it.effect("from one renderer; another has a memory of its own", () =>
    Effect.gen(function* () {
      const assembly = assemble([overlay({ sections: [section("a", "A")] })])
      const render = Renderer.use((renderer) => renderer.render(assembly))
      const twice = Effect.all([render, render]).pipe(Effect.provide(Renderer.layer, { local: true }))
      const [[one, again], [other]] = yield* Effect.all([twice, twice])
      assert.strictEqual(again, one)
      assert.notStrictEqual(other, one)
      assert.deepStrictEqual(other, one)
    })
  )
})

// -----------------------------------------------------------------------------
// reported bugs
// -----------------------------------------------------------------------------

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())

describe("reported bugs", () => {
  it.effect("[BC-006] a clock in a context changes the snapshot and leaves the prompt, byte for byte", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("id", "You are X."))
      yield* prompt.context({ name: "time", order: 0, text: now })
      yield* TestClock.setTime(Date.parse("2026-01-02T03:04:05Z"))
      const before = yield* prompt.render
      yield* TestClock.adjust("1 second")
      const after = yield* prompt.render
      assert.strictEqual(before.text, "You are X.")
      assert.strictEqual(after.text, before.text)
      assert.strictEqual(before.snapshot, `${PromptContext.heading}\n\n2026-01-02T03:04:05.000Z`)
      assert.strictEqual(after.snapshot, `${PromptContext.heading}\n\n2026-01-02T03:04:06.000Z`)
      assert.notStrictEqual(after, before)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect(
    "[BC-006] a clock in the prompt changes it, and the first byte that differs tells section and variable",
    () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        yield* prompt.section({ ...section("id", "You are X. Now {{now}}."), plugin: "core" })
        yield* prompt.variable("now", now, { plugin: "clock" })
        yield* TestClock.setTime(Date.parse("2026-01-02T03:04:05Z"))
        const before = yield* prompt.render
        yield* TestClock.adjust("1 second")
        const after = yield* prompt.render
        const differs = [...before.text].findIndex((character, i) => character !== after.text[i])
        const source = Option.getOrThrow(Rendered.sourceAt(after, differs))
        assert.deepInclude(source, { _tag: "Value", offset: "2026-01-02T03:04:0".length, reference: 15 })
        assert.isTrue(source._tag === "Value" && source.section.name === "id" && source.variable.name === "now")
        assert.deepStrictEqual(
          source._tag === "Value" && [source.section.origin.plugin, source.variable.origin.plugin],
          ["core", "clock"]
        )
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-074] a switch of the model shows everywhere: texts are evaluated anew, never patched", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const model = yield* Ref.make("a")
      yield* prompt.variable("model", Ref.get(model))
      yield* prompt.section({ name: "p", order: 0, text: "Model {{model}}." })
      yield* prompt.section({
        name: "g",
        order: 1,
        text: () => Effect.map(Ref.get(model), (model) => (model === "b" ? "B rules" : ""))
      })
      const first = yield* prompt.render
      assert.strictEqual(first.text, "Model a.")
      yield* Ref.set(model, "b")
      const second = yield* prompt.render
      assert.strictEqual(second.text, "Model b.\n\nB rules")
      assert.strictEqual(first.text, "Model a.", "what was rendered before stays what it was")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-058] cancelling ends a rendering whose provider hangs, runs its finalisers, and harms nothing", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const started = yield* Deferred.make<void>()
      const finalised = yield* Ref.make(0)
      const hanging = Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Ref.update(finalised, (n) => n + 1))
        yield* Deferred.succeed(started, undefined)
        return yield* Effect.never
      })
      yield* prompt.section(section("a", "A"))
      const before = yield* prompt.render
      const remove = yield* own(prompt.section({ name: "b", order: 1, text: hanging }))
      const fiber = yield* Effect.forkChild(prompt.render)
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Exit.hasInterrupts(exit), "interruption stays interruption")
      assert.isFalse(Exit.hasFails(exit))
      assert.strictEqual(yield* Ref.get(finalised), 1)
      yield* remove
      assert.strictEqual(yield* prompt.render, before)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-058] a rendering that is cancelled before it begins calls no provider", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let calls = 0
      yield* prompt.section({ name: "a", order: 0, text: () => `${++calls}` })
      const fiber = yield* Effect.forkChild(prompt.render, { startImmediately: false })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(calls, 0)
      assert.strictEqual((yield* prompt.render).text, "1")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})
