/** `preamble explain`: who contributes what, what is left out and why, where a text comes from. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { width } from "../../src/internal/width.ts"
import * as cells from "../support/cells.ts"
import { check, patience, Tally } from "../support/check.ts"
import { errorOf, preamble, root, type World } from "./support.ts"

const folder = mkdtempSync(join(tmpdir(), "preamble-explain-"))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

const plugin = (name: string): string => JSON.stringify(join(root, "test/cli/plugins", name))

/** What a command says on standard output, which must be all. */
const explain = (composition: string, args: ReadonlyArray<string> = [], world: World = {}) =>
  Effect.map(preamble(["explain", "-", ...args], { ...world, stdin: composition }), ({ code, stderr, stdout }) => {
    assert.deepStrictEqual([code, stderr], [0, ""])
    return stdout
  })

const explained = (composition: string, ...args: ReadonlyArray<string>) =>
  Effect.map(explain(composition, [...args, "--format", "json"]), (answer) => JSON.parse(answer))

const failed = (composition: string, ...args: ReadonlyArray<string>) =>
  Effect.map(preamble(["explain", "-", ...args], { stdin: composition }), ({ code, stderr, stdout }) => {
    assert.deepStrictEqual([code, stdout], [1, ""])
    return stderr
  })

const agent = `identity: You are a careful assistant.
persona:
  prefix: You run on {{model}}.
variables: { model: deepseek-chat, spare: "1", none: null }
sections:
  - { name: house, order: 500, text: House rules. }
  - { name: "tool:bash", order: TOOL_BASH, text: Quote paths., requires: [bash] }
contexts:
  - { name: policy, order: 115, text: "Policy of {{model}}: ask." }
tools:
  - { name: read, description: Read a file, parameters: { type: object }, deferLoading: true }
scopes:
  child:
    variables: { model: other }
    sections: [{ name: house, order: 400, text: Child rules. }]
  whole:
    sections: [{ name: all, order: 0, text: Only this., complete: true }]
    suppressRuntimeContext: true
`

// -----------------------------------------------------------------------------
// the whole
// -----------------------------------------------------------------------------

describe("the whole prompt", () => {
  it.effect(
    "as tables: the cached prefix and the tail told apart, parts from top to bottom, what is left out and why",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(
          // Estimates may get better; an exact count is what it is.
          yield* explain(agent, ["--tokenizer", "o200k"]),
          `-, scope "global".

                      chars  tokens (o200k_base)
cached prefix           163                   40
  1 tool                 94                   24
  prompt, 3 sections     69                   16
after the history       125                   26
  1 context             125                   26

PROMPT
#  section                    owner   order  chars  tokens  share
1  harness:identity           global  -1000     28       6    15%
2  deployment:persona-prefix  global      0     25       7    18%
3  house                      global    500     12       3     8%

TOOLS
#  tool             owner   chars  tokens  share
1  read (deferred)  global     94      24    60%

CONTEXTS: after the history
#  context  owner   order  chars  tokens  share
1  policy   global    115     29       8    31%

VARIABLES
variable  value          owner   in
model     deepseek-chat  global  deployment:persona-prefix, policy
none      (no value)     global  (no text)
spare     1              global  (no text)

NOT SEEN: what is registered and takes no part
- section "tool:bash" of scope "global" requires the tool "bash": no provider of
  this scope has it.
`
        )
      })
  )

  it.effect("as JSON: sizes add up, offsets are those of the prompt, places those of the file", () =>
    Effect.gen(function* () {
      const json = yield* explained(agent)
      assert.deepStrictEqual(Object.keys(json), [
        "file",
        "scope",
        "chain",
        "tokenizer",
        "sizes",
        "sections",
        "contexts",
        "tools",
        "variables",
        "absent",
        "hiddenTools",
        "listeners",
        "sealed",
        "problems"
      ])
      const rendered = JSON.parse((yield* preamble(["render", "-", "--format", "json"], { stdin: agent })).stdout)
      const { prefix, prompt, tail, tools } = json.sizes
      assert.strictEqual(prompt.characters, rendered.prompt.length)
      assert.strictEqual(tail.characters, rendered.context.length)
      assert.strictEqual(prefix.characters, prompt.characters + tools.characters)
      assert.strictEqual(prefix.tokens, prompt.tokens + tools.tokens)
      assert.deepStrictEqual(
        json.sections.map((one: { offset: number; characters: number }) =>
          rendered.prompt.slice(one.offset, one.offset + one.characters)
        ),
        ["You are a careful assistant.", "You run on deepseek-chat.", "House rules."]
      )
      const [policy] = json.contexts
      assert.strictEqual(rendered.context.slice(policy.offset), "Policy of deepseek-chat: ask.")
      const { exact, share, tokens } = json.sections[2]
      assert.deepStrictEqual([exact, share], [false, tokens / prefix.tokens])
      const size = { tokens, exact, share }
      assert.deepStrictEqual(json.sections[2], {
        name: "house",
        scope: "global",
        order: 500,
        offset: 57,
        characters: 12,
        ...size,
        place: { file: "-", line: 6, column: 5 }
      })
      assert.deepStrictEqual(json.sections[0].place, { file: "-", line: 1, column: 11 })
      assert.deepStrictEqual(json.variables[0], {
        name: "model",
        value: "deepseek-chat",
        scope: "global",
        usedBy: [
          { kind: "section", name: "deployment:persona-prefix" },
          { kind: "context", name: "policy" }
        ],
        place: { file: "-", line: 4, column: 21 }
      })
      assert.deepStrictEqual([json.variables[1].name, json.variables[1].value], ["none", null])
      assert.deepStrictEqual(json.absent, [
        {
          kind: "section",
          name: "tool:bash",
          scope: "global",
          fate: { _tag: "ToolsMissing", tools: ["bash"] },
          reason: 'requires the tool "bash": no provider of this scope has it.',
          place: { file: "-", line: 7, column: 5 }
        }
      ])
      assert.deepStrictEqual(
        [json.file, json.scope, json.chain, json.tokenizer, json.problems],
        ["-", "global", ["global"], "estimate", []]
      )
    })
  )

  it.effect("of another scope, with the variables of the command line nearest of all", () =>
    Effect.gen(function* () {
      const variables = write("v.yaml", "spare: from a file\n")
      const args = ["--scope", "child", "--set", "model=mine", "--var-file", variables]
      const text = yield* explain(agent, args)
      assert.include(text, `-, scope "child". It sees global > child > the command line.\n`)
      assert.match(text, /^3 {2}house +child {3} +400/m)
      assert.match(text, /^model +mine +child \(--set\) +deployment:pers/m)
      assert.match(text, /^spare +from a file +child \(--var-file/m)
      assert.include(
        text.replaceAll("\n  ", " "),
        `- section "house" of scope "global" is shadowed by the section of that name in scope "child".
- section "tool:bash"`
      )
      assert.include(
        text.replaceAll("\n  ", " "),
        `- variable "model" of scope "child" is shadowed by the variable of that name in scope "child" (plugin "--set").
- variable "model" of scope "global" is shadowed by the variable of that name in scope "child" (plugin "--set").`
      )
    })
  )

  it.effect("a complete section and suppressed contexts: who, and many at once in one sentence", () =>
    Effect.gen(function* () {
      const text = (yield* explain(agent, ["--scope", "whole"])).replaceAll("\n  ", " ")
      assert.include(
        text,
        `- 4 sections of scope "global": "harness:identity", "deployment:persona-prefix", "house" and "tool:bash". ` +
          `Each is displaced: the complete section "all" of scope "whole" is the whole prompt.`
      )
      assert.include(
        text,
        `- context "policy" of scope "global" is left out: contexts are suppressed by scope "whole".`
      )
      assert.include(text, "after the history        0")
      const { absent } = yield* explained(agent, "--scope", "whole")
      assert.deepStrictEqual(absent[0].fate, { _tag: "Displaced", section: "all", by: { scope: "whole" } })
    })
  )

  it.effect("does not tell of the empty persona that nobody wrote, but of one that somebody did", () =>
    Effect.gen(function* () {
      const { absent } = yield* explained("sections: [{ name: s, order: 0, text: S }]")
      assert.deepStrictEqual(absent, [])
      const written = yield* explained("persona: { prefix: '{{v}}' }\nvariables: { v: '' }")
      assert.deepStrictEqual(
        written.absent.map(({ fate, name, place }: Record<string, unknown>) => [name, fate, place]),
        [["deployment:persona-prefix", { _tag: "Empty" }, { file: "-", line: 1, column: 20 }]]
      )
    })
  )

  it.effect("--tokenizer o200k counts exactly, and says so", () =>
    Effect.gen(function* () {
      const text = yield* explain(agent, ["--tokenizer", "o200k"])
      assert.include(text, "tokens (o200k_base)")
      assert.notInclude(text, "~")
      const { sizes } = yield* explained(agent, "--tokenizer", "o200k")
      assert.deepInclude(sizes.prefix, { exact: true })
    })
  )

  it.effect("an empty composition", () =>
    Effect.gen(function* () {
      const text = yield* explain("identity: false")
      assert.include(text, "\nPROMPT\n(empty)\n")
      assert.notInclude(text, "NaN")
    })
  )
})

// -----------------------------------------------------------------------------
// listeners and tools
// -----------------------------------------------------------------------------

const listening = `toolOrder: [glob, bash, read, <unlisted-tools>]
plugins: [${plugin("listeners.ts")}]
sections:
  - { name: house, order: 500, text: House rules. }
  - { name: "tool:bash", order: TOOL_BASH, text: Quote paths., requires: [bash, glob, nope] }
tools:
  - { name: bash, description: Run a command, parameters: {} }
  - { name: read, description: Read a file, parameters: {} }
`

describe("listeners", () => {
  it.effect("are not said to have left a contribution: what became of it is told as it was registered", () =>
    Effect.gen(function* () {
      const edited = `plugins: [${plugin("empties.ts")}]
sections:
  - { name: house, order: 500, text: House rules. }
  - { name: rules, order: 600, text: Rules. }
contexts:
  - { name: policy, order: 115, text: Ask. }
`
      const text = yield* explain(edited)
      assert.notInclude(text, "left it")
      assert.include(text, `- section "house" of scope "global" renders to nothing, and so takes no place.\n`)
      assert.include(text, `- section "safe" of scope "global" (plugin "safety") renders to nothing`)
      assert.include(text, `- context "policy" of scope "global" renders to nothing, and so takes no place.\n`)
      const detail = yield* explain(edited, ["--section", "rules"])
      assert.include(detail, `section "rules" of scope "global" is in force.\n`)
      assert.include(detail, `Last changed by listener "edits" of scope "global".`)
      assert.notInclude(yield* explain(edited, ["--section", "house"]), "left it")
      const hints = yield* failed(edited, "--find", "ules.")
      assert.include(hints, 'It stands in section "house" of scope "global", which renders to nothing')
      assert.include(hints, 'section "rules" of scope "global" has it as it was written')
    })
  )

  it.effect("their ledger, outermost first, with what each added, removed and changed", () =>
    Effect.gen(function* () {
      const text = yield* explain(listening)
      assert.include(
        text,
        `LISTENERS: outermost first
1. listener "idle" of scope "global", edit, order -1: changes nothing
2. listener "banner" of scope "global", around, order 0
   changes section "house" (text)
   of what comes back: adds section "banner"
3. listener "mask" of scope "global" (plugin "safety"), edit, order 1
   removes tool "bash"
`
      )
      assert.match(text, /^1 {2}banner +global via banner +-2000/m)
      assert.match(text, /^2 {2}house +global via banner +500/m)
      assert.match(text, /^2 {2}grep +global \(search\) from search/m)
      const { absent, listeners, sections } = yield* explained(listening)
      assert.deepInclude(sections[0], { name: "banner", listener: { name: "banner", scope: "global" } })
      assert.deepStrictEqual(
        listeners.map(({ name, kind, next }: Record<string, unknown>) => [name, kind, next]),
        [
          ["idle", "edit", "ran"],
          ["banner", "around", "ran"],
          ["mask", "edit", "ran"]
        ]
      )
      assert.deepStrictEqual(listeners[2].handedOn.patch, [{ op: "remove", path: "/tools/0" }])
      assert.deepStrictEqual(
        absent.map(({ kind, name }: Record<string, unknown>) => [kind, name]),
        [
          ["section", "tool:bash"],
          ["tool", "bash"]
        ]
      )
    })
  )

  it.effect("a section whose tools are missing says for each why", () =>
    Effect.gen(function* () {
      const text = (yield* explain(listening)).replaceAll("\n  ", " ")
      assert.include(
        text,
        `- section "tool:bash" of scope "global" requires the tool "bash": listener "mask" of scope "global" (plugin "safety") removed it. It ` +
          `requires the tool "glob": tool provider "search" of scope "global" (plugin "search") knows it and hides it. It ` +
          `requires the tool "nope": no provider of this scope has it.`
      )
    })
  )

  it.effect("tools of toolOrder that are hidden are told with who hides them; unknown ones are an error", () =>
    Effect.gen(function* () {
      const text = yield* explain(listening)
      assert.include(
        text.replaceAll("\n  ", " "),
        `TOOLS OF toolOrder THAT ARE NOT SHOWN
- glob: tool provider "search" of scope "global" (plugin "search") knows it and hides it.
- bash: listener "mask" of scope "global" (plugin "safety") removed it.
`
      )
      const { hiddenTools } = yield* explained(listening)
      assert.deepStrictEqual(hiddenTools, [
        { tool: "glob", by: [{ kind: "tools", entry: "search", scope: "global", plugin: "search" }] },
        { tool: "bash", by: [{ kind: "listener", entry: "mask", scope: "global", plugin: "safety" }] }
      ])
      assert.match(
        yield* failed(listening.replace("[glob", "[glbo")),
        /^-:1:13: UnknownTool: toolOrder lists unknown tools: glbo/
      )
    })
  )

  it.effect("a tool that restrictions hide is told with each of them, and where the file has it", () =>
    Effect.gen(function* () {
      const restricted = `toolOrder: [bash, <unlisted-tools>]
sections:
  - { name: "tool:bash", order: TOOL_BASH, text: Quote paths., requires: [bash, edit] }
tools:
  - { name: bash, description: Run a command, parameters: {} }
  - { name: edit, description: Edit a file, parameters: {} }
  - { name: read, description: Read a file, parameters: {} }
scopes:
  safe: { restrict: { deny: [read, bash] } }
  narrow: { parent: safe, restrict: { allow: [] }, tools: [{ name: read, description: R, parameters: {} }] }
scope: narrow
`
      const safe = 'the restriction of scope "safe" denies it (-:9:29)'
      const narrow = 'the restriction of scope "narrow" does not allow it (-:10:46)'
      const text = (yield* explain(restricted)).replaceAll("\n  ", " ")
      assert.include(
        text,
        `NOT SEEN: what is registered and takes no part
- section "tool:bash" of scope "global" requires the tool "bash": ${safe} and ${narrow}. It requires the tool "edit": ${narrow}.
- tool "read" of scope "global" is shadowed by the tool of that name in scope "narrow".
- tool "bash" of scope "global" is not shown: ${safe} and ${narrow}.
- tool "edit" of scope "global" is not shown: ${narrow}.

TOOLS OF toolOrder THAT ARE NOT SHOWN
- bash: ${safe} and ${narrow}.
`
      )
      const { absent, hiddenTools, tools } = yield* explained(restricted)
      assert.deepInclude(tools[0], { name: "read", scope: "narrow", place: { file: "-", line: 10, column: 60 } })
      assert.deepStrictEqual(hiddenTools, [
        {
          tool: "bash",
          by: [
            { kind: "restriction", entry: "", scope: "safe", list: "deny", place: { file: "-", line: 9, column: 29 } },
            {
              kind: "restriction",
              entry: "",
              scope: "narrow",
              list: "allow",
              place: { file: "-", line: 10, column: 46 }
            }
          ]
        }
      ])
      assert.deepStrictEqual(absent[2], {
        kind: "tool",
        name: "bash",
        scope: "global",
        fate: {
          _tag: "Restricted",
          by: [
            { list: "deny", scope: "safe" },
            { list: "allow", scope: "narrow" }
          ]
        },
        reason: `is not shown: ${safe} and ${narrow}.`,
        place: { file: "-", line: 5, column: 5 }
      })
      const section = (yield* explain(restricted, ["--section", "tool:bash"])).replaceAll("\n", " ")
      assert.include(section, `requires the tool "bash": ${safe} and ${narrow}.`)
    })
  )

  it.effect("a restriction of a plugin has no place in the file, whatever the file restricts there too", () =>
    Effect.gen(function* () {
      const restricted = `plugins: []
tools:
  - { name: bash, description: Run a command, parameters: {} }
  - { name: read, description: Read a file, parameters: {} }
scopes:
  safe: { restrict: { deny: [read] }, plugins: [${plugin("restrict.ts")}, ${plugin("lock.ts")}] }
scope: safe
`
      const text = (yield* explain(restricted)).replaceAll("\n  ", " ")
      assert.include(text, `tool "bash" of scope "global" is not shown: the restriction of scope "safe" denies it.\n`)
      assert.include(
        text,
        `tool "read" of scope "global" is not shown: the restriction of scope "safe" denies it (-:6:29) and the restriction of scope "safe" (plugin "lock") denies it.\n`
      )
    })
  )

  it.effect("a tool of the file has its place, one of that name that a provider gives has none", () =>
    Effect.gen(function* () {
      const { tools } = yield* explained(
        `plugins: [${plugin("bare.ts")}]\ntools: [{ name: read, description: Read a file, parameters: {} }]`
      )
      assert.deepStrictEqual(
        tools.map(({ place, provider }: Record<string, unknown>) => [provider, place]),
        [
          ["bare", undefined],
          [undefined, { file: "-", line: 2, column: 9 }]
        ]
      )
    })
  )

  it.effect("a short circuit is seen, and who did not run because of it, outermost first [BC-053]", () =>
    Effect.gen(function* () {
      const text = yield* explain(
        `identity: I\nplugins: [${plugin("short.ts")}]\nsections: [{ name: house, order: 0, text: H }]`
      )
      // Of two at one order the one with the lesser name is the outer one.
      assert.include(
        text,
        `LISTENERS: outermost first
1. listener "short" of scope "global", around, order 0
   does not run the rest
   returns: removes section "house"
2. listener "all" of scope "global", edit, order 1: did not run: listener
   "short" of scope "global" does not run the rest.
3. listener "inner" of scope "global", edit, order 1: did not run: listener
   "short" of scope "global" does not run the rest.
`
      )
      assert.include(
        text.replaceAll("\n  ", " "),
        `- section "house" of scope "global" was removed by listener "short" of scope "global".`
      )
    })
  )

  it.effect("what one added and a complete section displaced is told too", () =>
    Effect.gen(function* () {
      const whole = `${listening}scopes: { whole: { sections: [{ name: all, order: 0, text: All., complete: true }] } }\n`
      const { absent } = yield* explained(whole, "--scope", "whole")
      assert.deepInclude(absent, {
        kind: "section",
        name: "banner",
        scope: "global",
        listener: { name: "banner", scope: "global" },
        fate: { _tag: "Displaced", section: "all", by: { scope: "whole" } },
        reason: 'is displaced: the complete section "all" of scope "whole" is the whole prompt.'
      })
    })
  )

  it.effect("--no-plugins refuses them", () =>
    Effect.gen(function* () {
      assert.include(yield* failed(listening, "--no-plugins"), "plugins are refused")
    })
  )
})

// -----------------------------------------------------------------------------
// what does not render
// -----------------------------------------------------------------------------

const broken = `sections:
  - { name: good, order: 0, text: "Fine {{v}}." }
  - { name: bad, order: 1, text: "Bad {{nope}} {{ x }}" }
contexts: [{ name: c, order: 0, text: "{{gone}}" }]
variables: { v: V, gone: null }
`

describe("a prompt that does not render", () => {
  it.effect("is explained all the same, with every problem at its place and the sizes that are known", () =>
    Effect.gen(function* () {
      const text = yield* explain(broken)
      assert.match(text, /^1 {2}good +global +0 +7/m)
      assert.match(text, /^2 {2}bad \(does not render\) +global +1 +20/m)
      assert.match(text, /^1 {2}c \(does not render\) +global +0 +8/m)
      assert.include(text, "DOES NOT RENDER: 3 problems\n-:3:39: UnknownVariable: ")
      assert.include(text, '> 3 |   - { name: bad, order: 1, text: "Bad {{nope}} {{ x }}" }\n')
      assert.include(text, "-:3:48: MalformedGroup: ")
      assert.include(text, "-:4:40: UndefinedVariable: ")
      const json = yield* explained(broken)
      assert.deepStrictEqual(
        json.sections.map(({ name, renders }: Record<string, unknown>) => [name, renders]),
        [
          ["good", undefined],
          ["bad", false]
        ]
      )
      assert.deepStrictEqual(
        json.problems.map(({ _tag, entry, kind, places }: Record<string, unknown>) => [_tag, kind, entry, places]),
        [
          ["UnknownVariable", "section", "bad", [{ file: "-", line: 3, column: 39 }]],
          ["MalformedGroup", "section", "bad", [{ file: "-", line: 3, column: 48 }]],
          ["UndefinedVariable", "context", "c", [{ file: "-", line: 4, column: 40 }]]
        ]
      )
    })
  )

  it.effect("names an environment variable that is not set, and where the file asks for it", () =>
    Effect.gen(function* () {
      const unset = "variables: { a: { env: A_B } }\nsections: [{ name: s, order: 0, text: '{{a}}' }]\n"
      for (const text of [yield* explain(unset), yield* explain(unset, ["--section", "s"])]) {
        assert.match(text, /The\s+environment\s+variable\s+"A_B"/)
        assert.match(text, /^-:1:24$/m)
      }
      const [problem] = (yield* explained(unset)).problems
      assert.include(problem.message, 'The environment variable "A_B"')
      assert.deepStrictEqual(problem.places[1], { file: "-", line: 1, column: 24 })
    })
  )

  it.effect("--find looks in what is known, --section shows the problems, --offset has nothing to count in", () =>
    Effect.gen(function* () {
      assert.include(yield* explain(broken, ["--find", "{{nope}}"]), `section "bad" of scope "global"\n-:3:39\n`)
      const text = yield* explain(broken, ["--section", "bad"])
      assert.match(text, /\{\{nope\}\} {2}\(unknown\)/)
      assert.include(text, "DOES NOT RENDER\n-:3:39: UnknownVariable")
      assert.match(yield* failed(broken, "--offset", "0"), /^-:3:39: UnknownVariable: [\s\S]*3 problems\n$/)
    })
  )

  it.effect("what does not even assemble fails as `render` does", () =>
    Effect.gen(function* () {
      const two =
        "sections: [{ name: a, order: 0, text: A, complete: true }, { name: b, order: 0, text: B, complete: true }]"
      const rendered = yield* preamble(["render", "-"], { stdin: two })
      assert.strictEqual(yield* failed(two), rendered.stderr)
    })
  )
})

// -----------------------------------------------------------------------------
// one section
// -----------------------------------------------------------------------------

describe("--section", () => {
  it.effect("tells its fate, its place, what it shadows, what it refers to, and its text", () =>
    Effect.gen(function* () {
      const file = write("long.md", "One {{model}}.\n\n    indented\n")
      const composition = `variables: { model: far }
sections: [{ name: s, order: 1, text: Far. }]
scopes:
  child:
    variables: { model: near }
    sections: [{ name: s, order: 2, text: { file: ${JSON.stringify(file)} } }]
`
      const text = yield* explain(composition, ["--scope", "child", "--section", "s"])
      assert.include(
        text,
        `section "s" of scope "child" is in force.
-:6:16
  4 |   child:
  5 |     variables: { model: near }
> 6 |     sections: [{ name: s, order: 2, text: { file: `
      )
      assert.include(
        text,
        `section "s" of scope "global" is shadowed by the section of that name in scope\n"child".\n-:2:12\n`
      )
      assert.include(text, "SHOWN\nnumber 1 of the prompt, order 2, at offset 0: 24 characters, ~")
      assert.match(text, /^\{\{model\}\} +near +child +-:5:25$/m)
      assert.include(text, "TEXT: as it was written\n  One {{model}}.\n\n      indented\n")
      const json = yield* explained(composition, "--scope", "child", "--section", "s")
      assert.deepStrictEqual(
        json.entries.map(({ fate, ran, scope, order, place }: Record<string, unknown>) => [
          scope,
          order,
          ran,
          fate,
          place
        ]),
        [
          ["child", 2, true, { _tag: "InForce" }, { file: "-", line: 6, column: 16 }],
          ["global", 1, false, { _tag: "Shadowed", by: { scope: "child" } }, { file: "-", line: 2, column: 12 }]
        ]
      )
      assert.deepInclude(json, { kind: "section", name: "s", text: "One {{model}}.\n\n    indented\n", problems: [] })
      assert.deepInclude(json.shown, { index: 0, offset: 0, characters: 24, order: 2, requires: [] })
      assert.deepStrictEqual(json.references, [
        { name: "model", value: "near", known: true, scope: "child", place: { file: "-", line: 5, column: 25 } }
      ])
    })
  )

  it.effect("says why one vanished: required tool, shadowed, displaced, removed; its text is still told", () =>
    Effect.gen(function* () {
      const bash = yield* explain(agent, ["--section", "tool:bash"])
      assert.include(bash, `requires the tool "bash": no provider of\nthis scope has it.\n-:7:5\n`)
      assert.include(bash, "TEXT: as it was written\n  Quote paths.\n")
      assert.notInclude(bash, "SHOWN")
      const displaced = yield* explain(agent, ["--section", "house", "--scope", "whole"])
      assert.include(displaced, `is displaced: the complete section "all" of`)
      const context = yield* explain(agent, ["--section", "policy", "--scope", "whole"])
      assert.include(
        context,
        `context "policy" of scope "global" is left out: contexts are suppressed by scope\n"whole".`
      )
      assert.include(context, "  Policy of {{model}}: ask.\n")
      const { shown } = yield* explained(agent, "--section", "house", "--scope", "whole")
      assert.isNull(shown)
    })
  )

  it.effect("one that only a listener adds has an owner and a text", () =>
    Effect.gen(function* () {
      const text = yield* explain(listening, ["--section", "banner"])
      assert.include(text, `Last changed by listener "banner" of scope "global".`)
      assert.include(text, "  BANNER\n")
    })
  )

  it.effect("requirements that are met are told", () =>
    Effect.gen(function* () {
      const text = yield* explain(agent.replace("requires: [bash]", "requires: [read]"), ["--section", "tool:bash"])
      assert.include(text, "It requires tools, which are there: read.")
    })
  )

  it.effect("an unknown one is a typed failure with the nearest and the known names", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* failed(agent, "--section", "huose"),
        `NothingFound: scope "global" sees no section or context "huose". Did you mean "house"? ` +
          `It sees: harness:identity, deployment:persona-prefix, house, tool:bash, deployment:persona-suffix, policy.\n`
      )
      const json = yield* preamble(["explain", "-", "--section", "huose", "--format", "json"], { stdin: agent })
      assert.deepInclude(errorOf(json), { _tag: "NothingFound", sought: "section", value: "huose", scope: "global" })
    })
  )
})

// -----------------------------------------------------------------------------
// a tool
// -----------------------------------------------------------------------------

describe("--tool", () => {
  const library = `tools:
  - { name: find_book, description: Find, parameters: { type: object } }
  - { name: lend_book, description: Lend, parameters: { type: object } }
scopes:
  guest: { restrict: { deny: [lend_book] } }
  desk: { tools: [{ name: lend_book, description: Lend at the desk, parameters: { type: object } }] }
`

  it.effect("hidden: who hides it, and where", () =>
    Effect.gen(function* () {
      const text = yield* explain(library, ["--tool", "lend_book", "--scope", "guest"])
      assert.include(
        text,
        `tool "lend_book" of scope "global" is not shown: the restriction of scope\n"guest" denies it (-:5:30).\n-:3:5\n`
      )
      assert.notInclude(text, "SHOWN")
      const answer = yield* explained(library, "--tool", "lend_book", "--scope", "guest")
      assert.deepStrictEqual(
        [answer.kind, answer.name, answer.shown, answer.by],
        [
          "tool",
          "lend_book",
          [],
          [
            {
              kind: "restriction",
              entry: "",
              scope: "guest",
              list: "deny",
              place: { file: "-", line: 5, column: 30 }
            }
          ]
        ]
      )
      assert.strictEqual(answer.entries[0].fate._tag, "Restricted")
    })
  )

  it.effect("one that a provider knows and does not give", () =>
    Effect.gen(function* () {
      const text = yield* explain(listening, ["--tool", "glob"])
      assert.match(text, /\n\ntool "glob" is not shown: tool provider "search"[\s\S]* hides\s+it\.\n$/u)
      const given = yield* explain(library, ["--tool", "find_book"])
      assert.notInclude(given, "is not shown")
    })
  )

  it.effect("shown: its place among the tools and its size; a nearer one shadows it", () =>
    Effect.gen(function* () {
      const text = yield* explain(library, ["--tool", "lend_book"])
      assert.include(text, `tool "lend_book" of scope "global" is in force.\n-:3:5\n`)
      assert.match(text, /SHOWN\nnumber 2 of the tools: 72 characters, ~\d+ tokens, \d+% of the cached prefix\.\n$/u)
      const desk = yield* explain(library, ["--tool", "lend_book", "--scope", "desk"])
      assert.match(desk, /tool "lend_book" of scope "desk" is in force\.[\s\S]*of scope "global" is shadowed/u)
      const { shown } = yield* explained(library, "--tool", "find_book")
      assert.deepInclude(shown[0], { name: "find_book", index: 0 })
    })
  )

  it.effect("an unknown one is a typed failure with the nearest and the known names", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* failed(library, "--tool", "len_book"),
        'NothingFound: scope "global" knows no tool "len_book". Did you mean "lend_book"? It knows: find_book, lend_book.\n'
      )
      assert.strictEqual(
        yield* failed("identity: Hi.", "--tool", "x"),
        'NothingFound: scope "global" knows no tool "x". It knows none.\n'
      )
    })
  )
})

// -----------------------------------------------------------------------------
// a character
// -----------------------------------------------------------------------------

describe("--offset", () => {
  const at = (offset: number) => explain(agent, ["--offset", String(offset)])

  it.effect("text: the section, its place, and a caret under the character", () =>
    Effect.gen(function* () {
      const text = yield* at(4)
      assert.include(
        text,
        `offset 4 of the prompt (line 1, column 5): section "harness:identity" of scope
"global"
-:1:15
> 1 | identity: You are a careful assistant.
    |               ^
`
      )
    })
  )

  it.effect("a value: the variable and who puts it in; a separator: nobody", () =>
    Effect.gen(function* () {
      // "You are a careful assistant.\n\nYou run on deepseek-chat."
      assert.include(
        yield* at(41 + 4),
        `the value of variable "model" of
scope "global", put in by section "deployment:persona-prefix" of scope "global"
-:4:25
`
      )
      assert.include(yield* at(28), "offset 28 of the prompt (line 1, column 29): the blank line between two texts\n")
      const { occurrence } = yield* explained(agent, "--offset", "45")
      assert.deepStrictEqual(occurrence, {
        where: "prompt",
        offset: 45,
        line: 3,
        column: 16,
        pieces: [
          {
            _tag: "Value",
            owner: { kind: "section", entry: "deployment:persona-prefix", scope: "global" },
            variable: { kind: "variable", entry: "model", scope: "global" },
            origin: { scope: "global", shadows: [] },
            offset: 4,
            reference: 11,
            places: [
              { file: "-", line: 4, column: 25 },
              { file: "-", line: 3, column: 22 }
            ]
          }
        ]
      })
    })
  )

  it.effect("the last character is there, the next one is not", () =>
    Effect.gen(function* () {
      assert.include(yield* at(68), `section "house" of scope "global"`)
      assert.strictEqual(
        yield* failed(agent, "--offset", "69"),
        "NothingFound: the prompt has no character at offset 69. It has 69 characters, counted from 0.\n"
      )
    })
  )
})

// -----------------------------------------------------------------------------
// a text
// -----------------------------------------------------------------------------

describe("--find", () => {
  it.effect("finds it in the prompt, in values, in contexts, each with its place", () =>
    Effect.gen(function* () {
      const json = yield* explained(agent, "--find", "deepseek")
      assert.strictEqual(json.total, 2)
      assert.deepStrictEqual(
        json.occurrences.map(({ where, offset, line, pieces }: Record<string, unknown>) => [
          where,
          offset,
          line,
          (pieces as ReadonlyArray<{ readonly variable: unknown; readonly places: unknown }>).map(
            ({ places }) => places
          )
        ]),
        [
          [
            "prompt",
            41,
            3,
            [
              [
                { file: "-", line: 4, column: 21 },
                { file: "-", line: 3, column: 22 }
              ]
            ]
          ],
          [
            "context",
            106,
            3,
            [
              [
                { file: "-", line: 4, column: 21 },
                { file: "-", line: 9, column: 50 }
              ]
            ]
          ]
        ]
      )
    })
  )

  it.effect("in a file of its own: that file, with a frame, and then where the composition names it", () =>
    Effect.gen(function* () {
      write("guide.md", "First line.\nThink step by step.\n")
      const file = write("guided.yaml", "sections:\n  - { name: s, order: 0, text: { file: guide.md } }\n")
      const { stdout } = yield* preamble(["explain", file, "--find", "step by step"])
      assert.include(
        stdout,
        `
offset 18 of the prompt (line 2, column 7): section "s" of scope "global"
${join(folder, "guide.md")}:2:7
  1 | First line.
> 2 | Think step by step.
    |       ^
${file}:2:40
`
      )
    })
  )

  it.effect("one that runs over several sources names them all, from left to right", () =>
    Effect.gen(function* () {
      const text = yield* explain(agent, ["--find", "assistant.\n\nYou run on deep"])
      assert.include(text, '1 occurrence of "assistant.\\n\\nYou run on deep"')
      assert.match(
        text.replaceAll("\n", " "),
        /section "harness:identity" of scope "global" -:1:\d+ .* then the blank line between two texts then section "deployment:persona-prefix" of scope "global" -:3:11 then the value of variable "model"/
      )
    })
  )

  it.effect("one that ends where a source ends is of that source alone", () =>
    Effect.gen(function* () {
      const { occurrences } = yield* explained(agent, "--find", "assistant.")
      assert.deepStrictEqual(
        occurrences[0].pieces.map(({ _tag }: Record<string, unknown>) => _tag),
        ["Text"]
      )
    })
  )

  it.effect("in tools: the tool and the path in its schema, keys too", () =>
    Effect.gen(function* () {
      const composition = `tools:
  - name: read
    description: Read a file
    parameters: { type: object, properties: { file_path: { type: string, description: An absolute path } } }
`
      const text = yield* explain(composition, ["--find", "absolute"])
      assert.include(
        text.replaceAll("\n", " "),
        `in the tools: tool "read", $.parameters.properties.file_path.description, from scope "global" -:4:`
      )
      const keys = yield* explained(composition, "--find", "file_path")
      assert.deepStrictEqual(
        keys.occurrences.map(({ pieces }: { pieces: ReadonlyArray<{ path: string }> }) => pieces[0]?.path),
        ["$.parameters.properties.file_path"]
      )
      // The names of the fields are nobody's text.
      assert.include(yield* failed(composition, "--find", "parameters"), "NothingFound")
    })
  )

  it.effect("in tools: whom each comes from, and a place of the file for none but its own", () =>
    Effect.gen(function* () {
      const composition = `plugins: [${plugin("nameless.ts")}]
tools: [{ name: read, description: Given, parameters: { type: object } }]
`
      const { occurrences } = yield* explained(composition, "--find", "Given")
      assert.deepStrictEqual(
        occurrences.map(({ pieces: [piece] }: { pieces: ReadonlyArray<Record<string, unknown>> }) => [
          piece!["tool"],
          piece!["owner"],
          piece!["places"]
        ]),
        [
          ["late", { kind: "listener", entry: "adds", scope: "global" }, []],
          ["read", { kind: "tools", entry: "", scope: "global" }, []],
          ["read", { kind: "tool", entry: "read", scope: "global" }, [{ file: "-", line: 2, column: 36 }]]
        ]
      )
      const text = (yield* explain(composition, ["--find", "Given"])).replaceAll("\n", " ")
      assert.include(text, 'tool "late", $.description, from listener "adds" of scope "global"')
      assert.notInclude(text, "last changed by")
    })
  )

  it.effect("counts all and shows the first twenty", () =>
    Effect.gen(function* () {
      const composition = `sections: [{ name: s, order: 0, text: ${"x".repeat(50)} }]`
      const text = yield* explain(composition, ["--find", "x"])
      assert.include(text, '50 occurrences of "x"')
      assert.strictEqual(text.match(/^offset /gm)?.length, 20)
      assert.include(text, "\nand 30 more.\n")
      const json = yield* explained(composition, "--find", "xx")
      assert.deepStrictEqual([json.total, json.occurrences.length], [25, 20])
    })
  )

  it.effect("what a listener made has no place in the file that it is not in", () =>
    Effect.gen(function* () {
      const added = yield* explained(listening, "--find", "BANNER")
      assert.deepStrictEqual(added.occurrences[0].pieces[0].places, [])
      const edited = yield* explain(listening, ["--find", "edited"])
      assert.include(
        edited.replaceAll("\n", " "),
        `section "house" of scope "global", last changed by listener "banner" of scope "global" -:4:5 `
      )
    })
  )

  it.effect("nothing found: says so, and where the text is though the model does not see it", () =>
    Effect.gen(function* () {
      const find = (text: string, ...args: ReadonlyArray<string>) => failed(agent, "--find", text, ...args)
      assert.strictEqual(yield* find("nowhere"), 'NothingFound: the model does not see "nowhere" in scope "global".\n')
      assert.strictEqual(
        yield* find("Quote"),
        'NothingFound: the model does not see "Quote" in scope "global". It stands in section "tool:bash" of scope "global", ' +
          'which requires the tool "bash": no provider of this scope has it.\n'
      )
      assert.include(
        yield* find("House", "--scope", "child"),
        'It stands in section "house" of scope "global", which is shadowed by the section of that name in scope "child".'
      )
      assert.include(yield* find("{{model}}"), "has it as it was written, before variables are put in")
      assert.include(yield* find("CAREFUL"), "upper and lower case count")
      assert.include(yield* find("a\u0007\n\u200b"), String.raw`does not see "a\u0007\n\u200b" in`)
    })
  )
})

describe("docs/explain.md", () => {
  it.effect("shows what `explain` says of the example with a listener", () =>
    Effect.gen(function* () {
      const page = readFileSync(join(root, "docs/explain.md"), "utf8")
      const [, file, command, output] =
        /<!-- explain: (\S+) -->\n```console\n\$ preamble (.*)\n([^]*?)^```$/m.exec(page) ?? assert.fail("no example")
      const args = command!.split(" ")
      assert.strictEqual(args[1], file)
      const { stdout } = yield* preamble(args.with(1, join(root, file!)))
      assert.strictEqual(stdout.replaceAll(join(root, file!), file!), output)
    })
  )
})

describe("wrong usage", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
    [["explain", "-", "--find", "a", "--offset", "1"], "Give one of --section, --tool, --offset and --find."],
    [["explain", "-", "--section", "a", "--offset", "1"], "Give one of --section, --tool, --offset and --find."],
    [["explain", "-", "--find", ""], "--find needs a text."],
    [["explain", "-", "--offset=-1"], "--offset counts from 0."],
    [["explain", "-", "--offset", "x"], "x"],
    [["explain"], "FILE"]
  ]
  it.effect.each(cases)("%s", ([args, message]) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* preamble(args, { stdin: agent })
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, message)
    })
  )
})

// -----------------------------------------------------------------------------
// the terminal, and time
// -----------------------------------------------------------------------------

describe("on a terminal", () => {
  const tally = new Tally()

  it.effect(
    "no line is wider than it, and nothing steers it, whatever is in the files",
    () =>
      check(
        Arbitrary.all([cells.text(30), cells.text(60), cells.text(12), cells.text(12)]),
        ([name, text, value, variable]) =>
          Effect.gen(function* () {
            const clean = (one: string) => one.replaceAll(/\p{Cs}/gu, "")
            const composition = JSON.stringify({
              persona: { prefix: clean(text) },
              sections: [
                { name: `n${clean(name)}`, order: 1, text: `{{v}}${clean(text)}`, interpolate: true },
                { name: `m${clean(name)}`, order: 2, text: "m", requires: [`t${clean(variable)}`] }
              ],
              contexts: [
                { name: `c${clean(name)}`, order: 1, text: "{{v}}" },
                ...(name.length % 2 === 0 ? [] : [{ name: "broken", order: 2, text: "{{nope}} {{ x }}" }])
              ],
              variables: { v: `x${clean(value)}` },
              tools: [{ name: "t", description: clean(text), parameters: { [clean(name)]: 1 } }]
            })
            for (const columns of [80, 40]) {
              for (const args of [
                [],
                ["--section", `n${clean(name)}`],
                ["--find", `x${clean(value)}`],
                ["--offset", "0"]
              ]) {
                const world = { stdin: composition, columns, env: { NO_COLOR: "1" } }
                const ended = yield* preamble(["explain", "-", ...args], world)
                assert.notStrictEqual(ended.code, 70)
                tally.count(ended.code === 0 ? "explained" : "refused")
                const lines = ended.stdout.split("\n")
                // eslint-disable-next-line no-control-regex
                assert.notMatch(lines.join(""), /[\u0000-\u001f\u007f-\u009f\u202e]/u)
                // Frames show what is invisible as it is.
                const prose = lines.filter((line) => !/^[> ] +\d* \|/u.test(line))
                assert.notMatch(prose.join(""), /[\u200b\u2028]/u)
                // Frames are as wide as they are everywhere.
                for (const line of lines.filter((one) => columns >= 80 || !/^(?:[> ] +\d* \||-:)/u.test(one))) {
                  assert.isAtMost(width(line), Math.max(columns, 40), JSON.stringify(line))
                }
              }
            }
          }),
        { runs: 40 }
      ).pipe(Effect.tap(() => Effect.sync(() => tally.assertShares("terminal", { explained: 50 })))),
    patience
  )

  it.effect("a long line of a text is broken, and keeps every character", () =>
    Effect.gen(function* () {
      const text = yield* explain(`sections: [{ name: s, order: 0, text: ${"x".repeat(200)} }]`, ["--section", "s"])
      const lines = text.split("\n")
      for (const line of lines) assert.isAtMost(line.length, 80)
      assert.strictEqual(
        lines
          .filter((line) => /^ {2}x+$/.test(line))
          .join("")
          .replaceAll(" ", "").length,
        200
      )
    })
  )

  it.effect("colours on a terminal alone, and not with NO_COLOR", () =>
    Effect.gen(function* () {
      const escape = "\u001b["
      const env = { TERM: "xterm" }
      assert.include(yield* explain(agent, [], { columns: 80, env }), escape)
      assert.notInclude(yield* explain(agent, [], { columns: 80, env: { ...env, NO_COLOR: "1" } }), escape)
      assert.notInclude(yield* explain(agent, [], { env }), escape)
    })
  )
})

describe("300 sections and 300 tools", () => {
  const numbers = Array.from({ length: 300 }, (_, i) => String(i).padStart(3, "0"))
  const large = JSON.stringify({
    variables: { model: "m" },
    sections: numbers.map((i) => ({
      name: `section-${i}`,
      order: 1000,
      text: `Guidance ${i} for {{model}}. ${"Read the file before you edit it. ".repeat(8)}`,
      requires: [`tool_${i}`]
    })),
    tools: numbers.map((i) => ({ name: `tool_${i}`, description: "Does one thing. ".repeat(8), parameters: {} }))
  })

  it.effect("are explained", () =>
    Effect.gen(function* () {
      const text = yield* explain(large)
      assert.match(text, /^300 {2}section-299 /m)
      assert.match(text, /^300 {2}tool_299 /m)
      assert.include(yield* explain(large, ["--find", "Guidance 123"]), `section "section-123"`)
    })
  )
})
