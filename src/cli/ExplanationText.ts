/**
 * An explanation for people.
 *
 * @since 0.1.0
 */
import type { Place } from "../composition/SourceFile.ts"
import { graphemes, printable, width as widthOf, wrap } from "../internal/width.ts"
import type { Origin } from "../Origin.ts"
import { describeOwner, type Owner, type RenderError } from "../PromptError.ts"
import type * as Trace from "../Trace.ts"
import type { Explanation, Row, Size } from "./Explanation.ts"
import {
  describe,
  describeContributor,
  describeListener,
  describeMany,
  showPlace,
  whyAbsent,
  whyHidden
} from "./Reasons.ts"
import type { Found, Occurrence, Piece } from "./Search.ts"
import type { Detail } from "./SectionDetail.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import * as Tokens from "./Tokens.ts"

export interface Options {
  readonly width: number
  readonly style: Style
  /** Where the files have what is wrong with a text. */
  readonly placesOf: (problem: RenderError) => ReadonlyArray<Place>
  /** Labels of the scopes, farthest first. */
  readonly chain: ReadonlyArray<string>
}

// -----------------------------------------------------------------------------
// pieces
// -----------------------------------------------------------------------------

const grouped = new Intl.NumberFormat("en")

const number = (value: number): string => grouped.format(value)

export const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`

export const share = (value: number): string =>
  value === 0 ? "0%" : value < 0.01 ? "<1%" : `${Math.min(Math.round(value * 100), value < 1 ? 99 : 100)}%`

export const indented = (text: string, by: number, { width }: Options, bullet = ""): ReadonlyArray<string> => {
  const [first = "", ...rest] = wrap(text, Math.max(2, width - by - bullet.length))
  return [" ".repeat(by) + bullet + first, ...rest.map((line) => " ".repeat(by + bullet.length) + line)]
}

/** `global`, `child (house)`, `global via mask`. */
const owner = ({ listener, plugin, provider, scope }: Origin): string =>
  [
    scope,
    ...(plugin === undefined ? [] : [`(${plugin})`]),
    ...(provider === undefined ? [] : [`from ${provider}`]),
    ...(listener === undefined ? [] : [`via ${listener.name}`])
  ].join(" ")

export const block = (
  title: string,
  note: string,
  lines: ReadonlyArray<string>,
  { style, width }: Options
): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [[...wrap(note === "" ? title : `${title}: ${note}`, width).map(style.bold), ...lines].join("\n")]

// -----------------------------------------------------------------------------
// the whole
// -----------------------------------------------------------------------------

export const whole = (self: Explanation, options: Options): string => {
  const { contexts, hiddenTools, problems, sections, trace, variables } = self
  return [
    head(self, options),
    summary(self, options),
    ...block("PROMPT", "", sections.length === 0 ? ["(empty)"] : [partTable("section", sections, options)], options),
    ...block("TOOLS", "", self.tools.length === 0 ? [] : [toolTable(self, options)], options),
    ...block(
      "CONTEXTS",
      "after the history",
      contexts.length === 0 ? [] : [partTable("context", contexts, options)],
      options
    ),
    ...block("VARIABLES", "", variables.length === 0 ? [] : [variableTable(self, options)], options),
    ...block("NOT SEEN", "what is registered and takes no part", absentLines(self, options), options),
    ...block(
      "TOOLS OF toolOrder THAT ARE NOT SHOWN",
      "",
      hiddenTools.flatMap(({ tool }) => indented(`${tool}: ${whyHidden(tool, self)}`, 0, options, "- ")),
      options
    ),
    ...block(
      "LISTENERS",
      "outermost first",
      trace.steps.flatMap((step, i) => stepLines(step, i, self, options)),
      options
    ),
    ...block("SEALED", "", sealedLines(trace, options), options),
    ...block(
      "DOES NOT RENDER",
      plural(problems.length, "problem"),
      problems.slice(0, mostProblems).flatMap((problem) => problemLines(problem, options)),
      options
    )
  ].join("\n\n")
}

/** So many of one scope that are left out for one reason are told together. */
const many = 4

const absentLines = (self: Explanation, options: Options): ReadonlyArray<string> => {
  const groups = new Map<string, Array<Explanation["absent"][number]>>()
  for (const one of self.absent) {
    const { kind, plugin, scope } = one
    const key = JSON.stringify([kind, scope, plugin ?? null, whyAbsent(one, self)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  const sentences = [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined || group.length < many
      ? group.map((one) => `${describe(one)} ${whyAbsent(one, self)}`)
      : [
          `${describeMany(
            first,
            group.map(({ name }) => name)
          )}. Each ${whyAbsent(first, self)}`
        ]
  })
  return sentences.flatMap((sentence) => indented(sentence, 0, options, "- "))
}

const mostProblems = 50

export const head = ({ composition, trace }: Explanation, options: Options): string => {
  const sees = options.chain.length === 1 ? "" : ` It sees ${options.chain.join(" > ")}.`
  return wrap(`${composition.file}, scope ${JSON.stringify(trace.scope)}.${sees}`, options.width).join("\n")
}

const summary = ({ contexts, sections, sizes, tokenizer, tools }: Explanation, { style, width }: Options): string => {
  const row = (name: string, { characters, tokens }: Size) => [name, number(characters), Tokens.show(tokens)]
  const bold = (cells: ReadonlyArray<string>) => cells.map((text) => ({ text, paint: style.bold }))
  return Table.render(
    [
      { title: "", shrink: true },
      { title: "chars", align: "right" },
      { title: `tokens (${tokenizer})`, align: "right" }
    ],
    [
      bold(row("cached prefix", sizes.prefix)),
      row(`  ${plural(tools.length, "tool")}`, sizes.tools),
      row(`  prompt, ${plural(sections.length, "section")}`, sizes.prompt),
      bold(row("after the history", sizes.tail)),
      row(`  ${plural(contexts.length, "context")}`, sizes.tail)
    ],
    { style, width }
  )
}

const sized = [
  { title: "chars", align: "right" },
  { title: "tokens", align: "right" },
  { title: "share", align: "right" }
] as const

const sizeCells = (row: Row): ReadonlyArray<string> => [
  number(row.characters),
  Tokens.show(row.tokens),
  share(row.share)
]

const partTable = (title: string, rows: ReadonlyArray<Row>, { style, width }: Options): string =>
  Table.render(
    [
      { title: "#", align: "right" },
      { title, shrink: true },
      { title: "owner", shrink: true },
      { title: "order", align: "right" },
      ...sized
    ],
    rows.map((row, i) => [
      number(i + 1),
      row.renders ? row.name : { text: `${row.name} (does not render)`, paint: style.red },
      owner(row.origin),
      String(row.order),
      ...sizeCells(row)
    ]),
    { style, width }
  )

const toolTable = ({ tools, trace }: Explanation, { style, width }: Options): string =>
  Table.render(
    [{ title: "#", align: "right" }, { title: "tool", shrink: true }, { title: "owner", shrink: true }, ...sized],
    tools.map((row, i) => [
      number(i + 1),
      trace.assembly.tools[i]?.schema.deferLoading === true ? `${row.name} (deferred)` : row.name,
      owner(row.origin),
      ...sizeCells(row)
    ]),
    { style, width }
  )

const variableTable = ({ variables }: Explanation, { style, width }: Options): string =>
  Table.render(
    [
      { title: "variable", shrink: true },
      { title: "value", shrink: true },
      { title: "owner", shrink: true },
      { title: "in", shrink: true }
    ],
    variables.map(({ name, origin, usedBy, value }) => [
      name,
      value === undefined ? { text: "(no value)", paint: style.dim } : value,
      owner(origin),
      usedBy.length === 0 ? { text: "(no text)", paint: style.dim } : usedBy.map((part) => part.name).join(", ")
    ]),
    { style, width }
  )

// -----------------------------------------------------------------------------
// listeners and sealing
// -----------------------------------------------------------------------------

const stepLines = (step: Trace.Step, i: number, self: Explanation, options: Options): ReadonlyArray<string> => {
  const { handedOn, kind, next, order, ran, returned } = step
  const title = `${describeListener(step)}, ${kind}, order ${order}`
  const fate = self.trace.entries.filter((entry) => entry.kind === "listener")[i]
  const bullet = `${i + 1}. `
  if (!ran) return indented(`${title}: ${fate === undefined ? "" : whyAbsent(fate, self)}`, 0, options, bullet)
  const rest =
    next === "skipped" ? [`does not run the rest`] : next === "failed" ? ["goes on after the rest has failed"] : []
  const gave = [
    ...changeLines("hands on", handedOn),
    ...rest,
    ...changeLines(next === "skipped" ? "returns" : "of what comes back", returned)
  ]
  return [
    ...indented(gave.length === 0 ? `${title}: changes nothing` : title, 0, options, bullet),
    ...gave.flatMap((line) => indented(line, bullet.length, options))
  ]
}

const changeLines = (what: string, changes: Trace.Changes | undefined): ReadonlyArray<string> => {
  if (changes === undefined) return []
  const named = ({ kind, name }: Trace.Part): string => `${kind} ${JSON.stringify(name)}`
  return [
    ...changes.added.map((part) => `adds ${named(part)}`),
    ...changes.removed.map((part) => `removes ${named(part)}`),
    ...changes.changed.map((part) => `changes ${named(part)} (${part.fields.join(", ")})`),
    ...changes.moved.map((kind) => `puts ${kind}s in another order`),
    ...changes.annotations.map((key) => `annotates ${key}`)
  ].map((line) => (what === "hands on" ? line : `${what}: ${line}`))
}

const sealedLines = ({ sealed }: Trace.Trace, options: Options): ReadonlyArray<string> =>
  sealed.restored === undefined
    ? []
    : indented(
        `the complete section ${JSON.stringify(sealed.restored)}, which a listener had changed or removed, is as it was registered.`,
        0,
        options,
        "- "
      )

// -----------------------------------------------------------------------------
// one section
// -----------------------------------------------------------------------------

export const section = (self: Explanation, detail: Detail, options: Options): string =>
  [
    head(self, options),
    ...detail.entries.map(({ fate, places, ...entry }) =>
      [
        ...indented(`${describe(entry)} ${whyAbsent({ ...entry, fate }, self)}`, 0, options),
        ...placeLines(places)
      ].join("\n")
    ),
    ...block("SHOWN", "", detail.shown === undefined ? [] : shownLines(detail.shown, detail.kind, options), options),
    ...block("REFERENCES", "", detail.references.length === 0 ? [] : [referenceTable(detail, options)], options),
    ...block("TEXT", "as it was written", detail.text === undefined ? [] : textLines(detail.text, options), options),
    ...block(
      "DOES NOT RENDER",
      "",
      detail.problems.flatMap((problem) => problemLines(problem, options)),
      options
    )
  ].join("\n\n")

const shownLines = (
  { index, requires, row }: NonNullable<Detail["shown"]>,
  kind: Detail["kind"],
  options: Options
): ReadonlyArray<string> => {
  const of = kind === "section" ? "the prompt" : "the snapshot of the contexts"
  const size = `${plural(row.characters, "character")}, ${Tokens.show(row.tokens)} tokens, ${share(row.share)} of ${kind === "section" ? "the cached prefix" : "the tail"}`
  return [
    `number ${index + 1} of ${of}, order ${row.order}, at offset ${number(row.offset ?? 0)}: ${size}.`,
    ...(row.origin.listener === undefined ? [] : [`Last changed by ${describeListener(row.origin.listener)}.`]),
    ...(requires.length === 0 ? [] : [`It requires tools, which are there: ${requires.join(", ")}.`])
  ].flatMap((line) => indented(line, 0, options))
}

const referenceTable = ({ references }: Detail, { style, width }: Options): string =>
  Table.render(
    [
      { title: "variable", shrink: true },
      { title: "value", shrink: true },
      { title: "owner", shrink: true },
      { title: "at" }
    ],
    references.map(({ name, origin, place, value }) => [
      `{{${name}}}`,
      value === undefined ? { text: origin === undefined ? "(unknown)" : "(no value)", paint: style.red } : value,
      origin === undefined ? "" : owner(origin),
      place === undefined ? "" : showPlace(place)
    ]),
    { style, width }
  )

/** Lines keep their blanks and are broken where the terminal ends. */
const textLines = (text: string, { width }: Options): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const lines = [""]
    let used = 0
    for (const grapheme of graphemes(printable(line))) {
      const size = widthOf(grapheme)
      if (used + size > Math.max(2, width - 2)) {
        lines.push("")
        used = 0
      }
      lines[lines.length - 1] += grapheme
      used += size
    }
    return lines.map((one) => `  ${one}`.trimEnd())
  })

// -----------------------------------------------------------------------------
// problems and places
// -----------------------------------------------------------------------------

const problemLines = (problem: RenderError, options: Options): ReadonlyArray<string> => {
  const [first, ...rest] = options.placesOf(problem)
  const what = `${problem._tag}: ${problem.message}`
  return first === undefined
    ? wrap(what, options.width)
    : [...wrap(`${showPlace(first)}: ${what}`, options.width), first.frame, ...rest.map(showPlace)]
}

/** All places, and the frame of the first. */
export const placeLines = (places: ReadonlyArray<Place>): ReadonlyArray<string> =>
  places.flatMap((place, i) => [showPlace(place), ...(i === 0 ? [place.frame] : [])])

export const offset = (self: Explanation, occurrence: Occurrence, options: Options): string =>
  [head(self, options), occurrenceLines(occurrence, options).join("\n")].join("\n\n")

export const found = (self: Explanation, text: string, { occurrences, total }: Found, options: Options): string => {
  const more = total - occurrences.length
  return [
    head(self, options),
    wrap(`${plural(total, "occurrence")} of ${JSON.stringify(text)}`, options.width)
      .map(options.style.bold)
      .join("\n"),
    ...occurrences.map((one) => occurrenceLines(one, options).join("\n")),
    ...(more === 0 ? [] : [`and ${number(more)} more.`])
  ].join("\n\n")
}

const occurrenceLines = (
  { column, line, offset, pieces, where }: Occurrence,
  options: Options
): ReadonlyArray<string> => {
  const place = line === undefined ? "" : ` (line ${line}, column ${column})`
  const document = { prompt: "the prompt", context: "the snapshot of the contexts", tools: "the tools" }[where]
  const title = where === "tools" ? "in the tools" : `offset ${number(offset)} of ${document}${place}`
  const [first, ...rest] = pieces
  return [
    ...wrap(`${title}: ${first === undefined ? "" : describePiece(first)}`, options.width),
    ...placeLines(first?.places ?? []),
    ...rest
      .slice(0, mostPieces)
      .flatMap((piece) => [
        ...indented(`then ${describePiece(piece)}`, 0, options),
        ...piece.places.slice(0, 1).map(showPlace)
      ]),
    ...(rest.length > mostPieces ? [`then ${plural(rest.length - mostPieces, "more piece")}`] : [])
  ]
}

const mostPieces = 10

const describePiece = ({ source }: Piece): string => {
  switch (source._tag) {
    case "Heading":
      return "the heading over all contexts"
    case "Separator":
      return "the blank line between two texts"
    case "Text":
      return `${describeOwner(source.owner)}${changed(source.origin)}`
    case "Tool":
      return `tool ${JSON.stringify(source.tool)}, ${source.path}, from ${describeProvider(source.owner)}${changed(source.origin)}`
    case "Value":
      return `the value of ${describeOwner(source.variable)}${changed(source.origin)}, put in by ${describeOwner(source.owner)}`
  }
}

/** A tool of the registry comes from its scope; so does one of a provider that has no name. */
const describeProvider = (self: Owner): string => (self.entry === "" ? describeContributor(self) : describeOwner(self))

const changed = ({ listener }: Origin): string =>
  listener === undefined ? "" : `, last changed by ${describeListener(listener)}`
