/** Takes note of what a migration does. */
import type { Action, Entry } from "./MigrationReport.ts"

/** Counts what is alike, and keeps where it happened first. */
export class Notes {
  readonly #entries = new Map<string, { -readonly [K in keyof Entry]: Entry[K] }>()
  /** The line of the source that is being read. */
  line = 1

  add(action: Action, what: string, edge?: string, count = 1): void {
    const key = `${action} ${edge ?? ""} ${what}`
    const entry = this.#entries.get(key)
    if (entry !== undefined) entry.count += count
    else
      this.#entries.set(key, { action, ...(edge === undefined ? undefined : { edge }), what, count, line: this.line })
  }

  entries(): ReadonlyArray<Entry> {
    return [...this.#entries.values()].map((entry) => ({ ...entry }))
  }
}
