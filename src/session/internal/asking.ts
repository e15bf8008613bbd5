/**
 * Where in a log a request was made, as far as its events tell: after the last event that leads to it. No event says so by
 * itself, since one that says the same as the request before logs nothing but its step.
 */
import * as Event from "../Event.ts"

/** Whether an answer is awaited after an event. A header that is logged again is another attempt of the step. */
export const after = (isAsking: boolean, event: Event.Event): boolean => {
  switch (event.type) {
    case "step/start":
    case "request/header":
      return true
    case "assistant/message":
    case "step/end":
    case "turn/end":
      return false
    default:
      return isAsking && !shadows(event)
  }
}

/** What takes a message away came after the request; or it is a new prompt, and then a header follows. */
const shadows = (event: Event.Event): boolean => Event.isSurface(event) && event.surfaceOp !== "append"

const leading: ReadonlySet<string> = new Set([
  "step/start",
  "system/message",
  "user/message",
  "request/header",
  "developer/message",
  "request/context"
])

/** Whether an event after which an answer is awaited leads to the request. */
export const leads = (event: Event.Event): boolean => leading.has(event.type)
