/** The prompt scopes and the registrations of a program while it runs. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ScopeClosed, ScopeCycle } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"

/** A prompt scope, and the power over it; nobody has that over the global one. */
interface Opened {
  readonly scope: PromptScope.PromptScope
  readonly power?: { readonly rebind: PromptScope.Owned["rebind"]; readonly life: Scope.Closeable }
}

const at = <A>(all: ReadonlyArray<A>, index: number): A | undefined => all[index % all.length]

const close = (life: Scope.Closeable): Effect.Effect<void> => Scope.close(life, Exit.void)

/** All numbers are taken modulo how many there are. What cannot be done, since there is nothing that it refers to, is `undefined`. */
export class Population {
  readonly #scopes: Array<Opened> = [{ scope: PromptScope.global }]
  readonly #registrations: Array<Scope.Closeable> = []
  readonly #life: Scope.Scope

  constructor(life: Scope.Scope) {
    this.#life = life
  }

  scope(index: number): PromptScope.PromptScope {
    return this.#scope(index).scope
  }

  open(label: string, parent: number): Effect.Effect<void, ScopeClosed> {
    return Effect.flatMap(Scope.fork(this.#life), (life) =>
      Effect.map(
        Scope.provide(PromptScope.make(label, { parent: this.scope(parent) }), life),
        ({ rebind, scope }) => void this.#scopes.push({ scope, power: { rebind, life } })
      )
    )
  }

  close(scope: number): Effect.Effect<void> | undefined {
    const { power } = this.#scope(scope)
    return power && close(power.life)
  }

  rebind(scope: number, parent: number): Effect.Effect<void, ScopeCycle | ScopeClosed> | undefined {
    return this.#scope(scope).power?.rebind(this.scope(parent))
  }

  /** Registers in a scope what the function makes of the number of the registration. */
  register<E>(
    scope: number,
    make: (registration: number) => Effect.Effect<void, E, Scope.Scope>
  ): Effect.Effect<void, E> {
    return Effect.flatMap(Scope.fork(this.#life), (life) =>
      make(this.#registrations.push(life) - 1).pipe(PromptScope.provide(this.scope(scope)), Scope.provide(life))
    )
  }

  unregister(registration: number): Effect.Effect<void> | undefined {
    const life = at(this.#registrations, registration)
    return life && close(life)
  }

  #scope(index: number): Opened {
    return at(this.#scopes, index) ?? { scope: PromptScope.global }
  }
}
