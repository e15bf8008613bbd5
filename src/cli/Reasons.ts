/**
 * Why something is not what one expects, in sentences.
 *
 * @since 0.1.0
 */
import { placesOfHider } from "../composition/Places.ts"
import type { Place } from "../composition/SourceFile.ts"
import { describeHider, hidersOf } from "../internal/hiders.ts"
import { printable } from "../internal/width.ts"
import { describeOwner, ownerFields } from "../PromptError.ts"
import type { Absent, Explanation } from "./Explanation.ts"

// -----------------------------------------------------------------------------
// names
// -----------------------------------------------------------------------------

/** A contribution, or what says who made one. */
interface Contributor {
  readonly scope: string
  readonly plugin?: string | undefined
}

/** `scope "agent" (plugin "core")`. */
export const describeContributor = ({ plugin, scope }: Contributor): string =>
  `scope ${JSON.stringify(scope)}${plugin === undefined ? "" : ` (plugin ${JSON.stringify(plugin)})`}`

export const describeListener = ({ name, ...by }: Contributor & { readonly name: string }): string =>
  `listener ${JSON.stringify(name)} of ${describeContributor(by)}`

/** `section "model" of scope "agent" (plugin "core")`. */
export const describe = (self: Contributor & Pick<Absent, "kind" | "name">): string =>
  self.kind === "tool"
    ? `tool ${JSON.stringify(self.name)} of ${describeContributor(self)}`
    : describeOwner(ownerFields({ kind: self.kind, entry: self.name, scope: self.scope, plugin: self.plugin }))

/** `3 sections of scope "agent": "a", "b" and "c"`, each of the kind and owner of the first. */
export const describeMany = (first: Contributor & Pick<Absent, "kind">, names: ReadonlyArray<string>): string => {
  const noun = first.kind === "tools" ? "tool provider" : first.kind
  return `${names.length} ${noun}s of ${describeContributor(first)}: ${list(names.map((name) => JSON.stringify(name)))}`
}

const list = (items: ReadonlyArray<string>): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`

export const showPlace = ({ column, file, line }: Place): string => `${printable(file)}:${line}:${column}`

// -----------------------------------------------------------------------------
// reasons
// -----------------------------------------------------------------------------

/** What the reasons are looked up in. */
type Known = Pick<Explanation, "composition" | "trace">

/** Why a contribution takes no part. */
export const whyAbsent = ({ fate, kind, name }: Absent, known: Known): string => {
  switch (fate._tag) {
    case "InForce":
      return "is in force."
    case "Empty":
      return "renders to nothing, and so takes no place."
    case "Shadowed":
      return `is shadowed by the ${kind} of that name in ${describeContributor(fate.by)}.`
    case "Restricted":
      return `is not shown: ${whyHidden(name, known)}`
    case "Suppressed":
      return `is left out: contexts are suppressed by ${list([...new Set(fate.by.map(describeContributor))])}.`
    case "Displaced":
      return `is displaced: the complete section ${JSON.stringify(fate.section)} of ${describeContributor(fate.by)} is the whole prompt.`
    case "ToolsMissing":
      return fate.tools
        .map((tool) => `requires the tool ${JSON.stringify(tool)}: ${whyHidden(tool, known)}`)
        .join(" It ")
    case "Removed":
      return `was removed by ${fate.by === undefined ? "the waterfall" : describeListener(fate.by)}.`
    case "NotRun":
      return fate.by === undefined
        ? "did not run: the waterfall left it out."
        : `did not run: ${describeListener(fate.by)} does not run the rest.`
  }
}

/** Why a tool is not shown, with the places of the restrictions in the files. */
export const whyHidden = (tool: string, { composition, trace }: Known): string => {
  const hiders = hidersOf(trace.entries, tool)
  if (hiders.length === 0) return "no provider of this scope has it."
  const clauses = hiders.map((hider) => {
    const [place] = placesOfHider(composition, hider, tool)
    return `${describeHider(hider)}${place === undefined ? "" : ` (${showPlace(place)})`}`
  })
  return `${list([...new Set(clauses)])}.`
}
