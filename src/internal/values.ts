/**
 * The values of a plan's contributions for one assembly, gathered one by one in the
 * order of evaluation: variables, tool providers, sections, contexts.
 *
 * Where they come from (known or from providers) is the caller's affair; here is what
 * may pass.
 */
import * as Result from "effect/Result"
import type { AssembledTool } from "../Assembly.ts"
import type { Slots } from "../Overlay.ts"
import { owner, type Plan, type Planned } from "../Plan.ts"
import {
  type InvalidToolSchema,
  type Owner,
  ownerFields,
  ProviderFailure,
  type ReservedToolName
} from "../PromptError.ts"
import { isTemplate, isText, type Text } from "../Template.ts"
import * as ToolOrder from "../ToolOrder.ts"
import type { PromptContext } from "../PromptContext.ts"
import type { Section } from "../Section.ts"
import type { Variable } from "../Variable.ts"
import type { ToolProvider } from "../ToolProvider.ts"
import * as ToolSchema from "../ToolSchema.ts"
import type { Hidden } from "../ToolView.ts"
import { describeType, isPromise, promiseAdvice } from "./rules.ts"

/** What a tool provider gave, detached from it. */
export interface Tools {
  readonly schemas: ReadonlyArray<ToolSchema.ToolSchema>
  /** Explicit names; the visible ones are known anyway. */
  readonly knownNames: ReadonlyArray<string>
  /** The tools of the schemas, each with an origin of its own; without them, all come from their provider. */
  readonly assembled?: ReadonlyArray<AssembledTool>
  /** Registered tools that restrictions keep out. */
  readonly hidden?: ReadonlyArray<Hidden>
}

/** What only the registry of tools gives: nothing of it can change or be refused, so that it is taken as it is. */
const registered = new WeakSet<object>()

export const ofRegistry = (tools: Required<Tools>): Tools => {
  registered.add(Object.freeze(tools))
  return tools
}

const isOfRegistry = (value: unknown): value is Tools =>
  typeof value === "object" && value !== null && registered.has(value)

export interface Values {
  readonly variables: Array<string | undefined>
  readonly tools: Array<Tools>
  readonly sections: Array<Text>
  readonly contexts: Array<Text>
}

export const empty = (): Values => ({ variables: [], tools: [], sections: [], contexts: [] })

export type Refusal = ProviderFailure | InvalidToolSchema | ReservedToolName

/** One contribution to evaluate: who owns it, what its slot holds, and what of a value may pass. */
export interface Step<K extends Slots> {
  readonly owner: () => Owner
  readonly slot: K["text"] | K["value"] | K["tools"]
  readonly accept: (value: unknown, into: Values) => Refusal | undefined
}

/** The steps of evaluating a plan, in order. */
export const steps = <K extends Slots>(plan: Plan<K>): ReadonlyArray<Step<K>> => [
  ...plan.variables.map(variableStep<K>),
  ...plan.tools.map(toolsStep<K>),
  ...plan.sections.map(sectionStep<K>),
  ...plan.contexts.map(contextStep<K>)
]

export const variableStep = <K extends Slots>(planned: Plan<K>["variables"][number]): Step<K> =>
  step(planned, planned.entry.value, (value, into) => acceptVariable(planned, value, into))

export const toolsStep = <K extends Slots>(planned: Plan<K>["tools"][number]): Step<K> =>
  step(planned, planned.entry.tools, (value, into) => acceptTools(planned, value, into))

export const sectionStep = <K extends Slots>(planned: Plan<K>["sections"][number]): Step<K> =>
  step(planned, planned.entry.text, (value, into) => acceptText(planned, value, into.sections))

export const contextStep = <K extends Slots>(planned: Plan<K>["contexts"][number]): Step<K> =>
  step(planned, planned.entry.text, (value, into) => acceptText(planned, value, into.contexts))

/** Looking at a value can throw: it may have getters, or be a Proxy. */
const step = <K extends Slots>(
  planned: Parameters<typeof owner>[0],
  slot: Step<K>["slot"],
  accept: Step<K>["accept"]
): Step<K> => ({
  owner: () => owner(planned),
  slot,
  accept: (value, into) => {
    if (isPromise(value)) {
      const cause = new TypeError(`got a Promise. ${promiseAdvice}`)
      return new ProviderFailure({ ...owner(planned), reason: "must not return a Promise", cause })
    }
    try {
      return accept(value, into)
    } catch (cause) {
      return new ProviderFailure({ ...owner(planned), reason: "gave a value that cannot be read", cause })
    }
  }
})

const wrongType = (planned: Parameters<typeof owner>[0], reason: string, value: unknown): ProviderFailure =>
  new ProviderFailure({ ...ownerFields(owner(planned)), reason, cause: new TypeError(`got ${describeType(value)}`) })

const acceptVariable = (planned: Planned<Variable<unknown>>, value: unknown, into: Values): Refusal | undefined => {
  if (value !== undefined && typeof value !== "string") {
    return wrongType(planned, "must give a string, or undefined for no value", value)
  }
  into.variables.push(value)
  return undefined
}

const acceptText = (
  planned: Planned<Section<unknown> | PromptContext<unknown>>,
  value: unknown,
  into: Array<Text>
): Refusal | undefined => {
  if (!isText(value)) return wrongType(planned, "must give a string or a Template", value)
  if (isTemplate(value) && !planned.entry.interpolate) {
    const cause = new TypeError("got a Template, whose references nobody would fill in. Drop `interpolate: false`")
    return new ProviderFailure({ ...owner(planned), reason: "must give a string", cause })
  }
  into.push(value)
  return undefined
}

const acceptTools = (planned: Planned<ToolProvider<unknown>>, value: unknown, into: Values): Refusal | undefined => {
  if (isOfRegistry(value)) {
    into.tools.push(value)
    return undefined
  }
  const isExplicit = !Array.isArray(value) && typeof value === "object" && value !== null && "schemas" in value
  const explicit = isExplicit ? value : { schemas: value }
  const knownNames = "knownNames" in explicit ? (explicit.knownNames ?? []) : []
  if (!Array.isArray(explicit.schemas)) {
    return wrongType(planned, "must give an array of tools, or { schemas, knownNames }", explicit.schemas)
  }
  if (!isNames(knownNames)) return wrongType(planned, "must give knownNames as an array of strings", knownNames)
  const schemas: Array<ToolSchema.ToolSchema> = []
  for (const input of explicit.schemas) {
    const schema = ToolSchema.fromUnknown(input, owner(planned))
    if (Result.isFailure(schema)) return schema.failure
    const reserved = ToolOrder.reserved(schema.success.name, owner(planned))
    if (Result.isFailure(reserved)) return reserved.failure
    schemas.push(schema.success)
  }
  into.tools.push({ schemas, knownNames: [...knownNames] })
  return undefined
}

const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((name) => typeof name === "string")
