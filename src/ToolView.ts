/**
 * A view: the tools that a scope is shown, and those that it knows and is not shown.
 *
 * A scope inherits the tools of the scopes above it on its chain, the nearest of each
 * name, as far as every restriction on its chain admits them. Its own tools are shown in
 * any case, and shadow what it inherits.
 *
 * @since 0.1.0
 */
import type { AssembledTool } from "./Assembly.ts"
import { merge, nothing, view } from "./internal/mergeTools.ts"
import type { Origin } from "./Origin.ts"
import type { RegisteredTool } from "./RegisteredTool.ts"
import type { Restriction } from "./Restriction.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What one scope registers.
 *
 * @since 0.1.0
 * @category models
 */
export interface Overlay {
  /** Label of the scope. */
  readonly scope: string
  /** Of different names. */
  readonly tools: ReadonlyArray<RegisteredTool>
  readonly restrictions: ReadonlyArray<Restriction>
}

/**
 * What keeps a tool from a scope.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  /** The list that does not admit it. */
  readonly list: "allow" | "deny"
  /** Label of the scope that the restriction is registered in. */
  readonly scope: string
  readonly plugin?: string
}

/**
 * A tool that a scope knows and is not shown.
 *
 * @since 0.1.0
 * @category models
 */
export interface Hidden {
  readonly name: string
  readonly origin: Origin
  /** All that keeps it out, farthest first. */
  readonly by: ReadonlyArray<Refusal>
}

/**
 * What a scope is shown of the tools that are registered for it, and what not. No model is told of hidden tools: this is for
 * the host.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolView {
  /** By name. */
  readonly tools: ReadonlyArray<AssembledTool>
  /** By name. */
  readonly hidden: ReadonlyArray<Hidden>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The view of a scope from all that its chain registers, the farthest scope first. The last one is its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (chain: ReadonlyArray<Overlay>): ToolView =>
  view(chain.reduce(merge, nothing), chain.at(-1)?.tools ?? [])
