/** Rendering alone: no memo hits, since a variable has another value each time, and a flat string. */
import { renderPrompt } from "@deepseek-ai/dsh-system-prompt"
import { Result } from "effect"
import { Assembly, Rendered } from "../../../src/index.ts"
import { flat, interleave, same, type Case } from "../harness.ts"
import * as pairs from "../pair.ts"
import * as dsh from "../peers/dsh.ts"
import * as engines from "../peers/engines.ts"
import * as preamble from "../peers/preamble.ts"
import { row, type Row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, step, withGlobal, workload } from "../workloads.ts"

const variants = 64

/** Assemblies that differ in the value of one variable. They have no contexts: the peer renders those apart. */
const assemblies = async (size: "S" | "M" | "L") => {
  const pair = await pairs.boot(withGlobal(workload(sizes[size]), size, { contexts: [] }))
  const ours = await preamble.assemble(pair.ours)
  const theirs = await dsh.assemble(pair.theirs)
  return Array.from({ length: variants }, (_, i) => ({
    ours: Assembly.setVariable(ours, step, `variant ${i}`),
    theirs: { ...theirs, variables: { ...theirs.variables, [step]: `variant ${i}` } }
  }))
}

type Variants = Awaited<ReturnType<typeof assemblies>>

const textOf = (assembly: Assembly.Assembly): string => Result.getOrThrow(Rendered.render(assembly)).text

const over = (name: string, of: Variants, render: (variant: Variants[number]) => string | Promise<string>): Case => ({
  name,
  run: async (times) => {
    for (let i = 0; i < times; i++) {
      const text = render(of[i % variants]!)
      flat(typeof text === "string" ? text : await text)
    }
  }
})

const basic = (of: Variants): ReadonlyArray<Case> => [
  over("ours", of, ({ ours }) => textOf(ours)),
  over("peer", of, ({ theirs }) => renderPrompt(theirs))
]

const valuesOf = ({ ours }: Variants[number]): engines.Values =>
  Object.fromEntries(ours.variables.map(({ name, value }) => [name, value ?? ""]))

const heads = { fast: "ours", slow: "the other" }

const againstPeer = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const size of options.sizes.filter((size) => size !== "M")) {
    const of = await assemblies(size)
    same(
      size,
      of.map(({ ours }) => textOf(ours)),
      of.map(({ theirs }) => renderPrompt(theirs))
    )
    const rounds = await interleave(basic(of), { rounds: 201, batchMs: 1 })
    rows.push(row(`render/${size}/peer`, `${size}: the peer's \`renderPrompt\``, rounds, "peer", "ours", heads))
  }
  return rows
}

const againstEngines = async (options: RunOptions): Promise<ReadonlyArray<Row>> => {
  const of = await assemblies("M")
  const template = of[0]!.ours.sections
    .map(({ text }) => text.toString())
    .filter((text) => text !== "")
    .join(Rendered.separator)
  const all = engines.all(template)
  const values = new Map(of.map((variant) => [variant, valuesOf(variant)]))
  for (const variant of of.slice(0, 2)) {
    same("the peer", textOf(variant.ours), renderPrompt(variant.theirs))
    for (const engine of all) same(engine.what, textOf(variant.ours), await engine.render(values.get(variant)!))
  }
  const cases = [
    ...basic(of),
    ...all.map((engine) => over(engine.name, of, (variant) => engine.render(values.get(variant)!)))
  ]
  const rounds = await interleave(cases, { rounds: options.quick ? 61 : 201, batchMs: 1 })
  return [
    row("render/M/peer", "M: the peer's `renderPrompt`", rounds, "peer", "ours", heads),
    ...all.map(({ name, what }) => row(`render/M/${name}`, `M: ${what}`, rounds, name, "ours", heads))
  ]
}

const run = async (options: RunOptions): Promise<ReadonlyArray<Row>> => [
  ...(await againstPeer(options)),
  ...(await againstEngines(options))
]

export const render: Suite = { name: "render", title: "Rendering alone, against the peer and template engines", run }
