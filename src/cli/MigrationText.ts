/**
 * What a migration of a session log did, for a reader.
 *
 * @since 0.1.0
 */
import { wrap } from "../internal/width.ts"
import type { Entry, MigrationReport } from "../session/format/MigrationReport.ts"
import type { Torn } from "../session/store/SessionStore.ts"
import { count } from "./Numbers.ts"
import type { Style } from "./Style.ts"

interface Migrated {
  readonly file: string
  readonly out: string
  /** How a `FileStore` names the file, if it has another name. */
  readonly storeName: string | undefined
  readonly report: MigrationReport
  readonly torn: Torn | undefined
}

interface Look {
  readonly width: number
  readonly style: Style
}

/** All of it, with a line break at the end. */
export const make = ({ file, out, report, storeName, torn }: Migrated, look: Look): string => {
  const { eventsRead, eventsWritten, from, renumbered, session, to } = report
  const { style, width } = look
  const what = `${out}: session ${JSON.stringify(session)}, ${count(eventsWritten, "event")} in format ${to}`
  const source = `${file} has ${count(eventsRead, "event")} in format ${from}, and is as it was.`
  const moved = renumbered ? ["Events have other numbers than there."] : []
  const children =
    from === to ? [] : ["Logs of sessions that it started were not looked at, so that none is added to it."]
  const rename =
    storeName === undefined
      ? []
      : [`A FileStore names each file after its session: put this one into the folder of the store as ${storeName}.`]
  const rest =
    torn === undefined
      ? []
      : [`Its last ${count(torn.bytes, "byte")}, of an append that was not finished, were left out.`]
  const blocks = [
    [
      ...wrap(what, width).map(style.bold),
      ...[source, ...moved, ...rest, ...children, ...rename].flatMap((text) => wrap(text, width))
    ],
    ...(report.entries.length === 0 ? [] : [report.entries.flatMap((entry) => done(entry, look))])
  ]
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** Steps are few, and what they do has names of any length: sentences, not cells. */
const done = ({ action, count: times, edge, line, what }: Entry, { width }: Look): ReadonlyArray<string> => {
  const where = `${times === 1 ? "" : `${count(times, "time")}, first in `}line ${line}`
  const head = `${action}${edge === undefined ? "" : ` ${edge}`} (${where}): `
  return wrap(head + what, Math.max(2, width - 2)).map((text, i) => (i === 0 ? text : `  ${text}`))
}
