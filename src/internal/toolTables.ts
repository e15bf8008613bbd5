/**
 * What each prompt scope has registered in the registry of tools: its tools by name, its restrictions and its guards.
 * Registering costs O(1); views are made when somebody asks for them.
 */
import * as Result from "effect/Result"
import type { Guard } from "../Guard.ts"
import { DuplicateRegistration, type Owner, ownerFields, ScopeClosed } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { RegisteredTool } from "../RegisteredTool.ts"
import type { Restriction } from "../Restriction.ts"
import type { ToolView } from "../ToolView.ts"
import { byCodeUnits } from "./codeUnits.ts"
import { type Merged, merge, nothing, view } from "./mergeTools.ts"
import { Recent } from "./recent.ts"
import { chain } from "./scope.ts"
import { seenAs } from "./standIn.ts"
import type { Check } from "./toolHandler.ts"
import * as values from "./values.ts"

type Named = RegisteredTool | Guard<Check>

/** One registration. */
export type Entry = Named | Restriction

/** A view, with what the provider of the registry gives for it. */
export interface Viewed {
  readonly view: ToolView
  readonly tools: values.Tools
}

class Table {
  readonly tools = new Map<string, RegisteredTool>()
  readonly restrictions = new Set<Restriction>()
  readonly guards = new Map<string, Guard<Check>>()

  get isEmpty(): boolean {
    return this.tools.size === 0 && this.restrictions.size === 0 && this.guards.size === 0
  }

  /** Puts a tool or a guard in, unless there is one of its name: then it gives that. */
  insert(entry: Named): Named | undefined {
    return entry.kind === "tool" ? put(this.tools, entry) : put(this.guards, entry)
  }

  /** Removes exactly this entry: not a later one of the same name. */
  remove(entry: Entry): boolean {
    switch (entry.kind) {
      case "tool":
        return this.tools.get(entry.name) === entry && this.tools.delete(entry.name)
      case "guard":
        return this.guards.get(entry.name) === entry && this.guards.delete(entry.name)
      case "restriction":
        return this.restrictions.delete(entry)
    }
  }
}

const put = <E extends { readonly name: string }>(entries: Map<string, E>, entry: E): E | undefined => {
  const existing = entries.get(entry.name)
  if (existing === undefined) entries.set(entry.name, entry)
  return existing
}

/** What was made for a scope since its own table changed last. It holds as long as what is above it is the same. */
interface Cached {
  readonly onto: Merged
  readonly merged: Merged
  /** Of the scope itself, and of those below it that register nothing. */
  own: Viewed | undefined
  below: Viewed | undefined
}

/** For how many scopes views are kept, at the least. */
const kept = 256

export class ToolTables {
  readonly #tables = new Map<PromptScope, Table>()
  readonly #cached = new Recent<PromptScope, Cached>(kept)
  readonly #live = new WeakSet<RegisteredTool>()

  insert(scope: PromptScope, entry: Named): Result.Result<void, DuplicateRegistration | ScopeClosed> {
    if (scope.closed) return Result.fail(new ScopeClosed(ownerOf(scope, entry)))
    const table = this.#table(scope)
    const existing = table.insert(entry)
    if (existing !== undefined) {
      const existingPlugin = existing.plugin === undefined ? undefined : { existingPlugin: existing.plugin }
      return Result.fail(new DuplicateRegistration({ ...ownerOf(scope, entry), ...existingPlugin }))
    }
    if (entry.kind === "tool") this.#live.add(entry)
    this.#changed(scope, entry)
    return Result.void
  }

  restrict(scope: PromptScope, restriction: Restriction): Result.Result<void, ScopeClosed> {
    if (scope.closed) return Result.fail(new ScopeClosed(ownerOf(scope, restriction)))
    this.#table(scope).restrictions.add(restriction)
    this.#changed(scope, restriction)
    return Result.void
  }

  /** What was made of the table goes at once: it would keep alive what has ended. Views know nothing of guards. */
  #changed(scope: PromptScope, { kind }: Entry): void {
    if (kind !== "guard") this.#cached.delete(scope)
  }

  #table(scope: PromptScope): Table {
    let table = this.#tables.get(scope)
    if (table === undefined) this.#tables.set(scope, (table = new Table()))
    return table
  }

  /** Says whether it was there: it may have gone with its scope. */
  remove(scope: PromptScope, entry: Entry): boolean {
    const table = this.#tables.get(scope)
    if (table === undefined || !table.remove(entry)) return false
    if (entry.kind === "tool") this.#live.delete(entry)
    this.#changed(scope, entry)
    if (table.isEmpty) this.#tables.delete(scope)
    return true
  }

  /** The scope is closed: all that was registered in it goes. */
  close(scope: PromptScope): void {
    for (const tool of this.#tables.get(scope)?.tools.values() ?? []) this.#live.delete(tool)
    this.#tables.delete(scope)
    this.#cached.delete(scope)
  }

  /** Whether the tool was registered here, and its registration has not ended. */
  isLive(tool: RegisteredTool): boolean {
    return this.#live.has(tool)
  }

  /** All that the scope inherits, admitted or not. Views are not made for it: they hold the restrictions of the whole chain. */
  inherited(scope: PromptScope): ReadonlySet<string> {
    const names = new Set<string>()
    for (let at = scope.parent; at !== undefined; at = at.parent) {
      for (const name of this.#tables.get(at)?.tools.keys() ?? []) names.add(name)
    }
    return names
  }

  /** Guards of the whole chain in the order in which they are asked, each with its scope. */
  guards(scope: PromptScope): ReadonlyArray<readonly [PromptScope, Guard<Check>]> {
    return chain(scope).flatMap((one) =>
      [...(this.#tables.get(one)?.guards.values() ?? [])]
        .sort((a, b) => byCodeUnits(a.name, b.name))
        .map((guard) => [one, guard] as const)
    )
  }

  /** What the scope is shown now, in O(chain) where nothing has changed. */
  view(given: PromptScope): Viewed {
    const scope = seenAs(given)
    let onto = nothing
    let nearest: Cached | undefined
    let isOwn = false
    for (const one of chain(scope)) {
      const table = this.#tables.get(one)
      isOwn = table !== undefined
      if (table === undefined) continue
      nearest = this.#mergeOnto(onto, one, table)
      onto = nearest.merged
    }
    if (nearest === undefined) return empty
    return isOwn
      ? (nearest.own ??= viewed(nearest.merged, [...this.#tables.get(scope)!.tools.values()]))
      : (nearest.below ??= viewed(nearest.merged, []))
  }

  #mergeOnto(onto: Merged, scope: PromptScope, table: Table): Cached {
    const cached = this.#cached.get(scope)
    if (cached !== undefined && cached.onto === onto) return cached
    const overlay = { scope: scope.label, tools: [...table.tools.values()], restrictions: [...table.restrictions] }
    const made: Cached = { onto, merged: merge(onto, overlay), own: undefined, below: undefined }
    this.#cached.set(scope, made)
    return made
  }
}

const viewed = (merged: Merged, own: ReadonlyArray<RegisteredTool>): Viewed => {
  const made = view(merged, own)
  const tools = values.ofRegistry({
    schemas: Object.freeze(made.tools.map((tool) => tool.schema)),
    knownNames: Object.freeze([...merged.tools.keys()]),
    assembled: made.tools,
    hidden: made.hidden
  })
  return { view: made, tools }
}

const empty = viewed(nothing, [])

const ownerOf = (scope: PromptScope, entry: Entry): Owner =>
  ownerFields({ kind: entry.kind, entry: "name" in entry ? entry.name : "", scope: scope.label, plugin: entry.plugin })
