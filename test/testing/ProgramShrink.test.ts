/** Failing programs shrink to the few steps that matter, and these keep their meaning. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { keep } from "../../src/testing/internal/references.ts"
import * as Program from "../../src/testing/Program.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { open, render, section, type Step } from "./steps.ts"

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

  it("leaves out many steps at once before it leaves out one", () => {
    const steps = Array.from({ length: 16 }, () => render())
    const counts = Program.shrink({ steps }).map((one) => steps.length - one.steps.length)
    assert.deepStrictEqual(
      counts.filter((one) => one > 0),
      [...Array(2).fill(8), ...Array(4).fill(4), ...Array(8).fill(2), ...Array(16).fill(1)]
    )
  })

  const close = (scope: number): Step => ({ _tag: "Close", scope })
  const unregister = (registration: number): Step => ({ _tag: "Unregister", registration })
  const cases: ReadonlyArray<
    readonly [what: string, steps: ReadonlyArray<Step>, dropped: number, kept: ReadonlyArray<Step>]
  > = [
    [
      "does in the parent what was done in a scope that is left out",
      [open("p"), open("q", 1), section("a", "x", 2), open("r", 2), render(2)],
      1,
      [open("p"), section("a", "x", 1), open("r", 1), render(1)]
    ],
    ["moves numbers up", [open("p"), open("q"), close(2), render(5)], 0, [open("q"), close(1), render(1)]],
    [
      "leaves out the end of a registration that is left out",
      [section("a", "x"), unregister(0), section("b", "y"), unregister(1)],
      0,
      [section("b", "y"), unregister(0)]
    ],
    [
      "leaves out the end of a scope that is left out, and where it would move",
      [open("p"), close(1), { _tag: "Rebind", scope: 1, parent: 0 }, render(1)],
      0,
      [render(0)]
    ],
    [
      "knows that a scope whose parent is closed is not opened",
      [open("p"), close(1), open("q", 1), open("r"), render(2)],
      2,
      [open("p"), close(1), open("r"), render(2)]
    ]
  ]
  for (const [what, steps, dropped, kept] of cases) {
    it(what, () => {
      assert.deepStrictEqual(
        keep(steps, (i) => i !== dropped),
        kept
      )
    })
  }

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
