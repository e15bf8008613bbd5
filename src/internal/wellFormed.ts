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
import { describeType, isPromise, promiseAdvice } from "./rules.ts"

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
  listener: Owner
): Result.Result<Assembly, InvalidAssembly> =>
  Result.mapError(
    total("$", () => check(given, after, listener)),
    (found) => new InvalidAssembly({ ...ownerFields(listener), ...found })
  )

const check = (
  given: readonly [Assembly, ...ReadonlyArray<Assembly>],
  after: unknown,
  listener: Owner
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
  const list = <T extends Part>(kind: ListKind<T>, pick: (one: Assembly) => ReadonlyArray<T>) =>
    checkList(kind, given.map(pick), after[kind.field], listener)
  return Result.gen(function* () {
    const base = given[0]
    const changed: Assembly = {
      ...base,
      sections: yield* list(sections, (one) => one.sections),
      contexts: yield* list(contexts, (one) => one.contexts),
      tools: yield* list(tools, (one) => one.tools),
      variables: yield* list(variables, (one) => one.variables),
      annotations: yield* checkAnnotations(after.annotations)
    }
    const fixed = forged(base, after)
    if (fixed !== undefined) {
      const reason =
        "it follows from what is registered, and no listener changes it. Start from the assembly you were given."
      return yield* flaw(`$.${fixed}`, reason)
    }
    return given.find((one) => isSame(one, changed)) ?? markWellFormed(changed)
  })
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
  same: (a, b) => sameText(a, b) && consistsOf(a.requires, b.requires)
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
  same: (a, b) => sameText(a, b)
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
  same: (a, b) => ToolSchema.emit(a.schema) === ToolSchema.emit(b.schema)
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
  arrange: (parts) => parts.sort((a, b) => byCodeUnits(a.name, b.name))
}
