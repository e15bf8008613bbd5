/**
 * What most commands are about: a composition, and one scope of it to assemble for.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as EffectScope from "effect/Scope"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type { Composition } from "../composition/Composition.ts"
import { CompositionScopes, layer } from "../composition/CompositionScopes.ts"
import * as PromptScope from "../PromptScope.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import * as Failure from "./Failure.ts"
import * as Input from "./Input.ts"
import * as Output from "./Output.ts"
import { ProcessEnv } from "./ProcessEnv.ts"

// -----------------------------------------------------------------------------
// flags
// -----------------------------------------------------------------------------

const setting = (text: string): Option.Option<readonly [string, string]> => {
  const at = text.indexOf("=")
  return at < 1 ? Option.none() : Option.some([text.slice(0, at), text.slice(at + 1)])
}

export const file = Argument.String("FILE").pipe(
  Argument.withDescription("A composition, YAML or JSON; - for standard input")
)

export const scope = Flag.String("scope").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The scope to assemble for; by default the one that the file names, or global"),
  Flag.optional
)

/** The variables of the command line, and whether plugins may run. */
export const settings = {
  set: Flag.String("set").pipe(
    Flag.filterMap(setting, () => "NAME=VALUE"),
    Flag.withMetavar("NAME=VALUE"),
    Flag.withDescription("Set a variable, over every value in the file; may be repeated"),
    Flag.atLeast(0)
  ),
  varFile: Flag.String("var-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Set the variables of a YAML or JSON file, a map of texts; may be repeated"),
    Flag.atLeast(0)
  ),
  noPlugins: Flag.Boolean("no-plugins").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Fail if the file names plugins, and run no code of theirs"),
    Flag.withDefault(false)
  )
}

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Settings {
  readonly set: ReadonlyArray<readonly [name: string, value: string]>
  readonly varFile: ReadonlyArray<string>
  readonly noPlugins: boolean
}

export interface Target extends Settings {
  readonly file: string
  readonly scope: string | undefined
}

/** The composition of a target, in a `SystemPrompt`. */
export interface World {
  readonly composition: Composition
  /** The name of the scope that is assembled for; that scope is the ambient one. */
  readonly scope: string
  /** The variables of the command line. */
  readonly overrides: ReadonlyArray<Input.Override>
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/**
 * Loads the composition and runs an effect in it, for the scope of the target, with the variables of the command line
 * nearest of all. Failures come with their places in the files.
 */
export const within = Effect.fnUntraced(function* <A, E extends Failure.CommandError | Failure.Failed, R>(
  target: Target,
  format: Failure.Format,
  body: (world: World) => Effect.Effect<A, E, R | SystemPrompt | CompositionScopes | EffectScope.Scope>
) {
  const loaded = yield* Input.load(target.file, { plugins: !target.noPlugins })
  yield* reportNotMounted(loaded.composition, format)
  return yield* inside(loaded, target, body)
})

/** The same in a composition that is loaded. */
export const inside = Effect.fnUntraced(function* <A, E extends Failure.CommandError | Failure.Failed, R>(
  { composition, plugins }: Input.Loaded,
  target: Omit<Target, "file" | "noPlugins">,
  body: (world: World) => Effect.Effect<A, E, R | SystemPrompt | CompositionScopes | EffectScope.Scope>
) {
  const env = yield* ProcessEnv
  return yield* chosen(composition, target, body).pipe(
    Effect.provide(layer(composition, { env, plugins })),
    Effect.scoped,
    Effect.mapError((error) => (error._tag === "Failed" ? error : Failure.locate(composition, [error])))
  )
})

const chosen = Effect.fnUntraced(function* <A, E, R>(
  composition: Composition,
  target: Omit<Target, "file" | "noPlugins">,
  body: (world: World) => Effect.Effect<A, E, R>
) {
  const scopes = yield* CompositionScopes
  const scope = target.scope === undefined ? scopes.initial : yield* scopes.find(target.scope)
  const overrides = yield* Input.overridesOf(target.varFile, target.set, scope.label)
  const nearest = yield* Input.below(scope, overrides)
  return yield* PromptScope.provide(nearest)(body({ composition, scope: scope.label, overrides }))
})

/** Rows of a dsh preset that were passed over are no failure, but their text is missing, so they are told. */
export const reportNotMounted = (composition: Composition, format: Failure.Format) => {
  const rows = composition.notMounted
  if (rows.length === 0) return Effect.void
  if (format === "json") return Output.stderr(JSON.stringify({ notMounted: rows }))
  const lines = rows.map(({ id, line, plugin, reason }) => {
    const off = reason === "disabled" ? ", disabled" : ""
    return `  line ${line}: ${id === "" ? "" : `${id} `}(${plugin}${off})`
  })
  const count = rows.length === 1 ? "1 row is not mounted; what it" : `${rows.length} rows are not mounted; what they`
  const head = `${composition.file}: ${count} would add is not in this prompt:`
  return Output.stderr([head, ...lines].join("\n"))
}
