/** What all laws have in common: what a subject is, how it is built, and what an assembly is told. */
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { describeType } from "../../internal/rules.ts"

/** A whole number from 0, less than `end`; shrinks towards 0. */
export const below = (end: number): Arbitrary.Arbitrary<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: end - 1 })))

/** A runtime that tells nothing. */
export const noAnnotations: Arbitrary.Arbitrary<Context.Context<never>> = Arbitrary.Constant(Context.empty())

/** Annotations as they are shown; nothing if there are none. */
export const showAnnotations = (self: Context.Context<never>): object | undefined =>
  self.mapUnsafe.size === 0 ? undefined : Object.fromEntries(self.mapUnsafe)

/** How much later something happens, in words and in milliseconds; the shortest time first. */
const spans = {
  "at once": 0,
  "1 ms": 1,
  "1 second": 1000,
  "1 minute": 60_000,
  "1 hour": 3_600_000,
  "1 day": 86_400_000,
  "1 year": 31_536_000_000
} as const

export type Span = keyof typeof spans

const names: ReadonlyArray<Span> = ["at once", "1 ms", "1 second", "1 minute", "1 hour", "1 day", "1 year"]

/** Shrinks to the shortest one. */
export const span: Arbitrary.Arbitrary<Span> = Arbitrary.schema(Schema.Literals(names), {
  shrink: (name) => names.slice(0, names.indexOf(name))
})

export const millisOf = (self: Span): number => spans[self]

/** No cases, since something is wrong with what they are for: the law is misused. */
export const misused = (wrong: string): Arbitrary.Arbitrary<never> =>
  Arbitrary.map(Arbitrary.Constant(undefined), () => {
    throw new TypeError(wrong)
  })

/** The cases of a subject that must be a Layer: if it is none, that is a mistake in the test and none of the subject. */
export const ofLayer = <A>(what: string, subject: unknown, cases: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A> =>
  Layer.isLayer(subject) ? cases : misused(`the ${what} must be a Layer, and is ${describeType(subject)}`)

/** Built as if nobody had built it before. */
export const buildAnew = <A, E, R>(
  layer: Layer.Layer<A, E, R>
): Effect.Effect<Context.Context<A>, E, R | Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), scope))
