/**
 * How the reference model assembles and renders: from the list of all that a scope sees, farthest first.
 *
 * For how its sources are cited see `Model.ts`.
 */
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import type { Text } from "../../Template.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Edit from "../Edit.ts"
import type { Contribution, Failure, Observation, Origin, Part } from "../Program.ts"
import { fill, interpolate, isVariableName } from "./modelTemplate.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

export type List<A> = ReadonlyArray<A>
export type ToolOrder = List<string> | undefined
export type Scope = { readonly label: string; parent: Scope | undefined; closed: boolean }

/** What is registered as one entry: a persona is several. */
export type Item = Exclude<Contribution, { readonly _tag: "Persona" }>
type Of<Tag extends Item["_tag"]> = Extract<Item, { readonly _tag: Tag }>

/** An entry is seen by `host` and all below it. It ends with its registration or with `scope`, whichever ends first. */
export interface Entry<A extends Item = Item> {
  readonly item: A
  readonly name: string
  readonly plugin: string | undefined
  readonly host: Scope
  readonly scope: Scope
  readonly registration: number
}

/** A section or a context; contexts require nothing. */
type Passage = Omit<Part, "text"> & { readonly text: Text; readonly requires: List<string> }
type Bound = { readonly name: string; readonly value: string | undefined; readonly origin: Origin }
/** `was` is what it was before the listener that runs now. */
type Tool = { readonly schema: ToolSchema.Input; readonly origin: Origin; readonly was?: Tool }

interface Assembly {
  readonly sections: List<Passage>
  readonly contexts: List<Passage>
  readonly tools: List<Tool>
  readonly variables: List<Bound>
}

// -----------------------------------------------------------------------------
// failures
// -----------------------------------------------------------------------------

/** What is thrown where something is refused. */
export class Refusal {
  readonly failure: Failure
  constructor(failure: Failure) {
    this.failure = failure
  }
}

/** doc of `Program.run`: absent fields are left out. */
const present = <A extends object>(all: A): A =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as A

export const refuse: (tag: string, fields: Omit<Failure, "tag">) => never = (tag, fields) => {
  throw new Refusal(present({ tag, ...fields }))
}

const kindOf = (entry: Entry): string => entry.item._tag.toLowerCase()

/** design §3 "Errors": each names the owner. doc of `Owner`: what is anonymous has the empty name. */
export const owner = (entry: Entry, scope = entry.host) =>
  ({ kind: kindOf(entry), entry: entry.name, scope: scope.label, plugin: entry.plugin }) as const

// -----------------------------------------------------------------------------
// entries
// -----------------------------------------------------------------------------

/** spec §2. Farthest first, itself last. Nobody sees a closed scope, for it has no entries (design §3 "Fine print"). */
export const chainOf = (scope: Scope): List<Scope> => [
  ...(scope.parent === undefined ? [] : chainOf(scope.parent)),
  scope
]

export const isSame = (a: Entry, b: Entry): boolean => a.item._tag === b.item._tag && a.name === b.name

/** doc `errors`; design §3 "Fine print": a Template is never data. */
export const isLegalPassage = ({ name, order, text, interpolate }: PromptContext.Options): boolean =>
  name !== "" && Number.isFinite(order) && !(interpolate === false && typeof text === "object")

// -----------------------------------------------------------------------------
// order
// -----------------------------------------------------------------------------

/** By the first key that differs. Names by UTF-16 code units (spec §7.6), as `<` compares strings. Sorting is stable. */
const by =
  <A>(keys: List<(one: A) => string | number>) =>
  (a: A, b: A): number => {
    const key = keys.find((of) => of(a) !== of(b))
    return key === undefined ? 0 : key(a) < key(b) ? -1 : 1
  }

/** spec §8, row 5. */
const byPlace = by<{ readonly name: string; readonly order: number }>([(one) => one.order, (one) => one.name])

/** row 7. */
const byName = by<{ readonly name: string }>([(one) => one.name])

export const restMarker = "<unlisted-tools>"

/** spec §9 "Ordering": listed names stand where they are listed, all others where the marker is, by name. */
const byToolOrder = (toolOrder: ToolOrder = [restMarker]) =>
  by<Tool>([
    ({ schema }) => toolOrder.indexOf(toolOrder.includes(schema.name) ? schema.name : restMarker),
    ({ schema }) => schema.name
  ])

/** doc of `Assembly.addSection` and its like: a new part stands before the first that comes after it; none moves. */
const insert = <A>(all: List<A>, one: A, compare: (a: A, b: A) => number): List<A> => {
  const at = all.findIndex((other) => compare(other, one) > 0)
  return all.toSpliced(at < 0 ? all.length : at, 0, one)
}

// -----------------------------------------------------------------------------
// plan, evaluate, compose
// -----------------------------------------------------------------------------

const all = <Tag extends Item["_tag"]>(seen: List<Entry>, tag: Tag): List<Entry<Of<Tag>>> =>
  seen.filter((one): one is Entry<Of<Tag>> => one.item._tag === tag)

/** spec §8: the nearest of each name. `seen` comes farthest first. */
const nearest = <Tag extends Item["_tag"]>(seen: List<Entry>, tag: Tag): List<Entry<Of<Tag>>> =>
  all(seen, tag).filter((one, i, list) => !list.slice(i + 1).some((nearer) => isSame(nearer, one)))

/** Place in the chain of everybody who sees it. */
const positionOf = ({ host }: Entry): number => chainOf(host).length

/** design §3 "Fine print"; doc decision 6. */
const byProvider = by<Entry>([positionOf, (one) => one.name, (one) => one.plugin ?? ""])

const authorOf = ({ host, plugin }: Entry) => present({ scope: host.label, plugin })

/** row 22, doc of `Origin`: what it hides comes nearest first. Tools append and hide nothing. */
const originOf = (entry: Entry, seen: List<Entry> = []): Origin => {
  const hidden = seen.filter((one) => one !== entry && isSame(one, entry))
  return { ...authorOf(entry), shadows: hidden.toReversed().map(authorOf) }
}

/** row 10: a value of the wrong type is a failure of its owner. */
const accept = <A>(value: A, fits: boolean, entry: Entry): A => (fits ? value : refuse("ProviderFailure", owner(entry)))

/** spec §7.8, §7.9; row 8. */
const passage = (entry: Entry<Of<"Section"> | Of<"Context">>, seen: List<Entry>): Passage => {
  const { name, order, text, interpolate = true, requires = [] }: Section.Options = entry.item.options
  const isText = typeof text === "string" || typeof text === "object"
  return { name, order, text: accept(text, isText, entry), interpolate, requires, origin: originOf(entry, seen) }
}

/** spec §7.3, scenario 49. */
const bind = (entry: Entry<Of<"Variable">>, seen: List<Entry>): Bound => {
  const { name, value } = entry.item.options
  const fits = value === undefined || typeof value === "string"
  return { name, value: accept(value, fits, entry), origin: originOf(entry, seen) }
}

/** doc of `ToolSchema.fromUnknown`. */
const isTool = ({ name, description, parameters }: ToolSchema.Input): boolean =>
  name !== "" && typeof description === "string" && isJson(parameters)

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** spec §9 "Projection": these fields, in this order; `deferLoading` only where it is exactly true. */
const emit = ({ name, description, parameters, deferLoading }: ToolSchema.Input): string =>
  JSON.stringify({ name, description, parameters, ...(deferLoading === true ? { deferLoading } : {}) })

/** spec §9 "Projection": looked at as soon as it is given. Reserved names too; dsh looks for them later (spec §7.10). */
const give = (entry: Entry<Of<"Tools">>) => {
  const tools = accept(entry.item.options.tools, typeof entry.item.options.tools === "object", entry)
  const { schemas, knownNames = [] } = "schemas" in tools ? tools : { schemas: tools }
  for (const schema of schemas) {
    if (!isTool(schema)) refuse("InvalidToolSchema", owner(entry))
    if (schema.name === restMarker) refuse("ReservedToolName", owner(entry))
  }
  // row 16: visible tools are always known.
  return { entry, schemas, known: [...knownNames, ...schemas.map((schema) => schema.name)] }
}

/** spec §9 "Ordering". Tools of one name: row 7, doc decision 6. */
const compose = (given: List<ReturnType<typeof give>>, toolOrder: ToolOrder): List<Tool> => {
  const known = [restMarker, ...given.flatMap((one) => one.known)]
  const unknown = toolOrder?.find((name) => !known.includes(name))
  if (unknown !== undefined) refuse("UnknownTool", { kind: "toolOrder", entry: unknown, scope: "global" })
  const tools = given.flatMap(({ entry, schemas }) => schemas.map((schema) => ({ ...entry, schema })))
  const canonical = tools.toSorted(
    by<(typeof tools)[number]>([positionOf, (one) => one.name, (one) => emit(one.schema), (one) => one.plugin ?? ""])
  )
  return canonical.map((one) => ({ schema: one.schema, origin: originOf(one) })).toSorted(byToolOrder(toolOrder))
}

// -----------------------------------------------------------------------------
// waterfall
// -----------------------------------------------------------------------------

/** Of a part that a listener makes, until its result is taken. */
const nobody: Origin = { scope: "", shadows: [] }

const draft = (input: Omit<Section.Options, "complete" | "plugin">): Passage => {
  const { name, order, text, interpolate = true, requires = [] } = input
  return { name, order, text, interpolate, requires, origin: nobody }
}

const named = <A extends { readonly name: string }>(list: List<A>, name: string): A | undefined =>
  list.find((one) => one.name === name)

const without = <A extends { readonly name: string }>(list: List<A>, name: string): List<A> =>
  list.filter((one) => one.name !== name)

/** doc of the combinators of `Assembly`. */
const edit = (self: Assembly, step: Edit.Step, toolOrder: ToolOrder, listener: Entry): Assembly => {
  const { sections, contexts, tools, variables } = self
  switch (step._tag) {
    case "AddSection":
      return { ...self, sections: insert(sections, draft(step.section), byPlace) }
    case "ReplaceSection":
      return { ...self, sections: sections.map((one) => (one.name === step.section.name ? draft(step.section) : one)) }
    case "RemoveSection":
      return { ...self, sections: without(sections, step.name) }
    case "ReverseSections":
      return { ...self, sections: sections.toReversed() }
    case "AddContext":
      return { ...self, contexts: insert(contexts, draft(step.context), byPlace) }
    case "RemoveContext":
      return { ...self, contexts: without(contexts, step.name) }
    case "AddTool":
      return { ...self, tools: insert(tools, { schema: step.tool, origin: nobody }, byToolOrder(toolOrder)) }
    case "DescribeTool": {
      const described = (one: Tool) => ({ ...one, schema: { ...one.schema, description: step.description } })
      return { ...self, tools: tools.map((one) => (one.schema.name === step.name ? described(one) : one)) }
    }
    case "RemoveTool":
      return { ...self, tools: tools.filter((one) => one.schema.name !== step.name) }
    case "SetVariable": {
      const variable: Bound = { name: step.name, value: step.value, origin: nobody }
      return { ...self, variables: insert(without(variables, step.name), variable, byName) }
    }
    case "RemoveVariable":
      return { ...self, variables: without(variables, step.name) }
    case "Annotate":
      return self
    case "Throw":
      return refuse("ListenerFailure", owner(listener))
    case "Promise":
      return refuse("InvalidAssembly", owner(listener))
  }
}

const areUnique = (list: List<{ readonly name: string }>): boolean =>
  new Set(list.map((one) => one.name)).size === list.length

/** spec §21, row 12. Tools may share a name (scenario 324). */
const isWellFormed = ({ sections, contexts, tools, variables }: Assembly): boolean =>
  [...sections, ...contexts].every(isLegalPassage) &&
  areUnique(sections) &&
  areUnique(contexts) &&
  tools.every(({ schema }) => isTool(schema) && schema.name !== restMarker) &&
  variables.every((one) => isVariableName(one.name))

/** All that a part says, where it comes from aside. */
const says = (part: Passage | Tool | Bound): string => {
  if ("schema" in part) return emit(part.schema)
  const segments = "text" in part && typeof part.text === "object" ? part.text.segments : []
  return JSON.stringify({ ...part, segments, origin: nobody })
}

/**
 * doc of `Origin`: what a listener added has its scope and plugin, what it changed keeps those that it had; both name
 * the listener. What says the same as before is what it was.
 */
const signed = <A extends Passage | Tool | Bound>(after: A, before: A | undefined, listener: Entry): A => {
  if (before !== undefined && says(after) === says(before)) return before
  const origin = before?.origin ?? originOf(listener)
  return { ...after, origin: { ...origin, listener: { name: listener.name, ...authorOf(listener) } } }
}

/** As `signed`. Tools may share a name: one is what it was made of, an added one what says the same and would be gone. */
const signedTools = (after: List<Tool>, before: List<Tool>, listener: Entry): List<Tool> => {
  let gone = before.filter((old) => !after.some((one) => one.was === old))
  return after.map((one) => {
    const was = one.was ?? gone.find((old) => says(old) === says(one))
    gone = gone.filter((old) => old !== was)
    return signed(one, was, listener)
  })
}

/** design §3 "Listeners": each result is judged at once. */
const listen = (before: Assembly, listener: Entry<Of<"Listener">>, toolOrder: ToolOrder): Assembly => {
  const start: Assembly = { ...before, tools: before.tools.map((was) => ({ ...was, was })) }
  const after = listener.item.options.steps.reduce((self, step) => edit(self, step, toolOrder, listener), start)
  if (!isWellFormed(after)) refuse("InvalidAssembly", owner(listener))
  return {
    sections: after.sections.map((one) => signed(one, named(before.sections, one.name), listener)),
    contexts: after.contexts.map((one) => signed(one, named(before.contexts, one.name), listener)),
    tools: signedTools(after.tools, before.tools, listener),
    variables: after.variables.map((one) => signed(one, named(before.variables, one.name), listener))
  }
}

// -----------------------------------------------------------------------------
// the pipeline
// -----------------------------------------------------------------------------

/** design §3 "The pipeline", from the registrations of this moment (row 1). */
export const assemble = (entries: List<Entry>, scope: Scope, toolOrder: ToolOrder): Assembly => {
  // spec §8: siblings and descendants take no part.
  const seen = chainOf(scope).flatMap((host) => entries.filter((one) => one.host === host))

  // plan. row 3: two complete sections are refused before anything is evaluated.
  const sections = nearest(seen, "Section").toSorted((a, b) => byPlace(a.item.options, b.item.options))
  const [complete, another] = sections.filter((one) => one.item.options.complete === true)
  if (another !== undefined) refuse("MultipleCompleteSections", { scope: scope.label })
  // spec §7.2, §7.9: suppressed contexts are not even evaluated.
  const suppressed = all(seen, "Suppressor").length > 0
  const contexts = nearest(suppressed ? [] : seen, "Context").toSorted((a, b) =>
    byPlace(a.item.options, b.item.options)
  )

  // evaluate. design §3 "Fine print": in this order; all winners, and nobody else (row 2).
  const bound = nearest(seen, "Variable").toSorted(byName)
  const variables = bound.map((one) => bind(one, seen))
  const given = all(seen, "Tools").toSorted(byProvider).map(give)
  const evaluated = sections.map((one) => passage(one, seen))
  const remarks = contexts.map((one) => passage(one, seen))

  // compose. spec §7.10.
  const base: Assembly = { sections: evaluated, contexts: remarks, tools: compose(given, toolOrder), variables }

  // waterfall. row 6: lower order outermost, then by name, then the ancestor's, which `seen` has first.
  const listeners = all(seen, "Listener").toSorted(by([({ item }) => item.options.order ?? 0, ({ name }) => name]))
  const after = listeners.reduce((self, one) => listen(self, one, toolOrder), base)

  // seal. spec §11; row 23: judged by the tools after the waterfall.
  const has = (name: string): boolean => after.tools.some(({ schema }) => schema.name === name)
  const kept = after.sections.filter((one) => one.requires.every(has))
  const whole = complete === undefined ? kept : evaluated.filter((one) => one.name === complete.name)
  return { ...after, sections: whole, contexts: suppressed ? [] : after.contexts }
}

// -----------------------------------------------------------------------------
// rendering
// -----------------------------------------------------------------------------

/** spec §12 and §13; row 8. The leftmost problem of the first text that has one is the failure, and its text's owner. */
const render = (part: Passage, kind: "section" | "context", variables: List<Bound>): string => {
  const { scope, plugin } = part.origin
  const fail = (tag: string) => refuse(tag, { kind, entry: part.name, scope, plugin })
  const value = (name: string): string => {
    const variable = named(variables, name)
    return variable === undefined ? fail("UnknownVariable") : (variable.value ?? fail("UndefinedVariable"))
  }
  return part.interpolate ? interpolate(part.text, value, () => fail("MalformedGroup")) : String(part.text)
}

/** spec §12, §13: what is empty is dropped, a blank line between the others. */
const joined = (texts: List<string>): string => texts.filter((one) => one !== "").join("\n\n")

/** spec §13. The words are ours: doc of `PromptContext.heading`. */
const heading = "Runtime context, as it is now. It replaces every earlier runtime context in this conversation."

/** design §3 "Fine print": a reference of a Template shows as `{{name}}`. */
const shown = ({ name, order, text, interpolate, origin }: Passage): Part => {
  const shownText = typeof text === "string" ? text : fill(text, (name) => `{{${name}}}`)
  return { name, order, text: shownText, interpolate, origin }
}

export const assembled = ({ sections, contexts, tools, variables }: Assembly): Observation => ({
  _tag: "Assembled",
  sections: sections.map(shown),
  contexts: contexts.map(shown),
  tools: tools.map(({ schema, origin }) => ({ schema: emit(schema), origin })),
  variables
})

export const rendered = ({ sections, contexts, tools, variables }: Assembly): Observation => {
  const text = joined(sections.map((one) => render(one, "section", variables)))
  const body = joined(contexts.map((one) => render(one, "context", variables)))
  const snapshot = body === "" ? "" : joined([heading, body])
  return { _tag: "Rendered", text, snapshot, tools: tools.map(({ schema }) => emit(schema)) }
}
