/**
 * The reference model: what a program has to do, said once more as plainly as it can be said.
 *
 * It is written from the specification and the design, and shares nothing with the code. Everything is worked out anew
 * at every step, from one list of all that is registered, with no care for speed. Beside each rule stands where it comes
 * from: `spec` is the behaviour specification of dsh by section, `scenario` one of its scenarios, `design` our design by
 * section, `row` a row of its differences from dsh, `doc` a page of `docs` or a doc comment. Specification, scenarios,
 * design and rows are the project's own and not published with the package; differences are listed in
 * `docs/differences.md`.
 *
 * @since 0.1.0
 */
import type * as Persona from "../Persona.ts"
import * as assembly from "./internal/modelAssembly.ts"
import { type Entry, isLegal, isSame, type Item, type Options, owner, restMarker } from "./internal/modelAssembly.ts"
import { change, type List, observe, refuse, type Scope, scopeAt } from "./internal/modelScopes.ts"
import { isVariableName } from "./internal/modelTemplate.ts"
import type { Contribution, Observation, Program, Step } from "./Program.ts"

// -----------------------------------------------------------------------------
// registry
// -----------------------------------------------------------------------------

interface State {
  readonly toolOrder: List<string>
  readonly scopes: Array<Scope>
  registrations: number
  entries: List<Entry>
}

/** spec §20, §6: the names and orders of a persona's sections, and what they are if they are not given. */
const persona = ({ prefix, suffix = "", complete, includeRuntimeContext, plugin }: Persona.Options): List<Item> => [
  { _tag: "Section", options: { name: "deployment:persona-prefix", order: 0, text: prefix, complete, plugin } },
  { _tag: "Section", options: { name: "deployment:persona-suffix", order: 10200, text: suffix, plugin } },
  ...(includeRuntimeContext === false ? [{ _tag: "Suppressor" } as const] : [])
]

/** spec §4: variables must have names that text can refer to. */
const isLegalItem = (item: Item): boolean =>
  item._tag === "Suppressor" ||
  (isLegal(item.options) && (item._tag !== "Variable" || isVariableName(item.options.name)))

/** A contribution is registered as a whole, or not at all (spec §4 "leave no trace"). */
const register = (state: State, contribution: Contribution, scope: Scope, registration: number): void => {
  const items = contribution._tag === "Persona" ? persona(contribution.options) : [contribution]
  const entries = items.map((item): Entry => {
    const { name = "", order = 0, plugin }: Options = item._tag === "Suppressor" ? {} : item.options
    // design §3 "Fine print": a global listener is an entry of the global overlay that ends with its own scope.
    const isGlobal = item._tag === "Listener" && item.options.global === true
    return { item, name, order, plugin, host: isGlobal ? state.scopes[0]! : scope, scope, registration }
  })
  for (const entry of entries) {
    // spec §4: validation comes first.
    if (!isLegalItem(entry.item)) refuse("InvalidRegistration", owner(entry, scope))
    // spec §2 "Scope disposal", §4: not through a dead handle.
    if (scope.closed) refuse("ScopeClosed", owner(entry, scope))
    // spec §3: names are unique in an overlay, per kind; tool providers and suppressors are anonymous.
    const isNamed = entry.item._tag !== "Tools" && entry.item._tag !== "Suppressor"
    const isTaken = state.entries.some((one) => one.host === entry.host && isSame(one, entry))
    if (isNamed && isTaken) refuse("DuplicateRegistration", owner(entry))
  }
  state.entries = [...state.entries, ...entries]
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/** doc of `Program.Step`: what the numbers refer to. */
const perform = (state: State, step: Step): Observation | void => {
  const assemble = (scope: number) => assembly.assemble(state.entries, scopeAt(state, scope), state.toolOrder)
  switch (step._tag) {
    case "Register":
      return register(state, step.contribution, scopeAt(state, step.scope), state.registrations++)
    case "Assemble":
      return assembly.assembled(assemble(step.scope))
    case "Render":
      return assembly.rendered(assemble(step.scope))
    default:
      return change(state, step)
  }
}

/** spec §9 "toolOrder config", in this sequence. */
const checkToolOrder = (toolOrder: List<string>): void => {
  const twice = toolOrder.find((name, i) => toolOrder.indexOf(name) < i)
  const isRefused = twice !== undefined || !toolOrder.includes(restMarker)
  if (isRefused) refuse("InvalidToolOrder", { kind: "toolOrder", entry: twice ?? "", scope: "global" })
}

/**
 * What each step of the program has to do, or the one failure if there is no service: to compare with what
 * `Program.run` sees.
 *
 * @since 0.1.0
 * @category running
 */
export const run = ({ toolOrder = [restMarker], steps }: Program): ReadonlyArray<Observation> => {
  // spec §5: before anything else. §9: the marker alone is the order that there is without any.
  const service = observe<Observation>(() => checkToolOrder(toolOrder))
  if (service._tag === "Failed") return [service]
  const global: Scope = { label: "global" }
  const state: State = { toolOrder, scopes: [global], registrations: 0, entries: [] }
  // spec §5, row 20: no identity; an empty persona, so that its names are taken. No step can end it.
  register(state, { _tag: "Persona", options: { prefix: "" } }, global, -1)
  return steps.map((step) => observe(() => perform(state, step)))
}
