/**
 * Reads the lines of a log of any format and gives the events of the current one.
 *
 * It takes a line at a time and holds no events, save the pieces of one answer: what it remembers of a log grows with
 * what it did there, and with the messages on the surface, which the checks need. Nothing counts before `finish`
 * succeeded: until then a later line may still show that the log cannot be migrated.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import * as Event from "../Event.ts"
import * as SessionHeader from "../SessionHeader.ts"
import type { AppendError, InvalidHeader } from "../SessionError.ts"
import * as Surface from "../Surface.ts"
import * as Catalogue from "./Catalogue.ts"
import type { Child, Context, Edge, Stage } from "./Edge.ts"
import { type FormatError, InvalidLog, MigrationFailure, UnsupportedFormat } from "./FormatError.ts"
import * as FormatVersion from "./FormatVersion.ts"
import type { MigrationReport } from "./MigrationReport.ts"
import { deepest, isDeep } from "./nesting.ts"
import { Notes } from "./notes.ts"
import { isObject, type PlainEvent, without } from "./plain.ts"
import type { Refused } from "./refuse.ts"
import * as Row from "./Row.ts"
import { slim } from "./slim.ts"
import { isOpaque } from "./vocabulary.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a migrator is made with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** For errors and the report. */
  readonly file?: string | undefined
  /**
   * The sessions that this one started. The log lists them in format 4 and did not before, so that nobody but the caller
   * knows; an empty list says that there are none.
   */
  readonly children: ReadonlyArray<Child>
  /** For tests of other edges than those of this library. */
  readonly catalogue?: Catalogue.Catalogue
}

/**
 * Reads one log. After a failure it gives that failure again, whatever comes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Migrator {
  /** The header of the log in the current format. */
  readonly header: SessionHeader.SessionHeader
  /** The format of the source. */
  readonly version: number
  /** Takes the next line and gives what is certain of the migrated log by now. */
  readonly push: (line: string) => Result.Result<ReadonlyArray<Event.Event>, FormatError>
  /** Ends the log. The report says what was done. */
  readonly finish: () => Result.Result<Finished, FormatError>
}

/**
 * The end of a migrated log.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finished {
  readonly events: ReadonlyArray<Event.Event>
  readonly report: MigrationReport
}

// -----------------------------------------------------------------------------
// lines
// -----------------------------------------------------------------------------

const parse = (line: string): Result.Result<Json, string> => {
  if (line.trim() === "") return Result.fail("the line is empty. A log has one row in each line.")
  if (isDeep(line)) return Result.fail(`the line is nested deeper than ${deepest} levels.`)
  try {
    const row: Json = JSON.parse(line)
    return Result.succeed(row)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return Result.fail(`the line is no JSON: ${cause.message}. If the log ends here, its last line was not finished.`)
  }
}

/** A store's own mark at the end of a line; whoever reads the file itself passes over it. */
const withoutMark = (version: number, row: JsonObject): JsonObject =>
  version === FormatVersion.current && Object.keys(row).at(-1) === "crc" ? without(row, "crc") : row

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

type Outcome<A> = Result.Result<A, FormatError>

/** Where in the source the migrator is. */
interface At {
  readonly file?: string
  readonly line: number
  readonly seq?: number
}

const invalidLog = (at: At, reason: string) => Result.fail(new InvalidLog({ ...at, reason }))

/** The result breaks a rule of the current format: in the source itself, or so that migrating shows it. */
const broken = (at: At, from: number, problem: AppendError | InvalidHeader): FormatError => {
  const reason = problem.message
  return from === FormatVersion.current
    ? new InvalidLog({ ...at, reason, problem })
    : new MigrationFailure({ ...at, from, to: FormatVersion.current, reason, problem })
}

const refused = (at: At, { from, to }: Edge, { reason }: Refused): FormatError =>
  new MigrationFailure({ ...at, from, to, reason })

// -----------------------------------------------------------------------------
// headers
// -----------------------------------------------------------------------------

/** The header in each format on the way, the source's first. */
const migrateHeader = (at: At, header: JsonObject, edges: ReadonlyArray<Edge>): Outcome<ReadonlyArray<JsonObject>> =>
  Result.gen(function* () {
    const headers = [header]
    let last = header
    for (const edge of edges) {
      last = yield* Result.mapError(edge.header(last), (why) => refused(at, edge, why))
      headers.push(last)
    }
    return headers
  })

const readHeader = (at: At, line: string): Outcome<{ readonly header: JsonObject; readonly version: number }> => {
  const row = parse(line)
  if (Result.isFailure(row)) return invalidLog(at, row.failure)
  const format = FormatVersion.classify(row.success)
  if (format._tag === "Malformed") return invalidLog(at, format.reason)
  const { version } = format
  if (format._tag === "Newer") {
    return Result.fail(new UnsupportedFormat({ ...at, version, current: FormatVersion.current }))
  }
  // What has a version is an object, which `classify` does not say in its type.
  const header = isObject(row.success) ? row.success : {}
  return Result.succeed({ header: withoutMark(version, header), version })
}

// -----------------------------------------------------------------------------
// the events
// -----------------------------------------------------------------------------

interface Step {
  readonly edge: Edge
  readonly stage: Stage
}

class Migrating implements Migrator {
  readonly header: SessionHeader.SessionHeader
  readonly version: number
  readonly #file: string | undefined
  readonly #notes: Notes
  readonly #steps: ReadonlyArray<Step>
  #surface = Surface.empty
  #line = 1
  #read = 0
  #renumbered = false
  #failure: FormatError | undefined

  constructor(
    header: SessionHeader.SessionHeader,
    version: number,
    file: string | undefined,
    notes: Notes,
    steps: ReadonlyArray<Step>
  ) {
    this.header = header
    this.version = version
    this.#file = file
    this.#notes = notes
    this.#steps = steps
  }

  push = (line: string): Outcome<ReadonlyArray<Event.Event>> => {
    this.#line += 1
    this.#notes.line = this.#line
    return this.#once(() => this.#take(line))
  }

  finish = (): Outcome<Finished> =>
    this.#once(() => Result.map(this.#end(), (events) => ({ events, report: this.#report() })))

  /** The first failure stays. */
  #once<A>(work: () => Outcome<A>): Outcome<A> {
    if (this.#failure !== undefined) return Result.fail(this.#failure)
    const outcome = work()
    if (Result.isFailure(outcome)) this.#failure = outcome.failure
    return outcome
  }

  #at(seq?: number): At {
    return {
      ...(this.#file === undefined ? undefined : { file: this.#file }),
      line: this.#line,
      ...(seq === undefined ? undefined : { seq })
    }
  }

  #take(line: string): Outcome<ReadonlyArray<Event.Event>> {
    const row = parse(line)
    if (Result.isFailure(row)) return invalidLog(this.#at(), row.failure)
    const value = isObject(row.success) ? withoutMark(this.version, row.success) : row.success
    const read = Row.read(this.version, value, this.#read)
    if (Result.isFailure(read)) return invalidLog(this.#at(this.#read), read.failure.reason)
    const { count, event } = read.success
    this.#read += count
    if (isOpaque(this.version, event.type)) this.#notes.add("opaque", event.type)
    return Result.flatMap(this.#run([event], 0, event.seq), (events) => this.#check(events, event.seq))
  }

  /** Sends events through the steps from one on. */
  #run(events: ReadonlyArray<PlainEvent>, from: number, seq: number | undefined): Outcome<ReadonlyArray<PlainEvent>> {
    let batch = events
    for (const { edge, stage } of this.#steps.slice(from)) {
      const next: Array<PlainEvent> = []
      for (const event of batch) {
        const out = stage.push(event)
        if (Result.isFailure(out)) return Result.fail(refused(this.#at(seq), edge, out.failure))
        for (const one of out.success) next.push(one)
      }
      batch = next
    }
    return Result.succeed(batch)
  }

  #end(): Outcome<ReadonlyArray<Event.Event>> {
    const last: Array<Event.Event> = []
    for (const [index, { edge, stage }] of this.#steps.entries()) {
      const tail = stage.finish()
      if (Result.isFailure(tail)) return Result.fail(refused(this.#at(), edge, tail.failure))
      const events = Result.flatMap(this.#run(tail.success, index + 1, undefined), (rest) =>
        this.#check(rest, undefined)
      )
      if (Result.isFailure(events)) return Result.fail(events.failure)
      for (const event of events.success) last.push(event)
    }
    return Result.succeed(last)
  }

  /** Takes events as the current format does: each by itself, and then in its place. */
  #check(events: ReadonlyArray<PlainEvent>, seq: number | undefined): Outcome<ReadonlyArray<Event.Event>> {
    const checked: Array<Event.Event> = []
    for (const event of events) {
      const outcome = this.#append(event)
      if (Result.isFailure(outcome)) return Result.fail(broken(this.#at(seq), this.version, outcome.failure))
      checked.push(outcome.success)
    }
    // What comes after the last event of the source moves none.
    if (seq !== undefined && this.#read !== this.#surface.length) this.#renumbered = true
    return Result.succeed(checked)
  }

  #append(event: PlainEvent): Result.Result<Event.Event, AppendError> {
    const whole = Event.fromUnknown(event)
    const light = slim(event)
    const kept = light === event ? whole : Result.flatMap(whole, () => Event.fromUnknown(light))
    const surface = Result.flatMap(kept, (it) => Surface.append(this.#surface, it))
    if (Result.isFailure(surface)) return Result.fail(surface.failure)
    this.#surface = surface.success
    return whole
  }

  #report(): MigrationReport {
    return {
      ...(this.#file === undefined ? undefined : { file: this.#file }),
      session: this.header.id,
      from: this.version,
      to: FormatVersion.current,
      lines: this.#line,
      eventsRead: this.#read,
      eventsWritten: this.#surface.length,
      renumbered: this.#renumbered,
      entries: this.#notes.entries()
    }
  }
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Begins a log with its first line, the header. Of a log of a newer format nothing is read; one of the current format
 * goes through no step, and its events are those that it has.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = (headerLine: string, options: Options): Result.Result<Migrator, FormatError> =>
  Result.gen(function* () {
    const { catalogue = Catalogue.standard, children, file } = options
    const at: At = file === undefined ? { line: 1 } : { file, line: 1 }
    const { header, version } = yield* readHeader(at, headerLine)
    const edges = Catalogue.path(catalogue, version)
    const headers = yield* migrateHeader(at, header, edges)
    const checked = yield* Result.mapError(SessionHeader.fromUnknown(headers.at(-1)), (problem) =>
      broken(at, version, problem)
    )
    const notes = new Notes()
    const steps = edges.map((edge, index): Step => {
      const name = `${edge.from}→${edge.to}`
      const note: Context["note"] = (action, what, count) => notes.add(action, what, name, count)
      return { edge, stage: edge.open({ header: headers[index] ?? header, children, note }) }
    })
    return new Migrating(checked, version, file, notes, steps)
  })
