/** Makes the header and the events of the rows of a log file in the current format. */
import * as Result from "effect/Result"
import type { JsonObject } from "effect/Schema"
import type { Event } from "../../Event.ts"
import { InvalidLog, UnsupportedFormat } from "../../format/FormatError.ts"
import * as FormatVersion from "../../format/FormatVersion.ts"
import * as Row from "../../format/Row.ts"
import type { InvalidEvent, SurfaceViolation } from "../../SessionError.ts"
import * as SessionHeader from "../../SessionHeader.ts"
import { LogDamaged, MigrationRequired } from "../StoreError.ts"
import { eventAt } from "./batch.ts"
import { type Damage, type Line, parse, textOf } from "./line.ts"

const damaged =
  (log: string) =>
  (damage: Damage): LogDamaged =>
    new LogDamaged({ log, ...damage })

const rowOf = (log: string, line: Line): Result.Result<JsonObject, LogDamaged> =>
  Result.mapError(parse(line), damaged(log))

/** The text of a line of any format. */
export const text = (log: string, line: Line): Result.Result<string, LogDamaged> =>
  Result.mapError(textOf(line), damaged(log))

type HeaderError = LogDamaged | InvalidLog | UnsupportedFormat | MigrationRequired

/** The header of a log in the current format; of this session, if one is given. */
export const header = (
  log: string,
  line: Line,
  session: string | undefined
): Result.Result<SessionHeader.SessionHeader, HeaderError> => {
  const row = rowOf(log, line)
  if (Result.isFailure(row)) {
    const { failure } = row
    return Result.fail(line.checked ? failure : new InvalidLog({ file: log, line: 1, reason: noLog(failure) }))
  }
  if (!line.checked && Object.keys(row.success).at(-1) === "crc") {
    return Result.fail(new LogDamaged({ log, line: 1, offset: 0, reason: "its checksum cannot be read" }))
  }
  const format = FormatVersion.classify(row.success)
  switch (format._tag) {
    case "Malformed":
      return Result.fail(new InvalidLog({ file: log, line: 1, reason: format.reason }))
    case "Newer":
      return Result.fail(
        new UnsupportedFormat({ file: log, line: 1, version: format.version, current: FormatVersion.current })
      )
    case "Older": {
      const reason = `is in format ${format.version}, and the current one is ${FormatVersion.current}`
      return Result.fail(new MigrationRequired({ log, version: format.version, reason }))
    }
    case "Current":
      return current(log, row.success, session)
  }
}

const noLog = ({ reason }: LogDamaged): string =>
  `this is no session log: its first line is no header, since ${reason}.`

const current = (
  log: string,
  row: JsonObject,
  session: string | undefined
): Result.Result<SessionHeader.SessionHeader, InvalidLog> => {
  const header = SessionHeader.fromUnknown(row)
  if (Result.isFailure(header)) {
    const problem = header.failure
    return Result.fail(new InvalidLog({ file: log, line: 1, reason: problem.message, problem }))
  }
  const { id } = header.success
  if (session === undefined || id === session) return Result.succeed(header.success)
  const reason = `the file is the log of session ${JSON.stringify(id)}, and not of ${JSON.stringify(session)}. Give each log the name that it was created with.`
  return Result.fail(new InvalidLog({ file: log, line: 1, reason }))
}

/** The event of a line after the header. */
export const event = (log: string, line: Line): Result.Result<Event, LogDamaged | InvalidLog> => {
  const row = rowOf(log, line)
  if (Result.isFailure(row)) return Result.fail(row.failure)
  const seq = line.line - 2
  const invalid = (reason: string, problem?: InvalidEvent | SurfaceViolation) => {
    const found = problem === undefined ? undefined : { problem }
    return new InvalidLog({ file: log, line: line.line, seq, reason, ...found })
  }
  // Other programs may write shorter what we write out: numbers that are places, citations of many.
  const read = line.checked
    ? Result.succeed(row.success)
    : Result.mapError(
        Result.map(Row.read(FormatVersion.current, row.success, seq), (read) => read.event),
        ({ reason }) => invalid(reason)
      )
  return Result.flatMap(read, (one) =>
    Result.mapError(eventAt(one, seq), (problem) => invalid(problem.message, problem))
  )
}
