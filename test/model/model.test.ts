/** Random programs do in the service what the reference model says, step by step. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Model from "../../src/testing/Model.ts"
import * as Program from "../../src/testing/Program.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"

describe("Program.run", () => {
  it.effect("does what the reference model says", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      const t = performance.now()
      yield* check(
        Program.arbitrary,
        (program) => Effect.map(Program.run(program), (observed) => {
          assert.deepStrictEqual(observed, Model.run(program))
          const labels = program.steps.map(one => one._tag === "Register" ? `Register ${one.contribution._tag}` : one._tag)
          tally.count(...labels, ...observed.map(one => one._tag === "Failed" ? `Failed ${one.failure.tag}` : `seen ${one._tag}`))
        }),
        { runs: Number(process.env["N"] ?? 2000), seed: process.env["SEED"] ?? 1 }
      )
      console.log(performance.now() - t)
      tally.assertShares("x", {})
    }), patience)
})
