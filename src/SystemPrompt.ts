/**
 * The service that users need: register contributions, assemble, render, watch.
 *
 * Registrations go into the ambient prompt scope and live as long as the surrounding
 * Effect scope and that prompt scope, whichever ends first. Assemblies are for the
 * ambient prompt scope. The services that providers need are captured when they
 * register, so assembling needs none.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { type AssembleContext, Annotations } from "./AssembleContext.ts"
import type { Assembly } from "./Assembly.ts"
import { admit } from "./internal/admit.ts"
import { compose } from "./internal/compose.ts"
import { evaluate } from "./internal/evaluate.ts"
import { asExit, flatMapNow } from "./internal/exit.ts"
import { madeFor } from "./internal/lastRendered.ts"
import * as ledger from "./internal/ledger.ts"
import { Recorder } from "./internal/recorder.ts"
import { registrationsIn, sectionOf } from "./internal/registrations.ts"
import { renderNow } from "./internal/renderNow.ts"
import * as rules from "./internal/rules.ts"
import { seal } from "./internal/seal.ts"
import { observe } from "./internal/observe.ts"
import { Assemblers } from "./internal/steady.ts"
import * as BuiltIns from "./BuiltIns.ts"
import type * as Listener from "./Listener.ts"
import { type Provided, suppressor } from "./Overlay.ts"
import { Overlays } from "./Overlays.ts"
import type * as Persona from "./Persona.ts"
import type { Plan } from "./Plan.ts"
import type * as PromptContext from "./PromptContext.ts"
import type {
  AssembleError,
  InvalidRegistration,
  InvalidToolOrder,
  Owner,
  RegistrationError,
  RenderError
} from "./PromptError.ts"
import * as PromptScope from "./PromptScope.ts"
import type { Provider } from "./Provider.ts"
import type { Rendered } from "./Rendered.ts"
import { Renderer } from "./Renderer.ts"
import type * as Section from "./Section.ts"
import type { Text } from "./Template.ts"
import * as ToolOrder from "./ToolOrder.ts"
import type * as ToolProvider from "./ToolProvider.ts"
import type * as ToolSchema from "./ToolSchema.ts"
import type { Trace } from "./Trace.ts"
import { Waterfall } from "./Waterfall.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What registering a contribution needs: an Effect scope to live in, and the services of its provider.
 *
 * @since 0.1.0
 * @category models
 */
export type Needs<R> = Scope.Scope | Exclude<R, Scope.Scope>

/**
 * What a deployment configures: the built-in contributions, and the order of tools and of their keys.
 *
 * @since 0.1.0
 * @category models
 */
export interface SystemPromptOptions extends BuiltIns.Options {
  /**
   * Names of tools in the order wanted, with `ToolOrder.restMarker` once, for those not listed. Default: by name.
   *
   * **Provider's cache**: tools come before the prompt; another order costs the whole prefix.
   */
  readonly toolOrder?: ReadonlyArray<string> | undefined
  /**
   * True sorts the keys in the schemas of all tools that providers give, as `ToolSchema.sortKeys` does: for servers that
   * write them in another order each time. Default false, since the order of keys is the author's.
   *
   * **Provider's cache**: tools come before the prompt; turning it on or off costs the whole prefix, once.
   */
  readonly sortToolKeys?: boolean | undefined
}

/**
 * What the prompt of a test consists of, with known values.
 *
 * @since 0.1.0
 * @category models
 */
export interface TestOptions {
  readonly sections?: ReadonlyArray<Section.Options> | undefined
  readonly contexts?: ReadonlyArray<PromptContext.Options> | undefined
  /** Values by name; `undefined` for one without a value. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined
  readonly tools?: ReadonlyArray<ToolSchema.Input> | undefined
  /** As in `SystemPromptOptions`. */
  readonly toolOrder?: ReadonlyArray<string> | undefined
}

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/** For one service alone, also where several are built together: what these keep is by prompt scope. */
const usual = Layer.fresh(Layer.mergeAll(Overlays.layer, Waterfall.layer, Renderer.layer))

/**
 * Registers contributions into the ambient prompt scope, and assembles and renders for it.
 *
 * @since 0.1.0
 * @category services
 */
export class SystemPrompt extends Context.Service<
  SystemPrompt,
  {
    /**
     * Registers a section.
     *
     * **Provider's cache**: in the cached prefix; a change costs everything after the first byte that differs.
     */
    readonly section: <E = never, R = never>(
      options: Section.Options<Provider<Text, E, R>>
    ) => Effect.Effect<void, RegistrationError, Needs<R>>
    /**
     * Registers a context.
     *
     * **Provider's cache**: after the history; a change costs only the new snapshot.
     */
    readonly context: <E = never, R = never>(
      options: PromptContext.Options<Provider<Text, E, R>>
    ) => Effect.Effect<void, RegistrationError, Needs<R>>
    /**
     * Registers a variable.
     *
     * **Provider's cache**: a new value costs everything after the first section that refers to it; where only
     * contexts do, nothing.
     */
    readonly variable: <E = never, R = never>(
      name: string,
      value: Provider<string | undefined, E, R>,
      options?: { readonly plugin?: string | undefined }
    ) => Effect.Effect<void, RegistrationError, Needs<R>>
    /**
     * Registers a tool provider.
     *
     * **Provider's cache**: tools come before the prompt; a change of a schema or of the order costs the whole prefix
     * from there on.
     */
    readonly tools: <E = never, R = never>(
      tools: Provider<ToolProvider.Tools, E, R>,
      options?: { readonly name?: string | undefined; readonly plugin?: string | undefined }
    ) => Effect.Effect<void, RegistrationError, Needs<R>>
    /**
     * Registers a listener.
     *
     * **Provider's cache**: what it changes costs as much as if it had been registered so.
     */
    readonly listener: <E = never, R = never>(
      options: Listener.Input<E, R>
    ) => Effect.Effect<void, RegistrationError, Needs<R>>
    /**
     * Turns off all contexts for the scope and its descendants. Two suppressors need two removals.
     *
     * **Provider's cache**: nothing of the prefix; the snapshot goes.
     */
    readonly suppressContexts: Effect.Effect<void, RegistrationError, Scope.Scope>
    /**
     * Registers a persona: shadows the deployment's prefix and suffix for the scope.
     *
     * **Provider's cache**: its prefix is near the top of the prompt; a change costs nearly all of it.
     */
    readonly persona: (options: Persona.Options) => Effect.Effect<void, RegistrationError, Scope.Scope>
    /** Makes the assembly for the ambient prompt scope, from the registrations of this moment. */
    readonly assemble: Effect.Effect<Assembly, AssembleError>
    /**
     * Makes the assembly as `assemble` does, and writes down how it comes about: what becomes of each contribution, and
     * what each listener does. Fails as `assemble` does.
     */
    readonly trace: Effect.Effect<Trace, AssembleError>
    /** Renders an assembly made before. */
    readonly renderAssembly: (assembly: Assembly) => Effect.Effect<Rendered, RenderError>
    /** Assembles and renders. */
    readonly render: Effect.Effect<Rendered, AssembleError | RenderError>
    /**
     * Tells those who watch `changes` that what a provider gives is different from now on, as a change of what is
     * registered does by itself.
     */
    readonly announce: Effect.Effect<void>
    /** Revisions of the registry, the current one first; see `Overlays`. */
    readonly changes: Stream.Stream<number>
  }
>()("effect-preamble/SystemPrompt") {
  /**
   * With the given built-ins, over services that can be replaced. Give each `SystemPrompt` a `Renderer` of its own: of two
   * that share one, neither gets the same object back while nothing changes.
   *
   * @since 0.1.0
   */
  static readonly layerNoDepsWith = (
    options: SystemPromptOptions
  ): Layer.Layer<SystemPrompt, InvalidRegistration | InvalidToolOrder, Overlays | Renderer | Waterfall> =>
    Layer.effect(
      this,
      Effect.suspend(() => make(options))
    )

  /**
   * With default built-ins, over services that can be replaced.
   *
   * @since 0.1.0
   */
  static readonly layerNoDeps: Layer.Layer<SystemPrompt, never, Overlays | Renderer | Waterfall> =
    // Without options nothing can be wrong with them.
    Layer.orDie(this.layerNoDepsWith({}))

  /**
   * With the given built-ins, and usual services of its own. Fails if `toolOrder` repeats a name or lacks the rest marker,
   * or a flag is no boolean.
   *
   * @since 0.1.0
   */
  static readonly layerWith = (
    options: SystemPromptOptions
  ): Layer.Layer<SystemPrompt, InvalidRegistration | InvalidToolOrder> =>
    Layer.provide(this.layerNoDepsWith(options), usual)

  /**
   * With default built-ins (no identity, empty persona, contexts on, tools by name), and usual services of its own.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<SystemPrompt> = Layer.provide(this.layerNoDeps, usual)

  /**
   * For tests of code that uses a prompt: the real service with these contributions in the global scope, and nothing
   * else, not even the built-ins. What cannot be registered is a defect of the layer; what only an assembly finds (tools,
   * unknown names, two complete sections) fails as in the real service.
   *
   * @since 0.1.0
   */
  static readonly layerTest = (options: TestOptions = {}): Layer.Layer<SystemPrompt> =>
    Layer.effect(
      this,
      Effect.suspend(() => makeTest(options))
    ).pipe(Layer.provide(usual))
}

const make = Effect.fnUntraced(function* (
  options: SystemPromptOptions,
  builtIns: ReturnType<typeof BuiltIns.contributions> = BuiltIns.contributions(options)
) {
  const toolOrder =
    options.toolOrder === undefined ? undefined : yield* Effect.fromResult(ToolOrder.make(options.toolOrder))
  const sortToolKeys = yield* Effect.fromResult(flagsOf(options))
  const overlays = yield* Overlays
  const waterfall = yield* Waterfall
  const renderer = yield* Renderer
  const { registerAll, ...registrations } = registrationsIn(overlays)
  // They can fail only where somebody else has registered their names globally in the same `Overlays`: a mistake in how
  // layers are put together.
  yield* registerAll((services, scope) => [
    ...builtIns.sections.map((section) => sectionOf(section, services, scope)),
    ...Array.from({ length: builtIns.suppressors }, () => Result.succeed(suppressor()))
  ]).pipe(PromptScope.provide(PromptScope.global), Effect.orDie)
  const assemblers = new Assemblers(toolOrder, sortToolKeys, (scope) => overlays.plan(scope))
  yield* observe({ closed: (scope) => assemblers.forget(scope) })
  const now = renderNow(renderer.render)
  const assemble = assembleWith(overlays, waterfall, assemblers)
  return SystemPrompt.of({
    ...registrations,
    assemble: Effect.withFiber((fiber) => {
      const scope = fiber.getRef(PromptScope.Current)
      return flatMapNow(assemble(fiber, scope), (assembly) => Exit.succeed(madeFor(assembly, scope)))
    }),
    trace: traceWith(overlays, waterfall, toolOrder, sortToolKeys),
    renderAssembly: (assembly) => renderer.render(assembly),
    render: Effect.withFiber((fiber) => {
      const scope = fiber.getRef(PromptScope.Current)
      return flatMapNow(assemble(fiber, scope), (assembly) =>
        now === undefined ? renderer.render(assembly) : now(assembly, scope)
      )
    }),
    announce: overlays.announce,
    changes: overlays.changes
  })
})

/** Whether keys of tools are sorted, unless one of the flags is none. That of the contexts decides in `BuiltIns`. */
const flagsOf = ({
  runtimeContext,
  sortToolKeys
}: SystemPromptOptions): Result.Result<boolean, InvalidRegistration> => {
  const owner = (kind: Owner["kind"]) => rules.ownerOf(kind, {}, PromptScope.global.label)
  return Result.andThen(
    rules.flag(owner("suppressor"), "runtimeContext", runtimeContext, true),
    rules.flag(owner("tools"), "sortToolKeys", sortToolKeys, false)
  )
}

const makeTest = (options: TestOptions) =>
  Effect.gen(function* () {
    const prompt = yield* make({ toolOrder: options.toolOrder }, { sections: [], suppressors: 0 })
    for (const section of options.sections ?? []) yield* prompt.section(section)
    for (const context of options.contexts ?? []) yield* prompt.context(context)
    for (const [name, value] of Object.entries(options.variables ?? {})) yield* prompt.variable(name, value)
    if (options.tools !== undefined) yield* prompt.tools(options.tools)
    return prompt
  }).pipe(PromptScope.provide(PromptScope.global), Effect.orDie)

// -----------------------------------------------------------------------------
// assembly
// -----------------------------------------------------------------------------

/** Without effectful providers and listeners all of it is one synchronous step, and no Effect scope is made. */
const assembleWith =
  (overlays: Overlays["Service"], waterfall: Waterfall["Service"], assemblers: Assemblers) =>
  (fiber: Fiber.Fiber<unknown, unknown>, scope: PromptScope.PromptScope): Effect.Effect<Assembly, AssembleError> => {
    const planned = overlays.plan(scope)
    if (Result.isFailure(planned)) return Exit.fail(planned.failure)
    const assembler = assemblers.of(scope, planned.success)
    const assembled = assembler.assemble(waterfall, fiber.getRef(Annotations))
    return asExit(assembled) ?? Effect.scoped(assembled)
  }

const traceWith = (
  overlays: Overlays["Service"],
  waterfall: Waterfall["Service"],
  toolOrder: ToolOrder.ToolOrder | undefined,
  sortToolKeys: boolean
): Effect.Effect<Trace, AssembleError> =>
  Effect.withFiber((fiber) => {
    const context = contextOf(fiber)
    const snapshot = overlays.snapshot(context.scope)
    const recorder = new Recorder()
    if (Result.isFailure(snapshot.plan)) return Exit.fail(snapshot.plan.failure)
    const assembled = traced(waterfall, toolOrder, sortToolKeys, snapshot.plan.success, context, recorder)
    return flatMapNow(asExit(assembled) ?? Effect.scoped(assembled), (assembly) =>
      Exit.succeed(ledger.make(snapshot, recorder.recording, assembly))
    )
  })

const contextOf = (fiber: Fiber.Fiber<unknown, unknown>): AssembleContext =>
  Object.freeze({ scope: fiber.getRef(PromptScope.Current), annotations: fiber.getRef(Annotations) })

/** The plain way, in which each step makes all that it makes anew and is written down. */
const traced = (
  waterfall: Waterfall["Service"],
  toolOrder: ToolOrder.ToolOrder | undefined,
  sortToolKeys: boolean,
  plan: Plan<Provided>,
  context: AssembleContext,
  recorder: Recorder
): Effect.Effect<Assembly, AssembleError> =>
  flatMapNow(evaluate(plan, context), (values): Effect.Effect<Assembly, AssembleError> => {
    const composed = compose(plan, values, toolOrder, sortToolKeys)
    if (Result.isFailure(composed)) return Exit.fail(composed.failure)
    const base = composed.success
    const listeners = recorder.listen(plan.listeners.map((listener) => admit(listener, context)))
    return flatMapNow(waterfall.run(listeners, base), (result) =>
      Effect.fromResult(
        Result.map(seal(base, result), (sealed) => {
          recorder.finish({ plan, values, base, result })
          return madeFor(sealed, context.scope)
        })
      )
    )
  })
