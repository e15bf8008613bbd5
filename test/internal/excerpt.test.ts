import { assert, describe, it } from "@effect/vitest"
import { clip, clipMiddle, lineAround, lineFrom, lineStart, visible } from "../../src/internal/excerpt.ts"

const breaks = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"]

/** The first and the last characters of two units. */
const pairs = ["\u{10000}", "\u{103FF}", "\u{10FC00}", "\u{10FFFF}"]

describe("clip", () => {
  it("leaves a text that fits as it is, and ends a longer one with …, in the same room", () => {
    assert.strictEqual(clip("abcd", 5), "abcd")
    assert.strictEqual(clip("abcde", 5), "abcde")
    assert.strictEqual(clip("abcdef", 5), "abcd…")
    assert.strictEqual(clip("", 5), "")
  })

  it("halves no surrogate pair: rather one unit less", () => {
    for (const pair of pairs) {
      assert.strictEqual(clip(`abc${pair}f`, 5), "abc…")
      assert.strictEqual(clip(`ab${pair}ef`, 5), `ab${pair}…`)
      assert.strictEqual(clip(`abc${pair}`, 5), `abc${pair}`)
    }
  })

  it("units that are no pair are units like others", () => {
    for (const [before, after] of [
      ["\uD7FF", "\uDC00"],
      ["\uDC00", "\uDC00"],
      ["\uE000", "\uDC00"],
      ["\uD800", "\uDBFF"],
      ["\uD800", "\uD800"],
      ["\uD800", "\uE000"],
      ["\uDBFF", "\uE000"],
      ["a", "\uDFFF"]
    ] as const) {
      assert.strictEqual(clip(`abc${before}${after}f`, 5), `abc${before}…`)
    }
  })
})

describe("clipMiddle", () => {
  it("leaves a text that fits as it is, and shortens a longer one to its beginning and, a third of the room, its end", () => {
    assert.strictEqual(clipMiddle("abcdefghi", 9), "abcdefghi")
    assert.strictEqual(clipMiddle("abcdefghij", 9), "abcde…hij")
    assert.strictEqual(clipMiddle("abcdefghijk", 10), "abcdef…ijk")
  })

  it("halves no surrogate pair on either side", () => {
    for (const pair of pairs) {
      assert.strictEqual(clipMiddle(`abcd${pair}ghijk`, 9), "abcd…ijk")
      assert.strictEqual(clipMiddle(`abcdefg${pair}jk`, 9), "abcde…jk")
      assert.strictEqual(clipMiddle(`abcdefgh${pair}k`, 9), `abcde…${pair}k`)
    }
  })
})

describe("lineFrom", () => {
  it("is what follows on the line, up to so many units", () => {
    assert.strictEqual(lineFrom("abcdefgh", 2, 3), "cde")
    assert.strictEqual(lineFrom("abcdefgh", 2, 6), "cdefgh")
    assert.strictEqual(lineFrom("abcdefgh", 2, 9), "cdefgh")
    assert.strictEqual(lineFrom("abc", 3, 9), "")
  })

  it("ends at any line break", () => {
    for (const br of breaks) assert.strictEqual(lineFrom(`a${br}bc${br}d`, 1 + br.length, 9), "bc", JSON.stringify(br))
  })

  it("halves no surrogate pair", () => {
    for (const pair of pairs) {
      assert.strictEqual(lineFrom(`ab${pair}c`, 0, 3), "ab")
      assert.strictEqual(lineFrom(`ab${pair}c`, 0, 4), `ab${pair}`)
    }
  })
})

describe("lineStart", () => {
  it("is what follows on the line, up to so many units and … where it goes on", () => {
    assert.strictEqual(lineStart("abcdefgh", 2, 3), "cde…")
    assert.strictEqual(lineStart("abcdefgh", 2, 6), "cdefgh")
    assert.strictEqual(lineStart("abcdefgh", 2, 9), "cdefgh")
    assert.strictEqual(lineStart("abc", 3, 9), "")
  })

  it("ends at any line break, and with no blank", () => {
    for (const br of breaks) {
      assert.strictEqual(lineStart(`a${br}bc \t${br}d`, 1 + br.length, 9), "bc", JSON.stringify(br))
      assert.strictEqual(lineStart(`a${br}bc \t${br}d`, 1 + br.length, 4), "bc", JSON.stringify(br))
    }
    assert.strictEqual(lineStart("ab  cd", 0, 4), "ab…")
  })

  it("halves no surrogate pair", () => {
    for (const pair of pairs) {
      assert.strictEqual(lineStart(`ab${pair}c`, 0, 3), "ab…")
      assert.strictEqual(lineStart(`ab${pair}c`, 0, 4), `ab${pair}…`)
    }
  })
})

describe("lineAround", () => {
  const around = (before: string, part: string, after: string) =>
    lineAround(before + part + after, before.length, before.length + part.length)

  it("is the part with up to 24 units of its line on either side, and … where the line goes on", () => {
    assert.strictEqual(around("ab ", "{{x}}", " cd"), "ab {{x}} cd")
    assert.strictEqual(around("", "{{x}}", ""), "{{x}}")
    const [a, b] = ["a".repeat(24), "b".repeat(24)]
    assert.strictEqual(around(a, "{{x}}", b), `${a}{{x}}${b}`)
    assert.strictEqual(around(`.${a}`, "{{x}}", `${b}.`), `…${a}{{x}}${b.slice(1)}…`)
    assert.strictEqual(around(`${"-".repeat(99)}${a}`, "{{x}}", `${b}${"-".repeat(99)}`), `…${a}{{x}}${b.slice(1)}…`)
  })

  it("shows up to 48 units of the part itself", () => {
    assert.strictEqual(around("a", "x".repeat(48), "b"), `a${"x".repeat(48)}b`)
    assert.strictEqual(around("a", "x".repeat(49), "b"), `a${"x".repeat(47)}…b`)
  })

  it("stays on the line", () => {
    for (const br of breaks) {
      assert.strictEqual(around(`far${br}near `, "{{x}}", ` near${br}far`), "near {{x}} near", JSON.stringify(br))
      assert.strictEqual(around(`far${br}`, "{{x}}", `${br}far`), "{{x}}", JSON.stringify(br))
    }
  })

  it("halves no surrogate pair on either side", () => {
    for (const pair of pairs) {
      const long = pair.repeat(20)
      assert.strictEqual(around(`${long}a`, "{{x}}", ""), `…${pair.repeat(11)}a{{x}}`)
      assert.strictEqual(around(long, "{{x}}", ""), `…${pair.repeat(12)}{{x}}`)
      assert.strictEqual(around("", "{{x}}", long), `{{x}}${pair.repeat(11)}…`)
      assert.strictEqual(around("", "{{x}}", `a${long}`), `{{x}}a${pair.repeat(11)}…`)
    }
  })
})

describe("visible", () => {
  it("shows as an escape what breaks a line or is not seen, and nothing else", () => {
    for (const [text, shown] of [
      ["a\nb", String.raw`a\nb`],
      ["\t\r\v\f", String.raw`\t\r\u000b\f`],
      ["\u0000\u001b[0m\u007f", String.raw`\u0000\u001b[0m\u007f`],
      ["\u0085\u00a0\u00ad", String.raw`\u0085\u00a0\u00ad`],
      ["\u200b\u202e\u2028\ufeff", String.raw`\u200b\u202e\u2028\ufeff`],
      ["\ud800a", String.raw`\ud800a`],
      ["\u{E0001}", String.raw`\ue0001`],
      ['a b "c" \\ é 😀 {{x}}', 'a b "c" \\ é 😀 {{x}}']
    ] as const) {
      assert.strictEqual(visible(text), shown)
    }
  })
})
