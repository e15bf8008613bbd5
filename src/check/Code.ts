/**
 * The codes of all warnings. They are part of the format: a composition silences a warning by its code.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What each warning means, by code, in the order in which the rules are run.
 *
 * @since 0.1.0
 * @category models
 */
export const codes = Object.freeze({
  "unused-variable": "No text refers to the variable.",
  "variable-without-value": "A text that is left out now refers to a variable that has no value.",
  "blank-text": "A text is nothing but white space, and takes its place in the prompt all the same.",
  "trailing-newline": "A text ends with line breaks, which widen the blank line after it.",
  "duplicate-text": "Two sections, or two contexts, say the same.",
  "duplicate-source": "One file is the text of two sections, or of two contexts.",
  "near-duplicate-name": "Two names look alike and are not the same, so that neither shadows the other.",
  "duplicate-tool": "Two tools have one name, which every model provider refuses.",
  "tool-name": "Model providers refuse the name of the tool.",
  "invalid-parameters": "The parameters of the tool are no valid JSON Schema, or none that a model provider takes.",
  "hidden-tool": "A text mentions a tool that the model is not shown.",
  "unknown-required-tool": "A section requires a tool that nobody has, but a tool has a name much like it.",
  "volatile-text": "The cached prefix holds text that is not the same on every request or machine.",
  "invisible-character": "A text holds characters that a reader does not see, or that change the direction of others.",
  "lone-surrogate": "A text holds half of a surrogate pair, which cannot be sent.",
  "near-miss-braces": "Braces around the name of a variable are no reference, but look like one.",
  "literal-reference": "The model sees a reference as it is written, since it stands where nothing is interpolated.",
  "wrapper-tag": "A context holds a tag by which a model tells who speaks.",
  "snapshot-heading": "A context says what the heading of a snapshot says.",
  "unused-silence": "An entry of `silence` silences no warning."
})

/**
 * The code of a warning.
 *
 * @since 0.1.0
 * @category models
 */
export type Code = keyof typeof codes

const isCode = (name: string): name is Code => Object.hasOwn(codes, name)

/**
 * The code of a warning.
 *
 * @since 0.1.0
 * @category models
 */
export const Code = Schema.Literals(Object.keys(codes).filter(isCode))
