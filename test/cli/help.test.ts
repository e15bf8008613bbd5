import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { width } from "../../src/internal/width.ts"
import { preamble, spawned } from "./support.ts"

const groups = { log: ["show", "check", "migrate"] }
const single = ["render", "explain", "check", "diff", "tools", "watch", "init", "step"]
const commands = [...single, ...Object.keys(groups)]

/** The words of each command that does something. */
const complete = [
  ...single.map((name) => [name]),
  ...Object.entries(groups).flatMap(([group, names]) => names.map((name) => [group, name]))
]

const help = (args: ReadonlyArray<string>, columns?: number, env = {}) =>
  preamble([...args, "--help"], { env, ...(columns === undefined ? {} : { columns }) })

/** The commands that help names. */
const listed = (stdout: string): ReadonlyArray<string> =>
  [.../^COMMANDS\n((?: {2}.*\n)+)/mu.exec(stdout)![1]!.matchAll(/^ {2}(\w+) {2,}\S/gmu)].map((match) => match[1]!)

/** The words that a text has, wherever its lines break. */
const words = (text: string): string => text.replaceAll(/[\s#]+/gu, "")

describe("--help", () => {
  it.effect("names every command, and each of them has help with an example", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* help([])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.sameMembers([...listed(stdout)], commands)
      for (const [group, names] of Object.entries(groups)) {
        const one = yield* help([group])
        assert.deepStrictEqual([one.code, one.stderr], [0, ""], group)
        assert.deepStrictEqual([...listed(one.stdout)], names)
        assert.match(one.stdout, /^EXAMPLES\n(?: {2}#.*\n)* {2}preamble /mu, group)
      }
      for (const words of complete) {
        const name = words.join(" ")
        const one = yield* help(words)
        assert.deepStrictEqual([one.code, one.stderr], [0, ""], name)
        assert.match(one.stdout, new RegExp(`^[A-Z][^.]*\\n\\nUSAGE\\n {2}preamble ${name} \\[flags\\]`, "u"), name)
        assert.match(one.stdout, /^EXAMPLES\n(?: {2}#.*\n)* {2}preamble /mu, name)
        assert.match(one.stdout, /^ {2}--format text\|json/mu, name)
        assert.include(one.stdout, "Run `preamble --help` for all commands and global flags.")
        assert.notMatch(one.stdout, /\b(?:string|choice|integer|boolean)\b/u, `${name} shows types of the parser`)
      }
    })
  )

  it.effect("fits 80 columns without a terminal, and the terminal where there is one; nothing is cut", () =>
    Effect.gen(function* () {
      for (const args of [[], ...Object.keys(groups).map((name) => [name]), ...complete]) {
        const usual = yield* help(args)
        for (const line of usual.stdout.split("\n")) assert.isAtMost(width(line), 80, line)
        for (const columns of [40, 60, 200]) {
          const { stdout } = yield* help(args, columns, { NO_COLOR: "1" })
          for (const line of stdout.split("\n")) assert.isAtMost(width(line), columns, line)
          assert.strictEqual(words(stdout), words(usual.stdout))
        }
      }
    })
  )

  it.effect("puts what a flag means below it where there is little room beside it", () =>
    Effect.gen(function* () {
      assert.include(
        (yield* help(["init"], 40, { NO_COLOR: "1" })).stdout,
        "\n  --force\n      Overwrite the file if there is one\n"
      )
      assert.match(
        (yield* help(["init"], 80, { NO_COLOR: "1" })).stdout,
        /\n {2}--force {2,}Overwrite the file if there is one\n/u
      )
    })
  )

  it.effect("is coloured on a terminal alone, and without colours says the same", () =>
    Effect.gen(function* () {
      const plain = yield* help(["render"])
      const coloured = yield* help(["render"], 80)
      assert.include(coloured.stdout, "\u001b[1mUSAGE\u001b[22m")
      assert.strictEqual(stripVTControlCharacters(coloured.stdout), plain.stdout)
      assert.deepStrictEqual(yield* help(["render"], 80, { NO_COLOR: "1" }), plain)
      assert.include((yield* help(["render"], undefined, { FORCE_COLOR: "1" })).stdout, "\u001b[1m")
    })
  )

  it.effect("after a mistake is on stderr, before what is wrong, and never coloured", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* preamble(["render"], { columns: 80 })
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^Print the system prompt[\s\S]*\n\nERROR\n {2}Missing required argument: FILE\n$/u)
      assert.notInclude(stderr, "\u001b")
      for (const [args, error] of [
        [["log", "shew"], 'Unknown subcommand "shew" for "preamble log"\n\n    Did you mean this?\n      show'],
        [["tool", "x"], 'Unknown subcommand "tool" for "preamble"\n\n    Did you mean this?\n      tools']
      ] as const) {
        const near = yield* preamble(args)
        assert.deepStrictEqual([near.code, near.stdout], [2, ""])
        assert.isTrue(near.stderr.endsWith(`\n\nERROR\n  ${error}\n`), near.stderr)
      }
      const odd = yield* preamble(["render", "a.yaml", "--scpe\u001b[31m", "x"])
      assert.strictEqual(odd.code, 2)
      assert.notInclude(odd.stderr, "\u001b")
      for (const line of odd.stderr.split("\nERROR")[0]!.split("\n")) assert.isAtMost(width(line), 80)
    })
  )
})

it("the command itself knows a pipe from a terminal", async () => {
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...env } = process.env
  const piped = await spawned(["--help"], { env: { ...env, TERM: "xterm" } })
  assert.notInclude(piped.stdout, "\u001b")
  const forced = await spawned(["--help"], { env: { ...env, TERM: "xterm", FORCE_COLOR: "1" } })
  assert.include(forced.stdout, "\u001b[1m")
}, 20_000)

// -----------------------------------------------------------------------------
// completions
// -----------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), "preamble-completions-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** What bash would offer for the last of these words. */
const offered = (script: string, typed: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    writeFileSync(join(folder, "agent one.yaml"), "")
    writeFileSync(join(folder, "values.yaml"), "")
    const quoted = typed.map((word) => `'${word}'`).join(" ")
    const program = `${script}
COMP_WORDS=(${quoted})
COMP_CWORD=${typed.length - 1}
COMP_LINE="\${COMP_WORDS[*]}"
COMP_POINT=\${#COMP_LINE}
_preamble preamble "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`
    execFile("bash", ["--norc", "-c", program], { cwd: folder }, (error, stdout) =>
      error === null ? resolve(stdout.split("\n").filter((line) => line !== "")) : reject(error)
    )
  })

const bash = spawnSync("bash", ["--version"]).status === 0

describe("--completions", () => {
  it.effect("prints a script for each shell, which knows every command and its flags", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish", "powershell"]) {
        const { code, stderr, stdout } = yield* preamble(["--completions", shell])
        assert.deepStrictEqual([code, stderr], [0, ""], shell)
        for (const name of complete.flat()) assert.include(stdout, name, shell)
        for (const flag of ["var-file", "no-plugins", "tokenizer", "exit-code", "force", "in-history", "help"]) {
          assert.include(stdout, flag, shell)
        }
      }
      const unknown = yield* preamble(["--completions", "tcsh"])
      assert.deepStrictEqual([unknown.code, unknown.stdout], [2, ""])
      assert.include(unknown.stderr, "bash")
    })
  )

  it("arrives whole in a pipe", async () => {
    const { code, stderr, stdout } = await spawned(["--completions", "bash"])
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.isTrue(stdout.endsWith("###-end-preamble-completions-###\n"))
  }, 20_000)

  it.effect.skipIf(!bash)("bash completes commands, flags, choices and files", () =>
    Effect.gen(function* () {
      const { stdout: script } = yield* preamble(["--completions", "bash"])
      const completed = (...typed: ReadonlyArray<string>) =>
        Effect.promise(() => offered(script, ["preamble", ...typed]))
      assert.sameMembers([...(yield* completed(""))], commands)
      assert.deepStrictEqual(yield* completed("re"), ["render"])
      assert.includeMembers([...(yield* completed("render", "--"))], ["--scope", "--set", "--format", "--help"])
      assert.deepStrictEqual(yield* completed("render", "--fo"), ["--format"])
      assert.deepStrictEqual(yield* completed("render", "--format", ""), ["text", "json"])
      assert.deepStrictEqual(yield* completed("render", "ag"), [String.raw`agent\ one.yaml`])
      assert.deepStrictEqual(yield* completed("render", "--var-file", "v"), ["values.yaml"])
      for (const name of ["explain", "check", "diff", "tools", "watch", "init"]) {
        assert.deepStrictEqual(yield* completed(name, "va"), ["values.yaml"], name)
      }
      assert.deepStrictEqual(yield* completed("log", "mi"), ["migrate"])
      assert.deepStrictEqual(yield* completed("log", "migrate", "va"), ["values.yaml"])
      assert.deepStrictEqual(yield* completed("log", "migrate", "values.yaml", "va"), ["values.yaml"])
      assert.deepStrictEqual(yield* completed("step", "--log", "va"), ["values.yaml"])
    })
  )
})
