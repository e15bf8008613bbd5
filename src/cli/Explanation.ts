/**
 * What `explain` knows of a prompt: its parts with their owners and sizes, what is not in it and why, and what listeners
 * did. Pure: a trace and a composition in, plain data out.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import type { AssembledContext, AssembledSection, Assembly } from "../Assembly.ts"
import type { Composition } from "../composition/Composition.ts"
import type { Environment } from "../composition/CompositionScopes.ts"
import { problemsOf } from "../composition/RenderProblems.ts"
import { type Hider, hidersOf } from "../internal/hiders.ts"
import type { Origin } from "../Origin.ts"
import { names as personaNames } from "../Persona.ts"
import type { Kind, RenderError } from "../PromptError.ts"
import * as Rendered from "../Rendered.ts"
import * as Template from "../Template.ts"
import type { Count, Tokenizer } from "../tokens/Tokenizer.ts"
import { restMarker } from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import type * as Trace from "../Trace.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export interface Size {
  /** In UTF-16 units. */
  readonly characters: number
  readonly tokens: Count
}

/** A section, context or tool that the model sees. */
export interface Row extends Size {
  readonly name: string
  readonly origin: Origin
  /** Of sections and contexts. */
  readonly order?: number
  /** Where it begins in the prompt, or in the snapshot for a context. */
  readonly offset?: number
  /** Of the tokens of the cached prefix, or of the tail for a context; from 0 to 1. */
  readonly share: number
  /** False if the text does not render: its size is that of the text as it was written. */
  readonly renders: boolean
}

export interface VariableRow {
  readonly name: string
  readonly value: string | undefined
  readonly origin: Origin
  /** The sections and contexts whose text refers to it. */
  readonly usedBy: ReadonlyArray<Trace.Part>
}

/** What takes no part, and why. What a listener added and sealing dropped has `listener`. */
export type Absent = Pick<Trace.Entry, "fate" | "kind" | "listener" | "name" | "plugin" | "provider" | "scope">

/** A tool that `toolOrder` lists and the scope does not show, though it exists. */
export interface HiddenTool {
  readonly tool: string
  /** Who is responsible, as far as it can be told: restrictions, the listener that removed it, the providers that hide it. */
  readonly by: ReadonlyArray<Hider>
}

export interface Explanation {
  readonly trace: Trace.Trace
  readonly composition: Composition
  readonly tokenizer: string
  /** What renders. Where a text does not, it stands as it was written. */
  readonly rendered: Rendered.Rendered
  /** The contexts as if they were sections, to tell where the characters of the snapshot come from. */
  readonly tail: Rendered.Rendered
  readonly problems: ReadonlyArray<RenderError>
  readonly sections: ReadonlyArray<Row>
  readonly contexts: ReadonlyArray<Row>
  readonly tools: ReadonlyArray<Row>
  readonly variables: ReadonlyArray<VariableRow>
  readonly absent: ReadonlyArray<Absent>
  readonly hiddenTools: ReadonlyArray<HiddenTool>
  /** The tools as JSON, one after the other; providers send them in forms of their own. */
  readonly sizes: { readonly [K in "prompt" | "tools" | "prefix" | "tail"]: Size }
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

export const make = (
  trace: Trace.Trace,
  composition: Composition,
  { env, tokenizer }: { readonly env: Environment; readonly tokenizer: Tokenizer["Service"] }
): Explanation => {
  const problems = problemsOf(composition, trace.assembly, { env })
  const broken = new Set(problems.map(({ entry, kind }) => keyOf(kind, entry)))
  const assembly = readable(trace.assembly, broken)
  const rendered = Result.getOrThrow(Rendered.render(assembly))
  const tail = Result.getOrThrow(
    Rendered.render({
      ...assembly,
      sections: assembly.contexts.map((context) => ({ ...context, requires: [] })),
      contexts: []
    })
  )
  const sizeOf = (text: string): Size => ({ characters: text.length, tokens: tokenizer.count(text) })
  const texts = trace.assembly.tools.map(({ schema }) => ToolSchema.emit(schema))
  const prompt = sizeOf(rendered.text)
  const toolSizes = texts.map(sizeOf)
  const tools = toolSizes.reduce(plus, { characters: 0, tokens: { tokens: 0, exact: prompt.tokens.exact } })
  const prefix = plus(tools, prompt)
  const snapshot = sizeOf(rendered.snapshot)
  const toRow = (whole: Size, kind: Kind) => (part: Rendered.Part<AssembledSection | AssembledContext>) => {
    const size = sizeOf(part.text)
    const renders = !broken.has(keyOf(kind, part.name))
    const { name, offset, order, source } = part
    return { name, origin: source.origin, order, offset, ...size, share: shareOf(size, whole), renders }
  }
  return {
    trace,
    composition,
    tokenizer: tokenizer.name,
    rendered,
    tail,
    problems,
    sections: rendered.sections.map(toRow(prefix, "section")),
    contexts: rendered.contexts.map(toRow(snapshot, "context")),
    tools: trace.assembly.tools.map(({ origin, schema }, i) => ({
      name: schema.name,
      origin,
      ...toolSizes[i]!,
      share: shareOf(toolSizes[i]!, prefix),
      renders: true
    })),
    variables: variablesOf(trace.assembly),
    absent: absentIn(trace, composition),
    hiddenTools: hiddenTools(trace),
    sizes: { prompt, tools, prefix, tail: snapshot }
  }
}

const keyOf = (kind: Kind, name: string): string => `${kind} ${name}`

/** With texts that do not render as they were written, so that the rest can be seen. */
const readable = (self: Assembly, broken: ReadonlySet<string>): Assembly => {
  const asWritten =
    (kind: Kind) =>
    <Part extends AssembledSection | AssembledContext>(part: Part): Part =>
      broken.has(keyOf(kind, part.name)) ? { ...part, text: part.text.toString(), interpolate: false } : part
  return {
    ...self,
    sections: self.sections.map(asWritten("section")),
    contexts: self.contexts.map(asWritten("context"))
  }
}

const plus = (a: Size, b: Size): Size => ({
  characters: a.characters + b.characters,
  tokens: { tokens: a.tokens.tokens + b.tokens.tokens, exact: a.tokens.exact && b.tokens.exact }
})

const shareOf = (part: Size, whole: Size): number =>
  whole.tokens.tokens === 0 ? 0 : Math.min(1, part.tokens.tokens / whole.tokens.tokens)

const variablesOf = (self: Assembly): ReadonlyArray<VariableRow> => {
  const users = new Map<string, Array<Trace.Part>>(self.variables.map(({ name }) => [name, []]))
  const note = (kind: Trace.Part["kind"], { interpolate, name, text }: AssembledSection | AssembledContext) => {
    if (interpolate) for (const variable of Template.references(text)) users.get(variable)?.push({ kind, name })
  }
  for (const section of self.sections) note("section", section)
  for (const context of self.contexts) note("context", context)
  return self.variables.map(({ name, origin, value }) => ({ name, value, origin, usedBy: users.get(name) ?? [] }))
}

const absentIn = (trace: Trace.Trace, composition: Composition): ReadonlyArray<Absent> => {
  const entries = trace.entries.filter((entry) => entry.fate._tag !== "InForce" && !isDefault(entry, composition))
  const told = new Set(trace.entries.map(({ fate, kind, name }) => `${kind} ${fate._tag} ${name}`))
  const added = trace.sealed.dropped.filter(({ fate, kind, name }) => !told.has(`${kind} ${fate._tag} ${name}`))
  return [...entries, ...added]
}

/** The service registers an empty persona where a deployment has none. No author misses it. */
const isDefault = ({ kind, name, plugin, scope, text }: Trace.Entry, { builtIns }: Composition): boolean =>
  kind === "section" &&
  scope === "global" &&
  plugin === undefined &&
  (text ?? "") === "" &&
  isPersona(name) &&
  !builtIns.has(name)

const isPersona = (name: string): boolean => name === personaNames.prefix || name === personaNames.suffix

const hiddenTools = ({ assembly, entries }: Trace.Trace): ReadonlyArray<HiddenTool> => {
  const shown = new Set(assembly.tools.map(({ schema }) => schema.name))
  return (assembly.toolOrder ?? [])
    .filter((tool) => tool !== restMarker && !shown.has(tool))
    .map((tool) => ({ tool, by: hidersOf(entries, tool) }))
}
