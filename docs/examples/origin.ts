import { Console, Effect, Layer, Option } from "effect"
import { Plugin, Rendered, SystemPrompt } from "effect-preamble"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "identity", order: -1000, text: "You are a careful assistant." }),
  Plugin.section({ name: "model", order: 0, text: "You run on {{model}}.", plugin: "router" }),
  Plugin.variable("model", "deepseek-chat", { plugin: "router" })
)

const whence = (rendered: Rendered.Rendered, text: string): string =>
  Option.match(Rendered.sourceAt(rendered, rendered.text.indexOf(text)), {
    onNone: () => "nowhere",
    onSome: (source) => {
      switch (source._tag) {
        case "Text":
          return `section ${source.section.name}, offset ${source.offset} of its text`
        case "Value":
          return `variable ${source.variable.name} of plugin ${source.variable.origin.plugin}, in section ${source.section.name}`
        case "Separator":
          return `between ${source.before.name} and ${source.after.name}`
      }
    }
  })

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const rendered = yield* prompt.render
  for (const text of ["careful", "deepseek", "\n\n"]) {
    yield* Console.log(`${JSON.stringify(text)}: ${whence(rendered, text)}`)
  }
})

await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
