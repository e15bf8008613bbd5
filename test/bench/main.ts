/**
 * `npm run bench`: measures against the peer and against template engines, prints the tables, and
 * writes them into `docs/benchmarks.md`, with the figures in `docs/benchmarks.json`.
 *
 * - `--suite name`, any number of times: only these, printed and not written down.
 * - `--quick`: the steps S and M and rendering, under a minute, printed and not written down.
 * - `--size S`, any number of times: only these sizes of steps.
 * - `--check`: fails if a goal of `goals.json` is missed for sure, after a second try.
 *
 * Each suite runs in a process of its own, so that none runs on what another has left behind.
 */
import { fork } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as report from "./report.ts"
import type { Row, RunOptions, Suite } from "./suite.ts"
import { alloc } from "./suites/alloc.ts"
import { growth } from "./suites/growth.ts"
import { profile } from "./suites/profile.ts"
import { registry } from "./suites/registry.ts"
import { render } from "./suites/render.ts"
import * as heap from "./suites/scopes.ts"
import { sessions } from "./suites/sessions.ts"
import { shell } from "./suites/shell.ts"
import { step } from "./suites/step.ts"
import { stylesSuite } from "./suites/styles.ts"

const suites: ReadonlyArray<Suite> = [
  step,
  render,
  stylesSuite,
  registry,
  growth,
  sessions,
  heap.scopes,
  alloc,
  shell,
  profile
]
const quickSuites = ["step", "render"]

const { values: flags } = parseArgs({
  options: {
    suite: { type: "string", multiple: true },
    size: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    /** Given by this program to itself. */
    child: { type: "boolean", default: false },
    heap: { type: "string" },
    listeners: { type: "boolean", default: false }
  }
})

const file = (path: string): string => fileURLToPath(new URL(`../../docs/${path}`, import.meta.url))

const options: RunOptions = {
  quick: flags.quick,
  sizes: (["S", "M", "L"] as const).filter((size) =>
    flags.size === undefined ? !flags.quick || size !== "L" : flags.size.includes(size)
  )
}

const chosen = (): ReadonlyArray<Suite> => {
  const names = flags.suite ?? (flags.quick ? quickSuites : suites.map(({ name }) => name))
  const unknown = names.find((name) => !suites.some((suite) => suite.name === name))
  if (unknown !== undefined) {
    throw new Error(`no suite is called ${unknown}; there are ${suites.map(({ name }) => name).join(", ")}`)
  }
  return suites.filter(({ name }) => names.includes(name))
}

const isRows = (message: unknown): message is ReadonlyArray<Row> => Array.isArray(message)

const inProcess = (suite: Suite): Promise<ReadonlyArray<Row>> =>
  new Promise((resolve, reject) => {
    const given = process.argv
      .slice(2)
      .filter((one, i, all) => one !== "--check" && one !== "--suite" && all[i - 1] !== "--suite")
    const child = fork(fileURLToPath(import.meta.url), ["--child", "--suite", suite.name, ...given])
    let rows: ReadonlyArray<Row> | undefined
    child.on("message", (message) => {
      if (isRows(message)) rows = message
    })
    child.on("error", reject)
    child.on("exit", (code) => {
      if (rows === undefined) reject(new Error(`suite ${suite.name} ended with ${code} and without figures`))
      else resolve(rows)
    })
  })

const runSuite = async (suite: Suite): Promise<ReadonlyArray<Row>> => {
  const rows = await inProcess(suite)
  console.log(`\n## ${suite.title}\n\n${report.tables(rows)}`)
  return rows
}

/** A miss may be noise once; twice it is none. */
const check = async (measured: ReadonlyArray<readonly [Suite, ReadonlyArray<Row>]>): Promise<void> => {
  const failures: Array<Row> = []
  for (const [suite, rows] of measured) {
    const missed = new Set(rows.filter(report.missed).map(({ id }) => id))
    if (missed.size === 0) continue
    console.log(`\nOnce more, for ${[...missed].join(", ")}:`)
    failures.push(...(await runSuite(suite)).filter((row) => missed.has(row.id) && report.missed(row)))
  }
  const disturbed = measured.flatMap(([, rows]) => rows.filter((row) => row.disturbed === true))
  if (disturbed.length > 0) console.log(`\nDisturbed, so not judged: ${disturbed.map(({ id }) => id).join(", ")}`)
  const [gates, aims] = [true, false].map((gate) => failures.filter(({ id }) => report.goalOf(id)?.gate === gate))
  if (aims!.length > 0) console.log(`\nAims missed: ${aims!.map(({ id }) => id).join(", ")}`)
  if (gates!.length > 0) console.log(`\nGates missed: ${gates!.map(({ id }) => id).join(", ")}`)
  else console.log("\nNo gate is missed for sure.")
  process.exitCode = gates!.length > 0 ? 1 : 0
}

type Figures = { readonly [suite: string]: { readonly [id: string]: Omit<Row, "id"> } }

interface Recorded {
  readonly machine: string
  readonly last: Figures
  readonly before: Figures
}

const recorded = (): Recorded | undefined =>
  // Written by this program, and by nothing else.
  fs.existsSync(file("benchmarks.json")) ? JSON.parse(fs.readFileSync(file("benchmarks.json"), "utf8")) : undefined

const rowsOf = (figures: Figures | undefined, suite: string): ReadonlyArray<Row> =>
  Object.entries(figures?.[suite] ?? {}).map(([id, row]) => ({ id, ...row }))

const writeDown = (measured: ReadonlyArray<readonly [Suite, ReadonlyArray<Row>]>): void => {
  const before = recorded()?.last ?? {}
  const last: Figures = Object.fromEntries(
    measured.map(([suite, rows]) => [suite.name, Object.fromEntries(rows.map(({ id, ...row }) => [id, row]))])
  )
  const machine = `Node ${process.version}, ${process.platform} ${process.arch}, ${process.execArgv.join(" ")}`
  fs.writeFileSync(file("benchmarks.json"), `${JSON.stringify({ machine, last, before }, null, 2)}\n`)
  let page = report.insert(fs.readFileSync(file("benchmarks.md"), "utf8"), "machine", machine)
  for (const [suite, rows] of measured) {
    page = report.insert(page, suite.name, report.tables(rows, rowsOf(before, suite.name)))
  }
  fs.writeFileSync(file("benchmarks.md"), page)
}

if (flags.heap !== undefined) {
  await heap.worker(flags.heap, flags.listeners)
} else if (flags.child) {
  for (const suite of chosen()) process.send?.(await suite.run(options))
} else {
  const measured: Array<readonly [Suite, ReadonlyArray<Row>]> = []
  console.log(`Node ${process.version}, ${process.execArgv.join(" ")}`)
  for (const suite of chosen()) measured.push([suite, await runSuite(suite)])
  if (flags.check) await check(measured)
  else if (flags.suite === undefined && flags.size === undefined && !flags.quick) writeDown(measured)
}
