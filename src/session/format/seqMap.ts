/**
 * Where the events of a log went when they were numbered anew.
 *
 * Events that stay together move together, so runs of them are kept and not the events: a log of a million events in
 * which a thousand were inserted takes a thousand entries.
 */

/** What became of an event: its new number, or nothing of its own. */
export type Fate = number | "consumed"

export class SeqMap {
  /** The first event of each run, ascending. */
  readonly #starts: Array<number> = []
  /** By how much the events of a run moved; `NaN` if they were consumed. */
  readonly #shifts: Array<number> = []
  #size = 0

  /** How many events of the source there have been. */
  get size(): number {
    return this.#size
  }

  /** The next event of the source is kept at this place. */
  keep(target: number): void {
    this.#extend(target - this.#size, 1)
  }

  /** The next events of the source are no events in the target. */
  consume(count: number): void {
    this.#extend(Number.NaN, count)
  }

  /** `undefined` if there has been no such event yet. */
  get(source: number): Fate | undefined {
    if (source >= this.#size) return undefined
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= source) low = middle
      else high = middle - 1
    }
    const shift = this.#shifts[low]!
    return Number.isNaN(shift) ? "consumed" : source + shift
  }

  #extend(shift: number, count: number): void {
    if (!Object.is(this.#shifts.at(-1), shift)) {
      this.#starts.push(this.#size)
      this.#shifts.push(shift)
    }
    this.#size += count
  }
}
