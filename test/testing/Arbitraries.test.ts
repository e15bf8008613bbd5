/** The generators give what they say: legal values, with what should collide colliding, and simple ones when they shrink. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import * as Assembly from "../../src/Assembly.ts"
import * as Listener from "../../src/Listener.ts"
import * as Overlay from "../../src/Overlay.ts"
import * as PromptContext from "../../src/PromptContext.ts"
import * as Rendered from "../../src/Rendered.ts"
import * as Section from "../../src/Section.ts"
import * as Template from "../../src/Template.ts"
import * as Arbitraries from "../../src/testing/Arbitraries.ts"
import * as Chain from "../../src/testing/Chain.ts"
import * as Edit from "../../src/testing/Edit.ts"
import * as ToolOrder from "../../src/ToolOrder.ts"
import * as ToolProvider from "../../src/ToolProvider.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import * as Variable from "../../src/Variable.ts"
import { isVariableName } from "../../src/VariableName.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"

const options = { runs: runs(150, 5_000), seed: 1 }

/** Whole chains are dear. */
const few = { runs: runs(60, 5_000), seed: 1 }

const owner = { kind: "tools", entry: "", scope: "global" } as const

const fits = <A>(arbitrary: Arbitrary.Arbitrary<A>, make: (value: A) => Result.Result<unknown, unknown>) =>
  check(arbitrary, (value) => Effect.sync(() => void Result.getOrThrow(make(value))), options)

const refused = <A>(arbitrary: Arbitrary.Arbitrary<A>, make: (value: A) => Result.Result<unknown, { _tag: string }>) =>
  Effect.gen(function* () {
    const tally = new Tally()
    yield* check(
      arbitrary,
      (value) => Effect.sync(() => tally.count(Result.getOrThrow(Result.flip(make(value)))._tag)),
      options
    )
    return tally
  })

const edited = (listener: Edit.Listener): Listener.PureInput => ({ ...listener, edit: Edit.run(listener) })

const assembleWith = (overlay: Overlay.Options) =>
  Assembly.assemble([Result.getOrThrow(Overlay.make("global", overlay))])

// -----------------------------------------------------------------------------
// legal
// -----------------------------------------------------------------------------

describe("legal are", () => {
  it.effect("sections", () => fits(Arbitraries.section, (one) => Section.make(one, "s")))

  it.effect("contexts", () => fits(Arbitraries.context, (one) => PromptContext.make(one, "s")))

  it.effect("variables", () => fits(Arbitraries.variable, (one) => Variable.make(one, "s")))

  it.effect("names of variables", () =>
    check(Arbitraries.variableName, (name) => Effect.sync(() => assert.isTrue(isVariableName(name))), options)
  )

  it.effect("tool schemas", () => fits(Arbitraries.toolSchema, (one) => ToolSchema.fromUnknown(one, owner)))

  it.effect("tool providers, and what they give", () =>
    fits(Arbitraries.toolProvider, (one) => Result.all([ToolProvider.make(one, "s"), assembleWith({ tools: [one] })]))
  )

  it.effect("tool orders", () =>
    fits(Arbitraries.toolOrder, (one) => (one === undefined ? Result.void : ToolOrder.make(one)))
  )

  it.effect("listeners", () => fits(Arbitraries.listener, (one) => Listener.pure(edited(one), "s")))

  it.effect("overlays, names within one of them included", () =>
    check(Arbitraries.overlay, (one) => Effect.sync(() => void Chain.overlays([one])), options)
  )

  it.effect("chains, names of global listeners included", () =>
    check(Arbitraries.chain, (one) => Effect.sync(() => void Chain.overlays(one)), few)
  )

  it.effect("assemblies: sealed once more, they are what they were", () =>
    check(
      Arbitraries.assembly,
      (one) => Effect.sync(() => assert.deepStrictEqual(Result.getOrThrow(Assembly.seal(one, one)), one)),
      few
    )
  )
})

describe("refused are", () => {
  it.effect("tools of `refusedToolSchema`, in two ways", () =>
    Effect.gen(function* () {
      const tally = yield* refused(Arbitraries.refusedToolSchema, (one) => assembleWith({ tools: [{ tools: [one] }] }))
      tally.assertShares("refused tools", { ReservedToolName: 30, InvalidToolSchema: 30 })
    })
  )

  it.effect("tools of `refusedToolProvider`, in two ways", () =>
    Effect.gen(function* () {
      const tally = yield* refused(Arbitraries.refusedToolProvider, (one) => assembleWith({ tools: [one] }))
      tally.assertShares("refused tool providers", { ReservedToolName: 30, InvalidToolSchema: 30 })
    })
  )

  it.effect("results of `faultyListener`, in two ways", () =>
    Effect.gen(function* () {
      const tally = yield* refused(Arbitraries.faultyListener, (one) => assembleWith({ listeners: [edited(one)] }))
      tally.assertShares("faulty listeners", { ListenerFailure: 30, InvalidAssembly: 30 })
    })
  )
})

// -----------------------------------------------------------------------------
// texts
// -----------------------------------------------------------------------------

/** Of what segments a text is. */
const kinds = (text: Template.Text): ReadonlyArray<string> => Template.parse(text).map(({ _tag }) => _tag)

describe("texts", () => {
  it.effect("are what their names say", () =>
    check(
      Arbitrary.all([
        Arbitraries.plainText,
        Arbitraries.grouplessText,
        Arbitraries.referringText,
        Arbitraries.template
      ]),
      ([plain, groupless, referring, template]) =>
        Effect.sync(() => {
          assert.notMatch(plain, /[{}]/u)
          assert.notInclude(groupless, "{{")
          assert.notInclude(kinds(groupless), "Reference")
          assert.notInclude(kinds(referring), "Malformed")
          assert.isTrue(Template.isTemplate(template))
        }),
      options
    )
  )

  it.effect("have braces nearly half of the time, references and malformed groups often", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      yield* check(
        Arbitraries.text,
        (text) =>
          Effect.sync(() =>
            tally.count(/[{}]/u.test(text) ? "braces" : "none", ...kinds(text), text === "" ? "empty" : "some")
          ),
        options
      )
      tally.assertShares("texts", { braces: 40, none: 30, Reference: 20, Malformed: 5, empty: 3 })
    })
  )
})

// -----------------------------------------------------------------------------
// tools
// -----------------------------------------------------------------------------

/** How deep a value is nested: an object of scalars is 1 deep. */
const depth = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)]
    : []

describe("parameters of tools", () => {
  it.effect("are JSON, at most four objects deep, with hostile keys", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      yield* check(
        Arbitraries.parameters,
        (parameters) =>
          Effect.sync(() => {
            assert.deepStrictEqual(JSON.parse(JSON.stringify(parameters)), parameters)
            assert.isAtMost(depth(parameters), 4)
            tally.count(`${depth(parameters)} deep`, ...keysOf(parameters).map((key) => JSON.stringify(key)))
          }),
        options
      )
      const hostile = ["__proto__", "constructor", "", "{{a}}", "1", "0", "$ref", "length", "toString"]
      tally.assertShares("parameters", {
        ...Object.fromEntries(hostile.map((key) => [JSON.stringify(key), 3])),
        ...Object.fromEntries([1, 2, 3].map((n) => [`${n} deep`, 5])),
        "4 deep": 1
      })
    })
  )
})

// -----------------------------------------------------------------------------
// collisions
// -----------------------------------------------------------------------------

const repeats = (all: ReadonlyArray<string | number>): boolean => new Set(all).size < all.length

describe("chains", () => {
  it.effect(
    "have what can collide collide often: orders tie, names shadow, labels and names of tools repeat",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        const mark = (label: string, is: boolean) => (is ? [label] : [])
        yield* check(
          Arbitrary.all([Arbitraries.chain, Arbitraries.toolOrder]),
          ([chain, toolOrder]) =>
            Effect.sync(() => {
              const result = Chain.assemble(chain, { toolOrder })
              if (Result.isFailure(result)) return tally.count(result.failure._tag)
              const { sections, contexts, variables, tools } = result.success
              const parts = [...sections, ...contexts, ...variables]
              tally.count(
                "assembly",
                ...mark("several overlays", chain.length > 1),
                ...mark("a label twice", repeats(chain.slice(1).map(({ label }) => label))),
                ...mark("a tie", repeats(sections.map(({ order }) => order))),
                ...mark(
                  "shadowing",
                  parts.some(({ origin }) => origin.shadows.length > 0)
                ),
                ...mark(
                  "shadowing twice",
                  parts.some(({ origin }) => origin.shadows.length > 1)
                ),
                ...mark("a tool twice", repeats(tools.map(({ schema }) => schema.name))),
                ...mark(
                  "edited",
                  [...parts, ...tools].some(({ origin }) => origin.listener !== undefined)
                ),
                ...mark("complete", result.success.complete !== undefined),
                ...mark("suppressed", result.success.suppressed),
                ...mark("renders", Result.isSuccess(Rendered.render(result.success)))
              )
            }),
          { ...options, runs: runs(250, 5_000) }
        )
        tally.assertShares("chains", {
          assembly: 60,
          "several overlays": 25,
          "a label twice": 5,
          "a tie": 20,
          shadowing: 15,
          "shadowing twice": 3,
          "a tool twice": 15,
          edited: 10,
          complete: 3,
          suppressed: 8,
          renders: 15,
          UnknownTool: 1,
          MultipleCompleteSections: 0.5,
          InvalidToolSchema: 1,
          ReservedToolName: 1,
          InvalidAssembly: 1,
          ListenerFailure: 0.5
        })
      }),
    patience
  )

  it.effect("of `renderableChain` render if they assemble, with text most of the time", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      yield* check(
        Arbitraries.renderableAssembly,
        (assembly) =>
          Effect.sync(() => {
            const { text, snapshot, variables } = Result.getOrThrow(Rendered.render(assembly))
            tally.count(
              text === "" ? "empty" : "text",
              snapshot === "" ? "none" : "snapshot",
              ...variables.map(() => "values")
            )
          }),
        few
      )
      tally.assertShares("renderable", { text: 50, snapshot: 30, values: 25 })
    })
  )
})

// -----------------------------------------------------------------------------
// shrinking
// -----------------------------------------------------------------------------

/** The simplest that fails, as JSON, for several seeds, by the engine's own limit of shrinking. */
const shrunk = <A>(arbitrary: Arbitrary.Arbitrary<A>, holds: (value: A) => boolean) =>
  Effect.forEach(
    Array.from({ length: runs(5, 20) }, (_, seed) => seed),
    (seed) =>
      Effect.map(Arbitrary.checkEffect(arbitrary, holds, { runs: 2_000, seed }), (result) => {
        assert(result._tag === "Falsified", result._tag)
        return JSON.stringify(result.shrunkInput)
      })
  )

const seen = (chain: Chain.Chain, is: (assembly: Assembly.Assembly) => boolean): boolean =>
  Result.match(Chain.assemble(chain), { onFailure: () => false, onSuccess: is })

describe("shrinking", () => {
  const overlay = {
    label: "agent",
    sections: [],
    contexts: [],
    variables: [],
    tools: [],
    listeners: [],
    suppressors: 0
  }

  it.effect("a chain leaves the one contribution that matters", () =>
    Effect.gen(function* () {
      const found = yield* shrunk(
        Arbitraries.chain,
        (chain) => !seen(chain, ({ sections }) => sections.some(({ name }) => name === "b"))
      )
      const least = JSON.stringify([{ ...overlay, sections: [{ name: "b", order: 0, text: "" }] }])
      assert.deepStrictEqual(
        found.filter((one) => one.length > least.length),
        []
      )
    })
  )

  it.effect("a chain leaves the two overlays that matter", () =>
    Effect.gen(function* () {
      const found = yield* shrunk(
        Arbitraries.chain,
        (chain) => !seen(chain, ({ variables }) => variables.some(({ origin }) => origin.shadows.length > 0))
      )
      const one = { ...overlay, variables: [{ name: "constructor", value: "" }] }
      assert.deepStrictEqual(
        found.filter((chain) => chain.length > JSON.stringify([one, one]).length),
        []
      )
    })
  )

  it.effect("a listener leaves the one step that matters", () =>
    Effect.gen(function* () {
      const found = yield* shrunk(Arbitraries.listener, ({ steps }) => !steps.some(({ _tag }) => _tag === "RemoveTool"))
      const least = { name: "l1", steps: [{ _tag: "RemoveTool", name: "bash" }] }
      assert.deepStrictEqual(new Set(found), new Set([JSON.stringify(least)]))
    })
  )

  it.effect("a tool leaves the path to the key that matters", () =>
    Effect.gen(function* () {
      const found = yield* shrunk(Arbitraries.toolSchema, ({ parameters }) => !keysOf(parameters).includes("__proto__"))
      for (const json of found) {
        assert.isAtMost(json.length, 120, json)
        assert.isTrue(json.startsWith('{"name":"bash","description":"","parameters":{'), json)
      }
    })
  )

  it.effect("names, orders and texts become the first of their kind", () =>
    Effect.gen(function* () {
      const found = yield* shrunk(Arbitraries.section, () => false)
      assert.deepStrictEqual(new Set(found), new Set([JSON.stringify({ name: "a", order: 0, text: "" })]))
    })
  )
})
