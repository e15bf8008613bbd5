/** Makes the assembly of a plan and the values of its contributions. */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { Assembly, AssembledTool } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import type { Slots } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import type { UnknownTool } from "../PromptError.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { byCodeUnits } from "./codeUnits.ts"
import type { Values } from "./values.ts"
import { markWellFormed } from "./wellFormed.ts"

export const compose = <K extends Slots>(
  plan: Plan<K>,
  values: Values,
  toolOrder: ToolOrder.ToolOrder | undefined
): Result.Result<Assembly, UnknownTool> =>
  Result.map(orderedTools(plan, values, toolOrder), (tools) =>
    markWellFormed({
      scope: plan.scope,
      sections: freezeAll(plan.sections, ({ entry, origin }, i) => ({
        name: entry.name,
        order: entry.order,
        text: values.sections[i]!,
        interpolate: entry.interpolate,
        requires: entry.requires,
        origin
      })),
      contexts: freezeAll(plan.contexts, ({ entry, origin }, i) => ({
        name: entry.name,
        order: entry.order,
        text: values.contexts[i]!,
        interpolate: entry.interpolate,
        origin
      })),
      tools: Object.freeze(tools),
      variables: freezeAll(plan.variables, ({ entry, origin }, i) => ({
        name: entry.name,
        value: values.variables[i],
        origin
      })),
      complete: plan.complete,
      suppressed: plan.suppressed,
      toolOrder,
      annotations: Context.empty()
    })
  )

const freezeAll = <A, B extends object>(list: ReadonlyArray<A>, f: (a: A, i: number) => B): ReadonlyArray<B> =>
  Object.freeze(list.map((a, i) => Object.freeze(f(a, i))))

const orderedTools = <K extends Slots>(
  plan: Plan<K>,
  values: Values,
  toolOrder: ToolOrder.ToolOrder | undefined
): Result.Result<ReadonlyArray<AssembledTool>, UnknownTool> => {
  const ranked: Array<{ readonly tool: AssembledTool; readonly position: number; readonly provider: string }> = []
  const known = new Set<string>()
  plan.tools.forEach(({ entry, origin, position }, i) => {
    const { schemas, knownNames } = values.tools[i]!
    for (const name of knownNames) known.add(name)
    const from = entry.name === undefined ? origin : Origin.make({ ...origin, provider: entry.name })
    for (const schema of schemas) {
      known.add(schema.name)
      ranked.push({ tool: Object.freeze({ schema, origin: from }), position, provider: entry.name ?? "" })
    }
  })
  // Tools of one name: by chain position, then provider, then JSON, so that registration order never shows. Equal ones
  // keep the order of the plan, which is by plugin.
  ranked.sort(
    (a, b) =>
      byCodeUnits(a.tool.schema.name, b.tool.schema.name) ||
      a.position - b.position ||
      byCodeUnits(a.provider, b.provider) ||
      ToolSchema.Order(a.tool.schema, b.tool.schema)
  )
  return ToolOrder.sort(
    ranked.map(({ tool }) => tool),
    toolOrder,
    known
  )
}
