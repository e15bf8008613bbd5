import { Console, Effect, Layer } from "effect"
import { Overlays, Plugin, type Rendered, Renderer, SystemPrompt, Waterfall } from "effect-preamble"

/** Wraps each section in a tag of its name. The offsets move with it, so that every character keeps its origin. */
const wrap = (rendered: Rendered.Rendered): Rendered.Rendered => {
  let text = ""
  const sections = rendered.sections.map((part) => {
    text += `<${part.name}>`
    const offset = text.length
    text += `${part.text}</${part.name}>\n`
    return { ...part, offset }
  })
  return { ...rendered, text, sections }
}

/** Over the usual renderer: while that gives the same object, so does this one. */
const Tagged = Layer.effect(
  Renderer,
  Effect.map(Renderer, (usual) => {
    const wrapped = new WeakMap<Rendered.Rendered, Rendered.Rendered>()
    return Renderer.of({
      render: (assembly) =>
        Effect.map(usual.render(assembly), (rendered) => {
          const known = wrapped.get(rendered) ?? wrap(rendered)
          wrapped.set(rendered, known)
          return known
        })
    })
  })
).pipe(Layer.provide(Renderer.layer))
const TaggedPrompt = SystemPrompt.layerNoDeps.pipe(Layer.provide([Overlays.layer, Waterfall.layer, Tagged]))

const plugin = Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." })
const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => Console.log(rendered.text)
)
await Effect.runPromise(program.pipe(Effect.provide(plugin.pipe(Layer.provideMerge(TaggedPrompt)))))
