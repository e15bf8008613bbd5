/**
 * Assembles the system prompt of an LLM agent from the contributions of many plugins.
 *
 * Services are exported by name, modules as namespaces.
 *
 * @since 0.1.0
 */
export { type AssembleContext, Annotations } from "./AssembleContext.ts"
export * as Assembly from "./Assembly.ts"
export * as BuiltIns from "./BuiltIns.ts"
export * as Difference from "./Difference.ts"
export * as Guard from "./Guard.ts"
export * as Listener from "./Listener.ts"
export * as Origin from "./Origin.ts"
export * as Overlay from "./Overlay.ts"
export { Overlays } from "./Overlays.ts"
export * as Persona from "./Persona.ts"
export * as Plan from "./Plan.ts"
export * as Plugin from "./Plugin.ts"
export * as PromptContext from "./PromptContext.ts"
export * as PromptError from "./PromptError.ts"
export * as PromptScope from "./PromptScope.ts"
export type { Provider } from "./Provider.ts"
export * as RegisteredTool from "./RegisteredTool.ts"
export * as Rendered from "./Rendered.ts"
export { Renderer } from "./Renderer.ts"
export * as Restriction from "./Restriction.ts"
export * as Section from "./Section.ts"
export { type Needs, SystemPrompt, type SystemPromptOptions, type TestOptions } from "./SystemPrompt.ts"
export * as Spans from "./Spans.ts"
export * as Template from "./Template.ts"
export type { ToolCall } from "./ToolCall.ts"
export * as ToolError from "./ToolError.ts"
export * as ToolOrder from "./ToolOrder.ts"
export * as ToolProvider from "./ToolProvider.ts"
export {
  type GuardError,
  type GuardOptions,
  type RestrictionError,
  type ToolArguments,
  type ToolOptions,
  type ToolParameters,
  ToolRegistry,
  type ToolRegistrationError
} from "./ToolRegistry.ts"
export * as ToolSchema from "./ToolSchema.ts"
export * as ToolView from "./ToolView.ts"
export * as Trace from "./Trace.ts"
export * as Variable from "./Variable.ts"
export * as VariableName from "./VariableName.ts"
export * as Variables from "./Variables.ts"
export { Waterfall } from "./Waterfall.ts"
