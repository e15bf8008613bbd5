/**
 * An overlay: all contributions of one prompt scope.
 *
 * Its slots hold either known values, which the pure assembly takes as they are, or
 * providers that give a value for each assembly (`Slots`). Names are unique in it, per
 * kind; tool providers and suppressors are anonymous and counted.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Slot } from "./internal/give.ts"
import { OverlayTable } from "./internal/overlayTable.ts"
import * as Listener from "./Listener.ts"
import * as PromptContext from "./PromptContext.ts"
import type { DuplicateRegistration, InvalidRegistration } from "./PromptError.ts"
import * as Section from "./Section.ts"
import type { Text } from "./Template.ts"
import * as ToolProvider from "./ToolProvider.ts"
import * as Variable from "./Variable.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What the slots of an overlay hold.
 *
 * @since 0.1.0
 * @category models
 */
export interface Slots {
  readonly text: unknown
  readonly value: unknown
  readonly tools: unknown
  readonly listener: unknown
}

/**
 * Slots whose values are known, with pure listeners.
 *
 * @since 0.1.0
 * @category models
 */
export interface Known extends Slots {
  readonly text: Text
  readonly value: string | undefined
  readonly tools: ToolProvider.Tools
  readonly listener: Listener.Edit
}

/**
 * Slots that hold what a provider gives: a constant, or a function that gives for each assembly the value, or an Effect
 * of it, with its services captured. Nothing is known of a value until it has been accepted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Provided extends Slots {
  readonly text: Slot
  readonly value: Slot
  readonly tools: Slot
  readonly listener: Listener.Run
}

/**
 * Turns off all contexts for its scope and the descendants of it, as long as it is registered.
 *
 * @since 0.1.0
 * @category models
 */
export interface Suppressor {
  readonly kind: "suppressor"
  readonly plugin: string | undefined
}

/**
 * One contribution.
 *
 * @since 0.1.0
 * @category models
 */
export type Entry<K extends Slots = Known> =
  | Section.Section<K["text"]>
  | PromptContext.PromptContext<K["text"]>
  | Variable.Variable<K["value"]>
  | ToolProvider.ToolProvider<K["tools"]>
  | Listener.Listener<K["listener"]>
  | Suppressor

/**
 * All contributions of one scope, in no meaningful order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Overlay<K extends Slots = Known> {
  /** Label of the scope. */
  readonly scope: string
  readonly sections: ReadonlyArray<Section.Section<K["text"]>>
  readonly contexts: ReadonlyArray<PromptContext.PromptContext<K["text"]>>
  readonly variables: ReadonlyArray<Variable.Variable<K["value"]>>
  readonly tools: ReadonlyArray<ToolProvider.ToolProvider<K["tools"]>>
  readonly listeners: ReadonlyArray<Listener.Listener<K["listener"]>>
  /** How many suppressors are registered. */
  readonly suppressors: number
}

/**
 * What an overlay is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly sections?: ReadonlyArray<Section.Options>
  readonly contexts?: ReadonlyArray<PromptContext.Options>
  readonly variables?: ReadonlyArray<Variable.Options>
  readonly tools?: ReadonlyArray<ToolProvider.Options>
  readonly listeners?: ReadonlyArray<Listener.PureInput>
  readonly suppressors?: number
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * An overlay of the given contributions for the scope of that label, or the first rule that one of them breaks.
 *
 * **Provider's cache**: that of what is in it, as if it had been registered.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  scope: string,
  options: Options
): Result.Result<Overlay, InvalidRegistration | DuplicateRegistration> => {
  const table = new OverlayTable<Known>(scope)
  const made: ReadonlyArray<Result.Result<Entry, InvalidRegistration>> = [
    ...(options.sections ?? []).map((one) => Section.make(one, scope)),
    ...(options.contexts ?? []).map((one) => PromptContext.make(one, scope)),
    ...(options.variables ?? []).map((one) => Variable.make(one, scope)),
    ...(options.tools ?? []).map((one) => ToolProvider.make(one, scope)),
    ...(options.listeners ?? []).map((one) => Listener.pure(one, scope)),
    ...Array.from({ length: options.suppressors ?? 0 }, () => Result.succeed(suppressor()))
  ]
  for (const entry of made) {
    if (Result.isFailure(entry)) return Result.fail(entry.failure)
    const inserted = table.insert(entry.success)
    if (Result.isFailure(inserted)) return Result.fail(inserted.failure)
  }
  return Result.succeed(table.snapshot())
}

/**
 * A suppressor of its own identity: two of them need two removals.
 *
 * **Provider's cache**: nothing of the prefix; the snapshot goes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const suppressor = (plugin?: string): Suppressor => Object.freeze({ kind: "suppressor", plugin })
