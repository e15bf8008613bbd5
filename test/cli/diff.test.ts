import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { width } from "../../src/internal/width.ts"
import { errorOf, preamble } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-diff-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** Runs `diff` and takes the folder out of what it says. */
const diff = (args: ReadonlyArray<string>, world: Parameters<typeof preamble>[1] = {}) =>
  Effect.map(preamble(["diff", ...args], world), (ended) => ({
    ...ended,
    stdout: ended.stdout.replaceAll(`${folder}/`, ""),
    stderr: ended.stderr.replaceAll(`${folder}/`, "")
  }))

const json = (args: ReadonlyArray<string>, world?: Parameters<typeof preamble>[1]) =>
  Effect.map(diff([...args, "--format", "json"], world), (ended) => {
    assert.strictEqual(ended.stderr, "")
    assert.isTrue(ended.stdout.endsWith("}\n"))
    return JSON.parse(ended.stdout)
  })

const base = `
identity: You are careful.
variables: { model: one, unused: x }
sections:
  - { name: rules, order: 10, text: "First.\\nSecond.\\nThird." }
  - { name: style, order: 20, text: "Plain words, says {{model}}." }
  - { name: gone, order: 30, text: Bye. }
contexts: [{ name: time, order: 1, text: morning }]
tools:
  - { name: bash, description: Run, parameters: { type: object, properties: { cmd: { type: string } } } }
  - { name: read, description: Read, parameters: { type: object } }
scopes:
  child: { variables: { model: two }, sections: [{ name: extra, order: 15, text: More. }] }
`

const changed = base
  .replace("Second.", "Zweitens.")
  .replace("order: 20", "order: 5")
  .replace(/.*gone.*\n/u, "")
  .replace("unused: x", "unused: y")
  .replace("morning", "evening")
  .replace("type: string", "type: string, minLength: 1")

describe("two compositions", () => {
  it.effect("text: the summary first, then what changed, then the texts", () =>
    Effect.gen(function* () {
      const ended = yield* diff([write("old.yaml", base), write("new.yaml", changed)])
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.strictEqual(
        // How tokens are estimated is shown elsewhere.
        ended.stdout.replaceAll(/~\d+/gu, "~N"),
        `before: old.yaml, scope "global"
after:  new.yaml, scope "global"

The model sees a difference: prompt, tools and context snapshot.
First differing byte of the tools: 102 (line 1, column 103)
  on both sides: tool "bash" of scope "global", $.parameters.properties.cmd
First differing byte of the prompt: 18 (line 3, column 1)
  before: section "rules" of scope "global"
  after:  section "style" of scope "global"
Cached prefix: 102 of 254 bytes stay (40%, ~N tokens); 152 bytes are read
  anew (~N tokens).

SECTIONS
  ~  style  order 20 → 5, moved
  ~  rules  text
  -  gone   order 30, 4 bytes, scope "global"

CONTEXTS
  ~  time  text

TOOLS
  ~  bash  $.parameters.properties.cmd.minLength added

VARIABLES
  ~  unused  "x" → "y"

section "rules"
@@ -1,3 +1,3 @@
 First.
-Second.
+Zweitens.
 Third.

section "gone"
@@ -1 +0,0 @@
-Bye.

context "time"
@@ -1 +1 @@
-morning
+evening
`
      )
    })
  )

  it.effect("json: every change, both owners of the first differing byte, and what stays", () =>
    Effect.gen(function* () {
      const answer = yield* json([write("old.yaml", base), write("new.yaml", changed)])
      const { changes, ...rest } = answer
      assert.deepStrictEqual(rest, {
        different: true,
        before: { file: "old.yaml", scope: "global" },
        after: { file: "new.yaml", scope: "global" },
        prompt: {
          byte: 18,
          offset: 18,
          line: 3,
          column: 1,
          before: { section: { name: "rules", scope: "global" }, offset: 0 },
          after: { section: { name: "style", scope: "global" }, offset: 0 }
        },
        tools: {
          byte: 102,
          offset: 102,
          line: 1,
          column: 103,
          before: { tool: { name: "bash", scope: "global" }, index: 0, path: "$.parameters.properties.cmd" },
          after: { tool: { name: "bash", scope: "global" }, index: 0, path: "$.parameters.properties.cmd" }
        },
        context: { byte: 96, offset: 96, line: 3, column: 1 },
        prefix: {
          tokenizer: "estimate",
          exact: false,
          kept: { bytes: 102, tokens: rest.prefix.kept.tokens },
          written: { bytes: 152, tokens: rest.prefix.written.tokens },
          dropped: { bytes: 142, tokens: rest.prefix.dropped.tokens }
        },
        complete: null,
        suppressed: null
      })
      for (const extent of ["kept", "written", "dropped"]) assert.isAbove(rest.prefix[extent].tokens, 10)
      assert.deepStrictEqual(changes.sections[1], {
        change: "changed",
        name: "rules",
        was: 2,
        at: 3,
        moved: false,
        fields: ["text", "rendered"],
        before: {
          order: 10,
          scope: "global",
          text: "First.\nSecond.\nThird.",
          rendered: "First.\nSecond.\nThird.",
          interpolate: true,
          requires: []
        },
        after: {
          order: 10,
          scope: "global",
          text: "First.\nZweitens.\nThird.",
          rendered: "First.\nZweitens.\nThird.",
          interpolate: true,
          requires: []
        }
      })
      assert.deepInclude(changes.sections[0], { name: "style", fields: ["order"], moved: true })
      assert.deepInclude(changes.sections[2], { change: "removed", name: "gone", was: 4 })
      assert.deepStrictEqual(changes.tools[0].schemaChanges, [
        { path: "$.parameters.properties.cmd.minLength", change: "added" }
      ])
      assert.deepStrictEqual(changes.variables, [
        {
          change: "changed",
          name: "unused",
          was: 1,
          at: 1,
          moved: false,
          fields: ["value"],
          before: { scope: "global", value: "x" },
          after: { scope: "global", value: "y" }
        }
      ])
    })
  )

  it.effect("one of them may be standard input; the settings are for both", () =>
    Effect.gen(function* () {
      const file = write("old.yaml", base)
      for (const args of [
        ["-", file],
        [file, "-"]
      ]) {
        assert.include((yield* diff(args, { stdin: base })).stdout, "Nothing is different.")
      }
      const settings = ["--set", "model=same", "--scope", "child"]
      const { stdout } = yield* diff(["-", file, ...settings], { stdin: base.replace("model: two", "model: three") })
      assert.include(stdout, "Nothing is different.")
      const variables = write("v.yaml", "model: from a file")
      const answer = yield* json([file, "--to-scope", "child", "--var-file", variables])
      assert.isFalse(JSON.stringify(answer.changes.variables).includes("two"))
    })
  )
})

describe("one composition", () => {
  it.effect("--from-scope and --to-scope; the one not given is --scope, or the file's", () =>
    Effect.gen(function* () {
      const file = write("old.yaml", base)
      const there = yield* json([file, "--from-scope", "global", "--to-scope", "child"])
      assert.deepStrictEqual([there.before.scope, there.after.scope], ["global", "child"])
      assert.deepStrictEqual(
        there.changes.sections.map((one: { name: string; change: string }) => `${one.change} ${one.name}`),
        ["added extra", "changed style"]
      )
      assert.deepStrictEqual(yield* json([file, "--to-scope", "child"]), there)
      assert.deepStrictEqual(yield* json([file, "--scope", "child", "--from-scope", "global"]), there)
      assert.deepStrictEqual(yield* json(["-", "--to-scope", "child"], { stdin: base }), {
        ...there,
        before: { ...there.before, file: "-" },
        after: { ...there.after, file: "-" }
      })
      const back = yield* json([file, "--from-scope", "child"])
      assert.deepStrictEqual([back.prefix.kept, back.prefix.written], [there.prefix.kept, there.prefix.dropped])
    })
  )

  it.effect("wrong usage: one file without a scope, standard input twice", () =>
    Effect.gen(function* () {
      const alone = yield* diff(["-"], { stdin: base })
      assert.deepStrictEqual([alone.code, alone.stdout], [2, ""])
      assert.include(alone.stderr, "--from-scope, --to-scope or both")
      assert.include(alone.stderr, "preamble diff [flags]")
      const twice = yield* diff(["-", "-", "--format", "json"], { stdin: base })
      assert.deepStrictEqual([twice.code, twice.stdout], [2, ""])
      assert.deepInclude(errorOf(twice), { _tag: "WrongUsage" })
      assert.include(String(errorOf(twice)["message"]), "Standard input")
    })
  )

  it.effect("failures of either side are typed, with their places", () =>
    Effect.gen(function* () {
      const good = write("old.yaml", base)
      const bad = write("bad.yaml", "identty: x")
      for (const args of [
        [good, bad],
        [bad, good]
      ]) {
        const ended = yield* diff([...args, "--exit-code"])
        assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
        assert.include(ended.stderr, "bad.yaml:1:1: identty: unknown key")
      }
      const scope = yield* diff([good, "--to-scope", "chid", "--format", "json"])
      assert.deepInclude(errorOf(scope), { _tag: "UnknownScope", scope: "chid", nearest: "child" })
      const unrendered = write("unrendered.yaml", "identity: '{{nope}} {{neither}}'")
      const render = yield* diff([good, unrendered])
      assert.include(render.stderr, "unrendered.yaml:1:12: UnknownVariable")
      assert.include(render.stderr, "2 problems")
      const plugin = yield* diff([good, write("p.yaml", "plugins: [p.mjs]"), "--no-plugins"])
      assert.include(plugin.stderr, "plugins are refused")
    })
  )
})

describe("--exit-code", () => {
  it.effect("1 if the model sees a difference, with the answer on stdout and nothing on stderr; else 0", () =>
    Effect.gen(function* () {
      const file = write("old.yaml", base)
      const code = (stdin: string, ...args: ReadonlyArray<string>) =>
        Effect.map(diff([file, "-", ...args], { stdin }), (ended) => {
          assert.strictEqual(ended.stderr, "")
          assert.notStrictEqual(ended.stdout, "")
          return ended.code
        })
      assert.strictEqual(yield* code(base, "--exit-code"), 0)
      assert.strictEqual(yield* code(base.replace("careful", "careless"), "--exit-code"), 1)
      assert.strictEqual(yield* code(base.replace("careful", "careless"), "--exit-code", "--format", "json"), 1)
      assert.strictEqual(yield* code(base.replace("careful", "careless")), 0)
      assert.strictEqual(yield* code(base.replace("type: string", "type: number"), "--exit-code"), 1)
      assert.strictEqual(yield* code(base.replace("morning", "evening"), "--exit-code"), 1)
      // Nobody refers to it, and an order that changes no place changes no byte: they are told, and the model sees neither.
      const unseen = base.replace("unused: x", "unused: y").replace("order: 20", "order: 21")
      assert.strictEqual(yield* code(unseen, "--exit-code"), 0)
      const { stdout } = yield* diff([file, "-"], { stdin: unseen })
      assert.include(stdout, "The model sees no difference.")
      assert.include(stdout, "~  style  order 20 → 21")
    })
  )
})

describe("a saved rendering", () => {
  const save = (name: string, text: string, ...args: ReadonlyArray<string>) =>
    Effect.map(preamble(["render", "-", "--format", "json", ...args], { stdin: text }), (ended) => {
      assert.strictEqual(ended.code, 0)
      return write(name, ended.stdout)
    })

  it.effect("of the same composition is no different, on either side, whatever it does not know", () =>
    Effect.gen(function* () {
      const text = `${base}
  late:
    sections:
      - { name: rules, order: 10, text: "Shadows.", requires: [bash] }
      - { name: data, order: 11, text: "{{not_a_variable}}", interpolate: false }
`
      const golden = yield* save("golden.json", text, "--scope", "late")
      for (const args of [
        [golden, "-", "--scope", "late"],
        ["-", golden, "--scope", "late"],
        [golden, golden]
      ]) {
        const ended = yield* diff([...args, "--exit-code"], { stdin: text })
        assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
        assert.include(ended.stdout, "Nothing is different.", args.join(" "))
      }
    })
  )

  it.effect("shows what changed since, with owners on both sides", () =>
    Effect.gen(function* () {
      const golden = yield* save("golden.json", base)
      const ours = yield* json([golden, "-"], { stdin: changed })
      const theirs = yield* json([write("old.yaml", base), "-"], { stdin: changed })
      assert.deepStrictEqual({ ...ours, before: 0 }, { ...theirs, before: 0 })
      const value = yield* json([golden, "-", "--set", "model=new"], { stdin: base })
      assert.deepStrictEqual([value.prompt.before.variable.name, value.prompt.before.section.name], ["model", "style"])
    })
  )

  it.effect(
    '[BC-006] b: a clock in the prompt fails the check, and is named with section "id" and variable "now"',
    () =>
      Effect.gen(function* () {
        const text =
          "sections: [{ name: id, order: 0, text: 'You are X. Now {{now}}.' }]\nvariables: { now: { env: NOW } }"
        const at = (NOW: string) => ({ stdin: text, env: { NOW } })
        const saved = yield* preamble(["render", "-", "--format", "json"], at("2026-01-02T03:04:05Z"))
        const golden = write("clock.json", saved.stdout)
        const same = yield* diff([golden, "-", "--exit-code"], at("2026-01-02T03:04:05Z"))
        assert.strictEqual(same.code, 0)
        const later = yield* diff([golden, "-", "--exit-code"], at("2026-01-02T03:04:06Z"))
        assert.strictEqual(later.code, 1)
        assert.include(
          later.stdout.replaceAll(/\s+/gu, " "),
          'First differing byte of the prompt: 33 (line 1, column 34) on both sides: variable "now" of scope "global", in section "id" of scope "global"'
        )
        assert.include(later.stdout, "Cached prefix: 33 of 36 bytes stay (91%")
      })
  )

  it.effect("[BC-006] a: a clock in a context leaves the whole prefix, and the check tells the context", () =>
    Effect.gen(function* () {
      const text =
        "identity: You are X.\ncontexts: [{ name: time, order: 0, text: '{{now}}' }]\nvariables: { now: { env: NOW } }"
      const saved = yield* preamble(["render", "-", "--format", "json"], { stdin: text, env: { NOW: "05" } })
      const later = yield* diff([write("context.json", saved.stdout), "-"], { stdin: text, env: { NOW: "06" } })
      assert.include(later.stdout, "The model sees a difference: context snapshot.")
      assert.include(later.stdout, "Cached prefix: all 10 bytes stay")
      assert.notInclude(later.stdout, "First differing byte of the prompt")
    })
  )

  it.effect("one that was edited, or is of another shape, is a typed failure at its place", () =>
    Effect.gen(function* () {
      const golden = yield* save("golden.json", base)
      const saved = JSON.parse((yield* preamble(["render", "-", "--format", "json"], { stdin: base })).stdout)
      const cases: ReadonlyArray<readonly [object, string]> = [
        [{ ...saved, prompt: "another" }, "prompt: it is not what the parts render to"],
        [{ ...saved, context: "another" }, "context: it is not what the parts render to"],
        [{ ...saved, tools: [{ name: "", description: "", parameters: {} }] }, "tools[0]: "],
        [{ ...saved, tools: 3 }, "tools: "],
        [
          { ...saved, tools: [{ ...saved.tools[0], description: "Edited" }, ...saved.tools.slice(1)] },
          "fingerprint: it is not that of the prompt and the tools, so the file was edited. Print it anew: preamble render --format json"
        ],
        [{ ...saved, tools: saved.tools.slice(1) }, "fingerprint: it is not that of the prompt and the tools"],
        [{ ...saved, tools: saved.tools.toReversed() }, "fingerprint: it is not that of the prompt and the tools"],
        [
          { ...saved, prompt: "x", sections: [{ ...saved.sections[0], text: "x", rendered: "x" }] },
          "fingerprint: it is not that of the prompt and the tools"
        ],
        [{ ...saved, fingerprint: "0".repeat(64) }, "fingerprint: it is not that of the prompt and the tools"],
        [{ ...saved, more: 1 }, 'more: unknown key "more"'],
        [{ ...saved, sections: [{ ...saved.sections[0], order: "x" }] }, "sections[0].order: "]
      ]
      for (const [edited, message] of cases) {
        const ended = yield* diff([golden, write("edited.json", JSON.stringify(edited))])
        assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
        assert.include(ended.stderr, `edited.json:1:`)
        assert.include(ended.stderr, message)
        // One edit is one problem.
        assert.notInclude(ended.stderr, "2 problems")
      }
    })
  )

  it.effect("pretty-printed, with a byte order mark, it is the same; a composition in JSON is a composition", () =>
    Effect.gen(function* () {
      const golden = yield* save("golden.json", base)
      const { stdout } = yield* preamble(["render", "-", "--format", "json"], { stdin: base })
      const pretty = write(
        "pretty.json",
        `\ufeff${JSON.stringify(JSON.parse(stdout), null, 2).replaceAll("\n", "\r\n")}`
      )
      assert.include((yield* diff([golden, pretty])).stdout, "Nothing is different.")
      const composition = write("c.json", JSON.stringify({ identity: "prompt and fingerprint" }))
      assert.include((yield* diff([composition, composition])).stdout, "Nothing is different.")
    })
  )

  it.effect("a Template whose literal braces cannot be read again is told by its section", () =>
    Effect.gen(function* () {
      const part = { name: "t", order: 0, scope: "global", interpolate: true }
      const saved = {
        scope: "global",
        prompt: "a {{ b }} one",
        context: "",
        sections: [{ ...part, text: "a {{ b }} {{v}}", rendered: "a {{ b }} one" }],
        contexts: [],
        tools: [],
        variables: { v: "one" },
        complete: null,
        fingerprint: createHash("sha256").update("a {{ b }} one\0[]").digest("hex")
      }
      const golden = write("template.json", JSON.stringify(saved))
      const stdin = "sections: [{ name: t, order: 0, text: 'a {{ b }} two', interpolate: false }]"
      const { prompt } = yield* json([golden, "-"], { stdin })
      assert.deepStrictEqual([prompt.byte, prompt.before.section.name], [10, "t"])
    })
  )
})

describe("for a terminal", () => {
  it.effect("no line is wider than 80 cells, and nothing is lost of a long line", () =>
    Effect.gen(function* () {
      const long = (word: string) =>
        `identity: "    ${"Lorem ipsum ".repeat(20)}${word} ${"世界".repeat(30)}"\nvariables: { v: ${"x".repeat(200)} }\nsections: [{ name: ${"n".repeat(100)}, order: 0, text: ${word} }]`
      const file = write(`${"f".repeat(90)}.yaml`, long("one"))
      const { stdout } = yield* diff([file, "-"], { stdin: long("two").replace("xx", "yy") })
      for (const line of stdout.split("\n")) assert.isAtMost(width(line), 80, line)
      const added = stdout.split("\n").filter((line) => line.startsWith("+"))
      assert.isTrue(added[0]!.startsWith("+    Lorem"))
      assert.include(added.map((line) => line.slice(1).trim()).join(""), "世界".repeat(30))
    })
  )

  it.effect("escape sequences and direction marks in texts, names and values are shown, never obeyed", () =>
    Effect.gen(function* () {
      const evil = "\\u001b[31m\\u202e\\u0007"
      const text = (word: string) =>
        `{"variables":{"v":"${evil}${word}"},"sections":[{"name":"s${evil}","order":0,"text":"{{v}}\\t${word}\\r"}],"contexts":[{"name":"c${evil}${word}","order":0,"text":"x"}],"tools":[{"name":"t","description":"${evil}${word}","parameters":{"${evil}":"${word}"}}]}`
      const { stdout } = yield* diff([write("evil.json", text("one")), "-"], { stdin: text("two") })
      assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
      assert.include(stdout, "-\\u001b[31m\\u202e\\u0007one\\tone\\r")
      assert.include(stdout, "+\\u001b[31m\\u202e\\u0007two\\ttwo\\r")
    })
  )

  it.effect("a line break at the end of a text is an empty line more", () =>
    Effect.gen(function* () {
      const { stdout } = yield* diff([write("a.json", '{"identity":"a"}'), "-"], { stdin: '{"identity":"a\\n"}' })
      assert.isTrue(stdout.endsWith('section "harness:identity"\n@@ -1 +1,2 @@\n a\n+\n'), stdout)
      const none = yield* diff([write("a.json", '{"identity":""}'), "-"], { stdin: '{"identity":"a"}' })
      assert.isTrue(none.stdout.endsWith("@@ -0,0 +1 @@\n+a\n"), none.stdout)
    })
  )

  it.effect("a complete section and suppressed contexts are said", () =>
    Effect.gen(function* () {
      const whole = "sections: [{ name: s, order: 0, text: S, complete: true }]\nruntimeContext: false"
      const { stdout } = yield* diff([write("a.yaml", "identity: x"), "-"], { stdin: whole })
      assert.include(stdout, "Complete section: none → s\n\nContexts are turned off.")
    })
  )
})
