import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { errorOf, preamble, root } from "./support.ts"

const example = (name: string): string => join(root, "docs/examples", name)

describe("dsh presets", () => {
  it.effect("our own render, and name the rows that are not mounted on stderr", () =>
    Effect.gen(function* () {
      const set = ["--set", "model=m", "--set", "cwd=/w"]
      const standard = yield* preamble(["render", example("presets/standard.cordis.yml"), ...set])
      assert.strictEqual(standard.code, 0)
      assert.isTrue(
        standard.stdout.endsWith("\n\nYou are a coding agent powered by the m model.\n\nYour working directory is /w.")
      )
      assert.include(standard.stderr, "2 rows are not mounted")
      assert.include(standard.stderr, "line 13: tool-read (@deepseek-ai/dsh-tool-read)")
      const minimal = yield* preamble(["render", example("presets/minimal.cordis.yml")])
      assert.strictEqual(minimal.stdout, "You are a helpful software engineer.")
      const reviewer = yield* preamble(["render", example("presets/reviewer.cordis.yml"), "--format", "json", ...set])
      assert.strictEqual(JSON.parse(reviewer.stdout).scope, "reviewer")
      assert.deepStrictEqual(JSON.parse(reviewer.stderr.split("\n")[0]!).notMounted, [
        { id: "tool-web", plugin: "@deepseek-ai/dsh-tool-web", line: 8, reason: "disabled" }
      ])
    })
  )

  const real = join(root, "../shared/fixtures/dsh-presets")

  // The real presets are not part of this project.
  it.effect.skipIf(!existsSync(real))("three real ones render (skipped where ../shared/fixtures is absent)", () => {
    return Effect.gen(function* () {
      const presets = readdirSync(real).filter((name) => name.endsWith(".yml"))
      assert.strictEqual(presets.length, 3)
      for (const name of presets) {
        const ended = yield* preamble(["render", join(real, name), "--set", "model=deepseek-chat", "--set", "cwd=/w"])
        assert.strictEqual(ended.code, 0, ended.stderr)
        const whole = name.startsWith("minimal")
        assert.strictEqual(
          ended.stdout.split("\n\n").at(-1),
          whole
            ? "You are a helpful software engineer assistant."
            : "You are a coding agent powered by the deepseek-chat model. Your working directory is /w."
        )
        assert.strictEqual(ended.stdout.split("\n\n").length, whole ? 1 : 2)
        assert.match(ended.stderr, /\d+ rows are not mounted/)
      }
    })
  })
})

describe("examples", () => {
  it.effect("the agent gives one prompt, whatever the environment", () =>
    Effect.gen(function* () {
      const file = example("agent/agent.yaml")
      const first = yield* preamble(["render", file, "--format", "json"], { env: { PWD: "/a" } })
      const second = yield* preamble(["render", file, "--format", "json"], { env: {} })
      assert.deepStrictEqual(first, second)
      const answer = JSON.parse(first.stdout)
      assert.deepStrictEqual(
        answer.tools.map((tool: { readonly name: string }) => tool.name),
        ["read", "edit", "search_issues", "bash"]
      )
      assert.notInclude(answer.prompt, "Search the web")
      assert.include(answer.prompt, "{{type}}({{scope}}): {{summary}}")
      assert.include(answer.context, "The current branch is main.")
      const minimal = yield* preamble(["render", file, "--scope", "minimal"])
      assert.strictEqual(minimal.stdout, "You are a helpful software engineer.")
      const reviewed = yield* preamble(["render", file, "--scope", "reviewer", "--format", "json"])
      const reviewer = JSON.parse(reviewed.stdout)
      assert.include(reviewer.prompt, "on branch feature/login")
      assert.isTrue(reviewer.prompt.endsWith("Your working directory is /home/user/project."))
      assert.deepStrictEqual(
        reviewer.tools.map((tool: { readonly name: string }) => tool.name),
        ["read", "search_issues", "bash"]
      )
      const namesOf = ({ sections }: { readonly sections: ReadonlyArray<{ readonly name: string }> }) =>
        sections.map((section) => section.name)
      assert.deepStrictEqual(
        namesOf(answer).filter((name) => !namesOf(reviewer).includes(name)),
        ["tool:edit"]
      )
    })
  )

  it.effect("the broken one has its ten mistakes reported, all at once", () =>
    Effect.gen(function* () {
      const ended = yield* preamble(["render", example("broken.yaml"), "--format", "json"])
      assert.strictEqual(ended.code, 1)
      const problems = Array.from(Object(errorOf(ended)["problems"]), (one: Readonly<Record<string, unknown>>) =>
        [one["line"], one["column"], one["path"], one["tag"] ?? ""].join(" ").trimEnd()
      )
      assert.deepStrictEqual(problems, [
        "2 1 identty",
        "4 10 variables.model",
        "5 3 variables.Cwd InvalidRegistration",
        "9 11 sections[0].text",
        "10 31 sections[1].order InvalidRegistration",
        "11 51 sections[2].text.file",
        "12 13 sections[3].name DuplicateRegistration",
        "13 12 toolOrder InvalidToolOrder",
        "15 20 scopes.agent.parent",
        "18 1 runtimeContext"
      ])
      const text = yield* preamble(["render", example("broken.yaml")])
      assert.isTrue(text.stderr.endsWith("\n\n10 problems\n"))
    })
  )
})
