/**
 * What is wrong with a session log, as an answer.
 *
 * @since 0.1.0
 */
import { clipMiddle } from "../internal/excerpt.ts"
import { printable, wrap } from "../internal/width.ts"
import { count } from "./Numbers.ts"
import type { Found } from "./LogCheck.ts"
import type { LogFinding } from "./LogFinding.ts"
import type { Style } from "./Style.ts"

const inOrder = (findings: ReadonlyArray<LogFinding>): ReadonlyArray<LogFinding> =>
  findings.toSorted((a, b) => a.line - b.line)

/** As JSON, on one line once it is stringified. */
export const toJson = (file: string, { events, findings, format, session, total, unjudged, warnings }: Found) => ({
  file,
  session: session ?? null,
  format: format ?? null,
  events,
  total,
  warnings,
  unjudged,
  findings: inOrder(findings)
})

interface Look {
  readonly width: number
  readonly style: Style
}

/** All of it, with a line break at the end. */
export const toText = (file: string, found: Found, look: Look): string => {
  const blocks = inOrder(found.findings).map((finding) => block(file, finding, look))
  const rest = found.total + found.warnings - found.findings.length
  return `${[...blocks, ...(rest === 0 ? [] : [`… and ${count(rest, "more problem")}`]), summary(file, found, look)].join("\n\n")}\n`
}

/** A reason may quote what stands in the log, however long it is. */
const longest = 1_000

const block = (file: string, { kind, line, path, reason, rule, seq }: LogFinding, { style, width }: Look): string => {
  const event = seq === undefined ? "" : `, event ${seq}`
  const what = rule === undefined ? kind : `${kind}, rule ${rule}`
  const said = kind === "unsendable" ? style.yellow(`warning ${what}`) : style.red(what)
  const where = path === undefined ? "" : `${clipMiddle(path, longest)}: `
  return [
    `${style.bold(printable(`${file}:${line}`))}${event}: ${said}`,
    ...wrap(where + clipMiddle(reason, longest), Math.max(20, width - 2)).map((text) => `  ${text}`)
  ].join("\n")
}

const summary = (file: string, { events, format, total, unjudged, warnings }: Found, { width }: Look): string => {
  const what = format === undefined ? "no format that can be read" : `format ${format}, ${count(events, "event")}`
  const rest = unjudged === 0 ? "" : `; ${count(unjudged, "event")} could not be judged`
  const counts = [
    ...(total === 0 ? [] : [count(total, "problem")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")])
  ]
  const verdict = counts.length === 0 ? "nothing is wrong" : counts.join(", ")
  return wrap(`${file}: ${what}: ${verdict}${rest}`, width).join("\n")
}
