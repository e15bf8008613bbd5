/**
 * What came of a list the last time that one listener had it. Most listeners make the same of the same list each time,
 * but of new objects: that it says the same is found out by a look at what is new, and the very same list comes of it.
 */
import * as Origin from "../Origin.ts"
import { type Added, claims, extraKey, isRecord, type ListKind, type Part } from "./partList.ts"
import { isLinkedAs } from "./toolLink.ts"

/** What a listener added to a list, or made of a part of it: at that place of the result. */
interface Made {
  readonly at: number
  readonly claim: Claim
}

/** The origin that a part said it has, and whether there was any part of that origin for it to be made of. */
interface Claim {
  readonly origin: unknown
  readonly isMet: boolean
}

/** Of one list. */
export class ListMemory<T extends Part> {
  #last:
    | { readonly base: ReadonlyArray<T>; readonly list: ReadonlyArray<T>; readonly made: ReadonlyArray<Made> }
    | undefined

  /** The list that was accepted last, if that is what would come of this one. `after` is a copy, as it is to be read. */
  recall(kind: ListKind<T>, base: ReadonlyArray<T>, after: ReadonlyArray<unknown>): ReadonlyArray<T> | undefined {
    const last = this.#last
    if (last === undefined || last.base !== base || last.list.length !== after.length) return undefined
    const list = [...last.list]
    let nth = 0
    for (let i = 0; i < list.length; i++) {
      if (after[i] === list[i]) continue
      const made = last.made[nth++]
      if (made?.at !== i || !isRemembered(kind, after[i], list[i]!, made.claim, base)) return undefined
    }
    return nth === last.made.length && isDistinct(last.made.map(({ at }) => after[at])) ? last.list : undefined
  }

  /** What was made the last time, if that is what was made now, and is not there already. */
  recallPart(kind: ListKind<T>, part: T, isThere: (one: T) => boolean): T | undefined {
    const last = this.#last
    const parts = last?.made.map(({ at }) => last.list[at])
    return parts?.find((one) => one !== undefined && isEqual(kind, one, part) && !isThere(one))
  }

  keep(kind: ListKind<T>, base: ReadonlyArray<T>, list: ReadonlyArray<T>, added: ReadonlyArray<Added>): void {
    if (!Object.isFrozen(base) || !isDistinct(added.map(({ part }) => part))) return
    this.#last = { base, list, made: added.map(({ at, part }) => ({ at, claim: claimOf(kind, part, base) })) }
  }
}

/**
 * Whether a new part would be accepted as that one again: it says what that one says, and was made of the same. One that
 * is not frozen may say something else when it is read again.
 */
const isRemembered = <T extends Part>(
  kind: ListKind<T>,
  part: unknown,
  one: T,
  claim: Claim,
  base: ReadonlyArray<T>
): boolean =>
  isRecord(part) &&
  Object.isFrozen(part) &&
  (kind.unique || part.origin === claim.origin || !(claim.isMet || isMet(kind, part, base))) &&
  extraKey(kind, part) === undefined &&
  kind.says(part, one)

/** Where names are unique, the name alone decides what a part was made of. */
const claimOf = <T extends Part>(kind: ListKind<T>, part: unknown, base: ReadonlyArray<T>): Claim =>
  kind.unique || !isRecord(part)
    ? { origin: undefined, isMet: false }
    : { origin: part.origin, isMet: isMet(kind, part, base) }

const isMet = <T extends Part>(kind: ListKind<T>, part: unknown, base: ReadonlyArray<T>): boolean =>
  [...base].some((one) => claims(kind, part, one))

/** One object in two places is not what two that say the same are: of two, each is made of another one. */
const isDistinct = (parts: ReadonlyArray<unknown>): boolean => parts.length < 2 || new Set(parts).size === parts.length

const isEqual = <T extends Part>(kind: ListKind<T>, a: T, b: T): boolean =>
  kind.nameOf(a) === kind.nameOf(b) && kind.same(a, b) && Origin.equals(a.origin, b.origin) && isLinkedAs(a, b)
