/**
 * Heap per live scope that has a section of its own, held by an Effect scope of its own. Each side
 * is measured in a process of its own. What is there once, caches of bounded size included, cancels
 * out: what counts is by how much the heap grows from 2,000 scopes to 10,000.
 */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Effect } from "effect"
import { PromptScope } from "../../../src/index.ts"
import * as dsh from "../peers/dsh.ts"
import * as preamble from "../peers/preamble.ts"
import { bytes, exact, type Row, type Suite } from "../suite.ts"
import { sizes, workload, type Workload } from "../workloads.ts"
import * as xl from "./xl.ts"

const few = 2000
const many = 10_000

interface Heap {
  /** Bytes per scope. */
  readonly made: number
  /** The same after each has been rendered once. */
  readonly rendered: number
}

const shared: Workload = { name: "heap", chain: [workload(sizes.M).chain[0]] }

/** Weak references hold until the end of a turn; and one collection finds what the one before it has freed. */
const heap = async (): Promise<number> => {
  if (global.gc === undefined) throw new Error("run node with --expose-gc")
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    global.gc()
  }
  return process.memoryUsage().heapUsed
}

/** Makes scopes twice, so that the second lot shows what each costs. */
const grown = async <A>(
  make: (n: number) => Promise<ReadonlyArray<A>>,
  render: (scope: A) => Promise<unknown>
): Promise<Heap> => {
  const held: Array<ReadonlyArray<A>> = []
  const renderAll = async (scopes: ReadonlyArray<A>) => {
    for (const scope of scopes) await render(scope)
  }
  held.push(await make(few))
  await renderAll(held[0]!)
  const before = await heap()
  held.push(await make(many - few))
  const made = await heap()
  await renderAll(held[1]!)
  const rendered = await heap()
  if (held.flat().length !== many) throw new Error("they are gone")
  return { made: (made - before) / (many - few), rendered: (rendered - before) / (many - few) }
}

const sides = {
  ours: async (listeners: boolean): Promise<Heap> => {
    const ours = await preamble.boot(shared)
    return grown(
      (n) => xl.scopes(ours, n, listeners),
      (scope) => Effect.runPromise(PromptScope.provide(scope)(ours.prompt.render))
    )
  },
  peer: async (listeners: boolean): Promise<Heap> => {
    const theirs = await dsh.boot(shared)
    return grown(
      async (n) => xl.peerScopes(theirs, n, listeners),
      // It keeps nothing of a step, and with ten thousand listeners a step takes tens of milliseconds.
      (scope) => (listeners ? Promise.resolve() : dsh.stepOnce(theirs, scope))
    )
  }
}

type Side = keyof typeof sides

/** What the process of one side does. */
export const worker = async (side: string, listeners: boolean): Promise<void> => {
  if (!(side in sides)) throw new Error(`no side is called ${side}`)
  console.log(JSON.stringify(await sides[side as Side](listeners)))
}

const measure = async (side: Side, listeners: boolean): Promise<Heap> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...process.execArgv,
    process.argv[1]!,
    "--heap",
    side,
    ...(listeners ? ["--listeners"] : [])
  ])
  return JSON.parse(stdout) as Heap
}

const run = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const listeners of [false, true]) {
    const [ours, peer] = [await measure("ours", listeners), await measure("peer", listeners)]
    const [id, what] = listeners
      ? ["-listener", "a scope with a section and a listener"]
      : ["", "a scope with a section"]
    rows.push(
      { id: `scopes/override${id}`, what, unit: "B", ...exact(ours.made), details: { peer: bytes(peer.made) } },
      {
        id: `scopes/rendered${id}`,
        what: `${what}, after its first step`,
        unit: "B",
        ...exact(ours.rendered),
        details: { peer: bytes(peer.rendered) }
      }
    )
  }
  return rows
}

export const scopes: Suite = { name: "scopes", title: "Heap per live scope", run }
