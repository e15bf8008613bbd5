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

export interface Parsed<out S extends Textual> {
  readonly list: ReadonlyArray<S>
  /** The list in an array that is not frozen: reading a frozen one takes five times as long. */
  readonly sources: ReadonlyArray<S>
  /** One for each of them. */
  readonly readings: ReadonlyArray<Reading>
  /** Where the list refers to a variable, by its name, ascending. Lists that agree in all of this have the same map. */
  readonly places: ReadonlyMap<string, ReadonlyArray<number>>
}

const known = new WeakMap<Textual, Reading>()

const read = ({ interpolate, text }: Textual): Reading => {
  if (!interpolate) return text.toString()
  const segments = Template.parse(text)
  const [first, second] = segments
  if (first === undefined) return ""
  if (second === undefined && first._tag === "Literal") return first.text
  return { segments: [...segments], names: Template.references(text) }
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
export const parse = <S extends Textual>(list: ReadonlyArray<S>, before: Parsed<S> | undefined): Parsed<S> => {
  if (before?.list === list) return before
  const sources = [...list]
  const old = before?.sources.length === sources.length ? before : undefined
  const readings: Array<Reading> = []
  let agree = old !== undefined
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!
    const oldReading = old?.readings[i]
    const reading = oldReading !== undefined && old?.sources[i] === source ? oldReading : readingOf(source)
    agree &&= reading === oldReading || sameNames(namesOf(reading), namesOf(oldReading!))
    readings.push(reading)
  }
  return { list, sources, readings, places: old !== undefined && agree ? old.places : placesOf(readings) }
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
