/**
 * Lists of sections or contexts whose texts have been read. Parts of an assembly and their lists cannot change and come
 * back as long as they say the same, so each is read once.
 */
import type * as Origin from "../Origin.ts"
import * as Template from "../Template.ts"

/** What sections and contexts have in common. */
export interface Textual {
  readonly name: string
  readonly order: number
  readonly text: Template.Text
  readonly interpolate: boolean
  readonly origin: Origin.Origin
}

/** A text that refers to nothing, as it is; or what it is made of. */
export type Reading = string | Interpolated

export interface Interpolated {
  readonly segments: ReadonlyArray<Template.Segment>
  /** The variables that it refers to. */
  readonly names: ReadonlyArray<string>
}

export interface Parsed {
  /** One for each part of the list. */
  readonly readings: ReadonlyArray<Reading>
  /** The variables that the list refers to. */
  readonly names: ReadonlySet<string>
}

const readings = new WeakMap<Textual, Reading>()

const read = ({ interpolate, text }: Textual): Reading => {
  if (!interpolate) return text.toString()
  const segments = Template.parse(text)
  const [first, second] = segments
  if (first === undefined) return ""
  if (second === undefined && first._tag === "Literal") return first.text
  return { segments, names: Template.references(text) }
}

const readingOf = (part: Textual): Reading => {
  const known = readings.get(part)
  if (known !== undefined) return known
  const reading = read(part)
  // What is not frozen may change.
  if (Object.isFrozen(part)) readings.set(part, reading)
  return reading
}

const lists = new WeakMap<ReadonlyArray<Textual>, Parsed>()

/** The texts of a list, and the variables that they refer to. */
export const parsedOf = (list: ReadonlyArray<Textual>): Parsed => {
  const known = lists.get(list)
  if (known !== undefined) return known
  const all = list.map(readingOf)
  const names = new Set<string>()
  for (const reading of all) {
    if (typeof reading !== "string") for (const name of reading.names) names.add(name)
  }
  const parsed: Parsed = { readings: all, names }
  if (Object.isFrozen(list)) lists.set(list, parsed)
  return parsed
}
