/**
 * Something that is wrong with a session log, and where.
 *
 * @since 0.1.0
 */
import type { Rule } from "../session/SessionError.ts"

/**
 * - `format`: which format the log has cannot be told, or it is one that this version does not know.
 * - `torn`: an append that was not finished, which the next writer cuts off.
 * - `checksum`: bytes are not what was written.
 * - `row`: a line is no row of the format.
 * - `header`, `event`: what a row says is not what the format demands; `path` says where in it.
 * - `surface`: an event breaks one of the rules that it has to keep among the others; `rule` says which.
 * - `migration`: the log cannot be brought to the current format without a guess.
 * - `unsendable`: the log is intact, and no model can be sent what it says. It is a warning.
 */
export type Kind = "format" | "torn" | "checksum" | "row" | "header" | "event" | "surface" | "migration" | "unsendable"

export interface LogFinding {
  readonly kind: Kind
  /** From 1, which is the header. */
  readonly line: number
  /** Where the line begins, in bytes from 0. */
  readonly offset: number
  /** The number of the event, in the format that the log has. */
  readonly seq?: number | undefined
  readonly rule?: Rule | undefined
  /** A JSONPath. */
  readonly path?: string | undefined
  readonly reason: string
}
