import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Schema } from "effect"
import { Model, type Response } from "effect/ai"
import { ModelRoute, SessionStep, SessionTurn } from "../../src/ai/index.ts"
import { Plugin, PromptScope } from "../../src/index.ts"
import { AgentStep, Request, Session, SessionLog } from "../../src/session/index.ts"
import { rules, tool } from "./agent.ts"
import { bytes, call, finish, said, scripted, text } from "./scripted.ts"
import { agent, begins, header, imbalance, inHistory, logged, open, plain, reactive, reopened } from "./session.ts"

const saying = (...contents: ReadonlyArray<string>) => ({
  route: plain,
  maxSteps: 5,
  said: contents.map((content) => ({ content }))
})

const turn = (session: Session.Session, options: Partial<SessionTurn.Options> = {}) =>
  SessionTurn.run(session, { ...saying(), ...options }, SessionStep.answer)

const reasons = (session: Session.Session) =>
  Effect.map(logged(session), (log) => log.filter((event) => event.startsWith("turn/end")))

describe("turns", () => {
  it.effect("log what is new, and begin each request with the bytes of the one before while nothing changes", () => {
    const model = scripted(
      [call("1", "read", { path: "a" })],
      [text("First "), text("answer.")],
      [text("Second.")],
      [call("1", "read", { path: "b" }), call("2", "read", { path: "c" })],
      [text("Third.")]
    )
    return Effect.gen(function* () {
      const session = yield* open()
      const first = yield* turn(session, saying("one", "and more"))
      assert.deepStrictEqual(first, { reason: "completed", text: "First answer.", steps: 2 })
      const before = (yield* Session.log(session)).length
      yield* turn(session, saying("two"))
      assert.deepStrictEqual(yield* logged(session, before), [
        "turn/start",
        "step/start",
        "user/message",
        "assistant/message",
        "step/end",
        "turn/end completed"
      ])
      assert.deepStrictEqual(yield* turn(session, saying("three")), { reason: "completed", text: "Third.", steps: 2 })
      const log = yield* Session.log(session)
      assert.deepStrictEqual(imbalance(log), [])
      assert.lengthOf(model.seen, 5)
      for (const [i, later] of model.seen.slice(1).entries()) {
        assert.isTrue(begins(model.seen[i]!, later), `request ${i + 2}`)
        assert.isAbove(bytes(later).length, bytes(model.seen[i]!).length)
      }
      assert.deepStrictEqual(said(model.seen[0]!.prompt), [
        ["system", "Be brief."],
        ["user", "one"],
        ["user", "and more"]
      ])
      // Each of them follows from the log.
      const rebuilt = Request.places(log).map((seq) => Option.getOrThrow(Request.rebuild(log, seq)).messages.length)
      assert.deepStrictEqual(
        rebuilt,
        model.seen.map(({ prompt }) => prompt.content.length)
      )
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, rules, tool("read"))))
  })

  it.effect("end as the model says, or at their limit", () => {
    const approval = { type: "tool-approval-request", approvalId: "a", toolCallId: "1" } as const
    const byProvider = { ...call("1", "read", { path: "a" }), providerExecuted: true } as Response.PartEncoded
    const read = call("1", "read", { path: "a" })
    const cases: ReadonlyArray<readonly [ReadonlyArray<ReadonlyArray<Response.PartEncoded>>, SessionTurn.SessionTurn]> =
      [
        [[[]], { reason: "completed", text: "", steps: 1 }],
        [[[text("a"), finish("stop")]], { reason: "completed", text: "a", steps: 1 }],
        [[[text("a"), finish("other")]], { reason: "completed", text: "a", steps: 1 }],
        [[[text("a"), finish("length")]], { reason: "max-tokens", text: "a", steps: 1 }],
        [[[read, finish("length")]], { reason: "max-tokens", text: "", steps: 1 }],
        [[[text("a"), finish("content-filter")]], { reason: "content-filter", text: "a", steps: 1 }],
        [[[finish("error")]], { reason: "model-error", text: "", steps: 1 }],
        [[[byProvider, approval]], { reason: "approval", text: "", steps: 1 }],
        [[[byProvider, finish("stop")]], { reason: "completed", text: "", steps: 1 }],
        [[[text("a"), finish("pause")], [text("b")]], { reason: "completed", text: "b", steps: 2 }],
        [[[read, finish("other")], [text("b")]], { reason: "completed", text: "b", steps: 2 }],
        [[[text("a"), read], [text("b"), read], [text("c")]], { reason: "step-limit", text: "b", steps: 2 }]
      ]
    return Effect.forEach(
      cases,
      ([script, expected]) =>
        Effect.gen(function* () {
          const session = yield* open()
          assert.deepStrictEqual(yield* turn(session, { ...saying("go"), maxSteps: 2 }), expected)
          assert.deepStrictEqual(yield* reasons(session), [`turn/end ${expected.reason}`])
          assert.deepStrictEqual(imbalance(yield* Session.log(session)), [])
        }).pipe(Effect.scoped, Effect.provide(agent(scripted(...script).layer, tool("read")))),
      { discard: true }
    )
  })

  it.effect("that fail are logged with their error, and admit nothing again when they are tried again", () => {
    let broken = false
    const model = scripted([text("done")])
    return Effect.gen(function* () {
      const session = yield* open()
      const error = yield* Effect.flip(SessionTurn.run(session, saying("go"), () => Effect.fail(new Error("no model"))))
      assert.strictEqual(error.message, "no model")
      const log = yield* Session.log(session)
      assert.deepInclude(SessionLog.events(log).at(-1), {
        type: "turn/end",
        data: { turn: 1, reason: { kind: "error", error: { message: "no model" } } }
      })
      yield* turn(session)
      assert.deepStrictEqual(yield* reasons(session), ["turn/end error", "turn/end completed"])
      assert.deepStrictEqual(said(model.seen[0]!.prompt), [["user", "go"]])
      // What does not come to its first step leaves no trace.
      broken = true
      const { length } = yield* Session.log(session)
      assert.strictEqual((yield* Effect.flip(turn(session, saying("more"))))._tag, "UnknownVariable")
      assert.strictEqual((yield* Session.log(session)).length, length)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        agent(model.layer, Plugin.section({ name: "s", order: 1, text: () => (broken ? "{{nothing}}" : "") }))
      )
    )
  })

  class Quota extends Error {
    readonly _tag = "Quota"
  }

  for (const [what, answer, message] of [
    ["a tagged value", Effect.fail({ _tag: "RateLimited", retryAfter: 3 }), "RateLimited"],
    ["a tagged error without a message", Effect.fail(new Quota()), "Quota"],
    ["a value without a prototype", Effect.fail(Object.assign(Object.create(null), { _tag: "Odd" })), "Odd"],
    [
      "what cannot be read",
      Effect.fail(new Proxy({}, { get: () => assert.fail("no") })),
      "a value that cannot be shown"
    ],
    ["a text", Effect.fail("no model"), "no model"],
    ["nothing", Effect.fail(undefined), "undefined"],
    ["a defect", Effect.die({ _tag: "Broken" }), "Broken"]
  ] as ReadonlyArray<readonly [string, Effect.Effect<never, unknown>, string]>) {
    it.effect(`that fail with ${what} say so at their end, which is logged`, () =>
      Effect.gen(function* () {
        const session = yield* open()
        yield* Effect.exit(SessionTurn.run(session, saying("go"), () => answer))
        const log = yield* Session.log(session)
        assert.deepStrictEqual(imbalance(log), [])
        const { data, type } = SessionLog.events(log).at(-1)!
        assert.deepStrictEqual([type, data], ["turn/end", { turn: 1, reason: { kind: "error", error: { message } } }])
      }).pipe(Effect.scoped, Effect.provide(agent(scripted().layer)))
    )
  }

  it.effect("that are interrupted are logged as aborted, in the model and in a tool", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const hang = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      const model = scripted([call("1", "hang", { path: "a" })])
      yield* Effect.gen(function* () {
        const session = yield* open()
        const fiber = yield* Effect.forkChild(turn(session, saying("go")))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual((yield* logged(session)).slice(-3), [
          "tool/result 1 failed",
          "step/end",
          "turn/end aborted"
        ])
        assert.deepStrictEqual(imbalance(yield* Session.log(session)), [])
        const waiting = yield* Effect.forkChild(SessionTurn.run(session, saying("again"), () => Effect.never))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(waiting)
        assert.strictEqual((yield* reasons(session)).at(-1), "turn/end aborted")
      }).pipe(
        Effect.scoped,
        Effect.provide(
          agent(
            model.layer,
            tool("hang", () => hang)
          )
        )
      )
    })
  )
})

/** Says "done", after one call for each "go". */
const once = (options?: { readonly inHistory: boolean }) =>
  reactive(
    (last) =>
      last.role === "user" && JSON.stringify(last.content).includes("go")
        ? [call("1", "read", { path: "a" })]
        : [text("done")],
    options
  )

describe("SessionTurn.ended", () => {
  it.effect("knows nothing of an answer that something was said after, or of an earlier turn", () =>
    Effect.gen(function* () {
      const session = yield* open()
      const ended = Effect.map(Session.log(session), SessionTurn.ended)
      assert.isUndefined(yield* ended)
      yield* AgentStep.run(session, saying("one"), SessionStep.answer)
      assert.strictEqual(yield* ended, "completed")
      const steered = yield* AgentStep.prepare(session, saying("no, two"))
      assert.isUndefined(yield* ended)
      yield* SessionStep.answer(steered)
      assert.strictEqual(yield* ended, "completed")
      yield* Session.endTurn(session, "completed")
      yield* AgentStep.prepare(session, saying())
      assert.isUndefined(yield* ended)
    }).pipe(Effect.scoped, Effect.provide(agent(scripted([text("a")], [text("b")]).layer)))
  )

  it.effect("leaves calls alone that something was said after, for they can be answered no more", () =>
    Effect.gen(function* () {
      const session = yield* open()
      yield* AgentStep.run(session, saying("one"), SessionStep.answer)
      const events = SessionLog.events(yield* Session.log(session))
      const cut = yield* reopened("cut", events.slice(0, -2))
      yield* AgentStep.prepare(cut, saying("two"))
      assert.isUndefined(SessionTurn.ended(yield* Session.log(cut)))
    }).pipe(Effect.scoped, Effect.provide(agent(scripted([call("1", "read", { path: "a" })]).layer, tool("read"))))
  )
})

describe("what changes between turns", () => {
  for (const reads of [true, false]) {
    it.effect(`a persona is ${reads ? "appended on a route that reads it in history" : "replaced at the head"}`, () => {
      const model = once({ inHistory: reads })
      let persona = "You are Copper."
      return Effect.gen(function* () {
        const session = yield* open()
        const route = yield* ModelRoute.make()
        yield* turn(session, { ...saying("go"), route })
        persona = "You are Zinc."
        const { length } = yield* Session.log(session)
        yield* turn(session, { ...saying("go on"), route })
        const [, second, third, fourth] = model.seen
        const head = said(third!.prompt)[0]
        if (reads) {
          assert.deepStrictEqual((yield* logged(session, length)).slice(2, 4), ["system/message", "user/message"])
          assert.deepStrictEqual(head, ["system", "You are Copper."])
          assert.deepStrictEqual(said(third!.prompt).slice(-2), [
            ["system", "You are Zinc."],
            ["user", "go on"]
          ])
          assert.isTrue(begins(second!, third!))
        } else {
          assert.deepStrictEqual((yield* logged(session, length)).slice(2, 5), [
            "system/message for 2",
            "user/message",
            "request/header series"
          ])
          assert.deepStrictEqual(head, ["system", "You are Zinc."])
          assert.deepStrictEqual(
            said(third!.prompt).filter(([role]) => role === "system"),
            [head]
          )
          assert.isFalse(begins(second!, third!))
        }
        assert.isTrue(begins(third!, fourth!))
      }).pipe(
        Effect.scoped,
        Effect.provide(
          agent(
            Model.make("p", "m", model.layer),
            Plugin.section({ name: "persona", order: 0, text: () => persona }),
            tool("read")
          )
        )
      )
    })
  }

  it.effect("tools that come and go are told in words, and are what can be called", () => {
    const model = scripted(
      [call("1", "read", { path: "a" })],
      [text("done")],
      [call("2", "read", { path: "a" }), call("3", "find", { path: "b" })],
      [text("done")]
    )
    return Effect.gen(function* () {
      const session = yield* open()
      yield* turn(session, { ...saying("one"), route: inHistory }).pipe(Effect.provide(tool("read")))
      yield* Effect.gen(function* () {
        yield* turn(session, { ...saying("two"), route: inHistory })
        const third = model.seen[2]!
        assert.deepStrictEqual(said(third.prompt).slice(-2), [
          ["user", "two"],
          ["user", 'The tool "find" can be called from now on.\n\nThe tool "read" is gone. Do not call it.']
        ])
        assert.deepStrictEqual(
          third.tools.map(({ name }) => name),
          ["find", "write"]
        )
        assert.deepStrictEqual((yield* logged(session)).slice(-8, -4), [
          "tool/call 3",
          "tool/result 2 failed",
          "tool/result 3",
          "step/end"
        ])
        assert.isTrue(begins(model.seen[2]!, model.seen[3]!))
      }).pipe(Effect.provide(tool("find")))
    }).pipe(Effect.scoped, Effect.provide(agent(model.layer, tool("write"))))
  })
})

describe("a child agent", () => {
  it.effect("has its own session, scope, persona and tools, while its parent runs a tool", () => {
    const model = reactive((last, prompt) => {
      const [system] = said(prompt)
      const isChild = system?.[1] === "You review."
      if (last.role === "tool") return [text(isChild ? "It is fine." : "Reviewed.")]
      return [isChild ? call("1", "write", { path: "a" }) : call("1", "review", { path: "a" })]
    })
    return Effect.gen(function* () {
      const parent = yield* open("parent")
      const review = Plugin.tool({
        name: "review",
        description: "",
        parameters: Schema.Struct({ path: Schema.String }),
        handler: ({ path }) =>
          Effect.gen(function* () {
            const { scope } = yield* PromptScope.make("reviewer")
            const reviewer = Layer.mergeAll(
              Plugin.section({ name: "persona", order: 0, text: "You review." }),
              Plugin.restrict({ deny: ["write", "review"] })
            )
            const child = yield* Session.create({ ...header("child"), parentSession: "parent", delegationDepth: 1 })
            const { text } = yield* turn(child, saying(path)).pipe(
              PromptScope.provide(scope),
              Effect.provide(Plugin.mount(scope)(reviewer))
            )
            assert.deepStrictEqual(imbalance(yield* Session.log(child)), [])
            assert.deepStrictEqual(yield* reasons(child), ["turn/end completed"])
            assert.include(yield* logged(child), "tool/result 1 failed")
            return text
          }).pipe(Effect.scoped)
      })
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* turn(parent, saying("go"))).text, "Reviewed.")
        const systems = model.seen.map(({ prompt, tools }) => [said(prompt)[0]?.[1], tools.map(({ name }) => name)])
        const [parents, childs] = [
          ["You write.", ["read", "review", "write"]],
          ["You review.", ["read"]]
        ]
        assert.deepStrictEqual(systems, [parents, childs, childs, parents])
        assert.deepStrictEqual(said(model.seen[3]!.prompt).at(-1), [
          "tool",
          { result: "1", name: "review", isFailure: false, says: "It is fine." }
        ])
        assert.deepStrictEqual(imbalance(yield* Session.log(parent)), [])
      }).pipe(Effect.provide(review))
    }).pipe(
      Effect.scoped,
      Effect.provide(
        agent(
          model.layer,
          Plugin.section({ name: "persona", order: 0, text: "You write." }),
          tool("read"),
          tool("write")
        )
      )
    )
  })
})
