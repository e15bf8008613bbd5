/**
 * Shows the lines around a place, with a caret under the exact character.
 *
 * A terminal does not count as a string does: a tab spans several cells, an
 * East Asian character two, a combining mark none. The caret stands under the
 * cell that the reader sees, and a line too long for a terminal is cut around it.
 *
 * @since 0.1.0
 */

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** Lines shown before and after the one at fault. */
const context = 2

/** Cells shown of one line. */
const maxWidth = 100

const tabStop = 4

/** Code points of East Asian width W or F, as pairs of first and last (Unicode 16, blocks merged where all are wide). */
const wide: ReadonlyArray<readonly [number, number]> = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd]
]

const invisible = /^[\p{Mn}\p{Me}\p{Cf}]$/u
const emoji = /^\p{Emoji_Presentation}$/u

interface Cell {
  /** What is printed; never a control character, so that a file cannot steer the terminal. */
  readonly shown: string
  readonly width: number
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * How many cells of a terminal a character takes: 0, 1 or 2. Tabs are not characters in this sense.
 *
 * @since 0.1.0
 * @category destructors
 */
export const widthOf = (character: string): 0 | 1 | 2 => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return code === 0xad ? 0 : 1
  if (invisible.test(character)) return 0
  return wide.some(([first, last]) => code >= first && code <= last) || emoji.test(character) ? 2 : 1
}

const toCell = (character: string, column: number): Cell => {
  if (character === "\t") {
    const width = tabStop - (column % tabStop)
    return { shown: "→".padEnd(width), width }
  }
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return { shown: String.fromCodePoint(0x2400 + code), width: 1 }
  if (code === 0x7f) return { shown: "␡", width: 1 }
  if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff)) return { shown: "�", width: 1 }
  // Bidirectional controls would reorder what the caret points at.
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return { shown: "�", width: 1 }
  return { shown: character, width: widthOf(character) }
}

interface Shown {
  readonly text: string
  /** Cells before the caret. */
  readonly caret: number
}

/** A line as cells; only a window around `at` of a very long one is looked at. `at` is in UTF-16 units. */
const show = (line: string, at: number): Shown => {
  const first = Math.max(0, at - maxWidth * 2)
  const cells: Array<Cell> = []
  let column = 0
  let caretIndex = -1
  let unit = first
  for (const character of line.slice(first, at + maxWidth * 2)) {
    if (caretIndex < 0 && unit + character.length > at) caretIndex = cells.length
    const cell = toCell(character, column)
    cells.push(cell)
    column += cell.width
    unit += character.length
  }
  if (caretIndex < 0) caretIndex = cells.length
  return cut(cells, caretIndex, first > 0, unit < line.length)
}

const widthOfCells = (cells: ReadonlyArray<Cell>): number => cells.reduce((sum, cell) => sum + cell.width, 0)

const cut = (cells: ReadonlyArray<Cell>, caret: number, before: boolean, after: boolean): Shown => {
  let start = 0
  let end = cells.length
  if (widthOfCells(cells) > maxWidth) {
    start = caret
    for (let width = 0; start > 0 && width + cells[start - 1]!.width <= maxWidth / 2; start--) {
      width += cells[start - 1]!.width
    }
    end = start
    for (let width = 0; end < cells.length && width + cells[end]!.width <= maxWidth; end++) width += cells[end]!.width
  }
  const prefix = before || start > 0 ? "…" : ""
  const suffix = after || end < cells.length ? "…" : ""
  const text = cells
    .slice(start, end)
    .map((cell) => cell.shown)
    .join("")
  return { text: prefix + text + suffix, caret: prefix.length + widthOfCells(cells.slice(start, caret)) }
}

/** The line that begins at `start`, without its line break. */
export const lineFrom = (text: string, start: number): string => {
  const end = text.indexOf("\n", start)
  return text.slice(start, end < 0 ? text.length : end)
}

/** Where the line of an offset begins. (A negative second argument would mean 0.) */
export const startOfLine = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1

/** Where the lines around that of an offset begin, `before` of them before its own. What follows a last line break is no line. */
const linesAround = (text: string, offset: number) => {
  const starts = [startOfLine(text, offset)]
  while (starts.length <= context && starts[0]! > 0) starts.unshift(startOfLine(text, starts[0]! - 1))
  const before = starts.length - 1
  while (starts.length <= before + context) {
    const end = text.indexOf("\n", starts.at(-1))
    if (end < 0 || end + 1 === text.length) break
    starts.push(end + 1)
  }
  return { starts, before }
}

/**
 * Lines around that of an offset of a text, the one at fault marked by `>` and by a caret under its character. `line` is
 * its number, from 1.
 *
 * @since 0.1.0
 * @category destructors
 */
export const make = (text: string, offset: number, line: number): string => {
  const { before, starts } = linesAround(text, offset)
  const rows: Array<string> = []
  const first = line - before
  const digits = String(first + starts.length - 1).length
  for (const [i, start] of starts.entries()) {
    const here = i === before
    const number = String(first + i).padStart(digits)
    const shown = show(lineFrom(text, start), here ? offset - start : 0)
    rows.push(`${here ? ">" : " "} ${number} | ${shown.text}`.trimEnd())
    if (here) rows.push(`  ${" ".repeat(digits)} | ${" ".repeat(shown.caret)}^`)
  }
  return rows.join("\n")
}
