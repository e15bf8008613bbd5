/** What may be done to a tool between two calls of its provider, for `ToolSchema.isUnchanged` and `fromUnknown` to judge. */
import { assert } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { seeded } from "./random.ts"

export interface Json {
  [key: string]: unknown
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every object in a value, itself first. */
const containers = (value: unknown, found: Array<object> = []): ReadonlyArray<object> => {
  if (typeof value !== "object" || value === null) return found
  found.push(value)
  for (const key of Object.keys(value)) containers(Reflect.get(value, key), found)
  return found
}

/** A copy that shares nothing, keeps the order of keys, and has an own `__proto__` where the original has one. */
export const anew = (value: unknown): Json => JSON.parse(JSON.stringify(value))

const hide = (target: object, key: PropertyKey, value: unknown) => Object.defineProperty(target, key, { value })

const made = (tool: Json): ToolSchema.ToolSchema =>
  Result.getOrThrow(ToolSchema.fromUnknown(tool, { kind: "tools", entry: "", scope: "global" }))

class Custom {
  readonly field = 1
}

/** What is done to a copy of a tool. */
interface Place {
  readonly tool: Json
  readonly parameters: Json
  /** Has a key. */
  readonly record: Json
  readonly key: string
  /** Has an item. */
  readonly list: Array<unknown>
  readonly index: number
  readonly pick: <A>(all: ReadonlyArray<A>) => A
  /** A getter. None may run. */
  readonly get: () => unknown
}

/** The copy, or what stands for it. */
type Change = (place: Place) => unknown

/** These say the same, and `isUnchanged` must see it. */
export const harmless: Readonly<Record<string, Change>> = {
  "a plain copy": ({ tool }) => tool,
  "frozen to the depth": ({ tool }) => {
    containers(tool).forEach((one) => Object.freeze(one))
    return tool
  },
  "without prototypes": ({ tool }) => {
    for (const one of containers(tool)) if (!Array.isArray(one)) Object.setPrototypeOf(one, null)
    return tool
  },
  "an instance with own fields": ({ tool }) => Object.setPrototypeOf(tool, Custom.prototype),
  "an array of another class": ({ tool, list }) => {
    Object.setPrototypeOf(list, class extends Array {}.prototype)
    return tool
  },
  "-0 for 0": ({ tool, parameters }) => {
    parameters["zero"] = -0
    return tool
  },
  "a shared part": ({ tool, parameters }) => {
    parameters["twin"] = parameters["part"]
    return tool
  },
  "hidden members": ({ tool, record, list, get }) => {
    for (const one of [record, list]) {
      hide(one, "hidden", get)
      hide(one, Symbol("hidden"), get)
      hide(one, "toJSON", get)
      Object.defineProperty(one, "getter", { get })
    }
    return tool
  },
  "what the host keeps": ({ tool, get }) => {
    Object.defineProperty(tool, "execute", { get, enumerable: true })
    return Object.assign(tool, { output: undefined, [Symbol("host")]: 1 })
  },
  "hidden fields of the tool": ({ tool }) => {
    for (const key of Object.keys(tool)) hide(tool, key, tool[key])
    return tool
  },
  "other order of the tool's fields": ({ tool }) => Object.fromEntries(Object.entries(tool).toReversed()),
  "no deferLoading": ({ tool, pick }) =>
    tool["deferLoading"] === true ? tool : { ...tool, deferLoading: pick([false, undefined, null, "true", 1, {}]) },
  "a schema made here": ({ tool }) => made(tool),
  "an edited copy of a schema": ({ tool }) => ({ ...made(tool) }),
  "a proxy without traps": ({ tool, record, key, list, index }) => {
    record[key] = proxied(record[key])
    list[index] = proxied(list[index])
    return { ...tool, parameters: new Proxy(anew(tool["parameters"]), {}) }
  },
  "a proxy of a record that shows other values than it describes": ({ tool, parameters }) => ({
    ...tool,
    parameters: new Proxy(parameters, { get: () => "other" })
  })
}

const proxied = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? new Proxy(value, {}) : value

const strangers = [() => 1, Symbol("s"), Number.NaN, Infinity, 1n, undefined, new Date(0), new Map(), Object("a")]

const throwing = ["ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"] as const

/** These say something else, are refused, or are as they were by chance; `fromUnknown` knows. */
export const others: Readonly<Record<string, Change>> = {
  "a key at the end": ({ tool, record, key }) => {
    const value = record[key]
    delete record[key]
    record[key] = value
    return tool
  },
  "one key more": ({ tool, record }) => {
    record["another"] = 1
    return tool
  },
  "one key less": ({ tool, record, key }) => {
    delete record[key]
    return tool
  },
  "another key": ({ tool, record, key }) => {
    const entries = Object.entries(record).map(([name, value]) => [name === key ? `${name} ` : name, value] as const)
    for (const name of Object.keys(record)) delete record[name]
    for (const [name, value] of entries)
      Object.defineProperty(record, name, { value, enumerable: true, configurable: true })
    return tool
  },
  "another value": ({ tool, record, key, pick }) => {
    record[key] = pick(["", "0", 0, 1, true, false, null, [], {}, [0], { 0: 0 }])
    return tool
  },
  "another item": ({ tool, list, index, pick }) => {
    list[index] = pick(["", "0", 0, 1, true, false, null, [], {}, [0], { 0: 0 }])
    return tool
  },
  "a record for a list": ({ tool, parameters }) => {
    parameters["list"] = { ...(parameters["list"] as object) }
    return tool
  },
  "a list for a record": ({ tool, parameters }) => {
    parameters["indexed"] = ["x", "y"]
    return tool
  },
  "one item more": ({ tool, list, pick }) => {
    list.push(pick([null, "a", undefined]))
    return tool
  },
  "one item less": ({ tool, list }) => {
    list.pop()
    return tool
  },
  "a hole": ({ tool, list, index }) => {
    delete list[index]
    return tool
  },
  "a hole at the end": ({ tool, list }) => {
    list.length += 1
    return tool
  },
  "a named member of a list": ({ tool, list }) => Object.assign(list, { extra: 1 }) && tool,
  "a hole and a named member": ({ tool, list, index }) => {
    delete list[index]
    Object.assign(list, { extra: 1 })
    return tool
  },
  "a hidden item and a named member": ({ tool, list, index }) => {
    Object.defineProperty(list, index, { enumerable: false })
    Object.assign(list, { extra: 1 })
    return tool
  },
  "a hidden item": ({ tool, list, index }) => {
    Object.defineProperty(list, index, { enumerable: false })
    return tool
  },
  "a hidden member": ({ tool, record, key }) => {
    Object.defineProperty(record, key, { enumerable: false })
    return tool
  },
  "an inherited member": ({ tool, record, key }) => {
    Object.setPrototypeOf(record, { [key]: record[key] })
    delete record[key]
    return tool
  },
  "an inherited item": ({ tool, list, index }) => {
    Object.setPrototypeOf(list, Object.assign([], { [index]: list[index] }))
    delete list[index]
    return tool
  },
  "a getter": ({ tool, record, key, get }) => {
    Object.defineProperty(record, key, { get, enumerable: true })
    return tool
  },
  "a getter in a list": ({ tool, list, index, get }) => {
    Object.defineProperty(list, index, { get, enumerable: true })
    return tool
  },
  "a setter": ({ tool, record, key, get }) => {
    Object.defineProperty(record, key, { set: get, enumerable: true })
    return tool
  },
  "a setter in a list": ({ tool, list, index, get }) => {
    Object.defineProperty(list, index, { set: get, enumerable: true })
    return tool
  },
  "a getter of the tool": ({ tool, pick, get }) =>
    Object.defineProperty(tool, pick(["name", "description", "parameters", "deferLoading"]), { get }),
  "a deferLoading that is neither a value nor a getter": ({ tool }) => {
    delete tool["deferLoading"]
    const accessor: PropertyDescriptor = { enumerable: true }
    Reflect.set(accessor, "get", undefined)
    return Object.defineProperty(tool, "deferLoading", accessor)
  },
  "a symbol": ({ tool, record, list, pick, get }) => {
    Object.defineProperty(pick<object>([record, list]), Symbol("s"), { get, enumerable: true })
    return tool
  },
  "a hidden symbol before another": ({ tool, record, list, pick }) => {
    Object.assign(hide(pick<object>([record, list]), Symbol("hidden"), 1), { [Symbol("s")]: 1 })
    return tool
  },
  toJSON: ({ tool, record, get }) => Object.assign(record, { toJSON: get }) && tool,
  "an instance": ({ tool, record, pick }) => {
    Object.setPrototypeOf(record, pick([Custom.prototype, {}, Array.prototype]))
    return tool
  },
  __proto__: ({ tool, record, pick }) => {
    Object.defineProperty(record, "__proto__", { value: pick([null, 1, {}]), enumerable: true, configurable: true })
    return tool
  },
  "a stranger": ({ tool, record, key, pick }) => {
    record[key] = pick(strangers)
    return tool
  },
  "a stranger in a list": ({ tool, list, index, pick }) => {
    list[index] = pick(strangers)
    return tool
  },
  "a cycle": ({ tool, parameters, record, key }) => {
    record[key] = parameters
    return tool
  },
  "a cycle in a list": ({ tool, list, index }) => {
    list[index] = list
    return tool
  },
  "a proxy that throws": ({ tool, record, list, pick }) => {
    const boom = () => {
      throw pick([new Error("boom"), "boom", undefined])
    }
    record["thrower"] = new Proxy(pick<object>([record, list]), { [pick(throwing)]: boom })
    return pick([tool, new Proxy(tool, { getOwnPropertyDescriptor: boom })])
  },
  "a proxy that is revoked": ({ tool, list, index, pick }) => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    list[index] = proxy
    return pick<unknown>([tool, proxy])
  },
  "a proxy of a list that describes a getter": ({ tool, list, index, get }) => {
    Object.defineProperty(list, index, { value: 1, configurable: true })
    const getOwnPropertyDescriptor = (target: object, key: PropertyKey) =>
      key === String(index)
        ? { get, enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, key)
    return { ...tool, parameters: { list: new Proxy(list, { getOwnPropertyDescriptor }) } }
  },
  "another name": ({ tool, pick }) => ({ ...tool, name: pick(["", 1, undefined, `${String(tool["name"])} `]) }),
  "another description": ({ tool, pick }) => ({
    ...tool,
    description: pick([1, undefined, `${tool["description"]} `])
  }),
  "other parameters": ({ tool, pick }) => ({ ...tool, parameters: pick([null, undefined, [], {}, "a", 1, () => 1]) }),
  "another deferLoading": ({ tool, pick }) => ({ ...tool, deferLoading: pick([true, false]) }),
  "a tool by inheritance": ({ tool }) => Object.create(tool),
  "no tool": ({ tool, pick }) => {
    const fields = Object.getOwnPropertyDescriptors(tool)
    const bearers = [[], () => 1].map((bearer) => Object.defineProperties(bearer, fields))
    return pick([null, undefined, "tool", 1, [tool], ...bearers])
  }
}

/** What is done to `tool`, and where: the seed chooses. */
export const placeIn = (tool: Json, seed: number, get: () => unknown): Place => {
  const { below } = seeded(seed)
  const pick = <A>(all: ReadonlyArray<A>): A => all[below(all.length)]!
  const parameters = tool["parameters"]
  if (!isRecord(parameters)) return assert.fail("no parameters")
  const filled = containers(parameters).filter((one) => Object.keys(one).length > 0)
  const record = pick(filled.filter(isRecord))
  const list = pick(filled.filter((one) => Array.isArray(one)))
  return { tool, parameters, record, key: pick(Object.keys(record)), list, index: below(list.length), pick, get }
}
