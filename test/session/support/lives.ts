/** Programs of what may happen to a session, and what the prompt and the routes may be. */
import { Arbitrary, Schema } from "effect"
import type * as AgentStep from "../../../src/session/AgentStep.ts"
import { inHistory, plain, tool, type World } from "./agent.ts"

const kinds = [
  "step",
  "step",
  "step",
  "step",
  "tools",
  "compact",
  "compact",
  "head",
  "retry",
  "retry",
  "steer",
  "interrupted",
  "failed",
  "unrendered",
  "together",
  "crash",
  "restart",
  "turn"
] as const

const number = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9999 }))

const Action = Schema.Struct({ kind: Schema.Literals(kinds), a: number, b: number, c: number })

export type Action = typeof Action.Type

export const programs: Arbitrary.Arbitrary<ReadonlyArray<Action>> = Arbitrary.array(Arbitrary.schema(Action), {
  minLength: 6,
  maxLength: 24
})

export const pick = <A>(all: readonly [A, ...ReadonlyArray<A>], n: number): A => all[n % all.length] ?? all[0]

const personas = ["You are Copper.", "You are Zinc.", "You are Zink, élan 🧭.", ""] as const

const policies = ["ask", "never", ""] as const

const toolLists: readonly [ReadonlyArray<string>, ...ReadonlyArray<ReadonlyArray<string>>] = [
  ["bash", "read"],
  ["bash"],
  ["read", "write", "bash"],
  []
]

export const routes: readonly [AgentStep.Route, ...ReadonlyArray<AgentStep.Route>] = [
  plain,
  inHistory,
  { config: { model: "m", provider: "p" }, systemPromptUpdate: "in-history" },
  { config: { provider: "p", model: "n", effort: "high" }, adapterDefaults: { maxTokens: true }, contextWindow: 9 }
]

/** Most actions leave most things as they are. */
export const change = (world: World, { a, b, c }: Action): void => {
  if (a % 3 === 0) world.persona = pick(personas, b)
  if (b % 3 === 0) world.policy = pick(policies, c)
  if (c % 4 === 0) world.tools = pick(toolLists, a).map(tool)
  if (c % 5 === 0) world.reversed = !world.reversed
}
