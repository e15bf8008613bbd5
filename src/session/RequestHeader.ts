/**
 * What a request is sent with besides its messages: the model's configuration and the tools.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as json from "../internal/json.ts"
import { open } from "./internal/open.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A tool as it was sent. Other members than these are kept.
 *
 * @since 0.1.0
 * @category models
 */
export const Tool = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.String,
  parameters: Schema.Record(Schema.String, Schema.Json),
  deferLoading: Schema.optionalKey(Schema.Literal(true))
})

/**
 * A tool as it was sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Tool = typeof Tool.Type

/**
 * Which members of the configuration the adapter filled in by itself. Other members than these are kept.
 *
 * @since 0.1.0
 * @category models
 */
export const AdapterDefaults = open({
  reasoningEffort: Schema.optionalKey(Schema.Boolean),
  maxTokens: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter((value: object) =>
    Object.keys(value).length === 0 ? "expected at least one member. Leave adapterDefaults out." : undefined
  )
)

/**
 * The configuration of the model. Other members than these are kept, and are part of what is compared.
 *
 * @since 0.1.0
 * @category models
 */
export const Config = open({ provider: Schema.String, model: Schema.String })

/**
 * The configuration of the model.
 *
 * @since 0.1.0
 * @category models
 */
export type Config = typeof Config.Type

/**
 * What a request is sent with besides its messages. The system prompt is no part of it: it is a message.
 *
 * @since 0.1.0
 * @category models
 */
export const RequestHeader = Schema.Struct({
  config: Config,
  adapterDefaults: Schema.optionalKey(AdapterDefaults),
  tools: Schema.optionalKey(
    Schema.Array(Tool).check(Schema.isNonEmpty({ message: "expected at least one tool. Leave tools out." }))
  ),
  system: Schema.optionalKey(
    Schema.Never.annotate({ message: "a header carries no system prompt. Append a system/message to the log." })
  )
})

/**
 * What a request is sent with besides its messages.
 *
 * @since 0.1.0
 * @category models
 */
export type RequestHeader = typeof RequestHeader.Type

/**
 * Why a header was logged: the first of a log, the first of this run of an agent, one that differs, or the same where
 * a new series of requests begins.
 *
 * @since 0.1.0
 * @category models
 */
export const Reason = Schema.Literals(["initial", "resume", "change", "series"])

/**
 * Why a header was logged.
 *
 * @since 0.1.0
 * @category models
 */
export type Reason = typeof Reason.Type

/**
 * What is logged of a header. `startsSeries`: a new series of requests begins with it, besides what the reason says.
 *
 * @since 0.1.0
 * @category models
 */
export const Entry = Schema.Struct({
  header: RequestHeader,
  reason: Reason,
  startsSeries: Schema.optionalKey(Schema.Literal(true))
})

/**
 * What is logged of a header.
 *
 * @since 0.1.0
 * @category models
 */
export type Entry = typeof Entry.Type

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * The header in its canonical form: without tools where there are none, and with the adapter's defaults only if it
 * filled in something.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly config: Config
  readonly adapterDefaults?: RequestHeader["adapterDefaults"] | undefined
  readonly tools?: ReadonlyArray<Tool> | undefined
}): RequestHeader => {
  const { adapterDefaults, config, tools = [] } = options
  const marked = adapterDefaults?.maxTokens === true || adapterDefaults?.reasoningEffort === true
  return {
    config,
    ...(marked ? { adapterDefaults } : undefined),
    ...(tools.length === 0 ? undefined : { tools })
  }
}

/**
 * What has to be logged before a request with this header, if anything. `previous` is the header that was logged last,
 * in the log as it is; `isFirst` says that this run of the agent has logged none yet.
 *
 * @since 0.1.0
 * @category constructors
 */
export const entry = (
  header: RequestHeader,
  facts: {
    readonly previous: RequestHeader | undefined
    readonly isFirst: boolean
    readonly startsSeries: boolean
  }
): Entry | undefined => {
  const { isFirst, previous, startsSeries } = facts
  const series = startsSeries ? ({ startsSeries: true } as const) : undefined
  if (previous === undefined) return { header, reason: "initial", ...series }
  if (isFirst) return { header, reason: "resume", ...series }
  if (!equals(previous, header)) return { header, reason: "change", ...series }
  return startsSeries ? { header, reason: "series" } : undefined
}

// -----------------------------------------------------------------------------
// instances
// -----------------------------------------------------------------------------

/**
 * Whether two headers send the same tools, in the same order and with their keys in the same order: any of these changes
 * the bytes of the request.
 *
 * @since 0.1.0
 * @category instances
 */
export const sameTools: {
  (that: RequestHeader): (self: RequestHeader) => boolean
  (self: RequestHeader, that: RequestHeader): boolean
} = dual(
  2,
  (self: RequestHeader, that: RequestHeader): boolean =>
    self.tools === that.tools || JSON.stringify(self.tools ?? []) === JSON.stringify(that.tools ?? [])
)

/**
 * Whether two headers send the same: the same configuration, the same marks of the adapter, and the same tools.
 *
 * @since 0.1.0
 * @category instances
 */
export const equals: {
  (that: RequestHeader): (self: RequestHeader) => boolean
  (self: RequestHeader, that: RequestHeader): boolean
} = dual(
  2,
  (self: RequestHeader, that: RequestHeader): boolean =>
    sameConfig(self.config, that.config) && marks(self) === marks(that) && sameTools(self, that)
)

/** Field by field. Not by `Equal`, which keeps what it found: whoever gives a configuration may change it later. */
const sameConfig = (a: Config, b: Config): boolean => {
  const fields = new Map(Object.entries(a))
  const others = Object.entries(b)
  return (
    others.length === fields.size &&
    others.every(([key, value]) => {
      const text = textOf(value)
      return text !== undefined && text === textOf(fields.get(key))
    })
  )
}

/** What is no plain JSON has none, and equals nothing: the log refuses it, and says why. */
const textOf = (value: unknown): string | undefined =>
  Option.getOrUndefined(
    Option.map(Result.getSuccess(json.inspect((walk) => json.detach(walk, value), "lossless")), (copy) =>
      JSON.stringify(copy)
    )
  )

const marks = ({ adapterDefaults }: RequestHeader): string =>
  [adapterDefaults?.reasoningEffort === true, adapterDefaults?.maxTokens === true].join()
