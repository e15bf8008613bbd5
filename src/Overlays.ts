/**
 * The registry: holds every registration of every prompt scope, listeners too, and
 * gives a scope's immutable plan. Reading the plan once is taking the whole snapshot.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { observe } from "./internal/observe.ts"
import { type CachedPlan, Registry, type Snapshot } from "./internal/registry.ts"
import type { Entry, Provided } from "./Overlay.ts"
import type { InvalidRegistration, RegistrationError } from "./PromptError.ts"
import * as PromptScope from "./PromptScope.ts"

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * Holds the registrations of all prompt scopes, and gives the plan of one. Each layer has a registry of its own.
 *
 * @since 0.1.0
 * @category services
 */
export class Overlays extends Context.Service<
  Overlays,
  {
    /**
     * Registers entries that belong together in the ambient prompt scope, for as long as that scope and the surrounding
     * Effect scope live. They come as one change, all or none, and go as one: exactly these entries, once. `make` gets the
     * label of the scope.
     *
     * This is for `SystemPrompt`, which makes the slots of entries from providers, and for layers around this one, which see
     * all that is registered: who, where, and under which name.
     */
    readonly register: (
      make: (scope: string) => Result.Result<ReadonlyArray<Entry<Provided>>, InvalidRegistration>
    ) => Effect.Effect<void, RegistrationError, Scope.Scope>
    /** What takes part in an assembly for the scope at this moment. */
    readonly plan: (scope: PromptScope.PromptScope) => CachedPlan
    /** That, and all that is registered for the scope at the same moment, in force or not. */
    readonly snapshot: (scope: PromptScope.PromptScope) => Snapshot
    /** How many contributions the scope's own overlay holds at this moment. */
    readonly size: (scope: PromptScope.PromptScope) => number
    /** Counts as a change, for those who watch: what a provider gives is different from now on. */
    readonly announce: Effect.Effect<void>
    /**
     * Revisions, the current one first: a greater number after each change of any scope. Several changes in one go may
     * arrive as one. A subscriber costs a registration nothing, whether it is slow, waiting or absent.
     */
    readonly changes: Stream.Stream<number>
  }
>()("effect-preamble/Overlays") {
  /**
   * A registry of its own.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<Overlays> = Layer.effect(
    this,
    Effect.suspend(() => makeOverlays)
  )
}

const makeOverlays = Effect.gen(function* () {
  const hub = yield* Effect.acquireRelease(PubSub.sliding<void>(1), PubSub.shutdown)
  // Publishing resumes waiting subscribers on the spot, so it is done in a microtask: not on the registrar's stack,
  // where they would see half of what is going on, and once for all that changes in one go.
  let pending = false
  const flush = () => {
    pending = false
    PubSub.publishUnsafe(hub, undefined)
  }
  const registry = new Registry(() => {
    if (pending) return
    pending = true
    queueMicrotask(flush)
  })
  yield* observe({ moved: () => registry.touch(), closed: (scope) => registry.close(scope) })
  return Overlays.of({
    register: (make) => register(registry, make),
    plan: (scope) => registry.plan(scope),
    snapshot: (scope) => registry.snapshot(scope),
    size: (scope) => registry.size(scope),
    announce: Effect.sync(() => registry.touch()),
    changes: Stream.unwrap(
      Effect.map(PubSub.subscribe(hub), (subscription) =>
        // Subscribed before the current revision is read: no change falls in between.
        Stream.succeed(undefined).pipe(
          Stream.concat(Stream.fromSubscription(subscription)),
          Stream.map(() => registry.revision),
          Stream.changes
        )
      )
    )
  })
})

const register = (
  registry: Registry,
  make: (scope: string) => Result.Result<ReadonlyArray<Entry<Provided>>, InvalidRegistration>
): Effect.Effect<void, RegistrationError, Scope.Scope> =>
  Effect.uninterruptible(
    Effect.flatMap(Effect.scope, (lifetime) =>
      Effect.flatMap(PromptScope.Current, (scope) => {
        const entries = make(scope.label)
        const inserted = Result.flatMap(entries, (entries) => registry.insert(scope, entries))
        return Result.isFailure(inserted) || Result.isFailure(entries)
          ? Effect.fromResult(inserted)
          : Scope.addFinalizerExit(
              lifetime,
              removal(
                registry,
                scope,
                entries.success.map((entry) => new WeakRef(entry))
              )
            )
      })
    )
  )

/**
 * Takes entries back. They are held weakly, by a closure that has nothing else in reach: what a prompt scope has taken
 * with it when it closed must not be kept alive by an Effect scope that is still open.
 */
const removal = (
  registry: Registry,
  scope: PromptScope.PromptScope,
  held: ReadonlyArray<WeakRef<Entry<Provided>>>
): (() => Effect.Effect<void>) => {
  return () =>
    Effect.sync(() =>
      registry.remove(
        scope,
        held.flatMap((entry) => entry.deref() ?? [])
      )
    )
}
