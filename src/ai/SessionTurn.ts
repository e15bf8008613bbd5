/**
 * A turn of a session: steps until the model calls no more tools.
 *
 * Whether a turn goes on follows from its log alone, so that one whose process has ended goes on where it was: `run` without
 * anything said.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { describeCause } from "../Owner.ts"
import type { AssembleError, RenderError } from "../PromptError.ts"
import * as AgentStep from "../session/AgentStep.ts"
import * as Message from "../session/Message.ts"
import * as Event from "../session/Event.ts"
import * as OpenCalls from "../session/OpenCalls.ts"
import * as RuntimeContextProjection from "../session/RuntimeContextProjection.ts"
import * as Session from "../session/Session.ts"
import type * as SessionLog from "../session/SessionLog.ts"
import type { AppendError } from "../session/store/SessionStore.ts"
import * as Surface from "../session/Surface.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import { isPrompted } from "./internal/prompted.ts"
import { InvalidMaxSteps, PromptedTwice, type UnsendableMessage } from "./MessageError.ts"
import * as MessagePrompt from "./MessagePrompt.ts"
import * as ModelAnswer from "./ModelAnswer.ts"

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
  /** How many steps this run takes at most: 1, 2, 3, …, or `Infinity`. */
  readonly maxSteps: number
}

/**
 * What ended a turn:
 *
 * - `completed`: the model called no tool.
 * - `step-limit`: it still did after `maxSteps`.
 * - `approval`: a tool that its provider runs asks for consent, which `effect/ai` can give only by itself.
 * - `max-tokens`, `content-filter`, `model-error`: the answer was cut off, as the model says.
 * - `nothing-to-answer`: nothing was said, and nothing waits for an answer. The model was not asked, and nothing was logged.
 *
 * A turn that failed is logged as `error`, with the message of its failure (its tag, if it has none), and one that was
 * interrupted as `aborted`.
 *
 * @since 0.1.0
 * @category models
 */
export type Reason =
  | "completed"
  | "step-limit"
  | "approval"
  | "max-tokens"
  | "content-filter"
  | "model-error"
  | "nothing-to-answer"

/**
 * Why a turn is refused before it begins. Nothing was admitted.
 *
 * @since 0.1.0
 * @category errors
 */
export type Refusal = InvalidMaxSteps | PromptedTwice | UnsendableMessage

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
 * process left open goes on if nothing is said, and else ends as `interrupted`. If nothing is said and nothing waits for an
 * answer (see `isWaiting`), nothing is done.
 *
 * What no model can be sent is refused before it is admitted, and so is a `PromptedModel` as the ambient language model. A
 * session takes one turn at a time: another one ends the step of this one, which fails with `StepEnded`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const run = <A, E, R>(
  session: Session.Session,
  options: Options,
  answer: (step: AgentStep.AgentStep) => Effect.Effect<A, E, R>
): Effect.Effect<SessionTurn, E | Refusal | AssembleError | RenderError | AppendError, R | SystemPrompt> =>
  Effect.gen(function* () {
    yield* check(options)
    const isSaid = options.said !== undefined && options.said.length > 0
    if (!isSaid && !isWaiting(yield* Session.log(session))) {
      return { reason: "nothing-to-answer" as const, text: "", steps: 0 }
    }
    return yield* (isSaid ? Session.endTurn(session, "interrupted") : Effect.void).pipe(
      Effect.andThen(steps(session, options, answer)),
      Effect.onExit((exit) => Session.endTurn(session, reasonOf(exit)))
    )
  })

/** All that can be seen to fail before anything is admitted. */
const check = Effect.fnUntraced(function* ({ maxSteps, said = [] }: Options): Effect.fn.Return<void, Refusal> {
  if (!(maxSteps === Infinity || (Number.isInteger(maxSteps) && maxSteps > 0))) {
    return yield* new InvalidMaxSteps({ maxSteps })
  }
  const model = yield* Effect.serviceOption(LanguageModel.LanguageModel)
  if (Option.exists(model, isPrompted)) return yield* new PromptedTwice()
  yield* Effect.fromResult(MessagePrompt.make(said.map(asMessage)))
})

const asMessage = ({ content, source = { kind: "user" } }: AgentStep.Said, i: number): Message.User => ({
  role: "user",
  id: `said ${i + 1}`,
  source,
  content: typeof content === "string" ? [{ type: "text", text: content }] : content
})

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
  return { kind: "error", error: { message: describeCause(Cause.squash(exit.cause)) } }
}

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
  const answer = OpenCalls.lastAnswer(log)?.answer
  if (answer === undefined || answer.data.turn !== log.position.turn) return undefined
  const { content } = answer.data.message
  const finish = ModelAnswer.finishReason(answer.data)
  if (finish === "length") return "max-tokens"
  if (finish === "content-filter") return "content-filter"
  if (finish === "error") return "model-error"
  if (content.some(({ type }) => type === "tool-approval-request")) return "approval"
  return finish === "pause" || Message.calls(answer.data.message).length > 0 ? undefined : "completed"
}

const isNotice = (event: Event.Surface): boolean =>
  event.type === "system/message" || event.type === "developer/message" || RuntimeContextProjection.isOwned(event)

const isCheckpoint = (event: Event.Surface): boolean => {
  const message = Event.message(event)
  return message.role === "user" && message.source.kind === "compact-checkpoint"
}

/**
 * Whether there is something for the model to answer, also if nothing more is said: an open turn (`position.isTurnOpen`), a
 * call that has no result, or something said or given back that stands behind its last answer, as after a turn that failed.
 *
 * @since 0.1.0
 * @category destructors
 */
export const isWaiting = (log: SessionLog.SessionLog): boolean => {
  if (log.position.isTurnOpen || OpenCalls.fromLog(log).length > 0) return true
  const last = Surface.events(log.surface).findLast((event) => !isNotice(event))
  return last !== undefined && last.type !== "assistant/message" && !isCheckpoint(last)
}

const lastText = (log: SessionLog.SessionLog): string => {
  const answer = OpenCalls.lastAnswer(log)?.answer
  return (
    answer?.data.message.content
      .filter(Message.isText)
      .map(({ text }) => text)
      .join("") ?? ""
  )
}
