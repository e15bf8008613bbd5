import { Clock, Console, Effect, Layer } from "effect"
import { Model } from "effect/ai"
import { ModelRoute, SessionStep, SessionTurn } from "effect-preamble/ai"
import { type AgentStep, MemoryStore, Session, SessionHeader, SessionLog } from "effect-preamble/session"
import { plugins } from "./agent.ts"
import { call, say, scripted } from "./scripted.ts"
import { Workspace } from "./workspace.ts"

// In files, in a folder that exists: FileStore.layer({ folder: "sessions" }).pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer]))
const store = MemoryStore.layer

/** The session of that id, from where it stopped, or a new one. */
const open = (id: string) =>
  Effect.catchTag(Session.open(id), "LogNotFound", () =>
    Effect.gen(function* () {
      const createdAt = yield* Clock.currentTimeMillis
      return yield* Session.create(yield* Effect.fromResult(SessionHeader.make({ id, createdAt })))
    })
  )

/** Answers, and prints what the step has logged. */
const answer = (session: Session.Session) => (step: AgentStep.AgentStep) =>
  Effect.tap(SessionStep.answer(step), () =>
    Effect.flatMap(Session.log(session), (log) => {
      const start = SessionLog.events(log).findLast(({ type }) => type === "step/start")
      const types = SessionLog.events(log, { from: start?.seq }).map(({ type }) => type)
      return Console.log(`  step ${step.step}: ${types.slice(1).join(", ")}`)
    })
  )

/** Lets the model act until it calls no more tools. */
const turn = Effect.fn("turn")(function* (message: string) {
  const session = yield* open("copper")
  const route = yield* ModelRoute.make()
  yield* Console.log(`user: ${message}`)
  const said = [{ content: message }]
  const { reason, text } = yield* SessionTurn.run(session, { route, said, maxSteps: 10 }, answer(session))
  yield* Console.log(`assistant: ${text} (${reason})`)
}, Effect.scoped)

const script = [
  call("1", "read_file", { path: "hello.txt" }),
  call("2", "write_file", { path: "hello.txt", text: "Hello!" }),
  say("I corrected the greeting."),
  say("It is in hello.txt.")
]
const model = Model.make(
  "example",
  "scripted",
  scripted(script, () => Effect.void)
)
const workspace = Workspace.layerMemory("/home/user/project", { "hello.txt": "Helo!" })

// Each turn opens the session anew, as a second run of the program does.
const program = Effect.andThen(turn("Correct the greeting in hello.txt."), turn("Where is it?"))
const layer = Layer.mergeAll(plugins, model, store).pipe(Layer.provide(workspace))
await Effect.runPromise(program.pipe(Effect.provide(layer)))
