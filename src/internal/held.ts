/** The entries of one kind in one scope. One alone needs no table: there may be many scopes, and most hold one. */
export type Held<E extends Keyed> = E | Table<E> | undefined

/** What has a name is held by its name, which is unique; what may be nameless is held by itself. */
interface Keyed {
  readonly kind: string
  readonly name?: string | undefined
}

const isAnonymous = ({ kind }: Keyed): boolean => kind === "tools" || kind === "suppressor"

const keyOf = (entry: Keyed): unknown => (isAnonymous(entry) ? entry : entry.name)

/**
 * A table of entries. The place of a name stays when its entry goes: a name that comes and goes over and over would fill
 * its bucket of the map with deleted places, and each look-up would walk through all of them.
 */
class Table<E extends Keyed> {
  #entries = new Map<unknown, E | undefined>()
  #free = 0

  get size(): number {
    return this.#entries.size - this.#free
  }

  get(key: unknown): E | undefined {
    return this.#entries.get(key)
  }

  set(key: unknown, entry: E): void {
    if (this.#entries.has(key)) this.#free--
    this.#entries.set(key, entry)
  }

  delete(entry: E): void {
    if (isAnonymous(entry)) {
      this.#entries.delete(entry)
      return
    }
    this.#entries.set(entry.name, undefined)
    this.#free++
    if (this.#free > this.size) this.#sweep()
  }

  #sweep(): void {
    this.#entries = new Map([...this.#entries].filter(([, entry]) => entry !== undefined))
    this.#free = 0
  }

  all(): ReadonlyArray<E> {
    return [...this.#entries.values()].filter((entry) => entry !== undefined)
  }
}

/** The entry that stands where this one belongs. */
export const find = <E extends Keyed>(held: Held<E>, entry: E): E | undefined => {
  if (held === undefined) return undefined
  if (held instanceof Table) return held.get(keyOf(entry))
  return keyOf(held) === keyOf(entry) ? held : undefined
}

/** With an entry whose place is free. */
export const add = <E extends Keyed>(held: Held<E>, entry: E): Held<E> => {
  if (held === undefined) return entry
  const table = held instanceof Table ? held : new Table<E>()
  if (!(held instanceof Table)) table.set(keyOf(held), held)
  table.set(keyOf(entry), entry)
  return table
}

/** Without an entry that is there. */
export const remove = <E extends Keyed>(held: Held<E>, entry: E): Held<E> => {
  if (!(held instanceof Table)) return undefined
  held.delete(entry)
  return held.size === 0 ? undefined : held
}

export const size = (held: Held<Keyed>): number => (held === undefined ? 0 : held instanceof Table ? held.size : 1)

const none: ReadonlyArray<never> = Object.freeze([])

/** All of them, in no meaningful order. */
export const all = <E extends Keyed>(held: Held<E>): ReadonlyArray<E> =>
  held === undefined ? none : Object.freeze(held instanceof Table ? held.all() : [held])
