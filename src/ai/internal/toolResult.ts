/** The calls of an answer and their results, as events of a log. */
import type * as Response from "effect/ai/Response"
import type { Json } from "effect/Schema"
import type * as Event from "../../session/Event.ts"
import * as OpenCalls from "../../session/OpenCalls.ts"
import * as MessagePrompt from "../MessagePrompt.ts"

// -----------------------------------------------------------------------------
// calls
// -----------------------------------------------------------------------------

export interface LoggedCall extends OpenCalls.Call {
  /** The event that logs it. */
  readonly seq?: number
}

// -----------------------------------------------------------------------------
// results
// -----------------------------------------------------------------------------

export interface Outcome {
  readonly result: Json
  readonly isFailure: boolean
}

export const stopped: Outcome = { result: OpenCalls.stopped, isFailure: true }

export const notRun = (reason: Response.FinishReason): Outcome => ({
  result: `This call was not run: the answer that made it was cut off (${reason}).`,
  isFailure: true
})

// -----------------------------------------------------------------------------
// events
// -----------------------------------------------------------------------------

export const callDraft = (
  { arguments: text, callId, name, step, turn }: OpenCalls.Call,
  time: number
): Event.Draft<"tool/call"> => ({
  type: "tool/call",
  time,
  data: { turn, step, callId, name, arguments: text }
})

export const draft = (call: LoggedCall, { isFailure, result }: Outcome, time: number): Event.Draft<"tool/result"> => ({
  ...OpenCalls.toResult(call, { content: MessagePrompt.toContent(result), isError: isFailure }, time),
  ...(call.seq === undefined ? undefined : { sourceEventSeqs: [call.seq] })
})
