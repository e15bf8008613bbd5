import { Console, Effect, Layer } from "effect"
import { Plugin, PromptScope, SystemPrompt } from "effect-preamble"

const everyone = Layer.mergeAll(
  Plugin.section({ name: "task", order: 0, text: "Help {{user}}." }),
  Plugin.variable("user", "whoever asks")
)
const forAda = Layer.mergeAll(
  Plugin.variable("user", "Ada"),
  Plugin.section({ name: "language", order: 100, text: "Answer in English." })
)

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const show = (name: string) =>
    Effect.flatMap(prompt.render, (rendered) => Console.log(`${name}: ${JSON.stringify(rendered.text)}`))

  yield* Effect.scoped(
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("ada")
      yield* Layer.build(Plugin.mount(agent.scope)(forAda))
      yield* show("the agent").pipe(PromptScope.provide(agent.scope))
    })
  )
  yield* show("all others")
})

await Effect.runPromise(program.pipe(Effect.provide(everyone.pipe(Layer.provideMerge(SystemPrompt.layer)))))
