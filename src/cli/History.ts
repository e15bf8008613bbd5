/**
 * What a session log tells, up to one of its events: what is on the surface, which prompts there were, and which requests.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Event from "../session/Event.ts"
import * as Message from "../session/Message.ts"
import { isSent } from "../session/internal/sent.ts"
import * as Request from "../session/Request.ts"
import * as SessionLog from "../session/SessionLog.ts"
import * as Surface from "../session/Surface.ts"
import * as SystemPromptProjection from "../session/SystemPromptProjection.ts"
import { Requests, type Sent } from "./Requests.ts"

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

const surfaceOf = ({ surface }: SessionLog.SessionLog): ReadonlyArray<Node> =>
  Surface.events(surface).map((event) => ({ event, isSent: isSent(Event.message(event)) }))

/** The history of a log as it was when it had so many events. Reads it from its beginning, once. */
export const make = (whole: SessionLog.SessionLog, length: number): History => {
  const places = new Set(Request.places(SessionLog.until(whole, length)))
  const prompts = new Prompts()
  const requests = new Requests(length)
  let log = SessionLog.empty(whole.header)
  const ask = (): void => {
    if (!places.has(log.length)) return
    requests.add(log)
    prompts.used(log)
  }
  for (const event of SessionLog.events(whole, { to: length })) {
    ask()
    // It was accepted there once.
    if (Event.isSurface(event)) requests.logged(Result.getOrThrow(Surface.plan(log.surface, event)))
    log = Result.getOrThrow(SessionLog.append(log, [event]))
    if (isSystem(event)) prompts.logged(log, event)
  }
  ask()
  prompts.used(log)
  return { log, surface: surfaceOf(log), prompts: prompts.all, requests: requests.all }
}
