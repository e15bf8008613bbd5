/** Valid files, and files with the mistakes that people make: what a fuzzer starts from. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const docs = fileURLToPath(new URL("../../../docs", import.meta.url))

const textOf = (file: string): string => readFileSync(`${docs}/${file}`, "utf8")

const files = readdirSync(docs, { recursive: true, encoding: "utf8" }).toSorted()

const fenced = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml]) => yaml ?? "")

/** Every rule of a composition once, small. */
export const inventory = `preamble: 1
identity: true
persona: { prefix: "You help {{user}}.", suffix: { file: guidance/bash.md } }
runtimeContext: true
toolOrder: [read, "<unlisted-tools>", bash]
sortToolKeys: true
variables: { model: deepseek-chat, user: { env: HOME }, branch: null }
sections:
  - { name: "tool:bash", order: TOOL_BASH, text: { file: guidance/bash.md }, requires: [bash] }
  - name: plan
    order: 12.5
    interpolate: false
    text: |-
      First {{ think }},
      then act.
contexts:
  - { name: "approval:policy", order: 115, text: "Ask {{user}}." }
tools:
  - &run { name: run, description: Run a command, parameters: { type: object }, deferLoading: false }
  - { file: tools.json }
scopes:
  minimal: { sections: [{ name: "deployment:persona-prefix", order: 0, text: "{{model}}", complete: true }], suppressRuntimeContext: true }
  child: { parent: minimal, variables: { model: other }, persona: { prefix: "Child." }, restrict: { allow: [read, bash], deny: [run] } }
scope: child
silence:
  - { warning: unused-variable, at: variables.branch, reason: kept for later }
`

/** Compositions and presets. */
export const compositions: readonly [string, ...ReadonlyArray<string>] = [
  inventory,
  ...files.filter((file) => /\.ya?ml$/.test(file)).map(textOf),
  ...files.filter((file) => file.endsWith(".md")).flatMap((file) => fenced(textOf(file))),
  JSON.stringify({ sections: [{ name: "s", order: 0, text: "{{x}}" }], variables: { x: "y" } }, null, 2)
]

export const tools: string = textOf("examples/agent/tools.json")

export const guidance: string = textOf("examples/agent/guidance/bash.md")
