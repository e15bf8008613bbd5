import { assert, describe, it } from "@effect/vitest"
import * as CodeFrame from "../../src/composition/CodeFrame.ts"
import { width } from "../../src/internal/width.ts"

const frame = (text: string, line: number, column: number): string => {
  const before = text.split("\n").slice(0, line - 1)
  return CodeFrame.make(
    text,
    before.reduce((sum, one) => sum + one.length + 1, column - 1),
    line
  )
}

/** Cells before the first occurrence of `mark` in a line. */
const cellsBefore = (line: string, mark: string): number => width(line.slice(0, line.indexOf(mark)))

const caretStandsUnder = (text: string, mark: string): void => {
  const rows = frame(text, 1, text.indexOf(mark) + 1).split("\n")
  assert.strictEqual(cellsBefore(rows[1]!, "^"), cellsBefore(rows[0]!, mark), rows.join("\n"))
}

describe("CodeFrame", () => {
  it("shows two lines before and after, with a caret under the column", () => {
    assert.strictEqual(
      frame("one\ntwo\nthree: x\nfour\nfive\nsix", 3, 8),
      ["  1 | one", "  2 | two", "> 3 | three: x", "    |        ^", "  4 | four", "  5 | five"].join("\n")
    )
  })

  it("shows fewer lines at both ends of a file", () => {
    assert.strictEqual(frame("a\nb", 1, 1), "> 1 | a\n    | ^\n  2 | b")
    assert.strictEqual(frame("a\nb", 2, 2), "  1 | a\n> 2 | b\n    |  ^")
  })

  it("a line break at the end begins no further line, but a place behind it is shown", () => {
    assert.strictEqual(frame("a\nb\n", 1, 1), "> 1 | a\n    | ^\n  2 | b")
    assert.strictEqual(frame("a\n", 2, 1), "  1 | a\n> 2 |\n    | ^")
    assert.strictEqual(frame("\n\nx", 1, 1), "> 1 |\n    | ^\n  2 |\n  3 | x")
    assert.strictEqual(frame("\n\nx", 3, 1), "  1 |\n  2 |\n> 3 | x\n    | ^")
    assert.strictEqual(frame("\n\nx", 2, 1), "  1 |\n> 2 |\n    | ^\n  3 | x")
  })

  it("aligns line numbers of different length", () => {
    const text = Array.from({ length: 12 }, (_, i) => `l${i + 1}`).join("\n")
    assert.strictEqual(
      frame(text, 9, 1),
      ["   7 | l7", "   8 | l8", ">  9 | l9", "     | ^", "  10 | l10", "  11 | l11"].join("\n")
    )
  })

  it("puts the caret under the right cell after a tab, and shows the tab", () => {
    assert.strictEqual(frame("\tx: 1", 1, 2), "> 1 | →   x: 1\n    |     ^")
    assert.strictEqual(frame("ab\tx", 1, 4), "> 1 | ab→ x\n    |     ^")
  })

  it("counts East Asian characters and emoji as two cells, combining marks as none", () => {
    assert.strictEqual(frame("世界: x", 1, 5), "> 1 | 世界: x\n    |       ^")
    assert.strictEqual(frame("한글: x", 1, 5), "> 1 | 한글: x\n    |       ^")
    assert.strictEqual(frame("ｘ: x", 1, 4), "> 1 | ｘ: x\n    |     ^")
    assert.strictEqual(frame("🚀: x", 1, 5), "> 1 | 🚀: x\n    |     ^")
    assert.strictEqual(frame("e\u0301: x", 1, 5), "> 1 | e\u0301: x\n    |    ^")
    assert.strictEqual(frame("ä: x", 1, 4), "> 1 | ä: x\n    |    ^")
  })

  it("counts what looks like one character as one: a family, a flag, a keycap", () => {
    for (const one of ["👨‍👩‍👧‍👦", "🇩🇪", "1️⃣"]) {
      assert.strictEqual(frame(`${one}: x`, 1, one.length + 3), `> 1 | ${one}: x\n    |     ^`)
      // A place inside it is shown at its beginning.
      assert.strictEqual(frame(`a${one}: x`, 1, 3), `> 1 | a${one}: x\n    |  ^`)
    }
  })

  it("cuts a long line around the caret", () => {
    for (const before of [0, 10, 33, 34, 35, 60, 67, 68, 69, 99, 100, 101, 300, 100_000]) {
      const text = `${"a".repeat(before)}X${"b".repeat(1000)}`
      const [line, caret] = frame(text, 1, before + 1).split("\n")
      assert.isAtMost(line!.length, 80)
      assert.strictEqual(line![caret!.indexOf("^")], "X", `${before} before`)
      assert.isTrue(line!.endsWith("…"))
    }
    for (const line of frame("世".repeat(1000), 1, 501).split("\n")) assert.isAtMost(width(line), 80)
    for (const wide of [33, 34, 35, 40, 49, 50, 51, 120])
      caretStandsUnder(`${"世".repeat(wide)}X${"世".repeat(wide)}`, "X")
  })

  it("lets no control character of a file reach the terminal", () => {
    const shown = frame("a\u001b[31mred\u0007\u0000 \u202eb \ud800", 1, 2)
    assert.notMatch(shown.replaceAll("\n", ""), /[\p{Cc}\p{Cs}\u202a-\u202e]/u)
    assert.include(shown, "␛")
  })

  it("puts the caret at the end of a line for what is missing there", () => {
    assert.strictEqual(frame("a: [1", 1, 6), "> 1 | a: [1\n    |      ^")
  })
})
