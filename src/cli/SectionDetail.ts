/**
 * One section, or context, in detail: every contribution of its name, what is shown of it, and what it refers to.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { Composition } from "../composition/Composition.ts"
import { placesOfEntry, placesOfText } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import type { Origin } from "../Origin.ts"
import { ownerFields, type RenderError } from "../PromptError.ts"
import * as Template from "../Template.ts"
import type * as Trace from "../Trace.ts"
import type { Explanation, Row } from "./Explanation.ts"
import {
  block,
  entryText,
  head,
  indented,
  lastChange,
  type Options,
  owner,
  problemLines,
  table
} from "./ExplanationLines.ts"
import { count, grouped, percent } from "./Numbers.ts"
import { showPlace } from "./Reasons.ts"
import * as TextLines from "./TextLines.ts"
import * as Tokens from "./Tokens.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Reference {
  readonly name: string
  readonly value: string | undefined
  /** None if nobody registers it. */
  readonly origin: Origin | undefined
  /** Where the value is, if the composition has it. */
  readonly place: Place | undefined
}

export interface Detail {
  readonly kind: "section" | "context"
  readonly name: string
  /** The nearest first. */
  readonly entries: ReadonlyArray<Trace.Entry & { readonly places: ReadonlyArray<Place> }>
  readonly shown: { readonly index: number; readonly row: Row; readonly requires: ReadonlyArray<string> } | undefined
  /** As it is in the assembly, or was before it was left out; not interpolated. */
  readonly text: string | undefined
  readonly references: ReadonlyArray<Reference>
  readonly problems: ReadonlyArray<RenderError>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** The section of that name, or the context if no section has it. */
export const make = (self: Explanation, name: string): Option.Option<Detail> =>
  Option.orElse(detailOf(self, "section", name), () => detailOf(self, "context", name))

const detailOf = (self: Explanation, kind: Detail["kind"], name: string): Option.Option<Detail> => {
  const { composition, trace } = self
  const entries = trace.entries.filter((entry) => entry.kind === kind && entry.name === name)
  const parts = kind === "section" ? trace.assembly.sections : trace.assembly.contexts
  const part = parts.find((one) => one.name === name)
  if (entries.length === 0 && part === undefined) return Option.none()
  const rows = kind === "section" ? self.sections : self.contexts
  const index = rows.findIndex((row) => row.name === name)
  const row = rows[index]
  const text = part?.text ?? entries[0]?.text ?? textIn(composition, entries[0])
  const interpolate = part?.interpolate ?? true
  return Option.some({
    kind,
    name,
    entries: entries.map((entry) => ({ ...entry, places: placesOfEntry(composition, ownerOf(entry)) })),
    shown: row === undefined ? undefined : { index, row, requires: requiresOf(trace, kind, name) },
    text: text?.toString(),
    references:
      text === undefined || !interpolate ? [] : Template.references(text).map((one) => toReference(self, one)),
    problems: self.problems.filter((problem) => problem.kind === kind && problem.entry === name)
  })
}

const requiresOf = ({ assembly }: Trace.Trace, kind: Detail["kind"], name: string): ReadonlyArray<string> =>
  (kind === "section" ? assembly.sections.find((section) => section.name === name)?.requires : undefined) ?? []

const ownerOf = ({ kind, name, plugin, scope }: Trace.Entry) => ownerFields({ kind, entry: name, scope, plugin })

/** What never ran may still be in the file. */
export const textIn = (composition: Composition, entry: Trace.Entry | undefined): string | undefined => {
  if (entry === undefined || entry.plugin !== undefined) return undefined
  const contents = [composition.global, ...composition.scopes].find((one) => one.scope === entry.scope)
  const list = entry.kind === "section" ? contents?.sections : entry.kind === "context" ? contents?.contexts : undefined
  return list?.find((one) => one.value.name === entry.name)?.text.text
}

const toReference = ({ composition, trace }: Explanation, name: string): Reference => {
  const variable = trace.assembly.variables.find((one) => one.name === name)
  if (variable === undefined) return { name, value: undefined, origin: undefined, place: undefined }
  const { origin, value } = variable
  const owner = ownerFields({ kind: "variable", entry: name, scope: origin.scope, plugin: origin.plugin })
  const [place] = placesOfText(composition, owner, value ?? "", 0)
  return { name, value, origin, place }
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** For people. */
export const toText = (self: Explanation, detail: Detail, options: Options): string =>
  [
    head(self, options),
    ...detail.entries.map((entry) => entryText(self, entry, options)),
    ...block("SHOWN", detail.shown === undefined ? [] : shownLines(detail.shown, detail.kind, options), options),
    ...block("REFERENCES", referenceTable(detail, options), options),
    ...block("TEXT: as it was written", detail.text === undefined ? [] : textLines(detail.text, options), options),
    ...block(
      "DOES NOT RENDER",
      detail.problems.flatMap((problem) => problemLines(problem, options)),
      options
    )
  ].join("\n\n")

const shownLines = (
  { index, requires, row }: NonNullable<Detail["shown"]>,
  kind: Detail["kind"],
  options: Options
): ReadonlyArray<string> => {
  const [document, whole] =
    kind === "section" ? ["the prompt", "the cached prefix"] : ["the snapshot of the contexts", "the tail"]
  const place = `number ${index + 1} of ${document}, order ${row.order}, at offset ${grouped(row.offset ?? 0)}`
  const size = `${count(row.characters, "character")}, ${Tokens.show(row.tokens)} tokens, ${percent(row.share)} of ${whole}`
  return [
    `${place}: ${size}.`,
    ...lastChange(row.origin),
    ...(requires.length === 0 ? [] : [`It requires tools, which are there: ${requires.join(", ")}.`])
  ].flatMap((line) => indented(line, 0, options))
}

const referenceTable = ({ references }: Detail, options: Options): ReadonlyArray<string> =>
  table(
    [
      { title: "variable", shrink: true },
      { title: "value", shrink: true },
      { title: "owner", shrink: true },
      { title: "at" }
    ],
    references.map(({ name, origin, place, value }) => [
      `{{${name}}}`,
      value === undefined
        ? { text: origin === undefined ? "(unknown)" : "(no value)", paint: options.style.red }
        : value,
      origin === undefined ? "" : owner(origin),
      place === undefined ? "" : showPlace(place)
    ]),
    options
  )

const textLines = (text: string, { width }: Options): ReadonlyArray<string> =>
  TextLines.exact(text, Math.max(2, width - 2)).map((line) => `  ${line}`.trimEnd())
