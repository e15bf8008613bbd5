import { assert, describe, it } from "@effect/vitest"
import { found, inSection, lookFor, tool } from "./support.ts"

const ofTools = (code: Parameters<typeof lookFor>[0], ...tools: ReadonlyArray<ReturnType<typeof tool>>) =>
  lookFor(code, { tools: [{ tools }] })

describe("duplicate-tool", () => {
  it("[BC-009] names the tool and both providers; both stay in the assembly", () => {
    const warnings = lookFor("duplicate-tool", {
      tools: [
        { name: "p1", tools: [tool("search", { type: "object" }, "A")] },
        { name: "p2", tools: [tool("search", { type: "object" }, "B"), tool("read")] }
      ]
    })
    assert.lengthOf(warnings, 1)
    assert.deepInclude(warnings[0], { kind: "tools", entry: "p2", tool: "search" })
    assert.deepStrictEqual(warnings[0]!.related, [{ kind: "tools", entry: "p1", scope: "global", tool: "search" }])
    for (const word of ["search", "p1", "p2"]) assert.include(warnings[0]!.message, word)
  })
})

describe("tool-name", () => {
  const long = "x".repeat(65)

  it("[BC-032] refuses dots, slashes, blanks and more than 64 characters, and renames nothing", () => {
    const names = ["calendar.list", "a/b", "Docker scan", long, "ok_name-1", "x".repeat(64), "é"]
    const warnings = ofTools("tool-name", ...names.map((name) => tool(name)))
    assert.sameMembers(
      warnings.map((warning) => warning.tool!),
      ["calendar.list", "a/b", "Docker scan", long, "é"]
    )
    for (const warning of warnings) {
      assert.include(warning.message, JSON.stringify(warning.tool))
      assert.include(warning.message, "A–Z, a–z, 0–9, _ and -")
      assert.deepStrictEqual(warning.path, ["name"])
    }
    assert.include(warnings.find((warning) => warning.tool === long)!.message, "65 characters")
    const [named] = lookFor("tool-name", { tools: [{ name: "calendar", tools: [tool("a/b"), tool("ok_name-1")] }] })
    assert.deepInclude(named, { kind: "tools", entry: "calendar" })
    assert.include(named!.message, '"calendar"', "it names the provider")
    assert.notInclude(warnings.find((warning) => warning.tool === "a/b")!.message, "characters")
  })

  it("[BC-010] says which two would become one if they were cut to 64", () => {
    const name = (verb: string) => `srv_${"x".repeat(60)}_${verb}PageWithAttachments`
    const warnings = ofTools("tool-name", tool(name("create")), tool(name("delete")))
    assert.lengthOf(warnings, 2)
    for (const { message } of warnings) {
      assert.include(message, "64")
      assert.include(message, name("create"))
      assert.include(message, name("delete"))
    }
    assert.notInclude(ofTools("tool-name", tool(long), tool("y"))[0]!.message, "the same as")
  })
})

describe("invalid-parameters", () => {
  const mistakes = (parameters: object) =>
    ofTools("invalid-parameters", tool("t", parameters)).map(({ message, path }) => [path?.slice(1), message] as const)

  it("[BC-040] `required: true` inside a property is told with its path, and what to write", () => {
    const [[path, message], more] = [
      mistakes({ type: "object", properties: { message: { type: "string", required: true } } })[0]!,
      mistakes({ type: "object", properties: { message: { type: "string", required: true } } })[1]
    ]
    assert.isUndefined(more)
    assert.deepStrictEqual(path, ["properties", "message", "required"])
    assert.include(message, 'tool "t" of scope "global"')
    assert.include(message, "properties.message.required")
    assert.include(message, "array")
    assert.include(message, 'required: ["message"]')
  })

  it.each([
    [
      "a type that is none",
      { type: "object", properties: { a: { type: "strng" } } },
      ["properties", "a", "type"],
      '"strng" is no type'
    ],
    [
      "a property that is no schema",
      { type: "object", properties: { a: "string" } },
      ["properties", "a"],
      "must be a schema"
    ],
    ["properties as a list", { type: "object", properties: [] }, ["properties"], "must be an object"],
    [
      "a text as enum",
      { type: "object", properties: { "a b": { enum: "x" } } },
      ["properties", "a b", "enum"],
      'parameters.properties["a b"].enum'
    ],
    [
      "a text as minimum",
      { type: "object", properties: { a: { minimum: "1" } } },
      ["properties", "a", "minimum"],
      "must be a number"
    ],
    [
      "a negative length",
      { type: "object", properties: { a: { minLength: -1 } } },
      ["properties", "a", "minLength"],
      "must be >= 0"
    ],
    [
      "a broken pattern",
      { type: "object", properties: { a: { pattern: "(" } } },
      ["properties", "a", "pattern"],
      "no regular expression"
    ],
    [
      "a reference to nothing",
      { type: "object", properties: { x: { $ref: "#/$defs/Missing" } } },
      ["properties", "x", "$ref"],
      "#/$defs/Missing"
    ],
    [
      "a reference to elsewhere",
      { type: "object", properties: { x: { $ref: "https://x.test/s.json" } } },
      ["properties", "x", "$ref"],
      "another document"
    ],
    [
      "a property that is required and not there",
      { type: "object", properties: { a: {} }, required: ["a", "b"] },
      ["required", 1],
      '"b"'
    ],
    [
      "the same further down",
      { type: "object", properties: { a: { items: { properties: {}, required: ["c"] } } } },
      ["properties", "a", "items", "required", 0],
      '"c"'
    ],
    ["parameters of another type", { type: "array" }, ["type"], 'type "object"'],
    ["parameters without a type", {}, [], 'type "object"'],
    [
      "a mistake inside of a tuple of draft-07",
      { type: "object", properties: { a: { items: [{ type: "strng" }] } } },
      ["properties", "a", "items", 0, "type"],
      '"strng"'
    ],
    [
      "a mistake inside of $defs",
      { type: "object", $defs: { a: { type: 1 } } },
      ["$defs", "a", "type"],
      "1 is no type"
    ],
    [
      "a draft-07 schema, by its own rules",
      { $schema: "http://json-schema.org/draft-07/schema#", type: "object", required: "a" },
      ["required"],
      "must be an array"
    ]
  ] as const)("finds %s", (_, parameters, path, words) => {
    const all = mistakes(parameters)
    assert.deepStrictEqual(
      all.map(([path]) => path),
      [[...path]]
    )
    assert.include(all[0]![1], words)
  })

  it.each([
    ["the empty object", { type: "object" }],
    [
      "all of it",
      {
        type: "object",
        properties: { a: { type: ["string", "null"], enum: ["x", null] } },
        required: ["a"],
        additionalProperties: false
      }
    ],
    [
      "references that lead somewhere",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/a~1b" }, b: { $ref: "#c" }, d: { $ref: "#" } },
        $defs: { "a/b": {}, c: { $anchor: "c" } }
      }
    ],
    [
      "a recursive schema",
      {
        type: "object",
        properties: { next: { $ref: "#/$defs/n" } },
        $defs: { n: { properties: { next: { $ref: "#/$defs/n" } } } }
      }
    ],
    ["a tuple of draft-07, said or not", { type: "object", properties: { a: { items: [{}, {}] } } }],
    ["a tuple of 2020-12", { type: "object", properties: { a: { prefixItems: [{}] } } }],
    [
      "what an older draft allows",
      {
        $schema: "http://json-schema.org/draft-04/schema#",
        type: "object",
        properties: { a: { exclusiveMinimum: true } }
      }
    ],
    [
      "data that looks like a schema",
      {
        type: "object",
        properties: {
          a: { default: { type: 1, required: true }, examples: [{ pattern: "(" }], const: { $ref: "#/x" } }
        }
      }
    ],
    [
      "a property called required",
      {
        type: "object",
        properties: { required: { type: "boolean" }, type: { type: "string" } },
        required: ["required"]
      }
    ],
    [
      "required names that other parts have",
      { type: "object", properties: { a: {} }, anyOf: [{ required: ["a"] }, { properties: {}, required: ["a"] }] }
    ],
    [
      "formats and words of others",
      { type: "object", "x-order": 1, properties: { a: { format: "uri", contentEncoding: "base64" } } }
    ]
  ])("lets %s be", (_, parameters) => {
    assert.deepStrictEqual(mistakes(parameters), [])
  })
})

describe("hidden-tool", () => {
  const hidden = ["glob", "read", "edit", "task", "search", "web_fetch", "mcp-list", "readFile"]
  const mentions = (text: string) => inSection("hidden-tool", text, { hidden })

  it("[BC-035] names the section and the tool that is known and not shown", () => {
    const warnings = lookFor(
      "hidden-tool",
      {
        sections: [
          { name: "tool:grep", order: 100, text: "Prefer `grep` for search.", requires: ["grep"] },
          { name: "base", order: 0, text: "Use glob if unsure." }
        ],
        tools: [{ tools: { schemas: [tool("read")], knownNames: ["read", "grep", "glob"] } }]
      },
      { knownTools: ["read", "grep", "glob"] }
    )
    assert.lengthOf(warnings, 1)
    assert.deepInclude(warnings[0], { kind: "section", entry: "base" })
    assert.deepStrictEqual(warnings[0]!.place, { offset: 4, line: 1, column: 5, found: "glob" })
    for (const word of ['"base"', '"glob"', "requires: [glob]"]) assert.include(warnings[0]!.message, word)
  })

  it.each([
    ["Use glob if unsure.", "glob"],
    ["Prefer read for files", "read"],
    ["First call edit.", "edit"],
    ["Use the read tool — not cat.", "read"],
    ["The tool `task` helps.", "task"],
    ["`edit(path)` changes it", "edit"],
    ["Fetch pages by web_fetch", "web_fetch"],
    ["mcp-list knows", "mcp-list"],
    ["then readFile", "readFile"],
    ["the function search finds", "search"]
  ])("finds the tool in %j", (text, name) => {
    const [warning] = mentions(text)
    assert.strictEqual(warning?.place?.found, name)
    assert.strictEqual(text.indexOf(name), warning!.place!.offset)
  })

  it.each([
    "Read the file before you edit it.",
    "Use search results, use task lists.",
    "Reading and editing",
    "tools/glob.ts",
    "my_web_fetch2 web_fetches web_fetch_all",
    "`read -r line`",
    "Use READ, or Glob.",
    "Call READ. Then it has been read, and the GLOB tool globs.",
    "A long-running task",
    "{{read}}",
    "Keep search short",
    "@glob $glob"
  ])("lets %j be", (text) => {
    assert.lengthOf(inSection("hidden-tool", text, { hidden, variables: { read: "use glob." } }), 0)
  })

  it("says nothing of a tool that is shown, nor of one that nobody knows", () => {
    const options = { sections: [{ name: "s", order: 0, text: "Use glob." }], tools: [{ tools: [tool("glob")] }] }
    assert.lengthOf(lookFor("hidden-tool", options, { knownTools: ["glob"] }), 0)
    assert.strictEqual(found(lookFor("hidden-tool", { sections: options.sections }, { knownTools: ["glob"] })), "glob")
    assert.lengthOf(lookFor("hidden-tool", { sections: options.sections }), 0)
  })
})
