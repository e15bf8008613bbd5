/**
 * Physical rows of a log and the events that they stand for.
 *
 * Row 0 is the header. In the formats 0 and 1 a row may pack pieces of an answer, and counts as many events as it packs;
 * citations may name ranges, `[first, last]`. Where the numbers of events were left out, their places count.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import type { Json, JsonArray, JsonObject } from "effect/Schema"
import { describe } from "../../internal/json.ts"
import * as chunks from "./chunks.ts"
import { isArray, isNatural, isObject, type PlainEvent, without } from "./plain.ts"
import { attempt, refuse, type Refused } from "./refuse.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A row that was read: an event, or several that one row packs, and how many those are.
 *
 * @since 0.1.0
 * @category models
 */
export interface Read {
  readonly event: PlainEvent
  readonly count: number
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Later formats have no packed rows, and may have events of that name. */
const packs = (version: number, type: string): boolean => version < 2 && chunks.isPacked(type)

const rangeOf = (range: JsonArray): readonly [number, number] => {
  const [first, last] = range
  return range.length === 2 && isNatural(first) && isNatural(last) && first <= last
    ? [first, last]
    : refuse("a range in sourceEventSeqs must be a pair of numbers, the first not above the last.")
}

/** A citation that names more events than there are before is no list to be written out. */
const expandRanges = (sources: JsonArray, seq: number): JsonArray => {
  const listed: Array<Json> = []
  for (const source of sources) {
    if (!isArray(source)) {
      listed.push(source)
      continue
    }
    const [first, last] = rangeOf(source)
    if (last >= seq) refuse(`sourceEventSeqs names events up to ${last}, and this one is event ${seq}.`)
    for (let cited = first; cited <= last; cited++) {
      if (listed.length === seq) refuse("sourceEventSeqs names events twice.")
      listed.push(cited)
    }
  }
  return listed
}

const seqOf = (row: JsonObject, keys: ReadonlyArray<string>, next: number): number => {
  const key = keys.find((key) => Object.hasOwn(row, key))
  const seq = key === undefined ? next : row[key]
  if (seq === next) return next
  return refuse(`${key} must be ${next}, the number of events before, found ${JSON.stringify(seq) ?? "nothing"}.`)
}

/** Packed rows say with other names when and where their first event is. */
const unify = (row: JsonObject): JsonObject => {
  const time = row["time0"]
  return { ...without(row, "seq0", "time0"), ...(time === undefined ? undefined : { time }) }
}

/**
 * Reads a row after the header of a log in the format `version`, `next` being the number of events before it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = (version: number, row: Json, next: number): Result.Result<Read, Refused> =>
  attempt(() => {
    if (!isObject(row)) return refuse(`a row must be an object, found ${describe(row)}.`)
    const { data, type } = row
    if (typeof type !== "string" || type === "") return refuse("a row must have a type, a text that is not empty.")
    if (data === undefined) return refuse("a row must have data.")
    const packed = packs(version, type)
    const seq = seqOf(row, packed ? ["seq0", "seq"] : ["seq"], next)
    const event = { ...(packed ? unify(row) : row), type, seq, data }
    const sources = row["sourceEventSeqs"]
    return {
      event: isArray(sources) ? { ...event, sourceEventSeqs: expandRanges(sources, seq) } : event,
      count: packed ? chunks.countOf(event) : 1
    }
  })

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The events that a row of a log in the format `version` stands for: itself, unless it packs others.
 *
 * @since 0.1.0
 * @category destructors
 */
export const unpack = (version: number, { event }: Read): ReadonlyArray<PlainEvent> =>
  packs(version, event.type) ? chunks.unpack(event) : [event]
