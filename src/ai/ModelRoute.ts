/**
 * The route of a request, from the language model that will get it.
 *
 * @since 0.1.0
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Model from "effect/ai/Model"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as AgentStep from "../session/AgentStep.ts"
import { UnnamedModel } from "./MessageError.ts"

/**
 * The provider and the model are those of `Model.make`, unless `config` says otherwise; whatever else is in `config` is
 * logged with them. The prompt is updated in the history if the model says that it reads system messages there. No model of
 * `effect/ai` can be told of tools within its history, so other tools begin a new series of requests.
 *
 * What the model does not say can be added: `{ ...route, contextWindow: 200_000 }`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: (
  config?: Readonly<Record<string, unknown>> & { readonly provider?: string; readonly model?: string }
) => Effect.Effect<AgentStep.Route, UnnamedModel, LanguageModel.LanguageModel> = Effect.fnUntraced(function* (
  config = {}
) {
  const language = yield* LanguageModel.LanguageModel
  const provider = config.provider ?? Option.getOrUndefined(yield* Effect.serviceOption(Model.ProviderName))
  const model = config.model ?? Option.getOrUndefined(yield* Effect.serviceOption(Model.ModelName))
  if (provider === undefined || model === undefined) {
    const missing = { provider: provider === undefined, model: model === undefined }
    return yield* new UnnamedModel({ missing: (["provider", "model"] as const).filter((part) => missing[part]) })
  }
  const inHistory = yield* language.supportsSystemMessagesInHistory ?? Effect.succeed(false)
  return {
    config: { ...config, provider, model },
    ...(inHistory ? { systemPromptUpdate: "in-history" as const } : undefined)
  }
})
