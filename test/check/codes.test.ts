import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Check from "effect-preamble/check"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { rules } from "../../src/check/rules.ts"
import * as Assembly from "../../src/Assembly.ts"
import * as Plugin from "../../src/Plugin.ts"
import { SystemPrompt } from "../../src/SystemPrompt.ts"
import { look, tool } from "./support.ts"

const page = readFileSync(fileURLToPath(new URL("../../docs/check.md", import.meta.url)), "utf8")

describe("codes", () => {
  it("are short words with an entry each on the page, and a row with their meaning in its table", () => {
    const entries = [...page.matchAll(/^### ([a-z-]+)$/gm)].map((match) => match[1])
    assert.deepStrictEqual(entries, Object.keys(Check.codes))
    for (const [code, meaning] of Object.entries(Check.codes)) {
      assert.match(code, /^[a-z]+(?:-[a-z]+)*$/)
      assert.include(page, `| [\`${code}\`](#${code}) | ${meaning} |\n`)
    }
  })

  it("have a rule each, in the order of the table, save those of files", () => {
    const ofFiles = ["duplicate-source", "unused-silence"]
    assert.deepStrictEqual(
      Object.keys(rules),
      Object.keys(Check.codes).filter((code) => !ofFiles.includes(code))
    )
  })
})

describe("warnings", () => {
  it("are plain data that their Schema knows, frozen, the same in each run", () => {
    const options = {
      sections: [
        { name: "s", order: 0, text: "{{x}} {y}\u200b 2026-01-02T03:04:05Z \n" },
        { name: "S", order: 1, text: "/home/bob {{x}}" }
      ],
      contexts: [{ name: "c", order: 0, text: "<system>" }],
      variables: [
        { name: "x", value: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" },
        { name: "y", value: "1", plugin: "p" }
      ],
      tools: [{ name: "p", tools: [tool("a.b", { type: "objct" }), tool("a.b")] }]
    }
    const warnings = look(options)
    assert.isAtLeast(new Set(warnings.map((one) => one.code)).size, 9)
    const codec = Schema.fromJsonString(Schema.Array(Check.Warning))
    const decoded = Schema.decodeUnknownSync(codec)(Schema.encodeSync(codec)(warnings))
    assert.deepStrictEqual(decoded, warnings)
    assert.deepStrictEqual(look(options), warnings)
    for (const warning of warnings) {
      assert.isFrozen(warning)
      // What is wrong, where, and what to do.
      assert.match(warning.message, /"(?:s|S|c|x|y|a\.b)"/)
      assert.isAtLeast(warning.message.split(/[.:] /).length, 2, warning.message)
      assert.match(warning.message, /\.$/)
    }
  })
})

describe("trace", () => {
  const traced = <E>(plugins: Layer.Layer<never, E, SystemPrompt>) =>
    SystemPrompt.use((prompt) => prompt.trace).pipe(
      Effect.map((trace) => Check.trace(trace).map(({ code, entry, place }) => [code, entry, place?.found] as const)),
      Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))
    )

  it.effect("[BC-035] knows tools that their provider hides, and such as a listener removed", () =>
    Effect.gen(function* () {
      const found = yield* traced(
        Layer.mergeAll(
          Plugin.section({ name: "s", order: 0, text: "Use glob if unsure. Use rm, use read." }),
          Plugin.tools({ schemas: [tool("read"), tool("rm")], knownNames: ["read", "rm", "glob"] }),
          Plugin.listener({ name: "no-rm", edit: Assembly.removeTool("rm") })
        )
      )
      assert.deepStrictEqual(found, [
        ["hidden-tool", "s", "glob"],
        ["hidden-tool", "s", "rm"]
      ])
    })
  )

  it.effect("knows the texts that are left out: what they refer to is used, and would fail without a value", () =>
    Effect.gen(function* () {
      const found = yield* traced(
        Layer.mergeAll(
          Plugin.section({ name: "s", order: 0, text: "{{a}} {{b}}", requires: ["web_serch"] }),
          Plugin.variable("a", "1"),
          Plugin.variable("b", undefined),
          Plugin.variable("c", "1"),
          Plugin.tools([tool("web_search")])
        )
      )
      assert.deepStrictEqual(found, [
        ["unused-variable", "c", undefined],
        ["variable-without-value", "b", undefined],
        ["unknown-required-tool", "s", undefined]
      ])
    })
  )

  it.effect("says nothing of a required tool that is known or like no other", () =>
    Effect.gen(function* () {
      const found = yield* traced(
        Layer.mergeAll(
          Plugin.section({ name: "s", order: 0, text: "a", requires: ["bash"] }),
          Plugin.section({ name: "t", order: 0, text: "b", requires: ["web_fetch"] }),
          Plugin.tools({ schemas: [tool("web_search")], knownNames: ["web_fetch", "web_fetcher"] })
        )
      )
      assert.deepStrictEqual(found, [])
    })
  )
})
