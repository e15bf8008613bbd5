/** What titles of tests cite. */

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

/** All citations in a source. */
export const citations = (file: string, source: string): ReadonlyArray<Citation> =>
  titles(source).flatMap((title) => cited(title).map((id) => ({ id, file, title })))

/** Texts that begin as a title does that cites a scenario, and are none where we look. */
export const unseen = (source: string): ReadonlyArray<string> => {
  const seen = new Set([...source.matchAll(call)].map((match) => match.index + match[0].length - match[1]!.length))
  return [...source.matchAll(/["`]\[\d[\d–, ]*\] [^"`\n]*/g)]
    .filter(({ index }) => !seen.has(index))
    .map(([text]) => text)
}
