import { Effect, Layer, Schema } from "effect"
import { Chat } from "effect/ai"
import { Plugin, PromptScope, SystemPrompt, ToolRegistry } from "effect-preamble"
import { PromptedModel } from "effect-preamble/ai"
import { Workspace } from "./workspace.ts"

// The persona. What differs between machines stands last, so that everything before it stays cached.
const prompt = SystemPrompt.layerWith({
  identity: "You are Copper, a coding agent that works in one directory.",
  persona: { prefix: "Make the smallest change that solves the task.", suffix: "Your working directory is {{cwd}}." }
})

const read = Plugin.tool({
  name: "read_file",
  description: "Read a file.",
  parameters: Schema.Struct({ path: Schema.String }),
  handler: ({ path }) => Workspace.use((workspace) => workspace.read(path))
})

const write = Plugin.tool({
  name: "write_file",
  description: "Write a file.",
  parameters: Schema.Struct({ path: Schema.String, text: Schema.String }),
  handler: ({ path, text }) =>
    Effect.as(
      Workspace.use((workspace) => workspace.write(path, text)),
      `Wrote ${path}.`
    )
})

// Guidance that is there only with its tool.
const guidance = Plugin.section({
  name: "tool:write_file",
  order: 1000,
  text: "Read a file before you write it.",
  requires: ["write_file"]
})

const directory = Plugin.variable("cwd", () => Workspace.use((workspace) => Effect.succeed(workspace.directory)))

// What changes from step to step is a context: it is sent after the history, and the prompt stays as it is.
const changes = Plugin.context({
  name: "workspace:changes",
  order: 200,
  text: () =>
    Effect.map(
      Workspace.use((workspace) => workspace.changed),
      (paths) => (paths.length === 0 ? "No file has been changed." : `Changed files: ${paths.join(", ")}.`)
    )
})

/** One plugin of all that concerns files. It takes the service `Workspace`. */
const files = Layer.mergeAll(read, write, guidance, directory, changes)

/** All that the model is shown and can call. */
export const plugins = files.pipe(Layer.provideMerge(ToolRegistry.layer), Layer.provideMerge(prompt))

/** Any `LanguageModel`, with the prompt and the tools of the agent. */
export const layer = PromptedModel.layer().pipe(Layer.provideMerge(plugins))

/** Lets the model act until it calls no more tools. */
const turn = Effect.fn("turn")(function* (message: string) {
  const chat = yield* Chat.fromPrompt(message)
  for (let step = 0; step < 10; step++) {
    const response = yield* chat.generateText({ prompt: [] })
    if (response.toolCalls.length === 0) return response.text
  }
  return "I stopped after ten steps."
})

/** A child agent with another persona, which may not write. */
const review = Effect.fn("review")(function* (message: string) {
  const { scope } = yield* PromptScope.make("reviewer")
  const reviewer = Layer.mergeAll(
    Plugin.persona({ prefix: "You review what others changed.", suffix: "Your working directory is {{cwd}}." }),
    Plugin.restrict({ deny: ["write_file"] })
  )
  return yield* turn(message).pipe(PromptScope.provide(scope), Effect.provide(Plugin.mount(scope)(reviewer)))
}, Effect.scoped)

export const agent = Effect.gen(function* () {
  const answer = yield* turn("Correct the greeting in hello.txt.")
  const opinion = yield* review(`Review this change: ${answer}`)
  return { answer, opinion }
})
