/** Random programs do in the service what the reference model says they have to do, step by step. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import type { PromptError } from "../../src/PromptError.ts"
import * as Model from "../../src/testing/Model.ts"
import * as Program from "../../src/testing/Program.ts"
import { Tally } from "../support/check.ts"
import { deep, patience, runs } from "../support/runs.ts"
import { choose } from "../../src/testing/internal/generate.ts"
import { agree, counterexample, stepLine } from "./compare.ts"
import { gathered } from "./gathered.ts"

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
  Assemble: least,
  Render: least
}

const contributions: Record<`${Program.Contribution["_tag"]} registered`, number> = {
  "Section registered": least,
  "Context registered": least,
  "Variable registered": least,
  "Tools registered": least,
  "Listener registered": least,
  "Suppressor registered": least,
  "Persona registered": least
}

const failures: Record<PromptError["_tag"], number> = {
  DuplicateRegistration: least,
  InvalidRegistration: least,
  InvalidToolOrder: least,
  ScopeClosed: least,
  ScopeCycle: least,
  MultipleCompleteSections: least,
  UnknownTool: least,
  ReservedToolName: least,
  InvalidToolSchema: least,
  ProviderFailure: least,
  ListenerFailure: least,
  InvalidAssembly: least,
  UnknownVariable: least,
  UndefinedVariable: least,
  MalformedGroup: least
}

/** What an assembly has to show in some programs, for a comparison to mean something. */
const sights = {
  "section shown": 25,
  "context shown": 5,
  "variable shown": 10,
  "tool shown": 5,
  "tools of one name shown": least,
  "shadowing shown": 2,
  "listener shown": 5,
  "prompt rendered": 20,
  "snapshot rendered": 2
}

// -----------------------------------------------------------------------------
// what occurred
// -----------------------------------------------------------------------------

const stepLabels = (step: Program.Step): ReadonlyArray<string> =>
  step._tag === "Register" ? [step._tag, `${step.contribution._tag} registered`] : [step._tag]

const seenLabels = (seen: Program.Observation): ReadonlyArray<string> => {
  if (seen._tag === "Failed") return [seen.failure.tag]
  if (seen._tag === "Rendered") return shown({ prompt: seen.text !== "", snapshot: seen.snapshot !== "" }, "rendered")
  if (seen._tag !== "Assembled") return []
  const { sections, contexts, tools, variables } = seen
  const origins = [sections, contexts, tools, variables].flat().map(({ origin }) => origin)
  const names = tools.map(({ schema }): unknown => JSON.parse(schema).name)
  return shown(
    {
      section: sections.some(({ text }) => text !== ""),
      context: contexts.length > 0,
      variable: variables.length > 0,
      tool: tools.length > 0,
      "tools of one name": new Set(names).size < names.length,
      shadowing: origins.some(({ shadows }) => shadows.length > 0),
      listener: origins.some(({ listener }) => listener !== undefined)
    },
    "shown"
  )
}

const shown = (all: Readonly<Record<string, boolean>>, how: string): ReadonlyArray<string> =>
  Object.entries(all).flatMap(([what, is]) => (is ? [`${what} ${how}`] : []))

// -----------------------------------------------------------------------------
// the comparison
// -----------------------------------------------------------------------------

const programs = choose(Program.arbitrary, Program.arbitrary, gathered)

/** So many programs of one seed, so that no more of them than these are held at one time. */
const batch = 2_000

/** Checks programs of one seed, and gives what is to be read if one of them fails. */
const checkBatch = (seed: number, tally: Tally): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const result = yield* Arbitrary.checkEffect(
      programs,
      (program) =>
        Effect.map(Program.run(program), (observed) => {
          tally.count(...program.steps.flatMap(stepLabels), ...observed.flatMap(seenLabels))
          return agree(observed, Model.run(program))
        }),
      { runs: batch, seed, maxShrinks: 5_000 }
    )
    if (result._tag === "Passed") return undefined
    if (result._tag !== "Falsified") return result._tag
    const { shrunkInput, replay } = result
    const where = `seed ${seed}, program ${result.runs}, after ${result.shrinks} shrinks; replay ${replay}`
    return `${where}\n${counterexample(shrunkInput, yield* Program.run(shrunkInput), Model.run(shrunkInput), stepLine)}`
  })

describe("Program.run", () => {
  it.effect(
    "does what the reference model says",
    () =>
      Effect.gen(function* () {
        const first = deep ? Math.floor(Math.random() * 1_000_000) : 1
        const tally = new Tally()
        const start = process.cpuUsage()
        const batches = runs(2_000, 200_000) / batch
        if (deep) console.log(`seeds from ${first} on`)
        for (let seed = first; seed < first + batches; seed++) {
          const problem = yield* checkBatch(seed, tally)
          if (problem !== undefined) assert.fail(problem)
        }
        const { user, system } = process.cpuUsage(start)
        const perSecond = (batches * batch * 1_000_000) / (user + system)
        console.log(`${perSecond.toFixed(0)} programs per second of processor time`)
        tally.assertShares("programs", { ...steps, ...contributions, ...failures, ...sights })
      }),
    patience
  )
})
