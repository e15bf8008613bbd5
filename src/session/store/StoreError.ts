/**
 * What can go wrong between a session and what keeps its log.
 *
 * `log` says where the log is: the path of a file, or the id of the session where there is no file.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { sentence } from "../../internal/excerpt.ts"
import { stackless } from "../../internal/stackless.ts"
import { describeCause } from "../../Owner.ts"

const named = (self: { readonly log: string }): string => `session log ${JSON.stringify(self.log)}`

// -----------------------------------------------------------------------------
// errors of creating and opening
// -----------------------------------------------------------------------------

/**
 * A session is to be created that is there already. It stays as it is.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogExists extends stackless(
  Schema.TaggedError<LogExists>("effect-preamble/session/LogExists")("LogExists", { log: Schema.String })
) {
  override get message(): string {
    return `${named(this)} is there already, and stays as it is. Open it, or create one under another id.`
  }
}

/**
 * There is no such session.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogNotFound extends stackless(
  Schema.TaggedError<LogNotFound>("effect-preamble/session/LogNotFound")("LogNotFound", { log: Schema.String })
) {
  override get message(): string {
    return `${named(this)} is not there. Create it, or look at the list of sessions for its id.`
  }
}

/**
 * Another writer has the log open, in this process or in another one.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogBusy extends stackless(
  Schema.TaggedError<LogBusy>("effect-preamble/session/LogBusy")("LogBusy", { log: Schema.String })
) {
  override get message(): string {
    return `${named(this)} has a writer already. Wait until that one is closed, or only read the log.`
  }
}

/**
 * The log is in an older format, which only the migration reads; or another program wrote it, without checksums, so that
 * it is read and never written.
 *
 * @since 0.1.0
 * @category errors
 */
export class MigrationRequired extends stackless(
  Schema.TaggedError<MigrationRequired>("effect-preamble/session/MigrationRequired")("MigrationRequired", {
    log: Schema.String,
    version: Schema.Int,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${named(this)} ${this.reason}. Write a copy with \`preamble log migrate\`, and open that.`
  }
}

/**
 * Bytes of the log are not what was written. `line` counts from 1, `offset` is where that line begins, in bytes from 0.
 *
 * @since 0.1.0
 * @category errors
 */
export class LogDamaged extends stackless(
  Schema.TaggedError<LogDamaged>("effect-preamble/session/LogDamaged")("LogDamaged", {
    log: Schema.String,
    line: Schema.Int,
    offset: Schema.Int,
    reason: Schema.String
  })
) {
  override get message(): string {
    const what = `${named(this)} is damaged in line ${this.line}, at byte ${this.offset}: ${sentence(this.reason)}`
    return this.offset === 0
      ? `${what} Restore the file from a copy.`
      : `${what} Those before it are intact. Restore the file from a copy; or keep it, and go on with a copy of its first ${this.offset} bytes, as \`head -c ${this.offset}\` prints them.`
  }
}

// -----------------------------------------------------------------------------
// errors of appending
// -----------------------------------------------------------------------------

/**
 * The first event was numbered for another state of the log. Nothing was appended.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnexpectedSeq extends stackless(
  Schema.TaggedError<UnexpectedSeq>("effect-preamble/session/UnexpectedSeq")("UnexpectedSeq", {
    log: Schema.String,
    /** Of the first event that was to be appended. */
    expected: Schema.Int,
    /** What the next event of the log gets. */
    actual: Schema.Int
  })
) {
  override get message(): string {
    return `${named(this)} goes on with seq ${this.actual}, and the first event to append has seq ${this.expected}. Nothing was appended. Read the events that you do not know, and make yours anew.`
  }
}

/**
 * Storing the events failed; none of them was acknowledged. `full` says that there is no space left. With `undone`, none of
 * them is in the log either; without it, all of them or none may be found there.
 *
 * @since 0.1.0
 * @category errors
 */
export class AppendFailed extends stackless(
  Schema.TaggedError<AppendFailed>("effect-preamble/session/AppendFailed")("AppendFailed", {
    log: Schema.String,
    full: Schema.Boolean,
    undone: Schema.Boolean,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    const what = this.full ? "there is no space left for the events" : "the events could not be stored"
    const state = this.undone ? "None of them is in it" : "All of them or none are in it"
    const free = this.full ? "free some space and " : ""
    return `${named(this)}: ${what}: ${sentence(describeCause(this.cause))} ${state}, and what was acknowledged before is intact. Close this writer, ${free}open the log again.`
  }
}

/**
 * Somebody else changed the log under its writer, against the rule of one writer. Nothing was appended.
 *
 * @since 0.1.0
 * @category errors
 */
export class ForeignWrite extends stackless(
  Schema.TaggedError<ForeignWrite>("effect-preamble/session/ForeignWrite")("ForeignWrite", {
    log: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `${named(this)} was changed by somebody else: ${this.reason}. Nothing was appended. Find out which program writes to it, then close this writer and open the log again.`
  }
}

/**
 * The writer is closed, or cannot be trusted since an earlier append failed. Nothing was appended.
 *
 * @since 0.1.0
 * @category errors
 */
export class WriterUnusable extends stackless(
  Schema.TaggedError<WriterUnusable>("effect-preamble/session/WriterUnusable")("WriterUnusable", {
    log: Schema.String,
    reason: Schema.String
  })
) {
  override get message(): string {
    return `nothing was appended to ${named(this)}: ${sentence(this.reason)} Open the log again.`
  }
}

// -----------------------------------------------------------------------------
// errors of everything
// -----------------------------------------------------------------------------

/**
 * What keeps the log failed: no permission, a broken disk, a lost connection.
 *
 * @since 0.1.0
 * @category errors
 */
export class StoreFailure extends stackless(
  Schema.TaggedError<StoreFailure>("effect-preamble/session/StoreFailure")("StoreFailure", {
    log: Schema.String,
    /** What was tried, to go after "could not". */
    operation: Schema.String,
    cause: Schema.Defect()
  })
) {
  override get message(): string {
    return `could not ${this.operation} ${named(this)}: ${sentence(describeCause(this.cause))}`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * Every error of a store as one Schema, to encode and decode failures.
 *
 * @since 0.1.0
 * @category errors
 */
export const StoreError = Schema.Union([
  LogExists,
  LogNotFound,
  LogBusy,
  MigrationRequired,
  LogDamaged,
  UnexpectedSeq,
  AppendFailed,
  ForeignWrite,
  WriterUnusable,
  StoreFailure
])

/**
 * Any error of a store.
 *
 * @since 0.1.0
 * @category errors
 */
export type StoreError = typeof StoreError.Type
