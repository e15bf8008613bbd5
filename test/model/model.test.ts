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
      yield* check(
        Program.arbitrary,
        (program) => Effect.map(Program.run(program), (observed) => {
          assert.deepStrictEqual(observed, Model.run(program))
          tally.count("x")
        }),
        { runs: runs(2_000, 200_000), seed: 1 }
      )
    }), patience)
})
