import { Console, Effect, Exit, Scope } from "effect"
import { SystemPrompt } from "effect-preamble"

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  yield* prompt.section({ name: "base", order: 0, text: "Base." })

  const plan = yield* Scope.fork(yield* Effect.scope)
  yield* prompt.section({ name: "plan", order: 500, text: "Plan first." }).pipe(Scope.provide(plan))
  yield* Console.log(JSON.stringify((yield* prompt.render).text))

  yield* Scope.close(plan, Exit.void) // again: nothing happens
  yield* Console.log(JSON.stringify((yield* prompt.render).text))
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(SystemPrompt.layer)))
