import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { errorOf, preamble, root } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const simple =
  "sections:\n  - { name: s, order: 0, text: 'Hi {{who}}.' }\nvariables: { who: you }\nscopes: { child: { variables: { who: child } } }\n"

describe("text", () => {
  it.effect("is exactly the prompt, without a line break of ours", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* preamble(["render", "-"], { stdin: simple }), {
        code: 0,
        stdout: "Hi you.",
        stderr: ""
      })
      assert.deepStrictEqual(yield* preamble(["render", write("a.yaml", simple)]), {
        code: 0,
        stdout: "Hi you.",
        stderr: ""
      })
      assert.deepStrictEqual(yield* preamble(["render", "-"], { stdin: "identity: false" }), {
        code: 0,
        stdout: "",
        stderr: ""
      })
      const exact = 'identity: "\\ufeff a\\r\\n\\tb \\n\\n"'
      assert.strictEqual((yield* preamble(["render", "-"], { stdin: exact })).stdout, "\ufeff a\r\n\tb \n\n")
    })
  )

  it.effect("files are looked up beside the composition, or in the working folder for standard input", () =>
    Effect.gen(function* () {
      write("t.md", "T\r\n")
      const text = "sections: [{ name: s, order: 0, text: { file: t.md } }]"
      assert.strictEqual((yield* preamble(["render", write("f.yaml", text)])).stdout, "T\n")
      const here = "sections: [{ name: s, order: 0, text: { file: docs/examples/agent/guidance/read.md } }]"
      assert.include((yield* preamble(["render", "-"], { stdin: here })).stdout, "Read a file before you edit it.")
    })
  )

  it.effect(
    "BC-069: prompts of 131071, 131072 and 5000000 bytes, through a file, standard input and --var-file",
    () =>
      Effect.gen(function* () {
        for (const size of [131_071, 131_072, 5_000_000]) {
          // Five bytes a line.
          const text = "ä{}\n".repeat(size / 5) + "x".repeat(size % 5)
          assert.strictEqual(Buffer.byteLength(text), size)
          const persona = JSON.stringify({ persona: { prefix: text } }).replaceAll("{{", "{")
          const file = write("big.json", persona)
          assert.strictEqual((yield* preamble(["render", file])).stdout, text)
          assert.strictEqual((yield* preamble(["render", "-"], { stdin: persona })).stdout, text)
          const variables = write("vars.json", JSON.stringify({ who: text }))
          const rendered = yield* preamble(["render", "-", "--var-file", variables], { stdin: simple })
          assert.strictEqual(rendered.stdout, `Hi ${text}.`)
          write("big.md", text)
          const byFile = write("byfile.yaml", "persona: { prefix: { file: big.md } }")
          assert.strictEqual((yield* preamble(["render", byFile])).stdout, text)
        }
      }),
    60_000
  )

  it.effect("a composition over the limit is a problem, from a file and from standard input", () =>
    Effect.gen(function* () {
      const huge = `identity: "${"x".repeat(16 * 1024 * 1024)}"`
      for (const ended of [
        yield* preamble(["render", write("huge.yaml", huge)]),
        yield* preamble(["render", "-"], { stdin: huge })
      ]) {
        assert.strictEqual(ended.code, 1)
        assert.include(ended.stderr, "larger than 16 MiB")
      }
    })
  )
})

describe("--scope", () => {
  it.effect("chooses; the file's `scope` is the default", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* preamble(["render", "-", "--scope", "child"], { stdin: simple })).stdout, "Hi child.")
      assert.strictEqual((yield* preamble(["render", "-"], { stdin: `scope: child\n${simple}` })).stdout, "Hi child.")
      assert.strictEqual(
        (yield* preamble(["render", "-", "--scope=global"], { stdin: `scope: child\n${simple}` })).stdout,
        "Hi you."
      )
    })
  )

  it.effect("an unknown one is a typed failure with the nearest and all known names", () =>
    Effect.gen(function* () {
      const text = yield* preamble(["render", "-", "--scope", "chid"], { stdin: simple })
      assert.deepStrictEqual([text.code, text.stdout], [1, ""])
      assert.include(
        text.stderr,
        'UnknownScope: - has no scope "chid". Did you mean "child"? Known scopes: global, child.'
      )
      const json = yield* preamble(["render", "-", "--scope", "chid", "--format", "json"], { stdin: simple })
      assert.deepInclude(errorOf(json), {
        _tag: "UnknownScope",
        scope: "chid",
        nearest: "child",
        known: ["global", "child"]
      })
    })
  )
})

describe("variables", () => {
  it.effect("--set lies over every overlay, the last one counts, and the value may hold anything", () =>
    Effect.gen(function* () {
      const set = (...args: ReadonlyArray<string>) =>
        Effect.map(preamble(["render", "-", ...args], { stdin: simple }), (one) => one.stdout)
      assert.strictEqual(yield* set("--set", "who=me"), "Hi me.")
      assert.strictEqual(yield* set("--scope", "child", "--set", "who=me"), "Hi me.")
      assert.strictEqual(yield* set("--set", "who=a", "--set", "who=b"), "Hi b.")
      assert.strictEqual(yield* set("--set", "who="), "Hi .")
      assert.strictEqual(yield* set("--set", "who=a=b {{who}} $& <"), "Hi a=b {{who}} $& <.")
    })
  )

  it.effect("nothing that a file holds steers the terminal", () =>
    Effect.gen(function* () {
      const hostile = [
        "identity: {{ a\u001bc }}\n",
        "identity: *a\u001bc\n",
        '"\u009b31mKEY": 1\n',
        'scopes: { "\\e[31mA": {} }\nscope: none\n',
        'toolOrder: ["\\e[31mx", "<unlisted-tools>"]\n',
        '- { id: "\\e[31mID", name: "\\e]0;pwn\\a/plug" }\n',
        'sections: [{ name: "\\x9b31m\u202e", order: 0, text: "{{x}}" }]\n'
      ]
      for (const text of hostile) {
        for (const format of ["text", "json"]) {
          const { stderr } = yield* preamble(["render", "-", "--format", format], { stdin: text })
          assert.notStrictEqual(stderr, "", text)
          // oxlint-disable-next-line no-control-regex -- the very characters
          assert.notMatch(stderr, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, text)
        }
      }
    })
  )

  it.effect("of thousands of problems the first fifty are placed, and all are counted", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ sections: [{ name: "a", order: 0, text: "{{ ".repeat(5000) + "}}" }] })
      const ended = yield* preamble(["render", "-"], { stdin: text })
      assert.strictEqual(ended.code, 1)
      assert.strictEqual(ended.stderr.match(/MalformedGroup: /g)?.length, 50)
      assert.include(ended.stderr, "5000 problems")
    })
  )

  it.effect("a variable that no text refers to is noted, and told what may be meant", () =>
    Effect.gen(function* () {
      const text = 'variables: { model: m }\nsections:\n  - { name: a, order: 0, text: "On {{model}}." }\n'
      const typed = yield* preamble(["render", "-", "--set", "modle=x"], { stdin: text })
      assert.deepStrictEqual(typed, {
        code: 0,
        stdout: "On m.",
        stderr: "note: no text refers to {{modle}}. Did you mean {{model}}?\n"
      })
      const meant = yield* preamble(["render", "-", "--set", "model=x"], { stdin: text })
      assert.deepStrictEqual(meant, { code: 0, stdout: "On x.", stderr: "" })
      const asJson = yield* preamble(["render", "-", "--set", "modle=x", "--format", "json"], { stdin: text })
      assert.deepStrictEqual(JSON.parse(asJson.stderr), { unusedVariables: ["modle"] })
    })
  )

  it.effect("--var-file is a map of texts; --set goes over it", () =>
    Effect.gen(function* () {
      const yaml = write("v.yaml", "who: |-\n  two\n  lines\nother: x\n")
      const json = write("v.json", '{ "who": "json" }')
      const set = (...args: ReadonlyArray<string>) =>
        Effect.map(preamble(["render", "-", ...args], { stdin: simple }), (one) => one.stdout)
      assert.strictEqual(yield* set("--var-file", yaml), "Hi two\nlines.")
      assert.strictEqual(yield* set("--var-file", yaml, "--var-file", json), "Hi json.")
      assert.strictEqual(yield* set("--set", "who=set", "--var-file", json), "Hi set.")
    })
  )

  it.effect("a bad --var-file has its problems at their places", () =>
    Effect.gen(function* () {
      const bad = write("bad.yaml", "who: 3\nWho: x\nwho: y\n")
      const ended = yield* preamble(["render", "-", "--var-file", bad], { stdin: simple })
      assert.strictEqual(ended.code, 1)
      for (const part of [
        `${bad}:1:6: who: expected text`,
        `${bad}:2:1: Who: variable "Who"`,
        `${bad}:3:1: who: duplicate key`,
        "3 problems"
      ]) {
        assert.include(ended.stderr, part)
      }
      const missing = yield* preamble(["render", "-", "--var-file", `${bad}x`], { stdin: simple })
      assert.include(missing.stderr, "there is no such file")
    })
  )

  it.effect("a bad name in --set is a typed failure that names the flag", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["render", "-", "--set", "Who=x", "--format", "json"], { stdin: simple })
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(errorOf(ended), { _tag: "InvalidRegistration", entry: "Who", plugin: "--set" })
    })
  )

  it.effect("`{ env: NAME }` reads the environment; unset, it has no value", () =>
    Effect.gen(function* () {
      const stdin = "variables: { a: { env: A_B } }\nsections: [{ name: s, order: 0, text: '{{a}}' }]"
      assert.strictEqual((yield* preamble(["render", "-"], { stdin, env: { A_B: "v" } })).stdout, "v")
      const unset = yield* preamble(["render", "-"], { stdin })
      assert.strictEqual(unset.code, 1)
      assert.include(unset.stderr, "-:2:40: UndefinedVariable: ")
      assert.include(
        unset.stderr,
        'The environment variable "A_B", which gives it in scope "global", is not set. Set it, '
      )
      assert.match(unset.stderr, /^-:1:24\n> 1 \| variables: \{ a: \{ env: A_B \} \}$/m)
      const error = errorOf(yield* preamble(["render", "-", "--format", "json"], { stdin }))
      assert.deepInclude(error, {
        environment: { variable: "A_B", scope: "global" },
        places: [
          { file: "-", line: 2, column: 40 },
          { file: "-", line: 1, column: 24 }
        ]
      })
      assert.include(error["message"], '"A_B"')
      assert.strictEqual((yield* preamble(["render", "-", "--set", "a=x"], { stdin })).stdout, "x")
    })
  )
})

describe("json", () => {
  it.effect("has the prompt, its parts and nothing of the machine", () =>
    Effect.gen(function* () {
      const stdin = `
persona: { prefix: "I {{m}}" }
variables: { m: x, n: null }
sections:
  - { name: a, order: 1, text: "{{q}}", interpolate: false }
  - { name: empty, order: 2, text: "" }
contexts: [{ name: c, order: 3, text: "C {{m}}" }]
tools:
  - { name: u, description: d, parameters: { b: 1, a: 2 }, deferLoading: true }
  - { name: t, description: d, parameters: {}, deferLoading: false }
scopes: { s: { variables: { m: y } } }
scope: s
`
      const ended = yield* preamble(["render", "-", "--format", "json"], { stdin })
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.isTrue(ended.stdout.endsWith("}\n"))
      const { fingerprint, context, ...rest } = JSON.parse(ended.stdout)
      assert.deepStrictEqual(rest, {
        scope: "s",
        prompt: "I y\n\n{{q}}",
        sections: [
          {
            name: "deployment:persona-prefix",
            order: 0,
            scope: "global",
            text: "I {{m}}",
            rendered: "I y",
            interpolate: true
          },
          { name: "a", order: 1, scope: "global", text: "{{q}}", rendered: "{{q}}", interpolate: false },
          { name: "empty", order: 2, scope: "global", text: "", rendered: "", interpolate: true },
          {
            name: "deployment:persona-suffix",
            order: 10200,
            scope: "global",
            text: "",
            rendered: "",
            interpolate: true
          }
        ],
        contexts: [{ name: "c", order: 3, scope: "global", text: "C {{m}}", rendered: "C y", interpolate: true }],
        tools: [
          { name: "t", description: "d", parameters: {} },
          { name: "u", description: "d", parameters: { b: 1, a: 2 }, deferLoading: true }
        ],
        variables: { m: "y", n: null },
        complete: null
      })
      assert.isTrue(context.endsWith("\n\nC y"))
      const tools =
        '[{"name":"t","description":"d","parameters":{}},{"name":"u","description":"d","parameters":{"b":1,"a":2},"deferLoading":true}]'
      assert.strictEqual(fingerprint, createHash("sha256").update(`I y\n\n{{q}}\0${tools}`).digest("hex"))
    })
  )

  it.effect("the keys of the schemas are as they are written, or sorted with `sortToolKeys`", () =>
    Effect.gen(function* () {
      const tools = `tools: [{ name: t, description: d, parameters: { type: object, properties: { b: {}, a: {} } } }]\n`
      const sent = (text: string) =>
        Effect.map(preamble(["render", "-", "--format", "json"], { stdin: `${text}${tools}` }), ({ stdout }) =>
          JSON.stringify(JSON.parse(stdout).tools[0].parameters)
        )
      const written = '{"type":"object","properties":{"b":{},"a":{}}}'
      assert.strictEqual(yield* sent(""), written)
      assert.strictEqual(yield* sent("sortToolKeys: false\n"), written)
      assert.strictEqual(yield* sent("sortToolKeys: true\n"), '{"properties":{"a":{},"b":{}},"type":"object"}')
      const found = yield* preamble(["explain", "-", "--find", "object"], { stdin: `sortToolKeys: true\n${tools}` })
      assert.match(found.stdout.replaceAll("\n", " "), /tool "t", \$\.parameters\.type, from scope "global" -:2:/)
    })
  )

  it.effect("the fingerprint changes with prompt and tools, and with nothing else", () =>
    Effect.gen(function* () {
      const of = (stdin: string, ...args: ReadonlyArray<string>) =>
        Effect.map(
          preamble(["render", "-", "--format", "json", ...args], { stdin }),
          (one): unknown => JSON.parse(one.stdout).fingerprint
        )
      const base = yield* of(simple)
      // Of no tools the list is empty. A saved rendering has the fingerprint of the version that made it.
      const text = (yield* preamble(["render", "-"], { stdin: simple })).stdout
      assert.strictEqual(base, createHash("sha256").update(`${text}\0[]`).digest("hex"))
      assert.strictEqual(yield* of(`${simple}contexts: [{ name: c, order: 1, text: now }]`), base)
      assert.strictEqual(yield* of(simple, "--set", "unused=1"), base)
      assert.notStrictEqual(yield* of(simple, "--set", "who=me"), base)
      assert.notStrictEqual(yield* of(`${simple}tools: [{ name: t, description: d, parameters: {} }]`), base)
    })
  )

  it.effect("failures are one line of JSON on stderr, with every field", () =>
    Effect.gen(function* () {
      const fail = (stdin: string) =>
        Effect.map(preamble(["render", "-", "--format", "json"], { stdin }), (one) => ({ one, error: errorOf(one) }))
      const composition = yield* fail("identty: x")
      assert.strictEqual(composition.one.stderr.trimEnd().includes("\n"), false)
      assert.deepStrictEqual([composition.one.code, composition.one.stdout], [1, ""])
      assert.deepInclude(composition.error, { _tag: "InvalidComposition", file: "-", total: 1 })
      assert.isString(composition.error["message"])
      const render = yield* fail("sections: [{ name: s, order: 0, text: 'a {{who}}' }]\nvariables: { whom: x }")
      assert.deepInclude(render.error, {
        _tag: "UnknownVariable",
        kind: "section",
        entry: "s",
        scope: "global",
        offset: 2,
        line: 1,
        column: 3,
        variable: "who",
        nearest: "whom",
        places: [{ file: "-", line: 1, column: 42 }]
      })
      assert.deepStrictEqual(JSON.parse(render.one.stderr), { error: render.error, total: 1, problems: [render.error] })
      const several = yield* fail("contexts: [{ name: c, order: 0, text: '{{a}} {{B}}' }]\nidentity: '{{c}}'")
      const { error, problems, total } = JSON.parse(several.one.stderr)
      assert.deepStrictEqual([total, error], [3, problems[0]])
      assert.deepStrictEqual(
        problems.map((one: Readonly<Record<string, unknown>>) => [one["_tag"], one["places"]]),
        [
          ["UnknownVariable", [{ file: "-", line: 2, column: 12 }]],
          ["UnknownVariable", [{ file: "-", line: 1, column: 40 }]],
          ["MalformedGroup", [{ file: "-", line: 1, column: 46 }]]
        ]
      )
      const assembly = yield* fail("toolOrder: [x, <unlisted-tools>]")
      assert.deepStrictEqual(Object.keys(JSON.parse(assembly.one.stderr)), ["error"])
      assert.deepInclude(assembly.error, { _tag: "UnknownTool", places: [{ file: "-", line: 1, column: 13 }] })
    })
  )
})

describe("failures in text", () => {
  it.effect("a composition: each problem with its frame, then the count", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["render", "-"], { stdin: "identty: x\nscope: y\n" })
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.include(ended.stderr, '-:1:1: identty: unknown key "identty". Did you mean "identity"?')
      assert.include(ended.stderr, "> 2 | scope: y\n    |        ^")
      assert.isTrue(ended.stderr.endsWith("\n\n2 problems\n"))
    })
  )

  it.effect("rendering: all problems, each with its place, message and frame, then the count", () =>
    Effect.gen(function* () {
      write("long.md", "one\r\ntwo {{whom}}\r\n")
      const file = write(
        "three.yaml",
        "variables: { who: null }\nsections:\n  - { name: s, order: 0, text: 'a {{who}} {{B}}' }\n  - { name: t, order: 1, text: { file: long.md } }\n"
      )
      const ended = yield* preamble(["render", file])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      const blocks = ended.stderr.replaceAll(`${folder}/`, "").split("\n\n")
      assert.deepStrictEqual(
        blocks.map((block) => block.replaceAll(/(Variable|Group): .*/g, "$1")),
        [
          "three.yaml:3:35: UndefinedVariable\n  1 | variables: { who: null }\n  2 | sections:\n> 3 |   - { name: s, order: 0, text: 'a {{who}} {{B}}' }\n    |                                   ^\n  4 |   - { name: t, order: 1, text: { file: long.md } }",
          "three.yaml:3:43: MalformedGroup\n  1 | variables: { who: null }\n  2 | sections:\n> 3 |   - { name: s, order: 0, text: 'a {{who}} {{B}}' }\n    |                                           ^\n  4 |   - { name: t, order: 1, text: { file: long.md } }",
          "long.md:2:5: UnknownVariable\n  1 | one\n> 2 | two {{whom}}\n    |     ^\nthree.yaml:4:40\n  2 | sections:\n  3 |   - { name: s, order: 0, text: 'a {{who}} {{B}}' }\n> 4 |   - { name: t, order: 1, text: { file: long.md } }\n    |                                        ^",
          "3 problems\n"
        ]
      )
      assert.include(
        ended.stderr,
        'UnknownVariable: section "t" of scope "global" refers to the unknown variable {{whom}}'
      )
      const one = yield* preamble(["render", "-"], { stdin: "persona:\n  suffix: '{{who}}'\n" })
      assert.isTrue(one.stderr.startsWith("-:2:12: UnknownVariable: "), one.stderr)
      assert.isTrue(one.stderr.endsWith("\n\n1 problem\n"))
    })
  )

  it.effect("rendering: a text that a listener made names the listener, in text and in JSON", () =>
    Effect.gen(function* () {
      const plugin = JSON.stringify(join(root, "test/cli/plugins/touches.ts"))
      const file = write("touched.yaml", `plugins: [${plugin}]\nsections: [{ name: house, order: 0, text: H }]\n`)
      const text = yield* preamble(["render", file])
      assert.include(
        text.stderr,
        'section "house" of scope "global" (as listener "changes" of scope "global" (plugin "safety") left it) refers to'
      )
      assert.include(text.stderr, 'section "z" of scope "global" (as listener "adds" left it) refers to')
      const json = errorOf(yield* preamble(["render", file, "--format", "json"]))
      assert.deepInclude(json, { entry: "house", listener: { name: "changes", scope: "global", plugin: "safety" } })
    })
  )

  it.effect("rendering: problems beyond the cap are counted, in text and in JSON", () =>
    Effect.gen(function* () {
      const stdin = JSON.stringify({ identity: "{{x}}".repeat(70) })
      const text = yield* preamble(["render", "-"], { stdin })
      assert.strictEqual(text.stderr.match(/UnknownVariable: /g)?.length, 50)
      assert.isTrue(text.stderr.endsWith("\n\n70 problems\n  … and 20 more (the first 50 are shown)\n"))
      const json = JSON.parse((yield* preamble(["render", "-", "--format", "json"], { stdin })).stderr)
      assert.deepStrictEqual([json.total, json.problems.length], [70, 50])
    })
  )

  it.effect("assembly: every place that is at fault", () =>
    Effect.gen(function* () {
      const two = yield* preamble(["render", "-"], {
        stdin:
          "sections:\n  - { name: a, order: 0, text: A, complete: true }\n\n\n\n\n  - { name: b, order: 1, text: B, complete: true }\n"
      })
      assert.strictEqual(two.code, 1)
      assert.match(two.stderr, /^-:2:45: MultipleCompleteSections: scope "global" sees 2 complete sections: .*\n/)
      assert.include(
        two.stderr,
        "> 2 |   - { name: a, order: 0, text: A, complete: true }\n    |                                             ^"
      )
      assert.isTrue(
        two.stderr.endsWith(
          "\n-:7:45\n  5 |\n  6 |\n> 7 |   - { name: b, order: 1, text: B, complete: true }\n    |                                             ^\n"
        )
      )
      const order = yield* preamble(["render", "-"], { stdin: "toolOrder:\n  - nobody\n  - <unlisted-tools>\n" })
      assert.match(order.stderr, /^-:2:5: UnknownTool: toolOrder lists unknown tools: nobody\./)
    })
  )

  it.effect("--no-plugins refuses plugins, and runs nothing of them", () =>
    Effect.gen(function* () {
      const file = write("p.yaml", "plugins: [p.mjs]\n")
      write("p.mjs", "globalThis.preambleCliMark = true\nexport default 1\n")
      const refused = yield* preamble(["render", file, "--no-plugins"])
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, `${file}:1:11: plugins[0]: plugin "p.mjs": plugins are refused`)
      assert.isUndefined(Reflect.get(globalThis, "preambleCliMark"))
      const imported = yield* preamble(["render", file])
      assert.include(imported.stderr, "is no Layer")
    })
  )
})

describe("wrong usage", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["render"], "FILE"],
    [["bogus"], "bogus"],
    [["render", "a", "b"], "b"],
    [["render", "-", "--frmat", "json"], "--format"],
    [["render", "-", "--format", "xml"], "xml"],
    [["render", "-", "--set", "novalue"], "NAME=VALUE"],
    [["render", "-", "--set", "=x"], "NAME=VALUE"],
    [["render", "-", "--set"], "--set"],
    [["render", "-", "--scope"], "--scope"]
  ]

  it.effect.each(cases)("%s", ([args, part]) =>
    Effect.gen(function* () {
      const ended = yield* preamble(args, { stdin: simple })
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.include(ended.stderr, part)
      assert.include(ended.stderr, "USAGE")
    })
  )

  it.effect("is JSON where JSON was asked for", () =>
    Effect.gen(function* () {
      for (const format of [["--format", "json"], ["--format=json"]]) {
        const ended = yield* preamble(["render", "-", ...format, "--bogus"], { stdin: simple })
        assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
        assert.strictEqual(errorOf(ended)["_tag"], "WrongUsage")
        assert.include(String(errorOf(ended)["message"]), "--bogus")
      }
    })
  )
})

describe("help and version", () => {
  it.effect("go to stdout", () =>
    Effect.gen(function* () {
      for (const args of [["--help"], ["render", "--help"], []]) {
        const ended = yield* preamble(args)
        assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
        assert.include(ended.stdout, "USAGE")
        assert.notInclude(ended.stdout, "\u001b")
      }
      const version = yield* preamble(["--version"])
      assert.deepStrictEqual([version.code, version.stderr], [0, ""])
      assert.match(version.stdout, /^preamble \d+\.\d+\.\d+\S*\n$/)
    })
  )
})
