/** A sweep: the same case for growing sizes, ours and the peer's, and how their times grow. */
import { type Case, exponent, interleave, type Spread, timeOf } from "./harness.ts"
import { duration, type Row } from "./suite.ts"

export type Run = Case["run"]

export interface Sweep {
  readonly id: string
  readonly what: string
  readonly sizes: ReadonlyArray<number>
  readonly ours: (n: number) => Promise<Run> | Run
  /** Left out where the peer has no such thing. */
  readonly peer?: (n: number) => Promise<Run> | Run
  /** The greatest size that the peer is asked for, so that it ends today. */
  readonly most?: number
}

const text = ({ median, p10, p90 }: Spread): string => `${median.toFixed(2)} (${p10.toFixed(2)}–${p90.toFixed(2)})`

const range = (sizes: ReadonlyArray<number>): string =>
  `${sizes[0]!.toLocaleString("en")}…${sizes.at(-1)!.toLocaleString("en")}`

export const run = async (sweep: Sweep, rounds: number): Promise<Row> => {
  const { id, what, sizes, most = Infinity } = sweep
  const name = (side: string) => (n: number) => `${side} ${n}`
  const asked = sweep.peer === undefined ? [] : sizes.filter((n) => n <= most)
  const cases: Array<Case> = []
  for (const n of sizes) cases.push({ name: name("ours")(n), run: await sweep.ours(n) })
  for (const n of asked) cases.push({ name: name("peer")(n), run: await sweep.peer!(n) })
  const measured = await interleave(cases, { rounds, batchMs: 1, warmMs: 60 })
  const ends = (side: string, of_: ReadonlyArray<number>) =>
    [of_[0]!, of_.at(-1)!].map((n) => duration(timeOf(measured, name(side)(n)).median)).join(" → ")
  return {
    id,
    what,
    unit: "n",
    ...exponent(measured, sizes, name("ours")),
    details: {
      n: range(sizes),
      ours: ends("ours", sizes),
      peer:
        asked.length === 0
          ? "–"
          : `${ends("peer", asked)}${asked.length < sizes.length ? ` at ${asked.at(-1)!.toLocaleString("en")}` : ""}`,
      "peer's exponent": asked.length === 0 ? "–" : text(exponent(measured, asked, name("peer")))
    }
  }
}
