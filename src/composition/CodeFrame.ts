/**
 * Shows the lines around a place, with a caret under the exact character.
 *
 * A terminal does not count as a string does: a tab spans several cells, an
 * East Asian character two, a combining mark none. The caret stands under the
 * cell that the reader sees, and a line too long for a terminal is cut around it.
 *
 * @since 0.1.0
 */

import { graphemes, widthOf } from "../internal/width.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** Lines shown before and after the one at fault. */
const context = 2

/** Cells shown of one line, so that with its number and `…` at both ends it fits 80 columns. */
const maxWidth = 68

const tabStop = 4

interface Cell {
  /** What is printed; never a control character, so that a file cannot steer the terminal. */
  readonly shown: string
  readonly width: number
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const toCell = (grapheme: string, column: number): Cell => {
  if (grapheme === "\t") {
    const width = tabStop - (column % tabStop)
    return { shown: "→".padEnd(width), width }
  }
  const code = grapheme.codePointAt(0) ?? 0
  if (code < 0x20) return { shown: String.fromCodePoint(0x2400 + code), width: 1 }
  if (code === 0x7f) return { shown: "␡", width: 1 }
  if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff)) return { shown: "�", width: 1 }
  // Bidirectional controls would reorder what the caret points at.
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return { shown: "�", width: 1 }
  return { shown: grapheme, width: widthOf(grapheme) }
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
  for (const grapheme of graphemes(line.slice(first, at + maxWidth * 2))) {
    if (caretIndex < 0 && unit + grapheme.length > at) caretIndex = cells.length
    const cell = toCell(grapheme, column)
    cells.push(cell)
    column += cell.width
    unit += grapheme.length
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
