/**
 * The reference model of the registry of tools: what a program has to do, said once more as plainly as it can be said.
 *
 * It is written from the specification and the design, and shares nothing with the code. Everything is worked out anew
 * at every step, from one list of all that is registered, with no care for speed. For how its sources are cited see
 * `Model`; `issue` is the one that asked for the registry.
 *
 * @since 0.1.0
 */
import * as tools from "./internal/modelTools.ts"
import { chainOf, type List, restMarker, type Scope } from "./internal/modelAssembly.ts"
import { type Entry, owner, Refusal, refuse } from "./internal/modelTools.ts"
import type { Contribution, Observation, Step, ToolRegistryProgram } from "./ToolRegistryProgram.ts"

// -----------------------------------------------------------------------------
// registering
// -----------------------------------------------------------------------------

interface State {
  readonly toolOrder: List<string>
  readonly scopes: Array<Scope>
  /** The latest first; those that failed are `undefined`. */
  readonly assemblies: Array<tools.Assembly | undefined>
  registrations: number
  entries: List<Entry>
}

/** issue: what is refused at registration. Nothing is renamed or cut. */
const checkTool = (entry: Entry, name: string): void => {
  if (name === restMarker) refuse("ReservedToolName", { ...owner(entry), names: [name] })
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) refuse("InvalidRegistration", owner(entry))
}

/** spec §19 `restrict`, in this sequence. */
const checkRestriction = (
  entry: Entry,
  { allow, deny }: Extract<Contribution, { _tag: "Restriction" }>["options"],
  inherited: List<string>
): void => {
  // "scoped handle required"; "neither given → error".
  if (entry.scope.parent === undefined) refuse("InvalidRegistration", owner(entry))
  if (allow === undefined && deny === undefined) refuse("InvalidRegistration", owner(entry))
  const names = [...(allow ?? []), ...(deny ?? [])]
  if (names.includes("")) refuse("InvalidRegistration", owner(entry))
  if (names.includes(restMarker)) refuse("ReservedToolName", { ...owner(entry), names: [restMarker] })
  // "own-layer names are unknown".
  const unknown = [...new Set(names)].filter((name) => !inherited.includes(name))
  if (unknown.length > 0) refuse("UnknownTool", { ...owner(entry), names: unknown, known: inherited })
}

const check = (state: State, entry: Entry): void => {
  const { item, scope } = entry
  if (item._tag === "Tool") return checkTool(entry, item.options.name)
  if (item._tag === "Restriction") {
    return checkRestriction(entry, item.options, tools.inheritedBy(state.entries, scope))
  }
  if (item.options.name === "") refuse("InvalidRegistration", owner(entry))
}

/** spec §3: names are unique in an overlay, per kind; restrictions and tool providers are anonymous. */
const isTaken = (state: State, entry: Entry): boolean =>
  entry.item._tag !== "Restriction" &&
  entry.item._tag !== "Tools" &&
  state.entries.some(
    (one) => one.scope === entry.scope && one.item._tag === entry.item._tag && owner(one).entry === owner(entry).entry
  )

/** spec §4: validation comes first, and what is refused leaves no trace. §2 "Scope disposal": not through a dead handle. */
const register = (state: State, entry: Entry): void => {
  check(state, entry)
  if (entry.scope.closed) refuse("ScopeClosed", owner(entry))
  if (isTaken(state, entry)) refuse("DuplicateRegistration", owner(entry))
  state.entries = [...state.entries, entry]
}

/** spec §3: only what was registered then; a second time there is nothing left to end. */
const end = (state: State, ends: (one: Entry) => boolean): void => {
  state.entries = state.entries.filter((one) => !ends(one))
}

// -----------------------------------------------------------------------------
// scopes
// -----------------------------------------------------------------------------

/** row 17; doc decision 5. */
const open = (state: State, label: string, parent: Scope): void => {
  if (parent.closed) refuse("ScopeClosed", { scope: parent.label })
  state.scopes.push({ label, parent })
}

/** row 13: a registration ends with its scope at the latest. */
const close = (state: State, scope: Scope): void => {
  scope.closed = true
  end(state, (one) => one.scope === scope)
}

/** spec §2 `rebind`: if it is refused, the old link stays. doc decision 5. */
const rebind = (scope: Scope, parent: Scope): void => {
  for (const one of [scope, parent]) if (one.closed) refuse("ScopeClosed", { scope: one.label })
  if (chainOf(parent).includes(scope)) refuse("ScopeCycle", { scope: scope.label })
  scope.parent = parent
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

const assemble = (state: State, scope: Scope): Observation => {
  // It counts although it may fail.
  state.assemblies.unshift(undefined)
  const assembly = tools.assemble(state.entries, scope, state.toolOrder)
  state.assemblies[0] = assembly
  return tools.assembled(assembly)
}

/** doc of `ToolRegistryProgram.Step`: what the numbers refer to, and which steps do nothing. */
const perform = (state: State, step: Step): Observation | void => {
  const scopeAt = (index: number): Scope => state.scopes[index % state.scopes.length]!
  if (step._tag === "Open") return open(state, step.label, scopeAt(step.parent))
  if (step._tag === "Unregister") {
    if (state.registrations === 0) return { _tag: "Nothing" }
    return end(state, (one) => one.registration === step.registration % state.registrations)
  }
  if (step._tag === "Call") {
    const assembly = state.assemblies[step.assembly % state.assemblies.length]
    return assembly === undefined ? { _tag: "Nothing" } : tools.call(state.entries, assembly, step)
  }
  const scope = scopeAt(step.scope)
  if (step._tag === "Register") {
    return register(state, { item: step.contribution, scope, registration: state.registrations++ })
  }
  if (step._tag === "View") return tools.viewed(state.entries, scope)
  if (step._tag === "Assemble") return assemble(state, scope)
  if (scope.parent === undefined) return { _tag: "Nothing" }
  return step._tag === "Close" ? close(state, scope) : rebind(scope, scopeAt(step.parent))
}

const observe = (perform: () => Observation | void): Observation => {
  try {
    return perform() ?? { _tag: "Done" }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { _tag: "Failed", failure: thrown.failure }
    throw thrown
  }
}

/**
 * What each step of the program has to do: to compare with what `ToolRegistryProgram.run` sees.
 *
 * @since 0.1.0
 * @category running
 */
export const run = ({ steps, toolOrder = [restMarker] }: ToolRegistryProgram): ReadonlyArray<Observation> => {
  const state: State = { toolOrder, scopes: [{ label: "global" }], assemblies: [], registrations: 0, entries: [] }
  return steps.map((step) => observe(() => perform(state, step)))
}
