/** The worked example: a persona from a variable, tools of a host, and sections that want to be the whole prompt. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PromptScope, SystemPrompt } from "../src/index.ts"
import * as ToolSchema from "../src/ToolSchema.ts"
import * as view from "./support/view.ts"

const identity = "You are an agent of the example."
const guidance = "Use `read` before you edit.  {not a reference}\n"
/** Full-width punctuation, a character beyond the basic plane, a composed and a decomposed letter. */
const persona = "你是一位严谨的工程师,名叫“小𠮷”:先思考,再动手。caf\u00e9 / cafe\u0301"

const parameters = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "string", description: "{{persona}} stays as it is" } },
  required: [name]
})

/** Tools as a host keeps them. */
const hostTools = () => [
  {
    name: "read",
    description: "Read a file",
    parameters: parameters("path"),
    execute: () => "secret",
    timeoutMs: 1_000,
    isConcurrencySafe: true,
    deferLoading: true
  },
  {
    name: "bash",
    description: "Run a command",
    parameters: parameters("command"),
    execute: () => "secret",
    timeoutMs: 120_000,
    isConcurrencySafe: false,
    deferLoading: false
  }
]

const register = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const tools = hostTools()
  yield* prompt.section({ name: "tool:read", order: 1000, text: guidance })
  yield* prompt.section({ name: "deployment:persona", order: 0, text: "{{persona}}" })
  yield* prompt.variable("persona", () => Effect.succeed(persona))
  yield* prompt.tools(() => tools, { name: "fs" })
  yield* prompt.context({ name: "policy", order: 115, text: "Ask." })
  return { prompt, tools }
})

const layer = SystemPrompt.layerWith({ identity })

const shown: ReadonlyArray<ToolSchema.ToolSchema> = [
  { name: "bash", description: "Run a command", parameters: parameters("command") },
  { name: "read", description: "Read a file", parameters: parameters("path"), deferLoading: true }
]

describe("worked example 1", () => {
  it.effect(
    "assembles identity, persona and guidance, the variable, and exactly what a model may see of the tools",
    () =>
      Effect.gen(function* () {
        const { prompt } = yield* register
        const assembly = yield* prompt.assemble
        assert.deepStrictEqual(view.variables(assembly), [["persona", persona]])
        assert.deepStrictEqual(view.sections(assembly), [
          ["harness:identity", identity],
          ["deployment:persona", "{{persona}}"],
          ["tool:read", guidance]
        ])
        assert.deepStrictEqual(
          assembly.sections.filter(({ text }) => text !== "").map(({ order }) => order),
          [-1000, 0, 1000]
        )
        assert.deepStrictEqual(
          assembly.tools.map(({ schema }) => schema),
          shown
        )
        assert.deepStrictEqual(Object.keys(assembly.tools[0]!.schema), ["name", "description", "parameters"])
        assert.notMatch(
          `${JSON.stringify(assembly)}${assembly.tools.map(({ schema }) => ToolSchema.emit(schema)).join("")}`,
          /execute|timeoutMs|isConcurrencySafe|secret/u
        )
      }).pipe(Effect.provide(layer))
  )

  it.effect("keeps nothing of the provider's own objects", () =>
    Effect.gen(function* () {
      const { prompt, tools } = yield* register
      const before = yield* prompt.assemble
      Object.assign(tools[1]!, { description: "changed" })
      Object.assign(tools[1]!.parameters, { type: "changed" })
      assert.deepStrictEqual(
        before.tools.map(({ schema }) => schema),
        shown
      )
      const after = yield* prompt.assemble
      assert.deepInclude(after.tools[0]?.schema, { name: "bash", description: "changed" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("passes the assembly on unchanged when nobody listens: it is what a listener would be given", () =>
    Effect.gen(function* () {
      const { prompt } = yield* register
      const silent = yield* prompt.assemble
      const seen: Array<unknown> = []
      yield* prompt.listener({ name: "watch", edit: (assembly) => (seen.push(assembly), assembly) })
      const watched = yield* prompt.assemble
      assert.strictEqual(seen[0], watched)
      assert.strictEqual(view.bytes(watched), view.bytes(silent))
    }).pipe(Effect.provide(layer))
  )

  it.effect("renders the persona byte for byte where the reference was", () =>
    Effect.gen(function* () {
      const { prompt } = yield* register
      const { text } = yield* prompt.render
      assert.strictEqual(text, `${identity}\n\n${persona}\n\n${guidance}`)
      const bytes = new TextEncoder().encode(text)
      const expected = new TextEncoder().encode(persona)
      const start = new TextEncoder().encode(`${identity}\n\n`).length
      assert.deepStrictEqual(bytes.slice(start, start + expected.length), expected)
    }).pipe(Effect.provide(layer))
  )

  it.effect("lets a complete section be the whole prompt of its scope; tools, variables and contexts stay", () =>
    Effect.gen(function* () {
      const { prompt } = yield* register
      const agent = (yield* PromptScope.make("agent")).scope
      const only = prompt.section({ name: "only", order: 50, text: "EXACTLY {{persona}}", complete: true })
      yield* PromptScope.provide(agent)(only)
      const [global, scoped] = [yield* prompt.assemble, yield* PromptScope.provide(agent)(prompt.assemble)]
      assert.strictEqual(scoped.complete, "only")
      assert.deepStrictEqual(view.sections(scoped), [["only", "EXACTLY {{persona}}"]])
      assert.deepStrictEqual(scoped.tools, global.tools)
      assert.deepStrictEqual(scoped.variables, global.variables)
      assert.deepStrictEqual(view.contexts(scoped), [["policy", "Ask."]])
      assert.strictEqual((yield* PromptScope.provide(agent)(prompt.render)).text, `EXACTLY ${persona}`)
      assert.strictEqual(
        (yield* prompt.render).text,
        `${identity}\n\n${persona}\n\n${guidance}`,
        "others are not concerned"
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails for two complete sections, and names both with their scopes", () =>
    Effect.gen(function* () {
      const { prompt } = yield* register
      const agent = (yield* PromptScope.make("agent")).scope
      yield* prompt.section({ name: "one", order: 50, text: "1", complete: true, plugin: "p1" })
      yield* PromptScope.provide(agent)(prompt.section({ name: "two", order: 60, text: "2", complete: true }))
      const error = yield* Effect.flip(PromptScope.provide(agent)(prompt.assemble))
      assert.deepInclude(error, {
        _tag: "MultipleCompleteSections",
        scope: "agent",
        sections: [
          { entry: "one", scope: "global", plugin: "p1" },
          { entry: "two", scope: "agent" }
        ]
      })
      assert.include(error.message, 'section "one" of scope "global" (plugin "p1")')
      assert.include(error.message, 'section "two" of scope "agent"')
      assert.strictEqual((yield* prompt.render).text, "1")
    }).pipe(Effect.provide(layer))
  )
})
