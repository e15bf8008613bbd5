/** Shrinks programs: first to fewer steps, then to simpler ones. */
import type * as Persona from "../../Persona.ts"
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import type * as ToolProvider from "../../ToolProvider.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Variable from "../../Variable.ts"
import type * as Edit from "../Edit.ts"
import type { Contribution, Program, Step } from "../Program.ts"
import { fields, list, never, optional, type Shrinker, text, towards } from "./shrinking.ts"
import { changeOf, plugin, programOf, scope, toolOrder, withOptions } from "./shrinkSteps.ts"

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

const name = towards("a")
const order = towards(0, 1)
const given = optional<boolean>(never)
const toolName = towards("bash")

const string: Shrinker<string> = (value) => text(value).filter((simpler) => typeof simpler === "string")

/** What is no value, and so is refused, stays. */
const value: Shrinker<string | undefined> = (value) => (typeof value === "string" ? string(value) : [])

const section = fields<Section.Options>({
  name,
  order,
  text,
  complete: given,
  interpolate: given,
  requires: optional(list(toolName)),
  plugin
})

const context = fields<PromptContext.Options>({ name, order, text, interpolate: given, plugin })

const variable: Shrinker<Variable.Options> = (self) =>
  fields<Variable.Options>({ name, value, plugin })(self).map((simpler) => ({ ...simpler, value: simpler.value }))

const json: Shrinker<unknown> = (value) => {
  if (Array.isArray(value)) return list(json)(value)
  return typeof value === "object" && value !== null ? object(value) : []
}

const object: Shrinker<object> = (value) =>
  list<[string, unknown]>(([key, member]) => json(member).map((simpler) => [key, simpler]))(Object.entries(value)).map(
    (entries) => Object.fromEntries(entries)
  )

interface HostTool {
  readonly name: string
  readonly description: string
  readonly parameters: object
  readonly deferLoading?: unknown
  readonly timeoutMs?: unknown
}

const tool: Shrinker<ToolSchema.Input> = fields<HostTool>({
  name: toolName,
  description: string,
  parameters: object,
  deferLoading: optional(never),
  timeoutMs: optional(never)
})

const isList = (tools: ToolProvider.Tools): tools is ReadonlyArray<ToolSchema.Input> => Array.isArray(tools)

/** What is no contribution, and so is refused, stays. */
const tools: Shrinker<ToolProvider.Tools> = (self) => {
  if (isList(self)) return list(tool)(self)
  return typeof self === "object"
    ? [
        self.schemas,
        ...fields<{ schemas: ReadonlyArray<ToolSchema.Input>; knownNames?: ReadonlyArray<string> | undefined }>({
          schemas: list(tool),
          knownNames: optional(list(toolName))
        })(self)
      ]
    : []
}

const toolProvider = fields<ToolProvider.Options>({ name: optional<string>(never), tools, plugin })

const edit: Shrinker<Edit.Step> = (step) => {
  switch (step._tag) {
    case "AddSection":
    case "ReplaceSection":
      return section(step.section).map((section) => ({ ...step, section }))
    case "AddContext":
      return context(step.context).map((context) => ({ ...step, context }))
    case "AddTool":
      return tool(step.tool).map((tool) => ({ ...step, tool }))
    case "DescribeTool":
      return string(step.description).map((description) => ({ ...step, description }))
    case "SetVariable":
      return value(step.value).map((value) => ({ ...step, value }))
    default:
      return []
  }
}

const listener = fields<Edit.Listener>({
  name: towards("l1"),
  order: optional(order),
  global: given,
  plugin,
  steps: list(edit)
})

const persona = fields<Persona.Options>({
  prefix: text,
  suffix: optional(text),
  complete: given,
  includeRuntimeContext: given,
  plugin
})

const contribution: Shrinker<Contribution> = (self) => {
  switch (self._tag) {
    case "Section":
      return withOptions(self, section)
    case "Context":
      return withOptions(self, context)
    case "Variable":
      return withOptions(self, variable)
    case "Tools":
      return withOptions(self, toolProvider)
    case "Listener":
      return withOptions(self, listener)
    case "Persona":
      return withOptions(self, persona)
    case "Suppressor":
      return []
  }
}

// -----------------------------------------------------------------------------
// programs
// -----------------------------------------------------------------------------

const change = changeOf(contribution)

const step: Shrinker<Step> = (self) => {
  switch (self._tag) {
    case "Assemble":
    case "Render":
      return scope(self.scope).map((scope) => ({ ...self, scope }))
    default:
      return change(self)
  }
}

export const shrink: Shrinker<Program> = programOf({ step, toolOrder })
