/**
 * Generators of contributions and of whole chains of overlays.
 *
 * Everything that can collide does so often: names are few, orders tie, labels of scopes repeat, half of all texts have
 * braces. Everything generated is plain data (listeners too, see `edits.ts`), so that a counterexample can be read, and
 * is made of lists of small pieces, so that it shrinks to little. The first alternative is always the simplest one.
 */
import { Arbitrary, Schema } from "effect"
import type * as PromptContext from "../PromptContext.ts"
import type * as Section from "../Section.ts"
import * as Template from "../Template.ts"
import * as ToolOrder from "../ToolOrder.ts"
import type * as ToolProvider from "../ToolProvider.ts"
import type * as ToolSchema from "../ToolSchema.ts"
import type * as Variable from "../Variable.ts"
import { VariableName } from "../VariableName.ts"
import type { Listener, Step } from "./Edit.ts"

type Arb<A> = Arbitrary.Arbitrary<A>

// -----------------------------------------------------------------------------
// combinators
// -----------------------------------------------------------------------------

/** One of the values; shrinks towards the first. */
export const literal = <const A extends string | number | boolean>(...values: ReadonlyArray<A>): Arb<A> =>
  Arbitrary.schema(Schema.Literals(values))

const below = (end: number): Arb<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: end - 1 })))

/** One of the alternatives, each as likely as it is often there; shrinks towards the first. */
export const choose = <A>(first: Arb<A>, ...rest: ReadonlyArray<Arb<A>>): Arb<A> =>
  Arbitrary.flatMap(below(rest.length + 1), (i) => rest[i - 1] ?? first)

/** The first, but one time in `rarity` the second. */
export const mostly = <A>(usual: Arb<A>, rarity: number, odd: Arb<A>): Arb<A> =>
  Arbitrary.flatMap(below(rarity), (i) => (i === rarity - 1 ? odd : usual))

export const absent: Arb<undefined> = Arbitrary.Constant(undefined)

export const list = <A>(item: Arb<A>, maxLength: number): Arb<ReadonlyArray<A>> => Arbitrary.array(item, { maxLength })

/** A list without two of one name. */
export const distinct = <A extends { readonly name: string }>(item: Arb<A>, maxLength: number): Arb<ReadonlyArray<A>> =>
  Arbitrary.map(list(item, maxLength), (all) =>
    all.filter((one, i) => all.findIndex((other) => other.name === one.name) === i)
  )

/** Decisions for `shuffled`. */
export const picks: Arb<ReadonlyArray<number>> = list(below(1_000), 40)

/** The list in the order that the picks decide; without picks as it is. */
export const shuffled = <A>(all: ReadonlyArray<A>, by: ReadonlyArray<number>): ReadonlyArray<A> => {
  const rest = [...all]
  return all.flatMap((_, i) => rest.splice((by[i % by.length] ?? 0) % rest.length, 1))
}

// -----------------------------------------------------------------------------
// names and orders
// -----------------------------------------------------------------------------

/** Of sections and contexts. Code units, collation and prototypes disagree about their order. */
export const name: Arb<string> = literal("a", "b", "B", "a-1", "é", "e\u0301", "{{a}}", "constructor", "__proto__")

export const plugin: Arb<string | undefined> = choose<string | undefined>(absent, literal("core", "extra"))

/** Half of all tie. */
export const order: Arb<number> = choose<number>(literal(0, 1), literal(0, -1, 0.5, 1000, -1e9, Number.MAX_VALUE))

export const variableName: Arb<string> = literal("a", "b", "c", "constructor", "to_string")

export const toolName: Arb<string> = literal("bash", "read", "a", "B", "__proto__")

/** Of prompt scopes: two of one label are two. */
export const label: Arb<string> = literal("agent", "preset", "agent", "global")

// -----------------------------------------------------------------------------
// texts
// -----------------------------------------------------------------------------

/** A text of some of the given pieces. */
export const pieces = (
  alphabet: ReadonlyArray<string>,
  lengths: { readonly minLength?: number; readonly maxLength: number }
): Arb<string> =>
  Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(alphabet)), lengths), (all) => all.join(""))

const prose = [
  "x",
  " ",
  "\n",
  "\n\n",
  "é",
  "e\u0301",
  "😀",
  "\ud83d",
  "$&",
  "$1",
  "\\",
  "<b>",
  "&amp;",
  "\u200b",
  "\r\n"
]

/** No braces. */
export const plainText: Arb<string> = pieces(prose, { maxLength: 5 })

/** Braces of all kinds, but no `{{`: it renders to itself. */
export const grouplessText: Arb<string> = Arbitrary.map(
  pieces([...prose, "{", "}", "}}", "{a", "{ {", "a}}"], { maxLength: 8 }),
  (text) => text.replaceAll(/\{\{+/gu, "{")
)

/** References to variables and text between them, nothing malformed. */
export const referringText: Arb<string> = pieces(
  ["{{a}}", "{{b}}", "{{c}}", "{{constructor}}", "{{to_string}}", "x", "\n", "😀", "$&", " {"],
  { minLength: 1, maxLength: 4 }
)

/** Braces in all arrangements, with little between them. */
export const bracedText: Arb<string> = pieces(
  ["{{", "}}", "{{", "}}", "{", "}", "a", " ", "\n", "A", "{{a}}", "{{nope}}"],
  { minLength: 2, maxLength: 10 }
)

/** Any text; half have braces. */
export const text: Arb<string> = choose(plainText, plainText, plainText, referringText, bracedText, bracedText)

const hole: Arb<Template.Template> = choose<Template.Template>(
  Arbitrary.map(text, Template.verbatim),
  Arbitrary.map(variableName, (name) => Template.ref(VariableName.make(name)))
)

/** References between literal parts with any braces. */
export const template: Arb<Template.Template> = Arbitrary.map(list(hole, 4), (holes) =>
  holes.reduce<Template.Template>((all, one) => Template.text`${all}${one}`, Template.verbatim(""))
)

/** Values of variables: many would do harm if they were read again, or taken for a pattern. */
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
  Arbitrary.all({ text, interpolate: choose<boolean | undefined>(absent, literal(true)) }),
  Arbitrary.all({ text: template }),
  Arbitrary.all({ text, interpolate: literal(false) })
)

const head = Arbitrary.all({ name, order, plugin })

/** One in 16 is complete. */
export const section: Arb<Section.Options> = Arbitrary.map(
  Arbitrary.all([
    head,
    body,
    mostly<readonly string[] | "complete">(
      mostly(Arbitrary.Constant([]), 4, list(toolName, 2)),
      16,
      literal("complete")
    )
  ]),
  ([head, body, demands]) => ({
    ...head,
    ...body,
    ...(demands === "complete" ? { complete: true } : { requires: demands })
  })
)

export const context: Arb<PromptContext.Options> = Arbitrary.map(Arbitrary.all([head, body]), ([head, body]) => ({
  ...head,
  ...body
}))

/** One in four has no value. */
export const variable: Arb<Variable.Options> = Arbitrary.all({
  name: variableName,
  value: mostly<string | undefined>(value, 4, absent),
  plugin
})

const parameters: Arb<object> = Arbitrary.map(
  literal("{}", '{"type":"object"}', '{"type":"object","properties":{"{{a}}":{"enum":[1,null]}}}'),
  (json): object => JSON.parse(json)
)

/** A tool as a host keeps it, with fields of its own. */
export const tool: Arb<ToolSchema.Input> = Arbitrary.all({
  name: toolName,
  description: text,
  parameters,
  deferLoading: choose<unknown>(absent, literal<boolean | string>(true, false, "true")),
  timeoutMs: literal(1, 2)
})

const reservedTool = Arbitrary.map(tool, (tool): ToolSchema.Input => ({ ...tool, name: ToolOrder.restMarker }))

const invalidTool = Arbitrary.map(tool, (tool): ToolSchema.Input => ({ ...tool, parameters: { maximum: Number.NaN } }))

const tools = list(tool, 3)

const provider = (tools: Arb<ReadonlyArray<ToolSchema.Input>>): Arb<ToolProvider.Options> =>
  Arbitrary.all({
    name: choose<string | undefined>(absent, literal("fs", "mcp")),
    plugin,
    tools: choose<ToolProvider.Tools>(
      tools,
      Arbitrary.all({ schemas: tools, knownNames: choose<readonly string[] | undefined>(list(toolName, 2), absent) })
    )
  })

/** Up to three tools. */
export const toolProvider: Arb<ToolProvider.Options> = provider(tools)

/** Its last tool is refused. */
export const refusedToolProvider: Arb<ToolProvider.Options> = provider(
  Arbitrary.map(Arbitrary.all([tools, choose(reservedTool, invalidTool)]), ([tools, refused]) => [...tools, refused])
)

/** Most are none; some list tools that nobody knows. */
export const toolOrder: Arb<ReadonlyArray<string> | undefined> = choose<ReadonlyArray<string> | undefined>(
  absent,
  absent,
  absent,
  Arbitrary.map(Arbitrary.all([list(toolName, 3), below(4)]), ([names, at]) =>
    [...new Set(names)].toSpliced(at, 0, ToolOrder.restMarker)
  )
)

// -----------------------------------------------------------------------------
// listeners
// -----------------------------------------------------------------------------

const added = literal("added-1", "added-2", "a")

const step: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: Arbitrary.Constant("Annotate"), value: literal("x", "y") }),
  Arbitrary.map(Arbitrary.all([section, added]), ([{ order, text, interpolate, requires }, name]) => ({
    _tag: "AddSection",
    section: { name, order, text, interpolate, requires }
  })),
  Arbitrary.map(section, ({ name, order, text, interpolate, requires }) => ({
    _tag: "ReplaceSection",
    section: { name, order, text, interpolate, requires }
  })),
  Arbitrary.all({ _tag: Arbitrary.Constant("RemoveSection"), name }),
  Arbitrary.all({ _tag: Arbitrary.Constant("ReverseSections") }),
  Arbitrary.map(Arbitrary.all([context, added]), ([{ order, text, interpolate }, name]) => ({
    _tag: "AddContext",
    context: { name, order, text, interpolate }
  })),
  Arbitrary.all({ _tag: Arbitrary.Constant("RemoveContext"), name }),
  Arbitrary.all({ _tag: Arbitrary.Constant("AddTool"), tool: mostly(tool, 20, choose(reservedTool, invalidTool)) }),
  Arbitrary.all({ _tag: Arbitrary.Constant("DescribeTool"), name: toolName, description: text }),
  Arbitrary.all({ _tag: Arbitrary.Constant("RemoveTool"), name: toolName }),
  Arbitrary.all({
    _tag: Arbitrary.Constant("SetVariable"),
    name: variableName,
    value: mostly<string | undefined>(value, 4, absent)
  }),
  Arbitrary.all({ _tag: Arbitrary.Constant("RemoveVariable"), name: variableName })
)

const mistake: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: Arbitrary.Constant("Throw"), message: literal("boom") }),
  Arbitrary.all({ _tag: Arbitrary.Constant("Promise") })
)

const listening = (steps: Arb<ReadonlyArray<Step>>): Arb<Listener> =>
  Arbitrary.all({
    name: literal("l1", "l2", "mask"),
    order: mostly<number | undefined>(order, 2, absent),
    global: mostly<boolean | undefined>(absent, 5, literal(true, false)),
    plugin,
    steps
  })

/** Up to three edits. Some give two sections of one name, or tools that are refused. */
export const listener: Arb<Listener> = listening(list(step, 3))

/** It throws, or gives a Promise. */
export const faultyListener: Arb<Listener> = listening(Arbitrary.map(mistake, (one) => [one]))

// -----------------------------------------------------------------------------
// overlays
// -----------------------------------------------------------------------------

/** What is registered in one scope. */
export interface Overlay {
  readonly label: string
  readonly sections: ReadonlyArray<Section.Options>
  readonly contexts: ReadonlyArray<PromptContext.Options>
  readonly variables: ReadonlyArray<Variable.Options>
  readonly tools: ReadonlyArray<ToolProvider.Options>
  readonly listeners: ReadonlyArray<Listener>
  readonly suppressors: number
}

/** One in ten suppresses contexts, some of these twice. */
export const overlay: Arb<Overlay> = Arbitrary.all({
  label,
  sections: distinct(section, 4),
  contexts: distinct(context, 3),
  variables: distinct(variable, 10),
  tools: list(mostly(toolProvider, 20, refusedToolProvider), 2),
  listeners: distinct(mostly(listener, 30, faultyListener), 2),
  suppressors: mostly(Arbitrary.Constant(0), 10, literal(1, 2))
})

/**
 * The overlays of a chain, farthest first. The first is the global one, whatever its label says. Global listeners have
 * names that tell their overlays apart, since all of them end up in the first one.
 */
export const overlays: Arb<ReadonlyArray<Overlay>> = Arbitrary.map(
  Arbitrary.array(overlay, { minLength: 1, maxLength: 4 }),
  (chain) =>
    chain.map((one, index) => ({
      ...one,
      listeners: one.listeners.map((listener) =>
        listener.global === true ? { ...listener, name: `${listener.name} of ${index}` } : listener
      )
    }))
)

const variableNames = ["a", "b", "c", "constructor", "to_string"]

/** Whether a text renders once all variables have values. */
const renders = (text: Template.Text): boolean =>
  Template.parse(text).every(
    (segment) => segment._tag === "Literal" || (segment._tag === "Reference" && variableNames.includes(segment.name))
  )

const literally = <A extends Body>(one: A): A => (renders(one.text) ? one : { ...one, interpolate: false })

/** Overlays without listeners that render: text that does not is data, and every variable has a value. */
export const renderable: Arb<ReadonlyArray<Overlay>> = Arbitrary.map(
  Arbitrary.all([overlays, Arbitrary.array(value, { minLength: 5, maxLength: 5 })]),
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
