/**
 * A map that keeps what was used lately and drops the rest: it has the `size` entries used last, and never more than
 * twice as many. Looking up costs one look-up in the common case, since nothing is put in another order: entries that
 * were not used while `size` others came are dropped together.
 */
export class Recent<K, V> {
  readonly #size: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    if (this.#young.size >= this.#size && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
