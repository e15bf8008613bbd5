/** This library, registered with a workload. */
import { Context, Effect, Layer, Scope } from "effect"
import {
  type Assembly,
  Overlays,
  PromptScope,
  Renderer,
  SystemPrompt,
  type SystemPromptOptions,
  ToolSchema,
  Waterfall
} from "../../../src/index.ts"
import { flat } from "../harness.ts"
import { provider, step, type Contributions, type Tool, type Workload } from "../workloads.ts"
import { type Output, withoutHeading } from "./dsh.ts"

export type Tools = ReadonlyArray<ToolSchema.Input>

export interface Preamble {
  readonly prompt: SystemPrompt["Service"]
  /** What the service is made of. */
  readonly overlays: Overlays["Service"]
  readonly waterfall: Waterfall["Service"]
  /** The Effect scope in which everything is registered. */
  readonly lifetime: Scope.Scope
  readonly scope: PromptScope.PromptScope
  readonly cell: { step: string }
}

/** How a tool provider gives its tools: made once, unless a suite wants it otherwise. */
export type Style = (tools: ReadonlyArray<Tool>) => () => Tools

export const made: Style = (tools) => {
  const schemas = Object.freeze(tools.map((tool) => ToolSchema.make(tool)))
  return () => schemas
}

export const register = Effect.fnUntraced(function* (
  prompt: SystemPrompt["Service"],
  contributions: Contributions,
  cell: Preamble["cell"],
  style: Style = made
) {
  for (const section of contributions.sections) {
    yield* prompt.section({ name: section.name, order: section.order, text: provider(section) })
  }
  for (const context of contributions.contexts) {
    yield* prompt.context({ name: context.name, order: context.order, text: provider(context) })
  }
  for (const { name, value } of contributions.variables) {
    yield* prompt.variable(name, name === step ? () => cell.step : () => value)
  }
  for (const tools of contributions.tools) yield* prompt.tools(style(tools))
  for (let i = 0; i < contributions.listeners; i++) {
    yield* prompt.listener({ name: `listener-${i}`, edit: (assembly) => assembly })
  }
})

/** The service, with what it is made of. */
const layer = (options: SystemPromptOptions) =>
  SystemPrompt.layerNoDepsWith(options).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.fresh(Overlays.layer), Waterfall.layer, Renderer.layer))
  )

export const boot = (workload: Workload, style: Style = made): Promise<Preamble> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const lifetime = yield* Scope.make()
      const options = workload.toolOrder === undefined ? {} : { toolOrder: workload.toolOrder }
      const services = yield* Layer.buildWithScope(layer(options), lifetime)
      const prompt = Context.get(services, SystemPrompt)
      const cell = { step: "0" }
      let scope = PromptScope.global
      for (const [i, contributions] of workload.chain.entries()) {
        if (i > 0) scope = (yield* Scope.provide(PromptScope.make(`scope-${i}`, { parent: scope }), lifetime)).scope
        yield* register(prompt, contributions, cell, style).pipe(PromptScope.provide(scope), Scope.provide(lifetime))
      }
      const overlays = Context.get(services, Overlays)
      return { prompt, overlays, waterfall: Context.get(services, Waterfall), lifetime, scope, cell }
    })
  )

/** Registers something in an instance that is already there, and keeps it. */
export const add = <E>(self: Preamble, effect: Effect.Effect<unknown, E, Scope.Scope>): Promise<unknown> =>
  Effect.runPromise(effect.pipe(PromptScope.provide(self.scope), Scope.provide(self.lifetime)))

/** A program in the scope of the workload, which does a step that many times. */
export const program = (self: Preamble, before: () => void, times: number): Promise<void> =>
  Effect.runPromise(
    PromptScope.provide(self.scope)(
      Effect.gen(function* () {
        for (let i = 0; i < times; i++) {
          before()
          const rendered = yield* self.prompt.render
          flat(rendered.text)
          flat(rendered.snapshot)
        }
      })
    )
  )

export const assemble = (self: Preamble, scope = self.scope): Promise<Assembly.Assembly> =>
  Effect.runPromise(PromptScope.provide(scope)(self.prompt.assemble))

export const output = async (self: Preamble, scope = self.scope): Promise<Output> => {
  const assembly = await assemble(self, scope)
  const rendered = await Effect.runPromise(self.prompt.renderAssembly(assembly))
  return {
    prompt: rendered.text,
    snapshot: withoutHeading(rendered.snapshot),
    tools: assembly.tools.map(({ schema }) => schema),
    variables: assembly.variables.map(({ name, value }) => [name, value])
  }
}
