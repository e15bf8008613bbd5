import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Assembly, Plugin, PromptError, PromptScope, SystemPrompt } from "effect-preamble"
import { CompositionScopes, type Content, layer, placesOf, type Plugins } from "effect-preamble/composition"
import { accept } from "./support.ts"

/** Assembles and renders for the default scope, and gives the places of what it fails with. */
const failedAt = (
  text: string,
  options: { readonly files?: Readonly<Record<string, Content>>; readonly plugin?: Plugins.PluginLayer } = {}
) =>
  Effect.gen(function* () {
    const composition = accept(text, options.files)
    const plugins = new Map(options.plugin === undefined ? [] : [["p.ts", options.plugin]])
    const error = yield* Effect.gen(function* () {
      const { initial } = yield* CompositionScopes
      const prompt = yield* SystemPrompt
      return yield* Effect.flip(PromptScope.provide(initial)(prompt.render))
    }).pipe(Effect.provide(layer(composition, { plugins, env: {} })))
    const places = placesOf(composition, error)
    for (const { column, frame, line } of places) {
      assert.match(frame, new RegExp(`^> +${line} \\|`, "m"))
      assert.isAtLeast(column, 1)
    }
    return [error._tag, ...places.map((one) => `${one.file}:${one.line}:${one.column}`)]
  })

/** A text of a section in several styles of YAML, a mark before the place that is told. */
const texts: ReadonlyArray<readonly [style: string, ...lines: ReadonlyArray<string>]> = [
  ["plain", "text: one ¦{{who}} two"],
  ["plain, over two lines: its beginning", "text: ¦one", "  two {{who}}"],
  ["double quotes", 'text: "one ¦{{who}}"'],
  ["double quotes with an escape behind", 'text: "¦{{who}} \\n \\""'],
  ["double quotes with an escape before: its beginning", 'text: ¦"one \\" {{who}}"'],
  ["double quotes with backslashes before: its beginning", 'text: ¦"\\\\\\\\{{who}}"'],
  ["double quotes, folded: its beginning", 'text: ¦"one', '  {{who}}"'],
  ["double quotes with an empty line: its beginning", 'text: ¦"one', "", '  {{who}}"'],
  ["single quotes", "text: 'one ¦{{who}}'"],
  ["single quotes, one of them doubled: its beginning", "text: ¦'it''s {{who}}'"],
  ["a literal block", "text: |", "  one", "", "    two ¦{{who}} three", "  four"],
  ["a literal block, its first line", "text: |-", "  ¦{{who}}"],
  ["a literal block behind empty lines", "text: |+", "", "", "  one", "  ¦{{who}}", ""],
  ["a literal block with an indentation of its own", "text: |2", "     one", "    ¦{{who}}"],
  ["a literal block with a comment at its head", "text: | # why", "  ¦{{who}}"],
  ["a folded block: its beginning", "text: ¦>", "  one", "  {{who}}"],
  ["behind a tag", "text: !!str one ¦{{who}}"],
  ["behind an anchor", "text: &a one ¦{{who}}"]
]

describe("placesOf", () => {
  it.effect.each(texts)("a problem in a text of this style: %s", ([, ...lines]) =>
    Effect.gen(function* () {
      const marked = [
        "sections:",
        "  - name: s",
        "    order: 0",
        ...lines.map((line) => (line === "" ? "" : `    ${line}`))
      ]
      const line = marked.findIndex((one) => one.includes("¦"))
      const text = `${marked.join("\n").replace("¦", "")}\n`
      const place = `agent.yaml:${line + 1}:${marked[line]!.indexOf("¦") + 1}`
      for (const one of [text, text.replaceAll("\n", "\r\n"), `\ufeff${text}`]) {
        assert.deepStrictEqual(yield* failedAt(one), ["UnknownVariable", place])
      }
    })
  )

  it.effect("of several problems in a text, the one that rendering met", () =>
    Effect.gen(function* () {
      const json = JSON.stringify({
        variables: { a: "x", b: null },
        contexts: [{ name: "c", order: 1, text: "{{a}} {{b}} {{B}}" }]
      })
      assert.deepStrictEqual(yield* failedAt(json), ["UndefinedVariable", `agent.yaml:1:${json.indexOf("{{b}}") + 1}`])
      const malformed = "contexts: [{ name: c, order: 1, text: 'a {{B}} {{c}}' }]"
      assert.deepStrictEqual(yield* failedAt(malformed), ["MalformedGroup", "agent.yaml:1:42"])
    })
  )

  it.effect("a text that an alias repeats has its problem where it is written", () =>
    Effect.gen(function* () {
      const text = "variables: { a: &t 'x {{b}}' }\nsections:\n  - { name: s, order: 0, text: *t }\n"
      assert.deepStrictEqual(yield* failedAt(text), ["UnknownVariable", "agent.yaml:1:23"])
    })
  )

  it.effect("a text in a file has its problem in that file, and its name in the composition", () =>
    Effect.gen(function* () {
      const section = "sections:\n  - { name: s, order: 0, text: { file: ./sub/long.md } }\n"
      for (const content of [
        "one\nto {{who}}\n",
        "\ufeffone\r\nto {{who}}\r\n",
        new TextEncoder().encode("\ufeffone\nto {{who}}")
      ]) {
        assert.deepStrictEqual(yield* failedAt(section, { files: { "./sub/long.md": content } }), [
          "UnknownVariable",
          "sub/long.md:2:4",
          "agent.yaml:2:40"
        ])
      }
    })
  )

  it.effect("identity and persona, of the deployment and of a scope", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* failedAt('identity: "I am {{who}}"'), ["UnknownVariable", "agent.yaml:1:17"])
      const files = { files: { "p.md": "{{who}}" } }
      assert.deepStrictEqual(yield* failedAt("persona:\n  suffix: x {{who}}\n"), ["UnknownVariable", "agent.yaml:2:13"])
      assert.deepStrictEqual(yield* failedAt("persona: { prefix: { file: p.md } }", files), [
        "UnknownVariable",
        "p.md:1:1",
        "agent.yaml:1:28"
      ])
      assert.deepStrictEqual(
        yield* failedAt("scope: a\nscopes:\n  a: { persona: { suffix: { file: p.md } } }", files),
        ["UnknownVariable", "p.md:1:1", "agent.yaml:3:35"]
      )
      const preset = "- name: '@deepseek-ai/dsh-persona'\n  config: { text: 'x {{who}}' }\n"
      assert.deepStrictEqual(yield* failedAt(preset), ["UnknownVariable", "agent.yaml:2:22"])
    })
  )

  it.effect("two complete sections are each told, in whatever scope they are", () =>
    Effect.gen(function* () {
      const text = [
        "sections:",
        "  - { name: one, order: 0, text: X, complete: true }",
        "scopes:",
        "  a:",
        "    sections:",
        "      - name: two",
        "        order: 1",
        "        complete: true",
        "        text: Y",
        "scope: a",
        ""
      ].join("\n")
      assert.deepStrictEqual(yield* failedAt(text), ["MultipleCompleteSections", "agent.yaml:2:47", "agent.yaml:8:19"])
      const plugin = Plugin.section({ name: "three", order: 0, text: "Z", complete: true })
      const one = "plugins: [p.ts]\nsections: [{ name: one, order: 0, text: X, complete: true }]"
      assert.deepStrictEqual(yield* failedAt(one, { plugin }), ["MultipleCompleteSections", "agent.yaml:2:54"])
    })
  )

  it("an error that blames thousands of sections looks at each a few times", () => {
    const size = 2_000
    const rows = Array.from({ length: size }, (_, i) => `  - { name: s${i}, order: 0, text: x, complete: true }`)
    const composition = accept(`sections:\n${rows.join("\n")}`)
    let looks = 0
    const sections = composition.global.sections.map((one) => ({
      ...one,
      get value() {
        looks++
        return one.value
      }
    }))
    const blamed = sections.map((one) => ({ entry: one.value.name, scope: "global" }))
    const error = new PromptError.MultipleCompleteSections({ scope: "global", sections: blamed })
    const places = placesOf({ ...composition, global: { ...composition.global, sections } }, error)
    assert.deepStrictEqual(
      places.map(({ line }) => line),
      blamed.map((_, i) => i + 2)
    )
    assert.isAtMost(looks, 4 * size)
  })

  it.effect("each unknown tool is told at its entry in toolOrder, known only when the plugins are there", () =>
    Effect.gen(function* () {
      const text = "plugins: [p.ts]\ntoolOrder: [nobody, mine, '<unlisted-tools>', noone]"
      const plugin = Plugin.tools([{ name: "mine", description: "d", parameters: {} }])
      assert.deepStrictEqual(yield* failedAt(text, { plugin }), ["UnknownTool", "agent.yaml:2:13", "agent.yaml:2:47"])
    })
  )

  it.effect("what a plugin did has no place, nor has an offset into what a listener changed", () =>
    Effect.gen(function* () {
      const section = Plugin.section({ name: "s", order: 0, text: "{{who}}" })
      assert.deepStrictEqual(yield* failedAt("plugins: [p.ts]", { plugin: section }), ["UnknownVariable"])
      const reserved = Plugin.tools([{ name: "<unlisted-tools>", description: "d", parameters: {} }])
      assert.deepStrictEqual(yield* failedAt("plugins: [p.ts]", { plugin: reserved }), ["ReservedToolName"])
      const listener = Plugin.listener({
        name: "l",
        edit: (assembly) => Assembly.mapSection(assembly, "s", (one) => ({ ...one, text: "{{who}}" }))
      })
      const text = "plugins: [p.ts]\nsections: [{ name: s, order: 0, text: fine }]"
      assert.deepStrictEqual(yield* failedAt(text, { plugin: listener }), ["UnknownVariable", "agent.yaml:2:39"])
      const inFile = "plugins: [p.ts]\nsections: [{ name: s, order: 0, text: { file: f.md } }]"
      assert.deepStrictEqual(yield* failedAt(inFile, { plugin: listener, files: { "f.md": "fine and long" } }), [
        "UnknownVariable",
        "agent.yaml:2:47"
      ])
      const persona = Plugin.section({ name: "deployment:persona-prefix", order: 0, text: "{{who}}" })
      const own = "persona: { prefix: '{{who}}' }\nscopes: { a: { plugins: [p.ts] } }\nscope: a"
      assert.deepStrictEqual(yield* failedAt(own, { plugin: persona }), ["UnknownVariable"])
    })
  )

  it("any other error has the place of its owner, unless that names a plugin", () => {
    const composition = accept(
      "variables: { v: x }\nsections: [{ name: s, order: 0, text: x }]\nscopes: { a: { contexts: [{ name: s, order: 0, text: x }] } }"
    )
    const at = (kind: PromptError.Kind, entry: string, scope: string, plugin?: string) =>
      placesOf(
        composition,
        new PromptError.ProviderFailure({
          ...PromptError.ownerFields({ kind, entry, scope, plugin }),
          reason: "failed",
          cause: "x"
        })
      ).map(({ column, line }) => `${line}:${column}`)
    assert.deepStrictEqual(at("variable", "v", "global"), ["1:17"])
    assert.deepStrictEqual(at("section", "s", "global"), ["2:12"])
    assert.deepStrictEqual(at("context", "s", "a"), ["3:27"])
    assert.deepStrictEqual(at("context", "s", "global"), [])
    assert.deepStrictEqual(at("section", "s", "a"), [])
    assert.deepStrictEqual(at("section", "s", "global", "another"), [])
    assert.deepStrictEqual(at("listener", "s", "global"), [])
    assert.deepStrictEqual(placesOf(composition, new PromptError.ScopeClosed({ scope: "a" })), [])
  })

  it("a tool that a host registers once more has the place of the file's, in its file", () => {
    const tool = JSON.stringify([{ name: "u", description: "d", parameters: {} }])
    const composition = accept(
      'toolOrder: [t, "<unlisted-tools>"]\ntools: [{ name: t, description: d, parameters: {} }, { file: t.json }]',
      { "t.json": tool }
    )
    const at = (entry: string, scope: string, plugin?: string) =>
      placesOf(
        composition,
        new PromptError.DuplicateRegistration(PromptError.ownerFields({ kind: "tool", entry, scope, plugin }))
      ).map(({ column, file, line }) => `${file}:${line}:${column}`)
    assert.deepStrictEqual(at("t", "global"), ["agent.yaml:2:9"])
    assert.deepStrictEqual(at("u", "global"), ["t.json:1:2", "agent.yaml:2:62"])
    assert.deepStrictEqual(at("t", "a"), [])
    assert.deepStrictEqual(at("t", "global", "p"), [])
    // What a host's restriction names is not what `toolOrder` lists.
    const unknown = { entry: "", scope: "a", unknown: ["t"], known: [] }
    const places = (kind: PromptError.Kind) =>
      placesOf(composition, new PromptError.UnknownTool({ ...unknown, kind })).length
    assert.deepStrictEqual([places("toolOrder"), places("restriction")], [1, 0])
  })
})
