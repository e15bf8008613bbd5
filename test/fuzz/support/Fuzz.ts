/**
 * Tries many inputs, each made from a seed and the number of its run alone, so that one can be made again without those
 * before it.
 */
import { assert } from "@effect/vitest"
import { Tally } from "../../support/check.ts"
import { type Random, seeded } from "../../support/random.ts"
import { watched } from "./watchdog.ts"

export interface Fuzz<Input> {
  readonly title: string
  readonly seed: number
  readonly runs: number
  readonly input: (random: Random) => Input
  /** Throws where the promise does not hold; gives what became of the input. */
  readonly property: (input: Input) => ReadonlyArray<string>
  /** Inputs that are smaller, the smallest first. */
  readonly smaller: (input: Input) => Iterable<Input>
  readonly show: (input: Input) => unknown
  /** Labels, with the percentage of runs in which they must occur at least. */
  readonly least: Readonly<Record<string, number>>
}

/** Far apart, so that two seeds do not share their runs. */
export const randomOf = (seed: number, run: number): Random => seeded(Math.imul(seed, 1_000_003) + run)

const maxShown = 4_000

const maxShrinks = 400

/** Why the promise does not hold. */
const failureOf = <Input>(property: (input: Input) => unknown, input: Input): string | undefined => {
  try {
    watched(() => property(input))
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

const hung = /Script execution timed out/

/** The smallest input found that fails as well. What does not end is taken as it is. */
const shrink = <Input>(fuzz: Fuzz<Input>, input: Input, failure: string): { input: Input; failure: string } => {
  let best = { input, failure }
  let left = hung.test(failure) ? 0 : maxShrinks
  for (let found = left > 0; found;) {
    found = false
    for (const smaller of fuzz.smaller(best.input)) {
      if (left-- <= 0) break
      const failure = failureOf(fuzz.property, smaller)
      if (failure === undefined) continue
      best = { input: smaller, failure }
      found = true
      break
    }
  }
  return best
}

const shown = (value: unknown): string => {
  const json = JSON.stringify(value)
  return json.length > maxShown ? `${json.slice(0, maxShown)}… (${json.length} characters)` : json
}

/** Runs all; fails with the first counterexample, and how to make it again. */
export const fuzz = <Input>(options: Fuzz<Input>): void => {
  const { least, property, runs, seed, title } = options
  const tally = new Tally()
  let slowest = { milliseconds: 0, run: -1 }
  for (let run = 0; run < runs; run++) {
    const input = options.input(randomOf(seed, run))
    const before = performance.now()
    const failure = failureOf((input: Input) => tally.count(...property(input)), input)
    const milliseconds = performance.now() - before
    if (milliseconds > slowest.milliseconds) slowest = { milliseconds, run }
    if (failure === undefined) continue
    const best = shrink(options, input, failure)
    const replay = `replay: randomOf(${seed}, ${run})`
    assert.fail(`${title}: ${replay}\ninput: ${shown(options.show(best.input))}\n${best.failure}`)
  }
  const input = shown(options.show(options.input(randomOf(seed, slowest.run)))).slice(0, 120)
  console.log(`${title}: slowest was run ${slowest.run} with ${slowest.milliseconds.toFixed(0)} ms: ${input}`)
  tally.assertShares(title, least)
}

/** Texts without some of their characters, large parts first. */
export function* smallerTexts(text: string): Iterable<string> {
  for (let size = text.length; size > 0; size = size >> 1) {
    for (let start = 0; start < text.length && start < size * 40; start += size) {
      yield text.slice(0, start) + text.slice(start + size)
    }
  }
}
