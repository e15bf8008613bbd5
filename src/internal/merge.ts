/**
 * The merge of a chain of overlays, one overlay at a time, farthest first: a scope is merged by putting its overlay onto
 * what its parent was merged to. A list that the overlay adds nothing to stays the same array, so that what was made of
 * it can be used again for all scopes that share it.
 */
import * as Origin from "../Origin.ts"
import type { Known, Overlay, Slots } from "../Overlay.ts"
import type { Plan, Planned } from "../Plan.ts"
import type { Section } from "../Section.ts"
import { byCodeUnits } from "./codeUnits.ts"
import * as list from "./list.ts"
import { global } from "./scope.ts"

/** A plan before it is one: its sections may have two that are complete, and its contexts are there though suppressed. */
export interface Merged<K extends Slots = Known> extends Pick<
  Plan<K>,
  "variables" | "tools" | "sections" | "contexts" | "listeners" | "suppressed"
> {
  /** The sections that are to be the whole prompt: one at the most, in a plan. */
  readonly complete: ReadonlyArray<Planned<Section<K["text"]>>>
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
  complete: none,
  depth: 0
})

/** Puts the overlay of the next scope onto what has been merged. */
export const merge = <K extends Slots>(onto: Merged<K>, overlay: Overlay<K>): Merged<K> => {
  const position = onto.depth
  const sections = shadow(onto.sections, overlay.sections, overlay.scope, position, byOrderThenName)
  return Object.freeze({
    variables: shadow(onto.variables, overlay.variables, overlay.scope, position, byName),
    tools: append(
      onto.tools,
      overlay.tools,
      (tools) => plan(tools, overlay.scope, position, undefined),
      byPositionThenProvider
    ),
    sections,
    contexts: shadow(onto.contexts, overlay.contexts, overlay.scope, position, byOrderThenName),
    listeners: append(
      onto.listeners,
      overlay.listeners,
      // A global one is one of the global overlay, wherever it was registered.
      (listener) =>
        listener.global
          ? plan(listener, global.label, 0, undefined)
          : plan(listener, overlay.scope, position, undefined),
      outermostFirst
    ),
    suppressed: onto.suppressed || overlay.suppressors > 0,
    complete:
      onto.complete.length === 0 && !overlay.sections.some(isComplete)
        ? none
        : sections.filter(({ entry }) => isComplete(entry)),
    depth: position + 1
  })
}

const isComplete = (section: Section<unknown>): boolean => section.complete

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
  // A copy that is not frozen: reading a frozen array takes five times as long.
  const merged: Array<Planned<E>> = [...onto]
  const place = placesIn(merged, entries.length)
  const elsewhere: Array<Planned<E>> = []
  const left = new Set<number>()
  for (const entry of entries) {
    const at = place(entry.name)
    const hidden = at === undefined ? undefined : merged[at]
    if (at === undefined || hidden === undefined) {
      elsewhere.push(plan(entry, scope, position, undefined))
      continue
    }
    const planned = plan(entry, scope, position, [shadowed(hidden.origin), ...hidden.origin.shadows])
    if (compare(hidden, planned) === 0) merged[at] = planned
    else {
      left.add(at)
      elsewhere.push(planned)
    }
  }
  if (elsewhere.length === 0) return Object.freeze(merged)
  const stay = left.size === 0 ? merged : merged.filter((_, at) => !left.has(at))
  return Object.freeze([...stay, ...elsewhere].sort(compare))
}

/** How many entries are looked for one by one. */
const few = 4

/** Finds where the entry of a name stands. What replaces one has its name. */
const placesIn = <E extends Named>(
  planned: ReadonlyArray<Planned<E>>,
  lookups: number
): ((name: string) => number | undefined) => {
  if (lookups > few) {
    const places = new Map(planned.map(({ entry }, at) => [entry.name, at]))
    return (name) => places.get(name)
  }
  return (name) => {
    for (let at = 0; at < planned.length; at++) if (planned[at]!.entry.name === name) return at
    return undefined
  }
}

/** All entries. */
const append = <E extends Entry>(
  onto: ReadonlyArray<Planned<E>>,
  entries: ReadonlyArray<E>,
  planned: (entry: E) => Planned<E>,
  compare: (a: Planned<E>, b: Planned<E>) => number
): ReadonlyArray<Planned<E>> =>
  entries.length === 0 ? onto : Object.freeze([...onto, ...entries.map(planned)].sort(compare))

const plan = <E extends Entry>(
  entry: E,
  scope: string,
  position: number,
  shadows: ReadonlyArray<Origin.Shadowed> | undefined
): Planned<E> => Object.freeze({ entry, origin: Origin.make({ scope, plugin: entry.plugin, shadows }), position })

/** An origin as the one that it is for whoever hides it. */
export const shadowed = ({ plugin, scope }: Origin.Origin): Origin.Shadowed =>
  Object.freeze(plugin === undefined ? { scope } : { scope, plugin })

const byName = (a: Planned<Named>, b: Planned<Named>): number => byCodeUnits(a.entry.name, b.entry.name)

const byOrderThenName = <E extends Named & { readonly order: number }>(a: Planned<E>, b: Planned<E>): number =>
  list.byOrderThenName(a.entry, b.entry)

const outermostFirst = <E extends Named & { readonly order: number }>(a: Planned<E>, b: Planned<E>): number =>
  byOrderThenName(a, b) || a.position - b.position

/** Providers may share a name; the plugin tells them apart, so that what is evaluated first does not depend on who registered first. */
const byPositionThenProvider = (a: Planned<Entry>, b: Planned<Entry>): number =>
  a.position - b.position ||
  byCodeUnits(a.entry.name ?? "", b.entry.name ?? "") ||
  byCodeUnits(a.entry.plugin ?? "", b.entry.plugin ?? "")
