import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type * as Message from "../../src/session/Message.ts"
import * as Session from "../../src/session/Session.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import { SessionStore } from "../../src/session/store/SessionStore.ts"
import * as FileStore from "../../src/session/store/FileStore.ts"
import { onFile, readText, writeText } from "./store/support.ts"
import { agent, compact, deaf, header, inHistory, only, said, take } from "./support/agent.ts"

describe("a session", () => {
  it.effect("that began with the events of another one goes on with them, and no id occurs twice", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, said("one"))
        const { log, step } = yield* take(session, said("two"))
        const fork = { ...header("t"), isSeeded: true, parentSession: "s" }
        const seeded = yield* Session.create(fork, SessionLog.events(log))
        fork.id = "s"
        const next = yield* take(seeded, { ...said("three"), startsSeries: true })
        assert.deepStrictEqual(next.logged, [
          "step/start",
          "user/message",
          "request/header resume startsSeries",
          "assistant/message",
          "step/end"
        ])
        assert.deepStrictEqual(next.step.request.messages.slice(0, step.request.messages.length), step.request.messages)
        yield* take(session, said("three"))
        const ids = [seeded, session].map((one) => Effect.map(Session.log(one), SessionLog.messages))
        const [forked = [], own = []] = yield* Effect.all(ids)
        const made = (messages: ReadonlyArray<Message.Message>) =>
          messages.flatMap(({ id }) => (id.startsWith("answer") ? [] : [id]))
        assert.strictEqual(new Set(made(forked)).size, made(forked).length)
        assert.deepStrictEqual(
          made(forked).filter((id) => !made(own).includes(id)),
          [`t:${log.length + 1}`]
        )
        assert.isUndefined(world.tools[2])
      })
    )
  )

  it.effect("is not created with events that break a rule", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const { log } = yield* take(session)
        const failed = yield* Effect.flip(Session.create(header("t"), SessionLog.events(log).slice(1)))
        assert.deepInclude(failed, { _tag: "SurfaceViolation", rule: "dense-seq" })
        assert.deepStrictEqual(yield* SessionStore.use((store) => store.list), ["s"])
      })
    )
  )

  it.effect(
    "says what an unfinished append had left, as its writer does",
    onFile((log) => {
      const folder = log.slice(0, log.lastIndexOf("/"))
      return Effect.gen(function* () {
        const made = yield* Effect.scoped(Session.create(header()))
        assert.isUndefined(made.repaired)
        const text = yield* readText(`${folder}/s.jsonl`)
        yield* writeText(`${folder}/s.jsonl`, `${text}{"seq":0`)
        const repaired = { offset: text.length, bytes: 8, lines: 0 }
        assert.deepStrictEqual((yield* Effect.scoped(Session.open("s"))).repaired, repaired)
        assert.isUndefined((yield* Effect.scoped(Session.open("s"))).repaired)
      }).pipe(Effect.provide(FileStore.layer({ folder, fsync: false })))
    })
  )

  it.effect("that was restored after a compaction begins a series, as it would have without that", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory, ...said("one") })
        world.persona = "You are Zinc."
        const { step } = yield* take(session, { route: inHistory })
        yield* compact(session, 3, 3, "what was said")
        const log = yield* Session.log(session)
        const restored = yield* Session.make(deaf(log), log)
        const before = yield* session.state
        const { hasRequested, ...state } = yield* restored.state
        assert.isFalse(hasRequested)
        assert.deepStrictEqual({ ...state, hasRequested: true }, before)
        assert.deepStrictEqual(state.previous, Option.some(step.request))
        const [live, again] = [yield* take(session, { route: inHistory }), yield* take(restored, { route: inHistory })]
        assert.strictEqual(only(live.logged, "system").length, 2)
        assert.deepStrictEqual(only(again.logged, "system"), only(live.logged, "system"))
        assert.deepStrictEqual(only(again.logged, "request"), ["request/header resume startsSeries"])
        assert.deepStrictEqual(only(live.logged, "request"), ["request/header series"])
        assert.deepStrictEqual(again.step.prefix, live.step.prefix)
      })
    )
  )
})
