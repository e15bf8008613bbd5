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
  /** Puts the list in the only order it may have. */
  readonly arrange?: (parts: Array<T>) => void
}

export const checkList = <T extends Part>(
  kind: ListKind<T>,
  given: ReadonlyArray<ReadonlyArray<T>>,
  after: unknown,
  listener: Owner
): Checked<ReadonlyArray<T>> => {
  const unchanged = given.find((list) => list === after)
  if (unchanged !== undefined) return Result.succeed(unchanged)
  const path = `$.${kind.field}`
  return total(path, () =>
    Array.isArray(after)
      ? checkParts(kind, given, after, path, listener)
      : flaw(path, `expected an array, got ${describeType(after)}.`)
  )
}

const checkParts = <T extends Part>(
  kind: ListKind<T>,
  given: ReadonlyArray<ReadonlyArray<T>>,
  after: ReadonlyArray<unknown>,
  path: string,
  listener: Owner
): Checked<ReadonlyArray<T>> => {
  const [base, downstream] = given
  const edited = base !== undefined && downstream === undefined ? checkFew(kind, base, after, listener) : undefined
  if (edited !== undefined) return Result.succeed(edited)
  const before = earlier(kind, given)
  const fresh = kind.unique ? [] : after.filter((part) => before.known(part) === undefined)
  // Each is what it was at most once: of two tools that say the same, each is still itself.
  const taken = new Set<unknown>(kind.unique ? [] : after.filter((part) => before.known(part) !== undefined))
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
  for (let i = 0; i < parts.length; i++) if (list[i] !== parts[i]) return false
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
  listener: Owner
): ReadonlyArray<T> | undefined => {
  const before: Earlier<T> = {
    known: () => undefined,
    named: (name) => namedIn(kind, base, name)
  }
  try {
    const picked = pick(base, after)
    if (picked === undefined) return undefined
    const { added, parts } = picked
    const fresh = added.map(({ part }) => part)
    const stay = [...parts]
    const partner = partnerIn(kind, fresh, (one) => stay.includes(one))
    const isFree = (one: T, part: unknown) => !parts.includes(one) && !isClaimed(kind, one, part, fresh)
    for (const { at, part } of added) {
      const checked = checkPart(kind, before, partner, isFree, part, "", listener)
      if (Result.isFailure(checked)) return undefined
      const name = kind.nameOf(checked.success)
      if (kind.unique && parts.some((one) => one !== undefined && kind.nameOf(one) === name)) return undefined
      parts[at] = checked.success
    }
    const whole = parts.filter((one) => one !== undefined)
    kind.arrange?.(whole)
    return consistsOf(base, whole) ? base : Object.freeze(whole)
  } catch {
    return undefined
  }
}

/** A plain loop: the methods of frozen arrays are slow. */
const namedIn = <T extends Part>(kind: ListKind<T>, list: ReadonlyArray<T>, name: string): ReadonlyArray<T> => {
  const found: Array<T> = []
  for (let i = 0; i < list.length; i++) if (kind.nameOf(list[i]!) === name) found.push(list[i]!)
  return found
}

interface Picked<T> {
  /** With gaps for what is new. */
  readonly parts: Array<T | undefined>
  readonly added: ReadonlyArray<{ readonly at: number; readonly part: unknown }>
}

/** What is in both lists in the same order; nothing, if some of it is in another order, or too much is new. */
const pick = <T>(base: ReadonlyArray<T>, after: ReadonlyArray<unknown>): Picked<T> | undefined => {
  const parts: Array<T | undefined> = []
  const added: Array<{ readonly at: number; readonly part: unknown }> = []
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

/** `indexOf` of frozen arrays is slow. */
const indexFrom = (list: ReadonlyArray<unknown>, item: unknown, start: number): number => {
  for (let i = start; i < list.length; i++) if (list[i] === item) return i
  return -1
}

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
  const extra = Object.keys(part).find((key) => !kind.keys.has(key))
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

/** Whether a part says that it was made of this one. */
const claims = <T extends Part>(kind: ListKind<T>, part: unknown, one: T): boolean =>
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
  Object.freeze({ name: entry, scope, ...(plugin === undefined ? undefined : { plugin }) })
