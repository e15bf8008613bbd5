import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parse } from "effect-preamble/composition"
import * as DshPreset from "../../src/composition/DshPreset.ts"
import * as SourceFile from "../../src/composition/SourceFile.ts"
import * as Yaml from "../../src/composition/Yaml.ts"
import { accept, placesOf, refuse } from "./support.ts"

const persona = (config: string): string => `- id: p\n  name: '@deepseek-ai/dsh-persona'\n  config: ${config}\n`

const sectionsOf = (text: string) =>
  accept(text).scopes[0]!.sections.map(({ value }) => [value.name, value.order, value.text, value.complete])

describe("dsh presets", () => {
  it("mount a persona in a scope named after the file, with identity on", () => {
    const names = [
      ["presets/standard.cordis.yml", "standard"],
      ["a\\b.yaml", "b"],
      ["x.json", "x"],
      ["-", "preset"],
      ["global.yml", "preset"]
    ]
    for (const [file, scope] of names) {
      const composition = Result.getOrThrow(parse({ file: file!, text: persona("{ text: Hi }") }))
      assert.strictEqual(composition.scope, scope)
      assert.deepStrictEqual(
        composition.scopes.map((one) => one.scope),
        [scope]
      )
      assert.isTrue(composition.identity)
    }
  })

  it("`prefix` and `suffix`, or the older `text`; both halves shadow", () => {
    const suffix = (text: string) => ["deployment:persona-suffix", 10200, text, false]
    assert.deepStrictEqual(sectionsOf(persona("{ text: Hi }")), [
      ["deployment:persona-prefix", 0, "Hi", false],
      suffix("")
    ])
    assert.deepStrictEqual(sectionsOf(persona("{ prefix: A, suffix: B, complete: true }")), [
      ["deployment:persona-prefix", 0, "A", true],
      suffix("B")
    ])
  })

  it("`includeRuntimeContext: false` suppresses contexts for the scope", () => {
    assert.isTrue(accept(persona("{ text: Hi, includeRuntimeContext: false }")).scopes[0]!.suppressContexts)
    assert.isFalse(accept(persona("{ text: Hi }")).scopes[0]!.suppressContexts)
  })

  it("the prompt service's row is the global settings", () => {
    const composition = accept(
      `- name: '@deepseek-ai/dsh-system-prompt'\n  config: { includeHarnessIdentity: false, includeRuntimeContext: false, personaPrefix: A, personaSuffix: B, toolOrder: ['<unlisted-tools>'] }\n${persona("{ prefix: P }")}`
    )
    assert.deepStrictEqual(
      [composition.identity, composition.runtimeContext, composition.persona],
      [false, false, { prefix: "A", suffix: "B" }]
    )
    assert.strictEqual(composition.scopes[0]!.sections[0]!.value.text, "P")
    assert.deepStrictEqual(accept("- name: '@deepseek-ai/dsh-system-prompt'\n  config: { persona: Old }\n").persona, {
      prefix: "Old"
    })
  })

  it("rows in groups are looked into; other rows, and disabled ones, are named as not mounted", () => {
    const text = [
      "- id: g",
      "  name: cordis:group",
      "  config:",
      "    - id: p",
      "      name: '@deepseek-ai/dsh-persona'",
      "      config: { text: Hi }",
      "    - id: t",
      "      name: some-tool",
      "- id: h",
      "  name: other",
      "  group: true",
      "  disabled: true",
      "  config:",
      "    - { id: q, name: '@deepseek-ai/dsh-persona', config: { text: 1 } }"
    ].join("\n")
    const composition = accept(text)
    assert.strictEqual(composition.scopes[0]!.sections[0]!.value.text, "Hi")
    assert.deepStrictEqual(composition.notMounted, [
      { id: "t", plugin: "some-tool", line: 7, reason: "unknown" },
      { id: "q", plugin: "@deepseek-ai/dsh-persona", line: 14, reason: "disabled" }
    ])
  })

  it("`!!js` is text in rows that are not mounted and in other keys", () => {
    assert.deepStrictEqual(
      accept(
        `- { name: t, disabled: !!js "process.exit(9)", config: { a: !!js 1 } }\n${persona("{ text: Hi }")}`
      ).notMounted.map((row) => row.reason),
      ["unknown"]
    )
    assert.strictEqual(accept(`${persona("{ text: Hi }")}  isolate: !!js x\n`).notMounted.length, 0)
  })

  it("`!!js` is a problem where a mounted row uses it", () => {
    const js = refuse(persona("{ text: !!js process.cwd() }"))
    assert.deepStrictEqual(placesOf(js), ["3:19 [0].config.text"])
    assert.include(js.message, "!!js is never evaluated")
    assert.deepStrictEqual(placesOf(refuse(`${persona("{ text: Hi }")}  disabled: !!js true\n`)), ["4:13 [0].disabled"])
    const group =
      "- name: cordis:group\n  disabled: !!js true\n  config:\n    - { name: '@deepseek-ai/dsh-persona', config: { text: Hi } }\n"
    assert.deepStrictEqual(placesOf(refuse(group)), ["2:13 [0].disabled"])
  })

  it("thousands of tags in thousands of rows cost each a few looks", () => {
    const size = 2_000
    const rows = '- { name: "@deepseek-ai/dsh-persona", config: { prefix: !!js x } }\n'.repeat(size)
    const document = Result.getOrThrow(Yaml.read(SourceFile.make("a.yaml", rows)))
    let looks = 0
    const foreignTags = document.foreignTags.map((one) => ({
      ...one,
      get path() {
        looks++
        return one.path
      }
    }))
    const draft = DshPreset.fromDocument({ ...document, foreignTags })
    assert.strictEqual(draft.complaints.filter((one) => one.message.startsWith("!!js is never evaluated")).length, size)
    assert.isAtMost(looks, 20 * size)
  })

  it("a list without any plugin is told to be a map, and a list of plugins that nothing stands for is not", () => {
    const [problem] = refuse("- { name: greeting, order: 0, text: Hi }\n").problems
    assert.strictEqual(problem?.line, 1)
    assert.include(problem?.message, "A composition is a map")
    assert.strictEqual(accept("- { name: '@deepseek-ai/dsh-tool-bash' }\n").notMounted.length, 1)
  })

  it("mistakes have a place", () => {
    assert.deepStrictEqual(placesOf(refuse(persona("{ txt: Hi }"))), ["3:11 [0].config", "3:13 [0].config.txt"])
    assert.deepStrictEqual(placesOf(refuse(persona("{ text: Hi, prefix: Ho }"))), ["3:13 [0].config.text"])
    assert.deepStrictEqual(placesOf(refuse(persona("{ prefix: 3 }"))), ["3:21 [0].config.prefix"])
    assert.deepStrictEqual(placesOf(refuse("- name: '@deepseek-ai/dsh-persona'\n")), ["1:3 [0].config"])
    assert.deepStrictEqual(
      placesOf(refuse(persona("{ text: A }") + persona("{ text: B }"))),
      ["6:19 [1].config.text DuplicateRegistration", "6:11 [1].config DuplicateRegistration"].toReversed()
    )
    assert.deepStrictEqual(placesOf(refuse("- hello\n- { id: x }\n- { name: 3 }\n")), [
      "1:1",
      "1:3 [0]",
      "2:3 [1].name",
      "3:11 [2].name"
    ])
    const twice = "- { name: '@deepseek-ai/dsh-system-prompt', config: {} }\n"
    assert.deepStrictEqual(placesOf(refuse(twice + twice)), ["2:3 [1]"])
    assert.deepStrictEqual(
      placesOf(refuse("- { name: '@deepseek-ai/dsh-system-prompt', config: { toolOrder: [a] } }\n")),
      ["1:66 [0].config.toolOrder InvalidToolOrder"]
    )
  })
})
