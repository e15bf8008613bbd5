/** Ten thousand live scopes, of which each step takes any one. */
import { createScope } from "@deepseek-ai/dsh-scope"
import { Effect, Scope } from "effect"
import { PromptScope } from "../../../src/index.ts"
import { seeded } from "../../support/random.ts"
import { flat, interleave, same, type Case } from "../harness.ts"
import { change, type Pair } from "../pair.ts"
import * as dsh from "../peers/dsh.ts"
import * as preamble from "../peers/preamble.ts"
import { row, type Row, type RunOptions } from "../suite.ts"
import { sizes, workload, type Workload } from "../workloads.ts"

/** The global part of M. */
const shared: Workload = { name: "XL", chain: [workload(sizes.M).chain[0]] }

const override = (i: number) => ({ name: "section-1", order: 20, text: `You are agent ${i}, at {{step}}.` })

/** Makes scopes below the global one, each with a section of its own and perhaps a listener. */
export const peerScopes = (theirs: dsh.Peer, n: number, listeners: boolean): ReadonlyArray<object> =>
  Array.from({ length: n }, (_, i) => {
    const key = { agent: i }
    const { ctx } = createScope(theirs.root, key)
    ctx.systemPrompt.section(override(i))
    if (listeners) ctx.on("system-prompt/assemble", (_assembly, _context, next) => next())
    return key
  })

/** The same for us. Each scope has an Effect scope of its own. */
export const scopes = (
  ours: preamble.Preamble,
  n: number,
  listeners: boolean
): Promise<ReadonlyArray<PromptScope.PromptScope>> =>
  Effect.runPromise(
    Effect.forEach(
      Array.from({ length: n }, (_, i) => i),
      (i) =>
        Effect.gen(function* () {
          const lifetime = yield* Scope.fork(ours.lifetime)
          const { scope } = yield* Scope.provide(PromptScope.make(`agent-${i}`), lifetime)
          const registered = listeners
            ? Effect.andThen(
                ours.prompt.section(override(i)),
                ours.prompt.listener({ name: "own", edit: (assembly) => assembly })
              )
            : ours.prompt.section(override(i))
          yield* registered.pipe(PromptScope.provide(scope), Scope.provide(lifetime))
          return scope
        })
    )
  )

interface Many {
  readonly pair: Pair
  readonly cases: ReadonlyArray<Case>
}

const boot = async (n: number, listeners: boolean): Promise<Many> => {
  const pair: Pair = { theirs: await dsh.boot(shared), ours: await preamble.boot(shared) }
  const { theirs, ours } = pair
  const keys = peerScopes(theirs, n, listeners)
  const own = await scopes(ours, n, listeners)
  for (const i of [0, Math.floor(n / 2), n - 1]) {
    same(`scope ${i} of ${n}`, await preamble.output(ours, own[i]!), await dsh.output(theirs, keys[i]!))
  }
  const steps = own.map((scope) => PromptScope.provide(scope)(ours.prompt.render))
  const random = seeded(n)
  const program = (times: number, next: (i: number) => number) =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (let i = 0; i < times; i++) {
          change(ours.cell)
          const rendered = yield* steps[next(i)]!
          flat(rendered.text)
          flat(rendered.snapshot)
        }
      })
    )
  // Every scope has been in use before anything is timed.
  await program(n, (i) => i)
  const cases: ReadonlyArray<Case> = [
    {
      name: "peer",
      run: async (times) => {
        for (let i = 0; i < times; i++) {
          change(theirs.cell)
          await dsh.stepOnce(theirs, keys[random.below(n)]!)
        }
      }
    },
    { name: "ours", run: (times) => program(times, () => random.below(n)) }
  ]
  return { pair, cases }
}

export const run = async ({ quick }: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const listeners of [false, true]) {
    const { cases } = await boot(10_000, listeners)
    const rounds = await interleave(cases, { rounds: quick || listeners ? 41 : 201, batchMs: 1 })
    const id = listeners ? "step/XL/listeners" : "step/XL/changed"
    const what = `XL: 10,000 scopes${listeners ? ", each with a listener" : ""}, one variable changes`
    rows.push(row(id, what, rounds, "peer", "ours"))
  }
  return rows
}
