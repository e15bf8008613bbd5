/** Random programs do in the registry of tools what its reference model says they have to do, step by step. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { show } from "../../src/testing/internal/show.ts"
import * as Model from "../../src/testing/ToolRegistryModel.ts"
import * as Program from "../../src/testing/ToolRegistryProgram.ts"
import { Tally } from "../support/check.ts"
import { deep, patience, runs } from "../support/runs.ts"
import { agree, counterexample } from "./compare.ts"

// -----------------------------------------------------------------------------
// what must occur
// -----------------------------------------------------------------------------

/** In percent of all programs. */
const least = 1

const steps: Record<Program.Step["_tag"], number> = {
  Open: least,
  Register: least,
  Unregister: least,
  Close: least,
  Rebind: least,
  View: least,
  Assemble: least,
  Call: least
}

const registered: Record<`${Program.Contribution["_tag"]} registered`, number> = {
  "Tool registered": 50,
  "Restriction registered": 10,
  "Guard registered": 10,
  "Listener registered": 10,
  "Tools registered": 5
}

const refusedAtRegistration = {
  "DuplicateRegistration of tool": least,
  "DuplicateRegistration of guard": least,
  "InvalidRegistration of tool": least,
  "InvalidRegistration of restriction": least,
  "InvalidRegistration of guard": least,
  "ReservedToolName of tool": least,
  "ReservedToolName of restriction": least,
  "UnknownTool of restriction": least,
  "ScopeClosed of tool": least,
  "ScopeClosed of restriction": least
}

const elsewhere = { "UnknownTool of toolOrder": least, ScopeCycle: least, ScopeClosed: least }

const calls = {
  Answered: 10,
  ToolNotFound: 5,
  "ToolNotFound, hidden": least,
  "ToolNotFound, removed by a listener": least,
  ToolWithoutHandler: 2,
  InvalidToolArguments: 5,
  ToolRefused: 2,
  "GuardFailure failed": least,
  "GuardFailure died": least,
  "GuardFailure else": least,
  "ToolFailure failed": least,
  "ToolFailure died": least,
  "ToolFailure else": least,
  "answered after guards": 2,
  "answered in a nearer scope than the tool's": 2,
  "called from an earlier assembly": 5
}

/** What views and assemblies have to show in some programs, for a comparison to mean something. */
const sights = {
  "tool viewed": 25,
  "hidden viewed": 5,
  "hidden by two restrictions": least,
  "hidden by allow": 2,
  "hidden by deny": 2,
  "shadowing viewed": 2,
  "tools of one name assembled": least,
  "described tool assembled": 2
}

// -----------------------------------------------------------------------------
// what occurred
// -----------------------------------------------------------------------------

const holding = (all: Readonly<Record<string, boolean>>): ReadonlyArray<string> =>
  Object.entries(all).flatMap(([what, is]) => (is ? [what] : []))

const failedLabels = ({ kind, tag }: Program.Failure): ReadonlyArray<string> => [
  kind === undefined ? tag : `${tag} of ${kind}`
]

/** Names that some view hid, and some listener removes. */
const outOfReach = ({ steps: all }: Program.ToolRegistryProgram, seen: ReadonlyArray<Program.Observation>) => ({
  hidden: new Set(seen.flatMap((one) => (one._tag === "Viewed" ? one.hidden.map(({ name }) => name) : []))),
  removed: new Set(
    all.flatMap((step) =>
      step._tag === "Register" && step.contribution._tag === "Listener" && step.contribution.options.edit === "removes"
        ? [step.contribution.options.tool]
        : []
    )
  )
})

const refusedLabels = (
  { names, reason, tag }: Program.Failure,
  { hidden, removed }: ReturnType<typeof outOfReach>
): ReadonlyArray<string> => {
  if (tag === "GuardFailure" || tag === "ToolFailure") return [`${tag} ${reason}`]
  const [name = ""] = names ?? []
  const isMissing = tag === "ToolNotFound"
  return [
    tag,
    ...holding({
      "ToolNotFound, hidden": isMissing && hidden.has(name),
      "ToolNotFound, removed by a listener": isMissing && removed.has(name)
    })
  ]
}

const viewedLabels = ({ hidden, tools }: Extract<Program.Observation, { _tag: "Viewed" }>): ReadonlyArray<string> =>
  holding({
    "tool viewed": tools.length > 0,
    "hidden viewed": hidden.length > 0,
    "hidden by two restrictions": hidden.some(({ by }) => by.length > 1),
    "hidden by allow": hidden.some(({ by }) => by.some(({ list }) => list === "allow")),
    "hidden by deny": hidden.some(({ by }) => by.some(({ list }) => list === "deny")),
    "shadowing viewed": tools.some(({ origin }) => origin.shadows.length > 0)
  })

const answeredLabels = ({ answer, ran }: Extract<Program.Observation, { _tag: "Answered" }>): ReadonlyArray<string> =>
  holding({
    Answered: true,
    "answered after guards": ran.length > 1,
    "answered in a nearer scope than the tool's":
      typeof answer === "object" && answer !== null && "scope" in answer && answer["scope"] !== "global"
  })

const labels = (program: Program.ToolRegistryProgram, seen: ReadonlyArray<Program.Observation>) => {
  const reach = outOfReach(program, seen)
  return program.steps.flatMap((step, i): ReadonlyArray<string> => {
    const one = seen[i]
    const did = step._tag === "Register" && one?._tag === "Done" ? [`${step.contribution._tag} registered`] : []
    const earlier = step._tag === "Call" && step.assembly > 0 && one?._tag === "Answered"
    return [step._tag, ...did, ...(earlier ? ["called from an earlier assembly"] : []), ...seenLabels(one, reach)]
  })
}

const seenLabels = (
  one: Program.Observation | undefined,
  reach: ReturnType<typeof outOfReach>
): ReadonlyArray<string> => {
  switch (one?._tag) {
    case "Failed":
      return failedLabels(one.failure)
    case "Refused":
      return refusedLabels(one.failure, reach)
    case "Viewed":
      return viewedLabels(one)
    case "Answered":
      return answeredLabels(one)
    case "Assembled":
      return holding({
        "tools of one name assembled": new Set(one.tools.map(({ name }) => name)).size < one.tools.length,
        "described tool assembled": one.tools.some(({ origin }) => origin.listener !== undefined)
      })
    default:
      return []
  }
}

// -----------------------------------------------------------------------------
// the comparison
// -----------------------------------------------------------------------------

/** So many programs of one seed, so that no more of them than these are held at one time. */
const batch = 1_000

/** Checks programs of one seed, and gives what is to be read if one of them fails. */
const checkBatch = (seed: number, tally: Tally): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const result = yield* Arbitrary.checkEffect(
      Program.arbitrary,
      (program) =>
        Effect.map(Program.run(program), (observed) => {
          tally.count(...labels(program, observed))
          return agree(observed, Model.run(program))
        }),
      { runs: batch, seed, maxShrinks: 5_000 }
    )
    if (result._tag === "Passed") return undefined
    if (result._tag !== "Falsified") return result._tag
    const { shrunkInput, replay } = result
    const where = `seed ${seed}, program ${result.runs}, after ${result.shrinks} shrinks; replay ${replay}`
    const seen = yield* Program.run(shrunkInput)
    return `${where}\n${counterexample(shrunkInput, seen, Model.run(shrunkInput), show)}`
  })

describe("ToolRegistryProgram.run", () => {
  it.effect(
    "does what the reference model says",
    () =>
      Effect.gen(function* () {
        const first = deep ? Math.floor(Math.random() * 1_000_000) : 1
        const tally = new Tally()
        if (deep) console.log(`seeds from ${first} on`)
        for (let seed = first; seed < first + runs(1_000, 50_000) / batch; seed++) {
          const problem = yield* checkBatch(seed, tally)
          if (problem !== undefined) assert.fail(problem)
        }
        tally.assertShares("programs", {
          ...steps,
          ...registered,
          ...refusedAtRegistration,
          ...elsewhere,
          ...calls,
          ...sights
        })
      }),
    patience
  )
})
