import { readFileSync } from "node:fs"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { Plugins } from "effect-preamble/composition"
import { oldestNode, reasonOf } from "../../src/composition/ImportFailure.ts"
import { accept } from "./support.ts"

const from = {
  file: "/agents/p.ts",
  url: "file:///agents/p.ts",
  importer: "file:///lib/composition/Plugins.ts",
  node: "v24.0.0"
}

/** Something thrown, with the lines of its stack below the message. */
const thrown = (message: string, ...frames: ReadonlyArray<string>): Error =>
  Object.assign(new Error(message), {
    stack: [`Error: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join("\n")
  })

const imports = "async file:///lib/composition/Plugins.ts:9:9"

describe("reasonOf", () => {
  for (const [title, cause, reason] of [
    [
      "the first frame in the module, whatever stands above it",
      thrown(
        "boom",
        "make (file:///agents/lib.ts:1:2)",
        "boom (file:///agents/p.ts:3:9)",
        "file:///agents/p.ts:5:16",
        imports
      ),
      "boom (/agents/p.ts:3:9)"
    ],
    [
      "a file that it imports",
      thrown("boom", "node:internal/x:1:1", "file:///agents/node_modules/y/z.js:1:1", "file:///agents/a%20b.ts:1:2"),
      "boom (/agents/a b.ts:1:2)"
    ],
    ["a file on another drive", thrown("boom", "f (file:///C:/agents/q.ts:1:2)"), "boom (C:/agents/q.ts:1:2)"],
    [
      "the line that cannot be parsed",
      Object.assign(new Error("Expected ','"), {
        stack: "/agents/p.ts:2\nconst x = foo(\n\nSyntaxError: Expected ','"
      }),
      "Expected ',' (/agents/p.ts:2)"
    ],
    [
      "the same as a URL",
      Object.assign(new Error("no such export"), { stack: "file:///agents/p.ts:1\nimport { nope }" }),
      "no such export (/agents/p.ts:1)"
    ],
    [
      "the file, where no more is known",
      thrown("Unexpected end", "node:internal/x:1:1", imports),
      "Unexpected end (/agents/p.ts)"
    ],
    ["the file once", thrown("no module x, imported from /agents/p.ts"), "no module x, imported from /agents/p.ts"],
    ["the file for what has no stack", { message: "text" }, "text (/agents/p.ts)"],
    [
      "the file for what throws when it is looked at",
      Object.defineProperty({ message: "odd" }, "stack", { get: () => assert.fail("run") }),
      "odd (/agents/p.ts)"
    ],
    [
      "what was thrown, not its cause",
      Object.assign(thrown("the folder is empty", "file:///agents/p.ts:3:9"), {
        cause: thrown("ENOENT", "file:///agents/p.ts:7:1")
      }),
      "the folder is empty (/agents/p.ts:3:9)"
    ],
    [
      "frames alone, not the message",
      thrown("boom\nsee file:///agents/p.ts:1:1\nat file:///agents/p.ts:2:2", "f (file:///agents/p(1).ts:3:9)"),
      "boom (/agents/p(1).ts:3:9)"
    ],
    [
      "no place in what was evaluated, which is in no file",
      thrown("boom", "eval (eval at f (file:///agents/a.ts:1:2), <anonymous>:1:1)", "file:///agents/b.ts:3:4"),
      "boom (/agents/b.ts:3:4)"
    ],
    ["a message that looks like a place, as a message", thrown("at\n/x:1\nfile"), "at (/agents/p.ts)"]
  ] as const) {
    it(`names ${title}`, () => assert.strictEqual(reasonOf(cause, from), reason))
  }

  // Where a search starts anew at each place that looks like a URL, these take minutes.
  for (const [title, long] of [
    ["of URLs", "file:///a/b.ts, ".repeat(125_000)],
    ["of URLs without blanks", "file://".repeat(300_000)],
    ["of brackets", "(file://".repeat(250_000)],
    ["of places", "file:///a" + ":1:1".repeat(500_000) + ":"],
    ["of blanks", " ".repeat(2_000_000)]
  ] as const) {
    it(`ends soon, with 2 MB ${title} in the message, in a frame and in frames`, () => {
      const frames = [long, ...long.match(/[^]{1,4000}/g)!, "file:///agents/p.ts:3:9"]
      assert.strictEqual(reasonOf(thrown(`boom\n${long}`, ...frames), from), "boom (/agents/p.ts:3:9)")
    })
  }

  it("says which Node imports TypeScript, where this one does not", () => {
    const unknown = (extension: string) => thrown(`Unknown file extension "${extension}" for /agents/p${extension}`)
    for (const extension of [".ts", ".mts", ".cts"]) {
      assert.strictEqual(
        reasonOf(unknown(extension), { ...from, node: "v20.20.2" }),
        `Unknown file extension "${extension}" for /agents/p${extension}. This is Node v20.20.2, which imports no TypeScript. Use Node 22.19 or later, or name a JavaScript file.`
      )
    }
    assert.notInclude(reasonOf(unknown(".ts"), { ...from, node: undefined }), "Node")
    assert.notInclude(reasonOf(unknown(".vue"), from), "Node")
    const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    assert.strictEqual(engines.node, `>=${oldestNode}.0`)
  })
})

describe("a plugin module", () => {
  for (const [title, statement, said] of [
    ["a text", 'throw "just text"', "just text"],
    ["null", "throw null", "null"],
    ["undefined", "throw undefined", "undefined"],
    ["an error with a cause", 'throw new Error("no skills", { cause: new Error("ENOENT") })', "no skills"]
  ] as const) {
    it.effect(`that throws ${title} is told by what it throws`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(path.join(folder, "p.mjs"), `${statement}\n`)
        const { problems } = yield* Effect.flip(Plugins.load(accept("plugins: [p.mjs]"), { folder }))
        assert.strictEqual(problems.length, 1)
        const { message } = problems[0]!
        const before = `plugin "p.mjs": the module cannot be imported: ${said} (${path.join(folder, "p.mjs")}`
        assert.isTrue(message.startsWith(before), message)
        assert.match(message.slice(before.length), /^(?::1:7)?\)\.?$/)
      }).pipe(Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)))
    )
  }
})
