/**
 * `preamble log show|check|migrate LOG`: what a session log tells, what is wrong with it, and how it gets to the current
 * format.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as FileStore from "../session/store/FileStore.ts"
import { refuseOther } from "../session/store/internal/refuseOther.ts"
import * as SessionFile from "../session/store/SessionFile.ts"
import { LogExists, LogNotFound, StoreFailure } from "../session/store/StoreError.ts"
import * as Failure from "./Failure.ts"
import * as History from "./History.ts"
import * as HistoryReport from "./HistoryReport.ts"
import { type Found, LogCheck } from "./LogCheck.ts"
import * as LogCheckReport from "./LogCheckReport.ts"
import * as LogFile from "./LogFile.ts"
import type { LogFinding } from "./LogFinding.ts"
import { LogLines, type Read } from "./LogLines.ts"
import * as MessageText from "./MessageText.ts"
import * as MigrationText from "./MigrationText.ts"
import { NoSuchEvent } from "./NoSuchEvent.ts"
import * as Output from "./Output.ts"
import * as Style from "./Style.ts"

const source = Argument.String("LOG").pipe(Argument.withDescription("A session log, of any format"))

const format = Flag.Literals("format", Failure.Format.literals).pipe(
  Flag.withDescription("text: for people; json: one line"),
  Flag.withDefault("text")
)

const look = Effect.all({ width: Style.width, style: Style.current })

// -----------------------------------------------------------------------------
// show
// -----------------------------------------------------------------------------

const show = Command.make(
  "show",
  {
    log: source,
    at: Flag.Int("at").pipe(
      Flag.withMetavar("SEQ"),
      Flag.withDescription("As it was before the event of this number"),
      Flag.optional
    ),
    full: MessageText.flag,
    format
  },
  Effect.fn("preamble.log.show")(function* ({ at, format, full, log }) {
    const file = yield* LogFile.load(log)
    const { length } = file.value
    const seq = Option.getOrElse(at, () => length)
    if (seq < 0 || seq > length) return yield* new NoSuchEvent({ file: log, seq, events: length })
    const history = History.make(file.value, seq)
    yield* Output.stdout(
      format === "json"
        ? `${JSON.stringify(HistoryReport.toJson(file, history))}\n`
        : HistoryReport.toText(file, history, { ...(yield* look), most: MessageText.most(full) })
    )
  })
).pipe(
  Command.withDescription("Show what the model sees of a session log, its prompts and its requests"),
  Command.withShortDescription("Show its messages, prompts and requests"),
  Command.withExamples([
    { command: "preamble log show session.jsonl", description: "As it is now" },
    { command: "preamble log show session.jsonl --at 14", description: "As it was before event 14" },
    {
      command: "preamble log show session.jsonl --format json | jq .messages",
      description: "The messages that a model would be sent"
    }
  ])
)

// -----------------------------------------------------------------------------
// check
// -----------------------------------------------------------------------------

const check = Command.make(
  "check",
  {
    logs: source.pipe(Argument.atLeast(1)),
    format: format.pipe(Flag.withDescription("text: for people; json: one line for each log"))
  },
  Effect.fn("preamble.log.check")(function* ({ format, logs }) {
    const found = yield* Effect.forEach([...new Set(logs)], (log) =>
      Effect.map(judge(log), (found) => ({ log, found }))
    )
    const options = yield* look
    const answers = found.map(({ found, log }) =>
      format === "json"
        ? `${JSON.stringify(LogCheckReport.toJson(log, found))}\n`
        : LogCheckReport.toText(log, found, options)
    )
    yield* Output.stdout(answers.join(format === "json" ? "" : "\n"))
    if (found.some(({ found }) => found.total > 0)) return yield* new Failure.Verdict({ code: Failure.exit.failed })
  })
).pipe(
  Command.withDescription("Find everything that is wrong with a session log"),
  Command.withShortDescription("Find everything that is wrong with it"),
  Command.withExamples([
    { command: "preamble log check session.jsonl" },
    { command: "preamble log check sessions/*.jsonl", description: "All logs of a folder" },
    { command: "preamble log check session.jsonl --format json | jq .total", description: "How many problems it has" }
  ])
)

const unreadable =
  (log: string) =>
  ({ reason }: PlatformError): LogNotFound | StoreFailure =>
    reason._tag === "NotFound"
      ? new LogNotFound({ log })
      : new StoreFailure({ log, operation: "read", cause: reason.cause ?? reason })

/** Reads the bytes of a log itself, since what reads logs stops at the first damage. */
const judge = Effect.fnUntraced(function* (log: string) {
  const fs = yield* FileSystem.FileSystem
  const lines = new LogLines()
  const check = new LogCheck()
  const offsets: Array<number> = []
  const take = ({ findings, rows }: Read): void => {
    for (const finding of findings) check.findings.add(finding, finding)
    for (const { offset } of rows) offsets.push(offset)
    for (const row of rows) check.push(row)
  }
  yield* refuseOther(log)
  yield* fs.stream(log).pipe(
    Stream.runForEach((bytes) => Effect.sync(() => take(lines.push(bytes)))),
    Effect.mapError(unreadable(log))
  )
  take(lines.finish())
  const found = check.finish(lines.end)
  return found.findings.every(({ kind }) => kind === "torn") ? yield* warned(log, found, offsets) : found
})

/** A log that can be read may still say what no model can be sent. `offsets` are those of its lines. */
const warned = Effect.fnUntraced(function* (log: string, found: Found, offsets: ReadonlyArray<number>) {
  const file = yield* LogFile.load(log)
  // What only this looks at is loaded with it.
  const { make } = yield* Effect.promise(() => import("./Unsendable.ts"))
  const warnings = make(file.value).map(({ reason, seq }): LogFinding => {
    // In an older format, events have other numbers, and share lines.
    const line = seq === undefined || file.report.from !== file.report.to ? 1 : seq + 2
    const place = { kind: "unsendable" as const, line, offset: offsets[line - 1] ?? 0, reason }
    return line === 1 ? place : { ...place, seq }
  })
  return { ...found, warnings: warnings.length, findings: [...found.findings, ...warnings.slice(0, mostWarnings)] }
})

/** Nobody reads more. */
const mostWarnings = 1_000

// -----------------------------------------------------------------------------
// migrate
// -----------------------------------------------------------------------------

const migrate = Command.make(
  "migrate",
  {
    log: source,
    out: Argument.String("OUT").pipe(Argument.withDescription("Where to write it; no file may be there")),
    format
  },
  Effect.fn("preamble.log.migrate")(function* ({ format, log, out }) {
    const fs = yield* FileSystem.FileSystem
    if (yield* Effect.mapError(fs.exists(out), unreadable(out))) return yield* new LogExists({ log: out })
    // All of it is judged before anything is written: what is refused leaves nothing behind, not even the lock.
    yield* LogFile.read(log, (_, events) => Stream.runDrain(events))
    const { report, torn } = yield* LogFile.read(log, (header, events) =>
      Effect.scoped(SessionFile.create(out, header, { seed: events }))
    )
    const storeName = FileStore.fileName(report.session)
    const isNamed = (yield* Path.Path).basename(out) === storeName
    yield* Output.stdout(
      format === "json"
        ? `${JSON.stringify({ out, storeName, ...report, torn: torn ?? null })}\n`
        : MigrationText.make({ file: log, out, storeName: isNamed ? undefined : storeName, report, torn }, yield* look)
    )
  })
).pipe(
  Command.withDescription("Write a session log anew, in the current format and with checksums"),
  Command.withShortDescription("Write it anew, in the current format"),
  Command.withExamples([
    { command: "preamble log migrate old.jsonl new.jsonl", description: "old.jsonl stays as it is" }
  ])
)

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const log = Command.make("log").pipe(
  Command.withDescription("Look at session logs, find what is wrong with them, and migrate them"),
  Command.withShortDescription("Show, check or migrate a session log"),
  Command.withExamples([
    { command: "preamble log show session.jsonl", description: "What the model sees, and what it saw" },
    { command: "preamble log check session.jsonl", description: "Whether it is intact" },
    { command: "preamble log migrate old.jsonl new.jsonl", description: "From an older format to the current one" }
  ]),
  Command.withSubcommands([show, check, migrate])
)
