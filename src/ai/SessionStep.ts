/**
 * One step of a session with a language model: the request is sent, the answer is logged, and the calls of its tools are
 * run and logged.
 *
 * `AgentStep.run(session, { route, said }, SessionStep.answer)` is a step. The model is sent the messages of the request and
 * the tools of its assembly, and nothing else; so it must be a model as it is, and not a `PromptedModel`, which adds a prompt
 * of its own.
 *
 * @since 0.1.0
 */
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Concurrency } from "effect/Types"
import type * as AgentStep from "../session/AgentStep.ts"
import * as Event from "../session/Event.ts"
import type * as Message from "../session/Message.ts"
import * as OpenCalls from "../session/OpenCalls.ts"
import type { StepEnded } from "../session/SessionError.ts"
import type { AppendError } from "../session/store/SessionStore.ts"
import * as Surface from "../session/Surface.ts"
import { ToolRegistry } from "../ToolRegistry.ts"
import { PromptedTwice, UnsendableMessage } from "./MessageError.ts"
import * as MessagePrompt from "./MessagePrompt.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import * as ModelToolkit from "./ModelToolkit.ts"
import * as ToolAnswer from "./ToolAnswer.ts"
import type { ToolkitError } from "./ToolkitError.ts"
import * as json from "./internal/jsonText.ts"
import { isPrompted } from "./internal/prompted.ts"
import * as toolResult from "./internal/toolResult.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * How an answer is got.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends ModelToolkit.Options {
  /**
   * How many calls of one answer run at a time. By default one after the other, in the order of the model, so that each
   * sees what the one before it did.
   */
  readonly concurrency?: Concurrency | undefined
}

/**
 * What a model answered: its parts, without the results of tools, which are in the log.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer = LanguageModel.GenerateTextResponse<ModelToolkit.ModelTools, "deferred">

/**
 * Why there is no answer. After an `AiError` the step is as it was, and `step.retry` gives the request again.
 *
 * @since 0.1.0
 * @category errors
 */
export type AnswerError = AiError.AiError | PromptedTwice | UnsendableMessage | ToolkitError | AppendError | StepEnded

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Asks the model and logs what comes of it: the answer with its calls at once, then each result as it is there. A call of a
 * tool that was not shown, and one that fails, is answered with an error, as `ToolAnswer` says. Calls of an answer that was
 * cut off are not run, and answered so.
 *
 * If the fibre is interrupted, the calls that have no result get one that says so: no call stays without a result, which
 * models refuse. If the process ends, the next step does that. If another step begins meanwhile, that has answered them, and
 * this fails with `StepEnded`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const answer: (
  step: AgentStep.AgentStep,
  options?: Options
) => Effect.Effect<Answer, AnswerError, LanguageModel.LanguageModel | ToolRegistry> = Effect.fnUntraced(
  function* (step, options) {
    const model = yield* LanguageModel.LanguageModel
    if (isPrompted(model)) return yield* new PromptedTwice()
    const toolkit = yield* ModelToolkit.make(step.assembly, options)
    const prompt = yield* Effect.fromResult(promptOf(step))
    const ask = model.generateText({
      prompt,
      toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.tap(restore(ask), ({ content }) =>
        Effect.flatMap(log(step, content), (calls) => runAll(step, calls, options, restore))
      )
    )
  }
)

/** A message that cannot be sent is named by its event, too, unless several have its id. */
const promptOf = ({ log, request }: AgentStep.AgentStep) =>
  Result.mapError(MessagePrompt.make(request.messages), (error) => {
    const isMeant = ({ id, role }: Message.Message) => id === error.messageId && role === error.role
    const [event, ...others] = Surface.events(log.surface).filter((event) => isMeant(Event.message(event)))
    if (event === undefined || others.length > 0) return error
    const { block, messageId, reason, role } = error
    return new UnsendableMessage({
      role,
      messageId,
      seq: event.seq,
      reason,
      ...(block === undefined ? undefined : { block })
    })
  })

/** Logs the answer with its calls, and gives those that are to be run. */
const log = Effect.fnUntraced(function* (step: AgentStep.AgentStep, content: ReadonlyArray<Response.AnyPart>) {
  const time = yield* Clock.currentTimeMillis
  const answer = ModelAnswer.toDraft(content, step, time)
  const calls = OpenCalls.of(answer.data)
  const cutOff = ModelAnswer.cutOff(answer.data)
  const results =
    cutOff === undefined ? [] : calls.map((call) => toolResult.draft(call, toolResult.notRun(cutOff), time))
  const { length } = yield* step.commit([answer, ...calls.map((call) => toolResult.callDraft(call, time)), ...results])
  return cutOff === undefined ? calls.map((call, i) => ({ ...call, seq: length - calls.length + i })) : []
})

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Runs the calls, and logs what each gives. */
const runAll = Effect.fnUntraced(function* (
  step: AgentStep.AgentStep,
  calls: ReadonlyArray<toolResult.LoggedCall>,
  options: Options | undefined,
  restore: Restore
) {
  const registry = yield* ToolRegistry
  const waiting = new Set(calls)
  const commit = (calls: ReadonlyArray<toolResult.LoggedCall>, outcome: toolResult.Outcome) =>
    Effect.flatMap(Clock.currentTimeMillis, (time) =>
      Effect.map(step.commit(calls.map((call) => toolResult.draft(call, outcome, time))), () =>
        calls.forEach((call) => waiting.delete(call))
      )
    )
  const runOne = (call: toolResult.LoggedCall) =>
    // What a tool gave is logged, also if nobody waits for it any more.
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(run(registry, step, call, options)), (outcome) => commit([call], outcome))
    )
  yield* restore(Effect.forEach(calls, runOne, { concurrency: options?.concurrency, discard: true })).pipe(
    Effect.onExit(() => (waiting.size === 0 ? Effect.void : commit([...waiting], toolResult.stopped)))
  )
})

/** A name that was not shown is answered as any other failure. */
const run = (
  registry: ToolRegistry["Service"],
  { assembly }: AgentStep.AgentStep,
  { arguments: text, name }: toolResult.LoggedCall,
  { onFailure = ModelToolkit.logWithheld }: Options = {}
): Effect.Effect<toolResult.Outcome> =>
  Effect.matchEffect(registry.call(assembly, name, json.fromText(text)), {
    onSuccess: (result) => Effect.succeed({ result, isFailure: false }),
    onFailure: (error) => Effect.as(onFailure(error), { result: ToolAnswer.text(error), isFailure: true })
  })
