/** Where a steady M step in a program spends its time: self time by function, from the sampling profiler. */
import { Session } from "node:inspector/promises"
import * as pairs from "../pair.ts"
import { exact, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, workload } from "../workloads.ts"

const steps = 1_000_000
const shown = 14

/** The folders are left out: where this project lies is nobody's business. */
const file = (url: string): string => {
  const effect = url.match(/node_modules\/(effect)\/.*?([^/]+)$/)
  if (effect !== null) return `effect/${effect[2]}`
  return url.match(/(?:src|test)\/.*$/)?.[0] ?? (url === "" ? "V8" : url.replace(/^.*\//, ""))
}

const run = async ({ quick }: RunOptions): Promise<ReadonlyArray<Row>> => {
  const { run: program } = pairs.steady(await pairs.boot(workload(sizes.M)))
  await program(steps / 10)
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 200 })
  await session.post("Profiler.start")
  await program(quick ? steps / 10 : steps)
  const { profile } = await session.post("Profiler.stop")
  session.disconnect()
  const self = new Map<string, number>()
  let total = 0
  for (const { callFrame, hitCount = 0 } of profile.nodes) {
    if (callFrame.functionName === "(idle)" || callFrame.functionName === "(program)") continue
    const where = `\`${callFrame.functionName || "(anonymous)"}\` of ${file(callFrame.url)}`
    self.set(where, (self.get(where) ?? 0) + hitCount)
    total += hitCount
  }
  return [...self]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([what, hits]) => ({ id: `profile/${what}`, what, unit: "%", ...exact((100 * hits) / total) }))
}

export const profile: Suite = { name: "profile", title: "Where a steady M step spends its time", run }
