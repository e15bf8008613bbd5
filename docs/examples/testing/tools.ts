import { Effect, Layer, Schema } from "effect"
import { Plugin, ToolRegistry } from "effect-preamble"
import { Law, PluginLaws, ToolRegistryLaws } from "effect-preamble/testing"

/** Models write `Bash` now and then, so this registry is not particular about it. */
const forgiving = Layer.effect(
  ToolRegistry,
  Effect.map(ToolRegistry, (registry) => {
    const names = new Map<string, string>()
    return ToolRegistry.of({
      ...registry,
      register: (tool) =>
        Effect.tap(registry.register(tool), () => Effect.sync(() => names.set(tool.name.toLowerCase(), tool.name))),
      call: (view, tool, args) => registry.call(view, names.get(tool.toLowerCase()) ?? tool, args)
    })
  })
).pipe(Layer.provide(ToolRegistry.layer))

/** Reads a file. The model is not told that there is a limit. */
const read = Plugin.tool({
  name: "read",
  description: "Read the first lines of a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, lines: { type: "integer" } },
    required: ["path", "lines"]
  },
  decode: Schema.Struct({
    path: Schema.String,
    lines: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))
  }),
  handler: ({ lines, path }) => Effect.succeed(`${lines} lines of ${path}`)
})

const laws = [
  ToolRegistryLaws.callsShown(forgiving),
  ToolRegistryLaws.restrictionsAddUp(forgiving),
  PluginLaws.takesArguments(read)
]
for (const report of await Effect.runPromise(Law.check(laws, { runs: 30 }))) console.log(Law.format(report))
