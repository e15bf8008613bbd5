/** What has to hold of logs and requests, in words that know nothing of how it is done. */
import { assert } from "@effect/vitest"
import { Result } from "effect"
import type * as AgentStep from "../../../src/session/AgentStep.ts"
import * as Event from "../../../src/session/Event.ts"
import * as Message from "../../../src/session/Message.ts"
import type * as Request from "../../../src/session/Request.ts"
import * as RuntimeContextProjection from "../../../src/session/RuntimeContextProjection.ts"
import * as SessionLog from "../../../src/session/SessionLog.ts"
import * as Surface from "../../../src/session/Surface.ts"
import * as SystemPromptProjection from "../../../src/session/SystemPromptProjection.ts"

export const json = (value: unknown): string => JSON.stringify(value)

/** A request as one text, in the order of a cache. */
const bytesOf = ({ header: { tools = [], ...rest }, messages }: Request.Request): Buffer =>
  Buffer.from([rest, ...tools, ...messages].map(json).join(""))

/** By the whole texts of both requests. */
export const prefixOf = (now: Request.Request, before: Request.Request): Request.Prefix => {
  const [left, right] = [bytesOf(now), bytesOf(before)]
  let bytes = 0
  while (bytes < left.length && bytes < right.length && left[bytes] === right[bytes]) bytes++
  const sameHeader = json(now.header) === json(before.header)
  const differing = before.messages.findIndex((message, i) => json(message) !== json(now.messages[i]))
  const messages = differing === -1 ? before.messages.length : differing
  return { isWhole: bytes === right.length, messages: sameHeader ? messages : 0, bytes, of: right.length }
}

/** The log as another process would read it. */
export const reread = (log: SessionLog.SessionLog): SessionLog.SessionLog => {
  const rows: ReadonlyArray<unknown> = JSON.parse(json(SessionLog.events(log)))
  return Result.getOrThrow(
    SessionLog.fromEvents(
      log.header,
      rows.map((row) => Result.getOrThrow(Event.fromUnknown(row)))
    )
  )
}

/** Turns and steps count up, and stand in each other. What is still open is given back. */
export const nesting = (log: SessionLog.SessionLog): ReadonlyArray<string> => {
  const open: Array<string> = []
  let [turn, step] = [0, 0]
  for (const event of SessionLog.events(log)) {
    if (Event.is("turn/start")(event)) {
      assert.deepStrictEqual(open, [], `turn at ${event.seq}`)
      assert.strictEqual(event.data.turn, ++turn)
      step = 0
      open.push("turn")
    } else if (Event.is("step/start")(event)) {
      assert.deepStrictEqual(open, ["turn"], `step at ${event.seq}`)
      assert.deepStrictEqual(event.data, { turn, step: ++step })
      open.push("step")
    } else if (event.type === "step/end") {
      assert.strictEqual(open.pop(), "step", `end at ${event.seq}`)
      assert.deepStrictEqual(event.data, { turn, step })
    } else if (event.type === "turn/end") {
      assert.strictEqual(open.pop(), "turn", `end at ${event.seq}`)
      assert.deepInclude(event.data, { turn })
    } else if (event.type === "system/message" || event.type === "developer/message") {
      assert.deepStrictEqual(open, ["turn", "step"], `${event.type} at ${event.seq}`)
      assert.deepInclude(event.data, { turn, step })
    }
  }
  return open
}

/** What has to hold of a log right after a request. */
export const current = (step: AgentStep.AgentStep, log: SessionLog.SessionLog, route: AgentStep.Route): void => {
  const inHistory = route.systemPromptUpdate === "in-history"
  const { rendered, request } = step
  const facts = { inHistory, startsSeries: false }
  assert.deepStrictEqual(SystemPromptProjection.project(log.systemPrompt, rendered.text, facts), [])
  const contexts = RuntimeContextProjection.fromRendered(rendered)
  assert.isUndefined(RuntimeContextProjection.project(log.runtimeContext, contexts))
  const prompts = request.messages.filter(({ role }) => role === "system")
  assert.strictEqual(Message.textOf(prompts.at(-1) ?? empty), rendered.text)
  if (!inHistory) {
    assert.lengthOf(prompts, rendered.text === "" ? 0 : 1)
    if (rendered.text !== "") assert.strictEqual(request.messages[0], prompts[0])
  }
  const [head] = Surface.events(log.surface)
  assert.strictEqual(head?.type, "system/message")
  const told = request.messages.findLast(({ source }) => source.kind === "runtime-context")
  if (rendered.snapshot !== "") assert.strictEqual(told && Message.textOf(told), rendered.snapshot)
  assert.strictEqual(json(request.header.tools ?? []), json(step.assembly.tools.map(({ schema }) => schema)))
  assert.strictEqual(json(SessionLog.messages(reread(log))), json(request.messages))
}

export const empty: Message.Message = { role: "user", id: "none", source: { kind: "user" }, content: [] }

/** The results of an answer stand behind it, before anything else. */
export const assertPaired = ({ messages }: Request.Request): void => {
  for (const [i, message] of messages.entries()) {
    if (message.role !== "assistant") continue
    const calls = message.content.filter(Message.isToolCall).map(({ id }) => id)
    const results = messages.slice(i + 1, i + 1 + calls.length)
    assert.deepStrictEqual(
      results.map((result) => result.role === "tool" && result.toolCallId),
      calls
    )
  }
}
