/**
 * The tools of one name, in detail: every registration, whether it is shown, and who keeps it from that.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { placesOfEntry } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { hidersOf } from "../internal/hiders.ts"
import { ownerFields } from "../PromptError.ts"
import type * as Trace from "../Trace.ts"
import type { Explanation, Row } from "./Explanation.ts"
import { block, entryText, head, indented, lastChange, type Options } from "./ExplanationLines.ts"
import { count, percent } from "./Numbers.ts"
import { whyHidden } from "./Reasons.ts"
import * as Tokens from "./Tokens.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface ToolDetail {
  readonly name: string
  /** The nearest first. */
  readonly entries: ReadonlyArray<Trace.Entry & { readonly places: ReadonlyArray<Place> }>
  /** Those that the model sees: mostly one, or none. */
  readonly shown: ReadonlyArray<{ readonly index: number; readonly row: Row }>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** The tools of that name; nothing if nobody knows one. */
export const make = ({ composition, tools, trace }: Explanation, name: string): Option.Option<ToolDetail> => {
  const entries = trace.entries.filter((entry) => entry.kind === "tool" && entry.name === name)
  const shown = tools.flatMap((row, index) => (row.name === name ? [{ index, row }] : []))
  if (entries.length + shown.length + hidersOf(trace.entries, name).length === 0) return Option.none()
  return Option.some({
    name,
    entries: entries.map((entry) => ({
      ...entry,
      // What a provider with a name gives is none of the file's tools.
      places:
        entry.provider === undefined ? placesOfEntry(composition, ownerFields({ ...entry, entry: entry.name })) : []
    })),
    shown
  })
}

/** The names of all tools that are shown or hidden here. */
export const names = ({ tools, trace }: Explanation): ReadonlyArray<string> => [
  ...new Set([
    ...tools.map(({ name }) => name),
    ...trace.entries.flatMap(({ hidden = [], kind, name }) => (kind === "tool" ? [name] : hidden))
  ])
]

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** For people. */
export const toText = (self: Explanation, { entries, name, shown }: ToolDetail, options: Options): string =>
  [
    head(self, options),
    ...entries.map((entry) => entryText(self, entry, options)),
    // A provider may know a tool and not give it.
    ...(entries.length + shown.length === 0
      ? [indented(`tool ${JSON.stringify(name)} is not shown: ${whyHidden(name, self)}`, 0, options).join("\n")]
      : []),
    ...block(
      "SHOWN",
      shown.flatMap((one) => shownLines(one, options)),
      options
    )
  ].join("\n\n")

const shownLines = ({ index, row }: ToolDetail["shown"][number], options: Options): ReadonlyArray<string> =>
  [
    `number ${index + 1} of the tools: ${count(row.characters, "character")}, ${Tokens.show(row.tokens)} tokens, ${percent(row.share)} of the cached prefix.`,
    ...lastChange(row.origin)
  ].flatMap((line) => indented(line, 0, options))
