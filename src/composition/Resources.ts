/**
 * The files that a composition refers to: long texts and lists of tools.
 *
 * A file that cannot be used is a problem at the place that names it; a mistake
 * inside a tools file is a problem inside that file.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type {
  DuplicateRegistration,
  InvalidRegistration,
  InvalidToolSchema,
  ReservedToolName,
  ScopeClosed
} from "../PromptError.ts"
import * as RegisteredTool from "../RegisteredTool.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { complain, type Complaint, type Path } from "./Complaint.ts"
import { type Text, ToolsFile } from "./CompositionFile.ts"
import * as Decoding from "./Decoding.ts"
import { type ContentsDraft, type Draft, listAt, type Located, type ToolDraft, toToolDraft } from "./Draft.ts"
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

/** A tool that a scope contributes, written out or in a tools file. */
export interface ReadTool {
  /** Not known of one without a name, or of all those in a file that cannot be read. */
  readonly name: string | undefined
  /** If nothing is wrong with it. */
  readonly schema: ToolSchema.ToolSchema | undefined
  readonly place: PlacedTool
}

export interface Resources {
  readonly complaints: ReadonlyArray<Complaint>
  readonly textOf: (text: Located<Text>) => PlacedText
  readonly toolsOf: (contents: ContentsDraft) => ReadonlyArray<ReadTool>
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/** The names of all files that a draft refers to, as it writes them, each once. */
export const referencesOf = (draft: Draft): ReadonlySet<string> =>
  new Set([
    ...textFilesOf(draft).map((reference) => reference.value),
    ...contentsOf(draft).flatMap(({ tools }) => tools.flatMap(({ value }) => ("file" in value ? [value.file] : [])))
  ])

const textFilesOf = (draft: Draft): ReadonlyArray<Located<string>> =>
  contentsOf(draft).flatMap((contents) => contents.textFiles)

const contentsOf = (draft: Draft): ReadonlyArray<ContentsDraft> => [draft.global, ...draft.scopes]

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
  const tools = new Map<ContentsDraft, ReadonlyArray<ReadTool>>()
  for (const contents of contentsOf(draft)) {
    const { scope } = contents
    tools.set(
      contents,
      contents.tools.flatMap((tool) => readTools({ draft, scope, fileOf, complaints }, tool))
    )
  }
  return {
    complaints: distinct(complaints),
    textOf: ({ path, value }) => {
      if (typeof value === "string") return { text: value, path, file: undefined }
      const file = Result.getOrElse(fileOf(value.file), () => undefined)
      return { text: file?.text ?? "", path: [...path, "file"], file }
    },
    toolsOf: (contents) => tools.get(contents) ?? []
  }
}

/** A tools file that two scopes name has its mistakes once. */
export const distinct = (complaints: ReadonlyArray<Complaint>): ReadonlyArray<Complaint> => [
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

interface Reading {
  readonly draft: Draft
  /** The label of the scope that the tools are for. */
  readonly scope: string
  readonly fileOf: (name: string) => ReadFile
  readonly complaints: Array<Complaint>
}

const readTools = (reading: Reading, { path, value }: ContentsDraft["tools"][number]): ReadonlyArray<ReadTool> => {
  const { complaints, draft, fileOf } = reading
  const here: PlacedTool = { document: draft.document, path, reference: undefined }
  if (!("file" in value)) return [readTool(reading, value, here)]
  const unread = [{ name: undefined, schema: undefined, place: here }]
  const file = fileOf(value.file)
  if (Result.isFailure(file)) {
    complaints.push(complain(draft.document, [...path, "file"], file.failure))
    return unread
  }
  const read = Yaml.read(file.success)
  if (Result.isFailure(read)) {
    complaints.push(...read.failure)
    return unread
  }
  const document = read.success
  const refused = Decoding.complaintsOf(document, ToolsFile, document.value)
  const tags = document.foreignTags.map((tag) =>
    complain(document, tag.path, "a tools file holds plain JSON, no tags.")
  )
  complaints.push(...document.complaints, ...tags, ...refused)
  // A tool that has not its shape must not hide what is wrong with the next.
  return (Array.isArray(document.value) ? listAt(document.value, []) : [{ value: document.value, path: [] }]).map(
    (one) => readTool(reading, toToolDraft(one.value), { document, path: one.path, reference: [...path, "file"] })
  )
}

/** The name of a file as a reader of messages finds it: from where the composition's own name starts. */
const beside = (composition: string, file: string): string => {
  const folder = composition.slice(0, Math.max(composition.lastIndexOf("/"), composition.lastIndexOf("\\")) + 1)
  return /^(?:[/\\]|[A-Za-z]:)/.test(file) ? file : folder + file.replace(/^\.\//, "")
}

const readTool = ({ complaints, scope }: Reading, { entry, name }: ToolDraft, place: PlacedTool): ReadTool => {
  if (entry === undefined) return { name, schema: undefined, place }
  const made = RegisteredTool.fromUnknown({ ...entry, handler: undefined }, scope)
  if (Result.isSuccess(made)) return { name, schema: made.success.schema, place }
  complaints.push(complainOfTool(place, made.failure))
  // What is wrong with its name must not hide what is wrong with its parameters.
  if (made.failure._tag !== "InvalidToolSchema") {
    const checked = ToolSchema.fromUnknown(entry, { kind: "tool", entry: entry.name, scope })
    // Both refuse an empty name.
    if (Result.isFailure(checked) && entry.name !== "") complaints.push(complainOfTool(place, checked.failure))
  }
  return { name, schema: undefined, place }
}

/** What the registry of tools refuses, at its place. */
export const complainOfTool = (
  { document, path }: PlacedTool,
  error: DuplicateRegistration | InvalidRegistration | InvalidToolSchema | ReservedToolName | ScopeClosed
): Complaint => {
  const { _tag: tag, message } = error
  const at =
    error._tag === "InvalidToolSchema"
      ? fromJsonPath(error.path)
      : error._tag === "InvalidRegistration"
        ? [error.field]
        : ["name"]
  return complain(document, [...path, ...at], message, { tag })
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
