/**
 * The reference model: what a program is to do, said once more as plainly as it can be said.
 *
 * It was written from the specification and the design, not from the code, and shares none of it: everything is worked
 * out anew at every step, from one list of all that is registered, with no care for speed. Beside each rule stands where
 * it comes from: `spec` is the behaviour specification of dsh by section, `design` our design by section, or row of the
 * differences in its section 4, `doc` a doc comment or page of this package.
 *
 * @since 0.1.0
 */
import type * as Persona from "../Persona.ts"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import type { Text } from "../Template.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as ToolSchema from "../ToolSchema.ts"
import type * as Variable from "../Variable.ts"
import type * as Edit from "./Edit.ts"
import type { Contribution, Failure, Observation, Origin, Part, Program, Step } from "./Program.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

interface Scope {
  readonly label: string
  parent: Scope | undefined
  closed: boolean
}

/** A contribution; a persona is several. */
type Item =
  | { readonly kind: "section"; readonly options: Section.Options }
  | { readonly kind: "context"; readonly options: PromptContext.Options }
  | { readonly kind: "variable"; readonly options: Variable.Options }
  | { readonly kind: "tools"; readonly options: ToolProvider.Options }
  | { readonly kind: "listener"; readonly options: Edit.Listener }
  | { readonly kind: "suppressor"; readonly options: { readonly name?: string; readonly plugin?: string | undefined } }

/** A registered contribution: it is seen by `host` and all below, and ends with `scope` or with its registration. */
type Entry = Item & { readonly host: Scope; readonly scope: Scope; readonly registration: number }

interface State {
  readonly toolOrder: ReadonlyArray<string> | undefined
  readonly scopes: Array<Scope>
  entries: ReadonlyArray<Entry>
  registrations: number
}

/** A section or context of an assembly; contexts require nothing. */
interface Passage extends Omit<Part, "text"> {
  readonly text: Text
  readonly requires: ReadonlyArray<string>
}

interface Tool {
  readonly schema: ToolSchema.Input
  readonly origin: Origin
  /** What it was before the listener that runs now; one that this listener added was nothing. */
  readonly was?: Tool
}

interface Bound {
  readonly name: string
  readonly value: string | undefined
  readonly origin: Origin
}

interface Assembly {
  readonly sections: ReadonlyArray<Passage>
  readonly contexts: ReadonlyArray<Passage>
  readonly tools: ReadonlyArray<Tool>
  readonly variables: ReadonlyArray<Bound>
}

// -----------------------------------------------------------------------------
// failures
// -----------------------------------------------------------------------------

/** What is thrown where the program is refused something. */
class Refusal {
  readonly failure: Failure
  constructor(failure: Failure) {
    this.failure = failure
  }
}

/** Without the fields that are undefined. */
const present = <A extends object>(all: A): A =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as A

const refuse: (failure: Failure) => never = (failure) => {
  throw new Refusal(present(failure))
}

/** design §3 "Errors": each names the owner; doc of `Owner`: what is anonymous has the empty name. */
const owner = ({ kind, options }: Item, { label }: Scope) => ({
  kind,
  entry: options.name ?? "",
  scope: label,
  plugin: options.plugin
})

// -----------------------------------------------------------------------------
// order
// -----------------------------------------------------------------------------

/** By the first key that differs; names by UTF-16 code units (spec §7.6), as `<` compares strings. */
const by =
  <A>(...keys: ReadonlyArray<(one: A) => string | number>) =>
  (a: A, b: A): number => {
    const key = keys.find((of) => of(a) !== of(b))
    return key === undefined ? 0 : key(a) < key(b) ? -1 : 1
  }

/** spec §8 and design row 5: sections and contexts by order, then by name. */
const byPlace = by<{ readonly order: number; readonly name: string }>(
  (one) => one.order,
  (one) => one.name
)

/** spec §7.2 and design row 7: variables by name. */
const byName = by<{ readonly name: string }>((one) => one.name)

/** Entries by what they were registered with. */
const as =
  <A>(compare: (a: A, b: A) => number) =>
  (a: { readonly options: A }, b: { readonly options: A }): number =>
    compare(a.options, b.options)

/** doc of the combinators: a new part stands before the first one that comes after it; nothing else moves. */
const insert = <A>(all: ReadonlyArray<A>, one: A, compare: (a: A, b: A) => number): ReadonlyArray<A> => {
  const at = all.findIndex((other) => compare(other, one) > 0)
  return at < 0 ? [...all, one] : all.toSpliced(at, 0, one)
}

// -----------------------------------------------------------------------------
// registry
// -----------------------------------------------------------------------------

const variablePattern = /^[a-z][a-z0-9_]*$/

/** spec §4 "Validation", design §3 "Fine print" (a Template is never data), design row 23 (`requires`), doc of `errors`. */
const isLegal = ({ kind, options }: Item): boolean => {
  switch (kind) {
    case "section":
      return isLegalPassage(options) && !(options.complete === true && (options.requires ?? []).length > 0)
    case "context":
      return isLegalPassage(options)
    case "variable":
      return variablePattern.test(options.name)
    case "tools":
      return options.name !== ""
    case "listener":
      return options.name !== "" && Number.isFinite(options.order ?? 0)
    case "suppressor":
      return true
  }
}

const isLegalPassage = ({ name, order, text, interpolate }: PromptContext.Options): boolean =>
  name !== "" && Number.isFinite(order) && !(interpolate === false && typeof text === "object")

/** spec §5 and §20: the names and orders of a persona's sections, and what they are when they are not given. */
const persona = (options: Persona.Options): ReadonlyArray<Item> => {
  const { prefix, suffix, complete, includeRuntimeContext, plugin } = options
  return [
    { kind: "section", options: { name: "deployment:persona-prefix", order: 0, text: prefix, complete, plugin } },
    { kind: "section", options: { name: "deployment:persona-suffix", order: 10200, text: suffix ?? "", plugin } },
    ...(includeRuntimeContext === false ? [{ kind: "suppressor", options: { plugin } } as const] : [])
  ]
}

const itemsOf = (contribution: Contribution): ReadonlyArray<Item> => {
  switch (contribution._tag) {
    case "Section":
      return [{ kind: "section", options: contribution.options }]
    case "Context":
      return [{ kind: "context", options: contribution.options }]
    case "Variable":
      return [{ kind: "variable", options: contribution.options }]
    case "Tools":
      return [{ kind: "tools", options: contribution.options }]
    case "Listener":
      return [{ kind: "listener", options: contribution.options }]
    case "Suppressor":
      return [{ kind: "suppressor", options: {} }]
    case "Persona":
      return persona(contribution.options)
  }
}

/** spec §3: names are unique per kind and overlay; §4: tool providers and suppressors are anonymous. All items or none. */
const register = (state: State, items: ReadonlyArray<Item>, scope: Scope): void => {
  const registration = state.registrations++
  for (const item of items) if (!isLegal(item)) refuse({ tag: "InvalidRegistration", ...owner(item, scope) })
  // spec §2, scenario 18.
  for (const item of items) if (scope.closed) refuse({ tag: "ScopeClosed", ...owner(item, scope) })
  const made = items.map((item): Entry => {
    // design §3 "Fine print": a global listener is an entry of the global overlay that ends with its own scope.
    const host = item.kind === "listener" && item.options.global === true ? state.scopes[0]! : scope
    const taken = state.entries.some(
      (one) => one.host === host && one.kind === item.kind && one.options.name === item.options.name
    )
    if (taken && item.kind !== "tools" && item.kind !== "suppressor") {
      refuse({ tag: "DuplicateRegistration", ...owner(item, host) })
    }
    return { ...item, host, scope, registration }
  })
  state.entries = [...state.entries, ...made]
}

/** spec §2: itself last. A closed scope has no entries left, so nobody sees it (design §3 "Fine print"). */
const chainOf = (scope: Scope): ReadonlyArray<Scope> =>
  scope.parent === undefined ? [scope] : [...chainOf(scope.parent), scope]

/** design row 17: given when the scope is made. doc decision 5: no closed scope becomes a parent. */
const open = (state: State, label: string, parent: Scope): void => {
  if (parent.closed) refuse({ tag: "ScopeClosed", scope: parent.label })
  state.scopes.push({ label, parent, closed: false })
}

/** spec §2 `rebind`: refused if it closed a cycle, and then the old link stays. doc decision 5. */
const rebind = (scope: Scope, parent: Scope): void => {
  for (const one of [scope, parent]) if (one.closed) refuse({ tag: "ScopeClosed", scope: one.label })
  if (chainOf(parent).includes(scope)) refuse({ tag: "ScopeCycle", scope: scope.label })
  scope.parent = parent
}

// -----------------------------------------------------------------------------
// plan, evaluate, compose
// -----------------------------------------------------------------------------

/** spec §8: the nearest of each name. Takes farthest first; of one scope there is only one of each name. */
const nearest = <E extends Entry>(all: ReadonlyArray<E>): ReadonlyArray<E> =>
  all.filter((one, i) => !all.slice(i + 1).some((nearer) => nearer.options.name === one.options.name))

/** design row 22, doc of `Origin`: what a named entry hides, nearest first; tools hide nothing. */
const originOf = (entry: Entry, seen: ReadonlyArray<Entry>): Origin => {
  const { kind, host, options } = entry
  const hidden = seen.filter((one) => one !== entry && one.kind === kind && one.options.name === options.name)
  return present({
    scope: host.label,
    plugin: options.plugin,
    shadows: (kind === "tools" ? [] : hidden.toReversed()).map((one) =>
      present({ scope: one.host.label, plugin: one.options.plugin })
    )
  })
}

/** design row 10: a value of the wrong type is a failure of its owner. */
const accept = <A>(value: A, fits: boolean, entry: Entry): A =>
  fits ? value : refuse({ tag: "ProviderFailure", ...owner(entry, entry.host) })

const isText = (value: unknown): boolean =>
  typeof value === "string" || (typeof value === "object" && value !== null && "segments" in value)

/** spec §7.8 and §7.9, design row 8. */
const passage = (entry: Entry & { readonly kind: "section" | "context" }, seen: ReadonlyArray<Entry>): Passage => ({
  name: entry.options.name,
  order: entry.options.order,
  text: accept(entry.options.text, isText(entry.options.text), entry),
  interpolate: entry.options.interpolate ?? true,
  requires: entry.kind === "section" ? (entry.options.requires ?? []) : [],
  origin: originOf(entry, seen)
})

const bind = (entry: Entry & { readonly kind: "variable" }, seen: ReadonlyArray<Entry>): Bound => {
  const { name, value } = entry.options
  return {
    name,
    value: accept(value, value === undefined || typeof value === "string", entry),
    origin: originOf(entry, seen)
  }
}

const isJson = (value: unknown): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).every(isJson)
    : value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** doc of `ToolSchema.fromUnknown`. */
const isTool = ({ name, description, parameters }: ToolSchema.Input): boolean =>
  name !== "" && typeof description === "string" && isJson(parameters)

/** spec §9 "Projection": these fields in this order, `deferLoading` only where it is exactly true. */
const emit = ({ name, description, parameters, deferLoading }: ToolSchema.Input): string =>
  JSON.stringify({ name, description, parameters, ...(deferLoading === true ? { deferLoading } : {}) })

const restMarker = "<unlisted-tools>"

/** spec §9 "Ordering": listed names stand where they are listed, all others at the marker, by name. */
const byToolOrder = (toolOrder: ReadonlyArray<string> | undefined) =>
  by<Tool>(
    ({ schema: { name } }) => toolOrder?.indexOf(toolOrder.includes(name) ? name : restMarker) ?? 0,
    ({ schema: { name } }) => name
  )

/** design §3 "Fine print" and row 7, doc decision 6. */
const byProvider = by<Entry>(
  ({ host }) => chainOf(host).length,
  ({ options }) => options.name ?? "",
  ({ options }) => options.plugin ?? ""
)

/** What a provider gives. spec §9 "Projection": its schemas are looked at as soon as it has given them. */
const give = (entry: Entry & { readonly kind: "tools" }) => {
  const tools = accept(entry.options.tools, typeof entry.options.tools === "object", entry)
  const { schemas, knownNames = [] } = "schemas" in tools ? tools : { schemas: tools }
  for (const schema of schemas) if (!isTool(schema)) refuse({ tag: "InvalidToolSchema", ...owner(entry, entry.host) })
  return { entry, schemas, knownNames }
}

/** spec §9 "Reserved name", "Known names" and "Ordering", §7.10. */
const compose = ({ toolOrder }: State, given: ReadonlyArray<ReturnType<typeof give>>): ReadonlyArray<Tool> => {
  const tools = given.flatMap(({ entry, schemas }) => schemas.map((schema) => ({ entry, schema })))
  const reserved = tools.find(({ schema }) => schema.name === restMarker)?.entry
  if (reserved !== undefined) refuse({ tag: "ReservedToolName", ...owner(reserved, reserved.host) })
  // design row 16: visible tools are always known.
  const known = [...given.flatMap((one) => one.knownNames), ...tools.map(({ schema }) => schema.name)]
  const unknown = toolOrder?.find((name) => name !== restMarker && !known.includes(name))
  if (unknown !== undefined) refuse({ tag: "UnknownTool", kind: "toolOrder", entry: unknown, scope: "global" })
  // design row 7, doc decision 6: tools of one name by chain position, provider, JSON, plugin.
  return tools
    .toSorted(
      by(
        ({ entry }) => chainOf(entry.host).length,
        ({ entry }) => entry.options.name ?? "",
        ({ schema }) => emit(schema),
        ({ entry }) => entry.options.plugin ?? ""
      )
    )
    .map(({ entry, schema }) => ({ schema, origin: originOf(entry, []) }))
    .toSorted(byToolOrder(toolOrder))
}

// -----------------------------------------------------------------------------
// waterfall
// -----------------------------------------------------------------------------

/** Of a part that a listener makes, until its result is taken. */
const nobody: Origin = { scope: "", shadows: [] }

const draft = ({ name, order, text, interpolate, requires }: Omit<Section.Options, "complete">): Passage => ({
  ...{ name, order, text, interpolate: interpolate ?? true, requires: requires ?? [], origin: nobody }
})

/** doc of the combinators of `Assembly`. */
const edit = (self: Assembly, step: Edit.Step, toolOrder: State["toolOrder"], listener: Entry): Assembly => {
  const { sections, contexts, tools, variables } = self
  switch (step._tag) {
    case "AddSection":
      return { ...self, sections: insert(sections, draft(step.section), byPlace) }
    case "ReplaceSection":
      return { ...self, sections: sections.map((one) => (one.name === step.section.name ? draft(step.section) : one)) }
    case "RemoveSection":
      return { ...self, sections: sections.filter((one) => one.name !== step.name) }
    case "ReverseSections":
      return { ...self, sections: sections.toReversed() }
    case "AddContext":
      return { ...self, contexts: insert(contexts, draft(step.context), byPlace) }
    case "RemoveContext":
      return { ...self, contexts: contexts.filter((one) => one.name !== step.name) }
    case "AddTool":
      return { ...self, tools: insert(tools, { schema: step.tool, origin: nobody }, byToolOrder(toolOrder)) }
    case "DescribeTool": {
      const { name, description } = step
      const described = (one: Tool) => ({ ...one, schema: { ...one.schema, description } })
      return { ...self, tools: tools.map((one) => (one.schema.name === name ? described(one) : one)) }
    }
    case "RemoveTool":
      return { ...self, tools: tools.filter((one) => one.schema.name !== step.name) }
    case "SetVariable": {
      const others = variables.filter((one) => one.name !== step.name)
      return { ...self, variables: insert(others, { name: step.name, value: step.value, origin: nobody }, byName) }
    }
    case "RemoveVariable":
      return { ...self, variables: variables.filter((one) => one.name !== step.name) }
    case "Annotate":
      return self
    case "Throw":
      return refuse({ tag: "ListenerFailure", ...owner(listener, listener.host) })
    case "Promise":
      return refuse({ tag: "InvalidAssembly", ...owner(listener, listener.host) })
  }
}

const areUnique = (all: ReadonlyArray<{ readonly name: string }>): boolean =>
  new Set(all.map((one) => one.name)).size === all.length

/** spec §21, design row 12. Tools may share a name (scenario 324). */
const isWellFormed = ({ sections, contexts, tools, variables }: Assembly): boolean =>
  [...sections, ...contexts].every(isLegalPassage) &&
  areUnique(sections) &&
  areUnique(contexts) &&
  tools.every(({ schema }) => isTool(schema) && schema.name !== restMarker) &&
  variables.every((one) => variablePattern.test(one.name))

/** All that a part says, where it comes from aside. */
const says = (part: Passage | Tool | Bound): string => {
  if ("schema" in part) return emit(part.schema)
  const text = "requires" in part && typeof part.text === "object" ? part.text.segments : undefined
  return JSON.stringify({ ...part, segments: text, origin: undefined })
}

/**
 * doc of `Origin`: what a listener added has its scope and plugin, what it changed keeps those that it had; both name
 * the listener. What says the same as before is what it was.
 */
const signed = <A extends Passage | Tool | Bound>(after: A, before: A | undefined, { host, options }: Entry): A => {
  if (before !== undefined && says(after) === says(before)) return before
  const author = present({ scope: host.label, plugin: options.plugin })
  const origin: Origin = before?.origin ?? { ...author, shadows: [] }
  return { ...after, origin: { ...origin, listener: { name: options.name ?? "", ...author } } }
}

/** One listener: its steps, and its result judged at once (design §3 "Listeners"). */
const listen = (before: Assembly, entry: Entry & { readonly kind: "listener" }, state: State): Assembly => {
  const start: Assembly = { ...before, tools: before.tools.map((was) => ({ ...was, was })) }
  const after = entry.options.steps.reduce((self, step) => edit(self, step, state.toolOrder, entry), start)
  if (!isWellFormed(after)) refuse({ tag: "InvalidAssembly", ...owner(entry, entry.host) })
  const sign = <A extends Passage | Bound>(all: ReadonlyArray<A>, were: ReadonlyArray<A>): ReadonlyArray<A> =>
    all.map((one) =>
      signed(
        one,
        were.find((was) => was.name === one.name),
        entry
      )
    )
  return {
    sections: sign(after.sections, before.sections),
    contexts: sign(after.contexts, before.contexts),
    tools: after.tools.map((one) => signed(one, one.was, entry)),
    variables: sign(after.variables, before.variables)
  }
}

// -----------------------------------------------------------------------------
// the pipeline
// -----------------------------------------------------------------------------

/** design §3 "The pipeline", on the registrations of this moment (design row 1). */
const assemble = (state: State, scope: Scope): Assembly => {
  // spec §8: what siblings and descendants have registered takes no part. Farthest first.
  const seen = chainOf(scope).flatMap((host) => state.entries.filter((one) => one.host === host))

  // plan. design row 3: two complete sections are refused before anything is evaluated.
  const sections = nearest(seen.filter((one) => one.kind === "section")).toSorted(as(byPlace))
  const complete = sections.filter((one) => one.options.complete === true)
  if (complete.length > 1) refuse({ tag: "MultipleCompleteSections", scope: scope.label })
  // spec §7.2 and §11.
  const suppressed = seen.some((one) => one.kind === "suppressor")
  const contexts = suppressed ? [] : nearest(seen.filter((one) => one.kind === "context")).toSorted(as(byPlace))

  // evaluate. design §3 "Fine print": one after the other in this order; all winners, nobody else (design row 2).
  const variables = nearest(seen.filter((one) => one.kind === "variable"))
    .map((one) => {
      const { name, value } = one.options
      return {
        name,
        value: accept(value, value === undefined || typeof value === "string", one),
        origin: originOf(one, seen)
      }
    })
    .toSorted(byName)
  const given = seen
    .filter((one) => one.kind === "tools")
    .toSorted(byProvider)
    .map(give)
  const passages = sections.map((one) => passage(one, seen))

  // compose, waterfall.
  const before = {
    sections: passages,
    contexts: contexts.map((one) => passage(one, seen)),
    variables,
    tools: compose(state, given)
  }
  // design row 6, §3 "Fine print": lower order outermost, then by name, then the ancestor's, which `seen` has first.
  const listeners = seen
    .filter((one) => one.kind === "listener")
    .toSorted(
      as(
        by(
          (one) => one.order ?? 0,
          (one) => one.name
        )
      )
    )
  const after = listeners.reduce((self, one) => listen(self, one, state), before)

  // seal. spec §11; design row 23: judged by the tools after the waterfall.
  const has = (name: string) => after.tools.some(({ schema }) => schema.name === name)
  return {
    ...after,
    sections:
      complete.length === 1
        ? passages.filter((one) => one.name === complete[0]!.options.name)
        : after.sections.filter((one) => one.requires.every(has)),
    contexts: suppressed ? [] : after.contexts
  }
}

// -----------------------------------------------------------------------------
// rendering
// -----------------------------------------------------------------------------

/** spec §12 rules 1 to 5, from left to right. */
const interpolate = (text: string, value: (name: string) => string, malformed: () => never): string => {
  const at = text.indexOf("{{")
  if (at < 0) return text
  const rest = text.slice(at)
  const group = /^\{\{([^{}]*)\}\}/.exec(rest)
  if (group === null) {
    // Rule 1.
    if (rest.includes("}}", 2)) malformed()
    return text.slice(0, at + 2) + interpolate(text.slice(at + 2), value, malformed)
  }
  const [whole, name = ""] = group
  // Rules 2 and 5.
  if (!variablePattern.test(name)) malformed()
  return text.slice(0, at) + value(name) + interpolate(rest.slice(whole.length), value, malformed)
}

/** spec §12, design row 8; a Template's literal parts are never scanned (design §4 "Kept on purpose"). */
const render = (part: Passage, kind: "section" | "context", variables: Assembly["variables"]): string => {
  const { name, text, origin } = part
  const fail = (tag: string) => refuse({ tag, kind, entry: name, scope: origin.scope, plugin: origin.plugin })
  const value = (name: string): string => {
    const variable = variables.find((one) => one.name === name)
    // Rules 3 and 4.
    return variable === undefined ? fail("UnknownVariable") : (variable.value ?? fail("UndefinedVariable"))
  }
  if (typeof text === "object") {
    return text.segments.map((one) => (one._tag === "Literal" ? one.text : value(one.name))).join("")
  }
  return part.interpolate ? interpolate(text, value, () => fail("MalformedGroup")) : text
}

/** The first line of a snapshot, spec §13. The words are ours: doc of `PromptContext.heading`. */
const heading = "Runtime context, as it is now. It replaces every earlier runtime context in this conversation."

/** spec §12 and §13: what is empty is dropped, a blank line between the others. */
const joined = (texts: ReadonlyArray<string>): string => texts.filter((one) => one !== "").join("\n\n")

// -----------------------------------------------------------------------------
// observations
// -----------------------------------------------------------------------------

const partOf = ({ name, order, text, interpolate, origin }: Passage): Part => ({
  ...{ name, order, interpolate, origin },
  text:
    typeof text === "string"
      ? text
      : text.segments.map((one) => (one._tag === "Literal" ? one.text : `{{${one.name}}}`)).join("")
})

const assembled = ({ sections, contexts, tools, variables }: Assembly): Observation => ({
  _tag: "Assembled",
  sections: sections.map(partOf),
  contexts: contexts.map(partOf),
  tools: tools.map(({ schema, origin }) => ({ schema: emit(schema), origin })),
  variables
})

const rendered = ({ sections, contexts, tools, variables }: Assembly): Observation => {
  const text = joined(sections.map((one) => render(one, "section", variables)))
  const body = joined(contexts.map((one) => render(one, "context", variables)))
  return {
    _tag: "Rendered",
    text,
    snapshot: body === "" ? "" : joined([heading, body]),
    tools: tools.map(({ schema }) => emit(schema))
  }
}

/** doc of `Program.Step`: what the numbers refer to, and which steps do nothing. */
const perform = (state: State, step: Step): Observation => {
  const scopeAt = (index: number): Scope => state.scopes[index % state.scopes.length]!
  switch (step._tag) {
    case "Open":
      open(state, step.label, scopeAt(step.parent))
      return { _tag: "Done" }
    case "Register":
      register(state, itemsOf(step.contribution), scopeAt(step.scope))
      return { _tag: "Done" }
    case "Unregister": {
      if (state.registrations === 0) return { _tag: "Nothing" }
      const ended = step.registration % state.registrations
      state.entries = state.entries.filter((one) => one.registration !== ended)
      return { _tag: "Done" }
    }
    case "Close": {
      const scope = scopeAt(step.scope)
      if (scope.parent === undefined) return { _tag: "Nothing" }
      scope.closed = true
      state.entries = state.entries.filter((one) => one.scope !== scope)
      return { _tag: "Done" }
    }
    case "Rebind": {
      const scope = scopeAt(step.scope)
      if (scope.parent === undefined) return { _tag: "Nothing" }
      rebind(scope, scopeAt(step.parent))
      return { _tag: "Done" }
    }
    case "Assemble":
      return assembled(assemble(state, scopeAt(step.scope)))
    case "Render":
      return rendered(assemble(state, scopeAt(step.scope)))
  }
}

const observe = (perform: () => Observation): Observation => {
  try {
    return perform()
  } catch (thrown) {
    if (thrown instanceof Refusal) return { _tag: "Failed", failure: thrown.failure }
    throw thrown
  }
}

/** spec §5 and §9 "toolOrder config": first what is listed twice, then a missing marker. */
const checkToolOrder = (toolOrder: ReadonlyArray<string>): void => {
  const twice = toolOrder.find((name, i) => toolOrder.indexOf(name) < i)
  if (twice !== undefined || !toolOrder.includes(restMarker)) {
    refuse({ tag: "InvalidToolOrder", kind: "toolOrder", entry: twice ?? "", scope: "global" })
  }
}

/**
 * What each step of the program is to do; a single failure if there is no service. Compare it with what `Program.run`
 * sees.
 *
 * @since 0.1.0
 * @category running
 */
export const run = ({ toolOrder, steps }: Program): ReadonlyArray<Observation> => {
  const global: Scope = { label: "global", parent: undefined, closed: false }
  const state: State = { toolOrder, scopes: [global], entries: [], registrations: 0 }
  const start = observe(() => {
    checkToolOrder(toolOrder ?? [restMarker])
    return { _tag: "Done" }
  })
  if (start._tag === "Failed") return [start]
  // spec §5, design row 20: no identity, and an empty persona, which takes the names.
  register(state, persona({ prefix: "" }), global)
  state.registrations = 0
  return steps.map((step) => observe(() => perform(state, step)))
}
