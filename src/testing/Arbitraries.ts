/**
 * Generators of names, texts, contributions, and whole chains of overlays, for `effect/Arbitrary`.
 *
 * All of them are legal unless their description says otherwise. What can collide does so often: names are few, orders
 * tie, labels of scopes repeat, and half of all texts have braces. What is generated is plain data, listeners too (see
 * `Edit`), so that a counterexample can be read; fields that may be absent are left out. Everything shrinks: lists get
 * shorter, options go, and names, orders and texts become the first ones of their kind. Give the engine a `maxShrinks`
 * of a thousand or so: its own limit of a hundred is for smaller values.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import type { Assembly } from "../Assembly.ts"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import * as Template from "../Template.ts"
import * as ToolOrder from "../ToolOrder.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as ToolSchema from "../ToolSchema.ts"
import type * as Variable from "../Variable.ts"
import * as Chain from "./Chain.ts"
import type { Listener, Step } from "./Edit.ts"
import {
  type Arb,
  absent,
  choose,
  compact,
  compacted,
  distinct,
  list,
  literal,
  mostly,
  seldom
} from "./internal/generate.ts"
import * as json from "./internal/json.ts"
import * as texts from "./internal/texts.ts"

// -----------------------------------------------------------------------------
// names and orders
// -----------------------------------------------------------------------------

/**
 * Names of sections and contexts. Code units, collation and prototypes disagree about their order.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const name: Arb<string> = literal("a", "b", "B", "a-1", "é", "e\u0301", "{{a}}", "constructor", "__proto__")

/**
 * Names of plugins, or none.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const plugin: Arb<string | undefined> = choose<string | undefined>(absent, literal("core", "extra"))

/**
 * Orders of sections, contexts and listeners: finite, also huge, negative and fractional. Half of all are 0 or 1, so that
 * they tie.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const order: Arb<number> = choose<number>(literal(0, 1), literal(0, -1, 0.5, 1000, -1e9, Number.MAX_VALUE))

const variableNames = ["a", "b", "c", "constructor", "to_string"]

/**
 * Names of variables.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const variableName: Arb<string> = literal(...variableNames)

/**
 * Names of tools.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const toolName: Arb<string> = literal("bash", "read", "a", "B", "__proto__")

/**
 * Labels of prompt scopes. They repeat: two scopes of one label are two.
 *
 * @since 0.1.0
 * @category names and orders
 */
export const label: Arb<string> = literal("agent", "preset", "agent", "global")

// -----------------------------------------------------------------------------
// texts
// -----------------------------------------------------------------------------

/**
 * Text without braces.
 *
 * @since 0.1.0
 * @category texts
 */
export const plainText: Arb<string> = texts.plain

/**
 * Text with braces of all kinds, but no `{{`: it renders to itself.
 *
 * @since 0.1.0
 * @category texts
 */
export const grouplessText: Arb<string> = texts.groupless

/**
 * References to variables (see `variableName`) and text between them, nothing malformed.
 *
 * @since 0.1.0
 * @category texts
 */
export const referringText: Arb<string> = texts.referring(variableNames)

/**
 * Braces in all arrangements, with little between them. Most do not render.
 *
 * @since 0.1.0
 * @category texts
 */
export const bracedText: Arb<string> = texts.braced

/**
 * Any text; half have braces, and of these most do not render.
 *
 * @since 0.1.0
 * @category texts
 */
export const text: Arb<string> = choose(plainText, plainText, plainText, referringText, bracedText, bracedText)

/**
 * References between literal parts with any braces.
 *
 * @since 0.1.0
 * @category texts
 */
export const template: Arb<Template.Template> = texts.template(text, variableNames)

/**
 * Values of variables. Many would do harm if they were read again, or taken for a pattern.
 *
 * @since 0.1.0
 * @category texts
 */
export const value: Arb<string> = choose(plainText, bracedText, literal("", "}}", "{{b}}", "$&", "__proto__"))

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

interface Body {
  readonly text: Template.Text
  readonly interpolate?: boolean | undefined
}

const body: Arb<Body> = choose<Body>(
  Arbitrary.all({ text }),
  compacted(Arbitrary.all({ text, interpolate: choose<boolean | undefined>(absent, literal(true)) })),
  Arbitrary.all({ text: template }),
  Arbitrary.all({ text, interpolate: literal(false) })
)

const head = compacted(Arbitrary.all({ name, order, plugin }))

/**
 * Sections. One in 16 is complete, and some of the others require tools.
 *
 * @since 0.1.0
 * @category contributions
 */
export const section: Arb<Section.Options> = Arbitrary.map(
  Arbitrary.all([
    head,
    body,
    mostly<readonly string[] | "complete" | undefined>(seldom(4, list(toolName, 2)), 16, literal("complete"))
  ]),
  ([head, body, demands]) => ({
    ...head,
    ...body,
    ...(demands === "complete" ? { complete: true } : demands === undefined ? undefined : { requires: demands })
  })
)

/**
 * Contexts.
 *
 * @since 0.1.0
 * @category contributions
 */
export const context: Arb<PromptContext.Options> = Arbitrary.map(Arbitrary.all([head, body]), ([head, body]) => ({
  ...head,
  ...body
}))

/**
 * Variables. One in four has no value.
 *
 * @since 0.1.0
 * @category contributions
 */
export const variable: Arb<Variable.Options> = Arbitrary.map(
  Arbitrary.all([variableName, mostly<string | undefined>(value, 4, absent), plugin]),
  ([name, value, plugin]) => ({ name, value, ...compact({ plugin }) })
)

/**
 * Parameters of tools: JSON objects in objects, at most four deep, whose keys and values are those that engines and
 * templates stumble over.
 *
 * @since 0.1.0
 * @category contributions
 */
export const parameters: Arb<object> = choose<object>(
  Arbitrary.Constant({}),
  Arbitrary.Constant({ type: "object" }),
  Arbitrary.map(json.object(3), (properties) => ({ type: "object", properties })),
  json.object(4)
)

/**
 * Tools as a host keeps them: some are deferred, and some have fields that no model is shown.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolSchema: Arb<ToolSchema.Input> = compacted(
  Arbitrary.all({
    name: toolName,
    description: text,
    parameters,
    deferLoading: choose<unknown>(absent, literal<boolean | string>(true, false, "true")),
    timeoutMs: choose<number | undefined>(absent, literal(1, 2))
  })
)

/**
 * Tools that are refused: their name is the rest marker of `toolOrder`, or their parameters are no JSON.
 *
 * @since 0.1.0
 * @category contributions
 */
export const refusedToolSchema: Arb<ToolSchema.Input> = Arbitrary.map(
  Arbitrary.all([toolSchema, literal("name", "parameters")]),
  ([tool, part]) =>
    part === "name" ? { ...tool, name: ToolOrder.restMarker } : { ...tool, parameters: { maximum: Number.NaN } }
)

const providerOf = (tools: Arb<ReadonlyArray<ToolSchema.Input>>): Arb<ToolProvider.Options> =>
  compacted(
    Arbitrary.all({
      name: choose<string | undefined>(absent, literal("fs", "mcp")),
      plugin,
      tools: choose<ToolProvider.Tools>(
        tools,
        compacted(
          Arbitrary.all({
            schemas: tools,
            knownNames: choose<readonly string[] | undefined>(list(toolName, 2), absent)
          })
        )
      )
    })
  )

/**
 * Tool providers of up to three tools. Half of them say which names they know.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolProvider: Arb<ToolProvider.Options> = providerOf(list(toolSchema, 3))

/**
 * Tool providers whose last tool is refused.
 *
 * @since 0.1.0
 * @category contributions
 */
export const refusedToolProvider: Arb<ToolProvider.Options> = providerOf(
  Arbitrary.map(Arbitrary.all([list(toolSchema, 2), refusedToolSchema]), ([tools, refused]) => [...tools, refused])
)

/**
 * A configured order of tools; most are none. Some list tools that nobody knows, which fails the assembly.
 *
 * @since 0.1.0
 * @category contributions
 */
export const toolOrder: Arb<ReadonlyArray<string> | undefined> = choose<ReadonlyArray<string> | undefined>(
  absent,
  absent,
  absent,
  Arbitrary.map(Arbitrary.all([list(toolName, 3), literal(0, 1, 2, 3)]), ([names, at]) =>
    [...new Set(names)].toSpliced(at, 0, ToolOrder.restMarker)
  )
)

// -----------------------------------------------------------------------------
// listeners
// -----------------------------------------------------------------------------

const tagged = <const Tag extends Step["_tag"]>(tag: Tag) => Arbitrary.Constant(tag)

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

// -----------------------------------------------------------------------------
// chains
// -----------------------------------------------------------------------------

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
    (segment) => segment._tag === "Literal" || (segment._tag === "Reference" && variableNames.includes(segment.name))
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
        ...(index === 0 ? variableNames : []).flatMap((name, i) =>
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
