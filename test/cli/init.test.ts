import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { starter } from "../../src/cli/starter.ts"
import { parse } from "../../src/composition/index.ts"
import { errorOf, preamble, root } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-init-"))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(at(name), "utf8")

describe("preamble init", () => {
  it.effect("writes a composition, and says on stderr how to see its prompt", () =>
    Effect.gen(function* () {
      const file = at("new.yaml")
      assert.deepStrictEqual(yield* preamble(["init", file]), {
        code: 0,
        stdout: "",
        stderr: `Wrote ${file}. What the model sees: preamble render ${file}\n`
      })
      assert.strictEqual(read("new.yaml"), starter)
    })
  )

  it.effect("refuses to overwrite, with 1, and leaves the file alone", () =>
    Effect.gen(function* () {
      writeFileSync(at("mine.yaml"), "identity: mine\n")
      const ended = yield* preamble(["init", at("mine.yaml")])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.match(ended.stderr, /^FileExists: .*mine\.yaml exists already.*--force\.\n$/u)
      const json = yield* preamble(["init", at("mine.yaml"), "--format", "json"])
      assert.deepStrictEqual([json.code, json.stdout], [1, ""])
      assert.deepInclude(errorOf(json), { _tag: "FileExists", file: at("mine.yaml") })
      assert.strictEqual(read("mine.yaml"), "identity: mine\n")
    })
  )

  it.effect("with --force overwrites", () =>
    Effect.gen(function* () {
      writeFileSync(at("old.yaml"), `identity: old\n${"#".repeat(10_000)}\n`)
      assert.strictEqual((yield* preamble(["init", at("old.yaml"), "--force"])).code, 0)
      assert.strictEqual(read("old.yaml"), starter)
    })
  )

  it.effect("with - writes to stdout and to no file", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* preamble(["init", "-"]), { code: 0, stdout: starter, stderr: "" })
    })
  )

  it.effect("with --format json answers with the name and the text", () =>
    Effect.gen(function* () {
      const file = at("json.yaml")
      const ended = yield* preamble(["init", file, "--format", "json"])
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      assert.deepStrictEqual(JSON.parse(ended.stdout), { file, text: starter })
      assert.strictEqual(read("json.yaml"), starter)
      const out = yield* preamble(["init", "-", "--format", "json"])
      assert.deepStrictEqual(JSON.parse(out.stdout), { file: "-", text: starter })
    })
  )

  it.effect("into a folder that is not there fails with 1 and names the file", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["init", at("none/new.yaml")])
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.include(ended.stderr, "none/new.yaml")
      assert.notInclude(ended.stderr, "bug")
    })
  )
})

describe("the composition that it writes", () => {
  it("has no problem, and an example of every kind of contribution", () => {
    const composition = Result.getOrThrow(parse({ file: "preamble.yaml", text: starter }))
    assert.strictEqual(composition.file, "preamble.yaml")
    for (const key of ["persona:", "variables:", "sections:", "contexts:", "tools:", "scopes:", "requires:"]) {
      assert.include(starter, key)
    }
  })

  it("is shown on its page", () => {
    const page = readFileSync(join(root, "docs/init.md"), "utf8")
    assert.include(page, `\`\`\`yaml\n${starter}\`\`\`\n`)
  })

  it("fits a terminal, and ends with one line break", () => {
    for (const line of starter.split("\n")) assert.isAtMost(line.length, 80, line)
    assert.match(starter, /[^\n]\n$/u)
  })

  it.effect("has nothing that check doubts, in any scope", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* preamble(["check", "--strict", "-"], { stdin: starter })
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "2 scopes")
      assert.include(stdout, "0 warnings")
    })
  )

  it.effect("renders as it is, for each of its scopes", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* preamble(["render", "-", "--format", "json"], { stdin: starter })
      assert.deepStrictEqual([code, stderr], [0, ""])
      const { context, prompt, sections, tools, variables } = JSON.parse(stdout)
      assert.include(prompt, "You run on a large language model.")
      assert.include(prompt, "is written {{ title }}.")
      assert.include(prompt, "Read a file before you edit it.")
      assert.include(context, "Ask before you delete anything.")
      assert.notInclude(prompt, "Ask before you delete anything.")
      assert.strictEqual(sections.length, 5)
      assert.strictEqual(tools.length, 1)
      for (const name of Object.keys(variables)) assert.include(starter, `{{${name}}}`)

      const reviewer = yield* preamble(["render", "-", "--scope", "reviewer"], { stdin: starter })
      assert.deepStrictEqual([reviewer.code, reviewer.stderr], [0, ""])
      assert.include(reviewer.stdout, "You review changes.")
      assert.notInclude(reviewer.stdout, "Read a file before you edit it.")
    })
  )
})
