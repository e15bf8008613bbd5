// Takes the steps of one session with `preamble step`, and shows what each of them adds to its log. Needs a build.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "preamble-"))

const step = (what, log, ...args) => {
  const command = [
    at("../../../dist/cli/main.js"),
    "step",
    at("agent.yaml"),
    "--log",
    join(folder, log),
    "--format",
    "json"
  ]
  const { status, stderr, stdout } = spawnSync(process.execPath, [...command, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
  const { logged, prefix } = JSON.parse(stdout)
  const says = ({ surfaceOp, type }) =>
    surfaceOp?.op === "replace" ? `${type} in the place of ${surfaceOp.startSeq}` : type
  console.log(`\n${what}\n  logged: ${logged.map(says).join(", ")}`)
  if (prefix !== null) console.log(`  begins with ${prefix.bytes} of ${prefix.of} bytes of the request before`)
}

const never = ["--set", "policy=never"]
const routes = [
  { what: "A session whose route reads a system message at the head only", log: "head.jsonl", flags: [] },
  { what: "A session whose route reads later ones too", log: "later.jsonl", flags: ["--in-history"] }
]

try {
  for (const { flags, log, what } of routes) {
    console.log(`\n\n${what}:`)
    step("The first message", log, ...flags, "--message", "Mend the tests.")
    step("Nothing new: no prompt and no snapshot is logged", log, ...flags)
    step("Another approval policy: one snapshot", log, ...flags, ...never)
    step("Another persona: the prompt", log, ...flags, ...never, "--set", "cwd=/home/user/other")
  }
} finally {
  rmSync(folder, { recursive: true })
}
