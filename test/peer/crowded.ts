/**
 * Programs in which much comes together that `Program.arbitrary` seldom brings together: two scopes, contributions that
 * collide, and several of them at fault in one assembly.
 */
import { Arbitrary } from "effect"
import * as Arbitraries from "../../src/testing/Arbitraries.ts"
import { type Arb, choose, compact, literal, mostly } from "../../src/testing/internal/generate.ts"
import { shrinkable } from "../../src/testing/internal/shrinking.ts"
import { shrink } from "../../src/testing/internal/shrinkProgram.ts"
import type { Contribution, Program, Step } from "../../src/testing/Program.ts"
import { untyped } from "../support/untyped.ts"
import { restMarker } from "./order.ts"

const name = literal("a", "b")

const good = mostly(literal(true), 4, literal(false))

const context: Arb<Contribution> = Arbitrary.map(
  Arbitrary.all([name, literal(0, 0, 1), good]),
  ([name, order, good]) => ({
    _tag: "Context",
    options: { name, order, text: good ? name : untyped(7) }
  })
)

const variable: Arb<Contribution> = Arbitrary.map(Arbitrary.all([name, good]), ([name, good]) => ({
  _tag: "Variable",
  options: { name, value: good ? "v" : untyped(7) }
}))

const contribution: Arb<Contribution> = choose<Contribution>(
  variable,
  variable,
  Arbitrary.map(
    Arbitrary.all([
      Arbitraries.section,
      name,
      literal(0, 1),
      literal("{{a}}", "{{b}}", "{{a}}{{b}}", "x"),
      mostly(literal(true), 2, literal(false))
    ]),
    ([section, name, order, text, isPart]) => ({
      _tag: "Section",
      options: { ...section, name, order, text, ...(isPart ? undefined : { complete: true, requires: [] }) }
    })
  ),
  context,
  context,
  context,
  Arbitrary.map(Arbitrary.all([Arbitraries.toolProvider, good]), ([provider, good]) => ({
    _tag: "Tools",
    options: good ? provider : { ...provider, tools: untyped(7) }
  })),
  Arbitrary.map(Arbitraries.toolSchema, (tool) => ({
    _tag: "Tools",
    options: { tools: { schemas: [tool], knownNames: [] } }
  })),
  Arbitrary.map(Arbitrary.array(Arbitraries.toolSchema, { minLength: 1, maxLength: 3 }), (schemas) => ({
    _tag: "Tools",
    options: { tools: { schemas, knownNames: ["bash", "read", "a", "B"] } }
  })),
  Arbitrary.map(Arbitraries.refusedToolProvider, (options) => ({ _tag: "Tools", options }))
)

const register: Arb<Step> = Arbitrary.map(Arbitrary.all([literal(0, 1), contribution]), ([scope, contribution]) => ({
  _tag: "Register",
  scope,
  contribution
}))

/** Another value for what is there, so that nothing is kept that has changed. */
const change: Arb<Step> = choose<Step>(
  Arbitrary.map(literal(0, 1, 2, 3), (registration) => ({ _tag: "Unregister", registration })),
  Arbitrary.map(Arbitrary.all([name, literal("x", "y")]), ([name, value]) => ({
    _tag: "Register",
    scope: 1,
    contribution: { _tag: "Variable", options: { name, value } }
  }))
)

const toolOrder = choose<ReadonlyArray<string> | undefined>(
  Arbitrary.Constant(undefined),
  Arbitraries.toolOrder,
  Arbitrary.Constant(["bash", "read", "a", "B", restMarker]),
  Arbitrary.Constant(["read", restMarker, "bash", "a"])
)

const looks: ReadonlyArray<Step> = [
  { _tag: "Assemble", scope: 1 },
  { _tag: "Render", scope: 1 }
]

export const crowded: Arb<Program> = shrinkable(
  Arbitrary.map(
    Arbitrary.all([
      toolOrder,
      Arbitrary.array(register, { minLength: 2, maxLength: 8 }),
      Arbitrary.array(change, { maxLength: 2 })
    ]),
    ([toolOrder, registers, changes]) => ({
      ...compact({ toolOrder }),
      steps: [
        { _tag: "Open", label: "agent", parent: 0 },
        ...registers,
        ...looks,
        ...(changes.length === 0 ? [] : [...changes, ...looks])
      ]
    })
  ),
  shrink
)
