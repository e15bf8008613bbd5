/**
 * The data of prompt scopes: identities with a label and a movable parent, and
 * who wants to know when one moves or closes. Links are process-wide, since
 * several services can register into the same scope.
 */
import * as Equal from "effect/Equal"
import type { PromptScope } from "../PromptScope.ts"

export const TypeId = "~effect-preamble/PromptScope"

/** Moves a scope. Only `PromptScope.make` hands this power out, to the owner of the scope. */
export let setParent: (self: ScopeNode, parent: PromptScope) => void
/** Closes a scope for good. */
export let setClosed: (self: ScopeNode) => void

export class ScopeNode implements PromptScope {
  readonly [TypeId] = TypeId
  readonly label: string
  #parent: PromptScope | undefined
  #closed = false

  static {
    setParent = (self, parent) => {
      self.#parent = parent
    }
    setClosed = (self) => {
      self.#closed = true
    }
  }

  constructor(label: string, parent: PromptScope | undefined) {
    this.label = label
    this.#parent = parent
    // Two scopes of one label are two scopes: without this, Effect's structural equality would merge them.
    Equal.byReferenceUnsafe(this)
    Object.freeze(this)
  }

  get parent(): PromptScope | undefined {
    return this.#parent
  }

  get closed(): boolean {
    return this.#closed
  }

  toJSON(): unknown {
    return { _id: "PromptScope", label: this.label }
  }
}

/** The root of every chain. It has no owner: it is never moved or closed. */
export const global: PromptScope = new ScopeNode("global", undefined)

/** The scope and its ancestors, farthest first: the order in which overlays are merged. */
export const chain = (scope: PromptScope): ReadonlyArray<PromptScope> => {
  const nearestFirst: Array<PromptScope> = []
  for (let at: PromptScope | undefined = scope; at !== undefined; at = at.parent) nearestFirst.push(at)
  return nearestFirst.reverse()
}

// -----------------------------------------------------------------------------
// observers
// -----------------------------------------------------------------------------

export interface Observer {
  readonly moved?: (scope: PromptScope) => void
  readonly closed: (scope: PromptScope) => void
}

/** One for each living service that keeps something for scopes. */
export const observers = new Set<Observer>()
