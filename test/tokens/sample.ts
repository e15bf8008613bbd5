/** The texts that the estimator is measured on. None of them was used to find its constants. */
import { readFileSync } from "node:fs"

const read = (file: string): string => readFileSync(new URL(`sample/${file}`, import.meta.url), "utf8")

export const sample: ReadonlyArray<readonly [kind: string, text: string]> = [
  ["English prose", read("english.txt")],
  ["Chinese prose", read("chinese.txt")],
  ["TypeScript", read("code.ts.txt")],
  ["Tools as JSON", read("schema.json")],
  ["Guidance in Markdown", read("guidance.md")],
  ["Mixed Chinese, English and code", read("mixed.md")]
]
