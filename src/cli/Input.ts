/**
 * What a command reads: the composition, from a file or from standard input, and the variables of its command line.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as EffectScope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { Composition } from "../composition/Composition.ts"
import type { InvalidComposition } from "../composition/InvalidComposition.ts"
import * as Loader from "../composition/Loader.ts"
import * as Plugins from "../composition/Plugins.ts"
import type { Content } from "../composition/Resources.ts"
import { maxBytes, tooLarge } from "../composition/SourceFile.ts"
import { standIn } from "../internal/standIn.ts"
import type { RegistrationError, ScopeClosed } from "../PromptError.ts"
import * as PromptScope from "../PromptScope.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import * as VariableFile from "./VariableFile.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Loaded {
  readonly composition: Composition
  readonly plugins: Plugins.Plugins
}

/** A variable of the command line. `from` says where it was given, for origins and errors. */
export interface Override {
  readonly name: string
  readonly value: string
  readonly from: string
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** The bytes of FILE, or why there are none. */
export const read = (file: string): Effect.Effect<Content, never, FileSystem.FileSystem | Stdio.Stdio> =>
  file === "-" ? stdin : Loader.read(file)

/** Loads FILE, with its plugins unless they are refused. */
export const load = (
  file: string,
  options: { readonly plugins: boolean }
): Effect.Effect<Loaded, InvalidComposition, FileSystem.FileSystem | Path.Path | Stdio.Stdio> =>
  Effect.flatMap(read(file), (content) => loadContent(file, content, options))

/** Loads what was read from FILE. */
export const loadContent: (
  file: string,
  content: Content,
  options: { readonly plugins: boolean }
) => Effect.Effect<Loaded, InvalidComposition, FileSystem.FileSystem | Path.Path> = Effect.fnUntraced(
  function* (file, content, options) {
    const folder = yield* folderOf(file)
    const composition = yield* Loader.loadFrom({ file, content, folder })
    const plugins = yield* options.plugins ? Plugins.load(composition, { folder }) : Plugins.refuse(composition)
    return { composition, plugins }
  }
)

/** From where the files are looked up that FILE refers to. */
export const folderOf = (file: string): Effect.Effect<string, never, Path.Path> =>
  Effect.map(Path.Path, (path) => (file === "-" ? path.resolve() : path.dirname(path.resolve(file))))

/** All of standard input, as long as it is not larger than a file may be. */
const stdin: Effect.Effect<Content, never, Stdio.Stdio> = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* stdio.stdin.pipe(
    Stream.takeWhile((chunk) => {
      chunks.push(chunk)
      size += chunk.length
      return size <= maxBytes
    }),
    Stream.runDrain
  )
  if (size > maxBytes) return { problem: tooLarge }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}).pipe(Effect.catch((error) => Effect.succeed({ problem: error.message })))

/** What `--var-file` and `--set` say, in that order: of one name the last counts. */
export const overridesOf: (
  files: ReadonlyArray<string>,
  settings: ReadonlyArray<readonly [name: string, value: string]>,
  scope: string
) => Effect.Effect<ReadonlyArray<Override>, InvalidComposition, FileSystem.FileSystem> = Effect.fnUntraced(
  function* (files, settings, scope) {
    const overrides = new Map<string, Override>()
    for (const file of files) {
      const variables = yield* Effect.fromResult(VariableFile.parse(file, yield* Loader.read(file), scope))
      for (const [name, value] of variables) overrides.set(name, { name, value, from: `--var-file ${file}` })
    }
    for (const [name, value] of settings) overrides.set(name, { name, value, from: "--set" })
    return [...overrides.values()]
  }
)

/**
 * The scope to assemble for: the chosen one, or one below it, of the same label, that holds the overrides and so lies
 * over every overlay of the composition. It is shown the same tools.
 */
export const below: (
  scope: PromptScope.PromptScope,
  overrides: ReadonlyArray<Override>
) => Effect.Effect<PromptScope.PromptScope, RegistrationError | ScopeClosed, SystemPrompt | EffectScope.Scope> =
  Effect.fnUntraced(function* (scope, overrides) {
    if (overrides.length === 0) return scope
    const prompt = yield* SystemPrompt
    const child = yield* PromptScope.make(scope.label, { parent: scope })
    standIn(child.scope, scope)
    for (const { from, name, value } of overrides) {
      yield* PromptScope.provide(child.scope)(prompt.variable(name, value, { plugin: from }))
    }
    return child.scope
  })
