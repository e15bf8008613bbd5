/**
 * Where a piece of what the model sees comes from, for people.
 *
 * @since 0.1.0
 */
import { wrap } from "../internal/width.ts"
import type { Origin } from "../Origin.ts"
import { describeOwner, type Owner } from "../PromptError.ts"
import type { Explanation } from "./Explanation.ts"
import { head, indented, type Options, placeLines } from "./ExplanationLines.ts"
import { count, grouped } from "./Numbers.ts"
import { describeContributor, describeListener, showPlace } from "./Reasons.ts"
import type { Found, Occurrence, Piece } from "./Search.ts"

/** The character at an offset. */
export const at = (self: Explanation, occurrence: Occurrence, options: Options): string =>
  [head(self, options), occurrenceText(occurrence, options)].join("\n\n")

/** Every occurrence of a text that was found. */
export const found = (self: Explanation, text: string, { occurrences, total }: Found, options: Options): string => {
  const more = total - occurrences.length
  return [
    head(self, options),
    wrap(`${count(total, "occurrence")} of ${JSON.stringify(text)}`, options.width)
      .map(options.style.bold)
      .join("\n"),
    ...occurrences.map((one) => occurrenceText(one, options)),
    ...(more === 0 ? [] : [`and ${grouped(more)} more.`])
  ].join("\n\n")
}

const mostPieces = 10

const documents: Record<Occurrence["where"], string> = {
  prompt: "the prompt",
  context: "the snapshot of the contexts",
  tools: "the tools"
}

const occurrenceText = ({ column, line, offset, pieces, where }: Occurrence, options: Options): string => {
  const place = line === undefined ? "" : ` (line ${line}, column ${column})`
  const document = documents[where]
  const title = where === "tools" ? `in ${document}` : `offset ${grouped(offset)} of ${document}${place}`
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
    ...(rest.length > mostPieces ? [`then ${count(rest.length - mostPieces, "more piece")}`] : [])
  ].join("\n")
}

const describePiece = ({ source }: Piece): string => {
  switch (source._tag) {
    case "Heading":
      return "the heading over all contexts"
    case "Separator":
      return "the blank line between two texts"
    case "Text":
      return `${describeOwner(source.owner)}${changed(source.origin)}`
    case "Tool":
      return `tool ${JSON.stringify(source.tool)}, ${source.path}, from ${describeGiver(source.owner)}${source.owner.kind === "listener" ? "" : changed(source.origin)}`
    case "Value":
      return `the value of ${describeOwner(source.variable)}${changed(source.origin)}, put in by ${describeOwner(source.owner)}`
  }
}

/** A tool of the registry comes from its scope; so does one of a provider that has no name. */
const describeGiver = (self: Owner): string =>
  self.kind === "tool" || self.entry === "" ? describeContributor(self) : describeOwner(self)

const changed = ({ listener }: Origin): string =>
  listener === undefined ? "" : `, last changed by ${describeListener(listener)}`
