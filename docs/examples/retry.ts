import { Console, Effect, Layer, Ref, Stream } from "effect"
import { AiError, LanguageModel, Model } from "effect/ai"
import { SystemPrompt, ToolRegistry } from "effect-preamble"
import { ModelRoute, SessionStep, SessionTurn } from "effect-preamble/ai"
import { type AgentStep, MemoryStore, Session, SessionHeader, SessionLog } from "effect-preamble/session"

/** A model that is busy when it is asked for the first time. */
const model = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.gen(function* () {
    const asked = yield* Ref.make(0)
    const busy = AiError.make({ module: "example", method: "generateText", reason: new AiError.RateLimitError({}) })
    return yield* LanguageModel.make({
      generateText: () =>
        Effect.flatMap(
          Ref.getAndUpdate(asked, (n) => n + 1),
          (n) => (n === 0 ? Effect.fail(busy) : Effect.succeed([{ type: "text", text: "At noon." }]))
        ),
      streamText: () => Stream.die("not streamed")
    })
  })
)

// The step is still open, and its request is made again from the log.
const persistent = (step: AgentStep.AgentStep): ReturnType<typeof SessionStep.answer> =>
  Effect.catchTag(SessionStep.answer(step), "AiError", (error) =>
    error.isRetryable
      ? Effect.andThen(Console.log(error.reason._tag), Effect.flatMap(step.retry(), persistent))
      : Effect.fail(error)
  )

const program = Effect.gen(function* () {
  const header = yield* Effect.fromResult(SessionHeader.make({ id: "noon", createdAt: 0 }))
  const session = yield* Session.create(header)
  const route = yield* ModelRoute.make()
  const options = { route, said: [{ content: "When is lunch?" }], maxSteps: 10 }
  const { reason, text } = yield* SessionTurn.run(session, options, persistent)
  yield* Console.log(`${text} (${reason})`)
  for (const { type } of SessionLog.events(yield* Session.log(session))) yield* Console.log(`  ${type}`)
})

const prompt = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layer))
const layer = Layer.mergeAll(prompt, Model.make("example", "busy", model), MemoryStore.layer)
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layer)))
