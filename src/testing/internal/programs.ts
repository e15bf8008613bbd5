/** Generators of programs. */
import * as Arbitrary from "effect/Arbitrary"
import type * as Persona from "../../Persona.ts"
import type * as Variable from "../../Variable.ts"
import * as ToolOrder from "../../ToolOrder.ts"
import * as Arbitraries from "../Arbitraries.ts"
import type { Contribution, Program, Step } from "../Program.ts"

type Arb<A> = Arbitrary.Arbitrary<A>

const { absent, choose, list, literal, mostly } = Arbitraries

/** A value that the types forbid, and that callers without types give. */
const untyped = (value: unknown): never => value as never

const scope = literal(0, 1, 2, 3, 1, 0)

/** Few variables, so that what is referred to is often there. */
const variableName = mostly(literal("a", "b"), 6, Arbitraries.variableName)

const variable: Arb<Variable.Options> = Arbitrary.map(
  Arbitrary.all([Arbitraries.variable, variableName]),
  ([options, name]) => ({ ...options, name })
)

const referringText = Arbitraries.pieces(["{{a}}", "x", "{{b}}", "{{a}}", "\n", "}}", " {"], {
  minLength: 1,
  maxLength: 4
})

const text: Arb<string> = mostly(
  choose(Arbitraries.plainText, Arbitraries.grouplessText, referringText, referringText),
  12,
  Arbitraries.bracedText
)

const persona: Arb<Persona.Options> = Arbitrary.all({
  prefix: text,
  suffix: choose<string | undefined>(absent, text),
  complete: mostly<boolean | undefined>(absent, 6, literal(true)),
  includeRuntimeContext: choose<boolean | undefined>(absent, literal(false)),
  plugin: Arbitraries.plugin
})

const section: Arb<Contribution> = Arbitrary.map(
  Arbitrary.all([
    Arbitraries.section,
    mostly<string | undefined>(text, 6, absent),
    mostly(literal(false), 6, literal(true))
  ]),
  ([options, text, complete]) => ({
    _tag: "Section",
    options: { ...options, text: text ?? options.text, ...(complete ? { complete, requires: [] } : undefined) }
  })
)

/** Refused when they run. */
const faulty: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(Arbitraries.refusedToolProvider, (options) => ({ _tag: "Tools", options })),
  Arbitrary.map(Arbitraries.faultyListener, (options) => ({ _tag: "Listener", options }))
)

/** Contributions that are refused: most when they are registered, some when they are assembled. */
const illegal: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(Arbitraries.section, (options) => ({ _tag: "Section", options: { ...options, name: "" } })),
  Arbitrary.map(Arbitraries.section, (options) => ({ _tag: "Section", options: { ...options, order: Number.NaN } })),
  Arbitrary.map(Arbitraries.section, (options) => ({
    _tag: "Section",
    options: { ...options, complete: true, requires: ["bash"] }
  })),
  Arbitrary.map(Arbitrary.all([Arbitraries.section, Arbitraries.template]), ([options, text]) => ({
    _tag: "Section",
    options: { ...options, text, interpolate: false }
  })),
  Arbitrary.map(Arbitraries.context, (options) => ({
    _tag: "Context",
    options: { ...options, order: Number.POSITIVE_INFINITY }
  })),
  Arbitrary.map(Arbitraries.variable, (options) => ({ _tag: "Variable", options: { ...options, name: "A" } })),
  Arbitrary.map(Arbitraries.toolProvider, (options) => ({ _tag: "Tools", options: { ...options, name: "" } })),
  Arbitrary.map(Arbitraries.listener, (options) => ({ _tag: "Listener", options: { ...options, name: "" } }))
)

const unreadable: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(Arbitraries.variable, (options) => ({ _tag: "Variable", options: { ...options, value: untyped(7) } })),
  Arbitrary.map(Arbitraries.section, (options) => ({
    _tag: "Section",
    options: { ...options, interpolate: true, text: untyped(7) }
  })),
  Arbitrary.map(Arbitraries.context, (options) => ({
    _tag: "Context",
    options: { ...options, interpolate: true, text: untyped(7) }
  })),
  Arbitrary.map(Arbitraries.toolProvider, (options) => ({ _tag: "Tools", options: { ...options, tools: untyped(7) } }))
)

const legal: Arb<Contribution> = choose<Contribution>(
  section,
  Arbitrary.map(variable, (options) => ({ _tag: "Variable", options })),
  section,
  Arbitrary.map(variable, (options) => ({ _tag: "Variable", options })),
  Arbitrary.map(Arbitrary.all([Arbitraries.context, text]), ([options, text]) => ({
    _tag: "Context",
    options: { ...options, text }
  })),
  Arbitrary.map(Arbitraries.toolProvider, (options) => ({ _tag: "Tools", options })),
  Arbitrary.map(Arbitraries.listener, (options) => ({ _tag: "Listener", options })),
  Arbitrary.map(persona, (options) => ({ _tag: "Persona", options })),
  Arbitrary.Constant({ _tag: "Suppressor" })
)

const contribution: Arb<Contribution> = mostly(legal, 8, choose(illegal, unreadable, faulty, faulty))

const open: Arb<Step> = Arbitrary.all({ _tag: Arbitrary.Constant("Open"), label: Arbitraries.label, parent: scope })

const register: Arb<Step> = Arbitrary.all({ _tag: Arbitrary.Constant("Register"), scope, contribution })

const look: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: Arbitrary.Constant("Assemble"), scope }),
  Arbitrary.all({ _tag: Arbitrary.Constant("Render"), scope })
)

const change: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: Arbitrary.Constant("Unregister"), registration: literal(0, 1, 2, 3, 4, 5, 6, 7) }),
  Arbitrary.all({ _tag: Arbitrary.Constant("Close"), scope }),
  Arbitrary.all({ _tag: Arbitrary.Constant("Rebind"), scope, parent: scope })
)

const step: Arb<Step> = choose(look, register, register, register, register, open, change, change)

/** Mostly an assembly and a rendering. */
const ending: Arb<ReadonlyArray<Step>> = Arbitrary.flatMap(
  literal(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
  (n): Arb<ReadonlyArray<Step>> =>
    n === 0
      ? Arbitrary.Constant([])
      : Arbitrary.all([
          Arbitrary.all({ _tag: Arbitrary.Constant("Assemble"), scope }),
          Arbitrary.all({ _tag: Arbitrary.Constant("Render"), scope })
        ])
)

const toolOrder: Arb<ReadonlyArray<string> | undefined> = mostly<ReadonlyArray<string> | undefined>(
  Arbitraries.toolOrder,
  24,
  choose<ReadonlyArray<string>>(
    Arbitrary.Constant([]),
    Arbitrary.Constant([ToolOrder.restMarker, ToolOrder.restMarker]),
    Arbitrary.Constant(["bash", "bash", ToolOrder.restMarker])
  )
)

export const program: Arb<Program> = Arbitrary.map(
  Arbitrary.all([toolOrder, list(choose(register, register, open), 8), list(step, 12), ending]),
  ([toolOrder, first, middle, last]) => ({ toolOrder, steps: [...first, ...middle, ...last] })
)
