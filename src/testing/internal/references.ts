/**
 * Leaves steps out of a program, so that the others keep their meaning.
 *
 * Steps refer to each other by number, so leaving one out would change what the others mean. Here numbers move up, what
 * was done in a scope that is left out is done in its parent, and what would end a registration or a scope that is left
 * out, or call a tool of an assembly that is, goes with it.
 */

/** What a step refers to; `Open` makes a scope, `Register` a registration and `Assemble` an assembly. */
export interface Step {
  readonly _tag: string
  readonly scope?: number
  readonly parent?: number
  readonly registration?: number
  /** Counted backwards: 0 is the latest. */
  readonly assembly?: number
}

/** A step, with what it refers to by identity: the steps that make it. */
export interface Linked<out S> {
  readonly step: S
  readonly scope: Linked<S> | undefined
  readonly parent: Linked<S> | undefined
  readonly registration: Linked<S> | undefined
  readonly assembly: Linked<S> | undefined
}

const at = <A>(all: ReadonlyArray<A>, number: number | undefined): A | undefined =>
  number === undefined ? undefined : all[number % all.length]

/** What a program has made while it runs; the global scope is `undefined`. */
class Numbers<S extends Step> {
  readonly #scopes: Array<Linked<S> | undefined> = [undefined]
  readonly #registrations: Array<Linked<S>> = []
  /** The latest first. */
  readonly #assemblies: Array<Linked<S>> = []
  readonly #closed = new Set<Linked<S>>()

  link(step: S): Linked<S> {
    return {
      step,
      scope: at(this.#scopes, step.scope),
      parent: at(this.#scopes, step.parent),
      registration: at(this.#registrations, step.registration),
      assembly: at(this.#assemblies, step.assembly)
    }
  }

  /** The step with the numbers that it has here, or none if nothing is left for it to do. */
  renumber({ assembly, parent, registration, scope, step }: Linked<S>): S | undefined {
    if (step.registration !== undefined) {
      const number = registration === undefined ? -1 : this.#registrations.indexOf(registration)
      return number === -1 ? undefined : { ...step, registration: number }
    }
    if (step.assembly !== undefined) {
      const number = assembly === undefined ? -1 : this.#assemblies.indexOf(assembly)
      return number === -1 ? undefined : { ...step, assembly: number }
    }
    const isOf = step._tag === "Close" || step._tag === "Rebind"
    if (isOf && (scope === undefined || !this.#scopes.includes(scope))) return undefined
    return {
      ...step,
      ...(step.scope === undefined ? undefined : { scope: this.#numberOf(scope) }),
      ...(step.parent === undefined ? undefined : { parent: this.#numberOf(parent) })
    }
  }

  /** The number of a scope, or of the nearest scope above it that is there. */
  #numberOf(scope: Linked<S> | undefined): number {
    const number = this.#scopes.indexOf(scope)
    return number === -1 ? this.#numberOf(scope?.parent) : number
  }

  /** What the step changes. A scope whose parent is closed is not opened. */
  run(linked: Linked<S>): void {
    const { parent, scope, step } = linked
    if (step._tag === "Open" && (parent === undefined || !this.#closed.has(parent))) this.#scopes.push(linked)
    if (step._tag === "Register") this.#registrations.push(linked)
    if (step._tag === "Assemble") this.#assemblies.unshift(linked)
    if (step._tag === "Close" && scope !== undefined) this.#closed.add(scope)
  }
}

export const link = <S extends Step>(steps: ReadonlyArray<S>): ReadonlyArray<Linked<S>> => {
  const numbers = new Numbers<S>()
  return steps.map((step) => {
    const linked = numbers.link(step)
    numbers.run(linked)
    return linked
  })
}

/** The same steps, each with the numbers that it has among these. */
export const unlink = <S extends Step>(all: ReadonlyArray<Linked<S>>): ReadonlyArray<S> => {
  const numbers = new Numbers<S>()
  return all.flatMap((linked) => {
    const step = numbers.renumber(linked)
    if (step !== undefined) numbers.run(linked)
    return step ?? []
  })
}

/** The steps that are kept, each with its meaning kept. */
export const keep = <S extends Step>(steps: ReadonlyArray<S>, isKept: (index: number) => boolean): ReadonlyArray<S> =>
  unlink(link(steps).filter((_, index) => isKept(index)))
