/**
 * The bridge to `effect/ai`: gives any `LanguageModel` its system prompt, its tools and its context snapshot,
 * and takes the steps of a session with it.
 *
 * `effect/ai` is unstable, and so is this.
 *
 * @since 0.1.0
 */
export * as MessageError from "./MessageError.ts"
export * as MessagePrompt from "./MessagePrompt.ts"
export * as ModelAnswer from "./ModelAnswer.ts"
export * as ModelPrompt from "./ModelPrompt.ts"
export * as ModelRoute from "./ModelRoute.ts"
export * as ModelStep from "./ModelStep.ts"
export * as ModelToolkit from "./ModelToolkit.ts"
export * as PromptedModel from "./PromptedModel.ts"
export * as SessionStep from "./SessionStep.ts"
export * as SessionTurn from "./SessionTurn.ts"
export * as ToolAnswer from "./ToolAnswer.ts"
export * as ToolkitError from "./ToolkitError.ts"
