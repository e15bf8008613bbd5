/**
 * What gives the value of a contribution for each assembly: the value itself, an
 * Effect, or a function of the assembly's context that returns either.
 *
 * Plain values and functions run synchronously. An Effect may need services: they are
 * captured when the provider is registered. Nothing is cached between assemblies.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { AssembleContext } from "./AssembleContext.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A value of type `A`, an Effect of one, or a function of the assembly's context that gives either.
 *
 * @since 0.1.0
 * @category models
 */
export type Provider<A, E = never, R = never> =
  | A
  | Effect.Effect<A, E, R>
  | ((context: AssembleContext) => A | Effect.Effect<A, E, R>)
