import { Console, Effect, Layer } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"

const plugins = Layer.mergeAll(
  Plugin.section({ name: "where", order: 0, text: "You work in {{cmd}}.", plugin: "workspace" }),
  Plugin.variable("cwd", "/home/ada")
)

const promptText = SystemPrompt.use((prompt) => prompt.render).pipe(
  Effect.map((rendered) => rendered.text),
  Effect.catchTags({
    UnknownVariable: (error) =>
      Effect.succeed(`{{${error.variable}}} in ${error.entry} of ${error.plugin}: is {{${error.nearest}}} meant?`),
    UndefinedVariable: (error) => Effect.succeed(`no value for {{${error.variable}}} yet`)
  })
)

const program = Effect.flatMap(promptText, Console.log)
await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
