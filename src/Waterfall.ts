/**
 * Runs the listeners of an assembly, each around the rest. Stateless; another layer
 * may record what each one did, or run none.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { AssembleContext } from "./AssembleContext.ts"
import type { Assembly } from "./Assembly.ts"
import { isPromise, listenerPromised, listenerThrew, mapFailures } from "./internal/failure.ts"
import { isEffect } from "./internal/give.ts"
import { accept } from "./internal/wellFormed.ts"
import type { Next } from "./Listener.ts"
import type { Provided } from "./Overlay.ts"
import * as Plan from "./Plan.ts"
import { ListenerFailure, type Owner, type WaterfallError } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The listeners that a plan admits, outermost first.
 *
 * @since 0.1.0
 * @category models
 */
export type Admitted = Plan.Plan<Provided>["listeners"]

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category services
 */
export class Waterfall extends Context.Service<
  Waterfall,
  {
    /** Gives the result of the outermost listener. Its failures name the listener. */
    readonly run: (
      listeners: Admitted,
      base: Assembly,
      context: AssembleContext
    ) => Effect.Effect<Assembly, WaterfallError>
  }
>()("effect-preamble/Waterfall") {
  /**
   * Runs them all.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Waterfall> = Layer.succeed(this, {
    run: (listeners, base, context) => runFrom(0, listeners, base, context)
  })
}

/** Runs the listeners from the given one on. Plain edits run at once, so an assembly without effects costs no fibre. */
const runFrom = (
  from: number,
  listeners: Admitted,
  assembly: Assembly,
  context: AssembleContext
): Effect.Effect<Assembly, WaterfallError> => {
  let now = assembly
  for (let i = from; i < listeners.length; i++) {
    const listener = listeners[i]!
    const run = listener.entry.run
    if (run._tag === "Around") return runAround(run.around, Plan.owner(listener), i, listeners, now, context)
    const after = runEdit(run.edit, listener, now, context)
    if (!Exit.isExit(after)) return Effect.flatMap(after, (edited) => runFrom(i + 1, listeners, edited, context))
    if (Exit.isFailure(after)) return after
    now = after.value
  }
  return Exit.succeed(now)
}

const runEdit = (
  edit: (assembly: Assembly, context: AssembleContext) => unknown,
  listener: Admitted[number],
  assembly: Assembly,
  context: AssembleContext
): Exit.Exit<Assembly, WaterfallError> | Effect.Effect<Assembly, WaterfallError> => {
  let after: unknown
  try {
    after = edit(assembly, context)
  } catch (cause) {
    return Exit.fail(listenerThrew(Plan.owner(listener), cause))
  }
  if (after === assembly) return Exit.succeed(assembly)
  const owner = Plan.owner(listener)
  if (isEffect(after)) {
    return Effect.flatMap(
      mapFailures(after, (reason, cause) => new ListenerFailure({ ...owner, reason, cause })),
      (edited) => Effect.fromResult(accept([assembly], edited, owner))
    )
  }
  if (isPromise(after)) return Exit.fail(listenerPromised(owner))
  const accepted = accept([assembly], after, owner)
  return Result.isSuccess(accepted) ? Exit.succeed(accepted.success) : Exit.fail(accepted.failure)
}

/** The state of one run of an `around` listener: what it did with `next`. */
interface Running {
  /** Why its use of `next` breaks the contract, once it does. */
  violation: ListenerFailure | undefined
  /** What `next` gave: its parts are nothing new. */
  downstream: Assembly | undefined
  /** What `next` failed with: it has named its own listener. */
  failure: WaterfallError | undefined
}

const runAround = (
  around: (assembly: Assembly, next: Next, context: AssembleContext) => unknown,
  owner: Owner,
  index: number,
  listeners: Admitted,
  assembly: Assembly,
  context: AssembleContext
): Effect.Effect<Assembly, WaterfallError> =>
  Effect.suspend(() => {
    const running: Running = { violation: undefined, downstream: undefined, failure: undefined }
    const { next, end } = makeNext(running, owner, (given) =>
      Effect.flatMap(Effect.fromResult(accept([assembly], given, owner)), (accepted) =>
        runFrom(index + 1, listeners, accepted, context)
      )
    )
    let after: unknown
    try {
      after = around(assembly, next, context)
    } catch (cause) {
      end()
      return Effect.fail(listenerThrew(owner, cause))
    }
    if (!isEffect(after) && isPromise(after)) {
      end()
      return Effect.fail(listenerPromised(owner))
    }
    const settled = isEffect(after)
      ? mapFailures(after, (reason, cause) =>
          running.failure !== undefined && cause === running.failure
            ? running.failure
            : (running.violation ?? new ListenerFailure({ ...owner, reason, cause }))
        )
      : Effect.succeed(after)
    return Effect.flatMap(
      Effect.ensuring(settled, Effect.sync(end)),
      (result): Effect.Effect<Assembly, WaterfallError> =>
        running.violation !== undefined
          ? Effect.fail(running.violation)
          : Effect.fromResult(
              accept(running.downstream === undefined ? [assembly] : [assembly, running.downstream], result, owner)
            )
    )
  })

/**
 * The `next` of one run. Nothing runs before its effect does. A violation is kept as well as failed with, so that a
 * listener which swallows the failure cannot hide it.
 */
const makeNext = (
  running: Running,
  owner: Owner,
  rest: (given: Assembly) => Effect.Effect<Assembly, WaterfallError>
): { readonly next: Next; readonly end: () => void } => {
  let called = false
  let ran = false
  let ended = false
  const violate = (what: string) => {
    const cause = new Error(`${what}. The rest of the waterfall runs at most once, while the listener runs`)
    running.violation = new ListenerFailure({ ...owner, reason: "broke the contract of next", cause })
    return Effect.fail(running.violation)
  }
  const next: Next = (given) => {
    if (ended) return violate("next() called after the waterfall ended for this listener")
    if (called) return violate("next() called more than once")
    called = true
    return Effect.suspend(() => {
      if (ended) return violate("the effect of next() run after the waterfall ended for this listener")
      if (ran) return violate("the effect of next() run more than once")
      ran = true
      return rest(given)
    }).pipe(
      Effect.tap((downstream) => Effect.sync(() => (running.downstream = downstream))),
      Effect.tapError((failure) => Effect.sync(() => (running.failure = failure)))
    )
  }
  return { next, end: () => (ended = true) }
}
