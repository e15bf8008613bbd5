/**
 * Shrinks programs: first to fewer steps, then to simpler ones.
 *
 * Steps refer to each other by number, so leaving one out would change what the others mean. Here they keep their
 * meaning: numbers move up, what was done in a scope that is left out is done in its parent, and what would end a
 * registration or a scope that is left out goes with it.
 */
import type * as Persona from "../../Persona.ts"
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import type * as ToolProvider from "../../ToolProvider.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Variable from "../../Variable.ts"
import type * as Edit from "../Edit.ts"
import type { Contribution, Program, Step } from "../Program.ts"
import { fields, items, list, never, optional, removals, type Shrinker, text, towards } from "./shrinking.ts"

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

const name = towards("a")
const order = towards(0, 1)
const given = optional<boolean>(never)
const plugin = optional<string>(never)
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
      return section(self.options).map((options) => ({ ...self, options }))
    case "Context":
      return context(self.options).map((options) => ({ ...self, options }))
    case "Variable":
      return variable(self.options).map((options) => ({ ...self, options }))
    case "Tools":
      return toolProvider(self.options).map((options) => ({ ...self, options }))
    case "Listener":
      return listener(self.options).map((options) => ({ ...self, options }))
    case "Persona":
      return persona(self.options).map((options) => ({ ...self, options }))
    case "Suppressor":
      return []
  }
}

// -----------------------------------------------------------------------------
// steps
// -----------------------------------------------------------------------------

const scope = towards(0)

const step: Shrinker<Step> = (self) => {
  switch (self._tag) {
    case "Open":
      return fields<typeof self>({ _tag: never, label: towards("agent"), parent: scope })(self)
    case "Register":
      return fields<typeof self>({ _tag: never, scope, contribution })(self)
    case "Rebind":
      return scope(self.parent).map((parent) => ({ ...self, parent }))
    case "Assemble":
    case "Render":
      return scope(self.scope).map((scope) => ({ ...self, scope }))
    default:
      return []
  }
}

// -----------------------------------------------------------------------------
// references
// -----------------------------------------------------------------------------

/** A step, with what it refers to by identity: scopes and registrations are the steps that make them. */
interface Linked {
  readonly step: Step
  readonly scope: Linked | undefined
  readonly parent: Linked | undefined
  readonly registration: Linked | undefined
}

/** The scopes and registrations of a program while it runs; the global scope is `undefined`. */
class Numbers {
  readonly #scopes: Array<Linked | undefined> = [undefined]
  readonly #registrations: Array<Linked> = []
  readonly #closed = new Set<Linked>()

  scopeAt(number: number): Linked | undefined {
    return this.#scopes[number % this.#scopes.length]
  }

  registrationAt(number: number): Linked | undefined {
    return this.#registrations[number % this.#registrations.length]
  }

  /** The number of a scope, or of the nearest scope above it that is there. */
  numberOf(scope: Linked | undefined): number {
    const number = this.#scopes.indexOf(scope)
    return number === -1 ? this.numberOf(scope?.parent) : number
  }

  has(scope: Linked | undefined): boolean {
    return this.#scopes.includes(scope)
  }

  numberOfRegistration(registration: Linked | undefined): number {
    return registration === undefined ? -1 : this.#registrations.indexOf(registration)
  }

  /** What the step changes. A scope whose parent is closed is not opened. */
  run(linked: Linked): void {
    const { step, scope, parent } = linked
    if (step._tag === "Open" && (parent === undefined || !this.#closed.has(parent))) this.#scopes.push(linked)
    if (step._tag === "Register") this.#registrations.push(linked)
    if (step._tag === "Close" && scope !== undefined) this.#closed.add(scope)
  }
}

const link = (steps: ReadonlyArray<Step>): ReadonlyArray<Linked> => {
  const numbers = new Numbers()
  return steps.map((step) => {
    const linked: Linked = {
      step,
      scope: "scope" in step ? numbers.scopeAt(step.scope) : undefined,
      parent: "parent" in step ? numbers.scopeAt(step.parent) : undefined,
      registration: step._tag === "Unregister" ? numbers.registrationAt(step.registration) : undefined
    }
    numbers.run(linked)
    return linked
  })
}

/** The same steps, each with the numbers that it has among these, or none if nothing is left for it to do. */
const unlink = (all: ReadonlyArray<Linked>): ReadonlyArray<Step> => {
  const numbers = new Numbers()
  return all.flatMap((linked) => {
    const step = renumber(linked, numbers)
    if (step !== undefined) numbers.run(linked)
    return step ?? []
  })
}

/** The steps that are kept, each with its meaning kept. */
export const keep = (steps: ReadonlyArray<Step>, isKept: (index: number) => boolean): ReadonlyArray<Step> =>
  unlink(link(steps).filter((_, index) => isKept(index)))

const renumber = ({ step, scope, parent, registration }: Linked, numbers: Numbers): Step | undefined => {
  switch (step._tag) {
    case "Open":
      return { ...step, parent: numbers.numberOf(parent) }
    case "Close":
      return scope !== undefined && numbers.has(scope) ? { ...step, scope: numbers.numberOf(scope) } : undefined
    case "Rebind":
      return scope !== undefined && numbers.has(scope)
        ? { ...step, scope: numbers.numberOf(scope), parent: numbers.numberOf(parent) }
        : undefined
    case "Unregister": {
      const number = numbers.numberOfRegistration(registration)
      return number === -1 ? undefined : { ...step, registration: number }
    }
    default:
      return { ...step, scope: numbers.numberOf(scope) }
  }
}

// -----------------------------------------------------------------------------
// programs
// -----------------------------------------------------------------------------

const toolOrder = optional(list<string>(never))

/** Programs that are simpler than this one, those with fewer steps first. */
export const shrink: Shrinker<Program> = ({ steps, ...rest }) => {
  const linked = link(steps)
  return [
    ...removals(linked, Math.ceil(linked.length / 2)).map((kept) => ({ ...rest, steps: unlink(kept) })),
    ...toolOrder(rest.toolOrder).map((toolOrder) => (toolOrder === undefined ? { steps } : { toolOrder, steps })),
    ...items(step)(steps).map((steps) => ({ ...rest, steps }))
  ]
}
