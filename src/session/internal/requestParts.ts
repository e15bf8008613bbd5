/** What requests are compared by: their parts in the order of a provider's cache, and the bytes of those as JSON. */
import { byteLength, firstDifference } from "../../internal/utf8.ts"
import type { RequestHeader } from "../RequestHeader.ts"

/** The parts before the messages, each of which is one more: the configuration, then each tool. */
export const ofHeader = ({ tools = [], ...rest }: RequestHeader): ReadonlyArray<object> => [rest, ...tools]

const sizes = new WeakMap<object, number>()

/** Bytes of a part as JSON. Messages and tools of a log never change, and most are in the next request again. */
export const sizeOf = (part: object): number => {
  let size = sizes.get(part)
  if (size === undefined) sizes.set(part, (size = byteLength(JSON.stringify(part))))
  return size
}

export const sum = (of: ReadonlyArray<object>): number => of.reduce<number>((sum, part) => sum + sizeOf(part), 0)

export const isSame = (a: object, b: object | undefined): boolean =>
  a === b || (b !== undefined && JSON.stringify(a) === JSON.stringify(b))

/** How many bytes two different parts share. */
export const sharedBytes = (a: object | undefined, b: object | undefined): number =>
  a === undefined || b === undefined ? 0 : (firstDifference(JSON.stringify(a), JSON.stringify(b))?.byte ?? 0)
