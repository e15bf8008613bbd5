/**
 * Why a log cannot be read, or cannot be brought to the current format.
 *
 * Each error names the file and the line, where there are any, and the event by its number in the format that it was
 * read in. The source is as it was.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { stackless } from "../../internal/stackless.ts"
import { InvalidEvent, InvalidHeader, SurfaceViolation } from "../SessionError.ts"

// -----------------------------------------------------------------------------
// what errors share
// -----------------------------------------------------------------------------

/** `line` counts from 1, which is the header; `seq` is the number of the event in the source. */
const place = {
  file: Schema.optionalKey(Schema.String),
  line: Schema.Int,
  seq: Schema.optionalKey(Schema.Int)
}

interface Place {
  readonly file?: string
  readonly line: number
  readonly seq?: number
}

const at = (self: Place): string => {
  const file = self.file === undefined ? "session log" : JSON.stringify(self.file)
  const event = self.seq === undefined ? "" : `, event ${self.seq}`
  return `${file}, line ${self.line}${event}`
}

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * The log was written in a format that this version of the library does not know. None of it was read.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnsupportedFormat extends stackless(
  Schema.TaggedError<UnsupportedFormat>("effect-preamble/session/UnsupportedFormat")("UnsupportedFormat", {
    ...place,
    version: Schema.Finite,
    current: Schema.Int
  })
) {
  override get message(): string {
    return `${at(this)}: the log has format ${this.version}, and this version of effect-preamble reads formats up to ${this.current}. Nothing was read and nothing written: use the version that wrote the log, or a later one.`
  }
}

/**
 * The log is not what its own format demands: a line is no JSON, a header or an event lacks something, numbers have
 * gaps. `problem` is what the checks of an event or a header found, if it was they.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidLog extends stackless(
  Schema.TaggedError<InvalidLog>("effect-preamble/session/InvalidLog")("InvalidLog", {
    ...place,
    reason: Schema.String,
    problem: Schema.optionalKey(Schema.Union([InvalidEvent, InvalidHeader, SurfaceViolation]))
  })
) {
  override get message(): string {
    return `${at(this)}: ${this.reason} The log is as it was; correct a copy of it.`
  }
}

/**
 * The log cannot be brought from one format to a later one without a guess. `from` and `to` are neighbours where a step
 * refused, and the formats of source and target where the result broke a rule of the current format; then `problem`
 * says which, in the numbers of the target.
 *
 * @since 0.1.0
 * @category errors
 */
export class MigrationFailure extends stackless(
  Schema.TaggedError<MigrationFailure>("effect-preamble/session/MigrationFailure")("MigrationFailure", {
    ...place,
    from: Schema.Int,
    to: Schema.Int,
    reason: Schema.String,
    problem: Schema.optionalKey(Schema.Union([InvalidEvent, InvalidHeader, SurfaceViolation]))
  })
) {
  override get message(): string {
    return `${at(this)}: cannot be migrated from format ${this.from} to ${this.to}: ${this.reason} The log is as it was; correct a copy of it, or read it with what wrote it.`
  }
}

const Problem = Schema.Struct({
  kind: Schema.Literals(["gap", "duplicate", "not-adjacent", "beyond-current"]),
  from: Schema.Finite,
  to: Schema.Finite
})

/**
 * A catalogue of migrations must lead from every older format to the current one, in one way.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidCatalogue extends stackless(
  Schema.TaggedError<InvalidCatalogue>("effect-preamble/session/InvalidCatalogue")("InvalidCatalogue", {
    current: Schema.Int,
    problems: Schema.NonEmptyArray(Problem)
  })
) {
  override get message(): string {
    const texts = {
      gap: "missing",
      duplicate: "twice",
      "not-adjacent": "no single step",
      "beyond-current": "beyond it"
    }
    const all = this.problems.map((one) => `${one.from} to ${one.to} (${texts[one.kind]})`).join(", ")
    return `the migrations do not lead to format ${this.current} in single steps, each there once: ${all}. Give one migration from each of the formats 0 to ${this.current - 1}.`
  }
}

// -----------------------------------------------------------------------------
// unions
// -----------------------------------------------------------------------------

/**
 * What reading a log of any format can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export const FormatError = Schema.Union([UnsupportedFormat, InvalidLog, MigrationFailure])

/**
 * What reading a log of any format can fail with.
 *
 * @since 0.1.0
 * @category errors
 */
export type FormatError = typeof FormatError.Type
