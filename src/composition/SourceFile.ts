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
import { placesIn } from "../internal/place.ts"
import * as CodeFrame from "./CodeFrame.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface SourceFile {
  /** As the user would write it; `-` for standard input. */
  readonly file: string
  readonly text: string
  /** Line and column, both from 1, of an offset. */
  readonly positionOf: ReturnType<typeof placesIn>
}

/**
 * A place in a file: `line` and `column` count from 1 (columns in UTF-16 units), and `frame` shows the lines around it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly frame: string
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

/** Text without byte order mark and with LF alone as line break. A lone CR is no line break and stays. */
const normalise = (text: string): string => (text.startsWith("\ufeff") ? text.slice(1) : text).replaceAll("\r\n", "\n")

export const make = (file: string, text: string): SourceFile => {
  const normal = normalise(text)
  return { file, text: normal, positionOf: placesIn(normal) }
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

/** Bytes as text; a byte order mark stays for `make`. */
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

/** The place of an offset. */
export const placeAt = (self: SourceFile, offset: number): Place => {
  const { line, column } = self.positionOf(offset)
  return { file: self.file, line, column, frame: self.text === "" ? "" : CodeFrame.make(self.text, offset, line) }
}
