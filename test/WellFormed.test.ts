import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, pipe, Result } from "effect"
import { Assembly, type Origin, PromptScope, Section, SystemPrompt, Template, ToolOrder } from "../src/index.ts"
import { link, registeredAs } from "../src/internal/toolLink.ts"
import { accept } from "../src/internal/wellFormed.ts"
import type * as Listener from "../src/Listener.ts"
import { InvalidAssembly, type Owner, PromptError } from "../src/PromptError.ts"
import * as RegisteredTool from "../src/RegisteredTool.ts"
import * as Schema from "effect/Schema"
import { changeable } from "./support/frozen.ts"
import { assemble, overlay, unrendered } from "./support/known.ts"
import { untyped } from "./support/untyped.ts"

const schema = (name: string, description = name) => ({ name, description, parameters: { type: "object" } })

const base = assemble([
  overlay({
    sections: [
      { name: "a", order: 0, text: "A", plugin: "core" },
      { name: "b", order: 1, text: Template.text`B ${Template.ref("v")}`, requires: ["t"] }
    ],
    contexts: [{ name: "c", order: 0, text: "C" }],
    variables: [{ name: "v", value: "V" }],
    tools: [{ name: "fs", tools: [schema("t"), schema("u")] }]
  })
])

const owner: Owner = { kind: "listener", entry: "L1", scope: "agent", plugin: "extra" }

/** How it is named by the origin of what it added or changed. */
const listener: Origin.Listened = { name: "L1", scope: "agent", plugin: "extra" }

const accepted = (after: unknown, ...downstream: ReadonlyArray<Assembly.Assembly>) =>
  Result.getOrThrow(accept([base, ...downstream], after, owner))

const refusal = (after: unknown): InvalidAssembly => Result.getOrThrow(Result.flip(accept([base], after, owner)))

const a = base.sections[0]!
const b = base.sections[1]!
const c = base.contexts[0]!
const t = base.tools[0]!
const u = base.tools[1]!
const v = base.variables[0]!

const boom = () => {
  throw new Error("boom")
}

const throwing = (key: string, rest: object) => Object.defineProperty({ ...rest }, key, { get: boom, enumerable: true })

const hostile = new Proxy(
  {},
  { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom, getPrototypeOf: boom }
)

const sparse = (length: number, ...items: ReadonlyArray<unknown>) => Object.assign([...items], { length })

/** What a listener may wrongly return: where the flaw is, and what its reason says. */
const flaws: ReadonlyArray<readonly [what: string, after: unknown, path: string, reason: RegExp]> = [
  ["nothing", undefined, "$", /expected an assembly, got undefined/],
  ["null", null, "$", /got null/],
  ["a number", 42, "$", /the number 42/],
  ["a string", "assembly", "$", /a string/],
  ["a function", () => base, "$", /a function/],
  ["an array", [base], "$", /an array/],
  ["a Promise", Promise.resolve(base), "$", /expected an assembly, got a Promise\..*Effect\.promise/],
  // oxlint-disable-next-line unicorn/no-thenable -- promises of other realms and libraries are no instances of Promise
  ["a thenable", { ...base, then: () => undefined }, "$", /got a Promise\..*Effect\.promise/],
  ["an empty object", {}, "$.sections", /expected an array, got undefined/],
  ["an extra field", { ...base, note: 1 }, "$.note", /no such field.*Assembly\.annotate/],
  ["no contexts", { ...base, contexts: undefined }, "$.contexts", /expected an array, got undefined/],
  ["sections that are no array", { ...base, sections: { 0: a, length: 1 } }, "$.sections", /got an object/],
  ["tools in a Set", { ...base, tools: new Set(base.tools) }, "$.tools", /got an object/],
  ["variables in a Map", { ...base, variables: new Map([["v", "V"]]) }, "$.variables", /got an object/],
  ["a sparse array", { ...base, sections: sparse(2, a) }, "$.sections[1]", /expected an object, got undefined/],
  ["another scope", { ...base, scope: "forged" }, "$.scope", /follows from what is registered/],
  ["no scope", { ...base, scope: undefined }, "$.scope", /follows from what is registered/],
  ["another complete", { ...base, complete: "a" }, "$.complete", /follows from what is registered/],
  ["another suppressed", { ...base, suppressed: true }, "$.suppressed", /follows from what is registered/],
  ["another toolOrder", { ...base, toolOrder: ["x"] }, "$.toolOrder", /follows from what is registered/],
  ["a forgery beside a change", { ...base, sections: [a], suppressed: 1 }, "$.suppressed", /Start from the assembly/],
  ["annotations that are none", { ...base, annotations: {} }, "$.annotations", /expected a Context, got an object/],
  ["a section that is null", { ...base, sections: [a, null] }, "$.sections[1]", /got null/],
  ["a section that is a string", { ...base, sections: ["A"] }, "$.sections[0]", /a string/],
  [
    "an extra field of a section",
    { ...base, sections: [{ ...a, complete: true }] },
    "$.sections[0].complete",
    /no such/
  ],
  ["a section without a name", { ...base, sections: [{ ...a, name: "" }] }, "$.sections[0].name", /empty/],
  ["a section whose name is none", { ...base, sections: [{ ...a, name: 1 }] }, "$.sections[0].name", /the number 1/],
  ["two sections of one name", { ...base, sections: [a, { ...b, name: "a" }] }, "$.sections[1].name", /duplicate.*"a"/],
  ["one section twice", { ...base, sections: [a, b, a] }, "$.sections[2].name", /duplicate.*"a"/],
  ["an infinite order", { ...base, sections: [{ ...a, order: 1 / 0 }] }, "$.sections[0].order", /finite.*Infinity/],
  ["an order in a string", { ...base, sections: [{ ...a, order: "1" }] }, "$.sections[0].order", /finite.*"1"/],
  ["no order", { ...base, sections: [{ name: "x", text: "" }] }, "$.sections[0].order", /finite.*undefined/],
  ["a text that is a number", { ...base, sections: [{ ...a, text: 42 }] }, "$.sections[0].text", /text.*number 42/],
  [
    "a text like a Template",
    { ...base, sections: [{ ...a, text: { segments: [] } }] },
    "$.sections[0].text",
    /an object/
  ],
  [
    "an interpolate that is no flag",
    { ...base, sections: [{ ...a, interpolate: 0 }] },
    "$.sections[0].interpolate",
    /0/
  ],
  [
    "a Template that is data",
    { ...base, sections: [{ ...b, interpolate: false }] },
    "$.sections[0].interpolate",
    /Template/
  ],
  ["requires that is a string", { ...base, sections: [{ ...a, requires: "t" }] }, "$.sections[0].requires", /a string/],
  [
    "requires with a hole",
    { ...base, sections: [{ ...a, requires: sparse(1) }] },
    "$.sections[0].requires",
    /undefined/
  ],
  ["a context without text", { ...base, contexts: [{ ...c, text: undefined }] }, "$.contexts[0].text", /undefined/],
  ["an empty context name", { ...base, contexts: [{ ...c, name: "" }] }, "$.contexts[0].name", /empty/],
  [
    "a context that requires",
    { ...base, contexts: [{ ...c, requires: [] }] },
    "$.contexts[0].requires",
    /no such field/
  ],
  ["two contexts of one name", { ...base, contexts: [c, { ...c, order: 1 }] }, "$.contexts[1].name", /duplicate.*"c"/],
  ["a bare schema", { ...base, tools: [schema("x")] }, "$.tools[0].name", /no such field/],
  ["a tool without schema", { ...base, tools: [t, {}] }, "$.tools[1].schema", /undefined/],
  ["an empty tool name", { ...base, tools: [{ schema: schema("") }] }, "$.tools[0].schema.name", /empty/],
  ["no description", { ...base, tools: [{ schema: { name: "x" } }] }, "$.tools[0].schema.description", /undefined/],
  [
    "parameters that are no JSON",
    { ...base, tools: [t, { schema: { ...schema("x"), parameters: { max: Number.NaN } } }] },
    "$.tools[1].schema.parameters.max",
    /NaN/
  ],
  [
    "a tool named like the marker",
    { ...base, tools: [{ schema: schema(ToolOrder.restMarker) }] },
    "$.tools[0].schema.name",
    /<unlisted-tools>/
  ],
  [
    "a bad variable name",
    { ...base, variables: [{ name: "bad-name", value: "v" }] },
    "$.variables[0].name",
    /"bad-name"/
  ],
  ["a variable that is a number", { ...base, variables: [{ ...v, value: 1 }] }, "$.variables[0].value", /the number 1/],
  ["a variable that is null", { ...base, variables: [{ ...v, value: null }] }, "$.variables[0].value", /null/],
  [
    "two variables of one name",
    { ...base, variables: [v, { ...v, value: "W" }] },
    "$.variables[1].name",
    /duplicate.*"v"/
  ],
  ["a throwing getter", throwing("sections", base), "$", /reading it threw Error: boom/],
  [
    "a throwing getter of a part",
    { ...base, sections: [a, throwing("text", {})] },
    "$.sections[1]",
    /threw Error: boom/
  ],
  ["a throwing element", { ...base, sections: Object.defineProperty([1], 0, { get: boom }) }, "$.sections[0]", /boom/],
  ["a Proxy that throws", hostile, "$", /boom/],
  ["a Proxy as a list", { ...base, tools: new Proxy([], { get: boom }) }, "$.tools", /boom/],
  ["a Proxy as a part", { ...base, variables: [hostile] }, "$.variables[0]", /boom/],
  ["a revoked Proxy", revoked(), "$", /threw TypeError/]
]

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe("ill-formed results", () => {
  for (const [what, after, path, reason] of flaws) {
    it(`[121, 323] ${what}: refused at ${path}`, () => {
      const error = refusal(after)
      assert.instanceOf(error, InvalidAssembly)
      assert.deepInclude(error, { ...owner, path })
      assert.match(error.reason, reason)
      for (const mention of ["L1", "agent", "extra", path]) assert.include(error.message, mention)
    })
  }

  it.effect(
    "[323] each is an InvalidAssembly of its listener: edit and around, at once and by an Effect, pure and not",
    () =>
      Effect.gen(function* () {
        for (const [what, after, path] of flaws) {
          const runs: ReadonlyArray<object> = [
            { edit: () => after },
            { edit: () => Effect.succeed(after) },
            { around: () => Effect.succeed(after) },
            { around: (_: unknown, next: Listener.Next) => next(untyped(after)) }
          ]
          for (const run of runs) {
            const error = yield* Effect.gen(function* () {
              const prompt = yield* SystemPrompt
              yield* prompt.listener(untyped({ name: "L1", plugin: "extra", ...run }))
              return yield* Effect.flip(prompt.assemble)
            }).pipe(Effect.scoped, Effect.provide(SystemPrompt.layer))
            const owner: Owner = { kind: "listener", entry: "L1", scope: "global", plugin: "extra" }
            assert.deepInclude(error, { _tag: "InvalidAssembly", path, ...owner }, what)
          }
          const pure = Assembly.assemble([overlay({ listeners: [{ name: "L1", edit: () => untyped(after) }] })])
          if (Result.isSuccess(pure)) assert.fail(`${what}: accepted`)
          assert.deepInclude(pure.failure, { _tag: "InvalidAssembly", entry: "L1", path }, what)
        }
      })
  )

  it("[BC-027] what is wrong with text that a listener brought shows when it is rendered, and names the section", () => {
    const pushes = Assembly.addSection({ name: "x", order: 0, text: "{{secret.key}}" })
    const error = unrendered(assemble([overlay({ listeners: [{ name: "L1", edit: pushes }] })]))
    assert.deepInclude(error, { _tag: "MalformedGroup", kind: "section", entry: "x", group: "{{secret.key}}" })
    assert.include(error.message, 'section "x"')
  })

  it("[BC-027] bad names, duplicates and texts of a listener are refused at once", () => {
    const bad: ReadonlyArray<readonly [run: Listener.Edit, mentions: ReadonlyArray<string>]> = [
      [Assembly.setVariable("bad-name", "v"), ["bad-name"]],
      [Assembly.addSection({ name: "a", order: 5, text: "again" }), ["duplicate", '"a"']],
      [Assembly.mapSection("a", (section) => ({ ...section, text: untyped(42) })), ["text", "number"]]
    ]
    for (const [run, mentions] of bad) {
      const error = refusal(run(base, { scope: PromptScope.global, annotations: Context.empty() }))
      for (const mention of ["L1", ...mentions]) assert.include(error.message, mention)
    }
  })

  it("its error survives encoding", () => {
    const error = refusal({ ...base, note: 1 })
    const codec = Schema.toCodecJson(PromptError)
    const decoded = Schema.decodeUnknownResult(codec)(Result.getOrThrow(Schema.encodeUnknownResult(codec)(error)))
    assert.deepStrictEqual(decoded, Result.succeed(error))
  })
})

describe("well-formed results", () => {
  it("[324] tools may share a name", () => {
    const after = accepted({ ...base, tools: [t, u, { schema: schema("t", "another") }, t] })
    assert.deepStrictEqual(
      after.tools.map((one) => [one.schema.name, one.schema.description]),
      [
        ["t", "t"],
        ["u", "u"],
        ["t", "another"],
        ["t", "t"]
      ]
    )
  })

  it("a copy of a tool is that tool, though another one of the same name and origin stays, and however much else is new", () => {
    const twins = assemble([overlay({ tools: [{ name: "fs", tools: [schema("t", "1"), schema("t", "2")] }] })])
    const [first, second] = twins.tools
    for (const more of [0, 1, 20]) {
      const added = Array.from({ length: more }, (_, i) => ({ schema: schema(`more ${i}`) }))
      const after = { ...twins, tools: [first, { schema: { ...second!.schema } }, ...added] }
      const { tools } = Result.getOrThrow(accept([twins], after, owner))
      assert.strictEqual(tools[0], first)
      assert.strictEqual(tools[1], second)
      assert.lengthOf(tools, 2 + more)
    }
  })

  it("a change of one list, or of the annotations, is a change", () => {
    const Note = Context.Service<string>("test/Note")
    for (const change of [
      { sections: [a] },
      { contexts: [] },
      { tools: [u] },
      { variables: [] },
      { annotations: Context.make(Note, "n") }
    ]) {
      assert.deepStrictEqual({ ...accepted({ ...base, ...change }) }, { ...base, ...change })
    }
  })

  it("a part needs no origin, interpolate or requires; they have their defaults", () => {
    const after = accepted({
      ...base,
      sections: [{ name: "x", order: 3, text: "X" }],
      contexts: [{ name: "y", order: 4, text: "Y" }],
      variables: [{ name: "w" }]
    })
    const origin = { scope: "agent", plugin: "extra", listener, shadows: [] }
    assert.deepStrictEqual(after.sections, [
      { name: "x", order: 3, text: "X", interpolate: true, requires: [], origin }
    ])
    assert.deepStrictEqual(after.contexts, [{ name: "y", order: 4, text: "Y", interpolate: true, origin }])
    assert.deepStrictEqual(after.variables, [{ name: "w", value: undefined, origin }])
  })

  it("lists stay as the listener arranged them, but for variables, which stand by name", () => {
    const after = accepted({
      ...base,
      sections: base.sections.toReversed(),
      tools: base.tools.toReversed(),
      variables: [v, { name: "b", value: "" }, { name: "a1", value: "" }]
    })
    assert.deepStrictEqual(after.sections, [b, a])
    assert.deepStrictEqual(after.tools, [u, t])
    assert.deepStrictEqual(
      after.variables.map(({ name }) => name),
      ["a1", "b", "v"]
    )
  })

  it("what a listener keeps of its result cannot change what was accepted", () => {
    const section = { name: "x", order: 0, text: "X", requires: ["t"] }
    const own = {
      ...base,
      sections: [section],
      tools: [{ schema: schema("x") }],
      variables: [{ name: "w", value: "W" }]
    }
    const after = accepted(own)
    assert.deepStrictEqual(changeable(after, [after.annotations]), [])
    const text = JSON.stringify({ ...after, annotations: 0 })
    section.text = "changed"
    section.requires.push("u")
    own.sections.push(section)
    own.tools[0]!.schema.parameters.type = "changed"
    own.variables[0]!.value = "changed"
    assert.strictEqual(JSON.stringify({ ...after, annotations: 0 }), text)
  })

  it("without the fields that are undefined, as JSON has it, it says the same scope, complete and toolOrder", () => {
    const { complete: _, toolOrder: __, ...rest } = base
    assert.deepStrictEqual(accepted({ ...rest, sections: [a] }), { ...base, sections: [a] })
    assert.strictEqual(accepted(rest), base)
  })

  it("each value is read once: what was checked is what is kept", () => {
    let reads = 0
    const text = () => (reads++ === 0 ? "first" : untyped(42))
    const after = accepted({
      ...base,
      sections: [Object.defineProperty({ name: "x", order: 0 }, "text", { get: text, enumerable: true })]
    })
    assert.strictEqual(after.sections[0]?.text, "first")
    assert.strictEqual(reads, 1)
  })

  it("a list has what stands in it, whatever it iterates over", () => {
    class Odd extends Array<Assembly.AssembledSection> {
      override [Symbol.iterator]() {
        return [a][Symbol.iterator]()
      }
    }
    const odd = new Odd()
    odd.push(b, a)
    const iterator = () => [a][Symbol.iterator]()
    for (const sections of [odd, Object.assign([b, a], { [Symbol.iterator]: iterator })]) {
      assert.deepStrictEqual(accepted({ ...base, sections }).sections, [b, a])
    }
  })

  it("a class with the fields of a part will do", () => {
    class Own {
      readonly name = "x"
      readonly order = 0
      readonly text = "X"
    }
    assert.deepInclude(accepted({ ...base, sections: [new Own()] }).sections[0], { name: "x", text: "X" })
  })
})

describe("origin", () => {
  const equalTemplate = Template.text`B ${Template.ref("v")}`
  const listenedTo = (origin: Origin.Origin): Origin.Origin => ({ ...origin, listener })

  it("a listener that changes nothing leaves the very assembly", () => {
    assert.strictEqual(accepted(base), base)
  })

  const copies: ReadonlyArray<readonly [what: string, after: unknown]> = [
    ["of the assembly", { ...base }],
    ["of the lists", { ...base, sections: [...base.sections], tools: [...base.tools] }],
    [
      "of every part",
      {
        ...base,
        sections: base.sections.map((one) => ({ ...one, requires: [...one.requires] })),
        contexts: base.contexts.map((one) => ({ ...one })),
        tools: base.tools.map((one) => ({ schema: { ...one.schema } })),
        variables: base.variables.map(({ name, value }) => ({ name, value }))
      }
    ],
    [
      "with an equal Template",
      pipe(
        base,
        Assembly.mapSection("b", (one) => ({ ...one, text: equalTemplate }))
      )
    ]
  ]
  for (const [what, after] of copies) {
    it(`a copy ${what} with nothing changed is the very assembly, no origin touched`, () => {
      assert.strictEqual(accepted(after), base)
    })
  }

  it("what a listener changed keeps its origin and names the listener; the rest is the very same", () => {
    const edits: ReadonlyArray<(one: Assembly.AssembledSection) => object> = [
      (one) => ({ ...one, text: "changed" }),
      (one) => ({ ...one, order: 7 }),
      (one) => ({ ...one, interpolate: false }),
      (one) => ({ ...one, requires: ["u"] }),
      (one) => ({ name: one.name, order: one.order, text: "changed" })
    ]
    for (const edit of edits) {
      const after = accepted({ ...base, sections: [edit(a), b] })
      assert.deepStrictEqual(after.sections[0]?.origin, {
        scope: "global",
        plugin: "core",
        listener,
        shadows: []
      })
      assert.strictEqual(after.sections[1], b)
      assert.strictEqual(after.contexts, base.contexts)
      assert.strictEqual(after.tools, base.tools)
      assert.strictEqual(after.variables, base.variables)
    }
    const after = accepted(
      pipe(
        base,
        Assembly.mapContext("c", (one) => ({ ...one, text: "D" })),
        Assembly.setVariable("v", "W"),
        Assembly.mapTool("t", (one) => ({ ...one, description: "T" }))
      )
    )
    assert.deepStrictEqual(after.contexts[0]?.origin, listenedTo(c.origin))
    assert.deepStrictEqual(after.variables[0]?.origin, listenedTo(v.origin))
    assert.deepStrictEqual(after.tools[0]?.origin, listenedTo(t.origin))
    assert.strictEqual(after.tools[1], u)
    assert.strictEqual(after.sections, base.sections)
  })

  it("what a listener added names it, with its scope and plugin; so does what it renamed", () => {
    const added = { scope: "agent", plugin: "extra", listener, shadows: [] }
    const after = accepted(
      pipe(
        base,
        Assembly.addSection({ name: "x", order: 0, text: "X" }),
        Assembly.mapSection("a", (one) => ({ ...one, name: "z" })),
        Assembly.addContext({ name: "x", order: 0, text: "X" }),
        Assembly.addTool(schema("x")),
        Assembly.setVariable("x", "X")
      )
    )
    const parts = [...after.sections, ...after.contexts, ...after.variables]
    for (const name of ["x", "z"]) {
      for (const part of parts.filter((one) => one.name === name)) assert.deepStrictEqual(part.origin, added)
    }
    assert.strictEqual(parts.filter((one) => one.name === "x" || one.name === "z").length, 4)
    assert.deepStrictEqual(after.tools.find((one) => one.schema.name === "x")?.origin, added)
  })

  it("a listener cannot forge an origin", () => {
    const origin = {
      scope: "forged",
      plugin: "forged",
      listener: { name: "forged", scope: "forged" },
      shadows: [{ scope: "forged" }]
    }
    const after = accepted({
      ...base,
      sections: [{ ...a, text: "changed", origin }, b, { name: "x", order: 2, text: "X", origin }],
      contexts: [{ ...c, origin }],
      tools: [
        { schema: schema("t", "new"), origin },
        { ...u, origin }
      ],
      variables: [{ ...v, origin }]
    })
    assert.notInclude(JSON.stringify({ ...after, annotations: 0 }), "forged")
    assert.deepStrictEqual(after.sections[0]?.origin, listenedTo(a.origin))
    assert.strictEqual(after.contexts, base.contexts, "with nothing but another origin nothing has changed")
    assert.strictEqual(after.tools[1], u)
    assert.strictEqual(after.variables, base.variables)
  })

  it("tools of one name that a listener changed keep each its own provider", () => {
    const two = assemble([
      overlay({ tools: [{ name: "p1", tools: [schema("dup", "A")] }] }),
      overlay({ tools: [{ name: "p2", tools: [schema("dup", "B")] }] }, "agent")
    ])
    const run = Assembly.mapTool("dup", (one) => ({ ...one, description: `${one.description}!` }))
    const after = Result.getOrThrow(accept([two], run(two), owner))
    assert.deepStrictEqual(
      after.tools.map(({ schema, origin }) => [schema.description, origin]),
      [
        ["A!", { scope: "global", provider: "p1", listener, shadows: [] }],
        ["B!", { scope: "agent", provider: "p2", listener, shadows: [] }]
      ]
    )
    const copied = two.tools.map((one) => ({ schema: { ...one.schema } }))
    assert.strictEqual(Result.getOrThrow(accept([two], { ...two, tools: copied }, owner)), two)
  })

  describe("tools of one name, of two providers", () => {
    const anonymous = { tools: [schema("bash", "A")] }
    const chain = [
      overlay({ tools: [anonymous] }),
      overlay({ tools: [{ name: "p2", tools: [schema("bash", "B")] }] }, "agent")
    ]
    const two = assemble(chain)
    const [first, second] = [two.tools[0]!, two.tools[1]!]
    const added = { scope: "agent", plugin: "extra", listener, shadows: [] }

    const originsOf = (after: unknown, ...downstream: ReadonlyArray<Assembly.Assembly>) =>
      Result.getOrThrow(accept([two, ...downstream], after, owner)).tools.map((one) => [
        one.schema.description,
        one.origin
      ])

    it("one that a listener adds is its own, and blamed on neither of them", () => {
      const edit = Assembly.addTool(schema("bash", "C"))
      assert.deepStrictEqual(originsOf(edit(two)), [
        ["A", first.origin],
        ["B", second.origin],
        ["C", added]
      ])
      assert.deepStrictEqual(originsOf(edit(Assembly.removeTool(two, "bash"))), [["C", added]])
      assert.deepStrictEqual(originsOf({ ...two, tools: [second, { schema: schema("bash", "C") }] }), [
        ["B", second.origin],
        ["C", added]
      ])
    })

    it("nor on an anonymous provider of the scope that the assembly is for", () => {
      const own = assemble([overlay({ tools: [anonymous] }, "agent")])
      const global: Owner = { kind: "listener", entry: "L2", scope: "global", plugin: "ext" }
      const edits = [
        Assembly.addTool(schema("bash", "C")),
        (given: Assembly.Assembly) =>
          pipe(
            given,
            Assembly.addTool(schema("bash", "c")),
            Assembly.mapTool("bash", (one) => (one.description === "c" ? { ...one, description: "C" } : one))
          )
      ]
      for (const edit of edits) {
        const after = Result.getOrThrow(accept([own], edit(own), global))
        assert.deepStrictEqual(
          after.tools.map(({ origin }) => origin),
          [
            { scope: "agent", shadows: [] },
            { scope: "global", plugin: "ext", listener: { name: "L2", scope: "global", plugin: "ext" }, shadows: [] }
          ]
        )
      }
    })

    it("a changed copy is an edit of the one whose origin it has, the very one or an equal one", () => {
      const changed = (one: Assembly.AssembledTool, origin: unknown = one.origin) => ({
        ...one,
        schema: { ...one.schema, description: `${one.schema.description}!` },
        origin
      })
      const expected = [
        ["A!", listenedTo(first.origin)],
        ["B!", listenedTo(second.origin)]
      ]
      for (const origin of [
        (one: Assembly.AssembledTool) => one.origin,
        (one: Assembly.AssembledTool) => structuredClone(one.origin)
      ]) {
        const tools = two.tools.map((one) => changed(one, origin(one)))
        assert.deepStrictEqual(originsOf({ ...two, tools }), expected)
        assert.deepStrictEqual(originsOf({ ...two, tools: tools.toReversed() }), expected.toReversed())
      }
      assert.deepStrictEqual(originsOf({ ...two, tools: [changed(second), first] }), [expected[1], ["A", first.origin]])
    })

    it("a changed copy that has no origin, or that of nobody, is added by the listener", () => {
      for (const origin of [undefined, null, "agent", { scope: "agent" }, { ...first.origin, plugin: "else" }]) {
        const copy = { schema: schema("bash", "D"), origin }
        assert.deepStrictEqual(originsOf({ ...two, tools: [first, copy] }), [
          ["A", first.origin],
          ["D", added]
        ])
      }
    })

    it("a renamed one is added, whatever origin it has", () => {
      const renamed = { ...first, schema: { ...first.schema, name: "sh" } }
      assert.deepStrictEqual(originsOf({ ...two, tools: [renamed] }), [["A", added]])
    })

    it("an unchanged copy is the very tool, with its origin or without it", () => {
      for (const tools of [
        two.tools.map((one) => ({ ...one })),
        two.tools.map((one) => ({ schema: { ...one.schema } })),
        two.tools.map((one) => ({ ...one, origin: second.origin }))
      ]) {
        assert.strictEqual(Result.getOrThrow(accept([two], { ...two, tools }, owner)), two)
      }
    })

    it("what an inner listener added keeps its name when an outer one adds another", () => {
      const inner: Owner = { kind: "listener", entry: "inner", scope: "global" }
      const downstream = Result.getOrThrow(accept([two], Assembly.addTool(two, schema("bash", "C")), inner))
      assert.deepStrictEqual(originsOf(Assembly.addTool(downstream, schema("bash", "D")), downstream).slice(2), [
        ["C", { scope: "global", listener: { name: "inner", scope: "global" }, shadows: [] }],
        ["D", added]
      ])
    })
  })

  describe("tools of one name, of one provider", () => {
    const named = ["1", "2", "3"].map((description) => schema("t", description))
    const given = assemble([overlay({ tools: [{ name: "fs", tools: [...named, schema("u")] }] })])
    given.tools.forEach((tool, handler) => {
      link(tool, Result.getOrThrow(RegisteredTool.make({ ...schema(tool.schema.name), handler }, "global")))
    })
    const t1 = given.tools[0]!
    const t2 = given.tools[1]!
    const t3 = given.tools[2]!
    const u = given.tools[3]!
    const edited = (one: Assembly.AssembledTool, description = `${one.schema.description}!`) => ({
      ...one,
      schema: { ...one.schema, description }
    })
    const bare = (one: Assembly.AssembledTool) => ({ schema: { ...one.schema } })

    /** Which one a tool is, or was made of; its origin says the same. */
    const whose = (tool: Assembly.AssembledTool): number | string => {
      const at = given.tools.indexOf(tool)
      if (at !== -1) return at
      const registered = registeredAs(tool)
      const added = { scope: "agent", plugin: "extra", listener, shadows: [] }
      assert.deepStrictEqual(tool.origin, registered === undefined ? added : listenedTo(t1.origin))
      return registered === undefined ? "added" : `made of ${String(registered.handler)}`
    }

    type Case = readonly [what: string, tools: ReadonlyArray<object>, whose: ReadonlyArray<number | string>]
    const cases: ReadonlyArray<Case> = [
      [
        "changed ones were made of those that are gone",
        [edited(t1), t2, edited(t3), u],
        ["made of 0", 1, "made of 2", 3]
      ],
      ["in the order of these", [edited(t3), t2, edited(t1), u], ["made of 0", 1, "made of 2", 3]],
      [
        "also one that says what another said",
        [edited(t1, "2"), edited(t2, "1"), t3, u],
        ["made of 0", "made of 1", 2, 3]
      ],
      ["with more gone than changed, of the last", [edited(t1), t2, u], ["made of 2", 1, 3]],
      [
        "with more changed than gone, too",
        [edited(t1), edited(t1, "x"), t2, t3, u],
        ["made of 2", "made of 2", 1, 2, 3]
      ],
      [
        "a changed one of another name is none of them",
        [edited(t1), t2, t3, edited(u)],
        ["made of 0", 1, 2, "made of 3"]
      ],
      ["copies without an origin are those that they say", [bare(t3), bare(t1), t2, u], [2, 0, 1, 3]],
      ["unless that one is there, after the copy", [bare(t1), t1, t2, t3, u], ["added", 0, 1, 2, 3]],
      ["or before it", [t1, bare(t1), t2, t3, u], [0, "added", 1, 2, 3]],
      ["or is another copy already", [bare(t1), bare(t1), t2, t3, u], [0, "added", 1, 2, 3]],
      ["or another says that it was made of it", [bare(t1), edited(t1), t2, t3, u], ["added", "made of 0", 1, 2, 3]],
      ["one that is there twice is itself twice", [t1, t1, t3, u], [0, 0, 2, 3]]
    ]
    for (const [what, tools, expected] of cases) {
      it(`${what}, however much else is new`, () => {
        for (const more of [0, 1, 20]) {
          const added = Array.from({ length: more }, (_, i) => ({ schema: schema(`more ${i}`) }))
          const after = Result.getOrThrow(accept([given], { ...given, tools: [...tools, ...added] }, owner)).tools
          assert.deepStrictEqual(after.map(whose), [...expected, ...added.map(() => "added")])
        }
      })
    }

    it("what is wrong beside a changed one is found in its place", () => {
      for (const wrong of [null, 42]) {
        const error = Result.getOrThrow(
          Result.flip(accept([given], { ...given, tools: [edited(t1), t2, wrong] }, owner))
        )
        assert.deepInclude(error, { path: "$.tools[2]" })
        assert.include(error.reason, "expected an object")
      }
    })
  })

  it("an around that touches nothing leaves what inner listeners did, and their names", () => {
    const inner: Owner = { kind: "listener", entry: "inner", scope: "global" }
    const downstream = Result.getOrThrow(accept([base], Assembly.setVariable(base, "v", "W"), inner))
    assert.strictEqual(accepted(downstream, downstream), downstream)
    assert.strictEqual(accepted({ ...downstream, variables: [...downstream.variables] }, downstream), downstream)
    assert.deepStrictEqual(accepted({ ...downstream, sections: [a] }, downstream).variables[0]?.origin.listener, {
      name: "inner",
      scope: "global"
    })
  })

  it("an around that goes back to what it was given is no change; one that changes on top is the last listener", () => {
    const inner: Owner = { kind: "listener", entry: "inner", scope: "global" }
    const downstream = Result.getOrThrow(accept([base], Assembly.setVariable(base, "v", "W"), inner))
    assert.strictEqual(accepted(base, downstream), base)
    const after = accepted(Assembly.setVariable(downstream, "v", "X"), downstream)
    assert.deepStrictEqual(after.variables[0]?.origin, listenedTo(v.origin))
  })

  it("what a listener sends in shadowed parts stays with the hidden registrations that the part has", () => {
    const shadowing = assemble([
      overlay({ sections: [{ name: "s", order: 0, text: "far", plugin: "p" }] }),
      overlay({ sections: [{ name: "s", order: 0, text: "near" }] }, "agent")
    ])
    const changed = Assembly.mapSection(shadowing, "s", (one) => ({ ...one, text: "new" }))
    assert.deepStrictEqual(Result.getOrThrow(accept([shadowing], changed, owner)).sections[0]?.origin, {
      scope: "agent",
      listener,
      shadows: [{ scope: "global", plugin: "p" }]
    })
  })
})

describe("rules", () => {
  it("a section of a listener is held to the rules of a registered one", () => {
    for (const name of ["x", ""]) {
      for (const order of [0, Number.NaN]) {
        const section = { name, order, text: "T" }
        assert.strictEqual(
          Result.isSuccess(accept([base], { ...base, sections: [section] }, owner)),
          Result.isSuccess(Section.make(section, "global"))
        )
      }
    }
  })
})
