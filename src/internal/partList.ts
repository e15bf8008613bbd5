/**
 * A list of an assembly after a listener had it. Parts that were there before are
 * recognised by identity and not looked at again, so that a listener which changes one
 * section pays for one section.
 */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Origin from "../Origin.ts"
import type { Owner } from "../Owner.ts"
import { describeThrown } from "./json.ts"
import type { ListMemory } from "./listMemory.ts"
import { describeType } from "./rules.ts"
import { inherit } from "./toolLink.ts"

/** A flaw of a listener's result: where, as a path from the assembly, and what. */
export interface Flaw {
  readonly path: string
  readonly reason: string
}

export type Checked<A> = Result.Result<A, Flaw>

export const flaw = (path: string, reason: string): Result.Result<never, Flaw> => Result.fail({ path, reason })

/** What a listener returned may throw when it is read: it may have getters, or be a Proxy. */
export const total = <A>(path: string, read: () => Checked<A>): Checked<A> => {
  try {
    return read()
  } catch (cause) {
    return flaw(path, `reading it threw ${describeThrown(cause)}. Return plain data.`)
  }
}

export const isRecord = (u: unknown): u is { readonly [key: string]: unknown } => typeof u === "object" && u !== null

export interface Part {
  readonly origin: Origin.Origin
}

/** One of the lists of an assembly. */
export interface ListKind<T extends Part> {
  readonly field: "sections" | "contexts" | "tools" | "variables"
  readonly keys: ReadonlySet<string>
  /** Tools alone may share a name. */
  readonly unique: boolean
  readonly nameOf: (part: T) => string
  /** The name that a part says it has, where parts may share one. */
  readonly claimedName?: (part: { readonly [key: string]: unknown }) => unknown
  /** Reads a part that was not there before; gives it once its origin is known. */
  readonly read: (part: { readonly [key: string]: unknown }, scope: string) => Checked<(origin: Origin.Origin) => T>
  /** Whether two parts of one name differ in their origin at most. */
  readonly same: (a: T, b: T) => boolean
  /** Whether reading a part, each field of it once, would give one that differs from that one in its origin at most. */
  readonly says: (part: { readonly [key: string]: unknown }, one: T) => boolean
  /** Puts the list in the only order it may have. */
  readonly arrange?: (parts: Array<T>) => void
}

export const checkList = <T extends Part>(
  kind: ListKind<T>,
  given: ReadonlyArray<ReadonlyArray<T>>,
  after: unknown,
  listener: Owner,
  memory: ListMemory<T> | undefined
): Checked<ReadonlyArray<T>> => {
  const unchanged = given.find((list) => list === after)
  if (unchanged !== undefined) return Result.succeed(unchanged)
  const path = `$.${kind.field}`
  return total(path, () => {
    if (!Array.isArray(after)) return flaw(path, `expected an array, got ${describeType(after)}.`)
    const [base, downstream] = given
    const edited =
      base !== undefined && downstream === undefined ? checkFew(kind, base, after, listener, memory) : undefined
    return edited === undefined ? checkParts(kind, given, after, path, listener) : Result.succeed(edited)
  })
}

const checkParts = <T extends Part>(
  kind: ListKind<T>,
  given: ReadonlyArray<ReadonlyArray<T>>,
  after: ReadonlyArray<unknown>,
  path: string,
  listener: Owner
): Checked<ReadonlyArray<T>> => {
  const before = earlier(kind, given)
  const fresh = kind.unique ? [] : after.filter((part) => before.known(part) === undefined)
  // Each is what it was at most once: of two tools that say the same, each is still itself.
  const taken = new Set<unknown>(kind.unique ? [] : after)
  const stay = new Set(taken)
  const partner = partnerIn(kind, fresh, (one) => stay.has(one))
  const parts: Array<T> = []
  const seen = new Set<string>()
  for (let i = 0; i < after.length; i++) {
    const at = `${path}[${i}]`
    const isFree = (one: T, part: unknown) => !taken.has(one) && !isClaimed(kind, one, part, fresh)
    const checked = total(at, () => checkPart(kind, before, partner, isFree, after[i], at, listener))
    if (Result.isFailure(checked)) return Result.fail(checked.failure)
    const part = checked.success
    taken.add(part)
    const name = kind.nameOf(part)
    if (kind.unique && seen.has(name)) {
      return flaw(
        `${path}[${i}].name`,
        `duplicate name ${JSON.stringify(name)}. Replace the part that has it, or choose another name.`
      )
    }
    seen.add(name)
    parts.push(part)
  }
  kind.arrange?.(parts)
  return Result.succeed(given.find((list) => consistsOf(list, parts)) ?? Object.freeze(parts))
}

export const consistsOf = (list: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>): boolean => {
  if (list.length !== parts.length) return false
  // Copies are read: most lists are frozen, and one by one their items take five times as long to read.
  const [a, b] = [[...list], [...parts]]
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** How many new parts are looked for one by one. */
const few = 8

/**
 * The usual edit: a few parts added, replaced or removed, and the others where they were. Needs no table of all parts.
 * Gives nothing where it is another edit, or where something is wrong: who checks the whole list says what.
 */
const checkFew = <T extends Part>(
  kind: ListKind<T>,
  base: ReadonlyArray<T>,
  after: ReadonlyArray<unknown>,
  listener: Owner,
  memory: ListMemory<T> | undefined
): ReadonlyArray<T> | undefined => {
  try {
    const now = copied(after)
    if (now === undefined) return undefined
    const recalled = memory?.recall(kind, base, now)
    if (recalled !== undefined) return recalled
    const earlier = [...base]
    const before: Earlier<T> = {
      known: () => undefined,
      named: (name) => earlier.filter((one) => kind.nameOf(one) === name)
    }
    const picked = pick(earlier, now)
    if (picked === undefined) return undefined
    const { added, parts } = picked
    const fresh = added.map(({ part }) => part)
    const stay = [...parts]
    const partner = partnerIn(kind, fresh, (one) => stay.includes(one))
    const isFree = (one: T, part: unknown) => !parts.includes(one) && !isClaimed(kind, one, part, fresh)
    const isThere = (one: T) => earlier.includes(one) || parts.includes(one)
    for (const { at, part } of added) {
      const checked = checkPart(kind, before, partner, isFree, part, "", listener)
      if (Result.isFailure(checked)) return undefined
      const made = checked.success
      const name = kind.nameOf(made)
      if (kind.unique && parts.some((one) => one !== undefined && kind.nameOf(one) === name)) return undefined
      parts[at] = isThere(made) ? made : (memory?.recallPart(kind, made, isThere) ?? made)
    }
    const whole = parts.filter((one) => one !== undefined)
    kind.arrange?.(whole)
    const list = consistsOf(base, whole) ? base : Object.freeze(whole)
    memory?.keep(kind, base, list, added)
    return list
  } catch {
    return undefined
  }
}

/** What is new in a list, and where. */
export interface Added {
  readonly at: number
  readonly part: unknown
}

interface Picked<T> {
  /** With gaps for what is new. */
  readonly parts: Array<T | undefined>
  readonly added: ReadonlyArray<Added>
}

/** What is in both lists in the same order; nothing, if some of it is in another order, or too much is new. */
const pick = <T>(base: ReadonlyArray<T>, after: ReadonlyArray<unknown>): Picked<T> | undefined => {
  const parts: Array<T | undefined> = []
  const added: Array<Added> = []
  let next = 0
  for (let i = 0; i < after.length; i++) {
    const part = after[i]
    const found = indexFrom(base, part, next)
    parts.push(base[found])
    if (found !== -1) next = found + 1
    else if (added.push({ at: i, part }) > few || indexFrom(base, part, 0) !== -1) return undefined
  }
  return { parts, added }
}

const indexFrom = (list: ReadonlyArray<unknown>, item: unknown, start: number): number => {
  for (let i = start; i < list.length; i++) if (list[i] === item) return i
  return -1
}

/**
 * A copy, which is faster to read if the list is frozen; nothing, if the list is not sure to iterate over its items one
 * by one.
 */
const copied = (list: ReadonlyArray<unknown>): ReadonlyArray<unknown> | undefined =>
  Object.getPrototypeOf(list) === Array.prototype && !Object.hasOwn(list, Symbol.iterator) ? [...list] : undefined

/** The parts that a listener was given, by identity and by name. */
interface Earlier<T> {
  readonly known: (part: unknown) => T | undefined
  readonly named: (name: string) => ReadonlyArray<T>
}

const earlier = <T extends Part>(kind: ListKind<T>, given: ReadonlyArray<ReadonlyArray<T>>): Earlier<T> => {
  const known = new Map<unknown, T>()
  const byName = new Map<string, Array<T>>()
  for (const part of given.flat()) {
    known.set(part, part)
    const name = kind.nameOf(part)
    const namesakes = byName.get(name)
    if (namesakes === undefined) byName.set(name, [part])
    else namesakes.push(part)
  }
  return { known: (part) => known.get(part), named: (name) => byName.get(name) ?? [] }
}

const checkPart = <T extends Part>(
  kind: ListKind<T>,
  before: Earlier<T>,
  partner: Partner<T>,
  isFree: (one: T, part: unknown) => boolean,
  part: unknown,
  path: string,
  listener: Owner
): Checked<T> => {
  const known = before.known(part)
  if (known !== undefined) return Result.succeed(known)
  if (!isRecord(part)) return flaw(path, `expected an object, got ${describeType(part)}.`)
  const extra = extraKey(kind, part)
  if (extra !== undefined) return flaw(`${path}.${extra}`, "there is no such field. Leave it out.")
  const read = kind.read(part, listener.scope)
  if (Result.isFailure(read)) return flaw(path + read.failure.path, read.failure.reason)
  const added = read.success(addedBy(listener))
  const namesakes = before.named(kind.nameOf(added))
  // Where parts may share a name, one that was made of another still has its origin; without that it is new.
  const candidates = kind.unique ? namesakes : namesakes.filter((one) => claims(kind, part, one))
  const paired = partner(part, candidates)
  const unchanged = (paired === undefined ? [...candidates, ...namesakes] : [paired]).find(
    (one) => isFree(one, part) && kind.same(one, added)
  )
  if (unchanged !== undefined) return Result.succeed(unchanged)
  const old = paired ?? candidates.at(-1)
  return Result.succeed(
    old === undefined ? added : inherit(read.success(Origin.make({ ...old.origin, listener: listened(listener) })), old)
  )
}

/** A field that parts do not have. */
export const extraKey = <T extends Part>(kind: ListKind<T>, part: object): string | undefined =>
  Object.keys(part).find((key) => !kind.keys.has(key))

/** Whether a part says that it was made of this one. */
export const claims = <T extends Part>(kind: ListKind<T>, part: unknown, one: T): boolean =>
  isRecord(part) && kind.claimedName?.(part) === kind.nameOf(one) && isOrigin(part.origin, one.origin)

/** What a part was made of, of all those that it claims to be made of. */
type Partner<T> = (part: unknown, claimed: ReadonlyArray<T>) => T | undefined

/**
 * What a new part was made of, where several claim one origin, as the tools of one provider that share a name do: the
 * first of them was made of the first that is gone, and so on, unless they are not as many.
 */
const partnerIn =
  <T extends Part>(kind: ListKind<T>, news: ReadonlyArray<unknown>, stays: (one: T) => boolean): Partner<T> =>
  (part, claimed) => {
    const [first] = claimed
    if (kind.unique || first === undefined) return undefined
    const gone = claimed.filter((one) => !stays(one))
    const claimants = news.filter((other) => claims(kind, other, first))
    return gone.length === claimants.length ? gone[claimants.indexOf(part)] : undefined
  }

/** Whether what a part resembles is what another new part says that it was made of, and so is not for the taking. */
const isClaimed = <T extends Part>(kind: ListKind<T>, one: T, part: unknown, fresh: ReadonlyArray<unknown>): boolean =>
  !kind.unique && !claims(kind, part, one) && fresh.some((other) => claims(kind, other, one))

const isOrigin = (claimed: unknown, origin: Origin.Origin): boolean =>
  claimed === origin || (isRecord(claimed) && Equal.equals(claimed, origin))

const addedBy = (listener: Owner): Origin.Origin =>
  Origin.make({ scope: listener.scope, plugin: listener.plugin, listener: listened(listener) })

const listened = ({ entry, plugin, scope }: Owner): Origin.Listened =>
  Object.freeze(plugin === undefined ? { name: entry, scope } : { name: entry, scope, plugin })
