/**
 * Takes the bytes of a log file as they come, and gives its lines once the append that they belong to is whole.
 *
 * Pure: a scan is a value, and pushing bytes gives the next one. It holds the unfinished line and the lines of an
 * unfinished append, and nothing of what came before.
 */
import * as Result from "effect/Result"
import { checksumOf, type Damage, findMark, type Line, matches, parse } from "./line.ts"

/** A place between two lines. */
export interface Position {
  readonly offset: number
  /** How many lines are before it. */
  readonly lines: number
  /** The CRC-32 of all bytes before it. */
  readonly checksum: number
}

/** Whether the lines have checksums. The first line decides, and all others follow it. */
export type Kind = "unknown" | "checked" | "plain"

export interface Scan {
  readonly kind: Kind
  /** The end of the last whole append. */
  readonly committed: Position
  /** The end of the last whole line. */
  readonly at: Position
  /** The lines in between, the last one first. */
  readonly pending: Pending | undefined
  /** How many lines of the append are still to come. */
  readonly more: number
  /** The bytes after the last whole line, as they came. */
  readonly rest: ReadonlyArray<Uint8Array>
}

interface Pending {
  readonly line: Line
  readonly before: Pending | undefined
}

/** What an unfinished append left at the end of a file. Nobody was told that it is there. */
export interface Torn {
  /** Where it begins, in bytes from 0. */
  readonly offset: number
  readonly bytes: number
  /** How many whole lines it has. */
  readonly lines: number
}

/** What came of some bytes: the lines of the appends that are whole now, and why the bytes after those are refused. */
export interface Step {
  readonly scan: Scan
  readonly lines: ReadonlyArray<Line>
  readonly damage: Damage | undefined
}

const origin: Position = { offset: 0, lines: 0, checksum: 0 }

export const start: Scan = { kind: "unknown", committed: origin, at: origin, pending: undefined, more: 0, rest: [] }

/** Forgets what came after the last whole append, to read it again. */
export const rewind = ({ committed, kind }: Scan): Scan => ({ ...start, kind, committed, at: committed })

const lineFeed = 10

const inOrder = (last: Pending): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let one: Pending | undefined = last; one !== undefined; one = one.before) lines.push(one.line)
  return lines.reverse()
}

const lengthOf = (parts: ReadonlyArray<Uint8Array>): number => parts.reduce((sum, part) => sum + part.length, 0)

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first, ...others] = parts
  if (first !== undefined && others.length === 0) return first
  const whole = new Uint8Array(lengthOf(parts))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** A line of a file with checksums, judged. */
interface Judged {
  readonly line: Line
  readonly more: number
  readonly checksum: number
}

const end = new Uint8Array([lineFeed])

const changed =
  "this line was changed after it was written, or one before it is gone: its checksum is not that of the file up to here"

const judge = (bytes: Uint8Array, { checksum, lines, offset }: Position): Result.Result<Judged, Damage> => {
  const refuse = (reason: string) => Result.fail({ line: lines + 1, offset, reason })
  const mark = findMark(bytes)
  if (mark === undefined) return refuse("it does not end with a checksum, as the lines before it do")
  const sum = checksumOf(bytes.subarray(0, mark.covered), checksum)
  if (!matches(mark, sum)) return refuse(changed)
  return Result.succeed({
    line: { line: lines + 1, offset, body: bytes.subarray(0, mark.body), checked: true },
    more: mark.more,
    checksum: checksumOf(end, checksumOf(bytes.subarray(mark.covered), sum))
  })
}

const kindOf = (first: Uint8Array): Kind => (findMark(first) === undefined ? "plain" : "checked")

interface Accepted {
  readonly scan: Scan
  readonly lines: ReadonlyArray<Line>
}

/** One whole line, its line feed left out. */
const accept = (scan: Scan, bytes: Uint8Array): Result.Result<Accepted, Damage> => {
  const { at } = scan
  const kind = scan.kind === "unknown" ? kindOf(bytes) : scan.kind
  const next = { offset: at.offset + bytes.length + 1, lines: at.lines + 1 }
  const refuse = (reason: string) => Result.fail({ line: next.lines, offset: at.offset, reason })
  if (kind === "plain") {
    if (findMark(bytes) !== undefined) return refuse("it ends with a checksum, and the lines before it have none")
    const position = { ...next, checksum: 0 }
    const line: Line = { line: next.lines, offset: at.offset, body: bytes, checked: false }
    return Result.succeed({ scan: { ...start, kind, committed: position, at: position }, lines: [line] })
  }
  return Result.flatMap(judge(bytes, at), ({ checksum, line, more }) => {
    if (scan.more > 0 && more !== scan.more - 1) {
      return refuse(`${scan.more} more lines of its append were to come, and it says ${more + 1}`)
    }
    const position = { ...next, checksum }
    const pending = { line, before: scan.pending }
    return Result.succeed(
      more === 0
        ? { scan: { ...start, kind, committed: position, at: position }, lines: inOrder(pending) }
        : { scan: { ...scan, kind, at: position, pending, more, rest: [] }, lines: [] }
    )
  })
}

/** Takes more bytes. They must not change any more. */
export const push = (scan: Scan, bytes: Uint8Array): Step => {
  const lines: Array<Line> = []
  let current = scan
  let from = 0
  for (let to = bytes.indexOf(lineFeed); to >= 0; to = bytes.indexOf(lineFeed, from)) {
    const accepted = accept(current, join([...current.rest, bytes.subarray(from, to)]))
    if (Result.isFailure(accepted)) return { scan: rewind(current), lines, damage: accepted.failure }
    for (const line of accepted.success.lines) lines.push(line)
    current = accepted.success.scan
    from = to + 1
  }
  if (from < bytes.length) current = { ...current, rest: [...current.rest, bytes.subarray(from)] }
  return { scan: current, lines, damage: undefined }
}

/** What the end of the file leaves: a last row of another program that has no line feed, or an unfinished append. */
export interface End {
  readonly lines: ReadonlyArray<Line>
  readonly torn: Torn | undefined
}

/** The end of the file. */
export const finish = (scan: Scan): Result.Result<End, Damage> => {
  const { at, committed, kind } = scan
  const rest = join(scan.rest)
  const bytes = at.offset - committed.offset + rest.length
  const torn = bytes === 0 ? undefined : { offset: committed.offset, bytes, lines: at.lines - committed.lines }
  if (kind === "checked") {
    // No unfinished append ends so: the line is whole, and another byte stands where its line feed was.
    const damaged = rest.length > 0 && Result.isSuccess(judge(rest.subarray(0, -1), at))
    return damaged
      ? Result.fail({ line: at.lines + 1, offset: at.offset, reason: "its line feed is overwritten" })
      : Result.succeed({ lines: [], torn })
  }
  // Other programs may have promised that a row is there once its last brace is. It can only be whole if it can be read.
  const line: Line = { line: at.lines + 1, offset: at.offset, body: rest, checked: false }
  const isRow = findMark(rest) === undefined && Result.isSuccess(parse(line))
  return Result.succeed(isRow ? { lines: [line], torn: undefined } : { lines: [], torn })
}
