/**
 * A context: ordered text that changes while a session runs (the time, a policy,
 * the state of a workspace).
 *
 * Contexts never enter the system prompt. They are sent after the history as one
 * complete snapshot, so that a change costs only the new snapshot.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration } from "./PromptError.ts"
import type { Text } from "./Template.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A context as registered. `T` is its text, or what gives it.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptContext<out T = Text> {
  readonly kind: "context"
  readonly name: string
  readonly order: number
  readonly text: T
  /** False: the text is data, and goes out untouched. */
  readonly interpolate: boolean
  readonly plugin: string | undefined
}

/**
 * What a context is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options<out T = Text> {
  /** Unique among the contexts of its scope. */
  readonly name: string
  /** Any finite number; lower comes first. See `orders` for the named ones. */
  readonly order: number
  readonly text: T
  /** Default true. False for text that is data: braces stay as they are. */
  readonly interpolate?: boolean | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

// -----------------------------------------------------------------------------
// constants
// -----------------------------------------------------------------------------

/**
 * The named orders.
 *
 * @since 0.1.0
 * @category constants
 */
export const orders = Object.freeze({
  SANDBOX_POLICY: 110,
  APPROVAL_POLICY: 115,
  SUBAGENT_DELEGATION: 120
})

/**
 * The first line of a snapshot.
 *
 * @since 0.1.0
 * @category constants
 */
export const heading = "Runtime context, as it is now. It replaces every earlier runtime context in this conversation."

/**
 * What to send when there was a snapshot and there is no context any more.
 *
 * @since 0.1.0
 * @category constants
 */
export const clearedNotice =
  "There is no runtime context now. Every earlier runtime context in this conversation is void."

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen context, or the rule it breaks. `scope` is the label of the scope it is meant for.
 *
 * **Provider's cache**: after the history; a change costs only the new snapshot.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <T>(options: Options<T>, scope: string) => Result.Result<PromptContext<T>, InvalidRegistration> = (
  options,
  scope
) => fromUnknown(options, scope)

/**
 * `make` for options whose types nobody has checked. Only the text is taken as it is.
 *
 * @internal
 */
export const fromUnknown = <T>(
  options: rules.Unchecked<Options<T>, "text">,
  scope: string
): Result.Result<PromptContext<T>, InvalidRegistration> => {
  const owner = rules.ownerOf("context", options, scope)
  // Without `Result.gen`, which is slower: a context that a listener makes is checked in a step.
  const name = rules.name(owner, options.name)
  if (Result.isFailure(name)) return Result.fail(name.failure)
  const order = rules.order(owner, options.order)
  if (Result.isFailure(order)) return Result.fail(order.failure)
  const { text } = options
  const interpolate = rules.interpolation(owner, text, options.interpolate)
  if (Result.isFailure(interpolate)) return Result.fail(interpolate.failure)
  const plugin = rules.plugin(owner, options.plugin)
  if (Result.isFailure(plugin)) return Result.fail(plugin.failure)
  return Result.succeed(
    Object.freeze({
      kind: "context",
      name: name.success,
      order: order.success,
      text,
      interpolate: interpolate.success,
      plugin: plugin.success
    })
  )
}
