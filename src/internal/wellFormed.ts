/** What an assembly must look like after a listener had it. */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "../Assembly.ts"
import * as PromptContext from "../PromptContext.ts"
import { InvalidAssembly, type InvalidRegistration, type Owner, ownerFields } from "../PromptError.ts"
import * as Section from "../Section.ts"
import * as Template from "../Template.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import * as Variable from "../Variable.ts"
import { byCodeUnits } from "./codeUnits.ts"
import {
  type Checked,
  checkList,
  consistsOf,
  type Flaw,
  flaw,
  isRecord,
  type ListKind,
  type Part,
  total
} from "./partList.ts"
import { ListMemory } from "./listMemory.ts"
import { describeType, isPromise, promiseAdvice } from "./rules.ts"
import { saysSame } from "./sameTool.ts"

// -----------------------------------------------------------------------------
// the assembly
// -----------------------------------------------------------------------------

const wellFormed = new WeakSet<object>()

/** Freezes an assembly that is well-formed by construction, and remembers that it is. */
export const markWellFormed = (assembly: Assembly): Assembly => {
  wellFormed.add(Object.freeze(assembly))
  return assembly
}

export const isWellFormed = (assembly: Assembly): boolean => wellFormed.has(assembly)

const fields: ReadonlySet<string> = new Set<keyof Assembly>([
  "scope",
  "sections",
  "contexts",
  "tools",
  "variables",
  "complete",
  "suppressed",
  "toolOrder",
  "annotations"
])

/** What registrations and configuration alone decide. */
const fixedFields = ["scope", "complete", "suppressed", "toolOrder"] as const

const forged = (base: Assembly, after: { readonly [key: string]: unknown }) =>
  fixedFields.find((key) => after[key] !== base[key])

/** Whether an assembly is one of the same scope, registrations and configuration. */
export const agrees = (base: Assembly, after: Assembly): boolean => forged(base, { ...after }) === undefined

/**
 * Checks what a listener returned against the assemblies that it was given (its input first, then what `next` gave
 * it), and notes the listener as the origin of what is new. What only looks new, a copy with nothing changed, is what
 * it was. Total: whatever `after` is, nothing is thrown.
 */
export const accept = (
  given: readonly [Assembly, ...ReadonlyArray<Assembly>],
  after: unknown,
  listener: Owner,
  memory?: Memory
): Result.Result<Assembly, InvalidAssembly> =>
  Result.mapError(
    total("$", () => check(given, after, listener, memory)),
    (found) => new InvalidAssembly({ ...ownerFields(listener), ...found })
  )

/**
 * What the results of one listener were accepted as the last time, for whoever runs it again and again. It decides only
 * how long `accept` takes, and that the very same lists and assembly come back as long as the listener says the same of
 * the same.
 */
export class Memory {
  // Most listeners change one list, if any.
  #sections: ListMemory<AssembledSection> | undefined
  #contexts: ListMemory<AssembledContext> | undefined
  #tools: ListMemory<AssembledTool> | undefined
  #variables: ListMemory<AssembledVariable> | undefined
  #last: { readonly base: Assembly; readonly accepted: Assembly } | undefined

  get sections(): ListMemory<AssembledSection> {
    return (this.#sections ??= new ListMemory())
  }

  get contexts(): ListMemory<AssembledContext> {
    return (this.#contexts ??= new ListMemory())
  }

  get tools(): ListMemory<AssembledTool> {
    return (this.#tools ??= new ListMemory())
  }

  get variables(): ListMemory<AssembledVariable> {
    return (this.#variables ??= new ListMemory())
  }

  /** The assembly that was accepted last, if that is this one. */
  recall(base: Assembly, changed: Assembly): Assembly | undefined {
    const last = this.#last
    return last !== undefined && last.base === base && isSame(last.accepted, changed) ? last.accepted : undefined
  }

  keep(base: Assembly, accepted: Assembly): void {
    if (Object.isFrozen(base)) this.#last = { base, accepted }
  }
}

const check = (
  given: readonly [Assembly, ...ReadonlyArray<Assembly>],
  after: unknown,
  listener: Owner,
  memory: Memory | undefined
): Checked<Assembly> => {
  const unchanged = given.find((one) => one === after)
  if (unchanged !== undefined) return Result.succeed(unchanged)
  if (isPromise(after)) return flaw("$", `expected an assembly, got a Promise. ${promiseAdvice}.`)
  if (!isRecord(after) || Array.isArray(after)) {
    return flaw("$", `expected an assembly, got ${describeType(after)}. Return the assembly you want.`)
  }
  const extra = Object.keys(after).find((key) => !fields.has(key))
  if (extra !== undefined) {
    return flaw(`$.${extra}`, "an assembly has no such field. Carry data of your own with Assembly.annotate.")
  }
  const [base] = given
  const list = <T extends Part>(
    kind: ListKind<T>,
    pick: (one: Assembly) => ReadonlyArray<T>,
    memoryOf: (memory: Memory) => ListMemory<T>
  ) => {
    const before = pick(base)
    const now = after[kind.field]
    return now === before
      ? Result.succeed(before)
      : checkList(kind, given.map(pick), now, listener, memory && memoryOf(memory))
  }
  // Without `Result.gen`: this runs for each listener of each assembly.
  const checkedSections = list(
    sections,
    (one) => one.sections,
    (all) => all.sections
  )
  if (Result.isFailure(checkedSections)) return Result.fail(checkedSections.failure)
  const checkedContexts = list(
    contexts,
    (one) => one.contexts,
    (all) => all.contexts
  )
  if (Result.isFailure(checkedContexts)) return Result.fail(checkedContexts.failure)
  const checkedTools = list(
    tools,
    (one) => one.tools,
    (all) => all.tools
  )
  if (Result.isFailure(checkedTools)) return Result.fail(checkedTools.failure)
  const checkedVariables = list(
    variables,
    (one) => one.variables,
    (all) => all.variables
  )
  if (Result.isFailure(checkedVariables)) return Result.fail(checkedVariables.failure)
  const annotations = checkAnnotations(after.annotations)
  if (Result.isFailure(annotations)) return Result.fail(annotations.failure)
  const fixed = forged(base, after)
  if (fixed !== undefined) {
    const reason =
      "it follows from what is registered, and no listener changes it. Start from the assembly you were given."
    return flaw(`$.${fixed}`, reason)
  }
  const changed: Assembly = {
    ...base,
    sections: checkedSections.success,
    contexts: checkedContexts.success,
    tools: checkedTools.success,
    variables: checkedVariables.success,
    annotations: annotations.success
  }
  const same = given.find((one) => isSame(one, changed)) ?? memory?.recall(base, changed)
  if (same !== undefined) return Result.succeed(same)
  const accepted = markWellFormed(changed)
  memory?.keep(base, accepted)
  return Result.succeed(accepted)
}

const checkAnnotations = (after: unknown): Checked<Assembly["annotations"]> =>
  Context.isContext(after)
    ? Result.succeed(after)
    : flaw("$.annotations", `expected a Context, got ${describeType(after)}.`)

const isSame = (a: Assembly, b: Assembly): boolean =>
  a.sections === b.sections &&
  a.contexts === b.contexts &&
  a.tools === b.tools &&
  a.variables === b.variables &&
  a.annotations === b.annotations

// -----------------------------------------------------------------------------
// its parts
// -----------------------------------------------------------------------------

const rule = (broken: InvalidRegistration): Result.Result<never, Flaw> => flaw(`.${broken.field}`, broken.reason)

const sameText = (a: AssembledContext, b: AssembledContext): boolean =>
  a.order === b.order && a.interpolate === b.interpolate && Template.equals(a.text, b.text)

const saysText = (name: unknown, order: unknown, text: unknown, interpolate: unknown, one: AssembledContext): boolean =>
  name === one.name &&
  Object.is(order, one.order) &&
  interpolate === one.interpolate &&
  Template.isText(text) &&
  Template.equals(text, one.text)

const textFlaw = (text: unknown): Result.Result<never, Flaw> =>
  flaw(".text", `expected a text (a string or a Template), got ${describeType(text)}.`)

const sections: ListKind<AssembledSection> = {
  field: "sections",
  keys: new Set<keyof AssembledSection>(["name", "order", "text", "interpolate", "requires", "origin"]),
  unique: true,
  nameOf: (section) => section.name,
  read: ({ name, order, text, interpolate, requires }, scope) => {
    if (!Template.isText(text)) return textFlaw(text)
    const made = Section.fromUnknown({ name, order, text, interpolate, requires }, scope)
    if (Result.isFailure(made)) return rule(made.failure)
    const section = made.success
    return Result.succeed((origin) =>
      Object.freeze({
        name: section.name,
        order: section.order,
        text,
        interpolate: section.interpolate,
        requires: section.requires,
        origin
      })
    )
  },
  same: (a, b) => sameText(a, b) && consistsOf(a.requires, b.requires),
  says: ({ name, order, text, interpolate, requires }, one) =>
    saysText(name, order, text, interpolate, one) && Array.isArray(requires) && consistsOf(requires, one.requires)
}

const contexts: ListKind<AssembledContext> = {
  field: "contexts",
  keys: new Set<keyof AssembledContext>(["name", "order", "text", "interpolate", "origin"]),
  unique: true,
  nameOf: (context) => context.name,
  read: ({ name, order, text, interpolate }, scope) => {
    if (!Template.isText(text)) return textFlaw(text)
    const made = PromptContext.fromUnknown({ name, order, text, interpolate }, scope)
    if (Result.isFailure(made)) return rule(made.failure)
    const context = made.success
    return Result.succeed((origin) =>
      Object.freeze({ name: context.name, order: context.order, text, interpolate: context.interpolate, origin })
    )
  },
  same: (a, b) => sameText(a, b),
  says: ({ name, order, text, interpolate }, one) => saysText(name, order, text, interpolate, one)
}

const tools: ListKind<AssembledTool> = {
  field: "tools",
  keys: new Set<keyof AssembledTool>(["schema", "origin"]),
  unique: false,
  nameOf: (tool) => tool.schema.name,
  claimedName: ({ schema }) => (isRecord(schema) ? schema.name : undefined),
  read: (part, scope) => {
    const schema = ToolSchema.fromUnknown(part.schema, { kind: "tools", entry: "", scope })
    if (Result.isFailure(schema)) return flaw(`.schema${schema.failure.path.slice(1)}`, schema.failure.reason)
    const reserved = ToolOrder.reserved(schema.success.name, { kind: "tools", entry: "", scope })
    if (Result.isFailure(reserved)) {
      return flaw(
        ".schema.name",
        `${JSON.stringify(reserved.failure.tool)} marks all other tools in toolOrder. Rename the tool.`
      )
    }
    return Result.succeed((origin) => Object.freeze({ schema: schema.success, origin }))
  },
  same: (a, b) => ToolSchema.emit(a.schema) === ToolSchema.emit(b.schema),
  says: ({ schema }, one) => ToolSchema.isToolSchema(schema) && saysSame(schema, one.schema)
}

const variables: ListKind<AssembledVariable> = {
  field: "variables",
  keys: new Set<keyof AssembledVariable>(["name", "value", "origin"]),
  unique: true,
  nameOf: (variable) => variable.name,
  read: ({ name, value }, scope) => {
    if (value !== undefined && typeof value !== "string") {
      return flaw(".value", `expected a string, or undefined for no value, got ${describeType(value)}.`)
    }
    const made = Variable.fromUnknown({ name, value }, scope)
    return Result.isFailure(made)
      ? rule(made.failure)
      : Result.succeed((origin) => Object.freeze({ name: made.success.name, value, origin }))
  },
  same: (a, b) => a.value === b.value,
  says: ({ name, value }, one) => name === one.name && value === one.value,
  arrange: (parts) => parts.sort((a, b) => byCodeUnits(a.name, b.name))
}
