/**
 * The calls at the end of a log that have no result.
 *
 * Models refuse a history in which a call has no result, or in which something else stands between the two. So whatever
 * comes next, a step or the end of the turn, first answers what is open: with an error that says that the call was stopped.
 * It is not run again, for nobody knows what it has done.
 *
 * @since 0.1.0
 */
import * as Event from "./Event.ts"
import * as sparse from "./internal/sparse.ts"
import * as Message from "./Message.ts"
import * as Position from "./Position.ts"
import type { SessionLog } from "./SessionLog.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A call of an answer that is for us to run, and not for its provider.
 *
 * @since 0.1.0
 * @category models
 */
export interface Call {
  readonly turn: number
  readonly step: number
  readonly callId: string
  readonly name: string
  /** As text, in JSON. */
  readonly arguments: string
  /** The id of the message that its result will have. */
  readonly resultId: string
}

/**
 * An answer, and the calls that are answered behind it.
 *
 * @since 0.1.0
 * @category models
 */
export interface LastAnswer {
  readonly answer: Event.Of<"assistant/message">
  readonly results: ReadonlyArray<string>
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The calls of an answer.
 *
 * @since 0.1.0
 * @category destructors
 */
export const of = ({ message, step, turn }: Event.Data<"assistant/message">): ReadonlyArray<Call> =>
  Message.calls(message).map(({ arguments: text, id, name }, i) => ({
    turn,
    step,
    callId: id,
    name,
    arguments: text,
    resultId: `${message.id}.${i + 1}`
  }))

const isAnswer = Event.is("assistant/message")
const isResult = Event.is("tool/result")

/**
 * The last answer on the surface; none, if anything but results stands behind it.
 *
 * @since 0.1.0
 * @category destructors
 */
export const lastAnswer = ({ surface }: SessionLog): LastAnswer | undefined => {
  const results: Array<string> = []
  for (const { event } of sparse.descending(surface.nodes)) {
    if (isAnswer(event)) return { answer: event, results }
    if (!isResult(event)) return undefined
    results.push(event.data.message.toolCallId)
  }
  return undefined
}

/**
 * The calls at the end of a log that have no result. One that something else stands behind can be answered no more.
 *
 * @since 0.1.0
 * @category destructors
 */
export const fromLog = (log: SessionLog): ReadonlyArray<Call> => {
  const last = lastAnswer(log)
  return last === undefined ? [] : of(last.answer.data).filter(({ callId }) => !last.results.includes(callId))
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * What the model is told of a call that was stopped.
 *
 * @since 0.1.0
 * @category constructors
 */
export const stopped = "This call was stopped before it gave a result. It may have done some of its work, or all of it."

/**
 * The event that gives the result of a call.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toResult = (
  { callId, resultId, step, turn }: Call,
  { content, isError }: { readonly content: ReadonlyArray<Message.Block>; readonly isError: boolean },
  time: number
): Event.Draft<"tool/result"> => ({
  type: "tool/result",
  time,
  data: {
    turn,
    step,
    message: {
      role: "tool",
      id: resultId,
      toolCallId: callId,
      source: { kind: "tool", callId },
      content,
      ...(isError ? { isError } : undefined)
    }
  },
  surfaceOp: "append"
})

/**
 * The results of the calls that have none, to be committed next to this very log.
 *
 * @since 0.1.0
 * @category constructors
 */
export const settle = (log: SessionLog, time: number): ReadonlyArray<Event.Draft<"tool/result">> =>
  fromLog(log).map((call) => toResult(call, { content: [{ type: "text", text: stopped }], isError: true }, time))

/**
 * The events that end the open turn, to be committed next to this very log: the results of the calls that have none, and
 * the ends of the step and the turn. `reason` is what ended it, such as `completed`, or `interrupted` by the end of its
 * process; or an object of that `kind`, with what else there is to say.
 *
 * @since 0.1.0
 * @category constructors
 */
export const endTurn = (log: SessionLog, reason: string | Message.Source, time: number): ReadonlyArray<Event.Draft> => [
  ...settle(log, time),
  ...Position.endStep(log.position, time),
  ...endOf(log.position, reason, time)
]

const endOf = (
  { isTurnOpen, turn }: Position.Position,
  reason: string | Message.Source,
  time: number
): ReadonlyArray<Event.Draft> =>
  isTurnOpen
    ? [{ type: "turn/end", time, data: { turn, reason: typeof reason === "string" ? { kind: reason } : reason } }]
    : []
