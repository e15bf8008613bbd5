/** Properties that count what they have met, so that none holds only because nothing happened. */
import { assert } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"

/** Milliseconds that a test of a property may take on a busy machine. */
export const patience = 60_000

/** Checks a property, given as an effect that fails or dies where it does not hold; shrinks, and shows the counterexample. */
export const check = <A, E, R>(
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<void, E, R>,
  options?: Arbitrary.CheckOptions
): Effect.Effect<void, never, R> =>
  Effect.map(
    Arbitrary.checkEffect(
      arbitrary,
      (value) =>
        Effect.sandbox(
          Effect.as(
            Effect.suspend(() => property(value)),
            true
          )
        ),
      options
    ),
    (result) => assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
  )

/** Counts the runs of a property by what came of them. */
export class Tally {
  readonly #counts = new Map<string, number>()
  #runs = 0

  /** Counts one run, under each of the labels. */
  count(...labels: ReadonlyArray<string>): void {
    this.#runs++
    for (const label of new Set(labels)) this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1)
  }

  /** In percent of all runs. */
  share(label: string): number {
    return (100 * (this.#counts.get(label) ?? 0)) / this.#runs
  }

  /** Prints all shares, and asserts that each of these is at least so many percent. */
  assertShares(title: string, least: Readonly<Record<string, number>>): void {
    const labels = [...new Set([...Object.keys(least), ...this.#counts.keys()])].toSorted()
    const shares = labels.map((label) => `${label} ${this.share(label).toFixed(1)} %`)
    console.log(`${title}: ${shares.join(", ")} of ${this.#runs} runs`)
    for (const [label, percent] of Object.entries(least)) assert.isAtLeast(this.share(label), percent, label)
  }
}
