import { Console, Effect, Layer, Result } from "effect"
import { Overlays, Plugin, Rendered, Renderer, SystemPrompt, Waterfall } from "effect-preamble"

/** Wraps each section in a tag of its name. The offsets move with it, so that every character keeps its origin. */
const tagged = (rendered: Rendered.Rendered): Rendered.Rendered => {
  let text = ""
  const sections = rendered.sections.map((part) => {
    text += `<${part.name}>`
    const offset = text.length
    text += `${part.text}</${part.name}>\n`
    return { ...part, offset }
  })
  return { ...rendered, text, sections }
}

const Tagged = Layer.succeed(Renderer, {
  render: (assembly) => Effect.fromResult(Result.map(Rendered.render(assembly), tagged))
})
const TaggedPrompt = SystemPrompt.layerNoDeps.pipe(Layer.provide([Overlays.layer, Waterfall.layer, Tagged]))

const plugin = Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." })
const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => Console.log(rendered.text)
)
await Effect.runPromise(program.pipe(Effect.provide(plugin.pipe(Layer.provideMerge(TaggedPrompt)))))
