/** The worked example of a session, with the projections alone: what is logged in each of four steps, and what is not. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PromptContext from "../../src/PromptContext.ts"
import * as PromptScope from "../../src/PromptScope.ts"
import type * as Event from "../../src/session/Event.ts"
import * as RequestContext from "../../src/session/RequestContext.ts"
import * as RequestHeader from "../../src/session/RequestHeader.ts"
import * as RuntimeContextProjection from "../../src/session/RuntimeContextProjection.ts"
import * as SessionLog from "../../src/session/SessionLog.ts"
import * as SystemPromptProjection from "../../src/session/SystemPromptProjection.ts"
import { SystemPrompt } from "../../src/SystemPrompt.ts"
import { assistant, config, extend, header, toolCall, toolResult, user } from "./support/events.ts"

/** What a host can change while the session runs. */
const host = () => ({ persona: "You review code with {{model}} in {{cwd}}.", policy: "workspace-write + ask" })

const register = Effect.fnUntraced(function* (state: ReturnType<typeof host>) {
  const prompt = yield* SystemPrompt
  yield* prompt.section({ name: "persona", order: 0, text: () => state.persona })
  yield* prompt.section({ name: "tool:read", order: 1000, text: "Read before you edit." })
  yield* prompt.variable("model", "deepseek-chat")
  yield* prompt.variable("cwd", "/w")
  yield* prompt.context({ name: "workspace", order: 100, text: "Workspace: {{cwd}}" })
  yield* prompt.context({ name: "policy", order: 115, text: () => `Policy: ${state.policy}` })
  yield* prompt.tools(() => [{ name: "read", description: "Reads.", parameters: { type: "object" } }])
  return prompt
})

const layer = SystemPrompt.layerWith({ identity: "You are an agent of the example." })

/** One step, as an agent's loop takes it: the prompt, the user's messages with the snapshot behind, header and route. */
const step = Effect.fnUntraced(function* (
  self: SessionLog.SessionLog,
  inHistory: boolean,
  claimed: ReadonlyArray<Event.Draft>,
  number: number
) {
  const prompt = yield* SystemPrompt
  const [assembly, rendered] = [yield* prompt.assemble, yield* prompt.render]
  const at = { turn: 1, step: number, time: number, id: `m${number}` }
  const facts = { inHistory, startsSeries: false }
  const commits = SystemPromptProjection.project(self.systemPrompt, rendered.text, facts)
  const current = RuntimeContextProjection.fromRendered(rendered)
  const snapshot = RuntimeContextProjection.project(self.runtimeContext, current)
  const users = [
    ...claimed,
    ...(snapshot === undefined ? [] : [RuntimeContextProjection.toDraft(snapshot, { time: number, id: `c${number}` })])
  ]
  const told = extend(self, ...commits.map((commit) => SystemPromptProjection.toDraft(commit, at)), ...users)
  const sent = RequestHeader.make({ config, tools: assembly.tools.map(({ schema }) => schema) })
  const entry = RequestHeader.entry(sent, {
    previous: self.requestHeader?.data.header,
    isFirst: self.requestHeader === undefined,
    startsSeries: self.length > 0 && told.surface.generation !== self.surface.generation
  })
  const route: RequestContext.RequestContext = {
    provider: "p",
    model: "deepseek-chat",
    ...(inHistory ? { systemPromptUpdate: "in-history" } : undefined)
  }
  const known = self.requestContext?.data
  return extend(
    told,
    ...(entry === undefined ? [] : [{ type: "request/header", data: entry } as const]),
    ...(known !== undefined && RequestContext.equals(known, route)
      ? []
      : [{ type: "request/context", data: route } as const])
  )
})

const logged = (before: SessionLog.SessionLog, after: SessionLog.SessionLog) =>
  SessionLog.events(after, { from: before.length }).map((event) => event.type)

/** The bytes of a request: header, then messages. */
const bytes = (self: SessionLog.SessionLog): string =>
  [self.requestHeader?.data.header, ...SessionLog.messages(self)].map((part) => JSON.stringify(part)).join("\n")

const isPrefix = (before: SessionLog.SessionLog, after: SessionLog.SessionLog) => bytes(after).startsWith(bytes(before))

const prompts = (self: SessionLog.SessionLog) =>
  SessionLog.events(self).flatMap((event) => (event.type === "system/message" ? [event] : []))

const snapshots = (self: SessionLog.SessionLog) => SessionLog.events(self).filter(RuntimeContextProjection.isOwned)

const said = "You are an agent of the example.\n\nYou review code with deepseek-chat in /w.\n\nRead before you edit."

describe("worked example 2", () => {
  for (const inHistory of [false, true]) {
    it.effect(
      `logs only what changed, and keeps what it can, on a route that ${inHistory ? "reads" : "does not read"} later prompts`,
      () =>
        Effect.gen(function* () {
          const state = host()
          yield* register(state)
          const fresh = SessionLog.empty(header)

          const first = yield* step(fresh, inHistory, [user("Look at a.ts")], 1)
          assert.deepStrictEqual(logged(fresh, first), [
            "system/message",
            "user/message",
            "user/message",
            "request/header",
            "request/context"
          ])
          assert.deepStrictEqual(
            SessionLog.messages(first).map(({ content, role }) => [role, content]),
            [
              ["system", [{ type: "text", text: said }]],
              ["user", [{ type: "text", text: "Look at a.ts" }]],
              [
                "user",
                [{ type: "text", text: `${PromptContext.heading}\n\nWorkspace: /w\n\nPolicy: workspace-write + ask` }]
              ]
            ]
          )
          assert.strictEqual(first.requestHeader?.data.reason, "initial")

          const called = extend(first, assistant("I read it."), toolCall, toolResult("let a"))
          const second = yield* step(called, inHistory, [], 2)
          assert.deepStrictEqual(logged(called, second), [])
          assert.isTrue(isPrefix(first, second))

          state.policy = "never"
          const answered = extend(second, assistant("Now what?"))
          const third = yield* step(answered, inHistory, [user("Go on")], 3)
          assert.deepStrictEqual(logged(answered, third), ["user/message", "user/message"])
          assert.include(JSON.stringify(SessionLog.messages(third).at(-1)), "Policy: never")
          assert.lengthOf(snapshots(third), 2)
          assert.lengthOf(prompts(third), 1)
          assert.isTrue(isPrefix(second, third))

          state.persona = "You write code."
          const fourth = yield* step(third, inHistory, [], 4)
          if (inHistory) {
            assert.deepStrictEqual(logged(third, fourth), ["system/message"])
            assert.strictEqual(SessionLog.messages(fourth).at(-1)?.role, "system")
            assert.isTrue(isPrefix(third, fourth))
          } else {
            assert.deepStrictEqual(logged(third, fourth), ["system/message", "request/header"])
            assert.strictEqual(fourth.requestHeader?.data.reason, "series")
            assert.strictEqual(SessionLog.messages(fourth)[0]?.role, "system")
            assert.lengthOf(SessionLog.messages(fourth), SessionLog.messages(third).length)
            assert.isFalse(isPrefix(third, fourth))
          }
          assert.include(JSON.stringify(prompts(fourth)[0]), "You review code", "the old text stays in the log")
          assert.include(JSON.stringify(SystemPromptProjection.effective(fourth.systemPrompt)), "You write code.")
        }).pipe(Effect.provide(layer))
    )
  }

  it.effect("has a prompt that is exactly the persona, and no snapshot ever, with the minimal preset", () =>
    Effect.gen(function* () {
      const prompt = yield* register(host())
      const minimal = (yield* PromptScope.make("minimal")).scope
      const inside = PromptScope.provide(minimal)
      yield* inside(prompt.persona({ prefix: "Only this, in {{cwd}}.", complete: true, includeRuntimeContext: false }))
      const fresh = SessionLog.empty(header)
      const first = yield* inside(step(fresh, false, [user("Hi")], 1))
      assert.deepStrictEqual(logged(fresh, first), [
        "system/message",
        "user/message",
        "request/header",
        "request/context"
      ])
      const second = yield* inside(step(extend(first, assistant("Hm")), false, [user("Yes")], 2))
      assert.lengthOf(snapshots(second), 0)
      const [only] = SessionLog.messages(second)
      assert.deepStrictEqual<unknown>(only?.content, [{ type: "text", text: "Only this, in /w." }])
    }).pipe(Effect.provide(layer))
  )
})
