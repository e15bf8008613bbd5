/** What tests of the laws expect of their reports. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Law } from "effect-preamble/testing"

/** All of them hold. */
export const holds = (laws: ReadonlyArray<Law.Law>, options?: Law.Options): Effect.Effect<void, Law.LawMisused> =>
  Effect.map(Law.check(laws, options), (reports) => {
    for (const report of reports) assert.strictEqual(report._tag, "Passed", Law.format(report))
  })

/** Exactly the law of this name is broken, by this case, and its token repeats it to the letter. */
export const breaks = (
  laws: ReadonlyArray<Law.Law>,
  name: string,
  broken: { readonly counterexample: string; readonly expected: string; readonly seen: string }
): Effect.Effect<void, Law.LawMisused> =>
  Effect.gen(function* () {
    const reports = yield* Law.check(laws)
    const failed = reports.filter((report) => report._tag === "Failed")
    assert.deepStrictEqual(
      failed.map((report) => report.law),
      [name],
      failed.map(Law.format).join("\n")
    )
    const [found] = failed
    if (found === undefined) return
    const { counterexample, expected, seen } = found
    assert.deepStrictEqual({ counterexample, expected, seen }, broken)
    const [again] = yield* Law.check(laws, { replay: found.replay })
    assert.deepStrictEqual(again, { ...found, runs: 1 })
  })
