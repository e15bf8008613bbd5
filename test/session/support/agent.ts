/** An agent without a model: what its prompt says can be changed between steps, and each step is answered by a word. */
import { Effect, Layer, Result } from "effect"
import { Plugin, SystemPrompt, type ToolSchema } from "../../../src/index.ts"
import * as AgentStep from "../../../src/session/AgentStep.ts"
import * as Event from "../../../src/session/Event.ts"
import * as Session from "../../../src/session/Session.ts"
import * as SessionHeader from "../../../src/session/SessionHeader.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as MemoryStore from "../../../src/session/store/MemoryStore.ts"

/** What the prompt is made from. */
export interface World {
  persona: string
  /** No context without one. */
  policy: string
  tools: ReadonlyArray<ToolSchema.Input>
  /** How often the prompt was assembled. */
  assembled: number
}

export const world = (): World => ({
  persona: "You are Copper.",
  policy: "ask",
  tools: [tool("bash"), tool("read")],
  assembled: 0
})

export const tool = (name: string): ToolSchema.Input => ({ name, description: "", parameters: { type: "object" } })

export const layer = (world: World) =>
  Layer.mergeAll(
    Plugin.section({
      name: "persona",
      order: 0,
      text: () => {
        world.assembled++
        return world.persona
      }
    }),
    Plugin.context({
      name: "policy",
      order: 0,
      text: () => (world.policy === "" ? "" : `Approval policy: ${world.policy}.`)
    }),
    Plugin.tools(() => [...world.tools])
  ).pipe(Layer.provideMerge(SystemPrompt.layer), Layer.merge(MemoryStore.layer))

export const plain: AgentStep.Route = { config: { provider: "p", model: "m" } }

export const inHistory: AgentStep.Route = { ...plain, systemPromptUpdate: "in-history", toolUpdate: "in-history" }

export const header = (id = "s") => Result.getOrThrow(SessionHeader.make({ id, createdAt: 0 }))

/** What the model says. */
export const answer = ({ step, turn }: AgentStep.AgentStep, text = "ok"): Event.Draft<"assistant/message"> => ({
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
