/**
 * What each prompt scope was rendered to last. A consumer that compares by `===` holds
 * what it compares with, so a weak reference is enough for it; the prompts of the scopes
 * that rendered most recently are held as well, so that they need no new rendering.
 */
import type { Assembly } from "../Assembly.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Rendered } from "../Rendered.ts"

/** Prompts are long: only so many are held. */
const held = 64

export class LastRendered {
  readonly #last = new WeakMap<PromptScope, WeakRef<Rendered>>()
  /** A set keeps its order of insertion: the first one is the oldest. */
  readonly #recent = new Set<Rendered>()

  get(scope: PromptScope): Rendered | undefined {
    return this.#last.get(scope)?.deref()
  }

  set(scope: PromptScope, rendered: Rendered): void {
    this.#recent.delete(rendered)
    this.#recent.add(rendered)
    for (const oldest of this.#recent) {
      if (this.#recent.size <= held) break
      this.#recent.delete(oldest)
    }
    if (this.get(scope) !== rendered) this.#last.set(scope, new WeakRef(rendered))
  }
}

const scopes = new WeakMap<Assembly, PromptScope>()

/** Notes for which scope an assembly was made: its label alone does not tell two scopes apart. */
export const madeFor = (assembly: Assembly, scope: PromptScope): Assembly => {
  scopes.set(assembly, scope)
  return assembly
}

/** The scope that an assembly was made for, if the service has made it. */
export const scopeOf = (assembly: Assembly): PromptScope | undefined => scopes.get(assembly)
