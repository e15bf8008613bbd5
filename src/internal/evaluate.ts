/**
 * Calls the providers of a plan, one after the other. Plain ones run at once; the first
 * one that gives an Effect makes the rest wait for it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { Provided } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import { ownerFields, ProviderFailure } from "../PromptError.ts"
import { isPromise, mapFailures, providerPromised, providerThrew } from "./failure.ts"
import { isEffect } from "./give.ts"
import * as values from "./values.ts"

/** The values of a plan, the refusal of one of them, or an Effect of the values if some provider gave an Effect. */
export type Evaluated =
  | { readonly _tag: "Values"; readonly values: values.Values }
  | { readonly _tag: "Refused"; readonly refusal: values.Refusal }
  | { readonly _tag: "Waiting"; readonly effect: Effect.Effect<values.Values, values.Refusal> }

export const evaluate = (plan: Plan<Provided>, context: AssembleContext): Evaluated => {
  const steps = values.steps(plan)
  const into = values.empty()
  const from = (start: number): Evaluated => {
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!
      const called = call(step, context)
      if (Result.isFailure(called)) return { _tag: "Refused", refusal: called.failure }
      const given = called.success
      if (isEffect(given)) {
        const owner = step.owner()
        const value = mapFailures(
          given,
          (reason, cause) => new ProviderFailure({ ...ownerFields(owner), reason, cause })
        )
        return {
          _tag: "Waiting",
          effect: Effect.flatMap(value, (value) => {
            const refusal = accept(step, value, into)
            return refusal === undefined ? toEffect(from(i + 1)) : Effect.fail(refusal)
          })
        }
      }
      const refusal = accept(step, given, into)
      if (refusal !== undefined) return { _tag: "Refused", refusal }
    }
    return { _tag: "Values", values: into }
  }
  return from(0)
}

/** A Result, since what a provider gives may be anything, and a tagged error is an Effect too. */
const call = (step: values.Step<Provided>, context: AssembleContext): Result.Result<unknown, ProviderFailure> => {
  try {
    return Result.succeed(step.slot(context))
  } catch (cause) {
    return Result.fail(providerThrew(step.owner(), cause))
  }
}

const accept = (step: values.Step<Provided>, value: unknown, into: values.Values): values.Refusal | undefined =>
  isPromise(value) ? providerPromised(step.owner()) : step.accept(value, into)

const toEffect = (evaluated: Evaluated): Effect.Effect<values.Values, values.Refusal> => {
  switch (evaluated._tag) {
    case "Values":
      return Effect.succeed(evaluated.values)
    case "Refused":
      return Effect.fail(evaluated.refusal)
    case "Waiting":
      return evaluated.effect
  }
}
