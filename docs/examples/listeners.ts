import { Console, Context, Effect, Layer, pipe } from "effect"
import { Annotations, Assembly, Plugin, SystemPrompt } from "effect-preamble"

/** What the runtime says of the workspace, and what the listener says of the tools. */
const ReadOnly = Context.Reference<boolean>("app/ReadOnly", { defaultValue: () => false })
const Hidden = Context.Reference<ReadonlyArray<string>>("app/Hidden", { defaultValue: () => [] })

const plugins = Layer.mergeAll(
  Plugin.tools([
    { name: "read", description: "Read a file", parameters: { type: "object" } },
    { name: "write", description: "Write a file", parameters: { type: "object" } }
  ]),
  Plugin.section({ name: "tool:write", order: 1200, text: "Write whole files.", requires: ["write"] }),
  Plugin.listener({
    name: "read-only",
    edit: (assembly, { annotations }) =>
      Context.get(annotations, ReadOnly)
        ? pipe(assembly, Assembly.removeTool("write"), Assembly.annotate(Hidden, ["write"]))
        : assembly
  }),
  Plugin.listener({
    name: "timed",
    order: -10,
    around: (assembly, next) => next(assembly).pipe(Effect.withSpan("waterfall"))
  })
)

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const assembly = yield* prompt.assemble
  const tools = assembly.tools.map((tool) => tool.schema.name)
  const sections = assembly.sections.filter((section) => section.text !== "").map((section) => section.name)
  yield* Console.log(`tools ${tools}; sections ${sections}; hidden ${Context.get(assembly.annotations, Hidden)}`)
})

await Effect.runPromise(
  Effect.andThen(program, program.pipe(Effect.provideService(Annotations, Context.make(ReadOnly, true)))).pipe(
    Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))
  )
)
