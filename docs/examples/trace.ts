import { Console, Effect, Layer } from "effect"
import { Assembly, Plugin, PromptScope, SystemPrompt } from "effect-preamble"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "tool:bash", order: 1000, text: "Quote paths.", requires: ["bash"] }),
  Plugin.section({ name: "rules", order: 500, text: "Rules for all." }),
  Plugin.tools([{ name: "bash", description: "Run a command", parameters: { type: "object" } }]),
  Plugin.listener({ name: "read-only", edit: Assembly.removeTool("bash") })
)

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const { scope } = yield* PromptScope.make("agent")
  yield* prompt.section({ name: "rules", order: 500, text: "Rules for this agent." }).pipe(PromptScope.provide(scope))

  const trace = yield* prompt.trace.pipe(PromptScope.provide(scope))
  for (const { fate, kind, name, scope } of trace.entries) {
    if (fate._tag !== "InForce") yield* Console.log(`${kind} ${name} of ${scope}: ${JSON.stringify(fate)}`)
  }
  for (const { handedOn, name } of trace.steps) {
    yield* Console.log(`${name}: ${JSON.stringify(handedOn?.patch)}`)
  }
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer))))
)
