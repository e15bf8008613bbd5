/**
 * What the rules of a surface look at in an event, without the texts: a surface that only checks needs no messages, and
 * would hold the whole log if nothing was ever replaced.
 */
import type { Json, JsonObject } from "effect/Schema"
import { sha256 } from "../../internal/sha256.ts"
import { sortKeys } from "../../internal/sortedKeys.ts"
import { isArray, isObject, type PlainEvent, without } from "./plain.ts"

/** Stands for members that only need to be the same or not. */
const digest = (members: JsonObject): Json =>
  Object.keys(members).length === 0 ? null : sha256(JSON.stringify(sortKeys(members)))

const withoutContent = (message: Json | undefined): Json => (isObject(message) ? { ...message, content: [] } : null)

/** What a tool's result has besides its content may not change when it is replaced. */
const slimResult = (data: JsonObject): JsonObject => {
  const rules = ["turn", "step", "message", "error"]
  const kept = without(data, ...Object.keys(data).filter((key) => !rules.includes(key)))
  return { ...kept, message: withoutContent(data["message"]), others: digest(without(data, ...rules)) }
}

/** Tools may be announced by the name under which a header defines them. */
const slimHeader = (data: JsonObject): JsonObject => {
  const header = isObject(data["header"]) ? data["header"] : {}
  const tools = header["tools"]
  if (!isArray(tools)) return data
  const names = tools.map((tool) => ({
    name: isObject(tool) ? (tool["name"] ?? null) : null,
    description: "",
    parameters: {}
  }))
  return { ...data, header: { ...header, tools: names } }
}

const slimData = (type: string, data: JsonObject): JsonObject => {
  switch (type) {
    case "user/message":
      return { ...data, content: [] }
    case "system/message":
      return { ...data, message: withoutContent(data["message"]) }
    case "assistant/message":
      return { ...without(data, "stream"), message: withoutContent(data["message"]) }
    case "tool/result":
      return slimResult(data)
    case "request/header":
      return slimHeader(data)
    default:
      return data
  }
}

/** An event that keeps and breaks the same rules among others as this one, which is valid by itself. */
export const slim = (event: PlainEvent): PlainEvent => {
  if (!isObject(event.data)) return event
  const data = slimData(event.type, event.data)
  return data === event.data ? event : { ...event, data }
}
