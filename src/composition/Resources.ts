/**
 * The files that a composition refers to: long texts and lists of tools.
 *
 * A file that cannot be used is a problem at the place that names it; a mistake
 * inside a tools file is a problem inside that file.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { Owner } from "../PromptError.ts"
import * as ToolOrder from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { complain, type Complaint, type Path } from "./Complaint.ts"
import { type Text, ToolEntry, ToolsFile } from "./CompositionFile.ts"
import * as Decoding from "./Decoding.ts"
import { type ContentsDraft, type Draft, listAt, type Located } from "./Draft.ts"
import * as SourceFile from "./SourceFile.ts"
import * as Yaml from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * The content of a file, or a sentence that says why there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Content = string | Uint8Array | { readonly problem: string }

/**
 * A text and where it stands: in `file`, if it has one of its own, and that is named at `path` of the composition; else
 * at `path` itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlacedText {
  readonly text: string
  readonly path: Path
  readonly file: SourceFile.SourceFile | undefined
}

/**
 * Where a tool stands: at `path` of a document, and, if that is a tools file, named at `reference` of the composition.
 *
 * @since 0.1.0
 * @category models
 */
export interface PlacedTool {
  readonly document: Yaml.Document
  readonly path: Path
  readonly reference: Path | undefined
}

type ToolDraft = ContentsDraft["tools"][number]

export interface Resources {
  readonly complaints: ReadonlyArray<Complaint>
  readonly textOf: (text: Located<Text>) => PlacedText
  readonly toolsOf: (tool: ToolDraft) => ReadonlyArray<ToolSchema.ToolSchema>
  readonly toolPlaces: ReadonlyMap<ToolSchema.ToolSchema, PlacedTool>
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** The names of all files that a draft refers to, as it writes them, each once. */
export const referencesOf = (draft: Draft): ReadonlySet<string> =>
  new Set([
    ...textFilesOf(draft).map((reference) => reference.value),
    ...toolsOf(draft).flatMap(({ tool }) => ("file" in tool.value ? [tool.value.file] : []))
  ])

const textFilesOf = (draft: Draft): ReadonlyArray<Located<string>> =>
  [draft.global, ...draft.scopes].flatMap((contents) => contents.textFiles)

interface OwnedTool {
  readonly tool: ToolDraft
  readonly owner: Owner
}

const toolsOf = (draft: Draft): ReadonlyArray<OwnedTool> =>
  [draft.global, ...draft.scopes].flatMap(({ scope, tools }) =>
    tools.map((tool) => ({ tool, owner: { kind: "tools" as const, entry: "", scope } }))
  )

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/** Looks up all that a draft refers to, and checks its tools. */
export const make = (draft: Draft, files: ReadonlyMap<string, Content>): Resources => {
  const complaints: Array<Complaint> = []
  const read = new Map<string, ReadFile>()
  const fileOf = (name: string): ReadFile => {
    const file = read.get(name) ?? readFile(beside(draft.document.source.file, name), name, files.get(name))
    read.set(name, file)
    return file
  }
  for (const { path, value } of textFilesOf(draft)) {
    const file = fileOf(value)
    if (Result.isFailure(file)) complaints.push(complain(draft.document, path, file.failure))
  }
  const tools = new Map<ToolDraft, ReadonlyArray<ToolSchema.ToolSchema>>()
  const toolPlaces = new Map<ToolSchema.ToolSchema, PlacedTool>()
  for (const owned of toolsOf(draft)) {
    const placed = readTools(draft, owned, fileOf, complaints)
    for (const { place, schema } of placed) toolPlaces.set(schema, place)
    tools.set(
      owned.tool,
      placed.map((one) => one.schema)
    )
  }
  return {
    complaints: distinct(complaints),
    textOf: ({ path, value }) => {
      if (typeof value === "string") return { text: value, path, file: undefined }
      const file = Result.getOrElse(fileOf(value.file), () => undefined)
      return { text: file?.text ?? "", path: [...path, "file"], file }
    },
    toolsOf: (tool) => tools.get(tool) ?? [],
    toolPlaces
  }
}

/** A tools file that two scopes name has its mistakes once. */
const distinct = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<Complaint> => [
  ...new Map(
    complaints.map((one) => [JSON.stringify([one.source.file, one.offset, one.path, one.message]), one])
  ).values()
]

/** The text of a file, or a sentence that says why there is none. */
export const decode = (content: Content | undefined): Result.Result<string, string> => {
  if (content === undefined) return Result.fail("no such file was given.")
  if (typeof content === "string") return Result.succeed(content)
  return "problem" in content ? Result.fail(content.problem) : SourceFile.decode(content)
}

/** A file, or a sentence that says why there is none. */
type ReadFile = Result.Result<SourceFile.SourceFile, string>

/** `shown` is its name for a reader of messages, `name` what the composition calls it. */
const readFile = (shown: string, name: string, content: Content | undefined): ReadFile =>
  Result.mapBoth(decode(content), {
    onFailure: (reason) => unreadable(name, reason),
    onSuccess: (text) => SourceFile.make(shown, text)
  })

export const unreadable = (name: string, reason: string): string => `cannot read ${JSON.stringify(name)}: ${reason}`

interface ReadTool {
  readonly schema: ToolSchema.ToolSchema
  readonly place: PlacedTool
}

const readTools = (
  draft: Draft,
  { owner, tool }: OwnedTool,
  fileOf: (name: string) => ReadFile,
  complaints: Array<Complaint>
): ReadonlyArray<ReadTool> => {
  const { path, value } = tool
  if (!("file" in value)) {
    return toSchema({ document: draft.document, path, reference: undefined }, value, owner, complaints)
  }
  const file = fileOf(value.file)
  if (Result.isFailure(file)) {
    complaints.push(complain(draft.document, [...path, "file"], file.failure))
    return []
  }
  const read = Yaml.read(file.success)
  if (Result.isFailure(read)) {
    complaints.push(...read.failure)
    return []
  }
  const document = read.success
  const refused = Decoding.complaintsOf(document, ToolsFile, document.value)
  const tags = document.foreignTags.map((tag) =>
    complain(document, tag.path, "a tools file holds plain JSON, no tags.")
  )
  complaints.push(...document.complaints, ...tags, ...refused)
  // A tool that has not its shape must not hide what is wrong with the next.
  return (Array.isArray(document.value) ? listAt(document.value, []) : [{ value: document.value, path: [] }])
    .filter((one) => Decoding.attempt(ToolEntry, one.value) !== undefined)
    .flatMap((one) => {
      const place = { document, path: one.path, reference: [...path, "file"] }
      return toSchema(place, one.value, owner, complaints)
    })
}

/** The name of a file as a reader of messages finds it: from where the composition's own name starts. */
const beside = (composition: string, file: string): string => {
  const folder = composition.slice(0, Math.max(composition.lastIndexOf("/"), composition.lastIndexOf("\\")) + 1)
  return /^(?:[/\\]|[A-Za-z]:)/.test(file) ? file : folder + file.replace(/^\.\//, "")
}

const toSchema = (
  place: PlacedTool,
  value: unknown,
  owner: Owner,
  complaints: Array<Complaint>
): ReadonlyArray<ReadTool> => {
  const { document, path } = place
  const made = ToolSchema.fromUnknown(value, owner)
  if (Result.isFailure(made)) {
    const { _tag: tag, message } = made.failure
    complaints.push(complain(document, [...path, ...fromJsonPath(made.failure.path)], message, { tag }))
    return []
  }
  const reserved = ToolOrder.reserved(made.success.name, owner)
  if (Result.isFailure(reserved)) {
    const { _tag: tag, message } = reserved.failure
    complaints.push(complain(document, [...path, "name"], message, { tag }))
  }
  return [{ schema: made.success, place }]
}

const step = /\.([A-Za-z_]\w*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g

/** `$.parameters["a b"][0]` as a path. */
const fromJsonPath = (path: string): Path =>
  [...path.matchAll(step)].map(([, name, index, quoted]) => {
    if (name !== undefined) return name
    if (index !== undefined) return Number(index)
    const key: unknown = JSON.parse(quoted ?? '""')
    return String(key)
  })
