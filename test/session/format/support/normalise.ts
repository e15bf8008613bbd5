/** A migrated log without what only says how it was made: the names that migrations make up. */
import type { Json } from "effect/Schema"
import { isArray, isObject } from "../../../../src/session/format/plain.ts"
import type { Style } from "./story.ts"
import type { Migrated } from "./run.ts"

const made = new Set(["compactionId", "retryId"])

const strip = (value: Json, drops: (key: string, value: Json) => boolean): Json => {
  if (isArray(value)) return value.map((one) => strip(one, drops))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, it]) => (drops(key, it) ? [] : [[key, strip(it, drops)]]))
  )
}

/** Prompts had no identity before format 3, and in the shapes of the first writers nothing had one. */
export const normalise = ({ events, header }: Migrated, { legacy }: Style): Json => {
  const drops = (key: string, value: Json): boolean =>
    (key === "id" && typeof value === "string" && (legacy || /^(v2-to-v3-)?system-/.test(value))) ||
    (legacy && made.has(key))
  return strip(JSON.parse(JSON.stringify({ header, events })), drops)
}
