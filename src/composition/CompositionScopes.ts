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
import { stackless } from "../internal/stackless.ts"
import { Overlays } from "../Overlays.ts"
import * as Plugin from "../Plugin.ts"
import type { RegistrationError } from "../PromptError.ts"
import * as PromptScope from "../PromptScope.ts"
import { Renderer } from "../Renderer.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { ToolRegistry } from "../ToolRegistry.ts"
import type { ToolSchema } from "../ToolSchema.ts"
import { Waterfall } from "../Waterfall.ts"
import { complain, type Complaint, type Path as ValuePath, toError } from "./Complaint.ts"
import type { Composition, Contents } from "./Composition.ts"
import type { Located } from "./Draft.ts"
import { describe } from "./ImportFailure.ts"
import type { InvalidComposition } from "./InvalidComposition.ts"
import type { Handlers } from "./Handler.ts"
import { load } from "./Loader.ts"
import * as Plugins from "./Plugins.ts"
import { complainOfTool, type PlacedTool } from "./Resources.ts"
import { namesIn, unknownTools } from "./ToolRules.ts"

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
export interface Options<R = never> {
  /** What `{ env: NAME }` reads, once, when the layer is built. By default the environment of the process. */
  readonly env?: Environment | undefined
  /** The plugins that the composition names. One that is missing here is a problem. */
  readonly plugins?: Plugins.Plugins | undefined
  /** What runs the calls of the file's tools, by their names. A tool without one is shown, and run by others. */
  readonly handlers?: Handlers<R> | undefined
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
export class UnknownScope extends stackless(
  Schema.TaggedError<UnknownScope>("effect-preamble/UnknownScope")("UnknownScope", {
    file: Schema.String,
    scope: Schema.String,
    known: Schema.Array(Schema.String),
    nearest: Schema.optionalKey(Schema.String)
  })
) {
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
 * A `SystemPrompt` and a `ToolRegistry` with the whole composition in them, and the scopes to assemble it for, over
 * services that can be replaced. It fails where a plugin does.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerNoDeps = <R = never>(
  composition: Composition,
  options: Options<R> = {}
): Layer.Layer<
  SystemPrompt | ToolRegistry | CompositionScopes,
  InvalidComposition,
  Overlays | Renderer | Waterfall | Exclude<R, EffectScope.Scope>
> =>
  Layer.effect(CompositionScopes, register(composition, options)).pipe(
    // One for this composition alone: in one build with another it would be taken for that one's.
    Layer.provideMerge(Layer.fresh(ToolRegistry.layer)),
    Layer.provideMerge(
      SystemPrompt.layerNoDepsWith({
        identity: composition.identity,
        persona: composition.persona,
        runtimeContext: composition.runtimeContext,
        sortToolKeys: composition.sortToolKeys,
        ...(composition.toolOrder === undefined ? undefined : { toolOrder: composition.toolOrder })
      }).pipe(
        // `parse` checks by the same rules; a composition put together by hand may still break them.
        Layer.catchTag(["InvalidRegistration", "InvalidToolOrder"], (error) =>
          Layer.effect(SystemPrompt, problemAt(composition, ["field" in error ? error.field : "toolOrder"], error))
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
export const layer = <R = never>(
  composition: Composition,
  options: Options<R> = {}
): Layer.Layer<SystemPrompt | ToolRegistry | CompositionScopes, InvalidComposition, Exclude<R, EffectScope.Scope>> =>
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
export const layerFile = <R = never>(
  file: string,
  options: Omit<Options<R>, "plugins"> = {}
): Layer.Layer<
  SystemPrompt | ToolRegistry | CompositionScopes,
  InvalidComposition,
  FileSystem.FileSystem | Path.Path | Exclude<R, EffectScope.Scope>
> =>
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

const register = Effect.fn("CompositionScopes.register")(function* <R>(composition: Composition, options: Options<R>) {
  const scopes = yield* makeScopes(composition)
  const complaints = [...strangersIn(composition, options.handlers ?? {})]
  for (const contents of [composition.global, ...composition.scopes]) {
    const scope = scopes.get(contents.scope) ?? PromptScope.global
    yield* PromptScope.provide(scope)(registerContents(composition, contents, options.env ?? process.env))
    complaints.push(
      ...(yield* PromptScope.provide(scope)(registerTools(composition, contents, options.handlers ?? {})))
    )
  }
  if (complaints.length > 0) return yield* toError(composition.document.source, complaints)
  // Plugins come after the file: a name that both use is the plugin's problem, at its line.
  yield* mountAll(composition, scopes, options.plugins ?? new Map())
  yield* restrictAll(composition, scopes)
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
  if (contents.suppressContexts) yield* at(["suppressRuntimeContext"], prompt.suppressContexts)
})

/** All that are refused are problems, each at its place. */
const registerTools = Effect.fnUntraced(function* <R>(
  composition: Composition,
  contents: Contents,
  handlers: Handlers<R>
) {
  const registry = yield* ToolRegistry
  const refused: Array<Complaint> = []
  for (const tool of contents.tools) {
    const handler = Object.hasOwn(handlers, tool.name) ? handlers[tool.name] : undefined
    const registered = handler === undefined ? registry.register(tool) : handler.register(registry, tool)
    yield* Effect.catch(registered, (error) =>
      Effect.sync(() => refused.push(complainOfTool(placeOfTool(composition, tool), error)))
    )
  }
  return refused
})

/** `parse` knows the places of all tools; of a tool that was put in by hand nobody does. */
const placeOfTool = ({ document, toolPlaces }: Composition, tool: ToolSchema): PlacedTool =>
  toolPlaces.get(tool) ?? { document, path: [], reference: undefined }

/** A handler that no tool has is a mistake in the host, or in the name of the tool. */
const strangersIn = <R>(composition: Composition, handlers: Handlers<R>): ReadonlyArray<Complaint> => {
  const known = new Set(
    [composition.global, ...composition.scopes].flatMap(({ tools }) => tools.map(({ name }) => name))
  )
  return Object.keys(handlers).flatMap((name) => {
    if (known.has(name)) return []
    const near = nearest(name, known)
    const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
    const message = `there is a handler for ${JSON.stringify(name)}, which is no tool of this composition.${hint} Tools: ${known.size === 0 ? "none" : [...known].join(", ")}.`
    return [complain(composition.document, [], message, { tag: "UnknownTool" })]
  })
}

/** Restrictions come last of all: they name what plugins may have registered. */
const restrictAll = Effect.fnUntraced(function* (
  composition: Composition,
  scopes: ReadonlyMap<string, PromptScope.PromptScope>
) {
  const registry = yield* ToolRegistry
  const refused: Array<Complaint> = []
  for (const { restrict, scope, tools } of composition.scopes) {
    if (restrict === undefined) continue
    yield* registry.restrict(restrict.value).pipe(
      PromptScope.provide(scopes.get(scope) ?? PromptScope.global),
      Effect.catch((error) =>
        Effect.sync(() => {
          const { document } = composition
          if (error._tag === "UnknownTool") {
            const unknown = namesIn(restrict).filter(({ value }) => error.unknown.includes(value))
            const own = new Set(tools.map(({ name }) => name))
            refused.push(...unknownTools(document, scope, unknown, { inherited: error.known, own }))
          } else refused.push(complain(document, restrict.path, error.message, { tag: error._tag }))
        })
      )
    )
  }
  if (refused.length > 0) return yield* toError(composition.document.source, refused)
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
  return Plugins.complainOf(composition, plugin, describe(error), tag)
})
