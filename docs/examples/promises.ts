import { Effect, Layer, ManagedRuntime } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"

const readFile = async (file: string) => `Instructions of ${file}.`

// Registered at the start, for all agents. A Promise becomes an Effect, so a rejection is an error that names the section.
const app = Layer.mergeAll(
  Plugin.variable("model", "deepseek-chat"),
  Plugin.section({ name: "model", order: 10, text: "You run on {{model}}." }),
  Plugin.section({ name: "instructions", order: 900, text: () => Effect.promise(() => readFile("AGENTS.md")) })
).pipe(Layer.provideMerge(SystemPrompt.layer))

const render = SystemPrompt.use((prompt) => prompt.render)

const host = ManagedRuntime.make(app)
console.log((await host.runPromise(render)).text)

// An agent is a runtime over the same memo map, so the app is not built again. Disposing of it unmounts its plugin.
const reviewer = Plugin.persona({ prefix: "You review." }).pipe(Plugin.scoped("reviewer"))
const agent = ManagedRuntime.make(Layer.provideMerge(reviewer, app), { memoMap: host.memoMap })
console.log((await agent.runPromise(render)).text)
await agent.dispose()

await host.dispose()
