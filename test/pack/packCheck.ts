/**
 * The package as its users get it: packed, installed into an empty folder, used as
 * the README says. Run by `npm run pack:check`.
 */
import { ok, strictEqual } from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const readme = fs.readFileSync(path.join(root, "README.md"), "utf8")
const { devDependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "preamble-pack-"))

const block = (pattern: RegExp): string => {
  const found = pattern.exec(readme)?.[1]
  ok(found !== undefined, `the README has no block ${pattern}`)
  return found
}

/** Runs a command in the empty folder, and gives its standard output. */
const run = (command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const node = (file: string): string => run(process.execPath, file)

const step = (what: string) => console.log(`pack: ${what}`)

try {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, stdio: "inherit" })
  const tarball = fs.readdirSync(folder).find((file) => file.endsWith(".tgz"))
  ok(tarball !== undefined, "npm pack made no tarball")
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
  run("npm", "install", "--silent", "--no-audit", "--no-fund", `./${tarball}`, `effect@${devDependencies.effect}`)
  step(
    `installed with ${fs
      .readdirSync(path.join(folder, "node_modules"))
      .filter((name) => !name.startsWith("."))
      .join(", ")}`
  )

  fs.writeFileSync(path.join(folder, "first.ts"), block(/<!-- example: first\.ts -->\n```ts\n(.*?)```/s))
  strictEqual(node("first.ts"), block(/<!-- output: first\.ts -->\n```text\n(.*?)```/s))
  step("the README's first example prints what it says")

  fs.writeFileSync(path.join(folder, "agent.yaml"), block(/```yaml\n(.*?)```/s))
  const preamble = path.join(folder, "node_modules", ".bin", "preamble")
  strictEqual(run(preamble, "render", "agent.yaml"), "You are a careful assistant.\n\nYou run on deepseek-chat.")
  const failing = spawnSync(preamble, ["render", "missing.yaml"], { cwd: folder, encoding: "utf8" })
  strictEqual(failing.status, 1)
  strictEqual(failing.stdout, "")
  step("the preamble command renders and fails as it should")

  fs.writeFileSync(path.join(folder, "paths.ts"), 'await import("effect-preamble/composition")\n')
  node("paths.ts")
  for (const closed of ["internal/scope", "PromptScope", "cli/main"]) {
    fs.writeFileSync(path.join(folder, "closed.ts"), `await import("effect-preamble/${closed}")\n`)
    const refused = spawnSync(process.execPath, ["closed.ts"], { cwd: folder, encoding: "utf8" })
    ok(refused.stderr.includes("ERR_PACKAGE_PATH_NOT_EXPORTED"), `effect-preamble/${closed} can be imported`)
  }
  step("only the public paths can be imported")

  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", ""]
  run(path.join(root, "node_modules", ".bin", "tsc"), ...options, "first.ts")
  step("the README's first example compiles against the published types")
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
