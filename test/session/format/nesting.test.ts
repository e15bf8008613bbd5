/** What is nested too deep is found out before anybody reads it. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { deepest, isDeep } from "../../../src/session/format/nesting.ts"
import { log } from "./support/rows.ts"
import { migrate } from "./support/run.ts"

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("nesting", () => {
  it("counts brackets and braces within one another, and none in strings", () => {
    assert.isFalse(isDeep(nested(deepest)))
    assert.isTrue(isDeep(nested(deepest + 1)))
    assert.isFalse(isDeep(nested(deepest).repeat(3)))
    assert.isTrue(isDeep('{"a":'.repeat(deepest + 1)))
    assert.isFalse(isDeep(JSON.stringify("[".repeat(1000))))
    assert.isFalse(isDeep(JSON.stringify(`"\\"${"[".repeat(1000)}`)))
    assert.isTrue(isDeep(`["\\\\",${"[".repeat(deepest)}`))
    assert.isFalse(isDeep(`"${"[".repeat(1000)}`))
  })

  it("of rows has a limit, wherever they are nested", () => {
    const deep = nested(100_000)
    const places = ["seq", "time", "data", "sourceEventSeqs", "surfaceOp", "type"]
    for (const version of [0, 1, 2, 3, 4]) {
      const [first = ""] = log(version, [])
      const headers = Result.flip(migrate([first.replace(/\}$/, `,"cwd":${deep}}`)]))
      assert.include(Result.getOrThrow(headers).message, "nested")
      for (const place of places) {
        const row = `{"${place}":${deep},${places.filter((it) => it !== place).map((it) => `"${it}":1`)}}`
        const error = Result.getOrThrow(Result.flip(migrate([first, row])))
        assert.include(error.message, "nested", place)
      }
    }
  })
})
