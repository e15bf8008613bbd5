/** Why a group of a text is malformed, and what its author may have meant. */
import { isVariableName, rule } from "../VariableName.ts"
import type { Place } from "./place.ts"
import type { Malformed } from "./scan.ts"

const literally = "For literal braces set `interpolate: false`, or build the text with Template.text"

/** Longer insides are no mistyped names. */
const longestName = 64

/** Opening braces, and a word that nothing but blanks and its own brace parts from what follows. */
const opened = /\{\{\s{0,4}([A-Za-z]\w*)(?=[\s}])/uy

/** What is wrong with a malformed group of a text with these variables, and what to do. */
export const reasonOf = (
  { close, end, reason, start }: Malformed,
  text: string,
  variables: Pick<ReadonlyMap<string, unknown>, "has">,
  placeOf: (offset: number) => Place
): string => {
  if (reason === "name") {
    const inside = text.slice(start + 2, end - 2)
    const meant = inside.length <= longestName ? inside.trim().toLowerCase() : ""
    return `a variable name is ${rule}. ${isVariableName(meant) ? `Write {{${meant}}}. ` : ""}${literally}.`
  }
  const { column, line } = placeOf(close)
  const between = `a \`}}\` follows at line ${line}, column ${column}, but other braces stand between.`
  opened.lastIndex = start
  const meant = opened.exec(text)?.[1]?.toLowerCase() ?? ""
  return variables.has(meant)
    ? `${between} Write {{${meant}}}. ${literally}.`
    : `${between} ${literally}; a reference is {{name}}.`
}
