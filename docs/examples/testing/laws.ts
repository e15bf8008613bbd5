import { Effect } from "effect"
import { Assembly, type Listener, Renderer } from "effect-preamble"
import { Law, ListenerLaws, RendererLaws, ToolProviderLaws } from "effect-preamble/testing"

const bash = { name: "bash", description: "Run a command", parameters: { type: "object" } }

/** Hides bash, and tells the model so. */
const readOnly: Listener.Input = {
  name: "read-only",
  edit: (assembly) =>
    assembly.tools.some((tool) => tool.schema.name === "bash")
      ? Assembly.addSection(Assembly.removeTool(assembly, "bash"), { name: "a", order: 500, text: "You only read." })
      : assembly
}

const program = Effect.gen(function* () {
  const listener = yield* Law.check(ListenerLaws.all(readOnly, { contributions: { tools: [bash] }, idempotent: true }))
  const renderer = yield* Law.check(RendererLaws.all(Renderer.layer))
  const tools = yield* Law.check(ToolProviderLaws.all(() => [bash, { ...bash, name: "read file" }]))
  for (const report of [...listener, ...renderer, ...tools]) {
    console.log(report._tag === "Passed" ? `${report.law}: held` : Law.format(report))
  }
})
await Effect.runPromise(program)
