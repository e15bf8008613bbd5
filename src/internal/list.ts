/** Edits of the ordered lists of an assembly. An edit that changes nothing gives the same list back. */
import { byCodeUnits } from "./codeUnits.ts"

/** Puts an item before the first one that comes after it, and leaves the others as they were arranged. */
export const insert = <A>(list: ReadonlyArray<A>, item: A, compare: (a: A, b: A) => number): ReadonlyArray<A> => {
  const found = list.findIndex((other) => compare(item, other) < 0)
  const at = found === -1 ? list.length : found
  return Object.freeze([...list.slice(0, at), item, ...list.slice(at)])
}

export const remove = <A>(list: ReadonlyArray<A>, is: (a: A) => boolean): ReadonlyArray<A> =>
  list.some(is) ? Object.freeze(list.filter((item) => !is(item))) : list

export const map = <A extends object>(
  list: ReadonlyArray<A>,
  is: (a: A) => boolean,
  f: (a: A) => A
): ReadonlyArray<A> => {
  const mapped = list.map((item) => {
    const next = is(item) ? f(item) : item
    return next === item ? item : Object.freeze({ ...next })
  })
  return mapped.every((item, i) => item === list[i]) ? list : Object.freeze(mapped)
}

interface Ordered {
  readonly name: string
  readonly order: number
}

/** The order of sections and contexts. */
export const byOrderThenName = (a: Ordered, b: Ordered): number =>
  a.order < b.order ? -1 : a.order > b.order ? 1 : byCodeUnits(a.name, b.name)
