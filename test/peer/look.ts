/**
 * One assembly of the peer, looked at from inside. The peer passes it along in the context of the assembly to all that
 * it calls, so it shows which entries were called; the last one of a name is the one that won.
 */
import type { AssembleContext } from "@deepseek-ai/dsh-system-prompt"
import type { Contribution } from "../../src/testing/Program.ts"
import type { PeerScope } from "./boot.ts"
import type { Name } from "./deviations.ts"
import { Thrown } from "./failures.ts"
import type { Literals } from "./texts.ts"

declare module "@deepseek-ai/dsh-system-prompt" {
  interface AssembleContext {
    look?: Look
  }
}

export interface Scope {
  readonly label: string
  readonly peer: PeerScope
  parent: Scope | undefined
  closed: boolean
}

/** What is registered as one entry; a persona is several. */
export type Item = Exclude<Contribution, { readonly _tag: "Persona" }>

/** An entry is seen by `host` and all below it, and ends with `scope`. */
export interface Entry<A extends Item = Item> {
  readonly item: A
  readonly kind: string
  readonly name: string
  readonly plugin: string | undefined
  readonly host: Scope
  readonly scope: Scope
  /** Ends it. */
  dispose: () => void
  ended: boolean
}

/** What rc.8 does not keep of a section or a context. */
export interface Facts {
  readonly order: number
  readonly interpolate: boolean
  readonly requires: ReadonlyArray<string>
  /** Nobody for what a listener adds. */
  readonly owner?: Entry | undefined
}

/** What is mended, so that an assembly that fails shows what would come next. */
export interface Repairs {
  /** Entries that give something harmless instead of failing. */
  readonly muted: ReadonlySet<Entry>
  /** Tool providers also know the tools that they show. */
  readonly visibleIsKnown: boolean
}

export class Look {
  readonly literals: Literals
  readonly toolOrder: ReadonlyArray<string> | undefined
  readonly #repairs: Repairs
  readonly #called = new Map<string, Entry>()
  /** All that the peer called, in that order. */
  readonly calls: Array<Entry> = []
  /** Tools in the order in which they were collected. */
  readonly given: Array<{ readonly entry: Entry; readonly name: string; readonly deferLoading: boolean }> = []
  readonly facts = new WeakMap<object, Facts>()
  /** The deviations that took part. */
  readonly notes = new Set<Name>()
  /** The first listener that left behind what is no assembly. */
  malformed: Entry | undefined

  constructor(literals: Literals, toolOrder: ReadonlyArray<string> | undefined, repairs: Repairs) {
    this.literals = literals
    this.toolOrder = toolOrder
    this.#repairs = repairs
  }

  get visibleIsKnown(): boolean {
    return this.#repairs.visibleIsKnown
  }

  /** What a provider gives. `tag` says what is wrong with it, if something is. */
  give<A>(entry: Entry, tag: string | undefined, value: () => A, harmless: A): A {
    this.calls.push(entry)
    this.#called.set(`${entry.kind} ${entry.name}`, entry)
    if (this.#repairs.muted.has(entry)) return harmless
    if (tag !== undefined) throw new Thrown(tag, entry)
    return value()
  }

  /** The entry of that name that the peer chose. */
  winner(kind: string, name: string): Entry | undefined {
    return this.#called.get(`${kind} ${name}`)
  }

  /** Facts of what is as the peer made it: of the winner of its name. */
  factsOf(kind: "section" | "context", part: { readonly name: string }): Facts {
    const known = this.facts.get(part)
    if (known !== undefined) return known
    const owner = this.winner(kind, part.name)
    // The built-in personas are registered by hand, and empty.
    if (owner === undefined)
      return { order: part.name.endsWith("-suffix") ? 10200 : 0, interpolate: true, requires: [] }
    if (owner.item._tag !== "Section" && owner.item._tag !== "Context") throw new Error(`${owner.kind} is no text`)
    const { order, interpolate = true } = owner.item.options
    const requires = owner.item._tag === "Section" ? (owner.item.options.requires ?? []) : []
    return { order, interpolate, requires, owner }
  }
}

export const lookOf = ({ look }: AssembleContext): Look => {
  if (look === undefined) throw new Error("an assembly that nobody looks at")
  return look
}
