/**
 * A `Difference` as an answer: for a reader the summary first, then what changed, then the texts; or as JSON.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable } from "../Assembly.ts"
import * as Difference from "../Difference.ts"
import { byteLength } from "../internal/utf8.ts"
import { wrap } from "../internal/width.ts"
import type * as Origin from "../Origin.ts"
import { describeOwner, type Kind } from "../Owner.ts"
import type { Source } from "../Rendered.ts"
import type { Tokenizer } from "../tokens/Tokenizer.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { count, grouped } from "./Numbers.ts"
import { originToJson } from "./OriginJson.ts"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import * as Tokens from "./Tokens.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What the two sides are called. */
export interface Label {
  readonly file: string
  readonly scope: string
}

export interface Options {
  readonly tokenizer: Tokenizer["Service"]
  readonly width: number
  readonly style: Style
}

// -----------------------------------------------------------------------------
// words
// -----------------------------------------------------------------------------

const bytes = (size: number): string => count(size, "byte")

const described = (kind: Kind, entry: string, origin: Origin.Origin): string => {
  const by = origin.listener === undefined ? "" : `, by listener ${JSON.stringify(origin.listener.name)}`
  const { plugin, scope } = origin
  return describeOwner({ kind, entry, scope, ...(plugin === undefined ? undefined : { plugin }) }) + by
}

const describeSource = (source: Source | undefined): string => {
  switch (source?._tag) {
    case "Text":
      return described("section", source.section.name, source.section.origin)
    case "Value": {
      const variable = described("variable", source.variable.name, source.variable.origin)
      return `${variable}, in ${described("section", source.section.name, source.section.origin)}`
    }
    case "Separator":
      return `the blank line before ${described("section", source.after.name, source.after.origin)}`
    case undefined:
      return "the end of the prompt"
  }
}

const describeTool = (place: Difference.ToolPlace | undefined): string =>
  place === undefined
    ? "the end of the tools"
    : `tool ${JSON.stringify(place.tool.schema.name)} of ${shownOrigin(place.tool.origin)}, ${place.path}`

/** Who, in a cell of a table. */
const shownOrigin = ({ listener, plugin, provider, scope }: Origin.Origin): string => {
  const more = [
    ...(plugin === undefined ? [] : [`plugin ${JSON.stringify(plugin)}`]),
    ...(provider === undefined ? [] : [`provider ${JSON.stringify(provider)}`]),
    ...(listener === undefined ? [] : [`listener ${JSON.stringify(listener.name)}`])
  ]
  return `scope ${JSON.stringify(scope)}${more.length === 0 ? "" : ` (${more.join(", ")})`}`
}

// -----------------------------------------------------------------------------
// summary
// -----------------------------------------------------------------------------

/** All of it, with a line break at the end. `sides` are named unless they go without saying. */
export const toText = (
  self: Difference.Difference,
  sides: Difference.Pair<Label> | undefined,
  options: Options
): string => {
  const blocks = [
    ...(sides === undefined ? [] : [named(sides, options)]),
    summary(self, options),
    ...changes(self, options),
    ...texts("section", self.changes.sections, options),
    ...texts("context", self.changes.contexts, options)
  ]
  return `${blocks.join("\n\n")}\n`
}

const named = ({ after, before }: Difference.Pair<Label>, options: Options): string => {
  const line = (what: string, { file, scope }: Label) =>
    paragraph(`${what} ${file}, scope ${JSON.stringify(scope)}`, 0, options)
  return [...line("before:", before), ...line("after: ", after)].join("\n")
}

const paragraph = (text: string, indent: number, { width }: Options): ReadonlyArray<string> =>
  wrap(text, Math.max(2, width - indent - 2)).map((line, i) => " ".repeat(i === 0 ? indent : indent + 2) + line)

const verdict = (self: Difference.Difference): string => {
  if (Difference.isEmpty(self)) return "Nothing is different."
  if (Difference.isUnseen(self)) return "The model sees no difference."
  const parts = [
    ...(self.prompt === undefined ? [] : ["prompt"]),
    ...(self.tools === undefined ? [] : ["tools"]),
    ...(self.snapshot === undefined ? [] : ["context snapshot"])
  ]
  const list = parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`
  return `The model sees a difference: ${list}.`
}

const summary = (self: Difference.Difference, options: Options): string => {
  const { prompt, snapshot, tools } = self
  const point = (what: string, { byte, column, line }: Difference.Point, before: string, after: string) => [
    ...paragraph(`First differing byte of ${what}: ${grouped(byte)} (line ${line}, column ${column})`, 0, options),
    ...(before === after
      ? paragraph(`on both sides: ${before}`, 2, options)
      : [...paragraph(`before: ${before}`, 2, options), ...paragraph(`after:  ${after}`, 2, options)])
  ]
  return [
    options.style.bold(verdict(self)),
    ...(tools === undefined ? [] : point("the tools", tools, describeTool(tools.before), describeTool(tools.after))),
    ...(prompt === undefined
      ? []
      : point("the prompt", prompt, describeSource(prompt.before), describeSource(prompt.after))),
    ...(prompt === undefined && tools === undefined && snapshot === undefined ? [] : prefix(self, options))
  ].join("\n")
}

const prefix = ({ prefix: { kept, written } }: Difference.Difference, options: Options): ReadonlyArray<string> => {
  const tokens = (extent: Difference.Extent) => `${Tokens.show(options.tokenizer.count(extent.text))} tokens`
  const total = kept.bytes + written.bytes
  if (written.bytes === 0) return paragraph(`Cached prefix: all ${bytes(total)} stay (${tokens(kept)}).`, 0, options)
  const share = Math.floor((100 * kept.bytes) / total)
  const stay = `Cached prefix: ${grouped(kept.bytes)} of ${bytes(total)} stay (${share}%, ${tokens(kept)})`
  return paragraph(`${stay}; ${bytes(written.bytes)} are read anew (${tokens(written)}).`, 0, options)
}

// -----------------------------------------------------------------------------
// changes
// -----------------------------------------------------------------------------

type Row = readonly [sign: Table.Cell, name: string, what: string]

const changes = (self: Difference.Difference, options: Options): ReadonlyArray<string> => {
  const { changes, complete, suppressed } = self
  const none = "none"
  return [
    ...(complete === undefined
      ? []
      : paragraph(`Complete section: ${complete.before ?? none} → ${complete.after ?? none}`, 0, options)),
    ...(suppressed === undefined
      ? []
      : [suppressed.after ? "Contexts are turned off." : "Contexts are no longer turned off."]),
    ...list("Sections", changes.sections, sectionWords, options),
    ...list("Contexts", changes.contexts, sectionWords, options),
    ...list("Tools", changes.tools, toolWords, options),
    ...list("Variables", changes.variables, variableWords, options)
  ]
}

/** What a part is, and in what two differ. */
interface Words<A> {
  readonly is: (part: A) => string
  readonly differs: (before: A, after: A, fields: ReadonlyArray<string>) => ReadonlyArray<string>
}

const list = <A>(
  title: string,
  all: ReadonlyArray<Difference.Change<A, string>>,
  words: Words<A>,
  { style, width }: Options
): ReadonlyArray<string> => {
  if (all.length === 0) return []
  const rows = all.flatMap((change): ReadonlyArray<Row> => {
    switch (change._tag) {
      case "Added":
        return [[{ text: "+", paint: style.green }, change.name, words.is(change.after)]]
      case "Removed":
        return [[{ text: "-", paint: style.red }, change.name, words.is(change.before)]]
      case "Changed": {
        const { after, before, fields, moved } = change
        const [first, ...rest] = words.differs(before, after, fields)
        const place = moved ? ["moved"] : []
        const what = [[...(first === undefined ? [] : [first]), ...place].join(", "), ...rest]
        return what.map((one, i) => (i === 0 ? [{ text: "~", paint: style.yellow }, change.name, one] : ["", "", one]))
      }
    }
  })
  const columns = [{ title: "" }, { title: "", shrink: true }, { title: "", shrink: true }]
  const table = Table.render(columns, rows, { width: width - 2, style })
  return [[style.bold(title.toUpperCase()), ...table.split("\n").map((line) => `  ${line}`)].join("\n")]
}

type Written = Difference.Textual<AssembledSection | AssembledContext>

const requiresOf = ({ source }: Written): ReadonlyArray<string> => ("requires" in source ? source.requires : [])

const sectionWords: Words<Written> = {
  is: (part) => `order ${part.source.order}, ${bytes(byteLength(part.rendered))}, ${shownOrigin(part.source.origin)}`,
  differs: (before, after, fields) =>
    fields.flatMap((field) => {
      switch (field) {
        case "text":
          return fields.includes("rendered") ? ["text"] : ["text, which renders to the same"]
        case "rendered":
          return fields.includes("text") ? [] : ["rendered text"]
        case "order":
          return [`order ${before.source.order} → ${after.source.order}`]
        case "interpolate":
          return [`interpolate ${before.source.interpolate} → ${after.source.interpolate}`]
        case "requires":
          return [`requires [${requiresOf(before).join(", ")}] → [${requiresOf(after).join(", ")}]`]
        default:
          return [from(before.source.origin, after.source.origin)]
      }
    })
}

const from = (before: Origin.Origin, after: Origin.Origin): string => {
  const [was, is] = [shownOrigin(before), shownOrigin(after)]
  return was === is ? "shadows others" : `from ${was} → ${is}`
}

const toolWords: Words<AssembledTool> = {
  is: ({ origin, schema }) => `${bytes(byteLength(ToolSchema.emit(schema)))}, ${shownOrigin(origin)}`,
  differs: (before, after, fields) => [
    ...Difference.schemaChanges(before.schema, after.schema).map(({ change, path }) => `${path} ${change}`),
    ...(fields.includes("origin") ? [from(before.origin, after.origin)] : [])
  ]
}

const shownValue = (value: string | undefined): string => (value === undefined ? "no value" : JSON.stringify(value))

const variableWords: Words<AssembledVariable> = {
  is: ({ origin, value }) => `${shownValue(value)}, ${shownOrigin(origin)}`,
  differs: (before, after, fields) => [
    ...(fields.includes("value") ? [`${shownValue(before.value)} → ${shownValue(after.value)}`] : []),
    ...(fields.includes("origin") ? [from(before.origin, after.origin)] : [])
  ]
}

// -----------------------------------------------------------------------------
// texts
// -----------------------------------------------------------------------------

const texts = (
  kind: "section" | "context",
  all: ReadonlyArray<Difference.Change<Written, string>>,
  options: Options
): ReadonlyArray<string> =>
  all.flatMap((change) => {
    const before = change._tag === "Added" ? "" : change.before.rendered
    const after = change._tag === "Removed" ? "" : change.after.rendered
    if (before === after) return []
    const title = wrap(`${kind} ${JSON.stringify(change.name)}`, options.width).map(options.style.bold)
    return [[...title, ...UnifiedDiff.lines(before, after, options)].join("\n")]
  })

// -----------------------------------------------------------------------------
// JSON
// -----------------------------------------------------------------------------

/** As JSON, on one line once it is stringified. */
export const toJson = (
  self: Difference.Difference,
  sides: Difference.Pair<Label>,
  tokenizer: Tokenizer["Service"]
): Schema.JsonObject => {
  const extent = ({ bytes, text }: Difference.Extent) => ({ bytes, tokens: tokenizer.count(text).tokens })
  const { dropped, kept, written } = self.prefix
  return {
    different: !Difference.isUnseen(self),
    before: { ...sides.before },
    after: { ...sides.after },
    prompt: self.prompt === undefined ? null : { ...place(self.prompt), ...both(self.prompt, sourceToJson) },
    tools: self.tools === undefined ? null : { ...place(self.tools), ...both(self.tools, toolPlaceToJson) },
    context: self.snapshot === undefined ? null : place(self.snapshot),
    prefix: {
      tokenizer: tokenizer.name,
      exact: [kept, written, dropped].every(({ text }) => tokenizer.count(text).exact),
      kept: extent(kept),
      written: extent(written),
      dropped: extent(dropped)
    },
    complete: self.complete === undefined ? null : both(self.complete, (name) => name ?? null),
    suppressed: self.suppressed === undefined ? null : { ...self.suppressed },
    changes: {
      sections: self.changes.sections.map((change) => changeToJson(change, textualToJson)),
      contexts: self.changes.contexts.map((change) => changeToJson(change, textualToJson)),
      tools: self.changes.tools.map((change) => ({
        ...changeToJson(change, ({ origin, schema }) => ({ ...originToJson(origin), schema: { ...schema } })),
        ...(change._tag === "Changed"
          ? {
              schemaChanges: Difference.schemaChanges(change.before.schema, change.after.schema).map((one) => ({
                ...one
              }))
            }
          : undefined)
      })),
      variables: self.changes.variables.map((change) =>
        changeToJson(change, ({ origin, value }) => ({ ...originToJson(origin), value: value ?? null }))
      )
    }
  }
}

const place = ({ byte, column, line, offset }: Difference.Point) => ({ byte, offset, line, column })

const both = <A>({ after, before }: Difference.Pair<A>, f: (a: A) => Schema.Json): Schema.JsonObject => ({
  before: f(before),
  after: f(after)
})

const partToJson = ({
  name,
  origin
}: {
  readonly name: string
  readonly origin: Origin.Origin
}): Schema.JsonObject => ({
  name,
  ...originToJson(origin)
})

const sourceToJson = (source: Source | undefined): Schema.Json => {
  switch (source?._tag) {
    case "Text":
      return { section: partToJson(source.section), offset: source.offset }
    case "Value":
      return { section: partToJson(source.section), variable: partToJson(source.variable), offset: source.offset }
    case "Separator":
      return { between: [partToJson(source.before), partToJson(source.after)], offset: source.offset }
    case undefined:
      return null
  }
}

const toolPlaceToJson = (found: Difference.ToolPlace | undefined): Schema.Json =>
  found === undefined
    ? null
    : {
        tool: { name: found.tool.schema.name, ...originToJson(found.tool.origin) },
        index: found.index,
        path: found.path
      }

const textualToJson = ({ rendered, source }: Written): Schema.JsonObject => ({
  order: source.order,
  ...originToJson(source.origin),
  text: String(source.text),
  rendered,
  interpolate: source.interpolate,
  ...("requires" in source ? { requires: [...source.requires] } : undefined)
})

const changeToJson = <A>(
  change: Difference.Change<A, string>,
  part: (a: A) => Schema.JsonObject
): Schema.JsonObject => {
  switch (change._tag) {
    case "Added":
      return { change: "added", name: change.name, at: change.at, after: part(change.after) }
    case "Removed":
      return { change: "removed", name: change.name, was: change.was, before: part(change.before) }
    case "Changed":
      return {
        change: "changed",
        name: change.name,
        was: change.was,
        at: change.at,
        moved: change.moved,
        fields: [...change.fields],
        before: part(change.before),
        after: part(change.after)
      }
  }
}
