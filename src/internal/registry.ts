/**
 * All registrations of one `Overlays` service while they come and go, and the plans
 * made of them. Plain mutable state without Effect: each method is one synchronous step.
 *
 * Registering and removing cost O(1). A plan is immutable and cached per scope; it holds
 * as long as every scope of its chain is the same and has the same stamp. Stamps come
 * from one counter that never restarts, else an overlay that was emptied and filled again
 * would look unchanged.
 */
import * as Result from "effect/Result"
import type { Entry, Overlay, Provided, Suppressor } from "../Overlay.ts"
import * as Plan from "../Plan.ts"
import { type DuplicateRegistration, type MultipleCompleteSections, ScopeClosed } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import { OverlayTable } from "./overlayTable.ts"
import * as scopes from "./scope.ts"

export type CachedPlan = Result.Result<Plan.Plan<Provided>, MultipleCompleteSections>

/** All that is registered for a scope at one moment, in force or not, and the plan made of it. */
export interface Snapshot {
  /** One for each scope of the chain, farthest first; empty where nothing is registered. */
  readonly overlays: ReadonlyArray<Overlay<Provided>>
  /** The suppressors of each overlay. */
  readonly suppressors: ReadonlyArray<ReadonlyArray<Suppressor>>
  readonly plan: CachedPlan
}

/** What is registered in one scope. */
interface Slot {
  readonly table: OverlayTable<Provided>
  /** Entries that live in another overlay, but end with this scope: its global listeners. */
  readonly guests: Set<Entry<Provided>>
  stamp: number
}

interface Cached {
  readonly chain: ReadonlyArray<PromptScope>
  readonly stamps: ReadonlyArray<number>
  readonly plan: CachedPlan
  /** The newest revision at which it was seen to hold. */
  revision: number
}

export class Registry {
  readonly #slots = new WeakMap<PromptScope, Slot>()
  readonly #plans = new WeakMap<PromptScope, Cached>()
  readonly #changed: () => void
  #revision = 0

  /** `changed` is called after each change, on the stack of whoever made it: it must be cheap and call nobody. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  get revision(): number {
    return this.#revision
  }

  /** Registers entries that belong together, as one change: all of them, or none. */
  insert(
    scope: PromptScope,
    entries: ReadonlyArray<Entry<Provided>>
  ): Result.Result<void, DuplicateRegistration | ScopeClosed> {
    const inserted: Array<Entry<Provided>> = []
    for (const entry of entries) {
      const result = this.#insert(scope, entry)
      if (Result.isFailure(result)) {
        for (const one of inserted) this.#remove(scope, one)
        return result
      }
      inserted.push(entry)
    }
    this.#change()
    for (const entry of entries) this.#slot(hostOf(scope, entry)).stamp = this.#revision
    return Result.succeed(undefined)
  }

  #insert(scope: PromptScope, entry: Entry<Provided>): Result.Result<void, DuplicateRegistration | ScopeClosed> {
    if (scope.closed) return Result.fail(scopeClosed(scope, entry))
    const host = hostOf(scope, entry)
    const slot = this.#slot(host)
    const result = slot.table.insert(entry)
    if (Result.isFailure(result)) this.#drop(host, slot)
    else if (host !== scope) this.#slot(scope).guests.add(entry)
    return result
  }

  /** Removes exactly these entries, as one change; what is gone already, with its scope or before, stays out of it. */
  remove(scope: PromptScope, entries: ReadonlyArray<Entry<Provided>>): void {
    const removed = entries.filter((entry) => this.#remove(scope, entry))
    if (removed.length === 0) return
    this.#change()
    for (const entry of removed) {
      const slot = this.#slots.get(hostOf(scope, entry))
      if (slot !== undefined) slot.stamp = this.#revision
    }
  }

  #remove(scope: PromptScope, entry: Entry<Provided>): boolean {
    const host = hostOf(scope, entry)
    if (host !== scope) {
      const own = this.#slots.get(scope)
      own?.guests.delete(entry)
      if (own !== undefined) this.#drop(scope, own)
    }
    const slot = this.#slots.get(host)
    if (slot === undefined || !slot.table.remove(entry)) return false
    this.#drop(host, slot)
    return true
  }

  /** The scope is closed: all that was registered in it goes. */
  close(scope: PromptScope): void {
    const slot = this.#slots.get(scope)
    this.#slots.delete(scope)
    this.#plans.delete(scope)
    this.remove(scope, [...(slot?.guests ?? [])])
    this.#change()
  }

  /** Some scope has another parent. */
  move(): void {
    this.#change()
  }

  /** What takes part in an assembly for the scope now. */
  plan(scope: PromptScope): CachedPlan {
    const cached = this.#plans.get(scope)
    if (cached !== undefined && cached.revision === this.#revision) return cached.plan
    const chain = scopes.chain(scope)
    const slots = chain.map((one) => this.#slots.get(one))
    const stamps = slots.map((slot) => slot?.stamp ?? 0)
    if (cached !== undefined && same(cached.chain, chain) && same(cached.stamps, stamps)) {
      cached.revision = this.#revision
      return cached.plan
    }
    const overlays = slots.flatMap((slot) => (slot === undefined ? [] : [slot.table.snapshot()]))
    const plan = Plan.make(scope.label, overlays)
    this.#plans.set(scope, { chain, stamps, plan, revision: this.#revision })
    return plan
  }

  /** What is registered for the scope now, with the plan. */
  snapshot(scope: PromptScope): Snapshot {
    const tables = scopes
      .chain(scope)
      .map((one) => this.#slots.get(one)?.table ?? new OverlayTable<Provided>(one.label))
    return {
      overlays: tables.map((table) => table.snapshot()),
      suppressors: tables.map((table) => table.suppressors),
      plan: this.plan(scope)
    }
  }

  /** How many contributions the scope's own overlay holds. */
  size(scope: PromptScope): number {
    return this.#slots.get(scope)?.table.size ?? 0
  }

  #slot(scope: PromptScope): Slot {
    let slot = this.#slots.get(scope)
    if (slot === undefined) {
      slot = { table: new OverlayTable(scope.label), guests: new Set(), stamp: 0 }
      this.#slots.set(scope, slot)
    }
    return slot
  }

  #drop(scope: PromptScope, slot: Slot): void {
    if (slot.table.size === 0 && slot.guests.size === 0) this.#slots.delete(scope)
  }

  #change(): void {
    this.#revision++
    this.#changed()
  }
}

/** The scope whose overlay an entry is part of. */
const hostOf = (scope: PromptScope, entry: Entry<Provided>): PromptScope =>
  entry.kind === "listener" && entry.global ? scopes.global : scope

const scopeClosed = (scope: PromptScope, entry: Entry<Provided>): ScopeClosed =>
  new ScopeClosed({
    scope: scope.label,
    kind: entry.kind,
    entry: "name" in entry ? (entry.name ?? "") : "",
    ...(entry.plugin === undefined ? undefined : { plugin: entry.plugin })
  })

const same = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i])
