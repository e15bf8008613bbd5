/** An agent without a model: what its prompt says can be changed between steps, and each step is answered by a word. */
import { Effect, Layer, Option, Result, type Scope, Stream } from "effect"
import { Plugin, SystemPrompt, ToolSchema } from "../../../src/index.ts"
import * as AgentStep from "../../../src/session/AgentStep.ts"
import * as Compaction from "../../../src/session/Compaction.ts"
import * as Event from "../../../src/session/Event.ts"
import * as Message from "../../../src/session/Message.ts"
import type * as Request from "../../../src/session/Request.ts"
import * as Session from "../../../src/session/Session.ts"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as MemoryStore from "../../../src/session/store/MemoryStore.ts"
import { type AppendError, SessionStore, type SessionWriter } from "../../../src/session/store/SessionStore.ts"

/** What the prompt is made from. */
export interface World {
  persona: string
  /** No context without one. */
  policy: string
  tools: ReadonlyArray<ToolSchema.Input>
  /** In which order the tools are shown; by name without this. */
  reversed: boolean
  /** How often the prompt was assembled. */
  assembled: number
}

export const world = (): World => ({
  persona: "You are Copper.",
  policy: "ask",
  tools: [tool("bash"), tool("read")],
  reversed: false,
  assembled: 0
})

const schemas = new Map<string, ToolSchema.ToolSchema>()

/** The same schema again for a name, as of most providers; `write` is given anew each time. */
export const tool = (name: string): ToolSchema.Input => {
  const input = { name, description: "", parameters: { type: "object" } }
  if (name === "write") return input
  const made = schemas.get(name) ?? ToolSchema.make(input)
  schemas.set(name, made)
  return made
}

/** A writer that takes everything and keeps nothing. */
export const deaf = (log: SessionLog.SessionLog): SessionWriter => ({
  header: log.header,
  repaired: undefined,
  next: Effect.succeed(log.length),
  append: () => Effect.void
})

/**
 * A store whose appends are what `append` makes of those of the given one. It says how often one was tried before, from 0.
 */
export const appending = (
  store: Layer.Layer<SessionStore>,
  append: (write: Effect.Effect<void, AppendError>, tried: number) => Effect.Effect<void, AppendError>
): Layer.Layer<SessionStore> =>
  Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (inner) => {
      let tried = 0
      const wrap = (writer: SessionWriter): SessionWriter => ({
        ...writer,
        append: (events) => Effect.suspend(() => append(writer.append(events), tried++))
      })
      return {
        ...inner,
        create: (header, seed) => Effect.map(inner.create(header, seed), wrap),
        open: (id) => Effect.map(inner.open(id), wrap)
      }
    })
  ).pipe(Layer.provide(store))

export const layer = <R = never>(world: World, store?: Layer.Layer<SessionStore, never, R>) =>
  Layer.mergeAll(
    Plugin.section({
      name: "persona",
      order: 0,
      // Others may run meanwhile.
      text: () =>
        Effect.map(Effect.yieldNow, () => {
          world.assembled++
          return world.persona
        })
    }),
    Plugin.context({
      name: "policy",
      order: 0,
      text: () => (world.policy === "" ? "" : `Approval policy: ${world.policy}.`)
    }),
    Plugin.tools(() => [...world.tools]),
    Plugin.listener({
      name: "order",
      edit: (assembly) => (world.reversed ? { ...assembly, tools: assembly.tools.toReversed() } : assembly)
    })
  ).pipe(Layer.provideMerge(SystemPrompt.layer), Layer.merge(store ?? MemoryStore.layer))

export const plain: AgentStep.Route = { config: { provider: "p", model: "m" } }

export const inHistory: AgentStep.Route = { ...plain, systemPromptUpdate: "in-history", toolUpdate: "in-history" }

export const header = (id = "s") => Result.getOrThrow(SessionHeader.make({ id, createdAt: 0 }))

/** What the model says. */
export const answer = (
  { step, turn }: Pick<AgentStep.AgentStep, "step" | "turn">,
  text = "ok"
): Event.Draft<"assistant/message"> => ({
  type: "assistant/message",
  data: {
    turn,
    step,
    message: {
      role: "assistant",
      id: `answer ${turn}.${step}`,
      content: [{ type: "text", text }],
      source: { kind: "model", provider: "p", model: "m" }
    }
  },
  surfaceOp: "append"
})

/** What an event says, short: its type, what it replaces, and the reason of a header. */
export const brief = (event: Event.Event): string => {
  const op = Event.isSurface(event) && event.surfaceOp !== "append" ? ` for ${event.surfaceOp.startSeq}` : ""
  const why = Event.is("request/header")(event)
    ? ` ${event.data.reason}${event.data.startsSeries === true ? " startsSeries" : ""}`
    : ""
  return `${event.type}${op}${why}`
}

/** Runs one step that is answered, and gives it with what it logged. */
export const take = Effect.fnUntraced(function* (session: Session.Session, options: Partial<AgentStep.Options> = {}) {
  const before = yield* Session.log(session)
  const step = yield* AgentStep.run(session, { route: plain, ...options }, (step) =>
    Effect.as(step.commit([answer(step)]), step)
  )
  const log = yield* Session.log(session)
  return { step, log, logged: SessionLog.events(log, { from: before.length }).map(brief) }
})

/** What is logged of every answered step. */
export const bare = ["step/start", "assistant/message", "step/end"]

/** Puts a text in the place of the messages from one to another. */
export const compact = (session: Session.Session, startSeq: number, endSeq: number, text: string) =>
  Session.commit(session, (log) =>
    Compaction.drafts(log, {
      id: "c",
      startSeq,
      endSeq,
      content: [{ type: "text", text }],
      messageId: `summary ${log.length}`,
      time: 0
    })
  )

export const said = (content: string) => ({ said: [{ content }] })

export const roles = (request: Request.Request) => request.messages.map(({ role }) => role)

export const texts = (request: Request.Request) => request.messages.map((message) => Message.textOf(message))

export const prefix = (step: AgentStep.AgentStep) => Option.getOrThrow(step.prefix)

/** Of the events that were logged, those whose type begins so. */
export const only = (events: ReadonlyArray<string>, type: string) => events.filter((event) => event.startsWith(type))

/** A session of its own with a prompt that can be changed. */
export const agent = <A, E>(
  f: (world: World, session: Session.Session) => Effect.Effect<A, E, SystemPrompt | SessionStore | Scope.Scope>,
  store?: Layer.Layer<SessionStore>
) =>
  Effect.suspend(() => {
    const own = world()
    return Effect.flatMap(Session.create(header()), (session) => f(own, session)).pipe(
      Effect.scoped,
      Effect.provide(layer(own, store))
    )
  })

export const lengthOf = (session: Session.Session) => Effect.map(Session.log(session), ({ length }) => length)

/** What the store has of the session. */
export const stored = SessionStore.use((store) => Stream.runCollect(store.read("s")))
