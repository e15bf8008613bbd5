import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Plan from "../../src/Plan.ts"
import { overlay } from "../support/known.ts"

describe("tool providers of one scope", () => {
  it("stand by their names, then by their plugins; none is first", () => {
    const options = [
      { name: "b", plugin: "A", tools: [] },
      { name: "a", plugin: "b", tools: [] },
      { name: "a", plugin: "A", tools: [] },
      { name: "a", tools: [] },
      { plugin: "z", tools: [] },
      { tools: [] }
    ]
    for (const tools of [options, options.toReversed()]) {
      const plan = Result.getOrThrow(Plan.make("agent", [overlay({}), overlay({ tools }, "agent")]))
      assert.deepStrictEqual(
        plan.tools.map(({ entry }) => [entry.name, entry.plugin]),
        [
          [undefined, undefined],
          [undefined, "z"],
          ["a", undefined],
          ["a", "A"],
          ["a", "b"],
          ["b", "A"]
        ]
      )
    }
  })
})
