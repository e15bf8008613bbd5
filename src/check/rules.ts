/**
 * The table of the rules.
 *
 * @since 0.1.0
 */
import { literalReferences, nearMissBraces } from "./braces.ts"
import { invisibleCharacters, loneSurrogates } from "./characters.ts"
import type { Code } from "./Code.ts"
import { hiddenTools, unknownRequiredTools } from "./mentions.ts"
import { nearDuplicateNames } from "./names.ts"
import { invalidParameters } from "./parameters.ts"
import type { Rule } from "./Subject.ts"
import { blankTexts, duplicateTexts, trailingNewlines } from "./texts.ts"
import { duplicateTools, toolNames } from "./tools.ts"
import { unusedVariables, variablesWithoutValue } from "./variables.ts"
import { volatileTexts } from "./volatile.ts"
import { snapshotHeadings, wrapperTags } from "./wrappers.ts"

/** What an assembly alone does not show is judged where the files are known. */
type CodeOfFiles = "duplicate-source" | "unused-silence"

export const rules: Readonly<Record<Exclude<Code, CodeOfFiles>, Rule>> = {
  "unused-variable": unusedVariables,
  "variable-without-value": variablesWithoutValue,
  "blank-text": blankTexts,
  "trailing-newline": trailingNewlines,
  "duplicate-text": duplicateTexts,
  "near-duplicate-name": nearDuplicateNames,
  "duplicate-tool": duplicateTools,
  "tool-name": toolNames,
  "invalid-parameters": invalidParameters,
  "hidden-tool": hiddenTools,
  "unknown-required-tool": unknownRequiredTools,
  "volatile-text": volatileTexts,
  "invisible-character": invisibleCharacters,
  "lone-surrogate": loneSurrogates,
  "near-miss-braces": nearMissBraces,
  "literal-reference": literalReferences,
  "wrapper-tag": wrapperTags,
  "snapshot-heading": snapshotHeadings
}
