import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { width } from "../../src/internal/width.ts"
import { errorOf, preamble, root } from "./support.ts"

// Inside the project, so that plugins find the library.
const folder = mkdtempSync(join(root, "test/cli/tools-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const json = (args: ReadonlyArray<string>, world?: Parameters<typeof preamble>[1]) =>
  Effect.map(preamble(["tools", ...args, "--format", "json"], world), (ended) => {
    assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
    return JSON.parse(ended.stdout)
  })

write(
  "restricted.ts",
  `import { Layer } from "effect"
import { Assembly, Plugin } from "effect-preamble"
const tool = (name) => ({ name, description: "", parameters: {} })
export default Layer.mergeAll(
  Plugin.tools({ schemas: [tool("write")], knownNames: ["write", "edit", "secret"] }, { name: "fs", plugin: "files" }),
  Plugin.tools([tool("bash")]),
  Plugin.listener({ name: "mask", plugin: "guard", edit: (assembly) => Assembly.mapTool(Assembly.removeTool(assembly, "bash"), "write", (one) => ({ ...one, description: "W" })) })
)
`
)

const simple = `
toolOrder: [read, "<unlisted-tools>", bash]
tools:
  - { name: bash, description: Run, parameters: { type: object }, deferLoading: true }
  - { name: read, description: "Lies: 世", parameters: {} }
scopes:
  child: { tools: [{ name: bash, description: Run too, parameters: {} }] }
  other: {}
`

describe("tools", () => {
  it.effect("lists what a scope shows, in the order in which it is sent, with source, size and loading", () =>
    Effect.gen(function* () {
      const { exact, names, tokenizer, tools, total, ...rest } = yield* json(["-", "--scope", "child"], {
        stdin: simple
      })
      assert.deepStrictEqual(rest, { file: "-", scope: "child", unknown: [], failed: [] })
      assert.deepStrictEqual([tokenizer, exact], ["estimate", false])
      const emitted = [
        '{"name":"read","description":"Lies: 世","parameters":{}}',
        '{"name":"bash","description":"Run","parameters":{"type":"object"},"deferLoading":true}',
        '{"name":"bash","description":"Run too","parameters":{}}'
      ]
      const bytes = emitted.map((text) => Buffer.byteLength(text))
      assert.deepStrictEqual(
        tools.map(({ tokens, ...tool }: { tokens: number }) => {
          assert.isAbove(tokens, 5)
          return tool
        }),
        [
          { name: "read", scope: "global", bytes: bytes[0], deferLoading: false },
          { name: "bash", scope: "global", bytes: bytes[1], deferLoading: true },
          { name: "bash", scope: "child", bytes: bytes[2], deferLoading: false }
        ]
      )
      assert.strictEqual(total.bytes, Buffer.byteLength(`[${emitted.join(",")}]`))
      assert.deepStrictEqual(names, [
        { name: "bash", scopes: { global: "shown", child: "shown", other: "shown" } },
        { name: "read", scopes: { global: "shown", child: "shown", other: "shown" } }
      ])
    })
  )

  it.effect("text: the table, the scopes, and no column that says nothing", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["tools", "-"], { stdin: simple })
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      // How tokens are estimated is shown elsewhere.
      const estimated = ended.stdout.replaceAll(/~\d+/gu, (count) => "~N".padStart(count.length))
      assert.strictEqual(
        estimated.replace(/,\s+~N/u, ", ~N"),
        `-, scope "global": 2 tools, 146 bytes, ~N tokens

tool  scope   bytes  tokens  loading
read  global     57      ~N
bash  global     86      ~N  deferred

SCOPES
  global: shows 2 tools
  child: shows 3 tools
  other: shows 2 tools
`
      )
      const none = yield* preamble(["tools", "-"], { stdin: "identity: x" })
      assert.strictEqual(
        none.stdout,
        '-, scope "global": 0 tools, 0 bytes, ~0 tokens\n\nSCOPES\n  global: shows 0 tools\n'
      )
    })
  )

  it.effect(
    "tells a tool that a scope knows and hides, one that toolOrder lists as well, and one that it never had",
    () =>
      Effect.gen(function* () {
        const file = write(
          "restricted.yaml",
          `
toolOrder: [read, "<unlisted-tools>"]
tools: [{ name: read, description: "", parameters: {} }]
scopes:
  narrow: { plugins: [restricted.ts] }
`
        )
        const open = yield* json([file])
        assert.deepStrictEqual(open.names, [
          { name: "bash", scopes: { global: "absent", narrow: "hidden" } },
          { name: "edit", scopes: { global: "absent", narrow: "hidden" } },
          { name: "read", scopes: { global: "shown", narrow: "shown" } },
          { name: "secret", scopes: { global: "absent", narrow: "hidden" } },
          { name: "write", scopes: { global: "absent", narrow: "shown" } }
        ])
        const narrow = yield* json([file, "--scope", "narrow"])
        assert.deepInclude(narrow.tools[1], {
          name: "write",
          scope: "narrow",
          plugin: "files",
          provider: "fs",
          listener: { name: "mask", scope: "narrow", plugin: "guard" }
        })
        const listed = write("listed.yaml", `plugins: [restricted.ts]\ntoolOrder: [edit, bash, "<unlisted-tools>"]\n`)
        const { names, unknown } = yield* json([listed])
        assert.deepStrictEqual(
          names.map((one: { name: string; scopes: { global: string } }) => `${one.name} ${one.scopes.global}`),
          ["bash listed", "edit listed", "secret hidden", "write shown"]
        )
        assert.deepStrictEqual(unknown, [])
        const { stdout } = yield* preamble(["tools", listed])
        assert.include(
          stdout.replaceAll(/\s+/gu, " "),
          "global: shows 1 tool; hides secret; hides, though toolOrder lists it: bash, edit"
        )
        assert.include(stdout, "plugin files")
      })
  )

  it.effect("names in toolOrder that a scope does not know: told for each scope, and the mistyped ones apart", () =>
    Effect.gen(function* () {
      const stdin = `
toolOrder: [comment, bsh, "<unlisted-tools>"]
tools: [{ name: bash, description: "", parameters: {} }, { name: a, description: "", parameters: {} }]
scopes: { review: { tools: [{ name: comment, description: "", parameters: {} }] } }
`
      const answer = yield* json(["-", "--scope", "review"], { stdin })
      assert.deepStrictEqual(
        answer.tools.map((one: { name: string }) => one.name),
        ["comment", "a", "bash"],
        "in the order that it would have"
      )
      assert.deepStrictEqual(answer.names[2], { name: "comment", scopes: { global: "unknown", review: "shown" } })
      assert.deepStrictEqual(answer.unknown, [{ name: "bsh", nearest: "bash" }])
      const text = yield* preamble(["tools", "-"], { stdin })
      assert.strictEqual(text.code, 0)
      const said = text.stdout.replaceAll(/\s+/gu, " ")
      assert.include(
        said,
        "global: cannot be assembled, since toolOrder lists what it does not know: comment, bsh; without that it shows 2 tools"
      )
      assert.include(said, "review: cannot be assembled, since toolOrder lists what it does not know: bsh;")
      assert.include(said, 'toolOrder lists "bsh", which no scope knows. Did you mean "bash"?')
      assert.notInclude(said, 'toolOrder lists "comment"')
    })
  )

  it.effect("a scope that cannot be assembled is a failure if it is asked for, and else a line", () =>
    Effect.gen(function* () {
      const stdin = `
sections: [{ name: a, order: 0, text: A, complete: true }]
scopes: { two: { sections: [{ name: b, order: 0, text: B, complete: true }], tools: [{ name: t, description: "", parameters: {} }] } }
`
      const answer = yield* json(["-"], { stdin })
      assert.deepInclude(answer.failed[0], { scope: "two", _tag: "MultipleCompleteSections" })
      const text = yield* preamble(["tools", "-"], { stdin })
      assert.include(text.stdout, "  two: cannot be assembled: MultipleCompleteSections: ")
      const failed = yield* preamble(["tools", "-", "--scope", "two", "--format", "json"], { stdin })
      assert.deepStrictEqual([failed.code, failed.stdout], [1, ""])
      assert.deepInclude(errorOf(failed), { _tag: "MultipleCompleteSections", scope: "two" })
      const scope = yield* preamble(["tools", "-", "--scope", "tow"], { stdin })
      assert.include(scope.stderr, 'Did you mean "two"?')
    })
  )

  it.effect("is no wider than 80 cells, and shows what a terminal would obey", () =>
    Effect.gen(function* () {
      const evil = "\\u001b[2J\\u202e"
      const scopes = Array.from({ length: 12 }, (_, i) => `"s${i}${evil}${"x".repeat(40)}":{}`).join(",")
      const stdin = `{"tools":[{"name":"${"世".repeat(60)}${evil}","description":"","parameters":{}}],"scopes":{${scopes}}}`
      const { stdout } = yield* preamble(["tools", "-"], { stdin })
      assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
      for (const line of stdout.split("\n")) assert.isAtMost(width(line), 80, line)
    })
  )
})
