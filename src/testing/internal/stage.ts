/** A plugin in a prompt service of its own: what the cases of its laws are made of. */
import * as Arbitrary from "effect/Arbitrary"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { describeType } from "../../internal/rules.ts"
import * as Plugin from "../../Plugin.ts"
import type { ScopeClosed } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import { literal } from "./generate.ts"
import { at, start } from "./moment.ts"
import { type Outcome, outcomeOf } from "./outcome.ts"
import * as subjects from "./subject.ts"
import { showCause } from "./show.ts"
import * as worlds from "./world.ts"

/** One case: which inputs, and where the plugin is mounted. */
export interface Setting {
  readonly input: unknown
  readonly plugin: () => worlds.Complete
  readonly mounted: "global" | "scope"
  readonly annotations: Context.Context<never>
}

export interface Judged {
  readonly where: "anywhere" | "global" | "scope"
  readonly settings: Arbitrary.Arbitrary<Setting>
  /** How many cases are enough where only the setting differs. */
  readonly most: number | undefined
  /** What is there before the plugin. */
  readonly before: worlds.Complete
}

interface Options<I> {
  readonly where?: "anywhere" | "global" | "scope" | undefined
  readonly needs?: worlds.Complete | undefined
  readonly variables?: ReadonlyArray<string> | undefined
  readonly tools?: ReadonlyArray<string> | undefined
  readonly annotations?: Arbitrary.Arbitrary<Context.Context<never>> | undefined
  readonly inputs?: Arbitrary.Arbitrary<I> | undefined
}

export const judge = <I>(
  plugin: worlds.Complete | ((input: I) => worlds.Complete),
  { annotations, inputs, needs = Layer.empty, tools = [], variables = [], where = "anywhere" }: Options<I>
): Judged => {
  const subject: Arbitrary.Arbitrary<Pick<Setting, "input" | "plugin">> =
    typeof plugin === "function" && inputs !== undefined
      ? Arbitrary.map(inputs, (input) => ({ input, plugin: () => given(plugin(input)) }))
      : typeof plugin !== "function" && inputs === undefined
        ? subjects.ofLayer("plugin", plugin, Arbitrary.Constant({ input: undefined, plugin: () => plugin }))
        : subjects.misused(
            inputs === undefined
              ? "a plugin that is a function needs `inputs`, a generator of what it is a function of"
              : "`inputs` are for a plugin that is a function of them"
          )
  return {
    where,
    most: inputs === undefined && annotations === undefined ? 10 : undefined,
    settings: Arbitrary.map(
      Arbitrary.all({
        subject,
        mounted: where === "anywhere" ? literal("global", "scope") : Arbitrary.Constant(where),
        annotations: annotations ?? subjects.noAnnotations
      }),
      ({ subject, ...rest }) => ({ ...subject, ...rest })
    ),
    before: Layer.mergeAll(
      needs,
      // A bare provider: the plugin may register a tool of such a name itself, in some cases.
      tools.length === 0 ? Layer.empty : Plugin.tools(tools.map(toolOf)),
      ...variables.map((name) => Plugin.variable(name, "value"))
    )
  }
}

const toolOf = (name: string) => ({ name, description: "", parameters: { type: "object" } })

const given = (plugin: worlds.Complete): worlds.Complete => {
  if (Layer.isLayer(plugin)) return plugin
  throw new TypeError(`the function of inputs must give a Layer, and gave ${describeType(plugin)}`)
}

export const shown = ({ annotations, input, mounted }: Setting) => ({
  input,
  mounted,
  annotations: subjects.showAnnotations(annotations)
})

// -----------------------------------------------------------------------------
// building
// -----------------------------------------------------------------------------

/** A prompt service with what is there before the plugin, and the scope that the plugin is to be mounted into. */
export interface Stage extends worlds.World {
  readonly scope: PromptScope.PromptScope
  readonly assemble: Effect.Effect<Outcome>
}

export const stage = Effect.fnUntraced(function* (
  { before }: Judged,
  { annotations, mounted }: Setting,
  interfere?: worlds.Interfere
): Effect.fn.Return<Stage, Error | ScopeClosed, Scope.Scope> {
  const world = yield* worlds.make(interfere)
  const there = yield* world.build(before, PromptScope.global)
  yield* Effect.addFinalizer(() => there.close)
  if (Exit.isFailure(there.exit)) {
    return yield* Effect.fail(new Error(`what the plugin needs cannot be built: ${showCause(there.exit.cause)}`))
  }
  const scope = mounted === "global" ? PromptScope.global : (yield* PromptScope.make("agent")).scope
  return { ...world, scope, assemble: outcomeOf(world.prompt, scope, annotations) }
})

/** Builds the plugin for as long as the case lasts. */
export const build = Effect.fnUntraced(function* (
  world: worlds.World,
  setting: Setting,
  scope: PromptScope.PromptScope
) {
  const built = yield* world.build(setting.plugin(), scope).pipe(at(start))
  yield* Effect.addFinalizer(() => built.close)
  return built
})
