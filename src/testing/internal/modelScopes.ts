/**
 * What both reference models have in common: scopes, what is registered in them and ends with them, and how a step is
 * refused.
 *
 * For how its sources are cited see `Model.ts`.
 */
import type { Failure, Step } from "../ToolRegistryProgram.ts"

// -----------------------------------------------------------------------------
// refusals
// -----------------------------------------------------------------------------

/** What is thrown where something is refused. */
class Refusal {
  readonly failure: Failure
  constructor(failure: Failure) {
    this.failure = failure
  }
}

/** doc of `Program.run`: absent fields are left out. */
export const present = <A extends object>(all: A): A =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as A

export const refuse: (tag: string, fields: Omit<Failure, "tag">) => never = (tag, fields) => {
  throw new Refusal(present({ tag, ...fields }))
}

interface Failed {
  readonly _tag: "Failed"
  readonly failure: Failure
}

/** What a step is seen to do. */
export const observe = <A extends object>(perform: () => A | void): A | { readonly _tag: "Done" } | Failed => {
  try {
    return perform() ?? { _tag: "Done" }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { _tag: "Failed", failure: thrown.failure }
    throw thrown
  }
}

// -----------------------------------------------------------------------------
// scopes
// -----------------------------------------------------------------------------

export type List<A> = ReadonlyArray<A>
export type Scope = { readonly label: string; parent?: Scope; closed?: boolean }

/** spec §2. Farthest first, itself last. Nobody sees a closed scope, for it has no entries (design §3 "Fine print"). */
export const chainOf = (scope: Scope): List<Scope> => [...(scope.parent ? chainOf(scope.parent) : []), scope]

/** What a program has made so far. An entry ends with its registration or with `scope`, whichever ends first. */
interface State {
  readonly scopes: Array<Scope>
  registrations: number
  entries: List<{ readonly scope: Scope; readonly registration: number }>
}

export const scopeAt = ({ scopes }: Pick<State, "scopes">, index: number): Scope => scopes[index % scopes.length]!

/** row 17; doc decision 5. */
const open = (state: State, label: string, parent: Scope): void => {
  if (parent.closed) refuse("ScopeClosed", { scope: parent.label })
  state.scopes.push({ label, parent })
}

/** spec §3: only what was registered then, never what took its name later; a second time there is nothing left to end. */
const end = (state: State, ends: (one: State["entries"][number]) => boolean): void => {
  state.entries = state.entries.filter((one) => !ends(one))
}

/** row 13: a registration ends with its scope at the latest, wherever it is seen. */
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

/** doc of `Program.Step`: what the numbers refer to, and which steps do nothing. */
export const change = (
  state: State,
  step: Extract<Step, { readonly _tag: "Open" | "Unregister" | "Close" | "Rebind" }>
): { readonly _tag: "Nothing" } | void => {
  if (step._tag === "Open") return open(state, step.label, scopeAt(state, step.parent))
  if (step._tag === "Unregister") {
    if (state.registrations === 0) return { _tag: "Nothing" }
    return end(state, (one) => one.registration === step.registration % state.registrations)
  }
  const scope = scopeAt(state, step.scope)
  if (scope.parent === undefined) return { _tag: "Nothing" }
  return step._tag === "Close" ? close(state, scope) : rebind(scope, scopeAt(state, step.parent))
}
