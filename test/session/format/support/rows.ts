/** Logs written by hand, a row at a time. */
import type { Json, JsonObject } from "effect/Schema"

export type Row = readonly [type: string, data: Json, more?: JsonObject]

/** The lines of a log. Rows are numbered from 0 and come ten milliseconds apart. */
export const log = (version: number, rows: ReadonlyArray<Row>, header: JsonObject = {}): ReadonlyArray<string> => {
  const seeded = version < 2 ? {} : { isSeeded: false }
  const first = { type: "session", version, id: "s", createdAt: 1000, ...seeded, delegationDepth: 0, ...header }
  return [first, ...rows.map(([type, data, more], seq) => ({ type, seq, time: 1010 + 10 * seq, data, ...more }))].map(
    (row) => JSON.stringify(row)
  )
}

export const step: ReadonlyArray<Row> = [
  ["turn/start", { turn: 1 }],
  ["step/start", { turn: 1, step: 1 }]
]

export const stepEnd: Row = ["step/end", { turn: 1, step: 1 }]

export const text = (text: string): JsonObject => ({ type: "text", text })

export const append: JsonObject = { surfaceOp: "append" }

export const user = (id: string, said: string, more: JsonObject = append): Row => [
  "user/message",
  { role: "user", id, source: { kind: "user" }, content: [text(said)] },
  more
]

export const header = (more: JsonObject = {}, reason = "initial"): Row => [
  "request/header",
  { header: { config: { provider: "p", model: "m" }, ...more }, reason }
]

export const model: JsonObject = { kind: "model", provider: "p", model: "m" }

export const assistant = (id: string, said: string, more: JsonObject = append): Row => [
  "assistant/message",
  { turn: 1, step: 1, message: { role: "assistant", id, source: model, content: [text(said)] } },
  more
]

export const chunk = (chunk: JsonObject): Row => ["assistant/chunk", { turn: 1, step: 1, chunk }]

export const delta = (said: string): Row => chunk({ type: "text-delta", index: 0, text: said })

/** A result as it was before format 4. */
export const result = (id: string, callId: string, content: ReadonlyArray<Json>, more: JsonObject = append): Row => [
  "tool/result",
  {
    turn: 1,
    step: 1,
    message: {
      role: "user",
      id,
      source: { kind: "tool", callId },
      content: [{ type: "tool-result", toolCallId: callId, content }]
    }
  },
  more
]
