/** A thousand registered tools, two hundred scopes that restrict them: the steps of any of these, and calls. */
import { createScope } from "@deepseek-ai/dsh-scope"
import { Context, Effect, Layer, Scope } from "effect"
import { type Assembly, PromptScope, SystemPrompt, ToolRegistry } from "../../../src/index.ts"
import { seeded } from "../../support/random.ts"
import { type Case, flat, interleave, same } from "../harness.ts"
import * as dsh from "../peers/dsh.ts"
import { type Row, row, type RunOptions, type Suite } from "../suite.ts"
import { sizes, toolOf, workload, type Workload } from "../workloads.ts"

const [global] = workload(sizes.M).chain

/** The global part of M, without tools. */
const shared: Workload = { name: "registry", chain: [{ ...global, tools: [] }] }

const tools = Array.from({ length: 1000 }, (_, i) => toolOf(seeded(i), `tool_${i}`, 500))

const scopeCount = 200

const nameOf = (i: number): string => `tool_${i % tools.length}`

/** Every other scope has an allow list of half of the tools; the others deny two. */
const restrictionOf = (scope: number) =>
  scope % 2 === 0
    ? { allow: Array.from({ length: tools.length / 2 }, (_, i) => nameOf(scope + i)) }
    : { deny: [nameOf(scope), nameOf(scope + 1)] }

const shownTo = (scope: number) => {
  const { allow, deny } = restrictionOf(scope)
  const passes = new Set(allow ?? tools.map(({ name }) => name))
  for (const name of deny ?? []) passes.delete(name)
  return tools.filter(({ name }) => passes.has(name))
}

interface Ours {
  readonly prompt: SystemPrompt["Service"]
  readonly registry: ToolRegistry["Service"]
  readonly scopes: ReadonlyArray<PromptScope.PromptScope>
}

const boot = Effect.gen(function* () {
  const lifetime = yield* Scope.make()
  const layer = ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layer))
  const services = yield* Layer.buildWithScope(layer, lifetime)
  const prompt = Context.get(services, SystemPrompt)
  const registry = Context.get(services, ToolRegistry)
  const scopes: Array<PromptScope.PromptScope> = []
  yield* Effect.gen(function* () {
    for (const { name, order, text } of global.sections) yield* prompt.section({ name, order, text })
    for (const { name, order, text } of global.contexts) yield* prompt.context({ name, order, text })
    for (const { name, value } of global.variables) yield* prompt.variable(name, () => value)
    for (const tool of tools) yield* registry.register({ ...tool, handler: () => Effect.succeed(null) })
    for (let i = 0; i < scopeCount; i++) {
      const { scope } = yield* PromptScope.make(`agent-${i}`)
      yield* PromptScope.provide(scope)(registry.restrict(restrictionOf(i)))
      scopes.push(scope)
    }
  }).pipe(Scope.provide(lifetime))
  return { prompt, registry, scopes }
})

const steps = ({ prompt, scopes }: Ours, name: string, next: () => number): Case => {
  const renders = scopes.map((scope) => PromptScope.provide(scope)(prompt.render))
  return {
    name,
    run: (times) =>
      Effect.runPromise(
        Effect.gen(function* () {
          for (let i = 0; i < times; i++) {
            const rendered = yield* renders[next()]!
            flat(rendered.text)
            flat(rendered.snapshot)
          }
        })
      )
  }
}

const calls = ({ registry }: Ours, view: Assembly.Assembly, name: string): Case => ({
  name,
  run: (times) =>
    Effect.runPromise(
      Effect.gen(function* () {
        for (let i = 0; i < times; i++) yield* registry.call(view, name, { path0: "a" })
      })
    )
})

const run = async ({ quick }: RunOptions): Promise<ReadonlyArray<Row>> => {
  const ours = await Effect.runPromise(boot)
  const theirs = await dsh.boot(shared)
  const keys = ours.scopes.map((_, i) => {
    const key = { agent: i }
    const { ctx } = createScope(theirs.root, key)
    // The peer's registry is not part of it: its provider is given what that would show.
    const schemas = shownTo(i)
    ctx.systemPrompt.tools(() => ({ schemas }))
    return key
  })
  const views: Array<Assembly.Assembly> = []
  for (const [i, scope] of ours.scopes.entries()) {
    const view = await Effect.runPromise(PromptScope.provide(scope)(ours.prompt.assemble))
    views.push(view)
    const { tools: peers } = await dsh.assemble(theirs, keys[i])
    same(
      `tools of scope ${i}`,
      view.tools.map(({ schema }) => schema),
      peers
    )
  }
  const random = seeded(1)
  const any = () => random.below(scopeCount)
  const peer = (name: string, next: () => number): Case => ({
    name,
    run: async (times) => {
      for (let i = 0; i < times; i++) await dsh.stepOnce(theirs, keys[next()])
    }
  })
  const cases: ReadonlyArray<Case> = [
    peer("peer, one", () => 1),
    steps(ours, "one", () => 1),
    peer("peer, any", any),
    steps(ours, "any", any),
    calls(ours, views[1]!, nameOf(500))
  ]
  const rounds = await interleave(cases, { rounds: quick ? 21 : 101, batchMs: 1 })
  return [
    row("registry/one", "one scope, nothing changes", rounds, "peer, one", "one"),
    row("registry/any", "any of the 200 scopes, nothing changes", rounds, "peer, any", "any"),
    row("registry/call", "a call, beside a step of the same scope (both ours)", rounds, nameOf(500), "one", {
      fast: "step",
      slow: "call"
    })
  ]
}

export const registry: Suite = { name: "registry", title: "1,000 registered tools, 200 scopes that restrict them", run }
