import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { Prompt } from "effect/ai"
import { MessagePrompt } from "../../src/ai/index.ts"
import { Event, type Message } from "../../src/session/index.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { said } from "./scripted.ts"

const system = (text: string): Message.System => ({
  role: "system",
  id: "s",
  source: { kind: "system-prompt" },
  content: [{ type: "text", text }]
})

const user = (...content: ReadonlyArray<Message.Block>): Message.User => ({
  role: "user",
  id: "u",
  source: { kind: "user" },
  content
})

const developer = (...content: Message.Developer["content"]): Message.Developer => ({
  role: "developer",
  id: "d",
  source: { kind: "tool-registry" },
  content
})

const assistant = (...content: ReadonlyArray<Message.Block>): Message.Assistant => ({
  role: "assistant",
  id: "a",
  source: { kind: "model", provider: "p", model: "m" },
  content
})

const result = (toolCallId: string, ...content: ReadonlyArray<Message.Block>): Message.Tool => ({
  role: "tool",
  id: `result ${toolCallId}`,
  toolCallId,
  source: { kind: "tool", callId: toolCallId },
  content
})

const text = (text: string): Message.Block => ({ type: "text", text })

const call = (id: string, name: string): Message.Block => ({ type: "tool-call", id, name, arguments: "{}" })

const make = (...messages: ReadonlyArray<Message.Message>) => Result.getOrThrow(MessagePrompt.make(messages))

const refused = (...messages: ReadonlyArray<Message.Message>) =>
  Result.getOrThrow(Result.flip(MessagePrompt.make(messages)))

const encode = Schema.encodeSync(Prompt.Prompt)

describe("a prompt", () => {
  it("has the messages of the request in their order, and says in words which tools came and went", () => {
    const prompt = make(
      system("v1"),
      user(text("hello")),
      assistant({ type: "reasoning", text: "hm" }, text("I read."), call("1", "read"), call("2", "write")),
      result("1", text("one")),
      { ...result("2", text("no")), isError: true },
      developer(
        { type: "tool-addition", toolName: "find" },
        { type: "tool-removal", toolName: "read" },
        { type: "text", text: "Mind that." }
      ),
      system("v2"),
      user(text("go"), text("on"))
    )
    assert.deepStrictEqual(said(prompt), [
      ["system", "v1"],
      ["user", "hello"],
      [
        "assistant",
        "reasoning",
        "I read.",
        { call: "1", name: "read", params: {} },
        { call: "2", name: "write", params: {} }
      ],
      ["tool", { result: "1", name: "read", isFailure: false, says: "one" }],
      ["tool", { result: "2", name: "write", isFailure: true, says: "no" }],
      ["user", 'The tool "find" can be called from now on.\n\nThe tool "read" is gone. Do not call it.\n\nMind that.'],
      ["system", "v2"],
      ["user", "go", "on"]
    ])
  })

  it("has what a provider wants to see again, and files as they were given", () => {
    const options = { anthropic: { cacheControl: { type: "ephemeral" } } }
    const data = { _tag: "URL", href: "https://example.com/a.png" }
    const prompt = make(
      user({ type: "text", text: "see", options }, { type: "file", mediaType: "image/png", fileName: "a.png", data }),
      assistant({ type: "reasoning", text: "", metadata: { anthropic: { signature: "s" } } }),
      assistant(call("1", "read")),
      result("1", text("one"), { type: "file", mediaType: "image/png", data: "AAEC" })
    )
    const [asked, reasoned, , answered] = prompt.content
    assert(asked?.role === "user" && reasoned?.role === "assistant" && answered?.role === "tool")
    assert.deepStrictEqual(asked.content, [
      Prompt.makePart("text", { text: "see", options }),
      Prompt.makePart("file", { mediaType: "image/png", fileName: "a.png", data: new URL(data.href) })
    ])
    assert.deepStrictEqual(reasoned.content, [
      Prompt.makePart("reasoning", { text: "", options: { anthropic: { signature: "s" } } })
    ])
    assert.deepInclude(answered.content[0], {
      result: "one\n[image/png omitted]",
      modelOutput: [
        Prompt.makePart("text", { text: "one" }),
        Prompt.makePart("file", { mediaType: "image/png", data: "AAEC" })
      ]
    })
    const cached = make(assistant(call("1", "x")), result("1", { type: "text", text: "one", options })).content[1]
    assert(cached?.role === "tool" && cached.content[0]?.type === "tool-result")
    assert.deepStrictEqual(cached.content[0].modelOutput, [Prompt.makePart("text", { text: "one", options })])
    assert.deepStrictEqual(
      encode(make(assistant({ type: "source", sourceType: "url", id: "1", url: "https://example.com/", title: "t" }))),
      {
        content: []
      }
    )
  })

  it("finds the tool of a result by the last call of that id", () => {
    const prompt = make(
      assistant(call("1", "read")),
      result("1", text("a")),
      assistant(call("1", "write")),
      result("1"),
      assistant(call("1", "write")),
      result("1", { type: "text", text: '{"b":[1]}', format: "json" })
    )
    assert.deepStrictEqual(
      said(prompt).filter(([role]) => role === "tool"),
      [
        ["tool", { result: "1", name: "read", isFailure: false, says: "a" }],
        ["tool", { result: "1", name: "write", isFailure: false, says: "" }],
        ["tool", { result: "1", name: "write", isFailure: false, says: { b: [1] } }]
      ]
    )
  })

  it("sends a message that was sent before as the same object, unless its call was of another tool", () => {
    const [question, answer, said] = [user(text("hello")), assistant(call("1", "read")), result("1", text("a"))]
    const first = make(question, answer, said)
    const second = make(question, answer, said, user(text("go on")))
    first.content.forEach((message, i) => assert.strictEqual(message, second.content[i]))
    const other = make(assistant(call("1", "write")), said).content[1]
    assert(other?.role === "tool" && other.content[0]?.type === "tool-result")
    assert.strictEqual(other.content[0].name, "write")
  })

  it("fails with the first message that cannot be sent, and leaves nothing out", () => {
    const image = { type: "image", url: "x" }
    const cases: ReadonlyArray<readonly [ReadonlyArray<Message.Message>, string, number | undefined, RegExp]> = [
      [[user(text("a"), image), user(image)], "u", 1, /type "image"/u],
      [[user({ type: "text", text: "a", colour: "red" })], "u", 0, /colour/u],
      [[user({ type: "reasoning", text: "a" })], "u", 0, /type "reasoning"/u],
      [[{ ...system("a"), content: [text("a"), image] }], "s", 1, /a system message is text/u],
      [[developer({ type: "note" })], "d", 0, /a developer message is text/u],
      [[assistant(image)], "a", 0, /type "image"/u],
      [[assistant(call("1", "x")), result("1", image)], "result 1", 0, /type "image"/u],
      [[user(text("a")), result("1", text("b"))], "result 1", undefined, /no message before it calls "1"/u],
      [
        [assistant(call("1", "x")), result("1"), result("1")],
        "result 1",
        undefined,
        /a message before it answers the call "1"/u
      ],
      [
        [assistant(call("1", "x")), result("1"), user(text("a")), result("1")],
        "result 1",
        undefined,
        /a message before it answers the call "1"/u
      ],
      [[assistant(call("1", "x")), user(text("a"))], "a", undefined, /its call "1" has no result/u],
      [[assistant(call("1", "x")), user(text("a")), result("1")], "a", undefined, /its call "1" has no result/u],
      [[assistant(call("1", "x"), call("2", "x")), result("1")], "a", undefined, /its call "2" has no result/u]
    ]
    for (const [messages, messageId, block, message] of cases) {
      const error = refused(...messages)
      assert.strictEqual(error._tag, "UnsendableMessage")
      assert.deepStrictEqual([error.messageId, error.block], [messageId, block])
      assert.match(error.message, message)
      assert.deepStrictEqual(MessagePrompt.problems(messages)[0], error)
    }
  })

  it("takes as many results of an id as there are calls of it in the answer, for some models give one id to several", () => {
    const twice = assistant(call("1", "x"), call("1", "x"))
    assert.deepStrictEqual(MessagePrompt.problems([twice, result("1")]), [])
    assert.deepStrictEqual(MessagePrompt.problems([twice, result("1"), result("1")]), [])
    assert.match(refused(twice, result("1"), result("1"), result("1")).reason, /answers the call "1"/u)
    const later = [twice, result("1"), assistant(call("1", "x")), result("1")]
    assert.deepStrictEqual(MessagePrompt.problems(later), [])
    assert.lengthOf(MessagePrompt.problems([...later, result("1")]), 1)
    assert.match(refused(twice, user(text("a"))).reason, /has no result behind it/u)
    assert.match(refused(twice, result("1"), user(text("a")), result("1")).reason, /answers the call "1"/u)
    assert.lengthOf(MessagePrompt.problems([twice, result("1"), user(text("a")), result("1")]), 1)
  })

  it("tells of everything that cannot be sent, each once and in order", () => {
    const messages = [
      { ...system("a"), content: [{ type: "image" }, text("a")] },
      assistant(call("1", "x"), call("2", "x")),
      result("1"),
      user({ type: "note" }),
      result("2"),
      result("2"),
      result("3"),
      assistant(call("4", "x"))
    ]
    assert.deepStrictEqual(
      MessagePrompt.problems(messages).map(({ messageId, reason }) => [messageId, reason.split("\n")[0]]),
      [
        ["s", 'a system message is text, and this is a block of type "image".'],
        ["a", 'its call "2" has no result behind it.'],
        ["u", 'effect/ai has no part like this block of type "note".'],
        ["result 2", 'a message before it answers the call "2".'],
        ["result 3", 'no message before it calls "3".'],
        ["a", 'its call "4" has no result behind it.']
      ]
    )
    assert.deepStrictEqual(MessagePrompt.problems([assistant(call("1", "x")), result("1"), user(text("a"))]), [])
  })
})

describe("the result of a tool", () => {
  it.effect(
    "comes back from the log as it was",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.schema(Schema.Json),
          (given) =>
            Effect.sync(() => {
              const json = JSON.parse(JSON.stringify(given))
              const message = result("1", ...MessagePrompt.toContent(json))
              const event = { seq: 0, type: "tool/result", data: { turn: 1, step: 1, message }, surfaceOp: "append" }
              const read = Result.getOrThrow(Event.fromUnknown(JSON.parse(JSON.stringify(event))))
              assert.isTrue(Event.is("tool/result")(read))
              const sent = make(assistant(call("1", "x")), Event.message(read as Event.Of<"tool/result">)).content[1]
              assert(sent?.role === "tool" && sent.content[0]?.type === "tool-result")
              assert.deepStrictEqual(sent.content[0].result, json)
              assert.isUndefined(sent.content[0].modelOutput)
              tally.count(typeof json === "object" ? "structure" : typeof json)
            }),
          { runs: runs(300, 10_000), seed: 3 }
        )
        tally.assertShares("results", { structure: 15, string: 8, number: 8, boolean: 8 })
      }),
    patience
  )
})
