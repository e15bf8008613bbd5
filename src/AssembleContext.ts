/**
 * What providers and listeners are told about the assembly they take part in:
 * for which scope it is, and what the runtime wants them to know (typed
 * annotations, keyed by `Context` references, so that a runtime extends the
 * context without declaration merging).
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type { PromptScope } from "./PromptScope.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What providers and listeners of one assembly are told. All of them get the same object, and those of another assembly
 * for the same scope with the same annotations may get it, too: it says for whom an assembly is, not which one it is.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssembleContext {
  /** The scope that the assembly is for: the ambient one, even if it is closed. */
  readonly scope: PromptScope
  /** Read with `Context.get(annotations, Reference)` or `Context.getOption(annotations, Service)`. */
  readonly annotations: Context.Context<never>
}

// -----------------------------------------------------------------------------
// references
// -----------------------------------------------------------------------------

/**
 * The annotations of the assemblies made in an effect. Effectful providers and
 * listeners also find the services in it by plain `yield*`.
 *
 * To add to those of the surrounding effect: `Effect.updateService(Annotations, Context.add(Key, value))`.
 *
 * @since 0.1.0
 * @category references
 */
export const Annotations: Context.Reference<Context.Context<never>> = Context.Reference<Context.Context<never>>(
  "effect-preamble/Annotations",
  { defaultValue: () => Context.empty() }
)
