/** JSON with its keys in the one order that does not depend on its author. */
import type { Json, JsonArray, JsonObject } from "effect/Schema"
import { byCodeUnits } from "./codeUnits.ts"
import { put } from "./json.ts"

/**
 * An object with its keys, and those of all objects in it, sorted by UTF-16 code units; lists keep their order. Frozen
 * where it is new; what is sorted already comes back as it is, so that sorting twice gives the same object.
 *
 * Keys that look like indices ("0", "10") come first and by their number: a JavaScript object has them nowhere else.
 */
export const sortKeys = (self: JsonObject): JsonObject => {
  const keys = Object.keys(self)
  const sorted: Record<string, Json> = {}
  let same = true
  for (const key of [...keys].sort(byCodeUnits)) {
    const value = self[key]!
    const inner = sortIn(value)
    same &&= inner === value
    put(sorted, key, inner)
  }
  // Compared with what came out: where indices stand is not for us to say.
  return same && Object.keys(sorted).every((key, i) => key === keys[i]) ? self : Object.freeze(sorted)
}

const sortIn = (value: Json): Json => {
  if (typeof value !== "object" || value === null) return value
  return isList(value) ? sortInList(value) : sortKeys(value)
}

const sortInList = (list: JsonArray): JsonArray => {
  const sorted = list.map(sortIn)
  return sorted.every((item, i) => item === list[i]) ? list : Object.freeze(sorted)
}

const isList = (value: JsonArray | JsonObject): value is JsonArray => Array.isArray(value)
