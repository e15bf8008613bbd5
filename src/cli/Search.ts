/**
 * Where a piece of what the model sees comes from: the character at an offset of the prompt, or each occurrence of a
 * text in the prompt, the snapshot of the contexts, and the tools.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import type { Json } from "effect/Schema"
import type { AssembledContext, AssembledSection, AssembledVariable } from "../Assembly.ts"
import type { Composition } from "../composition/Composition.ts"
import { placesInTool, placesOfText } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { toPath } from "../internal/json.ts"
import { placesIn } from "../internal/place.ts"
import { ownerOf as ownerOfTool } from "../internal/toolOwner.ts"
import type { Origin } from "../Origin.ts"
import { type Kind, type Owner, ownerFields } from "../PromptError.ts"
import * as PromptContext from "../PromptContext.ts"
import * as Rendered from "../Rendered.ts"
import type { Explanation } from "./Explanation.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What stands between two texts, and over those of the snapshot, is Preamble's. */
export type Source =
  | {
      readonly _tag: "Text"
      readonly owner: Owner
      readonly origin: Origin
      /** In the text as it was written. */
      readonly offset: number
    }
  | {
      readonly _tag: "Value"
      /** Whose text refers to the variable. */
      readonly owner: Owner
      readonly variable: Owner
      readonly origin: Origin
      /** In the value. */
      readonly offset: number
      /** Where the reference is, in the text. */
      readonly reference: number
    }
  | {
      readonly _tag: "Tool"
      readonly owner: Owner
      readonly origin: Origin
      readonly tool: string
      readonly path: string
    }
  | { readonly _tag: "Separator" }
  | { readonly _tag: "Heading" }

/** A piece of what was looked for that has one source. */
export interface Piece {
  readonly source: Source
  /** Where the files have it, the most exact place first. */
  readonly places: ReadonlyArray<Place>
}

export interface Occurrence {
  readonly where: "prompt" | "context" | "tools"
  /** In the prompt or the snapshot, in UTF-16 units from 0; in the name, description or other text of a tool. */
  readonly offset: number
  /** In the prompt or the snapshot, from 1. */
  readonly line?: number
  readonly column?: number
  /** From left to right. */
  readonly pieces: ReadonlyArray<Piece>
}

export interface Found {
  readonly total: number
  /** The first of them. */
  readonly occurrences: ReadonlyArray<Occurrence>
}

// -----------------------------------------------------------------------------
// documents
// -----------------------------------------------------------------------------

interface Span {
  readonly start: number
  readonly end: number
  readonly piece: (offset: number) => Piece
}

interface Document {
  readonly where: Occurrence["where"]
  readonly text: string
  readonly spans: ReadonlyArray<Span>
}

const ours = (_tag: "Heading" | "Separator", start: number, end: number): Span => ({
  start,
  end,
  piece: () => ({ source: { _tag }, places: [] })
})

const documentOf = (
  composition: Composition,
  kind: "section" | "context",
  rendered: Rendered.Rendered,
  heading: string
): Document => {
  const start = heading.length
  const spans = Rendered.spans(rendered).map((span): Span => {
    const { end, source } = { ...span, end: span.end + start }
    const from = span.start + start
    if (source._tag === "Separator") return ours("Separator", from, end)
    const { section } = source
    const owner = ownerOf(kind, section)
    const piece = (offset: number): Piece => {
      const at = source.offset + offset - from
      if (source._tag === "Text") {
        return {
          source: { _tag: "Text", owner, origin: section.origin, offset: at },
          places: placesOfText(composition, owner, section.text.toString(), at)
        }
      }
      const { reference, variable } = source
      const by = ownerOf("variable", variable)
      return {
        source: { _tag: "Value", owner, variable: by, origin: variable.origin, offset: at, reference },
        places: [
          ...placesOfText(composition, by, variable.value ?? "", at),
          ...placesOfText(composition, owner, section.text.toString(), reference).slice(0, 1)
        ]
      }
    }
    return { start: from, end, piece }
  })
  return {
    where: kind === "section" ? "prompt" : "context",
    text: heading + rendered.text,
    spans: start === 0 ? spans : [ours("Heading", 0, start), ...spans]
  }
}

const ownerOf = (kind: Kind, { name, origin }: AssembledSection | AssembledContext | AssembledVariable): Owner =>
  ownerFields({ kind, entry: name, scope: origin.scope, plugin: origin.plugin })

const promptOf = ({ composition, rendered }: Explanation): Document => documentOf(composition, "section", rendered, "")

/** Of every tool each text, keys too, as a document of its own. */
const toolDocuments = ({ composition, trace }: Explanation): ReadonlyArray<Document> =>
  trace.assembly.tools.flatMap((tool) => {
    const { origin, schema } = tool
    const owner = ownerOfTool(tool)
    const documents: Array<Document> = []
    const visit = (value: Json, path: ReadonlyArray<string | number>): void => {
      if (typeof value === "string") return add(value, path)
      if (typeof value !== "object" || value === null) return
      for (const [key, member] of Object.entries(value)) {
        const step = Array.isArray(value) ? Number(key) : key
        if (typeof step === "string" && path[0] === "parameters") add(step, [...path, step])
        visit(member, [...path, step])
      }
    }
    const add = (text: string, path: ReadonlyArray<string | number>): void => {
      const source: Source = { _tag: "Tool", owner, origin, tool: schema.name, path: toPath(path) }
      const piece = (): Piece => ({ source, places: placesInTool(composition, owner, path) })
      documents.push({ where: "tools", text, spans: [{ start: 0, end: text.length, piece }] })
    }
    const { description, name, parameters } = schema
    visit({ name, description, parameters }, [])
    return documents
  })

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** Who owns the character at an offset of the prompt; none beyond its ends. */
export const at = (self: Explanation, offset: number): Option.Option<Occurrence> => {
  const document = promptOf(self)
  return offset < 0 || offset >= document.text.length
    ? Option.none()
    : Option.some(occurrenceIn(document, placesIn(document.text), offset, offset + 1))
}

/** Where a text occurs in what the model sees, of which the first `most` are told. `text` is not empty. */
export const find = (self: Explanation, text: string, most: number): Found => {
  const documents = [
    promptOf(self),
    ...(self.rendered.snapshot === ""
      ? []
      : [documentOf(self.composition, "context", self.tail, PromptContext.heading + Rendered.separator)]),
    ...toolDocuments(self)
  ]
  const occurrences: Array<Occurrence> = []
  let total = 0
  for (const document of documents) {
    let positions: ReturnType<typeof placesIn> | undefined
    for (let at = document.text.indexOf(text); at !== -1; at = document.text.indexOf(text, at + text.length)) {
      total++
      if (occurrences.length >= most) continue
      positions ??= placesIn(document.text)
      occurrences.push(occurrenceIn(document, positions, at, at + text.length))
    }
  }
  return { total, occurrences }
}

const occurrenceIn = (
  { spans, where }: Document,
  positionOf: ReturnType<typeof placesIn>,
  start: number,
  end: number
): Occurrence => ({
  where,
  offset: start,
  ...(where === "tools" ? undefined : positionOf(start)),
  pieces: spans
    .slice(indexAt(spans, start), indexAt(spans, end - 1) + 1)
    .map((span) => span.piece(Math.max(start, span.start)))
})

/** Index of the span that holds an offset. */
const indexAt = (spans: ReadonlyArray<Span>, offset: number): number => {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (spans[middle]!.end <= offset) low = middle + 1
    else high = middle
  }
  return low
}
