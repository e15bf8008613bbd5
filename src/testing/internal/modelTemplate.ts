/**
 * The template reader of the reference model, from the scanner rules of the behaviour specification (`spec` §12).
 */
import type { Template, Text } from "../../Template.ts"

/**
 * spec §4: whether variables can have that name.
 */
export const isVariableName = (name: string): boolean => /^[a-z][a-z0-9_]*$/.test(name)

/**
 * A Template with each reference replaced; its literal parts are never scanned (design §4 "Kept on purpose").
 */
export const fill = (template: Template, reference: (name: string) => string): string =>
  template.segments.map((one) => (one._tag === "Literal" ? one.text : reference(one.name))).join("")

/**
 * A text as it is rendered. `value` and `malformed` throw what is wrong, and what is leftmost is met first.
 */
export const interpolate = (text: Text, value: (name: string) => string, malformed: () => never): string => {
  if (typeof text === "object") return fill(text, value)
  const at = text.indexOf("{{")
  // "Single `{`, `}` and stray `}}` are literal."
  if (at < 0) return text
  const before = text.slice(0, at)
  const rest = text.slice(at + 2)
  // "`{{`, then zero or more characters none of which is `{` or `}`, then `}}`."
  const simple = /^([^{}]*)\}\}/.exec(rest)
  if (simple === null) {
    // Rule 1: malformed if a `}}` stands anywhere behind it, else text, and the scan goes on behind the `{{`.
    return rest.includes("}}") ? malformed() : `${before}{{${interpolate(rest, value, malformed)}`
  }
  const [group, name = ""] = simple
  // Rules 2 to 5: the value is not scanned, and the scan goes on behind the group.
  const replaced = isVariableName(name) ? value(name) : malformed()
  return before + replaced + interpolate(rest.slice(group.length), value, malformed)
}
