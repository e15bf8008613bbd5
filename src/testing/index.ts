/**
 * What consumers prove their own code with: generators, programs, the reference model of what these have to do, laws,
 * and doubles of services.
 *
 * @since 0.1.0
 */
export * as Arbitraries from "./Arbitraries.ts"
export * as Chain from "./Chain.ts"
export * as Edit from "./Edit.ts"
export * as FailingProvider from "./FailingProvider.ts"
export * as Law from "./Law.ts"
export * as ListenerLaws from "./ListenerLaws.ts"
export * as Model from "./Model.ts"
export * as PluginLaws from "./PluginLaws.ts"
export * as Program from "./Program.ts"
export * as Recording from "./Recording.ts"
export * as RendererLaws from "./RendererLaws.ts"
export * as ToolProviderLaws from "./ToolProviderLaws.ts"
export * as ToolRegistryLaws from "./ToolRegistryLaws.ts"
export * as ToolRegistryModel from "./ToolRegistryModel.ts"
export * as ToolRegistryProgram from "./ToolRegistryProgram.ts"
export * as WaterfallLaws from "./WaterfallLaws.ts"
