import { Console, Effect, Layer, Option, Result } from "effect"
import { Plugin, SystemPrompt } from "effect-preamble"
import { AgentStep, MemoryStore, Request, Session, SessionHeader, SessionLog } from "effect-preamble/session"

let persona = "You are Copper."
let policy = "ask"

const layer = Layer.mergeAll(
  Plugin.section({ name: "persona", order: 0, text: () => persona }),
  Plugin.context({ name: "approval", order: 115, text: () => `Approval policy: ${policy}.` })
).pipe(Layer.provideMerge(SystemPrompt.layer), Layer.merge(MemoryStore.layer))

/** One step with a model that only ever says "ok", and what it logged. */
const ask = (session: Session.Session, route: AgentStep.Route, said: ReadonlyArray<AgentStep.Said> = []) =>
  Effect.gen(function* () {
    const before = yield* Session.log(session)
    const { prefix, request } = yield* AgentStep.run(session, { route, said }, (step) =>
      Effect.as(
        step.commit([
          {
            type: "assistant/message",
            data: {
              turn: step.turn,
              step: step.step,
              message: {
                role: "assistant",
                id: `answer ${step.turn}.${step.step}`,
                content: [{ type: "text", text: "ok" }],
                source: { kind: "model", provider: route.config.provider, model: route.config.model }
              }
            },
            surfaceOp: "append"
          }
        ]),
        step
      )
    )
    const log = yield* Session.log(session)
    const logged = SessionLog.events(log, { from: before.length }).map(({ type }) => type)
    const cached = Option.match(prefix, {
      onNone: () => "the first request",
      onSome: ({ isWhole, messages }) => (isWhole ? "begins with the one before" : `${messages} messages are the same`)
    })
    yield* Console.log(`${request.messages.length} messages, ${cached}: ${logged.join(" ")}`)
    return request.seq
  })

const life = Effect.fnUntraced(function* (id: string, route: AgentStep.Route) {
  yield* Console.log(`\n${route.systemPromptUpdate ?? "only a leading prompt"}`)
  persona = "You are Copper."
  policy = "ask"
  const header = Result.getOrThrow(SessionHeader.make({ id, createdAt: 0 }))
  const session = yield* Session.create(header)

  const first = yield* ask(session, route, [{ content: "hello" }])
  yield* ask(session, route)
  policy = "never"
  yield* ask(session, route)
  persona = "You are Zinc."
  yield* ask(session, route)
  yield* Session.endTurn(session, "completed")

  const sent = Request.rebuild(yield* Session.log(session), first)
  for (const { content, role } of Option.getOrThrow(sent).messages) {
    yield* Console.log(`  sent first: ${role} ${JSON.stringify(content[0])}`)
  }
}, Effect.scoped)

const config = { provider: "example", model: "example-1" }
await Effect.runPromise(
  Effect.andThen(life("a", { config }), life("b", { config, systemPromptUpdate: "in-history" })).pipe(
    Effect.provide(layer)
  )
)
