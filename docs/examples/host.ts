import { fileURLToPath } from "node:url"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Console, Effect, Layer } from "effect"
import { PromptScope, SystemPrompt } from "effect-preamble"
import { CompositionScopes, layerFile } from "effect-preamble/composition"

const file = fileURLToPath(new URL("agent/agent.yaml", import.meta.url))

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const scopes = yield* CompositionScopes
  // An agent of its own, below a scope of the file: it sees all that the file says, and no other agent sees what it adds.
  const { scope } = yield* PromptScope.make("agent-1", { parent: yield* scopes.find("minimal") })
  const { text } = yield* PromptScope.provide(scope)(prompt.render)
  yield* Console.log(text)
})

await Effect.runPromise(
  program.pipe(
    Effect.scoped,
    Effect.provide(layerFile(file)),
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))
  )
)
