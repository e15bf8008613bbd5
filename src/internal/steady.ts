/**
 * Assembles again and again at the price of what is different from the time before: every provider that is no constant
 * is called and every listener runs, and where they give what they gave, the same parts, lists and assembly come back.
 * This is the fast and ugly twin of `evaluate`, `compose` and `seal`, which say what must come out.
 *
 * Nothing is kept from one assembly to the next but immutable values, and an assembly that waits for an Effect writes
 * nothing before all values are there, so that any number of them may be on their way at once.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { AssembledContext, AssembledSection, AssembledTool, AssembledVariable, Assembly } from "../Assembly.ts"
import type { Admitted } from "../Listener.ts"
import type { Provided } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import type { AssembleError, UnknownTool } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { ToolOrder } from "../ToolOrder.ts"
import type { Waterfall } from "../Waterfall.ts"
import { admit } from "./admit.ts"
import { assemblyOf, contextOf, sectionOf, toolsOf, variableOf } from "./compose.ts"
import { named, threw } from "./evaluate.ts"
import { asExit, flatMapNow } from "./exit.ts"
import { Constant, isEffect } from "./give.ts"
import { madeFor } from "./lastRendered.ts"
import { seal } from "./seal.ts"
import * as values from "./values.ts"

type Provider = Plan<Provided>["tools"][number]

// -----------------------------------------------------------------------------
// lists
// -----------------------------------------------------------------------------

/** A provider to call for each assembly. */
interface Call {
  readonly step: values.Step<Provided>
  /** Takes a value without another look, if it is the very one that was accepted last time. */
  readonly again: (value: unknown, into: values.Values) => boolean
}

/** One list of a plan, with what was made of it last. All plans that have the list share it. */
interface Kept<A> {
  /** The providers that are no constants, and constants that are refused each time. */
  readonly calls: ReadonlyArray<Call>
  /** The list for the values of these calls. */
  readonly list: (values: values.Values) => A
}

/** What a step accepts of its constant; none, if it has none or refuses it. */
const constantOf = <V>(
  step: values.Step<Provided>,
  pick: (values: values.Values) => ReadonlyArray<V>
): { readonly value: V } | undefined => {
  const into = values.empty()
  return step.slot instanceof Constant && step.accept(step.slot.value, into) === undefined
    ? { value: pick(into)[0]! }
    : undefined
}

/** Variables, sections and contexts: each entry of the plan is one of the assembly. */
const entriesWith = <P extends object, V, A>(
  stepOf: (planned: P) => values.Step<Provided>,
  pick: (values: values.Values) => Array<V>,
  make: (planned: P, value: V) => A
) => {
  /** Entries that scopes share stand in lists of their own; what was made of a constant is the same in all of them. */
  const constants = new WeakMap<P, A>()
  return (planned: ReadonlyArray<P>): Kept<ReadonlyArray<A>> => {
    const calls: Array<Call> = []
    const callAt: Array<number> = []
    let last: { readonly values: ReadonlyArray<V>; readonly list: ReadonlyArray<A> } | undefined
    const parts = planned.map((one, at): A | undefined => {
      const made = constants.get(one)
      if (made !== undefined) return made
      const step = stepOf(one)
      const constant = constantOf(step, pick)
      if (constant !== undefined) {
        const part = make(one, constant.value)
        constants.set(one, part)
        return part
      }
      const nth = calls.length
      callAt.push(at)
      calls.push({
        step,
        again: (value, into) =>
          last !== undefined && value === last.values[nth] && pick(into).push(last.values[nth]!) > 0
      })
      return undefined
    })
    return {
      calls,
      list: (from) => {
        const now = pick(from)
        if (last !== undefined && same(last.values, now)) return last.list
        const list = last === undefined ? [...parts] : [...last.list]
        for (const [nth, at] of callAt.entries()) {
          if (last === undefined || last.values[nth] !== now[nth]) list[at] = make(planned[at]!, now[nth]!)
        }
        // All are there: what is no constant was called.
        last = { values: now, list: Object.freeze(list as Array<A>) }
        return last.list
      }
    }
  }
}

/** The tools of all providers together make one list. */
const toolsWith =
  (toolOrder: ToolOrder | undefined) =>
  (providers: ReadonlyArray<Provider>): Kept<Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>> => {
    const calls: Array<Call> = []
    let last:
      | {
          readonly values: ReadonlyArray<values.Tools>
          readonly list: Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>
        }
      | undefined
    const constants = providers.map((provider): values.Tools | undefined => {
      const step = values.toolsStep<Provided>(provider)
      const constant = constantOf(step, (from) => from.tools)
      if (constant === undefined) {
        const nth = calls.length
        calls.push({
          step,
          again: (value, into) => {
            const before = last?.values[nth]
            if (before === undefined || !isAgain(value, before)) return false
            into.tools.push(before)
            return true
          }
        })
      }
      return constant?.value
    })
    return {
      calls,
      list: ({ tools: given }) => {
        if (last !== undefined) {
          const kept = last.values
          const now = given.map((tools, nth) => (saysSame(tools, kept[nth]!) ? kept[nth]! : tools))
          if (same(kept, now)) return last.list
        }
        let nth = 0
        const all = constants.map((constant) => constant ?? given[nth++]!)
        last = { values: given, list: toolsOf(providers, all, toolOrder) }
        return last.list
      }
    }
  }

const same = <A>(a: ReadonlyArray<A>, b: ReadonlyArray<A>): boolean => {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Whether a value gives the schemas that were accepted before, each of them the very same. Schemas cannot change. */
const isAgain = (value: unknown, before: values.Tools): boolean => {
  try {
    return Array.isArray(value) && before.knownNames.length === 0 && isList(value, before.schemas)
  } catch {
    // Whoever accepts it says what is wrong with it.
    return false
  }
}

const isList = (value: ReadonlyArray<unknown>, before: ReadonlyArray<unknown>): boolean =>
  value.length === before.length && same(before, value)

const saysSame = (a: values.Tools, b: values.Tools): boolean =>
  a === b || (isList(a.schemas, b.schemas) && isList(a.knownNames, b.knownNames))

// -----------------------------------------------------------------------------
// assemblies
// -----------------------------------------------------------------------------

interface Last {
  readonly base: Assembly
  readonly result: Assembly
  readonly sealed: Assembly
}

/** Makes the assemblies of one plan. */
export class Assembler {
  readonly #plan: Plan<Provided>
  readonly #toolOrder: ToolOrder | undefined
  readonly #variables: Kept<ReadonlyArray<AssembledVariable>>
  readonly #tools: Kept<Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>>
  readonly #sections: Kept<ReadonlyArray<AssembledSection>>
  readonly #contexts: Kept<ReadonlyArray<AssembledContext>>
  readonly #calls: ReadonlyArray<Call>
  #context: AssembleContext | undefined
  #admitted: ReadonlyArray<Admitted> = []
  #base: Assembly | undefined
  #last: Last | undefined

  constructor(plan: Plan<Provided>, lists: Lists) {
    this.#plan = plan
    this.#toolOrder = lists.toolOrder
    this.#variables = lists.variables(plan.variables)
    this.#tools = lists.tools(plan.tools)
    this.#sections = lists.sections(plan.sections)
    this.#contexts = lists.contexts(plan.contexts)
    this.#calls = [this.#variables, this.#tools, this.#sections, this.#contexts].flatMap(({ calls }) => calls)
  }

  /** An Exit if no provider and no listener gives an Effect. */
  assemble(
    waterfall: Waterfall["Service"],
    scope: PromptScope,
    annotations: Context.Context<never>
  ): Effect.Effect<Assembly, AssembleError> {
    const context = this.#contextOf(scope, annotations)
    const into = values.empty()
    const evaluated = this.#evaluate(0, context, into)
    if (evaluated === undefined) return this.#finish(waterfall, into, context)
    const refused = asExit(evaluated)
    return refused !== undefined && Exit.isFailure(refused)
      ? Exit.failCause(refused.cause)
      : Effect.flatMap(evaluated, () => this.#finish(waterfall, into, context))
  }

  #contextOf(scope: PromptScope, annotations: Context.Context<never>): AssembleContext {
    const before = this.#context
    if (before !== undefined && before.scope === scope && before.annotations === annotations) return before
    const context = Object.freeze({ scope, annotations })
    this.#context = context
    this.#admitted = this.#plan.listeners.map((listener) => admit(listener, context))
    return context
  }

  /** Nothing, if all values are there; an Exit if one is refused. */
  #evaluate(
    start: number,
    context: AssembleContext,
    into: values.Values
  ): Effect.Effect<void, values.Refusal> | undefined {
    const calls = this.#calls
    for (let i = start; i < calls.length; i++) {
      const { again, step } = calls[i]!
      const { slot } = step
      let value: unknown
      try {
        value = slot instanceof Constant ? slot.value : slot(context)
      } catch (cause) {
        return Exit.fail(threw(step, cause))
      }
      if (again(value, into)) continue
      if (isEffect(value)) {
        return Effect.flatMap(named(step, value), (value) => {
          const refusal = step.accept(value, into)
          return refusal === undefined ? (this.#evaluate(i + 1, context, into) ?? Effect.void) : Exit.fail(refusal)
        })
      }
      const refusal = step.accept(value, into)
      if (refusal !== undefined) return Exit.fail(refusal)
    }
    return undefined
  }

  #finish(
    waterfall: Waterfall["Service"],
    from: values.Values,
    context: AssembleContext
  ): Effect.Effect<Assembly, AssembleError> {
    const tools = this.#tools.list(from)
    if (Result.isFailure(tools)) return Exit.fail(tools.failure)
    const base = this.#baseOf(from, tools.success)
    // Another assembly may have come between, with other annotations.
    const listeners =
      this.#context === context ? this.#admitted : this.#plan.listeners.map((listener) => admit(listener, context))
    return flatMapNow(waterfall.run(listeners, base), (result): Effect.Effect<Assembly, AssembleError> => {
      const last = this.#last
      if (last !== undefined && last.base === base && last.result === result) return Exit.succeed(last.sealed)
      const sealed = seal(base, result)
      if (Result.isFailure(sealed)) return Exit.fail(sealed.failure)
      madeFor(sealed.success, context.scope)
      this.#last = { base, result, sealed: sealed.success }
      return Exit.succeed(sealed.success)
    })
  }

  #baseOf(from: values.Values, tools: ReadonlyArray<AssembledTool>): Assembly {
    const variables = this.#variables.list(from)
    const sections = this.#sections.list(from)
    const contexts = this.#contexts.list(from)
    const base = this.#base
    if (
      base !== undefined &&
      base.variables === variables &&
      base.tools === tools &&
      base.sections === sections &&
      base.contexts === contexts
    ) {
      return base
    }
    return (this.#base = assemblyOf(this.#plan, this.#toolOrder, { sections, contexts, tools, variables }))
  }
}

/** What was made of the lists of plans. */
interface Lists {
  readonly toolOrder: ToolOrder | undefined
  readonly variables: (planned: Plan<Provided>["variables"]) => Kept<ReadonlyArray<AssembledVariable>>
  readonly tools: (planned: Plan<Provided>["tools"]) => Kept<Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>>
  readonly sections: (planned: Plan<Provided>["sections"]) => Kept<ReadonlyArray<AssembledSection>>
  readonly contexts: (planned: Plan<Provided>["contexts"]) => Kept<ReadonlyArray<AssembledContext>>
}

const once = <K extends object, V>(make: (key: K) => V): ((key: K) => V) => {
  const made = new WeakMap<K, V>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) made.set(key, (value = make(key)))
    return value
  }
}

/** The assemblers of a service, one for each plan that lives. */
export const assemblers = (toolOrder: ToolOrder | undefined): ((plan: Plan<Provided>) => Assembler) => {
  const lists: Lists = {
    toolOrder,
    variables: once(entriesWith(values.variableStep<Provided>, (from) => from.variables, variableOf)),
    tools: once(toolsWith(toolOrder)),
    sections: once(entriesWith(values.sectionStep<Provided>, (from) => from.sections, sectionOf)),
    contexts: once(entriesWith(values.contextStep<Provided>, (from) => from.contexts, contextOf))
  }
  return once((plan) => new Assembler(plan, lists))
}
