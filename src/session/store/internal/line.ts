/**
 * One line of a log file: a row, and as its last member what tells a whole row from a damaged one.
 *
 * ```
 * {"seq":7,"type":…,"data":…,"crc":"2:0a1b2c3d"}
 * ```
 *
 * The digits after the colon are the CRC-32 of every byte of the file before them, so that a line is right only where it
 * was written. The number before the colon says how many lines of the same append follow. A reader that passes over
 * members it does not know reads the row. Lines of other programs have no such member.
 */
import * as Result from "effect/Result"
import type { Json, JsonObject } from "effect/Schema"
import { crc32 } from "node:zlib"
import { describeThrown } from "../../../internal/json.ts"
import { isObject } from "../../format/plain.ts"

/** Where and why bytes are not what was written. Lines count from 1, offsets in bytes from 0. */
export interface Damage {
  readonly line: number
  readonly offset: number
  readonly reason: string
}

/** A line, without what is ours behind its last member. */
export interface Line {
  readonly line: number
  readonly offset: number
  /** The row's bytes; of a line with a checksum all but the closing brace. */
  readonly body: Uint8Array
  readonly checked: boolean
}

/** The last member of a line with a checksum. */
export interface Mark {
  /** Bytes before the checksum's digits. */
  readonly covered: number
  /** Bytes before the member. */
  readonly body: number
  readonly more: number
  readonly crc: string
}

const hex = (checksum: number): string => checksum.toString(16).padStart(8, "0")

/** An append is one array, so that its length has no more digits than this. */
const pattern = /,"crc":"(0|[1-9]\d{0,9}):([0-9a-f]{8})"\}$/

const longest = `,"crc":"${2 ** 32}:00000000"}`.length

/** `0a1b2c3d"}` */
const closing = 10

const ascii = new TextDecoder("latin1")

/** Finds the mark of a line, and does not judge it. */
export const findMark = (bytes: Uint8Array): Mark | undefined => {
  const match = pattern.exec(ascii.decode(bytes.subarray(Math.max(0, bytes.length - longest))))
  if (match === null) return undefined
  const [member, more = "", crc = ""] = match
  return { covered: bytes.length - closing, body: bytes.length - member.length, more: Number(more), crc }
}

/** The checksum of a file, given that of the bytes before these. */
export const checksumOf = (bytes: Uint8Array, before: number): number => crc32(bytes, before)

/** Whether a mark is the one that was written after bytes with this checksum. */
export const matches = (mark: Mark, checksum: number): boolean => mark.crc === hex(checksum)

/** The lines of one append after a file with this checksum, and the file's checksum after them. */
export const encode = (
  rows: ReadonlyArray<object>,
  before: number
): { readonly text: string; readonly checksum: number } => {
  let checksum = before
  let text = ""
  rows.forEach((row, i) => {
    const covered = `${JSON.stringify(row).slice(0, -1)},"crc":"${rows.length - 1 - i}:`
    checksum = crc32(covered, checksum)
    const rest = `${hex(checksum)}"}\n`
    checksum = crc32(rest, checksum)
    text += covered + rest
  })
  return { text, checksum }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text of a line's row, without the mark. */
export const textOf = ({ body, checked, line, offset }: Line): Result.Result<string, Damage> => {
  try {
    const text = strict.decode(body)
    if (text.startsWith("\uFEFF")) return Result.fail({ line, offset, reason: "it begins with a byte order mark" })
    return Result.succeed(checked ? `${text}}` : text)
  } catch {
    return Result.fail({ line, offset, reason: "it is no UTF-8" })
  }
}

/** The row of a line. */
export const parse = (self: Line): Result.Result<JsonObject, Damage> =>
  Result.flatMap(textOf(self), (text) => {
    const refuse = (reason: string) => Result.fail({ line: self.line, offset: self.offset, reason })
    try {
      const row: Json = JSON.parse(text)
      return isObject(row) ? Result.succeed(row) : refuse("it is no JSON object")
    } catch (cause) {
      return refuse(`it is no JSON: ${describeThrown(cause)}`)
    }
  })
