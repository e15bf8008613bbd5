/**
 * A guard: looks at each call of a tool before the handler runs, and may refuse it.
 *
 * The guards of the whole chain are asked, those of the global scope first, by name in
 * each scope. The first reason refuses the call. No guard can let through what another
 * one refuses, or what the model was not shown.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A guard as registered. `C` is what it asks.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guard<out C = unknown> {
  readonly kind: "guard"
  /** Unique in its scope. */
  readonly name: string
  readonly check: C
  readonly plugin: string | undefined
}

/**
 * What a guard is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out C> {
  /** Unique in its scope. */
  readonly name: string
  /** Gives the reason why a call is refused, or `undefined` to let it pass. */
  readonly check: C
  /** Who registers it, for errors. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen guard, or the rule it breaks. `scope` is the label of the scope it is meant for.
 *
 * **Provider's cache**: nothing; no model is told of guards.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <C>(options: Options<C>, scope: string): Result.Result<Guard<C>, InvalidRegistration> => {
  const owner = rules.ownerOf("guard", options, scope)
  return Result.gen(function* () {
    const name = yield* rules.name(owner, options.name)
    const plugin = yield* rules.plugin(owner, options.plugin)
    if (typeof options.check !== "function") {
      const reason = `expected a function, got ${rules.describeType(options.check)}. Give a function of the call.`
      return yield* rules.broken(owner, "check", reason)
    }
    return Object.freeze<Guard<C>>({ kind: "guard", name, check: options.check, plugin })
  })
}
