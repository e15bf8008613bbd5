/** What Effect adds: to a step, and to a registration. */
import { Context, Effect, Result } from "effect"
import { PromptScope } from "../../../src/index.ts"
import { asExit } from "../../../src/internal/exit.ts"
import { LastRendered } from "../../../src/internal/lastRendered.ts"
import { Assemblers } from "../../../src/internal/steady.ts"
import { flat, interleave, type Case } from "../harness.ts"
import * as pairs from "../pair.ts"
import type * as preamble from "../peers/preamble.ts"
import { row, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, workload } from "../workloads.ts"

const heads = { fast: "core", slow: "with Effect" }

/** The same steps from a plain loop: what the service does within one turn of a fibre, without the fibre. */
const pure = (ours: preamble.Preamble): Case => {
  const last = new LastRendered()
  const annotations = Context.empty()
  const { overlays, scope, waterfall } = ours
  const assemblers = new Assemblers(undefined, false, overlays.plan)
  const one = () => {
    const plan = Result.getOrThrow(overlays.plan(scope))
    const assembled = asExit(assemblers.of(scope, plan).assemble(waterfall, annotations))
    if (assembled?._tag !== "Success") throw new Error("the step waits, or fails")
    const rendered = Result.getOrThrow(last.render(scope, assembled.value))
    flat(rendered.text)
    flat(rendered.snapshot)
  }
  return {
    name: "pure",
    run: (times) => {
      for (let i = 0; i < times; i++) one()
    }
  }
}

const spans = (ours: preamble.Preamble): Case => {
  const render = PromptScope.provide(ours.scope)(ours.prompt.render).pipe(Effect.withSpan("step"))
  return {
    name: "span",
    run: (times) =>
      Effect.runPromise(
        Effect.gen(function* () {
          for (let i = 0; i < times; i++) {
            const rendered = yield* render
            flat(rendered.text)
            flat(rendered.snapshot)
          }
        })
      )
  }
}

const steps = async (): Promise<ReadonlyArray<Row>> => {
  const pair = await pairs.boot(workload(sizes.M))
  const { ours } = pair
  const cases = [pure(ours), pairs.steady(pair), pairs.promise(pair, "promise", pairs.keep), spans(ours)]
  const rounds = await interleave(cases, { rounds: 201, batchMs: 1 })
  return [
    row(
      "shell/step",
      "M, nothing changes: a step in a program, beside a plain loop over the core",
      rounds,
      "steady",
      "pure",
      heads
    ),
    row("shell/promise", "the same, one `runPromise` per step", rounds, "promise", "pure", heads),
    row("shell/span", "the same, in a program, with a span around each step", rounds, "span", "pure", heads)
  ]
}

const registrations = async (): Promise<ReadonlyArray<Row>> => {
  const { ours, theirs } = await pairs.boot(workload(sizes.M))
  const section = { name: "passing", order: 5, text: "Here for a moment." }
  const scoped = Effect.scoped(ours.prompt.section(section))
  const cases: ReadonlyArray<Case> = [
    {
      name: "peer",
      run: (times) => {
        for (let i = 0; i < times; i++) theirs.root.systemPrompt.section(section)()
      }
    },
    {
      name: "scoped",
      run: (times) =>
        Effect.runPromise(
          Effect.gen(function* () {
            for (let i = 0; i < times; i++) yield* scoped
          })
        )
    }
  ]
  const rounds = await interleave(cases, { rounds: 101, batchMs: 1 })
  return [row("shell/register", "register and unregister a section, through `Effect.scoped`", rounds, "peer", "scoped")]
}

const run = async (_options: RunOptions): Promise<ReadonlyArray<Row>> => [
  ...(await steps()),
  ...(await registrations())
]

export const shell: Suite = { name: "shell", title: "What Effect adds to a step, and the peer's registrations", run }
