/** A seeded source of numbers, for tests whose steps depend on when they run, so that no generator can make them up front. */

export interface Random {
  /** A whole number from 0, less than `n`. */
  readonly below: (n: number) => number
  /** True once in `n` times. */
  readonly oneIn: (n: number) => boolean
  readonly pick: <A>(all: readonly [A, ...ReadonlyArray<A>]) => A
}

/** Mulberry32: the same seed gives the same numbers on every machine. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, oneIn: (n) => below(n) === 0, pick: (all) => all[below(all.length)] ?? all[0] }
}
