/**
 * Where in the files of a composition an error of assembly or rendering has its cause.
 *
 * The error names an owner, and a place in the owner's text; the composition
 * knows what its author wrote where. Of what a plugin or a listener did, no
 * place is claimed.
 *
 * @since 0.1.0
 */
import type { Owner, PromptError, RenderError } from "../PromptError.ts"
import type { Path } from "./Complaint.ts"
import type { Composition, Contents, Textual } from "./Composition.ts"
import type { Located } from "./Draft.ts"
import type { PlacedText } from "./Resources.ts"
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
 *   composition names it. Where YAML has escaped or folded the text, the beginning of it.
 * - Any other: the section, context or variable that is its owner.
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
    case "UnknownTool":
      return error.unknown.flatMap((tool) => {
        const index = composition.toolOrder?.indexOf(tool) ?? -1
        return index < 0 ? [] : [at(composition, ["toolOrder", index])]
      })
    case "UnknownVariable":
    case "UndefinedVariable":
    case "MalformedGroup":
      return placesInText(composition, error)
    case "InvalidToolOrder":
    case "ScopeCycle":
    case "ScopeClosed":
      return []
    default: {
      const entry = entryOf(composition, error)
      return entry === undefined ? [] : [at(composition, entry.path)]
    }
  }
}

const at = ({ document }: Composition, path: Path): Place => placeAt(document.source, document.locate(path))

/** What the file contributes names no plugin, so an owner that does is not of the file. */
const contentsOf = (composition: Composition, owner: Owner): Contents | undefined =>
  owner.plugin === undefined
    ? [composition.global, ...composition.scopes].find((one) => one.scope === owner.scope)
    : undefined

const textualOf = (composition: Composition, owner: Owner): Textual<unknown> | undefined => {
  const contents = contentsOf(composition, owner)
  if (owner.kind === "section") return contents?.sections.find((one) => one.value.name === owner.entry)
  return owner.kind === "context" ? contents?.contexts.find((one) => one.value.name === owner.entry) : undefined
}

const entryOf = (composition: Composition, owner: Owner): Located<unknown> | undefined =>
  owner.kind === "variable"
    ? contentsOf(composition, owner)?.variables.find((one) => one.value.name === owner.entry)
    : textualOf(composition, owner)

const textOf = (composition: Composition, owner: Owner): PlacedText | undefined => {
  const textual = textualOf(composition, owner)
  if (textual !== undefined) return textual.text
  const global = owner.kind === "section" && owner.scope === "global" && owner.plugin === undefined
  return global ? composition.builtIns.get(owner.entry) : undefined
}

const placesInText = (composition: Composition, error: RenderError): ReadonlyArray<Place> => {
  const found = textOf(composition, error)
  if (found === undefined) return []
  const { document } = composition
  const { file, path, text } = found
  // A listener may have changed the text. Then the offset means nothing here.
  const same = text.startsWith(error._tag === "MalformedGroup" ? "{{" : `{{${error.variable}}}`, error.offset)
  if (!same) return [at(composition, path)]
  return file === undefined
    ? [placeAt(document.source, document.locateIn(path, error.offset))]
    : [placeAt(file, error.offset), at(composition, path)]
}
