/**
 * 0 → 1: old names and shapes get those that the writers of format 1 gave them. No event comes or goes.
 *
 * What had no identity gets one that says from what it was made: the session and the event's number.
 */
import type { Json, JsonObject } from "effect/Schema"
import type { Context } from "../Edge.ts"
import { isObject, onlyKeys, type PlainEvent, textOf, without } from "../plain.ts"
import { refuse } from "../refuse.ts"
import * as edge from "./edge.ts"

type Note = Context["note"]

const dataOf = (event: PlainEvent): JsonObject => (isObject(event.data) ? event.data : {})

const hasAll = (data: JsonObject, ...keys: ReadonlyArray<string>): boolean =>
  keys.every((key) => Object.hasOwn(data, key))

const hasNone = (data: JsonObject, ...keys: ReadonlyArray<string>): boolean =>
  keys.every((key) => !Object.hasOwn(data, key))

// -----------------------------------------------------------------------------
// names and members
// -----------------------------------------------------------------------------

const refuseRetired = (event: PlainEvent): void => {
  if (event.type === "request/header-delta" || event.type === "mode/set") {
    refuse(`events of type ${event.type} have no counterpart in later formats. Read the log with what wrote it.`)
  }
  if (event.type === "request/header" && dataOf(event)["reason"] === "fallback") {
    refuse(`a header with the reason "fallback" has no counterpart in later formats. Read the log with what wrote it.`)
  }
}

const newTypes: ReadonlyMap<string, string> = new Map([
  ["compact/start", "compaction/start"],
  ["compact/summary", "compaction/summary"],
  ["compact/end", "compaction/end"],
  ["compact/prune", "compaction/prune"]
])

const rename = (event: PlainEvent, note: Note): PlainEvent => {
  const type = newTypes.get(event.type)
  if (type === undefined) return event
  note("renamed", `${event.type} → ${type}`)
  return { ...event, type }
}

const dropTrigger = (event: PlainEvent, note: Note): PlainEvent => {
  const data = dataOf(event)
  if (event.type !== "turn/start" || !Object.hasOwn(data, "trigger")) return event
  note("dropped", "turn/start data.trigger")
  return { ...event, data: without(data, "trigger") }
}

const dropMessagePrefix = (event: PlainEvent, note: Note): PlainEvent => {
  const data = dataOf(event)
  const header = data["header"]
  if (event.type !== "request/header" || !isObject(header) || !Object.hasOwn(header, "messagePrefix")) return event
  note("dropped", "request/header data.header.messagePrefix")
  return { ...event, data: { ...data, header: without(header, "messagePrefix") } }
}

// -----------------------------------------------------------------------------
// ends of turns
// -----------------------------------------------------------------------------

/** An error that says in which step it happened keeps what it says; the step is the last one before it. */
const errorOf = (reason: JsonObject): JsonObject => {
  if (isObject(reason["failure"])) {
    onlyKeys(reason, ["kind", "step", "failure"], "the reason of a turn's end")
    return reason["failure"]
  }
  onlyKeys(reason, ["kind", "step", "message", "code"], "the reason of a turn's end")
  return { message: textOf(reason["message"], "the message of a turn's error"), code: reason["code"] ?? "UNKNOWN" }
}

const newReason = (reason: JsonObject): JsonObject | undefined => {
  switch (reason["kind"]) {
    case "disposed":
      onlyKeys(reason, ["kind"], "the reason of a turn's end")
      return { kind: "aborted", reason: { kind: "disposed" } }
    case "aborted":
      return Object.hasOwn(reason, "reason") ? undefined : { ...reason, reason: { kind: "legacy" } }
    case "error":
      return Object.hasOwn(reason, "error") ? undefined : { kind: "error", error: errorOf(reason) }
    default:
      return undefined
  }
}

const convertReason = (event: PlainEvent, note: Note): PlainEvent => {
  const data = dataOf(event)
  const reason = data["reason"]
  if (event.type !== "turn/end" || !isObject(reason)) return event
  const converted = newReason(reason)
  if (converted === undefined) return event
  note("rewritten", `turn/end data.reason of kind ${JSON.stringify(reason["kind"])}`)
  return { ...event, data: { ...data, reason: converted } }
}

// -----------------------------------------------------------------------------
// messages
// -----------------------------------------------------------------------------

/** The identities that a log has or gets, as far as later events need them. */
class Identities {
  readonly #session: string
  /** The ids of results, since one that replaces another takes over its id. */
  readonly #results = new Map<number, Json>()
  /** By what a chain of retries is about; a chain ends with its turn. */
  readonly #retries = new Map<string, Json>()
  compaction: Json | undefined

  constructor(header: JsonObject) {
    this.#session = String(header["id"])
  }

  made(kind: "message" | "retry" | "compaction", seq: number): string {
    return `legacy-${kind}:${this.#session}:${seq}`
  }

  retry(data: JsonObject, seq: number): Json {
    const chain = JSON.stringify(
      [data["turn"], data["step"], data["provider"], data["policyKey"]].map((it) => it ?? null)
    )
    const id = data["retryId"] ?? this.#retries.get(chain) ?? this.made("retry", seq)
    this.#retries.set(chain, id)
    return id
  }

  endRetries(): void {
    this.#retries.clear()
  }

  keepResult({ data, seq, type }: PlainEvent): void {
    if (type !== "tool/result" || !isObject(data) || !isObject(data["message"])) return
    const id = data["message"]["id"]
    if (id !== undefined) this.#results.set(seq, id)
  }

  result({ seq, surfaceOp }: PlainEvent): Json {
    if (!isObject(surfaceOp)) return this.made("message", seq)
    const start = surfaceOp["start"]
    const id = typeof start === "number" ? this.#results.get(start) : undefined
    return id ?? refuse("it replaces something that is no earlier result of a tool.")
  }
}

const wrapSteering = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  const data = dataOf(event)
  if (event.type !== "steering/message") return event
  note("renamed", "steering/message → user/message")
  if (Object.hasOwn(data, "turn")) note("dropped", "steering/message data.turn")
  if (data["message"] !== undefined) {
    onlyKeys(data, ["turn", "message"], "a steering/message")
    return { ...event, type: "user/message", data: data["message"] }
  }
  const message = without(data, "turn")
  return wrapUser({ ...event, type: "user/message", data: message }, ids, note)
}

const wrapUser = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  const data = dataOf(event)
  if (event.type !== "user/message" || !hasAll(data, "content", "source") || !hasNone(data, "id", "role")) return event
  note("rewritten", "user/message: id and role added")
  return { ...event, data: { ...data, id: ids.made("message", event.seq), role: "user" } }
}

/** Where the first writers said which model had answered. */
const oldSource = "provenance"

const wrapAssistant = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  const data = dataOf(event)
  const { content, [oldSource]: source } = data
  if (event.type !== "assistant/message" || content === undefined || Object.hasOwn(data, "message")) return event
  if (!isObject(source)) return event
  note("rewritten", "assistant/message: its message put together")
  const message = {
    id: ids.made("message", event.seq),
    role: "assistant",
    content,
    source: { ...source, kind: "model" }
  }
  return { ...event, data: { ...without(data, "content", oldSource), message } }
}

const wrapResult = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  const data = dataOf(event)
  const { callId, content, isError } = data
  if (event.type !== "tool/result" || Object.hasOwn(data, "message")) return event
  if (callId === undefined || content === undefined || isError === undefined) return event
  note("rewritten", "tool/result: its message put together")
  const message = {
    id: ids.result(event),
    role: "user",
    content: [{ type: "tool-result", toolCallId: callId, content, isError }],
    source: { kind: "tool", callId }
  }
  return { ...event, data: { ...without(data, "callId", "content", "isError"), message } }
}

// -----------------------------------------------------------------------------
// groups
// -----------------------------------------------------------------------------

const identifyRetry = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  if (event.type === "turn/start") ids.endRetries()
  if (event.type !== "llm/retry" || !isObject(event.data)) return event
  const retryId = ids.retry(event.data, event.seq)
  if (Object.hasOwn(event.data, "retryId")) return event
  note("rewritten", "llm/retry: retryId added")
  return { ...event, data: { ...event.data, retryId } }
}

const addCompaction = (holder: JsonObject, id: Json, what: string, note: Note): JsonObject => {
  if (Object.hasOwn(holder, "compactionId")) return holder
  note("rewritten", `${what}: compactionId added`)
  return { ...holder, compactionId: id }
}

/** The events of a compaction and the message that it leaves have one id. */
const identifyCompaction = (event: PlainEvent, ids: Identities, note: Note): PlainEvent => {
  const data = dataOf(event)
  if (event.type === "session/end-seed") ids.compaction = undefined
  if (event.type === "compaction/start") ids.compaction = data["compactionId"] ?? ids.made("compaction", event.seq)
  const id = ids.compaction
  if (id === undefined) return event
  switch (event.type) {
    case "compaction/end":
      ids.compaction = undefined
      return { ...event, data: addCompaction(data, id, event.type, note) }
    case "compaction/start":
    case "compaction/summary":
      return { ...event, data: addCompaction(data, id, event.type, note) }
    case "user/message": {
      const source = data["source"]
      if (!isObject(source) || source["kind"] !== "plugin" || source["plugin"] !== "compact") return event
      return { ...event, data: { ...data, source: addCompaction(source, id, "user/message of a compaction", note) } }
    }
    default:
      return event
  }
}

// -----------------------------------------------------------------------------
// the edge
// -----------------------------------------------------------------------------

/** The edge from format 0 to 1. */
export const v0ToV1 = edge.make({
  from: 0,
  to: 1,
  header: (header) => header,
  open: ({ header, note }) => {
    const ids = new Identities(header)
    const named = [rename, dropTrigger, convertReason, dropMessagePrefix]
    const identified = [wrapSteering, identifyRetry, identifyCompaction, wrapUser, wrapAssistant, wrapResult]
    return {
      push: (event) => {
        refuseRetired(event)
        const renamed = named.reduce((it, step) => step(it, note), event)
        const whole = identified.reduce((it, step) => step(it, ids, note), renamed)
        ids.keepResult(whole)
        return [whole]
      },
      finish: () => []
    }
  }
})
