/**
 * What of an intact session log no model can be sent.
 *
 * Calls at its very end that have no result are none of it: the next step answers them.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as MessagePrompt from "../ai/MessagePrompt.ts"
import * as Event from "../session/Event.ts"
import * as OpenCalls from "../session/OpenCalls.ts"
import * as SessionLog from "../session/SessionLog.ts"
import * as Surface from "../session/Surface.ts"

export interface Unsendable {
  /** Of the message, in the current format. */
  readonly seq: number | undefined
  readonly reason: string
}

/** All of it, in the order in which the model would see it. */
export const make = (log: SessionLog.SessionLog): ReadonlyArray<Unsendable> => {
  const settled = Result.getOrThrow(SessionLog.commit(log, OpenCalls.settle(log, 0)))
  const seqs = new Map(Surface.events(settled.surface).map((event) => [Event.message(event).id, event.seq] as const))
  return MessagePrompt.problems(SessionLog.messages(settled)).map((error) => ({
    seq: seqs.get(error.messageId),
    reason: error.message
  }))
}
