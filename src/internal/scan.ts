/** The scanner of the template language: cuts a text into literal parts, references and malformed groups. */
import { isVariableName } from "../VariableName.ts"
import { clip, lineStart } from "./excerpt.ts"

/**
 * Text that stands for itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Literal {
  readonly _tag: "Literal"
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * `{{name}}`: stands for the value of a variable.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reference<out Name extends string = string> {
  readonly _tag: "Reference"
  readonly start: number
  readonly end: number
  readonly name: Name
}

/**
 * An opening `{{` that is neither literal nor a reference.
 *
 * - `reason: "braces"`: other braces stand between it and the next `}}`. The segment is the two braces, since what
 *   follows is read on its own; `group` shows at most 16 characters of the line from there, and `…` where it goes on.
 * - `reason: "name"`: a closed group whose inside is no variable name. The segment is the group, and `group` shows it,
 *   at most 80 characters.
 *
 * `close` is the offset of that `}}`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly start: number
  readonly end: number
  readonly group: string
  readonly reason: "braces" | "name"
  readonly close: number
}

/**
 * A part of a text. `start` and `end` are offsets into it, in UTF-16 units from 0; `end` is exclusive.
 *
 * @since 0.1.0
 * @category models
 */
export type Segment = Literal | Reference | Malformed

/** What the scanner needs of a text. A string has it; a test can pass a reader that counts what is read. */
export type Source = Pick<string, "length" | "charCodeAt" | "indexOf" | "slice">

const openBrace = 0x7b
const closeBrace = 0x7d

/** Whether no brace stands from `start` up to `end`. Reads no further than the first one, so that scanning stays linear. */
const braceless = (text: Source, start: number, end: number): boolean => {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === openBrace || code === closeBrace) return false
  }
  return true
}

/** The segment that begins with the `{{` at `start`, given the first `}}` after these two braces. */
const groupAt = (text: Source, start: number, close: number): Reference | Malformed => {
  const inside = start + 2
  if (!braceless(text, inside, close)) {
    return { _tag: "Malformed", start, end: inside, group: lineStart(text, start, 16), reason: "braces", close }
  }
  const end = close + 2
  const name = text.slice(inside, close)
  return isVariableName(name)
    ? { _tag: "Reference", start, end, name }
    : { _tag: "Malformed", start, end, group: clip(text.slice(start, end), 80), reason: "name", close }
}

/**
 * All segments of a text, without gaps and in order. Total: whatever the text, this neither fails nor throws.
 *
 * Linear: `close` only moves forward and is looked for again only beyond where it was, and a group is read up to its
 * first brace, where the next search begins.
 */
export const scan = (text: Source): ReadonlyArray<Segment> => {
  const segments: Array<Segment> = []
  let done = 0
  let close = 0
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", done)) {
    if (close < open + 2) close = text.indexOf("}}", open + 2)
    // Nothing closes this group or any later one, so the rest is literal.
    if (close === -1) break
    if (done < open) segments.push({ _tag: "Literal", start: done, end: open, text: text.slice(done, open) })
    const group = groupAt(text, open, close)
    segments.push(group)
    done = group.end
  }
  if (done < text.length) segments.push({ _tag: "Literal", start: done, end: text.length, text: text.slice(done) })
  return segments
}
