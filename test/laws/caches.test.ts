/** Nothing that is kept from one assembly or rendering to the next is ever stale, nor can anybody write into it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PromptScope, SystemPrompt, ToolSchema } from "../../src/index.ts"
import { Tally } from "../support/check.ts"
import { changeable } from "../support/frozen.ts"
import { deep, patience, runs } from "../support/runs.ts"
import { untyped } from "../support/untyped.ts"
import { generate } from "./caches/generate.ts"
import { run } from "./caches/machine.ts"
import { print, type Program, shrink, type Step } from "./caches/program.ts"

/** The simplest program found that shows a problem, and the problem. */
const simplest = (program: Program, problem: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    let found = { program, problem }
    let tries = 0
    for (let simpler = true; simpler;) {
      simpler = false
      for (const candidate of shrink(found.program)) {
        if (tries++ > 2_000) break
        const { problem } = yield* run(candidate)
        if (problem === undefined) continue
        found = { program: candidate, problem }
        simpler = true
        break
      }
    }
    return `${found.program.steps.length} steps:\n${print(found.program)}\n${found.problem}`
  })

/** In percent of all programs. */
const least: Readonly<Record<string, number>> = {
  Again: 30,
  Close: 10,
  Edits: 90,
  End: 30,
  Mutate: 25,
  Rebind: 20,
  Together: 20,
  nested: 5,
  "assembly failed": 10,
  "rendering failed": 10,
  UnknownTool: 5,
  "edited section": 8,
  "shadowed variable": 10,
  "the same assembly": 30,
  "another assembly": 50,
  "other tools": 25,
  "tools kept, other sections": 20,
  "the same rendering": 50,
  "the same rendering of another assembly": 30,
  "another rendering": 30,
  "a used variable changed": 25,
  "only an unused variable changed": 15,
  "only the snapshot changed": 2,
  "a section was kept": 10,
  "a section was rendered again or moved": 10,
  "a section became empty or full": 7,
  "white space": 10,
  "rendered again after 64 others": 0.2
}

describe("what is kept", () => {
  it.effect(
    "shows in no assembly and no rendering",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        const first = deep ? Math.floor(Math.random() * 1_000_000_000) : 1
        if (deep) console.log(`seeds from ${first} on`)
        for (let seed = first; seed < first + runs(1_000, 30_000); seed++) {
          const program = generate(seed)
          const { problem, sights } = yield* run(program)
          if (problem !== undefined) assert.fail(`seed ${seed}, ${yield* simplest(program, problem)}`)
          tally.count(...sights.labels)
        }
        tally.assertShares("programs", least)
      }),
    patience
  )

  it.effect(
    "is right for each of many scopes, those it is no longer kept for too",
    () =>
      Effect.gen(function* () {
        const scopes = Array.from({ length: 330 }, (_, i) => i + 1)
        const render = (scope: number): Step => ({ _tag: "Render", scope, voice: "" })
        const steps: ReadonlyArray<Step> = [
          { _tag: "Text", cell: 0, value: "{{a}} and {{b}}" },
          { _tag: "Value", cell: 0, value: "A" },
          { _tag: "Value", cell: 1, value: "B" },
          { _tag: "Tools", cell: 0, value: { tools: [0, 1], how: "same", known: [] } },
          register(1_001, 0, { kind: "section", name: "s0", order: 0, cell: 0, way: "function" }),
          register(1_002, 0, { kind: "variable", name: "a", cell: 0, way: "function" }),
          register(1_003, 0, { kind: "variable", name: "b", cell: 1, way: "function" }),
          register(1_004, 0, { kind: "tools", cell: 0, way: "function" }),
          ...scopes.flatMap((id): ReadonlyArray<Step> => [
            { _tag: "Open", id, parent: id > 270 ? id - 150 : 0 },
            { _tag: "Value", cell: 2, value: `constant ${id}` },
            ...(id % 3 === 0 ? [register(id, id, { kind: "variable", name: "b", cell: 2, way: "constant" })] : []),
            ...(id % 5 === 0
              ? [register(2_000 + id, id, { kind: "section", name: "s1", order: id % 2, cell: 0, way: "function" })]
              : [])
          ]),
          ...scopes.map(render),
          { _tag: "Value", cell: 1, value: "C" },
          // Those rendered last come first: what is held is found, and then what is not.
          ...scopes.toReversed().map(render),
          register(1_005, 0, { kind: "section", name: "s2", order: 0, cell: 0, way: "function" }),
          // Each again while the last thirty are held.
          ...scopes.flatMap((scope) => [
            render(scope),
            ...(scope % 30 === 0 ? scopes.slice(scope - 30, scope) : []).map(render)
          ])
        ]
        const { problem, sights } = yield* run({ toolOrder: false, steps })
        assert.isUndefined(problem)
        for (const label of ["rendered again after 64 others", "the same rendering", "a used variable changed"]) {
          assert.isTrue(sights.labels.has(label), label)
        }
      }),
    patience
  )

  const tool = ToolSchema.make({ name: "read", description: "", parameters: { type: "object", properties: { a: {} } } })

  it.effect("does not take what its author still corrects for a constant", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("agent")
      const own: { name: string; description: unknown; parameters: {} } = {
        name: "own",
        description: 3,
        parameters: {}
      }
      yield* prompt.tools(untyped([own]))
      const described = (scope: PromptScope.PromptScope) =>
        Effect.map(prompt.assemble.pipe(PromptScope.provide(scope)), ({ tools }) => tools[0]?.schema.description)
      assert.strictEqual((yield* Effect.flip(described(scope)))._tag, "InvalidToolSchema")
      own.description = "one"
      assert.strictEqual(yield* described(scope), "one")
      // Another list of tools, which is made while all of them are right.
      yield* prompt.tools([tool]).pipe(PromptScope.provide(scope))
      assert.strictEqual(yield* described(scope), "one")
      own.description = "two"
      assert.strictEqual(yield* described(scope), "two")
      assert.strictEqual(yield* described(PromptScope.global), "two")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("gives in to nobody who writes into it", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("agent")
      const writable: Array<string> = []
      const look = (value: object, ...skip: ReadonlyArray<unknown>) =>
        void writable.push(...changeable(value, [PromptScope.global, scope, ...skip]))
      yield* Effect.gen(function* () {
        yield* prompt.section({ name: "s", order: 0, text: () => "{{a}}" })
        yield* prompt.section({ name: "added by hand", order: 1, text: "text", requires: ["read"] })
        yield* prompt.context({ name: "c", order: 0, text: () => "{{a}}" })
        yield* prompt.variable("a", () => "A")
        yield* prompt.tools(() => [tool, { ...tool, name: "write" }], { name: "p", plugin: "x" })
        yield* prompt.listener({
          name: "writes",
          edit: (assembly, context) => {
            look(assembly, assembly.annotations)
            look(context, context.annotations)
            return assembly
          }
        })
        yield* prompt.listener({
          name: "replaces and writes later",
          order: 1,
          edit: (assembly) => ({ ...assembly, sections: assembly.sections.map((one) => ({ ...one, order: 7 })) })
        })
      }).pipe(PromptScope.provide(scope))
      for (let i = 0; i < 3; i++) {
        const assembly = yield* prompt.assemble.pipe(PromptScope.provide(scope))
        const rendered = yield* prompt.renderAssembly(assembly)
        assert.strictEqual(rendered.text, "A\n\ntext")
        look(assembly, assembly.annotations)
        look(rendered)
      }
      assert.deepStrictEqual(writable, [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

const register = (id: number, scope: number, entry: Extract<Step, { _tag: "Register" }>["entry"]): Step => ({
  _tag: "Register",
  id,
  scope,
  entry
})
