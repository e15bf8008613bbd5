import { Console, Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"

let policy = "ask"
const plugins = Layer.mergeAll(
  Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." }),
  Plugin.context({ name: "approval:policy", order: 115, text: () => `Approval policy: ${policy}.` })
)

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const before = yield* prompt.render
  policy = "never"
  const after = yield* prompt.render
  yield* Console.log(after.snapshot)
  yield* Console.log(`prompt unchanged: ${before.text === after.text}`)
  yield* Console.log(`nothing changed, same object: ${(yield* prompt.render) === after}`)
})

await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
