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
import type { Text } from "../Template.ts"
import type { ToolOrder } from "../ToolOrder.ts"
import type { Waterfall } from "../Waterfall.ts"
import { admit } from "./admit.ts"
import { assemblyOf, contextOf, sectionOf, toolsOf, variableOf } from "./compose.ts"
import { named, threw } from "./evaluate.ts"
import { flatMapNow } from "./exit.ts"
import { AtStart, Constant, isEffect } from "./give.ts"
import { consistsOf } from "./partList.ts"
import { Recent } from "./recent.ts"
import { seal } from "./seal.ts"
import type { CachedPlan } from "./registry.ts"
import { chain } from "./scope.ts"
import * as values from "./values.ts"

type Provider = Plan<Provided>["tools"][number]
type Step = values.Step<Provided>

// -----------------------------------------------------------------------------
// lists
// -----------------------------------------------------------------------------

/** One list of a plan, with what was made of it last. The plans of a scope and its ancestors that have the list share it. */
interface Kept<V, A> {
  /** The providers that are no constants, and constants that are refused each time. */
  readonly steps: ReadonlyArray<Step>
  /** The values that the list was made for last. */
  readonly values: () => Array<V> | undefined
  /** The list for the values of these. */
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
  return (planned: ReadonlyArray<P>): Kept<V, ReadonlyArray<A>> => {
    const steps: Array<Step> = []
    const stepAt: Array<number> = []
    let last: { readonly values: Array<V>; readonly list: ReadonlyArray<A> } | undefined
    const parts: Array<A | undefined> = []
    for (let at = 0; at < planned.length; at++) {
      const one = planned[at]!
      let part = constants.get(one)
      if (part === undefined) {
        const step = stepOf(one)
        const constant = constantOf(step, pick)
        if (constant === undefined) {
          steps.push(step)
          stepAt.push(at)
        } else constants.set(one, (part = make(one, constant.value)))
      }
      parts.push(part)
    }
    return {
      steps,
      values: () => last?.values ?? (steps.length === 0 ? [] : undefined),
      list: (from) => {
        const now = pick(from)
        if (last !== undefined && consistsOf(last.values, now)) return last.list
        const list = last === undefined ? [...parts] : [...last.list]
        for (let nth = 0; nth < stepAt.length; nth++) {
          const at = stepAt[nth]!
          if (last === undefined || last.values[nth] !== now[nth]) list[at] = make(planned[at]!, now[nth]!)
        }
        // All are there: each has a constant or a step.
        last = { values: now, list: Object.freeze(list as Array<A>) }
        return last.list
      }
    }
  }
}

/** The tools of all providers together make one list. */
const toolsWith =
  (toolOrder: ToolOrder | undefined, sortToolKeys: boolean) =>
  (
    providers: ReadonlyArray<Provider>
  ): Kept<values.Tools, Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>> => {
    const steps: Array<Step> = []
    let last:
      | {
          readonly values: Array<values.Tools>
          readonly list: Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>
        }
      | undefined
    const constants = providers.map((provider): values.Tools | undefined => {
      const step = values.toolsStep<Provided>(provider)
      const constant = constantOf(step, (from) => from.tools)
      if (constant !== undefined && isDetached(step.slot, constant.value)) return constant.value
      steps.push(step)
      return undefined
    })
    return {
      steps,
      values: () => last?.values ?? (steps.length === 0 ? [] : undefined),
      list: ({ tools: given }) => {
        const before = last
        if (before !== undefined && given.every((tools, nth) => saysSame(tools, before.values[nth]!)))
          return before.list
        let nth = 0
        const all = constants.map((constant) => constant ?? given[nth++]!)
        last = { values: given, list: toolsOf(providers, all, toolOrder, sortToolKeys) }
        return last.list
      }
    }
  }

/** Tools were detached from their author when they were registered, but for those that were none then: these may change. */
const isDetached = (slot: Step["slot"], { schemas }: values.Tools): boolean => {
  if (!(slot instanceof Constant)) return false
  const { value } = slot
  const given = typeof value === "object" && value !== null && "schemas" in value ? value.schemas : value
  return Object.isFrozen(value) && givesAgain(given, { schemas, knownNames: [] })
}

const saysSame = (a: values.Tools, b: values.Tools): boolean =>
  a === b || (a.assembled === b.assembled && consistsOf(a.schemas, b.schemas) && consistsOf(a.knownNames, b.knownNames))

// -----------------------------------------------------------------------------
// assemblies
// -----------------------------------------------------------------------------

/** An assembly with all that it was made of. */
interface Last {
  readonly values: values.Values
  readonly base: Assembly
  readonly result: Assembly
  readonly sealed: Assembly
}

/** Makes the assemblies of one scope as long as its plan holds. */
class Assembler {
  readonly plan: Plan<Provided>
  readonly #scope: PromptScope
  readonly #toolOrder: ToolOrder | undefined
  readonly #variables: Kept<string | undefined, ReadonlyArray<AssembledVariable>>
  readonly #tools: Kept<values.Tools, Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>>
  readonly #sections: Kept<Text, ReadonlyArray<AssembledSection>>
  readonly #contexts: Kept<Text, ReadonlyArray<AssembledContext>>
  /** Of all lists, in the order of evaluation. */
  readonly #steps: ReadonlyArray<Step>
  /** Of the steps whose values are read when an assembly begins. */
  readonly #readers: ReadonlyArray<AtStart>
  #context: AssembleContext | undefined
  #admitted: ReadonlyArray<Admitted> = []
  #last: Last | undefined

  /** `above` is the one of the parent scope: a list that both plans have is made once. */
  constructor(scope: PromptScope, plan: Plan<Provided>, lists: Lists, above: Assembler | undefined) {
    const shared = above?.plan
    this.plan = plan
    this.#scope = scope
    this.#toolOrder = lists.toolOrder
    this.#variables = shared?.variables === plan.variables ? above!.#variables : lists.variables(plan.variables)
    this.#tools = shared?.tools === plan.tools ? above!.#tools : lists.tools(plan.tools)
    this.#sections = shared?.sections === plan.sections ? above!.#sections : lists.sections(plan.sections)
    this.#contexts = shared?.contexts === plan.contexts ? above!.#contexts : lists.contexts(plan.contexts)
    this.#steps = [this.#variables, this.#tools, this.#sections, this.#contexts].flatMap(({ steps }) => steps)
    this.#readers = this.#steps.flatMap(({ slot }) => (slot instanceof AtStart ? [slot] : []))
  }

  /** An Exit if no provider and no listener gives an Effect. */
  assemble(
    waterfall: Waterfall["Service"],
    annotations: Context.Context<never>
  ): Effect.Effect<Assembly, AssembleError> {
    const context = this.#contextOf(annotations)
    const before = this.#last?.values ?? this.#valuesOfOthers()
    const read = this.#readers.length === 0 ? nothingRead : this.#readers.map((reader) => reader.read(this.#scope))
    const evaluated = this.#evaluate(0, context, read, before, before === undefined ? values.empty() : undefined)
    return flatMapNow(evaluated, (from) => this.#finish(waterfall, context, from))
  }

  #contextOf(annotations: Context.Context<never>): AssembleContext {
    const before = this.#context
    if (before?.annotations === annotations) return before
    const context = Object.freeze({ scope: this.#scope, annotations })
    this.#context = context
    this.#admitted = this.plan.listeners.map((listener) => admit(listener, context))
    return context
  }

  /**
   * What was given last for each list, by scopes that share it: if it was accepted for one of them, it is for all. No one
   * scope need have given all of it.
   */
  #valuesOfOthers(): values.Values | undefined {
    const variables = this.#variables.values()
    const tools = this.#tools.values()
    const sections = this.#sections.values()
    const contexts = this.#contexts.values()
    return variables === undefined || tools === undefined || sections === undefined || contexts === undefined
      ? undefined
      : { variables, tools, sections, contexts }
  }

  /**
   * Calls the providers from that step on. `into` has the values of those before, unless all of them are the ones that
   * were accepted `before`; if that is so in the end, these are the values. `read` has what was read at the start.
   */
  #evaluate(
    start: number,
    context: AssembleContext,
    read: ReadonlyArray<unknown>,
    before: values.Values | undefined,
    into: values.Values | undefined
  ): Effect.Effect<values.Values, values.Refusal> {
    const steps = this.#steps
    let from = into
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!
      const { slot } = step
      let value: unknown
      try {
        value =
          typeof slot === "function"
            ? slot(context)
            : slot instanceof Constant
              ? slot.value
              : read[this.#readers.indexOf(slot)]
      } catch (cause) {
        return Exit.fail(threw(step, cause))
      }
      if (before !== undefined && isAgain(value, before, i)) {
        if (from !== undefined) keep(before, i, from)
        continue
      }
      const soFar = (from ??= firstOf(before!, i))
      if (isEffect(value)) {
        return Effect.flatMap(named(step, value), (value) => {
          const refusal = step.accept(value, soFar)
          return refusal === undefined ? this.#evaluate(i + 1, context, read, before, soFar) : Exit.fail(refusal)
        })
      }
      const refusal = step.accept(value, soFar)
      if (refusal !== undefined) return Exit.fail(refusal)
    }
    return Exit.succeed(from ?? before!)
  }

  #finish(
    waterfall: Waterfall["Service"],
    context: AssembleContext,
    from: values.Values
  ): Effect.Effect<Assembly, AssembleError> {
    const composed = this.#baseOf(from)
    if (Result.isFailure(composed)) return Exit.fail(composed.failure)
    const base = composed.success
    // Another assembly may have come between, with other annotations.
    const listeners =
      this.#context === context ? this.#admitted : this.plan.listeners.map((listener) => admit(listener, context))
    return flatMapNow(waterfall.run(listeners, base), (result): Effect.Effect<Assembly, AssembleError> => {
      const last = this.#last
      if (last !== undefined && last.base === base && last.result === result) return Exit.succeed(last.sealed)
      const sealed = seal(base, result)
      if (Result.isFailure(sealed)) return Exit.fail(sealed.failure)
      this.#last = { values: from, base, result, sealed: sealed.success }
      return Exit.succeed(sealed.success)
    })
  }

  #baseOf(from: values.Values): Result.Result<Assembly, UnknownTool> {
    const last = this.#last
    if (last !== undefined && last.values === from) return Result.succeed(last.base)
    const listed = this.#tools.list(from)
    if (Result.isFailure(listed)) return Result.fail(listed.failure)
    const tools = listed.success
    const variables = this.#variables.list(from)
    const sections = this.#sections.list(from)
    const contexts = this.#contexts.list(from)
    return Result.succeed(
      last?.base.variables === variables &&
        last.base.tools === tools &&
        last.base.sections === sections &&
        last.base.contexts === contexts
        ? last.base
        : assemblyOf(this.plan, this.#toolOrder, { sections, contexts, tools, variables })
    )
  }
}

// -----------------------------------------------------------------------------
// values
// -----------------------------------------------------------------------------

/** Whether the step with that number gave the very same as before. */
const isAgain = (value: unknown, before: values.Values, step: number): boolean => {
  const { contexts, sections, tools, variables } = before
  let i = step
  if (i < variables.length) return value === variables[i]
  i -= variables.length
  if (i < tools.length) return givesAgain(value, tools[i]!)
  i -= tools.length
  return value === (i < sections.length ? sections[i] : contexts[i - sections.length])
}

/** Whether a value gives the schemas that were accepted before, each of them the very same. Schemas cannot change. */
const givesAgain = (value: unknown, before: values.Tools): boolean => {
  if (value === before) return true
  try {
    return Array.isArray(value) && before.knownNames.length === 0 && consistsOf(value, before.schemas)
  } catch {
    // Whoever accepts it says what is wrong with it.
    return false
  }
}

/** Takes the value of that step over. */
const keep = (before: values.Values, step: number, into: values.Values): void => {
  const { contexts, sections, tools, variables } = before
  let i = step
  if (i < variables.length) {
    into.variables.push(variables[i])
    return
  }
  i -= variables.length
  if (i < tools.length) {
    into.tools.push(tools[i]!)
    return
  }
  i -= tools.length
  if (i < sections.length) into.sections.push(sections[i]!)
  else into.contexts.push(contexts[i - sections.length]!)
}

/** The values of the steps before that one. */
const firstOf = (before: values.Values, steps: number): values.Values => {
  const into = values.empty()
  for (let i = 0; i < steps; i++) keep(before, i, into)
  return into
}

const nothingRead: ReadonlyArray<unknown> = []

/** What was made of the lists of plans. */
interface Lists {
  readonly toolOrder: ToolOrder | undefined
  readonly variables: (
    planned: Plan<Provided>["variables"]
  ) => Kept<string | undefined, ReadonlyArray<AssembledVariable>>
  readonly tools: (
    planned: Plan<Provided>["tools"]
  ) => Kept<values.Tools, Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>>
  readonly sections: (planned: Plan<Provided>["sections"]) => Kept<Text, ReadonlyArray<AssembledSection>>
  readonly contexts: (planned: Plan<Provided>["contexts"]) => Kept<Text, ReadonlyArray<AssembledContext>>
}

/** For how many scopes an assembler is kept, at the least. */
const kept = 256

/** The assemblers of a service, one for each scope in use. */
export class Assemblers {
  readonly #lists: Lists
  readonly #planOf: (scope: PromptScope) => CachedPlan
  readonly #kept = new Recent<PromptScope, Assembler>(kept)

  constructor(toolOrder: ToolOrder | undefined, sortToolKeys: boolean, planOf: (scope: PromptScope) => CachedPlan) {
    this.#planOf = planOf
    this.#lists = {
      toolOrder,
      variables: entriesWith(values.variableStep<Provided>, (from) => from.variables, variableOf),
      tools: toolsWith(toolOrder, sortToolKeys),
      sections: entriesWith(values.sectionStep<Provided>, (from) => from.sections, sectionOf),
      contexts: entriesWith(values.contextStep<Provided>, (from) => from.contexts, contextOf)
    }
  }

  /** The one for the scope and its plan of now. It shares with those of the ancestors what their plans share. */
  of(scope: PromptScope, plan: Plan<Provided>): Assembler {
    const known = this.#kept.get(scope)
    if (known?.plan === plan) return known
    let above: Assembler | undefined
    const ancestors = chain(scope).slice(0, -1)
    // A chain that the caches cannot hold would push out of them what it has just put in, at every step.
    for (const one of ancestors.length < kept / 2 ? ancestors : []) {
      const planned = this.#planOf(one)
      above = Result.isSuccess(planned) ? this.#make(one, planned.success, above) : undefined
    }
    return this.#make(scope, plan, above)
  }

  #make(scope: PromptScope, plan: Plan<Provided>, above: Assembler | undefined): Assembler {
    const known = this.#kept.get(scope)
    if (known?.plan === plan) return known
    const assembler = new Assembler(scope, plan, this.#lists, above)
    // A closed scope is forgotten at its end, once and for all.
    if (!scope.closed) this.#kept.set(scope, assembler)
    return assembler
  }

  forget(scope: PromptScope): void {
    this.#kept.delete(scope)
  }
}
