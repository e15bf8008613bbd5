/** What comes back of an earlier assembly, by identity, and what never does. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Annotations } from "../../src/AssembleContext.ts"
import * as Assembly from "../../src/Assembly.ts"
import { asExit } from "../../src/internal/exit.ts"
import { atStart } from "../../src/internal/give.ts"
import { Assemblers } from "../../src/internal/steady.ts"
import { Overlays } from "../../src/Overlays.ts"
import * as PromptScope from "../../src/PromptScope.ts"
import { Renderer } from "../../src/Renderer.ts"
import { SystemPrompt } from "../../src/SystemPrompt.ts"
import { ToolRegistry } from "../../src/ToolRegistry.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { Waterfall } from "../../src/Waterfall.ts"
import { own } from "../support/registry.ts"
import * as view from "../support/view.ts"

const fields = ["variables", "tools", "sections", "contexts"] as const

type Field = (typeof fields)[number]

const tool = (name: string, description = name) =>
  ToolSchema.make({ name, description, parameters: { type: "object" } })

const assemble = SystemPrompt.use((prompt) => prompt.assemble)

const assembleIn = (scope: PromptScope.PromptScope) => PromptScope.provide(scope)(assemble)

/** A test over a prompt of its own, without built-ins. */
const test = <E>(name: string, self: Effect.Effect<void, E, SystemPrompt | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(self, SystemPrompt.layerTest()))

/** What providers give that nobody has changed. */
const usual: Readonly<Record<Field, string>> = { variables: "V", tools: "T", sections: "S", contexts: "C" }

/** Two providers in each list: the first one gives what it is told to, the second one is as it is. */
const registerTwoEach = (told: (field: Field, scope: PromptScope.PromptScope) => string) =>
  Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    yield* prompt.variable("a", ({ scope }) => told("variables", scope))
    yield* prompt.variable("b", () => "B")
    yield* prompt.tools(({ scope }) => [{ ...tool("a"), description: told("tools", scope) }], { name: "a" })
    yield* prompt.tools(() => [{ ...tool("b") }], { name: "b" })
    yield* prompt.section({ name: "a", order: 0, text: ({ scope }) => told("sections", scope) })
    yield* prompt.section({ name: "b", order: 1, text: () => "B" })
    yield* prompt.context({ name: "a", order: 0, text: ({ scope }) => told("contexts", scope) })
    yield* prompt.context({ name: "b", order: 1, text: () => "B" })
  })

/** What the first provider of each list gave. */
const toldIn = (assembly: Assembly.Assembly): Readonly<Record<Field, string | undefined>> => ({
  variables: assembly.variables[0]?.value,
  tools: assembly.tools[0]?.schema.description,
  sections: String(assembly.sections[0]?.text),
  contexts: String(assembly.contexts[0]?.text)
})

describe("the very same assembly comes back", () => {
  test(
    "while providers give anew what they gave",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* registerTwoEach((field) => usual[field])
      const made = tool("c")
      yield* prompt.tools(() => ({ schemas: [made], knownNames: ["x", "y"] }))
      const first = yield* assemble
      assert.deepStrictEqual(toldIn(first), usual)
      assert.strictEqual(yield* assemble, first)
    })
  )

  test(
    "while a listener makes anew what it made",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* registerTwoEach((field) => usual[field])
      yield* prompt.listener({ name: "l", edit: Assembly.addSection({ name: "l", order: 2, text: "L" }) })
      const first = yield* assemble
      assert.deepStrictEqual(view.sections(first).at(-1), ["l", "L"])
      assert.strictEqual(yield* assemble, first)
    })
  )

  test(
    "while a complete section displaces the same others",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* registerTwoEach((field) => usual[field])
      yield* prompt.section({ name: "only", order: 0, text: "Only", complete: true })
      const first = yield* assemble
      assert.deepStrictEqual(view.sections(first), [["only", "Only"]])
      assert.strictEqual(yield* assemble, first)
    })
  )

  test(
    "for two that wait at once and are given the same",
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "a", order: 0, text: Effect.as(Deferred.await(gate), "A") })
      yield* prompt.variable("a", () => Effect.as(Deferred.await(gate), "A"))
      const two = [
        yield* Effect.forkChild(assemble, { startImmediately: true }),
        yield* Effect.forkChild(assemble, { startImmediately: true })
      ]
      yield* Deferred.succeed(gate, undefined)
      const [first, second] = yield* Effect.forEach(two, Fiber.join)
      assert.deepStrictEqual(view.sections(first!), [["a", "A"]])
      assert.strictEqual(second, first)
    })
  )
})

describe("what a provider gives anew", () => {
  for (const field of fields) {
    test(
      `changes the ${field} alone, and of them nothing else`,
      Effect.gen(function* () {
        let told = usual
        yield* registerTwoEach((field) => told[field])
        const first = yield* assemble
        told = { ...usual, [field]: "changed" }
        const changed = yield* assemble
        assert.deepStrictEqual(toldIn(changed), told)
        for (const other of fields) {
          assert.strictEqual(changed[other] === first[other], other !== field, other)
          if (other !== "tools") assert.strictEqual(changed[other][1], first[other][1], `the second of the ${other}`)
        }
        told = usual
        assert.deepStrictEqual(toldIn(yield* assemble), usual)
      })
    )
  }

  test(
    "changes the tools, whichever of several providers gives it",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const described = ["A", "B", "C"]
      for (const [nth, name] of ["a", "b", "c"].entries()) {
        yield* prompt.tools(() => [{ ...tool(name), description: described[nth]! }], { name })
      }
      const seen = Effect.map(assemble, ({ tools }) => tools.map(({ schema }) => schema.description))
      for (const nth of [0, 1, 2, 1, 0]) {
        yield* seen
        described[nth] += "!"
        assert.deepStrictEqual(yield* seen, described)
      }
    })
  )
})

describe("what a listener gives anew", () => {
  test(
    "of the very same assembly is seen",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let text = "1"
      yield* prompt.listener({
        name: "l",
        edit: (assembly) => Assembly.addSection(assembly, { name: "l", order: 0, text })
      })
      for (text of ["1", "2", "2", "1"]) assert.deepStrictEqual(view.sections(yield* assemble), [["l", text]])
    })
  )

  it.effect("as the very same assembly is sealed over what is composed now", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let text = "1"
      yield* prompt.section({ name: "only", order: 0, text: () => text, complete: true })
      for (text of ["1", "2", "2", "1"]) assert.deepStrictEqual(view.sections(yield* assemble), [["only", text]])
    }).pipe(
      Effect.provide(
        SystemPrompt.layerNoDeps.pipe(
          Layer.provide([
            Overlays.layer,
            Renderer.layer,
            Layer.sync(Waterfall, () => {
              let first: Assembly.Assembly | undefined
              return { run: (_, base) => Effect.succeed((first ??= base)) }
            })
          ])
        )
      )
    )
  )
})

describe("a section that requires a tool", () => {
  test(
    "is there while the tool is, though all sections require one",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "a", order: 0, text: "A", requires: ["t"] })
      assert.deepStrictEqual(view.sections(yield* assemble), [])
      const end = yield* own(prompt.tools([tool("t")]))
      assert.deepStrictEqual(view.sections(yield* assemble), [["a", "A"]])
      yield* end
      assert.deepStrictEqual(view.sections(yield* assemble), [])
    })
  )
})

describe("an assembly that another one overtakes", () => {
  const Voice = Context.Reference<string>("test/Voice", { defaultValue: () => "" })

  const spoken = (voice: string) =>
    assemble.pipe(Effect.updateService(Annotations, Context.add(Voice, voice)), Effect.map(view.variables))

  test(
    "shows its listeners its own annotations",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const gate = yield* Deferred.make<void>()
      yield* prompt.section({
        name: "waits",
        order: 0,
        text: ({ annotations }) =>
          Context.get(annotations, Voice) === "slow" ? Effect.as(Deferred.await(gate), "waited") : "at once"
      })
      yield* prompt.listener({
        name: "l",
        edit: (assembly, { annotations }) => Assembly.setVariable(assembly, "voice", Context.get(annotations, Voice))
      })
      const slow = yield* Effect.forkChild(spoken("slow"), { startImmediately: true })
      assert.deepStrictEqual(yield* spoken("quick"), [["voice", "quick"]])
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(slow), [["voice", "slow"]])
    })
  )

  it.effect("has the tools that were registered when it began", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const registry = yield* ToolRegistry
      let gate = yield* Deferred.make<void>()
      yield* prompt.variable("waits", () => Effect.as(Deferred.await(gate), "waited"))
      const names: Array<string> = []
      for (const name of ["a", "b"]) {
        const waiting = yield* Effect.forkChild(assemble, { startImmediately: true })
        yield* registry.register({ name, description: name, parameters: { type: "object" } })
        yield* Deferred.succeed(gate, undefined)
        assert.deepStrictEqual(view.tools(yield* Fiber.join(waiting)), names)
        names.push(name)
        gate = yield* Deferred.make<void>()
      }
    }).pipe(Effect.provide(ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layerTest()))))
  )
})

describe("what is read when an assembly begins", () => {
  test(
    "is read once for each assembly, in all lists",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const reads: Array<string> = []
      let version = 1
      const read = <A>(field: Field, give: (text: string) => A) =>
        atStart(({ label }) => {
          reads.push(`${field} of ${label}`)
          return give(`${field} ${version}`)
        })
      const text = (told: string) => told
      yield* prompt.variable("a", read("variables", text))
      yield* prompt.tools(read("tools", (told) => [{ ...tool("a"), description: told }]))
      yield* prompt.section({ name: "a", order: 0, text: read("sections", text) })
      yield* prompt.context({ name: "a", order: 0, text: read("contexts", text) })
      for (version of [1, 2, 2]) {
        const told = Object.fromEntries(fields.map((field) => [field, `${field} ${version}`]))
        assert.deepStrictEqual(toldIn(yield* assemble), { ...usual, ...told })
        assert.deepStrictEqual(
          reads.splice(0),
          fields.map((field) => `${field} of global`)
        )
      }
    })
  )
})

describe("scopes of one chain", () => {
  const chain = Effect.gen(function* () {
    const parent = yield* PromptScope.make("parent")
    const child = yield* PromptScope.make("child", { parent: parent.scope })
    return [PromptScope.global, parent.scope, child.scope] as const
  })

  /** Something for each list, as a constant. */
  const contribute: Readonly<
    Record<Field, (name: string) => Effect.Effect<void, unknown, SystemPrompt | Scope.Scope>>
  > = {
    variables: (name) => SystemPrompt.use((prompt) => prompt.variable(name, name)),
    tools: (name) => SystemPrompt.use((prompt) => prompt.tools([tool(name)])),
    sections: (name) => SystemPrompt.use((prompt) => prompt.section({ name, order: 0, text: name })),
    contexts: (name) => SystemPrompt.use((prompt) => prompt.context({ name, order: 0, text: name }))
  }

  for (const field of fields) {
    test(
      `share all lists but the ${field} that one of them adds to, and of these what they have in common`,
      Effect.gen(function* () {
        const scopes = yield* chain
        for (const each of fields) yield* contribute[each]("a")
        yield* contribute[field]("b").pipe(PromptScope.provide(scopes[2]))
        for (const order of [scopes, scopes.toReversed(), scopes]) {
          for (const scope of order) yield* assembleIn(scope)
        }
        const [top, parent, child] = yield* Effect.forEach(scopes, assembleIn)
        for (const each of fields) {
          assert.strictEqual(parent![each], top![each], each)
          assert.strictEqual(child![each] === parent![each], each !== field, each)
          if (each !== "tools") assert.strictEqual(child![each][0], parent![each][0], each)
        }
        assert.lengthOf(child![field], 2)
      })
    )
  }

  test(
    "keep each what its providers gave it, by identity, where they share a list",
    Effect.gen(function* () {
      const scopes = yield* chain
      const versions = { variables: 0, tools: 0, sections: 0, contexts: 0 }
      yield* registerTwoEach((field, { label }) => `${label} ${versions[field]}`)
      let before = yield* Effect.forEach(scopes, assembleIn)
      for (const changed of [undefined, ...fields, undefined]) {
        if (changed !== undefined) versions[changed]++
        const now = yield* Effect.forEach(scopes, assembleIn)
        for (const [i, { label }] of scopes.entries()) {
          for (const field of fields) {
            assert.strictEqual(toldIn(now[i]!)[field], `${label} ${versions[field]}`)
            assert.strictEqual(now[i]![field] === before[i]![field], field !== changed, `${label} ${field}`)
          }
          assert.strictEqual(now[i] === before[i], changed === undefined, label)
        }
        before = now
      }
    })
  )

  test(
    "are given the same lists where their providers give the same",
    Effect.gen(function* () {
      const scopes = yield* chain
      yield* registerTwoEach((field) => usual[field])
      const [top, ...others] = yield* Effect.forEach(scopes, assembleIn)
      for (const other of others) for (const field of fields) assert.strictEqual(other[field], top![field], field)
    })
  )

  test(
    "share what was registered since they were assembled, whichever is assembled first",
    Effect.gen(function* () {
      const scopes = yield* chain
      for (const [nth, order] of [scopes, scopes.toReversed(), [scopes[0], scopes[2], scopes[1]]].entries()) {
        for (const field of fields) yield* contribute[field](`a${nth}`)
        const before = yield* Effect.forEach(order, assembleIn)
        for (const field of fields) {
          assert.lengthOf(before[0]![field], nth + 1)
          for (const one of before) assert.strictEqual(one[field], before[0]![field], field)
        }
        assert.deepStrictEqual(
          (yield* Effect.forEach(order, assembleIn)).map((one, i) => one === before[i]),
          [true, true, true]
        )
      }
    })
  )

  test(
    "need no plan of an ancestor",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, parent, child] = yield* chain
      for (const name of ["a", "b"]) {
        yield* prompt.section({ name, order: 0, text: name, complete: true }).pipe(PromptScope.provide(parent))
      }
      yield* prompt.section({ name: "b", order: 0, text: "not complete" }).pipe(PromptScope.provide(child))
      assert.strictEqual((yield* Effect.flip(assembleIn(parent)))._tag, "MultipleCompleteSections")
      assert.deepStrictEqual(view.sections(yield* assembleIn(child)), [["a", "a"]])
    })
  )
})

describe("an assembler", () => {
  it.effect("is kept for its scope, unless that is closed or forgotten", () =>
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const assemblers = new Assemblers(undefined, false, overlays.plan)
      const planOf = (scope: PromptScope.PromptScope) => Result.getOrThrow(overlays.plan(scope))
      const of = (scope: PromptScope.PromptScope) => assemblers.of(scope, planOf(scope))
      const { scope } = yield* PromptScope.make("open")
      const kept = of(scope)
      assert.strictEqual(of(scope), kept)
      assemblers.forget(scope)
      assert.notStrictEqual(of(scope), kept)
      assert.strictEqual(of(scope), of(scope))
      const closed = yield* Effect.scoped(Effect.map(PromptScope.make("closed"), (owned) => owned.scope))
      const plan = planOf(closed)
      assert.notStrictEqual(assemblers.of(closed, plan), assemblers.of(closed, plan))
      const waterfall = yield* Waterfall
      assert.strictEqual(asExit(of(closed).assemble(waterfall, Context.empty()))?._tag, "Success")
    }).pipe(Effect.provide([Overlays.layer, Waterfall.layer]))
  )
})
