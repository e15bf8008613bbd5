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
import * as ToolSchema from "../ToolSchema.ts"
import { type Text, ToolsFile } from "./CompositionFile.ts"
import * as Decoding from "./Decoding.ts"
import type { ContentsDraft, Draft, Located } from "./Draft.ts"
import { complain } from "./Rules.ts"
import type { Complaint, Path } from "./Source.ts"
import * as Source from "./Source.ts"
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

type ToolDraft = ContentsDraft["tools"][number]

export interface Resources {
  readonly complaints: ReadonlyArray<Complaint>
  readonly textOf: (text: Located<Text>) => string
  readonly toolsOf: (tool: ToolDraft) => ReadonlyArray<ToolSchema.ToolSchema>
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
  const contents = new Map<string, Result.Result<string, string>>()
  const contentOf = (name: string): Result.Result<string, string> => {
    const content = contents.get(name) ?? named(name, files.get(name))
    contents.set(name, content)
    return content
  }
  for (const { path, value } of textFilesOf(draft)) {
    const content = contentOf(value)
    if (Result.isFailure(content)) complaints.push(complain(draft.document, path, content.failure))
  }
  const tools = new Map<ToolDraft, ReadonlyArray<ToolSchema.ToolSchema>>()
  for (const owned of toolsOf(draft)) tools.set(owned.tool, readTools(draft, owned, contentOf, complaints))
  return {
    complaints: distinct(complaints),
    textOf: ({ value }) => (typeof value === "string" ? value : Result.getOrElse(contentOf(value.file), () => "")),
    toolsOf: (tool) => tools.get(tool) ?? []
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
  return "problem" in content ? Result.fail(content.problem) : Source.decode(content)
}

const named = (name: string, content: Content | undefined): Result.Result<string, string> =>
  Result.mapBoth(decode(content), { onFailure: (reason) => unreadable(name, reason), onSuccess: Source.normalise })

export const unreadable = (name: string, reason: string): string => `cannot read ${JSON.stringify(name)}: ${reason}`

const readTools = (
  draft: Draft,
  { owner, tool }: OwnedTool,
  contentOf: (name: string) => Result.Result<string, string>,
  complaints: Array<Complaint>
): ReadonlyArray<ToolSchema.ToolSchema> => {
  const { path, value } = tool
  if (!("file" in value)) return toSchema(draft.document, value, path, owner, complaints)
  const content = contentOf(value.file)
  if (Result.isFailure(content)) {
    complaints.push(complain(draft.document, [...path, "file"], content.failure))
    return []
  }
  const read = Yaml.read(Source.make(beside(draft.document.source.file, value.file), content.success))
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
  if (refused.length > 0) return []
  return Array.isArray(document.value)
    ? document.value.flatMap((one, index) => toSchema(document, one, [index], owner, complaints))
    : toSchema(document, document.value, [], owner, complaints)
}

/** The name of a file as a reader of messages finds it: from where the composition's own name starts. */
const beside = (composition: string, file: string): string => {
  const folder = composition.slice(0, Math.max(composition.lastIndexOf("/"), composition.lastIndexOf("\\")) + 1)
  return /^(?:[/\\]|[A-Za-z]:)/.test(file) ? file : folder + file.replace(/^\.\//, "")
}

const toSchema = (
  document: Yaml.Document,
  value: unknown,
  path: Path,
  owner: Owner,
  complaints: Array<Complaint>
): ReadonlyArray<ToolSchema.ToolSchema> => {
  const made = ToolSchema.fromUnknown(value, owner)
  if (Result.isSuccess(made)) return [made.success]
  const { _tag: tag, message } = made.failure
  complaints.push(complain(document, [...path, ...fromJsonPath(made.failure.path)], message, { tag }))
  return []
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
