/**
 * The lines for people that answers of `explain` have in common.
 *
 * @since 0.1.0
 */
import type { Place } from "../composition/SourceFile.ts"
import { wrap } from "../internal/width.ts"
import type { Origin } from "../Origin.ts"
import type { RenderError } from "../PromptError.ts"
import type * as Trace from "../Trace.ts"
import type { Explanation } from "./Explanation.ts"
import { describe, describeListener, showPlace, whyAbsent } from "./Reasons.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Options {
  readonly width: number
  readonly style: Style
  /** Where the files have what is wrong with a text. */
  readonly placesOf: (problem: RenderError) => ReadonlyArray<Place>
  /** Labels of the scopes, farthest first. */
  readonly chain: ReadonlyArray<string>
}

// -----------------------------------------------------------------------------
// layout
// -----------------------------------------------------------------------------

/** A text whose lines all begin below its first character, which stands behind the bullet. */
export const indented = (text: string, by: number, { width }: Options, bullet = ""): ReadonlyArray<string> => {
  const [first = "", ...rest] = wrap(text, Math.max(2, width - by - bullet.length))
  return [" ".repeat(by) + bullet + first, ...rest.map((line) => " ".repeat(by + bullet.length) + line)]
}

/** A title and what stands below it, if anything does. */
export const block = (title: string, lines: ReadonlyArray<string>, { style, width }: Options): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [[...wrap(title, width).map(style.bold), ...lines].join("\n")]

/** A table, if it has rows. */
export const table = (
  columns: ReadonlyArray<Table.Column>,
  rows: ReadonlyArray<ReadonlyArray<Table.Cell>>,
  options: Options
): ReadonlyArray<string> => (rows.length === 0 ? [] : [Table.render(columns, rows, options)])

// -----------------------------------------------------------------------------
// what is told
// -----------------------------------------------------------------------------

/** What every answer begins with: whose prompt it is. */
export const head = ({ composition, trace }: Explanation, { chain, width }: Options): string => {
  const sees = chain.length === 1 ? "" : ` It sees ${chain.join(" > ")}.`
  return wrap(`${composition.file}, scope ${JSON.stringify(trace.scope)}.${sees}`, width).join("\n")
}

/** Who, in a cell of a table: `global`, `child (house)`, `global via mask`. */
export const owner = ({ listener, plugin, provider, scope }: Origin): string =>
  [
    scope,
    ...(plugin === undefined ? [] : [`(${plugin})`]),
    ...(provider === undefined ? [] : [`from ${provider}`]),
    ...(listener === undefined ? [] : [`via ${listener.name}`])
  ].join(" ")

/** A contribution, what became of it, and where the files have it. */
export const entryText = (
  self: Explanation,
  { places, ...entry }: Trace.Entry & { readonly places: ReadonlyArray<Place> },
  options: Options
): string => [...indented(`${describe(entry)} ${whyAbsent(entry, self)}`, 0, options), ...placeLines(places)].join("\n")

/** The listener that had its hands on it last, if one had. */
export const lastChange = ({ listener }: Origin): ReadonlyArray<string> =>
  listener === undefined ? [] : [`Last changed by ${describeListener(listener)}.`]

export const problemLines = (problem: RenderError, options: Options): ReadonlyArray<string> => {
  const [first, ...rest] = options.placesOf(problem)
  const what = `${problem._tag}: ${problem.message}`
  return first === undefined
    ? wrap(what, options.width)
    : [...wrap(`${showPlace(first)}: ${what}`, options.width), first.frame, ...rest.map(showPlace)]
}

/** All places, and the frame of the first. */
export const placeLines = (places: ReadonlyArray<Place>): ReadonlyArray<string> =>
  places.flatMap((place, i) => [showPlace(place), ...(i === 0 ? [place.frame] : [])])
