import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** An effect that has already run. `Exit.isExit` alone forgets the types. */
export const asExit = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined
