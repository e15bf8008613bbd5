/**
 * What prompt scopes were rendered to last, for those that rendered lately: prompts are long, so only so many are held.
 * Weak references would hold more, but each keeps what it refers to alive until the present job ends, and costs more than
 * a rendering.
 */
import * as Result from "effect/Result"
import type { Assembly } from "../Assembly.ts"
import type { RenderError } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Rendered } from "../Rendered.ts"
import { Recent } from "./recent.ts"
import { render } from "./render.ts"

/** For so many scopes the last rendering is held, and for twice as many at the most. */
const held = 32

/** What a scope was rendered to last. */
interface Last {
  /** Undefined for one that its author may still change. */
  assembly: Assembly | undefined
  rendered: Rendered
}

export class LastRendered {
  readonly #held = new Recent<PromptScope, Last>(held)
  #latest: Rendered | undefined

  /** Renders it, unless that very assembly was the last for its scope. */
  render(scope: PromptScope, assembly: Assembly): Result.Result<Rendered, RenderError> {
    const last = this.#held.get(scope)
    if (last?.assembly === assembly) return Result.succeed(last.rendered)
    // What was rendered for another scope is better than nothing: scopes have most of their parts in common.
    const result = render(assembly, last?.rendered ?? this.#latest)
    if (Result.isFailure(result)) return result
    const rendered = result.success
    this.#latest = rendered
    const frozen = Object.isFrozen(assembly) ? assembly : undefined
    if (last !== undefined) {
      last.assembly = frozen
      last.rendered = rendered
    }
    // A closed scope is forgotten at its end, once and for all.
    else if (!scope.closed) this.#held.set(scope, { assembly: frozen, rendered })
    return result
  }

  forget(scope: PromptScope): void {
    this.#held.delete(scope)
  }
}

const scopes = new WeakMap<Assembly, PromptScope>()

/**
 * The assembly, noted as the one of this scope: its label alone does not tell two scopes apart. One that is another
 * scope's already, as a `Waterfall` may give it, stays that one's.
 */
export const madeFor = (assembly: Assembly, scope: PromptScope): Assembly => {
  const known = scopes.get(assembly)
  if (known === scope) return assembly
  const own = known === undefined ? assembly : Object.freeze({ ...assembly })
  scopes.set(own, scope)
  return own
}

/** The scope that an assembly was made for; of a copy, and of what the service has not made, nobody knows it. */
export const scopeOf = (assembly: Assembly): PromptScope | undefined => scopes.get(assembly)
