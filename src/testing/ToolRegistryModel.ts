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
import { restMarker } from "./internal/modelAssembly.ts"
import { change, type List, observe, refuse, type Scope, scopeAt } from "./internal/modelScopes.ts"
import { type Entry, owner } from "./internal/modelTools.ts"
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

/** doc of `ToolRegistryProgram.Step`: what the numbers refer to. */
const perform = (state: State, step: Step): Observation | void => {
  switch (step._tag) {
    case "Register": {
      const { contribution: item, scope } = step
      return register(state, { item, scope: scopeAt(state, scope), registration: state.registrations++ })
    }
    case "View":
      return tools.viewed(state.entries, scopeAt(state, step.scope))
    case "Assemble":
      return assemble(state, scopeAt(state, step.scope))
    case "Call": {
      const assembly = state.assemblies[step.assembly % state.assemblies.length]
      return assembly === undefined ? { _tag: "Nothing" } : tools.call(state.entries, assembly, step)
    }
    default:
      return change(state, step)
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
