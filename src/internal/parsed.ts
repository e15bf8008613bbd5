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
  /** The places in the list that refer to a variable, by its name. Lists that agree in all of them have the same map. */
  readonly places: ReadonlyMap<string, ReadonlyArray<number>>
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
  let agree = before?.list.length === list.length
  for (let i = 0; i < list.length; i++) {
    const part = list[i]!
    const old = before?.readings[i]
    const reading = old !== undefined && before?.list[i] === part ? old : readingOf(part)
    agree &&= reading === old || sameNames(namesOf(reading), namesOf(old!))
    readings.push(reading)
  }
  return { list, readings, places: before !== undefined && agree ? before.places : placesOf(readings) }
}

const none: ReadonlyArray<string> = []

const namesOf = (reading: Reading): ReadonlyArray<string> => (typeof reading === "string" ? none : reading.names)

const sameNames = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const placesOf = (readings: ReadonlyArray<Reading>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (let i = 0; i < readings.length; i++) {
    const names = namesOf(readings[i]!)
    for (let j = 0; j < names.length; j++) {
      const found = places.get(names[j]!)
      if (found === undefined) places.set(names[j]!, [i])
      else found.push(i)
    }
  }
  return places
}
