/**
 * A plugin is a layer that registers contributions and provides nothing. Composing
 * plugins is composing layers, and a contribution lives as long as its layer.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Listener from "./Listener.ts"
import type * as Persona from "./Persona.ts"
import type * as PromptContext from "./PromptContext.ts"
import type { RegistrationError } from "./PromptError.ts"
import * as PromptScope from "./PromptScope.ts"
import type { Provider } from "./Provider.ts"
import type * as Section from "./Section.ts"
import { type Needs, SystemPrompt } from "./SystemPrompt.ts"
import type { Text } from "./Template.ts"
import type * as Restriction from "./Restriction.ts"
import type * as ToolProvider from "./ToolProvider.ts"
import {
  type DecodingServices,
  type GuardError,
  type GuardOptions,
  type RestrictionError,
  type ToolOptions,
  type ToolParameters,
  type ToolRegistrationError,
  ToolRegistry
} from "./ToolRegistry.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A layer of contributions. `R` is what their providers need, captured when the layer is built.
 *
 * @since 0.1.0
 * @category models
 */
export type Plugin<E = never, R = never> = Layer.Layer<never, RegistrationError | E, SystemPrompt | R>

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** A layer that does one registration. */
const registering = <R>(
  f: (prompt: SystemPrompt["Service"]) => Effect.Effect<void, RegistrationError, Needs<R>>
): Plugin<never, Exclude<R, Scope.Scope>> =>
  // `effectDiscard` takes Scope out of what is needed; TypeScript does not reduce that for a generic R.
  Layer.effectDiscard(SystemPrompt.use(f)) as Plugin<never, Exclude<R, Scope.Scope>>

/**
 * A section of the prompt.
 *
 * **Provider's cache**: in the cached prefix; a change costs everything after the first byte that differs.
 *
 * @since 0.1.0
 * @category constructors
 */
export const section = <E = never, R = never>(
  options: Section.Options<Provider<Text, E, R>>
): Plugin<never, Exclude<R, Scope.Scope>> => registering<R>((prompt) => prompt.section(options))

/**
 * A context, sent after the history.
 *
 * **Provider's cache**: a change costs only the new snapshot.
 *
 * @since 0.1.0
 * @category constructors
 */
export const context = <E = never, R = never>(
  options: PromptContext.Options<Provider<Text, E, R>>
): Plugin<never, Exclude<R, Scope.Scope>> => registering<R>((prompt) => prompt.context(options))

/**
 * A variable.
 *
 * **Provider's cache**: a new value costs everything after the first section that refers to it; where only contexts
 * do, nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const variable = <E = never, R = never>(
  name: string,
  value: Provider<string | undefined, E, R>,
  options?: { readonly plugin?: string | undefined }
): Plugin<never, Exclude<R, Scope.Scope>> => registering<R>((prompt) => prompt.variable(name, value, options))

/**
 * A tool provider.
 *
 * **Provider's cache**: tools come before the prompt; a change of a schema or of the order costs the whole prefix from
 * there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tools = <E = never, R = never>(
  value: Provider<ToolProvider.Tools, E, R>,
  options?: { readonly name?: string | undefined; readonly plugin?: string | undefined }
): Plugin<never, Exclude<R, Scope.Scope>> => registering<R>((prompt) => prompt.tools(value, options))

/**
 * A tool with its handler, in the registry of tools.
 *
 * **Provider's cache**: tools come before the prompt; a new one costs the whole prefix from there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const tool = <P extends ToolParameters, D extends ToolParameters = P, E = never, R = never>(
  options: ToolOptions<P, D, E, R>
): Layer.Layer<never, ToolRegistrationError, ToolRegistry | Exclude<R | DecodingServices<D>, Scope.Scope>> =>
  inRegistry<ToolRegistrationError, R | DecodingServices<D>>((registry) => registry.register(options))

/**
 * A restriction of what its scope inherits. Mount it into a scope: the global one inherits no tools.
 *
 * **Provider's cache**: tools come before the prompt; one that goes costs the whole prefix from there on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const restrict = (options: Restriction.Options): Layer.Layer<never, RestrictionError, ToolRegistry> =>
  inRegistry<RestrictionError, never>((registry) => registry.restrict(options))

/**
 * A guard of the calls of tools.
 *
 * **Provider's cache**: nothing; no model is told of guards.
 *
 * @since 0.1.0
 * @category constructors
 */
export const guard = <E = never, R = never>(
  options: GuardOptions<E, R>
): Layer.Layer<never, GuardError, ToolRegistry | Exclude<R, Scope.Scope>> =>
  inRegistry<GuardError, R>((registry) => registry.guard(options))

/** A layer that does one registration in the registry of tools. */
const inRegistry = <E, R>(
  f: (registry: ToolRegistry["Service"]) => Effect.Effect<void, E, Needs<R>>
): Layer.Layer<never, E, ToolRegistry | Exclude<R, Scope.Scope>> =>
  // As above.
  Layer.effectDiscard(ToolRegistry.use(f)) as Layer.Layer<never, E, ToolRegistry | Exclude<R, Scope.Scope>>

/**
 * A listener around the assembly.
 *
 * **Provider's cache**: what it changes costs as much as if it had been registered so.
 *
 * @since 0.1.0
 * @category constructors
 */
export const listener = <E = never, R = never>(options: Listener.Input<E, R>): Plugin<never, Exclude<R, Scope.Scope>> =>
  registering<R>((prompt) => prompt.listener(options))

/**
 * Turns off all contexts, for as long as it is there.
 *
 * **Provider's cache**: nothing of the prefix; the snapshot goes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const suppressContexts: Plugin = registering<never>((prompt) => prompt.suppressContexts)

/**
 * A persona that shadows the deployment's. Mount it into a scope: globally, its names are taken by the built-ins.
 *
 * **Provider's cache**: its prefix is near the top of the prompt; a change costs nearly all of it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const persona = (options: Persona.Options): Plugin => registering<never>((prompt) => prompt.persona(options))

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * Mounts a plugin into a prompt scope: what it registers is seen by that scope and its descendants.
 *
 * The same plugin can be mounted into several scopes, and registers in each. Mounted twice into one scope within
 * one build, as part of two others, it registers once. Of mounts inside of each other the innermost one counts. A service that is provided
 * inside of the plugin is built once for each scope; one provided outside is shared.
 *
 * Layers are memoised by identity, so setting the ambient scope by other means (`Layer.provide`, `PromptScope.provide`
 * around `Effect.provide`) would silently register nothing the second time.
 *
 * **Provider's cache**: that of what it registers.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mount =
  (scope: PromptScope.PromptScope) =>
  <A, E, R>(plugin: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.fromBuild((memoMap, effectScope) =>
      Layer.buildWithMemoMap(plugin, memoMapFor(memoMap, scope), effectScope).pipe(
        PromptScope.provide(scope),
        // It also provides the memo map that it used. Without this, whatever this layer is provided to would take for
        // built what has been built in the prompt scope only.
        Effect.map(Context.add(Layer.CurrentMemoMap, memoMap))
      )
    )

/** The memo maps of one build, by prompt scope. It is found by the memo map of the build itself, and by each of these. */
const memoMaps = new WeakMap<Layer.MemoMap, WeakMap<PromptScope.PromptScope, Layer.MemoMap>>()

/** One memo map for each build and prompt scope. */
const memoMapFor = (build: Layer.MemoMap, scope: PromptScope.PromptScope): Layer.MemoMap => {
  let byScope = memoMaps.get(build)
  if (byScope === undefined) memoMaps.set(build, (byScope = new WeakMap()))
  let own = byScope.get(scope)
  if (own === undefined) {
    byScope.set(scope, (own = Layer.makeMemoMapUnsafe()))
    memoMaps.set(own, byScope)
  }
  return own
}
