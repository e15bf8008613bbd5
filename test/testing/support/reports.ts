/** What tests of the laws expect of their reports. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Law } from "effect-preamble/testing"

/** Fewer than consumers should use: there are many tests. */
const runs = 8

/** All of them hold. */
export const holds = (laws: ReadonlyArray<Law.Law>): Effect.Effect<void, Law.LawMisused> =>
  Effect.map(Law.check(laws, { runs }), (reports) => {
    assert.strictEqual(reports.length, laws.length)
    for (const report of reports) assert.strictEqual(report._tag, "Passed", Law.format(report))
  })

/** The law of this name is broken, by this case, and its token repeats it to the letter; all others hold. */
export const breaks = (
  laws: ReadonlyArray<Law.Law>,
  name: string,
  broken: { readonly counterexample: string; readonly expected: string; readonly seen: string }
): Effect.Effect<void, Law.LawMisused> =>
  Effect.gen(function* () {
    const [found] = yield* Law.check(laws.filter((law) => law.name === name))
    if (found?._tag !== "Failed") return assert.fail(`${name} holds`)
    const { counterexample, expected, seen } = found
    assert.deepStrictEqual({ counterexample, expected, seen }, broken)
    assert.deepStrictEqual(yield* Law.check(laws, { replay: found.replay }), [{ ...found, runs: 1 }])
    yield* holds(laws.filter((law) => law.name !== name))
  })
