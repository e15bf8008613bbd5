/** Where the events of a log have messages in their data. */
import type { Json, JsonObject } from "effect/Schema"
import { isArray, isObject, type PlainEvent } from "./plain.ts"

/** By type: the member that is a message, or a list of messages; `undefined` where the data is itself one. */
const members: ReadonlyMap<string, string | undefined> = new Map([
  ["user/message", undefined],
  ["system/message", "message"],
  ["assistant/message", "message"],
  ["tool/result", "message"],
  ["agent/inbox/spliced", "inserted"],
  ["session/title-llm-request", "messages"]
])

/** The message of an event that becomes one, if it has one. */
export const messageOf = (event: PlainEvent): Json | undefined => {
  const data = event.data
  if (event.type === "user/message") return data
  return isObject(data) ? data["message"] : undefined
}

/**
 * Changes the messages of an event, those that wait in the inbox or were sent to find a title among them. What is no
 * message where one should be stays as it is, for the checks of the current format to find.
 */
export const mapMessages = (event: PlainEvent, f: (message: JsonObject) => JsonObject): PlainEvent => {
  if (!members.has(event.type) || !isObject(event.data)) return event
  const key = members.get(event.type)
  const change = (value: Json): Json => (isObject(value) ? f(value) : value)
  const before: Json | undefined = key === undefined ? event.data : event.data[key]
  if (before === undefined) return event
  const after = isArray(before) ? before.map(change) : change(before)
  return { ...event, data: key === undefined ? after : { ...event.data, [key]: after } }
}
