/**
 * Calls the providers of a plan, one after the other. Plain ones run at once; the first
 * one that gives an Effect makes the rest wait for it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { Provided } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import { type Owner, ownerFields, ProviderFailure } from "../PromptError.ts"
import { mapFailures } from "./failure.ts"
import { AtStart, isEffect, provideServices, type Read, type Slot, valueOf } from "./give.ts"
import * as values from "./values.ts"

/** An Exit if no provider gives an Effect. */
export const evaluate = (
  plan: Plan<Provided>,
  context: AssembleContext
): Effect.Effect<values.Values, values.Refusal> => {
  const gathered = values.gathering<Provided>(plan)
  const { steps } = gathered
  const read = readAll(steps, context)
  const from = (start: number): Effect.Effect<values.Values, values.Refusal> => {
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!
      const called = call(step, context, read)
      if (Result.isFailure(called)) return Exit.fail(called.failure)
      if (isEffect(called.success)) {
        return Effect.flatMap(waitFor(step, called.success, context), (value) => {
          const taken = step.take(value)
          return Result.isSuccess(taken) ? from(i + 1) : Exit.fail(taken.failure)
        })
      }
      const taken = step.take(called.success)
      if (Result.isFailure(taken)) return Exit.fail(taken.failure)
    }
    return Exit.succeed(gathered.values)
  }
  return from(0)
}

/** What is evaluated: whose it is, and what it gives. */
interface Contribution {
  readonly owner: () => Owner
  readonly slot: Slot
}

const readAll = (steps: ReadonlyArray<Contribution>, { scope }: AssembleContext): Read =>
  new Map(steps.flatMap(({ slot }) => (slot instanceof AtStart ? [[slot, slot.read(scope)] as const] : [])))

/** A Result, since what a provider gives may be anything, and a tagged error is an Effect too. */
const call = (step: Contribution, context: AssembleContext, read: Read): Result.Result<unknown, ProviderFailure> => {
  try {
    return Result.succeed(valueOf(step.slot, context, read))
  } catch (cause) {
    return Result.fail(threw(step, cause))
  }
}

export const threw = (step: Contribution, cause: unknown): ProviderFailure => failure(step, "threw", cause)

const failure = (step: Contribution, reason: string, cause: unknown): ProviderFailure =>
  new ProviderFailure({ ...ownerFields(step.owner()), reason, cause })

/** The Effect that a step gave, with the services of its registration, and failures that name it. */
export const waitFor = (step: Contribution, effect: Effect.Effect<unknown, unknown>, context: AssembleContext) =>
  mapFailures(provideServices(step.slot, effect, context), (reason, cause) => failure(step, reason, cause))
