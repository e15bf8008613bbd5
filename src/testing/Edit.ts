/**
 * Listeners as data: what an edit does to an assembly, step by step, so that a counterexample can be read.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Assembly from "../Assembly.ts"
import type { Edit, PureInput } from "../Listener.ts"
import type * as ToolSchema from "../ToolSchema.ts"
import { untyped } from "./internal/untyped.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * One edit of an assembly, by the combinator of its name where `Assembly` has one; or a mistake: `Throw` throws an
 * `Error`, and `Promise` gives a Promise where an assembly belongs.
 *
 * @since 0.1.0
 * @category models
 */
export type Step =
  | { readonly _tag: "AddSection"; readonly section: Assembly.SectionInput }
  | { readonly _tag: "ReplaceSection"; readonly section: Assembly.SectionInput }
  | { readonly _tag: "RemoveSection"; readonly name: string }
  | { readonly _tag: "ReverseSections" }
  | { readonly _tag: "AddContext"; readonly context: Assembly.ContextInput }
  | { readonly _tag: "RemoveContext"; readonly name: string }
  | { readonly _tag: "AddTool"; readonly tool: ToolSchema.Input }
  | { readonly _tag: "DescribeTool"; readonly name: string; readonly description: string }
  | { readonly _tag: "RemoveTool"; readonly name: string }
  | { readonly _tag: "SetVariable"; readonly name: string; readonly value: string | undefined }
  | { readonly _tag: "RemoveVariable"; readonly name: string }
  | { readonly _tag: "Annotate"; readonly value: string }
  | { readonly _tag: "Throw"; readonly message: string }
  | { readonly _tag: "Promise" }

/**
 * A listener: what it is registered as, and the steps that it takes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listener extends Omit<PureInput, "edit"> {
  readonly steps: ReadonlyArray<Step>
}

// -----------------------------------------------------------------------------
// references
// -----------------------------------------------------------------------------

/**
 * What the `Annotate` steps of an assembly's listeners have written, one after the other.
 *
 * @since 0.1.0
 * @category references
 */
export const Note: Context.Reference<string> = Context.Reference<string>("effect-preamble/testing/Note", {
  defaultValue: () => ""
})

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

const apply = (self: Assembly.Assembly, step: Step): Assembly.Assembly => {
  switch (step._tag) {
    case "AddSection":
      return Assembly.addSection(self, step.section)
    case "ReplaceSection":
      return Assembly.replaceSection(self, step.section)
    case "RemoveSection":
      return Assembly.removeSection(self, step.name)
    case "ReverseSections":
      return { ...self, sections: self.sections.toReversed() }
    case "AddContext":
      return Assembly.addContext(self, step.context)
    case "RemoveContext":
      return Assembly.removeContext(self, step.name)
    case "AddTool":
      return Assembly.addTool(self, step.tool)
    case "DescribeTool":
      return Assembly.mapTool(self, step.name, (tool) => ({ ...tool, description: step.description }))
    case "RemoveTool":
      return Assembly.removeTool(self, step.name)
    case "SetVariable":
      return Assembly.setVariable(self, step.name, step.value)
    case "RemoveVariable":
      return Assembly.removeVariable(self, step.name)
    case "Annotate":
      return Assembly.annotate(self, Note, Context.get(self.annotations, Note) + step.value)
    case "Throw":
      throw new Error(step.message)
    case "Promise":
      return untyped(Promise.resolve(self))
  }
}

/**
 * The pure function of a listener.
 *
 * @since 0.1.0
 * @category destructors
 */
export const run =
  (self: Listener): Edit =>
  (assembly) =>
    self.steps.reduce(apply, assembly)
