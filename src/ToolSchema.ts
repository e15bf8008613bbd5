/**
 * What the model is told about a tool: name, description and parameters, as
 * plain JSON that nothing can change any more.
 *
 * Providers return tools with whatever else their host keeps there; only the
 * allow-listed fields pass. Nothing in a schema is a template, so `{{…}}` in a
 * description stays as it is.
 *
 * @since 0.1.0
 */
import type * as equivalence from "effect/Equivalence"
import type * as order from "effect/Order"
import * as Result from "effect/Result"
import { isSchema, type JsonObject } from "effect/Schema"
import { byCodeUnits } from "./internal/codeUnits.ts"
import * as json from "./internal/json.ts"
import * as sameJson from "./internal/sameJson.ts"
import * as sortedKeys from "./internal/sortedKeys.ts"
import { InvalidToolSchema, type Owner, ownerFields } from "./PromptError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A tool as the model sees it, deeply frozen. `parameters` is a JSON Schema with its keys in the author's order;
 * `deferLoading` asks the route to load the tool only when it is searched for.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly deferLoading?: true
}

/** What may be a JSON Schema. An Effect Schema, which has an `ast`, is none: `Plugin.tool` takes one. */
type Parameters = (object | { readonly [key: string]: unknown }) & { readonly ast?: never }

interface Fields {
  readonly name: string
  readonly description: string
  readonly parameters: Parameters
  readonly deferLoading?: unknown
}

/**
 * What a provider may return: a schema that may still change and may carry fields of its host, such as `execute`.
 *
 * @since 0.1.0
 * @category models
 */
// The second member lets literals have more fields; the first takes classes and interfaces, which have no index signature.
export type Input = Fields | (Fields & { readonly [hostOnly: string]: unknown })

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

const isObject = (u: unknown): u is object => typeof u === "object" && u !== null

const schemas = new WeakSet<object>()

/**
 * Whether `u` was made here. A copy, even a frozen one, was not.
 *
 * @since 0.1.0
 * @category guards
 */
export const isToolSchema = (u: unknown): u is ToolSchema => isObject(u) && schemas.has(u)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Parameters that were copied and frozen here: those of an edited schema need no second look. */
const detached = new WeakSet<object>()

/** By a provider's own parameters that are frozen to the depth: the last schema made with them. */
const latest = new WeakMap<object, ToolSchema>()

const seal = (name: string, description: string, deferLoading: boolean, parameters: JsonObject): ToolSchema => {
  const base = { name, description, parameters }
  const self: ToolSchema = Object.freeze(deferLoading ? { ...base, deferLoading } : base)
  schemas.add(self)
  detached.add(parameters)
  return self
}

const isDetached = (value: unknown): value is JsonObject => isObject(value) && detached.has(value)

/** Whoever gives an Effect Schema in a provider's tool means the tools that take one. */
const detachParameters = (walk: json.Walk, value: unknown, owner: Owner): JsonObject =>
  owner.kind === "tools" && isSchema(value)
    ? json.refuse(
        walk,
        "an Effect Schema is not JSON. Register the tool with Plugin.tool, which takes one, or write a JSON Schema."
      )
    : json.detachObject(walk, value)

const project = (walk: json.Walk, source: object, name: string, owner: Owner): ToolSchema => {
  const description = json.member(walk, source, "description", (value) =>
    typeof value === "string"
      ? value
      : json.refuse(walk, `expected a string, found ${json.describe(value)}. Say what the tool does.`)
  )
  const deferLoading = json.member(walk, source, "deferLoading", (value) => value === true)
  return json.member(walk, source, "parameters", (value) => {
    if (isDetached(value)) return seal(name, description, deferLoading, value)
    const frozen = isObject(value) && Object.isFrozen(value) ? value : undefined
    const held = frozen === undefined ? undefined : latest.get(frozen)
    if (held?.name === name && held.description === description && (held.deferLoading ?? false) === deferLoading) {
      return held
    }
    const self = seal(name, description, deferLoading, held?.parameters ?? detachParameters(walk, value, owner))
    if (frozen !== undefined && walk.frozen) latest.set(frozen, self)
    return self
  })
}

/**
 * Takes the allow-listed fields of a tool, and nothing else, into a `ToolSchema` that shares nothing with it.
 *
 * `name` is a non-empty string, `description` a string, `parameters` a JSON object; `deferLoading` is kept when it is
 * exactly `true`. They must be the tool's own properties. What is not plain JSON fails with its JSONPath: cycles,
 * functions, symbols, BigInts, `NaN`, infinities, `undefined`, holes, getters, class instances, nesting beyond 500
 * levels. Total: whatever the input is, nothing is thrown and no code of it runs, proxies aside.
 *
 * A `ToolSchema` comes back as it is. Parameters that are frozen to the depth are copied once, all others on every
 * call, so that a provider which changes its own object is seen next time and changes no earlier result.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromUnknown = (input: unknown, owner: Owner): Result.Result<ToolSchema, InvalidToolSchema> => {
  if (isToolSchema(input)) return Result.succeed(input)
  let tool = ""
  const projected = json.inspect((walk) => {
    if (!isObject(input) || Array.isArray(input)) {
      return json.refuse(walk, `expected a tool with name, description and parameters, found ${json.describe(input)}.`)
    }
    tool = json.member(walk, input, "name", (value) =>
      typeof value === "string" && value !== ""
        ? value
        : json.refuse(walk, `expected a non-empty string, found ${json.describe(value)}. Name the tool.`)
    )
    return project(walk, input, tool, owner)
  })
  return Result.mapError(projected, (problem) => new InvalidToolSchema({ ...ownerFields(owner), tool, ...problem }))
}

/** The parameters of schemas that were compared, laid out for the next time. */
const flats = new WeakMap<ToolSchema, sameJson.Flat>()

const flatten = (self: ToolSchema): sameJson.Flat => {
  const flat = sameJson.flatten(self.parameters)
  flats.set(self, flat)
  return flat
}

const getter = Symbol("getter")

const own = (source: object, key: string): unknown => {
  const property = Object.getOwnPropertyDescriptor(source, key)
  return property === undefined || "value" in property ? property?.value : getter
}

const isUnchangedObject = (input: object, before: ToolSchema): boolean => {
  if (own(input, "name") !== before.name || own(input, "description") !== before.description) return false
  const deferLoading = own(input, "deferLoading")
  if (deferLoading === getter || (deferLoading === true) !== (before.deferLoading === true)) return false
  const parameters = own(input, "parameters")
  if (!isObject(parameters)) return false
  if (!isToolSchema(before)) return false
  // What is frozen to the depth needs no look.
  if (parameters === before.parameters || latest.get(parameters)?.parameters === before.parameters) return true
  return sameJson.isSame(parameters, flats.get(before) ?? flatten(before))
}

/**
 * Whether `fromUnknown(input)` would give what `before` says, which was made here, to the order of keys in `parameters`.
 * It copies nothing and takes about half the time. Where the input is odd, `false` may be said though it would.
 *
 * Total as `fromUnknown` is: nothing is thrown and no code of the input runs, proxies aside.
 *
 * @internal
 */
export const isUnchanged = (input: unknown, before: ToolSchema): boolean => {
  if (input === before) return isToolSchema(before)
  try {
    return isObject(input) && !Array.isArray(input) && isUnchangedObject(input, before)
  } catch {
    // A Proxy threw, or the stack is nearly used up.
    return false
  }
}

const author: Owner = { kind: "tools", entry: "", scope: "global" }

/**
 * Makes a schema once, for a provider that returns it on every assembly; then it costs nothing to take. Throws
 * `InvalidToolSchema` if the input is no tool, as a Schema's own `make` throws: the mistake is in the source code.
 *
 * Tool schemas and their order are in the prefix that model providers cache. Any change, be it of one word or of the
 * order of two keys, costs everything after the first byte that differs: make schemas from constants.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (input: Input): ToolSchema => Result.getOrThrow(fromUnknown(input, author))

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

const sorted = new WeakMap<ToolSchema, ToolSchema>()

/**
 * The schema with the keys of `parameters` sorted at every depth, by UTF-16 code units; lists keep their order. One whose
 * keys are sorted comes back as it is. What was not made here is made first, as `make` does, and may throw as `make` does.
 *
 * For tools whose author keeps no order, such as those of a server that writes its keys in another one each time.
 * Otherwise leave the author's order: it is part of what the model reads.
 *
 * Sorted is as far as a JavaScript object can hold it: keys that look like indices, such as "10", come first and by their
 * number, in every object and always.
 *
 * **Provider's cache**: tools come before the prompt; turning it on or off costs the whole prefix once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sortKeys = (self: ToolSchema): ToolSchema => {
  const made = make(self)
  const held = sorted.get(made)
  if (held !== undefined) return held
  const parameters = sortedKeys.sortKeys(made.parameters)
  const { name, description, deferLoading } = made
  const result = parameters === made.parameters ? made : seal(name, description, deferLoading === true, parameters)
  sorted.set(made, result)
  return result
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const emitted = new WeakMap<ToolSchema, string>()

/**
 * The JSON text of a schema. Fields come as name, description, parameters, deferLoading; the keys of `parameters` in
 * their own order.
 *
 * @since 0.1.0
 * @category destructors
 */
export const emit = (self: ToolSchema): string => {
  const held = emitted.get(self)
  if (held !== undefined) return held
  const { name, description, parameters, deferLoading } = self
  const text = JSON.stringify({ name, description, parameters, deferLoading })
  // Only what was made here is known never to change.
  if (isToolSchema(self)) emitted.set(self, text)
  return text
}

/**
 * The JSON text of a list of tools, without blanks, each as `emit` gives it: `[]` of none.
 *
 * @since 0.1.0
 * @category destructors
 */
export const emitAll = (tools: ReadonlyArray<ToolSchema>): string => `[${tools.map(emit).join(",")}]`

/**
 * The JSON text of a schema with sorted keys, see `sortKeys`: one text for all schemas that differ in the order of keys
 * at most. To compare and to hash; what a model is sent is what `emit` gives.
 *
 * @since 0.1.0
 * @category destructors
 */
export const canonical = (self: ToolSchema): string => emit(sortKeys(self))

// -----------------------------------------------------------------------------
// instances
// -----------------------------------------------------------------------------

/**
 * Whether two schemas say the same to a reader of JSON: they differ in the order of keys at most. Their bytes, which
 * providers cache, may differ; those are what `Order` tells apart.
 *
 * @since 0.1.0
 * @category instances
 */
export const Equivalence: equivalence.Equivalence<ToolSchema> = (a, b) => a === b || canonical(a) === canonical(b)

/**
 * By canonical JSON, then by emitted JSON, both in UTF-16 code units; zero only where the same is emitted. It breaks ties
 * between tools of one name, so that no order depends on who came first, and none but that of equivalent schemas on how
 * an author orders keys.
 *
 * @since 0.1.0
 * @category instances
 */
export const Order: order.Order<ToolSchema> = (a, b) => {
  if (a === b) return 0
  const [x, y] = [emit(a), emit(b)]
  return x === y ? 0 : byCodeUnits(canonical(a), canonical(b)) || byCodeUnits(x, y)
}
