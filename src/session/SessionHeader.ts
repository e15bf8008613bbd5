/**
 * Row 0 of a session log: which session it is, and in which format the rest is written.
 *
 * @since 0.1.0
 */
import { dual } from "effect/Function"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as json from "../internal/json.ts"
import { issueOf } from "../internal/schemaIssue.ts"
import { InvalidHeader } from "./SessionError.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The format that this library writes.
 *
 * @since 0.1.0
 * @category constants
 */
export const currentVersion = 4

/**
 * The header of a log in the current format. `createdAt` is in milliseconds since 1970; `isSeeded` says that the log
 * began with events of another session; `delegationDepth` is 0 for a session that no other one started. Members that
 * are not named here are kept.
 *
 * @since 0.1.0
 * @category models
 */
export const SessionHeader = Schema.Struct({
  type: Schema.Literal("session"),
  version: Schema.Literal(currentVersion),
  id: Schema.NonEmptyString,
  createdAt: Schema.Finite,
  cwd: Schema.optionalKey(Schema.String),
  isSeeded: Schema.Boolean,
  delegationDepth: Schema.Natural,
  parentSession: Schema.optionalKey(Schema.String),
  origin: Schema.optionalKey(Schema.String)
})

/**
 * The header of a log in the current format.
 *
 * @since 0.1.0
 * @category models
 */
export type SessionHeader = typeof SessionHeader.Type

/**
 * What a fork has of its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface ForkOptions {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
}

const isHeader = Schema.is(SessionHeader)

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Takes a header of the current format out of anything, deeply frozen. Total: nothing is thrown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromUnknown = (input: unknown): Result.Result<SessionHeader, InvalidHeader> => {
  const copy = json.inspect((walk) => json.detach(walk, input), "lossless")
  if (Result.isFailure(copy)) return Result.fail(new InvalidHeader(copy.failure))
  const header = copy.success
  return isHeader(header) ? Result.succeed(header) : Result.fail(new InvalidHeader(issueOf(SessionHeader, header, [])))
}

/**
 * The header of a new session.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
  readonly cwd?: string | undefined
}): Result.Result<SessionHeader, InvalidHeader> =>
  fromUnknown({
    type: "session",
    version: currentVersion,
    id: options.id,
    createdAt: options.createdAt,
    ...(options.cwd === undefined ? undefined : { cwd: options.cwd }),
    isSeeded: false,
    delegationDepth: 0
  })

/**
 * The header of a session that begins with events of another one: that of the other one, whatever it says, with an id and
 * a time of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fork: {
  (options: ForkOptions): (parent: SessionHeader) => Result.Result<SessionHeader, InvalidHeader>
  (parent: SessionHeader, options: ForkOptions): Result.Result<SessionHeader, InvalidHeader>
} = dual(2, (parent: SessionHeader, { createdAt, id }: ForkOptions) =>
  fromUnknown({ ...parent, id, createdAt, isSeeded: true, parentSession: parent.id })
)
