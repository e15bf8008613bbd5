/**
 * A composition: a whole system prompt, as one file for people without code.
 *
 * `parse` is pure: the text of the file and of those it refers to in, the
 * composition or all its problems out. `load` reads the files. What comes out
 * breaks no rule of registration, so that `layer` can put it
 * into a `SystemPrompt` as it is.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { names } from "../Persona.ts"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import type { ToolSchema } from "../ToolSchema.ts"
import { toError } from "./Complaint.ts"
import type { Restriction, Silence, VariableValue } from "./CompositionFile.ts"
import { type ContentsDraft, type Draft, fromDocument, type Located, type NotMounted } from "./Draft.ts"
import * as DshPreset from "./DshPreset.ts"
import type { InvalidComposition } from "./InvalidComposition.ts"
import * as Resources from "./Resources.ts"
import * as Rules from "./Rules.ts"
import * as SourceFile from "./SourceFile.ts"
import * as ToolRules from "./ToolRules.ts"
import * as Yaml from "./Yaml.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * An entry with a text.
 *
 * @since 0.1.0
 * @category models
 */
export interface Textual<A> extends Located<A> {
  readonly text: Resources.PlacedText
}

/**
 * What one scope contributes. Each entry knows its path in the file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contents {
  /** The label of the scope. */
  readonly scope: string
  readonly sections: ReadonlyArray<Textual<Section.Options<string>>>
  readonly contexts: ReadonlyArray<Textual<PromptContext.Options<string>>>
  readonly variables: ReadonlyArray<Located<{ readonly name: string; readonly value: VariableValue }>>
  readonly tools: ReadonlyArray<ToolSchema>
  /** Modules to import, as the file names them. */
  readonly plugins: ReadonlyArray<Located<string>>
  readonly suppressContexts: boolean
}

/**
 * What a scope under `scopes` contributes, where it stands, and which of the tools that it inherits it shows.
 *
 * @since 0.1.0
 * @category models
 */
export interface ScopeContents extends Contents {
  /** The label of the scope above it; `global` if there is none. */
  readonly parent: string | undefined
  readonly restrict: Located<Restriction> | undefined
}

/**
 * A composition without problems, all its texts read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Composition {
  readonly file: string
  readonly identity: string | boolean
  readonly persona: { readonly prefix?: string; readonly suffix?: string }
  readonly runtimeContext: boolean
  readonly toolOrder: ReadonlyArray<string> | undefined
  readonly sortToolKeys: boolean
  readonly global: Contents
  readonly scopes: ReadonlyArray<ScopeContents>
  /** The scope that is assembled if none is asked for. */
  readonly scope: string
  /** The texts of the built-in sections, by the names of those. */
  readonly builtIns: ReadonlyMap<string, Resources.PlacedText>
  /** Where each tool is written. A tools file that several scopes name has tools of its own for each of them. */
  readonly toolPlaces: ReadonlyMap<ToolSchema, Resources.PlacedTool>
  /** Warnings of `check` that do not matter here. */
  readonly silences: ReadonlyArray<Located<Silence>>
  /** Rows of a dsh preset that nothing here stands for. */
  readonly notMounted: ReadonlyArray<NotMounted>
  /** The file as it was read, to tell places in it. */
  readonly document: Yaml.Document
}

/**
 * A composition to read: the name of its file, for messages, and its text. `files` are those that its `file:` values
 * refer to, under the names written there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Input {
  readonly file: string
  readonly text: string
  readonly files?: ReadonlyMap<string, Resources.Content>
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * Reads a composition, or says all that is wrong with it. Total: whatever the text is, nothing is thrown.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (input: Input): Result.Result<Composition, InvalidComposition> =>
  Result.flatMap(draft(input.file, input.text), (draft) => resolve(draft, input.files ?? new Map()))

/** The first half of `parse`: what the file says. Only a broken syntax fails. */
export const draft = (file: string, text: string): Result.Result<Draft, InvalidComposition> => {
  const source = SourceFile.make(file, text)
  return Result.match(Yaml.read(source), {
    onFailure: (complaints) => Result.fail(toError(source, complaints)),
    onSuccess: (document) =>
      Result.succeed(DshPreset.isPreset(document) ? DshPreset.fromDocument(document) : fromDocument(document))
  })
}

/** The second half of `parse`: what the file means, with the files it refers to. */
export const resolve = (
  draft: Draft,
  files: ReadonlyMap<string, Resources.Content>
): Result.Result<Composition, InvalidComposition> => {
  const resources = Resources.make(draft, files)
  const complaints = [
    ...draft.complaints,
    ...Rules.complaintsOf(draft),
    ...resources.complaints,
    ...ToolRules.complaintsOf(draft, resources)
  ]
  if (complaints.length > 0) return Result.fail(toError(draft.document.source, complaints))
  const toolPlaces = new Map<ToolSchema, Resources.PlacedTool>()
  const toolsOf = (contents: ContentsDraft): ReadonlyArray<ToolSchema> =>
    resources.toolsOf(contents).flatMap(({ place, schema }) => {
      if (schema === undefined) return []
      toolPlaces.set(schema, place)
      return [schema]
    })
  const contents = (contents: ContentsDraft): Contents => ({
    scope: contents.scope,
    sections: contents.sections.map((item) => withText(item, resources)),
    contexts: contents.contexts.map((item) => withText(item, resources)),
    variables: contents.variables,
    tools: toolsOf(contents),
    plugins: contents.plugins,
    suppressContexts: contents.suppressContexts
  })
  const prefix = draft.personaPrefix && resources.textOf(draft.personaPrefix)
  const suffix = draft.personaSuffix && resources.textOf(draft.personaSuffix)
  return Result.succeed({
    file: draft.document.source.file,
    identity: draft.identity,
    persona: {
      ...(prefix === undefined ? undefined : { prefix: prefix.text }),
      ...(suffix === undefined ? undefined : { suffix: suffix.text })
    },
    runtimeContext: draft.runtimeContext,
    // A preset brings no tools, so its order has nothing to order, and each of its names would be unknown.
    toolOrder: DshPreset.isPreset(draft.document) ? undefined : draft.toolOrder?.value,
    sortToolKeys: draft.sortToolKeys,
    global: contents(draft.global),
    scopes: draft.scopes.map((scope) => ({
      ...contents(scope),
      parent: scope.parent?.value,
      restrict: scope.restrict
    })),
    scope: draft.scope?.value ?? "global",
    builtIns: new Map([
      ...(typeof draft.identity === "string"
        ? [[names.identity, { text: draft.identity, path: ["identity"], file: undefined }] as const]
        : []),
      ...(prefix === undefined ? [] : [[names.prefix, prefix] as const]),
      ...(suffix === undefined ? [] : [[names.suffix, suffix] as const])
    ]),
    toolPlaces,
    silences: draft.silences,
    notMounted: draft.notMounted,
    document: draft.document
  })
}

const withText = <Entry extends { readonly text: Parameters<Resources.Resources["textOf"]>[0] }>(
  item: Located<Entry>,
  resources: Resources.Resources
): Textual<Omit<Entry, "text"> & { readonly text: string }> => {
  const text = resources.textOf(item.value.text)
  return { value: { ...item.value, text: text.text }, path: item.path, text }
}
