/**
 * One step of an agent: what a model is shown now, from one assembly, for the ambient prompt scope.
 *
 * @since 0.1.0
 */
import type * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type { Assembly } from "../Assembly.ts"
import type { AssembleError, RenderError } from "../PromptError.ts"
import type { Rendered } from "../Rendered.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import type { ToolRegistry } from "../ToolRegistry.ts"
import * as ModelToolkit from "./ModelToolkit.ts"
import type { ToolkitError } from "./ToolkitError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a model is shown: the text of `rendered` and the tools of `toolkit` are of the same `assembly`, and so are its calls.
 *
 * @since 0.1.0
 * @category models
 */
export interface ModelStep {
  readonly assembly: Assembly
  readonly rendered: Rendered
  readonly toolkit: Toolkit.WithHandler<ModelToolkit.ModelTools>
}

/**
 * Why there is no step: the prompt does not assemble or render, or its tools are no toolkit.
 *
 * @since 0.1.0
 * @category errors
 */
export type ModelStepError = AssembleError | RenderError | ToolkitError

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Assembles and renders for the ambient prompt scope. For hosts that call the model themselves:
 * `LanguageModel.generateText({ prompt: ModelPrompt.make(step.rendered, history), toolkit: step.toolkit })`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  options?: ModelToolkit.Options
) => Effect.Effect<ModelStep, ModelStepError, SystemPrompt | ToolRegistry> = Effect.fnUntraced(function* (options) {
  const prompt = yield* SystemPrompt
  const assembly = yield* prompt.assemble
  const rendered = yield* prompt.renderAssembly(assembly)
  const toolkit = yield* ModelToolkit.make(assembly, options)
  return { assembly, rendered, toolkit }
})
