/** What is done to an assembly of the peer before all listeners. */
import type { Context } from "@deepseek-ai/cordis"
import type { AssembledSection, PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import { depthOf, oldPersona } from "./boot.ts"
import { type Look, lookOf } from "./look.ts"
import { by, placeOf, same } from "./order.ts"

export const byPlace = (look: Look, kind: "section" | "context") =>
  by<AssembledSection>(
    (one) => look.factsOf(kind, one).order,
    (one) => one.name
  )

export const byToolOrder = ({ toolOrder }: Look) =>
  by<{ readonly name: string }>(
    (one) => placeOf(toolOrder, one.name),
    (one) => one.name
  )

/** Ours sort same-named tools; the peer keeps them as they were collected, so that tells which is which. */
const sortTools = (assembly: PromptAssembly, look: Look): void => {
  const seen = new Map<string, number>()
  const tools = assembly.tools.map((tool) => {
    const nth = seen.get(tool.name) ?? 0
    seen.set(tool.name, nth + 1)
    const one = look.given.filter(({ name }) => name === tool.name)[nth]
    if (one === undefined) throw new Error(`nobody gave the tool ${tool.name}`)
    if (one.deferLoading) Object.assign(tool, { deferLoading: true })
    return { tool, entry: one.entry }
  })
  const sorted = tools.toSorted(
    by(
      ({ tool }) => placeOf(look.toolOrder, tool.name),
      ({ tool }) => tool.name,
      ({ entry }) => depthOf(entry.host.peer),
      ({ entry }) => entry.name,
      ({ tool }) => emit(tool),
      ({ entry }) => entry.plugin ?? ""
    )
  )
  if (!same(tools, sorted)) look.notes.add("tools of one name")
  assembly.tools = sorted.map(({ tool }) => tool)
}

/**
 * Runs before all other listeners, and does to what the peer assembled what the newer rules and ours would have done:
 * no section for the old persona, sections of one order by name (which is new since 0.1.2), and the orders of contexts
 * and tools. What is deferred passes (new since 0.1.7).
 */
export const prepare = (ctx: Context): void => {
  ctx.on(
    "system-prompt/assemble",
    (assembly, context, next) => {
      const look = lookOf(context)
      assembly.sections = assembly.sections
        .filter((one) => one.name !== oldPersona)
        .toSorted(byPlace(look, "section"))
      const contexts = assembly.contexts.toSorted(byPlace(look, "context"))
      if (!same(contexts, assembly.contexts)) look.notes.add("context ties")
      assembly.contexts = contexts
      const names = Object.keys(assembly.variables)
      if (!same(names, names.toSorted())) look.notes.add("variable order")
      sortTools(assembly, look)
      return next()
    },
    { global: true }
  )
}

/** The JSON of what a model sees of a tool. */
export const emit = (tool: PromptAssembly["tools"][number] & { readonly deferLoading?: unknown }): string => {
  const { name, description, parameters, deferLoading } = tool
  return JSON.stringify({ name, description, parameters, ...(deferLoading === true ? { deferLoading } : undefined) })
}
