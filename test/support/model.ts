/**
 * The rules of registry and scopes once more, as slow and plain as they can be said: one list of entries, and every
 * question answered by going through all of it. An oracle for tests in which many fibres change the registry at once.
 */

export interface ModelScope {
  readonly label: string
  parent: ModelScope | undefined
  closed: boolean
}

export interface ModelEntry {
  readonly kind: "section" | "context" | "variable" | "tools" | "listener" | "suppressor"
  readonly name: string
  readonly order: number
  /** Unique among all entries ever made: it tells an old entry from a new one of the same name. */
  readonly value: string
  readonly complete: boolean
  /** A listener for every assembly. */
  readonly global: boolean
}

/** What an assembly shows, or that it is refused. */
export type Expected =
  | {
      readonly sections: ReadonlyArray<string>
      readonly contexts: ReadonlyArray<string>
      readonly tools: ReadonlyArray<string>
      readonly variables: ReadonlyArray<string>
      /** What the listeners wrote, outermost first. */
      readonly listeners: ReadonlyArray<string>
    }
  | { readonly refused: ReadonlyArray<string> }

const byNumber = (a: number, b: number) => (a < b ? -1 : a > b ? 1 : 0)
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byOrderThenName = (a: ModelEntry, b: ModelEntry) => byNumber(a.order, b.order) || byText(a.name, b.name)

export class Model {
  readonly global: ModelScope = { label: "global", parent: undefined, closed: false }
  /** Grows with each change. */
  version = 0
  /** An entry, where it lives, and the scope that it was registered in, with which it ends. */
  #entries: Array<{ readonly entry: ModelEntry; readonly host: ModelScope; readonly scope: ModelScope }> = []

  get size(): number {
    return this.#entries.length
  }

  /** Registers, or says why not. */
  add(scope: ModelScope, entry: ModelEntry): "ScopeClosed" | "DuplicateRegistration" | undefined {
    if (scope.closed) return "ScopeClosed"
    const host = entry.global ? this.global : scope
    const unique = entry.kind !== "tools" && entry.kind !== "suppressor"
    const taken = this.#entries.some(
      (one) => one.host === host && one.entry.kind === entry.kind && one.entry.name === entry.name
    )
    if (unique && taken) return "DuplicateRegistration"
    this.#entries.push({ entry, host, scope })
    this.version++
    return undefined
  }

  remove(entry: ModelEntry): void {
    this.#keep((one) => one.entry !== entry)
  }

  move(scope: ModelScope, parent: ModelScope): "ScopeClosed" | "ScopeCycle" | undefined {
    if (scope.closed || parent.closed) return "ScopeClosed"
    if (this.chain(parent).includes(scope)) return "ScopeCycle"
    scope.parent = parent
    this.version++
    return undefined
  }

  close(scope: ModelScope): void {
    scope.closed = true
    this.version++
    this.#keep((one) => one.scope !== scope)
  }

  #keep(stays: (one: { readonly entry: ModelEntry; readonly scope: ModelScope }) => boolean): void {
    const kept = this.#entries.filter(stays)
    if (kept.length < this.#entries.length) this.version++
    this.#entries = kept
  }

  /** Farthest first. */
  chain(scope: ModelScope): ReadonlyArray<ModelScope> {
    return scope.parent === undefined ? [scope] : [...this.chain(scope.parent), scope]
  }

  /** What an assembly for the scope shows at this moment. */
  expected(scope: ModelScope): Expected {
    const visible = this.chain(scope).map((host) =>
      this.#entries.filter((one) => one.host === host).map(({ entry }) => entry)
    )
    const all = (kind: ModelEntry["kind"]) => visible.flat().filter((entry) => entry.kind === kind)
    const nearest = (kind: ModelEntry["kind"]) => [...new Map(all(kind).map((entry) => [entry.name, entry])).values()]
    const shown = (entries: ReadonlyArray<ModelEntry>) => entries.map(({ name, value }) => `${name}=${value}`)

    const sections = nearest("section").toSorted(byOrderThenName)
    const complete = sections.filter((entry) => entry.complete)
    if (complete.length > 1) return { refused: complete.map(({ name }) => name) }
    return {
      sections: shown(complete.length === 1 ? complete : sections),
      contexts: all("suppressor").length > 0 ? [] : shown(nearest("context").toSorted(byOrderThenName)),
      tools: all("tools")
        .map(({ value }) => value)
        .toSorted(byText),
      variables: shown(nearest("variable").toSorted((a, b) => byText(a.name, b.name))),
      // `toSorted` is stable, and `all` begins with the farthest.
      listeners: shown(all("listener").toSorted(byOrderThenName))
    }
  }
}
