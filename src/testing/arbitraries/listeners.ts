/**
 * Listeners, as data.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import type { Listener, Step } from "../Edit.ts"
import {
  absent,
  type Arb,
  choose,
  compact,
  compacted,
  list,
  literal,
  mostly,
  seldom,
  tagged
} from "../internal/generate.ts"
import { context, refusedToolSchema, section, toolSchema } from "./contributions.ts"
import { name, order, plugin, toolName, variableName } from "./names.ts"
import { text, value } from "./texts.ts"

const added = literal("added-1", "added-2", "a")

const sectionInput = Arbitrary.map(section, ({ name, order, text, interpolate, requires }) =>
  compact({ name, order, text, interpolate, requires })
)

const contextInput = Arbitrary.map(context, ({ name, order, text, interpolate }) =>
  compact({ name, order, text, interpolate })
)

/**
 * Steps of a listener: edits of an assembly. One in 60 adds a tool that is refused, and some a section of a name that is
 * there; then the listener's result is an `InvalidAssembly`.
 *
 * @since 0.1.0
 * @category listeners
 */
export const step: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: tagged("Annotate"), value: literal("x", "y") }),
  Arbitrary.map(Arbitrary.all([sectionInput, added]), ([section, name]) => ({
    _tag: "AddSection",
    section: { ...section, name }
  })),
  Arbitrary.all({ _tag: tagged("ReplaceSection"), section: sectionInput }),
  Arbitrary.all({ _tag: tagged("RemoveSection"), name }),
  Arbitrary.all({ _tag: tagged("ReverseSections") }),
  Arbitrary.map(Arbitrary.all([contextInput, added]), ([context, name]) => ({
    _tag: "AddContext",
    context: { ...context, name }
  })),
  Arbitrary.all({ _tag: tagged("RemoveContext"), name }),
  Arbitrary.all({ _tag: tagged("AddTool"), tool: mostly(toolSchema, 5, refusedToolSchema) }),
  Arbitrary.all({ _tag: tagged("DescribeTool"), name: toolName, description: text }),
  Arbitrary.all({ _tag: tagged("RemoveTool"), name: toolName }),
  Arbitrary.all({
    _tag: tagged("SetVariable"),
    name: variableName,
    value: mostly<string | undefined>(value, 4, absent)
  }),
  Arbitrary.all({ _tag: tagged("RemoveVariable"), name: variableName })
)

const listenerOf = (steps: Arb<ReadonlyArray<Step>>): Arb<Listener> =>
  compacted(
    Arbitrary.all({
      name: literal("l1", "l2", "mask"),
      order: choose<number | undefined>(absent, order),
      global: seldom(5, literal(true, false)),
      plugin,
      steps
    })
  )

/**
 * Listeners of up to three steps.
 *
 * @since 0.1.0
 * @category listeners
 */
export const listener: Arb<Listener> = listenerOf(list(step, 3))

/**
 * Listeners that throw, or give a Promise.
 *
 * @since 0.1.0
 * @category listeners
 */
export const faultyListener: Arb<Listener> = listenerOf(
  Arbitrary.map(literal("Throw", "Promise"), (mistake) => [
    mistake === "Throw" ? { _tag: mistake, message: "boom" } : { _tag: mistake }
  ])
)
