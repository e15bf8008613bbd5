/** Counterexamples as text: what is absent is left out, and what is short stands on one line. */
import * as Cause from "effect/Cause"
import * as Template from "../../Template.ts"
import { describeCause } from "../../Owner.ts"

const width = 100

/** Any data, as an author of JavaScript would write it. Total: what is no data is named by its kind. */
export const show = (value: unknown): string => showAt(value, "", new Set())

const showAt = (value: unknown, indent: string, above: ReadonlySet<unknown>): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (typeof value === "function") return "[function]"
  if (typeof value !== "object" || value === null) return String(value)
  if (above.has(value)) return "[itself]"
  if (Template.isTemplate(value)) return `Template(${JSON.stringify(value.toString())})`
  const inside = new Set([...above, value])
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => showAt(item, deeper, inside))
    return bracket("[", items, "]", indent)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return `[${value.constructor.name}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${keyOf(key)}: ${showAt(member, deeper, inside)}`)
  return bracket("{", members, "}", indent)
}

const keyOf = (key: string): string => (/^[a-z_$][\w$]*$/iu.test(key) ? key : JSON.stringify(key))

const bracket = (open: string, items: ReadonlyArray<string>, close: string, indent: string): string => {
  if (items.length === 0) return open + close
  const pad = open === "{" ? " " : ""
  const line = `${open}${pad}${items.join(", ")}${pad}${close}`
  if (indent.length + line.length <= width && !line.includes("\n")) return line
  return `${open}\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${close}`
}

/** What a cause came from, in one line: a typed failure before a defect before an interruption. */
export const showCause = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "it was interrupted"
  const error = Cause.squash(cause)
  const tag =
    typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
      ? error._tag
      : error instanceof Error
        ? error.name
        : typeof error
  return `it ${Cause.hasFails(cause) ? "failed" : "died"} with ${tag}: ${describeCause(error)}`
}
