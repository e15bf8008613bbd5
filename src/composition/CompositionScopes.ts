/**
 * Puts a composition into a `SystemPrompt`, and finds its scopes by name.
 *
 * `layer` registers everything in the scope that the file says. A host then
 * makes the prompt scopes of its agents below one of them, or assembles for one
 * directly: `PromptScope.provide(scope)(prompt.render)`.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as EffectScope from "effect/Scope"
import { nearest } from "../internal/nearest.ts"
import { Overlays } from "../Overlays.ts"
import * as Plugin from "../Plugin.ts"
import type { RegistrationError } from "../PromptError.ts"
import * as PromptScope from "../PromptScope.ts"
import { Renderer } from "../Renderer.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { Waterfall } from "../Waterfall.ts"
import { complain, type Complaint, type Path as ValuePath, toError } from "./Complaint.ts"
import type { Composition, Contents } from "./Composition.ts"
import type { Located } from "./Draft.ts"
import type { InvalidComposition } from "./InvalidComposition.ts"
import { load } from "./Loader.ts"
import * as Plugins from "./Plugins.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The values of environment variables.
 *
 * @since 0.1.0
 * @category models
 */
export type Environment = { readonly [name: string]: string | undefined }

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What `{ env: NAME }` reads, once, when the layer is built. By default the environment of the process. */
  readonly env?: Environment | undefined
  /** The plugins that the composition names. One that is missing here is a problem. */
  readonly plugins?: Plugins.Plugins | undefined
}

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * A composition has no scope of this name.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnknownScope extends Schema.TaggedError<UnknownScope>("effect-preamble/UnknownScope")("UnknownScope", {
  file: Schema.String,
  scope: Schema.String,
  known: Schema.Array(Schema.String),
  nearest: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const hint = this.nearest === undefined ? "" : ` Did you mean ${JSON.stringify(this.nearest)}?`
    return `${this.file} has no scope ${JSON.stringify(this.scope)}.${hint} Known scopes: ${this.known.join(", ")}.`
  }
}

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * The scopes of a composition.
 *
 * @since 0.1.0
 * @category services
 */
export class CompositionScopes extends Context.Service<
  CompositionScopes,
  {
    /** By name, `global` among them. */
    readonly scopes: ReadonlyMap<string, PromptScope.PromptScope>
    /** The one that is meant if none is asked for: the file's `scope`. */
    readonly initial: PromptScope.PromptScope
    readonly find: (name: string) => Effect.Effect<PromptScope.PromptScope, UnknownScope>
  }
>()("effect-preamble/CompositionScopes") {}

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

/**
 * A `SystemPrompt` with the whole composition in it, and the scopes to assemble it for, over services that can be
 * replaced. It fails where a plugin does.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerNoDeps = (
  composition: Composition,
  options: Options = {}
): Layer.Layer<SystemPrompt | CompositionScopes, InvalidComposition, Overlays | Renderer | Waterfall> =>
  Layer.effect(CompositionScopes, register(composition, options)).pipe(
    Layer.provideMerge(
      SystemPrompt.layerNoDepsWith({
        identity: composition.identity,
        persona: composition.persona,
        runtimeContext: composition.runtimeContext,
        ...(composition.toolOrder === undefined ? undefined : { toolOrder: composition.toolOrder })
      }).pipe(
        // `parse` checks the order by the same rule; a composition put together by hand may still break it.
        Layer.catchTag("InvalidToolOrder", (error) =>
          Layer.effect(SystemPrompt, problemAt(composition, ["toolOrder"], error))
        )
      )
    )
  )

/**
 * The same with usual services of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  composition: Composition,
  options: Options = {}
): Layer.Layer<SystemPrompt | CompositionScopes, InvalidComposition> =>
  Layer.provide(
    layerNoDeps(composition, options),
    Layer.fresh(Layer.mergeAll(Overlays.layer, Waterfall.layer, Renderer.layer))
  )

/**
 * The same from a file: loads it, imports its plugins and registers everything.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFile = (
  file: string,
  options: { readonly env?: Environment } = {}
): Layer.Layer<SystemPrompt | CompositionScopes, InvalidComposition, FileSystem.FileSystem | Path.Path> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path = yield* Path.Path
      const composition = yield* load(file)
      const plugins = yield* Plugins.load(composition, { folder: path.dirname(path.resolve(file)) })
      return layer(composition, { ...options, plugins })
    })
  )

// -----------------------------------------------------------------------------
// registration
// -----------------------------------------------------------------------------

const register = Effect.fn("CompositionScopes.register")(function* (composition: Composition, options: Options) {
  const scopes = yield* makeScopes(composition)
  for (const contents of [composition.global, ...composition.scopes]) {
    const scope = scopes.get(contents.scope) ?? PromptScope.global
    yield* PromptScope.provide(scope)(registerContents(composition, contents, options.env ?? process.env))
  }
  // Plugins come last: a name that the file and a plugin both use is the plugin's problem, at its line.
  yield* mountAll(composition, scopes, options.plugins ?? new Map())
  return CompositionScopes.of({
    scopes,
    initial: scopes.get(composition.scope) ?? PromptScope.global,
    find: (name) => findScope(composition, scopes, name)
  })
})

const findScope = (
  composition: Composition,
  scopes: ReadonlyMap<string, PromptScope.PromptScope>,
  name: string
): Effect.Effect<PromptScope.PromptScope, UnknownScope> => {
  const scope = scopes.get(name)
  if (scope !== undefined) return Effect.succeed(scope)
  const known = [...scopes.keys()]
  const near = nearest(name, known)
  const hint = near === undefined ? undefined : { nearest: near }
  return Effect.fail(new UnknownScope({ file: composition.file, scope: name, known, ...hint }))
}

/** Parents are made before their children; `parse` has refused circles and unknown parents. */
const makeScopes = Effect.fnUntraced(function* (composition: Composition) {
  const scopes = new Map([["global", PromptScope.global]])
  const byName = new Map(composition.scopes.map((one) => [one.scope, one]))
  for (const start of composition.scopes) {
    // From here up to the first that is made already; a circle would make this longer than there are scopes.
    const chain: Array<(typeof composition.scopes)[number]> = []
    for (let one: typeof start | undefined = start; one !== undefined && !scopes.has(one.scope);) {
      if (chain.push(one) > byName.size) return yield* Effect.die(new Error("a circle of scopes"))
      one = byName.get(one.parent ?? "global")
    }
    for (const one of chain.toReversed()) {
      const parent = scopes.get(one.parent ?? "global")
      if (parent === undefined) return yield* Effect.die(new Error("a scope without a known parent"))
      scopes.set(one.scope, (yield* PromptScope.make(one.scope, { parent }).pipe(Effect.orDie)).scope)
    }
  }
  // In the order of the file, as its author knows them.
  return new Map(["global", ...composition.scopes.map((one) => one.scope)].flatMap((name) => entry(scopes, name)))
})

const entry = <A>(map: ReadonlyMap<string, A>, name: string): ReadonlyArray<readonly [string, A]> => {
  const value = map.get(name)
  return value === undefined ? [] : [[name, value]]
}

const registerContents = Effect.fnUntraced(function* (composition: Composition, contents: Contents, env: Environment) {
  const prompt = yield* SystemPrompt
  const at = <A, R>(path: ValuePath, registration: Effect.Effect<A, RegistrationError, R>) =>
    registration.pipe(Effect.catch((error) => problemAt(composition, path, error)))
  for (const { path, value } of contents.variables) {
    const text =
      typeof value.value === "object" ? (value.value === null ? undefined : env[value.value.env]) : value.value
    yield* at(path, prompt.variable(value.name, text))
  }
  for (const { path, value } of contents.sections) yield* at(path, prompt.section(value))
  for (const { path, value } of contents.contexts) yield* at(path, prompt.context(value))
  if (contents.tools.length > 0) yield* at(["tools"], prompt.tools(contents.tools))
  if (contents.suppressContexts) yield* at(["suppressRuntimeContext"], prompt.suppressContexts)
})

const problemAt = (
  composition: Composition,
  path: ValuePath,
  error: { readonly _tag: string; readonly message: string }
): Effect.Effect<never, InvalidComposition> =>
  Effect.fail(
    toError(composition.document.source, [complain(composition.document, path, error.message, { tag: error._tag })])
  )

/** Mounts every plugin into its scope. All that fail are problems, each at its place, and leave nothing behind. */
const mountAll = Effect.fnUntraced(function* (
  composition: Composition,
  scopes: ReadonlyMap<string, PromptScope.PromptScope>,
  plugins: Plugins.Plugins
) {
  // One for all plugins, so that what several of them are built on is built once in a scope; and of this composition
  // alone: in that of the surrounding build, a second composition would find its plugins built already.
  const memoMap = yield* Layer.makeMemoMap
  const complaints: Array<Complaint> = []
  for (const contents of [composition.global, ...composition.scopes]) {
    const scope = scopes.get(contents.scope) ?? PromptScope.global
    for (const plugin of contents.plugins) {
      const refused = yield* mount(composition, scope, memoMap, plugin, plugins.get(plugin.value))
      if (refused !== undefined) complaints.push(refused)
    }
  }
  if (complaints.length > 0) return yield* toError(composition.document.source, complaints)
})

/** Whatever a plugin fails with or dies of is a complaint; interruption stays what it is. */
const mount = Effect.fnUntraced(function* (
  composition: Composition,
  scope: PromptScope.PromptScope,
  memoMap: Layer.MemoMap,
  plugin: Located<string>,
  layer: Plugins.PluginLayer | undefined
) {
  if (layer === undefined) {
    return Plugins.complainOf(composition, plugin, "it was not given. Load plugins with `Plugins.load`.")
  }
  const mounted = yield* Effect.exit(
    Layer.buildWithMemoMap(Plugin.mount(scope)(layer), memoMap, yield* EffectScope.Scope)
  )
  if (Exit.isSuccess(mounted)) return undefined
  if (Cause.hasInterruptsOnly(mounted.cause)) return yield* Effect.interrupt
  const error = Cause.squash(mounted.cause)
  const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : undefined
  return Plugins.complainOf(composition, plugin, Plugins.describe(error), tag)
})
