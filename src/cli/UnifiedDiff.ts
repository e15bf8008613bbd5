/**
 * Two texts as a unified diff, for a terminal.
 *
 * @since 0.1.0
 */
import * as TextDiff from "effect/TextDiff"
import { visible } from "../internal/excerpt.ts"
import type { Style } from "./Style.ts"
import { wrapLine } from "./TextLines.ts"

interface Options {
  readonly width: number
  readonly style: Style
}

/** A diff with more edits than this helps nobody; beyond it a cheaper, longer one is good enough. */
const maxEdits = 1_000

/** A text that ends with a line break ends with an empty line. */
const linesOf = (text: string, show: (line: string) => string): ReadonlyArray<string> =>
  text === "" ? [] : text.split("\n").map((line) => `${show(line)}\n`)

const diff = (before: string, after: string, show: (line: string) => string): string =>
  TextDiff.unified(TextDiff.diff(linesOf(before, show), linesOf(after, show), { maxEdits }))

const same = (text: string): string => text

/** As it is, for programs. Nothing if the texts are the same. */
export const raw = (before: string, after: string): string => diff(before, after, same)

/** What a terminal would obey is shown, before anything is compared. */
export const lines = (before: string, after: string, options: Options): ReadonlyArray<string> =>
  diff(before, after, visible)
    .trimEnd()
    .split("\n")
    .flatMap((line) => wrapped(line, options))

/** What does not fit goes on in further lines under the same sign. */
const wrapped = (line: string, { style, width }: Options): ReadonlyArray<string> => {
  if (line.startsWith("@@")) return [style.cyan(line)]
  const [sign, paint] = [line.slice(0, 1), line.startsWith("-") ? style.red : line.startsWith("+") ? style.green : same]
  return wrapLine(line.slice(1), width - 1).map((piece) => paint((sign + piece).trimEnd()))
}
