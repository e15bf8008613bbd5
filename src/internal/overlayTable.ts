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
  readonly #sections = new Map<string, Section.Section<K["text"]>>()
  readonly #contexts = new Map<string, PromptContext.PromptContext<K["text"]>>()
  readonly #variables = new Map<string, Variable.Variable<K["value"]>>()
  readonly #listeners = new Map<string, Listener.Listener<K["listener"]>>()
  readonly #tools = new Set<ToolProvider.ToolProvider<K["tools"]>>()
  readonly #suppressors = new Set<Suppressor>()
  #overlay: Overlay<K> | undefined

  constructor(scope: string) {
    this.scope = scope
  }

  get size(): number {
    return (
      this.#sections.size +
      this.#contexts.size +
      this.#variables.size +
      this.#listeners.size +
      this.#tools.size +
      this.#suppressors.size
    )
  }

  /** Who suppresses contexts here; an overlay only counts them. */
  get suppressors(): ReadonlyArray<Suppressor> {
    return [...this.#suppressors]
  }

  insert(entry: Entry<K>): Result.Result<void, DuplicateRegistration> {
    const inserted = this.#insert(entry)
    if (Result.isSuccess(inserted)) this.#overlay = undefined
    return inserted
  }

  #insert(entry: Entry<K>): Result.Result<void, DuplicateRegistration> {
    switch (entry.kind) {
      case "section":
        return this.#name(this.#sections, entry)
      case "context":
        return this.#name(this.#contexts, entry)
      case "variable":
        return this.#name(this.#variables, entry)
      case "listener":
        return this.#name(this.#listeners, entry)
      case "tools":
        this.#tools.add(entry)
        return Result.succeed(undefined)
      case "suppressor":
        this.#suppressors.add(entry)
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
        return this.#sections.get(entry.name) === entry && this.#sections.delete(entry.name)
      case "context":
        return this.#contexts.get(entry.name) === entry && this.#contexts.delete(entry.name)
      case "variable":
        return this.#variables.get(entry.name) === entry && this.#variables.delete(entry.name)
      case "listener":
        return this.#listeners.get(entry.name) === entry && this.#listeners.delete(entry.name)
      case "tools":
        return this.#tools.delete(entry)
      case "suppressor":
        return this.#suppressors.delete(entry)
    }
  }

  snapshot(): Overlay<K> {
    return (this.#overlay ??= Object.freeze({
      scope: this.scope,
      sections: Object.freeze([...this.#sections.values()]),
      contexts: Object.freeze([...this.#contexts.values()]),
      variables: Object.freeze([...this.#variables.values()]),
      tools: Object.freeze([...this.#tools]),
      listeners: Object.freeze([...this.#listeners.values()]),
      suppressors: this.#suppressors.size
    }))
  }
}
