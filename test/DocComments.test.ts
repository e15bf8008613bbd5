/** What is exported says since when it is there, of what kind it is, and what it does to the provider's cache where it does anything. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as core from "../src/index.ts"

const read = (module: string): string =>
  fs.readFileSync(fileURLToPath(new URL(`../src/${module}.ts`, import.meta.url)), "utf8")

/** The comment that ends right before an offset, ordinary comments in between aside. */
const commentBefore = (text: string, offset: number): string => {
  const before = text.slice(0, offset).replace(/(?:\n[ \t]*\/\/.*)*\s*$/u, "")
  return before.endsWith("*/") ? before.slice(before.lastIndexOf("/**")) : ""
}

/** The comments of what a module declares and exports, by name. */
const declared = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^export (?:const|class|interface|type|function) (\w+)/gm)].map((match) => [
      match[1]!,
      commentBefore(text, match.index)
    ])
  )

/** The comments of the members that an interface or a class declares, by name. */
const members = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^ +(?:readonly|static readonly) (\w+)\b/gm)].map((match) => [
      match[1]!,
      commentBefore(text, match.index)
    ])
  )

/** The modules behind a barrel. `Owner` is part of `PromptError`. */
const behind = (barrel: string): ReadonlyArray<string> => {
  const folder = barrel.slice(0, barrel.lastIndexOf("/") + 1)
  return [...read(barrel).matchAll(/from "\.\/([\w/]+)\.ts"/g)].map((match) => folder + match[1]!)
}

const modules = [
  ...behind("index"),
  ...behind("testing/index"),
  ...behind("testing/Arbitraries"),
  ...behind("session/index"),
  ...behind("ai/index")
]

const cache = /\*\*Provider's cache\*\*: \S/u

describe("comments", () => {
  it("are found where they are, and are missed where they are not", () => {
    const text = `/**\n * A\n * @since 1\n */\nexport const a = 1\n\nexport const b = 2\n/** C */\n// why\nexport type c = 3\n`
    assert.deepStrictEqual(
      [...declared(text)].map(([name, comment]) => [name, comment.includes("@since"), comment !== ""]),
      [
        ["a", true, true],
        ["b", false, false],
        ["c", false, true]
      ]
    )
    assert.isAbove(modules.length, 30)
    assert.includeMembers(modules, ["Section", "testing/Program", "testing/arbitraries/texts"])
  })

  for (const module of new Set(modules)) {
    it(`${module}: the module has a header, and each export its version and category`, () => {
      const text = read(module)
      assert.match(text, /^\/\*\*\n \* \S[\s\S]*?\n \*\n \* @since \d+\.\d+\.\d+\n \*\/\n/u)
      for (const [name, comment] of declared(text)) {
        if (comment.includes("@internal")) continue
        assert.match(comment, /^\/\*\*(\n \*)? [^\s@*]/u, `${name} says what it is`)
        assert.match(comment, /@since \d+\.\d+\.\d+\n/u, name)
        assert.match(comment, /@category \w/u, name)
      }
    })
  }
})

describe("the provider's cache", () => {
  it("is told of by every plugin constructor", () => {
    const comments = declared(read("Plugin"))
    const constructors = Object.keys(core.Plugin)
    assert.includeMembers(constructors, ["section", "context", "variable", "tools", "listener", "persona"])
    for (const name of constructors) assert.match(comments.get(name) ?? "", cache, name)
  })

  it("is told of by every registration of the service", () => {
    const comments = members(read("SystemPrompt"))
    for (const name of ["section", "context", "variable", "tools", "listener", "suppressContexts", "persona"]) {
      assert.match(comments.get(name) ?? "", cache, name)
    }
  })

  it("is told of by every edit of an assembly", () => {
    const comments = declared(read("Assembly"))
    const edits = Object.keys(core.Assembly).filter((name) => name !== "assemble" && name !== "seal")
    assert.isAtLeast(edits.length, 16)
    for (const name of edits) assert.match(comments.get(name) ?? "", cache, name)
  })

  it("is told of by moving a scope", () => {
    assert.match(members(read("PromptScope")).get("rebind") ?? "", cache)
  })
})
