/** Programs: how often what occurs in them, that running shows what happens, and that failing ones shrink to little. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import * as Program from "../../src/testing/Program.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"

// -----------------------------------------------------------------------------
// shrinking
// -----------------------------------------------------------------------------

type Observations = ReadonlyArray<Program.Observation>

/** False where this is seen. */
const never = (isSeen: (one: Program.Observation, index: number) => boolean) => (program: Program.Program) =>
  Effect.map(Program.run(program), (seen) => !seen.some(isSeen))

const lastRendered = (seen: Observations): string | undefined => {
  const last = seen.findLast((one) => one._tag === "Rendered")
  return last?.text
}

interface Claim {
  readonly claim: string
  readonly holds: (program: Program.Program) => Effect.Effect<boolean>
  /** A program against it has this many steps at least. */
  readonly steps: number
}

/** All of them are wrong. */
const claims: ReadonlyArray<Claim> = [
  {
    claim: "no assembly has a section named b",
    holds: never((one) => one._tag === "Assembled" && one.sections.some(({ name }) => name === "b")),
    steps: 2
  },
  {
    claim: "no prompt contains }}",
    holds: never((one) => one._tag === "Rendered" && one.text.includes("}}")),
    steps: 2
  },
  {
    claim: "rebinding never changes the last rendering",
    holds: (program) =>
      Effect.gen(function* () {
        const still = program.steps.filter((step) => step._tag !== "Rebind")
        const moved = lastRendered(yield* Program.run(program))
        const unmoved = lastRendered(yield* Program.run({ ...program, steps: still }))
        return moved === undefined || unmoved === undefined || moved === unmoved
      }),
    steps: 5
  },
  {
    claim: "no scope is closed too early",
    holds: never((one) => one._tag === "Failed" && one.failure.tag === "ScopeClosed"),
    steps: 3
  },
  {
    claim: "no listener fails",
    holds: never((one) => one._tag === "Failed" && one.failure.tag === "ListenerFailure"),
    steps: 2
  },
  {
    claim: "nothing shadows anything",
    holds: never((one) => one._tag === "Assembled" && one.variables.some(({ origin }) => origin.shadows.length > 0)),
    steps: 4
  }
]

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

describe("a failing program", () => {
  for (const maxShrinks of [100])
    for (const { claim, holds, steps } of claims) {
      it.effect(
        `shrinks to the few steps that matter: ${claim}`,
        () =>
          Effect.gen(function* () {
            const lengths: Array<number> = []
            for (let seed = 0; seed < 10; seed++) {
              let evals = 0
              const result = yield* Arbitrary.checkEffect(
                Program.arbitrary,
                (p) => {
                  evals++
                  return holds(p)
                },
                { runs: 2_000, seed, maxShrinks }
              )
              if (result._tag !== "Falsified") return assert.fail(`${claim}: ${result._tag}`)
              lengths.push(result.shrunkInput.steps.length)
              if (seed < 2)
                console.log(evals - result.runs, result.initialInput.steps.length, JSON.stringify(result.shrunkInput))
            }
            console.log(
              `${maxShrinks} ${claim}: ${median(lengths)} steps, at worst ${Math.max(...lengths)} (least ${steps})`,
              lengths.join()
            )
          }),
        patience
      )
    }
})
