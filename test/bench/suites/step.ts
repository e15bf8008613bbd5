/** What a model step asks for, the assembly with its prompt and snapshot, against the peer. */
import { pipe } from "effect"
import { Assembly, type SystemPrompt, ToolSchema } from "../../../src/index.ts"
import { interleave, type Case, type Options } from "../harness.ts"
import * as pairs from "../pair.ts"
import * as preamble from "../peers/preamble.ts"
import { row, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, withGlobal, workload } from "../workloads.ts"
import * as xl from "./xl.ts"

const optionsOf = ({ quick }: RunOptions): Options => ({ rounds: quick ? 101 : 201, batchMs: 1 })

const main = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const size of options.sizes) {
    const pair = await pairs.boot(workload(sizes[size]))
    const cases = [pairs.peer(pair), pairs.changed(pair), pairs.steady(pair), pairs.promise(pair)]
    const rounds = await interleave(cases, optionsOf(options))
    rows.push(
      row(`step/${size}/changed`, `${size}: in a program, one variable changes`, rounds, "peer", "changed"),
      row(`step/${size}/steady`, `${size}: in a program, nothing changes`, rounds, "peer", "steady"),
      row(`step/${size}/promise`, `${size}: \`runPromise\` per step, one variable changes`, rounds, "peer", "promise")
    )
  }
  return rows
}

const withoutTools = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const size of options.sizes) {
    const pair = await pairs.boot(withGlobal(workload(sizes[size]), `${size} without tools`, { tools: [] }))
    const rounds = await interleave([pairs.peer(pair), pairs.changed(pair)], optionsOf(options))
    rows.push(row(`step/${size}/no-tools`, `${size}: without tools, one variable changes`, rounds, "peer", "changed"))
  }
  return rows
}

/** The functions of contexts usually write their text in each step, though it says the same. */
const writtenAnew = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const base = workload(sizes.M)
  const contexts = base.chain[0].contexts.map((one) => ({ ...one, dynamic: one.dynamic && ("anew" as const) }))
  const pair = await pairs.boot(withGlobal(base, "M with texts written anew", { contexts }))
  const rounds = await interleave([pairs.peer(pair), pairs.steady(pair)], optionsOf(options))
  return [row("step/M/anew", "M: nothing changes, but three contexts write their text anew", rounds, "peer", "steady")]
}

/** What listener `i` adds, and how it describes a tool. */
const edit = (i: number) => ({
  section: { name: `added-${i}`, order: 100_000 + i, text: `Added by listener ${i}, for {{step}}.` },
  tool: `tool_${i}`,
  description: `Described by listener ${i}.`
})

const register = (prompt: SystemPrompt["Service"], i: number) => {
  const { section, tool, description } = edit(i)
  const made = new WeakMap<ToolSchema.ToolSchema, ToolSchema.ToolSchema>()
  const described = (schema: ToolSchema.ToolSchema) => {
    let after = made.get(schema)
    if (after === undefined) made.set(schema, (after = ToolSchema.make({ ...schema, description })))
    return after
  }
  return prompt.listener({
    name: `edit-${i}`,
    order: i,
    edit: (assembly) => pipe(assembly, Assembly.addSection(section), Assembly.mapTool(tool, described))
  })
}

const editing = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const base = withGlobal(workload(sizes.M), "M without listeners", { listeners: 0 })
  const none = await pairs.boot(base)
  const pair: pairs.Pair = await pairs.boot({ ...base, name: "M, to be edited" })
  for (const i of [0, 1, 2, 3]) {
    await preamble.add(pair.ours, register(pair.ours.prompt, i))
    const { section, tool, description } = edit(i)
    pair.theirs.root.on("system-prompt/assemble", (assembly, _context, next) => {
      assembly.sections.push({ name: section.name, text: section.text })
      assembly.tools = assembly.tools.map((one) => (one.name === tool ? { ...one, description } : one))
      return next()
    })
  }
  await pairs.agree(pair, "M with listeners that edit")
  const cases: ReadonlyArray<Case> = [
    pairs.peer(pair),
    pairs.changed(pair, "edited"),
    pairs.changed(none, "none"),
    pairs.steady(pair, "edited, steady")
  ]
  const rounds = await interleave(cases, optionsOf(options))
  return [
    row("step/M/edited", "M: four listeners that add a section and describe a tool", rounds, "peer", "edited"),
    row("step/M/edited-steady", "the same, nothing changes", rounds, "peer", "edited, steady"),
    row("step/M/edited-of-none", "four listeners that edit, beside none (both ours)", rounds, "edited", "none", {
      fast: "ours",
      slow: "peer"
    })
  ]
}

const run = async (options: RunOptions): Promise<ReadonlyArray<Row>> => [
  ...(await main(options)),
  ...(options.quick
    ? []
    : [
        ...(await writtenAnew(options)),
        ...(await withoutTools(options)),
        ...(await editing(options)),
        ...(await xl.run(options))
      ])
]

export const step: Suite = { name: "step", title: "A model step, against the peer", run }
