import { Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { Plugin, PromptScope, SystemPrompt } from "effect-preamble"

const readFile = async (file: string) => `Instructions of ${file}.`

// Registered at the start, for all agents. A Promise becomes an Effect, so a rejection is an error that names the section.
const plugins = Layer.mergeAll(
  Plugin.variable("model", "deepseek-chat"),
  Plugin.section({ name: "model", order: 10, text: "You run on {{model}}." }),
  Plugin.section({ name: "instructions", order: 900, text: () => Effect.tryPromise(() => readFile("AGENTS.md")) })
)
const host = ManagedRuntime.make(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))
const render = SystemPrompt.use((prompt) => prompt.render)
console.log((await host.runPromise(render)).text)

// An agent: a prompt scope with its plugin in it, for as long as an Effect scope lives.
const reviewer = Plugin.persona({ prefix: "You review." })
const life = await host.runPromise(Scope.make())
const { scope } = await host.runPromise(
  PromptScope.make("reviewer").pipe(
    Effect.tap((owned) => Layer.build(Plugin.mount(owned.scope)(reviewer))),
    Scope.provide(life)
  )
)
console.log((await host.runPromise(PromptScope.provide(scope)(render))).text)

await host.runPromise(Scope.close(life, Exit.void))
await host.dispose()
