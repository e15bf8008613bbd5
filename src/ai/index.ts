/**
 * The bridge to `effect/ai`: gives any `LanguageModel` its system prompt, its tools and its context snapshot.
 *
 * `effect/ai` is unstable, and so is this.
 *
 * @since 0.1.0
 */
export * as ModelPrompt from "./ModelPrompt.ts"
export * as ModelStep from "./ModelStep.ts"
export * as ModelToolkit from "./ModelToolkit.ts"
export * as PromptedModel from "./PromptedModel.ts"
export * as ToolAnswer from "./ToolAnswer.ts"
export * as ToolkitError from "./ToolkitError.ts"
