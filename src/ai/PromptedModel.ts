/**
 * A language model that is given its system prompt, its tools and its context snapshot, anew
 * at each step, for the ambient prompt scope.
 *
 * Code that asks a model stays as it is: `Chat.generateText({ prompt: [] })` is a step.
 *
 * @since 0.1.0
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { SystemPrompt } from "../SystemPrompt.ts"
import { ToolRegistry } from "../ToolRegistry.ts"
import { type AnyTool, type AnyToolkit, beside } from "./internal/callersToolkit.ts"
import * as exchange from "./internal/exchange.ts"
import { asPrompted } from "./internal/prompted.ts"
import * as ModelPrompt from "./ModelPrompt.ts"
import * as ModelStep from "./ModelStep.ts"
import type * as ModelToolkit from "./ModelToolkit.ts"

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * The reason of an `AiError` when there is no step: the model was not asked. A `LanguageModel` fails with `AiError` and
 * nothing else, so what went wrong is in `error`; `stepError` finds it. As an `InvalidRequestError`, which it is to code that
 * knows nothing of prompts, it is not retried.
 *
 * @since 0.1.0
 * @category errors
 */
export class StepFailed extends AiError.InvalidRequestError {
  /** What went wrong, as `SystemPrompt` and `ModelToolkit` fail. It is not part of the encoded form, its message is. */
  readonly error: ModelStep.ModelStepError

  constructor(error: ModelStep.ModelStepError) {
    super({ description: error.message })
    this.error = error
  }
}

/**
 * Why there is no step, if that is what an error says.
 *
 * @since 0.1.0
 * @category errors
 */
export const stepError = (error: unknown): Option.Option<ModelStep.ModelStepError> =>
  AiError.isAiError(error) && error.reason instanceof StepFailed ? Option.some(error.reason.error) : Option.none()

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

type Method = "generateText" | "generateObject" | "streamText"

type GivenObject = Parameters<LanguageModel.LanguageModel["generateObject"]>[0]

/** What a call is given. The services that its toolkit needs are in its context, as its type requires. */
interface Given extends Omit<LanguageModel.GenerateTextOptions<Record<string, AnyTool>>, "toolkit"> {
  readonly toolkit?: AnyToolkit | Effect.Effect<AnyToolkit> | undefined
}

/**
 * A model that is like the given one, and:
 *
 * - sends the system prompt before the prompt of the call and the context snapshot after it, both rendered for this call.
 *   Neither of them is in the response, nor in the history of a `Chat`;
 * - offers the tools of the assembly, and runs their calls by the `ToolRegistry`. Those of the call's own toolkit come
 *   after them, and stay as they are; a name that both have fails with `ToolNameClash`;
 * - answers a call of a tool that was not offered, where other models fail and lose the response. The answer is that of
 *   `ToolNotFound`, whether there is such a tool elsewhere or not.
 *
 * `generateObject` is given the prompt and the snapshot, and no tools.
 *
 * With `disableToolCallResolution`, calls are left to the caller, as they are.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  model: LanguageModel.LanguageModel,
  options?: ModelToolkit.Options
) => Effect.Effect<LanguageModel.LanguageModel, never, SystemPrompt | ToolRegistry> = Effect.fnUntraced(
  function* (model, options) {
    const prompt = yield* SystemPrompt
    const services = Context.make(SystemPrompt, prompt).pipe(Context.add(ToolRegistry, yield* ToolRegistry))
    const step = Effect.provideContext(ModelStep.make(options), services)

    const start = Effect.fnUntraced(function* (method: Method, given: Given) {
      const callers = yield* toolkitOf(given)
      const now = yield* Effect.mapError(step, failedIn(method))
      const toolkit = yield* Effect.mapError(Effect.fromResult(beside(now, callers)), failedIn(method))
      const resolves = given.disableToolCallResolution !== true
      return yield* exchange.make(model, { rendered: now.rendered, toolkit, options, resolves })
    })

    const generateText = Effect.fnUntraced(function* (given: Given) {
      const { resolver, restore, toolkit } = yield* start("generateText", given)
      const response = yield* exchange.besideTheModel(resolver.generateText({ ...given, toolkit }))
      return new LanguageModel.GenerateTextResponse(response.content.map(restore))
    })

    const streamText = (given: Given) =>
      Stream.unwrap(
        Effect.map(start("streamText", given), ({ resolver, restore, toolkit }) =>
          resolver.streamText({ ...given, toolkit }).pipe(Stream.map(restore), exchange.streamBesideTheModel)
        )
      )

    const generateObject = Effect.fnUntraced(function* (given: GivenObject) {
      const rendered = yield* Effect.mapError(prompt.render, failedIn("generateObject"))
      return yield* model.generateObject({ ...given, prompt: ModelPrompt.make(rendered, given.prompt) })
    })

    return asPrompted({
      [LanguageModel.TypeId]: LanguageModel.TypeId,
      supportsSystemMessagesInHistory: model.supportsSystemMessagesInHistory,
      generateText: typed<"generateText">(generateText),
      streamText: typed<"streamText">(streamText),
      generateObject: typed<"generateObject">(generateObject)
    })
  }
)

/** The types of a method follow from the options of each call, of which nothing is known where it is written. */
const typed = <M extends Method>(method: unknown) => method as LanguageModel.LanguageModel[M]

const failedIn =
  (method: Method) =>
  (error: ModelStep.ModelStepError): AiError.AiError =>
    AiError.make({ module: "PromptedModel", method, reason: new StepFailed(error) })

const toolkitOf = ({ toolkit }: Given): Effect.Effect<AnyToolkit | undefined> =>
  Effect.isEffect(toolkit) ? toolkit : Effect.succeed(toolkit)

// -----------------------------------------------------------------------------
// layers
// -----------------------------------------------------------------------------

/**
 * Puts `make` around the `LanguageModel` that it is provided with:
 *
 * `PromptedModel.layer().pipe(Layer.provide([model, tools, prompt]))`
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options?: ModelToolkit.Options
): Layer.Layer<LanguageModel.LanguageModel, never, LanguageModel.LanguageModel | SystemPrompt | ToolRegistry> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.flatMap(LanguageModel.LanguageModel, (model) => make(model, options))
  )
