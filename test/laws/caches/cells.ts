/** What the providers and listeners of a program read: cells, and plain tools that are mutated in place. */
import { Context } from "effect"
import { Template, type ToolProvider, ToolSchema } from "../../../src/index.ts"
import type * as Edit from "../../../src/testing/Edit.ts"
import { untyped } from "../../support/untyped.ts"
import type { TextValue, ToolsValue } from "./program.ts"

/** What the annotations of an assembly say. */
export const Voice: Context.Reference<string> = Context.Reference<string>("test/Voice", { defaultValue: () => "" })

const names = ["a", "b", "b", "c"]

const made = names.map((name, i) =>
  ToolSchema.make({ name, description: `made ${i}`, parameters: { type: "object", properties: {} } })
)

const templates = new Map(["a", "b"].map((name) => [name, Template.ref(untyped(name))]))

interface Plain {
  readonly name: string
  description: string
  readonly parameters: { readonly type: "object"; note: string }
}

const memo = <V>(make: (key: string) => V): ((key: string) => V) => {
  const all = new Map<string, V>()
  return (key) => {
    const value = all.get(key) ?? make(key)
    all.set(key, value)
    return value
  }
}

const numbers = (key: string): ReadonlyArray<number> => JSON.parse(key)

export class Cells {
  readonly texts: Array<TextValue> = ["", "", ""]
  readonly values: Array<string | undefined | 7> = ["", "", ""]
  readonly tools: Array<ToolsValue> = Array.from({ length: 3 }, () => ({ tools: [], how: "same", known: [] }))
  readonly edits: Array<ReadonlyArray<Edit.Step>> = [[], [], []]
  readonly own: ReadonlyArray<Plain> = names.map((name, i) => ({
    name,
    description: `own ${i}`,
    parameters: { type: "object", note: "" }
  }))

  readonly #same = memo((key) => Object.freeze(numbers(key).map((i) => made[i]!)))
  readonly #own = memo((key) => numbers(key).map((i) => this.own[i]!))
  readonly #explicit = memo((key): ToolProvider.Tools => {
    const { known, tools }: ToolsValue = JSON.parse(key)
    return { schemas: this.#same(JSON.stringify(tools)), knownNames: known }
  })

  text(cell: number, voice: string): Template.Text {
    const value = this.texts[cell]!
    if (typeof value === "string") return value.replaceAll("%", voice)
    if (typeof value === "number") return untyped(value)
    return value.fresh ? Template.ref(untyped(value.ref)) : templates.get(value.ref)!
  }

  value(cell: number, voice: string): string | undefined {
    const value = this.values[cell]
    return typeof value === "string" ? value.replaceAll("%", voice) : untyped(value)
  }

  editsOf(cell: number, voice: string): ReadonlyArray<Edit.Step> {
    return this.edits[cell]!.map((step) =>
      step._tag === "SetVariable" ? { ...step, value: step.value?.replaceAll("%", voice) } : step
    )
  }

  toolsOf(cell: number, voice: string): ToolProvider.Tools {
    const value = this.tools[cell]!
    const { how, known, tools } = value
    const key = JSON.stringify(tools)
    switch (how) {
      case "same":
        return this.#same(key)
      case "array":
        return tools.map((i) => made[i]!)
      case "plain":
        return tools.map((i) => ({ name: names[i]!, description: `plain ${voice}`, parameters: {} }))
      case "own":
        return this.#own(key)
      case "explicit":
        return this.#explicit(JSON.stringify({ tools, known }))
      case "new explicit":
        return { schemas: this.#same(key), knownNames: [...known] }
      case "wrong":
        return untyped([{ name: "a", description: 3 }])
    }
  }
}

/** A copy of plain tools as they are now, with nothing in it that a cache could know. */
export const copy = (tools: ToolProvider.Tools): ToolProvider.Tools => structuredClone(tools)
