import { Console, Effect, Layer } from "effect"
import { SystemPrompt, Template, Variables } from "effect-preamble"

const vars = Variables.define({ model: "deepseek-chat", cwd: "/home/ada" })

const plugins = Layer.mergeAll(
  vars.layer,
  vars.section({ name: "model", order: 0, text: "You run on {{model}}." }),
  vars.section({ name: "place", order: 10000, text: Template.text`{{ is literal here; you are in ${vars.ref("cwd")}.` })
)

// @ts-expect-error: unknown prompt variable {{modle}}
vars.section({ name: "typo", order: 1, text: "You run on {{modle}}." })

const program = Effect.flatMap(
  SystemPrompt.use((prompt) => prompt.render),
  ({ text }) => Console.log(text)
)
await Effect.runPromise(program.pipe(Effect.provide(plugins.pipe(Layer.provideMerge(SystemPrompt.layer)))))
