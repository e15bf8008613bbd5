/** What a provider gives for an assembly. One that needs no Effect gives its value at once. */
import * as Effect from "effect/Effect"
import type { AssembleContext } from "../AssembleContext.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Provider } from "../Provider.ts"
import { type Captured, provideCaptured } from "./capture.ts"

/** A value that was registered as it is: it is the same in every assembly. */
export class Constant {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
    Object.freeze(this)
  }
}

/**
 * A value that is read when an assembly begins, together with the plan: what is registered while the assembly is on its way
 * counts from the next one.
 */
export class AtStart {
  readonly read: (scope: PromptScope) => unknown

  constructor(read: (scope: PromptScope) => unknown) {
    this.read = read
    Object.freeze(this)
  }
}

/** What a registered contribution gives: always the same, or whatever the function gives for an assembly. */
export type Slot = Constant | AtStart | ((context: AssembleContext) => unknown)

const readers = new WeakMap<object, AtStart>()

/** A provider whose value is read when an assembly begins. `read` must not throw. */
export const atStart = <A>(read: (scope: PromptScope) => A): ((context: AssembleContext) => A) => {
  const provider = ({ scope }: AssembleContext) => read(scope)
  readers.set(provider, new AtStart(read))
  return provider
}

/** Makes the slot of a registered entry of its provider. */
export const give = <A>(provider: Provider<A, unknown, unknown>, services: Captured): Slot => {
  // An Effect may be a function too: a service used as the value is a class.
  if (isEffect(provider)) return (context) => provideCaptured(provider, services, context)
  if (!isFunction(provider)) return new Constant(provider)
  const reader = readers.get(provider)
  if (reader !== undefined) return reader
  return (context) => {
    const given = provider(context)
    return typeof given === "string" ? given : provideIfEffect(given, services, context)
  }
}

/** Provides the captured services if there is an Effect that may need them. */
export const provideIfEffect = (given: unknown, services: Captured, context: AssembleContext): unknown =>
  isEffect(given) ? provideCaptured(given, services, context) : given

/** Whether a slot gave an Effect. Its services have been provided. */
export const isEffect = (given: unknown): given is Effect.Effect<unknown, unknown> => {
  // The usual values are none; this is asked for each of them in each assembly.
  if (typeof given === "string" || given === undefined) return false
  try {
    if (Array.isArray(given)) return false
    return Effect.isEffect(given)
  } catch {
    // A Proxy: whoever accepts the value says what is wrong with it.
    return false
  }
}

const isFunction = (u: unknown): u is (context: AssembleContext) => unknown => typeof u === "function"
