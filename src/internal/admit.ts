/**
 * A registered listener as one that runs in an assembly: with its contract kept, its
 * result validated, and its failures typed and named. What is left to a `Waterfall` is
 * which of them run, and around what.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { Assembly } from "../Assembly.ts"
import type * as Listener from "../Listener.ts"
import type { Provided } from "../Overlay.ts"
import * as Plan from "../Plan.ts"
import { ListenerFailure, type Owner, ownerFields, type WaterfallError } from "../PromptError.ts"
import { mapFailures } from "./failure.ts"
import { isEffect } from "./give.ts"
import { accept, type Memory } from "./wellFormed.ts"

type Planned = Plan.Plan<Provided>["listeners"][number]

/** `memory` is what is known of its earlier results, for whoever runs it again and again. */
export const admit = (planned: Planned, context: AssembleContext, memory?: Memory): Listener.Admitted => {
  const { order, run } = planned.entry
  if (run._tag === "Edit") return new AdmittedEdit(planned, run.edit, context, memory)
  const owner = Plan.owner(planned)
  return {
    owner,
    order,
    run: (assembly, next) => runAround((given, rest) => run.around(given, rest, context), owner, assembly, next)
  }
}

const failure = (owner: Owner, reason: string, cause: unknown): ListenerFailure =>
  new ListenerFailure({ ...ownerFields(owner), reason, cause })

// -----------------------------------------------------------------------------
// edit
// -----------------------------------------------------------------------------

/**
 * A listener that is an edit. It can run alone, and the rest after it rather than inside of it. What was made of it in any
 * way is no such listener, since its `run` may be another one.
 */
export class AdmittedEdit implements Listener.Admitted {
  readonly owner: Owner
  readonly order: number
  readonly run: Listener.Admitted["run"]
  readonly #edit: Extract<Listener.Run, { readonly _tag: "Edit" }>["edit"]
  readonly #context: AssembleContext
  readonly #memory: Memory | undefined

  static is(listener: Listener.Admitted): listener is AdmittedEdit {
    return #edit in listener
  }

  constructor(
    planned: Planned,
    edit: Extract<Listener.Run, { readonly _tag: "Edit" }>["edit"],
    context: AssembleContext,
    memory: Memory | undefined
  ) {
    this.owner = Plan.owner(planned)
    this.order = planned.entry.order
    this.run = (assembly, next) => {
      const edited = this.edit(assembly)
      return isEffect(edited) ? Effect.flatMap(edited, next) : next(edited)
    }
    this.#edit = edit
    this.#context = context
    this.#memory = memory
    Object.freeze(this)
  }

  /**
   * The very same assembly if it changes nothing. A plain edit runs at once, so that an assembly without effects costs no
   * fibre.
   */
  edit(assembly: Assembly): Assembly | Effect.Effect<Assembly, WaterfallError> {
    let after: unknown
    try {
      const edit = this.#edit
      after = edit(assembly, this.#context)
    } catch (cause) {
      return Exit.fail(failure(this.owner, "threw", cause))
    }
    if (after === assembly) return assembly
    if (!isEffect(after)) return this.#accept(assembly, after)
    const named = mapFailures(after, (reason, cause) => failure(this.owner, reason, cause))
    return Effect.flatMap(named, (edited) => {
      const accepted = this.#accept(assembly, edited)
      return isEffect(accepted) ? accepted : Exit.succeed(accepted)
    })
  }

  #accept(assembly: Assembly, edited: unknown): Assembly | Effect.Effect<never, WaterfallError> {
    const accepted = accept([assembly], edited, this.owner, this.#memory)
    return Result.isSuccess(accepted) ? accepted.success : Exit.fail(accepted.failure)
  }
}

// -----------------------------------------------------------------------------
// around
// -----------------------------------------------------------------------------

/** What a listener did with `next` while it ran. */
interface Running {
  /** How it broke the contract of `next`, once it does. */
  violation: ListenerFailure | undefined
  /** What `next` gave: its parts are nothing new. */
  downstream: Assembly | undefined
  /** What `next` failed with: it has named its own listener. */
  failure: WaterfallError | undefined
}

const runAround = (
  around: (assembly: Assembly, next: Listener.Next) => unknown,
  owner: Owner,
  assembly: Assembly,
  rest: Listener.Next
): Effect.Effect<Assembly, WaterfallError> =>
  Effect.suspend(() => {
    const running: Running = { violation: undefined, downstream: undefined, failure: undefined }
    const { next, end } = onceOnly(running, owner, (given) =>
      Effect.flatMap(Effect.fromResult(accept([assembly], given, owner)), rest)
    )
    let after: unknown
    try {
      after = around(assembly, next)
    } catch (cause) {
      end()
      return Effect.fail(failure(owner, "threw", cause))
    }
    const settled = isEffect(after)
      ? mapFailures(after, (reason, cause) =>
          running.failure !== undefined && cause === running.failure
            ? running.failure
            : (running.violation ?? failure(owner, reason, cause))
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
const onceOnly = (
  running: Running,
  owner: Owner,
  rest: Listener.Next
): { readonly next: Listener.Next; readonly end: () => void } => {
  let called = false
  let ran = false
  let ended = false
  const violate = (what: string) => {
    const cause = new Error(`${what}. The rest of the waterfall runs at most once, while the listener runs`)
    running.violation = failure(owner, "broke the contract of next", cause)
    return Effect.fail(running.violation)
  }
  const next: Listener.Next = (given) => {
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
