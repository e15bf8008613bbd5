import { assert, describe, it } from "@effect/vitest"
import * as Template from "../../src/Template.ts"
import { found, inSection, lookFor, tool } from "./support.ts"

const invisible = (text: string) => inSection("invisible-character", text)

describe("invisible-character", () => {
  it.each([
    ["zero-width space", "a\u200bb", "U+200B"],
    ["byte order mark", "\ufeffa", "U+FEFF"],
    ["soft hyphen", "a\u00adb", "U+00AD"],
    ["right-to-left override", "a\u202eb", "U+202E"],
    ["an isolate", "a\u2066b\u2069", "U+2066"],
    ["left-to-right mark", "a\u200eb", "U+200E"],
    ["word joiner", "a\u2060b", "U+2060"],
    ["zero-width joiner between letters", "a\u200db", "U+200D"],
    ["zero-width non-joiner between letters", "词\u200c词", "U+200C"],
    ["escape", "\u001b[31mred", "U+001B"],
    ["null", "a\u0000", "U+0000"],
    ["next line", "a\u0085b", "U+0085"],
    ["line separator", "a\u2028b", "U+2028"],
    ["lone carriage return", "a\rb", "U+000D"],
    ["tag characters", "a\u{e0041}\u{e0042}", "U+E0041"],
    ["variation selectors after a letter", "a\ufe00", "U+FE00"],
    ["a second variation selector", "❤\ufe0f\ufe0f", "U+FE0F"],
    ["variation selector supplement", "a\u{e0100}", "U+E0100"],
    ["Hangul filler", "a\u3164b", "U+3164"],
    ["tags behind a flag that is over", "🏴\u{e0067}\u{e007f}\u{e0041}", "U+E0041"]
  ])("finds %s", (_, text, name) => {
    const [warning, more] = invisible(text)
    assert.isUndefined(more)
    assert.deepInclude(warning, { kind: "section", entry: "s" })
    assert.include(warning!.message, name)
    assert.strictEqual(text.startsWith(warning!.place!.found, warning!.place!.offset), true)
  })

  it("names up to three kinds, and counts", () => {
    const [warning] = invisible("a\u200b\u200c\u2060\u2061\u200b")
    assert.include(
      warning!.message,
      "U+200B (zero-width space), U+200C (zero-width non-joiner), U+2060 (word joiner) and 1 other"
    )
    assert.include(warning!.message, "(and 4 more)")
  })

  it.each([
    ["tabs and line breaks", "a\tb\nc\r\n"],
    ["a family", "👨\u200d👩\u200d👧"],
    ["a skin tone and a joiner", "👩🏽\u200d🚀"],
    ["a heart", "❤\ufe0f"],
    ["a key cap", "1\ufe0f\u20e3"],
    ["England", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian", "می\u200cخواهم"],
    ["Hindi", "क\u094d\u200dष"],
    ["Hebrew with marks", "שלום\u200e (a)\u200f"],
    ["Arabic with isolates", "\u2067مرحبا\u2069"],
    ["a Han variant", "葛\u{e0100}"],
    ["Mongolian", "ᠠ\u180b"],
    ["a no-break space", "a\u00a0b"],
    ["accents", "e\u0301"]
  ])("lets %s be", (_, text) => {
    assert.lengthOf(invisible(text), 0)
  })

  it("[BC-089] looks at contexts, values that are used, Templates and everything that a model reads of a tool", () => {
    const hidden = "a\u200bb"
    const warnings = lookFor("invisible-character", {
      sections: [
        { name: "t", order: 0, text: Template.text`${Template.verbatim(hidden)} ${Template.ref("x")}` },
        { name: "d", order: 1, text: hidden, interpolate: false }
      ],
      contexts: [{ name: "c", order: 0, text: `1\n${hidden}` }],
      variables: [
        { name: "x", value: `v\n${hidden}` },
        { name: "unused", value: hidden }
      ],
      tools: [
        {
          tools: [
            tool("in_description", { type: "object" }, hidden),
            tool("in_key", { type: "object", properties: { [hidden]: {} } }),
            tool("in_value", { type: "object", properties: { a: { enum: ["x", hidden] } } }),
            tool("clean", { type: "object", properties: { a: { enum: [1, null, true] } } })
          ]
        }
      ]
    })
    assert.deepStrictEqual(
      warnings.map(({ entry, kind, path, place, tool }) => [kind, tool ?? entry, path ?? place?.line]),
      [
        ["section", "t", 1],
        ["section", "d", 1],
        ["context", "c", 2],
        ["variable", "x", 2],
        ["tools", "in_description", ["description"]],
        ["tools", "in_key", ["parameters", "properties", hidden]],
        ["tools", "in_value", ["parameters", "properties", "a", "enum", 1]]
      ]
    )
  })
})

describe("lone-surrogate", () => {
  it("finds half of a pair, which no file can hold but a plugin can", () => {
    const [warning] = inSection("lone-surrogate", "ok 😀 \ud83d no")
    assert.deepInclude(warning, { kind: "section", entry: "s" })
    assert.deepStrictEqual(warning!.place, { offset: 6, line: 1, column: 7, found: "\ud83d" })
    assert.include(warning!.message, "U+D83D")
    assert.strictEqual(found(inSection("lone-surrogate", "\ude00\ud83d")), "\ude00")
    assert.lengthOf(
      lookFor("lone-surrogate", { tools: [{ tools: [tool("t", { type: "object", title: "\ud83d" })] }] }),
      1
    )
  })

  it("lets whole characters be", () => {
    assert.lengthOf(inSection("lone-surrogate", "😀👩🏽\u200d🚀𐍈"), 0)
  })
})
