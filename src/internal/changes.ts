/** What is different between two assemblies, list by list. */
import * as JsonPatch from "effect/JsonPatch"
import type { Assembly } from "../Assembly.ts"
import type * as Trace from "../Trace.ts"
import { byCodeUnits } from "./codeUnits.ts"
import * as parts from "./parts.ts"

export const changes = (before: Assembly, after: Assembly): Trace.Changes => {
  const added: Array<Trace.Part> = []
  const removed: Array<Trace.Part> = []
  const changed: Array<Trace.Changes["changed"][number]> = []
  const moved: Array<Trace.Part["kind"]> = []
  const patch: Array<JsonPatch.JsonPatchOperation> = []
  for (const [list, kind] of parts.lists) {
    if (before[list] === after[list]) continue
    const { gone, kept, stays } = pair(before[list], after[list])
    const named = (part: parts.Part): Trace.Part => ({ kind, name: parts.nameOf(part) })
    removed.push(...gone.map((i) => named(before[list][i]!)))
    if (!stays) moved.push(kind)
    const inserted: Array<JsonPatch.JsonPatchOperation> = []
    const replaced: Array<JsonPatch.JsonPatchOperation> = []
    for (const [j, part] of after[list].entries()) {
      const was = kept.get(j)
      const path = `/${list}/${j}`
      if (was === undefined) {
        added.push(named(part))
        inserted.push({ op: "add", path, value: parts.toJson(part) })
      } else if (before[list][was] !== part) {
        const inside = JsonPatch.get(parts.toJson(before[list][was]!), parts.toJson(part))
        changed.push({ ...named(part), fields: fieldsOf(inside) })
        replaced.push(...under(path, inside))
      }
    }
    const cut = gone.toReversed().map((i) => ({ op: "remove" as const, path: `/${list}/${i}` }))
    // By index, a list in another order is as good as another list.
    const whole = () => under(`/${list}`, JsonPatch.get(before[list].map(parts.toJson), after[list].map(parts.toJson)))
    patch.push(...(stays ? [...cut, ...inserted, ...replaced] : whole()))
  }
  return { added, removed, changed, moved, annotations: annotations(before, after), patch }
}

interface Paired {
  /** Indices of what is not in the second list, ascending. */
  readonly gone: ReadonlyArray<number>
  /** For an index of the second list that of the same part in the first, changed or not. */
  readonly kept: ReadonlyMap<number, number>
  /** Whether what is in both stands in the same order. */
  readonly stays: boolean
}

/** The very same parts belong together first, then those of one name, as they come. */
const pair = (before: ReadonlyArray<parts.Part>, after: ReadonlyArray<parts.Part>): Paired => {
  const kept = new Map<number, number>()
  /** Matches what is left by a key, and gives what is left then. */
  const match = (keyOf: (part: parts.Part) => unknown, left: ReadonlyArray<number>): ReadonlyArray<number> => {
    const queues = new Map<unknown, Array<number>>()
    for (const i of left) {
      const key = keyOf(before[i]!)
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, [i])
      else queue.push(i)
    }
    for (const [j, part] of after.entries()) {
      const i = kept.has(j) ? undefined : queues.get(keyOf(part))?.shift()
      if (i !== undefined) kept.set(j, i)
    }
    return [...queues.values()].flat().sort((a, b) => a - b)
  }
  const gone = match(
    parts.nameOf,
    match((part) => part, [...before.keys()])
  )
  const places = after.flatMap((_, j) => kept.get(j) ?? [])
  return { gone, kept, stays: places.every((place, j) => j === 0 || places[j - 1]! < place) }
}

const fieldsOf = (patch: JsonPatch.JsonPatch): ReadonlyArray<string> => [
  ...new Set(patch.map(({ path }) => path.split("/")[1]!))
]

const under = (path: string, patch: JsonPatch.JsonPatch): JsonPatch.JsonPatch =>
  patch.map((operation) => ({ ...operation, path: path + operation.path }))

const annotations = (before: Assembly, after: Assembly): ReadonlyArray<string> => {
  if (before.annotations === after.annotations) return []
  const [old, now] = [before.annotations.mapUnsafe, after.annotations.mapUnsafe]
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => old.has(key) !== now.has(key) || old.get(key) !== now.get(key))
    .sort(byCodeUnits)
}
