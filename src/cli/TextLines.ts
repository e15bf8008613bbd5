/**
 * Texts of others in the lines of a terminal: nothing in them is obeyed, no line is too wide, and indentation stays.
 *
 * @since 0.1.0
 */
import { clip } from "../internal/excerpt.ts"
import { byteLength } from "../internal/utf8.ts"
import { graphemes, printable, width as widthOf, wrap } from "../internal/width.ts"
import { grouped } from "./Numbers.ts"

/** One line of a text, in as many lines as it needs; what goes on does so below the first character that is no blank. */
export const wrapLine = (line: string, width: number): ReadonlyArray<string> => {
  const blanks = /^ */u.exec(line)![0].slice(0, Math.max(0, width - 20))
  return wrap(line.slice(blanks.length), Math.max(2, width - blanks.length)).map((piece) => blanks + piece)
}

/** The whole text. */
export const all = (text: string, width: number): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => wrapLine(line, width))

/** The whole text with all its blanks, each line broken where there is no more room. */
export const exact = (text: string, width: number): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const lines = [""]
    let used = 0
    for (const grapheme of graphemes(printable(line))) {
      const size = widthOf(grapheme)
      if (used + size > width) {
        lines.push("")
        used = 0
      }
      lines[lines.length - 1] += grapheme
      used += size
    }
    return lines
  })

/** The beginning of a text, in no more than so many lines; the last of them says how long it is if that is not all. */
export const beginning = (text: string, most: number, width: number): ReadonlyArray<string> => {
  // However long a text is, no more of it is looked at than can be shown.
  const head = clip(text, most * width)
  const lines = all(head, width)
  if (head === text && lines.length <= most) return lines
  const more = wrap(`… (${grouped(byteLength(text))} bytes in all)`, Math.max(2, width))
  return [...lines.slice(0, Math.max(1, most - more.length)), ...more]
}
