/** An agent for tests: a scripted model, with plugins over a registry and a prompt of its own. */
import { type Context, Effect, Layer, Schema, type Scope } from "effect"
import type { LanguageModel } from "effect/ai"
import { ModelToolkit, PromptedModel } from "../../src/ai/index.ts"
import { Plugin, SystemPrompt, ToolRegistry } from "../../src/index.ts"

export const services = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layer))

/** What the plugins are over, and the model with them. */
export const agent = <A, E>(
  model: Layer.Layer<LanguageModel.LanguageModel>,
  plugins: Layer.Layer<A, E, ToolRegistry | SystemPrompt> | Layer.Layer<A, E>,
  options?: ModelToolkit.Options
) => PromptedModel.layer(options).pipe(Layer.provide(model), Layer.provideMerge(plugins), Layer.provideMerge(services))

export const tool = <E = never>(
  name: string,
  handler: (args: { readonly path: string }) => Effect.Effect<unknown, E> = ({ path }) =>
    Effect.succeed(`${name} ${path}`)
) => Plugin.tool({ name, description: `Does ${name}.`, parameters: Schema.Struct({ path: Schema.String }), handler })

export const rawTool = (options: {
  readonly name: string
  readonly deferLoading?: boolean
  readonly plugin?: string
  readonly annotations?: Context.Context<never>
}) =>
  Plugin.tool({
    description: "",
    parameters: { type: "object", properties: { zeta: { type: "string" }, alpha: { type: "integer" } } },
    handler: (args: unknown) => Effect.succeed(args),
    ...options
  })

/** Tools that nothing can run. */
export const provided = (provider: string, ...names: ReadonlyArray<string>) =>
  Plugin.tools(
    names.map((name) => ({ name, description: "", parameters: { type: "object" } })),
    { name: provider }
  )

export const rules = Plugin.section({ name: "rules", order: 900, text: "Be brief." })

export const now = (text: string) => Plugin.context({ name: "now", order: 100, text })

/** Runs in an agent with these plugins, without a model. */
export const run = <A, E>(
  effect: Effect.Effect<A, E, SystemPrompt | ToolRegistry | Scope.Scope>,
  ...plugins: ReadonlyArray<Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>>
) =>
  Effect.scoped(effect).pipe(Effect.provide(Layer.mergeAll(Layer.empty, ...plugins).pipe(Layer.provideMerge(services))))

/** The toolkit of what the ambient scope assembles. */
export const toolkitOf = (options?: ModelToolkit.Options) =>
  Effect.flatMap(
    SystemPrompt.use((prompt) => prompt.assemble),
    (assembly) => ModelToolkit.make(assembly, options)
  )

export const heading = "Runtime context, as it is now. It replaces every earlier runtime context in this conversation."
