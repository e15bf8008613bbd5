/**
 * What was asked of the model, read from a log of any format in the plainest way: every event in a list, every message in
 * another one. It shares nothing with the migrations but the words.
 */
import type { Json, JsonObject } from "effect/Schema"

type Row = Record<string, Json>

/** A message as far as every format can say it. */
export interface Asked {
  readonly role: string
  readonly id: Json
  readonly content: Json
  readonly callId?: Json
  readonly isError?: Json
}

/** What the model saw when something happened. */
export interface Request {
  /** The event that shows that a request was made, or what its header was. */
  readonly at: string
  readonly prompt: string
  readonly messages: ReadonlyArray<Asked>
}

const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

const isRow = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const object = (value: Json | undefined): Row => (isRow(value) ? { ...value } : {})

const list = (value: Json | undefined): ReadonlyArray<Json> => (isList(value) ? value : [])

const surfaceTypes = new Set([
  "system/message",
  "developer/message",
  "user/message",
  "steering/message",
  "assistant/message",
  "tool/result"
])

const packs = new Map([
  ["text-chunks", "texts"],
  ["reasoning-chunks", "texts"],
  ["tool-call-chunks", "args"]
])

/** The events of a log, each with the number that it has if packed rows are counted out. */
export const eventsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const version = object(JSON.parse(lines[0] ?? "null"))["version"]
  let seq = 0
  return lines.slice(1).map((line) => {
    const row: Row = { ...object(JSON.parse(line)), seq }
    const texts = Number(version) < 2 ? packs.get(String(row["type"])) : undefined
    seq += texts === undefined ? 1 : list(object(row["data"])[texts]).length
    return row
  })
}

const asked = (row: Row): Asked => {
  const data = object(row["data"])
  const message = "message" in data ? object(data["message"]) : data
  const source = object(message["source"])
  const id = message["id"] ?? null
  switch (row["type"]) {
    case "assistant/message":
      return { role: "assistant", id, content: message["content"] ?? null }
    case "tool/result": {
      const block = object(list(message["content"])[0])
      const wrapped = block["type"] === "tool-result"
      const holder = wrapped ? block : message
      const callId = source["callId"] ?? message["callId"] ?? null
      return { role: "tool", id, callId, content: holder["content"] ?? null, isError: holder["isError"] ?? false }
    }
    default:
      return { role: row["type"] === "system/message" ? "system" : "user", id, content: message["content"] ?? null }
  }
}

const put = (surface: ReadonlyArray<Row>, row: Row): ReadonlyArray<Row> => {
  if (row["surfaceOp"] === "append") return [...surface, row]
  const op = object(row["surfaceOp"])
  const at = (key: string) => surface.findIndex((it) => it["seq"] === op[`${key}Seq`] || it["seq"] === op[key])
  return [...surface.slice(0, at("start")), row, ...surface.slice(at("end") + 1)]
}

const promptOf = (surface: ReadonlyArray<Row>): string =>
  surface
    .filter((row) => row["type"] === "system/message")
    .flatMap((row) => list(object(object(row["data"])["message"])["content"]))
    .map((block) => String(object(block)["text"]))
    .join("\n")

/**
 * What the model saw at each header, each answer and each end of a step. Before format 3 the prompt was in the headers.
 */
export const requestsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Request> => {
  const version = Number(object(JSON.parse(lines[0] ?? "null"))["version"])
  const requests: Array<Request> = []
  let surface: ReadonlyArray<Row> = []
  let header = ""
  for (const row of eventsOf(lines)) {
    const type = String(row["type"])
    if (type === "request/header") {
      const system = object(object(row["data"])["header"])["system"]
      header = typeof system === "string" ? system : ""
    }
    if (type === "request/header" || type === "assistant/message" || type === "step/end") {
      const messages = surface.filter((it) => it["type"] !== "system/message").map(asked)
      requests.push({ at: type, prompt: version < 3 ? header : promptOf(surface), messages })
    }
    if (surfaceTypes.has(type)) surface = put(surface, row)
  }
  return requests
}

/** Without ids, for logs whose messages have none. */
export const anonymous = (requests: ReadonlyArray<Request>): ReadonlyArray<Request> =>
  requests.map((request) => ({ ...request, messages: request.messages.map((message) => ({ ...message, id: null })) }))
