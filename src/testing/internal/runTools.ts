/** Runs programs against a registry of tools, and says what was seen as plain data. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Assembly from "../../Assembly.ts"
import type * as Listener from "../../Listener.ts"
import type { PromptError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import { SystemPrompt } from "../../SystemPrompt.ts"
import type { ToolCall } from "../../ToolCall.ts"
import type { ToolError } from "../../ToolError.ts"
import { ToolRegistry } from "../../ToolRegistry.ts"
import type * as Program from "../ToolRegistryProgram.ts"
import { Population } from "./population.ts"
import { failureOf, originOf } from "./run.ts"
import { buildAnew } from "./subject.ts"
import { untyped } from "./untyped.ts"

// -----------------------------------------------------------------------------
// what is registered
// -----------------------------------------------------------------------------

/** What a tool, provider or listener is called, so that an assembly tells which registration it comes from. */
const described = (registration: number): string => `registration ${registration}`

/** The registrations whose guards or handlers ran since somebody last asked. */
type Ran = Array<number>

const path = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false
}

const count = Schema.Struct({ count: Schema.FiniteFromString })

const handle = Effect.fnUntraced(function* (
  what: NonNullable<Program.Tool["handler"]>,
  registration: number,
  args: unknown,
  { scope }: ToolCall
) {
  switch (what) {
    case "answers": {
      const current = yield* PromptScope.Current
      return { registration, arguments: args, scope: scope.label, current: current.label }
    }
    case "gives nothing":
      return undefined
    case "fails":
      return yield* Effect.fail("no")
    case "dies":
      return yield* Effect.die(new Error("no"))
    case "gives no JSON":
      return { at: new Date(0) }
  }
})

const registerTool = (
  registry: ToolRegistry["Service"],
  { handler: what, name, parameters, plugin }: Program.Tool,
  registration: number,
  ran: Ran
) => {
  const options = { name, plugin, description: described(registration) }
  const handler =
    what &&
    ((args: unknown, call: ToolCall) => {
      ran.push(registration)
      return handle(what, registration, args, call)
    })
  return parameters === "path"
    ? registry.register({ ...options, parameters: path, handler })
    : registry.register({ ...options, parameters: count, handler })
}

const check =
  ({ check, tool }: Program.Guard, registration: number, ran: Ran) =>
  (call: ToolCall): string | undefined | Effect.Effect<string | undefined, string> => {
    ran.push(registration)
    if (tool !== undefined && tool !== call.tool) return undefined
    switch (check) {
      case "passes":
        return undefined
      case "refuses":
        return described(registration)
      case "fails":
        return Effect.fail("no")
      case "dies":
        throw new Error("no")
      case "forces":
        return untyped(true)
    }
  }

const listener = ({ edit, tool, ...options }: Program.Listener, registration: number): Listener.Input => ({
  ...options,
  edit:
    edit === "removes"
      ? Assembly.removeTool(tool)
      : Assembly.mapTool(tool, (schema) => ({ ...schema, description: described(registration) }))
})

const register = (
  { prompt, registry }: Services,
  contribution: Program.Contribution,
  registration: number,
  ran: Ran
): Effect.Effect<void, PromptError, Scope.Scope> => {
  switch (contribution._tag) {
    case "Tool":
      return registerTool(registry, contribution.options, registration, ran)
    case "Restriction":
      return registry.restrict(contribution.options)
    case "Guard": {
      const { name, plugin } = contribution.options
      return registry.guard({ name, plugin, check: check(contribution.options, registration, ran) })
    }
    case "Listener":
      return prompt.listener(listener(contribution.options, registration))
    case "Tools": {
      const { name, plugin, tool } = contribution.options
      return prompt.tools([{ name: tool, description: described(registration), parameters: path }], { name, plugin })
    }
  }
}

// -----------------------------------------------------------------------------
// what is seen
// -----------------------------------------------------------------------------

const reasons = ["failed", "died"]

/** What else the failure of a call names than its owner. */
const detailsOf = (error: ToolError): Pick<Program.Failure, "names" | "known" | "reason"> => {
  switch (error._tag) {
    case "ToolNotFound":
      return { names: [error.tool], known: error.known }
    case "InvalidToolArguments":
      return { names: error.problems.map(({ path }) => path).toSorted() }
    case "ToolRefused":
      return { names: [error.tool], reason: error.reason }
    case "GuardFailure":
      return { names: [error.tool], reason: reasons.includes(error.reason) ? error.reason : "else" }
    case "ToolFailure":
      return { reason: reasons.includes(error.fault) ? error.fault : "else" }
    case "ToolWithoutHandler":
      return {}
  }
}

const shown = ({ tools }: Pick<Assembly.Assembly, "tools">): ReadonlyArray<Program.Shown> =>
  tools.map(({ origin, schema }) => ({
    name: schema.name,
    description: schema.description,
    origin: originOf(origin)
  }))

const done: Program.Observation = { _tag: "Done" }
const nothing: Program.Observation = { _tag: "Nothing" }

const failed = (error: PromptError): Program.Observation => ({
  _tag: "Failed",
  failure: {
    ...failureOf(error),
    ...(error._tag === "UnknownTool" ? { known: error.known } : undefined)
  }
})

const seen = (effect: Effect.Effect<void, PromptError> | undefined): Effect.Effect<Program.Observation> =>
  effect === undefined ? Effect.succeed(nothing) : Effect.match(effect, { onFailure: failed, onSuccess: () => done })

// -----------------------------------------------------------------------------
// the run
// -----------------------------------------------------------------------------

export interface Services {
  readonly prompt: SystemPrompt["Service"]
  readonly registry: ToolRegistry["Service"]
}

/** What a call came to. */
export type Called = Extract<Program.Observation, { readonly _tag: "Answered" | "Refused" }>

/** A registry and a prompt service, and what programs have made in them. */
export class Machine {
  readonly services: Services
  readonly population: Population
  /** The latest first; those that failed are `undefined`. */
  readonly #assemblies: Array<Assembly.Assembly | undefined> = []
  readonly #ran: Ran = []

  constructor(services: Services, life: Scope.Scope) {
    this.services = services
    this.population = new Population(life)
  }

  step(step: Program.Step): Effect.Effect<Program.Observation> {
    const { population } = this
    switch (step._tag) {
      case "Open":
        return seen(population.open(step.label, step.parent))
      case "Register":
        return seen(
          population.register(step.scope, (number) => register(this.services, step.contribution, number, this.#ran))
        )
      case "Unregister":
        return seen(population.unregister(step.registration))
      case "Close":
        return seen(population.close(step.scope))
      case "Rebind":
        return seen(population.rebind(step.scope, step.parent))
      case "View":
        return Effect.sync(() => this.#view(population.scope(step.scope)))
      case "Assemble":
        return this.#assemble(population.scope(step.scope))
      case "Call": {
        const assembly = this.#assemblies[step.assembly % this.#assemblies.length]
        return assembly === undefined ? Effect.succeed(nothing) : this.call(assembly, step.tool, step.arguments)
      }
    }
  }

  assemble(scope: PromptScope.PromptScope): Effect.Effect<Assembly.Assembly, PromptError> {
    return PromptScope.provide(scope)(this.services.prompt.assemble)
  }

  /** Calls, and says what ran. */
  call(assembly: Assembly.Assembly, tool: string, args: unknown): Effect.Effect<Called> {
    return Effect.suspend(() => {
      this.#ran.length = 0
      return Effect.match(this.services.registry.call(assembly, tool, args), {
        onSuccess: (answer): Called => ({ _tag: "Answered", ran: [...this.#ran], answer }),
        onFailure: (error): Called => ({
          _tag: "Refused",
          ran: [...this.#ran],
          failure: { ...failureOf(error), ...detailsOf(error) }
        })
      })
    })
  }

  #view(scope: PromptScope.PromptScope): Program.Observation {
    const view = this.services.registry.view(scope)
    const hidden = view.hidden.map(({ by, name, origin }) => ({
      name,
      origin: originOf(origin),
      by: by.map((one) => ({ ...one }))
    }))
    return { _tag: "Viewed", tools: shown(view), hidden }
  }

  #assemble(scope: PromptScope.PromptScope): Effect.Effect<Program.Observation> {
    return Effect.map(Effect.result(this.assemble(scope)), (result) => {
      this.#assemblies.unshift(Result.getOrUndefined(result))
      return Result.match(result, {
        onFailure: failed,
        onSuccess: (assembly) => ({ _tag: "Assembled" as const, tools: shown(assembly) })
      })
    })
  }
}

/** A registry that nobody else has, in a prompt service of its own. A tool order that is refused is a defect. */
export const machine = <E>(
  registry: Layer.Layer<ToolRegistry, E, SystemPrompt>,
  toolOrder: ReadonlyArray<string> | undefined
): Effect.Effect<Machine, E, Scope.Scope> =>
  Effect.gen(function* () {
    const life = yield* Effect.scope
    const services = yield* buildAnew(
      registry.pipe(Layer.provideMerge(Layer.orDie(SystemPrompt.layerWith({ toolOrder }))))
    )
    return new Machine(
      { prompt: Context.get(services, SystemPrompt), registry: Context.get(services, ToolRegistry) },
      life
    )
  })

/** One observation for each step. */
export const runTools = <E>(
  { steps, toolOrder }: Program.ToolRegistryProgram,
  registry: Layer.Layer<ToolRegistry, E, SystemPrompt>
): Effect.Effect<ReadonlyArray<Program.Observation>, E> =>
  Effect.scoped(Effect.flatMap(machine(registry, toolOrder), (one) => Effect.forEach(steps, (step) => one.step(step))))
