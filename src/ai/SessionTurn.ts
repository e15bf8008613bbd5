/**
 * A turn of a session: steps until the model calls no more tools.
 *
 * Whether a turn goes on follows from its log alone, so that one whose process has ended goes on where it was: `run` without
 * anything said.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleError, RenderError } from "../PromptError.ts"
import * as AgentStep from "../session/AgentStep.ts"
import * as Message from "../session/Message.ts"
import * as Position from "../session/Position.ts"
import * as Session from "../session/Session.ts"
import type * as SessionLog from "../session/SessionLog.ts"
import type { AppendError } from "../session/store/SessionStore.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import * as toolResult from "./internal/toolResult.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as SessionStep from "./SessionStep.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a turn begins with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends AgentStep.Options {
  /** How many steps this run takes at most. */
  readonly maxSteps: number
}

/**
 * What ended a turn:
 *
 * - `completed`: the model called no tool.
 * - `step-limit`: it still did after `maxSteps`.
 * - `approval`: a tool that its provider runs asks for consent, which `effect/ai` can give only by itself.
 * - `max-tokens`, `content-filter`, `model-error`: the answer was cut off, as the model says.
 *
 * A turn that failed is logged as `error`, and one that was interrupted as `aborted`.
 *
 * @since 0.1.0
 * @category models
 */
export type Reason = "completed" | "step-limit" | "approval" | "max-tokens" | "content-filter" | "model-error"

/**
 * How a turn ended.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionTurn {
  readonly reason: Reason
  /** The text of the last answer, perhaps none. */
  readonly text: string
  /** How many steps this run took. */
  readonly steps: number
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Takes steps until the turn has ended, and logs why. `answer` is what is done in each step, such as `SessionStep.answer`, or
 * that with retries.
 *
 * What was said is admitted by the first step, also if that fails: whoever tries again says nothing. A turn that an earlier
 * process left open goes on if nothing is said, and else ends as `interrupted`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = <A, E, R>(
  session: Session.Session,
  options: Options,
  answer: (step: AgentStep.AgentStep) => Effect.Effect<A, E, R>
): Effect.Effect<SessionTurn, E | AssembleError | RenderError | AppendError, R | SystemPrompt> =>
  begin(session, options).pipe(
    Effect.andThen(steps(session, options, answer)),
    Effect.onExit((exit) => end(session, reasonOf(exit)))
  )

const begin = (session: Session.Session, { said = [] }: Options) =>
  Effect.andThen(SessionStep.settle(session), said.length === 0 ? Effect.void : Session.endTurn(session, "interrupted"))

const steps = Effect.fnUntraced(function* <A, E, R>(
  session: Session.Session,
  { maxSteps, ...first }: Options,
  answer: (step: AgentStep.AgentStep) => Effect.Effect<A, E, R>
) {
  const { route } = first
  for (let steps = 0; ; steps++) {
    const log = yield* Session.log(session)
    // A turn that is still to begin has not ended.
    const reason = log.position.isTurnOpen ? ended(log) : undefined
    if (reason !== undefined) return { reason, text: lastText(log), steps }
    if (steps >= maxSteps) return { reason: "step-limit" as const, text: lastText(log), steps }
    yield* AgentStep.run(session, steps === 0 ? first : { route }, answer)
  }
})

// -----------------------------------------------------------------------------
// ends
// -----------------------------------------------------------------------------

const reasonOf = (exit: Exit.Exit<SessionTurn, unknown>): Message.Source => {
  if (Exit.isSuccess(exit)) return { kind: exit.value.reason }
  if (Cause.hasInterruptsOnly(exit.cause)) return { kind: "aborted" }
  const error = Cause.squash(exit.cause)
  return { kind: "error", error: { message: error instanceof Error ? error.message : String(error) } }
}

const end = (session: Session.Session, reason: Message.Source): Effect.Effect<void, AppendError> =>
  Effect.flatMap(Clock.currentTimeMillis, (time) =>
    Effect.asVoid(
      Session.commit(session, ({ position }) =>
        Result.succeed(
          Position.endTurn(position, reason.kind, time).map((draft) =>
            draft.type === "turn/end" ? { ...draft, data: { ...draft.data, reason } } : draft
          )
        )
      )
    )
  )

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * Why the turn at the end of a log has ended, as far as the model is concerned. Nothing, if it is to be asked: for the first
 * time, about something new, or about the results of its calls.
 *
 * @since 0.1.0
 * @category destructors
 */
export const ended = (log: SessionLog.SessionLog): Reason | undefined => {
  const answer = toolResult.lastAnswer(log)?.answer
  if (answer === undefined || answer.data.turn !== log.position.turn) return undefined
  const { content } = answer.data.message
  const finish = ModelAnswer.finishReason(answer.data)
  if (finish === "length") return "max-tokens"
  if (finish === "content-filter") return "content-filter"
  if (finish === "error") return "model-error"
  if (content.some(({ type }) => type === "tool-approval-request")) return "approval"
  return finish === "pause" || ModelAnswer.calls(answer.data.message).length > 0 ? undefined : "completed"
}

const lastText = (log: SessionLog.SessionLog): string => {
  const answer = toolResult.lastAnswer(log)?.answer
  return (
    answer?.data.message.content
      .filter(Message.isText)
      .map(({ text }) => text)
      .join("") ?? ""
  )
}
