/** How much room a text takes on a terminal, and how to make it fit. */
import { eastAsianWidth } from "get-east-asian-width"
import { visible } from "./excerpt.ts"

// -----------------------------------------------------------------------------
// graphemes
// -----------------------------------------------------------------------------

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })

/** What a reader takes for one character: a letter with its marks, a flag, a family. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment
}

/** By the constructor, since the compiler takes the flag `v` for newer than the target. */
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, "v")

const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u
const ascii = /^[ -~]*$/u

/** Half-width Japanese sound marks belong to the character before them, but stand beside it. */
const soundMark = /[\uff9e\uff9f]/gu

/**
 * How many cells of a terminal a grapheme takes: 0, 1 or 2, and one more for each half-width sound mark. East Asian
 * wide and full-width characters take two, and so do emoji; characters of ambiguous width take one.
 */
export const widthOf = (grapheme: string): number => {
  const code = grapheme.codePointAt(0)
  if (code === undefined || invisible.test(grapheme)) return 0
  if (emoji.test(grapheme)) return 2
  const rest = grapheme.slice(code > 0xffff ? 2 : 1)
  return eastAsianWidth(code) + (rest.match(soundMark)?.length ?? 0)
}

/** How many cells of a terminal a text takes, which holds no control characters. */
export const width = (text: string): number => {
  if (ascii.test(text)) return text.length
  let sum = 0
  for (const grapheme of graphemes(text)) sum += widthOf(grapheme)
  return sum
}

// -----------------------------------------------------------------------------
// fitting
// -----------------------------------------------------------------------------

const toShown = (grapheme: string): string => (emoji.test(grapheme) ? grapheme : visible(grapheme))

/** Shows what is not to be seen or would steer the terminal as an escape. An emoji is left whole, joiners and all. */
export const printable = (text: string): string => cut(text, Infinity)

/**
 * The whole text as `printable` shows it, or as much of its beginning as fits, and `…`. It cuts between graphemes and
 * between escapes. No wider than `max`, which is at least 1.
 */
export const cut = (text: string, max: number): string => {
  const head = text.slice(0, max + 1)
  if (ascii.test(head)) return head.length <= max ? text : `${head.slice(0, max - 1)}…`
  let shown = ""
  let sum = 0
  /** What is shown of `shown` if there is no more room than for `…`. */
  let kept = 0
  for (const grapheme of graphemes(text)) {
    const next = toShown(grapheme)
    // One that stays as it is need not be taken apart again.
    sum += next === grapheme ? widthOf(grapheme) : width(next)
    if (sum > max) return `${shown.slice(0, kept)}…`
    shown += next
    if (sum < max) kept = shown.length
  }
  return shown
}

/**
 * The text in lines that are no wider than `max`, which is at least 2. Lines break at blanks, and between graphemes
 * where a word alone is too wide. Control characters are shown as escapes, line breaks too.
 */
export const wrap = (text: string, max: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  let room = max
  const flush = (): void => {
    lines.push(line)
    line = ""
    room = max
  }
  for (const word of printable(text).split(" ")) {
    const size = width(word)
    if (line !== "" && size + 1 > room) flush()
    if (line !== "") {
      line += " "
      room--
    }
    if (size <= room) {
      line += word
      room -= size
      continue
    }
    for (const grapheme of graphemes(word)) {
      const size = widthOf(grapheme)
      if (size > room) flush()
      line += grapheme
      room -= size
    }
  }
  flush()
  return lines
}
