/** Shrinks programs of the registry of tools: first to fewer steps, then to simpler ones. */
import type { Json } from "effect/Schema"
import type * as Restriction from "../../Restriction.ts"
import type { Contribution, Guard, Listener, Step, Tool, ToolRegistryProgram, Tools } from "../ToolRegistryProgram.ts"
import { fields, list, never, optional, type Shrinker, towards } from "./shrinking.ts"
import { changeOf, plugin, programOf, scope, toolOrder, withOptions } from "./shrinkSteps.ts"

const name = towards("a")
const toolName = towards("bash", "read")

const tool = fields<Tool>({
  name: toolName,
  parameters: towards<Tool["parameters"]>("path"),
  handler: towards<Tool["handler"]>("answers"),
  plugin
})

const restriction = fields<Restriction.Options>({
  allow: optional(list(toolName)),
  deny: optional(list(toolName)),
  plugin
})

const guard = fields<Guard>({
  name,
  check: towards<Guard["check"]>("passes", "refuses"),
  tool: optional(toolName),
  plugin
})

const listener = fields<Listener>({
  name,
  order: optional<number>(never),
  edit: towards<Listener["edit"]>("removes"),
  tool: toolName,
  plugin
})

const tools = fields<Tools>({ name, tool: toolName, plugin })

const contribution: Shrinker<Contribution> = (self) => {
  switch (self._tag) {
    case "Tool":
      return withOptions(self, tool)
    case "Restriction":
      return withOptions(self, restriction)
    case "Guard":
      return withOptions(self, guard)
    case "Listener":
      return withOptions(self, listener)
    case "Tools":
      return withOptions(self, tools)
  }
}

/** The simplest arguments are those that the simplest tool takes. */
const simplest: Json = { path: "a" }
const given: Shrinker<Json> = (value) => (JSON.stringify(value) === JSON.stringify(simplest) ? [] : [simplest])

const change = changeOf(contribution)

const step: Shrinker<Step> = (self) => {
  switch (self._tag) {
    case "View":
    case "Assemble":
      return scope(self.scope).map((scope) => ({ ...self, scope }))
    case "Call":
      return fields<typeof self>({ _tag: never, assembly: never, tool: toolName, arguments: given })(self)
    default:
      return change(self)
  }
}

/** Without the rest marker an order is refused. */
const isLegal = (order: ReadonlyArray<string> | undefined) => order === undefined || order.includes("<unlisted-tools>")

export const shrink: Shrinker<ToolRegistryProgram> = programOf({
  step,
  toolOrder: (order) => toolOrder(order).filter(isLegal)
})
