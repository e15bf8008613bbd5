/**
 * Tells whether a value that anyone may have built says what was taken out of such a value before, and takes no copy.
 *
 * It holds what `json.ts` holds: no getter runs, what is not enumerable is passed over, and what is refused there is never
 * the same. To be fast, the earlier JSON is laid out flat once: the keys of each container, then its members in their place.
 */
import type { Json, JsonObject } from "effect/Schema"
import { symbolKey } from "./json.ts"

/** The keys of a container: of a list, its indices. */
class Keys {
  readonly isList: boolean
  readonly names: ReadonlyArray<string>

  constructor(isList: boolean, names: ReadonlyArray<string>) {
    this.isList = isList
    this.names = names
  }
}

/** JSON in the order in which it is read. */
export type Flat = ReadonlyArray<Keys | string | number | boolean | null>

/** Lays JSON out. */
export const flatten = (json: JsonObject): Flat => {
  const flat: Array<Keys | string | number | boolean | null> = []
  const add = (value: Json): void => {
    if (typeof value !== "object" || value === null) {
      flat.push(value)
      return
    }
    flat.push(new Keys(Array.isArray(value), Object.keys(value)))
    for (const item of Object.values(value)) add(item)
  }
  add(json)
  // Without the room that it grew into.
  return flat.slice()
}

/**
 * Whether `json.detach` would make of `value` what was laid out, with all keys in the same order. No code of `value` runs,
 * proxies aside; what they throw is thrown. An array that is a Proxy is asked for its values, not for their descriptors.
 */
export const isSame = (value: object, flat: Flat): boolean => afterMember(value, flat, 0) !== differs

const differs = -1

/** The place after all that `value` says, or `differs` if it is not what stands at `at`. */
const afterMember = (value: unknown, flat: Flat, at: number): number => {
  const expected = flat[at]
  // 0 is what -0 becomes.
  if (value === expected) return at + 1
  if (typeof value !== "object" || value === null || !(expected instanceof Keys)) return differs
  const isList = Array.isArray(value)
  if (isList !== expected.isList) return differs
  const after = isList
    ? afterList(value, expected.names, flat, at + 1)
    : afterRecord(value, expected.names, flat, at + 1)
  return after === differs || symbolKey(value) !== undefined ? differs : after
}

const afterRecord = (record: object, names: ReadonlyArray<string>, flat: Flat, start: number): number => {
  const prototype: unknown = Object.getPrototypeOf(record)
  if (prototype !== Object.prototype && prototype !== null) return differs
  let at = start
  let i = 0
  // It makes no list, as `Object.keys` would. An inherited key has no descriptor.
  for (const key in record) {
    if (key !== names[i++]) return differs
    at = afterMember(Object.getOwnPropertyDescriptor(record, key)?.value, flat, at)
    if (at === differs) return differs
  }
  return i === names.length ? at : differs
}

/** Finds a getter as a descriptor does, for a third of the price. Without it in an engine, nothing is ever the same. */
const lookupGetter: (this: object, key: number) => unknown = Reflect.get(Object.prototype, "__lookupGetter__")

const afterList = (list: ReadonlyArray<unknown>, names: ReadonlyArray<string>, flat: Flat, start: number): number => {
  const found = Object.keys(list)
  if (list.length !== names.length || found.length !== names.length) return differs
  let at = start
  for (let i = 0; i < names.length; i++) {
    if (found[i] !== names[i] || lookupGetter.call(list, i) !== undefined) return differs
    at = afterMember(list[i], flat, at)
    if (at === differs) return differs
  }
  return at
}
