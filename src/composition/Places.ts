/**
 * Where in the files of a composition an error of assembly or rendering has its cause.
 *
 * The error names an owner, and a place in the owner's text; the composition
 * knows what its author wrote where. Of what a plugin or a listener did, no
 * place is claimed.
 *
 * @since 0.1.0
 */
import type { Hider } from "../internal/hiders.ts"
import type { Owner, PromptError } from "../PromptError.ts"
import type { ToolSchema } from "../ToolSchema.ts"
import type { Path } from "./Complaint.ts"
import type { Composition, Contents, Textual } from "./Composition.ts"
import type { Located } from "./Draft.ts"
import type { PlacedText, PlacedTool } from "./Resources.ts"
import { type Place, placeAt } from "./SourceFile.ts"

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * The places of an error, the first of them the most exact; none if nothing in the files is at fault.
 *
 * - `MultipleCompleteSections`: each complete section.
 * - `UnknownTool`: each entry of `toolOrder` that is unknown.
 * - An error of rendering: the characters in the text. For a text in a file of its own that file, and then where the
 *   composition names it. Where YAML has escaped or folded the text, the beginning of it. Then, of an environment variable
 *   that is not set, where the file asks for it.
 * - Any other: the section, context, variable or tool that is its owner.
 *
 * @since 0.1.0
 * @category destructors
 */
export const placesOf = (composition: Composition, error: PromptError): ReadonlyArray<Place> => {
  switch (error._tag) {
    case "MultipleCompleteSections":
      return error.sections.flatMap((section) => {
        const entry = entryOf(composition, { ...section, kind: "section" })
        return entry === undefined ? [] : [at(composition, [...entry.path, "complete"])]
      })
    case "UnknownTool": {
      if (error.kind !== "toolOrder") return []
      const unknown = new Set(error.unknown)
      return (composition.toolOrder ?? []).flatMap((tool, index) =>
        unknown.has(tool) ? [at(composition, ["toolOrder", index])] : []
      )
    }
    case "UnknownVariable":
    case "MalformedGroup":
      return placesInText(composition, error, {
        offset: error.offset,
        found: error._tag === "MalformedGroup" ? "{{" : `{{${error.variable}}}`
      })
    case "UndefinedVariable": {
      const { environment, offset, variable } = error
      const asks =
        environment && variableOf(composition, { kind: "variable", entry: variable, scope: environment.scope })
      return [
        ...placesInText(composition, error, { offset, found: `{{${variable}}}` }),
        ...(asks === undefined ? [] : [at(composition, [...asks.path, "env"])])
      ]
    }
    case "InvalidToolOrder":
    case "ScopeCycle":
    case "ScopeClosed":
      return []
    default: {
      if (error.kind === "tool") return placesOfEntry(composition, error)
      const entry = entryOf(composition, error)
      return entry === undefined ? [] : [at(composition, entry.path)]
    }
  }
}

/**
 * Where a composition says a section, a context, a variable or a tool; none for what it does not say. Of a tool in a tools
 * file that file, and then where the composition names it.
 *
 * @since 0.1.0
 * @category destructors
 */
export const placesOfEntry = (composition: Composition, owner: Owner): ReadonlyArray<Place> => {
  if (owner.kind === "tool") return placesInTool(composition, owner, [])
  const path = entryOf(composition, owner)?.path ?? textOf(composition, owner)?.path
  return path === undefined ? [] : [at(composition, path)]
}

/**
 * Where in the files a character of an owner's text stands, at `offset` of it, or of a variable's value: the most exact
 * place first, for a text in a file of its own that file, and then where the composition names it. Where a listener, or
 * the environment, made another text of it, the entry; none if the composition has no such entry.
 *
 * @since 0.1.0
 * @category destructors
 */
export const placesOfText = (
  composition: Composition,
  owner: Owner,
  text: string,
  offset: number
): ReadonlyArray<Place> => {
  const variable = owner.kind === "variable" ? variableOf(composition, owner) : undefined
  const { document } = composition
  if (variable?.value.value === text) return [placeAt(document.source, document.locateIn(variable.path, offset))]
  return textOf(composition, owner)?.text === text
    ? placesInText(composition, owner, { offset, found: "" })
    : placesOfEntry(composition, owner)
}

/**
 * Where the files have what an owner says at `offset` of its text, `found` being what stands there: in the file of the
 * text, if it has one, and then where the composition names that. The beginning of the text where something else stands.
 */
export const placesInText = (
  composition: Composition,
  owner: Owner,
  { found: wanted, offset }: { readonly offset: number; readonly found: string }
): ReadonlyArray<Place> => {
  const found = textOf(composition, owner)
  if (found === undefined) return []
  const { document } = composition
  const { file, path, text } = found
  // A listener may have changed the text. Then the offset means nothing here.
  if (!text.startsWith(wanted, offset)) return [at(composition, path)]
  return file === undefined
    ? [placeAt(document.source, document.locateIn(path, offset))]
    : [placeAt(file, offset), at(composition, path)]
}

/** Where the files have a value of a tool, `path` leading to it from the tool; none of one that is not the file's. */
export const placesInTool = (composition: Composition, owner: Owner, path: Path): ReadonlyArray<Place> => {
  const found = toolOf(composition, owner)
  if (found === undefined) return []
  const place = placeAt(found.document.source, found.document.locate([...found.path, ...path]))
  return found.reference === undefined ? [place] : [place, at(composition, found.reference)]
}

/**
 * Where a composition has the list of a restriction that hides a tool; none if a plugin hides it.
 *
 * @since 0.1.0
 * @category destructors
 */
export const placesOfHider = (
  composition: Composition,
  { list, plugin, scope }: Hider,
  tool: string
): ReadonlyArray<Place> => {
  const restrict = plugin === undefined ? composition.scopes.find((one) => one.scope === scope)?.restrict : undefined
  if (restrict === undefined || list === undefined) return []
  const named = restrict.value[list]?.includes(tool)
  return named === (list === "deny") ? [at(composition, [...restrict.path, list])] : []
}

/** What a provider or a listener gives is none of the file's tools, whatever its name. */
const toolOf = (composition: Composition, owner: Owner): PlacedTool | undefined => {
  const schema = owner.kind === "tool" ? entriesOf(composition, owner)?.tool.get(owner.entry) : undefined
  return schema === undefined ? undefined : composition.toolPlaces.get(schema)
}

/** The path to what an owner contributes, as far as it stands in the composition itself. */
export const pathOf = (composition: Composition, owner: Owner): Path | undefined => {
  const tool = toolOf(composition, owner)
  return (
    tool?.reference?.slice(0, -1) ?? tool?.path ?? entryOf(composition, owner)?.path ?? textOf(composition, owner)?.path
  )
}

const at = ({ document }: Composition, path: Path): Place => placeAt(document.source, document.locate(path))

// -----------------------------------------------------------------------------
// the entries of a composition
// -----------------------------------------------------------------------------

/** What a scope contributes, by name. Of two of one name, the first. */
interface Entries {
  readonly tool: ReadonlyMap<string, ToolSchema>
  readonly section: ReadonlyMap<string, Textual<unknown>>
  readonly context: ReadonlyMap<string, Textual<unknown>>
  readonly variable: ReadonlyMap<string, Contents["variables"][number]>
}

/** Of compositions that are in use, by the label of the scope: each place of thousands is one look-up. */
const indexes = new WeakMap<Composition, ReadonlyMap<string, Entries>>()

const byName = <A extends Located<{ readonly name: string }>>(all: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(all.toReversed().map((one) => [one.value.name, one]))

const indexOf = (composition: Composition): ReadonlyMap<string, Entries> => {
  const known = indexes.get(composition)
  if (known !== undefined) return known
  const all = [composition.global, ...composition.scopes].toReversed().map((contents): [string, Entries] => [
    contents.scope,
    {
      tool: new Map(contents.tools.map((tool) => [tool.name, tool])),
      section: byName(contents.sections),
      context: byName(contents.contexts),
      variable: byName(contents.variables)
    }
  ])
  const index = new Map(all)
  indexes.set(composition, index)
  return index
}

/** What the file contributes names no plugin, so an owner that does is not of the file. */
const entriesOf = (composition: Composition, owner: Owner): Entries | undefined =>
  owner.plugin === undefined ? indexOf(composition).get(owner.scope) : undefined

const textualOf = (composition: Composition, owner: Owner): Textual<unknown> | undefined =>
  owner.kind === "section" || owner.kind === "context"
    ? entriesOf(composition, owner)?.[owner.kind].get(owner.entry)
    : undefined

/** The variable of a composition that an owner is, if it is one. */
export const variableOf = (composition: Composition, owner: Owner) =>
  entriesOf(composition, owner)?.variable.get(owner.entry)

const entryOf = (composition: Composition, owner: Owner): Located<unknown> | undefined =>
  owner.kind === "variable" ? variableOf(composition, owner) : textualOf(composition, owner)

/** The text of a section or context, or the value of a variable, as the files have it. */
export const textOf = (composition: Composition, owner: Owner): PlacedText | undefined => {
  if (owner.kind === "variable") return valueOf(composition, owner)
  const textual = textualOf(composition, owner)
  if (textual !== undefined) return textual.text
  const global = owner.kind === "section" && owner.scope === "global" && owner.plugin === undefined
  return global ? composition.builtIns.get(owner.entry) : undefined
}

const valueOf = (composition: Composition, owner: Owner): PlacedText | undefined => {
  const found = variableOf(composition, owner)
  return typeof found?.value.value === "string"
    ? { text: found.value.value, path: found.path, file: undefined }
    : undefined
}
