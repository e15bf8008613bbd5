/** Something that tests have to show: what it is cited by, what it is about, and how we stand to it. */

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

/** A citation of something by the title of a test. */
export interface Citation {
  readonly id: string
  readonly file: string
  readonly title: string
}

/** The groups in brackets of numbers, spans of numbers, and ids of bug cases. */
const groups = /\[((?:BC-\d+|\d+(?:–\d+)?)(?:, (?:BC-\d+|\d+(?:–\d+)?))*)\]/g

/** What a title cites: numbers in brackets, from–to for a span, and ids of bug cases anywhere. */
export const cited = (title: string): ReadonlyArray<string> => {
  const bugs = title.match(/\bBC-\d+/g) ?? []
  const numbers = [...title.matchAll(groups)]
    .flatMap((group) => group[1]!.split(", "))
    .filter((one) => !one.startsWith("BC-"))
    .flatMap((one) => {
      const [first = 0, last = first] = one.split("–").map(Number)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => String(first + i))
    })
  return [...new Set([...numbers, ...bugs])]
}

/** A call of a test function, or the end of a table before its title, at the beginning of a line; then the title. */
const call =
  /^[ \t]*(?:(?:it|test|describe|onDisk)\b[\w.]*(?:\((?:[^()\n]|\([^()\n]*\))*\))?|\]\))\(\s*("(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/gm

/** The titles of the tests and groups in a source, as they are written; comments and other texts are none. */
export const titles = (source: string): ReadonlyArray<string> => [...source.matchAll(call)].map((match) => match[1]!)

/** What is wrong between the entries and what is cited: nothing, if every state is true. */
export const audit = (
  entries: ReadonlyArray<Entry>,
  citations: ReadonlyArray<Citation>
): ReadonlyArray<string> => {
  const by = Map.groupBy(citations, ({ id }) => id)
  const known = new Map(entries.map((entry) => [entry.id, entry]))
  const twice = entries.filter((entry) => known.get(entry.id) !== entry).map(({ id }) => `${id} is listed twice`)
  const untrue = entries.flatMap(({ id, title, state }) => {
    const tests = by.get(id)
    const isLater = typeof state === "object" && state._tag === "later"
    if (tests === undefined) return isLater ? [] : [`${id} (${title}) has no test`]
    return isLater ? [`${id} (${title}) is marked as later, and ${tests[0]!.file} has a test of it`] : []
  })
  const unknown = citations
    .filter(({ id }) => !known.has(id))
    .map(({ id, file, title }) => `${id} is unknown, and cited in ${file} by ${title}`)
  return [...twice, ...untrue, ...unknown]
}
