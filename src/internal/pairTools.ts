/** Which tools of two lists are one and the same: names do not tell, since they may repeat. */
import type { AssembledTool } from "../Assembly.ts"
import type { Pair } from "../Difference.ts"
import * as ToolSchema from "../ToolSchema.ts"

/** Keys that tell tools of one name apart, and pair those that belong together. They sort by name, whichever side comes first. */
export const pairTools = (
  before: ReadonlyArray<AssembledTool>,
  after: ReadonlyArray<AssembledTool>
): Pair<ReadonlyArray<string>> => {
  const texts = { before: before.map(textOfTool), after: after.map(textOfTool) }
  const keys = { before: numbered(texts.before), after: numbered(texts.after) }
  const [old, now] = [new Set(keys.before), new Set(keys.after)]
  const left = { before: namesakes(before, keys.before, now), after: namesakes(after, keys.after, old) }
  for (const [name, was] of left.before) {
    for (const [i, at] of (left.after.get(name) ?? []).entries()) {
      const from = was[i]
      if (from === undefined) break
      const both = `${keys.before[from]}\0${keys.after[at]}`
      keys.before[from] = both
      keys.after[at] = both
    }
  }
  return keys
}

const textOfTool = (tool: AssembledTool): string => ToolSchema.emit(tool.schema)

/** The same texts get numbers, from top to bottom. */
const numbered = (texts: ReadonlyArray<string>): Array<string> => {
  const counts = new Map<string, number>()
  return texts.map((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    return `${text}${count}`
  })
}

/** Places of the tools whose keys the other side has not, by name. */
const namesakes = (
  tools: ReadonlyArray<AssembledTool>,
  keys: ReadonlyArray<string>,
  other: ReadonlySet<string>
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (const [i, { schema }] of tools.entries()) {
    if (other.has(keys[i]!)) continue
    const found = places.get(schema.name)
    if (found === undefined) places.set(schema.name, [i])
    else found.push(i)
  }
  return places
}
