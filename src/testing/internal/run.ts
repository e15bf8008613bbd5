/** Runs programs against the service, and says what was seen as plain data. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Assembly } from "../../Assembly.ts"
import type * as Listener from "../../Listener.ts"
import type * as Origin from "../../Origin.ts"
import type * as PromptContext from "../../PromptContext.ts"
import type { PromptError, RegistrationError, WaterfallError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import type { Provider } from "../../Provider.ts"
import { SystemPrompt } from "../../SystemPrompt.ts"
import type { ToolError } from "../../ToolError.ts"
import * as Template from "../../Template.ts"
import * as ToolSchema from "../../ToolSchema.ts"
import * as Edit from "../Edit.ts"
import type * as Program from "../Program.ts"
import { Population } from "./population.ts"

// -----------------------------------------------------------------------------
// how values are provided
// -----------------------------------------------------------------------------

/** Each registration takes the next one, over and over, so that all paths are taken and none of them may show. */
const provide = <A>(value: A, registration: number): Provider<A> => {
  switch (registration % 5) {
    case 1:
      return () => value
    case 2:
      return Effect.succeed(value)
    case 3:
      return () => Effect.as(Effect.yieldNow, value)
    case 4:
      return Effect.as(Effect.yieldNow, value)
    default:
      return value
  }
}

/** A Template that must not be data is refused when it is registered only where it is there to be seen. */
const provideText = ({ text, interpolate }: PromptContext.Options, registration: number): Provider<Template.Text> =>
  interpolate === false && Template.isTemplate(text) ? text : provide(text, registration)

const listen = ({ steps, ...options }: Edit.Listener, registration: number): Listener.Input<WaterfallError> => {
  const edit = Edit.run({ ...options, steps })
  switch (registration % 4) {
    case 1:
      return { ...options, edit: (assembly, context) => Effect.sync(() => edit(assembly, context)) }
    case 2:
      return { ...options, around: (assembly, next, context) => next(edit(assembly, context)) }
    case 3:
      return { ...options, edit: (assembly, context) => Effect.as(Effect.yieldNow, edit(assembly, context)) }
    default:
      return { ...options, edit }
  }
}

const register = (
  prompt: SystemPrompt["Service"],
  contribution: Program.Contribution,
  registration: number
): Effect.Effect<void, RegistrationError, Scope.Scope> => {
  switch (contribution._tag) {
    case "Section":
      return prompt.section({ ...contribution.options, text: provideText(contribution.options, registration) })
    case "Context":
      return prompt.context({ ...contribution.options, text: provideText(contribution.options, registration) })
    case "Variable": {
      const { name, value, ...options } = contribution.options
      return prompt.variable(name, provide(value, registration), options)
    }
    case "Tools": {
      const { tools, ...options } = contribution.options
      return prompt.tools(provide(tools, registration), options)
    }
    case "Listener":
      return prompt.listener(listen(contribution.options, registration))
    case "Suppressor":
      return prompt.suppressContexts
    case "Persona":
      return prompt.persona(contribution.options)
  }
}

// -----------------------------------------------------------------------------
// what is seen
// -----------------------------------------------------------------------------

/** What else a failure names than its owner. */
const namesOf = (error: PromptError | ToolError): ReadonlyArray<string> | undefined => {
  if ("sections" in error) return error.sections.map(({ entry }) => entry)
  if ("unknown" in error) return error.unknown
  if ("tool" in error) return [error.tool]
  return "variable" in error ? [error.variable] : undefined
}

/** The fields that are there, of those that tell what the failure is about. */
export const failureOf = (error: PromptError | ToolError): Program.Failure => {
  const names = namesOf(error)
  return {
    tag: error._tag,
    ...("kind" in error && error.kind !== undefined ? { kind: error.kind } : undefined),
    ...("entry" in error && error.entry !== undefined ? { entry: error.entry } : undefined),
    ...("scope" in error ? { scope: error.scope } : undefined),
    ...("plugin" in error && error.plugin !== undefined ? { plugin: error.plugin } : undefined),
    ...(names === undefined ? undefined : { names: [...names] })
  }
}

export const originOf = ({ scope, plugin, provider, shadows, listener }: Origin.Origin): Program.Origin => ({
  scope,
  ...(plugin === undefined ? undefined : { plugin }),
  ...(provider === undefined ? undefined : { provider }),
  shadows: shadows.map((one) => ({ ...one })),
  ...(listener === undefined ? undefined : { listener: { ...listener } })
})

const partOf = ({ name, order, text, interpolate, origin }: Assembly["contexts"][number]): Program.Part => ({
  name,
  order,
  text: String(text),
  interpolate,
  origin: originOf(origin)
})

const assembled = (self: Assembly): Program.Observation => ({
  _tag: "Assembled",
  sections: self.sections.map(partOf),
  contexts: self.contexts.map(partOf),
  tools: self.tools.map(({ schema, origin }) => ({ schema: ToolSchema.emit(schema), origin: originOf(origin) })),
  variables: self.variables.map(({ name, value, origin }) => ({ name, value, origin: originOf(origin) })),
  note: Context.get(self.annotations, Edit.Note)
})

const done: Program.Observation = { _tag: "Done" }
const nothing: Program.Observation = { _tag: "Nothing" }

const seen = (effect: Effect.Effect<void, PromptError> | undefined): Effect.Effect<Program.Observation> =>
  effect === undefined ? Effect.succeed(nothing) : observed(Effect.as(effect, done))

const observed = (effect: Effect.Effect<Program.Observation, PromptError>): Effect.Effect<Program.Observation> =>
  Effect.catch(effect, (error) => Effect.succeed<Program.Observation>({ _tag: "Failed", failure: failureOf(error) }))

// -----------------------------------------------------------------------------
// the run
// -----------------------------------------------------------------------------

class Machine {
  readonly #prompt: SystemPrompt["Service"]
  readonly #population: Population

  constructor(prompt: SystemPrompt["Service"], life: Scope.Scope) {
    this.#prompt = prompt
    this.#population = new Population(life)
  }

  step(step: Program.Step): Effect.Effect<Program.Observation> {
    switch (step._tag) {
      case "Open":
        return seen(this.#population.open(step.label, step.parent))
      case "Register":
        return seen(
          this.#population.register(step.scope, (number) => register(this.#prompt, step.contribution, number))
        )
      case "Unregister":
        return seen(this.#population.unregister(step.registration))
      case "Close":
        return seen(this.#population.close(step.scope))
      case "Rebind":
        return seen(this.#population.rebind(step.scope, step.parent))
      case "Assemble":
        return observed(Effect.map(this.#prompt.assemble, assembled)).pipe(
          PromptScope.provide(this.#population.scope(step.scope))
        )
      case "Render":
        return observed(this.#render).pipe(PromptScope.provide(this.#population.scope(step.scope)))
    }
  }

  get #render(): Effect.Effect<Program.Observation, PromptError> {
    return Effect.flatMap(this.#prompt.assemble, (assembly) =>
      Effect.map(this.#prompt.renderAssembly(assembly), ({ text, snapshot }) => ({
        _tag: "Rendered" as const,
        text,
        snapshot,
        tools: assembly.tools.map(({ schema }) => ToolSchema.emit(schema))
      }))
    )
  }
}

/** One observation for each step; a single one if there is no service. */
export const run = ({ toolOrder, steps }: Program.Program): Effect.Effect<ReadonlyArray<Program.Observation>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const built = yield* Effect.result(Layer.build(SystemPrompt.layerWith({ toolOrder })))
      if (Result.isFailure(built)) return [{ _tag: "Failed" as const, failure: failureOf(built.failure) }]
      const machine = new Machine(Context.get(built.success, SystemPrompt), yield* Effect.scope)
      return yield* Effect.forEach(steps, (step) => machine.step(step))
    })
  )
