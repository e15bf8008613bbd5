/** How the failures of providers and listeners become typed errors that name them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Interruption stays what it is; a typed failure or a defect is handed to `onFailure`, with what happened in words. */
export const mapFailures = <A, E>(
  effect: Effect.Effect<A, unknown>,
  onFailure: (reason: "failed" | "died", cause: unknown) => E
): Effect.Effect<A, E> =>
  Effect.catchCause(effect, (cause) => {
    const failed = Cause.findError(cause)
    if (Result.isSuccess(failed)) return Effect.fail(onFailure("failed", failed.success))
    const rest = failed.failure
    return Cause.hasDies(rest) ? Effect.fail(onFailure("died", Cause.squash(rest))) : Effect.failCause(rest)
  })
