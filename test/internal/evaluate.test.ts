import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SystemPrompt } from "../../src/index.ts"
import { untyped } from "../support/untyped.ts"

describe("a provider that gives what is no text", () => {
  for (const [what, text] of [
    ["as its value", () => untyped(5)],
    ["as the value of its Effect", Effect.succeed(untyped(5))]
  ] as const) {
    it.effect(`${what} is refused, and those after it are not called`, () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        let called = 0
        yield* prompt.section({ name: "a", order: 0, text })
        yield* prompt.section({ name: "b", order: 1, text: () => `${called++}` })
        for (const assembling of [Effect.asVoid(prompt.assemble), Effect.asVoid(prompt.trace)]) {
          const error = yield* Effect.flip(assembling)
          assert.deepInclude(error, { _tag: "ProviderFailure", kind: "section", entry: "a" })
        }
        assert.strictEqual(called, 0)
      }).pipe(Effect.provide(SystemPrompt.layer))
    )
  }
})
