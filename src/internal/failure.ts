/** How the failures of providers and listeners become typed errors that name them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ListenerFailure, type Owner, ownerFields, ProviderFailure } from "../PromptError.ts"

/** A Promise where a value or an Effect belongs would otherwise be taken for a value of the wrong type. */
export const isPromise = (u: unknown): boolean => {
  try {
    return typeof u === "object" && u !== null && "then" in u && typeof u.then === "function"
  } catch {
    // A getter or a Proxy: whoever accepts the value says what is wrong with it.
    return false
  }
}

const promised = new TypeError("got a Promise. Return an Effect: wrap the call in Effect.promise or Effect.tryPromise")

export const providerThrew = (owner: Owner, cause: unknown): ProviderFailure =>
  new ProviderFailure({ ...ownerFields(owner), reason: "threw", cause })

export const providerPromised = (owner: Owner): ProviderFailure =>
  new ProviderFailure({ ...ownerFields(owner), reason: "must not return a Promise", cause: promised })

export const listenerThrew = (owner: Owner, cause: unknown): ListenerFailure =>
  new ListenerFailure({ ...ownerFields(owner), reason: "threw", cause })

export const listenerPromised = (owner: Owner): ListenerFailure =>
  new ListenerFailure({ ...ownerFields(owner), reason: "must not return a Promise", cause: promised })

/** Interruption stays what it is; a typed failure or a defect is handed to `onFailure`, with what happened in words. */
export const mapFailures = <A, E>(
  effect: Effect.Effect<A, unknown>,
  onFailure: (reason: string, cause: unknown) => E
): Effect.Effect<A, E> =>
  Effect.catchCause(effect, (cause) => {
    const failed = Cause.findError(cause)
    if (Result.isSuccess(failed)) return Effect.fail(onFailure("failed", failed.success))
    const rest = failed.failure
    return Cause.hasDies(rest) ? Effect.fail(onFailure("died", Cause.squash(rest))) : Effect.failCause(rest)
  })
