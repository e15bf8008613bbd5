/**
 * One request to a model and its response, in which calls of undeclared tools are answered.
 *
 * `LanguageModel` either resolves the calls of a response, and then one call of a tool that was not declared loses the whole
 * response, or it leaves all of them to its caller. So the model is asked in the second way, and what it gives becomes the
 * response of another `LanguageModel`, which resolves: approvals, unfinished responses, concurrency and streams are as
 * `effect/ai` has them. There the calls of undeclared tools are calls of one tool that no model is told of; afterwards they
 * have their own names again.
 */
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Response from "effect/ai/Response"
import { ResponseIdTracker } from "effect/ai/ResponseIdTracker"
import { CurrentSpanTransformer } from "effect/ai/Telemetry"
import * as Tool from "effect/ai/Tool"
import * as Channel from "effect/Channel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { notFound } from "../../internal/findTool.ts"
import type { Rendered } from "../../Rendered.ts"
import * as ModelPrompt from "../ModelPrompt.ts"
import * as ModelToolkit from "../ModelToolkit.ts"
import type { AnyToolkit } from "./callersToolkit.ts"

/** What the model is asked with. */
export interface Request {
  readonly rendered: Rendered
  readonly toolkit: AnyToolkit
  readonly options: ModelToolkit.Options | undefined
  /** Whether calls are resolved, and not left to the caller. */
  readonly resolves: boolean
}

/** Another model that asks this one and resolves, the toolkit to give it, and the way back for the parts of its response. */
export interface Exchange {
  readonly resolver: LanguageModel.LanguageModel
  readonly toolkit: AnyToolkit
  readonly restore: <P extends Response.AnyPart>(part: P) => P | Named
}

type Named = Response.ToolCallPart<string, unknown> | Response.ToolResultPart<string, unknown, unknown>

/** The names of undeclared tools, by the ids of their calls. */
type Names = Map<string, string>

export const make = Effect.fnUntraced(function* (model: LanguageModel.LanguageModel, request: Request) {
  const names: Names = new Map()
  const services = ofTheModel(yield* Effect.context<never>())
  const ask = ({ prompt, toolChoice }: LanguageModel.ProviderOptions) => ({
    prompt: ModelPrompt.make(request.rendered, prompt),
    toolkit: request.toolkit,
    toolChoice,
    disableToolCallResolution: true as const,
    toolCallValidation: "deferred" as const
  })
  const resolver = yield* LanguageModel.make({
    generateText: (options) =>
      model.generateText(ask(options)).pipe(
        Effect.flatMap(({ content }) => encodeContent(content.map((part) => disguise(part, request, names)))),
        Effect.provideContext(services)
      ),
    streamText: (options) =>
      model.streamText(ask(options)).pipe(
        Stream.mapArrayEffect((parts) => encodeStream(parts.map((part) => disguise(part, request, names)))),
        Stream.provideContext(services)
      )
  }).pipe(besideTheModel)
  const exchange: Exchange = {
    resolver,
    toolkit: withServices(request.resolves ? withUndeclared(request, names) : request.toolkit, services),
    restore: (part) => restore(part, names)
  }
  return exchange
})

// -----------------------------------------------------------------------------
// services
// -----------------------------------------------------------------------------

/** What is done once for each request is done by the model, and not again by the one that resolves. */
const ofTheModel = Context.pick(ResponseIdTracker, CurrentSpanTransformer)
const withoutThem = Context.omit(ResponseIdTracker, CurrentSpanTransformer)

export const besideTheModel = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateContext(effect, (context: Context.Context<never>) => withoutThem(context))

/** `Stream.updateContext` takes nothing away. */
export const streamBesideTheModel = <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.fromChannel(
    Channel.fromTransform((_, scope) =>
      Effect.map(besideTheModel(Channel.toPullScoped(Stream.toChannel(stream), scope)), besideTheModel)
    )
  )

/** Handlers may ask models, too. */
const withServices = ({ handle, tools }: AnyToolkit, services: Context.Context<never>): AnyToolkit => ({
  tools,
  handle: (...call) => Effect.provideContext(Effect.map(handle(...call), Stream.provideContext(services)), services)
})

// -----------------------------------------------------------------------------
// parts
// -----------------------------------------------------------------------------

// Made once: each chunk of a stream is encoded by itself, which takes a fraction of what making these takes.
const encodeParts = Schema.encodeUnknownEffect(Schema.mutable(Schema.Array(Response.Part())))
const encodeStreamParts = Schema.encodeUnknownEffect(Schema.NonEmptyArray(Response.StreamPart()))

// The model has decoded these parts by the same schemas.
const encodeContent = (parts: ReadonlyArray<unknown>) => Effect.orDie(encodeParts(parts))
const encodeStream = (parts: ReadonlyArray<unknown>) => Effect.orDie(encodeStreamParts(parts))

/** No model can be sent a tool of this name. */
const undeclared = "<undeclared>"

const disguise = (part: Response.AnyPart, { toolkit }: Request, names: Names): Response.AnyPart => {
  // With the tools unknown, the encoded result is encoded no further.
  if (part.type === "tool-result") return { ...part, result: part.encodedResult }
  if (part.type !== "tool-call" || part.providerExecuted) return part
  if (Object.hasOwn(toolkit.tools, part.name)) return part
  names.set(part.id, part.name)
  return { ...part, name: undeclared }
}

const restore = <P extends Response.AnyPart>(part: P, names: Names): P | Named => {
  const given: Response.AnyPart = part
  if (given.type !== "tool-call" && given.type !== "tool-result") return part
  const name = given.name === undeclared ? names.get(given.id) : undefined
  return name === undefined ? part : { ...given, name }
}

// -----------------------------------------------------------------------------
// tools
// -----------------------------------------------------------------------------

const undeclaredTool = Tool.dynamic(undeclared, {
  success: Schema.Json,
  failure: Schema.String,
  failureMode: "return"
})

const withUndeclared = ({ options, toolkit }: Request, names: Names): AnyToolkit => ({
  tools: { ...toolkit.tools, [undeclared]: undeclaredTool },
  handle: (name, params, id, ...rest) => {
    const called = name === undeclared && id !== undefined ? names.get(id) : undefined
    if (called === undefined) return toolkit.handle(name, params, id, ...rest)
    const error = notFound(Object.keys(toolkit.tools), called)
    return Effect.succeed(ModelToolkit.answer(Effect.fail(error), options))
  }
})
