import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { displayWidth } from "effect/cli/CliOutput"
import { cut, graphemes, printable, width, widthOf, wrap } from "../../src/internal/width.ts"
import * as cells from "../support/cells.ts"

const limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))

/** Nothing here moves the cursor, reorders, or is not seen. */
const assertHarmless = (text: string): void => {
  for (const one of cells.unseen) assert.notInclude(text, one)
  assert.notMatch(text, /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u)
}

describe("width", () => {
  for (const [grapheme, expected] of cells.graphemes) {
    it(`${JSON.stringify(grapheme)} takes ${expected}`, () => {
      assert.deepStrictEqual([...graphemes(grapheme)], [grapheme], "it is one grapheme")
      assert.strictEqual(widthOf(grapheme), expected)
      assert.strictEqual(width(`ab${grapheme}c`), 3 + expected)
    })
  }

  it("marks without a letter take nothing, and so do joiners", () => {
    for (const one of ["\u0301", "\u200d", "\ufe0f", "\u00ad"]) assert.strictEqual(width(one), 0, JSON.stringify(one))
    assert.strictEqual(width(""), 0)
  })

  it("a letter with a thousand marks takes what the letter takes", () => {
    assert.strictEqual(width(`a${"\u0301".repeat(1000)}`), 1)
  })

  it("agrees with the measure of the command-line library on what both know", () => {
    for (const one of ["Ångström", "naïve café", "你好，世界", "こんにちは", "한국어", "🚀 go", "Ω≈ç√", "👩‍💻 код"]) {
      assert.strictEqual(width(one), displayWidth(one), one)
    }
  })
})

describe("printable", () => {
  it("shows controls, escapes of terminals and half pairs, and leaves emoji whole", () => {
    assert.strictEqual(printable("a\u001b[31mb\tc\nd\u0000"), String.raw`a\u001b[31mb\tc\nd\u0000`)
    assert.strictEqual(printable("x\u202ey\u200bz\ud800"), String.raw`x\u202ey\u200bz\ud800`)
    for (const one of ["👨‍👩‍👧‍👦", "❤️‍🔥", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "中文", "a b", 'say "\\n"']) assert.strictEqual(printable(one), one)
    // A joiner between what is no emoji is shown.
    assert.strictEqual(printable("a\u200db"), String.raw`a\u200db`)
  })

  it.prop("lets nothing through that steers a terminal, and does nothing twice", [cells.text(30)], ([text]) => {
    assertHarmless(printable(text))
    assert.strictEqual(printable(printable(text)), printable(text))
  })
})

describe("cut", () => {
  it("gives the whole text where it fits, else its beginning and …", () => {
    assert.strictEqual(cut("abcdef", 6), "abcdef")
    assert.strictEqual(cut("abcdef", 5), "abcd…")
    assert.strictEqual(cut("abcdef", 1), "…")
    // What stands behind the cut has no say, even where it belongs to the last character that is looked at.
    assert.strictEqual(cut("abcdef\u0301", 5), "abcd…")
    assert.strictEqual(cut("abcde\u0301f", 5), "abcd…")
    assert.strictEqual(cut("abcde\u0301", 5), "abcde\u0301")
    assert.strictEqual(cut("abcd中文", 3), "ab…")
    assert.strictEqual(cut("中文字", 6), "中文字")
    assert.strictEqual(cut("中文字", 5), "中文…")
    assert.strictEqual(cut("中文字", 4), "中…")
    assert.strictEqual(cut("a👨‍👩‍👧‍👦b", 3), "a…")
    assert.strictEqual(cut("a👨‍👩‍👧‍👦b", 4), "a👨‍👩‍👧‍👦b")
    assert.strictEqual(cut("ae\u0301bc", 3), "ae\u0301…")
    assert.strictEqual(cut("a\u001b[31mb", 7), "a…", "an escape is not cut in two")
    assert.strictEqual(cut("a\u001b[31mb", 8), String.raw`a\u001b…`)
  })

  it.prop("is no wider than it may be, and loses nothing but behind …", [cells.text(30), limit], ([text, max]) => {
    const whole = printable(text)
    const shown = cut(text, max)
    assert.isAtMost(width(shown), max)
    assertHarmless(shown)
    if (width(whole) <= max) assert.strictEqual(shown, whole)
    else {
      assert.isTrue(shown.endsWith("…"))
      assert.isTrue(whole.startsWith(shown.slice(0, -1)))
      // No more is cut than must be: the next grapheme, at most an escape of 6 cells, would not fit.
      assert.isAbove(width(shown), max - 6)
    }
  })

  it("looks at no more of a huge text than it shows", () => {
    const before = performance.now()
    assert.strictEqual(cut("中".repeat(5_000_000), 5), "中中…")
    assert.isBelow(performance.now() - before, 1000)
  })
})

describe("wrap", () => {
  it("breaks at blanks, and within a word only where it is wider than a line", () => {
    assert.deepStrictEqual(wrap("one two three", 7), ["one two", "three"])
    assert.deepStrictEqual(wrap("one four", 7), ["one", "four"])
    assert.deepStrictEqual(wrap("one four", 8), ["one four"])
    assert.deepStrictEqual(wrap("one two three", 80), ["one two three"])
    assert.deepStrictEqual(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"])
    assert.deepStrictEqual(wrap("中文字 x", 4), ["中文", "字 x"])
    assert.deepStrictEqual(wrap("", 4), [""])
    assert.deepStrictEqual(wrap("a\nb", 80), [String.raw`a\nb`])
  })

  it.prop(
    "no line is wider than it may be, and nothing but blanks is lost",
    [cells.text(40), Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 40 }))],
    ([text, max]) => {
      const lines = wrap(text, max)
      for (const line of lines) assert.isAtMost(width(line), max, JSON.stringify(lines))
      assert.strictEqual(lines.join("").replaceAll(" ", ""), printable(text).replaceAll(" ", ""))
    }
  )
})
