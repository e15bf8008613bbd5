/**
 * The contributions of one scope while they come and go. Registering and removing
 * cost O(1); the immutable overlay is made when somebody asks for it.
 */
import * as Result from "effect/Result"
import type * as Listener from "../Listener.ts"
import type { Entry, Overlay, Slots, Suppressor } from "../Overlay.ts"
import type * as PromptContext from "../PromptContext.ts"
import { DuplicateRegistration, ownerFields } from "../PromptError.ts"
import type * as Section from "../Section.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as Variable from "../Variable.ts"

interface Named {
  readonly kind: "section" | "context" | "variable" | "listener"
  readonly name: string
  readonly plugin: string | undefined
}

export class OverlayTable<K extends Slots> {
  readonly scope: string
  // Made when the first one comes: most scopes hold few kinds, and there may be many scopes.
  #sections: Map<string, Section.Section<K["text"]>> | undefined
  #contexts: Map<string, PromptContext.PromptContext<K["text"]>> | undefined
  #variables: Map<string, Variable.Variable<K["value"]>> | undefined
  #listeners: Map<string, Listener.Listener<K["listener"]>> | undefined
  #tools: Set<ToolProvider.ToolProvider<K["tools"]>> | undefined
  #suppressors: Set<Suppressor> | undefined
  #overlay: Overlay<K> | undefined

  constructor(scope: string) {
    this.scope = scope
  }

  get size(): number {
    return (
      (this.#sections?.size ?? 0) +
      (this.#contexts?.size ?? 0) +
      (this.#variables?.size ?? 0) +
      (this.#listeners?.size ?? 0) +
      (this.#tools?.size ?? 0) +
      (this.#suppressors?.size ?? 0)
    )
  }

  /** Who suppresses contexts here; an overlay only counts them. */
  get suppressors(): ReadonlyArray<Suppressor> {
    return all(this.#suppressors)
  }

  insert(entry: Entry<K>): Result.Result<void, DuplicateRegistration> {
    const inserted = this.#insert(entry)
    if (Result.isSuccess(inserted)) this.#overlay = undefined
    return inserted
  }

  #insert(entry: Entry<K>): Result.Result<void, DuplicateRegistration> {
    switch (entry.kind) {
      case "section":
        return this.#name((this.#sections ??= new Map()), entry)
      case "context":
        return this.#name((this.#contexts ??= new Map()), entry)
      case "variable":
        return this.#name((this.#variables ??= new Map()), entry)
      case "listener":
        return this.#name((this.#listeners ??= new Map()), entry)
      case "tools":
        ;(this.#tools ??= new Set()).add(entry)
        return Result.succeed(undefined)
      case "suppressor":
        ;(this.#suppressors ??= new Set()).add(entry)
        return Result.succeed(undefined)
    }
  }

  #name<E extends Named>(table: Map<string, E>, entry: E): Result.Result<void, DuplicateRegistration> {
    const existing = table.get(entry.name)
    if (existing === undefined) {
      table.set(entry.name, entry)
      return Result.succeed(undefined)
    }
    return Result.fail(
      new DuplicateRegistration({
        ...ownerFields({ kind: entry.kind, entry: entry.name, scope: this.scope, plugin: entry.plugin }),
        ...(existing.plugin === undefined ? undefined : { existingPlugin: existing.plugin })
      })
    )
  }

  /** Removes exactly this entry: not a later one of the same name. Says whether it was there. */
  remove(entry: Entry<K>): boolean {
    const removed = this.#remove(entry)
    if (removed) this.#overlay = undefined
    return removed
  }

  #remove(entry: Entry<K>): boolean {
    switch (entry.kind) {
      case "section":
        return removeNamed(this.#sections, entry)
      case "context":
        return removeNamed(this.#contexts, entry)
      case "variable":
        return removeNamed(this.#variables, entry)
      case "listener":
        return removeNamed(this.#listeners, entry)
      case "tools":
        return this.#tools?.delete(entry) ?? false
      case "suppressor":
        return this.#suppressors?.delete(entry) ?? false
    }
  }

  snapshot(): Overlay<K> {
    return (this.#overlay ??= Object.freeze({
      scope: this.scope,
      sections: all(this.#sections),
      contexts: all(this.#contexts),
      variables: all(this.#variables),
      tools: all(this.#tools),
      listeners: all(this.#listeners),
      suppressors: this.#suppressors?.size ?? 0
    }))
  }
}

const none: ReadonlyArray<never> = Object.freeze([])

const all = <A>(held: Map<string, A> | Set<A> | undefined): ReadonlyArray<A> =>
  held === undefined || held.size === 0 ? none : Object.freeze([...held.values()])

const removeNamed = <E extends Named>(table: Map<string, E> | undefined, entry: E): boolean =>
  table?.get(entry.name) === entry && table.delete(entry.name)
