/** What a suite is, and what it measures. */
import type { Spread } from "./harness.ts"

export interface Row extends Spread {
  /** Names it for goals and between runs. */
  readonly id: string
  readonly what: string
  /** `x` is a ratio, `B` bytes, `n` an exponent. */
  readonly unit: "x" | "B" | "n"
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

export const bytes = (n: number): string => (n < 10_000 ? `${n.toFixed(0)} B` : `${(n / 1000).toFixed(1)} kB`)
