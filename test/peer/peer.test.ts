/** Random programs do here what they do in the peer, but for the differences that are meant. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Program from "../../src/testing/Program.ts"
import { choose } from "../../src/testing/internal/generate.ts"
import { check, Tally } from "../support/check.ts"
import { patience, runs } from "../support/runs.ts"
import { crowded } from "./crowded.ts"
import { run, type Seen, type SeenPart } from "./adapter.ts"
import { deviations } from "./deviations.ts"

/** What the peer says of a failure is not all that ours say. */
const common = (ours: Program.Failure, theirs: Program.Failure) =>
  Object.fromEntries(
    Object.keys(theirs).map((field) => [field, Object.entries(ours).find(([key]) => key === field)?.[1]])
  )

/** Owners are compared where a part is as it was registered. */
const part = (ours: Program.Part, theirs: SeenPart | undefined): SeenPart => {
  const { name, order, text, interpolate, origin } = ours
  const isSame = theirs?.owner !== undefined && origin.listener === undefined
  return {
    name,
    order,
    text,
    interpolate,
    owner: isSame ? { scope: origin.scope, plugin: origin.plugin } : theirs?.owner
  }
}

/** Our observation, as far as it can be compared. */
const comparable = (ours: Program.Observation, theirs: Seen | undefined): unknown => {
  if (ours._tag === "Failed" && theirs?._tag === "Failed") {
    return { _tag: "Failed", failure: common(ours.failure, theirs.failure) }
  }
  if (ours._tag !== "Assembled" || theirs?._tag !== "Assembled") return ours
  return {
    _tag: "Assembled",
    sections: ours.sections.map((one, i) => part(one, theirs.sections[i])),
    contexts: ours.contexts.map((one, i) => part(one, theirs.contexts[i])),
    tools: ours.tools.map(({ schema }) => schema),
    variables: ours.variables.map(({ name, value }) => ({ name, value }))
  }
}

/** Programs, and what is asked of the random ones: each deviation that they are to meet is met. */
const programs = choose(Program.arbitrary, Program.arbitrary, crowded)

const met = Object.fromEntries(
  Object.entries(deviations).flatMap(([name, { shown }]) => (shown === "random" ? [[name, 0.1] as const] : []))
)

describe("Program.run", () => {
  it.effect(
    "does what the peer does",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          programs,
          (program) =>
            Effect.gen(function* () {
              const { seen, notes } = yield* Effect.promise(() => run(program))
              const ours = yield* Program.run(program)
              assert.deepStrictEqual(
                ours.map((one, i) => comparable(one, seen[i])),
                seen
              )
              tally.count(...(notes.size === 0 ? ["the same"] : notes))
            }),
          { runs: runs(700, 50_000), seed: 1, maxShrinks: 2000 }
        )
        tally.assertShares("programs in both, none left out", { "the same": 30, ...met })
      }),
    patience
  )
})
