/**
 * Programs in which few things of few names come together, so that they meet: listeners that undo each other's work,
 * names that three scopes share, registrations that come and go, many failures of which one comes first. `Program.arbitrary` has everything, and so seldom much
 * of one kind.
 */
import { Arbitrary } from "effect"
import * as Template from "../../src/Template.ts"
import type * as ToolProvider from "../../src/ToolProvider.ts"
import type * as ToolSchema from "../../src/ToolSchema.ts"
import { VariableName } from "../../src/VariableName.ts"
import * as Arbitraries from "../../src/testing/Arbitraries.ts"
import type * as Edit from "../../src/testing/Edit.ts"
import { absent, type Arb, choose, compact, literal, mostly, seldom } from "../../src/testing/internal/generate.ts"
import { shrinkable } from "../../src/testing/internal/shrinking.ts"
import { shrink } from "../../src/testing/internal/shrinkProgram.ts"
import type { Contribution, Program, Step } from "../../src/testing/Program.ts"

const tagged = <const Tag extends string>(tag: Tag): Arb<Tag> => Arbitrary.Constant(tag)

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

const name = literal("a", "b")
const lookingAlike = literal("x", "y", "{{a}}", "{{a}}{{b}}")
const text = choose<Template.Text>(
  lookingAlike,
  lookingAlike,
  Arbitrary.map(lookingAlike, Template.verbatim),
  mostly<Template.Text>(Arbitrary.Constant(Template.ref(VariableName.make("a"))), 4, literal("{{_a}}", "{{1}}"))
)
const plugin = choose<string | undefined>(absent, literal("core"))
const value = literal("x", "", "{{b}}", "}}")

const words = Arbitrary.all({ name, order: literal(0, 0, 1), text, plugin })

const variable: Arb<Contribution> = Arbitrary.map(Arbitrary.all({ name, value, plugin }), (options) => ({
  _tag: "Variable",
  options: compact(options)
}))

const section: Arb<Contribution> = Arbitrary.map(words, (options) => ({ _tag: "Section", options: compact(options) }))

const guidance: Arb<Contribution> = Arbitrary.map(words, (options) => ({
  _tag: "Section",
  options: { ...compact(options), requires: ["bash"] }
}))

const context: Arb<Contribution> = Arbitrary.map(words, (options) => ({ _tag: "Context", options: compact(options) }))

const bash = { name: "bash", description: "Run", parameters: {} }

const tools: Arb<Contribution> = Arbitrary.map(
  choose<ToolProvider.Options>(
    Arbitraries.toolProvider,
    Arbitrary.map(Arbitrary.array(literal("Run", "Walk"), { minLength: 1, maxLength: 3 }), (descriptions) => ({
      tools: descriptions.map((description) => ({ ...bash, description }))
    }))
  ),
  (options) => ({ _tag: "Tools", options })
)

const suppressor: Arb<Contribution> = Arbitrary.Constant({ _tag: "Suppressor" })

/** A value that the types forbid. */
const unreadable = (): never => 7 as never

/** Which of two is the first to fail that have one scope, name and plugin is open. So that it does not show, all fail alike. */
const failingTools = (plugin: string | undefined, tool: ToolSchema.Input): Arb<Contribution> =>
  Arbitrary.map(choose<string | undefined>(absent, name), (name) => ({
    _tag: "Tools",
    options: { ...compact({ name, plugin }), tools: [tool] }
  }))

/** Each fails in an assembly, if nothing that is evaluated before it does. */
const failing: Arb<Contribution> = choose<Contribution>(
  Arbitrary.map(words, (options) => ({ _tag: "Section", options: { ...compact(options), text: unreadable() } })),
  Arbitrary.map(words, (options) => ({ _tag: "Context", options: { ...compact(options), text: unreadable() } })),
  Arbitrary.map(Arbitrary.all({ name, plugin }), (options) => ({
    _tag: "Variable",
    options: { ...compact(options), value: unreadable() }
  })),
  failingTools("core", { ...bash, name: "" }),
  failingTools(undefined, { ...bash, name: "<unlisted-tools>" }),
  failingTools("extra", { ...bash, description: unreadable() })
)

const edit: Arb<Edit.Step> = choose<Edit.Step>(
  Arbitrary.map(words, ({ name, order, text }) => ({ _tag: "ReplaceSection", section: { name, order, text } })),
  Arbitrary.map(words, ({ order, text }) => ({ _tag: "AddSection", section: { name: "added", order, text } })),
  Arbitrary.all({ _tag: tagged("SetVariable"), name, value }),
  Arbitrary.all({ _tag: tagged("RemoveVariable"), name }),
  Arbitrary.all({ _tag: tagged("RemoveSection"), name }),
  Arbitrary.all({ _tag: tagged("ReverseSections") }),
  Arbitrary.map(words, ({ order, text }) => ({ _tag: "AddContext", context: { name: "added", order, text } })),
  Arbitrary.all({
    _tag: tagged("AddTool"),
    tool: choose<ToolSchema.Input>(Arbitrary.Constant(bash), Arbitraries.toolSchema)
  }),
  Arbitrary.all({
    _tag: tagged("DescribeTool"),
    name: Arbitrary.Constant("bash"),
    description: literal("Run", "Walk")
  }),
  Arbitrary.all({ _tag: tagged("RemoveTool"), name: literal("bash", "read") })
)

/** Each breaks one rule of an assembly, the last two if there is a part of that name. */
const flawed: Arb<Edit.Step> = choose<Edit.Step>(
  Arbitrary.map(words, (section) => ({ _tag: "AddSection", section: { ...section, name: "" } })),
  Arbitrary.map(words, (section) => ({ _tag: "ReplaceSection", section: { ...section, order: Number.NaN } })),
  Arbitrary.map(Arbitrary.all([words, Arbitraries.template]), ([context, text]) => ({
    _tag: "AddContext",
    context: { ...context, text, interpolate: false }
  })),
  Arbitrary.all({ _tag: tagged("SetVariable"), name: literal("A", ""), value }),
  Arbitrary.Constant({ _tag: "AddTool", tool: { ...bash, name: "" } }),
  Arbitrary.map(words, (section) => ({ _tag: "AddSection", section })),
  Arbitrary.map(words, (context) => ({ _tag: "AddContext", context }))
)

/** Takes tools away and puts one or two back: what says the same as before is what it was. */
const swap: Arb<ReadonlyArray<Edit.Step>> = Arbitrary.map(
  Arbitrary.array(literal("Run", "Walk"), { minLength: 1, maxLength: 2 }),
  (descriptions): ReadonlyArray<Edit.Step> => [
    { _tag: "RemoveTool", name: "bash" },
    ...descriptions.map((description) => ({ _tag: "AddTool" as const, tool: { ...bash, description } }))
  ]
)

const listener: Arb<Contribution> = Arbitrary.map(
  Arbitrary.all({
    name: literal("l1", "l2"),
    order: choose<number | undefined>(absent, literal(0, 1)),
    global: seldom(2, literal(true)),
    plugin,
    steps: mostly<ReadonlyArray<Edit.Step>>(
      Arbitrary.array(mostly(edit, 12, flawed), { minLength: 1, maxLength: 2 }),
      5,
      swap
    )
  }),
  (options) => ({ _tag: "Listener", options: compact(options) })
)

/** Of each program one. */
const gatherings: ReadonlyArray<Arb<Contribution>> = [
  choose(section, variable, listener, listener),
  choose(section, context, variable),
  choose(context, variable, suppressor, listener),
  choose(tools, guidance, listener),
  choose(failing, failing, section, variable)
]

// -----------------------------------------------------------------------------
// steps
// -----------------------------------------------------------------------------

const scope = literal(2, 1, 0)

const register = (contribution: Arb<Contribution>): Arb<Step> =>
  Arbitrary.all({ _tag: tagged("Register"), scope, contribution })

const change: Arb<Step> = choose<Step>(
  Arbitrary.all({ _tag: tagged("Unregister"), registration: literal(0, 1, 2, 3, 4) }),
  Arbitrary.all({ _tag: tagged("Rebind"), scope, parent: scope }),
  Arbitrary.all({ _tag: tagged("Close"), scope: literal(1, 2) })
)

const look: ReadonlyArray<Step> = [
  { _tag: "Assemble", scope: 2 },
  { _tag: "Render", scope: 2 }
]

/** Three scopes, one below the other; the lowest is looked at, twice with a change between. */
export const gathered: Arb<Program> = shrinkable(
  Arbitrary.flatMap(literal(...gatherings.keys()), (which) => {
    const one = register(gatherings[which]!)
    return Arbitrary.map(
      Arbitrary.all([Arbitrary.array(one, { minLength: 3, maxLength: 7 }), choose(change, one)]),
      ([registers, change]): Program => ({
        steps: [
          { _tag: "Open", label: "agent", parent: 0 },
          { _tag: "Open", label: "agent", parent: 1 },
          ...registers,
          ...look,
          change,
          ...look
        ]
      })
    )
  }),
  shrink
)
