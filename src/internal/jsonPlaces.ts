/** Places in JSON: which value an offset of its text belongs to, and in which values two differ. */
import type { Json, JsonObject } from "effect/Schema"
import { type JsonPath, toPath } from "./json.ts"

/** The JSONPath of the innermost value, or of the member whose key it is, at an offset of `JSON.stringify(value)`. */
export const pathAt = (value: Json, offset: number): string => toPath(stepsTo(value, offset))

const stepsTo = (value: Json, offset: number): JsonPath => {
  if (typeof value !== "object" || value === null) return []
  const members: Iterable<readonly [string | number, Json]> = isList(value) ? value.entries() : Object.entries(value)
  let start = 1
  for (const [key, member] of members) {
    const inside = start + (typeof key === "string" ? JSON.stringify(key).length + 1 : 0)
    const end = inside + JSON.stringify(member).length
    if (offset < start) return []
    // In the key the rest is negative, which is before all members of its value.
    if (offset < end) return [key, ...stepsTo(member, offset - inside)]
    start = end + 1
  }
  return []
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

const isRecord = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !isList(value)

/** `reordered`: the members that both objects have stand in another order. */
export interface PathChange {
  readonly path: string
  readonly change: "added" | "removed" | "changed" | "reordered"
}

/** The innermost places in which two values differ, those of the second from top to bottom after those that are gone. */
export const differences = (before: Json, after: Json): ReadonlyArray<PathChange> => {
  const found: Array<PathChange> = []
  const walk = (a: Json | undefined, b: Json | undefined, path: JsonPath): void => {
    if (a === b) return
    const here = (change: PathChange["change"]) => void found.push({ path: toPath(path), change })
    if (a === undefined) return here("added")
    if (b === undefined) return here("removed")
    if (isList(a) && isList(b)) {
      for (let i = 0; i < Math.max(a.length, b.length); i++) walk(a[i], b[i], [...path, i])
      return
    }
    if (!isRecord(a) || !isRecord(b)) return here("changed")
    const old = Object.keys(a)
    const now = Object.keys(b)
    for (const key of old) if (!Object.hasOwn(b, key)) walk(a[key], undefined, [...path, key])
    for (const key of now) walk(Object.hasOwn(a, key) ? a[key] : undefined, b[key], [...path, key])
    const common = old.filter((key) => Object.hasOwn(b, key))
    if (now.filter((key) => Object.hasOwn(a, key)).some((key, i) => key !== common[i])) here("reordered")
  }
  walk(before, after, [])
  return found
}
