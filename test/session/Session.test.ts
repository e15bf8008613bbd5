import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Option, Result } from "effect"
import type * as Message from "../../src/session/Message.ts"
import * as Session from "../../src/session/Session.ts"
import * as SessionHeader from "../../src/session/SessionHeader.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import { SessionStore } from "../../src/session/store/SessionStore.ts"
import * as FileStore from "../../src/session/store/FileStore.ts"
import { onFile, readText, writeText } from "./store/support.ts"
import { agent, brief, compact, deaf, header, inHistory, only, said, stored, take } from "./support/agent.ts"

describe("a session", () => {
  it.effect("that began with the events of another one goes on with them, and no id occurs twice", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, said("one"))
        const { log, step } = yield* take(session, said("two"))
        const fork = { ...Result.getOrThrow(SessionHeader.fork(session.header, { id: "t", createdAt: 7 })) }
        const seeded = yield* Session.create(fork, SessionLog.events(log))
        fork.id = "s"
        const [end, ...more] = SessionLog.events(yield* Session.log(seeded), { from: log.length })
        assert.deepStrictEqual<unknown>(
          [end, more],
          [{ type: "session/end-seed", seq: log.length, time: 7, data: { inherited: true } }, []]
        )
        const { header: stored, next: length } = yield* SessionStore.use((store) => store.inspect("t"))
        assert.deepStrictEqual([stored, length], [seeded.header, log.length + 1])
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
          [`t:${log.length + 2}`]
        )
        assert.isUndefined(world.tools[2])
      })
    )
  )

  it.effect("is not created with events that break a rule", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const { log } = yield* take(session)
        const fork = { ...header("t"), isSeeded: true }
        const failed = yield* Effect.flip(Session.create(fork, SessionLog.events(log).slice(1)))
        assert.deepInclude(failed, { _tag: "SurfaceViolation", rule: "dense-seq" })
        assert.deepStrictEqual(yield* SessionStore.use((store) => store.list), ["s"])
      })
    )
  )

  it.effect("is not created with a seed that its header does not tell of, or the other way round", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const { log } = yield* take(session)
        const fork = { ...header("t"), isSeeded: true }
        for (const [failing, message] of [
          [
            Session.create(header("t"), SessionLog.events(log)),
            /it is false, and there is a seed.*SessionHeader\.fork/u
          ],
          [Session.create(header("t"), []), /it is false, and there is a seed/u],
          [Session.create(fork), /it is true, and there is no seed/u]
        ] as const) {
          const error = yield* Effect.flip(failing)
          assert.deepInclude(error, { _tag: "InvalidHeader", path: "$.isSeeded" })
          assert.match(error.message, message)
        }
        assert.deepStrictEqual(yield* SessionStore.use((store) => store.list), ["s"])
        const early = yield* Session.create(fork, [])
        assert.deepStrictEqual(SessionLog.events(yield* Session.log(early)).map(brief), ["session/end-seed"])
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

  describe("becomes by a transaction", () => {
    const note = (turn: number) => ({ type: "turn/start" as const, data: { turn } })
    const of = (...drafts: ReadonlyArray<ReturnType<typeof note>>) =>
      Result.getOrThrow(SessionLog.commit(SessionLog.empty(header("other")), drafts))

    for (const [what, next] of [
      ["an empty log", ({ header }) => SessionLog.empty(header)],
      ["the log as it was before", (log) => SessionLog.until(log, 1)],
      ["another log", () => of(note(7), note(8), note(9))],
      ["the same events under another header", (log) => ({ ...log, header: header("other") })],
      [
        "its log with an earlier event changed, all others being the same",
        (log) =>
          Result.getOrThrow(
            SessionLog.fromEvents(
              log.header,
              SessionLog.events(log).map((event, seq) => (seq === 0 ? { ...note(7), seq } : event))
            )
          )
      ]
    ] as ReadonlyArray<readonly [string, (log: SessionLog.SessionLog) => SessionLog.SessionLog]>) {
      it.effect(`nothing of which the store could not have the whole: ${what}`, () =>
        agent((_, session) =>
          Effect.gen(function* () {
            yield* Session.commit(session, [note(1), note(2)])
            const before = yield* session.state
            const exit = yield* Effect.exit(
              session.modify((state) => Result.succeed({ state: { ...state, log: next(state.log) }, value: 1 }))
            )
            assert(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
            assert.match(Cause.pretty(exit.cause), /log of session "s"/u)
            assert.strictEqual(yield* session.state, before)
            yield* Session.commit(session, [note(3)])
            assert.deepStrictEqual(SessionLog.events(yield* Session.log(session)), yield* stored)
          })
        )
      )
    }

    it.effect("what it was with events behind it, however that log was made", () =>
      agent((_, session) =>
        Effect.gen(function* () {
          yield* Session.commit(session, [note(1), note(2)])
          const value = yield* session.modify(({ log, ...state }) =>
            Result.map(
              Result.flatMap(SessionLog.fromEvents(log.header, SessionLog.events(log)), SessionLog.commit([note(3)])),
              (log) => ({ state: { ...state, log }, value: log.length })
            )
          )
          assert.strictEqual(value, 3)
          assert.deepStrictEqual(SessionLog.events(yield* Session.log(session)), yield* stored)
          assert.lengthOf(yield* stored, 3)
        })
      )
    )
  })
})
