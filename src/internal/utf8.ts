/** Bytes of texts as UTF-8, counted without making them. A lone surrogate counts as U+FFFD, which is what encoders make of it. */

const replacement = 0xfffd

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

const sizeOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)

/** How many bytes a text has, up to an index if one is given. */
export const byteLength = (text: string, end = text.length): number => {
  let bytes = 0
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i)
    if (isHigh(code) && i + 1 < end && isLow(text.charCodeAt(i + 1))) {
      bytes += 4
      i++
    } else bytes += sizeOf(code)
  }
  return bytes
}

/** The character at an index; none at the end. */
const pointAt = (text: string, index: number): number | undefined => {
  const point = text.codePointAt(index)
  return point !== undefined && point >= 0xd800 && point <= 0xdfff ? replacement : point
}

const bytesOf = (point: number): ReadonlyArray<number> => {
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f)
  switch (sizeOf(point)) {
    case 1:
      return [point]
    case 2:
      return [0xc0 | (point >> 6), tail(0)]
    case 3:
      return [0xe0 | (point >> 12), tail(6), tail(0)]
    default:
      return [0xf0 | (point >> 18), tail(12), tail(6), tail(0)]
  }
}

/** No character's bytes are the beginning of another's, so two that differ do so within both. */
const sharedBytes = (a: number | undefined, b: number | undefined): number => {
  if (a === undefined || b === undefined) return 0
  const other = bytesOf(b)
  return bytesOf(a).findIndex((byte, i) => byte !== other[i])
}

/**
 * Where the bytes of two texts part: the first byte that differs, and the index of the character that it belongs to,
 * which is the same in both. Nothing if all bytes are the same.
 */
export const firstDifference = (
  a: string,
  b: string
): { readonly byte: number; readonly offset: number } | undefined => {
  const end = Math.min(a.length, b.length)
  let i = 0
  for (;;) {
    while (i < end && a.charCodeAt(i) === b.charCodeAt(i)) i++
    const halved = i > 0 && isHigh(a.charCodeAt(i - 1)) && (isLow(a.charCodeAt(i)) || isLow(b.charCodeAt(i)))
    if (halved) i--
    const left = pointAt(a, i)
    const right = pointAt(b, i)
    if (left !== right) return { byte: byteLength(a, i) + sharedBytes(left, right), offset: i }
    if (left === undefined) return undefined
    // One has U+FFFD where the other has half of a pair.
    i++
  }
}
