/**
 * Runs programs on the peer, and says what is seen, with all differences that are meant (see `deviations.ts`) worked in:
 * what it says we are to do.
 */
import { renderContextSnapshot, renderPrompt, type PromptAssembly } from "@deepseek-ai/dsh-system-prompt"
import { PromptContext } from "../../src/index.ts"
import type { Contribution, Failure, Program, Step } from "../../src/testing/Program.ts"
import { assemble, isFailure, type Outcome } from "./assemble.ts"
import { boot, depthOf, globalScope, openScope, type Peer } from "./boot.ts"
import type { Name } from "./deviations.ts"
import { blame, failureOf } from "./failures.ts"
import type { Entry, Look, Scope } from "./look.ts"
import { by, same } from "./order.ts"
import { prepare } from "./prepare.ts"
import { flawOf, itemsOf, register } from "./provide.ts"
import { Literals } from "./texts.ts"
import { emit } from "./tools.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/** As an `Observation`, without origins: of these, the peer's choice of a winner shows who owns what. */
export type Seen =
  | { readonly _tag: "Nothing" | "Done" }
  | { readonly _tag: "Failed"; readonly failure: Failure }
  | {
      readonly _tag: "Assembled"
      readonly sections: ReadonlyArray<SeenPart>
      readonly contexts: ReadonlyArray<SeenPart>
      readonly tools: ReadonlyArray<string>
      readonly variables: ReadonlyArray<{ readonly name: string; readonly value: string | undefined }>
    }
  | {
      readonly _tag: "Rendered"
      readonly text: string
      readonly snapshot: string
      readonly tools: ReadonlyArray<string>
    }

export interface SeenPart {
  readonly name: string
  readonly order: number
  readonly text: string
  readonly interpolate: boolean
  /** None for what a listener added. */
  readonly owner: { readonly scope: string; readonly plugin: string | undefined } | undefined
}

interface Registration {
  readonly entries: ReadonlyArray<Entry>
}

const done: Seen = { _tag: "Done" }
const nothing: Seen = { _tag: "Nothing" }
const failed = (failure: Failure): Seen => ({ _tag: "Failed", failure })

const kinds = {
  Section: "section",
  Context: "context",
  Variable: "variable",
  Tools: "tools",
  Listener: "listener",
  Suppressor: "suppressor"
} as const

// -----------------------------------------------------------------------------
// what is seen
// -----------------------------------------------------------------------------

const assembled = (assembly: PromptAssembly, look: Look): Seen => {
  const part = (kind: "section" | "context") => (one: { readonly name: string; readonly text: string }) => {
    const { order, interpolate, owner } = look.factsOf(kind, one)
    return {
      name: one.name,
      order,
      text: look.literals.decode(one.text),
      interpolate,
      owner: owner === undefined ? undefined : { scope: owner.host.label, plugin: owner.plugin }
    }
  }
  return {
    _tag: "Assembled",
    sections: assembly.sections.map(part("section")),
    contexts: assembly.contexts.map(part("context")),
    tools: assembly.tools.map(emit),
    variables: Object.keys(assembly.variables)
      .toSorted()
      .map((name) => ({ name, value: assembly.variables[name] }))
  }
}

const heading = "Current runtime context. This snapshot supersedes earlier runtime-context snapshots."

const rendered = (assembly: PromptAssembly, look: Look, note: (name: Name) => void): Seen => {
  const encoded = { ...assembly, variables: { ...assembly.variables, ...look.literals.variables } }
  try {
    const text = renderPrompt(encoded)
    const snapshot = renderContextSnapshot(encoded)
    if (snapshot.startsWith(heading)) note("snapshot heading")
    return {
      _tag: "Rendered",
      text,
      snapshot: snapshot.startsWith(heading) ? PromptContext.heading + snapshot.slice(heading.length) : snapshot,
      tools: assembly.tools.map(emit)
    }
  } catch (error) {
    return failed(failureOf(error))
  }
}

// -----------------------------------------------------------------------------
// the run
// -----------------------------------------------------------------------------

const at = <A>(all: readonly [A, ...ReadonlyArray<A>], index: number): A => all[index % all.length] ?? all[0]

class Machine {
  readonly #peer: Peer
  readonly #toolOrder: ReadonlyArray<string> | undefined
  readonly #note: (name: Name) => void
  readonly #literals = new Literals()
  readonly #scopes: [Scope, ...Array<Scope>]
  readonly #registrations: Array<Registration> = []
  /** In the order in which the peer has them. */
  #listeners: ReadonlyArray<Entry> = []

  constructor(peer: Peer, toolOrder: ReadonlyArray<string> | undefined, note: (name: Name) => void) {
    this.#peer = peer
    this.#toolOrder = toolOrder
    this.#note = note
    this.#scopes = [{ label: "global", peer: globalScope(peer), parent: undefined, closed: false }]
    prepare(peer.ctx)
  }

  async step(step: Step): Promise<Seen> {
    switch (step._tag) {
      case "Open":
        return this.#open(step.label, at(this.#scopes, step.parent))
      case "Register":
        return this.#register(step.contribution, at(this.#scopes, step.scope))
      case "Unregister": {
        const registration = this.#registrations[step.registration % this.#registrations.length]
        if (registration === undefined) return nothing
        for (const entry of registration.entries) this.#end(entry)
        return done
      }
      case "Close": {
        const scope = at(this.#scopes, step.scope)
        if (scope.parent === undefined) return nothing
        scope.closed = true
        await scope.peer.dispose()
        return done
      }
      case "Rebind":
        return this.#rebind(at(this.#scopes, step.scope), at(this.#scopes, step.parent))
      case "Assemble": {
        const { look, result } = await this.#assemble(at(this.#scopes, step.scope))
        return isFailure(result) ? failed(result) : assembled(result, look)
      }
      case "Render": {
        const { look, result } = await this.#assemble(at(this.#scopes, step.scope))
        return isFailure(result) ? failed(result) : rendered(result, look, this.#note)
      }
    }
  }

  async #open(label: string, parent: Scope): Promise<Seen> {
    const scope = { label, peer: openScope(this.#peer, parent.peer), parent, closed: false }
    if (!parent.closed) {
      this.#scopes.push(scope)
      return done
    }
    await scope.peer.dispose()
    this.#note("closed parents")
    return failed({ tag: "ScopeClosed", scope: parent.label })
  }

  #rebind(scope: Scope, parent: Scope): Seen {
    if (scope.parent === undefined) return nothing
    let failure: Failure | undefined
    try {
      scope.peer.rebind(parent.peer)
    } catch (error) {
      failure = failureOf(error)
    }
    const closed = [scope, parent].find((one) => one.closed)
    if (closed !== undefined) {
      scope.peer.rebind(scope.parent.peer)
      this.#note("closed parents")
      return failed({ tag: "ScopeClosed", scope: closed.label })
    }
    if (failure !== undefined) return failed(failure)
    scope.parent = parent
    return done
  }

  #register(contribution: Contribution, scope: Scope): Seen {
    const entries = itemsOf(contribution).map((item): Entry => {
      const { name = "", plugin = undefined } = item._tag === "Suppressor" ? {} : item.options
      const host = item._tag === "Listener" && item.options.global === true ? this.#scopes[0] : scope
      return { item, kind: kinds[item._tag], name, plugin, host, scope, ended: false, dispose: () => {} }
    })
    this.#registrations.push({ entries })
    const flawed = entries.find(({ item }) => flawOf(item) !== undefined)
    const failure = this.#add(entries)
    if (flawed !== undefined && failure?.tag !== "InvalidRegistration") {
      const flaw = flawOf(flawed.item)
      if (flaw !== undefined) this.#note(flaw)
      for (const entry of entries) this.#end(entry)
      return failed(blame("InvalidRegistration", flawed, scope))
    }
    if (failure !== undefined) return failed(failure)
    const twin = entries.find((entry) => this.#isTaken(entry))
    if (twin !== undefined) {
      this.#note("names of listeners")
      this.#end(twin)
      return failed(blame("DuplicateRegistration", twin))
    }
    this.#listeners = [...this.#listeners, ...entries.filter(({ kind }) => kind === "listener")]
    return done
  }

  /** All of them, or nothing. */
  #add(entries: ReadonlyArray<Entry>): Failure | undefined {
    try {
      for (const entry of entries) entry.dispose = register(entry)
      return undefined
    } catch (error) {
      for (const entry of entries) this.#end(entry)
      return failureOf(error)
    }
  }

  #end(entry: Entry): void {
    entry.ended = true
    entry.dispose()
  }

  #isTaken({ kind, host, name }: Entry): boolean {
    return kind === "listener" && this.#living.some((one) => one.host === host && one.name === name)
  }

  get #living(): ReadonlyArray<Entry> {
    return this.#listeners.filter((one) => !one.ended && !one.scope.closed)
  }

  #assemble(scope: Scope): Promise<Outcome> {
    this.#arrange()
    return assemble({ scope, toolOrder: this.#toolOrder, literals: this.#literals, note: this.#note })
  }

  /** Registers the listeners anew in the order in which ours run, if it is not theirs. */
  #arrange(): void {
    const living = this.#living
    const sorted = living.toSorted(
      by(
        ({ item }) => (item._tag === "Listener" ? (item.options.order ?? 0) : 0),
        ({ name }) => name,
        ({ host }) => depthOf(host.peer)
      )
    )
    this.#listeners = sorted
    if (same(living, sorted)) return
    this.#note("listener order")
    for (const entry of sorted) {
      entry.dispose()
      entry.dispose = register(entry)
    }
  }
}

/** What each step is to be seen to do, and the deviations that took part; a single failure if there is no service. */
export const run = async ({ toolOrder, steps }: Program) => {
  const notes = new Set<Name>()
  let peer: Peer
  try {
    peer = await boot(toolOrder)
  } catch (error) {
    return { seen: [failed(failureOf(error))], notes }
  }
  const machine = new Machine(peer, toolOrder, (name) => notes.add(name))
  const seen: Array<Seen> = []
  for (const step of steps) seen.push(await machine.step(step))
  await peer.dispose()
  return { seen, notes }
}
