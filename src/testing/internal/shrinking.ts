/**
 * Shrinkers: what is simpler than a value, the simplest first. A value that is as simple as it gets has none, and none
 * is as complex as the value, so that shrinking ends.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Template from "../../Template.ts"
import { VariableName } from "../../VariableName.ts"
import { compact } from "./generate.ts"
import { joined } from "./texts.ts"

export type Shrinker<A> = (value: A) => ReadonlyArray<A>

// -----------------------------------------------------------------------------
// single values
// -----------------------------------------------------------------------------

export const never = <A>(): ReadonlyArray<A> => []

/** The first of these, then the next; any other value is more complex than all of them. */
export const towards =
  <A>(...simplest: ReadonlyArray<A>): Shrinker<A> =>
  (value) => {
    const at = simplest.indexOf(value)
    return at === -1 ? simplest : simplest.slice(0, at)
  }

export const optional =
  <A>(shrink: Shrinker<A>): Shrinker<A | undefined> =>
  (value) =>
    value === undefined ? [] : [undefined, ...shrink(value)]

/** All ways to leave out up to so many items that stand together: many at first, then fewer; the last ones first. */
export const removals = <A>(all: ReadonlyArray<A>, most = all.length): ReadonlyArray<ReadonlyArray<A>> => {
  const found: Array<ReadonlyArray<A>> = []
  for (let size = most; size > 0; size = Math.floor(size / 2)) {
    for (let end = all.length; end > 0; end -= size) {
      found.push(all.toSpliced(Math.max(end - size, 0), Math.min(size, end)))
    }
  }
  return found
}

const characters: Shrinker<string> = (value) => [
  ...towards("", "x")(value),
  ...removals([...value])
    .map((kept) => kept.join(""))
    .filter((kept) => kept !== "" && kept !== "x")
]

const segments: Shrinker<Template.Template> = (value) =>
  removals(value.segments).map((kept) =>
    joined(
      kept.map((one) =>
        one._tag === "Literal" ? Template.verbatim(one.text) : Template.ref(VariableName.make(one.name))
      )
    )
  )

/** What is no text, and so is refused, stays. */
export const text: Shrinker<Template.Text> = (value) => {
  if (typeof value === "string") return characters(value)
  return Template.isTemplate(value) ? [...towards("", "x")(String(value)), ...segments(value)] : []
}

// -----------------------------------------------------------------------------
// compound values
// -----------------------------------------------------------------------------

/** How one part of a compound value gets simpler: what it may become, each as the whole value. */
interface Place<A> {
  readonly size: number
  readonly simpler: (whole: A, at: number) => A
}

/** All parts at once as simple as they get in one go, then the first half, the second half, and so on; then each alone. */
const together = <A>(value: A, places: ReadonlyArray<Place<A>>): ReadonlyArray<A> => {
  const changing = places.filter((place) => place.size > 0)
  const all: Array<A> = []
  for (let size = changing.length; size > 1; size = Math.ceil(size / 2)) {
    for (let start = 0; start < changing.length; start += size) {
      all.push(changing.slice(start, start + size).reduce((whole, place) => place.simpler(whole, 0), value))
    }
  }
  return [...all, ...changing.flatMap((place) => Array.from({ length: place.size }, (_, i) => place.simpler(value, i)))]
}

/** Each item as simple as it gets; the list keeps its length. */
export const items =
  <A>(shrink: Shrinker<A>): Shrinker<ReadonlyArray<A>> =>
  (value) =>
    together(
      value,
      value.map((item, index) => {
        const simpler = shrink(item)
        return { size: simpler.length, simpler: (whole, at) => whole.with(index, simpler[at] ?? item) }
      })
    )

/** Shorter lists, then simpler items. */
export const list =
  <A>(shrink: Shrinker<A>): Shrinker<ReadonlyArray<A>> =>
  (value) => [...removals(value), ...items(shrink)(value)]

/** Simpler fields; those without a value are left out. */
export const fields =
  <A extends object>(shrinkers: { readonly [K in keyof A]-?: Shrinker<A[K]> }): Shrinker<A> =>
  (value) => {
    const places: Array<Place<A>> = []
    for (const key in shrinkers) {
      const simpler = shrinkers[key](value[key])
      places.push({
        size: simpler.length,
        simpler: (whole, at) => compact({ ...whole, [key]: simpler[at] })
      })
    }
    return together(value, places)
  }

// -----------------------------------------------------------------------------
// generators
// -----------------------------------------------------------------------------

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))

/**
 * The generator with a shrinker of its own. The engine takes one for a Schema only, so this is a Schema of anything whose
 * values are drawn from the generator.
 */
export const shrinkable = <A>(self: Arbitrary.Arbitrary<A>, shrink: Shrinker<A>): Arbitrary.Arbitrary<A> => {
  const draw = SchemaGetter.transformOptionalEffect<A, number>((seed) =>
    Option.isNone(seed)
      ? Effect.succeedNone
      : Effect.map(Effect.orDie(Arbitrary.sampleEffect(self, { count: 1, seed: seed.value })), (values) =>
          Option.fromNullishOr(values[0])
        )
  )
  const anything = Schema.declare((value: unknown): value is A => value !== undefined, {
    toCodecArbitrary: () =>
      Schema.link<A>()(Seed, { decode: draw, encode: SchemaGetter.forbidden(() => "it is only drawn") })
  })
  return Arbitrary.schema(anything, { shrink })
}
