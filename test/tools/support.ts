/** The registry of tools over a prompt service of its own, and the short words that its tests use. */
import { it } from "@effect/vitest"
import { Effect, Layer, Option, Schema, type Scope, Stream } from "effect"
import {
  type Assembly,
  PromptScope,
  SystemPrompt,
  type SystemPromptOptions,
  ToolError,
  type ToolOptions,
  ToolRegistry
} from "../../src/index.ts"
import type { AssembleError } from "../../src/PromptError.ts"

export const layerWith = (options: SystemPromptOptions): Layer.Layer<ToolRegistry | SystemPrompt> =>
  ToolRegistry.layer.pipe(Layer.provideMerge(Layer.orDie(SystemPrompt.layerWith(options))))

export const layer: Layer.Layer<ToolRegistry | SystemPrompt> = layerWith({})

/** A test over a registry of its own. */
export const test = <E>(
  name: string,
  self: Effect.Effect<void, E, ToolRegistry | SystemPrompt | Scope.Scope>,
  patience?: number
) => it.effect(name, () => Effect.provide(self, layer), patience)

// -----------------------------------------------------------------------------
// tools
// -----------------------------------------------------------------------------

/** A raw JSON Schema that takes any object. */
export const anything = { type: "object" } as const

type Simple<R> = ToolOptions<{ readonly [keyword: string]: unknown }, { readonly [keyword: string]: unknown }, never, R>

/** A tool that takes any object and answers with who it is. */
export const tool = (name: string, options?: { readonly plugin?: string; readonly says?: string }): Simple<never> => ({
  name,
  description: `Does ${name}`,
  parameters: anything,
  plugin: options?.plugin,
  handler: () => Effect.succeed(options?.says ?? name)
})

/** Registers tools that answer with their names. */
export const give = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const registry = yield* ToolRegistry
  for (const name of names) yield* registry.register(tool(name))
})

// -----------------------------------------------------------------------------
// looking
// -----------------------------------------------------------------------------

export const assembledIn = (
  scope: PromptScope.PromptScope
): Effect.Effect<Assembly.Assembly, AssembleError, SystemPrompt> =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.assemble))

/** The assembly of the global scope. */
export const assembled = assembledIn(PromptScope.global)

export const call = (view: Assembly.Assembly, name: string, args: unknown = {}) =>
  ToolRegistry.use((registry) => registry.call(view, name, args))

/** Why a call failed. */
export const failed = (view: Assembly.Assembly, name: string, args: unknown = {}) => Effect.flip(call(view, name, args))

const codec = Schema.toCodecJson(ToolError.ToolError)

/** An error as a host would log it. */
export const encoded = Schema.encodeUnknownSync(codec)
export const decoded = Schema.decodeUnknownSync(codec)

export const shown = (scope: PromptScope.PromptScope) =>
  ToolRegistry.use((registry) => Effect.sync(() => registry.view(scope).tools.map(({ schema }) => schema.name)))

export const hidden = (scope: PromptScope.PromptScope) =>
  ToolRegistry.use((registry) => Effect.sync(() => registry.view(scope).hidden.map(({ name }) => name)))

/** The revision that `changes` begins with. */
export const revision = SystemPrompt.use(({ changes }) => Effect.map(Stream.runHead(changes), Option.getOrThrow))

/** By how much the revision grew while an effect ran. */
export const announced = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* revision
    yield* self
    return (yield* revision) - before
  })

/** A chain of scopes under the global one, the farthest first. */
export const family = Effect.gen(function* () {
  const parent = yield* PromptScope.make("parent")
  const child = yield* PromptScope.make("child", { parent: parent.scope })
  const other = yield* PromptScope.make("other")
  return { parent: parent.scope, child: child.scope, other: other.scope, rebind: child.rebind }
})
