/**
 * A rendered prompt and a history, as what a language model is sent.
 *
 * @since 0.1.0
 */
import * as Prompt from "effect/ai/Prompt"
import { dual } from "effect/Function"
import type { Rendered } from "../Rendered.ts"

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The system prompt as the first message, the history as it is, and the context snapshot as a user message after it. What
 * is empty has no message.
 *
 * The history keeps its messages, the same objects, also system messages of its own. It does not get the snapshot: the next
 * step has a new one, at its own end.
 *
 * **Provider's cache**: what changes from step to step stands behind all that does not. The message of the system prompt is
 * the same object as long as its text is, so that `ResponseIdTracker` knows it again.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: {
  (history: Prompt.RawInput): (self: Rendered) => Prompt.Prompt
  (self: Rendered, history: Prompt.RawInput): Prompt.Prompt
} = dual(2, (self: Rendered, history: Prompt.RawInput): Prompt.Prompt =>
  Prompt.fromMessages([
    ...(self.text === "" ? [] : [systemMessage(self)]),
    ...Prompt.make(history).content,
    ...(self.snapshot === "" ? [] : [snapshotMessage(self)])
  ])
)

/** By the parts, which are the same list as long as none of them changes. */
const systemMessages = new WeakMap<Rendered["sections"], Prompt.SystemMessage>()

const systemMessage = ({ sections, text }: Rendered): Prompt.SystemMessage => {
  let message = systemMessages.get(sections)
  // An edited copy may say something else than its parts say.
  if (message?.content !== text) systemMessages.set(sections, (message = Prompt.systemMessage({ content: text })))
  return message
}

const snapshotMessage = ({ snapshot }: Rendered): Prompt.UserMessage =>
  Prompt.userMessage({ content: [Prompt.makePart("text", { text: snapshot })] })
