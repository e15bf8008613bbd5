/**
 * The formats of session logs: which there are, and which one a header names.
 *
 * A format is one number. It grows only when a writer begins to write what an older reader would take for something
 * else; new types of events alone do not count.
 *
 * @since 0.1.0
 */
import { clip, quoteName } from "../../internal/excerpt.ts"
import { describe } from "../../internal/json.ts"
import { currentVersion } from "../SessionHeader.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The oldest format that can be read.
 *
 * @since 0.1.0
 * @category constants
 */
export const oldest = 0

/**
 * The format that is written, and to which older ones are migrated.
 *
 * @since 0.1.0
 * @category constants
 */
export const current = currentVersion

/**
 * What a header says of the format of its log. A newer one is never read: its events may mean something else.
 *
 * @since 0.1.0
 * @category models
 */
export type Classification =
  | { readonly _tag: "Current"; readonly version: number }
  | { readonly _tag: "Older"; readonly version: number }
  | { readonly _tag: "Newer"; readonly version: number }
  | { readonly _tag: "Malformed"; readonly reason: string }

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const malformed = (reason: string): Classification => ({ _tag: "Malformed", reason })

/**
 * Judges a log by its header, the parsed first row, and by nothing else of it: no other member is looked at than `type`
 * and `version`.
 *
 * @since 0.1.0
 * @category destructors
 */
export const classify = (header: unknown): Classification => {
  if (typeof header !== "object" || header === null || Array.isArray(header)) {
    return malformed(`the first row must be the header of a session, found ${describe(header)}. Is this a session log?`)
  }
  const type: unknown = Object.getOwnPropertyDescriptor(header, "type")?.value
  if (type !== "session") {
    const found = typeof type === "string" ? quoteName(type) : describe(type)
    return malformed(`the first row must have type "session", found ${found}. Is this a session log?`)
  }
  const version: unknown = Object.getOwnPropertyDescriptor(header, "version")?.value
  if (version === undefined) {
    return malformed(`the version of the format is missing from the header. Write the one that the log has.`)
  }
  if (typeof version !== "number" || !Number.isInteger(version) || version < 0 || Object.is(version, -0)) {
    const found = clip(JSON.stringify(version) ?? describe(version), 80)
    return malformed(`the version of the format must be a number 0, 1, 2, …, found ${found}.`)
  }
  if (version === current) return { _tag: "Current", version }
  return { _tag: version < current ? "Older" : "Newer", version }
}
