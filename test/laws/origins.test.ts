/** Every part of an assembly knows where it comes from, against the rules of shadowing written down naively. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import type { Assembly } from "../../src/Assembly.ts"
import type { Origin } from "../../src/Origin.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import type * as Chain from "../../src/testing/Chain.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"
import { inOrder } from "../support/inOrder.ts"

const quiet = Arbitrary.map(arbitraries.chain, (chain) => chain.map((one) => ({ ...one, listeners: [] })))

/** A contribution of one overlay of a chain. */
interface Registration<A> {
  readonly scope: string
  /** Place of the overlay in the chain. */
  readonly position: number
  readonly entry: A
}

interface Owned {
  readonly plugin?: string | undefined
}

const whose = ({ scope, entry }: Registration<Owned>) =>
  entry.plugin === undefined ? { scope } : { scope, plugin: entry.plugin }

/** All contributions of a kind, nearest first. */
const nearestFirst = <A>(
  chain: chains.Chain,
  pick: (overlay: Chain.Overlay) => ReadonlyArray<A>
): ReadonlyArray<Registration<A>> =>
  chain
    .flatMap((overlay, position) =>
      pick(overlay).map((entry) => ({ scope: position === 0 ? "global" : overlay.label, position, entry }))
    )
    .toReversed()

/** For each name the registration that is in force, and its origin. */
const inForce = <A extends Owned & { readonly name: string }>(
  all: ReadonlyArray<Registration<A>>
): ReadonlyMap<string, { readonly entry: A; readonly origin: Origin }> => {
  const names = new Set(all.map(({ entry }) => entry.name))
  return new Map(
    [...names].map((name) => {
      const [winner, ...hidden] = all.filter(({ entry }) => entry.name === name)
      return [name, { entry: winner!.entry, origin: { ...whose(winner!), shadows: hidden.map(whose) } }] as const
    })
  )
}

const builtIns = ["deployment:persona-prefix", "deployment:persona-suffix"]

describe("origins", () => {
  it.effect(
    "are right for every section, context, variable and tool: scope, plugin, order, and what is shadowed",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          quiet,
          (chain) =>
            Effect.sync(() => {
              const assembled = chains.assemble(chain)
              if (Result.isFailure(assembled)) return tally.count("refused")
              const self = assembled.success

              const sections = inForce(nearestFirst(chain, (overlay) => overlay.sections))
              for (const one of self.sections) {
                if (builtIns.includes(one.name)) continue
                const { entry, origin } = sections.get(one.name)!
                assert.deepStrictEqual([one.order, one.text, one.origin], [entry.order, entry.text, origin])
              }
              if (self.complete === undefined) {
                // Only what requires a tool may be missing.
                const missing = [...sections.keys()].filter((name) => !self.sections.some((one) => one.name === name))
                for (const name of missing) assert.isNotEmpty(sections.get(name)?.entry.requires)
              } else {
                assert.deepStrictEqual(
                  self.sections.map(({ name }) => name),
                  [self.complete]
                )
              }

              const contexts = inForce(nearestFirst(chain, (overlay) => overlay.contexts))
              assert.strictEqual(self.contexts.length, self.suppressed ? 0 : contexts.size)
              for (const one of self.contexts) {
                const { entry, origin } = contexts.get(one.name)!
                assert.deepStrictEqual([one.order, one.text, one.origin], [entry.order, entry.text, origin])
              }

              const variables = inForce(nearestFirst(chain, (overlay) => overlay.variables))
              assert.strictEqual(self.variables.length, variables.size)
              for (const one of self.variables) {
                const { entry, origin } = variables.get(one.name)!
                assert.deepStrictEqual([one.value, one.origin], [entry.value, origin])
              }

              assert.deepStrictEqual(toolsOf(self), expectedTools(chain))

              const shadows = [...self.sections, ...self.contexts, ...self.variables].map(
                (one) => one.origin.shadows.length
              )
              tally.count(
                "assembly",
                ...(shadows.some((n) => n > 0) ? ["shadowing"] : []),
                ...(shadows.some((n) => n > 1) ? ["twice"] : []),
                ...(self.tools.length > 1 ? ["tools"] : [])
              )
            }),
          { runs: 1_000 }
        )
        tally.assertShares("origins", { assembly: 50, shadowing: 20, twice: 5, tools: 20 })
      }),
    patience
  )
})

/** Tools in the order of the assembly, with what tells where they come from. */
const toolsOf = (self: Assembly): ReadonlyArray<unknown> =>
  self.tools.map(({ schema, origin }) => [ToolSchema.emit(schema), origin])

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const expectedTools = (chain: chains.Chain): ReadonlyArray<unknown> =>
  nearestFirst(chain, (overlay) => overlay.tools)
    .flatMap((registration) => {
      const { name: provider, tools } = registration.entry
      const origin: Origin = { ...whose(registration), ...(provider === undefined ? {} : { provider }), shadows: [] }
      return ("schemas" in tools ? tools.schemas : tools).map(({ name, description, parameters, deferLoading }) => {
        const shown = { name, description, parameters, ...(deferLoading === true ? { deferLoading } : {}) }
        const canonical = JSON.stringify({ ...shown, parameters: inOrder(parameters) })
        return { name, json: JSON.stringify(shown), canonical, origin, position: registration.position }
      })
    })
    .toSorted(
      (a, b) =>
        byCodeUnits(a.name, b.name) ||
        a.position - b.position ||
        byCodeUnits(a.origin.provider ?? "", b.origin.provider ?? "") ||
        byCodeUnits(a.canonical, b.canonical) ||
        byCodeUnits(a.json, b.json) ||
        byCodeUnits(a.origin.plugin ?? "", b.origin.plugin ?? "")
    )
    .map(({ json, origin }) => [json, origin])
