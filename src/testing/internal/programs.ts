/** The generator of programs. */
import * as Arbitrary from "effect/Arbitrary"
import type * as Persona from "../../Persona.ts"
import type * as PromptContext from "../../PromptContext.ts"
import type * as Section from "../../Section.ts"
import * as ToolOrder from "../../ToolOrder.ts"
import type * as ToolProvider from "../../ToolProvider.ts"
import type * as Variable from "../../Variable.ts"
import * as contributions from "../arbitraries/contributions.ts"
import * as listeners from "../arbitraries/listeners.ts"
import * as names from "../arbitraries/names.ts"
import * as wording from "../arbitraries/texts.ts"
import type { Listener } from "../Edit.ts"
import type { Contribution, Program, Step } from "../Program.ts"
import {
  absent,
  alone,
  type Arb,
  choose,
  compact,
  compacted,
  list,
  literal,
  mostly,
  seldom,
  tagged
} from "./generate.ts"
import { shrinkable } from "./shrinking.ts"
import { shrink } from "./shrinkProgram.ts"
import * as texts from "./texts.ts"
import { untyped } from "./untyped.ts"

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

/** Two variables most of the time, so that what a text refers to is often there. */
const variableName = mostly(literal("a", "a", "b"), 8, names.variableName)

const referringText = texts.referring(["a", "a", "b"])

/** Mostly text that renders to something. */
const text: Arb<string> = mostly(
  choose(
    literal("x", "y", "z"),
    referringText,
    literal("x {", "}}", "$&"),
    referringText,
    literal("x", "y"),
    wording.grouplessText
  ),
  12,
  wording.bracedText
)

const section: Arb<Section.Options> = Arbitrary.map(
  Arbitrary.all([contributions.section, mostly<string | undefined>(text, 12, absent), seldom(6, literal(true))]),
  ([{ requires, ...options }, text, complete]) => ({
    ...options,
    text: text ?? options.text,
    ...(complete === true ? { complete } : compact({ requires }))
  })
)

const variable: Arb<Variable.Options> = Arbitrary.map(
  Arbitrary.all([contributions.variable, variableName, seldom(3, literal("none"))]),
  ([options, name, none]) => ({ ...options, name, value: none === undefined ? options.value : undefined })
)

const context: Arb<PromptContext.Options> = Arbitrary.map(
  Arbitrary.all([contributions.context, mostly<string | undefined>(text, 12, absent)]),
  ([options, text]) => ({ ...options, text: text ?? options.text })
)

const persona: Arb<Persona.Options> = compacted(
  Arbitrary.all({
    prefix: text,
    suffix: choose<string | undefined>(absent, text),
    complete: seldom(4, literal(true)),
    includeRuntimeContext: choose<boolean | undefined>(absent, literal(false)),
    plugin: names.plugin
  })
)

const asSection = (options: Section.Options): Contribution => ({ _tag: "Section", options })
const asContext = (options: PromptContext.Options): Contribution => ({ _tag: "Context", options })
const asTools = (options: ToolProvider.Options): Contribution => ({ _tag: "Tools", options })
const asListener = (options: Listener): Contribution => ({ _tag: "Listener", options })
const asVariable = (options: Variable.Options): Contribution => ({ _tag: "Variable", options })

const legal: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(section, asSection),
  Arbitrary.map(section, asSection),
  Arbitrary.map(section, asSection),
  Arbitrary.map(variable, asVariable),
  Arbitrary.map(variable, asVariable),
  Arbitrary.map(section, asSection),
  Arbitrary.map(variable, asVariable),
  Arbitrary.map(section, asSection),
  Arbitrary.map(variable, asVariable),
  Arbitrary.map(section, asSection),
  Arbitrary.map(section, asSection),
  Arbitrary.map(context, asContext),
  Arbitrary.map(context, asContext),
  Arbitrary.map(contributions.toolProvider, asTools),
  Arbitrary.map(contributions.toolProvider, asTools),
  Arbitrary.map(listeners.listener, asListener),
  Arbitrary.map(listeners.listener, asListener),
  Arbitrary.map(persona, (options) => ({ _tag: "Persona", options })),
  Arbitrary.Constant({ _tag: "Suppressor" })
)

/** Each breaks one rule of registering. */
const illegal: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(section, (options) => asSection({ ...options, name: "" })),
  Arbitrary.map(section, (options) => asSection({ ...options, order: Number.NaN })),
  Arbitrary.map(section, (options) => asSection({ ...options, complete: true, requires: ["bash"] })),
  Arbitrary.map(Arbitrary.all([section, wording.template]), ([options, text]) =>
    asSection({ ...options, text, interpolate: false })
  ),
  Arbitrary.map(context, (options) => asContext({ ...options, order: Infinity })),
  Arbitrary.map(variable, (options) => asVariable({ ...options, name: "A" })),
  Arbitrary.map(contributions.toolProvider, (options) => asTools({ ...options, name: "" })),
  Arbitrary.map(listeners.listener, (options) => asListener({ ...options, name: "" }))
)

/** Registered without complaint, and refused in an assembly. */
const refused: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(contributions.refusedToolProvider, asTools),
  Arbitrary.map(listeners.faultyListener, asListener),
  Arbitrary.map(listeners.faultyListener, asListener),
  choose<Contribution>(
    Arbitrary.map(variable, (options) => asVariable({ ...options, value: untyped(7) })),
    Arbitrary.map(section, (options) => asSection({ ...options, interpolate: true, text: untyped(7) })),
    Arbitrary.map(context, (options) => asContext({ ...options, interpolate: true, text: untyped(7) })),
    Arbitrary.map(contributions.toolProvider, (options) => asTools({ ...options, tools: untyped(7) }))
  )
)

const contribution: Arb<Contribution> = mostly(legal, 12, choose(illegal, refused, refused))

// -----------------------------------------------------------------------------
// steps
// -----------------------------------------------------------------------------

/** Taken modulo the number of scopes: each is as likely as any other. */
const scope = literal(0, 1, 2, 3, 4, 5)

const open: Arb<Step> = Arbitrary.all({ _tag: tagged("Open"), label: names.label, parent: scope })

/** Often in the global scope, for all to see. */
const register: Arb<Step> = Arbitrary.all({ _tag: tagged("Register"), scope: literal(0, 1, 2, 0, 1), contribution })

const look: Arb<Step> = Arbitrary.all({
  _tag: choose<"Assemble" | "Render">(tagged("Assemble"), tagged("Render")),
  scope
})

const rebinding: Arb<ReadonlyArray<Step>> = Arbitrary.map(
  Arbitrary.all([literal(1, 2, 3), scope]),
  ([scope, parent]) => [
    { _tag: "Rebind", scope, parent },
    { _tag: "Render", scope }
  ]
)

const change: Arb<ReadonlyArray<Step>> = choose<ReadonlyArray<Step>>(
  alone(look),
  alone(register),
  alone(register),
  alone(open),
  alone(Arbitrary.all({ _tag: tagged("Unregister"), registration: literal(0, 1, 2, 3, 4, 5, 6, 7) })),
  alone(Arbitrary.all({ _tag: tagged("Close"), scope })),
  rebinding,
  rebinding
)

const scopes = Arbitrary.array(open, { minLength: 1, maxLength: 3 })

const beginning = Arbitrary.array(register, { minLength: 3, maxLength: 6 })

const middle = Arbitrary.map(list(change, 5), (changes) => changes.flat())

/** Most programs end in looking twice at one scope, and once at another. */
const end: Arb<ReadonlyArray<Step>> = mostly<ReadonlyArray<Step>>(
  Arbitrary.map(Arbitrary.all([scope, look]), ([scope, last]) => [
    { _tag: "Assemble", scope },
    { _tag: "Render", scope },
    last
  ]),
  8,
  alone(look)
)

const toolOrder: Arb<ReadonlyArray<string> | undefined> = mostly<ReadonlyArray<string> | undefined>(
  choose<ReadonlyArray<string> | undefined>(absent, contributions.toolOrder),
  32,
  choose<ReadonlyArray<string>>(
    Arbitrary.Constant([]),
    Arbitrary.Constant([ToolOrder.restMarker, ToolOrder.restMarker]),
    Arbitrary.Constant(["bash", "bash", ToolOrder.restMarker])
  )
)

export const program: Arb<Program> = shrinkable(
  Arbitrary.map(Arbitrary.all([toolOrder, scopes, beginning, middle, end]), ([toolOrder, ...phases]) => ({
    ...compact({ toolOrder }),
    steps: phases.flat()
  })),
  shrink
)
