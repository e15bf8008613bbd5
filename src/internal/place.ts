/** Turns offsets of a text into lines and columns, as editors count them. */

/** Both count from 1, the column in UTF-16 units. A line ends with `\n`; a `\r` before it belongs to the same break. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** The place of one offset. */
export const placeOf = (text: string, offset: number): Place => {
  let line = 1
  let start = 0
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line++
    start = end + 1
  }
  return { line, column: offset - start + 1 }
}

/** The places of many offsets of one text: reads the text once, then needs the logarithm of its lines for each. */
export const placesIn = (text: string): ((offset: number) => Place) => {
  const starts = [0]
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
