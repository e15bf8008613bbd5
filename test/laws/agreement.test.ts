/** The pure assembly and the services agree, and neither the order nor the manner of registering shows. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import * as PromptScope from "../../src/PromptScope.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import * as arbitraries from "../support/arbitraries.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"

const ways = arbitraries.list(arbitraries.literal(...chains.ways), 12)

/** An order of registering and kinds of providers. */
const manner = Arbitrary.all({ ways, picks: arbitraries.picks })

const composition = Arbitrary.all([
  arbitraries.choose(arbitraries.renderable, arbitraries.overlays),
  arbitraries.toolOrder
])

describe("SystemPrompt.assemble and Assembly.assemble", () => {
  it.effect(
    "agree on the same values: the same assembly, or the same error",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[chain, toolOrder], manner]) =>
            Effect.gen(function* () {
              const { assemble, scopes } = yield* chains.register(chain, { ...manner, toolOrder })
              const effectful = yield* Effect.result(assemble)
              const pure = chains.assemble(chain, { scope: scopes.at(-1), toolOrder })
              assert.deepStrictEqual(chains.blamed(chain, effectful), chains.blamed(chain, pure))
              tally.count(Result.isFailure(pure) ? pure.failure._tag : "assembly")
            }).pipe(Effect.scoped),
          { runs: 1_000 }
        )
        tally.assertShares("assembling", {
          assembly: 40,
          MultipleCompleteSections: 0.1,
          UnknownTool: 0.1,
          ReservedToolName: 0.1,
          InvalidToolSchema: 0.1,
          ListenerFailure: 0.1,
          InvalidAssembly: 0.1
        })
      }),
    patience
  )
})

describe("the bytes of a prompt", () => {
  /** What a model sees, or the error. */
  const bytes = (chain: chains.Chain, { prompt, scopes, assemble }: chains.Registered) =>
    Effect.gen(function* () {
      const assembled = yield* Effect.result(assemble)
      if (Result.isFailure(assembled)) return chains.blamed(chain, assembled)
      const rendered = yield* Effect.result(
        prompt.renderAssembly(assembled.success).pipe(PromptScope.provide(scopes.at(-1)!))
      )
      if (Result.isFailure(rendered)) return { error: rendered.failure.message }
      const { text, snapshot } = rendered.success
      return { text, snapshot, tools: assembled.success.tools.map(({ schema }) => ToolSchema.emit(schema)) }
    })

  it.effect(
    "do not depend on the order of registration, nor on how values are provided",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner, manner]),
          ([[chain, toolOrder], one, other]) =>
            Effect.gen(function* () {
              const first = yield* chains.register(chain, { ...one, toolOrder })
              const second = yield* chains.register(chain, { ...other, toolOrder })
              const seen = yield* bytes(chain, first)
              assert.deepStrictEqual(yield* bytes(chain, second), seen)
              assert.deepStrictEqual(
                chains.blamed(chain, yield* Effect.result(second.assemble)),
                chains.blamed(chain, yield* Effect.result(first.assemble))
              )
              tally.count("text" in seen && seen.text !== "" ? "prompt" : "none")
            }).pipe(Effect.scoped),
          { runs: 500 }
        )
        tally.assertShares("in two orders", { prompt: 10 })
      }),
    patience
  )

  it.effect(
    "are the same when it is assembled twice, and then it is the same rendered object",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[chain, toolOrder], manner]) =>
            Effect.gen(function* () {
              const registered = yield* chains.register(chain, { ...manner, toolOrder })
              assert.deepStrictEqual(yield* bytes(chain, registered), yield* bytes(chain, registered))
              const render = PromptScope.provide(registered.scopes.at(-1)!)(registered.prompt.render)
              const [one, other] = [yield* Effect.result(render), yield* Effect.result(render)]
              if (Result.isSuccess(one)) assert.strictEqual(Result.getOrThrow(other), one.success)
              tally.count(Result.isSuccess(one) ? "rendered" : "failed")
            }).pipe(Effect.scoped),
          { runs: 500 }
        )
        tally.assertShares("assembled twice", { rendered: 10 })
      }),
    patience
  )
})
