/**
 * A variable: a late-bound value, written `{{name}}` in text.
 *
 * A variable may be registered without a value (`undefined`); only a reference to
 * it is then an error. The nearest registration wins, also one without a value.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration } from "./PromptError.ts"
import { isVariableName, rule } from "./VariableName.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A variable as registered. `T` is its value, or what gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Variable<out T = string | undefined> {
  readonly kind: "variable"
  readonly name: string
  readonly value: T
  readonly plugin: string | undefined
}

/**
 * What a variable is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out T = string | undefined> {
  /** Lower-case letters, digits and `_`, beginning with a letter; unique among the variables of its scope. */
  readonly name: string
  readonly value: T
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen variable, or the rule it breaks. `scope` is the label of the scope it is meant for.
 *
 * **Provider's cache**: a new value costs everything after the first section that refers to it; where only contexts do, nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <T>(options: Options<T>, scope: string) => Result.Result<Variable<T>, InvalidRegistration> = (
  options,
  scope
) => fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked. Only the value is taken as it is.
 *
 * @internal
 */
export const fromUnknown = <T>(
  options: rules.Unchecked<Options<T>, "value">,
  scope: string
): Result.Result<Variable<T>, InvalidRegistration> => {
  const owner = rules.ownerOf("variable", options, scope)
  // Without `Result.gen`, which is slower: a variable that a listener makes is checked in a step.
  if (!isVariableName(options.name)) {
    const got = typeof options.name === "string" ? JSON.stringify(options.name) : rules.describeType(options.name)
    return rules.broken(
      owner,
      "name",
      `expected a name of the form ${rule}, got ${got}. Text refers to it as {{name}}.`
    )
  }
  const { name, value } = options
  const plugin = rules.plugin(owner, options.plugin)
  if (Result.isFailure(plugin)) return Result.fail(plugin.failure)
  return Result.succeed(Object.freeze({ kind: "variable", name, value, plugin: plugin.success }))
}
