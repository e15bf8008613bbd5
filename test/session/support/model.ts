/**
 * The rules of a surface word for word (spec §17), over plain arrays and in whatever time it takes. It looks at events
 * whose data is right, and says which rules one breaks, not only the first.
 */
import * as Event from "../../../src/session/Event.ts"
import type * as Message from "../../../src/session/Message.ts"
import type { Rule } from "../../../src/session/SessionError.ts"

export interface Model {
  readonly events: ReadonlyArray<Event.Event>
  /** The seqs on the surface, in its order. */
  readonly nodes: ReadonlyArray<number>
  readonly generation: number
}

export const empty: Model = { events: [], nodes: [], generation: 0 }

/** An event as a program makes it: perhaps against the rules. */
export interface Candidate {
  readonly seq: number
  readonly type: string
  readonly data: unknown
  readonly surfaceOp?: unknown
  readonly sourceEventSeqs?: unknown
  readonly ignorable?: true
}

const surfaceTypes = ["system/message", "developer/message", "user/message", "assistant/message", "tool/result"]

const isSeq = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0

const typeOf = (model: Model, seq: number | undefined): string | undefined =>
  seq === undefined ? undefined : model.events[seq]?.type

interface Ends {
  readonly start: number
  readonly end: number
}

const ends = (op: unknown): Ends | undefined => {
  if (typeof op !== "object" || op === null || Array.isArray(op)) return undefined
  const { endSeq, op: kind, startSeq, ...rest } = op as { op?: unknown; startSeq?: unknown; endSeq?: unknown }
  const exact = kind === "replace" && Object.keys(rest).length === 0
  return exact && isSeq(startSeq) && isSeq(endSeq) ? { start: startSeq, end: endSeq } : undefined
}

const cites = (event: Candidate): ReadonlyArray<unknown> =>
  Array.isArray(event.sourceEventSeqs) ? event.sourceEventSeqs : []

const citationHolds = (event: Candidate): boolean => {
  if (event.type === "assistant/message") return !("sourceEventSeqs" in event) && event.surfaceOp === "append"
  if (!("sourceEventSeqs" in event)) return true
  const all = cites(event)
  return all.length > 0 && all.every((seq) => isSeq(seq) && seq < event.seq) && new Set(all).size === all.length
}

const headerHolds = (model: Model, event: Candidate): boolean => {
  if (event.type !== "developer/message") return true
  const { headerSeq, message } = event.data as Event.Data<"developer/message">
  if (headerSeq === undefined) return true
  const header = model.events[headerSeq]
  if (header === undefined || !Event.is("request/header")(header)) return false
  const names = header.data.header.tools?.map((tool) => tool.name) ?? []
  return message.content.every(
    (block) => block.type !== "tool-addition" || names.filter((name) => name === block["toolName"]).length === 1
  )
}

const withoutContent = (data: unknown): string =>
  JSON.stringify(data, (key, value: unknown) => (key === "content" ? undefined : value))

const replacement = (model: Model, event: Candidate, { end, start }: Ends): ReadonlyArray<Rule> => {
  const [from, to] = [model.nodes.indexOf(start), model.nodes.indexOf(end)]
  if (from < 0 || to < 0 || from > to) return ["endpoint"]
  const broken: Array<Rule> = []
  const removed = model.nodes.slice(from, to + 1)
  if (removed.some((seq) => !cites(event).includes(seq))) broken.push("coverage")
  if (event.type === "tool/result") {
    const [only] = removed
    const same = withoutContent(model.events[only ?? 0]?.data) === withoutContent(event.data)
    if (removed.length !== 1 || typeOf(model, only) !== "tool/result" || !same) broken.push("tool-result")
  }
  const head = from === 0 && typeOf(model, model.nodes[0]) === "system/message"
  if (head && (event.type !== "system/message" || removed.length !== 1)) broken.push("head")
  return broken
}

/** All rules that an event breaks at the end of this log. */
export const broken = (model: Model, event: Candidate): ReadonlyArray<Rule> => {
  const rules: Array<Rule> = []
  if (event.seq !== model.events.length) rules.push("dense-seq")
  const concerns = "surfaceOp" in event || "sourceEventSeqs" in event
  if (!surfaceTypes.includes(event.type)) {
    if (!concerns) return rules
    if (event.type in Event.schemas) rules.push("log-only")
    else if (event.ignorable !== true) rules.push("unknown-on-surface")
    return rules
  }
  const op = ends(event.surfaceOp)
  if (op === undefined && event.surfaceOp !== "append") rules.push("operation")
  if (op !== undefined && (op.start >= event.seq || op.end >= event.seq)) rules.push("endpoint")
  if (!citationHolds(event)) rules.push("citation")
  if (!headerHolds(model, event)) rules.push("tool-header")
  return op === undefined || rules.length > 0 ? rules : replacement(model, event, op)
}

/** The log with an event that breaks no rule. */
export const append = (model: Model, event: Event.Event): Model => {
  const op = ends("surfaceOp" in event ? event.surfaceOp : undefined)
  const events = [...model.events, event]
  if (!surfaceTypes.includes(event.type)) return { ...model, events }
  if (op === undefined) return { ...model, events, nodes: [...model.nodes, event.seq] }
  const [from, to] = [model.nodes.indexOf(op.start), model.nodes.indexOf(op.end)]
  const nodes = model.nodes.toSpliced(from, to - from + 1, event.seq)
  return { events, nodes, generation: model.generation + 1 }
}

const onSurface = (model: Model): ReadonlyArray<Event.Surface> =>
  model.nodes.map((seq) => model.events[seq]).filter((event) => event !== undefined && Event.isSurface(event))

/** What the model sees (spec §17, derivation). */
export const messages = (model: Model): ReadonlyArray<Message.Message> =>
  onSurface(model)
    .map(Event.message)
    .filter(({ content, role }) => content.length > 0 || role === "user" || role === "tool")

/** The snapshot in force, found as on restoring (spec §14): newest first, the first that is still on the surface. */
export const retained = (model: Model): Event.Event | "gone" | "never" => {
  const owned = model.events
    .filter((event) => Event.is("user/message")(event) && event.data.source.kind === "runtime-context")
    .toReversed()
  return owned.find((event) => model.nodes.includes(event.seq)) ?? (owned.length > 0 ? "gone" : "never")
}

/** The system messages on the surface, in its order, with their texts (spec §15). */
export const prompts = (model: Model): ReadonlyArray<{ readonly seq: number; readonly text: string | undefined }> =>
  onSurface(model).flatMap((event) => {
    if (event.type !== "system/message") return []
    const { content } = event.data.message
    const [first] = content
    const only = content.length === 1 && first?.type === "text" ? String(first["text"]) : undefined
    return [{ seq: event.seq, text: content.length === 0 ? "" : only }]
  })

interface Commit {
  readonly text: string
  readonly replaces: number | undefined
}

/** What brings the log up to date with a prompt: the table of spec §15. */
export const commits = (
  model: Model,
  text: string,
  facts: { readonly inHistory: boolean; readonly startsSeries: boolean }
): ReadonlyArray<Commit> => {
  const [head, ...later] = prompts(model)
  if (head === undefined) return [{ text, replaces: undefined }]
  if (!facts.inHistory || facts.startsSeries || text === "") {
    const emptied = later.filter((one) => one.text !== "").map(({ seq }) => ({ text: "", replaces: seq }))
    return head.text === text ? emptied : [...emptied, { text, replaces: head.seq }]
  }
  const effective = [head, ...later].findLast((one) => one.text !== "") ?? head
  return effective.text === text ? [] : [{ text, replaces: undefined }]
}
