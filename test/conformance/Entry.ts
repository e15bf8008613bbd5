/** Something that tests have to show: what it is cited by, what it is about, and how we stand to it. */
import type { Citation } from "./Citation.ts"

/**
 * Whether a test has to show it: it is covered; it differs on purpose, and a test shows how; or its area is not there yet.
 */
export type State =
  | "covered"
  | { readonly _tag: "deviates"; readonly reason: string }
  | { readonly _tag: "later"; readonly area: string }

/** A scenario or a bug case. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly state: State
}

/** It is otherwise here, on purpose. */
export const deviates = (reason: string): State => ({ _tag: "deviates", reason })

/** It comes with an area that is not there yet. */
export const later = (area: string): State => ({ _tag: "later", area })

/** What is wrong between the entries and what is cited: nothing, if every state is true. */
export const audit = (entries: ReadonlyArray<Entry>, citations: ReadonlyArray<Citation>): ReadonlyArray<string> => {
  const by = new Map(citations.map((citation) => [citation.id, citation]))
  const known = new Map(entries.map((entry) => [entry.id, entry]))
  const twice = entries.filter((entry) => known.get(entry.id) !== entry).map(({ id }) => `${id} is listed twice`)
  const untrue = entries.flatMap(({ id, title, state }) => {
    const test = by.get(id)
    const isLater = typeof state === "object" && state._tag === "later"
    if (test === undefined) return isLater ? [] : [`${id} (${title}) has no test`]
    return isLater ? [`${id} (${title}) is marked as later, and ${test.file} has a test of it`] : []
  })
  const unknown = citations
    .filter(({ id }) => !known.has(id))
    .map(({ id, file, title }) => `${id} is unknown, and cited in ${file} by ${title}`)
  return [...twice, ...untrue, ...unknown]
}
