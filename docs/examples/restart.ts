import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { Clock, Console, Effect, Layer } from "effect"
import * as FileSystem from "effect/FileSystem"
import { Plugin, SystemPrompt } from "effect-preamble"
import {
  AgentStep,
  Compaction,
  Event,
  FileStore,
  Session,
  SessionHeader,
  SessionLog,
  SessionStore,
  Surface
} from "effect-preamble/session"

const prompt = Plugin.section({ name: "persona", order: 0, text: "You are Copper." }).pipe(
  Layer.provideMerge(SystemPrompt.layer)
)
const config = { provider: "example", model: "example-1" }

/** The session of that id, from where it stopped, or a new one. */
const open = (id: string) =>
  Effect.catchTag(Session.open(id), "LogNotFound", () =>
    Effect.gen(function* () {
      const createdAt = yield* Clock.currentTimeMillis
      return yield* Session.create(yield* Effect.fromResult(SessionHeader.make({ id, createdAt })))
    })
  )

/** One step with a model that only ever says "ok". */
const ask = (session: Session.Session, message: string) =>
  AgentStep.run(session, { route: { config }, said: [{ content: message }] }, ({ commit, step, turn }) =>
    commit([
      {
        type: "assistant/message",
        data: {
          turn,
          step,
          message: {
            role: "assistant",
            id: `answer ${turn}.${step}`,
            content: [{ type: "text", text: "ok" }],
            source: { kind: "model", ...config }
          }
        },
        surfaceOp: "append"
      }
    ])
  )

const show = Effect.fn("show")(function* (session: Session.Session) {
  const log = yield* Session.log(session)
  const { isTurnOpen, turn } = log.position
  yield* Console.log(`${session.header.id}: turn ${turn} is ${isTurnOpen ? "open" : "over"}, ${log.length} events`)
  for (const { content, role } of SessionLog.messages(log)) yield* Console.log(`  ${role}: ${JSON.stringify(content)}`)
})

/** The first process: it is killed within the turn, after its first step. */
const first = Effect.gen(function* () {
  const session = yield* open("copper")
  yield* ask(session, "Mend the tests.")
  // An event of our own: no model sees it, and it stays in the log.
  yield* Session.commit(session, [Event.opaque("my-agent/ticket", { id: 7 })])
}).pipe(Effect.scoped)

/** The second one goes on. */
const second = Effect.gen(function* () {
  const session = yield* open("copper")
  yield* show(session)
  yield* Session.endTurn(session, "interrupted")
  yield* ask(session, "Which ones failed?")
  yield* Session.endTurn(session, "completed")

  // The first message is the prompt, which stays. The last two are kept as well.
  yield* compact(session, "The tests were mended.")
  yield* show(session)

  // A fork begins with all that was logged so far, or with fewer of the first events.
  const seed = SessionLog.events(yield* Session.log(session))
  const createdAt = yield* Clock.currentTimeMillis
  const header = yield* Effect.fromResult(SessionHeader.fork(session.header, { id: "copper-2", createdAt }))
  const fork = yield* Session.create(header, seed)
  yield* ask(fork, "And in the other branch?")

  for (const id of yield* SessionStore.use((store) => store.list)) {
    const { next } = yield* SessionStore.use((store) => store.inspect(id))
    yield* Console.log(`${id}: ${next} events`)
  }
}).pipe(Effect.scoped)

const compact = Effect.fn("compact")(function* (session: Session.Session, summary: string) {
  const time = yield* Clock.currentTimeMillis
  const { length, surface } = yield* Session.log(session)
  const seqs = Surface.events(surface).map(({ seq }) => seq)
  const [startSeq, endSeq] = [seqs.at(1), seqs.at(-3)]
  if (startSeq === undefined || endSeq === undefined || endSeq < startSeq) return
  const id = `compaction ${length}`
  const content = [{ type: "text", text: summary }]
  yield* Session.commit(session, (log) =>
    Compaction.drafts(log, { id, messageId: id, startSeq, endSeq, content, time })
  )
})

// In an agent, a folder that stays, such as "sessions".
const program = Effect.gen(function* () {
  const folder = yield* FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped())
  const run = Effect.provide(Layer.merge(prompt, FileStore.layer({ folder })))
  yield* run(first)
  yield* run(second)
}).pipe(Effect.scoped)

await Effect.runPromise(program.pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer])))
