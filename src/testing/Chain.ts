/**
 * Chains of overlays as plain data, and what the pure assembly makes of them.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Assembly from "../Assembly.ts"
import * as BuiltIns from "../BuiltIns.ts"
import * as Built from "../Overlay.ts"
import type * as PromptContext from "../PromptContext.ts"
import type { AssembleError, InvalidToolOrder } from "../PromptError.ts"
import type * as PromptScope from "../PromptScope.ts"
import type * as Section from "../Section.ts"
import * as ToolOrder from "../ToolOrder.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as Variable from "../Variable.ts"
import * as Edit from "./Edit.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What is registered in one scope, with the values known.
 *
 * @since 0.1.0
 * @category models
 */
export interface Overlay {
  /** Of the scope. */
  readonly label: string
  readonly sections: ReadonlyArray<Section.Options>
  readonly contexts: ReadonlyArray<PromptContext.Options>
  readonly variables: ReadonlyArray<Variable.Options>
  readonly tools: ReadonlyArray<ToolProvider.Options>
  readonly listeners: ReadonlyArray<Edit.Listener>
  readonly suppressors: number
}

/**
 * The overlays of a chain, farthest first. The first one is the global one, whatever its label says.
 *
 * @since 0.1.0
 * @category models
 */
export type Chain = ReadonlyArray<Overlay>

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * Gives the global listeners names that tell their overlays apart, since all of them end up in the first one.
 *
 * @internal
 */
export const distinguish = (self: Chain): Chain =>
  self.map((one, index) => ({
    ...one,
    listeners: one.listeners.map((listener) =>
      listener.global === true ? { ...listener, name: `${listener.name} of ${index}` } : listener
    )
  }))

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The label of the scope of an overlay.
 *
 * @internal
 */
export const labelAt = (self: Chain, index: number): string => (index === 0 ? "global" : self[index]!.label)

/**
 * The overlays as the pure assembly takes them. The global one also has the default built-ins, as in the
 * service. Throws if there are contributions that are illegal, or two of one name.
 *
 * @since 0.1.0
 * @category destructors
 */
export const overlays = (self: Chain): ReadonlyArray<Built.Overlay> =>
  self.map((one, index) =>
    Result.getOrThrow(
      Built.make(labelAt(self, index), {
        ...one,
        sections: index === 0 ? [...BuiltIns.contributions({}).sections, ...one.sections] : one.sections,
        listeners: one.listeners.map(({ steps, ...listener }) => ({
          ...listener,
          edit: Edit.run({ ...listener, steps })
        }))
      })
    )
  )

/**
 * The pure assembly for the last overlay's scope. Listeners are told of the given scope, by default the global one.
 *
 * @since 0.1.0
 * @category destructors
 */
export const assemble = (
  self: Chain,
  options?: {
    readonly scope?: PromptScope.PromptScope | undefined
    readonly toolOrder?: ReadonlyArray<string> | undefined
  }
): Result.Result<Assembly.Assembly, AssembleError | InvalidToolOrder> =>
  Result.flatMap(
    options?.toolOrder === undefined ? Result.succeed(undefined) : ToolOrder.make(options.toolOrder),
    (toolOrder): Result.Result<Assembly.Assembly, AssembleError> =>
      Assembly.assemble(overlays(self), {
        context: options?.scope === undefined ? undefined : { scope: options.scope, annotations: Context.empty() },
        toolOrder
      })
  )
