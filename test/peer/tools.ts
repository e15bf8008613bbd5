/** Tools: which ones are legal, what a model sees of them, and how ours are sorted. */
import type { PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import type * as ToolSchema from "../../src/ToolSchema.ts"
import { depthOf } from "./boot.ts"
import { inOrder } from "../support/inOrder.ts"
import type { Look } from "./look.ts"
import { by, placeOf, restMarker, same } from "./order.ts"

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

export const isTool = ({ name, description, parameters }: ToolSchema.Input): boolean =>
  name !== "" && typeof description === "string" && isJson(parameters)

export const isReserved = ({ name }: { readonly name: string }): boolean => name === restMarker

/** The JSON of what a model sees of a tool. */
export const emit = (tool: PromptAssembly["tools"][number] & { readonly deferLoading?: unknown }): string => {
  const { name, description, parameters, deferLoading } = tool
  return JSON.stringify({ name, description, parameters, ...(deferLoading === true ? { deferLoading } : undefined) })
}

export const byToolOrder = ({ toolOrder }: Look) =>
  by<{ readonly name: string }>(
    (one) => placeOf(toolOrder, one.name),
    (one) => one.name
  )

/** The same, whatever order of keys its author chose. */
const canonical = (tool: PromptAssembly["tools"][number]): string =>
  emit(Object.assign({}, tool, { parameters: inOrder(tool.parameters) }))

/** Which provider gave each tool: the peer keeps those of one name in the order in which it collected them. */
const withGivers = (tools: PromptAssembly["tools"], { given }: Look) => {
  const seen = new Map<string, number>()
  return tools.map((tool) => {
    const nth = seen.get(tool.name) ?? 0
    seen.set(tool.name, nth + 1)
    const one = given.filter(({ name }) => name === tool.name)[nth]
    if (one === undefined) throw new Error(`nobody gave the tool ${tool.name}`)
    return { tool, ...one }
  })
}

/** Defers what is to be deferred, which rc.8 drops, and sorts tools of one name as ours are. */
export const sortTools = (assembly: PromptAssembly, look: Look): void => {
  const tools = withGivers(assembly.tools, look)
  for (const { tool, deferLoading } of tools) if (deferLoading) Object.assign(tool, { deferLoading })
  const sorted = tools.toSorted(
    by(
      ({ name }) => placeOf(look.toolOrder, name),
      ({ name }) => name,
      ({ entry }) => depthOf(entry.host.peer),
      ({ entry }) => entry.name,
      ({ tool }) => canonical(tool),
      ({ tool }) => emit(tool),
      ({ entry }) => entry.plugin ?? ""
    )
  )
  if (!same(tools, sorted)) look.notes.add("tools of one name")
  assembly.tools = sorted.map(({ tool }) => tool)
}
