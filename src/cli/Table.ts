/**
 * Tables of text, for terminals.
 *
 * Columns are as wide as their widest cell, as a terminal shows it. Where the
 * table is too wide, cells are cut at a grapheme and end in `…`.
 *
 * @since 0.1.0
 */
import { cut, width } from "../internal/width.ts"
import type { Style } from "./Style.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Column {
  /** If no column has a title, the table has no heading. */
  readonly title: string
  readonly align?: "left" | "right"
  /** Whether this column is cut before others are. */
  readonly shrink?: boolean
}

/** A text, and how to paint what is shown of it. Control characters in the text are shown as escapes. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string }

export interface Options {
  /** No line takes more cells of the terminal than this. */
  readonly width: number
  readonly style: Style
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const gap = 2

/** What a column keeps while it alone is cut, and what every column keeps. */
const comfortable = 8
const least = 4

/**
 * The lines of a table, without a line break at the end. Where the terminal is too narrow for columns, each cell has a
 * line of its own behind its title, and rows are set apart by an empty line.
 */
export const render = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  options: Options
): string => {
  const { style, width: max } = options
  const heading = columns.some(({ title }) => title !== "")
    ? [columns.map(({ title }): Cell => ({ text: title, paint: style.bold }))]
    : []
  const table = [...heading, ...rows].map((row) => row.map((cell) => measure(cell, max)))
  const natural = columns.map((_, i) => table.reduce((widest, row) => Math.max(widest, row[i]?.width ?? 0), 0))
  const widths = fit(columns, natural, max - gap * (columns.length - 1))
  if (widths === undefined) return rows.map((row) => stacked(columns, row, max)).join("\n\n")
  return table.map((row) => line(columns, row, widths)).join("\n")
}

interface Measured {
  readonly text: string
  /** How wide the cell would be if it had the whole line. */
  readonly width: number
  readonly paint: (text: string) => string
}

const same = (text: string): string => text

const toCell = (cell: Cell) => (typeof cell === "string" ? { text: cell, paint: same } : cell)

const measure = (cell: Cell, max: number): Measured => {
  const { paint, text } = toCell(cell)
  return { text, width: width(cut(text, max)), paint }
}

/** How wide each column is, so that together they are no wider than what is available; if that can be. */
const fit = (
  columns: ReadonlyArray<Column>,
  natural: ReadonlyArray<number>,
  available: number
): ReadonlyArray<number> | undefined => {
  const widths = [...natural]
  const over = (): number => widths.reduce((sum, one) => sum + one, 0) - available
  /** Takes one cell after the other from the widest of these columns, the last of them first. */
  const shrink = (may: (column: Column) => boolean, floor: number): void => {
    while (over() > 0) {
      const widest = Math.max(floor, ...widths.filter((_, i) => may(columns[i]!)))
      if (widest === floor) return
      widths[widths.findLastIndex((one, i) => one === widest && may(columns[i]!))]!--
    }
  }
  shrink((column) => column.shrink === true, comfortable)
  shrink(() => true, least)
  return over() > 0 ? undefined : widths
}

const stacked = (columns: ReadonlyArray<Column>, row: ReadonlyArray<Cell>, max: number): string =>
  row
    .map((cell, i) => ({ ...toCell(cell), title: columns[i]!.title }))
    .filter(({ text }) => text !== "")
    .map(({ paint, text, title }) => paint(cut(title === "" ? text : `${title}: ${text}`, max)))
    .join("\n")

/** A row; no blanks after its last cell. */
const line = (columns: ReadonlyArray<Column>, row: ReadonlyArray<Measured>, widths: ReadonlyArray<number>): string => {
  const last = row.findLastIndex(({ text }) => text !== "")
  return row
    .slice(0, last + 1)
    .map(({ paint, text }, i) => {
      const shown = cut(text, widths[i]!)
      const blanks = " ".repeat(widths[i]! - width(shown))
      if (columns[i]!.align === "right") return blanks + paint(shown)
      return i === last ? paint(shown) : paint(shown) + blanks
    })
    .join(" ".repeat(gap))
}
