/** What is different between two assemblies and their texts, list by list. */
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable } from "../Assembly.ts"
import type {
  Change,
  Changes,
  ContextField,
  SectionField,
  Side,
  Textual,
  ToolField,
  VariableField
} from "../Difference.ts"
import * as Origin from "../Origin.ts"
import type { Part } from "../Rendered.ts"
import * as Template from "../Template.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { align, type Keyed } from "./align.ts"
import { pairTools } from "./pairTools.ts"

export const compareParts = (before: Side, after: Side): Changes => ({
  sections: compareSections(before, after),
  contexts: compareContexts(before, after),
  tools: compareTools(before, after),
  variables: compareVariables(before, after)
})

// -----------------------------------------------------------------------------
// any list
// -----------------------------------------------------------------------------

interface Comparison<A, Field extends string> {
  readonly nameOf: (item: A) => string
  /** Whether there is no reason for the item to stand elsewhere. */
  readonly steady: (before: A, after: A) => boolean
  readonly fields: (before: A, after: A) => ReadonlyArray<Field>
}

const compare = <A, Field extends string>(
  before: ReadonlyArray<Keyed<A>>,
  after: ReadonlyArray<Keyed<A>>,
  { fields, nameOf, steady }: Comparison<A, Field>
): ReadonlyArray<Change<A, Field>> =>
  align(before, after, steady).flatMap((move): ReadonlyArray<Change<A, Field>> => {
    switch (move._tag) {
      case "Added":
        return [{ ...move, name: nameOf(move.after) }]
      case "Removed":
        return [{ ...move, name: nameOf(move.before) }]
      case "Kept": {
        const differ = fields(move.before, move.after)
        return differ.length === 0 && !move.moved
          ? []
          : [{ ...move, _tag: "Changed", name: nameOf(move.after), fields: differ }]
      }
    }
  })

/** The fields that are not the same, in this order. */
const differing = <Field extends string>(same: Readonly<Record<Field, boolean>>, fields: ReadonlyArray<Field>) =>
  fields.filter((field) => !same[field])

// -----------------------------------------------------------------------------
// sections and contexts
// -----------------------------------------------------------------------------

interface Written {
  readonly name: string
  readonly order: number
  readonly text: Template.Text
  readonly interpolate: boolean
  readonly origin: Origin.Origin
}

/** By name, since a rendering may have been made of an earlier assembly that says the same. */
const withTexts = <From extends Written>(
  sources: ReadonlyArray<From>,
  parts: ReadonlyArray<Part<From>>
): ReadonlyArray<Keyed<Textual<From>>> => {
  const texts = new Map(parts.map((part) => [part.name, part.text]))
  return sources.map((source) => ({ key: source.name, item: { source, rendered: texts.get(source.name) ?? "" } }))
}

const textual = {
  nameOf: (text: Textual<Written>) => text.source.name,
  steady: (a: Textual<Written>, b: Textual<Written>) => a.source.order === b.source.order
}

const textFields = (before: Textual<Written>, after: Textual<Written>): ReadonlyArray<ContextField> => {
  const [a, b] = [before.source, after.source]
  return differing(
    {
      text: Template.equals(a.text, b.text),
      rendered: before.rendered === after.rendered,
      order: a.order === b.order,
      interpolate: a.interpolate === b.interpolate,
      origin: Origin.equals(a.origin, b.origin)
    },
    ["text", "rendered", "order", "interpolate", "origin"]
  )
}

const compareSections = (before: Side, after: Side) =>
  compare<Textual<AssembledSection>, SectionField>(
    withTexts(before.assembly.sections, before.rendered.sections),
    withTexts(after.assembly.sections, after.rendered.sections),
    {
      ...textual,
      fields: (a, b) => {
        const same =
          a.source.requires.length === b.source.requires.length &&
          a.source.requires.every((tool, i) => tool === b.source.requires[i])
        return same ? textFields(a, b) : [...textFields(a, b), "requires"]
      }
    }
  )

const compareContexts = (before: Side, after: Side) =>
  compare<Textual<AssembledContext>, ContextField>(
    withTexts(before.assembly.contexts, before.rendered.contexts),
    withTexts(after.assembly.contexts, after.rendered.contexts),
    { ...textual, fields: textFields }
  )

// -----------------------------------------------------------------------------
// variables and tools
// -----------------------------------------------------------------------------

const compareVariables = (before: Side, after: Side) => {
  const byName = ({ assembly }: Side) => assembly.variables.map((item) => ({ key: item.name, item }))
  return compare<AssembledVariable, VariableField>(byName(before), byName(after), {
    nameOf: (variable) => variable.name,
    steady: () => true,
    fields: (a, b) =>
      differing({ value: a.value === b.value, origin: Origin.equals(a.origin, b.origin) }, ["value", "origin"])
  })
}

const compareTools = (before: Side, after: Side) => {
  const keys = pairTools(before.assembly.tools, after.assembly.tools)
  const keyed = (tools: ReadonlyArray<AssembledTool>, keys: ReadonlyArray<string>) =>
    tools.map((item, i) => ({ key: keys[i]!, item }))
  return compare<AssembledTool, ToolField>(
    keyed(before.assembly.tools, keys.before),
    keyed(after.assembly.tools, keys.after),
    {
      nameOf: (tool) => tool.schema.name,
      steady: (a, b) => ToolSchema.Order(a.schema, b.schema) === 0,
      fields: ({ origin: from, schema: a }, { origin: to, schema: b }) =>
        differing(
          {
            description: a.description === b.description,
            parameters: JSON.stringify(a.parameters) === JSON.stringify(b.parameters),
            deferLoading: a.deferLoading === b.deferLoading,
            origin: Origin.equals(from, to)
          },
          ["description", "parameters", "deferLoading", "origin"]
        )
    }
  )
}
