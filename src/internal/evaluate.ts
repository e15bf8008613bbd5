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
import { ownerFields, ProviderFailure } from "../PromptError.ts"
import { mapFailures } from "./failure.ts"
import { AtStart, Constant, isEffect, type Slot } from "./give.ts"
import * as values from "./values.ts"

/** An Exit if no provider gives an Effect. */
export const evaluate = (
  plan: Plan<Provided>,
  context: AssembleContext
): Effect.Effect<values.Values, values.Refusal> => {
  const steps = values.steps(plan)
  const into = values.empty()
  const read = steps.map(({ slot }) => (slot instanceof AtStart ? slot.read(context.scope) : undefined))
  const from = (start: number): Effect.Effect<values.Values, values.Refusal> => {
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!
      const called = step.slot instanceof AtStart ? Result.succeed(read[i]) : call(step, step.slot, context)
      if (Result.isFailure(called)) return Exit.fail(called.failure)
      if (isEffect(called.success)) {
        return Effect.flatMap(named(step, called.success), (value) => {
          const refusal = step.accept(value, into)
          return refusal === undefined ? from(i + 1) : Exit.fail(refusal)
        })
      }
      const refusal = step.accept(called.success, into)
      if (refusal !== undefined) return Exit.fail(refusal)
    }
    return Exit.succeed(into)
  }
  return from(0)
}

export const threw = (step: values.Step<Provided>, cause: unknown): ProviderFailure => failure(step, "threw", cause)

const failure = (step: values.Step<Provided>, reason: string, cause: unknown): ProviderFailure =>
  new ProviderFailure({ ...ownerFields(step.owner()), reason, cause })

export const named = (step: values.Step<Provided>, effect: Effect.Effect<unknown, unknown>) =>
  mapFailures(effect, (reason, cause) => failure(step, reason, cause))

/** A Result, since what a provider gives may be anything, and a tagged error is an Effect too. */
const call = (
  step: values.Step<Provided>,
  slot: Exclude<Slot, AtStart>,
  context: AssembleContext
): Result.Result<unknown, ProviderFailure> => {
  try {
    return Result.succeed(slot instanceof Constant ? slot.value : slot(context))
  } catch (cause) {
    return Result.fail(threw(step, cause))
  }
}
