/** Programs of the registry of tools: what a run shows, and how a failing one shrinks. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer } from "effect"
import { SystemPrompt, ToolRegistry } from "effect-preamble"
import { keep } from "../../src/testing/internal/references.ts"
import * as Model from "../../src/testing/ToolRegistryModel.ts"
import * as Program from "../../src/testing/ToolRegistryProgram.ts"
import { check, patience } from "../support/check.ts"
import { runs } from "../support/runs.ts"

type Step = Program.Step

const open = (label: string, parent = 0): Step => ({ _tag: "Open", label, parent })

const tool = (name: string, scope = 0, options?: Partial<Program.Tool>): Step => ({
  _tag: "Register",
  scope,
  contribution: { _tag: "Tool", options: { name, parameters: "path", handler: "answers", ...options } }
})

const assemble = (scope = 0): Step => ({ _tag: "Assemble", scope })

const call = (name: string, assembly = 0, args: { readonly [key: string]: string } = { path: "a" }): Step => ({
  _tag: "Call",
  assembly,
  tool: name,
  arguments: args
})

const restrict = (scope: number, deny: ReadonlyArray<string>): Step => ({
  _tag: "Register",
  scope,
  contribution: { _tag: "Restriction", options: { deny } }
})

const unregister = (registration: number): Step => ({ _tag: "Unregister", registration })

const namesOf = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name).join(" ")

/** In short: names of what is shown, `-` before what is hidden, what ran, tags of failures. */
const inShort = (one: Program.Observation): string => {
  switch (one._tag) {
    case "Failed":
      return one.failure.tag
    case "Viewed":
      return [namesOf(one.tools), ...one.hidden.map(({ name }) => `-${name}`)].join(" ")
    case "Assembled":
      return `[${namesOf(one.tools)}]`
    case "Answered":
      return `ran ${one.ran.join(" ")}`
    case "Refused":
      return `${one.failure.tag}${one.ran.length === 0 ? "" : `, ran ${one.ran.join(" ")}`}`
    default:
      return one._tag
  }
}

describe("ToolRegistryProgram.run", () => {
  const cases: ReadonlyArray<readonly [what: string, steps: ReadonlyArray<Step>, seen: ReadonlyArray<string>]> = [
    ["registers, shows and calls", [tool("bash"), assemble(), call("bash")], ["Done", "[bash]", "ran 0"]],
    [
      "restricts and lifts",
      [tool("bash"), open("p"), restrict(1, ["bash"]), { _tag: "View", scope: 1 }, unregister(1), assemble(1)],
      ["Done", "Done", "Done", " -bash", "Done", "[bash]"]
    ],
    [
      "calls the latest assembly by 0, and those before by more, modulo how many there are",
      [assemble(), tool("bash"), assemble(), call("bash"), call("bash", 1), call("bash", 2)],
      ["[]", "Done", "[bash]", "ran 0", "ToolNotFound", "ran 0"]
    ],
    ["has nothing to call without an assembly", [tool("bash"), call("bash")], ["Done", "Nothing"]],
    [
      "tells who ran: guards first, then the handler",
      [
        tool("bash"),
        { _tag: "Register", scope: 0, contribution: { _tag: "Guard", options: { name: "b", check: "passes" } } },
        { _tag: "Register", scope: 0, contribution: { _tag: "Guard", options: { name: "a", check: "passes" } } },
        assemble(),
        call("bash"),
        call("bash", 0, {})
      ],
      ["Done", "Done", "Done", "[bash]", "ran 2 1 0", "InvalidToolArguments"]
    ],
    [
      "decodes counts",
      [tool("bash", 0, { parameters: "count" }), assemble(), call("bash"), call("bash", 0, { count: "1" })],
      ["Done", "[bash]", "InvalidToolArguments", "ran 0"]
    ],
    [
      "does nothing where nothing is referred to, and to the global scope",
      [unregister(0), { _tag: "Close", scope: 0 }, { _tag: "Rebind", scope: 0, parent: 0 }],
      ["Nothing", "Nothing", "Nothing"]
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

  it.effect("counts an assembly that fails, which nobody can call", () =>
    Effect.map(
      Program.run({
        toolOrder: ["bash", "<unlisted-tools>"],
        steps: [assemble(), tool("bash"), assemble(), call("bash", 1), call("bash")]
      }),
      (all) => assert.deepStrictEqual(all.map(inShort), ["UnknownTool", "Done", "[bash]", "Nothing", "ran 0"])
    )
  )

  it.effect("answers with what the handler was told", () =>
    Effect.gen(function* () {
      const seen = yield* Program.run({ steps: [tool("bash"), open("p"), assemble(1), call("bash")] })
      assert.deepStrictEqual(seen.at(-1), {
        _tag: "Answered",
        ran: [0],
        answer: { registration: 0, arguments: { path: "a" }, scope: "p", current: "p" }
      })
    })
  )

  it.effect("runs in the registry that it is given, or fails as that does", () =>
    Effect.gen(function* () {
      const deaf = Layer.effect(
        ToolRegistry,
        Effect.map(ToolRegistry, (registry) => ToolRegistry.of({ ...registry, call: () => Effect.succeed("deaf") }))
      ).pipe(Layer.provide(ToolRegistry.layer))
      const steps = [tool("bash"), assemble(), call("bash")]
      const seen = yield* Program.run({ steps }, deaf)
      assert.deepStrictEqual(seen.at(-1), { _tag: "Answered", ran: [], answer: "deaf" })
      const offline = Layer.effect(ToolRegistry, Effect.andThen(SystemPrompt, Effect.fail("offline")))
      assert.strictEqual(yield* Effect.flip(Program.run({ steps }, offline)), "offline")
    })
  )
})

// -----------------------------------------------------------------------------
// generating and shrinking
// -----------------------------------------------------------------------------

/** All of them are wrong. */
const claims: ReadonlyArray<readonly [claim: string, isSeen: (one: Program.Observation) => boolean, steps: number]> = [
  ["nothing is hidden", (one) => one._tag === "Viewed" && one.hidden.length > 0, 4],
  ["no call is refused by a guard", (one) => one._tag === "Refused" && one.failure.tag === "ToolRefused", 4],
  ["no call runs", (one) => one._tag === "Answered", 3],
  ["nothing shadows", (one) => one._tag === "Assembled" && one.tools.some(({ origin }) => origin.shadows.length > 0), 4]
]

describe("ToolRegistryProgram.arbitrary", () => {
  it.effect("gives the same programs for the same seed", () =>
    Effect.gen(function* () {
      const first = yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 7 })
      assert.deepStrictEqual(yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 7 }), first)
      assert.notDeepEqual(yield* Arbitrary.sampleEffect(Program.arbitrary, { count: 20, seed: 8 }), first)
      for (const { steps } of first) assert.isAtMost(steps.length, 33)
    })
  )

  for (const [claim, isSeen, steps] of claims) {
    it.effect(
      `shrinks to the few steps that matter, by the engine's own limit: ${claim}`,
      () =>
        Effect.gen(function* () {
          for (let seed = 0; seed < runs(3, 20); seed++) {
            const found = yield* Arbitrary.checkEffect(
              Program.arbitrary,
              (program) => Effect.map(Program.run(program), (seen) => !seen.some(isSeen)),
              { runs: 500, seed }
            )
            assert(found._tag === "Falsified", `${claim}: ${found._tag}`)
            assert.lengthOf(found.shrunkInput.steps, steps)
          }
        }),
      patience
    )
  }
})

describe("ToolRegistryProgram.shrink", () => {
  it.effect("always ends, and nothing is simpler than the empty program", () =>
    check(
      Program.arbitrary,
      (program) =>
        Effect.sync(() => {
          let at = program
          let changes = 0
          for (let next = Program.shrink(at); next.length > 0; next = Program.shrink(at), changes++) {
            at = next.at(-1) ?? at
            assert.isBelow(changes, 3_000)
          }
          assert.deepStrictEqual(at, { steps: [] })
        }),
      { runs: runs(12, 500), seed: 3 }
    )
  )

  it("keeps a legal tool order, or none", () => {
    const orders = Program.shrink({ toolOrder: ["bash", "<unlisted-tools>"], steps: [] }).map((one) => one.toolOrder)
    assert.deepStrictEqual(orders, [undefined, ["<unlisted-tools>"]])
  })

  const cases: ReadonlyArray<
    readonly [what: string, steps: ReadonlyArray<Step>, dropped: number, kept: ReadonlyArray<Step>]
  > = [
    [
      "leaves out calls of an assembly that is left out",
      [tool("a"), assemble(), call("a"), assemble(), call("a"), call("b", 1)],
      1,
      [tool("a"), assemble(), call("a")]
    ],
    [
      "counts assemblies backwards from where a call stands",
      [assemble(), assemble(), call("a", 1), assemble(), call("b", 2)],
      1,
      [assemble(), call("a", 0), assemble(), call("b", 1)]
    ],
    [
      "leaves out lifting a restriction that is left out",
      [tool("a"), open("p"), restrict(1, ["a"]), unregister(1), unregister(0)],
      2,
      [tool("a"), open("p"), unregister(0)]
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
})
