/** A language model that answers from a script and writes down what it is sent. */
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Prompt, type Response, Tool } from "effect/ai"

/** One response, in the parts of `generateText`; streamed, text comes as start, delta and end. */
export type Script = ReadonlyArray<Response.PartEncoded>

export const text = (text: string): Response.PartEncoded => ({ type: "text", text })

export const call = (id: string, name: string, params: unknown = {}): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})

const usage = {
  inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

export const finish = (reason: Response.FinishReason): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage,
  response: undefined
})

const over: Script = [text("done"), finish("stop")]

const streamed = (part: Response.PartEncoded, at: number): ReadonlyArray<Response.StreamPartEncoded> => {
  const id = `text-${at}`
  if (part.type === "text") {
    return [
      { type: "text-start", id },
      { type: "text-delta", id, delta: part.text },
      { type: "text-end", id }
    ]
  }
  return part.type === "reasoning" ? [] : [part]
}

export interface Scripted {
  readonly layer: Layer.Layer<LanguageModel.LanguageModel>
  readonly seen: ReadonlyArray<LanguageModel.ProviderOptions>
}

/** Answers each request with the next response; after the last one with a text. Each part of a stream is a chunk. */
export const scripted = (...script: ReadonlyArray<Script>): Scripted => {
  const seen: Array<LanguageModel.ProviderOptions> = []
  const next = (options: LanguageModel.ProviderOptions): Script => {
    seen.push(options)
    return script[seen.length - 1] ?? over
  }
  return {
    seen,
    layer: Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: (options) => Effect.sync(() => [...next(options)]),
        streamText: (options) =>
          Stream.unwrap(Effect.sync(() => Stream.fromIterable(next(options).flatMap(streamed)).pipe(Stream.rechunk(1))))
      })
    )
  }
}

const encodePrompt = Schema.encodeSync(Prompt.Prompt)

/** All that a request says, as the bytes of JSON. */
export const bytes = ({ prompt, toolChoice, tools }: LanguageModel.ProviderOptions): string =>
  JSON.stringify({ tools: tools.map(described), toolChoice, prompt: encodePrompt(prompt) })

export const described = (tool: Tool.Any) => ({
  name: tool.name,
  description: Tool.getDescription(tool),
  parameters: Tool.getJsonSchema(tool)
})

/** The messages of a prompt, each as its role and all that it says. */
export const said = (prompt: Prompt.Prompt): ReadonlyArray<ReadonlyArray<unknown>> =>
  prompt.content.map((message) => [
    message.role,
    ...(typeof message.content === "string" ? [message.content] : message.content.map(saidPart))
  ])

const saidPart = (part: Prompt.Part): unknown => {
  switch (part.type) {
    case "text":
      return part.text
    case "tool-call":
      return { call: part.id, name: part.name, params: part.params }
    case "tool-result":
      return { result: part.id, name: part.name, isFailure: part.isFailure, says: part.result }
    default:
      return part.type
  }
}

/** The results of calls, each with the id and the name of its call. */
export const results = (response: {
  readonly toolResults: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly result: unknown
    readonly isFailure: boolean
  }>
}): ReadonlyArray<readonly [id: string, name: string, isFailure: boolean, result: unknown]> =>
  response.toolResults.map(({ id, isFailure, name, result }) => [id, name, isFailure, result])
