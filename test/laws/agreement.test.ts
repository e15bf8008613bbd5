/** The pure assembly and the services agree, and neither the order nor the manner of registering shows. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import * as PromptScope from "../../src/PromptScope.ts"
import type * as ToolProvider from "../../src/ToolProvider.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import * as generate from "../../src/testing/internal/generate.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"

const ways = generate.list(generate.literal(...chains.ways), 12)

/** An order of registering and kinds of providers. */
const manner = Arbitrary.all({ ways, picks: generate.picks })

const composition = Arbitrary.all([
  generate.choose(arbitraries.renderableChain, arbitraries.chain),
  arbitraries.toolOrder
])

/** A third of all have a Promise where a value belongs. */
const promise = generate.mostly<number | undefined>(generate.absent, 3, generate.literal(0, 1, 2, 3, 5, 8))

describe("SystemPrompt.assemble and Assembly.assemble", () => {
  it.effect(
    "agree on the same values: the same assembly, or the same error",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner, promise]),
          ([[plain, toolOrder], manner, promise]) =>
            Effect.gen(function* () {
              const chain = chains.promising(plain, promise)
              const { assemble, scopes } = yield* chains.register(chain, { ...manner, toolOrder })
              const effectful = yield* Effect.result(assemble)
              const pure = chains.assemble(chain, { scope: scopes.at(-1), toolOrder })
              assert.deepStrictEqual(chains.blamed(chain, effectful), chains.blamed(chain, pure))
              const failure = Result.isFailure(pure) ? pure.failure : undefined
              const promised = failure !== undefined && "reason" in failure && failure.reason.includes("Promise")
              tally.count(failure?._tag ?? "assembly", ...(promised ? [`Promise: ${failure._tag}`] : []))
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
          InvalidAssembly: 0.1,
          "Promise: ProviderFailure": 5,
          "Promise: InvalidAssembly": 0.1
        })
      }),
    patience
  )
})

describe("providers of one scope", () => {
  const tool = (name: string) => ({ name, description: "", parameters: { type: "object" } })
  const broken = (name: string) => ({ ...tool(name), parameters: { maximum: Number.NaN } })
  const chain = (tools: ReadonlyArray<ToolProvider.Options>): chains.Chain => [
    { label: "global", sections: [], contexts: [], variables: [], tools, listeners: [], suppressors: 0 }
  ]

  it.effect("are evaluated by name, then by plugin: of several that are refused it is always the same one", () =>
    Effect.gen(function* () {
      const refused: ReadonlyArray<ToolProvider.Options> = [
        { name: "mcp", plugin: "core", tools: [broken("c")] },
        { name: "fs", plugin: "extra", tools: [broken("b")] },
        { name: "fs", plugin: "core", tools: [broken("a")] }
      ]
      for (const tools of [refused, refused.toReversed()]) {
        const { assemble } = yield* chains.register(chain(tools))
        const error = yield* Effect.flip(assemble)
        assert.deepInclude(error, { _tag: "InvalidToolSchema", entry: "fs", plugin: "core", tool: "a" })
        const nameless = chain(tools.map(({ plugin, tools }) => ({ plugin, tools })).slice(0, 2))
        const first = Result.getOrThrow(Result.flip(chains.assemble(nameless)))
        assert.deepInclude(first, { _tag: "InvalidToolSchema", plugin: "core" })
      }
    }).pipe(Effect.scoped)
  )

  it("give equal tools in the order of their plugins, so that their origins do not tell who registered first", () => {
    const same: ReadonlyArray<ToolProvider.Options> = [
      { plugin: "extra", tools: [tool("read")] },
      { plugin: undefined, tools: [tool("read")] },
      { plugin: "core", tools: [tool("read")] }
    ]
    for (const tools of [same, same.toReversed()]) {
      assert.deepStrictEqual(
        Result.getOrThrow(chains.assemble(chain(tools))).tools.map(({ origin }) => origin.plugin),
        [undefined, "core", "extra"]
      )
    }
  })
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
