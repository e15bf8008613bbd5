/** How the costs of a session grow: with its log, with what of it the model sees, and when it is opened. */
import { Effect, Exit, Layer, ManagedRuntime, Result, Scope, Stream } from "effect"
import { Plugin, SystemPrompt, ToolSchema } from "../../../src/index.ts"
import * as AgentStep from "../../../src/session/AgentStep.ts"
import * as Compaction from "../../../src/session/Compaction.ts"
import * as Event from "../../../src/session/Event.ts"
import * as RuntimeContextProjection from "../../../src/session/RuntimeContextProjection.ts"
import * as Session from "../../../src/session/Session.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as MemoryStore from "../../../src/session/store/MemoryStore.ts"
import { SessionStore } from "../../../src/session/store/SessionStore.ts"
import * as Surface from "../../../src/session/Surface.ts"
import * as SystemPromptProjection from "../../../src/session/SystemPromptProjection.ts"
import { answer, deaf, header, inHistory } from "../../session/support/agent.ts"
import { seeded } from "../../support/random.ts"
import type { Row, RunOptions, Suite } from "../suite.ts"
import * as sweeps from "../sweeps.ts"
import { toolOf } from "../workloads.ts"

const prompt = "You are an agent. ".repeat(1_700)

const context = "Approval policy: ask."

const runtime = ManagedRuntime.make(
  Layer.mergeAll(
    Plugin.section({ name: "persona", order: 0, text: prompt }),
    Plugin.context({ name: "policy", order: 0, text: context }),
    Plugin.tools(Array.from({ length: 30 }, (_, i) => ToolSchema.make(toolOf(seeded(i), `tool_${i}`, 900))))
  ).pipe(Layer.provideMerge(SystemPrompt.layer))
)

const options: AgentStep.Options = { route: inHistory }

/** A log with its first step, and then so many answered steps that it has `n` events. */
const logOf = (n: number): Promise<SessionLog.SessionLog> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const empty = SessionLog.empty(header())
      const session = yield* Session.make(deaf(empty), empty)
      yield* AgentStep.run(session, options, (step) => step.commit([answer(step)]))
      let log = yield* Session.log(session)
      for (let step = 2; log.length < n; step++) {
        const at = { turn: 1, step }
        log = Result.getOrThrow(
          SessionLog.commit(log, [
            { type: "step/start", time: 0, data: at },
            answer(at, "a short answer, as most are"),
            { type: "step/end", time: 0, data: at }
          ])
        )
      }
      return log
    })
  )

/** All but the prompt and the last messages of it in a summary. */
const compacted = async (n: number): Promise<SessionLog.SessionLog> => {
  const log = await logOf(n)
  const seqs = Surface.events(log.surface).map(({ seq }) => seq)
  const drafts = Compaction.drafts(log, {
    id: "c",
    startSeq: seqs[1] ?? 0,
    endSeq: seqs.at(-20) ?? 0,
    content: [{ type: "text", text: "what happened before" }],
    messageId: "summary",
    time: 0
  })
  return Result.getOrThrow(Result.flatMap(drafts, (all) => SessionLog.commit(log, all)))
}

/** Appends one message to the same log again and again, and asks both projections. */
const appends = async (n: number): Promise<sweeps.Run> => {
  const log = await logOf(n)
  const draft = answer({ turn: 1, step: 1 })
  const facts = { inHistory: true, startsSeries: false }
  const now = { text: context, sections: [] }
  return (times) => {
    for (let i = 0; i < times; i++) {
      const next = Result.getOrThrow(SessionLog.commit(log, [draft]))
      SystemPromptProjection.project(next.systemPrompt, prompt, facts)
      RuntimeContextProjection.project(next.runtimeContext, now)
    }
  }
}

/** Steady steps without answers, so that the messages stay what they are. */
const steps =
  (make: (n: number) => Promise<SessionLog.SessionLog>) =>
  async (n: number): Promise<sweeps.Run> => {
    const log = await make(n)
    const session = await runtime.runPromise(Session.make(deaf(log), log))
    return (times) =>
      runtime.runPromise(
        Effect.gen(function* () {
          for (let i = 0; i < times; i++) yield* AgentStep.run(session, options, () => Effect.void)
        })
      )
  }

const opens = async (n: number): Promise<sweeps.Run> => {
  // As rows of a file, so that every event is checked anew.
  const rows: ReadonlyArray<object> = JSON.parse(JSON.stringify(SessionLog.events(await logOf(n))))
  const store = Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (inner) => ({
      ...inner,
      read: () =>
        Stream.mapEffect(Stream.fromArray(rows), (row) => Effect.orDie(Effect.fromResult(Event.fromUnknown(row))))
    }))
  ).pipe(Layer.provide(MemoryStore.layer))
  const { id } = header()
  const kept = ManagedRuntime.make(store)
  await kept.runPromise(
    Effect.flatMap(Scope.make(), (scope) =>
      Effect.andThen(Session.create(header()).pipe(Scope.provide(scope)), Scope.close(scope, Exit.void))
    )
  )
  return async (times) => {
    for (let i = 0; i < times; i++) await kept.runPromise(Effect.scoped(Session.open(id)))
  }
}

const sizes = [1_000, 10_000, 100_000]

const all: ReadonlyArray<sweeps.Sweep> = [
  {
    id: "sessions/append",
    what: "append a message and ask both projections, over events of the log",
    sizes,
    ours: appends
  },
  {
    id: "sessions/step",
    what: "steady step over events of a log of which the model sees 20 messages",
    sizes,
    ours: steps(compacted)
  },
  {
    id: "sessions/surface",
    what: "steady step over events of a log of which the model sees a third",
    sizes,
    ours: steps(logOf)
  }
]

const run = async ({ quick }: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const sweep of all) rows.push(await sweeps.run(sweep, quick ? 11 : 41))
  const opening = { id: "sessions/open", what: "read and check a log, over its events", sizes, ours: opens }
  rows.push(await sweeps.run(opening, quick ? 3 : 9))
  return rows
}

export const sessions: Suite = { name: "sessions", title: "Sessions", run }
