import { Console, Effect, Layer, Result } from "effect"
import { Overlays, Plugin, Rendered, Renderer, SystemPrompt, Waterfall } from "effect-preamble"

/** Wraps each section in a tag of its name. */
const Tagged = Layer.succeed(Renderer, {
  render: (assembly) =>
    Effect.fromResult(
      Result.map(Rendered.render(assembly), (rendered) => ({
        ...rendered,
        text: rendered.sections.map((part) => `<${part.name}>${part.text}</${part.name}>`).join("\n")
      }))
    )
})
const TaggedPrompt = SystemPrompt.layerNoDeps.pipe(Layer.provide([Overlays.layer, Waterfall.layer, Tagged]))

const plugin = Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." })
const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => Console.log(rendered.text)
)
await Effect.runPromise(program.pipe(Effect.provide(plugin.pipe(Layer.provideMerge(TaggedPrompt)))))
