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
import { placesOf } from "../composition/Places.ts"
import { nearest } from "../internal/nearest.ts"
import { SystemPrompt } from "../SystemPrompt.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import type * as Trace from "../Trace.ts"
import * as Explanation from "./Explanation.ts"
import * as ExplanationJson from "./ExplanationJson.ts"
import type { Options } from "./ExplanationLines.ts"
import * as ExplanationText from "./ExplanationText.ts"
import * as Failure from "./Failure.ts"
import { NothingFound } from "./NothingFound.ts"
import * as Output from "./Output.ts"
import { ProcessEnv } from "./ProcessEnv.ts"
import { describe, whyAbsent } from "./Reasons.ts"
import * as Search from "./Search.ts"
import * as SearchText from "./SearchText.ts"
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
  const self = Explanation.make(yield* prompt.trace, composition, {
    env: yield* ProcessEnv,
    tokenizer: yield* Tokenizer
  })
  const text = format === "text" ? yield* textOptions(self, overrides.length > 0) : undefined
  const json = (answer: JsonObject): string => JSON.stringify({ file: composition.file, scope, ...answer })
  switch (question._tag) {
    case "Whole":
      return text === undefined ? json(ExplanationJson.whole(self)) : ExplanationText.whole(self, text)
    case "Section": {
      const detail = SectionDetail.make(self, question.name)
      if (Option.isNone(detail)) return yield* noSection(self, question.name)
      return text === undefined
        ? json(ExplanationJson.section(self, detail.value))
        : SectionDetail.toText(self, detail.value, text)
    }
    case "Tool": {
      const detail = ToolDetail.make(self, question.name)
      if (Option.isNone(detail)) return yield* noTool(self, question.name)
      return text === undefined
        ? json(ExplanationJson.tool(self, detail.value))
        : ToolDetail.toText(self, detail.value, text)
    }
    case "Offset": {
      // Where a text does not render, there is no prompt to count in.
      if (self.problems.length > 0) return yield* Failure.locate(composition, self.problems)
      const occurrence = Search.at(self, question.offset)
      if (Option.isNone(occurrence)) return yield* noOffset(self, question.offset)
      return text === undefined
        ? json({ occurrence: ExplanationJson.occurrence(occurrence.value) })
        : SearchText.at(self, occurrence.value, text)
    }
    case "Find": {
      const found = Search.find(self, question.text, mostOccurrences)
      if (found.total === 0) return yield* noText(self, question.text)
      return text === undefined
        ? json({
            text: question.text,
            total: found.total,
            occurrences: found.occurrences.map(ExplanationJson.occurrence)
          })
        : SearchText.found(self, question.text, found, text)
    }
  }
})

const textOptions = Effect.fnUntraced(function* ({ composition, trace }: Explanation.Explanation, overridden: boolean) {
  const options: Options = {
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
