/**
 * `preamble explain FILE`: why the model sees what it sees.
 *
 * Without more it tells of the whole prompt; of one section, the character at an offset, or a text, if asked for one.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { JsonObject } from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Composition } from "../composition/Composition.ts"
import { placesOf, placesOfEntry, placesOfHider } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { hidersOf } from "../internal/hiders.ts"
import { nearest } from "../internal/nearest.ts"
import * as Origin from "../Origin.ts"
import { type Kind, ownerFields } from "../PromptError.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import * as Trace from "../Trace.ts"
import * as Explanation from "./Explanation.ts"
import * as ExplanationText from "./ExplanationText.ts"
import * as Failure from "./Failure.ts"
import { NothingFound } from "./NothingFound.ts"
import * as Output from "./Output.ts"
import { describe, whyAbsent } from "./Reasons.ts"
import * as Search from "./Search.ts"
import * as SectionDetail from "./SectionDetail.ts"
import * as Style from "./Style.ts"
import * as Target from "./Target.ts"
import * as Tokens from "./Tokens.ts"
import * as ToolDetail from "./ToolDetail.ts"

// -----------------------------------------------------------------------------
// command
// -----------------------------------------------------------------------------

/**
 * @since 0.1.0
 * @category commands
 */
export const explain = Command.make(
  "explain",
  {
    file: Target.file,
    scope: Target.scope,
    section: Flag.String("section").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Only this section, or context, and all about it"),
      Flag.optional
    ),
    tool: Flag.String("tool").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Only the tool of this name: who has it, and why it is hidden"),
      Flag.optional
    ),
    offset: Flag.Int("offset").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Only who owns the character at this offset of the prompt, from 0, in UTF-16 units"),
      Flag.optional
    ),
    find: Flag.String("find").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("Only where this text comes from, wherever the model sees it"),
      Flag.optional
    ),
    ...Target.settings,
    tokenizer: Tokens.flag,
    format: Flag.Literals("format", Failure.Format.literals).pipe(
      Flag.withDescription("text: for people; json: one line"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("preamble.explain")(function* ({ find, format, offset, scope, section, tokenizer, tool, ...target }) {
    const question = yield* questionOf({ find, offset, section, tool })
    const answer = yield* Target.within({ ...target, scope: Option.getOrUndefined(scope) }, format, (world) =>
      answerFor(world, question, format).pipe(Effect.provide(Tokens.layer(tokenizer)))
    )
    yield* Output.stdout(`${answer}\n`)
  })
).pipe(
  Command.withDescription("Tell who contributes what to a prompt, what is left out and why, and what listeners do"),
  Command.withShortDescription("Tell who contributes what, and why something is left out"),
  Command.withExamples([
    { command: "preamble explain agent.yaml", description: "The whole prompt, part by part" },
    { command: "preamble explain agent.yaml --section tool:bash", description: "Why a section is there, or is not" },
    { command: "preamble explain agent.yaml --tool bash", description: "Who has a tool, and who hides it" },
    { command: 'preamble explain agent.yaml --find "step by step"', description: "Where a text comes from" }
  ])
)

type Question =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Section"; readonly name: string }
  | { readonly _tag: "Tool"; readonly name: string }
  | { readonly _tag: "Offset"; readonly offset: number }
  | { readonly _tag: "Find"; readonly text: string }

const questionOf = (flags: {
  readonly section: Option.Option<string>
  readonly tool: Option.Option<string>
  readonly offset: Option.Option<number>
  readonly find: Option.Option<string>
}) => {
  const asked: ReadonlyArray<Question> = [
    ...Option.toArray(Option.map(flags.section, (name) => ({ _tag: "Section" as const, name }))),
    ...Option.toArray(Option.map(flags.tool, (name) => ({ _tag: "Tool" as const, name }))),
    ...Option.toArray(Option.map(flags.offset, (offset) => ({ _tag: "Offset" as const, offset }))),
    ...Option.toArray(Option.map(flags.find, (text) => ({ _tag: "Find" as const, text })))
  ]
  const [first, second] = asked
  if (second !== undefined) return Effect.fail(misuse("Give one of --section, --tool, --offset and --find."))
  if (first?._tag === "Find" && first.text === "") return Effect.fail(misuse("--find needs a text."))
  if (first?._tag === "Offset" && first.offset < 0) return Effect.fail(misuse("--offset counts from 0."))
  return Effect.succeed(first ?? { _tag: "Whole" as const })
}

const misuse = (message: string) => Failure.misuse("explain", message)

const mostOccurrences = 20

const answerFor = Effect.fnUntraced(function* (
  { composition, overrides, scope }: Target.World,
  question: Question,
  format: Failure.Format
) {
  const prompt = yield* SystemPrompt
  const self = Explanation.make(yield* prompt.trace, composition, yield* Tokenizer)
  const text = format === "text" ? yield* textOptions(self, overrides.length > 0) : undefined
  const json = (answer: JsonObject): string => JSON.stringify({ file: composition.file, scope, ...answer })
  switch (question._tag) {
    case "Whole":
      return text === undefined ? json(toJson(self)) : ExplanationText.whole(self, text)
    case "Section": {
      const detail = SectionDetail.make(self, question.name)
      if (Option.isNone(detail)) return yield* noSection(self, question.name)
      return text === undefined
        ? json(detailToJson(self, detail.value))
        : ExplanationText.section(self, detail.value, text)
    }
    case "Tool": {
      const detail = ToolDetail.make(self, question.name)
      if (Option.isNone(detail)) return yield* noTool(self, question.name)
      return text === undefined ? json(toolToJson(self, detail.value)) : ToolDetail.toText(self, detail.value, text)
    }
    case "Offset": {
      // Where a text does not render, there is no prompt to count in.
      if (self.problems.length > 0) return yield* Failure.locate(composition, self.problems)
      const occurrence = Search.at(self, question.offset)
      if (Option.isNone(occurrence)) return yield* noOffset(self, question.offset)
      return text === undefined
        ? json({ occurrence: occurrenceToJson(occurrence.value) })
        : ExplanationText.offset(self, occurrence.value, text)
    }
    case "Find": {
      const found = Search.find(self, question.text, mostOccurrences)
      if (found.total === 0) return yield* noText(self, question.text)
      return text === undefined
        ? json({ text: question.text, total: found.total, occurrences: found.occurrences.map(occurrenceToJson) })
        : ExplanationText.found(self, question.text, found, text)
    }
  }
})

const textOptions = Effect.fnUntraced(function* ({ composition, trace }: Explanation.Explanation, overridden: boolean) {
  const options: ExplanationText.Options = {
    width: yield* Style.width,
    style: yield* Style.current,
    placesOf: (problem) => placesOf(composition, problem),
    // The variables of the command line are in a scope of their own, which has the label of the scope above it.
    chain: overridden ? [...trace.chain.slice(0, -1), "the command line"] : trace.chain
  }
  return options
})

// -----------------------------------------------------------------------------
// nothing found
// -----------------------------------------------------------------------------

const noSection = ({ trace }: Explanation.Explanation, name: string): NothingFound => {
  const names = trace.entries.flatMap((entry) =>
    entry.kind === "section" || entry.kind === "context" ? [entry.name] : []
  )
  return new NothingFound({
    sought: "section",
    value: name,
    scope: trace.scope,
    hints: namesInstead("sees", name, names)
  })
}

const noTool = (self: Explanation.Explanation, name: string): NothingFound =>
  new NothingFound({
    sought: "tool",
    value: name,
    scope: self.trace.scope,
    hints: namesInstead("knows", name, ToolDetail.names(self))
  })

/** The nearest name, and all of them. */
const namesInstead = (verb: string, name: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const near = nearest(name, names)
  const known = [...new Set(names)]
  const all = known.slice(0, mostKnown).join(", ")
  const more = known.length > mostKnown ? ` and ${known.length - mostKnown} more` : ""
  return [
    ...(near === undefined ? [] : [`Did you mean ${JSON.stringify(near)}?`]),
    known.length === 0 ? `It ${verb} none.` : `It ${verb}: ${all}${more}.`
  ]
}

const mostKnown = 50

const noOffset = ({ rendered, trace }: Explanation.Explanation, offset: number): NothingFound =>
  new NothingFound({
    sought: "offset",
    value: String(offset),
    scope: trace.scope,
    hints: [`It has ${rendered.text.length} characters, counted from 0.`]
  })

const mostHints = 3

/** The text may be in what is left out, in another case, or only there before variables are put in. */
const noText = (self: Explanation.Explanation, text: string): NothingFound => {
  const { composition, rendered, trace } = self
  const holders = trace.entries.filter((entry) =>
    (entry.text ?? SectionDetail.textIn(composition, entry) ?? "").toString().includes(text)
  )
  const folded = text.toLowerCase()
  const elsewhere = [rendered.text, rendered.snapshot].some((one) => one.toLowerCase().includes(folded))
  const toHint = (entry: Trace.Entry): string =>
    entry.fate._tag === "InForce"
      ? `${describe(entry)} has it as it was written, before variables are put in and listeners run.`
      : `It stands in ${describe(entry)}, which ${whyAbsent(entry, self)}`
  return new NothingFound({
    sought: "text",
    value: text,
    scope: trace.scope,
    hints: [
      ...holders.slice(0, mostHints).map(toHint),
      ...(elsewhere ? ["It is there in another case: upper and lower case count."] : [])
    ]
  })
}

// -----------------------------------------------------------------------------
// JSON
// -----------------------------------------------------------------------------

const placeToJson = ({ column, file, line }: Place): JsonObject => ({ file, line, column })

const sizeToJson = ({ characters, tokens }: Explanation.Size): JsonObject => ({
  characters,
  tokens: tokens.tokens,
  exact: tokens.exact
})

const originToJson = ({ listener, plugin, provider, scope }: Origin.Origin): JsonObject => ({
  scope,
  ...(plugin === undefined ? undefined : { plugin }),
  ...(provider === undefined ? undefined : { provider }),
  ...(listener === undefined ? undefined : { listener: { ...listener } })
})

const placeOf = ([place]: ReadonlyArray<Place>) => (place === undefined ? undefined : { place: placeToJson(place) })

const entryPlace = (composition: Composition, kind: Kind, name: string, { plugin, provider, scope }: Origin.Origin) =>
  // What a provider with a name gives is none of the file's tools.
  provider === undefined
    ? placeOf(placesOfEntry(composition, ownerFields({ kind, entry: name, scope, plugin })))
    : undefined

const rowToJson =
  (composition: Composition, kind: "section" | "context" | "tool") =>
  ({ name, offset, order, origin, renders, share, ...size }: Explanation.Row): JsonObject => ({
    name,
    ...originToJson(origin),
    ...(order === undefined ? undefined : { order }),
    ...(offset === undefined ? undefined : { offset }),
    ...sizeToJson(size),
    share,
    ...(renders ? undefined : { renders }),
    ...entryPlace(composition, kind, name, origin)
  })

const toJson = (self: Explanation.Explanation): JsonObject => {
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
      by: by.map((one) => ({ ...one, ...placeOf(placesOfHider(composition, one, tool)) }))
    })),
    listeners: listeners ?? [],
    sealed: sealed ?? null,
    problems: self.problems.map((one) => problemToJson(composition, one))
  }
}

const problemToJson = (composition: Composition, error: Explanation.Explanation["problems"][number]): JsonObject => {
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

const absentToJson = (self: Explanation.Explanation, one: Explanation.Absent): JsonObject => {
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

const detailToJson = (self: Explanation.Explanation, detail: SectionDetail.Detail): JsonObject => ({
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

const toolToJson = (self: Explanation.Explanation, { entries, name, shown }: ToolDetail.ToolDetail): JsonObject => ({
  kind: "tool",
  name,
  entries: entries.map((entry) => absentToJson(self, entry)),
  shown: shown.map(({ index, row }) => ({ ...rowToJson(self.composition, "tool")(row), index })),
  by: hidersOf(self.trace.entries, name).map((one) => ({
    ...one,
    ...placeOf(placesOfHider(self.composition, one, name))
  }))
})

const orderOf = ({ order }: Trace.Entry) => (order === undefined ? undefined : { order })

const occurrenceToJson = ({ pieces, ...occurrence }: Search.Occurrence): JsonObject => ({
  ...occurrence,
  pieces: pieces.map(({ places, source }) => ({
    ...JSON.parse(JSON.stringify(source)),
    places: places.map(placeToJson)
  }))
})
