import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Scope, Stream } from "effect"
import {
  type AssembleContext,
  Annotations,
  type Assembly,
  type Listener,
  Overlays,
  PromptScope,
  Renderer,
  SystemPrompt,
  ToolOrder,
  Waterfall
} from "../src/index.ts"
import * as Persona from "../src/Persona.ts"
import { DuplicateRegistration, InvalidRegistration, InvalidToolOrder, type ScopeClosed } from "../src/PromptError.ts"
import * as Section from "../src/Section.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import type * as Chain from "../src/testing/Chain.ts"
import * as generate from "../src/testing/internal/generate.ts"
import * as chains from "./support/chains.ts"
import * as edits from "../src/testing/Edit.ts"
import { kinds, named } from "./support/kinds.ts"
import { builtIns, layer, layerWith, own } from "./support/registry.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

const test = <E>(name: string, self: Effect.Effect<void, E, SystemPrompt | Overlays | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(self, layer))

const assembledIn = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.assemble))

const assembled = assembledIn(PromptScope.global)

/** The revision of the registry: it grows with each change. */
const revision = Overlays.use(({ changes }) => Effect.map(Stream.runHead(changes), Option.getOrThrow))

/** What failing must not change: the revision, and (by identity) what takes part in assemblies. */
const state = Effect.gen(function* () {
  const overlays = yield* Overlays
  return [yield* revision, overlays.plan(PromptScope.global), overlays.size(PromptScope.global)] as const
})

/** The failure of a registration, after which everything must be as before. */
const refused = <A, E, R>(registration: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* state
    const error = yield* Effect.flip(registration)
    const after = yield* state
    before.forEach((one, i) => assert.strictEqual(after[i], one, "a refused registration leaves no trace"))
    return error
  })

const tool = (name: string) => ({ name, description: "", parameters: {} })

describe("registering", () => {
  test(
    "[1] a registered section appears in the assembly with its text, and nothing did before",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [])
      yield* prompt.section({ name: "a", order: 1, text: "hello" })
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(assembly), [["a", "hello"]])
      assert.strictEqual((yield* prompt.renderAssembly(assembly)).text, "hello")
    })
  )

  test(
    "[2] a second section of a name is a duplicate globally: named, with what to do, and the first one stays",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "x", order: 1, text: "first", plugin: "one" })
      const error = yield* refused(prompt.section({ name: "x", order: 2, text: "second", plugin: "two" }))
      assert.deepStrictEqual(
        error,
        new DuplicateRegistration({
          kind: "section",
          entry: "x",
          scope: "global",
          plugin: "two",
          existingPlugin: "one"
        })
      )
      for (const part of [`section "x"`, `plugin "two"`, `plugin "one"`, "in a prompt scope of its own"]) {
        assert.include(error.message, part)
      }
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [["x", "first"]])
    })
  )

  test(
    "[3] in a scope too, and the error says so; owners without a plugin have no such field",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      const section = (text: string) => prompt.section({ name: "y", order: 1, text }).pipe(PromptScope.provide(scope))
      yield* section("first")
      const error = yield* refused(section("second"))
      assert.deepStrictEqual(error, new DuplicateRegistration({ kind: "section", entry: "y", scope: "S" }))
      assert.doesNotHaveAnyKeys(error, ["plugin", "existingPlugin"])
      assert.include(error.message, `section "y" of scope "S" is already registered`)
      assert.include(error.message, "in this scope")
      assert.deepStrictEqual(view.sections(yield* assembledIn(scope)), [["y", "first"]])
    })
  )

  test(
    "[4] the name of a global section is free in a scope, where it shadows",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      yield* prompt.section({ name: "x", order: 1, text: "global" })
      yield* prompt.section({ name: "x", order: 1, text: "scoped" }).pipe(PromptScope.provide(scope))
      assert.deepStrictEqual(view.sections(yield* assembledIn(scope)), [["x", "scoped"]])
      assert.deepStrictEqual(view.sections(yield* assembled), [["x", "global"]])
    })
  )

  test(
    "[2, 10, 11] every named kind refuses a second entry of the name, whose provider never runs",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (const { register } of named) yield* register(prompt)
      const before = view.bytes(yield* assembled)
      const never = () => assert.fail("a refused contribution takes no part")
      for (const [kind, entry, again] of [
        ["section", "s", prompt.section({ name: "s", order: 0, text: never })],
        ["context", "c", prompt.context({ name: "c", order: 0, text: never })],
        ["variable", "v", prompt.variable("v", never)],
        ["listener", "l", prompt.listener({ name: "l", order: -1, edit: never })]
      ] as const) {
        const error = yield* refused(again)
        assert.deepStrictEqual(error, new DuplicateRegistration({ kind, entry, scope: "global" }))
      }
      assert.strictEqual(view.bytes(yield* assembled), before)
      assert.deepStrictEqual(view.variables(yield* assembled), [["v", "value"]])
      assert.deepStrictEqual(view.contexts(yield* assembled), [["c", "context"]])
    })
  )

  test(
    "names are unique per kind only: a section, a context, a variable and a listener may share one",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "n", order: 1, text: "section" })
      yield* prompt.context({ name: "n", order: 1, text: "context" })
      yield* prompt.variable("n", "variable")
      yield* prompt.listener({ name: "n", edit: (assembly) => assembly })
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(assembly), [["n", "section"]])
      assert.deepStrictEqual(view.contexts(assembly), [["n", "context"]])
      assert.deepStrictEqual(view.variables(assembly), [["n", "variable"]])
    })
  )

  test(
    "[5, 6, 7] [BC-081] an order that is no finite number is refused by section or context and value, and leaves no trace",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      for (const [order, shown] of [
        ["10", `"10"`],
        [Number.NaN, "NaN"],
        ["Infinity", `"Infinity"`],
        [Number.POSITIVE_INFINITY, "Infinity"],
        [Number.NEGATIVE_INFINITY, "-Infinity"],
        [null, "null"],
        [true, "true"],
        [undefined, "undefined"]
      ] as const) {
        const options = { name: "odd", order: untyped(order), text: "x", plugin: "p" }
        for (const [kind, registration] of [
          ["section", prompt.section(options)],
          ["context", prompt.context(options)]
        ] as const) {
          const error = yield* refused(PromptScope.provide(scope)(registration))
          assert.instanceOf(error, InvalidRegistration)
          assert.deepInclude(error, { kind, entry: "odd", scope: "S", plugin: "p", field: "order" })
          assert.include(error.message, `${kind} "odd" of scope "S" (plugin "p")`)
          assert.include(error.reason, `got ${shown.startsWith('"') ? shown : ""}`)
          assert.include(error.reason, shown)
        }
      }
      const missing = untyped({ name: "missing", text: "x" })
      assert.deepInclude(yield* refused(prompt.section(missing)), { field: "order", entry: "missing" })
      const overlays = yield* Overlays
      assert.strictEqual(overlays.size(scope), 0)
    })
  )

  test(
    "[8] [BC-081] any finite order is accepted and sorts as a number; -0 equals 0",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const orders = {
        e: 10,
        b: -0.5,
        f: Number.MAX_VALUE,
        a: -1e9,
        d2: 0,
        c: -Number.MIN_VALUE,
        d1: -0,
        // Between two of 0, by its name: were it less than 0, it would stand before them.
        d25: -0,
        d27: 0,
        d3: 0.5,
        d9: 9
      }
      for (const [name, order] of Object.entries(orders)) {
        yield* prompt.section({ name, order, text: name })
        yield* prompt.context({ name, order, text: name })
      }
      const sorted = ["a", "b", "c", "d1", "d2", "d25", "d27", "d3", "d9", "e", "f"]
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(
        view.sections(assembly).map(([name]) => name),
        sorted
      )
      assert.deepStrictEqual(
        view.contexts(assembly).map(([name]) => name),
        sorted
      )
    })
  )

  test(
    "[9] a variable's name begins with a–z and goes on with a–z, 0–9 and _; others are refused by name and rule",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (const name of ["", "A", "1", "a-b", "é", "_a", "a\n", "\na", "a ", "aB", "__proto__", "ａ"]) {
        const error = yield* refused(prompt.variable(name, "v", { plugin: "p" }))
        assert.instanceOf(error, InvalidRegistration)
        assert.deepInclude(error, { kind: "variable", entry: name, scope: "global", plugin: "p", field: "name" })
        assert.include(error.message, JSON.stringify(name))
        assert.include(error.message, "a–z, then a–z, 0–9, _")
      }
      for (const name of [undefined, null, 1, {}]) {
        assert.deepInclude(yield* refused(prompt.variable(untyped(name), "v")), { field: "name" })
      }
      const accepted = ["a", "a1_", "a__", "constructor"]
      for (const name of accepted) yield* prompt.variable(name, name)
      assert.deepStrictEqual(
        view.variables(yield* prompt.assemble),
        accepted.map((name) => [name, name] as const)
      )
    })
  )

  test(
    "[10, 11] the first variable and the first context of a name keep their values",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.variable("model", "first")
      yield* prompt.context({ name: "clock", order: 1, text: "first" })
      assert.deepInclude(yield* refused(prompt.variable("model", "second")), { kind: "variable", entry: "model" })
      const clock = yield* refused(prompt.context({ name: "clock", order: 0, text: "second" }))
      assert.deepInclude(clock, { kind: "context", entry: "clock" })
      assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["model", "first"]])
      assert.deepStrictEqual(view.contexts(yield* prompt.assemble), [["clock", "first"]])
    })
  )

  test(
    "fields that break another rule are refused by field, for every kind, and leave no trace",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const plugin = untyped(7)
      const options = { name: "n", order: 1, text: "t" }
      const edit = { name: "n", edit: (assembly: Assembly.Assembly) => assembly }
      for (const [field, registration] of [
        ["name", prompt.section({ ...options, name: "" })],
        ["name", prompt.context({ ...options, name: untyped(Symbol("n")) })],
        ["name", prompt.listener({ ...edit, name: "" })],
        ["name", prompt.tools([], { name: "" })],
        ["order", prompt.listener({ ...edit, order: Number.NaN })],
        ["complete", prompt.section({ ...options, complete: untyped(1) })],
        ["interpolate", prompt.section({ ...options, interpolate: untyped("no") })],
        ["interpolate", prompt.context({ ...options, interpolate: untyped(0) })],
        ["requires", prompt.section({ ...options, requires: untyped("bash") })],
        ["requires", prompt.section({ ...options, requires: ["bash"], complete: true })],
        ["global", prompt.listener({ ...edit, global: untyped("yes") })],
        ["plugin", prompt.section({ ...options, plugin })],
        ["plugin", prompt.context({ ...options, plugin })],
        ["plugin", prompt.variable("n", "v", { plugin })],
        ["plugin", prompt.tools([], { plugin })],
        ["plugin", prompt.listener({ ...edit, plugin })]
      ] as const) {
        const error = yield* refused(registration)
        assert.instanceOf(error, InvalidRegistration)
        assert.strictEqual(error.field, field)
        assert.include(error.message, `invalid ${field}`)
      }
    })
  )

  test(
    "[12, 17] whatever an Effect scope registered goes when it closes; the built-ins stay",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const prompt = yield* SystemPrompt
      const before = view.bytes(yield* prompt.assemble)
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      const close = yield* own(Effect.forEach(kinds, ({ register }) => register(prompt)))
      assert.strictEqual(overlays.size(PromptScope.global), builtIns + kinds.length)
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(assembly), [["s", "section"]])
      assert.deepStrictEqual(view.variables(assembly), [["v", "value"]])
      assert.deepStrictEqual(view.tools(assembly), ["read"])
      assert.isTrue(assembly.suppressed)
      yield* close
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      assert.strictEqual(view.bytes(yield* prompt.assemble), before)
      for (const { register } of kinds) yield* register(prompt)
    })
  )

  test(
    "[13, 14] closing again does nothing: neither a change, nor harm to a later entry of the same name",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const prompt = yield* SystemPrompt
      const close = yield* own(Effect.forEach(kinds, ({ register }) => register(prompt)))
      yield* close
      yield* Effect.forEach(kinds, ({ register }) => register(prompt))
      const before = yield* state
      yield* close
      assert.deepStrictEqual(yield* state, before)
      assert.strictEqual(overlays.size(PromptScope.global), builtIns + kinds.length)
    })
  )

  test(
    "[15] two equal tool providers are two: one removed, the other still contributes",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const provider = () => [tool("read")]
      const first = yield* own(prompt.tools(provider))
      const second = yield* own(prompt.tools(provider))
      assert.deepStrictEqual(view.tools(yield* prompt.assemble), ["read", "read"])
      yield* first
      assert.deepStrictEqual(view.tools(yield* prompt.assemble), ["read"])
      yield* second
      assert.deepStrictEqual(view.tools(yield* prompt.assemble), [])
    })
  )

  test(
    "[16] suppressors are counted: contexts come back when the last one is gone",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      yield* prompt.context({ name: "c", order: 1, text: "now" })
      const contexts = Effect.map(assembledIn(scope), (assembly) => view.contexts(assembly))
      for (const firstOut of [0, 1]) {
        const suppressor = own(PromptScope.provide(scope)(prompt.suppressContexts))
        const both = [yield* suppressor, yield* suppressor]
        assert.deepStrictEqual(yield* contexts, [])
        const close = both[firstOut]!
        yield* close
        yield* close
        assert.deepStrictEqual(yield* contexts, [], "closed twice, it counts once")
        yield* both[1 - firstOut]!
        assert.deepStrictEqual(yield* contexts, [["c", "now"]])
      }
    })
  )

  test(
    "[21] nothing that the author keeps can change a registration later",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const requires = ["read"]
      const section = { name: "s", order: 1, text: "before", requires }
      const context = { name: "c", order: 1, text: "before" }
      const parameters = { type: "object", required: ["path"] }
      const read = { name: "read", description: "before", parameters, deferLoading: true }
      const schemas = [read]
      const edit = { name: "l", order: 1, edit: (assembly: Assembly.Assembly) => assembly }
      const around = {
        name: "r",
        order: 1,
        around: (assembly: Assembly.Assembly, next: Listener.Next) => next(assembly)
      }
      yield* prompt.section(section)
      yield* prompt.context(context)
      yield* prompt.tools(schemas)
      yield* prompt.tools({ schemas, knownNames: ["hidden"] })
      yield* prompt.listener(edit)
      yield* prompt.listener(around)
      const before = view.bytes(yield* prompt.assemble)
      Object.assign(section, { name: "x", order: -1, text: "after", interpolate: false, complete: true })
      requires.push("gone")
      Object.assign(context, { name: "x", order: -1, text: "after" })
      Object.assign(read, { name: "x", description: "after", deferLoading: false })
      parameters.required.push("after")
      Object.assign(parameters, { type: "after" })
      schemas.push({ ...read, name: "y" })
      Object.assign(edit, { edit: () => assert.fail("this is not what was registered") })
      Object.assign(around, { around: () => assert.fail("this is not what was registered") })
      assert.strictEqual(view.bytes(yield* prompt.assemble), before)
    })
  )

  test(
    "[21] a plan is frozen down to its entries",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const prompt = yield* SystemPrompt
      for (const { kind, register } of kinds) if (kind !== "suppressor") yield* register(prompt)
      const planned = overlays.plan(PromptScope.global)
      assert.strictEqual(planned._tag, "Success")
      const plan = planned._tag === "Success" ? planned.success : assert.fail()
      assert.isTrue(Object.isFrozen(plan))
      for (const list of [plan.sections, plan.contexts, plan.variables, plan.tools, plan.listeners]) {
        assert.isNotEmpty(list)
        assert.isTrue(Object.isFrozen(list))
        for (const one of list) {
          for (const part of [one, one.entry, one.origin, one.origin.shadows]) assert.isTrue(Object.isFrozen(part))
        }
      }
      for (const { entry } of plan.sections) assert.isTrue(Object.isFrozen(entry.requires))
      for (const { entry } of plan.listeners) assert.isTrue(Object.isFrozen(entry.run))
    })
  )

  test(
    "any fibre registers, in any order: all of it is there, as if one had registered it sorted",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const names = Array.from({ length: 100 }, (_, i) => `n${String(i).padStart(3, "0")}`)
      yield* Effect.forEach(
        names.toReversed(),
        (name, i) =>
          Effect.gen(function* () {
            for (let turn = 0; turn < i % 3; turn++) yield* Effect.yieldNow
            yield* prompt.section({ name, order: 1, text: name })
            yield* prompt.variable(name, name)
          }),
        { concurrency: "unbounded" }
      )
      const assembly = yield* prompt.assemble
      const pairs = names.map((name) => [name, name] as const)
      assert.deepStrictEqual(view.sections(assembly), pairs)
      assert.deepStrictEqual(view.variables(assembly), pairs)
    })
  )

  test(
    "of two fibres that register one name at once, exactly one succeeds",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const attempts = Effect.forEach(
        ["a", "b", "c"],
        (text) => Effect.andThen(Effect.yieldNow, Effect.exit(prompt.section({ name: "s", order: 1, text }))),
        { concurrency: "unbounded" }
      )
      const won = (yield* attempts).map(Exit.isSuccess)
      assert.strictEqual(won.filter(Boolean).length, 1)
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [["s", ["a", "b", "c"][won.indexOf(true)]!]])
    })
  )

  test(
    "a registration in an Effect scope that has closed is gone at once",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const closed = yield* Scope.make()
      yield* Scope.close(closed, Exit.void)
      yield* Effect.forEach(kinds, ({ register }) => Scope.provide(register(prompt), closed))
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
    })
  )

  test(
    "a failing or interrupted owner takes its registrations with it",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const all = Effect.forEach(kinds, ({ register }) => register(prompt))
      for (const end of [Effect.fail("no"), Effect.die("no"), Effect.interrupt]) {
        const exit = yield* Effect.exit(Effect.scoped(Effect.andThen(all, end)))
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      }
    })
  )

  test(
    "two registries know nothing of each other",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const before = yield* state
      const other = yield* Layer.build(Layer.fresh(layer)).pipe(Effect.map((context) => context))
      yield* SystemPrompt.use((one) => one.section({ name: "x", order: 1, text: "other" })).pipe(
        Effect.provideContext(other)
      )
      assert.deepStrictEqual(yield* state, before)
      yield* prompt.section({ name: "x", order: 1, text: "this" })
      assert.deepStrictEqual(view.sections(yield* assembled), [["x", "this"]])
      const theirs = yield* Effect.provideContext(assembled, other)
      assert.deepStrictEqual(view.sections(theirs), [["x", "other"]])
    })
  )
})

describe("variables", () => {
  /** A scope C in P, with a variable `v` in global, P and C. */
  const chain = Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    const { scope: parent } = yield* PromptScope.make("P")
    const { scope: child } = yield* PromptScope.make("C", { parent })
    return { prompt, parent, child }
  })

  const valuesIn = (scope: PromptScope.PromptScope) =>
    Effect.map(assembledIn(scope), (assembly) => view.variables(assembly))

  test(
    "[46, 47] the nearest value wins for each scope, and its provider alone is called",
    Effect.gen(function* () {
      const { prompt, parent, child } = yield* chain
      const called: Array<string> = []
      const value = (from: string) => () => {
        called.push(from)
        return from
      }
      yield* prompt.variable("v", value("C")).pipe(PromptScope.provide(child))
      yield* prompt.variable("v", value("global"))
      yield* prompt.variable("v", value("P")).pipe(PromptScope.provide(parent))
      assert.deepStrictEqual(yield* valuesIn(child), [["v", "C"]])
      assert.deepStrictEqual(called, ["C"], "the hidden providers are not called")
      assert.deepStrictEqual(yield* valuesIn(parent), [["v", "P"]])
      assert.deepStrictEqual(yield* valuesIn(PromptScope.global), [["v", "global"]])
      assert.deepStrictEqual(called, ["C", "P", "global"])
      const [variable] = (yield* assembledIn(child)).variables
      assert.deepStrictEqual(variable?.origin, { scope: "C", shadows: [{ scope: "P" }, { scope: "global" }] })
    })
  )

  test(
    "[48] variables come sorted by name in code units, whoever registered first and wherever",
    Effect.gen(function* () {
      const { prompt, parent, child } = yield* chain
      for (const name of ["b", "a_", "z"]) yield* prompt.variable(name, name).pipe(PromptScope.provide(child))
      for (const name of ["aa", "b"]) yield* prompt.variable(name, "far").pipe(PromptScope.provide(parent))
      for (const name of ["a1", "a"]) yield* prompt.variable(name, name)
      const names = (yield* valuesIn(child)).map(([name]) => name)
      assert.deepStrictEqual(names, ["a", "a1", "a_", "aa", "b", "z"])
    })
  )

  test(
    "[49, 50] a variable without a value is there, also over a farther one with a value; referring to it fails",
    Effect.gen(function* () {
      const { prompt, child } = yield* chain
      yield* prompt.variable("v", "far")
      yield* prompt.section({ name: "s", order: 1, text: "{{v}}" })
      yield* prompt.variable("v", () => undefined).pipe(PromptScope.provide(child))
      assert.deepStrictEqual(yield* valuesIn(child), [["v", undefined]])
      const error = yield* Effect.flip(PromptScope.provide(child)(prompt.render))
      assert.strictEqual(error._tag, "UndefinedVariable")
      assert.deepInclude(error, { variable: "v", kind: "section", entry: "s", scope: "global" })
      assert.strictEqual((yield* prompt.render).text, "far")
    })
  )

  test(
    "[54] a variable provider that throws fails the assembly with its owner and cause; no other provider ran",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const thrown = new Error("no model")
      const never = () => assert.fail("nothing is evaluated after a failure")
      yield* prompt.section({ name: "s", order: 1, text: never })
      yield* prompt.context({ name: "c", order: 1, text: never })
      yield* prompt.tools(never)
      yield* prompt.variable("b", never)
      yield* prompt.variable(
        "a",
        () => {
          throw thrown
        },
        { plugin: "core" }
      )
      const error = yield* Effect.flip(prompt.assemble)
      assert.strictEqual(error._tag, "ProviderFailure")
      assert.deepInclude(error, { kind: "variable", entry: "a", scope: "global", plugin: "core" })
      assert.strictEqual(error.cause, thrown)
      assert.include(error.message, "no model")
    })
  )

  test(
    "[55] all providers and listeners of an assembly get one and the same frozen context, with the caller's own annotations",
    Effect.gen(function* () {
      const { prompt, child } = yield* chain
      const seen: Array<AssembleContext> = []
      const note =
        <A>(value: A) =>
        (context: AssembleContext) => {
          seen.push(context)
          return value
        }
      yield* prompt.variable("v", note("v"))
      yield* prompt.tools(note([]))
      yield* prompt.section({ name: "s", order: 1, text: note("s") })
      yield* prompt.context({ name: "c", order: 1, text: note("c") })
      yield* prompt.listener({
        name: "l",
        edit: (assembly, context) => {
          seen.push(context)
          return assembly
        }
      })
      const annotations = yield* Annotations
      yield* assembledIn(child)
      assert.strictEqual(seen.length, 5)
      assert.strictEqual(new Set(seen).size, 1)
      assert.strictEqual(seen[0]?.scope, child)
      assert.strictEqual(seen[0]?.annotations, annotations)
      assert.isTrue(Object.isFrozen(seen[0]))
      yield* prompt.assemble
      assert.strictEqual(seen[5]?.scope, PromptScope.global)
    })
  )

  test(
    "[56] values are asked for again on every assembly",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let count = 0
      yield* prompt.variable("n", () => String(++count))
      for (const expected of ["1", "2", "3"]) {
        assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["n", expected]])
      }
    })
  )
})

describe("what registers during an assembly", () => {
  test(
    "[51] [BC-043] a provider of any kind that registers is seen from the next assembly on",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scope = yield* Effect.scope
      let first = true
      /** Registers one of each kind, the first time. */
      const registering = <A>(suffix: string, value: A) =>
        Effect.gen(function* () {
          if (!first) return value
          yield* prompt.variable(`late_${suffix}`, suffix)
          yield* prompt.section({ name: `late ${suffix}`, order: 99, text: suffix })
          yield* prompt.context({ name: `late ${suffix}`, order: 99, text: suffix })
          yield* prompt.tools([tool(`late_${suffix}`)])
          yield* prompt.listener({
            name: `late ${suffix}`,
            edit: (assembly) => (first ? assert.fail("too early") : assembly)
          })
          return value
        }).pipe(Scope.provide(scope), Effect.orDie)
      yield* prompt.variable("first", registering("variable", "v"))
      yield* prompt.tools(registering("tools", [tool("t")]))
      yield* prompt.section({ name: "first", order: 1, text: registering("section", "s") })
      yield* prompt.context({ name: "first", order: 1, text: registering("context", "c") })
      yield* prompt.listener({ name: "first", edit: (assembly) => registering("listener", assembly) })

      const during = yield* prompt.assemble
      assert.deepStrictEqual(view.variables(during), [["first", "v"]])
      assert.deepStrictEqual(view.tools(during), ["t"])
      assert.deepStrictEqual(view.sections(during), [["first", "s"]])
      assert.deepStrictEqual(view.contexts(during), [["first", "c"]])

      first = false
      const next = yield* prompt.assemble
      const late = ["context", "listener", "section", "tools", "variable"]
      assert.deepStrictEqual(view.variables(next), [
        ["first", "v"],
        ...late.map((one) => [`late_${one}`, one] as const)
      ])
      assert.deepStrictEqual(view.tools(next), [...late.map((one) => `late_${one}`), "t"])
      assert.deepStrictEqual(view.sections(next), [["first", "s"], ...late.map((one) => [`late ${one}`, one] as const)])
      assert.deepStrictEqual(view.contexts(next), [["first", "c"], ...late.map((one) => [`late ${one}`, one] as const)])
    })
  )

  test(
    "[52] a provider that removes itself and registers a successor still gives this assembly its value",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const outer = yield* Effect.scope
      const mine = yield* Scope.make()
      let calls = 0
      const replaceMyself = Effect.gen(function* () {
        calls++
        yield* Scope.close(mine, Exit.void)
        yield* Effect.orDie(Scope.provide(prompt.variable("v", "successor"), outer))
        return "first"
      })
      yield* Scope.provide(prompt.variable("v", replaceMyself), mine)
      assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "first"]])
      assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "successor"]])
      assert.strictEqual(calls, 1)
    })
  )

  test(
    "[53] the first entry of a scope, made by a global provider, is seen from that scope's next assembly on",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const outer = yield* Effect.scope
      const { scope } = yield* PromptScope.make("K")
      yield* prompt.variable(
        "a",
        Effect.suspend(() =>
          overlays.size(scope) > 0
            ? Effect.succeed("again")
            : prompt.variable("b", "new").pipe(PromptScope.provide(scope), Scope.provide(outer), Effect.as("once"))
        )
      )
      const values = Effect.map(assembledIn(scope), (assembly) => view.variables(assembly))
      assert.deepStrictEqual(yield* values, [["a", "once"]])
      assert.deepStrictEqual(yield* values, [
        ["a", "again"],
        ["b", "new"]
      ])
    })
  )

  test(
    "[BC-043] while a listener waits, a section comes, another goes and the scope moves: this assembly is what it was",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: from } = yield* PromptScope.make("from")
      const { scope: to } = yield* PromptScope.make("to")
      const { scope, rebind } = yield* PromptScope.make("S", { parent: from })
      const outer = yield* Effect.scope
      yield* prompt.section({ name: "parent", order: 1, text: "from" }).pipe(PromptScope.provide(from))
      yield* prompt.section({ name: "parent", order: 1, text: "to" }).pipe(PromptScope.provide(to))
      const close = yield* own(prompt.section({ name: "goes", order: 2, text: "there" }))
      let waiting = true
      const listener = yield* own(
        prompt.listener({
          name: "waits",
          edit: (assembly) =>
            Effect.gen(function* () {
              if (!waiting) return assembly
              waiting = false
              yield* Effect.yieldNow
              yield* Effect.orDie(prompt.section({ name: "comes", order: 3, text: "late" }))
              yield* close
              yield* Effect.orDie(rebind(to))
              yield* Effect.yieldNow
              return assembly
            }).pipe(Scope.provide(outer))
        })
      )
      const during = view.sections(yield* assembledIn(scope))
      assert.deepStrictEqual(during, [
        ["parent", "from"],
        ["goes", "there"]
      ])
      yield* listener
      const next = view.sections(yield* assembledIn(scope))
      assert.deepStrictEqual(next, [
        ["parent", "to"],
        ["comes", "late"]
      ])
    })
  )
})

describe("plans", () => {
  test(
    "[45] reading makes nothing: size, revision and plans stay, and an emptied overlay comes back afresh",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      const before = yield* state
      const empty = overlays.plan(scope)
      yield* assembledIn(scope)
      assert.strictEqual(overlays.size(scope), 0)
      assert.deepStrictEqual(yield* state, before)
      assert.strictEqual(overlays.plan(scope), empty, "and the plan is the same object while nothing changes")
      for (const text of ["first", "second"]) {
        const close = yield* own(prompt.section({ name: "s", order: 1, text }).pipe(PromptScope.provide(scope)))
        assert.strictEqual(overlays.size(scope), 1)
        assert.deepStrictEqual(view.sections(yield* assembledIn(scope)), [["s", text]])
        yield* close
        assert.strictEqual(overlays.size(scope), 0)
        assert.deepStrictEqual(view.sections(yield* assembledIn(scope)), [])
      }
    })
  )

  test(
    "a change in one scope leaves the plans of unrelated scopes as they are, the same objects",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const prompt = yield* SystemPrompt
      const { scope: one } = yield* PromptScope.make("one")
      const { scope: other, rebind } = yield* PromptScope.make("other")
      const plan = overlays.plan(one)
      yield* prompt.section({ name: "s", order: 1, text: "x" }).pipe(PromptScope.provide(other))
      yield* rebind(one)
      assert.strictEqual(overlays.plan(one), plan)
      yield* prompt.section({ name: "s", order: 1, text: "x" })
      assert.notStrictEqual(overlays.plan(one), plan)
    })
  )
})

describe("built-ins", () => {
  const names = (assembly: { readonly sections: ReadonlyArray<{ readonly name: string }> }) =>
    assembly.sections.map(({ name }) => name)

  const built = (options: Parameters<typeof layerWith>[0]) =>
    Layer.build(Layer.fresh(layerWith(options))).pipe(
      Effect.flatMap((context) => Effect.provideContext(assembled, context))
    )

  test(
    "by default there is no identity, an empty persona that renders to nothing, contexts, and tools by name",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.context({ name: "c", order: 1, text: "now" })
      yield* prompt.tools([tool("b"), tool("a")])
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(names(assembly), ["deployment:persona-prefix", "deployment:persona-suffix"])
      assert.deepStrictEqual(view.sections(assembly), [])
      assert.deepStrictEqual(view.contexts(assembly), [["c", "now"]])
      assert.deepStrictEqual(view.tools(assembly), ["a", "b"])
      assert.strictEqual((yield* prompt.render).text, "")
    })
  )

  it.effect("identity is a text of one's own, or a neutral sentence, or off; it comes first", () =>
    Effect.gen(function* () {
      const identity = ["harness:identity", Persona.neutralIdentity] as const
      assert.deepStrictEqual(view.sections(yield* built({ identity: true })), [identity])
      const own = yield* built({ identity: "I am {{model}}.", persona: { prefix: "P" } })
      assert.deepStrictEqual(view.sections(own), [
        ["harness:identity", "I am {{model}}."],
        ["deployment:persona-prefix", "P"]
      ])
      assert.strictEqual(own.sections[0]?.order, Section.orders.HARNESS_IDENTITY)
      for (const off of [undefined, false]) assert.deepStrictEqual(view.sections(yield* built({ identity: off })), [])
    })
  )

  it.effect("the deployment's prefix and suffix stand at their named orders, each also without the other", () =>
    Effect.gen(function* () {
      const both = yield* built({ persona: { prefix: "P", suffix: "S" } })
      assert.deepStrictEqual(
        both.sections.map(({ name, order, text }) => [name, order, text]),
        [
          [Persona.names.prefix, Section.orders.DEPLOYMENT_PERSONA_PREFIX, "P"],
          [Persona.names.suffix, Section.orders.DEPLOYMENT_PERSONA_SUFFIX, "S"]
        ]
      )
      assert.deepStrictEqual(view.sections(yield* built({ persona: { prefix: "P" } })), [[Persona.names.prefix, "P"]])
      assert.deepStrictEqual(view.sections(yield* built({ persona: { suffix: "S" } })), [[Persona.names.suffix, "S"]])
    })
  )

  it.effect("runtimeContext: false turns contexts off for every scope; true is the default", () =>
    Effect.gen(function* () {
      const contexts = Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const { scope } = yield* PromptScope.make("S")
        yield* prompt.context({ name: "far", order: 1, text: "f" })
        yield* prompt.context({ name: "near", order: 2, text: "n" }).pipe(PromptScope.provide(scope))
        const assembly = yield* assembledIn(scope)
        return [assembly.suppressed, assembly.contexts.length]
      })
      const given = (options: Parameters<typeof layerWith>[0]) =>
        Effect.provide(contexts, Layer.fresh(layerWith(options)))
      assert.deepStrictEqual(yield* given({ runtimeContext: false }), [true, 0])
      assert.deepStrictEqual(yield* given({ runtimeContext: true }), [false, 2])
      assert.deepStrictEqual(yield* given({}), [false, 2])
    })
  )

  it.effect("a tool order orders the tools; a wrong one fails the layer with InvalidToolOrder and leaves nothing", () =>
    Effect.gen(function* () {
      const rest = ToolOrder.restMarker
      const ordered = Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        yield* prompt.tools([tool("a"), tool("b"), tool("c")])
        return view.tools(yield* prompt.assemble)
      })
      const tools = yield* Effect.provide(ordered, SystemPrompt.layerWith({ toolOrder: ["c", rest] }))
      assert.deepStrictEqual(tools, ["c", "a", "b"])
      for (const [toolOrder, entry] of [
        [["a", "a", rest], "a"],
        [["a"], ""],
        [[], ""]
      ] as const) {
        const error = yield* Effect.flip(Effect.provide(ordered, SystemPrompt.layerWith({ toolOrder })))
        assert.instanceOf(error, InvalidToolOrder)
        assert.deepInclude(error, { kind: "toolOrder", entry, scope: "global" })
      }
      // Over a registry that lives on.
      const size = yield* Effect.gen(function* () {
        yield* Effect.flip(Layer.build(SystemPrompt.layerNoDepsWith({ toolOrder: ["a"], identity: true })))
        return (yield* Overlays).size(PromptScope.global)
      }).pipe(Effect.provide([Overlays.layer, Waterfall.layer, Renderer.layer]))
      assert.strictEqual(size, 0)
    })
  )

  it.effect("built-ins are global whatever the ambient scope of whoever builds the layer", () =>
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("builder")
      const assembly = yield* PromptScope.provide(scope)(
        built({ identity: "I", persona: { prefix: "P", suffix: "S" } })
      )
      assert.deepStrictEqual(
        assembly.sections.map(({ text, origin }) => [text, origin]),
        ["I", "P", "S"].map((text) => [text, { scope: "global", shadows: [] }])
      )
    })
  )

  it.effect("[67] the name of a built-in is taken globally; in a scope it shadows there, until it goes", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      for (const name of Object.values(Persona.names)) {
        const registration = prompt.section({ name, order: 1, text: "mine" })
        const error = yield* refused(registration)
        assert.deepStrictEqual(error, new DuplicateRegistration({ kind: "section", entry: name, scope: "global" }))
        const before = view.sections(yield* assembledIn(scope))
        const close = yield* own(PromptScope.provide(scope)(registration))
        assert.deepInclude(view.sections(yield* assembledIn(scope)), [name, "mine"])
        assert.deepStrictEqual(view.sections(yield* assembled), before)
        yield* close
        assert.deepStrictEqual(view.sections(yield* assembledIn(scope)), before)
      }
    }).pipe(Effect.provide(layerWith({ identity: "I", persona: { prefix: "P", suffix: "S" } })))
  )

  test(
    "without an identity its name is free",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: Persona.names.identity, order: -1000, text: "mine" })
      assert.deepStrictEqual(view.sections(yield* prompt.assemble), [[Persona.names.identity, "mine"]])
    })
  )
})

describe("properties", () => {
  interface Contribution {
    readonly index: number
    readonly options: Partial<Omit<Chain.Overlay, "label">>
    readonly register: (
      prompt: SystemPrompt["Service"]
    ) => Effect.Effect<void, DuplicateRegistration | InvalidRegistration | ScopeClosed, Scope.Scope>
  }

  /** Each contribution of a chain by itself. */
  const apart = (chain: chains.Chain): ReadonlyArray<Contribution> =>
    chain.flatMap((one, index): ReadonlyArray<Contribution> => [
      ...one.sections.map((options) => ({
        index,
        options: { sections: [options] },
        register: (prompt: SystemPrompt["Service"]) => prompt.section(options)
      })),
      ...one.contexts.map((options) => ({
        index,
        options: { contexts: [options] },
        register: (prompt: SystemPrompt["Service"]) => prompt.context(options)
      })),
      ...one.variables.map((options) => ({
        index,
        options: { variables: [options] },
        register: (prompt: SystemPrompt["Service"]) => prompt.variable(options.name, options.value, options)
      })),
      ...one.tools.map((options) => ({
        index,
        options: { tools: [options] },
        register: (prompt: SystemPrompt["Service"]) => prompt.tools(options.tools, options)
      })),
      ...one.listeners.map((options) => ({
        index,
        options: { listeners: [options] },
        register: (prompt: SystemPrompt["Service"]) => prompt.listener({ ...options, edit: edits.run(options) })
      })),
      ...Array.from({ length: one.suppressors }, () => ({
        index,
        options: { suppressors: 1 },
        register: (prompt: SystemPrompt["Service"]) => prompt.suppressContexts
      }))
    ])

  /** The chain that has only these. */
  const together = (chain: chains.Chain, all: ReadonlyArray<Contribution>): chains.Chain =>
    chain.map(({ label }, index) => {
      const mine = all.filter((one) => one.index === index).map(({ options }) => options)
      return {
        label,
        sections: mine.flatMap(({ sections }) => sections ?? []),
        contexts: mine.flatMap(({ contexts }) => contexts ?? []),
        variables: mine.flatMap(({ variables }) => variables ?? []),
        tools: mine.flatMap(({ tools }) => tools ?? []),
        listeners: mine.flatMap(({ listeners }) => listeners ?? []),
        suppressors: mine.filter(({ suppressors }) => suppressors === 1).length
      }
    })

  it.effect.prop(
    "[325, 326] registered in any order and closed in any order, what is closed was never there, and what stays is as if alone",
    [arbitraries.chain, generate.picks, generate.picks],
    ([chain, registering, closing]) =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const overlays = yield* Overlays
        const scopes = [PromptScope.global]
        for (const { label } of chain.slice(1)) {
          scopes.push((yield* PromptScope.make(label, { parent: scopes.at(-1)! })).scope)
        }
        const last = scopes.at(-1)!
        const shown = (all: ReadonlyArray<Contribution>) =>
          Effect.gen(function* () {
            const only = together(chain, all)
            const live = yield* Effect.result(assembledIn(last))
            assert.deepStrictEqual(
              chains.blamed(only, live),
              chains.blamed(only, chains.assemble(only, { scope: last }))
            )
          })

        const live = new Map<Contribution, Effect.Effect<void>>()
        for (const one of generate.shuffled(apart(chain), registering)) {
          live.set(one, yield* own(PromptScope.provide(scopes[one.index]!)(one.register(prompt))))
        }
        yield* shown([...live.keys()])

        // Again, all that has a name is refused, and that leaves no trace.
        const planned = [yield* revision, ...scopes.map((scope) => overlays.plan(scope))]
        for (const { index, options, register } of live.keys()) {
          if (options.tools !== undefined || options.suppressors !== undefined) continue
          const error = yield* Effect.flip(PromptScope.provide(scopes[index]!)(register(prompt)))
          assert.strictEqual(error._tag, "DuplicateRegistration")
        }
        const after = [yield* revision, ...scopes.map((scope) => overlays.plan(scope))]
        planned.forEach((one, i) => assert.strictEqual(after[i], one))

        const leaving = generate.shuffled([...live.keys()], closing)
        for (const [i, one] of leaving.entries()) {
          yield* live.get(one)!
          live.delete(one)
          if (i % 5 === 0) yield* shown([...live.keys()])
        }
        yield* shown([])
        scopes.forEach((scope, i) => assert.strictEqual(overlays.size(scope), i === 0 ? builtIns : 0))
      }).pipe(Effect.scoped, Effect.provide(layer)),
    { timeout: 60_000, arbitrary: { runs: 200 } }
  )

  it.effect.prop(
    "two scopes of one label stay apart: what one shows does not depend on the other",
    [arbitraries.overlay, arbitraries.overlay],
    ([first, second]) =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const { scope: one } = yield* PromptScope.make("agent")
        const { scope: other } = yield* PromptScope.make("agent")
        const register = (options: Chain.Overlay, scope: PromptScope.PromptScope) =>
          Effect.forEach(apart([options]), (each) => PromptScope.provide(scope)(each.register(prompt)))
        const outcome = Effect.map(Effect.result(assembledIn(one)), chains.outcome)
        yield* register(first, one)
        const alone = yield* outcome
        // Global listeners are for all scopes: they are the global overlay's.
        yield* register({ ...second, listeners: second.listeners.filter((one) => one.global !== true) }, other)
        assert.deepStrictEqual(yield* outcome, alone)
      }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
