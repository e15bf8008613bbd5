import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { format, InvalidComposition } from "effect-preamble/composition"
import { placesOf, refuse } from "./support.ts"

const section = (rest: string): string => `sections:\n  - { name: a, order: 0, text: x }\n  - { ${rest} }\n`

/** What is wrong: the text with a mark at the place, the problem's path and tag, and parts of its message, which ends at "¶". */
const mistakes: ReadonlyArray<readonly [title: string, marked: string, path: string, ...parts: ReadonlyArray<string>]> =
  [
    [
      "BC-086: unknown key, with the nearest",
      "¦sectoins: []\n",
      "sectoins",
      "sectoins",
      'Did you mean "sections"?',
      "Known keys: preamble, identity"
    ],
    [
      "BC-086: missing key, at the entry",
      "sections:\n  - ¦{name: a, order: 0}\n",
      "sections[0].text",
      'the key "text" is missing'
    ],
    [
      "unknown key of a section",
      section("name: b, order: 1, text: x, ¦odrer: 2"),
      "sections[1].odrer",
      'Did you mean "order"?'
    ],
    [
      "a mistyped key is said once, not also as missing",
      section("name: b, order: 1, ¦txt: x"),
      "sections[1].txt",
      'Did you mean "text"?'
    ],
    ["unknown key far from all", "¦zzz: 1", "zzz", "Known keys:"],
    ["identity as list", "identity: ¦[x]", "identity", "expected text, true or false, got a list.¶"],
    [
      "persona as text",
      "persona: ¦You are X",
      "persona",
      'expected a map { prefix: text, suffix: text } or one of the two, got "You are X".'
    ],
    [
      "required tools as text",
      section("name: b, order: 1, text: x, requires: ¦bash"),
      "sections[1].requires",
      'expected a list of tool names, got "bash". Write [bash].'
    ],
    ["tool order as text", "toolOrder: ¦read", "toolOrder", 'Write [read, "<unlisted-tools>"].¶'],
    ["tool order as a text with blanks", "toolOrder: ¦a b", "toolOrder", 'Write ["a b", "<unlisted-tools>"].¶'],
    ["tool order as the rest", 'toolOrder: ¦"<unlisted-tools>"', "toolOrder", 'Write ["<unlisted-tools>"].¶'],
    [
      "tool order of a preset as text",
      "- { name: '@deepseek-ai/dsh-system-prompt', config: { toolOrder: ¦read } }",
      "[0].config.toolOrder",
      'expected a list of tool names and "<unlisted-tools>", got "read". Write [read, "<unlisted-tools>"].¶'
    ],
    [
      "restriction as text",
      "scopes: { a: { restrict: { deny: ¦'a b' } } }",
      "scopes.a.restrict.deny",
      'Write ["a b"].'
    ],
    ["plugins as text", "plugins: ¦./p.ts", "plugins", "expected a list of module files", "Write [./p.ts]."],
    ["sections as text", "sections: ¦x", "sections", 'expected a list of sections, got "x".'],
    ["version", "preamble: ¦2", "preamble", "expected the number 1, got the number 2"],
    ["version as text", 'preamble: ¦"1"', "preamble", 'got "1"'],
    ["identity as number", "identity: ¦3", "identity", "expected text, true or false", "Quote it"],
    ["runtimeContext as text", "runtimeContext: ¦yes", "runtimeContext", "expected true or false", 'got "yes"'],
    ["sortToolKeys as a list", "sortToolKeys: ¦[bash]", "sortToolKeys", "expected true or false"],
    ["sortToolKeys mistyped", "¦sortToolkeys: true", "sortToolkeys", 'Did you mean "sortToolKeys"?'],
    ["sortToolKeys in a scope", "scopes: { a: { ¦sortToolKeys: true } }", "scopes.a.sortToolKeys", "unknown key"],
    ["persona without known key", "persona: { ¦text: x }", "persona.text", "Known keys: prefix, suffix"],
    ["sections as map", "sections: ¦{ a: b }", "sections", "expected a list of sections, got a map"],
    ["block collection: at its key", "¦sections:\n  a: b", "sections", "expected a list of sections, got a map"],
    ["no value: at the key", "¦identity:\n", "identity", "got null"],
    ["section as text", "sections:\n  - ¦hello", "sections[0]", "expected a section { name, order, text }"],
    [
      "name as number",
      section("name: ¦1, order: 1, text: x"),
      "sections[1].name",
      "expected a name (text), got the number 1",
      "Quote it"
    ],
    [
      "text as number",
      section("name: b, order: 1, text: ¦1.10"),
      "sections[1].text",
      "expected text or { file: name }",
      "Quote it"
    ],
    ["text as list", section("name: b, order: 1, text: ¦[x]"), "sections[1].text", "got a list.¶"],
    ["name as list", section("name: ¦[], order: 1, text: x"), "sections[1].name", "got a list.¶"],
    ["name as map", section("name: ¦{ a: b }, order: 1, text: x"), "sections[1].name", "got a map.¶"],
    ["variable as list", "variables: { b: ¦[x] }", "variables.b", "got a list.¶"],
    ["identity as map", "identity: ¦{ a: b }", "identity", "expected text, true or false, got a map.¶"],
    ["name as braces", section("name: ¦{{x}}, order: 1, text: x"), "sections[1].name", 'Quote it: "{{x}}".'],
    [
      "text with another key",
      section("name: b, order: 1, text: { ¦flie: x }"),
      "sections[1].text.flie",
      'Did you mean "file"?'
    ],
    [
      "empty file name",
      section('name: b, order: 1, text: { file: ¦"" }'),
      "sections[1].text.file",
      'expected a file name, got ""'
    ],
    [
      "BC-081: order in quotes",
      section('name: b, order: ¦"10", text: x'),
      "sections[1].order InvalidRegistration",
      'got "10"',
      "Remove the quotes"
    ],
    [
      "BC-081: order null",
      section("name: b, order: ¦null, text: x"),
      "sections[1].order",
      "expected a number or the name of a band"
    ],
    ["BC-081: order true", section("name: b, order: ¦true, text: x"), "sections[1].order", "got the boolean true"],
    [
      "BC-081: order .nan",
      section("name: b, order: ¦.nan, text: x"),
      "sections[1].order InvalidRegistration",
      '"b"',
      "NaN"
    ],
    [
      "BC-081: order .inf",
      section("name: b, order: ¦-.inf, text: x"),
      "sections[1].order InvalidRegistration",
      "Infinity"
    ],
    [
      "BC-081: order as the word Infinity",
      section("name: b, order: ¦Infinity, text: x"),
      "sections[1].order InvalidRegistration",
      'got "Infinity"'
    ],
    [
      "unknown band, with the nearest",
      section("name: b, order: ¦TOOL_BSH, text: x"),
      "sections[1].order InvalidRegistration",
      "Did you mean TOOL_BASH?"
    ],
    [
      "a band of sections is none of contexts",
      "contexts:\n  - { name: c, order: ¦TOOL_BASH, text: x }",
      "contexts[0].order InvalidRegistration",
      "Bands: SANDBOX_POLICY"
    ],
    ["empty name", section('name: ¦"", order: 1, text: x'), "sections[1].name InvalidRegistration", "name"],
    [
      "complete with requires",
      section("name: b, order: 1, text: x, complete: true, requires: ¦[t]"),
      "sections[1].requires InvalidRegistration",
      "complete"
    ],
    [
      "empty tool name in requires",
      section('name: b, order: 1, text: x, requires: ¦[""]'),
      "sections[1].requires InvalidRegistration",
      "tool names"
    ],
    [
      "interpolate as text",
      section("name: b, order: 1, text: x, interpolate: ¦no"),
      "sections[1].interpolate",
      "expected true or false"
    ],
    [
      "duplicate section",
      section("name: ¦a, order: 1, text: x"),
      "sections[1].name DuplicateRegistration",
      "already given on line 2"
    ],
    [
      "duplicate context",
      "contexts:\n  - { name: c, order: 1, text: x }\n  - { name: ¦c, order: 2, text: x }",
      "contexts[1].name DuplicateRegistration",
      "context"
    ],
    [
      "a built-in section",
      "sections: [{ name: ¦deployment:persona-prefix, order: 0, text: x }]",
      "sections[0].name DuplicateRegistration",
      "`persona.prefix`"
    ],
    [
      "the identity, when there is one",
      "identity: true\nsections: [{ name: ¦harness:identity, order: 0, text: x }]",
      "sections[0].name DuplicateRegistration",
      "`identity`"
    ],
    [
      "a scope's persona and a section of its name",
      "scopes: { a: { persona: { prefix: x }, sections: [{ name: ¦deployment:persona-prefix, order: 0, text: y }] } }",
      "scopes.a.sections[0].name DuplicateRegistration",
      'scope "a"'
    ],
    ["variable name", "variables: { ¦Model: x }", "variables.Model InvalidRegistration", "invalid name"],
    ["variable as number", "variables: { a: ¦1 }", "variables.a", "expected text, null or { env: NAME }", "Quote it"],
    ["env misspelt", "variables: { a: { ¦evn: X } }", "variables.a.evn", 'Did you mean "env"?'],
    ["toolOrder without the rest", "toolOrder: ¦[a]", "toolOrder InvalidToolOrder", "<unlisted-tools>"],
    ["toolOrder empty", "toolOrder: ¦[]", "toolOrder InvalidToolOrder", "missing"],
    ["toolOrder twice", 'toolOrder: [a, "<unlisted-tools>", ¦a]', "toolOrder[2] InvalidToolOrder", "more than once"],
    ["tool without description", "tools: [¦{ name: t, parameters: {} }]", "tools[0].description", "missing"],
    [
      "tool without name",
      'tools: [{ name: ¦"", description: d, parameters: {} }]',
      "tools[0].name InvalidRegistration",
      "non-empty"
    ],
    [
      "parameters as text",
      "tools: [{ name: t, description: d, parameters: ¦x }]",
      "tools[0].parameters InvalidToolSchema",
      "$.parameters"
    ],
    [
      "NaN in parameters",
      "tools: [{ name: t, description: d, parameters: { a: [1, ¦.nan] } }]",
      "tools[0].parameters.a[1] InvalidToolSchema",
      "NaN"
    ],
    [
      "unknown key of a tool",
      "tools: [{ name: t, description: d, parameters: {}, ¦strict: true }]",
      "tools[0].strict",
      "unknown key"
    ],
    [
      "deferLoading as text",
      "tools: [{ name: t, description: d, parameters: {}, deferLoading: ¦yes }]",
      "tools[0].deferLoading",
      "expected true or false"
    ],
    ["tool as text", "tools: [¦bash]", "tools[0]", "expected a tool"],
    [
      "unknown parent",
      "scopes: { child: {}, b: { parent: ¦chidl } }",
      "scopes.b.parent",
      'unknown scope "chidl". Did you mean "child"?',
      "Known scopes: global, child, b"
    ],
    [
      "an unknown parent that is most like the scope itself",
      "scopes: { reviewers: {}, reviewer: { parent: ¦reviewe } }",
      "scopes.reviewer.parent",
      'unknown scope "reviewe". Did you mean "reviewers"?'
    ],
    [
      "an unknown parent that is like the scope and what descends from it alone",
      "scopes: { agent1: { parent: ¦agent }, agent2: { parent: agent1 }, agent3: { parent: agent2 } }",
      "scopes.agent1.parent",
      'unknown scope "agent". Known scopes: global, agent1, agent2, agent3.'
    ],
    ["unknown default scope", "scopes: { agent: {} }\nscope: ¦agnet", "scope", 'Did you mean "agent"?'],
    ["scope named global", "scopes: { ¦global: {} }", "scopes.global", '"global" is taken', "Choose another name"],
    ["scope named global, once", "scopes: { ¦global: { parent: a }, a: { parent: global } }", "scopes.global", "taken"],
    [
      "a tool with the name that stands for all others",
      "tools: [{ name: ¦<unlisted-tools>, description: d, parameters: {} }]",
      "tools[0].name ReservedToolName",
      "Rename the tool"
    ],
    [
      "a tool whose name no model provider takes",
      "tools: [{ name: ¦calendar.list, description: d, parameters: {} }]",
      "tools[0].name InvalidRegistration",
      'tool "calendar.list" of scope "global"',
      "rename the tool"
    ],
    [
      "two tools of one name in a scope",
      "tools:\n- { name: t, description: d, parameters: {} }\n- { name: ¦t, description: e, parameters: {} }",
      "tools[1].name DuplicateRegistration",
      'tool "t" of scope "global" is already given on line 2.',
      "a scope of its own"
    ],
    [
      "restrict outside of scopes",
      "¦restrict: { deny: [t] }\ntools: [{ name: t, description: d, parameters: {} }]",
      "restrict InvalidRegistration",
      "the global scope inherits no tools",
      "under `scopes`"
    ],
    [
      "restrict outside of scopes, of whatever type",
      "¦restrict: no",
      "restrict InvalidRegistration",
      "the global scope"
    ],
    [
      "a restriction without lists",
      "scopes: { a: { restrict: ¦{} } }",
      "scopes.a.restrict InvalidRegistration",
      "neither an allow nor a deny list",
      "`allow: []`"
    ],
    ["a restriction as text", "scopes: { a: { restrict: ¦bash } }", "scopes.a.restrict", "a map with allow or deny"],
    [
      "a list as text",
      "scopes: { a: { restrict: { deny: ¦bash } } }",
      "scopes.a.restrict.deny",
      "a list of tool names"
    ],
    [
      "a number in a list",
      "scopes: { a: { restrict: { allow: [¦1] } } }",
      "scopes.a.restrict.allow[0]",
      "expected a name (text)"
    ],
    [
      "an unknown key in a restriction",
      "scopes: { a: { restrict: { ¦denny: [] } } }",
      "scopes.a.restrict.denny",
      'Did you mean "deny"?'
    ],
    [
      "a tool that a scope does not inherit",
      "tools: [{ name: bash, description: d, parameters: {} }]\nscopes: { a: { restrict: { deny: [bash, ¦bahs] } } }",
      "scopes.a.restrict.deny[1] UnknownTool",
      'restriction of scope "a" names "bahs", which is no tool that the scope inherits. Did you mean "bash"? Inherited tools: bash.'
    ],
    [
      "a scope's own tool",
      "scopes: { a: { tools: [{ name: bash, description: d, parameters: {} }], restrict: { allow: [¦bash] } } }",
      "scopes.a.restrict.allow[0] UnknownTool",
      "It is a tool of the scope itself, which no restriction hides there. Inherited tools: none."
    ],
    [
      "the name that stands for all others, restricted",
      "scopes: { a: { restrict: { allow: [¦<unlisted-tools>] } } }",
      "scopes.a.restrict.allow[0] ReservedToolName",
      "Name the tools one by one"
    ],
    [
      "an empty name in a restriction",
      'scopes: { a: { restrict: { deny: [¦""] } } }',
      "scopes.a.restrict.deny[0] InvalidRegistration",
      "expected an array of tool names"
    ],
    ["scope without name", 'scopes: { ¦"": {} }', 'scopes[""]', "needs a name"],
    ["its own parent", "scopes: { a: { parent: ¦a } }", "scopes.a.parent ScopeCycle", "a → a"],
    [
      "circle of scopes, entered from outside",
      "scopes: { x: { parent: a }, a: { parent: ¦b }, b: { parent: a } }",
      "scopes.a.parent ScopeCycle",
      "a → b → a"
    ],
    [
      "global settings in a scope",
      "scopes: { a: { ¦identity: true } }",
      "scopes.a.identity",
      "unknown key",
      "Known keys: parent, restrict, persona"
    ],
    ["plugins as text", "plugins: ¦x.ts", "plugins", "expected a list of module files"],
    [
      "missing text file",
      section("name: b, order: 1, text: { file: ¦no.md }"),
      "sections[1].text.file",
      'cannot read "no.md"'
    ],
    ["missing tools file", "tools: [{ file: ¦no.json }]", "tools[0].file", 'cannot read "no.json"'],
    [
      "missing persona file of a scope",
      "scopes: { a: { persona: { suffix: { file: ¦no.md } } } }",
      "scopes.a.persona.suffix.file",
      "cannot read"
    ]
  ]

describe("InvalidComposition", () => {
  it.each(mistakes)("%s", (_, marked, path, ...parts) => {
    const before = marked.slice(0, marked.indexOf("¦")).split("\n")
    const error = refuse(marked.replace("¦", ""))
    assert.deepStrictEqual(placesOf(error), [`${before.length}:${before.at(-1)!.length + 1} ${path}`])
    for (const part of parts) assert.include(`${error.problems[0]!.message}¶`, part)
    const { frame, line, column } = error.problems[0]!
    assert.include(frame, `> ${line} | `)
    assert.include(format(error), `agent.yaml:${line}:${column}: `)
    assert.include(error.message, `line ${line}, column ${column}`)
  })

  it("nothing is not to be quoted", () => {
    assert.strictEqual(refuse("identity:").problems[0]!.message, "expected text, true or false, got null.")
  })

  it("an unknown parent may be like a scope of a circle", () => {
    const error = refuse("scopes: { b: { parent: agent }, agent1: { parent: agent2 }, agent2: { parent: agent1 } }")
    assert.include(error.problems[0]!.message, 'unknown scope "agent". Did you mean "agent1"?')
    assert.include(error.problems[1]!.message, "is its own ancestor")
  })

  it("is short however long the names in the file are, and keeps what it advises", () => {
    const name = "😀".repeat(50_000)
    for (const [text, start, end] of [
      [`identity: *${"a".repeat(100_000)}`, "the alias *aaa", "above it."],
      [`identity: {{ ${"x ".repeat(50_000)} }}`, "unquoted, {{ x x", ' }}".'],
      [`sections: [{ name: s, order: 0, text: { file: ${name} } }]`, 'cannot read "😀😀', "no such file was given."],
      [`scopes: { ${name}: { parent: ${name}x } }`, 'unknown scope "😀😀', "😀."]
    ] as const) {
      const [problem] = refuse(text).problems
      assert.isAtMost(problem!.message.length, 2_000)
      assert.isAtMost(problem!.path.length, 400)
      assert.isTrue(problem!.message.startsWith(start), problem!.message.slice(0, 40))
      assert.isTrue(problem!.message.endsWith(end), problem!.message.slice(-40))
      assert.notMatch(problem!.message + problem!.path, /\p{Cs}/u, "no half of a pair")
    }
  })

  it("has all problems at once, in the order of the file, and counts them", () => {
    const text = [
      "scope: nowhere",
      "sections:",
      "  - { name: a, order: x, text: { file: no.md } }",
      "  - { order: 1 }",
      "variables: { A: 1 }",
      "tools: [{ file: no.json }]"
    ].join("\n")
    const error = refuse(text)
    assert.deepStrictEqual(placesOf(error), [
      "1:8 scope",
      "3:23 sections[0].order InvalidRegistration",
      "3:40 sections[0].text.file",
      "4:5 sections[1].name",
      "4:5 sections[1].text",
      "5:14 variables.A InvalidRegistration",
      "5:17 variables.A",
      "6:17 tools[0].file"
    ])
    assert.isTrue(format(error).endsWith("\n\n8 problems"))
  })

  it("a scope that is named global is no further known scope", () => {
    const error = refuse("scopes: { global: {}, a: {}, b: {} }\nscope: c")
    assert.deepStrictEqual(placesOf(error), ["1:11 scopes.global", "2:8 scope"])
    assert.include(error.problems[1]!.message, "Known scopes: global, a, b.")
  })

  it("survives encoding", () => {
    const error = refuse("identty: x")
    const encoded = Schema.encodeSync(InvalidComposition)(error)
    assert.strictEqual(encoded._tag, "InvalidComposition")
    assert.strictEqual(Schema.decodeSync(InvalidComposition)(encoded).message, error.message)
  })

  it("names wide and tabbed places by UTF-16 column, and points at the cell", () => {
    const error = refuse('identity: "世界"\nscope:\t"深い"\n')
    assert.deepStrictEqual(placesOf(error), ["2:8 scope"])
    assert.include(error.problems[0]!.frame, '> 2 | scope:→ "深い"\n    |         ^')
  })
})
