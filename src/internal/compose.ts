/** Makes the assembly of a plan and the values of its contributions. */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import type { Slots } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import type { UnknownTool } from "../PromptError.ts"
import type { Text } from "../Template.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { inherit } from "./toolLink.ts"
import type { Tools, Values } from "./values.ts"

export const compose = <K extends Slots>(
  plan: Plan<K>,
  values: Values,
  toolOrder: ToolOrder.ToolOrder | undefined,
  sortToolKeys: boolean
): Result.Result<Assembly, UnknownTool> =>
  Result.map(toolsOf(plan.tools, values.tools, toolOrder, sortToolKeys), (tools) =>
    assemblyOf(plan, toolOrder, {
      sections: freezeAll(plan.sections, values.sections, sectionOf),
      contexts: freezeAll(plan.contexts, values.contexts, contextOf),
      tools,
      variables: freezeAll(plan.variables, values.variables, variableOf)
    })
  )

const freezeAll = <P, V, A>(
  planned: ReadonlyArray<P>,
  values: ReadonlyArray<V>,
  of: (planned: P, value: V) => A
): ReadonlyArray<A> => Object.freeze(planned.map((one, i) => of(one, values[i]!)))

/** The assembly of a plan whose lists have been made. */
export const assemblyOf = <K extends Slots>(
  plan: Plan<K>,
  toolOrder: ToolOrder.ToolOrder | undefined,
  lists: Pick<Assembly, "sections" | "contexts" | "tools" | "variables">
): Assembly =>
  Object.freeze({
    scope: plan.scope,
    sections: lists.sections,
    contexts: lists.contexts,
    tools: lists.tools,
    variables: lists.variables,
    complete: plan.complete,
    suppressed: plan.suppressed,
    toolOrder,
    annotations: noAnnotations
  })

const noAnnotations = Context.empty()

export const sectionOf = ({ entry, origin }: Plan<Slots>["sections"][number], text: Text): AssembledSection =>
  Object.freeze({
    name: entry.name,
    order: entry.order,
    text,
    interpolate: entry.interpolate,
    requires: entry.requires,
    origin
  })

export const contextOf = ({ entry, origin }: Plan<Slots>["contexts"][number], text: Text): AssembledContext =>
  Object.freeze({ name: entry.name, order: entry.order, text, interpolate: entry.interpolate, origin })

export const variableOf = (
  { entry, origin }: Plan<Slots>["variables"][number],
  value: string | undefined
): AssembledVariable => Object.freeze({ name: entry.name, value, origin })

/** The same tool, for whoever asks what was registered. */
const withSortedKeys = (tool: AssembledTool): AssembledTool => {
  const schema = ToolSchema.sortKeys(tool.schema)
  return schema === tool.schema ? tool : inherit(Object.freeze({ schema, origin: tool.origin }), tool)
}

/** The tools of all providers, in the order in which the model is shown them. */
export const toolsOf = (
  providers: Plan<Slots>["tools"],
  values: ReadonlyArray<Tools>,
  toolOrder: ToolOrder.ToolOrder | undefined,
  sortToolKeys: boolean
): Result.Result<ReadonlyArray<AssembledTool>, UnknownTool> => {
  const ranked: Array<{ readonly tool: AssembledTool; readonly position: number; readonly provider: string }> = []
  const known = new Set<string>()
  providers.forEach(({ entry, origin, position }, i) => {
    const { assembled, knownNames, schemas } = values[i]!
    for (const name of knownNames) known.add(name)
    const from = entry.name === undefined ? origin : Origin.make({ ...origin, provider: entry.name })
    for (const tool of assembled ?? schemas.map((schema): AssembledTool => Object.freeze({ schema, origin: from }))) {
      known.add(tool.schema.name)
      ranked.push({ tool: sortToolKeys ? withSortedKeys(tool) : tool, position, provider: entry.name ?? "" })
    }
  })
  // Tools of one name: by chain position, then provider, then schema, so that registration order never shows. Equal ones
  // keep the order of the plan, which is by plugin.
  ranked.sort(
    (a, b) =>
      byCodeUnits(a.tool.schema.name, b.tool.schema.name) ||
      a.position - b.position ||
      byCodeUnits(a.provider, b.provider) ||
      ToolSchema.Order(a.tool.schema, b.tool.schema)
  )
  return Result.map(
    ToolOrder.sort(
      ranked.map(({ tool }) => tool),
      toolOrder,
      known
    ),
    (sorted) => Object.freeze(sorted)
  )
}
