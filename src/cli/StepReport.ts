/**
 * One step of a session as an answer: what was logged, and the request that would be sent.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { wrap } from "../internal/width.ts"
import type { AgentStep } from "../session/AgentStep.ts"
import * as Event from "../session/Event.ts"
import type { Torn } from "../session/store/SessionStore.ts"
import * as HistoryReport from "./HistoryReport.ts"
import * as MessageText from "./MessageText.ts"
import { count } from "./Numbers.ts"
import * as Table from "./Table.ts"

export interface Step {
  readonly file: string
  readonly session: string
  readonly step: AgentStep
  /** What the step added to the log. */
  readonly logged: ReadonlyArray<Event.Event>
  /** Whether the log was not there before. */
  readonly created: boolean
  /** What an unfinished append had left, and was cut off. */
  readonly repaired: Torn | undefined
}

type Options = HistoryReport.Options

// -----------------------------------------------------------------------------
// text
// -----------------------------------------------------------------------------

/** All of it, with a line break at the end. */
export const toText = (self: Step, options: Options): string => {
  const { messages } = self.step.request
  const blocks = [
    head(self, options),
    logged(self, options),
    tools(self, options),
    heading(`MESSAGES (${messages.length})`, options),
    ...messages.map((message) => MessageText.lines(message, options))
  ]
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

const heading = (text: string, { style, width }: Options): ReadonlyArray<string> => wrap(text, width).map(style.bold)

const paragraph = (text: string, { width }: Options): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - 2)).map((line, i) => (i === 0 ? line : `  ${line}`))

const head = ({ created, file, repaired, session, step }: Step, options: Options): ReadonlyArray<string> => {
  const { config } = step.request.header
  const route = `provider ${JSON.stringify(config.provider)}, model ${JSON.stringify(config.model)}`
  const made = created ? ["The log was not there, and was created."] : []
  const cut =
    repaired === undefined ? [] : [`${count(repaired.bytes, "byte")} of an append that was not finished were cut off.`]
  return [
    ...heading(`${file}: session ${JSON.stringify(session)}, turn ${step.turn}, step ${step.step}`, options),
    ...[...made, ...cut, `For ${route}. ${describe(step)}`].flatMap((text) => paragraph(text, options))
  ]
}

const describe = ({ prefix }: AgentStep): string => {
  if (Option.isNone(prefix)) return "It is the first request."
  const { isWhole, messages } = prefix.value
  const kept = `It begins with ${HistoryReport.describeBytes(prefix.value)} of the request before`
  return isWhole ? `${kept}.` : `${kept}, with ${count(messages, "whole message")}.`
}

const logged = ({ logged }: Step, { style, width }: Options): ReadonlyArray<string> => {
  const columns: ReadonlyArray<Table.Column> = [
    { title: "seq", align: "right" },
    { title: "event" },
    { title: "what", shrink: true }
  ]
  const rows = logged.map((event) => [`${event.seq}`, event.type, what(event)])
  const table = Table.render(columns, rows, { style, width: Math.max(2, width - 2) })
  return [style.bold(`LOGGED (${logged.length})`), ...table.split("\n").map((line) => `  ${line}`)]
}

const isHeader = Event.is("request/header")
const isRoute = Event.is("request/context")

const what = (event: Event.Event): string => {
  if (Event.isSurface(event)) {
    const { content, source } = Event.message(event)
    const place = event.surfaceOp === "append" ? "" : `in the place of ${event.surfaceOp.startSeq}: `
    const who = source.kind === "user" || source.kind === "system-prompt" ? "" : `${source.kind}: `
    return place + who + MessageText.firstWords(content)
  }
  if (isHeader(event))
    return event.data.startsSeries === true ? `${event.data.reason}, a new series` : event.data.reason
  if (!isRoute(event)) return ""
  const { model, provider, systemPromptUpdate } = event.data
  return [provider, model, ...(systemPromptUpdate === undefined ? [] : [systemPromptUpdate])].join(", ")
}

const tools = ({ step }: Step, options: Options): ReadonlyArray<string> => {
  const names = step.request.header.tools?.map((tool) => tool.name) ?? []
  const lines = names.length === 0 ? [] : wrap(names.join(", "), Math.max(2, options.width - 2))
  return [...heading(`TOOLS (${names.length})`, options), ...lines.map((line) => `  ${line}`)]
}

// -----------------------------------------------------------------------------
// JSON
// -----------------------------------------------------------------------------

/** As JSON, on one line once it is stringified. */
export const toJson = ({ created, file, logged, repaired, session, step }: Step) => ({
  log: file,
  session,
  created,
  repaired: repaired ?? null,
  turn: step.turn,
  step: step.step,
  logged,
  request: step.request,
  prefix: Option.match(step.prefix, { onNone: () => null, onSome: HistoryReport.prefixToJson })
})
