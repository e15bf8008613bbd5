/** A session for tests: an agent over a store in memory, a model that answers by what it is sent, and a log in short. */
import { Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { LanguageModel, type Prompt, type Response } from "effect/ai"
import type { SystemPrompt, ToolRegistry } from "../../src/index.ts"
import {
  type AgentStep,
  Event,
  MemoryStore,
  Session,
  SessionHeader,
  SessionLog,
  SessionStore
} from "../../src/session/index.ts"
import { services } from "./agent.ts"
import { bytes } from "./scripted.ts"

export const header = (id = "s") => Result.getOrThrow(SessionHeader.make({ id, createdAt: 0 }))

export const plain: AgentStep.Route = { config: { provider: "p", model: "m" } }

export const inHistory: AgentStep.Route = { ...plain, systemPromptUpdate: "in-history" }

export const agent = <E = never>(
  model: Layer.Layer<LanguageModel.LanguageModel>,
  ...plugins: ReadonlyArray<Layer.Layer<never, E, SystemPrompt | ToolRegistry>>
) =>
  Layer.mergeAll(Layer.mergeAll(Layer.empty, ...plugins).pipe(Layer.provideMerge(services)), model, MemoryStore.layer)

/** The session of that id, from where it stopped, or a new one. */
export const open = (id = "s") => Effect.catchTag(Session.open(id), "LogNotFound", () => Session.create(header(id)))

/** The session of that id, opened again after a process that was killed when its store had these events. */
export const reopened = (id: string, events: ReadonlyArray<Event.Event>) =>
  SessionStore.use((store) => Effect.scoped(store.create(header(id), Stream.fromArray(events)))).pipe(
    Effect.andThen(Session.open(id))
  )

/** A model whose answer follows from the last message that it is sent. */
export const reactive = (
  answer: (last: Prompt.Message, prompt: Prompt.Prompt) => Array<Response.PartEncoded>,
  options: { readonly inHistory?: boolean } = {}
) => {
  const seen: Array<LanguageModel.ProviderOptions> = []
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) =>
        Effect.sync(() => {
          seen.push(options)
          return answer(options.prompt.content.at(-1)!, options.prompt)
        }),
      streamText: () => Stream.die("not streamed"),
      ...(options.inHistory === true ? { supportsSystemMessagesInHistory: Effect.succeed(true) } : undefined)
    })
  )
  return { seen, layer }
}

/** What an event says, short. */
export const brief = (event: Event.Event): string => {
  if (Event.is("turn/end")(event)) return `turn/end ${event.data.reason.kind}`
  if (Event.is("tool/call")(event)) return `tool/call ${event.data.callId}`
  if (Event.is("tool/result")(event)) {
    const { isError, toolCallId } = event.data.message
    return `tool/result ${toolCallId}${isError === true ? " failed" : ""}`
  }
  if (Event.is("request/header")(event)) return `request/header ${event.data.reason}`
  const op = Event.isSurface(event) && event.surfaceOp !== "append" ? ` for ${event.surfaceOp.startSeq}` : ""
  return event.type + op
}

export const logged = (session: Session.Session, from = 0) =>
  Effect.map(Session.log(session), (log) => SessionLog.events(log, { from }).map(brief))

/** Whether all bytes of a request, up to the end of its last message, begin the next one. */
export const begins = (earlier: LanguageModel.ProviderOptions, later: LanguageModel.ProviderOptions): boolean =>
  bytes(later).startsWith(bytes(earlier).slice(0, -"]}}".length))

/** What each result says. */
export const resultTexts = (log: SessionLog.SessionLog): ReadonlyArray<unknown> =>
  SessionLog.messages(log).flatMap((message) =>
    message.role === "tool" ? [message.content.map((block) => ("text" in block ? block.text : block))] : []
  )

const isOurCall = Schema.is(
  Schema.Struct({
    type: Schema.Literal("tool-call"),
    id: Schema.String,
    providerExecuted: Schema.optionalKey(Schema.Literal(false))
  })
)

/**
 * What is wrong with a log that is at rest: steps and turns that are open, calls with no or two results, results that cite
 * another call, ids that two messages have.
 */
export const imbalance = (log: SessionLog.SessionLog): ReadonlyArray<string> => {
  const { isStepOpen, isTurnOpen } = log.position
  const problems = [...(isStepOpen ? ["a step is open"] : []), ...(isTurnOpen ? ["a turn is open"] : [])]
  const open = new Map<string, number>()
  for (const message of SessionLog.messages(log)) {
    if (message.role === "assistant") {
      for (const block of message.content) {
        if (!isOurCall(block)) continue
        // Ids may come again, in a later answer.
        if ((open.get(block.id) ?? 1) !== 1) problems.push(`call ${block.id} has ${open.get(block.id)} results`)
        open.set(block.id, 0)
      }
    }
    if (message.role === "tool") open.set(message.toolCallId, (open.get(message.toolCallId) ?? 9) + 1)
  }
  const ids = SessionLog.messages(log).map(({ id }) => id)
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) < i))) problems.push(`two messages have the id ${id}`)
  for (const event of SessionLog.events(log)) {
    if (!Event.is("tool/result")(event) || event.sourceEventSeqs === undefined) continue
    const [cited] = event.sourceEventSeqs.map((seq) => Option.getOrThrow(SessionLog.get(log, seq)))
    const callId = cited !== undefined && Event.is("tool/call")(cited) ? cited.data.callId : undefined
    if (callId !== event.data.message.toolCallId) problems.push(`event ${event.seq} cites the call ${callId}`)
  }
  for (const [id, results] of open) if (results !== 1) problems.push(`call ${id} has ${results} results`)
  return problems
}
