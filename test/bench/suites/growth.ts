/** How the time of a step, of a registration and of rendering grows with what there is. */
import { Effect, Stream } from "effect"
import { PromptScope } from "../../../src/index.ts"
import { seeded } from "../../support/random.ts"
import * as pairs from "../pair.ts"
import * as dsh from "../peers/dsh.ts"
import * as preamble from "../peers/preamble.ts"
import type { Row, RunOptions, Suite } from "../suite.ts"
import * as sweeps from "../sweeps.ts"
import { nothing, step, textOf, toolOf, type Contributions, type Workload } from "../workloads.ts"
import { braces } from "./braces.ts"
import * as xl from "./xl.ts"

const range = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)

const global = (change: Partial<Contributions>): Workload => ({
  name: "sweep",
  chain: [{ ...nothing, variables: [{ name: step, value: "" }], ...change }]
})

const sectionsOf = (n: number, bytes: number): Contributions["sections"] =>
  range(n).map((i) => ({
    name: `section-${i}`,
    order: i + 1,
    text: textOf(seeded(i), bytes, [step]),
    dynamic: false
  }))

const toolsOf = (n: number, bytes: number) => range(n).map((i) => toolOf(seeded(i), `tool_${i}`, bytes))

/** Steps of ours in which nothing changes; the peer does the same work whatever changes. */
const steady = (workload: (n: number) => Workload, style?: preamble.Style): Pick<sweeps.Sweep, "ours" | "peer"> => ({
  ours: async (n) => {
    const ours = await preamble.boot(workload(n), style)
    return (times) => preamble.program(ours, pairs.keep, times)
  },
  peer: async (n) => peerSteps(await dsh.boot(workload(n)))
})

const peerSteps =
  (theirs: dsh.Peer): sweeps.Run =>
  async (times) => {
    for (let i = 0; i < times; i++) await dsh.stepOnce(theirs)
  }

const chainOf = (depth: number): Workload => {
  const [first] = global({ sections: sectionsOf(4, 500) }).chain
  const below = range(depth - 1).map((i) => ({ ...nothing, variables: [{ name: `own_${i}`, value: `${i}` }] }))
  return { name: "chain", chain: [first, ...below] }
}

const toolOrder = (n: number): Workload => {
  const tools = toolsOf(n, 100)
  const names = tools.map(({ name }) => name).reverse()
  return {
    ...global({ tools: [tools] }),
    toolOrder: [...names.slice(0, n / 2), "<unlisted-tools>", ...names.slice(n / 2)]
  }
}

/** An array that nobody has seen before, so that its order has to be found. */
const again: preamble.Style = (tools) => {
  const made = preamble.made(tools)
  return () => [...made()]
}

/** Steps of one scope among others that share nothing with it but the global contributions. */
const among = (listeners: boolean): Pick<sweeps.Sweep, "ours" | "peer"> => {
  const shared = global({ sections: sectionsOf(10, 500) })
  return {
    ours: async (n) => {
      const ours = await preamble.boot(shared)
      const [scope] = await xl.scopes(ours, n, listeners)
      return (times) => preamble.program({ ...ours, scope: scope! }, pairs.keep, times)
    },
    peer: async (n) => {
      const theirs = await dsh.boot(shared)
      const [scope] = xl.peerScopes(theirs, n, listeners)
      return peerSteps({ ...theirs, scope })
    }
  }
}

/** Each step of a scope follows a registration in another one. */
const elsewhere = async (n: number): Promise<sweeps.Run> => {
  const ours = await preamble.boot(global({ sections: sectionsOf(10, 500) }))
  const [scope, other] = await xl.scopes(ours, n, false)
  const registered = Effect.scoped(ours.prompt.variable("elsewhere", "")).pipe(PromptScope.provide(other!))
  return (times) =>
    Effect.runPromise(
      PromptScope.provide(scope!)(
        Effect.gen(function* () {
          for (let i = 0; i < times; i++) {
            yield* registered
            yield* ours.prompt.render
          }
        })
      )
    )
}

const repeatedly = (ours: preamble.Preamble): sweeps.Run => {
  const registered = Effect.scoped(ours.prompt.section({ name: "passing", order: 5, text: "" }))
  return (times) =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (let i = 0; i < times; i++) yield* registered
      })
    )
}

const peerRepeatedly =
  (theirs: dsh.Peer): sweeps.Run =>
  (times) => {
    for (let i = 0; i < times; i++) theirs.root.systemPrompt.section({ name: "passing", order: 5, text: "" })()
  }

/** Registering and unregistering beside registrations that are there already. */
const live: Pick<sweeps.Sweep, "ours" | "peer"> = {
  ours: async (n) => repeatedly(await preamble.boot(global({ sections: sectionsOf(n, 20) }))),
  peer: async (n) => peerRepeatedly(await dsh.boot(global({ sections: sectionsOf(n, 20) })))
}

/** The same beside subscribers of changes that wait. */
const subscribers: Pick<sweeps.Sweep, "ours" | "peer"> = {
  ours: async (n) => {
    const ours = await preamble.boot(global({}))
    await preamble.add(ours, idle(ours, n))
    return repeatedly(ours)
  },
  peer: async (n) => {
    const theirs = await dsh.boot(global({}))
    for (let i = 0; i < n; i++) theirs.root.on("system-prompt/change", () => {})
    return peerRepeatedly(theirs)
  }
}

/** Subscribers that have taken the first revision and are busy with it. */
const idle = (ours: preamble.Preamble, n: number) =>
  Effect.forEach(range(n), () => Effect.forkScoped(ours.prompt.changes.pipe(Stream.runForEach(() => Effect.never))))

const all: ReadonlyArray<sweeps.Sweep> = [
  {
    id: "growth/sections",
    what: "steady step over static sections of 200 B",
    sizes: [50, 200, 800, 3200],
    ...steady((n) => global({ sections: sectionsOf(n, 200) }))
  },
  {
    id: "growth/text",
    what: "steady step over bytes of text, in 10 sections",
    sizes: [10_000, 40_000, 160_000, 640_000],
    ...steady((n) => global({ sections: sectionsOf(10, n / 10) }))
  },
  {
    id: "growth/schemas",
    what: "steady step over bytes of a schema, 10 tools",
    sizes: [250, 1000, 4000, 16_000],
    ...steady((n) => global({ tools: [toolsOf(10, n)] }))
  },
  {
    id: "growth/scopes",
    what: "steady step over other scopes",
    sizes: [100, 400, 1600, 6400],
    most: 1600,
    ...among(false)
  },
  {
    id: "growth/listeners",
    what: "steady step over other scopes with a listener each",
    sizes: [100, 400, 1600, 6400],
    most: 1600,
    ...among(true)
  },
  {
    id: "growth/elsewhere",
    what: "registration in another scope, then a step, over scopes",
    sizes: [100, 400, 1600, 6400],
    ours: elsewhere
  },
  {
    id: "growth/providers",
    what: "steady step over tool providers, 1 tool each",
    sizes: [10, 40, 160, 640],
    ...steady((n) => global({ tools: toolsOf(n, 200).map((tool) => [tool]) }))
  },
  {
    id: "growth/variables",
    what: "steady step over variables",
    sizes: [10, 40, 160, 640],
    ...steady((n) =>
      global({ variables: [step, ...range(n).map((i) => `variable_${i}`)].map((name) => ({ name, value: name })) })
    )
  },
  {
    id: "growth/depth",
    what: "steady step over the depth of the chain, 1 variable per scope",
    sizes: [2, 8, 32, 128],
    ...steady(chainOf)
  },
  {
    id: "growth/tool-order",
    what: "`toolOrder` that names all tools, whose array is new each time",
    sizes: [100, 400, 1600, 6400],
    most: 1600,
    ...steady(toolOrder, again)
  },
  ...braces,
  {
    id: "growth/live",
    what: "register and unregister over live registrations",
    sizes: [100, 400, 1600, 6400],
    ...live
  },
  {
    id: "growth/subscribers",
    what: "register and unregister over idle subscribers",
    sizes: [10, 40, 160, 640],
    ...subscribers
  }
]

const run = async ({ quick }: RunOptions): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const sweep of all) rows.push(await sweeps.run(sweep, quick ? 11 : 41))
  return rows
}

export const growth: Suite = { name: "growth", title: "Growth", run }
