/**
 * The lines of a log file, however damaged it is.
 *
 * What reads a log stops at the first damage. This goes on behind it, to find out how much is damaged: each checksum is
 * judged against the one of the line before, as that is written, so that one damaged line is one finding.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { checksumOf, findMark, type Mark, matches, parse, textOf } from "../session/store/internal/line.ts"
import type { Kind, LogFinding } from "./LogFinding.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A line of the log, without its checksum. */
export interface Row {
  readonly line: number
  readonly offset: number
  /** Nothing if it is no text, which was found then. */
  readonly text: string | undefined
}

/** What became certain with some bytes. */
export interface Read {
  readonly rows: ReadonlyArray<Row>
  readonly findings: ReadonlyArray<LogFinding>
}

// -----------------------------------------------------------------------------
// bytes
// -----------------------------------------------------------------------------

const lineFeed = 10

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first, ...others] = parts
  if (first !== undefined && others.length === 0) return first
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

const utf8 = new TextEncoder()

/** The checksum of a file after a line that ends with a checksum: this one, if it is not damaged. */
const after = (checksum: number): number =>
  checksumOf(utf8.encode(`${checksum.toString(16).padStart(8, "0")}"}\n`), checksum)

// -----------------------------------------------------------------------------
// lines
// -----------------------------------------------------------------------------

/** Takes the bytes of a file as they come. They must not change any more. */
export class LogLines {
  #rest: Array<Uint8Array> = []
  #line = 0
  #offset = 0
  #kind: "unknown" | "checked" | "plain" = "unknown"
  /** What the checksum of all bytes so far may be. Nothing is known of it after a line that has none. */
  #checksums: ReadonlyArray<number> = [0]
  /** The lines of an append that is not whole yet, and how many are to come. */
  #pending: Array<Row> = []
  #more = 0
  /** Where the last whole append ends. */
  #committed = { line: 0, offset: 0 }

  #rows: Array<Row> = []
  #findings: Array<LogFinding> = []

  push(bytes: Uint8Array): Read {
    let from = 0
    for (let to = bytes.indexOf(lineFeed); to >= 0; to = bytes.indexOf(lineFeed, from)) {
      this.#rest.push(bytes.subarray(from, to))
      const line = join(this.#rest)
      this.#rest = []
      this.#take(line)
      from = to + 1
    }
    if (from < bytes.length) this.#rest.push(bytes.subarray(from))
    return this.#flush()
  }

  /** The last line so far. */
  get end(): Pick<Row, "line" | "offset"> {
    return { line: Math.max(1, this.#line), offset: this.#committed.offset }
  }

  /** The end of the file. */
  finish(): Read {
    const rest = join(this.#rest)
    const at = { line: this.#line + 1, offset: this.#offset }
    if (this.#kind === "checked" && findMark(rest.subarray(0, -1)) !== undefined) {
      this.#find("checksum", at, "its line feed is overwritten.")
      this.#take(rest.subarray(0, -1))
    } else if (this.#kind !== "checked" && isWhole(rest)) this.#take(rest)
    else if (rest.length > 0 || this.#pending.length > 0) {
      const bytes = this.#offset + rest.length - this.#committed.offset
      const { line, offset } = this.#committed
      const reason = `the last ${bytes} bytes are of an append that was not finished. Nobody was told that it is there, and the next writer cuts it off.`
      this.#find("torn", { line: line + 1, offset }, reason)
    }
    return this.#flush()
  }

  #flush(): Read {
    const read = { rows: this.#rows, findings: this.#findings }
    this.#rows = []
    this.#findings = []
    return read
  }

  #find(kind: Kind, { line, offset }: Pick<Row, "line" | "offset">, reason: string): void {
    this.#findings.push({ kind, line, offset, reason })
  }

  #take(bytes: Uint8Array): void {
    const at = { line: (this.#line += 1), offset: this.#offset }
    this.#offset += bytes.length + 1
    const mark = findMark(bytes)
    if (this.#kind === "unknown") this.#kind = mark === undefined ? "plain" : "checked"
    if (this.#kind === "plain" && mark !== undefined) {
      this.#find("checksum", at, "it ends with a checksum, and the lines before it have none.")
      this.#kind = "checked"
      this.#checksums = []
    }
    if (this.#kind === "checked") this.#judge(at, bytes, mark)
    const body = mark === undefined ? bytes : bytes.subarray(0, mark.body)
    const text = textOf({ ...at, body, checked: mark !== undefined })
    if (Result.isFailure(text)) this.#find("row", at, `${text.failure.reason}.`)
    this.#pending.push({ ...at, text: Result.getOrUndefined(text) })
    if (this.#more > 0) return
    for (const row of this.#pending) this.#rows.push(row)
    this.#pending = []
    this.#committed = { line: this.#line, offset: this.#offset }
  }

  #judge(at: Pick<Row, "line" | "offset">, bytes: Uint8Array, mark: Mark | undefined): void {
    if (mark === undefined) {
      this.#find("checksum", at, "it does not end with a checksum, as others do.")
      this.#checksums = []
      this.#more = Math.max(0, this.#more - 1)
      return
    }
    const sums = this.#checksums.map((before) => checksumOf(bytes.subarray(0, mark.covered), before))
    const isRight = sums.length === 0 || sums.some((sum) => matches(mark, sum))
    const claimed = after(Number.parseInt(mark.crc, 16))
    // Either the checksum is damaged or what is before it, such as the number of lines to come.
    this.#checksums = isRight ? [claimed] : [claimed, ...sums.map(after)]
    const expected = this.#more - 1
    this.#more = isRight ? mark.more : Math.max(0, expected)
    if (!isRight) this.#find("checksum", at, "its checksum is not that of the file up to here.")
    else if (expected >= 0 && mark.more !== expected) {
      this.#find("checksum", at, `${expected + 1} more lines of its append were to come, and it says ${mark.more + 1}.`)
    }
  }
}

/** Other programs may leave out the last line feed. */
const isWhole = (rest: Uint8Array): boolean =>
  rest.length > 0 &&
  findMark(rest) === undefined &&
  Result.isSuccess(parse({ line: 0, offset: 0, body: rest, checked: false }))
