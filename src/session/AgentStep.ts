/**
 * What an agent does before it asks a model: assemble and render for its scope, bring the log up to date, and derive the
 * request from it.
 *
 * Everything that can fail without the log comes first, so that a failure leaves the log as it was. Then one transaction
 * logs what is new: a prompt or a snapshot that changed, the messages of the user, a header and a route that changed. No
 * request is stored: `Request.rebuild` derives each again.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Assembly } from "../Assembly.ts"
import type { AssembleError, RenderError } from "../PromptError.ts"
import type { Rendered } from "../Rendered.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { attempt } from "./internal/attempt.ts"
import type * as Event from "./Event.ts"
import type { Block } from "./Message.ts"
import * as Position from "./Position.ts"
import * as Request from "./Request.ts"
import type { AdapterDefaults, Config } from "./RequestHeader.ts"
import * as Session from "./Session.ts"
import type { SessionLog } from "./SessionLog.ts"
import type { AppendError } from "./store/SessionStore.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The model and adapter of one request, and what they can do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Route {
  /** Sent with the request; the provider and the model, and whatever else configures it. */
  readonly config: Config
  /** Which members of the configuration the adapter filled in by itself. */
  readonly adapterDefaults?: typeof AdapterDefaults.Type | undefined
  /** How many tokens the model reads at most. */
  readonly contextWindow?: number | undefined
  /** `in-history`: the model also reads system messages behind the first. By default it does not. */
  readonly systemPromptUpdate?: "in-history" | undefined
  /** `in-history`: tools can come and go within a series of requests. By default other tools begin a new one. */
  readonly toolUpdate?: "in-history" | undefined
}

/**
 * What somebody says, to be admitted with a step. `source` tells who, by default a user.
 *
 * @since 0.1.0
 * @category models
 */
export interface Said {
  readonly content: string | ReadonlyArray<Block>
  readonly source?: { readonly kind: string } | undefined
}

/**
 * How a step is prepared.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly route: Route
  /** What was said since the step before. It is admitted once, and stands before the snapshot of the contexts. */
  readonly said?: ReadonlyArray<Said> | undefined
  /** Whether a new series of requests begins, as after a fork: nothing of the request before has to stay in the cache. */
  readonly startsSeries?: boolean | undefined
}

/**
 * A step whose request is ready to be sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface AgentStep {
  readonly turn: number
  readonly step: number
  /** What the model is shown, to judge its calls by: `ToolRegistry.call(assembly, …)`. */
  readonly assembly: Assembly
  readonly rendered: Rendered
  readonly request: Request.Request
  /** How much of the request before stands at the beginning of this one; none, if it is the first. */
  readonly prefix: Option.Option<Request.Prefix>
  /** Appends what came of the request, in one transaction. */
  readonly commit: (drafts: ReadonlyArray<Event.Draft>) => Effect.Effect<SessionLog, AppendError>
  /**
   * The request anew, after an attempt that failed, perhaps on another route: with the same rendered prompt, and without
   * admitting anything again. After a compaction the prompt moves back to the head.
   */
  readonly retry: (route?: Route) => Effect.Effect<AgentStep, AppendError>
  /** Ends the step; nothing, if it has ended. */
  readonly end: Effect.Effect<void, AppendError>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Assembles and renders for the ambient prompt scope, logs what is new, and gives the request. The step is open then:
 * `end` it, or use `run`. A turn begins with it if none is open, and what an earlier process left open is closed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const prepare: (
  session: Session.Session,
  options: Options
) => Effect.Effect<AgentStep, AssembleError | RenderError | AppendError, SystemPrompt> = Effect.fnUntraced(function* (
  session,
  { route, said = [], startsSeries = false }
) {
  const prompt = yield* SystemPrompt
  const assembly = yield* prompt.assemble
  const rendered = yield* prompt.renderAssembly(assembly)
  const shown = { assembly, rendered }
  const time = yield* Clock.currentTimeMillis
  return yield* session.modify((state) =>
    Result.map(attempt(state, { ...shown, route, time, startsSeries, admit: said }), (made) => ({
      state: made.state,
      value: stepOf(session, { ...shown, route }, made, state)
    }))
  )
})

/** What stays the same in all attempts of a step, and the route of the last. */
interface Shown {
  readonly assembly: Assembly
  readonly rendered: Rendered
  readonly route: Route
}

const stepOf = (
  session: Session.Session,
  shown: Shown,
  { request, state }: { readonly state: Session.State; readonly request: Request.Request },
  before: Session.State
): AgentStep => {
  const { step, turn } = state.log.position
  const { assembly, rendered } = shown
  return {
    turn,
    step,
    assembly,
    rendered,
    request,
    prefix: Option.map(before.previous, (earlier) => Request.prefix(request, earlier)),
    commit: (drafts) => Session.commit(session, drafts),
    retry: (route = shown.route) =>
      Effect.flatMap(Clock.currentTimeMillis, (time) =>
        session.modify((state) =>
          Result.map(attempt(state, { ...shown, route, time, startsSeries: false, admit: undefined }), (made) => ({
            state: made.state,
            value: stepOf(session, { ...shown, route }, made, state)
          }))
        )
      ),
    end: Effect.flatMap(Clock.currentTimeMillis, (time) =>
      Effect.asVoid(
        Session.commit(session, ({ position }) =>
          Result.succeed(position.turn === turn && position.step === step ? Position.endStep(position, time) : [])
        )
      )
    )
  }
}

/**
 * Prepares a step, uses it, and ends it, however the use ends: with a result, a failure, or by interruption.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = <A, E, R>(
  session: Session.Session,
  options: Options,
  use: (step: AgentStep) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | AssembleError | RenderError | AppendError, R | SystemPrompt> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(prepare(session, options)), (step) => Effect.onExit(restore(use(step)), () => step.end))
  )
