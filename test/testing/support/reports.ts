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

/** None of them holds or is broken: no case has judged them, and they do not pass a test. */
export const unjudged = (
  laws: ReadonlyArray<Law.Law>,
  reason: string
): Effect.Effect<void, ReadonlyArray<Law.Report> | Law.LawMisused> =>
  Effect.gen(function* () {
    for (const report of yield* Law.check(laws, { runs })) {
      assert.strictEqual(Law.format(report), `${report.law}: not judged: ${reason}.`)
      const error = yield* Effect.flip(Law.assert(laws, { runs }))
      assert.strictEqual(error._tag, "LawMisused")
      assert.include(error.message, Law.format(report))
    }
  })

/** The law cannot be checked, for this reason. */
export const misused = (
  laws: ReadonlyArray<Law.Law>,
  reason: string
): Effect.Effect<void, ReadonlyArray<Law.Report> | Law.LawMisused> =>
  Effect.gen(function* () {
    for (const law of laws) {
      const error = yield* Effect.flip(Law.assert(law, { runs }))
      assert.strictEqual(error._tag, "LawMisused")
      assert.strictEqual(error.message, `Law "${law.name}" cannot be checked: ${reason}`)
    }
  })

/** The law of this name is broken, by this case, and its token repeats it to the letter; no other is broken. */
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
    for (const other of yield* Law.check(
      laws.filter((law) => law.name !== name),
      { runs }
    )) {
      assert.notStrictEqual(other._tag, "Failed", Law.format(other))
    }
  })
