/** Scopes of what may fail half-way. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** What an effect acquires belongs to the surrounding scope once the effect is done; if it fails, it is released at once. */
export const owned = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Scope.fork(yield* Effect.scope)
    return yield* effect.pipe(
      Scope.provide(child),
      Effect.onError(() => Scope.close(child, Exit.void))
    )
  })
