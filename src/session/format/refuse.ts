/**
 * How the steps of a migration refuse an event: by an exception that never leaves `attempt`, as in `internal/json.ts`,
 * since what refuses stands deep within what reads, and as a `Result` for everyone else.
 */
import * as Result from "effect/Result"
import { clipMiddle } from "../../internal/excerpt.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** Why something cannot be migrated, as a sentence. */
export interface Refused {
  readonly reason: string
}

class Refusal extends Error {}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A reason quotes what the log says, which may be of any length. */
const longest = 500

/** Ends the present `attempt`. */
export const refuse = (reason: string): never => {
  throw new Refusal(clipMiddle(reason, longest))
}

/** Runs `work`; a refusal in it becomes a failure. What else is thrown is a bug, and stays one. */
export const attempt = <A>(work: () => A): Result.Result<A, Refused> => {
  try {
    return Result.succeed(work())
  } catch (cause) {
    if (cause instanceof Refusal) return Result.fail({ reason: cause.message })
    throw cause
  }
}
