/**
 * Compositions: system prompts as files. `parse` or `load` one, and build a
 * `SystemPrompt` from it with `layer`, or all at once with
 * `layerFile`.
 *
 * @since 0.1.0
 */
export { type Composition, type Contents, type Input, parse, type ScopeContents, type Textual } from "./Composition.ts"
export { CompositionFile } from "./CompositionFile.ts"
export {
  CompositionScopes,
  type Environment,
  layer,
  layerFile,
  layerNoDeps,
  type Options,
  UnknownScope
} from "./CompositionScopes.ts"
export type { Located, NotMounted } from "./Draft.ts"
export { handler, type Handler, type Handlers, type Options as HandlerOptions } from "./Handler.ts"
export { format, InvalidComposition, maxProblems, Problem } from "./InvalidComposition.ts"
export { load, loadFrom } from "./Loader.ts"
export { placesOf } from "./Places.ts"
export * as Plugins from "./Plugins.ts"
export { problemsOf } from "./RenderProblems.ts"
export type { Content, PlacedText } from "./Resources.ts"
export { maxBytes, type Place } from "./SourceFile.ts"
export { maxAliasCount } from "./Yaml.ts"
