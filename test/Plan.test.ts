import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Overlay, Plan, type Section } from "../src/index.ts"
import { MultipleCompleteSections } from "../src/PromptError.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import * as generate from "../src/testing/internal/generate.ts"
import * as chains from "./support/chains.ts"
import { changeable } from "./support/frozen.ts"
import { overlay } from "./support/known.ts"

const plan = (...chain: ReadonlyArray<Overlay.Overlay>): Plan.Plan =>
  Result.getOrThrow(Plan.make(chain.at(-1)?.scope ?? "global", chain))

const refused = (...chain: ReadonlyArray<Overlay.Overlay>) =>
  Result.getOrThrow(Result.flip(Plan.make(chain.at(-1)?.scope ?? "global", chain)))

const same = <A>(value: A): A => value

const section = (name: string, order = 1, rest?: Partial<Section.Options>): Section.Options => ({
  name,
  order,
  text: "",
  ...rest
})

const names = (planned: ReadonlyArray<{ readonly entry: { readonly name?: string | undefined } }>) =>
  planned.map(({ entry }) => entry.name)

describe("named contributions", () => {
  it("[4, 46] the nearest entry of a name wins as a whole, and knows which ones it hides, nearest first", () => {
    const far = overlay({ sections: [section("x", 1, { plugin: "a" }), section("y")] })
    const middle = overlay({ sections: [section("x", 2, { text: "middle" })] }, "P")
    const near = overlay(
      { sections: [section("x", 3, { text: "near", interpolate: false, requires: ["t"], plugin: "b" })] },
      "C"
    )
    const self = plan(far, middle, near)
    assert.deepStrictEqual(
      self.sections.map(({ entry, position }) => [entry, position]),
      [
        [far.sections[1], 0],
        [near.sections[0], 2]
      ]
    )
    assert.deepStrictEqual(self.sections[1]?.origin, {
      scope: "C",
      plugin: "b",
      shadows: [{ scope: "P" }, { scope: "global", plugin: "a" }]
    })
    assert.deepStrictEqual(self.sections[0]?.origin, { scope: "global", shadows: [] })
    assert.deepStrictEqual(Plan.owner(self.sections[1]!), { kind: "section", entry: "x", scope: "C", plugin: "b" })
    assert.deepStrictEqual(Plan.owner(self.sections[0]!), { kind: "section", entry: "y", scope: "global" })
  })

  it("[50] a variable without a value hides one that has one", () => {
    const self = plan(
      overlay({ variables: [{ name: "v", value: "far" }] }),
      overlay({ variables: [{ name: "v", value: undefined }] }, "C")
    )
    assert.deepStrictEqual(
      self.variables.map(({ entry }) => entry.value),
      [undefined]
    )
  })

  it("kinds do not shadow each other", () => {
    const self = plan(overlay({ sections: [section("n")] }), overlay({ contexts: [section("n")] }, "C"))
    assert.deepStrictEqual([names(self.sections), names(self.contexts)], [["n"], ["n"]])
    assert.deepStrictEqual(self.contexts[0]?.origin.shadows, [])
  })

  it("[48, 72] variables stand by name, sections and contexts by order and name, whatever overlay they are of", () => {
    const self = plan(
      overlay({
        sections: [section("k", 1), section("b", 0)],
        contexts: [section("k", 1)],
        variables: ["b", "a1"].map((name) => ({ name, value: "" }))
      }),
      overlay(
        { sections: [section("p", 1)], contexts: [section("p", 1)], variables: [{ name: "a_", value: "" }] },
        "P"
      ),
      overlay(
        {
          sections: [section("c", 1), section("k", 1)],
          contexts: [section("c", 1), section("k", 1)],
          variables: [{ name: "a", value: "" }]
        },
        "C"
      )
    )
    assert.deepStrictEqual(names(self.sections), ["b", "c", "k", "p"])
    assert.deepStrictEqual(names(self.contexts), ["c", "k", "p"])
    assert.deepStrictEqual(names(self.variables), ["a", "a1", "a_", "b"])
  })
})

describe("counted contributions", () => {
  it("[76, 77] tool providers of all overlays stand by place in the chain, then by name, then by plugin", () => {
    const providers = (...all: ReadonlyArray<readonly [name: string | undefined, plugin?: string]>) =>
      all.map(([name, plugin]) => ({ name, plugin, tools: [] }))
    const self = plan(
      overlay({ tools: providers(["z"], [undefined, "q"], ["b", "2"], ["b", "1"], [undefined, "p"]) }),
      overlay({ tools: providers(["a"]) }, "C")
    )
    assert.deepStrictEqual(
      self.tools.map(({ entry, position }) => [position, entry.name, entry.plugin]),
      [
        [0, undefined, "p"],
        [0, undefined, "q"],
        [0, "b", "1"],
        [0, "b", "2"],
        [0, "z", undefined],
        [1, "a", undefined]
      ]
    )
    assert.deepStrictEqual(self.tools.at(-1)?.origin, { scope: "C", shadows: [] })
    assert.deepStrictEqual(Plan.owner(self.tools[0]!), { kind: "tools", entry: "", scope: "global", plugin: "p" })
  })

  it("listeners of one name do not shadow: by order, then name, the ancestor's outside", () => {
    const listeners = (...all: ReadonlyArray<readonly [name: string, order?: number]>) =>
      all.map(([name, order]) => ({ name, order, edit: same }))
    const self = plan(
      overlay({ listeners: listeners(["b"], ["late", 1]) }),
      overlay({ listeners: listeners(["a"], ["b"], ["early", -1]) }, "C")
    )
    assert.deepStrictEqual(
      self.listeners.map(({ entry, origin }) => `${entry.name} of ${origin.scope}`),
      ["early of C", "a of C", "b of global", "b of C", "late of global"]
    )
  })

  it("a global listener is one of the global overlay, wherever it is registered", () => {
    const tied = (global: boolean, scope: string) =>
      overlay({ listeners: [{ name: "b", global, plugin: `of ${scope}`, edit: same }] }, scope)
    const self = plan(tied(false, "global"), tied(false, "C"), tied(true, "D"), tied(true, "E"), tied(false, "F"))
    assert.deepStrictEqual(
      self.listeners.map(({ origin, position }) => [origin.scope, origin.plugin, position]),
      [
        ["global", "of global", 0],
        ["global", "of D", 0],
        ["global", "of E", 0],
        ["C", "of C", 1],
        ["F", "of F", 4]
      ]
    )
    const ordered = plan(
      overlay({ listeners: [{ name: "b", edit: same }] }),
      overlay({ listeners: [{ name: "a", order: 1, global: true, edit: same }] }, "C")
    )
    assert.deepStrictEqual(
      ordered.listeners.map(({ entry }) => entry.name),
      ["b", "a"],
      "order and name come first"
    )
  })

  it("[16] one suppressor anywhere in the chain suppresses, and no context takes part", () => {
    const contexts = [section("c")]
    const suppressing = overlay({ contexts, suppressors: 1 }, "P")
    for (const [chain, suppressed] of [
      [[overlay({ contexts })], false],
      [[overlay({ contexts }), suppressing], true],
      [[suppressing, overlay({ contexts }, "C")], true],
      [[overlay({ suppressors: 2 }), overlay({ contexts }, "C")], true]
    ] as const) {
      const self = plan(...chain)
      assert.strictEqual(self.suppressed, suppressed)
      assert.strictEqual(self.contexts.length, suppressed ? 0 : 1)
    }
  })
})

describe("complete sections", () => {
  const complete = (name: string, rest?: Partial<Section.Options>) => section(name, 1, { complete: true, ...rest })

  it("one is noted by name, and the others still take part", () => {
    const self = plan(overlay({ sections: [section("a"), complete("only")] }))
    assert.strictEqual(self.complete, "only")
    assert.deepStrictEqual(names(self.sections), ["a", "only"])
    assert.isUndefined(plan(overlay({ sections: [section("a")] })).complete)
  })

  it("[127] two are refused, named with owner in the order in which they would stand", () => {
    const error = refused(
      overlay({ sections: [complete("z", { plugin: "p" })] }),
      overlay({ sections: [complete("b"), complete("first", { order: -1 })] }, "C")
    )
    assert.deepStrictEqual(
      error,
      new MultipleCompleteSections({
        scope: "C",
        sections: [
          { entry: "first", scope: "C" },
          { entry: "b", scope: "C" },
          { entry: "z", scope: "global", plugin: "p" }
        ]
      })
    )
    for (const part of [`scope "C"`, `"first"`, `"b"`, `"z"`, `"global"`, `plugin "p"`]) {
      assert.include(error.message, part)
    }
  })

  it("[128] only those in force count: a shadowing section decides for the name, either way", () => {
    const far = overlay({ sections: [complete("a"), section("b")] })
    assert.isUndefined(plan(far, overlay({ sections: [section("a")] }, "C")).complete)
    assert.strictEqual(plan(far, overlay({ sections: [complete("a")] }, "C")).complete, "a")
    const moved = overlay({ sections: [section("a"), complete("b")] }, "C")
    assert.strictEqual(plan(far, moved).complete, "b")
  })
})

describe("properties", () => {
  const chain = arbitraries.chain

  it.prop("shadowing: of each name the last writer on the chain takes part, and no other", [chain], ([options]) => {
    const overlays = chains.pure(options)
    const result = Plan.make("S", overlays)
    const sections = new Map(overlays.flatMap((one) => one.sections.map((entry) => [entry.name, entry] as const)))
    const complete = [...sections.values()].filter((entry) => entry.complete)
    assert.strictEqual(Result.isSuccess(result), complete.length < 2)
    if (Result.isFailure(result)) return
    const self = result.success
    const winners = (planned: ReadonlyArray<{ readonly entry: { readonly name: string } }>) =>
      new Map(planned.map(({ entry }) => [entry.name, entry]))
    assert.deepStrictEqual(winners(self.sections), new Map(sections))
    assert.strictEqual(self.sections.length, sections.size)
    const variables = overlays.flatMap((one) => one.variables.map((entry) => [entry.name, entry] as const))
    assert.deepStrictEqual(winners(self.variables), new Map(variables))
    const contexts = overlays.flatMap((one) => one.contexts.map((entry) => [entry.name, entry] as const))
    const suppressed = overlays.some((one) => one.suppressors > 0)
    assert.deepStrictEqual(winners(self.contexts), suppressed ? new Map() : new Map(contexts))
    assert.strictEqual(self.tools.length, overlays.flatMap((one) => one.tools).length)
    assert.strictEqual(self.listeners.length, overlays.flatMap((one) => one.listeners).length)
    assert.strictEqual(self.complete, complete[0]?.name)
  })

  it.prop(
    "origins: with its hidden ones, a named entry accounts for every overlay that has the name",
    [chain],
    ([options]) => {
      const overlays = chains.pure(options)
      const result = Plan.make("S", overlays)
      if (Result.isFailure(result)) return
      for (const kind of ["sections", "variables"] as const) {
        for (const { entry, origin, position } of result.success[kind]) {
          const writers = overlays.flatMap((one, at) => {
            const found = one[kind].find(({ name }) => name === entry.name)
            return found === undefined ? [] : [{ at, scope: one.scope, plugin: found.plugin }]
          })
          assert.deepStrictEqual(
            [
              { scope: origin.scope, plugin: origin.plugin },
              ...origin.shadows.map(({ scope, plugin }) => ({ scope, plugin }))
            ],
            writers.toReversed().map(({ scope, plugin }) => ({ scope, plugin }))
          )
          assert.strictEqual(position, writers.at(-1)?.at)
        }
      }
    }
  )

  it.prop(
    "[325] the order of entries in an overlay is no matter, but for tool providers that nothing tells apart",
    [chain, generate.picks],
    ([options, picks]) => {
      const shuffle = <A>(all: ReadonlyArray<A>) => generate.shuffled(all, picks)
      const overlays = chains.pure(options)
      const shuffled = overlays.map((one) => ({
        ...one,
        sections: shuffle(one.sections),
        contexts: shuffle(one.contexts),
        variables: shuffle(one.variables),
        tools: shuffle(one.tools),
        listeners: shuffle(one.listeners)
      }))
      const comparable = (result: Result.Result<Plan.Plan, MultipleCompleteSections>) =>
        Result.map(result, (self) => ({
          ...self,
          tools: self.tools.map(({ entry, origin, position }) => [entry.name, origin, position])
        }))
      assert.deepStrictEqual(comparable(Plan.make("S", shuffled)), comparable(Plan.make("S", overlays)))
    }
  )

  it.prop("[329] an overlay without entries anywhere in the chain changes nothing but places", [chain], ([options]) => {
    const overlays = chains.pure(options)
    const sparse = overlays.flatMap((one) => [overlay({}, "empty"), one, overlay({}, "empty")])
    const comparable = (result: Result.Result<Plan.Plan, MultipleCompleteSections>) =>
      Result.map(result, (self) =>
        JSON.stringify(self, (key, value: unknown) => (key === "position" ? undefined : value))
      )
    assert.deepStrictEqual(comparable(Plan.make("S", sparse)), comparable(Plan.make("S", overlays)))
  })

  it.prop("a plan is frozen: every list, every entry, every origin", [chain], ([options]) => {
    const result = Plan.make("S", chains.pure(options))
    if (Result.isFailure(result)) return
    const self = result.success
    assert.deepStrictEqual(
      changeable({ ...self, tools: [] }).filter((path) => path !== "$" && path !== "$.tools"),
      []
    )
    assert.isTrue(Object.isFrozen(self))
    assert.isTrue(Object.isFrozen(self.tools))
    for (const planned of self.tools) assert.deepStrictEqual(changeable(planned.origin), [])
  })
})
