/**
 * How the reference model assembles and renders: from the list of all that is registered.
 *
 * For how its sources are cited see `Model.ts`.
 */
import type * as Section from "../../Section.ts"
import type * as ToolSchema from "../../ToolSchema.ts"
import type * as Variable from "../../Variable.ts"
import type * as Edit from "../Edit.ts"
import type { Contribution, Observation, Origin, Part } from "../Program.ts"
import { chainOf, type List, present, refuse, type Scope } from "./modelScopes.ts"
import { fill, interpolate, isVariableName } from "./modelTemplate.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** What is registered as one entry: a persona is several. */
export type Item = Exclude<Contribution, { readonly _tag: "Persona" }>
type Of<Tag extends Item["_tag"]> = Extract<Item, { readonly _tag: Tag }>

/** Of whatever kind: what a section can say, the others say some of. */
export type Options = { readonly [Key in keyof Section.Options]?: Section.Options[Key] | undefined }

/** An entry is seen by `host` and all below it. It ends with its registration or with `scope`, whichever ends first. */
export interface Entry<A extends Item = Item> {
  readonly item: A
  /** Empty for what is anonymous. */
  readonly name: string
  /** 0 unless it says another. */
  readonly order: number
  readonly plugin: string | undefined
  readonly host: Scope
  readonly scope: Scope
  readonly registration: number
}

/** A section or a context; contexts require nothing. row 8: both may be data. */
const passage = (options: Section.Options, origin: Origin) => {
  const { name, order, text, interpolate = true, requires = [] } = options
  return { name, order, text, interpolate, requires, origin }
}

/** spec §9 "Projection": these fields, in this order; `deferLoading` only where it is exactly true. */
const tool = ({ name, description, parameters, deferLoading }: ToolSchema.Input, origin: Origin) => {
  const fields = { name, description, parameters }
  return { ...fields, ...(deferLoading === true ? { deferLoading } : {}), origin }
}

const bound = ({ name, value }: Variable.Options, origin: Origin) => ({ name, value, origin })

type Passage = ReturnType<typeof passage>
type Tool = ReturnType<typeof tool>
type Bound = ReturnType<typeof bound>

interface Assembly {
  readonly sections: List<Passage>
  readonly contexts: List<Passage>
  readonly tools: List<Tool>
  readonly variables: List<Bound>
  readonly note: string
}

/** All that a part says, where it comes from aside. Of a tool, that is the JSON text that is sent. */
const says = (part: Passage | Tool | Bound): string => {
  const segments = "text" in part && typeof part.text === "object" ? part.text.segments : undefined
  return JSON.stringify({ ...part, segments, origin: undefined })
}

// -----------------------------------------------------------------------------
// owners
// -----------------------------------------------------------------------------

/** design §3 "Errors": each names the owner. */
export const owner = ({ item, name, host, plugin }: Entry, scope = host) =>
  ({ kind: item._tag.toLowerCase(), entry: name, scope: scope.label, plugin }) as const

const authorOf = ({ host, plugin }: Entry) => present({ scope: host.label, plugin })

export const isSame = (a: Entry, b: Entry): boolean => a.item._tag === b.item._tag && a.name === b.name

/** row 22, doc of `Origin`: what it hides, of all that are seen with it, comes nearest first. Only tools have a provider. */
const originOf = (entry: Entry, seen: List<Entry> = []): Origin => {
  const provider = entry.item._tag === "Tools" ? entry.item.options.name : undefined
  const hidden = seen.filter((one) => one !== entry && isSame(one, entry)).toReversed()
  return present({ ...authorOf(entry), provider, shadows: hidden.map(authorOf) })
}

// -----------------------------------------------------------------------------
// order
// -----------------------------------------------------------------------------

/** By the first key that differs. Names by UTF-16 code units (spec §7.6), as `<` compares strings. Sorting is stable. */
export const by =
  <A>(keys: List<(one: A) => string | number>) =>
  (a: A, b: A): number => {
    const key = keys.find((of) => of(a) !== of(b))
    return key === undefined ? 0 : key(a) < key(b) ? -1 : 1
  }

/** spec §8, row 5; listeners row 6; variables, which have no order, by name alone (row 7). */
const byPlace = by<{ readonly name: string; readonly order: number }>([(one) => one.order, (one) => one.name])

/** doc decision 16: what a tool says, whatever order of keys its author chose. */
const saysInOrder = (one: Tool): string =>
  JSON.stringify({ ...one, parameters: inOrder(one.parameters), origin: undefined })

const inOrder = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(inOrder)
  const members = Object.entries(value).map(([key, inner]) => [key, inOrder(inner)] as const)
  return Object.fromEntries(members.toSorted(by([([key]) => key])))
}

export const restMarker = "<unlisted-tools>"

/** spec §9 "Ordering": listed names stand where they are listed, all others where the marker is, by name. */
const byToolOrder = (toolOrder: List<string>) =>
  by<Tool>([({ name }) => toolOrder.indexOf(toolOrder.includes(name) ? name : restMarker), ({ name }) => name])

/**
 * doc of `Assembly.addSection` and its like, design §3 "Fine print": by the usual order, after what is equal, and none
 * of the others moves. No rule says where that is in a list that a listener reversed: before the first that comes later.
 */
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

/** row 10: a value of the wrong type is a failure of its owner. */
const accept = <A>(value: A, types: List<string>, entry: Entry): A =>
  types.includes(typeof value) ? value : refuse("ProviderFailure", owner(entry))

/** spec §7.8, §7.9. */
const read = (entry: Entry<Of<"Section"> | Of<"Context">>, seen: List<Entry>): Passage => {
  accept(entry.item.options.text, ["string", "object"], entry)
  return passage(entry.item.options, originOf(entry, seen))
}

/** spec §7.3, scenario 49. */
const bind = (entry: Entry<Of<"Variable">>, seen: List<Entry>): Bound => {
  accept(entry.item.options.value, ["string", "undefined"], entry)
  return bound(entry.item.options, originOf(entry, seen))
}

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** doc of `ToolSchema.fromUnknown`. */
const isTool = ({ name, description, parameters }: ToolSchema.Input): boolean =>
  name !== "" && typeof description === "string" && isJson(parameters)

/** spec §7.5: looked at as soon as it is given; for reserved names this is doc `differences`, dsh looks last (spec §22). */
const give = (entry: Entry<Of<"Tools">>) => {
  const tools = accept(entry.item.options.tools, ["object"], entry)
  const { schemas, knownNames = [] } = "schemas" in tools ? tools : { schemas: tools }
  for (const schema of schemas) {
    const names = [schema.name]
    if (!isTool(schema)) refuse("InvalidToolSchema", { ...owner(entry), names })
    if (schema.name === restMarker) refuse("ReservedToolName", { ...owner(entry), names })
  }
  // row 16: visible tools are always known.
  const known = [...knownNames, ...schemas.map((schema) => schema.name)]
  return { known, given: schemas.map((schema) => ({ entry, tool: tool(schema, originOf(entry)) })) }
}

/** spec §9 "Ordering". Tools of one name: row 7, doc decision 16. */
const compose = (providers: List<ReturnType<typeof give>>, toolOrder: List<string>): List<Tool> => {
  const known = [restMarker, ...providers.flatMap((one) => one.known)]
  const unknown = toolOrder.filter((name) => !known.includes(name))
  const [entry] = unknown
  if (entry !== undefined) refuse("UnknownTool", { kind: "toolOrder", entry, scope: "global", names: unknown })
  const given = providers.flatMap((one) => one.given)
  const canonical = given.toSorted(
    by([
      (one) => positionOf(one.entry),
      (one) => one.entry.name,
      (one) => saysInOrder(one.tool),
      (one) => says(one.tool)
    ])
  )
  return canonical.map((one) => one.tool).toSorted(byToolOrder(toolOrder))
}

// -----------------------------------------------------------------------------
// waterfall
// -----------------------------------------------------------------------------

/** Of a part that a listener makes, until its result is taken. */
const nobody: Origin = { scope: "", shadows: [] }

type Named = { readonly name: string }

const named = <A extends Named>(list: List<A>, name: string): A | undefined => list.find((one) => one.name === name)

const without = <A extends Named>(list: List<A>, name: string): List<A> => list.filter((one) => one.name !== name)

const replace = <A extends Named>(list: List<A>, by: A): List<A> => list.map((one) => (one.name === by.name ? by : one))

const describe = (list: List<Tool>, name: string, description: string): List<Tool> =>
  list.map((one) => (one.name === name ? { ...one, description } : one))

const set = (list: List<Bound>, one: Bound): List<Bound> =>
  [...without(list, one.name), one].toSorted(by([({ name }) => name]))

/** What a step changes: doc of the combinators of `Assembly`, and of `Edit.Step`. */
const edit = (self: Assembly, step: Edit.Step, toolOrder: List<string>, listener: Entry): Partial<Assembly> => {
  const { sections, contexts, tools, variables, note } = self
  if (step._tag === "AddSection") return { sections: insert(sections, passage(step.section, nobody), byPlace) }
  if (step._tag === "ReplaceSection") return { sections: replace(sections, passage(step.section, nobody)) }
  if (step._tag === "RemoveSection") return { sections: without(sections, step.name) }
  if (step._tag === "ReverseSections") return { sections: sections.toReversed() }
  if (step._tag === "AddContext") return { contexts: insert(contexts, passage(step.context, nobody), byPlace) }
  if (step._tag === "RemoveContext") return { contexts: without(contexts, step.name) }
  if (step._tag === "AddTool") return { tools: insert(tools, tool(step.tool, nobody), byToolOrder(toolOrder)) }
  if (step._tag === "DescribeTool") return { tools: describe(tools, step.name, step.description) }
  if (step._tag === "RemoveTool") return { tools: without(tools, step.name) }
  if (step._tag === "SetVariable") return { variables: set(variables, bound(step, nobody)) }
  if (step._tag === "RemoveVariable") return { variables: without(variables, step.name) }
  if (step._tag === "Annotate") return { note: note + step.value }
  return refuse({ Throw: "ListenerFailure", Promise: "InvalidAssembly" }[step._tag], owner(listener))
}

/** spec §4 "Validation", doc `errors`; a Template is never data (design §3 "Fine print"); row 23. */
export const isLegal = (options: Options): boolean => {
  const { name, order = 0, text, interpolate, complete = false, requires = [] } = options
  const isTemplateAsData = interpolate === false && typeof text === "object"
  return name !== "" && Number.isFinite(order) && !isTemplateAsData && !(complete && requires.length > 0)
}

const areUnique = (list: List<Named>): boolean => new Set(list.map((one) => one.name)).size === list.length

/** spec §21, row 12. Tools may share a name (scenario 324), but not have the reserved one (spec §9). */
const isWellFormed = ({ sections, contexts, tools, variables }: Assembly): boolean =>
  [...sections, ...contexts].every(isLegal) &&
  areUnique(sections) &&
  areUnique(contexts) &&
  tools.every((one) => isTool(one) && one.name !== restMarker) &&
  variables.every((one) => isVariableName(one.name))

/**
 * doc of `Origin`: what a listener added has its scope and plugin, what it changed keeps those that it had; both name
 * the listener. What says the same as before is what it was.
 */
const signed = <A extends Passage | Tool | Bound>(after: A, before: A | undefined, listener: Entry): A => {
  if (before !== undefined && says(after) === says(before)) return before
  const origin = before?.origin ?? originOf(listener)
  return { ...after, origin: { ...origin, listener: { name: listener.name, ...authorOf(listener) } } }
}

/**
 * As `signed`. Tools may share a name: one is what it was made of, an added one what says the same and would be gone.
 * What it was made of shows in its origin, which is an object of its own, and which edits keep.
 */
const signedTools = (after: List<Tool>, before: List<Tool>, listener: Entry): List<Tool> => {
  let gone = before.filter((old) => !after.some((one) => one.origin === old.origin))
  return after.map((one) => {
    const made = before.find((old) => old.origin === one.origin)
    const was = made ?? gone.find((old) => says(old) === says(one))
    gone = gone.filter((old) => old !== was)
    return signed(one, was, listener)
  })
}

/** design §3 "Listeners": each result is judged at once. */
const listen = (before: Assembly, listener: Entry<Of<"Listener">>, toolOrder: List<string>): Assembly => {
  const after = listener.item.options.steps.reduce<Assembly>(
    (self, step) => ({ ...self, ...edit(self, step, toolOrder, listener) }),
    before
  )
  if (!isWellFormed(after)) refuse("InvalidAssembly", owner(listener))
  return {
    ...after,
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
export const assemble = (entries: List<Entry>, scope: Scope, toolOrder: List<string>): Assembly => {
  // spec §8: siblings and descendants take no part.
  const seen = chainOf(scope).flatMap((host) => entries.filter((one) => one.host === host))

  // plan. row 3: two complete sections are refused before anything is evaluated, and named in final order (spec §22).
  const sections = nearest(seen, "Section").toSorted(byPlace)
  const complete = sections.filter((one) => one.item.options.complete === true).map((one) => one.name)
  if (complete.length > 1) refuse("MultipleCompleteSections", { scope: scope.label, names: complete })
  // spec §7.2, §7.9: suppressed contexts are not even evaluated.
  const suppressed = all(seen, "Suppressor").length > 0
  const contexts = suppressed ? [] : nearest(seen, "Context").toSorted(byPlace)

  // evaluate. design §3 "Fine print", doc decision 6: in this order; all winners, and nobody else (row 2).
  const variables = nearest(seen, "Variable").toSorted(byPlace)
  const providers = all(seen, "Tools").toSorted(by([positionOf, (one) => one.name, (one) => one.plugin ?? ""]))
  const bounds = variables.map((one) => bind(one, seen))
  const given = providers.map(give)
  const passages = sections.map((one) => read(one, seen))
  const remarks = contexts.map((one) => read(one, seen))

  // compose. spec §7.10.
  const tools = compose(given, toolOrder)
  const base: Assembly = { sections: passages, contexts: remarks, tools, variables: bounds, note: "" }

  // waterfall. row 6: lower order outermost, then by name, then the ancestor's, which `seen` has first.
  const listeners = all(seen, "Listener").toSorted(byPlace)
  const after = listeners.reduce((self, one) => listen(self, one, toolOrder), base)

  // seal. spec §11; row 23: judged by the tools after the waterfall.
  const kept = after.sections.filter((one) => one.requires.every((name) => named(after.tools, name) !== undefined))
  const whole = passages.filter((one) => complete.includes(one.name))
  return { ...after, sections: complete.length > 0 ? whole : kept, contexts: suppressed ? [] : after.contexts }
}

// -----------------------------------------------------------------------------
// rendering
// -----------------------------------------------------------------------------

/** spec §12 and §13; row 8. The leftmost problem of the first text that has one is the failure, and its text's owner. */
const render = (part: Passage, kind: "section" | "context", variables: List<Bound>): string => {
  const { scope, plugin } = part.origin
  const fail = (tag: string, name?: string) =>
    refuse(tag, { kind, entry: part.name, scope, plugin, names: name === undefined ? undefined : [name] })
  const value = (name: string): string => {
    const variable = named(variables, name)
    return variable === undefined ? fail("UnknownVariable", name) : (variable.value ?? fail("UndefinedVariable", name))
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

export const assembled = ({ sections, contexts, tools, variables, note }: Assembly): Observation => ({
  _tag: "Assembled",
  sections: sections.map(shown),
  contexts: contexts.map(shown),
  tools: tools.map((one) => ({ schema: says(one), origin: one.origin })),
  variables,
  note
})

export const rendered = ({ sections, contexts, tools, variables }: Assembly): Observation => {
  const text = joined(sections.map((one) => render(one, "section", variables)))
  const body = joined(contexts.map((one) => render(one, "context", variables)))
  return { _tag: "Rendered", text, snapshot: body === "" ? "" : joined([heading, body]), tools: tools.map(says) }
}
