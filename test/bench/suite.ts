/** What a suite is, and what it measures. */
import { ratio, type Rounds, type Spread, timeOf } from "./harness.ts"

export interface Row extends Spread {
  /** Names it for goals and between runs. */
  readonly id: string
  readonly what: string
  /** `x` is a ratio, `B` bytes, `n` an exponent, `%` a share. */
  readonly unit: "x" | "B" | "n" | "%"
  /** Further columns of its table. */
  readonly details?: { readonly [head: string]: string }
}

export interface RunOptions {
  readonly quick: boolean
  readonly sizes: ReadonlyArray<"S" | "M" | "L">
}

export interface Suite {
  readonly name: string
  readonly title: string
  readonly run: (options: RunOptions) => Promise<ReadonlyArray<Row>>
}

export const exact = (value: number): Spread => ({ median: value, p10: value, p90: value })

/** Nanoseconds for people. */
export const duration = (ns: number): string =>
  ns < 1e3 ? `${ns.toFixed(0)} ns` : ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs` : `${(ns / 1e6).toPrecision(3)} ms`

/** Two or three digits that mean something. */
export const decimal = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value >= 10 ? 3 : 2)

export const bytes = (n: number): string => (n < 10_000 ? `${n.toFixed(0)} B` : `${(n / 1000).toFixed(1)} kB`)

/**
 * How many times as long the slow case takes. "At best" compares the fastest tenths of both over the whole run: on a busy
 * machine it says more than the middle.
 */
export const row = (
  id: string,
  what: string,
  rounds: Rounds,
  slow: string,
  quick: string,
  heads = { fast: "ours", slow: "peer" }
): Row => ({
  id,
  what,
  unit: "x",
  ...ratio(rounds, slow, quick),
  details: {
    "at best": `${decimal(timeOf(rounds, slow).p10 / timeOf(rounds, quick).p10)}×`,
    [heads.fast]: duration(timeOf(rounds, quick).median),
    [heads.slow]: duration(timeOf(rounds, slow).median)
  }
})
