/** Finds the known name that a mistyped one most likely means. */

/** Edit distance between two short names (insert, delete, replace, swap of neighbours), in O(a × b). */
const distance = (a: string, b: string): number => {
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  let before = last
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length]!
}

/** Longer names are no typos of anything, and would make the search slow. */
const maxLength = 64

/**
 * The known name nearest to `name`, if it is near enough to be meant: of the letters of the longer one, at most a third
 * differ. Two names of one or two letters each are never near, but for upper and lower case.
 */
export const nearest = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length > maxLength) return undefined
  const wanted = name.toLowerCase()
  let best: string | undefined
  let least = Infinity
  for (const candidate of known) {
    if (candidate.length > maxLength) continue
    const most = Math.min(Math.floor(Math.max(name.length, candidate.length) / 3), least - 1)
    if (Math.abs(candidate.length - name.length) > most) continue
    const other = candidate.toLowerCase()
    // Many are looked at, and few need to be looked at closely.
    const d = wanted === other ? 0 : most > 0 ? distance(wanted, other) : 1
    if (d > most) continue
    best = candidate
    least = d
  }
  return best
}
