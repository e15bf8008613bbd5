import { Console, Context, Effect, Layer, Schema } from "effect"
import { Plugin, PromptScope, SystemPrompt, ToolRegistry } from "effect-preamble"

class Disk extends Context.Service<Disk, { readonly read: (path: string) => Effect.Effect<string, string> }>()(
  "Disk"
) {}
const disk = Layer.succeed(Disk, {
  read: (path) => (path === "notes.md" ? Effect.succeed("Buy milk.") : Effect.fail(`there is no ${path}`))
})

const tools = Layer.mergeAll(
  Plugin.tool({
    name: "read",
    description: "Reads a file.",
    parameters: Schema.Struct({ path: Schema.String }),
    handler: ({ path }) => Disk.use(({ read }) => read(path))
  }),
  Plugin.tool({
    name: "remove",
    description: "Removes a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    handler: () => Effect.void
  }),
  Plugin.guard({
    name: "dot-files",
    check: ({ arguments: args }) => (/":"\./.test(JSON.stringify(args)) ? "dot files are private" : undefined)
  })
).pipe(Layer.provide(disk))

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const registry = yield* ToolRegistry
  const call = (tool: string, args: unknown) =>
    Effect.gen(function* () {
      const view = yield* prompt.assemble
      const answer = yield* Effect.match(registry.call(view, tool, args), {
        onFailure: (error) => `${error._tag}: ${error.message}`,
        onSuccess: (result) => JSON.stringify(result)
      })
      yield* Console.log(answer)
    })

  yield* call("read", { path: "notes.md" })
  yield* call("read", { path: "todo.md" })
  yield* call("read", { file: "notes.md" })
  yield* call("read", { path: ".env" })

  const reviewer = yield* PromptScope.make("reviewer")
  yield* registry.restrict({ deny: ["remove"] }).pipe(PromptScope.provide(reviewer.scope))
  yield* call("remove", { path: "notes.md" }).pipe(PromptScope.provide(reviewer.scope))
  yield* call("rmdir", { path: "notes.md" }).pipe(PromptScope.provide(reviewer.scope))
  yield* call("remove", { path: "notes.md" })
})

const layer = tools.pipe(Layer.provideMerge(ToolRegistry.layer), Layer.provideMerge(SystemPrompt.layer))
await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layer)))
