/**
 * Bytes allocated per step, as the sampling heap profiler sees them, those that are collected
 * meanwhile included. Differences of the heap's size would miss what a collection takes away.
 */
import { Session } from "node:inspector/promises"
import type { HeapProfiler } from "node:inspector"
import type { Case } from "../harness.ts"
import * as pairs from "../pair.ts"
import * as dsh from "../peers/dsh.ts"
import { bytes, exact, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, workload } from "../workloads.ts"

const sum = (node: HeapProfiler.SamplingHeapProfileNode): number =>
  node.selfSize + node.children.reduce((total, child) => total + sum(child), 0)

const allocated = async (session: Session, one: Case, times: number): Promise<number> => {
  await one.run(Math.min(times, 2000))
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 512,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true
  })
  await one.run(times)
  const { profile } = await session.post("HeapProfiler.stopSampling")
  return sum(profile.head) / times
}

const run = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const session = new Session()
  session.connect()
  const rows: Array<Row> = []
  for (const size of options.sizes) {
    const pair = await pairs.boot(workload(sizes[size]))
    const prompt = bytes((await dsh.output(pair.theirs)).prompt.length)
    const peer = bytes(await allocated(session, pairs.peer(pair), size === "L" ? 20 : 200))
    const steady = await allocated(session, pairs.steady(pair), 20_000)
    const changed = await allocated(session, pairs.changed(pair), size === "L" ? 200 : 2000)
    rows.push(
      {
        id: `alloc/${size}/steady`,
        what: `${size}: nothing changes`,
        unit: "B",
        ...exact(steady),
        details: { peer, prompt }
      },
      {
        id: `alloc/${size}/changed`,
        what: `${size}: one variable changes`,
        unit: "B",
        ...exact(changed),
        details: { peer, prompt }
      }
    )
  }
  session.disconnect()
  return rows
}

export const alloc: Suite = { name: "alloc", title: "Bytes allocated per step, in a program", run }
