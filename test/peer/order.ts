/** The orders of the newer rules, and ours. */

/** By the first key that differs; strings by code units. Sorting by it is stable. */
export const by =
  <A>(...keys: ReadonlyArray<(one: A) => string | number>) =>
  (a: A, b: A): number => {
    for (const key of keys) if (key(a) !== key(b)) return key(a) < key(b) ? -1 : 1
    return 0
  }

/** Before the first one that comes after it. */
export const insert = <A>(all: Array<A>, one: A, compare: (a: A, b: A) => number): void => {
  const at = all.findIndex((other) => compare(other, one) > 0)
  all.splice(at < 0 ? all.length : at, 0, one)
}

export const same = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i])

export const restMarker = "<unlisted-tools>"

/** Where a tool stands: at its name in the configured order, or at the marker for the rest. */
export const placeOf = (toolOrder: ReadonlyArray<string> | undefined, name: string): number =>
  toolOrder?.indexOf(toolOrder.includes(name) ? name : restMarker) ?? 0
