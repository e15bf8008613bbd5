/** An event of a log of any format, as plain JSON of which nobody has checked more than the envelope. */
import type { Json, JsonArray, JsonObject } from "effect/Schema"
import { describe } from "../../internal/json.ts"
import { isSeq } from "../internal/envelope.ts"
import { refuse } from "./refuse.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * An event, or in the formats 0 and 1 a row that packs several of them. `time`, `surfaceOp`, `sourceEventSeqs` and
 * `ignorable` are there or not, and are JSON of any kind.
 */
export interface PlainEvent extends JsonObject {
  readonly type: string
  /** The place in the log, from 0; of a packed row, that of its first event. */
  readonly seq: number
  readonly data: Json
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

/** Whether a value is an object and no array. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a value is an array. */
export const isArray = (value: Json | undefined): value is JsonArray => Array.isArray(value)

/** Whether a value is 0, 1, 2, … */
export const isNatural: (value: Json | undefined) => value is number = isSeq

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** An object without some of its members. */
export const without = (value: JsonObject, ...keys: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))

/** The value if it is an object; else the stage refuses the event. `what` begins the sentence. */
export const objectOf = (value: Json | undefined, what: string): JsonObject =>
  isObject(value) ? value : refuse(`${what} must be an object, found ${describe(value)}.`)

/** As `objectOf`, for arrays. */
export const arrayOf = (value: Json | undefined, what: string): JsonArray =>
  isArray(value) ? value : refuse(`${what} must be an array, found ${describe(value)}.`)

/** As `objectOf`, for numbers that count. */
export const naturalOf = (value: Json | undefined, what: string): number =>
  isNatural(value) ? value : refuse(`${what} must be a number 0, 1, 2, …, found ${JSON.stringify(value) ?? "nothing"}.`)

/** As `objectOf`, for texts that are not empty. */
export const textOf = (value: Json | undefined, what: string): string =>
  typeof value === "string" && value !== ""
    ? value
    : refuse(`${what} must be a text that is not empty, found ${describe(value)}.`)

/** Refuses members that would be lost. */
export const onlyKeys = (value: JsonObject, keys: ReadonlyArray<string>, what: string): void => {
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) refuse(`${what} has an unexpected member ${JSON.stringify(key)}, which would be lost.`)
  }
}
