import { assert, describe, it } from "@effect/vitest"
import { count, grouped, percent } from "../../src/cli/Numbers.ts"

describe("Numbers", () => {
  it("have their thousands apart", () => {
    assert.deepStrictEqual([0, 999, 1000, 1234567].map(grouped), ["0", "999", "1,000", "1,234,567"])
  })

  it("are counted with the noun in the plural, unless there is one", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 1000].map((value) => count(value, "tool")),
      ["0 tools", "1 tool", "2 tools", "1,000 tools"]
    )
  })

  it("as shares are rounded, but only nothing is 0% and only the whole is 100%", () => {
    assert.deepStrictEqual([0, 0.0001, 0.0099, 0.01, 0.014, 0.015, 0.5, 0.994, 0.999, 1].map(percent), [
      "0%",
      "<1%",
      "<1%",
      "1%",
      "1%",
      "2%",
      "50%",
      "99%",
      "99%",
      "100%"
    ])
  })
})
