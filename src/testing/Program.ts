/**
 * A program: what happens to a prompt service, step by step, as plain data.
 *
 * Steps refer to scopes and registrations by number, counted from 0 in the order in which they were made and taken
 * modulo how many there are, so that every list of steps is a program: leaving out any of them leaves a program, and a
 * failing one shrinks to the few steps that matter.
 *
 * @since 0.1.0
 */
import type { Arbitrary } from "effect/Arbitrary"
import type { Effect } from "effect/Effect"
import type * as Persona from "../Persona.ts"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as Variable from "../Variable.ts"
import type * as Edit from "./Edit.ts"
import { program } from "./internal/programs.ts"
import { run as runProgram } from "./internal/run.ts"
import { shrink as shrinkProgram } from "./internal/shrinkProgram.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a step registers, with the values known.
 *
 * @since 0.1.0
 * @category models
 */
export type Contribution =
  | { readonly _tag: "Section"; readonly options: Section.Options }
  | { readonly _tag: "Context"; readonly options: PromptContext.Options }
  | { readonly _tag: "Variable"; readonly options: Variable.Options }
  | { readonly _tag: "Tools"; readonly options: ToolProvider.Options }
  | { readonly _tag: "Listener"; readonly options: Edit.Listener }
  | { readonly _tag: "Suppressor" }
  | { readonly _tag: "Persona"; readonly options: Persona.Options }

/**
 * One step. Scope 0 is the global one, the others are numbered as they were opened, closed ones too; registrations are
 * numbered as they were attempted, failed ones too. A step that has nothing to refer to, and one that would close or
 * rebind the global scope, does nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Step =
  | { readonly _tag: "Open"; readonly label: string; readonly parent: number }
  | { readonly _tag: "Register"; readonly scope: number; readonly contribution: Contribution }
  /** Ends one registration: closes the Effect scope that it was made in. */
  | { readonly _tag: "Unregister"; readonly registration: number }
  /** Ends a prompt scope, and all that is registered in it. */
  | { readonly _tag: "Close"; readonly scope: number }
  | { readonly _tag: "Rebind"; readonly scope: number; readonly parent: number }
  | { readonly _tag: "Assemble"; readonly scope: number }
  | { readonly _tag: "Render"; readonly scope: number }

/**
 * A service with default built-ins and this tool order, and what is done to it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Program {
  readonly toolOrder?: ReadonlyArray<string> | undefined
  readonly steps: ReadonlyArray<Step>
}

/**
 * A failure, without its words: the tag of the error, its owner where it names one, and what else it names: the complete
 * sections in final order, the unknown tools as configured, the refused tool, or the variable.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failure {
  readonly tag: string
  readonly kind?: string | undefined
  readonly entry?: string | undefined
  readonly scope?: string | undefined
  readonly plugin?: string | undefined
  readonly names?: ReadonlyArray<string> | undefined
}

/**
 * Where something comes from, as `Origin`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Origin {
  readonly scope: string
  readonly plugin?: string | undefined
  /** Name of the tool provider. */
  readonly provider?: string | undefined
  /** What it shadows, nearest first: scope and plugin. */
  readonly shadows: ReadonlyArray<{ readonly scope: string; readonly plugin?: string | undefined }>
  /** The listener that added or last changed it. */
  readonly listener?:
    | { readonly name: string; readonly scope: string; readonly plugin?: string | undefined }
    | undefined
}

/**
 * A section or a context of an assembly. `text` is as `JSON.stringify` shows it: references as `{{name}}`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part {
  readonly name: string
  readonly order: number
  readonly text: string
  readonly interpolate: boolean
  readonly origin: Origin
}

/**
 * What a step was seen to do.
 *
 * @since 0.1.0
 * @category models
 */
export type Observation =
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly failure: Failure }
  | {
      readonly _tag: "Assembled"
      readonly sections: ReadonlyArray<Part>
      readonly contexts: ReadonlyArray<Part>
      /** The JSON text of each schema, as emitted. */
      readonly tools: ReadonlyArray<{ readonly schema: string; readonly origin: Origin }>
      readonly variables: ReadonlyArray<{
        readonly name: string
        readonly value: string | undefined
        readonly origin: Origin
      }>
      /** What the `Annotate` steps of its listeners have written. */
      readonly note: string
    }
  | {
      readonly _tag: "Rendered"
      readonly text: string
      readonly snapshot: string
      readonly tools: ReadonlyArray<string>
    }

// -----------------------------------------------------------------------------
// generators
// -----------------------------------------------------------------------------

/**
 * Programs of up to about twenty steps, most of which end in an assembly and a rendering. Each kind of step, of
 * contribution and of failure occurs in at least one program in a hundred, also the failures that only callers without
 * types can cause. Failing ones shrink by `shrink`. How large they are does not depend on the engine's `size`.
 *
 * @since 0.1.0
 * @category generators
 */
export const arbitrary: Arbitrary<Program> = program

/**
 * Programs that are simpler than this one, for a search for the simplest one that still fails: those with fewer steps
 * first, then those with simpler ones. Leaving steps out does not change what the others mean: numbers move up, and what
 * was done in a scope that is left out is done in its parent.
 *
 * @since 0.1.0
 * @category generators
 */
export const shrink: (self: Program) => ReadonlyArray<Program> = shrinkProgram

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/**
 * Runs a program in a prompt service of its own, and says what each step was seen to do. If the tool order is refused
 * there is no service, and that is the only observation.
 *
 * Values are provided in all manners by turns, by the number of the registration: as they are, by a function, by an
 * Effect, at once and later. Listeners are edits, edits that give an Effect, and around the rest. None of this shows.
 *
 * Ending twice is done twice, and changes nothing the second time. An `Open` that fails opens no scope. In an
 * observation, absent fields are left out; only a variable without a value has `value: undefined`.
 *
 * @since 0.1.0
 * @category running
 */
export const run: (self: Program) => Effect<ReadonlyArray<Observation>> = runProgram
