/**
 * Migrates a log as it is read: lines in, the current format out.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Event } from "../Event.ts"
import type { SessionHeader } from "../SessionHeader.ts"
import { type FormatError, InvalidLog } from "./FormatError.ts"
import type { MigrationReport } from "./MigrationReport.ts"
import * as Migrator from "./Migrator.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A part of a migrated log: its header first, then its events, and last what was done. Without the last one the log is
 * not migrated: a stream that fails gave events of a log that there is not.
 *
 * @since 0.1.0
 * @category models
 */
export type Part =
  | { readonly _tag: "Header"; readonly header: SessionHeader; readonly version: number }
  | { readonly _tag: "Event"; readonly event: Event }
  | { readonly _tag: "Report"; readonly report: MigrationReport }

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

type Outcome<A> = Result.Result<A, FormatError>

/** The migrator of the log, once its header came, and what is new. */
type Progress = readonly [migrator: Migrator.Migrator | undefined, parts: ReadonlyArray<Part>]

const eventPart = (event: Event): Part => ({ _tag: "Event", event })

const begin = (line: string, options: Migrator.Options): Outcome<Progress> =>
  Result.map(Migrator.open(line, options), (migrator) => [
    migrator,
    [{ _tag: "Header", header: migrator.header, version: migrator.version }]
  ])

const end = (migrator: Migrator.Migrator | undefined, { file }: Migrator.Options): Outcome<Progress> => {
  if (migrator !== undefined) {
    return Result.map(migrator.finish(), ({ events, report }) => [
      migrator,
      [...events.map(eventPart), { _tag: "Report", report }]
    ])
  }
  const reason = "the log is empty. Its first line must be the header of a session."
  return Result.fail(new InvalidLog({ ...(file === undefined ? undefined : { file }), line: 1, reason }))
}

/** Takes the next line, or the end of all. */
const proceed = (migrator: Migrator.Migrator | undefined, line: string | undefined, options: Migrator.Options) => {
  if (line === undefined) return end(migrator, options)
  if (migrator === undefined) return begin(line, options)
  return Result.map(migrator.push(line), (events): Progress => [migrator, events.map(eventPart)])
}

const proceedAll = (
  before: Migrator.Migrator | undefined,
  lines: ReadonlyArray<string | undefined>,
  options: Migrator.Options
): Outcome<Progress> => {
  let migrator = before
  const parts: Array<Part> = []
  for (const line of lines) {
    const progress = proceed(migrator, line, options)
    if (Result.isFailure(progress)) return Result.fail(progress.failure)
    migrator = progress.success[0]
    for (const part of progress.success[1]) parts.push(part)
  }
  return Result.succeed([migrator, parts])
}

/**
 * Migrates the lines of a log, without their ends. One of the current format comes out as it is, after the same checks.
 *
 * Nothing is written anywhere, and no more is held of the log than `Migrator` does. Write what comes to a new file, and
 * give it its name once the report is there. Take the lines from `SessionFile.lines`: checksums are not looked at here,
 * nor whether an append is whole.
 *
 * @since 0.1.0
 * @category combinators
 */
export const migrate =
  (options: Migrator.Options) =>
  <E, R>(lines: Stream.Stream<string, E, R>): Stream.Stream<Part, E | FormatError, R> =>
    Stream.concat(lines, Stream.succeed(undefined)).pipe(
      Stream.mapAccumArrayEffect(
        (): Migrator.Migrator | undefined => undefined,
        (migrator, some) => Effect.fromResult(proceedAll(migrator, some, options))
      )
    )

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The line of a part in a log file, without its end; none of a report, which is no part of the log.
 *
 * @since 0.1.0
 * @category destructors
 */
export const line = (part: Part): string | undefined => {
  switch (part._tag) {
    case "Header":
      return JSON.stringify(part.header)
    case "Event":
      return JSON.stringify(part.event)
    case "Report":
      return undefined
  }
}
