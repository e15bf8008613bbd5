/** The rules that an event keeps in itself, whatever stands in the log before it. */
import type { Json, JsonObject } from "effect/Schema"
import * as json from "../../internal/json.ts"
import { type Rule, SurfaceViolation } from "../SessionError.ts"

// -----------------------------------------------------------------------------
// members
// -----------------------------------------------------------------------------

const names: ReadonlyArray<string> = ["seq", "time", "type", "data", "surfaceOp", "sourceEventSeqs", "ignorable"]

export const isSeq = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0)

export const type = (walk: json.Walk, value: unknown): string =>
  typeof value === "string" && value !== ""
    ? value
    : json.refuse(walk, `expected the type of an event, found ${json.describe(value)}.`)

export const seq = (walk: json.Walk, value: unknown): number =>
  isSeq(value)
    ? value
    : json.refuse(walk, `expected the place in the log, an integer from 0, found ${json.describe(value)}.`)

/** Refuses members that no event has, and malformed ones of those that any event may have. */
export const members = (walk: json.Walk, event: JsonObject): void => {
  for (const [key, value] of Object.entries(event)) {
    walk.path.push(key)
    if (!names.includes(key)) json.refuse(walk, `an event has no member of this name. It has ${names.join(", ")}.`)
    if (key === "time" && typeof value !== "number") {
      json.refuse(walk, `expected milliseconds since 1970, found ${json.describe(value)}.`)
    }
    if (key === "ignorable" && value !== true) json.refuse(walk, "expected true. Leave it out otherwise.")
    walk.path.pop()
  }
}

/** The data, which every event has. */
export const data = (walk: json.Walk, event: JsonObject): Json =>
  json.member(walk, event, "data", () => event["data"] ?? orNull(walk, event))

const orNull = (walk: json.Walk, event: JsonObject): Json =>
  Object.hasOwn(event, "data") ? null : json.refuse(walk, "an event has data. Write null if there is none.")

// -----------------------------------------------------------------------------
// rules of the surface
// -----------------------------------------------------------------------------

export type Kind = "surface" | "log-only" | "opaque"

type Refuse = (rule: Rule, reason: string, seqs?: ReadonlyArray<number>) => SurfaceViolation

/** The first rule of the surface that an event breaks in itself. */
export const violation = (kind: Kind, type: string, seq: number, event: JsonObject): SurfaceViolation | undefined => {
  const refuse: Refuse = (rule, reason, seqs = []) => new SurfaceViolation({ rule, type, seq, seqs, reason })
  if (kind === "surface") {
    return operation(refuse, seq, event["surfaceOp"]) ?? citation(refuse, type, seq, event)
  }
  if (kind === "opaque" && event["ignorable"] === true) return undefined
  const member = ["surfaceOp", "sourceEventSeqs"].find((key) => Object.hasOwn(event, key))
  if (member === undefined) return undefined
  return kind === "log-only"
    ? refuse("log-only", `it is never part of what the model sees, and has ${member}. Leave that out.`)
    : refuse(
        "unknown-on-surface",
        `this library does not know the type, and its ${member} says that it concerns what the model sees. Use a version that knows it.`
      )
}

const isObject = (value: Json): value is JsonObject => json.isRecord(value)

const operation = (refuse: Refuse, seq: number, op: Json | undefined): SurfaceViolation | undefined => {
  if (op === undefined) return refuse("operation", 'it has no surfaceOp. Write "append", or what it replaces.')
  if (op === "append") return undefined
  if (typeof op === "string" || !isObject(op)) {
    const found = typeof op === "string" ? JSON.stringify(op) : json.describe(op)
    return refuse(
      "operation",
      `expected "append" or an object with op, startSeq and endSeq as surfaceOp, found ${found}.`
    )
  }
  const { endSeq, op: kind, startSeq, ...others } = op
  const [other] = Object.keys(others)
  if (other !== undefined) return refuse("operation", `a replacement has op, startSeq and endSeq, not ${other}.`)
  if (kind !== "replace") return refuse("operation", 'the op of a replacement is "replace".')
  for (const [key, value] of Object.entries({ startSeq, endSeq })) {
    if (!isSeq(value)) return refuse("operation", `${key} must be an integer from 0.`)
    if (value >= seq) return refuse("endpoint", `${key} ${value} is no earlier event.`, [value])
  }
  return undefined
}

const citation = (refuse: Refuse, type: string, seq: number, event: JsonObject): SurfaceViolation | undefined => {
  const cited = event["sourceEventSeqs"]
  if (type === "assistant/message" && (cited !== undefined || event["surfaceOp"] !== "append")) {
    return refuse("citation", "what the model said cites nothing and replaces nothing. Append it.")
  }
  if (cited === undefined) return undefined
  if (!Array.isArray(cited) || cited.length === 0) {
    return refuse("citation", "sourceEventSeqs must list at least one event. Leave it out otherwise.")
  }
  const seen = new Set<number>()
  for (const one of cited) {
    if (!isSeq(one)) return refuse("citation", "sourceEventSeqs must be integers from 0.")
    if (one >= seq) return refuse("citation", `sourceEventSeqs has ${one}, which is no earlier event.`, [one])
    if (seen.has(one)) return refuse("citation", `sourceEventSeqs has ${one} twice.`, [one])
    seen.add(one)
  }
  return undefined
}
