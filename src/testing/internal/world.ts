/** A prompt service and a registry of tools of its own, both watched: who registers what, where, and what is left of it. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { Entry, Provided } from "../../Overlay.ts"
import { Overlays } from "../../Overlays.ts"
import { ownerOf as ownerOfOptions } from "../../internal/rules.ts"
import { describeOwner, type Owner, ownerFields } from "../../Owner.ts"
import * as Plugin from "../../Plugin.ts"
import { DuplicateRegistration, ScopeClosed } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import { Renderer } from "../../Renderer.ts"
import { SystemPrompt } from "../../SystemPrompt.ts"
import { ToolRegistry } from "../../ToolRegistry.ts"
import { Waterfall } from "../../Waterfall.ts"
import { buildAnew } from "./subject.ts"

/** A plugin whose services are provided. */
export type Complete = Layer.Layer<never, unknown, SystemPrompt | ToolRegistry>

/**
 * What happens to a registration before it is made, and whether it is refused. Registrations are numbered from 0. One that is illegal
 * has no owners, and is refused anyway.
 */
export type Interfere = (number: number, owners: ReadonlyArray<Owner>) => Effect.Effect<boolean>

/** A tool that is registered. */
export interface WatchedTool {
  readonly name: string
  readonly scope: PromptScope.PromptScope
  /** As they were given. */
  readonly parameters: unknown
  readonly decode?: unknown
  readonly handler?: unknown
}

export interface Built {
  readonly exit: Exit.Exit<void, unknown>
  /** Ends what has been built, or half of it. */
  readonly close: Effect.Effect<void>
}

export interface World {
  readonly prompt: SystemPrompt["Service"]
  readonly registry: ToolRegistry["Service"]
  /** The tools that are registered at this moment. */
  readonly tools: () => ReadonlyArray<WatchedTool>
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
  interfere: Interfere = () => Effect.succeed(false)
): Effect.fn.Return<World, never, Scope.Scope> {
  const scopes = new Set<PromptScope.PromptScope>([PromptScope.global])
  let count = 0
  let armed = false
  /** Whether a registration is refused that is about to be made. */
  const refuses = (scope: PromptScope.PromptScope, owners: ReadonlyArray<Owner>): Effect.Effect<boolean> => {
    if (!armed) return Effect.succeed(false)
    scopes.add(scope)
    return interfere(count++, owners)
  }
  const overlaysLayer = Layer.effect(
    Overlays,
    Effect.map(Overlays, (overlays) =>
      Overlays.of({
        ...overlays,
        register: (make) =>
          Effect.flatMap(PromptScope.Current, (scope) => {
            const owners = Result.getOrElse(make(scope.label), () => []).map((entry) => ownerOf(entry, scope.label))
            const [first] = owners
            return Effect.flatMap(refuses(scope, owners), (isRefused) =>
              isRefused && first !== undefined ? Effect.fail(new DuplicateRegistration(first)) : overlays.register(make)
            )
          })
      })
    )
  ).pipe(Layer.provide(Layer.fresh(Overlays.layer)))
  const watched = new Watched(refuses)
  const services = yield* watched.layer.pipe(
    Layer.provideMerge(SystemPrompt.layerNoDeps),
    Layer.provideMerge(overlaysLayer),
    Layer.provide([Waterfall.layer, Renderer.layer]),
    buildAnew,
    PromptScope.provide(PromptScope.global)
  )
  armed = true
  const overlays = Context.get(services, Overlays)
  return {
    prompt: Context.get(services, SystemPrompt),
    registry: Context.get(services, ToolRegistry),
    tools: () => watched.tools(),
    build: (plugin, where) => build(services, plugin, where),
    contents: (some = [...scopes]) =>
      some.flatMap((scope) => [...contentsOf(overlays, scope), ...watched.contentsOf(scope)]).toSorted(),
    registrations: () => count
  }
})

/** One registration in the registry of tools. */
interface Entered {
  readonly scope: PromptScope.PromptScope
  readonly owner: Owner
  readonly tool?: WatchedTool
}

/** A registry of tools that keeps a list of its own of what is registered in it. */
class Watched {
  readonly #entered = new Set<Entered>()
  readonly #refuses: (scope: PromptScope.PromptScope, owners: ReadonlyArray<Owner>) => Effect.Effect<boolean>
  readonly layer = Layer.effect(
    ToolRegistry,
    Effect.map(ToolRegistry, (registry) =>
      ToolRegistry.of({
        ...registry,
        register: (options) => this.#watch("tool", options, duplicate, registry.register(options), options),
        restrict: (options) =>
          this.#watch("restriction", { plugin: options.plugin }, closed, registry.restrict(options)),
        guard: (options) => this.#watch("guard", options, duplicate, registry.guard(options))
      })
    )
  ).pipe(Layer.provide(Layer.fresh(ToolRegistry.layer)))

  constructor(refuses: (scope: PromptScope.PromptScope, owners: ReadonlyArray<Owner>) => Effect.Effect<boolean>) {
    this.#refuses = refuses
  }

  tools(): ReadonlyArray<WatchedTool> {
    return [...this.#entered].flatMap(({ scope, tool }) => (scope.closed || tool === undefined ? [] : [tool]))
  }

  contentsOf(scope: PromptScope.PromptScope): ReadonlyArray<string> {
    if (scope.closed) return []
    return [...this.#entered].filter((one) => one.scope === scope).map(({ owner }) => describeOwner(owner))
  }

  #watch<E, R>(
    kind: Owner["kind"],
    named: { readonly name?: unknown; readonly plugin?: unknown },
    refusal: (owner: Owner) => E,
    register: Effect.Effect<void, E, R>,
    tool?: Omit<WatchedTool, "scope">
  ): Effect.Effect<void, E, R | Scope.Scope> {
    return Effect.flatMap(PromptScope.Current, (scope) => {
      const owner = ownerOfOptions(kind, named, scope.label)
      const entered: Entered = { scope, owner, ...(tool === undefined ? undefined : { tool: { ...tool, scope } }) }
      const enter = Effect.acquireRelease(
        Effect.tap(register, () => Effect.sync(() => this.#entered.add(entered))),
        () => Effect.sync(() => this.#entered.delete(entered))
      )
      return Effect.flatMap(this.#refuses(scope, [owner]), (isRefused) =>
        isRefused ? Effect.fail(refusal(owner)) : enter
      )
    })
  }
}

const duplicate = (owner: Owner) => new DuplicateRegistration(owner)

/** Nothing about a restriction can be a duplicate. */
const closed = (owner: Owner) => new ScopeClosed(owner)

const build = Effect.fnUntraced(function* (
  services: Context.Context<SystemPrompt | ToolRegistry>,
  plugin: Complete,
  where: PromptScope.PromptScope
) {
  const life = yield* Scope.make()
  const exit = yield* buildAnew(Plugin.mount(where)(plugin)).pipe(
    Scope.provide(life),
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

/** Whether a line of the contents is of a kind whose names are unique in a scope. */
export const isUnique = (line: string): boolean =>
  !["tool provider", "suppressor", "restriction"].some((kind) => line.startsWith(kind))

export const isDuplicate = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.findError(cause)
  return Result.isSuccess(error) && error.success instanceof DuplicateRegistration
}
