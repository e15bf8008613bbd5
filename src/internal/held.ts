/** The entries of one kind in one scope. One alone needs no table: there may be many scopes, and most hold one. */
export type Held<E extends Keyed> = E | Map<unknown, E> | undefined

/** What has a name is held by its name, which is unique; what may be nameless is held by itself. */
interface Keyed {
  readonly kind: string
  readonly name?: string | undefined
}

const keyOf = (entry: Keyed): unknown => (entry.kind === "tools" || entry.kind === "suppressor" ? entry : entry.name)

/** The entry that stands where this one belongs. */
export const find = <E extends Keyed>(held: Held<E>, entry: E): E | undefined => {
  if (held === undefined) return undefined
  if (held instanceof Map) return held.get(keyOf(entry))
  return keyOf(held) === keyOf(entry) ? held : undefined
}

/** With an entry whose place is free. */
export const add = <E extends Keyed>(held: Held<E>, entry: E): Held<E> => {
  if (held === undefined) return entry
  if (held instanceof Map) return held.set(keyOf(entry), entry)
  return new Map([
    [keyOf(held), held],
    [keyOf(entry), entry]
  ])
}

/** Without an entry that is there. */
export const remove = <E extends Keyed>(held: Held<E>, entry: E): Held<E> => {
  if (!(held instanceof Map)) return undefined
  held.delete(keyOf(entry))
  return held.size === 0 ? undefined : held
}

export const size = (held: Held<Keyed>): number => (held === undefined ? 0 : held instanceof Map ? held.size : 1)

const none: ReadonlyArray<never> = Object.freeze([])

/** All of them, in the order in which they came. */
export const all = <E extends Keyed>(held: Held<E>): ReadonlyArray<E> =>
  held === undefined ? none : Object.freeze(held instanceof Map ? [...held.values()] : [held])
