/** Both sides with the same workload, and the ways to run a step that suites time. */
import { Effect } from "effect"
import { PromptScope } from "../../src/index.ts"
import { flat, same, type Case } from "./harness.ts"
import * as dsh from "./peers/dsh.ts"
import * as preamble from "./peers/preamble.ts"
import type { Workload } from "./workloads.ts"

export interface Pair {
  readonly theirs: dsh.Peer
  readonly ours: preamble.Preamble
}

let steps = 0

/** Gives the variable that changes a value that it has never had. */
export const change = (cell: { step: string }): void => {
  cell.step = `step ${steps++}`
}

export const keep = (): void => {}

/** Fails unless both sides give the same texts, tools and variables, before and after a change. */
export const agree = async ({ theirs, ours }: Pair, what: string): Promise<void> => {
  for (let i = 0; i < 2; i++) {
    same(what, await preamble.output(ours), await dsh.output(theirs))
    change(ours.cell)
    theirs.cell.step = ours.cell.step
  }
}

/** Fails unless the very same `Rendered` comes back while nothing changes. */
const unchanged = async (ours: preamble.Preamble, what: string): Promise<void> => {
  const render = PromptScope.provide(ours.scope)(ours.prompt.render)
  if ((await Effect.runPromise(render)) !== (await Effect.runPromise(render))) {
    throw new Error(`${what}: nothing changed, but another Rendered came back`)
  }
}

export const boot = async (workload: Workload, style?: preamble.Style): Promise<Pair> => {
  const pair = { theirs: await dsh.boot(workload), ours: await preamble.boot(workload, style) }
  await agree(pair, workload.name)
  await unchanged(pair.ours, workload.name)
  return pair
}

export const peer = ({ theirs }: Pair, name = "peer"): Case => ({
  name,
  run: async (times) => {
    for (let i = 0; i < times; i++) {
      change(theirs.cell)
      await dsh.stepOnce(theirs)
    }
  }
})

/** In a program, with another value of one variable in each step. */
export const changed = ({ ours }: Pair, name = "changed"): Case => ({
  name,
  run: (times) => preamble.program(ours, () => change(ours.cell), times)
})

/** In a program, with nothing changing. */
export const steady = ({ ours }: Pair, name = "steady"): Case => ({
  name,
  run: (times) => preamble.program(ours, keep, times)
})

/** A program of its own for each step, with another value of one variable in each. */
export const promise = ({ ours }: Pair, name = "promise", before: (cell: { step: string }) => void = change): Case => {
  const render = PromptScope.provide(ours.scope)(ours.prompt.render)
  return {
    name,
    run: async (times) => {
      for (let i = 0; i < times; i++) {
        before(ours.cell)
        const rendered = await Effect.runPromise(render)
        flat(rendered.text)
        flat(rendered.snapshot)
      }
    }
  }
}
