/** `Rendered.spans` is `Rendered.sourceAt` for all offsets at once. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Option, Result } from "effect"
import * as Rendered from "../../src/Rendered.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"

const rendering = Arbitrary.filter(arbitraries.renderableChain, (chain) => Result.isSuccess(chains.assemble(chain)))

describe("Rendered.spans", () => {
  it.effect(
    "has no gaps, and each character comes from where `sourceAt` says",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          rendering,
          (chain) =>
            Effect.sync(() => {
              const rendered = Rendered.render(Result.getOrThrow(chains.assemble(chain)))
              if (Result.isFailure(rendered)) return tally.count("unrendered")
              const self = rendered.success
              const spans = Rendered.spans(self)
              let end = 0
              for (const span of spans) {
                assert.strictEqual(span.start, end)
                assert.isAbove(span.end, span.start)
                end = span.end
                for (let offset = span.start; offset < span.end; offset++) {
                  const expected = { ...span.source, offset: span.source.offset + offset - span.start }
                  assert.deepStrictEqual(Rendered.sourceAt(self, offset), Option.some(expected))
                }
              }
              assert.strictEqual(end, self.text.length)
              tally.count("rendered", ...spans.map(({ source }) => source._tag))
            }),
          { runs: 400 }
        )
        tally.assertShares("spans", { rendered: 60, Text: 50, Value: 10, Separator: 20 })
      }),
    patience
  )
})
