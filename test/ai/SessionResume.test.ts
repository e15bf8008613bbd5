import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { SessionStep, SessionTurn } from "../../src/ai/index.ts"
import { FileStore, MemoryStore, Message, Request, Session, SessionLog, SessionStore } from "../../src/session/index.ts"
import { platform } from "../session/store/support.ts"
import { now, rules, services, tool } from "./agent.ts"
import { call, said, text } from "./scripted.ts"
import { begins, header, imbalance, logged, open, plain, reactive } from "./session.ts"

/** Two calls for each "go", then an answer. */
const model = () =>
  reactive((last, { content }) =>
    last.role === "user" && said({ content } as never).at(-2)?.[1] !== "never"
      ? [text("I read."), call(`${content.length}a`, "read", { path: "a" }), call(`${content.length}b`, "read", { path: "b" })]
      : [text("done")]
  )

const messages = ["go 1", "go 2"]

/** Everything that is still to be said, after what was left has been brought to its end. */
const goOn = Effect.fnUntraced(function* (session: Session.Session) {
  const log = yield* Session.log(session)
  const admitted = SessionLog.messages(log).map(Message.textOf)
  const options = { route: plain, maxSteps: 5 }
  const waiting = messages.filter((message) => !admitted.includes(message))
  if (log.position.isTurnOpen && admitted.some((text) => messages.includes(text ?? ""))) {
    const isNew = admitted.filter((text) => messages.includes(text ?? "")).length
    assert.isAtLeast(isNew, 1)
    yield* SessionTurn.run(session, options, SessionStep.answer)
  }
  for (const content of waiting) {
    yield* SessionTurn.run(session, { ...options, said: [{ content }] }, SessionStep.answer)
  }
})

const world = () => {
  const runs: Array<string> = []
  const plugins = Layer.mergeAll(
    rules,
    now("noon"),
    tool("read", ({ path }) => Effect.sync(() => runs.push(path)))
  ).pipe(Layer.provideMerge(services))
  return { runs, plugins }
}
