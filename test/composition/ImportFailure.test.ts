import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { oldestNode, reasonOf } from "../../src/composition/ImportFailure.ts"

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
    ["the file for what has no stack", "text", "text (/agents/p.ts)"],
    [
      "the file for what throws when it is looked at",
      Object.defineProperty({ message: "odd" }, "stack", { get: () => assert.fail("run") }),
      "odd (/agents/p.ts)"
    ],
    [
      "the place of what was wrapped",
      new Error("an error", { cause: thrown("boom", "file:///agents/p.ts:3:9") }),
      "boom (/agents/p.ts:3:9)"
    ],
    ["a message that looks like a place, as a message", thrown("at\n/x:1\nfile"), "at (/agents/p.ts)"]
  ] as const) {
    it(`names ${title}`, () => assert.strictEqual(reasonOf(cause, from), reason))
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
