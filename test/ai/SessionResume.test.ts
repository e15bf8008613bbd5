import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option } from "effect"
import { SessionStep, SessionTurn } from "../../src/ai/index.ts"
import { FileStore, MemoryStore, Message, Request, Session, SessionLog } from "../../src/session/index.ts"
import { platform } from "../session/store/support.ts"
import { now, rules, services, tool } from "./agent.ts"
import { call, said, text } from "./scripted.ts"
import { begins, header, imbalance, logged, open, plain, reactive, reopened } from "./session.ts"

/** Two calls when something is said, then an answer. */
const twoCalls = () =>
  reactive(({ role }, { content }) =>
    role === "user"
      ? [text("I read."), ...["a", "b"].map((path) => call(`${content.length}${path}`, "read", { path }))]
      : [text("done")]
  )

/** An agent in a process of its own: nothing but the store outlives it. */
const process = () => {
  const model = twoCalls()
  const runs: Array<string> = []
  const read = tool("read", ({ path }) => Effect.sync(() => runs.push(path)))
  const layer = Layer.merge(Layer.mergeAll(rules, now("noon"), read).pipe(Layer.provideMerge(services)), model.layer)
  return { model, runs, layer }
}

const all = ["one", "two"]

/** Brings what was left to its end, and says what was not said yet. */
const goOn = Effect.fnUntraced(function* (session: Session.Session) {
  const log = yield* Session.log(session)
  const admitted = SessionLog.messages(log).map(Message.textOf)
  const options = { route: plain, maxSteps: 5 }
  const left = all.filter((message) => !admitted.includes(message))
  if (log.position.isTurnOpen && left.length < all.length) yield* SessionTurn.run(session, options, SessionStep.answer)
  for (const content of left) {
    yield* SessionTurn.run(session, { ...options, said: [{ content }] }, SessionStep.answer)
  }
})

const inOneGo = Effect.gen(function* () {
  const { layer, model } = process()
  const log = yield* Effect.scoped(
    Effect.flatMap(Session.create(header("whole")), (session) => Effect.andThen(goOn(session), Session.log(session)))
  ).pipe(Effect.provide(layer))
  return { log, seen: model.seen }
})

describe("a session that stopped", () => {
  it.effect("between any two events goes on, and is balanced at its end", () =>
    Effect.gen(function* () {
      const { log, seen } = yield* inOneGo
      const events = SessionLog.events(log)
      assert.lengthOf(seen, 4)
      const places = Request.places(log)
      const found = { stopped: 0, asksNothing: 0, interrupted: 0 }
      for (let cut = 0; cut <= events.length; cut++) {
        const id = `cut ${cut}`
        const session = yield* reopened(id, events.slice(0, cut))
        const { layer, model, runs } = process()
        yield* goOn(session).pipe(Effect.provide(layer))
        const after = yield* Session.log(session)

        assert.deepStrictEqual(imbalance(after), [], id)
        assert.deepStrictEqual(SessionLog.events(after, { to: cut }), events.slice(0, cut), id)
        assert.strictEqual(SessionLog.messages(after).map(Message.textOf).at(-1), "done", id)
        const texts = SessionLog.messages(after).map(Message.textOf)
        for (const message of all)
          assert.lengthOf(
            texts.filter((text) => text === message),
            1,
            `${id} ${message}`
          )

        // Nothing changes, so that each request begins with the one before, across the cut, too.
        const sent = places.filter((place) => place <= cut).map((_, i) => seen[i]!)
        for (const [i, request] of model.seen.entries()) {
          const before = model.seen[i - 1] ?? sent.at(-1)
          if (before !== undefined) assert.isTrue(begins(before, request), `${id}, request ${i}`)
        }

        // No call is run twice: what was logged before the cut is answered, not run.
        const brief = yield* logged(session, cut)
        const calls = brief.filter((event) => event.startsWith("tool/call")).length
        assert.strictEqual(runs.length, calls, id)
        const results = brief.filter((event) => event.startsWith("tool/result"))
        if (results.some((event) => event.endsWith("failed"))) found.stopped++
        if (model.seen.length === 0) found.asksNothing++
        if (brief.includes("turn/end interrupted")) found.interrupted++
      }
      // Behind the answer, its two calls and the first result, in both turns; behind the last answer, and each end after
      // it; in a turn that knows no message yet.
      assert.deepStrictEqual(found, { stopped: 8, asksNothing: 3, interrupted: 3 })
    }).pipe(Effect.scoped, Effect.provide(MemoryStore.layer))
  )

  it.effect("goes on from its file, with a header that says so and with nothing else that is not new", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped({ prefix: "resume-" })
      const turn = (content: string) =>
        Effect.gen(function* () {
          const { layer, model } = process()
          const session = yield* open("file")
          const { length } = yield* Session.log(session)
          const options = { route: plain, maxSteps: 5, said: [{ content }] }
          yield* SessionTurn.run(session, options, SessionStep.answer).pipe(Effect.provide(layer))
          return { events: yield* logged(session, length), seen: model.seen }
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(FileStore.layer({ folder }))))
      const first = yield* turn("one")
      const second = yield* turn("two")
      assert.include(first.events, "system/message")
      assert.deepStrictEqual(second.events.slice(0, 5), [
        "turn/start",
        "step/start",
        "user/message",
        "request/header resume",
        "assistant/message"
      ])
      assert.isTrue(begins(first.seen.at(-1)!, second.seen[0]!))
    }).pipe(Effect.scoped, Effect.provide(platform))
  )

  it.effect("has the same request for its next step as it would have had", () =>
    Effect.gen(function* () {
      const { log, seen } = yield* inOneGo
      for (const [i, seq] of Request.places(log).entries()) {
        const { messages } = Option.getOrThrow(Request.rebuild(log, seq))
        assert.strictEqual(messages.length, said(seen[i]!.prompt).length)
      }
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
