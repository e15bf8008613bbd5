/**
 * Decides how the listeners of an assembly run: by default all of them, each around
 * the rest. Another layer may record what each one does, or leave some out;
 * `WaterfallLaws` of `effect-preamble/testing` judges one.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Assembly } from "./Assembly.ts"
import { AdmittedEdit } from "./internal/admit.ts"
import { isEffect } from "./internal/give.ts"
import type { Admitted, Next } from "./Listener.ts"
import type { WaterfallError } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * The policy of the waterfall. Validation, origins and the contract of `next` are not its affair: an admitted listener
 * brings them along.
 *
 * @since 0.1.0
 * @category services
 */
export class Waterfall extends Context.Service<
  Waterfall,
  {
    /** Gives the result of the outermost listener. `listeners` come outermost first. */
    readonly run: (listeners: ReadonlyArray<Admitted>, base: Assembly) => Effect.Effect<Assembly, WaterfallError>
  }
>()("effect-preamble/Waterfall") {
  /**
   * Runs all of them, each around the rest.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Waterfall> = Layer.sync(this, () => {
    // The same listeners come again as long as nobody registers or leaves: the chain of them is the same then.
    let last: { readonly listeners: ReadonlyArray<Admitted>; readonly chain: Next } | undefined
    return {
      run: (listeners, base) => {
        if (last?.listeners === listeners) return last.chain(base)
        const chain = chainOf(listeners)
        // What is not frozen may hold others the next time.
        last = Object.isFrozen(listeners) ? { listeners, chain } : undefined
        return chain(base)
      }
    }
  })
}

/** Each listener around the rest. */
const chainOf = (listeners: ReadonlyArray<Admitted>): Next => {
  let rest: Next = Exit.succeed
  let edits: Array<AdmittedEdit> = []
  let nested = 0
  for (const listener of listeners.toReversed()) {
    if (AdmittedEdit.is(listener)) {
      edits.push(listener)
      continue
    }
    rest = runAround(listener, runEdits(edits.reverse(), rest), nested++)
    edits = []
  }
  return runEdits(edits.reverse(), rest)
}

const runAround = (listener: Admitted, rest: Next, nested: number): Next =>
  // Listeners may call each other; so that thousands of them do not use up the stack, the fibre takes over now and then.
  nested % 256 === 255
    ? (assembly) => Effect.suspend(() => listener.run(assembly, rest))
    : (assembly) => listener.run(assembly, rest)

/** Edits need not stand inside of each other: one runs after the other. */
const runEdits = (edits: ReadonlyArray<AdmittedEdit>, rest: Next): Next => {
  if (edits.length === 0) return rest
  const from = (assembly: Assembly, start: number): Effect.Effect<Assembly, WaterfallError> => {
    let current = assembly
    for (let i = start; i < edits.length; i++) {
      const edited = edits[i]!.edit(current)
      if (edited === current) continue
      if (isEffect(edited)) return Effect.flatMap(edited, (edited) => from(edited, i + 1))
      current = edited
    }
    return rest(current)
  }
  return (assembly) => from(assembly, 0)
}
