/** Edits of the ordered lists of an assembly. An edit that changes nothing gives the same list back. */
import { byCodeUnits } from "./codeUnits.ts"

// Lists are copied by spreading, and the copies are read: frozen arrays are slow to read, by index and by their methods.

/** Puts an item before the first one that comes after it, and leaves the others as they were arranged. */
export const insert = <A>(list: ReadonlyArray<A>, item: A, compare: (a: A, b: A) => number): ReadonlyArray<A> => {
  const items = [...list]
  let at = 0
  while (at < items.length && compare(item, items[at]!) >= 0) at++
  items.splice(at, 0, item)
  return Object.freeze(items)
}

export const remove = <A>(list: ReadonlyArray<A>, is: (a: A) => boolean): ReadonlyArray<A> => {
  const kept = [...list].filter((item) => !is(item))
  return kept.length === list.length ? list : Object.freeze(kept)
}

export const map = <A extends object>(
  list: ReadonlyArray<A>,
  is: (a: A) => boolean,
  f: (a: A) => A
): ReadonlyArray<A> => {
  const mapped = [...list]
  let same = true
  for (let i = 0; i < mapped.length; i++) {
    const item = mapped[i]!
    const next = is(item) ? f(item) : item
    if (next === item) continue
    same = false
    mapped[i] = Object.freeze({ ...next })
  }
  return same ? list : Object.freeze(mapped)
}

interface Ordered {
  readonly name: string
  readonly order: number
}

/** The order of sections and contexts. */
export const byOrderThenName = (a: Ordered, b: Ordered): number =>
  a.order < b.order ? -1 : a.order > b.order ? 1 : byCodeUnits(a.name, b.name)
