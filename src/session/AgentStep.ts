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
import { attempt, type Input } from "./internal/attempt.ts"
import type * as Event from "./Event.ts"
import type { Block, Source } from "./Message.ts"
import * as Position from "./Position.ts"
import * as Request from "./Request.ts"
import type { AdapterDefaults, Config } from "./RequestHeader.ts"
import * as Session from "./Session.ts"
import { StepEnded } from "./SessionError.ts"
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
  readonly source?: Source | undefined
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
  /** The log that the request was derived from. */
  readonly log: SessionLog
  /** How much of the request before stands at the beginning of this one; none, if it is the first. */
  readonly prefix: Option.Option<Request.Prefix>
  /** Appends what came of the request, in one transaction. Fails if the step has ended, also since another one began. */
  readonly commit: (drafts: ReadonlyArray<Event.Draft>) => Effect.Effect<SessionLog, AppendError | StepEnded>
  /**
   * The request anew, after an attempt that failed, perhaps on another route: with the same rendered prompt, and without
   * admitting anything again. After a compaction the prompt moves back to the head, and a snapshot that was taken away is
   * logged once more. Fails if the step has ended.
   */
  readonly retry: (route?: Route) => Effect.Effect<AgentStep, AppendError | StepEnded>
  /** Ends the step; nothing, if it has ended. */
  readonly end: Effect.Effect<void, AppendError>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Assembles and renders for the ambient prompt scope, logs what is new, and gives the request. The step is open then:
 * `end` it, or use `run`. A turn begins with it if none is open. A step that is still open is closed first, and its calls
 * without a result are answered as stopped (see `OpenCalls`), be it one that an earlier process left or one whose tools
 * still run: a session has one step at a time, and what comes too late for the other one fails with `StepEnded`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const prepare: (
  session: Session.Session,
  options: Options
) => Effect.Effect<AgentStep, AssembleError | RenderError | AppendError, SystemPrompt> = (session, options) =>
  Effect.flatMap(show, (shown) => admit(session, shown, options))

/** What stays the same in all attempts of a step. */
interface Shown {
  readonly assembly: Assembly
  readonly rendered: Rendered
}

/** All that can fail or take its time without the log. */
const show = Effect.gen(function* () {
  const prompt = yield* SystemPrompt
  const assembly = yield* prompt.assemble
  const rendered = yield* prompt.renderAssembly(assembly)
  return { assembly, rendered }
})

/** The one transaction of a first attempt. */
const admit = (
  session: Session.Session,
  shown: Shown,
  { route, said = [], startsSeries = false }: Options
): Effect.Effect<AgentStep, AppendError> =>
  Effect.flatMap(Clock.currentTimeMillis, (time) =>
    session.modify((state) => made(session, state, { ...shown, route, time, startsSeries, admit: said }))
  )

const made = (session: Session.Session, before: Session.State, input: Input) =>
  Result.map(attempt(before, input), ({ request, state }) => ({
    state,
    value: stepOf(session, input, request, state.log, before.previous)
  }))

const stepOf = (
  session: Session.Session,
  { assembly, rendered, route }: Input,
  request: Request.Request,
  log: SessionLog,
  previous: Option.Option<Request.Request>
): AgentStep => {
  const { step, turn } = log.position
  const isOpen = ({ position }: SessionLog): boolean =>
    position.isStepOpen && position.turn === turn && position.step === step
  const open = (log: SessionLog) => (isOpen(log) ? Result.void : Result.fail(endedIn(log)))
  const endedIn = ({ position }: SessionLog) =>
    position.turn === turn && position.step === step
      ? new StepEnded({ turn, step })
      : new StepEnded({ turn, step, next: { turn: position.turn, step: position.step } })
  return {
    turn,
    step,
    assembly,
    rendered,
    request,
    log,
    prefix: Option.map(previous, (earlier) => Request.prefix(request, earlier)),
    commit: (drafts) => Session.commit(session, (log) => Result.map(open(log), () => drafts)),
    retry: (other = route) =>
      Effect.flatMap(Clock.currentTimeMillis, (time) =>
        session.modify((state) =>
          Result.flatMap(open(state.log), () =>
            made(session, state, { assembly, rendered, route: other, time, startsSeries: false, admit: undefined })
          )
        )
      ),
    end: Effect.flatMap(Clock.currentTimeMillis, (time) =>
      Effect.asVoid(
        Session.commit(session, (log) => Result.succeed(isOpen(log) ? Position.endStep(log.position, time) : []))
      )
    )
  }
}

/**
 * Prepares a step, uses it, and ends it, however the use ends: with a result, a failure, or by interruption. A step that
 * was logged is ended in any case, also if the fibre is interrupted while the store still writes.
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
    Effect.flatMap(restore(show), (shown) =>
      Effect.flatMap(admit(session, shown, options), (step) => Effect.onExit(restore(use(step)), () => step.end))
    )
  )
