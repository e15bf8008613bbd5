/** The rules that every contribution is held to. Each takes a field as it came, and gives it typed or says what is wrong. */
import * as Result from "effect/Result"
import { InvalidRegistration, type Owner, ownerFields } from "../PromptError.ts"
import { isTemplate } from "../Template.ts"
import { clip } from "./excerpt.ts"

/** The options of a contribution before anything is known of them but the slot, which is looked at when it is evaluated. */
export type Unchecked<Options, Slot extends keyof Options> = {
  readonly [K in Exclude<keyof Options, Slot>]?: unknown
} & {
  readonly [K in Slot]: Options[K]
}

type Ruled<A> = Result.Result<A, InvalidRegistration>

export const broken = (owner: Owner, field: string, reason: string): Result.Result<never, InvalidRegistration> =>
  Result.fail(new InvalidRegistration({ ...ownerFields(owner), field, reason }))

/** Whether a value is a Promise, or what passes for one, where a value or an Effect belongs. */
export const isPromise = (u: unknown): boolean => {
  try {
    return typeof u === "object" && u !== null && "then" in u && typeof u.then === "function"
  } catch {
    // A getter or a Proxy: whoever accepts the value says what is wrong with it.
    return false
  }
}

/** What to do about a Promise. */
export const promiseAdvice = "Return an Effect: wrap the call in Effect.promise or Effect.tryPromise"

/** How a value of the wrong type is named in a reason. */
export const describeType = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "number") return `the number ${value}`
  if (typeof value === "boolean") return `the boolean ${value}`
  if (typeof value === "object") return isPromise(value) ? "a Promise" : "an object"
  return value === undefined ? "undefined" : `a ${typeof value}`
}

/** Who to name if a contribution with these fields breaks a rule. */
export const ownerOf = (
  kind: Owner["kind"],
  fields: { readonly name?: unknown; readonly plugin?: unknown },
  scope: string
): Owner => {
  const entry = typeof fields.name === "string" ? fields.name : ""
  return typeof fields.plugin === "string" ? { kind, entry, scope, plugin: fields.plugin } : { kind, entry, scope }
}

export const name = (owner: Owner, value: unknown): Ruled<string> =>
  typeof value === "string" && value !== ""
    ? Result.succeed(value)
    : broken(
        owner,
        "name",
        `expected a non-empty string, got ${value === "" ? "an empty one" : describeType(value)}. ${owner.kind === "tools" ? "Choose a name, or leave it out." : `Choose a name that no other ${owner.kind} of the scope has.`}`
      )

/** `Infinity` and `NaN` make sorting inconsistent, and numbers in strings compare as text. */
export const order = (owner: Owner, value: unknown): Ruled<number> =>
  typeof value === "number" && Number.isFinite(value)
    ? Result.succeed(value)
    : broken(
        owner,
        "order",
        `expected a finite number, got ${typeof value === "string" ? JSON.stringify(value) : describeType(value)}. Use a number, or one of the named orders.`
      )

/** A flag that was meant but not given as a boolean would silently be off. */
export const flag = (owner: Owner, field: string, value: unknown, byDefault: boolean): Ruled<boolean> =>
  value === undefined
    ? Result.succeed(byDefault)
    : typeof value === "boolean"
      ? Result.succeed(value)
      : broken(owner, field, `expected true or false, got ${describeType(value)}. Without it, it is ${byDefault}.`)

export const plugin = (owner: Owner, value: unknown): Ruled<string | undefined> =>
  value === undefined || typeof value === "string"
    ? Result.succeed(value)
    : broken(owner, "plugin", `expected a string, got ${describeType(value)}.`)

const noTools: ReadonlyArray<string> = Object.freeze([])

export const toolNames = (owner: Owner, field: string, value: unknown): Ruled<ReadonlyArray<string>> => {
  if (value === undefined) return Result.succeed(noTools)
  if (!Array.isArray(value)) {
    const meant = typeof value === "string" && value !== "" ? JSON.stringify([clip(value, 80)]) : '["read"], or []'
    return broken(owner, field, `expected an array of tool names, got ${describeType(value)}. Write ${meant}.`)
  }
  const odd = value.find((one) => typeof one !== "string" || one === "")
  return odd === undefined && !value.includes(undefined)
    ? Result.succeed(Object.freeze([...value]))
    : broken(
        owner,
        field,
        `expected an array of tool names, got ${odd === "" ? "an empty string" : describeType(odd)} in it. Name a tool, or take it out.`
      )
}

/** A Template is text with references; text that is data has none. */
export const interpolation = (owner: Owner, text: unknown, value: unknown): Ruled<boolean> =>
  value === false && isTemplate(text)
    ? broken(owner, "interpolate", "a Template has references to fill in. Give a string, or drop `interpolate: false`.")
    : flag(owner, "interpolate", value, true)

/** A listener has one function: `edit` or `around`. */
export const listenerFunction = (
  owner: Owner,
  options: { readonly edit?: unknown; readonly around?: unknown }
): Ruled<void> => {
  const { around, edit } = options
  if (edit !== undefined && around !== undefined) {
    return broken(owner, "around", "a listener is an `edit` or an `around`, not both. Drop one of the two.")
  }
  const [field, value] = around === undefined ? (["edit", edit] as const) : (["around", around] as const)
  return typeof value === "function"
    ? Result.void
    : broken(
        owner,
        field,
        `expected a function, got ${describeType(value)}. Give the listener an \`edit\` or an \`around\`.`
      )
}
