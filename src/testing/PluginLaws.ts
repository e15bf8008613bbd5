/**
 * The laws of a plugin: it assembles, leaves nothing behind, does not depend on the order of others, gives the same text
 * for the same inputs, declares the variables that it refers to, requires only tools that are known, can be mounted into
 * several scopes, but only once into each, and its tools take their arguments.
 *
 * Each case builds the plugin anew, in a prompt service of its own.
 *
 * @since 0.1.0
 */
import type * as Arbitrary from "effect/Arbitrary"
import type * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type { SystemPrompt } from "../SystemPrompt.ts"
import type { ToolRegistry } from "../ToolRegistry.ts"
import * as laws from "./internal/pluginLaws.ts"
import * as toolLaws from "./internal/pluginToolLaws.ts"
import { type Judged, judge } from "./internal/stage.ts"
import type { Complete } from "./internal/world.ts"
import type { Law } from "./Law.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a plugin is judged with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** Where it may be mounted: globally, into prompt scopes, or both, which is the default. */
  readonly where?: "anywhere" | "global" | "scope" | undefined
  /** Plugins that it counts on. They are there before it, globally. */
  readonly needs?: Layer.Layer<never, unknown, SystemPrompt | ToolRegistry> | undefined
  /** Names of variables that it may refer to although neither it nor those that it needs declare them. */
  readonly variables?: ReadonlyArray<string> | undefined
  /**
   * Names of tools that its sections may require although neither it nor those that it needs always bring them. They are
   * shown, so that the other laws see such sections.
   */
  readonly tools?: ReadonlyArray<string> | undefined
  /** What a runtime tells the providers of an assembly. By default nothing. */
  readonly annotations?: Arbitrary.Arbitrary<Context.Context<never>> | undefined
  /** The handlers of its tools may be run, with any arguments that fit: give it services that do no harm. */
  readonly runsTools?: boolean | undefined
}

/**
 * What a plugin that is a function of inputs is judged with.
 *
 * @since 0.1.0
 * @category models
 */
export interface InputOptions<I> extends Options {
  readonly inputs: Arbitrary.Arbitrary<I>
}

/**
 * Makes a law, or several, of a plugin whose services are provided. Where what it says follows from inputs, such as the
 * branch of a repository, the plugin is a function of them that provides its services accordingly.
 *
 * @since 0.1.0
 * @category models
 */
export interface Of<A> {
  (plugin: Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>, options?: Options): A
  <I>(plugin: (input: I) => Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>, options: InputOptions<I>): A
}

const of =
  <A>(f: (judged: Judged, options: Options) => A): Of<A> =>
  <I>(
    plugin: Complete | ((input: I) => Complete),
    options: Options & { readonly inputs?: Arbitrary.Arbitrary<I> } = {}
  ) =>
    f(judge(plugin, options), options)

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/**
 * It builds, and what it contributes assembles and renders. The other laws say little about a plugin that does not.
 *
 * @since 0.1.0
 * @category laws
 */
export const assembles: Of<Law> = of(laws.assembles)

/**
 * When its layer is closed, nothing of it is left, in no scope: also when its build has failed half way, or was
 * interrupted.
 *
 * @since 0.1.0
 * @category laws
 */
export const leavesNothing: Of<Law> = of(laws.leavesNothing)

/**
 * What the model sees is the same bytes, whether it is built before, after or between other plugins, or together with
 * them.
 *
 * @since 0.1.0
 * @category laws
 */
export const ignoresOrder: Of<Law> = of(laws.ignoresOrder)

/**
 * The same inputs give the same prompt and tools, at every time, in every assembly and in every build, so that the
 * prefix which a provider has cached stays put. Contexts may change.
 *
 * @since 0.1.0
 * @category laws
 */
export const sameText: Of<Law> = of(laws.sameText)

/**
 * Its texts refer only to variables that it declares, or that it may refer to.
 *
 * @since 0.1.0
 * @category laws
 */
export const declaresVariables: Of<Law> = of(laws.declaresVariables)

/**
 * Its sections require only tools that it brings, or that they may require. Otherwise they would be left out without a word.
 *
 * @since 0.1.0
 * @category laws
 */
export const requiresKnownTools: Of<Law> = of(laws.requiresKnownTools)

/**
 * Mounted into two scopes, it says in each what it says alone, and closing it in one of them does not matter in the
 * other.
 *
 * @since 0.1.0
 * @category laws
 */
export const mountsTwice: Of<Law> = of(laws.mountsTwice)

/**
 * Registered a second time in the same scope, it fails with a typed `DuplicateRegistration`, and nothing of the second
 * time stays. One that registers nothing with a name may well be there twice.
 *
 * @since 0.1.0
 * @category laws
 */
export const refusesTwice: Of<Law> = of(laws.refusesTwice)

/**
 * Its tools take all arguments that their parameters generate, those of an Effect Schema encoded. No handler runs. A plugin
 * without tools keeps this law.
 *
 * @since 0.1.0
 * @category laws
 */
export const takesArguments: Of<Law> = of(toolLaws.takesArguments)

/**
 * Its tools take all arguments that fit the JSON Schema which a model is shown, and not only those that the Schema of their
 * parameters would make: `Schema.DateFromString` is shown as any string. No handler runs. A plugin without tools is not
 * judged.
 *
 * It is none of `all`, since not all that a tool asks can be said in JSON Schema: that a date exists, or that `from` is not
 * after `to`. A model that is refused such arguments is told why, and calls again.
 *
 * @since 0.1.0
 * @category laws
 */
export const takesShown: Of<Law> = of(toolLaws.takesShown)

/**
 * The handlers of its tools give plain JSON or nothing, or fail with a typed error, and no guard fails. They run with
 * generated arguments, as real as their services are. A plugin is not judged if one of its handlers never runs, for instance
 * because a guard refuses all calls of its tool.
 *
 * @since 0.1.0
 * @category laws
 */
export const answersCalls: Of<Law> = of(toolLaws.answersCalls)

/**
 * All laws of a plugin, except `takesShown`, and those that make no sense where it may be mounted; `answersCalls` only if the
 * options let its tools run.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = of((judged, { runsTools }) => [
  laws.assembles(judged),
  laws.leavesNothing(judged),
  laws.ignoresOrder(judged),
  laws.sameText(judged),
  laws.declaresVariables(judged),
  laws.requiresKnownTools(judged),
  ...(judged.where === "global" ? [] : [laws.mountsTwice(judged)]),
  laws.refusesTwice(judged),
  toolLaws.takesArguments(judged),
  ...(runsTools === true ? [toolLaws.answersCalls(judged)] : [])
])
