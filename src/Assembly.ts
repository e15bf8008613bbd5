/**
 * An assembly: the immutable answer to "what does the model see now?", before
 * interpolation. Listeners take one and give one; rendering makes text of it.
 *
 * Here are its model, the edits that listeners make, and the pure pipeline:
 * `plan → compose → waterfall → seal` over overlays whose values are known.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Equal from "effect/Equal"
import { dual } from "effect/Function"
import * as Result from "effect/Result"
import { byCodeUnits } from "./internal/codeUnits.ts"
import * as list from "./internal/list.ts"
import { saysSame } from "./internal/sameTool.ts"
import * as Origin from "./Origin.ts"
import type * as PromptContext from "./PromptContext.ts"
import type * as Section from "./Section.ts"
import type { Text } from "./Template.ts"
import * as ToolOrder from "./ToolOrder.ts"
import * as ToolSchema from "./ToolSchema.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * A section of an assembly: its text is resolved, but not interpolated.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssembledSection {
  readonly name: string
  readonly order: number
  readonly text: Text
  readonly interpolate: boolean
  /** It is dropped when the assembly is sealed, unless all these tools are there. */
  readonly requires: ReadonlyArray<string>
  readonly origin: Origin.Origin
}

/**
 * A context of an assembly: its text is resolved, but not interpolated.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssembledContext {
  readonly name: string
  readonly order: number
  readonly text: Text
  readonly interpolate: boolean
  readonly origin: Origin.Origin
}

/**
 * A tool of an assembly. `schema` is all that a model sees of it.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssembledTool {
  readonly schema: ToolSchema.ToolSchema
  readonly origin: Origin.Origin
}

/**
 * A variable of an assembly. One without a value is an error only where text refers to it.
 *
 * @since 0.1.0
 * @category models
 */
export interface AssembledVariable {
  readonly name: string
  readonly value: string | undefined
  readonly origin: Origin.Origin
}

/**
 * What the model is shown, before interpolation. Everything in it is frozen.
 *
 * @since 0.1.0
 * @category models
 */
export interface Assembly {
  /** Label of the scope that it was made for. */
  readonly scope: string
  readonly sections: ReadonlyArray<AssembledSection>
  readonly contexts: ReadonlyArray<AssembledContext>
  /** In the order in which the model is shown them. Names may repeat. */
  readonly tools: ReadonlyArray<AssembledTool>
  /** Sorted by name. */
  readonly variables: ReadonlyArray<AssembledVariable>
  /** Name of the section that is the whole prompt, if one is. */
  readonly complete: string | undefined
  /** Whether contexts are turned off. */
  readonly suppressed: boolean
  /** The configured order of the tools, if one is. */
  readonly toolOrder: ToolOrder.ToolOrder | undefined
  /** What listeners and runtimes attach, keyed by `Context` references. */
  readonly annotations: Context.Context<never>
}

/**
 * An edit of an assembly: data-first, or data-last for `pipe`. One that changes nothing gives the same assembly back.
 *
 * @since 0.1.0
 * @category models
 */
export interface Edit<Args extends ReadonlyArray<unknown>> {
  (...args: Args): (self: Assembly) => Assembly
  (self: Assembly, ...args: Args): Assembly
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

export { assemble } from "./internal/assemble.ts"
export { seal } from "./internal/seal.ts"

// -----------------------------------------------------------------------------
// combinators: sections
// -----------------------------------------------------------------------------

/**
 * What an edit needs to know of a section.
 *
 * @since 0.1.0
 * @category models
 */
export type SectionInput = Omit<Section.Options, "complete" | "plugin">

const noTools: ReadonlyArray<string> = Object.freeze([])

const sectionOf = (self: Assembly, input: SectionInput): AssembledSection =>
  Object.freeze({
    name: input.name,
    order: input.order,
    text: input.text,
    interpolate: input.interpolate ?? true,
    requires: input.requires === undefined ? noTools : Object.freeze([...input.requires]),
    origin: Origin.make({ scope: self.scope })
  })

const withSections = (self: Assembly, sections: ReadonlyArray<AssembledSection>): Assembly =>
  sections === self.sections ? self : Object.freeze({ ...self, sections })

/**
 * Adds a section where its order and name belong. A listener whose result has two sections of one name is refused:
 * to overwrite, use `replaceSection`.
 *
 * **Provider's cache**: costs everything from the new section on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const addSection: Edit<[input: SectionInput]> = dual(2, (self: Assembly, input: SectionInput) =>
  withSections(self, list.insert(self.sections, sectionOf(self, input), list.byOrderThenName))
)

/**
 * Replaces the section of that name where it stands; without one, changes nothing.
 *
 * **Provider's cache**: costs everything from the first changed byte on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replaceSection: Edit<[input: SectionInput]> = dual(2, (self: Assembly, input: SectionInput) =>
  mapSection(self, input.name, (section) => ({ ...sectionOf(self, input), origin: section.origin }))
)

/**
 * Removes the section of that name, if there is one.
 *
 * **Provider's cache**: costs everything from the removed section on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeSection: Edit<[name: string]> = dual(2, (self: Assembly, name: string) =>
  withSections(
    self,
    list.remove(self.sections, (section) => section.name === name)
  )
)

/**
 * Changes the section of that name where it stands, if there is one.
 *
 * **Provider's cache**: costs everything from the first changed byte on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mapSection: Edit<[name: string, f: (section: AssembledSection) => AssembledSection]> = dual(
  3,
  (self: Assembly, name: string, f: (section: AssembledSection) => AssembledSection) =>
    withSections(
      self,
      list.map(self.sections, (section) => section.name === name, f)
    )
)

// -----------------------------------------------------------------------------
// combinators: contexts
// -----------------------------------------------------------------------------

/**
 * What an edit needs to know of a context.
 *
 * @since 0.1.0
 * @category models
 */
export type ContextInput = Omit<PromptContext.Options, "plugin">

const contextOf = (self: Assembly, input: ContextInput): AssembledContext =>
  Object.freeze({
    name: input.name,
    order: input.order,
    text: input.text,
    interpolate: input.interpolate ?? true,
    origin: Origin.make({ scope: self.scope })
  })

const withContexts = (self: Assembly, contexts: ReadonlyArray<AssembledContext>): Assembly =>
  contexts === self.contexts ? self : Object.freeze({ ...self, contexts })

/**
 * Adds a context where its order and name belong. It does not survive if contexts are suppressed.
 *
 * **Provider's cache**: costs a new snapshot after the history, and nothing of the prefix.
 *
 * @since 0.1.0
 * @category combinators
 */
export const addContext: Edit<[input: ContextInput]> = dual(2, (self: Assembly, input: ContextInput) =>
  withContexts(self, list.insert(self.contexts, contextOf(self, input), list.byOrderThenName))
)

/**
 * Replaces the context of that name where it stands; without one, changes nothing.
 *
 * **Provider's cache**: costs a new snapshot after the history, and nothing of the prefix.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replaceContext: Edit<[input: ContextInput]> = dual(2, (self: Assembly, input: ContextInput) =>
  mapContext(self, input.name, (context) => ({ ...contextOf(self, input), origin: context.origin }))
)

/**
 * Removes the context of that name, if there is one.
 *
 * **Provider's cache**: costs a new snapshot after the history, and nothing of the prefix.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeContext: Edit<[name: string]> = dual(2, (self: Assembly, name: string) =>
  withContexts(
    self,
    list.remove(self.contexts, (context) => context.name === name)
  )
)

/**
 * Changes the context of that name where it stands, if there is one.
 *
 * **Provider's cache**: costs a new snapshot after the history, and nothing of the prefix.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mapContext: Edit<[name: string, f: (context: AssembledContext) => AssembledContext]> = dual(
  3,
  (self: Assembly, name: string, f: (context: AssembledContext) => AssembledContext) =>
    withContexts(
      self,
      list.map(self.contexts, (context) => context.name === name, f)
    )
)

// -----------------------------------------------------------------------------
// combinators: tools
// -----------------------------------------------------------------------------

const withTools = (self: Assembly, tools: ReadonlyArray<AssembledTool>): Assembly =>
  tools === self.tools ? self : Object.freeze({ ...self, tools })

/** What is no tool stays what it is: like every other part, it is judged when the listener's result is accepted. */
const toolOf = (input: ToolSchema.Input, origin: Origin.Origin): AssembledTool => {
  const schema = ToolSchema.fromUnknown(input, { kind: "tools", entry: "", scope: origin.scope })
  return Object.freeze({ schema: Result.isSuccess(schema) ? schema.success : (input as ToolSchema.ToolSchema), origin })
}

/** Nobody's, until the listener's result is accepted. One that equals a provider's would make an edit of its tool of it. */
const noOrigin = (self: Assembly): Origin.Origin => Equal.byReferenceUnsafe(Origin.make({ scope: self.scope }))

/**
 * Adds a tool where the configured order, or its name, puts it; after others of its name.
 *
 * **Provider's cache**: tools come before the prompt, so this costs the whole prefix from the new tool on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const addTool: Edit<[input: ToolSchema.Input]> = dual(2, (self: Assembly, input: ToolSchema.Input) => {
  const compare = ToolOrder.compare(self.toolOrder)
  return withTools(
    self,
    list.insert(self.tools, toolOf(input, noOrigin(self)), (a, b) => compare(a.schema.name, b.schema.name))
  )
})

/**
 * Replaces all tools of that name where they stand; without one, changes nothing.
 *
 * **Provider's cache**: costs the whole prefix from the first changed byte of the tools on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replaceTool: Edit<[input: ToolSchema.Input]> = dual(2, (self: Assembly, input: ToolSchema.Input) =>
  mapTool(self, input.name, () => input)
)

/**
 * Removes all tools of that name. What an assembly does not show, the model cannot call.
 *
 * **Provider's cache**: costs the whole prefix from the removed tool on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeTool: Edit<[name: string]> = dual(2, (self: Assembly, name: string) =>
  withTools(
    self,
    list.remove(self.tools, (tool) => tool.schema.name === name)
  )
)

/**
 * Changes all tools of that name where they stand.
 *
 * **Provider's cache**: costs the whole prefix from the first changed byte of the tools on.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mapTool: Edit<[name: string, f: (schema: ToolSchema.ToolSchema) => ToolSchema.Input]> = dual(
  3,
  (self: Assembly, name: string, f: (schema: ToolSchema.ToolSchema) => ToolSchema.Input) =>
    withTools(
      self,
      list.map(
        self.tools,
        (tool) => tool.schema.name === name,
        (tool) => {
          const schema = f(tool.schema)
          return saysSame(schema, tool.schema) ? tool : toolOf(schema, tool.origin)
        }
      )
    )
)

// -----------------------------------------------------------------------------
// combinators: variables and annotations
// -----------------------------------------------------------------------------

const withVariables = (self: Assembly, variables: ReadonlyArray<AssembledVariable>): Assembly =>
  variables === self.variables ? self : Object.freeze({ ...self, variables })

/**
 * Sets the value of a variable, adding it if there is none of that name. `undefined` takes its value away.
 *
 * **Provider's cache**: costs everything after the first section that refers to it, if its value changed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const setVariable: Edit<[name: string, value: string | undefined]> = dual(
  (args) => typeof args[0] === "object",
  (self: Assembly, name: string, value: string | undefined) =>
    [...self.variables].some((variable) => variable.name === name)
      ? mapVariable(self, name, () => value)
      : withVariables(
          self,
          list.insert(
            self.variables,
            Object.freeze({ name, value, origin: Origin.make({ scope: self.scope }) }),
            (a, b) => byCodeUnits(a.name, b.name)
          )
        )
)

/**
 * Removes the variable of that name, if there is one. Text that refers to it then fails to render.
 *
 * **Provider's cache**: nothing, unless text refers to it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const removeVariable: Edit<[name: string]> = dual(2, (self: Assembly, name: string) =>
  withVariables(
    self,
    list.remove(self.variables, (variable) => variable.name === name)
  )
)

/**
 * Changes the value of the variable of that name, if there is one.
 *
 * **Provider's cache**: costs everything after the first section that refers to it, if its value changed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const mapVariable: Edit<[name: string, f: (value: string | undefined) => string | undefined]> = dual(
  3,
  (self: Assembly, name: string, f: (value: string | undefined) => string | undefined) =>
    withVariables(
      self,
      list.map(
        self.variables,
        (variable) => variable.name === name,
        (variable) => {
          const value = f(variable.value)
          return value === variable.value ? variable : Object.freeze({ ...variable, value })
        }
      )
    )
)

/**
 * Attaches a value under a `Context` reference, for listeners further in and for whoever gets the assembly.
 *
 * **Provider's cache**: nothing; annotations never reach a model.
 *
 * @since 0.1.0
 * @category combinators
 */
export const annotate: {
  <I, S>(key: Context.Key<I, S>, value: S): (self: Assembly) => Assembly
  <I, S>(self: Assembly, key: Context.Key<I, S>, value: S): Assembly
} = dual(3, <I, S>(self: Assembly, key: Context.Key<I, S>, value: S): Assembly =>
  value !== undefined && Context.getOrUndefined(self.annotations, key) === value
    ? self
    : Object.freeze({ ...self, annotations: Context.add(self.annotations, key, value) })
)
