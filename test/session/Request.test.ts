import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Message from "../../src/session/Message.ts"
import * as Request from "../../src/session/Request.ts"
import * as Session from "../../src/session/Session.ts"
import * as Surface from "../../src/session/Surface.ts"
import * as events from "./support/events.ts"
import { agent, bare, compact, prefix, said, take, texts, tool } from "./support/agent.ts"

describe("requests", () => {
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

  it("counts the configuration before the tools, and the tools before the messages", () => {
    const size = (value: unknown) => JSON.stringify(value).length
    const of = (...tools: ReadonlyArray<string>) =>
      Option.getOrThrow(Request.fromLog(events.log(events.user("a"), events.requestHeader(tools))))
    const beginning = size({ config: events.config }) + size(events.tool("read")) + '{"'.length
    assert.deepStrictEqual(Request.prefix(of("read", "write"), of("read")), {
      isWhole: false,
      messages: 0,
      bytes: beginning,
      of: size({ config: events.config }) + size(events.tool("read")) + size(of("read").messages[0])
    })
  })

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
        yield* compact(session, start ?? 0, rest.at(-1) ?? 0, "ok")
        const after = yield* take(session, said("u2"))
        assert.deepStrictEqual(texts(after.step.request), ["You are Copper.", "ok", "u2"])
        assert.isFalse(prefix(after.step).isWhole)
        assert.strictEqual(prefix(after.step).messages, 1)
      })
    )
  )
})
