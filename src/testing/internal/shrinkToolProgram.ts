/** Shrinks programs of the registry of tools: first to fewer steps, then to simpler ones. */
import type { Json } from "effect/Schema"
import type * as Restriction from "../../Restriction.ts"
import type { Contribution, Guard, Listener, Step, Tool, ToolRegistryProgram, Tools } from "../ToolRegistryProgram.ts"
import { link, unlink } from "./references.ts"
import { fields, items, list, never, optional, removals, type Shrinker, towards } from "./shrinking.ts"

const name = towards("a")
const toolName = towards("bash", "read")
const plugin = optional<string>(never)

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
      return tool(self.options).map((options) => ({ ...self, options }))
    case "Restriction":
      return restriction(self.options).map((options) => ({ ...self, options }))
    case "Guard":
      return guard(self.options).map((options) => ({ ...self, options }))
    case "Listener":
      return listener(self.options).map((options) => ({ ...self, options }))
    case "Tools":
      return tools(self.options).map((options) => ({ ...self, options }))
  }
}

const scope = towards(0)

/** The simplest arguments are those that the simplest tool takes. */
const simplest: Json = { path: "a" }
const given: Shrinker<Json> = (value) => (JSON.stringify(value) === JSON.stringify(simplest) ? [] : [simplest])

const step: Shrinker<Step> = (self) => {
  switch (self._tag) {
    case "Open":
      return fields<typeof self>({ _tag: never, label: towards("agent"), parent: scope })(self)
    case "Register":
      return fields<typeof self>({ _tag: never, scope, contribution })(self)
    case "Rebind":
      return scope(self.parent).map((parent) => ({ ...self, parent }))
    case "View":
    case "Assemble":
      return scope(self.scope).map((scope) => ({ ...self, scope }))
    case "Call":
      return fields<typeof self>({ _tag: never, assembly: never, tool: toolName, arguments: given })(self)
    default:
      return []
  }
}

const toolOrder = optional(list<string>(never))

/** Without the rest marker an order is refused. */
const isLegal = (order: ReadonlyArray<string> | undefined) => order === undefined || order.includes("<unlisted-tools>")

/** Programs that are simpler than this one, those with fewer steps first. */
export const shrink: Shrinker<ToolRegistryProgram> = ({ steps, ...rest }) => {
  const linked = link(steps)
  return [
    ...removals(linked, Math.ceil(linked.length / 2)).map((kept) => ({ ...rest, steps: unlink(kept) })),
    ...toolOrder(rest.toolOrder)
      .filter(isLegal)
      .map((toolOrder) => (toolOrder === undefined ? { steps } : { toolOrder, steps })),
    ...items(step)(steps).map((steps) => ({ ...rest, steps }))
  ]
}
