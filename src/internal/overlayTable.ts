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
import * as held from "./held.ts"
import type { Held } from "./held.ts"

export class OverlayTable<K extends Slots> {
  readonly scope: string
  #sections: Held<Section.Section<K["text"]>>
  #contexts: Held<PromptContext.PromptContext<K["text"]>>
  #variables: Held<Variable.Variable<K["value"]>>
  #listeners: Held<Listener.Listener<K["listener"]>>
  #tools: Held<ToolProvider.ToolProvider<K["tools"]>>
  #suppressors: Held<Suppressor>
  #overlay: Overlay<K> | undefined

  constructor(scope: string) {
    this.scope = scope
  }

  get size(): number {
    return (
      held.size(this.#sections) +
      held.size(this.#contexts) +
      held.size(this.#variables) +
      held.size(this.#listeners) +
      held.size(this.#tools) +
      held.size(this.#suppressors)
    )
  }

  /** Who suppresses contexts here; an overlay only counts them. */
  get suppressors(): ReadonlyArray<Suppressor> {
    return held.all(this.#suppressors)
  }

  insert(entry: Entry<K>): Result.Result<void, DuplicateRegistration> {
    const existing = this.#find(entry)
    if (existing !== undefined) return Result.fail(duplicate(this.scope, entry, existing))
    this.#overlay = undefined
    switch (entry.kind) {
      case "section":
        this.#sections = held.add(this.#sections, entry)
        break
      case "context":
        this.#contexts = held.add(this.#contexts, entry)
        break
      case "variable":
        this.#variables = held.add(this.#variables, entry)
        break
      case "listener":
        this.#listeners = held.add(this.#listeners, entry)
        break
      case "tools":
        this.#tools = held.add(this.#tools, entry)
        break
      case "suppressor":
        this.#suppressors = held.add(this.#suppressors, entry)
        break
    }
    return Result.void
  }

  #find(entry: Entry<K>): Entry<K> | undefined {
    switch (entry.kind) {
      case "section":
        return held.find(this.#sections, entry)
      case "context":
        return held.find(this.#contexts, entry)
      case "variable":
        return held.find(this.#variables, entry)
      case "listener":
        return held.find(this.#listeners, entry)
      case "tools":
        return held.find(this.#tools, entry)
      case "suppressor":
        return held.find(this.#suppressors, entry)
    }
  }

  /** Removes exactly this entry: not a later one of the same name. Says whether it was there. */
  remove(entry: Entry<K>): boolean {
    if (this.#find(entry) !== entry) return false
    this.#overlay = undefined
    switch (entry.kind) {
      case "section":
        this.#sections = held.remove(this.#sections, entry)
        break
      case "context":
        this.#contexts = held.remove(this.#contexts, entry)
        break
      case "variable":
        this.#variables = held.remove(this.#variables, entry)
        break
      case "listener":
        this.#listeners = held.remove(this.#listeners, entry)
        break
      case "tools":
        this.#tools = held.remove(this.#tools, entry)
        break
      case "suppressor":
        this.#suppressors = held.remove(this.#suppressors, entry)
        break
    }
    return true
  }

  snapshot(): Overlay<K> {
    return (this.#overlay ??= Object.freeze({
      scope: this.scope,
      sections: held.all(this.#sections),
      contexts: held.all(this.#contexts),
      variables: held.all(this.#variables),
      tools: held.all(this.#tools),
      listeners: held.all(this.#listeners),
      suppressors: held.size(this.#suppressors)
    }))
  }
}

const duplicate = <K extends Slots>(scope: string, entry: Entry<K>, existing: Entry<K>): DuplicateRegistration =>
  new DuplicateRegistration({
    ...ownerFields({ kind: entry.kind, entry: "name" in entry ? (entry.name ?? "") : "", scope, plugin: entry.plugin }),
    ...(existing.plugin === undefined ? undefined : { existingPlugin: existing.plugin })
  })
