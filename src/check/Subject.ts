/**
 * What the rules look at: one assembly, and what is known of the world around it.
 *
 * @since 0.1.0
 */
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "../Assembly.ts"
import type { Hider } from "../internal/hiders.ts"
import * as toolOwner from "../internal/toolOwner.ts"
import type { Origin } from "../Origin.ts"
import { type Kind, type Owner, ownerFields } from "../Owner.ts"
import * as Template from "../Template.ts"
import type { Warning } from "./Warning.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** A text of the assembly. */
export interface Text {
  readonly kind: "section" | "context"
  readonly owner: Owner
  readonly source: AssembledSection | AssembledContext
  /** As its author wrote it; a `Template` shows its references. */
  readonly written: string
  /** Its parts. Of a text that is not interpolated, one literal. */
  readonly segments: ReadonlyArray<Template.Segment>
}

export interface Tool {
  readonly owner: Owner
  readonly source: AssembledTool
}

export interface Subject {
  readonly assembly: Assembly
  readonly sections: ReadonlyArray<Text>
  readonly contexts: ReadonlyArray<Text>
  /** The sections, then the contexts. */
  readonly texts: ReadonlyArray<Text>
  readonly tools: ReadonlyArray<Tool>
  readonly variables: ReadonlyMap<string, AssembledVariable>
  /** Names of the variables that a text of the assembly refers to. */
  readonly used: ReadonlySet<string>
  /** Names that some other text refers to: one that is left out now, or one of another scope. */
  readonly references: ReadonlySet<string>
  /** Names that texts refer to which are left out of this assembly. */
  readonly leftOut: ReadonlySet<string>
  /** Whether texts of the scope may be missing in `references`. */
  readonly partial: boolean
  /** Names of tools that exist and are not shown, each with those who are known to hide it. */
  readonly hidden: ReadonlyMap<string, ReadonlyArray<Hider>>
  /** Sections whose tools are to be there, left out or not. */
  readonly requirements: ReadonlyArray<{ readonly owner: Owner; readonly requires: ReadonlyArray<string> }>
  /** The same scope, assembled another time. */
  readonly later: Assembly | undefined
}

/** Looks at an assembly from one side. */
export type Rule = (subject: Subject) => ReadonlyArray<Warning>

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

const ownerOf = (kind: Kind, entry: string, origin: Origin): Owner =>
  ownerFields({ kind, entry, scope: origin.scope, plugin: origin.plugin })

export const variableOwner = ({ name, origin }: AssembledVariable): Owner => ownerOf("variable", name, origin)

const toText =
  (kind: Text["kind"]) =>
  (source: AssembledSection | AssembledContext): Text => {
    const written = String(source.text)
    const literal: Template.Segment = { _tag: "Literal", start: 0, end: written.length, text: written }
    return {
      kind,
      owner: ownerOf(kind, source.name, source.origin),
      source,
      written,
      segments: source.interpolate ? Template.parse(source.text) : [literal]
    }
  }

export const make = (
  assembly: Assembly,
  around: {
    readonly references: Iterable<string> | undefined
    readonly leftOut: Iterable<string>
    readonly knownTools: Iterable<string>
    readonly hidersOf: (tool: string) => ReadonlyArray<Hider>
    readonly requirements: Subject["requirements"]
    readonly later: Assembly | undefined
  }
): Subject => {
  const sections = assembly.sections.map(toText("section"))
  const contexts = assembly.contexts.map(toText("context"))
  const texts = [...sections, ...contexts]
  const known = new Set([...around.knownTools, ...(assembly.toolOrder ?? [])])
  for (const { schema } of assembly.tools) known.delete(schema.name)
  return {
    assembly,
    sections,
    contexts,
    texts,
    tools: assembly.tools.map((source) => ({
      owner: toolOwner.ownerOf(source),
      source
    })),
    variables: new Map(assembly.variables.map((variable) => [variable.name, variable])),
    used: new Set(texts.flatMap((text) => referencesOf(text.segments))),
    references: new Set(around.references),
    leftOut: new Set(around.leftOut),
    partial: around.references === undefined && (assembly.complete !== undefined || assembly.suppressed),
    hidden: new Map([...known].map((name) => [name, around.hidersOf(name)])),
    requirements: around.requirements,
    later: around.later
  }
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const referencesOf = (segments: ReadonlyArray<Template.Segment>): ReadonlyArray<string> =>
  segments.flatMap((segment) => (segment._tag === "Reference" ? [segment.name] : []))

/** The variables that these texts put in, each at its first place. */
export const valuesIn = (
  subject: Subject,
  texts: ReadonlyArray<Text>
): ReadonlyArray<{
  readonly variable: AssembledVariable
  readonly value: string
  readonly text: Text
  readonly at: number
}> => {
  const seen = new Set<string>()
  return texts.flatMap((text) =>
    text.segments.flatMap((segment) => {
      if (segment._tag !== "Reference" || seen.has(segment.name)) return []
      seen.add(segment.name)
      const variable = subject.variables.get(segment.name)
      return variable?.value === undefined ? [] : [{ variable, value: variable.value, text, at: segment.start }]
    })
  )
}

/** The literal parts of a text, each with its offset there. */
export const literalsOf = (text: Text): ReadonlyArray<Template.Literal> =>
  text.segments.flatMap((segment) => (segment._tag === "Literal" ? [segment] : []))

export const describeTool = ({ source }: Tool): string => toolOwner.describeTool(source)
