/**
 * Everything that is wrong with the rows of a session log, as far as it can be told.
 *
 * What reads a log stops at the first violation. This goes on behind it, as long as there is anything to judge by.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import { describe } from "../internal/json.ts"
import * as Catalogue from "../session/format/Catalogue.ts"
import type { Edge, Stage } from "../session/format/Edge.ts"
import * as FormatVersion from "../session/format/FormatVersion.ts"
import { deepest, isDeep } from "../session/format/nesting.ts"
import { isPacked } from "../session/format/chunks.ts"
import { isNatural, isObject, type PlainEvent, without } from "../session/format/plain.ts"
import * as Row from "../session/format/Row.ts"
import * as SessionHeader from "../session/SessionHeader.ts"
import type { LogFinding } from "./LogFinding.ts"
import type { Row as Line } from "./LogLines.ts"
import { TolerantSurface } from "./TolerantSurface.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

type Place = Pick<Line, "line" | "offset">

/** What is found, in the order of the lines; how much that is; and what could not be judged because of it. */
export interface Found {
  readonly session: string | undefined
  readonly format: number | undefined
  readonly events: number
  readonly findings: ReadonlyArray<LogFinding>
  readonly total: number
  /** How many of the findings are warnings, which are none of the total. */
  readonly warnings: number
  /** Events that may break rules, of which nothing can be said. */
  readonly unjudged: number
}

/** Nobody reads more. */
const most = 1_000

/** Numbers that are left out are taken for missing events, up to so many in all. */
const longestGap = 100_000

/** Collects what is found. */
class Findings {
  readonly all: Array<LogFinding> = []
  total = 0

  add(at: Place, finding: Omit<LogFinding, "line" | "offset">): void {
    this.total += 1
    if (this.all.length < most) this.all.push({ ...finding, line: at.line, offset: at.offset })
  }
}

// -----------------------------------------------------------------------------
// rows
// -----------------------------------------------------------------------------

const parse = (text: string): Result.Result<Json, string> => {
  if (text.trim() === "") return Result.fail("the line is empty. A log has one row in each line.")
  if (isDeep(text)) return Result.fail(`the line is nested deeper than ${deepest} levels.`)
  try {
    const row: Json = JSON.parse(text)
    return Result.succeed(row)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    return Result.fail(`the line is no JSON: ${cause.message}.`)
  }
}

/** A store's own mark. What is left of a damaged one is no part of the row either. */
const withoutMark = (row: JsonObject): JsonObject => (Object.keys(row).at(-1) === "crc" ? without(row, "crc") : row)

/** The members that say which number a row has. */
const seqKeys = (version: number, row: JsonObject): ReadonlyArray<string> =>
  version < 2 && typeof row["type"] === "string" && isPacked(row["type"]) ? ["seq0", "seq"] : ["seq"]

/** What a value is; numbers themselves. */
const shown = (value: Json | undefined): string => (typeof value === "number" ? `${value}` : describe(value))

// -----------------------------------------------------------------------------
// the log
// -----------------------------------------------------------------------------

interface Step {
  readonly edge: Edge
  readonly stage: Stage
}

/** Takes the lines of a log, the header first. */
export class LogCheck {
  readonly findings = new Findings()
  readonly #surface = new TolerantSurface()
  #session: string | undefined
  #format: number | undefined
  #isFirst = true
  /** The way to the current format; `undefined` where it has ended, or never began. */
  #steps: ReadonlyArray<Step> | undefined
  /** The number of the next event, and how many lines before it could not be read, each of which may be an event. */
  #next = 0
  #unread = 0
  #unjudged = 0
  #gaps = longestGap

  push(line: Line): void {
    if (this.#isFirst) this.#begin(line)
    else if (this.#format !== undefined) this.#take(line, this.#format)
    this.#isFirst = false
  }

  finish(at: Place): Found {
    if (this.#isFirst) {
      this.findings.add(at, {
        kind: "format",
        reason: "the log is empty. Its first line must be the header of a session."
      })
    }
    this.#end(at)
    return {
      session: this.#session,
      format: this.#format,
      events: this.#next,
      findings: this.findings.all,
      total: this.findings.total,
      warnings: 0,
      unjudged: this.#unjudged + this.#surface.unjudged
    }
  }

  // ---------------------------------------------------------------------------
  // the header
  // ---------------------------------------------------------------------------

  #begin(line: Line): void {
    if (line.text === undefined) return
    const row = parse(line.text)
    if (Result.isFailure(row)) return this.findings.add(line, { kind: "format", reason: row.failure })
    const format = FormatVersion.classify(row.success)
    if (format._tag === "Malformed") return this.findings.add(line, { kind: "format", reason: format.reason })
    this.#format = format.version
    if (format._tag === "Newer") {
      this.#format = undefined
      const reason = `the log has format ${format.version}, and this version of effect-preamble reads formats up to ${FormatVersion.current}. Nothing of it was read.`
      return this.findings.add(line, { kind: "format", reason })
    }
    if (isObject(row.success)) this.#open(line, format.version, row.success)
  }

  #open(at: Place, version: number, row: JsonObject): void {
    const headers = [version === FormatVersion.current ? withoutMark(row) : row]
    const edges = Catalogue.path(Catalogue.standard, version)
    for (const edge of edges) {
      const next = edge.header(headers.at(-1) ?? row)
      if (Result.isFailure(next)) {
        return this.findings.add(at, { kind: "migration", reason: refused(edge, next.failure.reason) })
      }
      headers.push(next.success)
    }
    const header = SessionHeader.fromUnknown(headers.at(-1))
    if (Result.isFailure(header)) this.findings.add(at, { kind: "header", ...pathOf(header.failure) })
    else this.#session = header.success.id
    const { note } = notes
    this.#steps = edges.map((edge, i) => ({
      edge,
      stage: edge.open({ header: headers[i] ?? row, children: [], note })
    }))
  }

  // ---------------------------------------------------------------------------
  // events
  // ---------------------------------------------------------------------------

  #take(line: Line, version: number): void {
    const parsed = line.text === undefined ? undefined : parse(line.text)
    if (parsed === undefined || Result.isFailure(parsed)) {
      if (parsed !== undefined) this.#find(line, parsed.failure)
      return this.#skip()
    }
    const row = isObject(parsed.success) ? this.#number(line, version, parsed.success) : parsed.success
    if (row === undefined) return
    const read = Row.read(version, row, this.#next)
    if (Result.isFailure(read)) {
      this.#find(line, read.failure.reason)
      return this.#skip()
    }
    const { count, event } = read.success
    this.#next += count
    if (this.#steps === undefined) this.#unjudged += count
    else this.#run(line, [event], this.#steps, event.seq)
  }

  #find(at: Place, reason: string): void {
    this.findings.add(at, { kind: "row", seq: this.#next, reason })
  }

  /** Passes over a line that cannot be read. A migration cannot go on behind one: it may have been any number of events. */
  #skip(): void {
    this.#unread += 1
    this.#unjudged += 1
    if (this.#format !== FormatVersion.current) this.#steps = undefined
  }

  /** The row without its number, which is the next one then; nothing if it cannot have its number. */
  #number(at: Place, version: number, row: JsonObject): JsonObject | undefined {
    const keys = seqKeys(version, row)
    const key = keys.find((one) => Object.hasOwn(row, one))
    const given = key === undefined ? undefined : row[key]
    if (key !== undefined && !isNatural(given)) {
      this.#find(at, `${key} must be the place in the log, an integer from 0, found ${shown(given)}.`)
    }
    const isPlaced = this.#place(at, isNatural(given) ? given : this.#next + this.#unread)
    return isPlaced ? without(version === FormatVersion.current ? withoutMark(row) : row, ...keys) : undefined
  }

  #place(at: Place, seq: number): boolean {
    const latest = this.#next + this.#unread
    const missing = seq - latest
    if (seq < this.#next) {
      const reason = `the events before it have the numbers 0 to ${this.#next - 1}, and it has ${seq}, out of order or once more.`
      this.findings.add(at, { kind: "surface", rule: "dense-seq", seq, reason })
      this.#unjudged += 1
      return false
    }
    if (missing <= 0) {
      this.#fill(seq)
      return true
    }
    const reason = `the next event has the number ${latest}, and it has ${seq}: ${missing === 1 ? "one is" : `${missing} are`} missing.`
    this.findings.add(at, { kind: "surface", rule: "dense-seq", seq, reason })
    const isLikely = missing <= this.#gaps
    if (isLikely) this.#gaps -= missing
    this.#fill(isLikely ? seq : latest)
    if (this.#format !== FormatVersion.current) this.#steps = undefined
    return true
  }

  #fill(seq: number): void {
    if (this.#format === FormatVersion.current) while (this.#surface.length < seq) this.#surface.pass()
    this.#next = seq
    this.#unread = 0
  }

  /** Sends events through steps, and what comes out to the surface. */
  #run(at: Place, events: ReadonlyArray<PlainEvent>, steps: ReadonlyArray<Step>, seq: number | undefined): void {
    const [step, ...others] = steps
    if (step === undefined) return events.forEach((event) => this.#judge(at, event, seq))
    for (const event of events) {
      const out = step.stage.push(event)
      if (Result.isFailure(out)) return this.#refuse(at, step.edge, out.failure.reason, seq)
      this.#run(at, out.success, others, seq)
      if (this.#steps === undefined) return
    }
  }

  #refuse(at: Place, edge: Edge, reason: string, seq: number | undefined): void {
    this.findings.add(at, { kind: "migration", seq, reason: refused(edge, reason) })
    this.#steps = undefined
  }

  #judge(at: Place, event: PlainEvent, seq: number | undefined): void {
    const problem = this.#surface.take(event)
    if (problem === undefined) return
    // Where events have other numbers than in the source, the sentence says which.
    const reason = this.#format === FormatVersion.current ? problem.reason : problem.message
    if (problem._tag === "InvalidEvent") this.findings.add(at, { kind: "event", seq, path: problem.path, reason })
    else this.findings.add(at, { kind: "surface", seq, rule: problem.rule, reason })
  }

  #end(at: Place): void {
    const steps = this.#steps ?? []
    for (const [i, { edge, stage }] of steps.entries()) {
      if (this.#steps === undefined) return
      const tail = stage.finish()
      if (Result.isFailure(tail)) return this.#refuse(at, edge, tail.failure.reason, undefined)
      this.#run(at, tail.success, steps.slice(i + 1), undefined)
    }
  }
}

const notes = { note: (): void => {} }

const refused = ({ from, to }: Edge, reason: string): string =>
  `it cannot be migrated from format ${from} to ${to}: ${reason}`

const pathOf = ({ path, reason }: { readonly path: string; readonly reason: string }) => ({ path, reason })
