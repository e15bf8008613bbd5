/**
 * The text of a file, and what it takes to speak of places in it.
 *
 * Two checkouts of one repository must give one prompt: a leading byte order
 * mark is dropped and CRLF is read as LF before anything else looks at a text.
 * Bytes that are not UTF-8 are refused, never replaced.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { byCodeUnits } from "../internal/codeUnits.ts"
import * as CodeFrame from "./CodeFrame.ts"
import { InvalidComposition, maxProblems, type Problem } from "./InvalidComposition.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What the path to a value is made of: keys, and indices from 0. */
export type Path = ReadonlyArray<string | number>

export interface Source {
  /** As the user would write it; `-` for standard input. */
  readonly file: string
  readonly text: string
  /** Offset of the first character of each line. */
  readonly lines: ReadonlyArray<number>
}

/** A problem before it is shown: its place is an offset into a source. */
export interface Complaint {
  readonly source: Source
  readonly offset: number
  readonly path: Path
  readonly message: string
  readonly tag?: string
  /** The value could not be read, so there is nothing more to say about it. */
  readonly final?: true
}

/**
 * The largest file that is read, a composition or one it refers to, in bytes. A prompt of this size fits no model;
 * reading it still takes less than two seconds, so a slip (a log, an archive) ends in a sentence and not in a hang.
 *
 * @since 0.1.0
 * @category models
 */
export const maxBytes = 16 * 1024 * 1024

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const linesOf = (text: string): ReadonlyArray<number> => {
  const lines = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.push(at + 1)
  return lines
}

/** Text without byte order mark and with LF alone as line break. A lone CR is no line break and stays. */
export const normalise = (text: string): string =>
  (text.startsWith("\ufeff") ? text.slice(1) : text).replaceAll("\r\n", "\n")

export const make = (file: string, text: string): Source => {
  const normal = normalise(text)
  return { file, text: normal, lines: linesOf(normal) }
}

/** Length of the longest prefix of `bytes` that is UTF-8. */
const validPrefix = (bytes: Uint8Array): number => {
  let good = 0
  let bad = bytes.length
  // Whether a prefix is valid is monotone as long as a sequence cut at its end counts as valid: `stream` does that.
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle
    }
  }
  return good
}

const notUtf8 = (bytes: Uint8Array): string => {
  const [a, b] = bytes
  const utf16 = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
  const remedy = utf16 ? "It begins like UTF-16: save it as UTF-8." : "Save it as UTF-8."
  return `the file is not UTF-8: byte ${validPrefix(bytes)} (from 0) fits no character. ${remedy}`
}

export const tooLarge = `the file is larger than ${maxBytes / 1024 / 1024} MiB, the most that is read.`

/** Bytes as text; a byte order mark stays for `normalise`. */
export const decode = (bytes: Uint8Array): Result.Result<string, string> => {
  if (bytes.length > maxBytes) {
    return Result.fail(tooLarge)
  }
  try {
    return Result.succeed(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return Result.fail(notUtf8(bytes))
  }
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** Line and column, both from 1, of an offset. */
export const positionOf = (self: Source, offset: number): { readonly line: number; readonly column: number } => {
  let low = 0
  let high = self.lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (self.lines[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - self.lines[low]! + 1 }
}

/** A line without its line break; undefined past the end. The empty line after a final line break is no line. */
export const lineAt = (self: Source, line: number): string | undefined => {
  const start = self.lines[line - 1]
  if (start === undefined || (start === self.text.length && line > 1)) return undefined
  const next = self.lines[line]
  return self.text.slice(start, next === undefined ? self.text.length : next - 1)
}

const plainKey = /^[\w-]+$/

/** A path as authors write it: `scopes.child.sections[0].order`; other keys are quoted. */
const showPath = (path: Path): string =>
  path.reduce<string>((shown, key) => {
    if (typeof key === "number") return `${shown}[${key}]`
    if (!plainKey.test(key)) return `${shown}[${JSON.stringify(key)}]`
    return shown === "" ? key : `${shown}.${key}`
  }, "")

const frameAt = (self: Source, line: number, column: number): string =>
  self.text === "" ? "" : CodeFrame.make((number) => lineAt(self, number), line, column)

/** A place as `file:line:column` over its code frame. */
export const showPlace = (self: Source, offset: number): string => {
  const { column, line } = positionOf(self, offset)
  return `${self.file}:${line}:${column}\n${frameAt(self, line, column)}`
}

const toProblem = (complaint: Complaint): Problem => {
  const { line, column } = positionOf(complaint.source, complaint.offset)
  return {
    file: complaint.source.file,
    line,
    column,
    path: showPath(complaint.path),
    message: complaint.message,
    ...(complaint.tag === undefined ? undefined : { tag: complaint.tag }),
    frame: frameAt(complaint.source, line, column)
  }
}

/** All complaints as one error: those of `main` first, then other files by name, each file from top to bottom. */
export const toError = (main: Source, complaints: ReadonlyArray<Complaint>): InvalidComposition => {
  const sorted = [...complaints].sort(
    (a, b) =>
      Number(a.source !== main) - Number(b.source !== main) ||
      byCodeUnits(a.source.file, b.source.file) ||
      a.offset - b.offset ||
      byCodeUnits(a.message, b.message)
  )
  return new InvalidComposition({
    file: main.file,
    total: sorted.length,
    problems: sorted.slice(0, maxProblems).map(toProblem)
  })
}
