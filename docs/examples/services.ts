import { Console, Context, Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"

class Skills extends Context.Service<Skills, { readonly list: Effect.Effect<ReadonlyArray<string>> }>()("app/Skills") {
  static readonly layer = Layer.succeed(this, { list: Effect.succeed(["review", "release"]) })
}

// A Layer<never, RegistrationError, SystemPrompt | Skills>: what the provider needs is captured when the layer is built.
const skills = Plugin.section({
  name: "skills",
  order: 900,
  plugin: "skills",
  text: () =>
    Effect.map(
      Skills.use((service) => service.list),
      (all) => `Skills: ${all.join(", ")}.`
    )
})

const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => Console.log(rendered.text)
)
await Effect.runPromise(
  program.pipe(Effect.provide(skills.pipe(Layer.provide(Skills.layer), Layer.provideMerge(SystemPrompt.layer))))
)
