/** Combinators of generators. What they make shrinks towards what they name first. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

export type Arb<A> = Arbitrary.Arbitrary<A>

/** One of the values, all as likely. Shrinks to the first or the second: trying all of them would use up the budget. */
export const literal = <const A extends string | number | boolean>(...values: ReadonlyArray<A>): Arb<A> =>
  Arbitrary.schema(Schema.Literals(values), {
    shrink: (value) => values.slice(0, Math.min(values.indexOf(value), 2))
  })

/** The tag of a variant. */
export const tagged = <const Tag extends string>(tag: Tag): Arb<Tag> => Arbitrary.Constant(tag)

export const below = (end: number): Arb<number> => literal(...Array.from({ length: end }, (_, i) => i))

/** One of the alternatives, each as likely as it is often there; shrinks towards the first. */
export const choose = <A>(first: Arb<A>, ...rest: ReadonlyArray<Arb<A>>): Arb<A> =>
  Arbitrary.flatMap(below(rest.length + 1), (i) => rest[i - 1] ?? first)

/** The first, but one time in `rarity` the second. */
export const mostly = <A>(usual: Arb<A>, rarity: number, odd: Arb<A>): Arb<A> =>
  Arbitrary.flatMap(below(rarity), (i) => (i === rarity - 1 ? odd : usual))

export const absent: Arb<undefined> = Arbitrary.Constant(undefined)

/** None, but one time in `rarity` the value. */
export const seldom = <A>(rarity: number, there: Arb<A>): Arb<A | undefined> =>
  mostly<A | undefined>(absent, rarity, there)

export const list = <A>(item: Arb<A>, maxLength: number): Arb<ReadonlyArray<A>> => Arbitrary.array(item, { maxLength })

/** A list of one. */
export const alone = <A>(item: Arb<A>): Arb<ReadonlyArray<A>> => Arbitrary.map(item, (one) => [one])

/** A list without two of one name. */
export const distinct = <A extends { readonly name: string }>(item: Arb<A>, maxLength: number): Arb<ReadonlyArray<A>> =>
  Arbitrary.map(list(item, maxLength), (all) =>
    all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i)
  )

/** A text of some of the given pieces. */
export const pieces = (
  alphabet: ReadonlyArray<string>,
  lengths: { readonly minLength?: number; readonly maxLength: number }
): Arb<string> => Arbitrary.map(Arbitrary.array(literal(...alphabet), lengths), (all) => all.join(""))

/** The same without the fields that have no value: they would only make a counterexample longer. */
export const compact = <A extends object>(self: A): A => {
  const copy = { ...self }
  for (const key of Object.keys(copy)) if (Reflect.get(copy, key) === undefined) Reflect.deleteProperty(copy, key)
  return copy
}

/** Records without the fields that have no value. */
export const compacted = <A extends object>(self: Arb<A>): Arb<A> => Arbitrary.map(self, compact)

/** Decisions for `shuffled`. */
export const picks: Arb<ReadonlyArray<number>> = list(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 }))),
  40
)

/** The list in the order that the picks decide; without picks as it is. */
export const shuffled = <A>(all: ReadonlyArray<A>, by: ReadonlyArray<number>): ReadonlyArray<A> => {
  const rest = [...all]
  return all.flatMap((_, i) => rest.splice((by[i % by.length] ?? 0) % rest.length, 1))
}
