/**
 * Programs that try to make a cache give something stale: what happens, step by step, as plain data.
 *
 * Providers and listeners read cells, which steps change. Scopes and registrations have numbers of their own, so that
 * any of the steps can be left out without changing what the others mean; the global scope is 0.
 */
import type * as Edit from "../../../src/testing/Edit.ts"
import { show } from "../../../src/testing/internal/show.ts"

/** A text; a Template of one reference, the same one each time or a new one; or no text at all. */
export type TextValue = string | { readonly ref: string; readonly fresh: boolean } | 7

export interface ToolsValue {
  /** Numbers of the tools in their pool. */
  readonly tools: ReadonlyArray<number>
  /**
   * The same frozen array of made schemas, a new array of them, new plain objects, plain objects that are mutated in
   * place, explicit tools (the same, or new ones), or something that is no tool.
   */
  readonly how: "same" | "array" | "plain" | "own" | "explicit" | "new explicit" | "wrong"
  /** Names known of explicit tools. */
  readonly known: ReadonlyArray<string>
}

/** How a provider gives what its cell says: `nested` assembles for itself before. A constant is what the cell says at first. */
export type Way = "constant" | "function" | "effect" | "yields" | "nested"

export type Entry =
  | {
      readonly kind: "section"
      readonly name: string
      readonly order: number
      readonly cell: number
      readonly way: Way
      readonly interpolate?: boolean
      readonly complete?: boolean
      readonly requires?: ReadonlyArray<string>
    }
  | {
      readonly kind: "context"
      readonly name: string
      readonly order: number
      readonly cell: number
      readonly way: Way
    }
  | { readonly kind: "variable"; readonly name: string; readonly cell: number; readonly way: Way }
  | { readonly kind: "tools"; readonly name?: string; readonly cell: number; readonly way: Way }
  | {
      readonly kind: "listener"
      readonly name: string
      readonly order: number
      readonly global: boolean
      readonly cell: number
      /** `post` edits what comes back from the rest. */
      readonly how: "edit" | "effect" | "yields" | "around" | "post"
    }
  | { readonly kind: "suppressor" }

/** `voice` is what the annotations of the assembly say; a `%` in a text or value stands for it. */
export type Step =
  | { readonly _tag: "Open"; readonly id: number; readonly parent: number }
  | { readonly _tag: "Close"; readonly scope: number }
  | { readonly _tag: "Rebind"; readonly scope: number; readonly parent: number }
  | { readonly _tag: "Register"; readonly id: number; readonly scope: number; readonly entry: Entry }
  | { readonly _tag: "End"; readonly registration: number }
  | { readonly _tag: "Text"; readonly cell: number; readonly value: TextValue }
  | { readonly _tag: "Value"; readonly cell: number; readonly value: string | undefined | 7 }
  | { readonly _tag: "Tools"; readonly cell: number; readonly value: ToolsValue }
  | { readonly _tag: "Edits"; readonly cell: number; readonly value: ReadonlyArray<Edit.Step> }
  /** Changes a plain object that some provider gives again and again, at the top or inside of its parameters. */
  | { readonly _tag: "Mutate"; readonly tool: number; readonly to: string; readonly deep: boolean }
  | { readonly _tag: "Assemble"; readonly scope: number; readonly voice: string }
  | { readonly _tag: "Render"; readonly scope: number; readonly voice: string }
  /** Renders an assembly made before, the last but so many, for another ambient scope; or a copy of it. */
  | { readonly _tag: "Again"; readonly back: number; readonly scope: number; readonly copy: boolean }
  /** Two assemblies of one plan at once, of two voices. */
  | { readonly _tag: "Together"; readonly scope: number }
  /** Opens and renders so many further scopes. */
  | { readonly _tag: "Crowd"; readonly scope: number; readonly count: number }

export interface Program {
  /** `c` first, then all others. */
  readonly toolOrder: boolean
  readonly steps: ReadonlyArray<Step>
}

// -----------------------------------------------------------------------------
// shrinking
// -----------------------------------------------------------------------------

const simpler = (step: Step): ReadonlyArray<Step> => {
  switch (step._tag) {
    case "Register": {
      const { entry } = step
      const entries: Array<Entry> = []
      if ("way" in entry && entry.way !== "function") entries.push({ ...entry, way: "function" })
      if (entry.kind === "listener" && entry.how !== "edit") entries.push({ ...entry, how: "edit" })
      if (entry.kind === "section") {
        const { cell, kind, name, order, way } = entry
        if (Object.keys(entry).length > 5) entries.push({ kind, name, order, cell, way })
      }
      return [...entries.map((entry) => ({ ...step, entry })), ...(step.scope === 0 ? [] : [{ ...step, scope: 0 }])]
    }
    case "Assemble":
    case "Render":
      return [
        ...(step.voice === "" ? [] : [{ ...step, voice: "" }]),
        ...(step.scope === 0 ? [] : [{ ...step, scope: 0 }])
      ]
    case "Edits":
      return step.value.map((_, i) => ({ ...step, value: step.value.filter((_, at) => at !== i) }))
    default:
      return []
  }
}

/** Simpler programs, those with fewer steps first. */
export function* shrink(self: Program): Generator<Program> {
  const { steps } = self
  for (let size = Math.ceil(steps.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = steps.length - size; at > -size; at -= size) {
      yield { ...self, steps: steps.filter((_, i) => i < at || i >= at + size) }
    }
  }
  if (self.toolOrder) yield { ...self, toolOrder: false }
  for (const [at, step] of steps.entries()) {
    for (const one of simpler(step)) yield { ...self, steps: steps.with(at, one) }
  }
}

// -----------------------------------------------------------------------------
// printing
// -----------------------------------------------------------------------------

export const print = ({ steps, toolOrder }: Program): string =>
  [
    ...(toolOrder ? ["tool order: c first"] : []),
    ...steps.map(({ _tag, ...rest }, i) => `${i}. ${_tag} ${show(rest).replaceAll(/\s+/gu, " ")}`)
  ].join("\n")
