import { Console, Effect, Layer } from "effect"
import { Plugin, SystemPrompt, Template } from "effect-preamble"

const plugins = Layer.mergeAll(
  // All of it is data: braces stay as they are.
  Plugin.section({ name: "jsx", order: 0, text: "Write style={{ color: 'red' }}.", interpolate: false }),
  // Mixed: what is written in the template is literal, the holes are variables.
  Plugin.section({
    name: "jinja",
    order: 1,
    text: Template.text`Jinja says {{ user.name }}; you are ${Template.ref("model")}.`
  }),
  Plugin.variable("model", "deepseek-chat")
)

const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  (rendered) => Console.log(rendered.text)
)
await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
