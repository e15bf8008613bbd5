import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Option, Schema } from "effect"
import { LanguageModel, Tool } from "effect/ai"
import { type ModelToolkit, PromptedModel } from "../../src/ai/index.ts"
import { Assembly, Plugin, SystemPrompt, ToolRegistry, type ToolSchema } from "../../src/index.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { rawTool, tool } from "./agent.ts"
import { bytes, call, finish, results, scripted } from "./scripted.ts"

const names = ["read", "rm", "Zeta", "a1", "constructor", "toString", "x-1"]
const odd = ["__proto__", "7", "a b"]

const made = Schema.Struct({
  registered: Schema.Array(Schema.Struct({ name: Schema.Literals(names), raw: Schema.Boolean, later: Schema.Boolean })),
  bare: Schema.Array(Schema.Literals([...names, "bare", "bare2", "bare3"])),
  illegal: Schema.Array(Schema.Literals(odd)),
  removed: Schema.Literals(names),
  changed: Schema.Literals(names),
  policy: Schema.Literals(["refuse", "annotate", "eager"])
})

/** Mostly what can be sent: seldom an illegal name, sometimes one name twice. */
const cases = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(made), Arbitrary.schema(Schema.Natural)]),
  ([one, dice]): Case => ({
    ...one,
    registered: [...new Map(one.registered.map((tool) => [tool.name, tool])).values()],
    illegal: dice % 4 === 0 ? one.illegal : [],
    bare: dice % 3 === 0 ? one.bare : one.bare.filter((name) => name.startsWith("bare")).slice(0, 1)
  })
)

type Case = typeof made.Type

const plugins = ({ bare, changed, illegal, registered, removed }: Case) =>
  Layer.mergeAll(
    Plugin.tools([...bare, ...illegal].map((name) => ({ name, description: name, parameters: {} }))),
    Plugin.listener({
      name: "edit",
      edit: (assembly) =>
        Assembly.mapTool(Assembly.removeTool(assembly, removed), changed, (schema) => ({
          ...schema,
          description: "Changed.",
          parameters: { type: "object", properties: { path: { const: "a" } }, required: ["path"] }
        }))
    }),
    ...registered.map(({ later, name, raw }) => (raw ? rawTool({ name, deferLoading: later }) : tool(name)))
  )

/** The rules, word for word. */
const problem = (shown: ReadonlyArray<ToolSchema.ToolSchema>, policy: ModelToolkit.DeferLoadingPolicy) => {
  const all = shown.map(({ name }) => name)
  if (all.some((name) => odd.includes(name))) return "IllegalToolNames"
  if (new Set(all).size < all.length) return "DuplicateToolName"
  return policy === "refuse" && shown.some((schema) => schema.deferLoading) ? "UnsupportedCapability" : undefined
}

describe("what a model is sent", () => {
  it.effect(
    "is what the assembly shows, byte for byte, or nothing; a name is called exactly if it was sent",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          cases,
          (one) => {
            const model = scripted([...names.map((name) => call(name, name, { path: "a" })), finish("tool-calls")])
            return Effect.gen(function* () {
              const assembly = yield* SystemPrompt.use((prompt) => prompt.assemble)
              const shown = assembly.tools.map(({ schema }) => schema)
              const expected = problem(shown, one.policy)
              const asked = yield* Effect.result(
                LanguageModel.generateText({ prompt: "go" }).pipe(
                  Effect.provide(PromptedModel.layer({ deferLoading: one.policy }).pipe(Layer.provide(model.layer)))
                )
              )
              if (asked._tag === "Failure") {
                const error = Option.getOrThrow(PromptedModel.stepError(asked.failure))
                assert.strictEqual(error._tag, expected)
                assert.deepStrictEqual(model.seen, [])
                tally.count(error._tag)
                return
              }
              assert.isUndefined(expected)
              const [sent] = model.seen
              assert.strictEqual(
                JSON.stringify(sent?.tools.map((tool) => [tool.name, tool.description, Tool.getJsonSchema(tool)])),
                JSON.stringify(shown.map(({ description, name, parameters }) => [name, description, parameters]))
              )
              assert.include(bytes(sent!), '"prompt"')
              const visible = new Set(shown.map(({ name }) => name))
              const answers = results(asked.success)
              assert.deepStrictEqual(
                answers.map(([id, name]) => [id, name]).toSorted(),
                names.map((name) => [name, name]).toSorted()
              )
              for (const [, name, isFailure, result] of answers) {
                const notFound = isFailure && String(result).startsWith("there is no tool")
                assert.strictEqual(notFound, !visible.has(name), name)
              }
              tally.count(
                "sent",
                ...(visible.has(one.changed) ? ["a changed one"] : []),
                ...(one.registered.some(({ name }) => name === one.removed) ? ["a removed one"] : []),
                ...(shown.some((schema) => schema.deferLoading) ? ["one to load later"] : [])
              )
            }).pipe(
              Effect.provide(
                plugins(one).pipe(Layer.provideMerge(ToolRegistry.layer), Layer.provideMerge(SystemPrompt.layer))
              )
            )
          },
          { runs: runs(80, 3000), seed: 611 }
        )
        tally.assertShares("toolkits", {
          sent: 40,
          "a changed one": 8,
          "a removed one": 8,
          "one to load later": 8,
          DuplicateToolName: 3,
          IllegalToolNames: 5,
          UnsupportedCapability: 5
        })
      }),
    patience
  )
})
