/**
 * The answers of `explain` as JSON.
 *
 * @since 0.1.0
 */
import type { JsonObject } from "effect/Schema"
import type { Composition } from "../composition/Composition.ts"
import { placesOf, placesOfEntry, placesOfHider } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { type Hider, hidersOf } from "../internal/hiders.ts"
import * as Origin from "../Origin.ts"
import { type Kind, ownerFields } from "../PromptError.ts"
import * as Trace from "../Trace.ts"
import type { Absent, Explanation, Row, Size } from "./Explanation.ts"
import { originToJson } from "./OriginJson.ts"
import { whyAbsent } from "./Reasons.ts"
import type { Occurrence } from "./Search.ts"
import type { Detail } from "./SectionDetail.ts"
import type { ToolDetail } from "./ToolDetail.ts"

// -----------------------------------------------------------------------------
// answers
// -----------------------------------------------------------------------------

export const whole = (self: Explanation): JsonObject => {
  const { composition, sizes } = self
  const { chain, listeners, sealed } = Trace.toJson(self.trace)
  return {
    chain: chain ?? null,
    tokenizer: self.tokenizer,
    sizes: {
      prefix: sizeToJson(sizes.prefix),
      tools: sizeToJson(sizes.tools),
      prompt: sizeToJson(sizes.prompt),
      tail: sizeToJson(sizes.tail)
    },
    sections: self.sections.map(rowToJson(composition, "section")),
    contexts: self.contexts.map(rowToJson(composition, "context")),
    tools: self.tools.map(rowToJson(composition, "tool")),
    variables: self.variables.map(({ name, origin, usedBy, value }) => ({
      name,
      value: value ?? null,
      ...originToJson(origin),
      usedBy: usedBy.map(({ kind, name }) => ({ kind, name })),
      ...entryPlace(composition, "variable", name, origin)
    })),
    absent: self.absent.map((one) => absentToJson(self, one)),
    hiddenTools: self.hiddenTools.map(({ by, tool }) => ({
      tool,
      by: by.map((one) => hiderToJson(composition, one, tool))
    })),
    listeners: listeners ?? [],
    sealed: sealed ?? null,
    problems: self.problems.map((one) => problemToJson(composition, one))
  }
}

export const section = (self: Explanation, detail: Detail): JsonObject => ({
  kind: detail.kind,
  name: detail.name,
  entries: detail.entries.map((entry) => ({ ...absentToJson(self, entry), ...orderOf(entry), ran: entry.ran })),
  shown:
    detail.shown === undefined
      ? null
      : {
          ...rowToJson(self.composition, detail.kind)(detail.shown.row),
          index: detail.shown.index,
          requires: [...detail.shown.requires]
        },
  text: detail.text ?? null,
  references: detail.references.map(({ name, origin, place, value }) => ({
    name,
    value: value ?? null,
    known: origin !== undefined,
    ...(origin === undefined ? undefined : originToJson(origin)),
    ...(place === undefined ? undefined : { place: placeToJson(place) })
  })),
  problems: detail.problems.map((one) => problemToJson(self.composition, one))
})

export const tool = (self: Explanation, { entries, name, shown }: ToolDetail): JsonObject => ({
  kind: "tool",
  name,
  entries: entries.map((entry) => absentToJson(self, entry)),
  shown: shown.map(({ index, row }) => ({ ...rowToJson(self.composition, "tool")(row), index })),
  by: hidersOf(self.trace.entries, name).map((one) => hiderToJson(self.composition, one, name))
})

/** The character at an offset, or a text that was found. */
export const occurrence = ({ pieces, ...occurrence }: Occurrence): JsonObject => ({
  ...occurrence,
  pieces: pieces.map(({ places, source }) => ({
    ...JSON.parse(JSON.stringify(source)),
    places: places.map(placeToJson)
  }))
})

// -----------------------------------------------------------------------------
// what they consist of
// -----------------------------------------------------------------------------

const placeToJson = ({ column, file, line }: Place): JsonObject => ({ file, line, column })

const sizeToJson = ({ characters, tokens }: Size): JsonObject => ({
  characters,
  tokens: tokens.tokens,
  exact: tokens.exact
})

const placeOf = ([place]: ReadonlyArray<Place>) => (place === undefined ? undefined : { place: placeToJson(place) })

const entryPlace = (composition: Composition, kind: Kind, name: string, { plugin, provider, scope }: Origin.Origin) =>
  // What a provider with a name gives is none of the file's tools.
  provider === undefined
    ? placeOf(placesOfEntry(composition, ownerFields({ kind, entry: name, scope, plugin })))
    : undefined

const rowToJson =
  (composition: Composition, kind: "section" | "context" | "tool") =>
  ({ name, offset, order, origin, renders, share, ...size }: Row): JsonObject => ({
    name,
    ...originToJson(origin),
    ...(order === undefined ? undefined : { order }),
    ...(offset === undefined ? undefined : { offset }),
    ...sizeToJson(size),
    share,
    ...(renders ? undefined : { renders }),
    ...entryPlace(composition, kind, name, origin)
  })

const hiderToJson = (composition: Composition, hider: Hider, tool: string): JsonObject => ({
  ...hider,
  ...placeOf(placesOfHider(composition, hider, tool))
})

const problemToJson = (composition: Composition, error: Explanation["problems"][number]): JsonObject => {
  const { entry, kind, line, column, scope } = error
  return {
    _tag: error._tag,
    message: error.message,
    kind,
    entry,
    scope,
    line,
    column,
    places: placesOf(composition, error).map(placeToJson)
  }
}

const absentToJson = (self: Explanation, one: Absent): JsonObject => {
  const { fate, kind, listener, name, plugin, provider, scope } = one
  const origin = Origin.make({ scope, plugin, provider, listener })
  return {
    kind,
    name,
    ...originToJson(origin),
    fate: JSON.parse(JSON.stringify(fate)),
    reason: whyAbsent(one, self),
    ...entryPlace(self.composition, kind, name, origin)
  }
}

const orderOf = ({ order }: Trace.Entry) => (order === undefined ? undefined : { order })
