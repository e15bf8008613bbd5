/** Programs: how often what occurs in them, what a run shows, and that failing ones shrink to little. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { keep } from "../../src/testing/internal/shrinkProgram.ts"
import * as Program from "../../src/testing/Program.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"

type Step = Program.Step

const section = (name: string, text: string, scope = 0): Step => ({
  _tag: "Register",
  scope,
  contribution: { _tag: "Section", options: { name, order: 1, text } }
})

const open = (label: string, parent = 0): Step => ({ _tag: "Open", label, parent })

const render = (scope = 0): Step => ({ _tag: "Render", scope })

/** A registration that is refused, and so has no effect but to count. */
const refused: Step = section("", "")

/** In short: a text for a rendering, the tag of a failure, otherwise the tag of the observation. */
const inShort = (one: Program.Observation): string => {
  if (one._tag === "Failed") return one.failure.tag
  return one._tag === "Rendered" ? one.text : one._tag
}

const shown = (steps: ReadonlyArray<Step>) => Effect.map(Program.run({ steps }), (seen) => seen.map(inShort))

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
    it.effect(what, () => Effect.map(shown(steps), (actual) => assert.deepStrictEqual(actual, seen)))
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
        failure: { tag: "UnknownVariable", kind: "section", entry: "a", scope: "p" }
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

// -----------------------------------------------------------------------------
// shrinking
// -----------------------------------------------------------------------------

/** False where this is seen. */
const never = (isSeen: (one: Program.Observation) => boolean) => (program: Program.Program) =>
  Effect.map(Program.run(program), (seen) => !seen.some(isSeen))

const failsWith = (tag: string) => (one: Program.Observation) => one._tag === "Failed" && one.failure.tag === tag

const texts = (seen: ReadonlyArray<Program.Observation>) =>
  seen.map((one) => (one._tag === "Rendered" ? one.text : undefined))

interface Claim {
  readonly claim: string
  readonly holds: (program: Program.Program) => Effect.Effect<boolean>
  /** What the shortest programs against it have. */
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
    claim: "rebinding never changes a rendering",
    holds: ({ steps, ...rest }) =>
      Effect.gen(function* () {
        const still = steps.map((step): Step => (step._tag === "Rebind" ? { ...step, _tag: "Assemble" } : step))
        const moved = texts(yield* Program.run({ ...rest, steps }))
        const unmoved = texts(yield* Program.run({ ...rest, steps: still }))
        return moved.every((text, i) => text === undefined || unmoved[i] === undefined || text === unmoved[i])
      }),
    steps: 5
  },
  { claim: "no scope is closed too early", holds: never(failsWith("ScopeClosed")), steps: 3 },
  { claim: "no listener fails", holds: never(failsWith("ListenerFailure")), steps: 2 },
  {
    claim: "nothing shadows a variable",
    holds: never((one) => one._tag === "Assembled" && one.variables.some(({ origin }) => origin.shadows.length > 0)),
    steps: 4
  }
]

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

const shrunk = ({ claim, holds }: Claim, seed: number): Effect.Effect<Program.Program> =>
  Effect.map(Arbitrary.checkEffect(Program.arbitrary, holds, { runs: 2_000, seed }), (result) => {
    assert(result._tag === "Falsified", `${claim}: ${result._tag}`)
    return result.shrunkInput
  })

describe("a failing program", () => {
  for (const claim of claims) {
    it.effect(
      `shrinks to the few steps that matter, by the engine's own limit: ${claim.claim}`,
      () =>
        Effect.gen(function* () {
          const seeds = Array.from({ length: runs(3, 20) }, (_, seed) => seed)
          const found = yield* Effect.forEach(seeds, (seed) => shrunk(claim, seed))
          const lengths = found.map(({ steps }) => steps.length)
          const sizes = found.map((program) => JSON.stringify(program).length)
          console.log(
            `${claim.claim}: ${median(lengths)} steps, at worst ${Math.max(...lengths)}; ` +
              `${median(sizes)} characters, at worst ${Math.max(...sizes)}; ${found.length} seeds`
          )
          assert.strictEqual(median(lengths), claim.steps)
          assert.isAtMost(Math.max(...lengths), claim.steps + 2)
          assert.isAtMost(median(sizes), 100 * claim.steps)
        }),
      patience
    )
  }

  it.effect("shrinks to simple contributions", () =>
    Effect.gen(function* () {
      const program = yield* shrunk(claims[0]!, 0)
      assert.deepStrictEqual(program, {
        steps: [
          { _tag: "Register", scope: 0, contribution: { _tag: "Section", options: { name: "b", order: 0, text: "" } } },
          { _tag: "Assemble", scope: 0 }
        ]
      })
    })
  )
})

describe("Program.shrink", () => {
  it.effect("always ends, however the search goes, and nothing is simpler than the empty program", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Program.shrink({ steps: [] }), [])
      yield* check(
        Arbitrary.all([Program.arbitrary, Arbitrary.array(Arbitrary.Constant(0), { minLength: 1, maxLength: 5 })]),
        ([program, turns]) =>
          Effect.sync(() => {
            // Always the last, and so the smallest change; or one of those before it.
            const pick = turns.length
            let at = program
            let changes = 0
            for (let next = Program.shrink(at); next.length > 0; next = Program.shrink(at), changes++) {
              at = next.at(-pick) ?? next.at(-1) ?? at
              assert.isBelow(changes, 3_000)
            }
            assert.deepStrictEqual(at, { steps: [] })
          }),
        { runs: runs(12, 1_000), seed: 3 }
      )
    })
  )

  it.effect("leaves out what has no effect without a change to what is seen of the rest", () =>
    Effect.gen(function* () {
      const tally = new Tally()
      yield* check(
        Program.arbitrary,
        ({ steps, toolOrder }) =>
          Effect.gen(function* () {
            const seen = yield* Program.run({ toolOrder, steps })
            if (seen.length < steps.length) return
            const matters = steps.map(({ _tag }, i) => {
              const looks = _tag === "Assemble" || _tag === "Render"
              return looks ? i % 2 === 0 : _tag === "Register" || seen[i]?._tag === "Done"
            })
            const kept = keep(steps, (i) => matters[i] === true)
            assert.deepStrictEqual(
              yield* Program.run({ toolOrder, steps: kept }),
              seen.filter((_, i) => matters[i])
            )
            const renumbered = JSON.stringify(kept) !== JSON.stringify(steps.filter((_, i) => matters[i]))
            tally.count(renumbered ? "renumbered" : "same", kept.length < steps.length ? "shorter" : "all")
          }),
        { runs: runs(100, 5_000), seed: 4 }
      )
      tally.assertShares("left out", { renumbered: 20, shorter: 80 })
    })
  )
})
