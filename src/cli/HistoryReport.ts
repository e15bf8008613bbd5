/**
 * What a session log tells, as an answer: tables and texts for a reader, or JSON.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { JsonObject } from "effect/Schema"
import { byteLength } from "../internal/utf8.ts"
import { wrap } from "../internal/width.ts"
import * as Event from "../session/Event.ts"
import * as OpenCalls from "../session/OpenCalls.ts"
import type * as Request from "../session/Request.ts"
import * as SessionLog from "../session/SessionLog.ts"
import type { History, Node, Prompt } from "./History.ts"
import type { LogFile as File } from "./LogFile.ts"
import * as MessageText from "./MessageText.ts"
import { count, grouped } from "./Numbers.ts"
import type { Sent } from "./Requests.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

type LogFile = File<SessionLog.SessionLog>

export interface Options {
  readonly width: number
  readonly style: Style
  /** How many lines a message takes at most. */
  readonly most: number
}

// -----------------------------------------------------------------------------
// words
// -----------------------------------------------------------------------------

/** How much of the request before a cache can keep. */
export const describeBytes = ({ bytes, isWhole, of }: Request.Prefix): string =>
  isWhole
    ? `all ${count(of, "byte")}`
    : `${grouped(bytes)} of ${count(of, "byte")} (${Math.floor((100 * bytes) / of)}%)`

const describePrefix = (prefix: Request.Prefix): string =>
  prefix.isWhole ? describeBytes(prefix) : `${describeBytes(prefix)}, ${count(prefix.messages, "message")}`

const paragraph = (text: string, { width }: Options): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - 2)).map((line, i) => (i === 0 ? line : `  ${line}`))

const title = (text: string, { style, width }: Options): ReadonlyArray<string> => wrap(text, width).map(style.bold)

const indented = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => `  ${line}`)

const table = (
  columns: ReadonlyArray<Table.Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  { style, width }: Options
): ReadonlyArray<string> => indented(Table.render(columns, rows, { style, width: Math.max(2, width - 2) }))

const sizeOf = ({ event }: Node): number => byteLength(MessageText.ofContent(Event.message(event).content))

const range = ({ endSeq, startSeq }: Event.Replace): string =>
  startSeq === endSeq ? `${startSeq}` : `${startSeq}–${endSeq}`

// -----------------------------------------------------------------------------
// text
// -----------------------------------------------------------------------------

/** All of it, with a line break at the end. */
export const toText = (file: LogFile, history: History, options: Options): string => {
  const messages = history.surface.filter((node) => node.isSent).map(({ event }) => Event.message(event))
  const blocks = [
    head(file, history, options),
    surface(history, options),
    requests(history, options),
    ...prompts(history, options),
    title(`MESSAGES (${messages.length})`, options),
    ...messages.map((message) => MessageText.lines(message, options))
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`
}

const head = ({ file, report, torn, value: whole }: LogFile, { log }: History, options: Options) => {
  const { eventsRead, from, renumbered, to } = report
  const what = `${file}: session ${JSON.stringify(whole.header.id)}, format ${from}, ${count(eventsRead, "event")}`
  const numbers = renumbered ? "with other numbers" : "with the same numbers"
  return [
    ...title(log.length === whole.length ? what : `${what}, as it was before event ${log.length}`, options),
    ...(from === to
      ? []
      : paragraph(`Shown as it would be in format ${to}: ${count(whole.length, "event")}, ${numbers}.`, options)),
    ...(torn === undefined
      ? []
      : paragraph(
          `The last ${count(torn.bytes, "byte")} are of an append that was not finished, and do not count.`,
          options
        )),
    ...open(log).flatMap((text) => paragraph(text, options))
  ]
}

/** What is not finished, and what becomes of it. */
const open = (log: SessionLog.SessionLog): ReadonlyArray<string> => {
  const { isStepOpen, isTurnOpen, step, turn } = log.position
  const calls = OpenCalls.fromLog(log).map(({ callId, name }) => `${callId} (${name})`)
  const place = isStepOpen ? [`turn ${turn}, step ${step} is open`] : isTurnOpen ? [`turn ${turn} is open`] : []
  const waiting =
    calls.length === 0
      ? []
      : [
          calls.length === 1
            ? `call ${calls[0]} has no result. The next step answers it as stopped`
            : `calls ${calls.join(", ")} have no results. The next step answers them as stopped`
        ]
  const text = [...place, ...waiting].join("; ")
  return text === "" ? [] : [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`]
}

const surface = ({ surface }: History, options: Options): ReadonlyArray<string> => {
  const replaced = surface.some(({ event }) => event.surfaceOp !== "append")
  const rows = surface.map((node) => {
    const { event, isSent } = node
    const { content, role, source } = Event.message(event)
    return [
      `${event.seq}`,
      role,
      source.kind,
      ...(replaced ? [event.surfaceOp === "append" ? "" : range(event.surfaceOp)] : []),
      grouped(sizeOf(node)),
      isSent ? MessageText.firstWords(content) : "(empty, and not sent)"
    ]
  })
  const columns: ReadonlyArray<Table.Column> = [
    { title: "seq", align: "right" },
    { title: "role" },
    { title: "source", shrink: true },
    ...(replaced ? [{ title: "replaces" }] : []),
    { title: "bytes", align: "right" },
    { title: "text", shrink: true }
  ]
  const heading = title(`SURFACE (${surface.length})`, options)
  return rows.length === 0 ? heading : [...heading, ...table(columns, rows, options)]
}

const requests = ({ requests }: History, options: Options): ReadonlyArray<string> => {
  const rows = requests.map(({ at, messages, prefix, step, turn }) => [
    `${at}`,
    `${turn}`,
    `${step}`,
    `${messages}`,
    Option.match(prefix, { onNone: () => "", onSome: describePrefix })
  ])
  const columns: ReadonlyArray<Table.Column> = [
    { title: "at", align: "right" },
    { title: "turn", align: "right" },
    { title: "step", align: "right" },
    { title: "messages", align: "right" },
    { title: "begins with, of the one before", shrink: true }
  ]
  const heading = title(`REQUESTS (${requests.length})`, options)
  return rows.length === 0 ? heading : [...heading, ...table(columns, rows, options)]
}

const prompts = ({ prompts }: History, options: Options): ReadonlyArray<ReadonlyArray<string>> => [
  title(`PROMPTS (${prompts.length})`, options),
  ...prompts.map((prompt, i) => {
    const before = prompts[i - 1]
    const lines = paragraph(`${i + 1}. ${describePrompt(prompt)}`, options)
    return before === undefined || before.text === "" || before.text === prompt.text
      ? lines
      : [...lines, ...UnifiedDiff.lines(before.text, prompt.text, options)]
  })
]

const describePrompt = ({ replaces, seq, shows, text }: Prompt): string => {
  const size = text === "" ? "empty" : count(byteLength(text), "byte")
  if (shows !== seq) return `event ${seq}: the prompt of event ${shows} again, ${size}`
  return `event ${seq}: ${replaces === undefined ? "appended" : `in the place of ${replaces}`}, ${size}`
}

// -----------------------------------------------------------------------------
// JSON
// -----------------------------------------------------------------------------

/** As JSON, on one line once it is stringified. */
export const toJson = ({ file, report, torn, value: whole }: LogFile, history: History) => ({
  file,
  session: whole.header.id,
  format: report.from,
  renumbered: report.renumbered,
  events: whole.length,
  at: history.log.length,
  torn: torn ?? null,
  position: history.log.position,
  openCalls: OpenCalls.fromLog(history.log).map(({ callId, name, step, turn }) => ({ callId, name, turn, step })),
  header: history.log.requestHeader?.data.header ?? null,
  route: history.log.requestContext?.data ?? null,
  surface: history.surface.map((node) => ({
    seq: node.event.seq,
    role: Event.message(node.event).role,
    source: Event.message(node.event).source.kind,
    replaces:
      node.event.surfaceOp === "append"
        ? null
        : { from: node.event.surfaceOp.startSeq, to: node.event.surfaceOp.endSeq },
    bytes: sizeOf(node),
    sent: node.isSent
  })),
  messages: SessionLog.messages(history.log),
  prompts: history.prompts.map((prompt, i) => promptToJson(prompt, history.prompts[i - 1])),
  requests: history.requests.map(requestToJson)
})

const promptToJson = ({ replaces, seq, shows, text }: Prompt, before: Prompt | undefined): JsonObject => ({
  seq,
  shows,
  replaces: replaces ?? null,
  text,
  diff: before === undefined ? null : UnifiedDiff.raw(before.text, text)
})

const requestToJson = ({ at, headerSeq, messages, prefix, step, turn }: Sent): JsonObject => ({
  at,
  turn,
  step,
  headerSeq: headerSeq ?? null,
  messages,
  prefix: Option.match(prefix, { onNone: () => null, onSome: prefixToJson })
})

/** How much of the request before stands at the beginning of one. */
export const prefixToJson = ({ bytes, isWhole, messages, of }: Request.Prefix): JsonObject => ({
  whole: isWhole,
  messages,
  bytes,
  of
})
