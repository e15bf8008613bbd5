/** What occurred in a program, so that a test can see that it tried what it is for. */
import { Result } from "effect"
import type { Assembly } from "../../../src/Assembly.ts"
import type { PromptScope, Rendered } from "../../../src/index.ts"
import type { AssembleError, RenderError } from "../../../src/PromptError.ts"
import type { Step } from "./program.ts"

/** The steps after which something is compared. */
export type Look = Extract<Step, { _tag: "Assemble" | "Render" | "Again" | "Together" | "Crowd" }>

interface Shown {
  readonly assembly: Assembly | undefined
  readonly rendered: Rendered.Rendered
}

const values = ({ variables }: { readonly variables: Assembly["variables"] }): string =>
  JSON.stringify(variables.map(({ name, value }) => [name, value ?? null]))

export class Sights {
  readonly labels = new Set<string>()
  readonly #assemblies = new Map<PromptScope.PromptScope, Assembly>()
  readonly #shown = new Map<PromptScope.PromptScope, Shown>()
  /** Scopes rendered since a scope was. */
  readonly #since = new Map<PromptScope.PromptScope, Set<PromptScope.PromptScope>>()

  note(...labels: ReadonlyArray<string>): void {
    for (const label of labels) this.labels.add(label)
  }

  assembled(node: PromptScope.PromptScope, observed: Result.Result<Assembly, AssembleError>): void {
    if (Result.isFailure(observed)) return this.note("assembly failed", observed.failure._tag)
    const before = this.#assemblies.get(node)
    const assembly = observed.success
    if (before === assembly) this.note("the same assembly")
    if (before !== undefined && before !== assembly) {
      this.note("another assembly")
      if (before.tools !== assembly.tools) this.note("other tools")
      if (before.tools === assembly.tools && before.sections !== assembly.sections)
        this.note("tools kept, other sections")
    }
    if (assembly.sections.some(({ origin }) => origin.listener !== undefined)) this.note("edited section")
    if (assembly.variables.some(({ origin }) => origin.shadows.length > 0)) this.note("shadowed variable")
    this.#assemblies.set(node, assembly)
  }

  rendered(
    node: PromptScope.PromptScope,
    observed: Result.Result<Rendered.Rendered, AssembleError | RenderError>
  ): void {
    if (Result.isFailure(observed)) return this.note("rendering failed", observed.failure._tag)
    const rendered = observed.success
    const assembly = this.#assemblies.get(node)
    const before = this.#shown.get(node)
    if (before !== undefined) this.#compare(before, { assembly, rendered })
    if (rendered.sections.some(({ text }) => text.trim() === "")) this.note("white space")
    if ((this.#since.get(node)?.size ?? 0) > 64) this.note("rendered again after 64 others")
    this.#since.set(node, new Set())
    for (const since of this.#since.values()) since.add(node)
    this.#shown.set(node, { assembly, rendered })
  }

  #compare(before: Shown, now: Shown): void {
    const [one, other] = [before.rendered, now.rendered]
    if (one === other) {
      this.note("the same rendering")
      if (before.assembly !== now.assembly) this.note("the same rendering of another assembly")
      const [was, is] = [before.assembly, now.assembly]
      if (was !== undefined && is !== undefined && values(was) !== values(is))
        this.note("only an unused variable changed")
      return
    }
    this.note("another rendering")
    if (values(one) !== values(other)) this.note("a used variable changed")
    const kept = other.sections.filter((part) => one.sections.some(({ source }) => source === part.source))
    if (kept.some((part) => !one.sections.includes(part))) this.note("a section was rendered again or moved")
    if (kept.some((part) => one.sections.includes(part))) this.note("a section was kept")
    const names = (shown: Shown) => new Set(shown.rendered.sections.map(({ name }) => name))
    const [was, is] = [names(before), names(now)]
    const stays = (shown: Shown, name: string) =>
      shown.assembly?.sections.some((section) => section.name === name) === true
    for (const name of [...was, ...is]) {
      if (was.has(name) !== is.has(name) && stays(before, name) && stays(now, name))
        this.note("a section became empty or full")
    }
    if (one.text === other.text && one.snapshot !== other.snapshot) this.note("only the snapshot changed")
  }
}
