/**
 * The documentation keeps its promises: each example in it is a file that compiles,
 * runs and prints what the page says; each link leads somewhere; each error has its entry.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { vi } from "vitest"
import { MessageError } from "../src/ai/MessageError.ts"
import { ToolkitError } from "../src/ai/ToolkitError.ts"
import { FileExists } from "../src/cli/FileExists.ts"
import { NoSuchEvent } from "../src/cli/NoSuchEvent.ts"
import { NothingFound } from "../src/cli/NothingFound.ts"
import { UnknownScope } from "../src/composition/CompositionScopes.ts"
import { InvalidComposition } from "../src/composition/InvalidComposition.ts"
import { PromptError } from "../src/PromptError.ts"
import { FormatError, InvalidCatalogue } from "../src/session/format/FormatError.ts"
import { SessionError } from "../src/session/SessionError.ts"
import { StoreError } from "../src/session/store/StoreError.ts"
import { ToolError } from "../src/ToolError.ts"
import { MissingPeer } from "../src/tokens/Gpt.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

const markdown = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name)
    return entry.isDirectory() ? markdown(file) : entry.name.endsWith(".md") ? [file] : []
  })

const pages = ["README.md", "CHANGELOG.md", ...markdown("docs")]
const filesIn = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(root, "docs/examples", folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => folder + file)
const examples = [...filesIn(""), ...filesIn("testing/"), "agent/main.ts", "agent/session.ts"]
/** Shown as they are, and run by an example. */
const parts = filesIn("agent/").filter((file) => !examples.includes(file))

interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  /** What the comment above it says: `example: first.ts`. */
  readonly marker: string | undefined
  readonly text: string
}

/** The fenced blocks of a page, each with the comment right above it. */
const blocksOf = (page: string): ReadonlyArray<Block> =>
  [...read(page).matchAll(/(?:<!-- ([^\n]*?) -->\n)?^```(\w*)\n(.*?)^```$/gms)].map((match) => ({
    page,
    line: read(page).slice(0, match.index).split("\n").length,
    language: match[2]!,
    marker: match[1],
    text: match[3]!
  }))

const blocks = pages.flatMap(blocksOf)
const marked = (kind: string) =>
  blocks.flatMap((block) =>
    block.marker?.startsWith(`${kind}: `) ? [{ ...block, subject: block.marker.slice(kind.length + 2) }] : []
  )

/** Runs an example once, and gives what it prints. */
const outputs = new Map<string, Promise<string>>()
const outputOf = (example: string): Promise<string> => {
  let output = outputs.get(example)
  if (output === undefined) outputs.set(example, (output = runExample(example)))
  return output
}

const runExample = async (example: string): Promise<string> => {
  const lines: Array<string> = []
  const log = vi.spyOn(console, "log").mockImplementation((...args: ReadonlyArray<unknown>) => {
    lines.push(args.join(" "))
  })
  try {
    await import(path.join(root, "docs/examples", example))
  } finally {
    log.mockRestore()
  }
  return lines.map((line) => `${line}\n`).join("")
}

describe("documentation", () => {
  it("shows TypeScript only from files that are compiled and run", () => {
    for (const block of blocks.filter((block) => block.language === "ts")) {
      const where = `${block.page}:${block.line}`
      assert.match(block.marker ?? "", /^example: /, `${where} is no example of a file`)
      assert.strictEqual(block.text, read(`docs/examples/${block.marker!.slice("example: ".length)}`), where)
    }
  })

  it("shows each example somewhere, with its output", () => {
    assert.deepStrictEqual(new Set(marked("example").map((block) => block.subject)), new Set([...examples, ...parts]))
    assert.deepStrictEqual(new Set(marked("output").map((block) => block.subject)), new Set(examples))
  })

  for (const block of marked("output")) {
    it(`${block.page}:${block.line} shows what ${block.subject} prints`, async () => {
      assert.strictEqual(await outputOf(block.subject), block.text)
    }, 30_000)
  }

  it("has no dead link", () => {
    for (const page of pages) {
      for (const [, target] of read(page).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)) {
        const file = path.join(root, path.dirname(page), target!)
        assert.isTrue(fs.existsSync(file), `${page} links to ${target}`)
      }
    }
  })

  it("explains every error", () => {
    const page = read("docs/errors.md")
    const tags = [
      ...PromptError.members,
      ...ToolError.members,
      ...ToolkitError.members,
      ...MessageError.members,
      ...SessionError.members,
      ...StoreError.members,
      ...FormatError.members,
      InvalidCatalogue,
      InvalidComposition,
      UnknownScope,
      MissingPeer,
      FileExists,
      NothingFound,
      NoSuchEvent
    ].map((error) => error.fields._tag.schema.literal)
    for (const tag of tags) assert.include(page, `### ${tag}\n`)
    assert.strictEqual(page.match(/^### /gm)?.length, tags.length)
  })
})
