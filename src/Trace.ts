/**
 * A trace: an assembly together with the story of how it came about. For each contribution of the chain it says what
 * became of it, and for each listener what it did.
 *
 * `SystemPrompt.trace` makes one. Everything in it but the assembly is plain data.
 *
 * @since 0.1.0
 */
import type * as JsonPatch from "effect/JsonPatch"
import type { JsonObject } from "effect/Schema"
import type { Assembly } from "./Assembly.ts"
import * as parts from "./internal/parts.ts"
import type { Listened, Shadowed } from "./Origin.ts"
import type { Kind as OwnerKind } from "./PromptError.ts"
import type { Text } from "./Template.ts"
import type { Refusal } from "./ToolView.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What kind of contribution an entry of the ledger is: those that register, and each tool, registered or given by a
 * provider.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = Exclude<OwnerKind, "guard" | "restriction" | "toolOrder">

/**
 * What became of a contribution.
 *
 * - `InForce`: it takes part in what the model sees.
 * - `Empty`: it would, but its text renders to nothing, and so takes no place.
 * - `Shadowed`: the one `by` is nearer, and has its name.
 * - `Restricted`: a tool that these restrictions do not admit, the farthest first.
 * - `Suppressed`: a context, while these suppress contexts.
 * - `Displaced`: a section, while the complete section of this name is the whole prompt.
 * - `ToolsMissing`: a section that requires these tools, which the assembly has not.
 * - `Removed`: a listener removed it; without one, the waterfall did.
 * - `NotRun`: a listener that did not run, since the listener `by`, further out, did not run the rest; without one, the
 *   waterfall left it out.
 *
 * @since 0.1.0
 * @category models
 */
export type Fate =
  | { readonly _tag: "InForce" }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Shadowed"; readonly by: Shadowed }
  | { readonly _tag: "Restricted"; readonly by: ReadonlyArray<Refusal> }
  | { readonly _tag: "Suppressed"; readonly by: ReadonlyArray<Shadowed> }
  | { readonly _tag: "Displaced"; readonly section: string; readonly by: Shadowed }
  | { readonly _tag: "ToolsMissing"; readonly tools: ReadonlyArray<string> }
  | { readonly _tag: "Removed"; readonly by?: Listened }
  | { readonly _tag: "NotRun"; readonly by?: Listened }

/**
 * One contribution of the chain and what became of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly kind: Kind
  /** Empty for a tool provider without a name, and for a suppressor. */
  readonly name: string
  /** Label of the prompt scope that it was registered in; a global listener is one of the global scope. */
  readonly scope: string
  /** The plugin that registered it, where it named itself. */
  readonly plugin?: string
  /** The provider that a tool is from, where it has a name. */
  readonly provider?: string
  /** Of sections, contexts and listeners. */
  readonly order?: number
  /** Whether it was asked for its value in this assembly, or run. The shadowed and the suppressed never are. */
  readonly ran: boolean
  readonly fate: Fate
  /** The last listener that changed it. */
  readonly listener?: Listened
  /** Of a section or context that ran: its text before any listener, not interpolated. */
  readonly text?: Text
  /** Of a tool provider that ran: the names that it knows, and gives no tool for. Registered tools have entries of their own. */
  readonly hidden?: ReadonlyArray<string>
}

/**
 * A part of an assembly. Names of tools may repeat.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part {
  readonly kind: "section" | "context" | "tool" | "variable"
  readonly name: string
}

/**
 * What is different between two assemblies.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changes {
  readonly added: ReadonlyArray<Part>
  readonly removed: ReadonlyArray<Part>
  /** With the fields that differ. */
  readonly changed: ReadonlyArray<Part & { readonly fields: ReadonlyArray<string> }>
  /** The kinds of parts of which those that stayed stand in another order. */
  readonly moved: ReadonlyArray<Part["kind"]>
  /** Keys of the annotations that differ. */
  readonly annotations: ReadonlyArray<string>
  /** Makes of the first assembly the second, both as `assemblyToJson` gives them. */
  readonly patch: JsonPatch.JsonPatch
}

/**
 * What one listener did. An edit hands on what it makes, and gives back what comes back. The other kind may do either,
 * and may leave the rest out.
 *
 * @since 0.1.0
 * @category models
 */
export interface Step {
  readonly name: string
  readonly scope: string
  readonly plugin?: string
  readonly order: number
  readonly kind: "edit" | "around"
  readonly ran: boolean
  /** Whether it ran the rest: it did; it did, and went on when the rest had failed; it did not. */
  readonly next: "ran" | "failed" | "skipped"
  /** From what it was given to what it handed to the rest, if it ran the rest. */
  readonly handedOn?: Changes
  /** Of an `around` that ran: from what came back (without the rest, from what it was given) to what it returned. */
  readonly returned?: Changes
}

/**
 * A part of the waterfall's result that is not in the assembly.
 *
 * @since 0.1.0
 * @category models
 */
export interface Dropped extends Part {
  readonly scope: string
  readonly plugin?: string
  readonly listener?: Listened
  readonly fate: Extract<Fate, { readonly _tag: "Suppressed" | "Displaced" | "ToolsMissing" }>
}

/**
 * What sealing did to the waterfall's result.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sealed {
  /** The complete section, if a listener had changed or removed it and it was put back. */
  readonly restored?: string
  /** In the order of the waterfall's result. */
  readonly dropped: ReadonlyArray<Dropped>
}

/**
 * An assembly, and how it came about.
 *
 * @since 0.1.0
 * @category models
 */
export interface Trace {
  /** Label of the scope that it is for. */
  readonly scope: string
  /** Labels of the scopes whose contributions it sees, farthest first. */
  readonly chain: ReadonlyArray<string>
  readonly assembly: Assembly
  /**
   * Every contribution of the chain: sections, contexts, variables, tool providers, tools, listeners, suppressors. Each
   * kind in the order of the assembly; those of one name together, the nearest first.
   */
  readonly entries: ReadonlyArray<Entry>
  /** Every listener of the chain, outermost first. */
  readonly steps: ReadonlyArray<Step>
  readonly sealed: Sealed
}

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * What an assembly says, as JSON: a variable without a value is `null`, and a `Template` shows references as `{{name}}`.
 * Where parts come from, and annotations, are left out. It is what patches are about.
 *
 * @since 0.1.0
 * @category destructors
 */
export const assemblyToJson = (self: Assembly): JsonObject => ({
  scope: self.scope,
  sections: self.sections.map(parts.toJson),
  contexts: self.contexts.map(parts.toJson),
  tools: self.tools.map(parts.toJson),
  variables: self.variables.map(parts.toJson),
  complete: self.complete ?? null,
  suppressed: self.suppressed,
  toolOrder: self.toolOrder === undefined ? null : [...self.toolOrder]
})

/**
 * A trace as JSON. The same registrations give the same bytes, in whichever order they were made.
 *
 * @since 0.1.0
 * @category destructors
 */
export const toJson = (self: Trace): JsonObject => ({
  scope: self.scope,
  chain: [...self.chain],
  assembly: assemblyToJson(self.assembly),
  entries: self.entries.map(plain),
  listeners: self.steps.map(plain),
  sealed: plain(self.sealed)
})

/** All that is left to do is to spell out templates, which know their JSON. */
const plain = (value: Entry | Step | Sealed): JsonObject => JSON.parse(JSON.stringify(value))
