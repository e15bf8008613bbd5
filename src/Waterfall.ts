/**
 * Decides how the listeners of an assembly run: by default all of them, each around
 * the rest. Another layer may record what each one does, or leave some out.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { Assembly } from "./Assembly.ts"
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
        if (last?.listeners !== listeners) last = { listeners, chain: chainOf(listeners) }
        return last.chain(base)
      }
    }
  })
}

/** Each listener around the rest. */
const chainOf = (listeners: ReadonlyArray<Admitted>): Next =>
  listeners.reduceRight<Next>(
    (next, listener, i) =>
      // Plain edits call each other; so that thousands of them do not use up the stack, the fibre takes over now and then.
      i % 256 === 255
        ? (assembly) => Effect.suspend(() => listener.run(assembly, next))
        : (assembly) => listener.run(assembly, next),
    Exit.succeed
  )
