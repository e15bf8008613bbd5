/** The calls of an answer and their results, as events of a log. */
import type * as Response from "effect/ai/Response"
import type { Json } from "effect/Schema"
import * as Event from "../../session/Event.ts"
import type { SessionLog } from "../../session/SessionLog.ts"
import * as Surface from "../../session/Surface.ts"
import * as MessagePrompt from "../MessagePrompt.ts"
import * as ModelAnswer from "../ModelAnswer.ts"

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

export interface Call extends ModelAnswer.Call {
  readonly turn: number
  readonly step: number
  /** The id of the message that its result will have. */
  readonly resultId: string
}

export interface LoggedCall extends Call {
  /** The event that logs it, if it is known. */
  readonly seq?: number
}

export const callsOf = ({ message, step, turn }: Event.Data<"assistant/message">): ReadonlyArray<Call> =>
  ModelAnswer.calls(message).map((call, i) => ({ ...call, turn, step, resultId: `${message.id}.${i + 1}` }))

const isAnswer = Event.is("assistant/message")
const isResult = Event.is("tool/result")

/** The last answer on the surface, and how many results are behind it; none, if anything else is behind it. */
export const lastAnswer = (
  log: SessionLog
): { readonly answer: Event.Of<"assistant/message">; readonly results: ReadonlyArray<string> } | undefined => {
  const results: Array<string> = []
  for (const event of Surface.events(log.surface).toReversed()) {
    if (isAnswer(event)) return { answer: event, results }
    if (!isResult(event)) return undefined
    results.push(event.data.message.toolCallId)
  }
  return undefined
}

/** The calls at the end of a log that have no result. */
export const unanswered = (log: SessionLog): ReadonlyArray<Call> => {
  const last = lastAnswer(log)
  if (last === undefined) return []
  return callsOf(last.answer.data).filter(({ callId }) => !last.results.includes(callId))
}

// -----------------------------------------------------------------------------
// results
// -----------------------------------------------------------------------------

export interface Outcome {
  readonly result: Json
  readonly isFailure: boolean
}

/** Whoever was stopped may have done some of its work already. */
export const stopped: Outcome = {
  result: "This call was stopped before it gave a result. It may have done some of its work, or all of it.",
  isFailure: true
}

export const notRun = (reason: Response.FinishReason): Outcome => ({
  result: `This call was not run: the answer that made it was cut off (${reason}).`,
  isFailure: true
})

// -----------------------------------------------------------------------------
// events
// -----------------------------------------------------------------------------

export const callDraft = (
  { arguments: text, callId, name, step, turn }: Call,
  time: number
): Event.Draft<"tool/call"> => ({
  type: "tool/call",
  time,
  data: { turn, step, callId, name, arguments: text }
})

export const draft = (
  { callId, resultId, seq, step, turn }: LoggedCall,
  { isFailure, result }: Outcome,
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
      content: MessagePrompt.toContent(result),
      ...(isFailure ? { isError: true } : undefined)
    }
  },
  surfaceOp: "append",
  ...(seq === undefined ? undefined : { sourceEventSeqs: [seq] })
})
