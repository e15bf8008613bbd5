/**
 * The messages of a request, as `effect/ai` sends them.
 *
 * What is sent follows from the messages alone, so that requests that begin with the same messages begin with the same
 * bytes. A message that was sent before is sent as the same object, by which `ResponseIdTracker` knows it.
 *
 * - system: a system message, wherever it stands. Only a route that reads it there has one behind the first.
 * - user: a user message. Its blocks are the parts of `effect/ai`, encoded: text and files.
 * - developer: `effect/ai` has no such role, so a user message says in words which tools came and went. The list of tools that
 *   goes with the request does not: a model that has called a tool before would go on to call it.
 * - assistant: what `ModelAnswer` makes of it, without sources, which are for those who read the answer.
 * - tool: a tool message for each result. A result that is one text is that text, or the JSON that it stands for; one of
 *   several blocks, or with a file, is sent as these blocks.
 *
 * @since 0.1.0
 */
import * as Prompt from "effect/ai/Prompt"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Message from "../session/Message.ts"
import { UnsendableMessage } from "./MessageError.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as json from "./internal/jsonText.ts"

type Sent<A> = Result.Result<A, UnsendableMessage>

const unsendable = ({ id, role }: Message.Message, reason: string, block?: number): UnsendableMessage =>
  new UnsendableMessage({ role, messageId: id, reason, ...(block === undefined ? undefined : { block }) })

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The prompt of these messages, in their order. Fails with the first that cannot be sent as it is: nothing is left out.
 * Models refuse a history in which a call has no result, or a result no call or one that was answered before, and so does
 * this.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (messages: ReadonlyArray<Message.Message>): Sent<Prompt.Prompt> =>
  Result.gen(function* () {
    const sent: Array<Prompt.Message> = []
    const pairing = new Pairing()
    for (const message of messages) {
      const called = yield* pairing.next(message)
      sent.push(...(yield* remembered(message, called)))
    }
    yield* pairing.close()
    return Prompt.fromMessages(sent)
  })

/**
 * Everything for which these messages cannot be sent, in their order: what `make` fails with comes first.
 *
 * @since 0.1.0
 * @category destructors
 */
export const problems = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<UnsendableMessage> => {
  const found: Array<UnsendableMessage> = []
  const pairing = new Pairing()
  const note = <A>(result: Sent<A>): A | undefined => {
    if (Result.isSuccess(result)) return result.success
    found.push(result.failure)
    return undefined
  }
  for (const message of messages) {
    if (message.role !== "tool") pairing.drop().forEach((error) => found.push(error))
    const called = note(pairing.next(message))
    if (called !== undefined) note(remembered(message, called))
  }
  return [...found, ...pairing.drop()]
}

/** Which calls wait for a result, and what the tool of each was. */
class Pairing {
  readonly #names = new Map<string, string>()
  /** How many results each may still have: some models make several calls of one id in one answer. */
  readonly #left = new Map<string, number>()
  /** Those that have one and may have more, until another message comes. */
  readonly #answered = new Set<string>()
  readonly #open = new Map<string, Message.Assistant>()

  /** The name of the tool, if the message is a result. */
  next(message: Message.Message): Sent<string> {
    if (message.role === "tool") return this.#answer(message)
    return Result.map(this.close(), () => {
      if (message.role === "assistant") this.#ask(message)
      return ""
    })
  }

  #ask(message: Message.Assistant): void {
    for (const { id, name } of Message.calls(message)) {
      this.#names.set(id, name)
      this.#left.set(id, (this.#open.has(id) ? (this.#left.get(id) ?? 0) : 0) + 1)
      this.#open.set(id, message)
    }
  }

  #answer(message: Message.Tool): Sent<string> {
    const { toolCallId: id } = message
    const name = this.#names.get(id)
    if (name === undefined) return Result.fail(unsendable(message, `no message before it calls "${id}".`))
    const left = this.#left.get(id) ?? 0
    if (left === 0) return Result.fail(unsendable(message, `a message before it answers the call "${id}".`))
    this.#left.set(id, left - 1)
    this.#answered.add(id)
    this.#open.delete(id)
    return Result.succeed(name)
  }

  close(): Sent<void> {
    const [first] = this.drop()
    return first === undefined ? Result.void : Result.fail(first)
  }

  /** Waits no longer, and tells of what was waited for. */
  drop(): ReadonlyArray<UnsendableMessage> {
    const errors = Array.from(this.#open, ([callId, message]) =>
      unsendable(message, `its call "${callId}" has no result behind it.`)
    )
    // A call that has none is told of here; a result that comes too late for it is not told of as well.
    for (const id of this.#answered) this.#left.delete(id)
    this.#answered.clear()
    this.#open.clear()
    return errors
  }
}

const made = new WeakMap<Message.Message, { readonly called: string; readonly sent: ReadonlyArray<Prompt.Message> }>()

const remembered = (message: Message.Message, called: string): Sent<ReadonlyArray<Prompt.Message>> => {
  const held = made.get(message)
  if (held?.called === called) return Result.succeed(held.sent)
  return Result.map(convert(message, called), (sent) => {
    made.set(message, { called, sent })
    return sent
  })
}

const convert = (message: Message.Message, called: string): Sent<ReadonlyArray<Prompt.Message>> => {
  switch (message.role) {
    case "system":
      return Result.map(texts(message, message.content), (texts) => [
        Prompt.systemMessage({ content: texts.join("\n\n") })
      ])
    case "developer":
      return Result.map(texts(message, message.content), (texts) => [userMessage(texts.join("\n\n"))])
    case "user":
      return Result.map(partsOf(message), (content) => [Prompt.userMessage({ content })])
    case "assistant":
      return Result.map(ModelAnswer.content(message), (parts) => Prompt.fromResponseParts(parts).content)
    case "tool":
      return Result.map(resultOf(message), (result) => [
        Prompt.toolMessage({
          content: [
            Prompt.makePart("tool-result", {
              id: message.toolCallId,
              name: called,
              isFailure: message.isError === true,
              providerExecuted: false,
              ...result
            })
          ]
        })
      ])
  }
}

const userMessage = (text: string): Prompt.UserMessage =>
  Prompt.userMessage({ content: [Prompt.makePart("text", { text })] })

// -----------------------------------------------------------------------------
// blocks
// -----------------------------------------------------------------------------

const decodePart = Schema.decodeUnknownResult(Prompt.UserMessagePart, { onExcessProperty: "error" })

const partsOf = (message: Message.User | Message.Tool): Sent<ReadonlyArray<Prompt.UserMessagePart>> =>
  Result.all(
    message.content.map((block, i) =>
      Result.mapError(decodePart(block), (error) =>
        unsendable(message, `effect/ai has no part like this block of type "${block.type}".\n${error.message}\n`, i)
      )
    )
  )

/** What is said to a model in words. */
const texts = (
  message: Message.System | Message.Developer,
  content: Message.Developer["content"]
): Sent<ReadonlyArray<string>> =>
  Result.all(
    content.map((block, i) => {
      if (Message.isText(block)) return Result.succeed(block.text)
      if (Message.isToolAddition(block))
        return Result.succeed(`The tool "${block.toolName}" can be called from now on.`)
      if (Message.isToolRemoval(block)) return Result.succeed(`The tool "${block.toolName}" is gone. Do not call it.`)
      return Result.fail(
        unsendable(message, `a ${message.role} message is text, and this is a block of type "${block.type}".`, i)
      )
    })
  )

// -----------------------------------------------------------------------------
// results of tools
// -----------------------------------------------------------------------------

const JsonBlock = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, format: Schema.Literal("json") })
const isJsonBlock = Schema.is(JsonBlock)

/**
 * The content of a tool's result in the log: a string as it is, all else as the text of its JSON, marked as such.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toContent = (result: Schema.Json): ReadonlyArray<Message.Block> => {
  if (typeof result === "string") return [{ type: "text", text: result }]
  const block: typeof JsonBlock.Type = { type: "text", text: json.toText(result), format: "json" }
  return [block]
}

type Content = Pick<Prompt.ToolResultPart, "result" | "modelOutput">

const resultOf = (message: Message.Tool): Sent<Content> => {
  const [first, ...others] = message.content
  if (first === undefined) return Result.succeed({ result: "" })
  if (others.length === 0 && isJsonBlock(first)) return Result.succeed({ result: json.fromText(first.text) })
  return Result.map(partsOf(message), (parts): Content => {
    const [part] = parts
    return parts.length === 1 && part?.type === "text" && Object.keys(part.options).length === 0
      ? { result: part.text }
      : { result: Prompt.toolModelOutputToText(parts), modelOutput: parts }
  })
}
