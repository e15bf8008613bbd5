/**
 * The merge of a chain of overlays: what takes part in an assembly, in final order,
 * before anything is evaluated.
 *
 * A plan is immutable, so holding it is holding a snapshot of the registry.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { merge, type Merged, nothing, shadowed } from "./internal/merge.ts"
import type * as Listener from "./Listener.ts"
import type * as Origin from "./Origin.ts"
import type { Known, Overlay, Slots } from "./Overlay.ts"
import type * as PromptContext from "./PromptContext.ts"
import { type Kind, MultipleCompleteSections, type Owner, ownerFields } from "./PromptError.ts"
import type * as Section from "./Section.ts"
import type * as ToolProvider from "./ToolProvider.ts"
import type * as Variable from "./Variable.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A contribution that takes part, with where it comes from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Planned<out E> {
  readonly entry: E
  readonly origin: Origin.Origin
  /** Place of its overlay among those that were merged; 0 is the farthest. */
  readonly position: number
}

/**
 * What takes part in an assembly. Variables are sorted by name, tool providers by chain
 * position, name and plugin, sections and contexts by order and name, listeners outermost first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Plan<K extends Slots = Known> {
  /** Label of the scope that the plan is for. */
  readonly scope: string
  readonly variables: ReadonlyArray<Planned<Variable.Variable<K["value"]>>>
  readonly tools: ReadonlyArray<Planned<ToolProvider.ToolProvider<K["tools"]>>>
  readonly sections: ReadonlyArray<Planned<Section.Section<K["text"]>>>
  /** Empty when suppressed. */
  readonly contexts: ReadonlyArray<Planned<PromptContext.PromptContext<K["text"]>>>
  readonly listeners: ReadonlyArray<Planned<Listener.Listener<K["listener"]>>>
  /** Name of the section that is the whole prompt. */
  readonly complete: string | undefined
  /** Whether some overlay of the chain suppresses contexts. */
  readonly suppressed: boolean
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Merges a chain of overlays, farthest first, for the scope of that label: shadows by name,
 * orders, and refuses a second complete section.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <K extends Slots = Known>(
  scope: string,
  chain: ReadonlyArray<Overlay<K>>
): Result.Result<Plan<K>, MultipleCompleteSections> =>
  finish(
    scope,
    chain.reduce<Merged<K>>((onto, overlay) => merge(onto, overlay), nothing)
  )

/**
 * The plan of what has been merged.
 *
 * @internal
 */
export const finish = <K extends Slots>(
  scope: string,
  merged: Merged<K>
): Result.Result<Plan<K>, MultipleCompleteSections> => {
  const { complete } = merged
  if (complete.length > 1) return Result.fail(multipleComplete(scope, complete))
  return Result.succeed(
    Object.freeze({
      scope,
      variables: merged.variables,
      tools: merged.tools,
      sections: merged.sections,
      contexts: merged.suppressed ? nothing.contexts : merged.contexts,
      listeners: merged.listeners,
      complete: complete[0]?.entry.name,
      suppressed: merged.suppressed
    })
  )
}

const multipleComplete = (
  scope: string,
  complete: ReadonlyArray<Planned<Section.Section<unknown>>>
): MultipleCompleteSections =>
  new MultipleCompleteSections({
    scope,
    sections: complete.map((planned) => ({ entry: planned.entry.name, ...shadowed(planned.origin) }))
  })

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Who an error about this contribution names.
 *
 * @since 0.1.0
 * @category destructors
 */
export const owner = (
  planned: Planned<{ readonly kind: Kind; readonly name?: string | undefined; readonly plugin: string | undefined }>
): Owner =>
  ownerFields({
    kind: planned.entry.kind,
    entry: planned.entry.name ?? "",
    scope: planned.origin.scope,
    plugin: planned.entry.plugin
  })
