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

/** A text that refers to nothing, as it is; or what it is made of; or that a malformed group keeps it from rendering. */
type Reading = string | Interpolated | typeof malformed

/** Text at even places, the names of variables at odd ones. */
type Interpolated = ReadonlyArray<string>

const malformed = Symbol("malformed")

/** What the texts of a list are made of. */
interface Readings {
  /** One for each part of the list. */
  readonly readings: ReadonlyArray<Reading>
  /** Where the list refers to a variable, by its name, ascending. Lists that agree in all of this have the same map. */
  readonly places: ReadonlyMap<string, ReadonlyArray<number>>
}

export interface Parsed<out S extends Textual> extends Readings {
  readonly list: ReadonlyArray<S>
  /** The list in an array that is not frozen: reading a frozen one takes five times as long. */
  readonly sources: ReadonlyArray<S>
  /** Whether nothing of it can change. */
  readonly isFixed: boolean
}

const known = new WeakMap<Textual, Reading>()

const read = ({ interpolate, text }: Textual): Reading => {
  if (!interpolate) return text.toString()
  const pieces = [""]
  for (const segment of Template.parse(text)) {
    if (segment._tag === "Malformed") return malformed
    if (segment._tag === "Reference") pieces.push(segment.name, "")
    else pieces[pieces.length - 1] += segment.text
  }
  // Without the room that the pieces grew into.
  return pieces.length === 1 ? pieces[0]! : pieces.slice()
}

const readingOf = (part: Textual): Reading => {
  const before = known.get(part)
  if (before !== undefined) return before
  const reading = read(part)
  // What is not frozen may change.
  if (Object.isFrozen(part)) known.set(part, reading)
  return reading
}

/** Lists that were read without knowing what stood where before. */
const knownLists = new WeakMap<ReadonlyArray<Textual>, Readings>()

/** Reads all texts of a list; those that stand where they stood before need no reading. `before` is fixed. */
export const parse = <S extends Textual>(list: ReadonlyArray<S>, before: Parsed<S> | undefined): Parsed<S> => {
  if (before?.list === list) return before
  const sources = [...list]
  if (before !== undefined) return parseAfter(list, sources, before)
  const held = knownLists.get(list)
  if (held !== undefined) return { list, sources, ...held, isFixed: true }
  const readings = sources.map(readingOf)
  const all = { readings, places: placesOf(readings) }
  const isFixed = Object.isFrozen(list) && sources.every(Object.isFrozen)
  if (isFixed) knownLists.set(list, all)
  return { list, sources, ...all, isFixed }
}

const parseAfter = <S extends Textual>(
  list: ReadonlyArray<S>,
  sources: ReadonlyArray<S>,
  before: Parsed<S>
): Parsed<S> => {
  const readings: Array<Reading> = []
  let agree = before.sources.length === sources.length
  let isFixed = Object.isFrozen(list)
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!
    const old = before.readings[i]
    if (old !== undefined && before.sources[i] === source) {
      readings.push(old)
      continue
    }
    const reading = readingOf(source)
    isFixed &&= Object.isFrozen(source)
    agree &&= sameNames(interpolated(reading), interpolated(old!))
    readings.push(reading)
  }
  return { list, sources, readings, places: agree ? before.places : placesOf(readings), isFixed }
}

const noText: Interpolated = [""]

const interpolated = (reading: Reading): Interpolated => (typeof reading === "object" ? reading : noText)

/** Whether two texts refer to the same variables, one after the other. */
const sameNames = (a: Interpolated, b: Interpolated): boolean => {
  if (a.length !== b.length) return false
  for (let i = 1; i < a.length; i += 2) if (a[i] !== b[i]) return false
  return true
}

const placesOf = (readings: ReadonlyArray<Reading>): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (let i = 0; i < readings.length; i++) {
    const pieces = interpolated(readings[i]!)
    for (let j = 1; j < pieces.length; j += 2) {
      const found = places.get(pieces[j]!)
      if (found === undefined) places.set(pieces[j]!, [i])
      else if (found.at(-1) !== i) found.push(i)
    }
  }
  return places
}

/** The text with all values, or nothing if something keeps it from rendering. */
export const textOf = (reading: Reading, values: Pick<Template.Values, "get">): string | undefined => {
  if (typeof reading === "string") return reading
  if (reading === malformed) return undefined
  let text = reading[0]!
  for (let i = 1; i < reading.length; i += 2) {
    const value = values.get(reading[i]!)
    if (value === undefined) return undefined
    text += value
    text += reading[i + 1]!
  }
  return text
}
