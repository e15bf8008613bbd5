/**
 * What a model sends while it answers, piece by piece, and the rows that pack many pieces of one kind.
 *
 * Packing loses nothing: `unpack` gives the pieces back with their times.
 */
import type { Json, JsonObject } from "effect/Schema"
import { isArray, isNatural, isObject, type PlainEvent } from "./plain.ts"
import { refuse } from "./refuse.ts"

/** A piece, with the time at which it came if the log says so. */
export interface Timed {
  readonly time?: number
  readonly chunk: JsonObject
}

interface Kind {
  /** The type of a piece that can be packed. */
  readonly delta: string
  /** The member of such a piece that is its text. */
  readonly text: string
  /** The member of the packed form that lists the texts. */
  readonly texts: string
  /** The members that all pieces of one packed form share. */
  readonly shared: ReadonlyArray<string>
}

const kinds: ReadonlyMap<string, Kind> = new Map([
  ["text-chunks", { delta: "text-delta", text: "text", texts: "texts", shared: ["index"] }],
  ["reasoning-chunks", { delta: "reasoning-delta", text: "text", texts: "texts", shared: ["index"] }],
  [
    "tool-call-chunks",
    { delta: "tool-call-delta", text: "argumentsDelta", texts: "args", shared: ["index", "id", "name"] }
  ]
])

const packedAs: ReadonlyMap<string, string> = new Map([...kinds].map(([type, kind]) => [kind.delta, type]))

// -----------------------------------------------------------------------------
// packed rows
// -----------------------------------------------------------------------------

/** Whether rows of this type stand for several events, in the formats 0 and 1. */
export const isPacked = (type: string): boolean => kinds.has(type)

const isText = (value: Json): value is string => typeof value === "string"

const isSafe = (value: Json | undefined): value is number => typeof value === "number" && Number.isSafeInteger(value)

const textsOf = (kind: Kind, packed: JsonObject): ReadonlyArray<string> => {
  const texts = packed[kind.texts]
  return isArray(texts) && texts.length > 0 && texts.every(isText)
    ? texts
    : refuse(`${kind.texts} must list the texts that were packed, at least one.`)
}

const gapsOf = (packed: JsonObject, pieces: number): ReadonlyArray<number> => {
  const gaps = packed["dt"]
  return isArray(gaps) && gaps.length === pieces - 1 && gaps.every(isSafe)
    ? gaps
    : refuse(`dt must list the milliseconds between the ${pieces} pieces, ${pieces - 1} of them.`)
}

const sharedOf = (kind: Kind, packed: JsonObject): JsonObject =>
  Object.fromEntries(kind.shared.flatMap((key) => (packed[key] === undefined ? [] : [[key, packed[key]]])))

/** The pieces that a packed form stands for. `time` is that of the first. */
const pieces = (type: string, packed: JsonObject, time: number | undefined): ReadonlyArray<Timed> => {
  const kind = kinds.get(type) ?? refuse(`${JSON.stringify(type)} packs nothing.`)
  const texts = textsOf(kind, packed)
  const gaps = gapsOf(packed, texts.length)
  const shared = sharedOf(kind, packed)
  let at = time
  return texts.map((text, index) => {
    if (at !== undefined && index > 0) at += gaps[index - 1]!
    const chunk = { type: kind.delta, ...shared, [kind.text]: text }
    return at === undefined ? { chunk } : { time: at, chunk }
  })
}

/** How many events a packed row stands for, after a look at its shape. */
export const countOf = (event: PlainEvent): number => {
  const kind = kinds.get(event.type)
  if (kind === undefined) return 1
  const data = isObject(event.data) ? event.data : refuse("data must be an object.")
  const { length } = textsOf(kind, data)
  gapsOf(data, length)
  for (const key of ["turn", "step", "index"]) {
    if (!isNatural(data[key])) refuse(`data.${key} of packed pieces must be a number 0, 1, 2, …`)
  }
  const known = ["turn", "step", "dt", kind.texts, ...kind.shared]
  const other = Object.keys(data).find((key) => !known.includes(key))
  if (other !== undefined) refuse(`packed pieces have an unexpected member ${JSON.stringify(other)}.`)
  return length
}

/** The events that a packed row stands for. */
export const unpack = (event: PlainEvent): ReadonlyArray<PlainEvent> => {
  if (!isObject(event.data)) return [event]
  const { turn, step } = event.data
  const time = isSafe(event["time"]) ? event["time"] : undefined
  return pieces(event.type, event.data, time).map((piece, index) => ({
    type: "assistant/chunk",
    seq: event.seq + index,
    ...(piece.time === undefined ? undefined : { time: piece.time }),
    data: { turn: turn ?? null, step: step ?? null, chunk: piece.chunk }
  }))
}

// -----------------------------------------------------------------------------
// streams
// -----------------------------------------------------------------------------

/** A record of a stream under way: what is known of it, and texts to which more may come. */
interface Open {
  readonly type: string
  readonly first: number | undefined
  readonly shared: JsonObject
  readonly gaps: Array<number>
  readonly texts: Array<string>
  last: number | undefined
}

/** The pieces of one answer, packed as they come. */
export class ChunkStream {
  readonly #records: Array<JsonObject | Open> = []
  readonly #open = new Set<object>()

  /** Takes one piece. */
  push({ chunk, time }: Timed): void {
    const type = typeof chunk["type"] === "string" ? packedAs.get(chunk["type"]) : undefined
    const kind = type === undefined ? undefined : kinds.get(type)
    const text = kind === undefined ? undefined : chunk[kind.text]
    const plain = kind === undefined || type === undefined || typeof text !== "string" || !holds(kind, chunk)
    if (plain) this.#records.push({ type: "chunk", ...(time === undefined ? undefined : { time }), chunk })
    else this.#extend(type, sharedOf(kind, chunk), time, [], [text])
  }

  /** Takes the pieces of a packed row, whose shape `countOf` has looked at. */
  pushPacked(type: string, packed: JsonObject, time: number | undefined): void {
    const kind = kinds.get(type) ?? refuse(`${JSON.stringify(type)} packs nothing.`)
    const texts = textsOf(kind, packed)
    this.#extend(type, sharedOf(kind, packed), time, gapsOf(packed, texts.length), texts)
  }

  /** What came so far. */
  records(): ReadonlyArray<JsonObject> {
    return this.#records.map((record) => (this.#isOpen(record) ? closed(record) : record))
  }

  #isOpen(record: JsonObject | Open): record is Open {
    return this.#open.has(record)
  }

  #extend(
    type: string,
    shared: JsonObject,
    time: number | undefined,
    gaps: ReadonlyArray<number>,
    texts: ReadonlyArray<string>
  ): void {
    const last = time === undefined ? undefined : gaps.reduce((sum, gap) => sum + gap, time)
    const record = this.#records.at(-1)
    const gap = record !== undefined && this.#isOpen(record) ? gapTo(record, type, shared, time) : undefined
    if (record !== undefined && this.#isOpen(record) && gap !== undefined) {
      record.gaps.push(gap)
      for (const one of gaps) record.gaps.push(one)
      for (const one of texts) record.texts.push(one)
      record.last = last
      return
    }
    const fresh: Open = { type, first: time, shared, gaps: [...gaps], texts: [...texts], last }
    this.#open.add(fresh)
    this.#records.push(fresh)
  }
}

/** Whether the packed form holds all of a piece. */
const holds = (kind: Kind, chunk: JsonObject): boolean =>
  Object.keys(chunk).every((key) => key === "type" || key === kind.text || kind.shared.includes(key))

/** The milliseconds from a record to a piece that fits it; `undefined` if it does not. */
const gapTo = (record: Open, type: string, shared: JsonObject, time: number | undefined): number | undefined => {
  if (record.type !== type || record.last === undefined || time === undefined) return undefined
  if (JSON.stringify(record.shared) !== JSON.stringify(shared)) return undefined
  const gap = time - record.last
  return Number.isSafeInteger(gap) ? gap : undefined
}

const closed = ({ first, gaps, shared, texts, type }: Open): JsonObject => {
  const { index, ...rest } = shared
  return {
    type,
    ...(first === undefined ? undefined : { time0: first }),
    ...(index === undefined ? undefined : { index }),
    dt: gaps,
    ...rest,
    [kinds.get(type)?.texts ?? "texts"]: texts
  }
}
