/** What of two lists stays where it is, what came, what went and what moved. */
import { byCodeUnits } from "./codeUnits.ts"

/** Keys are unique in each list. */
export interface Keyed<A> {
  readonly key: string
  readonly item: A
}

export type Move<A> =
  | { readonly _tag: "Added"; readonly at: number; readonly after: A }
  | { readonly _tag: "Removed"; readonly was: number; readonly before: A }
  | {
      readonly _tag: "Kept"
      readonly was: number
      readonly at: number
      readonly moved: boolean
      readonly before: A
      readonly after: A
    }

/**
 * Every item of both lists, from top to bottom. As few as possible have moved; of several that may have, those for which
 * `steady` does not hold, and then those of the greatest keys. So the answer for the lists exchanged is the same exchanged.
 */
export const align = <A>(
  before: ReadonlyArray<Keyed<A>>,
  after: ReadonlyArray<Keyed<A>>,
  steady: (before: A, after: A) => boolean
): ReadonlyArray<Move<A>> => {
  const earlier = new Map(before.map((one, was) => [one.key, was]))
  const later = new Map(after.map((one, at) => [one.key, at]))
  const common = before.flatMap(({ item, key }, was): ReadonlyArray<Common> => {
    const at = later.get(key)
    return at === undefined ? [] : [{ key, was, at, steady: steady(item, after[at]!.item) }]
  })
  const still = new Set(longestRun(common).map((one) => one.key))
  const moves: Array<Move<A>> = []
  const kept = (was: number, at: number, moved: boolean): Move<A> => ({
    _tag: "Kept",
    was,
    at,
    moved,
    before: before[was]!.item,
    after: after[at]!.item
  })
  let was = 0
  let at = 0
  while (was < before.length || at < after.length) {
    for (; was < before.length && !still.has(before[was]!.key); was++) {
      const { item, key } = before[was]!
      if (!later.has(key)) moves.push({ _tag: "Removed", was, before: item })
    }
    for (; at < after.length && !still.has(after[at]!.key); at++) {
      const { item, key } = after[at]!
      const from = earlier.get(key)
      moves.push(from === undefined ? { _tag: "Added", at, after: item } : kept(from, at, true))
    }
    if (was < before.length) moves.push(kept(was++, at++, false))
  }
  return moves
}

interface Common {
  readonly key: string
  readonly was: number
  readonly at: number
  readonly steady: boolean
}

/**
 * The longest part of the common items that is in order in both lists; of several the one with the most steady ones, then
 * the one with the least keys. Beginning and end usually agree; between them it is quadratic.
 */
const longestRun = (common: ReadonlyArray<Common>): ReadonlyArray<Common> => {
  const places = common.map((one) => one.at).sort((a, b) => a - b)
  let start = 0
  while (start < common.length && common[start]!.at === places[start]) start++
  let end = common.length
  while (end > start && common[end - 1]!.at === places[end - 1]) end--
  return [...common.slice(0, start), ...longestIn(common.slice(start, end)), ...common.slice(end)]
}

const longestIn = (items: ReadonlyArray<Common>): ReadonlyArray<Common> => {
  const weight = (one: Common): number => items.length + 1 + (one.steady ? 1 : 0)
  /** The weight of the best run that begins with each item. */
  const best: Array<number> = Array.from(items, () => 0)
  for (let i = items.length - 1; i >= 0; i--) {
    let rest = 0
    for (let j = i + 1; j < items.length; j++) if (items[j]!.at > items[i]!.at) rest = Math.max(rest, best[j]!)
    best[i] = rest + weight(items[i]!)
  }
  const run: Array<Common> = []
  let left = Math.max(0, ...best)
  while (left > 0) {
    const last = run.at(-1)
    const next = items
      .filter((one, i) => best[i] === left && (last === undefined || (one.was > last.was && one.at > last.at)))
      .reduce((a, b) => (byCodeUnits(a.key, b.key) < 0 ? a : b))
    run.push(next)
    left -= weight(next)
  }
  return run
}
