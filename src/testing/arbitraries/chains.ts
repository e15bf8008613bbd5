/**
 * Overlays, chains of them, and their assemblies.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import type { Assembly } from "../../Assembly.ts"
import * as Template from "../../Template.ts"
import type * as ToolProvider from "../../ToolProvider.ts"
import * as Chain from "../Chain.ts"
import type { Listener } from "../Edit.ts"
import { type Arb, distinct, list, literal, mostly, seldom } from "../internal/generate.ts"
import { variables } from "../internal/texts.ts"
import { context, refusedToolProvider, section, toolOrder, toolProvider, variable } from "./contributions.ts"
import { faultyListener, listener } from "./listeners.ts"
import { label } from "./names.ts"
import { value } from "./texts.ts"

interface Body {
  readonly text: Template.Text
  readonly interpolate?: boolean | undefined
}

const overlayOf = (tools: Arb<ToolProvider.Options>, listener: Arb<Listener>): Arb<Chain.Overlay> =>
  Arbitrary.all({
    label,
    sections: distinct(section, 4),
    contexts: distinct(context, 3),
    variables: distinct(variable, 10),
    tools: list(tools, 2),
    listeners: distinct(listener, 2),
    suppressors: Arbitrary.map(seldom(10, literal(1, 2)), (n) => n ?? 0)
  })

/**
 * Overlays. One in ten suppresses contexts, some of these twice; one tool provider in 20 is refused, and one listener in
 * 30 faulty.
 *
 * @since 0.1.0
 * @category chains
 */
export const overlay: Arb<Chain.Overlay> = overlayOf(
  mostly(toolProvider, 20, refusedToolProvider),
  mostly(listener, 30, faultyListener)
)

/**
 * Chains of one to four overlays, as `overlay` makes them. Most assemble; that some do not renders is usual.
 *
 * @since 0.1.0
 * @category chains
 */
export const chain: Arb<Chain.Chain> = Arbitrary.map(
  Arbitrary.array(overlay, { minLength: 1, maxLength: 4 }),
  Chain.distinguish
)

/** Whether a text renders once all variables have values. */
const renders = (text: Template.Text): boolean =>
  Template.parse(text).every(
    (segment) => segment._tag === "Literal" || (segment._tag === "Reference" && variables.includes(segment.name))
  )

const literally = <A extends Body>(one: A): A => (renders(one.text) ? one : { ...one, interpolate: false })

/**
 * Chains without listeners that render if they assemble: text that does not is data, and every variable has a value.
 *
 * @since 0.1.0
 * @category chains
 */
export const renderableChain: Arb<Chain.Chain> = Arbitrary.map(
  Arbitrary.all([chain, Arbitrary.array(value, { minLength: 5, maxLength: 5 })]),
  ([chain, values]) =>
    chain.map((one, index) => ({
      ...one,
      sections: one.sections.map(literally),
      contexts: one.contexts.map(literally),
      variables: [
        ...one.variables.filter((variable) => variable.value !== undefined),
        ...(index === 0 ? variables : []).flatMap((name, i) =>
          one.variables.some((variable) => variable.name === name && variable.value !== undefined)
            ? []
            : [{ name, value: values[i] }]
        )
      ],
      listeners: []
    }))
)

/**
 * Assemblies of `chain`. Many do not render.
 *
 * @since 0.1.0
 * @category assemblies
 */
export const assembly: Arb<Assembly> = Arbitrary.filterMap(Arbitrary.all([chain, toolOrder]), ([chain, toolOrder]) =>
  Chain.assemble(chain, { toolOrder })
)

/**
 * Assemblies that render.
 *
 * @since 0.1.0
 * @category assemblies
 */
export const renderableAssembly: Arb<Assembly> = Arbitrary.filterMap(
  Arbitrary.all([renderableChain, toolOrder]),
  ([chain, toolOrder]) => Chain.assemble(chain, { toolOrder })
)
