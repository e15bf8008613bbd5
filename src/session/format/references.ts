/**
 * The members of events that name other events of the same log by their number.
 *
 * No other number is touched: turns, steps and indices of blocks count something else, and what a log says of another
 * session, or of an earlier format of itself, is numbered as it was there.
 */
import type { Json, JsonObject } from "effect/Schema"
import { arrayOf, isArray, isObject, naturalOf, objectOf, type PlainEvent } from "./plain.ts"
import { isSurface } from "./vocabulary.ts"

/** Gives the new number of an event; `where` names the member that refers to it. */
export type Locate = (seq: number, where: string) => number

/** What the two ends of something are called. */
type Ends = readonly [start: string, end: string]

/** The ends of a replacement got other names with format 3. */
const replacementEnds = (version: number): Ends => (version < 3 ? ["start", "end"] : ["startSeq", "endSeq"])

const one = (value: Json, where: string, locate: Locate): number => locate(naturalOf(value, where), where)

const list = (value: Json, where: string, locate: Locate): Json =>
  arrayOf(value, where).map((seq, index) => one(seq, `${where}[${index}]`, locate))

/** An object with two ends. Members that are missing stay so. */
const range = (value: JsonObject, [start, end]: Ends, where: string, locate: Locate): JsonObject => {
  const moved: Record<string, Json> = {}
  for (const key of [start, end]) {
    const seq = value[key]
    if (seq !== undefined) moved[key] = one(seq, `${where}.${key}`, locate)
  }
  return { ...value, ...moved }
}

const targets = (value: Json, where: string, locate: Locate): Json =>
  arrayOf(value, where).map((target, index) => {
    const it = objectOf(target, `${where}[${index}]`)
    const seq = it["seq"]
    return seq === undefined ? it : { ...it, seq: one(seq, `${where}[${index}].seq`, locate) }
  })

const ofRange = (value: Json, where: string, locate: Locate): Json =>
  range(objectOf(value, where), ["start", "end"], where, locate)

type Member = readonly [key: string, move: (value: Json, where: string, locate: Locate) => Json]

const shadowed: ReadonlyArray<Member> = [
  ["shadowedRange", ofRange],
  ["shadowedSeqs", list]
]

/** By type, the members of the data that refer to events. */
const members: ReadonlyMap<string, ReadonlyArray<Member>> = new Map([
  ["command/done", [["sourceEventSeq", one]]],
  ["compaction/summary", shadowed],
  ["compaction/prune", shadowed],
  ["session/title", [["messageSeqs", list]]],
  ["session/title-llm-request", [["messageSeqs", list]]],
  ["image/offload", [["targets", targets]]]
])

const moveData = (event: PlainEvent, locate: Locate): Json => {
  const known = members.get(event.type)
  if (known === undefined || !isObject(event.data)) return event.data
  let data = event.data
  for (const [key, move] of known) {
    const value = data[key]
    if (value !== undefined) data = { ...data, [key]: move(value, `data.${key}`, locate) }
  }
  return data
}

/**
 * The event with everything in it that refers to events in new numbers, itself excepted. What may be passed over keeps
 * even what it says of the surface: nobody reads it.
 */
export const remap = (event: PlainEvent, version: number, locate: Locate): PlainEvent => {
  const data = moveData(event, locate)
  if (!isSurface(version, event.type)) return data === event.data ? event : { ...event, data }
  const { sourceEventSeqs, surfaceOp } = event
  return {
    ...event,
    data,
    ...(isArray(sourceEventSeqs) ? { sourceEventSeqs: list(sourceEventSeqs, "sourceEventSeqs", locate) } : undefined),
    ...(isObject(surfaceOp)
      ? { surfaceOp: range(surfaceOp, replacementEnds(version), "surfaceOp", locate) }
      : undefined)
  }
}
