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
  /** For a tool that a listener changed: what it was before the listener ran. A tool that it added has none. */
  readonly was?: Tool | undefined
}

interface Assembly {
  readonly sections: ReadonlyArray<Passage>
  readonly contexts: ReadonlyArray<Passage>
  readonly tools: ReadonlyArray<Tool>
  readonly variables: ReadonlyArray<{ readonly name: string; readonly value: string | undefined; readonly origin: Origin }>
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

const refuse = (failure: Failure): never => {
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

/** What a provider gives. spec §9: its schemas are projected at once. */
const toolsOf = (entry: Entry & { readonly kind: "tools" }) => {
  const tools = accept(entry.options.tools, typeof entry.options.tools === "object", entry)
  const { schemas, knownNames = [] } = "schemas" in tools ? tools : { schemas: tools }
  for (const schema of schemas) if (!isTool(schema)) refuse({ tag: "InvalidToolSchema", ...owner(entry, entry.host) })
  // design row 16: visible tools are always known.
  return { entry, schemas, known: [...knownNames, ...schemas.map((one) => one.name)] }
}

/** spec §9 "Reserved name" and "Ordering"; design row 7 for tools of one name. */
const compose = (
  toolOrder: ReadonlyArray<string> | undefined,
  providers: ReadonlyArray<ReturnType<typeof toolsOf>>
): ReadonlyArray<Tool> => {
  for (const { entry, schemas } of providers)
    if (schemas.some((one) => one.name === restMarker))
      refuse({ tag: "ReservedToolName", ...owner(entry, entry.host) })
  const known = providers.flatMap((one) => one.known)
  const unknown = (toolOrder ?? []).find((name) => name !== restMarker && !known.includes(name))
  if (unknown !== undefined) refuse({ tag: "UnknownTool", kind: "toolOrder", entry: unknown, scope: "global" })
  return providers.flatMap(({ entry, schemas }) =>
      schemas.map((schema) => ({ schema, origin: originOf(entry, []) }))
    )
    .toSorted(byToolOrder(toolOrder))
}
