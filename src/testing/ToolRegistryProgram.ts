/**
 * A program of the registry of tools: what is registered, restricted, moved, ended, shown and called, step by step, as
 * plain data.
 *
 * Steps refer to scopes, registrations and assemblies by number, taken modulo how many there are, so that every list of
 * steps is a program, and a failing one shrinks to the few steps that matter.
 *
 * @since 0.1.0
 */
import type { Arbitrary } from "effect/Arbitrary"
import type { Effect } from "effect/Effect"
import type { Layer } from "effect/Layer"
import type { Json } from "effect/Schema"
import type * as Restriction from "../Restriction.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import { ToolRegistry } from "../ToolRegistry.ts"
import { runTools } from "./internal/runTools.ts"
import { shrink as shrinkProgram } from "./internal/shrinkToolProgram.ts"
import { program } from "./internal/toolPrograms.ts"
import type * as Program from "./Program.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A tool. Its description tells its registration.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tool {
  readonly name: string
  /**
   * `path`: a raw JSON Schema of an object with the text `path`, and nothing else. `count`: an Effect Schema of a struct with a number
   * `count`, which is encoded as a string.
   */
  readonly parameters: "path" | "count"
  /**
   * What its handler does: answers with what it was told, gives nothing, fails, dies, or gives what is no plain JSON.
   * Without one, nobody can call it.
   */
  readonly handler?: "answers" | "gives nothing" | "fails" | "dies" | "gives no JSON" | undefined
  readonly plugin?: string | undefined
}

/**
 * A guard, of all calls or of those of one tool. `forces` gives `true` where a reason or nothing belongs: no guard can let
 * anything through.
 *
 * @since 0.1.0
 * @category models
 */
export interface Guard {
  readonly name: string
  readonly check: "passes" | "refuses" | "fails" | "dies" | "forces"
  readonly tool?: string | undefined
  readonly plugin?: string | undefined
}

/**
 * A listener that removes all tools of a name, or gives them another description.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listener {
  readonly name: string
  readonly order?: number | undefined
  readonly edit: "removes" | "describes"
  readonly tool: string
  readonly plugin?: string | undefined
}

/**
 * A bare tool provider, of one tool that nobody has registered.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tools {
  readonly name: string
  readonly tool: string
  readonly plugin?: string | undefined
}

/**
 * What a step registers.
 *
 * @since 0.1.0
 * @category models
 */
export type Contribution =
  | { readonly _tag: "Tool"; readonly options: Tool }
  | { readonly _tag: "Restriction"; readonly options: Restriction.Options }
  | { readonly _tag: "Guard"; readonly options: Guard }
  | { readonly _tag: "Listener"; readonly options: Listener }
  | { readonly _tag: "Tools"; readonly options: Tools }

/**
 * One step. Scope 0 is the global one, the others are numbered as they were opened, closed ones too; registrations and
 * assemblies are numbered as they were attempted, failed ones too, assemblies backwards from the latest. A step that has
 * nothing to refer to, and one that would close or rebind the global scope, does nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Step =
  | { readonly _tag: "Open"; readonly label: string; readonly parent: number }
  | { readonly _tag: "Register"; readonly scope: number; readonly contribution: Contribution }
  /** Ends one registration, such as a restriction: closes the Effect scope that it was made in. */
  | { readonly _tag: "Unregister"; readonly registration: number }
  /** Ends a prompt scope, and all that is registered in it. */
  | { readonly _tag: "Close"; readonly scope: number }
  | { readonly _tag: "Rebind"; readonly scope: number; readonly parent: number }
  /** Looks at what the scope is shown of the registry, and what not. */
  | { readonly _tag: "View"; readonly scope: number }
  | { readonly _tag: "Assemble"; readonly scope: number }
  /** Calls a tool as the model that was shown the assembly. */
  | { readonly _tag: "Call"; readonly assembly: number; readonly tool: string; readonly arguments: Json }

/**
 * A registry in a prompt service with default built-ins, and what is done to it.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolRegistryProgram {
  /** A legal one. */
  readonly toolOrder?: ReadonlyArray<string> | undefined
  readonly steps: ReadonlyArray<Step>
}

/**
 * A failure, without its words. `names` are, besides those of `Program.Failure`, the tool that is not there, and the places
 * of what is wrong with arguments, sorted; `known` are those that an error lists. `reason` is that of a guard which refuses,
 * or what a guard or handler did: it `failed`, `died`, or did something `else`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure extends Program.Failure {
  readonly known?: ReadonlyArray<string> | undefined
  readonly reason?: string | undefined
}

/**
 * A tool as it is shown.
 *
 * @since 0.1.0
 * @category models
 */
export interface Shown {
  readonly name: string
  readonly description: string
  readonly origin: Program.Origin
}

/**
 * What keeps a tool out: a list of a restriction.
 *
 * @since 0.1.0
 * @category models
 */
export interface Keeper {
  readonly list: "allow" | "deny"
  readonly scope: string
  readonly plugin?: string | undefined
}

/**
 * A tool that is known and not shown, and what keeps it out: farthest first, in one scope by plugin.
 *
 * @since 0.1.0
 * @category models
 */
export interface Hidden {
  readonly name: string
  readonly origin: Program.Origin
  readonly by: ReadonlyArray<Keeper>
}

/**
 * What a step was seen to do. `ran` are the registrations of the guards that were asked, in this order, and of the handler
 * that ran.
 *
 * @since 0.1.0
 * @category models
 */
export type Observation =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly failure: Failure }
  | { readonly _tag: "Viewed"; readonly tools: ReadonlyArray<Shown>; readonly hidden: ReadonlyArray<Hidden> }
  | { readonly _tag: "Assembled"; readonly tools: ReadonlyArray<Shown> }
  | { readonly _tag: "Answered"; readonly ran: ReadonlyArray<number>; readonly answer: Json }
  | { readonly _tag: "Refused"; readonly ran: ReadonlyArray<number>; readonly failure: Failure }

// -----------------------------------------------------------------------------
// generators
// -----------------------------------------------------------------------------

/**
 * Programs of up to about thirty steps. Each kind of step, of contribution and of outcome occurs in at least one program in
 * a hundred. Failing ones shrink by `shrink`. How large they are does not depend on the engine's `size`.
 *
 * @since 0.1.0
 * @category generators
 */
export const arbitrary: Arbitrary<ToolRegistryProgram> = program

/**
 * Programs that are simpler than this one: those with fewer steps first, then those with simpler ones. Leaving steps out
 * does not change what the others mean: numbers move up, what was done in a scope that is left out is done in its
 * parent, and calls go with their assembly.
 *
 * @since 0.1.0
 * @category generators
 */
export const shrink: (self: ToolRegistryProgram) => ReadonlyArray<ToolRegistryProgram> = shrinkProgram

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/**
 * Runs a program in a registry and a prompt service of its own, and says what each step was seen to do. It fails only if the
 * registry cannot be built.
 *
 * A handler that answers gives the number of its registration, the arguments, and the labels of the scope that it was told
 * and that it runs in. In an observation, absent fields are left out.
 *
 * @since 0.1.0
 * @category running
 */
export const run = <E = never>(
  self: ToolRegistryProgram,
  registry?: Layer<ToolRegistry, E, SystemPrompt>
): Effect<ReadonlyArray<Observation>, E> => runTools(self, registry ?? ToolRegistry.layer)
