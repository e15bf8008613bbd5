/** Follows the parts that went into a waterfall: what was made of each, and which listener ended it. */
import type { Assembly } from "../Assembly.ts"
import * as parts from "./parts.ts"

/** What a listener made of the assemblies that it had, the last of which counts. */
export interface Move {
  /** The listener's place in the plan. */
  readonly index: number
  readonly from: readonly [Assembly, ...ReadonlyArray<Assembly>]
  readonly to: Assembly
}

export interface Survival {
  /** The part of the base that a part was made of, if it was. */
  readonly rootOf: (part: parts.Part) => parts.Part | undefined
  /** The place of the last listener that a part of the base did not get past. */
  readonly endOf: (root: parts.Part) => number | undefined
}

/**
 * `moves` are in the order of time; `result` came out, and was sealed to `assembly`. What only a waterfall of another
 * kind or sealing made is followed too.
 */
export const survive = (base: Assembly, moves: ReadonlyArray<Move>, result: Assembly, assembly: Assembly): Survival => {
  const roots = new Map<parts.Part, parts.Part | undefined>()
  const ends = new Map<parts.Part, number>()
  for (const [list] of parts.lists) for (const part of base[list]) roots.set(part, part)
  const follow = (from: Move["from"], to: Assembly, list: parts.List) => {
    if (from.some((one) => one[list] === to[list])) return
    const fresh = to[list].filter((part) => !roots.has(part))
    if (fresh.length === 0) return
    const stays = new Set<parts.Part>(to[list])
    const earlier = from.flatMap((one): ReadonlyArray<parts.Part> => one[list])
    for (const part of fresh) {
      // The origin of a tool tells which of its name it was: a listener's own has another.
      const was = earlier.findLast(
        (one) =>
          !stays.has(one) &&
          parts.nameOf(one) === parts.nameOf(part) &&
          (list !== "tools" || parts.sameSource(one, part))
      )
      roots.set(part, was === undefined ? undefined : roots.get(was))
    }
  }
  for (const { from, index, to } of moves) {
    const before = from.at(-1) ?? from[0]
    for (const [list] of parts.lists) {
      if (before[list] === to[list]) continue
      follow(from, to, list)
      const alive = new Set(to[list].map((part) => roots.get(part)))
      for (const part of before[list]) {
        const root = roots.get(part)
        if (root !== undefined && !alive.has(root)) ends.set(root, index)
      }
    }
  }
  for (const [list] of parts.lists) {
    follow([base], result, list)
    follow([base, result], assembly, list)
  }
  return { rootOf: (part) => roots.get(part), endOf: (root) => ends.get(root) }
}
