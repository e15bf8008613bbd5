/** Effects that have already run: going on from one needs no fibre. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

const success: unknown = Object.getPrototypeOf(Exit.void)

/** `Exit.isExit` alone forgets the types, and looks a key up where a look at the prototype mostly does. */
export const asExit = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Object.getPrototypeOf(effect) === success || Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** `Effect.flatMap` that goes on at once if the effect has already run. */
export const flatMapNow = <A, E, B, E2>(
  self: Effect.Effect<A, E>,
  f: (value: A) => Effect.Effect<B, E2>
): Effect.Effect<B, E | E2> => {
  const exit = asExit(self)
  if (exit === undefined) return Effect.flatMap(self, f)
  return Exit.isSuccess(exit) ? f(exit.value) : Exit.failCause(exit.cause)
}
