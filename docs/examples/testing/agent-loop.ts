import { Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"
import { FailingProvider, Recording } from "effect-preamble/testing"

/** The code to be tested: what an agent sends, and what it does when there is no prompt. */
const request = (message: string) =>
  SystemPrompt.use((prompt) => prompt.render).pipe(
    Effect.map(({ text }) => [text, message]),
    Effect.retry({ times: 1, while: (error) => error._tag === "ProviderFailure" }),
    Effect.catchTag("ProviderFailure", (error) => Effect.succeed([`no prompt: ${error.entry}`, message]))
  )

// A prompt service with known contents, and nothing else in it.
const prompt = SystemPrompt.layerTest({
  sections: [{ name: "identity", order: 0, text: "You run on {{model}}." }],
  variables: { model: "deepseek-chat" },
  tools: [{ name: "bash", description: "Run a command", parameters: {} }]
})

// A listener that writes down what it sees, and a provider that goes wrong when it is told to.
const recording = Recording.make()
const disk = FailingProvider.make("Be brief.", { fault: "fails", calls: [1, 3, 4] })
const rules = Plugin.section({ name: "rules", order: 900, text: disk.provider })

const test = Effect.gen(function* () {
  console.log(JSON.stringify(yield* request("one")))
  console.log(JSON.stringify(yield* request("two")))
  for (const { assembly } of recording.entries) console.log(assembly.sections.map((section) => section.name).join(", "))
  console.log(JSON.stringify(disk.counts))
})
await Effect.runPromise(
  test.pipe(Effect.provide(Layer.merge(rules, recording.plugin).pipe(Layer.provideMerge(prompt))))
)
