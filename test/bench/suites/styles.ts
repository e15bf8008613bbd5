/** How a tool provider gives its schemas decides what they cost. The same is given to the peer, which copies all of them. */
import { ToolSchema } from "../../../src/index.ts"
import { interleave } from "../harness.ts"
import * as pairs from "../pair.ts"
import * as preamble from "../peers/preamble.ts"
import { row, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, workload, type Tool } from "../workloads.ts"

const copies = 16

const freeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) freeze(one)
    Object.freeze(value)
  }
  return value
}

/** Given in turn, so that making them costs neither side anything, and no object is the one of the step before. */
const inTurn = <A>(make: () => A): (() => A) => {
  const pool = Array.from({ length: copies }, make)
  let i = 0
  return () => pool[i++ % copies]!
}

const styles: ReadonlyArray<{ readonly name: string; readonly what: string; readonly style: preamble.Style }> = [
  { name: "same", what: "the same array of made schemas", style: preamble.made },
  {
    name: "array",
    what: "another array of the same made schemas",
    style: (tools) => {
      const made = tools.map((tool) => ToolSchema.make(tool))
      return inTurn(() => [...made])
    }
  },
  {
    name: "frozen",
    what: "other objects, with the same deeply frozen parameters",
    style: (tools) => {
      const frozen = tools.map(({ parameters, ...tool }) => ({
        ...tool,
        parameters: freeze(structuredClone(parameters))
      }))
      return inTurn(() => frozen.map((tool) => ({ ...tool })))
    }
  },
  {
    name: "fresh",
    what: "all objects fresh and not frozen",
    style: (tools: ReadonlyArray<Tool>) => inTurn(() => structuredClone(tools))
  }
]

const run = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const size of options.sizes) {
    for (const { name, what, style } of styles) {
      const pair = await pairs.boot(workload(sizes[size]), style)
      const rounds = await interleave([pairs.peer(pair), pairs.changed(pair)], { rounds: 101, batchMs: 1 })
      rows.push(row(`styles/${size}/${name}`, `${size}: ${what}`, rounds, "peer", "changed"))
    }
  }
  return rows
}

export const stylesSuite: Suite = { name: "styles", title: "How tool providers give their schemas", run }
