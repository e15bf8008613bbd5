/** Tools whose schemas have keys in any order, and what is said of that without the code. */
import { Arbitrary } from "effect"
import { isDeepStrictEqual } from "node:util"
import * as generate from "../../src/testing/internal/generate.ts"

// -----------------------------------------------------------------------------
// generators
// -----------------------------------------------------------------------------

/** Prefixes of each other, of two cases, empty, and sorted otherwise by code points than by code units. */
const ordinary = ["type", "a", "b", "B", "aa", "", "é", "e\u0301", "\u{1f600}", "\ue000", "\uffff", "\ud800", "{{a}}"]

/** Of prototypes, or with a meaning for `JSON.stringify`. */
const special = ["__proto__", "constructor", "hasOwnProperty", "toJSON", "length"]

/** Some that are indices, and some that only look like it. */
const numeric = ["0", "1", "9", "10", "01", "-1", "1.5", "4294967294", "4294967295"]

const key = generate.literal(...ordinary, ...special, ...numeric)

const scalar = generate.choose<unknown>(
  generate.literal("", "a", "\ud800", "\\ud800", "1"),
  generate.literal(0, 1, -1.5, 1e21),
  generate.literal(true, false),
  Arbitrary.Constant(null)
)

const objectOf = (value: generate.Arb<unknown>): generate.Arb<Record<string, unknown>> =>
  Arbitrary.map(generate.list(Arbitrary.all([key, value]), 5), (members) => Object.fromEntries(members))

const value = (depth: number): generate.Arb<unknown> =>
  depth === 0
    ? scalar
    : generate.choose<unknown>(scalar, objectOf(value(depth - 1)), generate.list(value(depth - 1), 3), objectOf(scalar))

/** A tool as its author writes it. */
export interface Written {
  readonly name: string
  readonly description: string
  readonly parameters: object
  readonly deferLoading: boolean
}

export const written: generate.Arb<Written> = Arbitrary.all({
  name: generate.literal("t", "u"),
  description: generate.literal("d", "e"),
  parameters: objectOf(value(3)),
  deferLoading: generate.literal(true, false)
})

/** A tool, and another that differs in the order of keys, in one place of its parameters as well, or in anything. */
export const pair: generate.Arb<readonly [Written, Written]> = Arbitrary.map(
  Arbitrary.all([written, written, generate.picks, generate.below(60), generate.below(6)]),
  ([one, other, picks, place, kind]) => {
    const parameters = reordered(one.parameters, picks)
    if (kind < 2) return [one, { ...one, parameters }]
    if (kind < 4) return [one, { ...one, parameters: changed(parameters, place) }]
    return [one, kind === 4 ? { ...other, parameters } : other]
  }
)

/** The same with the keys of all objects in another order. */
const reordered = (self: object, picks: ReadonlyArray<number>): object => {
  const within = (one: unknown) => (isContainer(one) ? reordered(one, picks) : one)
  return Array.isArray(self)
    ? self.map(within)
    : Object.fromEntries(
        generate.shuffled(
          Object.entries(self).map(([key, one]) => [key, within(one)] as const),
          picks
        )
      )
}

/** The same but for one object or list of it: a list turns round or gets longer, an object has another key. */
const changed = (self: object, place: number): object => {
  let before = place % containersIn(self).length
  const walk = (one: object): object => {
    const here = before-- === 0
    const within = (inner: unknown) => (isContainer(inner) ? walk(inner) : inner)
    if (!Array.isArray(one)) {
      const members = Object.entries(one).map(([key, inner]) => [key, within(inner)] as const)
      return Object.fromEntries(here ? [...members, ["new", null]] : members)
    }
    const items: ReadonlyArray<unknown> = one.map(within)
    if (!here) return items
    return isDeepStrictEqual(items.toReversed(), items) ? [...items, null] : items.toReversed()
  }
  return walk(self)
}

// -----------------------------------------------------------------------------
// oracles
// -----------------------------------------------------------------------------

const isContainer = (self: unknown): self is object => typeof self === "object" && self !== null

/** All objects and lists in a value, itself first. */
export const containersIn = (self: unknown): ReadonlyArray<object> =>
  isContainer(self) ? [self, ...Object.values(self).flatMap(containersIn)] : []

/** The objects in a value, itself first. */
export const objectsIn = (self: unknown): ReadonlyArray<object> =>
  containersIn(self).filter((one) => !Array.isArray(one))

/** Whether a JavaScript object puts the key first, whatever one does. */
export const isIndex = (key: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1

/** Compares one code unit after the other. */
const isBefore = (a: string, b: string): boolean => {
  let at = 0
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at < b.length && (at === a.length || a.charCodeAt(at) < b.charCodeAt(at))
}

/** Whether the keys of an object are sorted as far as it can hold them so. */
export const isSorted = (self: object): boolean => {
  const keys = Object.keys(self).filter((one) => !isIndex(one))
  return keys.every((one, i) => i === 0 || isBefore(keys[i - 1]!, one))
}

/** Node's own deep equality: the order of keys means nothing to it, that of a list all. */
export const saysSame = (a: Written, b: Written): boolean => isDeepStrictEqual({ ...a }, { ...b })
