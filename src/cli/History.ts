/**
 * What a session log tells, up to one of its events: what is on the surface, which prompts there were, and which requests.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { byteLength } from "../internal/utf8.ts"
import * as Event from "../session/Event.ts"
import * as Message from "../session/Message.ts"
import * as Request from "../session/Request.ts"
import * as SessionLog from "../session/SessionLog.ts"
import * as Surface from "../session/Surface.ts"
import * as SystemPromptProjection from "../session/SystemPromptProjection.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A message on the surface. One that is not sent holds its place. */
export interface Node {
  readonly event: Event.Surface
  readonly isSent: boolean
}

/** A prompt that counted from an event on. `shows` is the event that has its text: another one where an older prompt came back. */
export interface Prompt {
  readonly seq: number
  readonly shows: number
  readonly text: string
  /** What it takes the place of in the log. */
  readonly replaces: number | undefined
}

/** A request that was sent, or could be, when the log had so many events. */
export interface Sent {
  readonly at: number
  readonly turn: number
  readonly step: number
  readonly headerSeq: number | undefined
  readonly messages: number
  /** How much of the request before stands at its beginning. None for the first. */
  readonly prefix: Option.Option<Request.Prefix>
}

export interface History {
  /** The log as it was. */
  readonly log: SessionLog.SessionLog
  readonly surface: ReadonlyArray<Node>
  readonly prompts: ReadonlyArray<Prompt>
  readonly requests: ReadonlyArray<Sent>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const isSystem = Event.is("system/message")

/** The text of a prompt; of one that is not one text, its content. */
const textOf = ({ data: { message } }: Event.Of<"system/message">): string =>
  Message.textOf(message) ?? JSON.stringify(message.content)

const replacedBy = ({ surfaceOp }: Event.Surface): number | undefined =>
  surfaceOp === "append" ? undefined : surfaceOp.startSeq

/** Notes which prompt counts. */
class Prompts {
  readonly all: Array<Prompt> = []
  #last = 0

  /** A system message was logged. It is a prompt if it counts from now on; it may only make room for one. */
  logged({ systemPrompt }: SessionLog.SessionLog, event: Event.Of<"system/message">): void {
    this.#last = event.seq
    if (SystemPromptProjection.effective(systemPrompt) === event) this.#add(event, event.seq)
  }

  /** A request is made, or the log ends. Where the last prompt does not count any more, an older one does again. */
  used({ systemPrompt }: SessionLog.SessionLog): void {
    const counts = SystemPromptProjection.effective(systemPrompt)
    if (counts !== undefined && counts.seq !== this.all.at(-1)?.shows) this.#add(counts, this.#last)
  }

  #add(event: Event.Of<"system/message">, seq: number): void {
    this.all.push({ seq, shows: event.seq, text: textOf(event), replaces: replacedBy(event) })
  }
}

/** What is known of the request before: the log that it followed from, and its size. */
interface Before {
  readonly log: SessionLog.SessionLog
  readonly messages: number
  readonly bytes: number
}

const sizeOf = (message: Message.Message): number => byteLength(JSON.stringify(message))

const sameHeader = (a: SessionLog.SessionLog, b: SessionLog.SessionLog): boolean =>
  a.requestHeader === b.requestHeader ||
  JSON.stringify(a.requestHeader?.data.header) === JSON.stringify(b.requestHeader?.data.header)

/** Notes requests, each with what it has in common with the one before. */
class Requests {
  readonly all: Array<Sent> = []
  #before: Before | undefined

  add(log: SessionLog.SessionLog): void {
    const before = this.#before
    const isGrown =
      before !== undefined && before.log.surface.generation === log.surface.generation && sameHeader(before.log, log)
    const taken = isGrown ? grown(before, log) : derived(before?.log, log)
    if (taken === undefined) return
    const { bytes, messages, prefix } = taken
    this.#before = { log, bytes, messages }
    const { step, turn } = log.position
    this.all.push({ at: log.length, turn, step, headerSeq: log.requestHeader?.seq, messages, prefix })
  }
}

type Taken = Omit<Before, "log"> & Pick<Sent, "prefix">

/** Where nothing was replaced and the header is the same, the request before is the beginning: only what is new is looked at. */
const grown = ({ bytes, log: { length }, messages }: Before, log: SessionLog.SessionLog): Taken => {
  const added = Surface.messages(log.surface, length)
  return {
    messages: messages + added.length,
    bytes: added.reduce((sum, message) => sum + sizeOf(message), bytes),
    prefix: Option.some({ isWhole: true, messages, bytes, of: bytes })
  }
}

const derived = (before: SessionLog.SessionLog | undefined, log: SessionLog.SessionLog): Taken | undefined => {
  const request = Option.getOrUndefined(Request.fromLog(log))
  if (request === undefined) return undefined
  const earlier = before === undefined ? Option.none() : Request.fromLog(before)
  return {
    messages: request.messages.length,
    bytes: Request.prefix(request, request).of,
    prefix: Option.map(earlier, (earlier) => Request.prefix(request, earlier))
  }
}

const surfaceOf = ({ surface }: SessionLog.SessionLog): ReadonlyArray<Node> => {
  const sent = new Set(Surface.messages(surface))
  return Surface.events(surface).map((event) => ({ event, isSent: sent.has(Event.message(event)) }))
}

/** The history of a log as it was when it had so many events. Reads it from its beginning, once. */
export const make = (whole: SessionLog.SessionLog, length: number): History => {
  const places = new Set(Request.places(SessionLog.until(whole, length)))
  const prompts = new Prompts()
  const requests = new Requests()
  let log = SessionLog.empty(whole.header)
  const ask = (): void => {
    if (!places.has(log.length)) return
    requests.add(log)
    prompts.used(log)
  }
  for (const event of SessionLog.events(whole, { to: length })) {
    ask()
    // It was accepted there once.
    log = Result.getOrThrow(SessionLog.append(log, [event]))
    if (isSystem(event)) prompts.logged(log, event)
  }
  ask()
  prompts.used(log)
  return { log, surface: surfaceOf(log), prompts: prompts.all, requests: requests.all }
}
