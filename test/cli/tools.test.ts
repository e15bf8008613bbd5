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
      const shadowed = [{ scope: "child", name: "bash", of: { scope: "global" }, by: { scope: "child" } }]
      assert.deepStrictEqual(rest, { file: "-", scope: "child", hidden: [], shadowed, unknown: [], failed: [] })
      assert.deepStrictEqual([tokenizer, exact], ["estimate", false])
      const emitted = [
        '{"name":"read","description":"Lies: 世","parameters":{}}',
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
          { name: "bash", scope: "child", bytes: bytes[1], deferLoading: false }
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
  child: shows 2 tools; shadows bash of global by that of child
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
          "global: shows 1 tool; hides secret (hidden by provider fs of global (files)); hides, though toolOrder lists it: bash (removed by listener mask of global (guard)), edit (hidden by provider fs of global (files))"
        )
        assert.include(stdout, "plugin files")
      })
  )

  it.effect("tells for each scope which restriction, listener or provider hides a tool, and what is shadowed", () =>
    Effect.gen(function* () {
      const file = write(
        "scopes.yaml",
        `
toolOrder: [bash, "<unlisted-tools>", edit]
plugins: [listening.ts]
tools:
  - { name: bash, description: Run, parameters: {} }
  - { name: edit, description: Edit, parameters: {} }
  - { name: read, description: Read, parameters: {} }
scopes:
  safe: { restrict: { deny: [bash, remote] } }
  narrow: { parent: safe, restrict: { allow: [read, bash] }, tools: [{ name: edit, description: Mine, parameters: {} }] }
  below: { parent: narrow }
  quiet: { plugins: [removing.ts] }
  away: { plugins: [restricting.ts] }
`
      )
      write(
        "listening.ts",
        `import { Layer } from "effect"
import { Plugin } from "effect-preamble"
export default Plugin.tool({ name: "remote", description: "", parameters: {}, plugin: "far" })
`
      )
      write(
        "removing.ts",
        `import { Assembly, Plugin } from "effect-preamble"
export default Plugin.listener({ name: "mask", edit: Assembly.removeTool("read") })
`
      )
      write(
        "restricting.ts",
        `import { Plugin } from "effect-preamble"
export default Plugin.restrict({ deny: ["edit"], plugin: "lock" })
`
      )
      const { hidden, names, shadowed } = yield* json([file])
      const restriction = (scope: string, list: string) => ({ kind: "restriction", entry: "", scope, list })
      const denied = [restriction("safe", "deny")]
      const neither = [...denied, restriction("narrow", "allow")]
      assert.deepStrictEqual(hidden, [
        { scope: "safe", name: "bash", by: denied },
        { scope: "safe", name: "remote", by: denied },
        { scope: "narrow", name: "bash", by: denied },
        { scope: "narrow", name: "remote", by: neither },
        { scope: "below", name: "bash", by: denied },
        { scope: "below", name: "edit", by: [restriction("narrow", "allow")] },
        { scope: "below", name: "remote", by: neither },
        { scope: "quiet", name: "read", by: [{ kind: "listener", entry: "mask", scope: "quiet" }] },
        { scope: "away", name: "edit", by: [{ ...restriction("away", "deny"), plugin: "lock" }] }
      ])
      assert.deepStrictEqual(
        shadowed,
        ["narrow", "below"].map((scope) => ({ scope, name: "edit", of: { scope: "global" }, by: { scope: "narrow" } }))
      )
      assert.deepStrictEqual(
        names.map((one: { name: string; scopes: Record<string, string> }) => [one.name, ...Object.values(one.scopes)]),
        [
          ["bash", "shown", "listed", "listed", "listed", "shown", "shown"],
          ["edit", "shown", "shown", "shown", "listed", "shown", "listed"],
          ["read", "shown", "shown", "shown", "shown", "hidden", "shown"],
          ["remote", "shown", "hidden", "hidden", "hidden", "shown", "shown"]
        ]
      )
      const { stdout } = yield* preamble(["tools", file], { columns: 200, env: { NO_COLOR: "1" } })
      assert.strictEqual(
        stdout.slice(stdout.indexOf("SCOPES")).replaceAll("\n    ", " "),
        `SCOPES
  global: shows 4 tools
  safe: shows 2 tools; hides remote (denied by safe); hides, though toolOrder lists it: bash (denied by safe)
  narrow: shows 2 tools; hides remote (denied by safe, not allowed by narrow); hides, though toolOrder lists it: bash (denied by safe); shadows edit of global by that of narrow
  below: shows 1 tool; hides remote (denied by safe, not allowed by narrow); hides, though toolOrder lists it: bash (denied by safe), edit (not allowed by narrow); shadows edit of global by that of narrow
  quiet: shows 3 tools; hides read (removed by listener mask of quiet)
  away: shows 3 tools; hides, though toolOrder lists it: edit (denied by away (lock))
`
      )
    })
  )

  it.effect("a variable of the command line hides no tool", () =>
    Effect.gen(function* () {
      const stdin = `
sections: [{ name: s, order: 0, text: "{{v}}", requires: [note] }]
scopes: { s: { restrict: { allow: [] }, tools: [{ name: note, description: "", parameters: {} }] } }
scope: s
`
      const plain = yield* json(["-"], { stdin })
      assert.deepStrictEqual(
        plain.tools.map((one: { name: string }) => one.name),
        ["note"]
      )
      assert.deepStrictEqual(yield* json(["-", "--set", "v=x"], { stdin }), plain)
      const rendered = yield* preamble(["render", "-", "--set", "v=x"], { stdin })
      assert.deepStrictEqual([rendered.code, rendered.stdout], [0, "x"])
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
      const scopes = Array.from(
        { length: 12 },
        (_, i) => `"s${i}${evil}${"x".repeat(40)}":{"restrict":{"deny":["t${"x".repeat(63)}"]}}`
      ).join(",")
      const file = write(
        "evil.json",
        `{"plugins":["evil.ts"],"tools":[{"name":"t${"x".repeat(63)}","description":"","parameters":{}}],"scopes":{${scopes}}}`
      )
      write(
        "evil.ts",
        `import { Plugin } from "effect-preamble"
export default Plugin.tools([{ name: "${"世".repeat(60)}${evil}", description: "", parameters: {} }])
`
      )
      const { code, stdout } = yield* preamble(["tools", file])
      assert.strictEqual(code, 0)
      assert.include(stdout.replaceAll(/\s+/gu, ""), `(deniedbys0`)
      assert.notMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
      for (const line of stdout.split("\n")) assert.isAtMost(width(line), 80, line)
    })
  )
})
