/**
 * Takes plain JSON out of values that anyone may have built.
 *
 * The walk reads own enumerable data properties through their descriptors: no
 * getter runs and nothing is read twice, so what was checked is what is kept.
 * What is not enumerable is no part of the JSON and is passed over, as
 * `JSON.stringify` does; schema libraries hang their own things there.
 */
import * as Result from "effect/Result"
import { isSchema, type Json, type JsonArray, type JsonObject } from "effect/Schema"

/** Where a value is not as it must be (a JSONPath) and what to do about it. */
export interface Problem {
  readonly path: string
  readonly reason: string
}

/** The state of one inspection. `frozen` says whether all containers seen so far are frozen at their source. */
export interface Walk {
  readonly path: Array<string | number>
  readonly ancestors: Array<object>
  values: number
  frozen: boolean
  /** Whether -0 is refused: JSON prints it as 0, so that it does not come back. */
  readonly lossless: boolean
  reason: string | undefined
}

/** Far more than any value needs and far less than what overflows the stack here or in `JSON.stringify`. */
const maxDepth = 500

/** Objects that share their parts can stand for exponentially many values; the text of so many helps nobody. */
const maxValues = 1_000_000

/** Names that JSONPath (RFC 9535) takes without quotes, ASCII only. `$ref` is not one of them. */
const plainName = /^[A-Za-z_]\w*$/

/** What a JSONPath is made of: keys, and indices from 0. */
export type JsonPath = ReadonlyArray<string | number>

export const toPath = (path: JsonPath): string => {
  let text = "$"
  for (const key of path) {
    if (typeof key === "string" && plainName.test(key)) text += `.${key}`
    else text += `[${JSON.stringify(key)}]`
  }
  return text
}

/** The thrown value may be as hostile as the value that threw it. */
export const describeThrown = (cause: unknown): string => {
  try {
    return String(cause)
  } catch {
    return "a value that cannot be shown"
  }
}

/** Runs `read`; its refusals, and whatever the inspected value throws, become a `Problem`. */
export const inspect = <A>(read: (walk: Walk) => A, precision?: "lossless"): Result.Result<A, Problem> => {
  const lossless = precision === "lossless"
  const walk: Walk = { path: [], ancestors: [], values: 0, frozen: true, lossless, reason: undefined }
  try {
    return Result.succeed(read(walk))
  } catch (cause) {
    const reason = walk.reason ?? `reading it threw ${describeThrown(cause)}. Give plain data.`
    return Result.fail({ path: toPath(walk.path), reason })
  }
}

/** Ends the inspection at the present place. */
export const refuse = (walk: Walk, reason: string): never => {
  walk.reason = reason
  throw new Error(reason)
}

/** What a value is, in words that fit after "found". */
export const describe = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (value === "") return "an empty string"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

/** Whether a value is an object and no array. It may still be no plain JSON. */
export const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An own property, `undefined` if there is none. */
const read = (walk: Walk, source: object, key: string): unknown => {
  const property = Object.getOwnPropertyDescriptor(source, key)
  if (property === undefined || "value" in property) return property?.value
  return refuse(walk, "a getter is never run. Put the value itself here.")
}

/** Hands the own property `key` to `convert`, `undefined` if there is none. */
export const member = <A>(walk: Walk, source: object, key: string, convert: (value: unknown) => A): A => {
  walk.path.push(key)
  const result = convert(read(walk, source, key))
  walk.path.pop()
  return result
}

/** The name of a class, without running anything of it. */
const className = (prototype: object): string => {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value
  if (typeof constructor !== "function") return "a class"
  const name: unknown = Object.getOwnPropertyDescriptor(constructor, "name")?.value
  return typeof name === "string" && name !== "" ? name : "a class"
}

/** The first enumerable key that is a symbol. */
export const symbolKey = (source: object): symbol | undefined => {
  const symbols = Object.getOwnPropertySymbols(source)
  // As nearly always; this is asked of every container.
  if (symbols.length === 0) return undefined
  return symbols.find((key) => Object.getOwnPropertyDescriptor(source, key)?.enumerable === true)
}

const refuseSymbols = (walk: Walk, source: object): void => {
  const key = symbolKey(source)
  if (key === undefined) return
  refuse(walk, `the key ${String(key)} is a symbol, which JSON cannot carry. Use a string key or remove it.`)
}

const detachArray = (walk: Walk, source: ReadonlyArray<unknown>): JsonArray => {
  const copy: Array<Json> = []
  for (const key of Object.keys(source)) {
    // Indices come first and in order, so another key than the next index means that this one is missing.
    if (key !== String(copy.length)) {
      if (copy.length < source.length) break
      walk.path.push(key)
      return refuse(walk, "an array in JSON has no named members. Remove it or use an object.")
    }
    walk.path.push(copy.length)
    copy.push(detach(walk, read(walk, source, key)))
    walk.path.pop()
  }
  if (copy.length < source.length) {
    walk.path.push(copy.length)
    return refuse(walk, "the array has a hole here. Fill it (`null` is a value) or shorten the array.")
  }
  return copy
}

/** Gives an object a member that it does not have. */
export const put = (copy: Record<string, Json>, key: string, value: Json): void => {
  // Assigning to this one name would set the prototype instead.
  if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true })
  else copy[key] = value
}

const detachRecord = (walk: Walk, source: object): JsonObject => {
  const prototype = Object.getPrototypeOf(source)
  if (prototype !== null && prototype !== Object.prototype) {
    return refuse(walk, `an instance of ${className(prototype)} is not plain JSON. Write what it stands for.`)
  }
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(source)) {
    walk.path.push(key)
    const value = detach(walk, read(walk, source, key))
    walk.path.pop()
    put(copy, key, value)
  }
  return copy
}

/** Copies a container while it is known to be open, so that it is not met inside itself. */
const nested = <S extends object, A extends object>(walk: Walk, source: S, copyOf: (walk: Walk, source: S) => A): A => {
  if (walk.ancestors.includes(source)) {
    return refuse(walk, "the value contains itself. Break the cycle; a schema can use a `$ref` into `$defs`.")
  }
  if (walk.ancestors.length === maxDepth) {
    // The whole path would be unreadable; its beginning says which part it is.
    walk.path.length = Math.min(walk.path.length, 4)
    return refuse(walk, `the value is nested deeper than ${maxDepth} levels. Flatten it; a schema can use \`$defs\`.`)
  }
  walk.ancestors.push(source)
  walk.frozen &&= Object.isFrozen(source)
  refuseSymbols(walk, source)
  const copy = copyOf(walk, source)
  walk.ancestors.pop()
  Object.freeze(copy)
  return copy
}

/** A Schema is a function too. */
const functionReason = (value: unknown): string =>
  isSchema(value)
    ? "an Effect Schema is not JSON. Write what it describes as JSON."
    : "a function is not JSON. Leave it out: what is sent or stored is data."

/** A deeply frozen copy that shares nothing with `value`, if it is plain JSON. `-0` becomes 0, which is what JSON prints. */
export const detach = (walk: Walk, value: unknown): Json => {
  walk.values += 1
  if (walk.values > maxValues) {
    return refuse(walk, `there are more than ${maxValues} values. Shorten it; a schema can share parts by \`$ref\`.`)
  }
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      if (!Number.isFinite(value)) return refuse(walk, `${value} is not JSON. Write a finite number or leave it out.`)
      if (walk.lossless && Object.is(value, -0)) return refuse(walk, "-0 does not come back from JSON. Write 0.")
      return value === 0 ? 0 : value
    case "object":
      if (value === null) return null
      return Array.isArray(value) ? nested(walk, value, detachArray) : nested(walk, value, detachRecord)
    case "undefined":
      return refuse(walk, "undefined is not JSON. Give a value; a member that is optional can be left out.")
    case "function":
      return refuse(walk, functionReason(value))
    case "bigint":
      return refuse(walk, "a BigInt is not JSON. Write a number or a string.")
    case "symbol":
      return refuse(walk, "a symbol is not JSON. Write a string.")
  }
}

/** As `detach`, for a value that must be a JSON object. */
export const detachObject = (walk: Walk, value: unknown): JsonObject => {
  if (isSchema(value)) return refuse(walk, functionReason(value))
  if (!isRecord(value)) {
    return refuse(
      walk,
      `expected a JSON object, found ${describe(value)}. Write { type: "object" } for a tool without parameters.`
    )
  }
  return nested(walk, value, detachRecord)
}
