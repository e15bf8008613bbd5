/**
 * The merge of a chain of overlays: what takes part in an assembly, in final order,
 * before anything is evaluated.
 *
 * A plan is immutable, so holding it is holding a snapshot of the registry.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { byCodeUnits } from "./internal/codeUnits.ts"
import * as list from "./internal/list.ts"
import type * as Listener from "./Listener.ts"
import * as Origin from "./Origin.ts"
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
  /** Place of its overlay in the chain; 0 is the farthest. */
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
): Result.Result<Plan<K>, MultipleCompleteSections> => {
  const sections = merge(chain, (overlay) => overlay.sections).sort(byOrderThenName)
  const complete = sections.filter((planned) => planned.entry.complete)
  if (complete.length > 1) return Result.fail(multipleComplete(scope, complete))
  const suppressed = chain.some((overlay) => overlay.suppressors > 0)
  return Result.succeed(
    Object.freeze({
      scope,
      variables: Object.freeze(merge(chain, (overlay) => overlay.variables).sort(byName)),
      tools: Object.freeze(append(chain, (overlay) => overlay.tools).sort(byPositionThenProvider)),
      sections: Object.freeze(sections),
      contexts: Object.freeze(suppressed ? [] : merge(chain, (overlay) => overlay.contexts).sort(byOrderThenName)),
      listeners: Object.freeze(append(chain, (overlay) => overlay.listeners).sort(outermostFirst)),
      complete: complete[0]?.entry.name,
      suppressed
    })
  )
}

interface Entry {
  readonly name?: string | undefined
  readonly plugin: string | undefined
}

interface Named extends Entry {
  readonly name: string
}

/** The nearest entry of each name, with those that it hides. */
const merge = <K extends Slots, E extends Named>(
  chain: ReadonlyArray<Overlay<K>>,
  entries: (overlay: Overlay<K>) => ReadonlyArray<E>
): Array<Planned<E>> => {
  const winners = new Map<string, Planned<E>>()
  chain.forEach((overlay, position) => {
    for (const entry of entries(overlay)) {
      const hidden = winners.get(entry.name)?.origin
      const shadows = hidden === undefined ? undefined : [shadowed(hidden), ...hidden.shadows]
      winners.set(entry.name, plan(overlay, entry, position, shadows))
    }
  })
  return [...winners.values()]
}

/** All entries, farthest first. */
const append = <K extends Slots, E extends Entry>(
  chain: ReadonlyArray<Overlay<K>>,
  entries: (overlay: Overlay<K>) => ReadonlyArray<E>
): Array<Planned<E>> =>
  chain.flatMap((overlay, position) => entries(overlay).map((entry) => plan(overlay, entry, position, undefined)))

const plan = <K extends Slots, E extends Entry>(
  overlay: Overlay<K>,
  entry: E,
  position: number,
  shadows: ReadonlyArray<Origin.Shadowed> | undefined
): Planned<E> =>
  Object.freeze({ entry, origin: Origin.make({ scope: overlay.scope, plugin: entry.plugin, shadows }), position })

const shadowed = (origin: Origin.Origin): Origin.Shadowed =>
  Object.freeze({
    scope: origin.scope,
    ...(origin.plugin === undefined ? undefined : { plugin: origin.plugin })
  })

const byName = (a: Planned<Named>, b: Planned<Named>): number => byCodeUnits(a.entry.name, b.entry.name)

const byOrderThenName = <E extends Named & { readonly order: number }>(a: Planned<E>, b: Planned<E>): number =>
  list.byOrderThenName(a.entry, b.entry)

/** A global listener is one of the global overlay, wherever it was registered. */
const outermostFirst = <E extends Named & { readonly order: number; readonly global: boolean }>(
  a: Planned<E>,
  b: Planned<E>
): number => byOrderThenName(a, b) || (a.entry.global ? 0 : a.position) - (b.entry.global ? 0 : b.position)

/** Providers may share a name; the plugin tells them apart, so that what is evaluated first does not depend on who registered first. */
const byPositionThenProvider = (a: Planned<Entry>, b: Planned<Entry>): number =>
  a.position - b.position ||
  byCodeUnits(a.entry.name ?? "", b.entry.name ?? "") ||
  byCodeUnits(a.entry.plugin ?? "", b.entry.plugin ?? "")

const multipleComplete = (scope: string, complete: ReadonlyArray<Planned<Named>>): MultipleCompleteSections =>
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
