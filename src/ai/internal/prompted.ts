/** The models that add a prompt of their own, so that a session, whose prompt is one of its messages, is not sent two. */
import type { LanguageModel } from "effect/ai/LanguageModel"

const prompted = new WeakSet<LanguageModel>()

export const isPrompted = (model: LanguageModel): boolean => prompted.has(model)

export const asPrompted = (model: LanguageModel): LanguageModel => {
  prompted.add(model)
  return model
}
