/**
 * A listener that changes nothing, and writes down each assembly that reaches the listeners: what it was given, what it
 * was told, and what the rest of the waterfall made of it. An assembly whose provider fails does not get that far.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { AssembleContext } from "../AssembleContext.ts"
import type { Assembly } from "../Assembly.ts"
import type * as Listener from "../Listener.ts"
import * as Plugin from "../Plugin.ts"
import type { WaterfallError } from "../PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * One assembly, as the listener saw it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  /** What it was given, and passed on. */
  readonly assembly: Assembly
  /** What it was told: for whom the assembly was, and with which annotations. */
  readonly context: AssembleContext
  /** What the rest gave; a failure or an interruption too. */
  readonly result: Exit.Exit<Assembly, WaterfallError>
}

/**
 * A listener with what it has seen.
 *
 * @since 0.1.0
 * @category models
 */
export interface Recording {
  /** Registers it. */
  readonly plugin: Plugin.Plugin
  /** To register it by other means. */
  readonly listener: Listener.AroundInput<WaterfallError>
  /** What it has seen so far, the oldest first. Each read gives a list that stays as it is. */
  readonly entries: ReadonlyArray<Entry>
  /** Forgets all of it. */
  readonly clear: () => void
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A recording that has seen nothing yet. Without an order it is the outermost listener: it sees the assembly as composed,
 * and as all others have left it.
 *
 * **Provider's cache**: nothing; it changes no text.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options?: {
  /** Default `recording`. */
  readonly name?: string | undefined
  /** Any finite number; lower is further out. */
  readonly order?: number | undefined
}): Recording => {
  let entries: ReadonlyArray<Entry> = []
  const listener: Listener.AroundInput<WaterfallError> = {
    name: options?.name ?? "recording",
    order: options?.order ?? -Number.MAX_VALUE,
    around: (assembly, next, context) =>
      next(assembly).pipe(
        Effect.onExit((result) =>
          Effect.sync(() => {
            entries = Object.freeze([...entries, Object.freeze({ assembly, context, result })])
          })
        )
      )
  }
  return {
    plugin: Plugin.listener(listener),
    listener,
    get entries() {
      return entries
    },
    clear: () => {
      entries = []
    }
  }
}
