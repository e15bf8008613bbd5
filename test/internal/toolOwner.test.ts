import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Check from "effect-preamble/check"
import { Assembly, PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { describeTool, ownerOf } from "../../src/internal/toolOwner.ts"

const layer = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layer))

/** A tool whose description `check` warns of. */
const tool = (name: string) => ({ name, description: "See {{x}}.", parameters: { type: "object" } })

/** Tools of every kind of owner, in a trace. */
const traced = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const registry = yield* ToolRegistry
  yield* prompt.variable("x", "1")
  const { scope } = yield* PromptScope.make("agent")
  yield* registry.register({ ...tool("registered"), plugin: "fs" })
  yield* PromptScope.provide(scope)(registry.register(tool("own")))
  yield* prompt.tools([tool("named")], { name: "net", plugin: "web" })
  yield* prompt.tools([tool("nameless")], { plugin: "web" })
  yield* prompt.listener({ name: "adds", plugin: "late", edit: Assembly.addTool(tool("added")) })
  const edit = (name: string) => Assembly.mapTool(name, (schema) => ({ ...schema, description: "See {{x}}, edited." }))
  yield* PromptScope.provide(scope)(prompt.listener({ name: "edits", edit: (one) => edit("own")(edit("named")(one)) }))
  return yield* PromptScope.provide(scope)(prompt.trace)
}).pipe(Effect.provide(layer))

const owners = {
  registered: { kind: "tool", entry: "registered", scope: "global", plugin: "fs" },
  own: { kind: "tool", entry: "own", scope: "agent" },
  named: { kind: "tools", entry: "net", scope: "global", plugin: "web" },
  nameless: { kind: "tools", entry: "", scope: "global", plugin: "web" },
  added: { kind: "listener", entry: "adds", scope: "global", plugin: "late" }
}

describe("ownerOf", () => {
  it.effect("is the registration, the provider or the listener that a tool comes from, whoever edited it since", () =>
    Effect.gen(function* () {
      const { assembly } = yield* traced
      const found = assembly.tools.map((one) => [one.schema.name, ownerOf(one)])
      assert.deepStrictEqual(Object.fromEntries(found), owners)
      assert.include(assembly.tools.find(({ schema }) => schema.name === "own")?.schema.description, "edited")
    })
  )

  it.effect("is whom the warnings of `check` are about", () =>
    Effect.gen(function* () {
      const trace = yield* traced
      const warnings = Check.trace(trace).filter(({ code }) => code === "literal-reference")
      assert.lengthOf(warnings, 5)
      for (const { entry, kind, message, plugin, scope, tool } of warnings) {
        const owner = owners[tool as keyof typeof owners]
        assert.deepStrictEqual({ kind, entry, scope, ...(plugin === undefined ? {} : { plugin }) }, owner)
        const shown = trace.assembly.tools.find(({ schema }) => schema.name === tool)!
        assert.isTrue(message.startsWith(`the description of ${describeTool(shown)} has {{x}}`), message)
      }
    })
  )
})

describe("describeTool", () => {
  it.effect("names the tool, and whom it comes from if that has another name", () =>
    Effect.gen(function* () {
      const { assembly } = yield* traced
      const found = assembly.tools.map((one) => [one.schema.name, describeTool(one)])
      assert.deepStrictEqual(Object.fromEntries(found), {
        registered: 'tool "registered" of scope "global" (plugin "fs")',
        own: 'tool "own" of scope "agent"',
        named: 'tool "named" of tool provider "net" of scope "global" (plugin "web")',
        nameless: 'tool "nameless" of scope "global" (plugin "web")',
        added: 'tool "added" of listener "adds" of scope "global" (plugin "late")'
      })
    })
  )
})
