import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { Prompt, Response } from "effect/ai"
import { MessagePrompt, ModelAnswer } from "../../src/ai/index.ts"
import { Event, Message } from "../../src/session/index.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"

const decode = Schema.decodeUnknownSync(Schema.Array(Response.Part()))
const encodePart = Schema.encodeUnknownSync(Response.Part())
const encode = (parts: ReadonlyArray<Response.AnyPart>) =>
  parts.map((part) => encodePart(part.type === "tool-result" ? { ...part, result: part.encodedResult } : part))
const encodePrompt = Schema.encodeSync(Prompt.Prompt)

const request = { seq: 7, header: { config: { provider: "p", model: "m" } }, messages: [] }

const eventOf = (parts: ReadonlyArray<Response.AnyPart>) => ModelAnswer.toDraft(parts, { turn: 1, step: 2, request }, 0)

/** Through the log: checked by its rules, written as a line, and read. */
const logged = (draft: Event.Draft<"assistant/message">): Event.Data<"assistant/message"> => {
  const event = Result.getOrThrow(Event.fromUnknown({ ...draft, seq: 0 }))
  const read = Result.getOrThrow(Event.fromUnknown(JSON.parse(JSON.stringify(event))))
  assert.isTrue(Event.is("assistant/message")(read))
  return read.data as Event.Data<"assistant/message">
}

const Name = Schema.Literals(["read", "write", "__proto__", "7"])
const Id = Schema.Literals(["a", "b", "c"])
const Metadata = { metadata: Schema.optionalKey(Schema.Record(Schema.Literals(["p", "q"]), Schema.Json)) }
const Usage = Schema.Struct({
  inputTokens: Schema.Struct({
    total: Schema.optionalKey(Schema.Natural),
    cacheRead: Schema.optionalKey(Schema.Natural)
  }),
  outputTokens: Schema.Struct({ total: Schema.optionalKey(Schema.Natural) })
})
const Encoded = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...Metadata }),
  Schema.Struct({ type: Schema.Literal("reasoning"), text: Schema.String, ...Metadata }),
  Schema.Struct({
    type: Schema.Literal("file"),
    mediaType: Schema.String,
    data: Schema.Literals(["", "AAEC"]),
    ...Metadata
  }),
  Schema.Struct({
    type: Schema.Literal("tool-call"),
    id: Id,
    name: Name,
    params: Schema.Json,
    providerExecuted: Schema.optionalKey(Schema.Boolean),
    ...Metadata
  }),
  Schema.Struct({
    type: Schema.Literal("tool-result"),
    id: Id,
    name: Name,
    isFailure: Schema.Boolean,
    result: Schema.Json,
    providerExecuted: Schema.Literal(true),
    modelOutput: Schema.optionalKey(
      Schema.Array(
        Schema.Union([
          Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
          Schema.Struct({ type: Schema.Literal("file"), mediaType: Schema.String, data: Schema.String })
        ])
      )
    ),
    ...Metadata
  }),
  Schema.Struct({
    type: Schema.Literal("source"),
    sourceType: Schema.Literal("document"),
    id: Id,
    mediaType: Schema.String,
    title: Schema.String,
    fileName: Schema.optionalKey(Schema.String),
    ...Metadata
  }),
  Schema.Struct({
    type: Schema.Literal("source"),
    sourceType: Schema.Literal("url"),
    id: Id,
    url: Schema.Literal("https://example.com/"),
    title: Schema.String,
    ...Metadata
  }),
  Schema.Struct({ type: Schema.Literal("tool-approval-request"), approvalId: Id, toolCallId: Id, ...Metadata }),
  Schema.Struct({
    type: Schema.Literal("response-metadata"),
    id: Schema.optionalKey(Id),
    modelId: Schema.optionalKey(Schema.String),
    timestamp: Schema.optionalKey(Schema.Literal("2026-01-02T03:04:05.006Z")),
    ...Metadata
  }),
  Schema.Struct({ type: Schema.Literal("finish"), reason: Response.FinishReason, usage: Usage, ...Metadata })
])

/** As read from a provider: JSON has one zero. */
const responses = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Encoded), { maxLength: 8 }), (parts) =>
  decode(JSON.parse(JSON.stringify(parts)))
)

const isAbout = ({ type }: { readonly type: string }) => type === "finish" || type === "response-metadata"

/** Answers all calls, so that what is sent is a history. */
const results = (message: Message.Assistant): ReadonlyArray<Message.Tool> =>
  [...new Set(Message.calls(message).map(({ id }) => id))].map((callId) => ({
    role: "tool",
    id: `result ${callId}`,
    toolCallId: callId,
    source: { kind: "tool", callId },
    content: []
  }))

describe("an answer", () => {
  it.effect(
    "comes back from the log as it was, and is sent as effect/ai would send it",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          responses,
          (parts) =>
            Effect.sync(() => {
              const data = logged(eventOf(parts))
              const [about, content] = [parts.filter(isAbout), parts.filter((part) => !isAbout(part))]
              assert.deepStrictEqual(encode(Result.getOrThrow(ModelAnswer.parts(data))), encode([...content, ...about]))
              const { message } = data
              const { content: sent } = Result.getOrThrow(MessagePrompt.make([message, ...results(message)]))
              assert.deepStrictEqual(
                encodePrompt(Prompt.fromMessages(sent.filter(({ role }) => role === "assistant"))),
                encodePrompt(Prompt.fromResponseParts(content))
              )
              assert.deepStrictEqual(
                Message.calls(message).map(({ id }) => id),
                parts.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part.id] : []))
              )
              const finish = parts.find((part) => part.type === "finish")
              assert.strictEqual(ModelAnswer.finishReason(data), finish?.reason)
              tally.count(
                ...parts.map(({ type }) => type),
                ...(parts.some((part) => part.type === "tool-result" && part.modelOutput) ? ["model output"] : []),
                ...(parts.some(({ metadata }) => Object.keys(metadata).length > 0) ? ["metadata"] : [])
              )
            }),
          { runs: runs(200, 20_000), seed: 7 }
        )
        tally.assertShares("answers", {
          text: 10,
          reasoning: 10,
          file: 10,
          "tool-call": 10,
          "tool-result": 10,
          source: 20,
          "tool-approval-request": 10,
          "response-metadata": 10,
          finish: 10,
          metadata: 25,
          "model output": 3
        })
      }),
    patience
  )

  it("keeps the arguments of a call as text, and leaves the headers of HTTP out", () => {
    const parts = decode([
      { type: "tool-call", id: "1", name: "read", params: { path: "a" } },
      {
        type: "finish",
        reason: "tool-calls",
        usage: { inputTokens: { total: 3 }, outputTokens: {} },
        response: { status: 200, headers: { "set-cookie": "secret" } }
      }
    ])
    assert.deepStrictEqual(eventOf(parts).data, {
      turn: 1,
      step: 2,
      message: {
        role: "assistant",
        id: "answer:7",
        content: [{ type: "tool-call", id: "1", name: "read", arguments: '{"path":"a"}' }],
        source: { kind: "model", provider: "p", model: "m" }
      },
      about: [{ type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 3 }, outputTokens: {} } }]
    })
  })

  it("has the results of a provider's tools as they were encoded", () => {
    const result = { result: new Date(0), encodedResult: "1970", isFailure: false } as const
    const part = Response.makePart("tool-result", {
      ...result,
      id: "1",
      name: "now",
      providerExecuted: true,
      preliminary: false
    })
    assert.deepInclude(eventOf([part]).data.message.content[0], { type: "tool-result", result: "1970" })
  })

  it("that is no JSON is refused by the log, and not made JSON", () => {
    for (const [member, value] of Object.entries({ metadata: { p: { q: -0 } }, result: new Date(0) })) {
      const [part] = decode([
        { type: "tool-result", id: "1", name: "read", isFailure: false, result: 1, providerExecuted: true }
      ])
      const given = { ...part!, [member]: value, ...(member === "result" ? { encodedResult: value } : undefined) }
      const refused = Event.fromUnknown({ ...eventOf([given as Response.AnyPart]), seq: 0 })
      assert.isTrue(Result.isFailure(refused), member)
    }
    const [call] = decode([{ type: "tool-call", id: "1", name: "read", params: undefined }])
    assert.isTrue(Result.isFailure(Event.fromUnknown({ ...eventOf([call!]), seq: 0 })))
  })

  it("is cut off where it says that it ended early, and not where it says nothing", () => {
    const cutOff = (reason: Response.FinishReason | undefined) =>
      ModelAnswer.cutOff(
        eventOf(
          decode(reason === undefined ? [] : [{ type: "finish", reason, usage: { inputTokens: {}, outputTokens: {} } }])
        ).data
      )
    for (const reason of ["length", "content-filter", "error", "other", "unknown"] as const) {
      assert.strictEqual(cutOff(reason), reason)
    }
    for (const reason of ["stop", "tool-calls", "pause", undefined] as const) assert.isUndefined(cutOff(reason))
  })

  it("of another program that effect/ai cannot read is an error that says where", () => {
    const message = (...content: ReadonlyArray<Message.Block>): Message.Assistant => ({
      ...eventOf([]).data.message,
      content
    })
    const image = { type: "image", url: "x" }
    const signed = { type: "reasoning", text: "", signature: "s" }
    const unread = { type: "tool-call", id: "1", name: "x", arguments: 7 }
    for (const block of [image, signed, unread]) {
      const error = Result.getOrThrow(Result.flip(ModelAnswer.content(message({ type: "text", text: "" }, block))))
      assert.deepInclude(error, { _tag: "UnsendableMessage", role: "assistant", messageId: "answer:7", block: 1 })
      assert.include(error.message, `type "${block.type}"`)
    }
    const data = { ...eventOf([]).data, about: [{ type: "finish" }] }
    assert.isTrue(Result.isFailure(ModelAnswer.parts(data)))
    // A model may write what is no JSON. It is sent as it wrote it.
    const call = { type: "tool-call", id: "1", name: "x", arguments: '{"a":' }
    const [part] = Result.getOrThrow(ModelAnswer.content(message(call)))
    assert.deepInclude(part, { type: "tool-call", params: '{"a":' })
  })
})
