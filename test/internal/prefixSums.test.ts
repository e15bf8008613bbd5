import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { PrefixSums } from "../../src/internal/prefixSums.ts"

const key = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 69 }))
const value = Schema.Int.check(Schema.isBetween({ minimum: -1_000, maximum: 1_000_000 }))

describe("PrefixSums", () => {
  it("has nothing at first, and room for the last key", () => {
    const sums = new PrefixSums(3)
    assert.deepStrictEqual([sums.below(0), sums.below(3)], [0, 0])
    sums.add(2, 5)
    assert.deepStrictEqual([sums.below(2), sums.below(3)], [0, 5])
    assert.strictEqual(new PrefixSums(0).below(0), 0)
  })

  it.prop(
    "sums what was added below each key",
    [Arbitrary.array(Arbitrary.all([Arbitrary.schema(key), Arbitrary.schema(value)]), { minLength: 1, maxLength: 40 })],
    ([changes]) => {
      const sums = new PrefixSums(70)
      const plain = Array.from({ length: 70 }, () => 0)
      for (const [key, value] of changes) {
        sums.add(key, value)
        plain[key]! += value
      }
      for (let key = 0; key <= 70; key++) {
        assert.strictEqual(
          sums.below(key),
          plain.slice(0, key).reduce((sum, one) => sum + one, 0)
        )
      }
    },
    { arbitrary: { runs: 200, seed: 5 } }
  )
})
