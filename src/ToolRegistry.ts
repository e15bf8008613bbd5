/**
 * The registry of tools: what the model is shown and what runs, from one source.
 *
 * Tools, restrictions and guards are registered in the ambient prompt scope and live as
 * long as the surrounding Effect scope and that prompt scope, whichever ends first. One
 * tool provider gives each assembly the tools of its scope. A call is judged by the
 * assembly that the model was shown: what is not in it does not exist, and what is in it
 * runs as it was registered then.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Assembly } from "./Assembly.ts"
import * as Guard from "./Guard.ts"
import { callWith } from "./internal/callTool.ts"
import { capture, type Captured } from "./internal/capture.ts"
import { atStart } from "./internal/give.ts"
import { observe } from "./internal/observe.ts"
import * as rules from "./internal/rules.ts"
import { type Check, handlerOf, parametersOf } from "./internal/toolHandler.ts"
import { type Entry, ToolTables } from "./internal/toolTables.ts"
import type {
  DuplicateRegistration,
  InvalidRegistration,
  InvalidToolSchema,
  ReservedToolName,
  ScopeClosed,
  UnknownTool
} from "./PromptError.ts"
import * as PromptScope from "./PromptScope.ts"
import * as RegisteredTool from "./RegisteredTool.ts"
import * as Restriction from "./Restriction.ts"
import { type Needs, SystemPrompt } from "./SystemPrompt.ts"
import type { ToolCall } from "./ToolCall.ts"
import type { ToolError } from "./ToolError.ts"
import type { ToolView } from "./ToolView.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The parameters of a tool: an Effect Schema, or a raw JSON Schema.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolParameters = Schema.Constraint | { readonly [keyword: string]: unknown }

/**
 * What the handler of a tool with these parameters gets: what the Schema decodes to. Of a raw JSON Schema nothing is known at
 * compile time.
 *
 * @since 0.1.0
 * @category models
 */
export type ToolArguments<P> = P extends Schema.Constraint ? P["Type"] : unknown

/**
 * What decoding these parameters needs.
 *
 * @since 0.1.0
 * @category models
 */
export type DecodingServices<P> = P extends Schema.Constraint ? P["DecodingServices"] : never

/**
 * A tool to register.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolOptions<P extends ToolParameters, D extends ToolParameters = P, E = never, R = never> extends Omit<
  RegisteredTool.Options,
  "parameters" | "handler"
> {
  /** What the model is told of the arguments. With a Schema, they are decoded by it. */
  readonly parameters: P
  /**
   * Decodes the arguments instead of `parameters`: for a raw JSON Schema that says more than can be checked, or for a type of
   * the arguments.
   */
  readonly decode?: D | undefined
  /**
   * Runs a call. It gives plain JSON, or nothing, for the model to read; its services are captured. A tool without one is
   * shown, and run by others.
   */
  readonly handler?: ((args: ToolArguments<D>, call: ToolCall) => Effect.Effect<unknown, E, R>) | undefined
}

/**
 * A guard to register. `check` gives the reason why a call is refused, or `undefined` to let it pass.
 *
 * @since 0.1.0
 * @category models
 */
export type GuardOptions<E = never, R = never> = Guard.Options<
  (call: ToolCall) => string | undefined | Effect.Effect<string | undefined, E, R>
>

/**
 * What registering a tool can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type ToolRegistrationError =
  | DuplicateRegistration
  | InvalidRegistration
  | InvalidToolSchema
  | ReservedToolName
  | ScopeClosed

/**
 * What restricting can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type RestrictionError = InvalidRegistration | ReservedToolName | ScopeClosed | UnknownTool

/**
 * What registering a guard can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type GuardError = DuplicateRegistration | InvalidRegistration | ScopeClosed

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/**
 * Registers tools with their handlers, and runs the calls of models.
 *
 * @since 0.1.0
 * @category services
 */
export class ToolRegistry extends Context.Service<
  ToolRegistry,
  {
    /**
     * Registers a tool. In a nearer scope it shadows one of the same name, which comes back when it ends.
     *
     * **Provider's cache**: tools come before the prompt; a new one costs the whole prefix from there on.
     */
    readonly register: <P extends ToolParameters, D extends ToolParameters = P, E = never, R = never>(
      options: ToolOptions<P, D, E, R>
    ) => Effect.Effect<void, ToolRegistrationError, Needs<R | DecodingServices<D>>>
    /**
     * Restricts what the ambient scope and its descendants are shown of the tools that it inherits. All restrictions on a
     * chain hold together; each ends with its own Effect scope.
     *
     * **Provider's cache**: tools come before the prompt; one that goes costs the whole prefix from there on.
     */
    readonly restrict: (options: Restriction.Options) => Effect.Effect<void, RestrictionError, Scope.Scope>
    /**
     * Registers a guard for the calls of the ambient scope and its descendants. It holds from then on, also for tools that
     * have been shown already.
     *
     * **Provider's cache**: nothing; no model is told of guards.
     */
    readonly guard: <E = never, R = never>(options: GuardOptions<E, R>) => Effect.Effect<void, GuardError, Needs<R>>
    /** What a scope is shown at this moment of the tools that are registered for it, before listeners. */
    readonly view: (scope: PromptScope.PromptScope) => ToolView
    /**
     * Runs the call of a model that was shown this assembly: looks the tool up in it, decodes the arguments, asks the guards
     * of its scope, runs the handler. The result is plain JSON, `null` if the handler gives nothing. The assembly is the very
     * one that `SystemPrompt` gave, since a copy does not say whose guards to ask.
     *
     * It is interrupted as any Effect is, and the handler with it. Resources that the handler acquires are released when
     * it is done.
     */
    readonly call: (view: Assembly, tool: string, args: unknown) => Effect.Effect<Schema.Json, ToolError>
  }
>()("effect-preamble/ToolRegistry") {
  /**
   * A registry of its own, which feeds the `SystemPrompt`.
   *
   * @since 0.1.0
   */
  static readonly layer: Layer.Layer<ToolRegistry, never, SystemPrompt> = Layer.effect(
    this,
    Effect.suspend(() => makeRegistry)
  )
}

/** Who the one tool provider of the registry is. */
const provider = "tool-registry"

const makeRegistry = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const tables = new ToolTables()
  yield* observe({ closed: (scope) => tables.close(scope) })
  yield* (
    prompt
      .tools(
        atStart((scope) => tables.view(scope).tools),
        { name: provider }
      )
      // It has a name, and names of tool providers need not be unique: nothing about it can be refused.
      .pipe(PromptScope.provide(PromptScope.global), Effect.orDie)
  )

  const register = <A extends Entry, E, I>(
    make: (services: Captured, scope: PromptScope.PromptScope) => Result.Result<A, E>,
    insert: (scope: PromptScope.PromptScope, entry: A) => Result.Result<void, I>,
    announce: Effect.Effect<void> = prompt.announce
  ): Effect.Effect<void, E | I, Scope.Scope> =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const lifetime = yield* Effect.scope
        const scope = yield* PromptScope.Current
        const entry = yield* Effect.fromResult(make(yield* capture, scope))
        yield* Effect.fromResult(insert(scope, entry))
        yield* Scope.addFinalizerExit(lifetime, removal(tables, scope, new WeakRef(entry), announce))
        yield* announce
      })
    )

  return ToolRegistry.of({
    register: (options) =>
      register(
        (services, { label }) => toolOf(options, services, label),
        (scope, tool) => tables.insert(scope, tool)
      ),
    restrict: (options) =>
      register(
        (_, scope) =>
          Restriction.make(options, {
            scope: scope.label,
            isGlobal: scope === PromptScope.global,
            inherited: tables.inherited(scope)
          }),
        (scope, restriction) => tables.restrict(scope, restriction)
      ),
    guard: (options) =>
      register(
        (services, { label }) => guardOf(options, services, label),
        (scope, guard) => tables.insert(scope, guard),
        // It is in no assembly.
        Effect.void
      ),
    view: (scope) => tables.view(scope).view,
    call: callWith(tables)
  })
})

const toolOf = <P extends ToolParameters, D extends ToolParameters, E, R>(
  options: ToolOptions<P, D, E, R>,
  services: Captured,
  scope: string
): Result.Result<RegisteredTool.RegisteredTool, ToolRegistrationError> => {
  const owner = rules.ownerOf("tool", options, scope)
  return Result.gen(function* () {
    const parameters = yield* parametersOf(options.parameters, owner)
    const tool = yield* RegisteredTool.fromUnknown({ ...options, parameters, handler: undefined }, scope)
    const handler = yield* handlerOf(options, tool.schema, services, owner)
    return Object.freeze({ ...tool, handler })
  })
}

const guardOf = <E, R>(
  options: GuardOptions<E, R>,
  services: Captured,
  scope: string
): Result.Result<Guard.Guard<Check>, InvalidRegistration> =>
  Result.map(Guard.make(options, scope), (guard) => Object.freeze({ ...guard, check: { ask: guard.check, services } }))

/**
 * Takes an entry back. It is held weakly, by a closure that has nothing else in reach: what a prompt scope has taken with it
 * when it closed must not be kept alive by an Effect scope that is still open.
 */
const removal =
  (
    tables: ToolTables,
    scope: PromptScope.PromptScope,
    held: WeakRef<Entry>,
    announce: Effect.Effect<void>
  ): (() => Effect.Effect<void>) =>
  () =>
    Effect.suspend(() => {
      const entry = held.deref()
      return entry !== undefined && tables.remove(scope, entry) ? announce : Effect.void
    })
