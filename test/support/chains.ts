/**
 * A generated chain of overlays in its two forms: known values for the pure assembly, and registrations in real prompt
 * scopes, in any order and by any kind of provider.
 */
import { Context, Effect, Layer, Result, Schema, type Scope } from "effect"
import * as Assembly from "../../src/Assembly.ts"
import { type Provider, PromptScope, SystemPrompt } from "../../src/index.ts"
import type * as Listener from "../../src/Listener.ts"
import type * as Overlay from "../../src/Overlay.ts"
import {
  type AssembleError,
  type InvalidToolOrder,
  PromptError,
  type RegistrationError,
  type ScopeClosed,
  type WaterfallError
} from "../../src/PromptError.ts"
import type * as Template from "../../src/Template.ts"
import * as ToolOrder from "../../src/ToolOrder.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { type Chain as Overlays, labelAt, overlays } from "../../src/testing/Chain.ts"
import * as generate from "../../src/testing/internal/generate.ts"
import * as edits from "../../src/testing/Edit.ts"
import { untyped } from "./untyped.ts"

/** The overlays of a chain, farthest first; the first one is the global one. */
export type Chain = Overlays

// -----------------------------------------------------------------------------
// pure
// -----------------------------------------------------------------------------

/** Its overlays with known values. The global one also has the default built-ins, as the service has. */
export const pure: (chain: Chain) => ReadonlyArray<Overlay.Overlay> = overlays

const checkedOrder = (list: ReadonlyArray<string> | undefined): ToolOrder.ToolOrder | undefined =>
  list === undefined ? undefined : Result.getOrThrow(ToolOrder.make(list))

/** The pure assembly for the given scope, by default the global one. */
export const assemble = (
  chain: Chain,
  options?: {
    readonly scope?: PromptScope.PromptScope | undefined
    readonly toolOrder?: ReadonlyArray<string> | undefined
    readonly sortToolKeys?: boolean | undefined
  }
): Result.Result<Assembly.Assembly, AssembleError> =>
  Assembly.assemble(pure(chain), {
    context: { scope: options?.scope ?? PromptScope.global, annotations: Context.empty() },
    toolOrder: checkedOrder(options?.toolOrder),
    sortToolKeys: options?.sortToolKeys
  })

// -----------------------------------------------------------------------------
// registered
// -----------------------------------------------------------------------------

/** How a provider gives its value, and a listener its result. */
export const ways = ["value", "function", "succeed", "yields", "function that yields", "service"] as const
export type Way = (typeof ways)[number]

class Echo extends Context.Service<Echo, { readonly say: <A>(value: A) => A }>()("test/Echo") {}

const provider = <A>(way: Way, value: A): Provider<A, never, Echo> => {
  switch (way) {
    case "value":
      return value
    case "function":
      return () => value
    case "succeed":
      return Effect.succeed(value)
    case "yields":
      return Effect.as(Effect.yieldNow, value)
    case "function that yields":
      return () => Effect.as(Effect.yieldNow, value)
    case "service":
      return Effect.map(Echo, (echo) => echo.say(value))
  }
}

const listener = (way: Way, { steps, ...options }: edits.Listener): Listener.Input<WaterfallError, Echo> => {
  const edit = edits.run({ ...options, steps })
  switch (way) {
    case "value":
    case "function":
      return { ...options, edit: (assembly, context) => edit(assembly, context) }
    case "succeed":
      return { ...options, edit: (assembly, context) => Effect.succeed(edit(assembly, context)) }
    case "yields":
      return { ...options, edit: (assembly, context) => Effect.as(Effect.yieldNow, edit(assembly, context)) }
    case "function that yields":
      return { ...options, around: (assembly, next, context) => next(edit(assembly, context)) }
    case "service":
      return {
        ...options,
        around: (assembly, next, context) => {
          const edited = edit(assembly, context)
          return Effect.flatMap(Echo, (echo) => next(echo.say(edited)))
        }
      }
  }
}

/** The chain with a Promise in the slot of one contribution, of all of them the one with that number; without one, as it is. */
export const promising = (chain: Chain, number: number | undefined): Chain => {
  let rest = number ?? -1
  const promise = untyped(Promise.resolve("late"))
  const swap = <A extends object>(all: ReadonlyArray<A>, slot: keyof A): ReadonlyArray<A> =>
    all.map((one) => (rest-- === 0 ? { ...one, [slot]: promise } : one))
  return chain.map((one) => ({
    ...one,
    variables: swap(one.variables, "value"),
    tools: swap(one.tools, "tools"),
    sections: swap(one.sections, "text"),
    contexts: swap(one.contexts, "text")
  }))
}

/** How a chain is registered. */
export interface How {
  readonly toolOrder?: ReadonlyArray<string> | undefined
  readonly sortToolKeys?: boolean | undefined
  /** Each contribution takes the next one, over and over. None means plain values. */
  readonly ways: ReadonlyArray<Way>
  /** The order in which all of them are registered, in whichever scope. */
  readonly picks: ReadonlyArray<number>
}

/** The plainest one. */
export const plainly: How = { ways: [], picks: [] }

export interface Registered {
  readonly prompt: SystemPrompt["Service"]
  /** The prompt scopes of the chain, farthest first. */
  readonly scopes: ReadonlyArray<PromptScope.PromptScope>
  /** The assembly of the last one. */
  readonly assemble: Effect.Effect<Assembly.Assembly, AssembleError>
}

/** Registers a chain in a prompt service of its own, in prompt scopes that are each other's parents. */
export const register = Effect.fnUntraced(
  function* (
    chain: Chain,
    how: How = plainly
  ): Effect.fn.Return<Registered, RegistrationError | InvalidToolOrder | ScopeClosed, Scope.Scope | Echo> {
    const services = yield* Layer.build(
      SystemPrompt.layerWith({ toolOrder: how.toolOrder, sortToolKeys: how.sortToolKeys })
    )
    const prompt = Context.get(services, SystemPrompt)
    const scopes: Array<PromptScope.PromptScope> = [PromptScope.global]
    for (const { label } of chain.slice(1)) {
      scopes.push((yield* PromptScope.make(label, { parent: scopes.at(-1) })).scope)
    }
    let turn = 0
    const way = (): Way => how.ways[turn++ % how.ways.length] ?? "value"
    const registrations = chain.flatMap((one, index) => {
      const all: ReadonlyArray<Effect.Effect<void, RegistrationError, Scope.Scope | Echo>> = [
        ...one.sections.map((options) => prompt.section({ ...options, text: provider(way(), options.text) })),
        ...one.contexts.map((options) => prompt.context({ ...options, text: provider(way(), options.text) })),
        ...one.variables.map(({ name, value, ...options }) => prompt.variable(name, provider(way(), value), options)),
        ...one.tools.map(({ tools, ...options }) => prompt.tools(provider(way(), tools), options)),
        ...one.listeners.map((options) => prompt.listener(listener(way(), options))),
        ...Array.from({ length: one.suppressors }, () => prompt.suppressContexts)
      ]
      return all.map((registration) => PromptScope.provide(scopes[index]!)(registration))
    })
    yield* Effect.all(generate.shuffled(registrations, how.picks), { discard: true })
    return { prompt, scopes, assemble: PromptScope.provide(scopes.at(-1)!)(prompt.assemble) }
  },
  Effect.provideService(Echo, { say: (value) => value }),
  Effect.orDie
)

// -----------------------------------------------------------------------------
// what came of it
// -----------------------------------------------------------------------------

const text = (self: Template.Text): unknown =>
  typeof self === "string" ? self : self.segments.map((one) => (one._tag === "Literal" ? one.text : { ref: one.name }))

const encode = Schema.encodeUnknownSync(Schema.toCodecJson(PromptError))

/** An assembly, with the one annotation that is ours, or the error, as plain data: two are equal exactly when they say the same. */
export const outcome = (result: Result.Result<Assembly.Assembly, AssembleError>): object => {
  if (Result.isFailure(result)) return { error: encode(result.failure), message: result.failure.message }
  const { annotations, ...assembly } = result.success
  return {
    ...assembly,
    note: Context.get(annotations, edits.Note),
    sections: assembly.sections.map((one) => ({ ...one, text: text(one.text) })),
    contexts: assembly.contexts.map((one) => ({ ...one, text: text(one.text) })),
    tools: assembly.tools.map((one) => ({ schema: ToolSchema.emit(one.schema), origin: one.origin }))
  }
}

/**
 * As `outcome`. Providers of one scope that share both name and plugin cannot be told apart, so which of them is
 * evaluated first, and refused, is left open: only that one of them is refused is not.
 */
export const blamed = (chain: Chain, result: Result.Result<Assembly.Assembly, AssembleError>): object => {
  const error = Result.isFailure(result) ? result.failure : undefined
  switch (error?._tag) {
    case "InvalidToolSchema":
    case "ReservedToolName":
    case "ProviderFailure":
      break
    default:
      return outcome(result)
  }
  const { kind, entry, scope, plugin } = error
  if (kind !== "tools") return outcome(result)
  const suspects = chain
    .filter((_, index) => labelAt(chain, index) === scope)
    .flatMap((one) => one.tools.filter(({ name, plugin: by }) => (name ?? "") === entry && by === plugin))
  return suspects.length > 1 ? { kind, entry, scope, plugin } : outcome(result)
}
