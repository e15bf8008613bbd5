import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Ref, Schema } from "effect"
import { Plugin, PromptScope, SystemPrompt, ToolRegistry } from "../src/index.ts"

const layer = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layer))

class Files extends Context.Service<Files, { readonly read: (path: string) => Effect.Effect<string, string> }>()(
  "Files"
) {}
const files = Layer.succeed(Files, {
  read: (path) => (path === "a" ? Effect.succeed("text of a") : Effect.fail("no such file"))
})

const read = Plugin.tool({
  name: "read",
  description: "Reads a file",
  parameters: Schema.Struct({ path: Schema.String }),
  handler: ({ path }) => Files.use((fs) => fs.read(path))
}).pipe(Layer.provide(files))

const prompt = SystemPrompt.use((prompt) => prompt.assemble)

describe("ToolRegistry", () => {
  it.effect("shows a tool and runs its calls", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const view = yield* prompt
      assert.deepStrictEqual(
        view.tools.map((tool) => tool.schema.name),
        ["read"]
      )
      assert.strictEqual(yield* registry.call(view, "read", { path: "a" }), "text of a")
      const failed = yield* Effect.flip(registry.call(view, "read", { path: "b" }))
      assert.strictEqual(failed.message, 'tool "read" failed: no such file.')
      const wrong = yield* Effect.flip(registry.call(view, "read", { path: 1 }))
      assert.strictEqual(wrong._tag, "InvalidToolArguments")
    }).pipe(Effect.provide(read.pipe(Layer.provideMerge(layer))))
  )
  it.effect("raw", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const ran = yield* Ref.make<ReadonlyArray<unknown>>([])
      yield* registry.register({
        name: "bash",
        description: "",
        parameters: {
          type: "object",
          properties: { cmd: { type: "string" } },
          required: ["cmd"],
          additionalProperties: false
        },
        handler: (args) => Ref.update(ran, (all) => [...all, args])
      })
      const { scope } = yield* PromptScope.make("child")
      yield* registry.restrict({ deny: ["bash"] }).pipe(PromptScope.provide(scope))
      const view = yield* prompt
      const below = yield* PromptScope.provide(scope)(prompt)
      assert.strictEqual(yield* registry.call(view, "bash", { cmd: "ls" }), null)
      console.log((yield* Effect.flip(registry.call(view, "bash", { cmd: "ls", x: 1 }))).message)
      console.log((yield* Effect.flip(registry.call(below, "bash", { cmd: "ls" }))).message)
      console.log((yield* Effect.flip(registry.call(view, "bahs", { cmd: "ls" }))).message)
      console.log(below.tools, registry.view(scope).hidden)
      console.log((yield* Effect.flip(registry.restrict({ deny: ["bahs"] }).pipe(PromptScope.provide(scope)))).message)
    }).pipe(Effect.provide(layer))
  )
})
