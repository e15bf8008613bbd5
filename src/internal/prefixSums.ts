/**
 * Numbers by key that change, and what those below a key come to.
 *
 * A Fenwick tree: each slot has the sum of as many keys as its index has factors of two, so that a change and a sum look
 * at no more slots than a key has bits.
 */
export class PrefixSums {
  readonly #slots: Float64Array

  /** Keys are integers from 0 and below `length`; each has 0 at first. */
  constructor(length: number) {
    this.#slots = new Float64Array(length + 1)
  }

  add(key: number, value: number): void {
    for (let i = key + 1; i < this.#slots.length; i += i & -i) this.#slots[i]! += value
  }

  /** The sum of all keys below this one, which may be `length`. */
  below(key: number): number {
    let sum = 0
    for (let i = key; i > 0; i -= i & -i) sum += this.#slots[i]!
    return sum
  }
}
