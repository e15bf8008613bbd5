/**
 * One event of a session log, in the current format: plain JSON, deeply frozen.
 *
 * Events that this library understands have a Schema for their data; members that
 * the Schema does not name are kept. All others are opaque: their data is kept as
 * it is, and they are never part of what the model sees.
 *
 * @since 0.1.0
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as json from "../internal/json.ts"
import { issueOf } from "../internal/schemaIssue.ts"
import * as Message from "./Message.ts"
import { RequestContext } from "./RequestContext.ts"
import { Entry } from "./RequestHeader.ts"
import * as envelope from "./internal/envelope.ts"
import { open } from "./internal/open.ts"
import { InvalidEvent, type SurfaceViolation } from "./SessionError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * How a message comes to the surface: after all others, or in the place of those from one to another, both included,
 * in the order of the surface.
 *
 * @since 0.1.0
 * @category models
 */
export type SurfaceOp = "append" | Replace

/**
 * Takes the place of the messages from `startSeq` to `endSeq`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Replace {
  readonly op: "replace"
  readonly startSeq: number
  readonly endSeq: number
}

const step = { turn: Schema.Natural, step: Schema.Natural }

const developerData = Schema.Struct({
  ...step,
  headerSeq: Schema.optionalKey(Schema.Natural),
  message: Message.Developer
}).check(
  Schema.makeFilter(({ headerSeq, message }) => {
    const adds = message.content.some(Message.isToolAddition)
    if (adds === (headerSeq !== undefined)) return undefined
    return {
      path: ["headerSeq"],
      issue: adds
        ? "tool additions need the seq of the request/header that defines them."
        : "without a tool addition there is no header to name. Leave headerSeq out."
    }
  })
)

const toolResultData = open({
  ...step,
  message: Message.Tool,
  error: Schema.optionalKey(open({}))
}).check(
  Schema.makeFilter(({ error, message }) =>
    error === undefined || message.isError === true
      ? undefined
      : { path: ["message", "isError"], issue: "a result with an error must say isError: true." }
  )
)

const surfaceData = {
  "system/message": Schema.Struct({ ...step, message: Message.System }),
  "developer/message": developerData,
  "user/message": Message.User,
  "assistant/message": open({ ...step, message: Message.Assistant }),
  "tool/result": toolResultData
}

const logData = {
  "turn/start": Schema.Struct({ turn: Schema.Natural }),
  "turn/end": Schema.Struct({ turn: Schema.Natural, reason: Message.Source }),
  "step/start": Schema.Struct(step),
  "step/end": Schema.Struct(step),
  "tool/call": Schema.Struct({ ...step, callId: Schema.String, name: Schema.String, arguments: Schema.String }),
  "request/header": Entry,
  "request/context": RequestContext,
  "compaction/start": Schema.Struct({ compactionId: Schema.NonEmptyString }),
  "compaction/summary": Schema.Struct({
    compactionId: Schema.NonEmptyString,
    shadowedRange: Schema.optionalKey(Schema.Struct({ start: Schema.Natural, end: Schema.Natural })),
    shadowedSeqs: Schema.optionalKey(Schema.Array(Schema.Natural))
  }),
  "compaction/end": Schema.Struct({ compactionId: Schema.NonEmptyString }),
  "session/title": Schema.Struct({
    title: Schema.String,
    messageSeqs: Schema.Array(Schema.Natural),
    source: Message.Source
  }),
  "session/end-seed": Schema.Struct({ inherited: Schema.optionalKey(Schema.Boolean) })
}

/**
 * The Schema of the data of each event that this library understands.
 *
 * @since 0.1.0
 * @category models
 */
export const schemas = Object.freeze({ ...surfaceData, ...logData })

/**
 * The types of the events that become messages.
 *
 * @since 0.1.0
 * @category models
 */
export type SurfaceType = keyof typeof surfaceData

/**
 * The types of the events that this library understands.
 *
 * @since 0.1.0
 * @category models
 */
export type Type = keyof typeof schemas

/**
 * The data of an event of this type.
 *
 * @since 0.1.0
 * @category models
 */
export type Data<T extends Type> = (typeof schemas)[T]["Type"]

/** What every event has. */
interface Envelope<out T extends string, out D> {
  /** The place in the log, from 0. */
  readonly seq: number
  /** In milliseconds since 1970. Logs whose times were taken out have none. */
  readonly time?: number
  readonly type: T
  readonly data: D
  /** Whether whoever does not know this type may pass over it, whatever it says of the surface. */
  readonly ignorable?: true
}

/**
 * An event that becomes a message.
 *
 * @since 0.1.0
 * @category models
 */
export interface OnSurface<out T extends SurfaceType> extends Envelope<T, Data<T>> {
  readonly surfaceOp: SurfaceOp
  /** Earlier events that it was made from. A replacement cites all that it replaces. */
  readonly sourceEventSeqs?: ReadonlyArray<number>
}

/**
 * An event that never becomes a message.
 *
 * @since 0.1.0
 * @category models
 */
export type LogOnly<T extends Exclude<Type, SurfaceType>> = Envelope<T, Data<T>>

/**
 * An event whose type this library does not understand, kept as it is. Only an ignorable one may have members that
 * concern the surface; they have no effect.
 *
 * @since 0.1.0
 * @category models
 */
export interface Opaque extends Envelope<string, Schema.Json> {
  readonly surfaceOp?: Schema.Json
  readonly sourceEventSeqs?: Schema.Json
}

/**
 * The event of a type that this library understands.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<T extends Type> = {
  readonly [K in Type]: K extends SurfaceType ? OnSurface<K> : K extends Exclude<Type, SurfaceType> ? LogOnly<K> : never
}[T]

/**
 * An event that becomes a message.
 *
 * @since 0.1.0
 * @category models
 */
export type Surface = Of<SurfaceType>

/**
 * One event of a session log. Narrow it with `is`, `isSurface` or `isOpaque`.
 *
 * @since 0.1.0
 * @category models
 */
export type Event = Of<Type> | Opaque

type Unnumbered<E> = E extends unknown ? Omit<E, "seq"> : never

/**
 * An event that is still to get its place in a log.
 *
 * @since 0.1.0
 * @category models
 */
export type Draft<T extends Type = Type> = Unnumbered<Of<T>>

/**
 * A type that this library does not understand. `opaque` makes one.
 *
 * @since 0.1.0
 * @category models
 */
export type OpaqueType = Brand.Branded<string, "effect-preamble/session/OpaqueType">

/**
 * An opaque event that is still to get its place in a log. A draft of another type has another form, so that a mistake in
 * one is not taken for this.
 *
 * @since 0.1.0
 * @category models
 */
export interface OpaqueDraft extends Omit<Opaque, "seq" | "type"> {
  readonly type: OpaqueType
}

// -----------------------------------------------------------------------------
// guards
// -----------------------------------------------------------------------------

const surfaceTypes: ReadonlySet<string> = new Set(Object.keys(surfaceData))

const isType = (type: string): type is Type => Object.hasOwn(schemas, type)

/** What was made here: checked, and frozen to the depth. */
const made = new WeakSet<object>()

/**
 * Whether `u` was made here. A copy, even a frozen one, was not.
 *
 * @since 0.1.0
 * @category guards
 */
export const isEvent = (u: unknown): u is Event => typeof u === "object" && u !== null && made.has(u)

/**
 * Whether an event is of this type.
 *
 * @since 0.1.0
 * @category guards
 */
export const is =
  <T extends Type>(type: T) =>
  (self: Event): self is Of<T> =>
    self.type === type

/**
 * Whether an event becomes a message.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSurface = (self: Event): self is Surface => surfaceTypes.has(self.type)

/**
 * Whether this library does not understand an event's type.
 *
 * @since 0.1.0
 * @category guards
 */
export const isOpaque = (self: Event): self is Opaque => !isType(self.type)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Where and why the data is not what its type demands. Opaque data may be anything. */
const problemOf = (type: string, data: Schema.Json): json.Problem | undefined =>
  !isType(type) || Schema.is(schemas[type])(data) ? undefined : issueOf(schemas[type], data, ["data"])

/** What was checked is an event from now on. */
function remember(checked: object): asserts checked is Event {
  made.add(checked)
}

/**
 * Takes an event out of anything: a row of a log, or what somebody built. It shares nothing with what it was given and
 * is frozen to the depth; what was made here comes back as it is. Total: nothing is thrown, and no code of the input
 * runs, proxies aside.
 *
 * Fails with `InvalidEvent` where it is no plain JSON (`undefined`, -0, `NaN`, functions, class instances, cycles, …) or
 * not what its type demands, and with `SurfaceViolation` where it breaks a rule of the surface in itself. Whether it
 * fits a log is for `Surface` to say.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromUnknown = (input: unknown): Result.Result<Event, InvalidEvent | SurfaceViolation> => {
  if (isEvent(input)) return Result.succeed(input)
  let type = ""
  let seq: number | undefined
  const copy = json.inspect((walk) => {
    if (!json.isRecord(input)) return json.refuse(walk, `expected an event, found ${json.describe(input)}.`)
    // Read first, so that a complaint about the rest can name them.
    type = json.member(walk, input, "type", (value) => envelope.type(walk, value))
    seq = json.member(walk, input, "seq", (value) => envelope.seq(walk, value))
    const event = json.detachObject(walk, input)
    envelope.members(walk, event)
    return { seq, event, data: envelope.data(walk, event) }
  }, "lossless")
  const invalid = ({ path, reason }: json.Problem) =>
    Result.fail(new InvalidEvent({ type, path, reason, ...(seq === undefined ? undefined : { seq }) }))
  if (Result.isFailure(copy)) return invalid(copy.failure)
  const { data, event } = copy.success
  const problem = problemOf(type, data)
  if (problem !== undefined) return invalid(problem)
  const kind = !isType(type) ? "opaque" : surfaceTypes.has(type) ? "surface" : "log-only"
  const violation = envelope.violation(kind, type, copy.success.seq, event)
  if (violation !== undefined) return Result.fail(violation)
  remember(event)
  return Result.succeed(event)
}

const opaqueType = Brand.nominal<OpaqueType>()

/**
 * An event of the host's own, to be committed: it is kept in the log as it is, and no model ever sees it. `type` is none of
 * those that this library understands; begin it with a name of yours, since later versions understand more. `time` is in
 * milliseconds since 1970.
 *
 * @since 0.1.0
 * @category constructors
 */
export const opaque = <const T extends string>(
  type: T extends Type ? never : T,
  data: Schema.Json,
  time?: number
): OpaqueDraft => ({ type: opaqueType(type), data, ...(time === undefined ? undefined : { time }) })

/**
 * Gives events their places in a log, from the given one on.
 *
 * @since 0.1.0
 * @category constructors
 */
export const number = (drafts: Iterable<Draft | OpaqueDraft>, from: number): ReadonlyArray<Event> =>
  Array.from(drafts, (draft, i) => ({ ...draft, seq: from + i }))

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The message of an event, also if its content is empty.
 *
 * @since 0.1.0
 * @category destructors
 */
export const message = (self: Surface): Message.Message =>
  self.type === "user/message" ? self.data : self.data.message
