/**
 * The commands on a page print what the page says, on the files that it shows.
 */
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { preamble, root } from "./support.ts"

const read = (page: string) => readFileSync(join(root, page), "utf8")
const folder = mkdtempSync(join(tmpdir(), "preamble-docs-"))
afterAll(() => rmSync(folder, { recursive: true }))

const blocks = (page: string, marker: RegExp): ReadonlyArray<readonly [subject: string, text: string]> =>
  [...read(page).matchAll(new RegExp(`<!-- ${marker.source} -->\\n\`\`\`\\w*\\n(.*?)^\`\`\`$`, "gms"))].map((match) => [
    match.length > 2 ? match[1]! : "",
    match.at(-1)!
  ])

/** What a reader sees in a terminal: messages first, since the answer has no line break at its end. */
const shown = (command: string, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const [words, echo] = command.split("; echo ")
    const args = words!.match(/"[^"]*"|\S+/gu)!.map((word) => word.replaceAll('"', ""))
    const child = spawn(process.execPath, [join(root, "src/cli/main.ts"), ...args.slice(1)], { cwd })
    const out: Array<string> = []
    const err: Array<string> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk.toString()))
    child.on("error", reject)
    child.on("close", (code) => {
      const answer = `${err.join("")}${out.join("")}`
      const line = answer.endsWith("\n") || answer === "" ? answer : `${answer}\n`
      resolve(echo === undefined ? line : `${line}exit ${code}\n`)
    })
  })

describe.each([
  { page: "README.md", atLeast: 2 },
  { page: "docs/composition.md", atLeast: 7 },
  { page: "docs/check.md", atLeast: 3 },
  { page: "docs/explain.md", atLeast: 8 },
  { page: "docs/tools.md", atLeast: 3 },
  { page: "docs/diff.md", atLeast: 4 },
  { page: "docs/init.md", atLeast: 4 },
  { page: "docs/step.md", atLeast: 6 },
  { page: "docs/log.md", atLeast: 5 },
  { page: "docs/terminal.md", atLeast: 2 }
])("$page", ({ atLeast, page }) => {
  const runs = blocks(page, /run/)
  const cwd = join(folder, page.replaceAll("/", "-"))

  it("has commands to run", () => {
    assert.isAtLeast(runs.length, atLeast)
    mkdirSync(cwd)
    for (const [name, text] of blocks(page, /file: (\S+)/)) writeFileSync(join(cwd, name), text)
  })

  it.each(runs.map(([, text]) => [text.split("\n", 1)[0]!, text.slice(text.indexOf("\n") + 1)]))(
    "%s",
    async (command, output) => {
      assert.match(command, /^\$ preamble /)
      assert.strictEqual(await shown(command.slice(2), cwd), output)
    },
    20_000
  )
})

describe("docs/composition.md", () => {
  it.effect("shows the plugin that the example mounts", () =>
    Effect.gen(function* () {
      assert.include(
        read("docs/composition.md"),
        `\`\`\`typescript\n${read("docs/examples/plugin/house-rules.ts")}\`\`\``
      )
      const ended = yield* preamble(["render", join(root, "docs/examples/plugin/agent.yaml")])
      assert.deepStrictEqual(ended, {
        code: 0,
        stdout: "You are a careful assistant.\n\nRule one: leave the tests green.",
        stderr: ""
      })
    })
  )
})
