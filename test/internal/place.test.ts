import { assert, describe, it } from "@effect/vitest"
import { placeOf, placesIn } from "../../src/internal/place.ts"

/** Of each offset up to the end, word for word: a line for each `\n` before it, a column for each unit since. */
const places = (text: string) =>
  Array.from({ length: text.length + 1 }, (_, offset) => {
    const before = text.slice(0, offset)
    return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") }
  })

describe("placeOf and placesIn", () => {
  for (const text of [
    "",
    "a",
    "\n",
    "\n\n",
    "ab\ncd",
    "ab\ncd\n",
    "\nab",
    "a\r\nb\rc\n\n\nd",
    "😀\n😀",
    "a\u2028b\nc"
  ]) {
    it(`say the line and column of each offset of ${JSON.stringify(text)}`, () => {
      const each = Array.from({ length: text.length + 1 }, (_, offset) => offset)
      assert.deepStrictEqual(
        each.map((offset) => placeOf(text, offset)),
        places(text)
      )
      assert.deepStrictEqual(each.map(placesIn(text)), places(text))
      assert.deepStrictEqual(each.toReversed().map(placesIn(text)), places(text).toReversed())
    })
  }
})
