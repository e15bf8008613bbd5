/** The parts of an assembly, seen alike: sections, contexts, tools and variables. */
import type { JsonObject } from "effect/Schema"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import type * as Trace from "../Trace.ts"

export type Part = AssembledSection | AssembledContext | AssembledTool | AssembledVariable

/** The lists of an assembly, and what they hold. */
export const lists = [
  ["sections", "section"],
  ["contexts", "context"],
  ["tools", "tool"],
  ["variables", "variable"]
] as const satisfies ReadonlyArray<readonly [list: keyof Assembly, kind: Trace.Part["kind"]]>

export type List = (typeof lists)[number][0]

export const nameOf = (part: Part): string => ("schema" in part ? part.schema.name : part.name)

/** What a part says, where it comes from aside. */
export const toJson = (part: Part): JsonObject => {
  if ("schema" in part) {
    const { deferLoading, description, name, parameters } = part.schema
    return { name, description, parameters, ...(deferLoading === true ? { deferLoading } : undefined) }
  }
  if ("value" in part) return { name: part.name, value: part.value ?? null }
  const { interpolate, name, order, text } = part
  const textual = { name, order, text: text.toString(), interpolate }
  return "requires" in part ? { ...textual, requires: [...part.requires] } : textual
}

/** Whether two parts come from the same contribution, whichever listeners have changed them. */
export const sameSource = (a: Part, b: Part): boolean => Origin.equals(source(a), source(b))

const source = (part: Part): Origin.Origin => Origin.make({ ...part.origin, listener: undefined })
