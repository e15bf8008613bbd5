/**
 * One step from a format to the next.
 *
 * An edge says how a header changes and opens a stage for each log; the stage takes events one by one, keeps no more of
 * them than it needs, and gives none, one or several for each.
 *
 * @since 0.1.0
 */
import type * as Result from "effect/Result"
import type { JsonObject } from "effect/Schema"
import type { Action } from "./MigrationReport.ts"
import type { PlainEvent } from "./plain.ts"
import type { Refused } from "./refuse.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A session that another one started, as far as its parent's log is to know it. `mode` is `unknown` where the child's
 * own log does not say.
 *
 * @since 0.1.0
 * @category models
 */
export interface Child {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
  readonly mode: "continuable" | "one-shot" | "unknown"
  readonly label?: string
}

/**
 * What a stage is opened with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Context {
  /** The header in the format that the edge begins with. */
  readonly header: JsonObject
  /** The sessions that this one started. */
  readonly children: ReadonlyArray<Child>
  /** Says in the report what was done. */
  readonly note: (action: Action, what: string, count?: number) => void
}

/**
 * Migrates the events of one log. After a failure, or after `finish`, it is not to be used any more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stage {
  readonly push: (event: PlainEvent) => Result.Result<ReadonlyArray<PlainEvent>, Refused>
  readonly finish: () => Result.Result<ReadonlyArray<PlainEvent>, Refused>
}

/**
 * One step from the format `from` to the format `to`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Edge {
  readonly from: number
  readonly to: number
  readonly header: (header: JsonObject) => Result.Result<JsonObject, Refused>
  readonly open: (context: Context) => Stage
}
