import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../src/testing/Program.ts"
import { check, Tally } from "./support/check.ts"
it.effect("x", () => Effect.gen(function* () {
  const tally = new Tally()
  let lens = 0, n = 0
  const t0 = performance.now()
  yield* check(Program.arbitrary, (program) => Effect.gen(function* () {
    const seen = yield* Program.run(program)
    lens += program.steps.length; n++
    tally.count(...program.steps.map((s) => s._tag), ...seen.map((o) => o._tag === "Failed" ? o.failure.tag : "ok " + o._tag),
      ...program.steps.flatMap((s) => s._tag === "Register" ? ["+" + s.contribution._tag] : []))
  }), { runs: 2000, seed: 1 })
  console.log(lens / n, performance.now() - t0)
  tally.assertShares("x", {})
}), 60000)
