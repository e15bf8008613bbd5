/** No rule reads a text more than a few times, whatever stands in it: with 100 000 of anything all of them are quick. */
import { assert, describe, it } from "@effect/vitest"
import * as Check from "effect-preamble/check"
import { assemblyOf, tool } from "./support.ts"

const units = [
  "\n",
  "\r\n",
  " ",
  "\t",
  "a",
  "0",
  "-",
  ".",
  "{",
  "{ ",
  "{x",
  "{x}",
  "｛x",
  "}",
  "`",
  "~",
  "```\n",
  "~~~x\n",
  "<",
  "< ",
  "<system ",
  "<system>",
  "\u200b",
  "\u200e",
  "🏴\u{e0067}",
  "👩\u200d",
  "\ud83d",
  "/home/a.",
  "/home/a{ ",
  "0a",
  "sha1:",
  "2026-01-02",
  "now: 1:00 ",
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301 ",
  "use ",
  "use the_tool ",
  "`the_tool(",
  "Runtime context ",
  "> ",
  "é"
]

describe("a text of 100 000 times", () => {
  it.each(units.map((unit) => [JSON.stringify(unit), unit] as const))("%s", (_, unit) => {
    const text = `${unit.repeat(100_000)}|`
    const assembly = assemblyOf({
      sections: [
        { name: "s", order: 0, text, interpolate: false },
        { name: "t", order: 1, text: text.replaceAll("{{", "{"), interpolate: true },
        { name: "v", order: 2, text: "{{x}}" }
      ],
      contexts: [{ name: "c", order: 0, text, interpolate: false }],
      variables: [{ name: "x", value: text }],
      tools: [{ tools: [tool("t", { type: "object", title: text }, text)] }]
    })
    const warnings = Check.assembly(assembly, { knownTools: ["the_tool", "glob"] })
    for (const warning of warnings) assert.isBelow(warning.message.length, 1000)
  })
})
