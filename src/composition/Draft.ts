/**
 * A composition as its file says it: decoded as far as it can be, nothing
 * looked up yet.
 *
 * One wrong entry must not hide what is wrong with the next, so a draft keeps
 * every entry that is well-formed by itself, together with its path, and the
 * complaints about the others.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  CompositionFile,
  ContextEntry,
  type Restriction,
  RestrictionEntry,
  ScopeEntry,
  SectionEntry,
  type Silence,
  SilenceEntry,
  Text,
  ToolEntry,
  toOrder,
  VariableValue
} from "./CompositionFile.ts"
import { names } from "../Persona.ts"
import * as Decoding from "./Decoding.ts"
import { complain, type Complaint, type Path } from "./Complaint.ts"
import type { Document } from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** Something that the file says at `path`. */
export interface Located<A> {
  readonly value: A
  readonly path: Path
}

export interface SectionDraft {
  readonly name: string
  readonly order: number
  readonly text: Located<Text>
  readonly complete?: boolean
  readonly interpolate?: boolean
  readonly requires?: ReadonlyArray<string>
}

type ContextDraft = Omit<SectionDraft, "complete" | "requires">

/** A name that the file gives to an entry, be the entry well-formed or not. */
export interface NameDraft {
  readonly kind: "section" | "context" | "variable"
  readonly name: string
}

/** A tool: its name, if it has one, and all of it, if it is well-formed. */
export interface ToolDraft {
  readonly name: string | undefined
  readonly entry: typeof ToolEntry.Type | undefined
}

export interface ContentsDraft {
  /** The label of the scope. */
  readonly scope: string
  readonly names: ReadonlyArray<Located<NameDraft>>
  /** Names of the files that hold a text, be the entry around it well-formed or not. */
  readonly textFiles: ReadonlyArray<Located<string>>
  readonly sections: ReadonlyArray<Located<SectionDraft>>
  readonly contexts: ReadonlyArray<Located<ContextDraft>>
  readonly variables: ReadonlyArray<Located<{ readonly name: string; readonly value: VariableValue }>>
  readonly tools: ReadonlyArray<Located<ToolDraft | { readonly file: string }>>
  readonly plugins: ReadonlyArray<Located<string>>
  readonly suppressContexts: boolean
}

export interface ScopeDraft extends ContentsDraft {
  readonly path: Path
  readonly parent: Located<string> | undefined
  readonly restrict: Located<Restriction> | undefined
}

/** A row of a dsh preset that nothing here stands for. */
export interface NotMounted {
  readonly id: string
  readonly plugin: string
  readonly line: number
  /** `disabled`: the row says so. `unknown`: Preamble has nothing for this plugin. */
  readonly reason: "disabled" | "unknown"
}

export interface Draft {
  readonly document: Document
  readonly complaints: ReadonlyArray<Complaint>
  readonly identity: string | boolean
  readonly personaPrefix: Located<Text> | undefined
  readonly personaSuffix: Located<Text> | undefined
  readonly runtimeContext: boolean
  readonly toolOrder: Located<ReadonlyArray<string>> | undefined
  readonly sortToolKeys: boolean
  readonly global: ContentsDraft
  readonly scopes: ReadonlyArray<ScopeDraft>
  /** The scope that is assembled if none is asked for. */
  readonly scope: Located<string> | undefined
  readonly silences: ReadonlyArray<Located<Silence>>
  readonly notMounted: ReadonlyArray<NotMounted>
}

// -----------------------------------------------------------------------------
// values of unknown shape
// -----------------------------------------------------------------------------

export const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

export const listAt = (value: unknown, path: Path): ReadonlyArray<Located<unknown>> =>
  Array.isArray(value) ? value.map((item, index) => ({ value: item, path: [...path, index] })) : []

const isMap = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value)

const entriesAt = (value: unknown, path: Path): ReadonlyArray<Located<unknown> & { readonly key: string }> =>
  isMap(value) ? Object.entries(value).map(([key, item]) => ({ key, value: item, path: [...path, key] })) : []

const decoded = <S extends Schema.Top & { readonly DecodingServices: never }>(
  schema: S,
  items: ReadonlyArray<Located<unknown>>
): ReadonlyArray<Located<S["Type"]>> =>
  items.flatMap(({ path, value }) => {
    const found = Decoding.attempt(schema, value)
    return found === undefined ? [] : [{ value: found, path }]
  })

/** What the Schema makes of the value under a key, if there is one and it is well-formed. */
const under = <S extends Schema.Top & { readonly DecodingServices: never }>(
  schema: S,
  value: unknown,
  path: Path,
  key: string
): Located<S["Type"]> | undefined => {
  const found = member(value, key)
  return found === undefined ? undefined : decoded(schema, [{ value: found, path: [...path, key] }])[0]
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const File = Schema.Struct({ file: Schema.NonEmptyString })

const Identity = Schema.Union([Schema.Boolean, Schema.String])

/** The draft of a composition file whose top level is a map. */
export const fromDocument = (document: Document): Draft => {
  const { value } = document
  const tags = document.foreignTags.map((tag) => ({
    source: document.source,
    offset: tag.offset,
    path: tag.path,
    message: `the tag ${showTag(tag.tag)} is not known here, and nothing in a composition is evaluated. Write the value itself.`
  }))
  return {
    document,
    complaints: [
      ...document.complaints,
      ...tags,
      ...globalRestriction(document),
      ...Decoding.complaintsOf(document, CompositionFile, withoutRestriction(value))
    ],
    identity: under(Identity, value, [], "identity")?.value ?? false,
    personaPrefix: under(Text, member(value, "persona"), ["persona"], "prefix"),
    personaSuffix: under(Text, member(value, "persona"), ["persona"], "suffix"),
    runtimeContext: under(Schema.Boolean, value, [], "runtimeContext")?.value ?? true,
    toolOrder: under(Schema.Array(Schema.String), value, [], "toolOrder"),
    sortToolKeys: under(Schema.Boolean, value, [], "sortToolKeys")?.value ?? false,
    global: contentsOf("global", value, []),
    scopes: entriesAt(member(value, "scopes"), ["scopes"]).map(({ key, path, value }) => scopeOf(key, value, path)),
    scope: under(Schema.String, value, [], "scope"),
    silences: decoded(SilenceEntry, listAt(member(value, "silence"), ["silence"])),
    notMounted: []
  }
}

/** To restrict the global scope breaks a rule of the registry of tools. So the key is none that is unknown. */
const globalRestriction = (document: Document): ReadonlyArray<Complaint> => {
  if (!isMap(document.value) || !Object.hasOwn(document.value, "restrict")) return []
  const message =
    "the global scope inherits no tools, so it cannot be restricted. Put `restrict` into the scope that is to see fewer tools, under `scopes`."
  return [complain(document, ["restrict"], message, { tag: "InvalidRegistration", part: "key" })]
}

const withoutRestriction = (value: unknown): unknown =>
  isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== "restrict")) : value

/** `tag:yaml.org,2002:js` as it was written: `!!js`. */
export const showTag = (tag: string): string => tag.replace("tag:yaml.org,2002:", "!!")

const contentsOf = (scope: string, value: unknown, path: Path): ContentsDraft => {
  const list = (key: string) => listAt(member(value, key), [...path, key])
  const sections = list("sections")
  const contexts = list("contexts")
  const persona = member(value, "persona")
  const variables = entriesAt(member(value, "variables"), [...path, "variables"])
  return {
    scope,
    names: [
      ...namesOf("section", sections),
      ...namesOf("context", contexts),
      ...variables.map(({ key, path }) => ({ value: { kind: "variable" as const, name: key }, path }))
    ],
    textFiles: [
      ...[...sections, ...contexts].flatMap((item) => textFileUnder(item, "text")),
      ...["prefix", "suffix"].flatMap((part) => textFileUnder({ value: persona, path: [...path, "persona"] }, part))
    ],
    sections: decoded(SectionEntry, sections).map(withOrder),
    contexts: decoded(ContextEntry, contexts).map(withOrder),
    variables: variables.flatMap(({ key, ...item }) =>
      decoded(VariableValue, [item]).map((found) => ({ value: { name: key, value: found.value }, path: found.path }))
    ),
    tools: toolsOf(member(value, "tools"), [...path, "tools"]),
    plugins: decoded(Schema.NonEmptyString, list("plugins")),
    suppressContexts: member(value, "suppressRuntimeContext") === true
  }
}

/** What is no list may stand for any tools. */
const toolsOf = (value: unknown, path: Path): ContentsDraft["tools"] =>
  value === undefined || Array.isArray(value)
    ? listAt(value, path).map((item) => ({ value: toTool(item.value), path: item.path }))
    : [{ value: { name: undefined, entry: undefined }, path }]

const toTool = (value: unknown): ContentsDraft["tools"][number]["value"] => {
  const tool = toToolDraft(value)
  return tool.entry === undefined ? (Decoding.attempt(File, value) ?? tool) : tool
}

/** A tool as it is written, be it well-formed or not. */
export const toToolDraft = (value: unknown): ToolDraft => {
  const name = member(value, "name")
  return { name: typeof name === "string" ? name : undefined, entry: Decoding.attempt(ToolEntry, value) }
}

const namesOf = (kind: NameDraft["kind"], items: ReadonlyArray<Located<unknown>>): ReadonlyArray<Located<NameDraft>> =>
  items.flatMap(({ path, value }) => {
    const name = member(value, "name")
    return typeof name === "string" ? [{ value: { kind, name }, path: [...path, "name"] }] : []
  })

const textFileUnder = (item: Located<unknown>, key: string): ReadonlyArray<Located<string>> => {
  const file = member(member(item.value, key), "file")
  return typeof file === "string" && file !== "" ? [{ value: file, path: [...item.path, key, "file"] }] : []
}

/** An entry with its order as a number and its text with a path. */
const withOrder = <Entry extends { readonly order: Parameters<typeof toOrder>[0]; readonly text: Text }>(
  item: Located<Entry>
): Located<Omit<Entry, "order" | "text"> & { readonly order: number; readonly text: Located<Text> }> => {
  const { order, text, ...rest } = item.value
  const path = [...item.path, "text"]
  return { value: { ...rest, order: toOrder(order), text: { value: text, path } }, path: item.path }
}

const scopeOf = (scope: string, value: unknown, path: Path): ScopeDraft => {
  const contents = contentsOf(scope, value, path)
  const at = [...path, "persona"]
  const given = member(value, "persona")
  const persona = isMap(given)
    ? personaSections(at, under(Text, given, at, "prefix"), under(Text, given, at, "suffix"))
    : []
  return {
    ...contents,
    path,
    parent: under(ScopeEntry.fields.parent.schema, value, path, "parent"),
    restrict: restrictionOf(value, path),
    names: [...persona.map(toName), ...contents.names],
    sections: [...persona, ...contents.sections]
  }
}

/** Whoever mistypes the name of a list meant to give one. */
const restrictionOf = (value: unknown, path: Path): ScopeDraft["restrict"] => {
  const found = under(RestrictionEntry, value, path, "restrict")
  const given = member(value, "restrict")
  const mistyped = found?.value.allow === undefined && found?.value.deny === undefined && isMap(given)
  return mistyped && Object.keys(given).length > 0 ? undefined : found
}

// -----------------------------------------------------------------------------
// persona
// -----------------------------------------------------------------------------

/** A persona of a scope shadows both halves of what it inherits, with nothing where it says nothing. `path` is its own. */
export const personaSections = (
  path: Path,
  prefix: Located<Text> | undefined,
  suffix: Located<Text> | undefined,
  complete = false
): ReadonlyArray<Located<SectionDraft>> => {
  const nothing = { value: "", path }
  return [
    personaSection(names.prefix, "DEPLOYMENT_PERSONA_PREFIX", prefix ?? nothing, complete),
    personaSection(names.suffix, "DEPLOYMENT_PERSONA_SUFFIX", suffix ?? nothing)
  ]
}

const personaSection = (
  name: string,
  band: Parameters<typeof toOrder>[0],
  text: Located<Text>,
  complete = false
): Located<SectionDraft> => ({ value: { name, order: toOrder(band), text, complete }, path: text.path })

export const toName = (section: Located<SectionDraft>): Located<NameDraft> => ({
  value: { kind: "section", name: section.value.name },
  path: section.path
})
