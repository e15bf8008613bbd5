import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CompositionFile } from "effect-preamble/composition"
import { accept, placesOf, read, refuse } from "./support.ts"

describe("files", () => {
  const text = "sections:\n  - { name: a, order: 0, text: { file: a.md } }\n"

  it("BC-066: CRLF, a byte order mark and LF give the same composition; a lone CR stays", () => {
    const body =
      'identity: |\n  one\n\n  two\nsections:\n  - name: a\n    order: 0\n    text: { file: a.md }\n  - name: q\n    order: 1\n    text: "x\\ry"\n'
    const texts = (composition: ReturnType<typeof accept>) => [
      composition.identity,
      composition.global.sections.map((one) => one.value.text)
    ]
    const expected = ["one\n\ntwo\n", ["l1\nl2\n", "x\ry"]]
    for (const bom of ["", "\ufeff"]) {
      assert.deepStrictEqual(texts(accept(bom + body, { "a.md": `${bom}l1\nl2\n` })), expected)
      assert.deepStrictEqual(
        texts(accept(bom + body.replaceAll("\n", "\r\n"), { "a.md": `${bom}l1\r\nl2\r\n` })),
        expected
      )
      assert.deepStrictEqual(
        texts(accept(bom + body.replace("\n", "\r\n"), { "a.md": new TextEncoder().encode(`${bom}l1\r\nl2\n`) })),
        expected
      )
    }
    assert.strictEqual(accept(text, { "a.md": "a\rb" }).global.sections[0]!.value.text, "a\rb")
    assert.strictEqual(accept(text, { "a.md": "\ufeff\ufeffa" }).global.sections[0]!.value.text, "\ufeffa")
  })

  it("places do not move with CRLF or a byte order mark", () => {
    const broken = "identity: x\nscope: y\n"
    for (const one of [broken, broken.replaceAll("\n", "\r\n"), `\ufeff${broken}`])
      assert.deepStrictEqual(placesOf(refuse(one)), ["2:8 scope"])
    assert.deepStrictEqual(placesOf(refuse("\ufeffscope: y")), ["1:8 scope"])
  })

  it("a text file that is not UTF-8 is a problem at its name", () => {
    const error = refuse(text, { "a.md": new Uint8Array([0x61, 0xff]) })
    assert.deepStrictEqual(placesOf(error), ["2:40 sections[0].text.file"])
    assert.include(error.message, "not UTF-8: byte 1")
  })

  it("a tools file holds one tool or a list", () => {
    const tool = { name: "t", description: "d", parameters: { type: "object" } }
    const tools = (content: unknown) =>
      accept("tools: [{ file: t.json }]", { "t.json": JSON.stringify(content) }).global.tools
    assert.deepStrictEqual(tools(tool), [tool])
    assert.deepStrictEqual(
      tools([tool, { ...tool, name: "u", deferLoading: true }]).map((one) => one.name),
      ["t", "u"]
    )
  })

  it("a mistake in a tools file is a problem in that file", () => {
    const composition = "tools:\n  - { file: sub/t.json }\n"
    const inside = (json: string) => placesOf(refuse(composition, { "sub/t.json": json }))
    assert.deepStrictEqual(inside('[{"name":"t","description":"d","parameters":\n{"a":[1,.nan]}}]'), [
      "sub/t.json:2:9 [0].parameters.a[1] InvalidToolSchema"
    ])
    assert.deepStrictEqual(inside('[{"name":"t","description":"d"}]'), ["sub/t.json:1:2 [0].parameters"])
    assert.deepStrictEqual(inside('{"name":"t","description":1,"parameters":{}}'), ["sub/t.json:1:27 description"])
    assert.deepStrictEqual(inside('{"name":"t","name":"u","description":"d","parameters":{}}'), [
      "sub/t.json:1:13 name"
    ])
    assert.deepStrictEqual(inside('[{"name" "t"}]'), ["sub/t.json:1:10"])
    assert.deepStrictEqual(inside("3"), ["sub/t.json:1:1"])
    assert.deepStrictEqual(inside(""), ["sub/t.json:1:1"])
  })

  it("every tool of a file has its problems reported, whatever is wrong with the others", () => {
    const tools =
      '[{"name":"t","description":"d"},\n{"name":"u","description":"d","parameters":{"a":.nan}},\n{"name":"v","description":"d","parameters":"x"},\n{"name":"<unlisted-tools>","description":"d","parameters":{}}]'
    assert.deepStrictEqual(placesOf(refuse("tools: [{ file: t.json }]", { "t.json": tools })), [
      "t.json:1:2 [0].parameters",
      "t.json:2:49 [1].parameters.a InvalidToolSchema",
      "t.json:3:44 [2].parameters InvalidToolSchema",
      "t.json:4:9 [3].name ReservedToolName"
    ])
  })

  it("problems of the composition come first, then other files by name; a shared file reports once", () => {
    const error = refuse(
      "tools: [{ file: b.json }, { file: a.json }]\nscopes: { s: { tools: [{ file: a.json }] } }\nscope: x",
      {
        "a.json": "[1]",
        "b.json": "[2]"
      }
    )
    assert.deepStrictEqual(placesOf(error), ["3:8 scope", "a.json:1:2 [0]", "b.json:1:2 [0]"])
  })

  it("BC-087: the same text under two names is kept exactly, twice", () => {
    const composition = accept(
      "sections:\n  - { name: a, order: 0, text: { file: A.md } }\n  - { name: c, order: 1, text: { file: C.md } }",
      { "A.md": "Rules", "C.md": "Rules" }
    )
    assert.deepStrictEqual(
      composition.global.sections.map((one) => one.value.text),
      ["Rules", "Rules"]
    )
  })
})

describe("meaning", () => {
  it("defaults: no identity, no persona, contexts on, tools by name, keys of schemas as written, the global scope", () => {
    const { contents, ...rest } = { ...accept("preamble: 1"), contents: undefined }
    assert.isUndefined(contents)
    assert.deepStrictEqual(
      [rest.identity, rest.persona, rest.runtimeContext, rest.toolOrder, rest.sortToolKeys, rest.scope, rest.scopes],
      [false, {}, true, undefined, false, "global", []]
    )
  })

  it("orders: numbers as they are, bands by name", () => {
    const composition = accept(
      "sections:\n  - { name: a, order: TOOL_BASH, text: x }\n  - { name: b, order: -1.5, text: x }\ncontexts:\n  - { name: c, order: APPROVAL_POLICY, text: x }\n  - { name: d, order: -0.0, text: x }"
    )
    assert.deepStrictEqual(
      composition.global.sections.map((one) => one.value.order),
      [1000, -1.5]
    )
    assert.strictEqual(composition.global.contexts[0]!.value.order, 115)
    assert.isTrue(composition.global.contexts[1]!.value.order === 0)
  })

  it("BC-019, BC-084: scalars of every style are the text that YAML says", () => {
    const composition = accept(
      [
        "sections:",
        "  - name: f",
        "    order: 0",
        "    text: >-",
        "      one",
        "      two",
        "",
        "      three",
        "  - name: l",
        "    order: 1",
        "    text: |",
        "      a",
        "      b",
        "  - name: k",
        "    order: 2",
        "    text: |+",
        "      c",
        "",
        "  - name: e",
        "    order: 3",
        "    text: |-",
        "      \\u007b\\u007bx\\u007d\\u007d",
        "  - name: q",
        "    order: 4",
        '    text: "\\u007b\\u007bmodel\\u007d\\u007d"',
        ""
      ].join("\n")
    )
    assert.deepStrictEqual(
      composition.global.sections.map((one) => one.value.text),
      ["one two\nthree", "a\nb\n", "c\n\n", "\\u007b\\u007bx\\u007d\\u007d", "{{model}}"]
    )
  })

  it("a scope's persona replaces both halves, an omitted one by nothing", () => {
    const composition = accept(
      "scopes: { a: { persona: { prefix: x } }, b: { persona: { suffix: y } }, c: { persona: {} }, d: {} }"
    )
    assert.deepStrictEqual(
      composition.scopes.map((scope) => scope.sections.map(({ value }) => [value.name, value.order, value.text])),
      [
        ["x", ""],
        ["", "y"],
        ["", ""]
      ]
        .map(([prefix, suffix]) => [
          ["deployment:persona-prefix", 0, prefix],
          ["deployment:persona-suffix", 10200, suffix]
        ])
        .concat([[]])
    )
    const again =
      "scopes: { a: { persona: { prefix: x }, sections: [{ name: deployment:persona-suffix, order: 0, text: y }] } }"
    assert.deepStrictEqual(placesOf(refuse(again)), ["1:59 scopes.a.sections[0].name DuplicateRegistration"])
  })

  it("is total over texts", () => {
    for (const text of [
      "{",
      "}",
      "[[[",
      "- - -",
      "? ",
      "!",
      "&a",
      "*",
      "|",
      ">",
      "%",
      "@",
      "'",
      '"',
      "a: !<x> b",
      "\u0000",
      "\ud800",
      "a: \ud800",
      "---\n...\n---",
      "? {a: b}\n: c",
      "- {{x}}",
      "{{x}}",
      "[[]]",
      "a: *a",
      "&a *a"
    ]) {
      assert.isTrue(Result.isFailure(read(text)), JSON.stringify(text))
    }
  })

  it("describes every key for editors", () => {
    const schema = JSON.stringify(Schema.toJsonSchemaDocument(CompositionFile))
    assert.include(schema, "A system prompt, put together")
    assert.include(schema, "TOOL_BASH")
  })
})
