import { Console, Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." }),
  Plugin.section({ name: "model", order: 0, text: "You run on {{model}}." }),
  Plugin.variable("model", "deepseek-chat")
)

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  yield* Console.log((yield* prompt.render).text)
})

await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
