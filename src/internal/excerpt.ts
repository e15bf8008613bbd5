/** Short pieces of a text for messages: on one line, of bounded length, without half a surrogate pair. */

// oxlint-disable-next-line no-control-regex -- a vertical tab breaks a line; as `\v` the mutation tests make illegal code of it
const lineBreak = /[\n\r\u000b\f\u0085\u2028\u2029]/u

/** Whether a cut at this index would halve a surrogate pair. */
const halves = (text: string, index: number): boolean => {
  const before = text.charCodeAt(index - 1)
  const after = text.charCodeAt(index)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}

/** The first `max` units of a text, or one less. */
const head = (text: string, max: number): string => text.slice(0, halves(text, max) ? max - 1 : max)

/** The whole text, or its beginning and `…`, in at most `max` units. */
export const clip = (text: string, max: number): string => (text.length <= max ? text : `${head(text, max - 1)}…`)

/** The whole text, or its beginning and its end with `…` between, in at most `max` units: what a message advises stands last. */
export const clipMiddle = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = text.length - Math.floor(max / 3)
  return clip(text, max - (text.length - end)) + text.slice(halves(text, end) ? end + 1 : end)
}

/** Ends a text that others wrote, so that ours can go on. */
export const sentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`)

/** A name that somebody made up, between quotes: on one line, nothing in it unseen, and short. */
export const quoteName = (name: string): string => `"${clip(visible(name), 80)}"`

/** What follows `start` on its line, one unit more than `max` of it where it goes on. */
const restOfLine = (text: Pick<string, "slice">, start: number, max: number): string =>
  text.slice(start, start + max + 1).split(lineBreak, 1)[0] ?? ""

/** What follows `start` on its line, at most `max` units of it. */
export const lineFrom = (text: Pick<string, "slice">, start: number, max: number): string =>
  head(restOfLine(text, start, max), max)

/** The same without blanks at its end, and with `…` where the line goes on. */
export const lineStart = (text: Pick<string, "slice">, start: number, max: number): string => {
  const line = restOfLine(text, start, max)
  return `${head(line, max).trimEnd()}${line.length > max ? "…" : ""}`
}

/** How much of the line is shown on either side, and of the part itself. */
const margin = 24
const longest = 48

/** The part from `start` to `end`, which breaks no line, with a little of its line; `…` where the line goes on. */
export const lineAround = (text: string, start: number, end: number): string => {
  const before =
    text
      .slice(Math.max(0, start - margin - 1), start)
      .split(lineBreak)
      .at(-1) ?? ""
  const after = text.slice(end, end + margin + 1).split(lineBreak, 1)[0] ?? ""
  const cut = before.length - margin
  const left = cut <= 0 ? before : `…${before.slice(halves(before, cut) ? cut + 1 : cut)}`
  return left + clip(text.slice(start, end), longest) + clip(after, margin)
}

/** Shows what would break a line or not be seen at all as an escape, and leaves the rest, quotes too, as it is. */
export const visible = (text: string): string =>
  text.replace(/(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/gu, (unit) => {
    const named = JSON.stringify(unit).slice(1, -1)
    if (named.startsWith("\\")) return named
    return `\\u${unit.codePointAt(0)!.toString(16).padStart(4, "0")}`
  })
