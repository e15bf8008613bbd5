/** What a provider gives for an assembly. One that needs no Effect gives its value at once. */
import * as Effect from "effect/Effect"
import type { AssembleContext } from "../AssembleContext.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Provider } from "../Provider.ts"
import { type Captured, provideCaptured } from "./capture.ts"
import { describeType } from "./rules.ts"

// The fields are private so that nothing else passes for a slot, to the compiler too.

/** A value that was registered as it is: it is the same in every assembly. */
export class Constant {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
    Object.freeze(this)
  }

  get value(): unknown {
    return this.#value
  }
}

/**
 * A value that is read when an assembly begins, together with the plan: what is registered while the assembly is on its way
 * counts from the next one.
 */
export class AtStart {
  readonly #read: (scope: PromptScope) => unknown

  constructor(read: (scope: PromptScope) => unknown) {
    this.#read = read
    Object.freeze(this)
  }

  read(scope: PromptScope): unknown {
    const read = this.#read
    return read(scope)
  }
}

/** What the author's function gives for an assembly. Where that is an Effect, it finds the services of its registration. */
export class Called {
  readonly #call: (context: AssembleContext) => unknown
  readonly services: Captured

  constructor(call: (context: AssembleContext) => unknown, services: Captured) {
    this.#call = call
    this.services = services
    Object.freeze(this)
  }

  call(context: AssembleContext): unknown {
    const call = this.#call
    return call(context)
  }
}

/** What a registered contribution gives. */
export type Slot = Constant | AtStart | Called

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
  if (isEffect(provider)) return new Called(() => provider, services)
  return isFunction(provider) ? (readers.get(provider) ?? new Called(provider, services)) : new Constant(provider)
}

/** What was read when the assembly began. */
export type Read = ReadonlyMap<AtStart, unknown>

/** What a slot gives for an assembly; throws what the author's function throws. */
export const valueOf = (slot: Slot, context: AssembleContext, read: Read): unknown => {
  if (slot instanceof Called) return slot.call(context)
  if (slot instanceof Constant) return slot.value
  if (slot instanceof AtStart) return read.get(slot)
  const none: never = slot
  throw new TypeError(
    `expected what SystemPrompt makes of a provider, got ${describeType(none)}. Register it with SystemPrompt`
  )
}

/** Provides what the Effect of a slot may need. */
export const provideServices = (
  slot: Slot,
  effect: Effect.Effect<unknown, unknown>,
  context: AssembleContext
): Effect.Effect<unknown, unknown> =>
  slot instanceof Called ? provideCaptured(effect, slot.services, context) : effect

/** Provides the captured services if there is an Effect that may need them. */
export const provideIfEffect = (given: unknown, services: Captured, context: AssembleContext): unknown =>
  isEffect(given) ? provideCaptured(given, services, context) : given

/** Whether a slot, or a listener, gave an Effect. */
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
