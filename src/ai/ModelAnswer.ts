/**
 * What a model answered, as it stands in the log of a session, and back.
 *
 * Each part of a response becomes a block of the message, in its order and as `effect/ai` encodes it, but for tool calls,
 * whose arguments the log keeps as the text that they are. What a response says of itself (which one it is, why it
 * ended, what it cost) is no message, and stands beside it in the event. Provider metadata stays where it is.
 *
 * @since 0.1.0
 */
import * as Response from "effect/ai/Response"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as AgentStep from "../session/AgentStep.ts"
import type * as Event from "../session/Event.ts"
import * as Message from "../session/Message.ts"
import { UnsendableMessage } from "./MessageError.ts"
import * as json from "./internal/jsonText.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A part of a response whose tools are not known.
 *
 * @since 0.1.0
 * @category models
 */
export type Part = ReturnType<typeof Response.Part>["Type"]

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** What a response says of itself. */
const isAbout = ({ type }: Response.AnyPart): boolean => type === "response-metadata" || type === "finish"

const encodePart = Schema.encodeUnknownSync(Response.Part())

/** Members without a value are no JSON; without metadata there is nothing to keep. */
const compact = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(compact)
  // Anything else is for the log to refuse.
  if (typeof value !== "object" || value === null || !isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [[key, compact(member)]]))
  )
}

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value))

const isEmpty = (value: unknown): boolean => value !== undefined && Object.keys(Object(value)).length === 0

const toBlock = (part: Response.AnyPart): Message.Block => {
  const given = part.type === "tool-result" ? { ...part, result: part.encodedResult } : part
  const { metadata, type, ...members } = encodePart(given)
  const kept = isEmpty(metadata) ? undefined : { metadata }
  if (part.type === "tool-call") {
    const { id, name, params, providerExecuted } = part
    const byProvider = providerExecuted ? { providerExecuted } : undefined
    return { type, id, name, arguments: json.toText(params), ...byProvider, ...kept }
  }
  return Object.assign({ type }, compact({ ...members, ...kept }))
}

/**
 * The event of an answer. Headers of the HTTP response are not logged: they are for whoever runs the agent, not for whoever
 * reads its sessions.
 *
 * Parts that no `LanguageModel` gives in a response, such as those of a stream, are a defect.
 *
 * @since 0.1.0
 * @category constructors
 */
export const toDraft = (
  content: ReadonlyArray<Response.AnyPart>,
  step: Pick<AgentStep.AgentStep, "turn" | "step" | "request">,
  time: number
): Event.Draft<"assistant/message"> => {
  const { provider, model } = step.request.header.config
  const about = content
    .filter(isAbout)
    .map((part) => toBlock(part.type === "finish" ? { ...part, response: undefined } : part))
  return {
    type: "assistant/message",
    time,
    data: {
      turn: step.turn,
      step: step.step,
      message: {
        role: "assistant",
        id: `answer:${step.request.seq}`,
        content: content.filter((part) => !isAbout(part)).map(toBlock),
        source: { kind: "model", provider, model }
      },
      ...(about.length === 0 ? undefined : { about })
    },
    surfaceOp: "append"
  }
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const decodePart = Schema.decodeUnknownResult(Response.Part(), { onExcessProperty: "error" })

const withParams = ({ arguments: text, ...others }: Message.ToolCall) => ({
  ...others,
  params: json.fromText(text)
})

const fromBlock = (block: Message.Block): Result.Result<Part, string> =>
  Result.mapError(
    decodePart(Message.isToolCall(block) ? withParams(block) : block),
    ({ message }) => `effect/ai has no part like this block of type "${block.type}".\n${message}\n`
  )

/**
 * The parts of an answer that are content, in their order.
 *
 * @since 0.1.0
 * @category destructors
 */
export const content = ({
  content,
  id,
  role
}: Message.Assistant): Result.Result<ReadonlyArray<Part>, UnsendableMessage> =>
  Result.all(
    content.map((block, i) =>
      Result.mapError(fromBlock(block), (reason) => new UnsendableMessage({ role, messageId: id, block: i, reason }))
    )
  )

const About = Schema.Struct({ about: Schema.optionalKey(Schema.Array(Schema.Json)) })
const decodeAbout = Schema.decodeUnknownResult(About)

/**
 * All parts of an answer: its content, then what the response says of itself.
 *
 * @since 0.1.0
 * @category destructors
 */
export const parts = (data: Event.Data<"assistant/message">): Result.Result<ReadonlyArray<Part>, UnsendableMessage> =>
  Result.gen(function* () {
    const { message } = data
    const unsendable = (reason: string) => new UnsendableMessage({ role: message.role, messageId: message.id, reason })
    const { about = [] } = yield* Result.mapError(decodeAbout(data), ({ message }) => unsendable(message))
    const parts = yield* Result.mapError(Result.all(about.map((part) => decodePart(part))), ({ message }) =>
      unsendable(message)
    )
    return [...(yield* content(message)), ...parts]
  })

const isFinish = Schema.is(Schema.Struct({ type: Schema.Literal("finish"), reason: Response.FinishReason }))

/**
 * Why a response ended, if it said so.
 *
 * @since 0.1.0
 * @category destructors
 */
export const finishReason = (data: Event.Data<"assistant/message">): Response.FinishReason | undefined => {
  const about: unknown = data["about"]
  return Array.isArray(about) ? about.find(isFinish)?.reason : undefined
}

const whole: ReadonlyArray<Response.FinishReason> = ["stop", "tool-calls", "pause"]

/**
 * Why a response is not all that the model had to say, if it said so: then its calls may not be what the model meant.
 *
 * @since 0.1.0
 * @category destructors
 */
export const cutOff = (data: Event.Data<"assistant/message">): Response.FinishReason | undefined => {
  const reason = finishReason(data)
  return reason === undefined || whole.includes(reason) ? undefined : reason
}
