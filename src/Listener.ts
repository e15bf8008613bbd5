/**
 * A listener: a function around the assembly, which may change or replace it.
 *
 * Listeners run by `order`, lower outermost, then by name; on a tie the ancestor's
 * is the outer one. Registration order means nothing, since layers build concurrently.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AssembleContext } from "./AssembleContext.ts"
import type { Assembly } from "./Assembly.ts"
import * as rules from "./internal/rules.ts"
import type { InvalidRegistration, Owner, WaterfallError } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A pure listener: gives the assembly back, changed or not.
 *
 * @since 0.1.0
 * @category models
 */
export type Edit = (assembly: Assembly, context: AssembleContext) => Assembly

/**
 * A listener as registered. `T` is its function.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listener<out T = Edit> {
  readonly kind: "listener"
  readonly name: string
  readonly order: number
  /** It is one of the global scope, whatever the scope it was registered in: it runs for every assembly. */
  readonly global: boolean
  readonly run: T
  readonly plugin: string | undefined
}

interface Common {
  /** Unique among the listeners of its scope. Listeners of one name never shadow each other. */
  readonly name: string
  /** Any finite number; lower is outermost. Default 0. */
  readonly order?: number | undefined
  /**
   * Default false: it runs for its scope and the descendants of it. A global one is one of the global scope, also for errors,
   * origins and names that must be unique, and ends with the scope it was registered in.
   */
  readonly global?: boolean | undefined
  /** Who registers it, for errors and origins. */
  readonly plugin?: string | undefined
}

/**
 * What a pure listener is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface PureInput extends Common {
  readonly edit: Edit
}

/**
 * Runs the rest of the waterfall on the assembly that is given to it, and gives the result. At most once: a second
 * call, or a second run of the effect, fails the assembly.
 *
 * @since 0.1.0
 * @category models
 */
export type Next = (assembly: Assembly) => Effect.Effect<Assembly, WaterfallError>

/**
 * A listener that gives the assembly back, changed or not. The rest always runs, on what it gives.
 *
 * @since 0.1.0
 * @category models
 */
export interface EditInput<out E = never, out R = never> extends Common {
  readonly edit: (assembly: Assembly, context: AssembleContext) => Assembly | Effect.Effect<Assembly, E, R>
  readonly around?: never
}

/**
 * A listener around the rest: it may change what goes in and what comes out, and may leave the rest out.
 *
 * @since 0.1.0
 * @category models
 */
export interface AroundInput<out E = never, out R = never> extends Common {
  readonly around: (assembly: Assembly, next: Next, context: AssembleContext) => Effect.Effect<Assembly, E, R>
  readonly edit?: never
}

/**
 * What a listener of `SystemPrompt` is made from.
 *
 * @since 0.1.0
 * @category models
 */
export type Input<E = never, R = never> = EditInput<E, R> | AroundInput<E, R>

/**
 * A listener that takes part in an assembly. Running it validates its result, notes it as the origin of what is new, and
 * fails with errors that name it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Admitted {
  readonly owner: Owner
  readonly order: number
  /** Runs it on an assembly, around the rest. An edit gives its result to the rest; the other kind decides. */
  readonly run: (assembly: Assembly, next: Next) => Effect.Effect<Assembly, WaterfallError>
}

/**
 * The function of a listener of `SystemPrompt`, its services captured. Nothing is known of its result until it has run
 * and been accepted: an assembly, an Effect of one, or a mistake.
 *
 * @since 0.1.0
 * @category models
 */
export type Run =
  | { readonly _tag: "Edit"; readonly edit: (assembly: Assembly, context: AssembleContext) => unknown }
  | {
      readonly _tag: "Around"
      readonly around: (assembly: Assembly, next: Next, context: AssembleContext) => unknown
    }

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A frozen listener with that function, or the rule that its options break. `scope` is the label of the scope it is
 * meant for.
 *
 * @internal
 */
export const make = <T>(
  options: { readonly [K in keyof Common | "edit" | "around"]?: unknown },
  run: T,
  scope: string
): Result.Result<Listener<T>, InvalidRegistration> => {
  const owner = rules.ownerOf("listener", options, scope)
  return Result.gen(function* () {
    yield* rules.listenerFunction(owner, options)
    return Object.freeze({
      kind: "listener",
      name: yield* rules.name(owner, options.name),
      order: options.order === undefined ? 0 : yield* rules.order(owner, options.order),
      global: yield* rules.flag(owner, "global", options.global, false),
      run,
      plugin: yield* rules.plugin(owner, options.plugin)
    })
  })
}

/**
 * As `make`, for a pure one, which is an `edit`.
 *
 * @internal
 */
export const pure = (options: PureInput, scope: string): Result.Result<Listener, InvalidRegistration> =>
  "around" in options && options.around !== undefined
    ? rules.broken(
        rules.ownerOf("listener", options, scope),
        "around",
        "a pure listener is an `edit`. Register an `around` with SystemPrompt.listener."
      )
    : make(options, options.edit, scope)
