/** Programs: how often what occurs in them, and what a run shows. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import * as Model from "../../src/testing/Model.ts"
import * as Program from "../../src/testing/Program.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { open, render, section, type Step } from "./steps.ts"

/** A registration that is refused, and so has no effect but to count. */
const refused: Step = section("", "")

/** In short: a text for a rendering, the tag of a failure, otherwise the tag of the observation. */
const inShort = (one: Program.Observation): string => {
  if (one._tag === "Failed") return one.failure.tag
  return one._tag === "Rendered" ? one.text : one._tag
}

// -----------------------------------------------------------------------------
// generating
// -----------------------------------------------------------------------------

describe("Program.arbitrary", () => {
  it.effect(
    "has each kind of step, of contribution and of failure in at least one program of a hundred, and most look in the end",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Program.arbitrary,
          (program) =>
            Effect.gen(function* () {
              const seen = yield* Program.run(program)
              assert.isAtMost(program.steps.length, 22)
              const refused = seen[0]?._tag === "Failed" && seen[0].failure.tag === "InvalidToolOrder"
              assert.lengthOf(seen, refused ? 1 : program.steps.length)
              const looks = program.steps.slice(-3).map(({ _tag }) => _tag)
              tally.count(
                ...program.steps.map(({ _tag }) => _tag),
                ...program.steps.flatMap((step) => (step._tag === "Register" ? [step.contribution._tag] : [])),
                ...program.steps.flatMap((step, i) => (seen[i]?._tag === "Done" ? [`${step._tag}, done`] : [])),
                ...seen.map((one) => (one._tag === "Failed" ? one.failure.tag : one._tag)),
                ...seen.flatMap((one) => (one._tag === "Rendered" && one.text !== "" ? ["text"] : [])),
                ...seen.flatMap((one) => (one._tag === "Rendered" && one.snapshot !== "" ? ["snapshot"] : [])),
                ...(looks.includes("Assemble") && looks.includes("Render") ? ["looks twice in the end"] : [])
              )
            }),
          { runs: runs(300, 10_000), seed: 1 }
        )
        const steps = ["Open", "Register", "Unregister", "Close", "Rebind", "Assemble", "Render"]
        const contributions = ["Section", "Context", "Variable", "Tools", "Listener", "Suppressor", "Persona"]
        const registering = ["DuplicateRegistration", "InvalidRegistration", "InvalidToolOrder"]
        const scopes = ["ScopeClosed", "ScopeCycle"]
        const assembling = ["MultipleCompleteSections", "UnknownTool", "ReservedToolName", "InvalidToolSchema"]
        const running = ["ProviderFailure", "ListenerFailure", "InvalidAssembly"]
        const rendering = ["UnknownVariable", "UndefinedVariable", "MalformedGroup"]
        const failures = [...registering, ...scopes, ...assembling, ...running, ...rendering]
        tally.assertShares("programs", {
          ...Object.fromEntries(steps.map((tag) => [tag, 15])),
          ...Object.fromEntries(contributions.map((tag) => [tag, 10])),
          ...Object.fromEntries(failures.map((tag) => [tag, 1])),
          ...Object.fromEntries(["Open", "Unregister", "Close", "Rebind"].map((tag) => [`${tag}, done`, 10])),
          Assembled: 60,
          Rendered: 50,
          text: 25,
          snapshot: 5,
          "looks twice in the end": 70
        })
      }),
    patience
  )

  it.effect("gives the same programs for the same seed", () =>
    Effect.gen(function* () {
      const first = yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 7 })
      assert.deepStrictEqual(yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 7 }), first)
      assert.notDeepEqual(yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 8 }), first)
    })
  )
})

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

describe("Program.run", () => {
  const cases: ReadonlyArray<readonly [what: string, steps: ReadonlyArray<Step>, seen: ReadonlyArray<string>]> = [
    ["registers and renders", [section("a", "x"), render()], ["Done", "x"]],
    [
      "numbers scopes as they are opened",
      [open("p"), section("a", "x", 1), render(), render(1)],
      ["Done", "Done", "", "x"]
    ],
    [
      "takes the number of a scope modulo how many there are",
      [open("p"), section("a", "x", 3), render(5)],
      ["Done", "Done", "x"]
    ],
    [
      "counts closed scopes, but none that could not be opened",
      [open("p"), { _tag: "Close", scope: 1 }, open("q", 1), open("r"), section("a", "x", 2), render(2)],
      ["Done", "Done", "ScopeClosed", "Done", "Done", "x"]
    ],
    [
      "unregisters by number, those that were refused counted",
      [refused, section("a", "x"), section("b", "y"), { _tag: "Unregister", registration: 1 }, render()],
      ["InvalidRegistration", "Done", "Done", "Done", "y"]
    ],
    [
      "ends twice without complaint",
      [
        section("a", "x"),
        open("p"),
        ...Array.from({ length: 2 }, (): Step => ({ _tag: "Unregister", registration: 0 })),
        { _tag: "Close", scope: 1 },
        { _tag: "Close", scope: 1 },
        render(1)
      ],
      ["Done", "Done", "Done", "Done", "Done", "Done", ""]
    ],
    [
      "does nothing where nothing is referred to, and to the global scope",
      [
        { _tag: "Unregister", registration: 0 },
        { _tag: "Close", scope: 0 },
        { _tag: "Rebind", scope: 0, parent: 0 }
      ],
      ["Nothing", "Nothing", "Nothing"]
    ],
    [
      "rebinds",
      [
        open("p"),
        open("q"),
        section("a", "x", 1),
        { _tag: "Rebind", scope: 2, parent: 1 },
        render(2),
        { _tag: "Rebind", scope: 1, parent: 2 }
      ],
      ["Done", "Done", "Done", "Done", "x", "ScopeCycle"]
    ]
  ]
  for (const [what, steps, seen] of cases) {
    it.effect(what, () =>
      Effect.map(Program.run({ steps }), (all) => {
        assert.deepStrictEqual(all.map(inShort), seen)
        assert.deepStrictEqual(Model.run({ steps }), all)
      })
    )
  }

  it.effect("sees one failure, and nothing else, if there is no service", () =>
    Effect.map(Program.run({ toolOrder: [], steps: [render(), render()] }), (seen) =>
      assert.deepStrictEqual(seen, [
        { _tag: "Failed", failure: { tag: "InvalidToolOrder", kind: "toolOrder", entry: "", scope: "global" } }
      ])
    )
  )

  it.effect("sees origins and owners", () =>
    Effect.gen(function* () {
      const [, , , assembled, failed] = yield* Program.run({
        steps: [
          { ...section("a", "far") },
          open("p"),
          section("a", "near {{b}}", 1),
          { _tag: "Assemble", scope: 1 },
          render(1)
        ]
      })
      assert(assembled?._tag === "Assembled")
      assert.deepInclude(
        assembled.sections.find(({ name }) => name === "a"),
        {
          order: 1,
          text: "near {{b}}",
          interpolate: true,
          origin: { scope: "p", shadows: [{ scope: "global" }] }
        }
      )
      assert.deepStrictEqual(failed, {
        _tag: "Failed",
        failure: { tag: "UnknownVariable", kind: "section", entry: "a", scope: "p", names: ["b"] }
      })
    })
  )

  it.effect(
    "does not show how values are provided",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Program.arbitrary,
          ({ steps: all, ...rest }) =>
            Effect.gen(function* () {
              const steps = all.filter(({ _tag }) => _tag !== "Unregister")
              const seen = yield* Program.run({ ...rest, steps })
              // Each refused registration moves all others to the next manner.
              for (const moves of [1, 2, 3, 4]) {
                const moved = yield* Program.run({
                  ...rest,
                  steps: [...Array.from({ length: moves }, () => refused), ...steps]
                })
                assert.deepStrictEqual(seen.length === 1 ? moved : moved.slice(moves), seen)
              }
              tally.count(...seen.map(({ _tag }) => _tag))
            }),
          { runs: runs(40, 2_000), seed: 2 }
        )
        tally.assertShares("manners", { Rendered: 30, Failed: 30 })
      }),
    patience
  )
})
