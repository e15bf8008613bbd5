/**
 * The values of a plan's contributions for one assembly, in the order of evaluation:
 * variables, tool providers, sections, contexts.
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
  /** The very array that gave them, if nothing of it can change: whoever gives it again gives the same. */
  readonly fixed?: ReadonlyArray<unknown>
  /** The tools of the schemas, each with an origin of its own; without them, all come from their provider. */
  readonly assembled?: ReadonlyArray<AssembledTool>
  /** Registered tools that restrictions keep out. */
  readonly hidden?: ReadonlyArray<Hidden>
}

/** What only the registry of tools gives: nothing of it can change or be refused, so that it is taken as it is. */
const registered = new WeakSet<object>()

export const ofRegistry = (tools: Required<Omit<Tools, "fixed">>): Tools => {
  registered.add(Object.freeze(tools))
  return tools
}

const isOfRegistry = (value: unknown): value is Tools =>
  typeof value === "object" && value !== null && registered.has(value)

/** What the contributions of a plan gave, or are known to be, list by list. */
export class Values {
  readonly variables: ReadonlyArray<string | undefined>
  readonly tools: ReadonlyArray<Tools>
  readonly sections: ReadonlyArray<Text>
  readonly contexts: ReadonlyArray<Text>

  constructor(
    variables: ReadonlyArray<string | undefined>,
    tools: ReadonlyArray<Tools>,
    sections: ReadonlyArray<Text>,
    contexts: ReadonlyArray<Text>
  ) {
    this.variables = variables
    this.tools = tools
    this.sections = sections
    this.contexts = contexts
  }
}

export type Refusal = ProviderFailure | InvalidToolSchema | ReservedToolName

/** One contribution to evaluate: who owns it, what its slot holds, and what of a value may pass. */
export interface Step<K extends Slots, V> {
  readonly owner: () => Owner
  readonly slot: K["text"] | K["value"] | K["tools"]
  readonly accept: (value: unknown) => Result.Result<V, Refusal>
}

/** A step of a plan that puts what passes to the values of its list. */
interface Taking<K extends Slots> extends Omit<Step<K, unknown>, "accept"> {
  readonly take: (value: unknown) => Result.Result<void, Refusal>
}

/** The steps of evaluating a plan, in order, and the values that they gather. */
export const gathering = <K extends Slots>(
  plan: Plan<K>
): { readonly steps: ReadonlyArray<Taking<K>>; readonly values: Values } => {
  const steps: Array<Taking<K>> = []
  const list = <P, V>(planned: ReadonlyArray<P>, stepOf: (planned: P) => Step<K, V>): ReadonlyArray<V> => {
    const into: Array<V> = []
    for (const { accept, owner, slot } of planned.map(stepOf)) {
      const take = (value: unknown) => Result.map(accept(value), (accepted) => void into.push(accepted))
      steps.push({ owner, slot, take })
    }
    return into
  }
  const values = new Values(
    list(plan.variables, variableStep<K>),
    list(plan.tools, toolsStep<K>),
    list(plan.sections, textStep<K>),
    list(plan.contexts, textStep<K>)
  )
  return { steps, values }
}

export const variableStep = <K extends Slots>(planned: Plan<K>["variables"][number]): Step<K, string | undefined> =>
  step(planned, planned.entry.value, (value) => acceptVariable(planned, value))

export const toolsStep = <K extends Slots>(planned: Plan<K>["tools"][number]): Step<K, Tools> =>
  step(planned, planned.entry.tools, (value) => acceptTools(planned, value))

/** Of a section or a context. */
export const textStep = <K extends Slots>(
  planned: Plan<K>["sections"][number] | Plan<K>["contexts"][number]
): Step<K, Text> => step(planned, planned.entry.text, (value) => acceptText(planned, value))

/** Looking at a value can throw: it may have getters, or be a Proxy. */
const step = <K extends Slots, V>(
  planned: Parameters<typeof owner>[0],
  slot: Step<K, V>["slot"],
  accept: Step<K, V>["accept"]
): Step<K, V> => ({
  owner: () => owner(planned),
  slot,
  accept: (value) => {
    if (isPromise(value)) {
      const cause = new TypeError(`got a Promise. ${promiseAdvice}`)
      return Result.fail(new ProviderFailure({ ...owner(planned), reason: "must not return a Promise", cause }))
    }
    try {
      return accept(value)
    } catch (cause) {
      return Result.fail(new ProviderFailure({ ...owner(planned), reason: "gave a value that cannot be read", cause }))
    }
  }
})

const wrongType = (
  planned: Parameters<typeof owner>[0],
  reason: string,
  value: unknown
): Result.Result<never, ProviderFailure> =>
  Result.fail(
    new ProviderFailure({ ...ownerFields(owner(planned)), reason, cause: new TypeError(`got ${describeType(value)}`) })
  )

const acceptVariable = (
  planned: Planned<Variable<unknown>>,
  value: unknown
): Result.Result<string | undefined, Refusal> =>
  value === undefined || typeof value === "string"
    ? Result.succeed(value)
    : wrongType(planned, "must give a string, or undefined for no value", value)

const acceptText = (
  planned: Planned<Section<unknown> | PromptContext<unknown>>,
  value: unknown
): Result.Result<Text, Refusal> => {
  if (!isText(value)) return wrongType(planned, "must give a string or a Template", value)
  if (isTemplate(value) && !planned.entry.interpolate) {
    const cause = new TypeError("got a Template, whose references nobody would fill in. Drop `interpolate: false`")
    return Result.fail(new ProviderFailure({ ...owner(planned), reason: "must give a string", cause }))
  }
  return Result.succeed(value)
}

const acceptTools = (planned: Planned<ToolProvider<unknown>>, value: unknown): Result.Result<Tools, Refusal> => {
  if (isOfRegistry(value)) return Result.succeed(value)
  const isExplicit = !Array.isArray(value) && typeof value === "object" && value !== null && "schemas" in value
  const explicit = isExplicit ? value : { schemas: value }
  const knownNames = "knownNames" in explicit ? (explicit.knownNames ?? []) : []
  if (!Array.isArray(explicit.schemas)) {
    return wrongType(planned, "must give an array of tools, or { schemas, knownNames }", explicit.schemas)
  }
  if (!isNames(knownNames)) return wrongType(planned, "must give knownNames as an array of strings", knownNames)
  const schemas: Array<ToolSchema.ToolSchema> = []
  // One by one, as they are compared with the next ones: a list may have an iterator of its own.
  for (let i = 0; i < explicit.schemas.length; i++) {
    const schema = ToolSchema.fromUnknown(explicit.schemas[i], owner(planned))
    if (Result.isFailure(schema)) return Result.fail(schema.failure)
    const reserved = ToolOrder.reserved(schema.success.name, owner(planned))
    if (Result.isFailure(reserved)) return Result.fail(reserved.failure)
    schemas.push(schema.success)
  }
  const isFixed = explicit.schemas === value && Object.isFrozen(value) && holds(explicit.schemas, schemas)
  return Result.succeed({
    schemas,
    knownNames: [...knownNames],
    ...(isFixed ? { fixed: explicit.schemas } : undefined)
  })
}

/** Whether the items are these values, rather than getters that give them. */
const holds = (list: ReadonlyArray<unknown>, values: ReadonlyArray<unknown>): boolean =>
  values.every((value, i) => Object.getOwnPropertyDescriptor(list, i)?.value === value)

const isNames = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((name) => typeof name === "string")
