import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Plugin, PromptScope, SystemPrompt } from "../../src/index.ts"
import * as AgentStep from "../../src/session/AgentStep.ts"
import * as Event from "../../src/session/Event.ts"
import * as Message from "../../src/session/Message.ts"
import * as Request from "../../src/session/Request.ts"
import * as Session from "../../src/session/Session.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import {
  agent,
  answer,
  bare,
  brief,
  compact,
  deaf,
  header,
  inHistory,
  layer,
  lengthOf,
  plain,
  prefix,
  roles,
  said,
  take,
  texts,
  tool,
  world
} from "./support/agent.ts"

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

  it.effect("goes on where other tools can be told, with a new prompt too", () =>
    agent((world, session) =>
      Effect.gen(function* () {
        yield* take(session, { route: inHistory })
        world.persona = "You are Zinc."
        yield* take(session, { route: inHistory })
        world.tools = [tool("bash")]
        world.persona = "You are Tin."
        const { logged, step } = yield* take(session, { route: inHistory })
        assert.deepStrictEqual(logged, [
          "step/start",
          "system/message",
          "request/header change",
          "developer/message",
          "assistant/message",
          "step/end"
        ])
        assert.deepStrictEqual(
          texts(step.request).filter((text) => text?.startsWith("You")),
          ["You are Copper.", "You are Zinc.", "You are Tin."]
        )
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
        yield* compact(session, 3, 7, "what happened before")
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
        yield* compact(session, 3, 4, "what happened before")
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
