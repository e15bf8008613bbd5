/**
 * The plugin modules that a composition names: files whose default export is a
 * `Layer` that registers something with the `SystemPrompt` or the `ToolRegistry`.
 *
 * Importing a module runs its code, so it happens last, when the composition
 * itself has no problem left, and not at all where plugins are refused.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { SystemPrompt } from "../SystemPrompt.ts"
import type { ToolRegistry } from "../ToolRegistry.ts"
import { complain, type Complaint, toError } from "./Complaint.ts"
import type { Composition } from "./Composition.ts"
import type { Located } from "./Draft.ts"
import * as ImportFailure from "./ImportFailure.ts"
import type { InvalidComposition } from "./InvalidComposition.ts"
import { problemOf } from "./Loader.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a plugin module exports by default. What it fails with becomes a problem of the composition.
 *
 * @since 0.1.0
 * @category models
 */
export type PluginLayer = Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>

/**
 * Plugins under the names that the composition gives them.
 *
 * @since 0.1.0
 * @category models
 */
export type Plugins = ReadonlyMap<string, PluginLayer>

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/** A layer with other needs or services dies when it is built, which is a problem at the plugin's place too. */
const isPluginLayer = (u: unknown): u is PluginLayer => Layer.isLayer(u)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Imports the plugins of a composition, relative to `folder`. All that cannot be used are reported at once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const load: (
  composition: Composition,
  options: { readonly folder: string }
) => Effect.Effect<Plugins, InvalidComposition, FileSystem.FileSystem | Path.Path> = Effect.fn("Plugins.load")(
  function* (composition, options) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const plugins = new Map<string, PluginLayer>()
    const complaints: Array<Complaint> = []
    for (const plugin of namedIn(composition)) {
      if (plugins.has(plugin.value)) continue
      const file = path.resolve(options.folder, plugin.value)
      const found = (yield* notToImport(fs, file)) ?? (yield* importFrom(path, file))
      if (typeof found === "string") complaints.push(complainOf(composition, plugin, found))
      else plugins.set(plugin.value, found)
    }
    if (complaints.length > 0) return yield* toError(composition.document.source, complaints)
    return plugins
  }
)

/**
 * Fails if a composition names plugins.
 *
 * @since 0.1.0
 * @category constructors
 */
export const refuse = (composition: Composition): Effect.Effect<Plugins, InvalidComposition> => {
  const complaints = namedIn(composition).map((plugin) =>
    complainOf(composition, plugin, "plugins are refused (--no-plugins).")
  )
  return complaints.length === 0
    ? Effect.succeed(new Map())
    : Effect.fail(toError(composition.document.source, complaints))
}

const namedIn = (composition: Composition): ReadonlyArray<Located<string>> =>
  [composition.global, ...composition.scopes].flatMap((contents) => contents.plugins)

export const complainOf = (
  composition: Composition,
  plugin: Located<string>,
  reason: string,
  tag?: string
): Complaint =>
  complain(composition.document, plugin.path, `plugin ${JSON.stringify(plugin.value)}: ${reason}`, { tag })

/** An import reads all there is, and nothing ends one that waits. What is not there is left to the import to tell. */
const notToImport = (fs: FileSystem.FileSystem, file: string): Effect.Effect<string | undefined> =>
  fs.stat(file).pipe(
    Effect.map((info) => problemOf(info.type)),
    Effect.catch(() => Effect.succeed(undefined))
  )

/** The plugin in a file, or why there is none. */
const importFrom = Effect.fnUntraced(function* (path: Path.Path, file: string) {
  const { href } = yield* Effect.orDie(path.toFileUrl(file))
  return yield* Effect.tryPromise({ try: (): Promise<unknown> => import(href), catch: (thrown) => thrown }).pipe(
    Effect.map((module): PluginLayer | string => {
      const found: unknown = typeof module === "object" && module !== null ? Reflect.get(module, "default") : undefined
      if (isPluginLayer(found)) return found
      const what = found === undefined ? "has no default export" : "has a default export that is no Layer"
      return `the module ${what}. Export a plugin: \`export default Plugin.section({ … })\`.`
    }),
    Effect.catchCause((cause) => {
      const from = { file, url: href, importer: import.meta.url, node: globalThis.process?.version }
      return Effect.succeed(`the module cannot be imported: ${ImportFailure.reasonOf(Cause.squash(cause), from)}`)
    })
  )
})
