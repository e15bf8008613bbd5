/**
 * What prompt scopes were rendered to last, for those that rendered lately: prompts are long, so only so many are held.
 * Weak references would hold more, but each keeps what it refers to alive until the present job ends, and costs more than
 * a rendering.
 */
import type { Assembly } from "../Assembly.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Rendered } from "../Rendered.ts"
import { Recent } from "./recent.ts"

/** For so many scopes the last rendering is held, and for twice as many at the most. */
const held = 32

interface Last {
  /** Undefined for one that its author may still change. */
  readonly assembly: Assembly | undefined
  readonly rendered: Rendered
}

export class LastRendered {
  readonly #held = new Recent<PromptScope, Last>(held)
  #latest: Rendered | undefined

  /** What this very assembly was rendered to, if that was the last for its scope. */
  again(scope: PromptScope, assembly: Assembly): Rendered | undefined {
    const last = this.#held.get(scope)
    return last?.assembly === assembly ? last.rendered : undefined
  }

  /** What was rendered last for the scope, or else for any: scopes have most of their parts in common. */
  get(scope: PromptScope): Rendered | undefined {
    return this.#held.get(scope)?.rendered ?? this.#latest
  }

  set(scope: PromptScope, assembly: Assembly, rendered: Rendered): void {
    this.#latest = rendered
    // A closed scope is forgotten at its end, once and for all.
    if (!scope.closed) this.#held.set(scope, { assembly: Object.isFrozen(assembly) ? assembly : undefined, rendered })
  }

  forget(scope: PromptScope): void {
    this.#held.delete(scope)
  }
}

const scopes = new WeakMap<Assembly, PromptScope>()

/** Notes for which scope an assembly was made: its label alone does not tell two scopes apart. */
export const madeFor = (assembly: Assembly, scope: PromptScope): Assembly => {
  if (!scopes.has(assembly)) scopes.set(assembly, scope)
  return assembly
}

/** The scope that an assembly was made for, if the service has made it. */
export const scopeOf = (assembly: Assembly): PromptScope | undefined => scopes.get(assembly)
