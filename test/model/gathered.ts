/**
 * Programs in which few things of few names come together, so that they meet: listeners that undo each other's work,
 * names that three scopes share, registrations that come and go. `Program.arbitrary` has everything, and so seldom much
 * of one kind.
 */
import { Arbitrary } from "effect"
import * as Arbitraries from "../../src/testing/Arbitraries.ts"
import type * as Edit from "../../src/testing/Edit.ts"
import { absent, type Arb, choose, compact, literal, seldom } from "../../src/testing/internal/generate.ts"
import { shrinkable } from "../../src/testing/internal/shrinking.ts"
import { shrink } from "../../src/testing/internal/shrinkProgram.ts"
import type { Contribution, Program, Step } from "../../src/testing/Program.ts"

const tagged = <const Tag extends string>(tag: Tag): Arb<Tag> => Arbitrary.Constant(tag)

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

const name = literal("a", "b")
const text = literal("x", "y", "{{a}}", "{{a}}{{b}}")
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

const tools: Arb<Contribution> = Arbitrary.map(Arbitraries.toolProvider, (options) => ({ _tag: "Tools", options }))

const suppressor: Arb<Contribution> = Arbitrary.Constant({ _tag: "Suppressor" })

const edit: Arb<Edit.Step> = choose<Edit.Step>(
  Arbitrary.map(words, ({ name, order, text }) => ({ _tag: "ReplaceSection", section: { name, order, text } })),
  Arbitrary.map(words, ({ order, text }) => ({ _tag: "AddSection", section: { name: "added", order, text } })),
  Arbitrary.all({ _tag: tagged("SetVariable"), name, value }),
  Arbitrary.all({ _tag: tagged("RemoveVariable"), name }),
  Arbitrary.all({ _tag: tagged("RemoveSection"), name }),
  Arbitrary.all({ _tag: tagged("ReverseSections") }),
  Arbitrary.map(words, ({ order, text }) => ({ _tag: "AddContext", context: { name: "added", order, text } })),
  Arbitrary.all({ _tag: tagged("AddTool"), tool: Arbitraries.toolSchema }),
  Arbitrary.all({ _tag: tagged("RemoveTool"), name: literal("bash", "read") })
)

const listener: Arb<Contribution> = Arbitrary.map(
  Arbitrary.all({
    name: literal("l1", "l2"),
    order: choose<number | undefined>(absent, literal(0, 1)),
    global: seldom(2, literal(true)),
    plugin,
    steps: Arbitrary.array(edit, { minLength: 1, maxLength: 2 })
  }),
  (options) => ({ _tag: "Listener", options: compact(options) })
)

/** Of each program one. */
const gatherings: ReadonlyArray<Arb<Contribution>> = [
  choose(section, variable, listener, listener),
  choose(section, context, variable),
  choose(context, variable, suppressor, listener),
  choose(tools, guidance, listener)
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
  Arbitrary.flatMap(literal(0, 1, 2, 3), (which) => {
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
