/**
 * The text of a list of sections or contexts, and where in it each of them stands. Given what the list was rendered to
 * before, only what is different is rendered. Plain loops: this runs for each step of an agent, and the methods of frozen
 * arrays are slow.
 */
import * as Result from "effect/Result"
import type { Part } from "../Rendered.ts"
import type * as Template from "../Template.ts"
import { type Parsed, textOf, type Textual } from "./parsed.ts"

/**
 * What stands between two sections, and between two contexts.
 *
 * @since 0.1.0
 * @category constants
 */
export const separator = "\n\n"

/** A text and its parts. */
export interface RenderedList<S> {
  readonly text: string
  /** Frozen. */
  readonly parts: ReadonlyArray<Part<S>>
  /** For each source the index of its part, -1 for one that renders to nothing. */
  readonly indices: ReadonlyArray<number>
}

interface List<S extends Textual> {
  readonly parsed: Parsed<S>
  /** What stands before the parts, if there are any. */
  readonly heading: string
  /** Of the variables that some text refers to. */
  readonly values: Pick<Template.Values, "get">
}

/** What a list was rendered to before. */
interface Before<S extends Textual> {
  readonly rendered: RenderedList<S>
  readonly parsed: Parsed<S>
  /** The variables whose values are other ones now, that are new, or that are gone. */
  readonly changed: ReadonlyArray<string>
}

/** Fails with the first part that has a problem. */
export const renderList = <S extends Textual>(
  list: List<S>,
  before: Before<S> | undefined
): Result.Result<RenderedList<S>, S> =>
  (before === undefined ? undefined : replaceParts(list, before)) ?? renderAll(list)

// -----------------------------------------------------------------------------
// the usual case
// -----------------------------------------------------------------------------

/**
 * Renders the parts whose text or variables are different; the text in between is that of before. Gives nothing where
 * that does not do: where parts came, went, or render to nothing.
 */
const replaceParts = <S extends Textual>(
  { parsed, values }: List<S>,
  before: Before<S>
): Result.Result<RenderedList<S>, S> | undefined => {
  const { readings, sources } = parsed
  if (before.parsed.sources.length !== sources.length) return undefined
  const { indices, parts: old, text: oldText } = before.rendered
  const different = differences(parsed, before)
  if (different.length === 0) return Result.succeed(before.rendered)
  // A copy that is not frozen: reading a frozen array takes five times as long.
  const parts = [...old]
  const pieces: Array<string> = []
  let end = 0
  let shift = 0
  let next = 0
  for (let nth = 0; nth < different.length; nth++) {
    const place = different[nth]!
    const source = sources[place]!
    const text = textOf(readings[place]!, values)
    if (text === undefined) return Result.fail(source)
    const index = indices[place]!
    if (text === "" || index === -1) {
      if (text === "" && index === -1) continue
      return undefined
    }
    move(parts, next, index, shift)
    const { offset, text: was } = parts[index]!
    if (end < offset) pieces.push(oldText.slice(end, offset))
    pieces.push(text)
    end = offset + was.length
    parts[index] = partOf(source, offset + shift, text)
    shift += text.length - was.length
    next = index + 1
  }
  move(parts, next, parts.length, shift)
  if (end < oldText.length) pieces.push(oldText.slice(end))
  return Result.succeed({ text: pieces.join(""), parts: Object.freeze(parts), indices })
}

/** Moves the parts from `start` up to `end`. */
const move = <S extends Textual>(parts: Array<Part<S>>, start: number, end: number, shift: number): void => {
  if (shift === 0) return
  for (let i = start; i < end; i++) parts[i] = partOf(parts[i]!.source, parts[i]!.offset + shift, parts[i]!.text)
}

/** The places, ascending, of parts that are others now or refer to a variable that changed. */
const differences = <S extends Textual>(now: Parsed<S>, { changed, parsed }: Before<S>): ReadonlyArray<number> => {
  const [first] = changed
  const referring =
    changed.length > 1
      ? placesReferring(now, changed)
      : ((first === undefined ? undefined : now.places.get(first)) ?? noPlaces)
  if (parsed === now) return referring
  const found: Array<number> = []
  let nth = 0
  for (let i = 0; i < now.sources.length; i++) {
    const refers = referring[nth] === i
    if (refers) nth++
    if (refers || parsed.sources[i] !== now.sources[i]) found.push(i)
  }
  return found
}

const noPlaces: ReadonlyArray<number> = []

const placesReferring = ({ places }: Parsed<Textual>, names: ReadonlyArray<string>): ReadonlyArray<number> =>
  [...new Set(names.flatMap((name) => places.get(name) ?? noPlaces))].sort((a, b) => a - b)

const partOf = <S extends Textual>(source: S, offset: number, text: string): Part<S> =>
  Object.freeze({ name: source.name, order: source.order, offset, text, source })

// -----------------------------------------------------------------------------
// every case
// -----------------------------------------------------------------------------

const noParts: ReadonlyArray<never> = Object.freeze([])

const renderAll = <S extends Textual>({ heading, parsed, values }: List<S>): Result.Result<RenderedList<S>, S> => {
  const { readings, sources } = parsed
  const parts: Array<Part<S>> = []
  const indices: Array<number> = []
  const pieces: Array<string> = []
  let offset = heading.length
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!
    const text = textOf(readings[i]!, values)
    if (text === undefined) return Result.fail(source)
    indices.push(text === "" ? -1 : parts.length)
    if (text === "") continue
    pieces.push(parts.length === 0 ? heading : separator, text)
    parts.push(partOf(source, offset, text))
    offset += text.length + separator.length
  }
  return Result.succeed(
    parts.length === 0
      ? { text: "", parts: noParts, indices }
      : { text: pieces.join(""), parts: Object.freeze(parts), indices }
  )
}
