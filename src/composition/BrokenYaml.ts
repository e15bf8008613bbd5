/**
 * What to tell the author of broken YAML: the parser's own words say what it met, not what was meant.
 *
 * @since 0.1.0
 */
import type { YAMLParseError } from "yaml"
import { lineFrom, startOfLine } from "./CodeFrame.ts"
import type { SourceFile } from "./SourceFile.ts"

/** The error at that offset in words, with what is most likely wrong with its line. */
export const explain = (source: SourceFile, error: YAMLParseError, offset: number): string => {
  const text = lineFrom(source.text, startOfLine(source.text, offset))
  if (error.code === "TAB_AS_INDENT" || /^ *\t/.test(text)) {
    return "a tab cannot indent YAML. Indent this line with spaces."
  }
  if (error.code === "RESOURCE_EXHAUSTION") return "the file is nested too deeply to be read."
  const hint = opensBraces(text) ? quoteBraces : holdsColon(text) ? quoteColon : quoteText
  return `the YAML is broken: ${error.message}. ${hint}`
}

const quoteColon = 'Text that holds ": " must be quoted: "…: …", or written under its key as a block with |-.'

const quoteText = "If this is meant as text, quote it, or write it indented under its key as a block with |-."

/** Whether a line has a second `: ` after that of its key. */
const holdsColon = (line: string): boolean => /^\s*(?:-\s+)?[\w.-]+:\s+[^\s"'{[|>&*!].*:(?:\s|$)/.test(line)

const quoteBraces = 'Text with {{…}} must be quoted: "…{{name}}…".'

/** Whether a line has `{{` outside quotes, as far as one line can tell. */
const opensBraces = (line: string): boolean => {
  const before = line.slice(0, Math.max(0, line.indexOf("{{")))
  return line.includes("{{") && [...before.matchAll(/["']/g)].length % 2 === 0
}
