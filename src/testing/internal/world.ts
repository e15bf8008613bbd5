/** A prompt service of its own, whose registry is watched: who registers what, where, and what is left of it. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Entry, Provided } from "../../Overlay.ts"
import { Overlays } from "../../Overlays.ts"
import { describeOwner, ownerFields } from "../../Owner.ts"
import * as Plugin from "../../Plugin.ts"
import { DuplicateRegistration, type RegistrationError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import { Renderer } from "../../Renderer.ts"
import { SystemPrompt } from "../../SystemPrompt.ts"
import { Waterfall } from "../../Waterfall.ts"

/** A plugin whose services are provided. */
export type Complete = Layer.Layer<never, unknown, SystemPrompt>

/** What happens to a registration before it is made. Registrations are numbered from 0. */
export type Interfere = (
  number: number,
  entries: ReadonlyArray<Entry<Provided>>
) => Effect.Effect<void, RegistrationError>

export interface Built {
  readonly exit: Exit.Exit<void, unknown>
  /** Ends what has been built, or half of it. */
  readonly close: Effect.Effect<void>
}

export interface World {
  readonly prompt: SystemPrompt["Service"]
  /** Builds a plugin into a scope, as nobody has built it before. */
  readonly build: (plugin: Complete, where: PromptScope.PromptScope) => Effect.Effect<Built>
  /** What is registered in these scopes, by default in all that were ever registered in, one line each, sorted. */
  readonly contents: (some?: ReadonlyArray<PromptScope.PromptScope>) => ReadonlyArray<string>
  /** How many registrations were attempted since the service is there. */
  readonly registrations: () => number
}

/** What was registered before, and is not any more, and the other way round. */
export const changesIn = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const rest = [...before]
  const added = after.filter((one) => {
    const found = rest.indexOf(one)
    if (found !== -1) rest.splice(found, 1)
    return found === -1
  })
  return { added, removed: rest }
}

export const make = Effect.fnUntraced(function* (
  interfere: Interfere = () => Effect.void
): Effect.fn.Return<World, never, Scope.Scope> {
  const scopes = new Set<PromptScope.PromptScope>([PromptScope.global])
  let count = 0
  let armed = false
  const watched = Layer.effect(
    Overlays,
    Effect.map(Overlays, (overlays) =>
      Overlays.of({
        ...overlays,
        register: (make) =>
          Effect.flatMap(PromptScope.Current, (scope) => {
            if (!armed) return overlays.register(make)
            scopes.add(scope)
            const entries = Result.getOrElse(make(scope.label), () => [])
            return Effect.andThen(interfere(count++, entries), overlays.register(make))
          })
      })
    )
  ).pipe(Layer.provide(Layer.fresh(Overlays.layer)))
  const services = yield* Layer.buildWithMemoMap(
    SystemPrompt.layerNoDeps.pipe(Layer.provideMerge(watched), Layer.provide([Waterfall.layer, Renderer.layer])),
    Layer.makeMemoMapUnsafe(),
    yield* Effect.scope
  ).pipe(PromptScope.provide(PromptScope.global))
  armed = true
  const overlays = Context.get(services, Overlays)
  return {
    prompt: Context.get(services, SystemPrompt),
    build: (plugin, where) => build(services, plugin, where),
    contents: (some = [...scopes]) => some.flatMap((scope) => contentsOf(overlays, scope)).toSorted(),
    registrations: () => count
  }
})

const build = Effect.fnUntraced(function* (
  services: Context.Context<SystemPrompt>,
  plugin: Complete,
  where: PromptScope.PromptScope
) {
  const life = yield* Scope.make()
  const mounted = Plugin.mount(where)(plugin)
  const exit = yield* Layer.buildWithMemoMap(mounted, Layer.makeMemoMapUnsafe(), life).pipe(
    Effect.provideContext(services),
    Effect.asVoid,
    Effect.onInterrupt(() => Scope.close(life, Exit.void)),
    Effect.exit
  )
  return { exit, close: Scope.close(life, Exit.asVoid(exit)) }
})

const contentsOf = (overlays: Overlays["Service"], scope: PromptScope.PromptScope): ReadonlyArray<string> => {
  const { overlays: chain, suppressors } = overlays.snapshot(scope)
  const own = chain.at(-1)
  if (own === undefined || overlays.size(scope) === 0) return []
  const entries = [
    ...own.sections,
    ...own.contexts,
    ...own.variables,
    ...own.tools,
    ...own.listeners,
    ...(suppressors.at(-1) ?? [])
  ]
  return entries.map((entry) => describeEntry(entry, scope.label))
}

const ownerOf = (entry: Entry<Provided>, scope: string) =>
  ownerFields({
    kind: entry.kind,
    entry: entry.kind === "suppressor" ? "" : (entry.name ?? ""),
    scope,
    plugin: entry.plugin
  })

const describeEntry = (entry: Entry<Provided>, scope: string): string => describeOwner(ownerOf(entry, scope))

/** The failure of a registration whose name is taken. */
export const taken = (entries: ReadonlyArray<Entry<Provided>>): RegistrationError | undefined => {
  const [entry] = entries
  return entry === undefined ? undefined : new DuplicateRegistration(ownerOf(entry, "global"))
}

/** Whether a line of the contents is of a kind whose names are unique in a scope. */
export const isUnique = (line: string): boolean => !line.startsWith("tool provider") && !line.startsWith("suppressor")

export const isDuplicate = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error) && error.success instanceof DuplicateRegistration
}
