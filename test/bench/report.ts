/** Writes down what was measured: tables for people, and whether each goal is met. */
import goals from "./goals.json" with { type: "json" }
import type { Spread } from "./harness.ts"
import { bytes, decimal, type Row } from "./suite.ts"

export interface Goal {
  /** A gate must be met; the others are aims. */
  readonly gate: boolean
  readonly least?: number
  readonly most?: number
}

const all: { readonly [id: string]: Goal | undefined } = goals

export const goalOf = (id: string): Goal | undefined => all[id]

/** Whether the goal is missed for sure: even the better end of the spread does not reach it. */
export const missed = (row: Row): boolean => {
  const goal = goalOf(row.id)
  if (goal === undefined || row.disturbed === true) return false
  return (goal.least !== undefined && row.p90 < goal.least) || (goal.most !== undefined && row.p10 > goal.most)
}

const metBy = (row: Row): boolean => {
  const goal = goalOf(row.id)
  return (
    (goal?.least === undefined || row.median >= goal.least) && (goal?.most === undefined || row.median <= goal.most)
  )
}

const number = (value: number, unit: Row["unit"]): string =>
  unit === "B"
    ? bytes(value)
    : unit === "n"
      ? value.toFixed(2)
      : unit === "%"
        ? `${value.toFixed(1)} %`
        : decimal(value)

const spreadOf = ({ median, p10, p90 }: Spread, unit: Row["unit"]): string =>
  p10 === p90
    ? number(median, unit)
    : `${number(median, unit)}${unit === "x" ? "×" : ""} (${number(p10, unit)}–${number(p90, unit)})`

/** More than twice as much at one end as at the other says nothing certain. */
const unstable = (row: Row): boolean => row.unit === "x" && row.p90 / row.p10 > 2

const goalText = (row: Row): string => {
  const goal = goalOf(row.id)
  if (goal === undefined) return ""
  const bound = goal.least === undefined ? `≤ ${number(goal.most!, row.unit)}` : `≥ ${number(goal.least, row.unit)}`
  return `${bound}${row.unit === "x" ? "×" : ""}${goal.gate ? "" : " (aim)"}`
}

const verdict = (row: Row): string =>
  [
    goalOf(row.id) === undefined || row.disturbed === true
      ? ""
      : metBy(row)
        ? "met"
        : missed(row)
          ? "**missed**"
          : "near",
    row.disturbed === true ? "disturbed" : unstable(row) ? "unstable" : ""
  ]
    .filter((word) => word !== "")
    .join(", ")

const valueHead = { x: "ratio (p10–p90)", B: "bytes", n: "exponent (p10–p90)", "%": "share of time" }

/** Rows of one unit as a table; `before` are those of the run before this one. */
const tableOf = (rows: ReadonlyArray<Row>, before: ReadonlyMap<string, Row>): string => {
  const first = rows[0]!
  const heads = Object.keys(first.details ?? {})
  const twice = rows.some((row) => before.has(row.id))
  const lines = [
    ["", valueHead[first.unit], ...(twice ? ["run before"] : []), ...heads, "goal", ""],
    ...rows.map((row) => {
      const earlier = before.get(row.id)
      return [
        row.what,
        spreadOf(row, row.unit),
        ...(twice ? [earlier === undefined ? "" : spreadOf(earlier, row.unit)] : []),
        ...heads.map((head) => row.details?.[head] ?? ""),
        goalText(row),
        verdict(row)
      ]
    })
  ]
  const used = lines[0]!.map((_, i) => i < 2 || lines.slice(1).some((line) => line[i] !== ""))
  for (const [at, line] of lines.entries()) lines[at] = line.filter((_, i) => used[i])
  const widths = lines[0]!.map((_, i) => Math.max(3, ...lines.map((line) => line[i]!.length)))
  const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`
  const [head, ...body] = lines.map(line)
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body].join("\n")
}

/** One table for each run of rows that have the same unit and columns. */
export const tables = (rows: ReadonlyArray<Row>, before: ReadonlyArray<Row> = []): string => {
  const earlier = new Map(before.map((row) => [row.id, row]))
  const shape = (row: Row) => `${row.unit} ${Object.keys(row.details ?? {}).join(" ")}`
  const groups: Array<Array<Row>> = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last !== undefined && shape(last[0]!) === shape(row)) last.push(row)
    else groups.push([row])
  }
  return groups.map((group) => tableOf(group, earlier)).join("\n\n")
}

const block = (name: string): RegExp => new RegExp(`(<!-- bench: ${name} -->\n)[^]*?(\n<!-- end -->)`)

/** Puts the tables of a suite where a page has its place. */
export const insert = (page: string, name: string, text: string): string => {
  if (!block(name).test(page)) throw new Error(`the page has no place for ${name}`)
  return page.replace(block(name), (_all, before: string, after: string) => `${before}\n${text}\n${after}`)
}
