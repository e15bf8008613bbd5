import { Console, Effect, Fiber, Stream } from "effect"
import { SystemPrompt } from "effect-preamble"

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const watching = yield* prompt.changes.pipe(
    Stream.take(2),
    Stream.runForEach(() => Effect.flatMap(prompt.render, (rendered) => Console.log(JSON.stringify(rendered.text)))),
    Effect.forkChild({ startImmediately: true })
  )
  // Both arrive as one revision.
  yield* prompt.variable("model", "deepseek-chat")
  yield* prompt.section({ name: "model", order: 0, text: "You run on {{model}}." })
  yield* Fiber.join(watching)
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(SystemPrompt.layer)))
