import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../../src/testing/Program.ts"
import { check, Tally } from "../support/check.ts"
const last = (seen: ReadonlyArray<Program.Observation>) =>
  JSON.stringify(seen.findLast((o) => o._tag === "Rendered") ?? null)
it.effect(
  "x",
  () =>
    Effect.gen(function* () {
      const tally = new Tally()
      let lens = 0,
        n = 0
      const t0 = performance.now()
      yield* check(
        Program.arbitrary,
        (program) =>
          Effect.gen(function* () {
            const seen = yield* Program.run(program)
            lens += program.steps.length
            n++
            const without = (tag: string) =>
              Effect.gen(function* () {
                const other = yield* Program.run({
                  ...program,
                  steps: program.steps.map((s) => (s._tag === tag ? { _tag: "Rebind", scope: 0, parent: 0 } : s))
                })
                return last(seen) !== last(other) ? ["effective " + tag] : []
              })
            tally.count(
              ...program.steps.map((s) => s._tag),
              ...seen.map((o) => (o._tag === "Failed" ? o.failure.tag : "ok " + o._tag)),
              ...program.steps.flatMap((s, i) => (seen[i]?._tag === "Done" ? ["done " + s._tag] : [])),
              ...seen.flatMap((o) => (o._tag === "Rendered" && o.text !== "" ? ["text"] : [])),
              ...seen.flatMap((o) => (o._tag === "Rendered" && o.snapshot !== "" ? ["snapshot"] : [])),
              ...(yield* without("Rebind")),
              ...(yield* without("Close")),
              ...(yield* without("Unregister")),
              ...program.steps.flatMap((s) => (s._tag === "Register" ? ["+" + s.contribution._tag] : []))
            )
          }),
        { runs: 1500, seed: 1 }
      )
      console.log(lens / n, performance.now() - t0)
      tally.assertShares("x", {})
    }),
  60000
)
