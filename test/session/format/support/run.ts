/** Migrates logs that are lists of lines. */
import * as Result from "effect/Result"
import type * as Event from "../../../../src/session/Event.ts"
import type { FormatError } from "../../../../src/session/format/FormatError.ts"
import * as Migrator from "../../../../src/session/format/Migrator.ts"
import type { MigrationReport } from "../../../../src/session/format/MigrationReport.ts"
import type { SessionHeader } from "../../../../src/session/SessionHeader.ts"

export interface Migrated {
  readonly header: SessionHeader
  readonly events: ReadonlyArray<Event.Event>
  readonly report: MigrationReport
}

export const migrate = (
  lines: ReadonlyArray<string>,
  options: Partial<Migrator.Options> = {}
): Result.Result<Migrated, FormatError> =>
  Result.gen(function* () {
    const migrator = yield* Migrator.open(lines[0] ?? "", { children: [], ...options })
    const events: Array<Event.Event> = []
    for (const line of lines.slice(1)) events.push(...(yield* migrator.push(line)))
    const last = yield* migrator.finish()
    return { header: migrator.header, events: [...events, ...last.events], report: last.report }
  })
