/** The generator of programs of the registry of tools. */
import * as Arbitrary from "effect/Arbitrary"
import type { Json } from "effect/Schema"
import type * as Restriction from "../../Restriction.ts"
import * as ToolOrder from "../../ToolOrder.ts"
import * as names from "../arbitraries/names.ts"
import type { Contribution, Guard, Listener, Step, Tool, ToolRegistryProgram, Tools } from "../ToolRegistryProgram.ts"
import { absent, alone, type Arb, choose, compact, compacted, list, literal, mostly, tagged } from "./generate.ts"
import { shrinkable } from "./shrinking.ts"
import { shrink } from "./shrinkToolProgram.ts"

// -----------------------------------------------------------------------------
// contributions
// -----------------------------------------------------------------------------

/** Two of them most of the time, so that they meet. */
const toolName = mostly<string>(literal("bash", "read"), 3, names.toolName)

/** Too long by one, with characters that models do not take, empty, and reserved. */
const illegalName = literal("read file", "", "é", "a\n", ToolOrder.restMarker, "x".repeat(65))

const tool: Arb<Tool> = compacted(
  Arbitrary.all({
    name: mostly<string>(toolName, 16, illegalName),
    parameters: literal("path", "path", "count"),
    handler: mostly<Tool["handler"]>(
      literal("answers"),
      4,
      choose<Tool["handler"]>(absent, literal("gives nothing", "fails", "dies", "gives no JSON"))
    ),
    plugin: names.plugin
  })
)

/** Mostly of names that are often there. */
const toolNames = (minLength: number) =>
  Arbitrary.array(mostly<string>(toolName, 12, literal("nope", ToolOrder.restMarker, "", "read file")), {
    minLength,
    maxLength: 2
  })

const restriction: Arb<Restriction.Options> = compacted(
  Arbitrary.map(
    Arbitrary.all([
      mostly<string>(literal("allow", "deny", "both"), 24, literal("neither")),
      toolNames(0),
      toolNames(1),
      names.plugin
    ]),
    ([which, allow, deny, plugin]) => ({
      allow: which === "allow" || which === "both" ? allow : undefined,
      deny: which === "deny" || which === "both" ? deny : undefined,
      plugin
    })
  )
)

const guard: Arb<Guard> = compacted(
  Arbitrary.all({
    name: mostly<string>(literal("a", "a", "b"), 16, literal("")),
    check: literal("passes", "refuses", "passes", "fails", "dies", "forces", "passes", "refuses"),
    tool: mostly<string | undefined>(absent, 3, toolName),
    plugin: names.plugin
  })
)

const listener: Arb<Listener> = compacted(
  Arbitrary.all({
    name: literal("a", "b"),
    order: choose<number | undefined>(absent, literal(1, -1)),
    edit: literal("removes", "describes"),
    tool: toolName,
    plugin: names.plugin
  })
)

const tools: Arb<Tools> = compacted(Arbitrary.all({ name: literal("a", "zzz"), tool: toolName, plugin: names.plugin }))

// -----------------------------------------------------------------------------
// steps
// -----------------------------------------------------------------------------

/** Taken modulo the number of scopes: each is as likely as any other. */
const scope = literal(0, 1, 2, 3, 4, 5)

/** Where what is inherited is registered, and what shadows it. */
const above = literal(0, 1, 2, 1, 0, 3)

/** Where something is inherited. */
const below = mostly<number>(literal(1, 2, 1, 2, 3), 16, literal(0))

type Register = Extract<Step, { readonly _tag: "Register" }>

const register = (where: Arb<number>, contribution: Arb<Contribution>): Arb<Register> =>
  Arbitrary.all({ _tag: tagged("Register"), scope: where, contribution })

const registerTool = register(
  above,
  Arbitrary.map(tool, (options) => ({ _tag: "Tool", options }))
)

/** What there mostly is to be inherited, so that restrictions have something to restrict. */
const inherited = (name: string, scope: Arb<number>) =>
  register(
    scope,
    Arbitrary.map(tool, (options) => ({ _tag: "Tool", options: { ...options, name } }))
  )

const restrict: Arb<Register> = register(
  below,
  Arbitrary.map(restriction, (options) => ({ _tag: "Restriction", options }))
)

const other = register(
  literal(0, 1, 2, 0, 1, 3),
  choose<Contribution>(
    Arbitrary.map(guard, (options) => ({ _tag: "Guard", options })),
    Arbitrary.map(listener, (options) => ({ _tag: "Listener", options })),
    Arbitrary.map(guard, (options) => ({ _tag: "Guard", options })),
    Arbitrary.map(tools, (options) => ({ _tag: "Tools", options }))
  )
)

const open: Arb<Step> = Arbitrary.all({ _tag: tagged("Open"), label: names.label, parent: scope })

const look: Arb<Step> = Arbitrary.all({ _tag: choose<"Assemble" | "View">(tagged("Assemble"), tagged("View")), scope })

/** What a model might ask for: what is there, what is not, what is nearly there, and what only prototypes have. */
const asked = mostly<string>(
  literal("bash", "read"),
  4,
  mostly<string>(toolName, 2, literal("nope", "Bash", "bash ", "constructor", ""))
)

const given = mostly<Json>(
  choose<Json>(
    Arbitrary.Constant({ path: "a" }),
    Arbitrary.Constant({ path: "a" }),
    Arbitrary.Constant({ count: "1" })
  ),
  4,
  choose<Json>(
    Arbitrary.Constant({}),
    Arbitrary.Constant({ path: "a", count: "1" }),
    Arbitrary.Constant({ path: 1 }),
    Arbitrary.Constant({ count: "one" }),
    literal("path"),
    Arbitrary.Constant(null),
    Arbitrary.Constant([])
  )
)

const callOf = (assembly: Arb<number>): Arb<Step> =>
  Arbitrary.all({ _tag: tagged("Call"), assembly, tool: asked, arguments: given })

/** Often of the latest assembly, often of an earlier one. */
const call = callOf(literal(0, 0, 1, 2))

const unregister: Arb<Step> = Arbitrary.all({
  _tag: tagged("Unregister"),
  registration: literal(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
})

const close: Arb<Step> = Arbitrary.all({ _tag: tagged("Close"), scope })

/** What is registered in a scope that has been closed is refused. */
const late: Arb<ReadonlyArray<Step>> = Arbitrary.map(
  Arbitrary.all([literal(1, 2, 3), choose<Register>(registerTool, restrict, other)]),
  ([scope, step]): ReadonlyArray<Step> => [
    { _tag: "Close", scope },
    { ...step, scope }
  ]
)

const rebind: Arb<Step> = Arbitrary.all({ _tag: tagged("Rebind"), scope: literal(1, 2, 3), parent: scope })

/** One change between an assembly and the calls of what it shows, and mostly a look at what is there then. */
const change: Arb<ReadonlyArray<Step>> = Arbitrary.map(
  Arbitrary.all([
    choose<ReadonlyArray<Step>>(
      alone(registerTool),
      alone(restrict),
      alone(other),
      alone(unregister),
      alone(rebind),
      alone(unregister),
      alone(open),
      alone(close),
      late
    ),
    choose<ReadonlyArray<Step>>(alone(look), alone(call), Arbitrary.all([look, call]))
  ]),
  ([steps, after]) => [...steps, ...after]
)

const scopes = Arbitrary.array(open, { minLength: 2, maxLength: 3 })

const firstTools = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.all([inherited("bash", literal(0)), inherited("read", literal(0, 0, 1))]),
    list(registerTool, 3),
    list(restrict, 2)
  ]),
  (phases): ReadonlyArray<Step> => phases.flat()
)

const beginning: Arb<ReadonlyArray<Step>> = Arbitrary.map(
  Arbitrary.all([firstTools, list(other, 2), Arbitrary.array(look, { minLength: 1, maxLength: 2 })]),
  (phases) => phases.flat()
)

const middle = Arbitrary.map(list(change, 4), (changes) => changes.flat())

/** A look at one scope by both ways, and calls of what it is shown. */
const end: Arb<ReadonlyArray<Step>> = Arbitrary.map(
  Arbitrary.all([literal(1, 2, 3, 0, 1, 2), Arbitrary.array(callOf(literal(0)), { minLength: 2, maxLength: 4 })]),
  ([scope, calls]) => [{ _tag: "View", scope }, { _tag: "Assemble", scope }, ...calls]
)

const toolOrder: Arb<ReadonlyArray<string> | undefined> = mostly<ReadonlyArray<string> | undefined>(
  absent,
  4,
  choose<ReadonlyArray<string>>(
    Arbitrary.Constant([ToolOrder.restMarker, "bash"]),
    Arbitrary.Constant(["read", ToolOrder.restMarker, "bash"])
  )
)

export const program: Arb<ToolRegistryProgram> = shrinkable(
  Arbitrary.map(Arbitrary.all([toolOrder, scopes, beginning, middle, end]), ([toolOrder, ...phases]) => ({
    ...compact({ toolOrder }),
    steps: phases.flat()
  })),
  shrink
)

// -----------------------------------------------------------------------------
// what is there before a law
// -----------------------------------------------------------------------------

/** Scopes with tools and restrictions, and with whatever else registers, moves and ends. Nobody has looked yet. */
export const setup: Arb<ToolRegistryProgram> = shrinkable(
  Arbitrary.map(
    Arbitrary.all([
      scopes,
      firstTools,
      list(choose<Step>(other, registerTool, restrict, unregister, rebind, other), 4)
    ]),
    (phases) => ({ steps: phases.flat() })
  ),
  shrink
)

/** The same with tools and restrictions alone. */
export const plainSetup: Arb<ToolRegistryProgram> = shrinkable(
  Arbitrary.map(
    Arbitrary.all([scopes, firstTools, list(choose<Step>(registerTool, restrict, unregister, rebind), 3)]),
    (phases) => ({ steps: phases.flat() })
  ),
  shrink
)
