import { Effect, Layer } from "effect"
import { Plugin, SystemPrompt, ToolRegistry } from "effect-preamble"
import * as Check from "effect-preamble/check"

const library = Layer.mergeAll(
  Plugin.section({ name: "lending", order: 500, text: "Lend three books at most.", requires: ["lend_bok"] }),
  Plugin.tool({ name: "lend_book", description: "Lend a book", parameters: { type: "object" } })
)

const test = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  // In a test: assert.deepStrictEqual(Check.trace(yield* prompt.trace), [])
  for (const { code, message } of Check.trace(yield* prompt.trace)) console.log(`${code}: ${message}`)
})

const services = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layerTest()))
await Effect.runPromise(test.pipe(Effect.provide(library.pipe(Layer.provideMerge(services)))))
