import { Console, Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"
import { Gpt, Tokenizer } from "effect-preamble/tokens"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "role", order: 0, text: "You are a careful assistant." }),
  Plugin.section({ name: "language", order: 1, text: "回答问题时使用用户的语言。" })
)

const report = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const tokenizer = yield* Tokenizer
  const { sections } = yield* prompt.render
  for (const { source, text } of sections) {
    const { exact, tokens } = tokenizer.count(text)
    yield* Console.log(`${source.name}: ${exact ? "" : "about "}${tokens} tokens (${tokenizer.name})`)
  }
})

const withPrompt = Layer.provideMerge(plugins, SystemPrompt.layer)

await Effect.runPromise(report.pipe(Effect.provide([withPrompt, Tokenizer.layer])))
await Effect.runPromise(report.pipe(Effect.provide([withPrompt, Gpt.layer])))
