import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { Prompt } from "effect/ai"
import { ModelPrompt } from "../../src/ai/index.ts"
import { PromptContext, type Rendered, SystemPrompt } from "../../src/index.ts"
import { heading } from "./agent.ts"
import { said } from "./scripted.ts"

const rendered = (section: string, context: string) =>
  SystemPrompt.use((prompt) => prompt.render).pipe(
    Effect.provide(
      SystemPrompt.layerTest({
        sections: [{ name: "a", order: 0, text: section, interpolate: false }],
        contexts: [{ name: "b", order: 0, text: context, interpolate: false }]
      })
    )
  )

const history = Prompt.make([
  { role: "system", content: "Theirs." },
  { role: "user", content: "go" },
  { role: "assistant", content: [{ type: "tool-call", id: "1", name: "read", params: {}, providerExecuted: false }] },
  { role: "tool", content: [{ type: "tool-result", id: "1", name: "read", isFailure: false, result: "text" }] }
])

describe("make", () => {
  it.effect("puts the prompt before the history and the snapshot after it, and leaves the history as it is", () =>
    Effect.gen(function* () {
      const before = JSON.stringify(history)
      const prompt = ModelPrompt.make(yield* rendered("Ours.", "It is Monday."), history)
      assert.deepStrictEqual(said(prompt), [
        ["system", "Ours."],
        ...said(history),
        ["user", `${heading}\n\nIt is Monday.`]
      ])
      assert.strictEqual(heading, PromptContext.heading)
      for (const [at, message] of history.content.entries()) assert.strictEqual(prompt.content[at + 1], message)
      assert.strictEqual(JSON.stringify(history), before)
    })
  )

  it.effect("takes what a prompt can be made of, in both call styles", () =>
    Effect.gen(function* () {
      const self = yield* rendered("Ours.", "")
      const expected = [
        ["system", "Ours."],
        ["user", "go"]
      ]
      assert.deepStrictEqual(said(ModelPrompt.make(self, "go")), expected)
      assert.deepStrictEqual(said(ModelPrompt.make("go")(self)), expected)
      assert.deepStrictEqual(said(ModelPrompt.make(self, [{ role: "user", content: "go" }])), expected)
      assert.deepStrictEqual(said(ModelPrompt.make(self, [])), [["system", "Ours."]])
    })
  )

  it.effect("has no message for what is empty", () =>
    Effect.gen(function* () {
      const nothing = yield* rendered("", "")
      assert.deepStrictEqual(ModelPrompt.make(nothing, []).content, [])
      assert.deepStrictEqual(ModelPrompt.make(nothing, history).content, history.content)
      const snapshot = yield* rendered("", "Now.")
      assert.deepStrictEqual(said(ModelPrompt.make(snapshot, "go")), [
        ["user", "go"],
        ["user", `${heading}\n\nNow.`]
      ])
    })
  )

  it.effect("keeps the message of the system prompt as long as its text is the same, whatever contexts say", () =>
    SystemPrompt.use((service) =>
      Effect.gen(function* () {
        let [text, context] = ["One.", "Monday."]
        yield* service.section({ name: "a", order: 0, text: () => text })
        yield* service.context({ name: "b", order: 0, text: () => context })
        const first = () => Effect.map(service.render, (self) => ModelPrompt.make(self, []).content[0])
        const one = yield* first()
        context = "Tuesday."
        assert.strictEqual(yield* first(), one)
        text = "Two."
        const two = yield* first()
        assert.deepStrictEqual(two?.content, "Two.")
        const self = yield* service.render
        const edited: Rendered.Rendered = { ...self, text: "Three." }
        assert.deepStrictEqual(ModelPrompt.make(edited, []).content[0]?.content, "Three.")
        assert.deepStrictEqual(ModelPrompt.make(self, []).content[0]?.content, "Two.")
      })
    ).pipe(Effect.provide(SystemPrompt.layer))
  )

  const messages = Arbitrary.schema(Schema.Array(Schema.Literals(["a", "", "{{x}}"])))
  it.effect.prop(
    "nothing before the end of the history moves when it grows or when contexts change",
    [messages, messages, Schema.Boolean],
    ([before, more, changes]) =>
      Effect.gen(function* () {
        const historyOf = (texts: ReadonlyArray<string>) =>
          Prompt.make(texts.map((content) => ({ role: "user" as const, content })))
        const one = yield* rendered("Ours.", "Monday.")
        const two = changes ? yield* rendered("Ours.", "Tuesday.") : one
        const first = said(ModelPrompt.make(one, historyOf(before)))
        const second = said(ModelPrompt.make(two, historyOf([...before, ...more])))
        assert.deepStrictEqual(second.slice(0, before.length + 1), first.slice(0, -1))
        assert.strictEqual(second.length, before.length + more.length + 2)
      }),
    { arbitrary: { runs: 60, seed: 61 } }
  )
})
