/** Events as short as tests want them. Ids and times follow from what is given, so that the same calls make the same. */
import * as Result from "effect/Result"
import * as Event from "../../../src/session/Event.ts"
import * as Message from "../../../src/session/Message.ts"
import type * as RequestHeader from "../../../src/session/RequestHeader.ts"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import { clearedNotice } from "../../../src/PromptContext.ts"
import type { SessionError } from "../../../src/session/SessionError.ts"
import * as Surface from "../../../src/session/Surface.ts"

export const header = Result.getOrThrow(SessionHeader.make({ id: "session", createdAt: 1_700_000_000_000, cwd: "/w" }))

const at = { turn: 1, step: 1 }

export const text = (value: string): Message.Text => ({ type: "text", text: value })

/** No blocks for an empty text. */
export const content = (value: string): ReadonlyArray<Message.Block> => (value === "" ? [] : [text(value)])

type Where = Partial<Pick<Event.Surface, "surfaceOp" | "sourceEventSeqs">>

/** Replaces one event by another, or all from one to the last of a list, citing them. */
export const replacing = (...seqs: ReadonlyArray<number>): Required<Where> => ({
  surfaceOp: { op: "replace", startSeq: seqs[0] ?? 0, endSeq: seqs.at(-1) ?? 0 },
  sourceEventSeqs: seqs
})

export const system = (value: string | ReadonlyArray<Message.Block>, where?: Where): Event.Draft<"system/message"> => ({
  type: "system/message",
  data: {
    ...at,
    message: {
      role: "system",
      id: "system",
      source: { kind: "system-prompt" },
      content: typeof value === "string" ? content(value) : value
    }
  },
  surfaceOp: "append",
  ...where
})

export const user = (
  value: string | ReadonlyArray<Message.Block>,
  where?: Where,
  kind = "user"
): Event.Draft<"user/message"> => ({
  type: "user/message",
  data: { role: "user", id: "user", source: { kind }, content: typeof value === "string" ? content(value) : value },
  surfaceOp: "append",
  ...where
})

/** A snapshot of the contexts, or the notice that there are none. */
export const snapshot = (value: string, where?: Where) => user(value, where, "runtime-context")

export const notice = snapshot(clearedNotice)

export const assistant = (value: string): Event.Draft<"assistant/message"> => ({
  type: "assistant/message",
  data: {
    ...at,
    message: {
      role: "assistant",
      id: "said",
      source: { kind: "model", provider: "p", model: "m" },
      content: content(value)
    }
  },
  surfaceOp: "append"
})

export const toolCall: Event.Draft<"tool/call"> = {
  type: "tool/call",
  data: { ...at, callId: "call", name: "read", arguments: "{}" }
}

export const toolResult = (value: string, where?: Where): Event.Draft<"tool/result"> => ({
  type: "tool/result",
  data: {
    ...at,
    message: {
      role: "tool",
      id: "result",
      toolCallId: "call",
      source: { kind: "tool", callId: "call" },
      content: content(value)
    }
  },
  surfaceOp: "append",
  ...where
})

export const tool = (name: string): RequestHeader.Tool => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object" }
})

export const config = { provider: "p", model: "m" }

export const requestHeader = (
  names: ReadonlyArray<string>,
  reason: RequestHeader.Reason = "initial"
): Event.Draft<"request/header"> => ({
  type: "request/header",
  data: { header: names.length === 0 ? { config } : { config, tools: names.map(tool) }, reason }
})

export const requestContext = (model = "m"): Event.Draft<"request/context"> => ({
  type: "request/context",
  data: { provider: "p", model }
})

/** Announces tools by a header; without any, tools that are gone. */
export const developer = (
  names: ReadonlyArray<string>,
  headerSeq: number,
  where?: Where
): Event.Draft<"developer/message"> => ({
  type: "developer/message",
  data: {
    ...at,
    ...(names.length === 0 ? undefined : { headerSeq }),
    message: {
      role: "developer",
      id: "developer",
      source: { kind: "tool-registry" },
      content:
        names.length === 0
          ? [{ type: "tool-removal", toolName: "gone" }]
          : names.map((toolName) => ({ type: "tool-addition", toolName }))
    }
  },
  surfaceOp: "append",
  ...where
})

export const stepStart: Event.Draft<"step/start"> = { type: "step/start", data: at }

export const stepEnd: Event.Draft<"step/end"> = { type: "step/end", data: at }

/** The log of these events. */
export const log = (...drafts: ReadonlyArray<Event.Draft>): SessionLog.SessionLog =>
  extend(SessionLog.empty(header), ...drafts)

export const extend = (self: SessionLog.SessionLog, ...drafts: ReadonlyArray<Event.Draft>): SessionLog.SessionLog =>
  Result.getOrThrow(SessionLog.commit(self, drafts))

/** Why these events, whatever they are, are refused at the end of a log. */
export const refusal = (self: SessionLog.SessionLog, ...drafts: ReadonlyArray<object>): SessionError => {
  const events = drafts.map((draft, i) => Event.fromUnknown({ seq: self.length + i, ...draft }))
  const appended = Result.flatMap(Result.all(events), (all) => SessionLog.append(self, all))
  return Result.getOrThrow(Result.flip(appended))
}

/** The seqs on the surface, in its order. */
export const seqs = (self: SessionLog.SessionLog): ReadonlyArray<number> =>
  Surface.events(self.surface).map((event) => event.seq)

/** What the model sees: of each message its role and its text. */
export const said = (self: SessionLog.SessionLog): ReadonlyArray<readonly [role: string, text: string | undefined]> =>
  SessionLog.messages(self).map((message) => [message.role, Message.textOf(message)])
