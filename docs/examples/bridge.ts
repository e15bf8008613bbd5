import { Console, Effect, Layer, Option } from "effect"
import { LanguageModel } from "effect/ai"
import { Plugin, SystemPrompt, ToolRegistry } from "effect-preamble"
import { ModelPrompt, ModelStep, PromptedModel } from "effect-preamble/ai"
import { call, say, scripted } from "./agent/scripted.ts"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "style", order: 900, text: "Answer in one sentence." }),
  Plugin.tool({
    name: "time",
    description: "Tell the time.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    deferLoading: true,
    handler: () => Effect.succeed("12:00")
  })
).pipe(Layer.provideMerge(ToolRegistry.layer), Layer.provideMerge(SystemPrompt.layer))
const model = scripted([say("It is noon."), call("1", "time", {})])

// Whatever asks a model, it stays as it is.
const ask = LanguageModel.generateText({ prompt: "What time is it?" })

const wrapped = Effect.gen(function* () {
  // Nobody has said that the model can load tools later.
  const error = yield* Effect.flip(ask.pipe(Effect.provide(PromptedModel.layer())))
  yield* Console.log(Option.map(PromptedModel.stepError(error), ({ _tag }) => _tag))
  const response = yield* ask.pipe(Effect.provide(PromptedModel.layer({ deferLoading: "eager" })))
  yield* Console.log(response.text)
})

// The same by hand. What can go wrong is in the types here.
const byHand = Effect.gen(function* () {
  const { rendered, toolkit } = yield* ModelStep.make({ deferLoading: "eager" })
  const response = yield* LanguageModel.generateText({ prompt: ModelPrompt.make(rendered, "And now?"), toolkit })
  for (const { name, result } of response.toolResults) yield* Console.log(`${name}: ${String(result)}`)
})

await Effect.runPromise(wrapped.pipe(Effect.andThen(byHand), Effect.provide(plugins.pipe(Layer.merge(model)))))
