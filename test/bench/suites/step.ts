/** What a model step asks for, assembly, prompt and snapshot, against the peer. */
import { Effect } from "effect"
import { PromptScope } from "../../../src/index.ts"
import { flat, interleave, ratio, same, type Case } from "../harness.ts"
import * as dsh from "../peers/dsh.ts"
import * as preamble from "../peers/preamble.ts"
import { sizes, workload, type Size } from "../workloads.ts"

let count = 0
const change = (side: { readonly cell: { step: string } }) => (): void => {
  side.cell.step = `step ${count++}`
}
const nothing = (): void => {}
const run = async () => {
for (const size of Object.values(sizes) as ReadonlyArray<Size>) {
  const theirs = await dsh.boot(workload(size))
  const ours = await preamble.boot(workload(size))
  same(size.name, await preamble.output(ours), await dsh.output(theirs))
  const step = PromptScope.provide(ours.scope)(ours.prompt.render)
  if ((await Effect.runPromise(step)) !== (await Effect.runPromise(step))) throw new Error("not same")
  const cases: ReadonlyArray<Case> = [
    { name: "peer", run: async (times) => { for (let i = 0; i < times; i++) { change(theirs)(); await dsh.stepOnce(theirs) } } },
    { name: "changed", run: (times) => preamble.program(ours, change(ours), times) },
    { name: "steady", run: (times) => preamble.program(ours, nothing, times) },
    { name: "promise", run: async (times) => { for (let i = 0; i < times; i++) {
       change(ours)()
       const rendered = await Effect.runPromise(step)
       flat(rendered.text); flat(rendered.snapshot)
    } } }
  ]
  const rounds = await interleave(cases, { rounds: 101, batchMs: 3 })
  for (const name of ["changed", "steady", "promise"]) {
    const r = ratio(rounds, "peer", name)
    console.log(size.name, name, r.median.toFixed(1), `(${r.p10.toFixed(1)}–${r.p90.toFixed(1)})`, "peer ns", rounds.get("peer")!.toSorted((a,b)=>a-b)[50], "ours", rounds.get(name)!.toSorted((a,b)=>a-b)[50])
  }
}
}
await run()
