/** What is done to an assembly of the peer before all listeners. */
import type { Context } from "@deepseek-ai/cordis"
import type { AssembledSection } from "@deepseek-ai/dsh-system-prompt"
import { oldPersona } from "./boot.ts"
import { type Look, lookOf } from "./look.ts"
import { by, same } from "./order.ts"
import { sortTools } from "./tools.ts"

export const byPlace = (look: Look, kind: "section" | "context") =>
  by<AssembledSection>(
    (one) => look.factsOf(kind, one).order,
    (one) => one.name
  )

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
      assembly.sections = assembly.sections.filter((one) => one.name !== oldPersona).toSorted(byPlace(look, "section"))
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
