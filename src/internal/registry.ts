/**
 * All registrations of one `Overlays` service while they come and go, and the plans
 * made of them. Plain mutable state without Effect: each method is one synchronous step.
 *
 * Registering and removing cost O(1). A plan is immutable; those made lately are kept. One
 * holds as long as the merge of the parent scope is the same and the scope's own overlay
 * has the same stamp. Stamps come from one counter that never restarts, else an overlay
 * that was emptied and filled again would look unchanged.
 */
import * as Result from "effect/Result"
import type { Entry, Overlay, Provided, Suppressor } from "../Overlay.ts"
import * as Plan from "../Plan.ts"
import { type DuplicateRegistration, type MultipleCompleteSections, ScopeClosed } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import { merge, type Merged, nothing } from "./merge.ts"
import { OverlayTable } from "./overlayTable.ts"
import { Recent } from "./recent.ts"
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
class Slot extends OverlayTable<Provided> {
  /** Entries that live in another overlay, but end with this scope: its global listeners. */
  guests: Set<Entry<Provided>> | undefined
  stamp = 0
}

/** The merge of a scope's chain, and the plan of it once somebody has asked for it. */
interface Cached {
  readonly onto: Merged<Provided>
  readonly stamp: number
  readonly merged: Merged<Provided>
  plan: CachedPlan | undefined
  /** The newest revision at which it was seen to hold. */
  revision: number
}

/** For how many scopes merges and plans are kept, at the least. Each is as long as all that its scope sees. */
const kept = 256

export class Registry {
  readonly #slots = new WeakMap<PromptScope, Slot>()
  readonly #cached = new Recent<PromptScope, Cached>(kept)
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
    const result = slot.insert(entry)
    if (Result.isFailure(result)) this.#drop(host, slot)
    else if (host !== scope) (this.#slot(scope).guests ??= new Set()).add(entry)
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
      own?.guests?.delete(entry)
      if (own !== undefined) this.#drop(scope, own)
    }
    const slot = this.#slots.get(host)
    if (slot === undefined || !slot.remove(entry)) return false
    this.#drop(host, slot)
    return true
  }

  /** The scope is closed: all that was registered in it goes. */
  close(scope: PromptScope): void {
    const slot = this.#slots.get(scope)
    this.#slots.delete(scope)
    this.#cached.delete(scope)
    this.remove(scope, [...(slot?.guests ?? [])])
    this.#change()
  }

  /** Something that plans depend on is different: some scope has another parent, or a provider gives something else. */
  touch(): void {
    this.#change()
  }

  /** What takes part in an assembly for the scope now. */
  plan(scope: PromptScope): CachedPlan {
    const cached = this.#current(scope)
    return (cached.plan ??= Plan.finish(scope.label, cached.merged))
  }

  /** The merge that holds now. */
  #current(scope: PromptScope): Cached {
    const known = this.#cached.get(scope)
    if (known !== undefined && known.revision === this.#revision) return known
    let onto: Merged<Provided> = nothing
    for (const one of scopes.chain(scope)) {
      if (one !== scope) onto = this.#mergeOnto(onto, one, this.#cached.get(one)).merged
    }
    return this.#mergeOnto(onto, scope, known)
  }

  /** `known` is what was made for the scope last. */
  #mergeOnto(onto: Merged<Provided>, scope: PromptScope, known: Cached | undefined): Cached {
    const slot = this.#slots.get(scope)
    const stamp = slot?.stamp ?? 0
    if (known !== undefined && known.onto === onto && known.stamp === stamp) {
      known.revision = this.#revision
      return known
    }
    const merged = slot === undefined ? onto : merge(onto, slot.snapshot())
    const made: Cached = { onto, stamp, merged, plan: undefined, revision: this.#revision }
    // A closed scope is forgotten at its end, once and for all.
    if (!scope.closed) this.#cached.set(scope, made)
    return made
  }

  /** What is registered for the scope now, with the plan. */
  snapshot(scope: PromptScope): Snapshot {
    const tables = scopes.chain(scope).map((one) => this.#slots.get(one) ?? new OverlayTable<Provided>(one.label))
    return {
      overlays: tables.map((table) => table.snapshot()),
      suppressors: tables.map((table) => table.suppressors),
      plan: this.plan(scope)
    }
  }

  /** How many contributions the scope's own overlay holds. */
  size(scope: PromptScope): number {
    return this.#slots.get(scope)?.size ?? 0
  }

  #slot(scope: PromptScope): Slot {
    let slot = this.#slots.get(scope)
    if (slot === undefined) {
      slot = new Slot(scope.label)
      this.#slots.set(scope, slot)
    }
    return slot
  }

  #drop(scope: PromptScope, slot: Slot): void {
    if (slot.size === 0 && (slot.guests?.size ?? 0) === 0) this.#slots.delete(scope)
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
