import { Console, Effect, Layer, Ref, Stream } from "effect"
import { LanguageModel, type Prompt, type Response } from "effect/ai"

/** A model that prints what it is sent and answers from a script. In its place goes the layer of a provider. */
export const scripted = (script: ReadonlyArray<Response.PartEncoded>, print = Console.log) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const step = yield* Ref.make(0)
      return yield* LanguageModel.make({
        generateText: Effect.fnUntraced(function* ({ prompt, tools }) {
          const at = yield* Ref.getAndUpdate(step, (at) => at + 1)
          yield* print(`--- step ${at + 1}, tools: ${tools.map((tool) => tool.name).join(", ")}`)
          for (const message of prompt.content) yield* print(`${message.role}: ${textOf(message)}`)
          return script.slice(at, at + 1)
        }),
        streamText: () => Stream.die("the script is not streamed")
      })
    })
  )

const textOf = ({ content }: Prompt.Message): string =>
  typeof content === "string" ? content : content.map(textOfPart).join(", ")

const textOfPart = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
      return part.text
    case "tool-call":
      return `${part.name} ${JSON.stringify(part.params)}`
    case "tool-result":
      return `${part.isFailure ? "failed: " : ""}${JSON.stringify(part.result)}`
    default:
      return part.type
  }
}

export const say = (text: string): Response.PartEncoded => ({ type: "text", text })

export const call = (id: string, name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params
})
