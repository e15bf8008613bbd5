/**
 * The identity of whoever sees a contribution.
 *
 * A scope is compared by identity; its label is for people. Contributions are
 * registered into the ambient scope (`Current`, by default `global`), and seen
 * by that scope and all its descendants. The parent is given when a scope is
 * made, and only the holder of the `Owned` value can move it.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as EffectScope from "effect/Scope"
import * as internal from "./internal/scope.ts"
import { ScopeClosed, ScopeCycle } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A prompt scope, compared by identity. It can be read here, and moved or closed only by its owner.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromptScope {
  readonly [internal.TypeId]: typeof internal.TypeId
  /** For people; two scopes may share one. */
  readonly label: string
  /** Undefined for `global` alone. */
  readonly parent: PromptScope | undefined
  /** A closed scope refuses registrations; assembling for it sees its ancestors. */
  readonly closed: boolean
}

/**
 * A scope together with the power to move it. Hand out `scope`, keep this.
 *
 * @since 0.1.0
 * @category models
 */
export interface Owned {
  readonly scope: PromptScope
  /**
   * Moves the scope under another parent; the next assembly sees the new chain.
   * If the move is refused, the old parent stays.
   *
   * **Provider's cache**: like a new prompt, if the two chains contribute different text or tools.
   */
  readonly rebind: (parent: PromptScope) => Effect.Effect<void, ScopeCycle | ScopeClosed>
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/**
 * Whether a value is a prompt scope.
 *
 * @since 0.1.0
 * @category guards
 */
export const isPromptScope = (u: unknown): u is PromptScope => u instanceof internal.ScopeNode

// -----------------------------------------------------------------------------
// references
// -----------------------------------------------------------------------------

/**
 * The root of every chain, seen by all. It never closes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const global: PromptScope = internal.global

/**
 * The ambient scope: where registrations go and whom assemblies are for.
 *
 * @since 0.1.0
 * @category references
 */
export const Current: Context.Reference<PromptScope> = Context.Reference<PromptScope>(
  "effect-preamble/PromptScope/Current",
  { defaultValue: () => global }
)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Makes a scope that lives as long as the surrounding Effect scope. Its parent is the
 * ambient scope unless another is given. When it closes, everything registered in it goes.
 *
 * **Provider's cache**: nothing by itself; that of what is registered in it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  label: string,
  options?: { readonly parent?: PromptScope | undefined }
) => Effect.Effect<Owned, ScopeClosed, EffectScope.Scope> = Effect.fnUntraced(function* (label, options) {
  const parent = options?.parent ?? (yield* Current)
  if (parent.closed) return yield* new ScopeClosed({ scope: parent.label })
  const lifetime = yield* Effect.scope
  const { finalizer, owned } = own(new internal.ScopeNode(label, parent))
  yield* EffectScope.addFinalizerExit(lifetime, finalizer)
  return owned
})

/** What the owner gets, and what happens when its Effect scope closes. There may be many scopes: both share all they need. */
const own = (node: internal.ScopeNode) => ({
  owned: { scope: node, rebind: (next: PromptScope) => Effect.suspend(() => move(node, next)) },
  finalizer: () => Effect.sync(() => close(node))
})

const close = (node: internal.ScopeNode): void => {
  internal.setClosed(node)
  for (const observer of internal.observers) observer.closed(node)
}

const move = (node: internal.ScopeNode, parent: PromptScope): Effect.Effect<void, ScopeCycle | ScopeClosed> => {
  if (node.closed) return Effect.fail(new ScopeClosed({ scope: node.label }))
  if (parent.closed) return Effect.fail(new ScopeClosed({ scope: parent.label }))
  const above = internal.chain(parent)
  if (above.includes(node)) {
    const path = [...above.slice(above.indexOf(node)), node].map((scope) => scope.label)
    return Effect.fail(new ScopeCycle({ scope: node.label, parent: parent.label, chain: path }))
  }
  internal.setParent(node, parent)
  for (const observer of internal.observers) observer.moved?.(node)
  return Effect.void
}

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/**
 * Runs an effect with another ambient scope. For layers use `Plugin.mount`: the memoisation
 * of layers makes this one register nothing the second time.
 *
 * @since 0.1.0
 * @category combinators
 */
export const provide =
  (scope: PromptScope) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, Current, scope)

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The scopes whose contributions the given one sees: `global`, its ancestors farthest first, itself last.
 *
 * @since 0.1.0
 * @category destructors
 */
export const chain: (self: PromptScope) => ReadonlyArray<PromptScope> = internal.chain
