import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, type Scope, Stream } from "effect"
import { Plugin, PromptScope, SystemPrompt } from "../../src/index.ts"
import * as AgentStep from "../../src/session/AgentStep.ts"
import * as Compaction from "../../src/session/Compaction.ts"
import * as Event from "../../src/session/Event.ts"
import * as Message from "../../src/session/Message.ts"
import * as Request from "../../src/session/Request.ts"
import * as Session from "../../src/session/Session.ts"
import { StepEnded } from "../../src/session/SessionError.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as MemoryStore from "../../src/session/store/MemoryStore.ts"
import { SessionStore } from "../../src/session/store/SessionStore.ts"
import * as Surface from "../../src/session/Surface.ts"
import {
  answer,
  appending,
  bare,
  brief,
  deaf,
  header,
  inHistory,
  layer,
  plain,
  take,
  tool,
  type World,
  world
} from "./support/agent.ts"

const said = (content: string) => ({ said: [{ content }] })

const roles = (request: Request.Request) => request.messages.map(({ role }) => role)

const texts = (request: Request.Request) => request.messages.map((message) => Message.textOf(message))

const prefix = (step: AgentStep.AgentStep) => Option.getOrThrow(step.prefix)

/** The events that were logged, of those whose type begins so. */
const only = (events: ReadonlyArray<string>, type: string) => events.filter((event) => event.startsWith(type))

/** A session of its own with a prompt that can be changed. */
const agent = <A, E>(
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

const lengthOf = (session: Session.Session) => Effect.map(Session.log(session), ({ length }) => length)

/** What the store has of the session. */
const stored = SessionStore.use((store) => Stream.runCollect(store.read("s")))

describe("the steps of a session (worked example 2)", () => {
  for (const route of [plain, inHistory]) {
    const name = route.systemPromptUpdate ?? "a leading prompt only"
    it.effect(`logs what is new, and nothing else: ${name} [246, 247, 248, 258, 259]`, () =>
      agent((world, session) =>
        Effect.gen(function* () {
          const first = yield* take(session, { route, ...said("hello") })
          assert.deepStrictEqual(first.logged, [
            "turn/start",
            "step/start",
            "system/message",
            "user/message",
            "user/message",
            "request/header initial",
            "request/context",
            "assistant/message",
            "step/end"
          ])
          assert.deepStrictEqual(texts(first.step.request).slice(0, 2), ["You are Copper.", "hello"])
          assert.match(texts(first.step.request)[2] ?? "", /^Runtime context.*Approval policy: ask\.$/su)
          assert.deepStrictEqual(roles(first.step.request), ["system", "user", "user"])
          assert.notInclude(first.step.rendered.text, "policy")
          assert.isTrue(Option.isNone(first.step.prefix))

          const second = yield* take(session, { route })
          assert.deepStrictEqual(second.logged, bare)
          assert.isTrue(prefix(second.step).isWhole)

          world.policy = "never"
          const third = yield* take(session, { route })
          assert.deepStrictEqual(third.logged, ["step/start", "user/message", "assistant/message", "step/end"])
          assert.match(texts(third.step.request).at(-1) ?? "", /Approval policy: never\.$/u)
          assert.isTrue(prefix(third.step).isWhole)
          assert.strictEqual(third.step.rendered.text, second.step.rendered.text)
          assert.strictEqual(texts(third.step.request)[0], "You are Copper.")

          world.persona = "You are Zinc."
          const fourth = yield* take(session, { route })
          if (route === plain) {
            const replaced = ["system/message for 2", "request/header series"]
            assert.deepStrictEqual(fourth.logged, ["step/start", ...replaced, "assistant/message", "step/end"])
            assert.strictEqual(texts(fourth.step.request)[0], "You are Zinc.")
            assert.isFalse(prefix(fourth.step).isWhole)
            assert.strictEqual(prefix(fourth.step).messages, 0)
          } else {
            assert.deepStrictEqual(fourth.logged, ["step/start", "system/message", "assistant/message", "step/end"])
            assert.deepStrictEqual(texts(fourth.step.request).at(-1), "You are Zinc.")
            assert.isTrue(prefix(fourth.step).isWhole)
          }
          const old = Option.getOrThrow(SessionLog.get(fourth.log, 2))
          assert.isTrue(Event.is("system/message")(old) && Message.textOf(old.data.message) === "You are Copper.")
        })
      )
    )
  }
})

describe("AgentStep.prepare", () => {
  it.effect("logs a header as initial once, as resume in a later run, and not where nothing changed [246]", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        yield* take(session)
        const { log } = yield* take(session)
        const resumed = yield* Session.make(deaf(log), log)
        assert.deepStrictEqual((yield* take(resumed)).logged, [
          "step/start",
          "request/header resume",
          "assistant/message",
          "step/end"
        ])
        assert.deepStrictEqual((yield* take(resumed)).logged, bare)
      })
    )
  )

  it.effect(
    "takes another list of tools, or another order, for a change, and tells the model which came and went [249]",
    () =>
      agent((world, session) =>
        Effect.gen(function* () {
          yield* take(session, { route: inHistory })
          world.tools = [tool("bash"), tool("write")]
          const changed = yield* take(session, { route: inHistory })
          assert.deepStrictEqual(changed.logged, [
            "step/start",
            "request/header change",
            "developer/message",
            "assistant/message",
            "step/end"
          ])
          assert.deepStrictEqual(changed.step.request.messages.at(-1)?.content, [
            { type: "tool-addition", toolName: "write" },
            { type: "tool-removal", toolName: "read" }
          ])
          const silent = ["step/start", "request/header change", "assistant/message", "step/end"]
          world.tools = [{ ...tool("bash"), description: "runs a command" }, tool("write")]
          assert.deepStrictEqual((yield* take(session, { route: inHistory })).logged, silent)
          assert.deepStrictEqual((yield* take(session, { route: inHistory })).logged, bare)
          world.reversed = true
          const { logged, step } = yield* take(session, { route: inHistory })
          assert.deepStrictEqual(logged, silent)
          assert.deepStrictEqual(
            step.request.header.tools?.map(({ name }) => name),
            ["write", "bash"]
          )
        })
      )
  )

  it.effect("begins a series where other tools cannot be told, so that the prompt moves to the head", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        const { toolUpdate: _, ...route } = inHistory
        yield* take(session, { route })
        world.persona = "You are Zinc."
        yield* take(session, { route })
        world.tools = [tool("bash")]
        const { logged, step } = yield* take(session, { route })
        assert.deepStrictEqual(logged, [
          "step/start",
          "system/message for 9",
          "system/message for 2",
          "request/header change startsSeries",
          "developer/message",
          "assistant/message",
          "step/end"
        ])
        assert.strictEqual(texts(step.request)[0], "You are Zinc.")
      })
    )
  )

  it.effect("logs that a series was declared, alone or beside another reason [250]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        const first = yield* take(session, { startsSeries: true })
        assert.include(first.logged, "request/header initial startsSeries")
        assert.include((yield* take(session, { startsSeries: true })).logged, "request/header series")
        world.tools = []
        assert.include((yield* take(session, { startsSeries: true })).logged, "request/header change startsSeries")
      })
    )
  )

  it.effect("logs the route where one of its four facts differs from the last logged one [251]", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const logs = (route: AgentStep.Route) =>
          Effect.map(take(session, { route }), ({ logged }) => logged.includes("request/context"))
        assert.isTrue(yield* logs(plain))
        assert.isFalse(yield* logs({ ...plain }))
        assert.isTrue(yield* logs({ ...plain, contextWindow: 1000 }))
        assert.isFalse(yield* logs({ ...plain, contextWindow: 1000 }))
        assert.isTrue(yield* logs(plain))
        assert.isTrue(yield* logs({ ...plain, systemPromptUpdate: "in-history" }))
        assert.isTrue(yield* logs(plain))
        assert.isTrue(yield* logs({ config: { provider: "p", model: "other" } }))
        assert.isTrue(yield* logs({ config: { provider: "q", model: "other" } }))
        assert.isFalse(yield* logs({ config: { provider: "q", model: "other" }, toolUpdate: "in-history" }))
        assert.isFalse(yield* logs({ config: { provider: "q", model: "other", effort: "high" } }))
        const last = SessionLog.events(yield* Session.log(session)).filter(Event.is("request/context"))
        assert.deepStrictEqual(
          last.map(({ data }) => data),
          [
            { provider: "p", model: "m" },
            { provider: "p", model: "m", contextWindow: 1000 },
            { provider: "p", model: "m" },
            { provider: "p", model: "m", systemPromptUpdate: "in-history" },
            { provider: "p", model: "m" },
            { provider: "p", model: "other" },
            { provider: "q", model: "other" }
          ]
        )
      })
    )
  )

  it.effect("goes by the route of this attempt, whatever was logged last [252, 253]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory })
        world.persona = "v2"
        const appended = yield* take(session, { route: inHistory })
        assert.deepStrictEqual(roles(appended.step.request).at(-1), "system")
        world.persona = "v3"
        const consolidated = yield* take(session, { route: plain })
        assert.deepStrictEqual(
          consolidated.logged.filter((event) => event.startsWith("system")),
          ["system/message for 9", "system/message for 2"]
        )
        assert.deepStrictEqual(
          texts(consolidated.step.request).filter((text) => text !== "ok"),
          ["v3", texts(consolidated.step.request)[1]]
        )
        world.persona = "v4"
        const again = yield* take(session, { route: inHistory })
        assert.deepStrictEqual(
          again.logged.filter((event) => event.startsWith("system")),
          ["system/message"]
        )
      })
    )
  )

  it.effect("goes by the route of a further attempt, not by that of the first [252]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory })
        world.persona = "v2"
        const step = yield* AgentStep.prepare(session, { route: inHistory })
        assert.strictEqual(texts(step.request).at(-1), "v2")
        const before = yield* lengthOf(session)
        const again = yield* step.retry(plain)
        assert.strictEqual(texts(again.request)[0], "v2")
        assert.strictEqual(texts(again.request).filter((text) => text === "v2").length, 1)
        const log = yield* Session.log(session)
        assert.deepStrictEqual(SessionLog.events(log, { from: before }).map(brief), [
          "system/message for 9",
          "system/message for 2",
          "request/header series",
          "request/context"
        ])
      })
    )
  )

  it.effect("leaves empty tools and empty defaults of the adapter out of the header [261]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.tools = []
        const { step } = yield* take(session, {
          route: { ...plain, adapterDefaults: { maxTokens: false, reasoningEffort: false } }
        })
        assert.deepStrictEqual(step.request.header, { config: plain.config })
        const log = yield* Session.log(session)
        assert.deepStrictEqual(log.requestHeader?.data, { header: { config: plain.config }, reason: "initial" })
      })
    )
  )

  it.effect("has no request that does not follow from the log [260]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        const steps = [yield* take(session, said("one"))]
        world.policy = "never"
        steps.push(yield* take(session))
        world.persona = "You are Zinc."
        steps.push(yield* take(session, said("two")))
        const log = yield* Session.log(session)
        for (const { step } of steps) {
          assert.deepStrictEqual(Option.getOrThrow(Request.rebuild(log, step.request.seq)), step.request)
        }
        assert.deepStrictEqual(
          Request.places(log),
          steps.map(({ step }) => step.request.seq)
        )
        assert.isTrue(Option.isNone(Request.rebuild(log, log.length + 1)))
        assert.isTrue(Option.isNone(Request.rebuild(log, 2)), "no header was logged yet")
        assert.isTrue(Option.isSome(Request.rebuild(log, log.length)))
      })
    )
  )

  it.effect("sends a header as it was logged, whatever becomes of what it was made from [260]", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const config = { provider: "p", model: "m", effort: "low" }
        const first = yield* take(session, { route: { config } })
        config.effort = "high"
        assert.deepStrictEqual(first.step.request.header.config, { provider: "p", model: "m", effort: "low" })
        const second = yield* take(session, { route: { config: { effort: "low", model: "m", provider: "p" } } })
        assert.deepStrictEqual(second.logged, bare)
        const rebuilt = Request.rebuild(second.log, second.step.request.seq)
        assert.strictEqual(JSON.stringify(Option.getOrThrow(rebuilt)), JSON.stringify(second.step.request))
        assert.isTrue(prefix(second.step).isWhole)
      })
    )
  )

  it.effect("says how much of the request before stands at the beginning of this one", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        const size = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
        world.persona = "You are Zinc, élan."
        const first = yield* take(session, said("hello"))
        world.persona = "You are Zink."
        const second = yield* take(session)
        const { config, tools = [] } = first.step.request.header
        const before = size({ config }) + tools.reduce((sum, tool) => sum + size(tool), 0)
        const shared = '{"role":"system","content":[{"type":"text","text":"You are Zin'
        assert.deepStrictEqual(prefix(second.step), {
          isWhole: false,
          messages: 0,
          bytes: before + shared.length,
          of: before + first.step.request.messages.reduce((sum, message) => sum + size(message), 0)
        })
      })
    )
  )

  it.effect("summarises with the same beginning: the prompt and the tools are those of the conversation [BC-031]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.policy = ""
        world.tools = [tool("t1")]
        yield* take(session, said("u1"))
        const { step } = yield* take(session, said("Summarise."))
        assert.isTrue(prefix(step).isWhole)
        assert.deepStrictEqual(
          step.request.messages.map((message) => [message.role, Message.textOf(message)]),
          [
            ["system", "You are Copper."],
            ["user", "u1"],
            ["assistant", "ok"],
            ["user", "Summarise."]
          ]
        )
        assert.deepStrictEqual(
          step.request.header.tools?.map(({ name }) => name),
          ["t1"]
        )
        // What it says takes the place of the conversation, its own question too; the prompt stays.
        const { surface } = yield* Session.log(session)
        const [, start, ...rest] = Surface.events(surface).map(({ seq }) => seq)
        yield* Session.commit(session, (log) =>
          Compaction.drafts(log, {
            id: "c",
            startSeq: start ?? 0,
            endSeq: rest.at(-1) ?? 0,
            content: [{ type: "text", text: "ok" }],
            messageId: "summary",
            time: 0
          })
        )
        const after = yield* take(session, said("u2"))
        assert.deepStrictEqual(texts(after.step.request), ["You are Copper.", "ok", "u2"])
        assert.isFalse(prefix(after.step).isWhole)
        assert.strictEqual(prefix(after.step).messages, 1)
      })
    )
  )
})

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

  it.effect("that was restored after a compaction begins a series, as it would have without that", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory, ...said("one") })
        world.persona = "You are Zinc."
        const { step } = yield* take(session, { route: inHistory })
        yield* Session.commit(session, (log) =>
          Compaction.drafts(log, {
            id: "c",
            startSeq: 3,
            endSeq: 3,
            content: [{ type: "text", text: "what was said" }],
            messageId: "summary",
            time: 0
          })
        )
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

describe("a step that does not come to its request", () => {
  it.effect("logs nothing where the prompt does not render [256]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.persona = "You run on {{model}}."
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, ...said("hello") }))
        assert.strictEqual(failed._tag, "UnknownVariable")
        assert.strictEqual((yield* Session.log(session)).length, 0)
      })
    )
  )

  it.effect("logs nothing where a context does not render, and no step [257]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        world.policy = "{{policy}}"
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, ...said("hello") }))
        assert.deepInclude(failed, { _tag: "UnknownVariable", kind: "context", entry: "policy" })
        assert.strictEqual((yield* Session.log(session)).length, 0)
      })
    )
  )

  it.effect("logs nothing where it is called off while the prompt is assembled [255]", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const prompt = yield* SystemPrompt
        yield* prompt.section({
          name: "slow",
          order: 1,
          text: Deferred.succeed(reached, undefined).pipe(Effect.andThen(Effect.never))
        })
        const fiber = yield* Effect.forkChild(take(session, said("hello")))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* Session.log(session)).length, 0)
      }).pipe(Effect.scoped)
    )
  )

  it.effect("is logged and ended where it is called off while the store writes [255]", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const store = appending(MemoryStore.layer, (write, tried) =>
        tried > 0
          ? write
          : Deferred.succeed(reached, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.andThen(write))
      )
      yield* agent(
        (_, session) =>
          Effect.gen(function* () {
            let asked = 0
            const running = yield* Effect.forkChild(
              AgentStep.run(session, { route: plain, ...said("hello") }, () => Effect.sync(() => asked++))
            )
            yield* Deferred.await(reached)
            const waiting = yield* Effect.forkChild(take(session, said("waits")))
            yield* Effect.yieldNow
            const ends = yield* Effect.forkChild(Fiber.interruptAll([running]))
            yield* Effect.yieldNow
            yield* Deferred.succeed(gate, undefined)
            yield* Fiber.join(ends)
            yield* Fiber.join(waiting)
            assert.strictEqual(asked, 0)
            const log = yield* Session.log(session)
            assert.deepStrictEqual(only(SessionLog.events(log).map(brief), "step"), [
              "step/start",
              "step/end",
              "step/start",
              "step/end"
            ])
            assert.deepStrictEqual(yield* stored, SessionLog.events(log))
          }),
        store
      )
    })
  )

  it.effect("does not wait for the store when it is called off while another one writes", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const store = appending(MemoryStore.layer, (_, tried) =>
        tried > 0 ? Effect.void : Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      )
      yield* agent(
        (_, session) =>
          Effect.gen(function* () {
            yield* Effect.forkDetach(Session.endTurn(session, "x").pipe(Effect.andThen(take(session))))
            yield* Deferred.await(reached)
            const waiting = yield* Effect.forkChild(AgentStep.prepare(session, { route: plain }))
            yield* Effect.yieldNow
            yield* Fiber.interrupt(waiting)
            assert.strictEqual(yield* lengthOf(session), 0)
          }),
        store
      )
    })
  )

  it.effect("takes nothing more once it has ended, also since another one began", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const [first, second] = yield* Effect.all(
          [AgentStep.prepare(session, { route: plain }), AgentStep.prepare(session, { route: plain })],
          { concurrency: 2 }
        )
        assert.deepStrictEqual([first.step, second.step], [1, 2])
        const length = yield* lengthOf(session)
        const late = [yield* Effect.flip(first.commit([answer(first)])), yield* Effect.flip(first.retry())]
        const ended = new StepEnded({ turn: 1, step: 1 })
        assert.deepStrictEqual(late, [ended, ended])
        yield* first.end
        assert.strictEqual(yield* lengthOf(session), length)
        yield* second.commit([answer(second)])
        yield* Session.endTurn(session, "completed")
        assert.strictEqual((yield* Effect.flip(second.commit([answer(second, "more")])))._tag, "StepEnded")
        assert.strictEqual((yield* Effect.flip(second.retry()))._tag, "StepEnded")
      })
    )
  )

  it.effect("logs nothing where something that was said is no plain JSON", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const content = [{ type: "image", data: new Date(0) }]
        const failed = yield* Effect.flip(AgentStep.prepare(session, { route: plain, said: [{ content }] }))
        assert.deepInclude(failed, { _tag: "InvalidEvent", type: "user/message" })
        assert.strictEqual(yield* lengthOf(session), 0)
        assert.deepStrictEqual((yield* take(session, said("hello"))).logged.length, 9)
      })
    )
  )

  it.effect("ends where it is called off while the model answers, or the model fails", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const reached = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          AgentStep.run(session, { route: plain }, () =>
            Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
          )
        )
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        const failed = yield* Effect.exit(AgentStep.run(session, { route: plain }, () => Effect.fail("no model")))
        assert.isTrue(Exit.isFailure(failed))
        const log = yield* Session.log(session)
        assert.deepStrictEqual(
          SessionLog.events(log)
            .map(brief)
            .filter((type) => type.startsWith("step")),
          ["step/start", "step/end", "step/start", "step/end"]
        )
        yield* Session.endTurn(session, "aborted")
        yield* Session.endTurn(session, "aborted")
        assert.strictEqual((yield* Session.log(session)).length, log.length + 1)
      })
    )
  )

  it.effect("is closed by the next step, if its process has ended meanwhile", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        yield* AgentStep.prepare(session, { route: plain })
        assert.deepStrictEqual((yield* take(session)).logged, ["step/end", ...bare])
      })
    )
  )
})

describe("AgentStep.retry", () => {
  it.effect("consolidates after a compaction, with the same prompt, and admits nothing again [254]", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory, ...said("one") })
        world.persona = "You are Zinc."
        yield* take(session, { route: inHistory, ...said("two") })
        const assembled = world.assembled
        const step = yield* AgentStep.prepare(session, { route: inHistory, ...said("three") })
        yield* Session.commit(session, (log) =>
          Compaction.drafts(log, {
            id: "c",
            startSeq: 3,
            endSeq: 7,
            content: [{ type: "text", text: "what happened before" }],
            messageId: "summary",
            time: 0
          })
        )
        const again = yield* step.retry()
        assert.strictEqual(world.assembled, assembled + 1)
        const retried = SessionLog.events(yield* Session.log(session)).map(brief)
        assert.deepStrictEqual(retried.slice(retried.indexOf("compaction/end") + 1), [
          "system/message for 10",
          "system/message for 2",
          "user/message",
          "request/header series"
        ])
        assert.match(texts(again.request).at(-1) ?? "", /Approval policy: ask\.$/u)
        assert.strictEqual(again.rendered, step.rendered)
        assert.deepStrictEqual(
          texts(again.request).filter((text) => text?.startsWith("You") === true),
          ["You are Zinc."]
        )
        assert.strictEqual(texts(again.request)[0], "You are Zinc.")
        assert.strictEqual(texts(again.request).filter((text) => text === "three").length, 1)
        assert.deepStrictEqual([again.turn, again.step], [step.turn, step.step])
        yield* again.commit([answer(again)])
        yield* again.end
        yield* step.end
        const log = yield* Session.log(session)
        assert.deepStrictEqual(Option.getOrThrow(Request.rebuild(log, again.request.seq)), again.request)
        assert.strictEqual(log.position.isStepOpen, false)
      })
    )
  )

  it.effect("tells the contexts once more where a compaction took them away, and only then", () =>
    agent((_, session) =>
      Effect.gen(function* () {
        const step = yield* AgentStep.prepare(session, { route: plain, ...said("one") })
        const same = yield* step.retry()
        assert.strictEqual(same.request.seq, step.request.seq)
        yield* Session.commit(session, (log) =>
          Compaction.drafts(log, {
            id: "c",
            startSeq: 3,
            endSeq: 4,
            content: [{ type: "text", text: "what happened before" }],
            messageId: "summary",
            time: 0
          })
        )
        const [now, ...rest] = texts((yield* step.retry()).request).slice(1)
        assert.strictEqual(now, "what happened before")
        assert.strictEqual(rest.length, 1)
        assert.match(rest[0] ?? "", /Approval policy: ask\.$/u)
      })
    )
  )
})

describe("the minimal preset (worked example 2)", () => {
  it.effect("has its persona for a prompt, and never a snapshot", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("minimal")
      yield* PromptScope.provide(scope)(
        prompt.persona({ prefix: "Only this.", complete: true, includeRuntimeContext: false })
      )
      const session = yield* Session.create(header())
      const { step } = yield* PromptScope.provide(scope)(take(session, said("hello")))
      const { logged } = yield* PromptScope.provide(scope)(take(session))
      assert.deepStrictEqual(texts(step.request), ["Only this.", "hello"])
      assert.deepStrictEqual(logged, bare)
    }).pipe(
      Effect.provide(
        Plugin.context({ name: "c", order: 0, text: "a context" }).pipe(Layer.provideMerge(layer(world())))
      )
    )
  )
})
