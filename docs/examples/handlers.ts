import { Console, Effect, Result, Schema } from "effect"
import { PromptScope, SystemPrompt, ToolRegistry } from "effect-preamble"
import { CompositionScopes, handler, layer, parse } from "effect-preamble/composition"

const text = `
tools:
  - name: add
    description: Add two numbers
    parameters: { type: object, properties: { a: { type: number }, b: { type: number } }, required: [a, b] }
scopes:
  writer: { restrict: { deny: [add] } }
`

const add = handler({
  decode: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  handler: ({ a, b }) => Effect.succeed(a + b)
})

const program = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const registry = yield* ToolRegistry
  const { scopes } = yield* CompositionScopes
  for (const [name, scope] of scopes) {
    const assembly = yield* PromptScope.provide(scope)(prompt.assemble)
    const answer = yield* Effect.result(registry.call(assembly, "add", { a: 1, b: 2 }))
    yield* Console.log(`${name}: ${Result.isSuccess(answer) ? answer.success : answer.failure.message}`)
  }
})

const composition = Result.getOrThrow(parse({ file: "agent.yaml", text }))

await Effect.runPromise(program.pipe(Effect.provide(layer(composition, { handlers: { add } }))))
