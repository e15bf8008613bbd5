/** Hearing of scopes that move or close: scopes are process-wide, and what is kept for one ends with it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as scopes from "./scope.ts"

/** Observes as long as the Effect scope lives. */
export const observe = (observer: scopes.Observer): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      scopes.observers.add(observer)
    }),
    () => Effect.sync(() => scopes.observers.delete(observer))
  )
