/**
 * The laws of a listener: it does not fail, gives a well-formed assembly, runs the rest at most once, keeps a complete
 * section and the order, and gives the same result for the same assembly.
 *
 * It runs around generated assemblies as in the waterfall; the rest gives the assembly back, adds a section, or fails.
 *
 * @since 0.1.0
 */
import type * as Arbitrary from "effect/Arbitrary"
import type * as Context from "effect/Context"
import type * as Listener from "../Listener.ts"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import type * as ToolSchema from "../ToolSchema.ts"
import type * as Variable from "../Variable.ts"
import * as laws from "./internal/listenerLaws.ts"
import type { Law } from "./Law.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a listener is judged with, and what it may do although listeners usually do not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What it looks for in an assembly, such as a tool of a certain name: some cases have it, besides what is generated. */
  readonly contributions?:
    | {
        readonly sections?: ReadonlyArray<Section.Options> | undefined
        readonly contexts?: ReadonlyArray<PromptContext.Options> | undefined
        readonly variables?: ReadonlyArray<Variable.Options> | undefined
        readonly tools?: ReadonlyArray<ToolSchema.Input> | undefined
      }
    | undefined
  /** What a runtime tells it. By default nothing. */
  readonly annotations?: Arbitrary.Arbitrary<Context.Context<never>> | undefined
  /** It may fail with a typed error. */
  readonly mayFail?: boolean | undefined
  /** It may put parts where neither their order nor their name belong. */
  readonly mayReorder?: boolean | undefined
  /** It may change or remove the section that is the whole prompt, which is then put back. */
  readonly mayTouchComplete?: boolean | undefined
  /** It must change nothing when it runs on its own result. */
  readonly idempotent?: boolean | undefined
}

/**
 * Makes a law, or several, of a listener whose services are provided.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<A> = (listener: Listener.Input<unknown>, options?: Options) => A

const of =
  <A>(f: (judged: laws.Judged, options: Options) => A): Of<A> =>
  (listener, options = {}) =>
    f(laws.judge(listener, options), options)

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/**
 * It neither fails, throws nor dies, unless the rest fails; with `mayFail`, it may fail with a typed error.
 *
 * @since 0.1.0
 * @category laws
 */
export const succeeds: Of<Law> = of(laws.succeeds)

/**
 * What it gives is a well-formed assembly.
 *
 * @since 0.1.0
 * @category laws
 */
export const wellFormed: Of<Law> = of(laws.wellFormed)

/**
 * It runs the rest of the waterfall at most once, and only while it runs itself.
 *
 * @since 0.1.0
 * @category laws
 */
export const callsNextOnce: Of<Law> = of(laws.callsNextOnce)

/**
 * The same assembly and context give the same result, at any time.
 *
 * @since 0.1.0
 * @category laws
 */
export const deterministic: Of<Law> = of(laws.deterministic)

/**
 * The section that is the whole prompt comes out as it went in.
 *
 * @since 0.1.0
 * @category laws
 */
export const keepsComplete: Of<Law> = of(laws.keepsComplete)

/**
 * Sections and contexts come out by order, then name, and tools in the configured order.
 *
 * @since 0.1.0
 * @category laws
 */
export const keepsOrder: Of<Law> = of(laws.keepsOrder)

/**
 * Run on its own result, it changes nothing more.
 *
 * @since 0.1.0
 * @category laws
 */
export const idempotent: Of<Law> = of(laws.idempotent)

/**
 * All laws of a listener that the options do not exempt it from; `idempotent` only if they ask for it.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = of((judged, options) => [
  laws.succeeds(judged),
  laws.wellFormed(judged),
  laws.callsNextOnce(judged),
  laws.deterministic(judged),
  ...(options.mayTouchComplete === true ? [] : [laws.keepsComplete(judged)]),
  ...(options.mayReorder === true ? [] : [laws.keepsOrder(judged)]),
  ...(options.idempotent === true ? [laws.idempotent(judged)] : [])
])
