/** One case of a law: always at the same moment, for no longer than there is patience, and whatever the case does. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Annotations } from "../../AssembleContext.ts"
import * as PromptScope from "../../PromptScope.ts"
import type { Broken } from "../Law.ts"
import { at, liveClock, start } from "./moment.ts"
import { showCause } from "./show.ts"
import { NotJudged, type Verdict } from "./verdict.ts"

/** How many cases have judged a law, and why the last one that did not could not. */
export interface Tally {
  judged: number
  why: string
}

export const judge = <A>(
  holds: (value: A) => Effect.Effect<Broken | undefined, unknown>,
  value: A,
  patience: number,
  tally: Tally
): Effect.Effect<boolean, Verdict> =>
  Effect.suspend(() => holds(value)).pipe(
    at(start),
    // Whatever the test around it is told or runs in.
    PromptScope.provide(PromptScope.global),
    Effect.provideService(Annotations, Context.empty()),
    Effect.timeoutOption(patience),
    // Tests often stop the clock; that must not stop our patience.
    Effect.provideService(Clock.Clock, liveClock),
    Effect.exit,
    Effect.flatMap((exit): Effect.Effect<boolean, Verdict> => {
      const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      if (error instanceof NotJudged) {
        tally.why = error.why
        return Effect.succeed(true)
      }
      tally.judged++
      if (Exit.isFailure(exit)) return Effect.fail({ expected: "no failure", seen: showCause(exit.cause) })
      if (exit.value._tag === "None") {
        const advice = "A provider or the build does not end: give it a timeout, or raise `patience`."
        return Effect.fail({ expected: "an end", seen: `nothing within ${patience} ms`, advice })
      }
      return exit.value.value === undefined ? Effect.succeed(true) : Effect.fail(exit.value.value)
    })
  )
