import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Model } from "effect/ai"
import { ModelRoute } from "../../src/ai/index.ts"
import { reactive } from "./session.ts"

const model = reactive(() => []).layer
const later = reactive(() => [], { inHistory: true }).layer

describe("the route of a model", () => {
  it.effect("is named after it, and updates the prompt in the history if the model reads it there", () =>
    Effect.gen(function* () {
      const named = ModelRoute.make().pipe(Effect.provide(Model.make("p", "m", model)))
      assert.deepStrictEqual(yield* named, { config: { provider: "p", model: "m" } })
      const reads = ModelRoute.make({ temperature: 0, model: "n" }).pipe(Effect.provide(Model.make("p", "m", later)))
      assert.deepStrictEqual(yield* reads, {
        config: { temperature: 0, provider: "p", model: "n" },
        systemPromptUpdate: "in-history"
      })
    })
  )

  it.effect("must have names, of the model or given", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ModelRoute.make({ provider: "p", model: "m" }), {
        config: { provider: "p", model: "m" }
      })
      const error = yield* Effect.flip(ModelRoute.make())
      assert.deepStrictEqual(error.missing, ["provider", "model"])
      assert.match(error.message, /names the provider and the model of the language model\. .*Model\.make/u)
      assert.deepStrictEqual((yield* Effect.flip(ModelRoute.make({ model: "m" }))).missing, ["provider"])
    }).pipe(Effect.provide(model))
  )
})
