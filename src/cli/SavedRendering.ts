/**
 * What `preamble render --format json` printed, read again: a golden file that a rendering of today is compared with.
 *
 * It has not all that an assembly knows. What it lacks (who beside the scope contributed a part, what a section requires)
 * is taken from the other side of the comparison, so that it never shows as a change.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AssembledContext, AssembledSection, Assembly } from "../Assembly.ts"
import { complain, toError } from "../composition/Complaint.ts"
import * as Decoding from "../composition/Decoding.ts"
import type { InvalidComposition } from "../composition/InvalidComposition.ts"
import * as Resources from "../composition/Resources.ts"
import * as SourceFile from "../composition/SourceFile.ts"
import * as Yaml from "../composition/Yaml.ts"
import type { Side } from "../Difference.ts"
import { byCodeUnits } from "../internal/codeUnits.ts"
import * as Origin from "../Origin.ts"
import * as PromptContext from "../PromptContext.ts"
import { type Part, separator } from "../Rendered.ts"
import * as Template from "../Template.ts"
import * as ToolSchema from "../ToolSchema.ts"
import * as Fingerprint from "./Fingerprint.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

const SavedPart = Schema.Struct({
  name: Schema.String,
  order: Schema.Finite,
  scope: Schema.String,
  text: Schema.String,
  rendered: Schema.String,
  interpolate: Schema.Boolean
})
type SavedPart = typeof SavedPart.Type

const SavedTool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  parameters: Schema.Record(Schema.String, Schema.Unknown),
  deferLoading: Schema.optionalKey(Schema.Literal(true))
})

/** What `toJson` of `render.ts` gives. */
const SavedRendering = Schema.Struct({
  scope: Schema.String,
  prompt: Schema.String,
  context: Schema.String,
  sections: Schema.Array(SavedPart),
  contexts: Schema.Array(SavedPart),
  tools: Schema.Array(SavedTool),
  variables: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  complete: Schema.NullOr(Schema.String),
  fingerprint: Schema.String
}).annotate({ identifier: "SavedRendering", expected: "what `preamble render --format json` printed" })

export interface SavedRendering extends Omit<typeof SavedRendering.Type, "tools"> {
  readonly tools: ReadonlyArray<ToolSchema.ToolSchema>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Whether a file is meant to be one: no composition has such keys. */
export const isOne = (content: Resources.Content): boolean => {
  const text = Resources.decode(content)
  if (Result.isFailure(text) || !text.success.trimStart().startsWith("{")) return false
  try {
    const value: unknown = JSON.parse(text.success.trimStart())
    return typeof value === "object" && value !== null && "prompt" in value && "fingerprint" in value
  } catch {
    return false
  }
}

/** Reads one, or says all that is wrong with it. */
export const parse = (file: string, content: Resources.Content): Result.Result<SavedRendering, InvalidComposition> => {
  const source = SourceFile.make(
    file,
    Result.getOrElse(Resources.decode(content), () => "")
  )
  const read = Yaml.read(source)
  if (Result.isFailure(read)) return Result.fail(toError(source, read.failure))
  const document = read.success
  const complaints = [...document.complaints, ...Decoding.complaintsOf(document, SavedRendering, document.value)]
  const saved = complaints.length > 0 ? undefined : Decoding.attempt(SavedRendering, document.value)
  if (saved === undefined) return Result.fail(toError(source, complaints))
  const tools = saved.tools.map((tool) =>
    ToolSchema.fromUnknown(tool, { kind: "tools", entry: "", scope: saved.scope })
  )
  complaints.push(
    ...tools.flatMap((tool, i) =>
      Result.isFailure(tool) ? [complain(document, ["tools", i], tool.failure.message, { tag: tool.failure._tag })] : []
    )
  )
  if (saved.prompt !== joined(saved.sections)) complaints.push(complain(document, ["prompt"], edited(ofParts)))
  if (saved.context !== snapshotOf(saved.contexts)) complaints.push(complain(document, ["context"], edited(ofParts)))
  if (complaints.length > 0) return Result.fail(toError(source, complaints))
  const rendering = { ...saved, tools: tools.flatMap((tool) => (Result.isSuccess(tool) ? [tool.success] : [])) }
  // The fingerprint is wrong too where the prompt is, so it is looked at only where that is right.
  return saved.fingerprint === Fingerprint.make(saved.prompt, rendering.tools)
    ? Result.succeed(rendering)
    : Result.fail(toError(source, [complain(document, ["fingerprint"], edited("that of the prompt and the tools"))]))
}

const ofParts = "what the parts render to"

const edited = (right: string): string =>
  `it is not ${right}, so the file was edited. Print it anew: preamble render --format json`

const joined = (parts: ReadonlyArray<SavedPart>): string =>
  parts
    .filter((part) => part.rendered !== "")
    .map((part) => part.rendered)
    .join(separator)

const snapshotOf = (parts: ReadonlyArray<SavedPart>): string => {
  const text = joined(parts)
  return text === "" ? "" : PromptContext.heading + separator + text
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** As one side of a comparison with the other, if there is one. */
export const toSide = (self: SavedRendering, other: Side | undefined): Side => {
  const values: Template.Values = new Map(
    Object.entries(self.variables).map(([name, value]) => [name, value ?? undefined])
  )
  const written = (saved: SavedPart, known: AssembledSection | AssembledContext | undefined) => ({
    name: saved.name,
    order: saved.order,
    text: known !== undefined && String(known.text) === saved.text ? known.text : textOf(saved, values),
    interpolate: saved.interpolate,
    origin: originOf(saved.scope, known?.origin)
  })
  const sections = self.sections.map((saved): AssembledSection => {
    const known = other?.assembly.sections.find((one) => one.name === saved.name)
    return { ...written(saved, known), requires: known?.requires ?? [] }
  })
  const contexts = self.contexts.map((saved): AssembledContext => {
    return written(
      saved,
      other?.assembly.contexts.find((one) => one.name === saved.name)
    )
  })
  const variables = Object.entries(self.variables)
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([name, value]) => ({
      name,
      value: value ?? undefined,
      origin: other?.assembly.variables.find((one) => one.name === name)?.origin ?? Origin.make({ scope: self.scope })
    }))
  const assembly: Assembly = {
    scope: self.scope,
    sections,
    contexts,
    tools: self.tools.map((schema) => ({
      schema,
      origin:
        other?.assembly.tools.find((one) => one.schema.name === schema.name)?.origin ??
        Origin.make({ scope: self.scope })
    })),
    variables,
    complete: self.complete ?? undefined,
    suppressed: other?.assembly.suppressed ?? false,
    toolOrder: undefined,
    annotations: Context.empty()
  }
  return {
    assembly,
    rendered: {
      text: self.prompt,
      sections: partsOf(self.sections, sections, 0),
      contexts: partsOf(self.contexts, contexts, PromptContext.heading.length + separator.length),
      snapshot: self.context,
      variables
    }
  }
}

const originOf = (scope: string, known: Origin.Origin | undefined): Origin.Origin =>
  known?.scope === scope ? known : Origin.make({ scope })

/** A `Template` that was saved shows its references as a string has them, and cannot always be read again. */
const textOf = (saved: SavedPart, values: Template.Values): Template.Text => {
  const again = saved.interpolate
    ? Template.render(saved.text, values, { kind: "section", entry: saved.name, scope: saved.scope })
    : Result.succeed(saved.text)
  return Result.isSuccess(again) && again.success === saved.rendered ? saved.text : Template.verbatim(saved.rendered)
}

const partsOf = <From>(
  saved: ReadonlyArray<SavedPart>,
  sources: ReadonlyArray<From>,
  start: number
): ReadonlyArray<Part<From>> => {
  const parts: Array<Part<From>> = []
  let offset = start
  for (const [i, { name, order, rendered }] of saved.entries()) {
    if (rendered === "") continue
    parts.push({ name, order, offset, text: rendered, source: sources[i]! })
    offset += rendered.length + separator.length
  }
  return parts
}
