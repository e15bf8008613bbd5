/**
 * The call of a tool, as guards and handlers are told of it.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import type { PromptScope } from "./PromptScope.ts"

/**
 * One call: the tool was shown, and the arguments fit its parameters.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolCall {
  readonly tool: string
  /** Decoded; the very value that the handler gets, so a guard that changes it changes the call. */
  readonly arguments: unknown
  /** The scope whose model calls: the one that the assembly was made for. */
  readonly scope: PromptScope
  /** What the tool was registered with for the host alone. */
  readonly annotations: Context.Context<never>
}
