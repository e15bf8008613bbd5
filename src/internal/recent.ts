/**
 * A map that keeps what was used lately and drops the rest: it has the `size` entries used last, and never more than
 * twice as many. Looking up costs one look-up in the common case, since nothing is put in another order: entries that
 * were not used while `size` others came are dropped together.
 */
export class Recent<K, V> {
  readonly #size: number
  readonly #onDrop: ((key: K, value: V) => void) | undefined
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(size: number, onDrop?: (key: K, value: V) => void) {
    this.#size = size
    this.#onDrop = onDrop
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size && !this.#young.has(key)) this.#age()
    this.#young.set(key, value)
  }

  #age(): void {
    const dropped = this.#old
    this.#old = this.#young
    this.#young = new Map()
    if (this.#onDrop === undefined) return
    for (const [key, value] of dropped) if (!this.#old.has(key)) this.#onDrop(key, value)
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
