/**
 * Lists of sections or contexts whose texts have been read. The parts of an assembly cannot change and come back as long
 * as they say the same, so each is read once.
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
  readonly list: ReadonlyArray<Textual>
  /** One for each part of the list. */
  readonly readings: ReadonlyArray<Reading>
  /** The variables that the list refers to. */
  readonly names: ReadonlySet<string>
}

const known = new WeakMap<Textual, Reading>()

const read = ({ interpolate, text }: Textual): Reading => {
  if (!interpolate) return text.toString()
  const segments = Template.parse(text)
  const [first, second] = segments
  if (first === undefined) return ""
  if (second === undefined && first._tag === "Literal") return first.text
  return { segments, names: Template.references(text) }
}

const readingOf = (part: Textual): Reading => {
  const before = known.get(part)
  if (before !== undefined) return before
  const reading = read(part)
  // What is not frozen may change.
  if (Object.isFrozen(part)) known.set(part, reading)
  return reading
}

/** Reads all texts of a list; those that stand where they stood before need no reading. */
export const parse = (list: ReadonlyArray<Textual>, before: Parsed | undefined): Parsed => {
  if (before?.list === list) return before
  const readings: Array<Reading> = []
  const names = new Set<string>()
  for (let i = 0; i < list.length; i++) {
    const part = list[i]!
    const reading = before?.list[i] === part ? before.readings[i]! : readingOf(part)
    readings.push(reading)
    if (typeof reading !== "string") for (let j = 0; j < reading.names.length; j++) names.add(reading.names[j]!)
  }
  return { list, readings, names }
}
