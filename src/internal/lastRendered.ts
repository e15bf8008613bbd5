/**
 * What each prompt scope was rendered to last. The renderings of the scopes that rendered lately are held, so that they
 * need no new rendering. Of the others a weak reference is enough: a consumer that compares by `===` holds what it
 * compares with.
 */
import type { Assembly } from "../Assembly.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Rendered } from "../Rendered.ts"
import { Recent } from "./recent.ts"

/** Prompts are long: those of so many scopes are held, and of twice as many at the most. */
const held = 32

interface Last {
  readonly assembly: Assembly
  readonly rendered: Rendered
}

export class LastRendered {
  // A weak reference costs much, and keeps alive whatever it is made for or asked for until the present job ends: it is
  // made only for what is no longer held.
  readonly #dropped = new WeakMap<PromptScope, WeakRef<Rendered>>()
  readonly #held = new Recent<PromptScope, Last>(held, (scope, { rendered }) =>
    this.#dropped.set(scope, new WeakRef(rendered))
  )

  /** What this very assembly was rendered to, if that was the last for its scope. */
  again(scope: PromptScope, assembly: Assembly): Rendered | undefined {
    const last = this.#held.get(scope)
    return last?.assembly === assembly ? last.rendered : undefined
  }

  /** What was rendered last for the scope. */
  get(scope: PromptScope): Rendered | undefined {
    return this.#held.get(scope)?.rendered ?? this.#dropped.get(scope)?.deref()
  }

  set(scope: PromptScope, assembly: Assembly, rendered: Rendered): void {
    this.#held.set(scope, { assembly, rendered })
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
