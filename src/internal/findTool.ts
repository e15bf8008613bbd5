/** Finds the tools of a list by name. Lists are frozen, so that their index is made once for each. */
import type { AssembledTool } from "../Assembly.ts"
import { ToolNotFound } from "../ToolError.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { nearest } from "./nearest.ts"

const indices = new WeakMap<ReadonlyArray<AssembledTool>, ReadonlyMap<string, ReadonlyArray<AssembledTool>>>()

/** The tools of that very name, in O(1) but for the first time that the list is asked. */
export const findTools = (tools: ReadonlyArray<AssembledTool>, name: string): ReadonlyArray<AssembledTool> => {
  if (!Object.isFrozen(tools)) return tools.filter((tool) => tool.schema.name === name)
  let index = indices.get(tools)
  if (index === undefined) indices.set(tools, (index = indexOf(tools)))
  return index.get(name) ?? []
}

const indexOf = (tools: ReadonlyArray<AssembledTool>): ReadonlyMap<string, ReadonlyArray<AssembledTool>> => {
  const index = new Map<string, Array<AssembledTool>>()
  for (const tool of tools) {
    const namesakes = index.get(tool.schema.name)
    if (namesakes === undefined) index.set(tool.schema.name, [tool])
    else namesakes.push(tool)
  }
  return index
}

const most = 100

/** What a call of a name that was not shown fails with. It follows from that name and the names shown. */
export const notFound = (shown: ReadonlyArray<string>, name: string): ToolNotFound => {
  const names = [...new Set(shown)].sort(byCodeUnits)
  const near = nearest(name, names)
  return new ToolNotFound({
    tool: name,
    known: names.slice(0, most),
    ...(names.length > most ? { more: names.length - most } : undefined),
    ...(near === undefined ? undefined : { nearest: near })
  })
}
