/**
 * The merge of a chain of overlays, one overlay at a time, farthest first: a scope is merged by putting its overlay onto
 * what its parent was merged to. A list that the overlay adds nothing to stays the same array, so that what was made of
 * it can be used again for all scopes that share it.
 */
import * as Origin from "../Origin.ts"
import type { Known, Overlay, Slots } from "../Overlay.ts"
import type { Plan, Planned } from "../Plan.ts"
import { byCodeUnits } from "./codeUnits.ts"
import * as list from "./list.ts"

/** A plan before it is one: its sections may have two that are complete, and its contexts are there though suppressed. */
export interface Merged<K extends Slots = Known> extends Pick<
  Plan<K>,
  "variables" | "tools" | "sections" | "contexts" | "listeners" | "suppressed"
> {
  /** How many overlays have been merged. */
  readonly depth: number
}

const none: ReadonlyArray<never> = Object.freeze([])

/** The merge of no overlays. */
export const nothing: Merged<never> = Object.freeze({
  variables: none,
  tools: none,
  sections: none,
  contexts: none,
  listeners: none,
  suppressed: false,
  depth: 0
})

/** Puts the overlay of the next scope onto what has been merged. */
export const merge = <K extends Slots>(onto: Merged<K>, overlay: Overlay<K>): Merged<K> => {
  const position = onto.depth
  return Object.freeze({
    variables: shadow(onto.variables, overlay.variables, overlay.scope, position, byName),
    tools: append(onto.tools, overlay.tools, overlay.scope, position, byPositionThenProvider),
    sections: shadow(onto.sections, overlay.sections, overlay.scope, position, byOrderThenName),
    contexts: shadow(onto.contexts, overlay.contexts, overlay.scope, position, byOrderThenName),
    listeners: append(onto.listeners, overlay.listeners, overlay.scope, position, outermostFirst),
    suppressed: onto.suppressed || overlay.suppressors > 0,
    depth: position + 1
  })
}

interface Entry {
  readonly name?: string | undefined
  readonly plugin: string | undefined
}

interface Named extends Entry {
  readonly name: string
}

/**
 * The nearest entry of each name, with those that it hides. What is replaced by an entry of the same place needs no
 * sorting.
 */
const shadow = <E extends Named>(
  onto: ReadonlyArray<Planned<E>>,
  entries: ReadonlyArray<E>,
  scope: string,
  position: number,
  compare: (a: Planned<E>, b: Planned<E>) => number
): ReadonlyArray<Planned<E>> => {
  if (entries.length === 0) return onto
  const own = new Map(entries.map((entry) => [entry.name, entry]))
  const merged: Array<Planned<E>> = []
  const elsewhere: Array<Planned<E>> = []
  for (let i = 0; i < onto.length; i++) {
    const hidden = onto[i]!
    const entry = own.get(hidden.entry.name)
    if (entry === undefined) {
      merged.push(hidden)
      continue
    }
    own.delete(entry.name)
    const planned = plan(entry, scope, position, [shadowed(hidden.origin), ...hidden.origin.shadows])
    if (compare(hidden, planned) === 0) merged.push(planned)
    else elsewhere.push(planned)
  }
  for (const entry of own.values()) elsewhere.push(plan(entry, scope, position, undefined))
  if (elsewhere.length > 0) {
    for (const planned of elsewhere) merged.push(planned)
    merged.sort(compare)
  }
  return Object.freeze(merged)
}

/** All entries. */
const append = <E extends Entry>(
  onto: ReadonlyArray<Planned<E>>,
  entries: ReadonlyArray<E>,
  scope: string,
  position: number,
  compare: (a: Planned<E>, b: Planned<E>) => number
): ReadonlyArray<Planned<E>> =>
  entries.length === 0
    ? onto
    : Object.freeze([...onto, ...entries.map((entry) => plan(entry, scope, position, undefined))].sort(compare))

const plan = <E extends Entry>(
  entry: E,
  scope: string,
  position: number,
  shadows: ReadonlyArray<Origin.Shadowed> | undefined
): Planned<E> => Object.freeze({ entry, origin: Origin.make({ scope, plugin: entry.plugin, shadows }), position })

/** An origin as the one that it is for whoever hides it. */
export const shadowed = (origin: Origin.Origin): Origin.Shadowed =>
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
