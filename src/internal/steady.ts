/**
 * Assembles again and again at the price of what is different from the time before: every provider that is no constant
 * is called and every listener runs, and where they give what they gave, the same parts, lists and assembly come back.
 * With its lists this is the fast and ugly twin of `evaluate`, `compose` and `seal`, which say what must come out.
 *
 * Nothing is kept from one assembly to the next but immutable values, and an assembly that waits for an Effect writes
 * nothing that another one reads before all values are there, so that any number of them may be on their way at once.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { AssembledContext, AssembledSection, AssembledVariable, Assembly } from "../Assembly.ts"
import type { Admitted } from "../Listener.ts"
import type { Provided } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import type { AssembleError, UnknownTool } from "../PromptError.ts"
import type { PromptScope } from "../PromptScope.ts"
import type { Text } from "../Template.ts"
import type { ToolOrder } from "../ToolOrder.ts"
import type { Waterfall } from "../Waterfall.ts"
import { admit } from "./admit.ts"
import { assemblyOf, contextOf, sectionOf, variableOf } from "./compose.ts"
import { flatMapNow } from "./exit.ts"
import type { AtStart, Read } from "./give.ts"
import { type EntryKind, EntryList, isNow, ToolList } from "./keptList.ts"
import { Recent } from "./recent.ts"
import { seal } from "./seal.ts"
import type { CachedPlan } from "./registry.ts"
import { chain } from "./scope.ts"
import * as values from "./values.ts"
import { Memory } from "./wellFormed.ts"

type Planned<L extends "variables" | "sections" | "contexts"> = Plan<Provided>[L][number]

/** How the lists of all plans of a service are made. */
interface Kinds {
  readonly toolOrder: ToolOrder | undefined
  readonly sortToolKeys: boolean
  readonly variables: EntryKind<Planned<"variables">, string | undefined, AssembledVariable>
  readonly sections: EntryKind<Planned<"sections">, Text, AssembledSection>
  readonly contexts: EntryKind<Planned<"contexts">, Text, AssembledContext>
}

// -----------------------------------------------------------------------------
// assemblies
// -----------------------------------------------------------------------------

/** An assembly with all that it was made of. */
interface Last {
  readonly values: values.Values
  readonly base: Assembly
  readonly result: Assembly
  readonly sealed: Exit.Exit<Assembly>
}

const nothingRead: Read = new Map()
const nothingDone: Partial<values.Values> = {}

/** Values at once, or an Effect of them. */
type Pending = values.Values | Effect.Effect<values.Values, values.Refusal>

/** Makes the assemblies of one scope as long as its plan holds. */
class Assembler {
  readonly plan: Plan<Provided>
  readonly #scope: PromptScope
  readonly #toolOrder: ToolOrder | undefined
  readonly #variables: EntryList<Planned<"variables">, string | undefined, AssembledVariable>
  readonly #tools: ToolList
  readonly #sections: EntryList<Planned<"sections">, Text, AssembledSection>
  readonly #contexts: EntryList<Planned<"contexts">, Text, AssembledContext>
  readonly #readers: ReadonlyArray<AtStart>
  #context: AssembleContext | undefined
  #admitted: ReadonlyArray<Admitted> = []
  /** For each listener of the plan. */
  #memories: ReadonlyArray<Memory> | undefined
  #last: Last | undefined
  #isSealed: boolean | undefined

  /** `above` is the one of the parent scope: a list that both plans have is made once. */
  constructor(scope: PromptScope, plan: Plan<Provided>, kinds: Kinds, above: Assembler | undefined) {
    this.plan = plan
    this.#scope = scope
    this.#toolOrder = kinds.toolOrder
    this.#variables =
      above !== undefined && above.plan.variables === plan.variables
        ? above.#variables
        : new EntryList(kinds.variables, plan.variables, above && above.#variables)
    this.#tools =
      above !== undefined && above.plan.tools === plan.tools
        ? above.#tools
        : new ToolList(plan.tools, kinds.toolOrder, kinds.sortToolKeys)
    this.#sections =
      above !== undefined && above.plan.sections === plan.sections
        ? above.#sections
        : new EntryList(kinds.sections, plan.sections, above && above.#sections)
    this.#contexts =
      above !== undefined && above.plan.contexts === plan.contexts
        ? above.#contexts
        : new EntryList(kinds.contexts, plan.contexts, above && above.#contexts)
    const lists = [this.#variables, this.#tools, this.#sections, this.#contexts]
    this.#readers = lists.some(({ readers }) => readers.length > 0) ? lists.flatMap(({ readers }) => readers) : []
  }

  /** An Exit if no provider and no listener gives an Effect. */
  assemble(
    waterfall: Waterfall["Service"],
    annotations: Context.Context<never>
  ): Effect.Effect<Assembly, AssembleError> {
    const context = this.#contextOf(annotations)
    const evaluated = this.#evaluate(context, this.#read(), nothingDone)
    return evaluated instanceof values.Values
      ? this.#finish(waterfall, context, evaluated)
      : flatMapNow(evaluated, (from) => this.#finish(waterfall, context, from))
  }

  #contextOf(annotations: Context.Context<never>): AssembleContext {
    const before = this.#context
    if (before?.annotations === annotations) return before
    const context = Object.freeze({ scope: this.#scope, annotations })
    this.#context = context
    this.#admitted = this.#admit(context)
    return context
  }

  #admit(context: AssembleContext): ReadonlyArray<Admitted> {
    // Of a copy: the methods of frozen arrays are slow.
    const listeners = [...this.plan.listeners]
    const memories = (this.#memories ??= listeners.map(() => new Memory()))
    return Object.freeze(listeners.map((listener, i) => admit(listener, context, memories[i])))
  }

  /** What is read when an assembly begins. */
  #read(): Read {
    if (this.#readers.length === 0) return nothingRead
    return new Map(this.#readers.map((reader) => [reader, reader.read(this.#scope)]))
  }

  /** Calls all providers, but for those of the lists that are `done`. */
  #evaluate(context: AssembleContext, read: Read, done: Partial<values.Values>): Pending {
    const last = this.#last?.values
    const variables = done.variables ?? this.#variables.evaluate(context, read, last?.variables)
    if (!isNow(variables)) return flatMapNow(variables, (variables) => this.#goOn(context, read, { variables }))
    const tools = done.tools ?? this.#tools.evaluate(context, read, last?.tools)
    if (!isNow(tools)) return flatMapNow(tools, (tools) => this.#goOn(context, read, { variables, tools }))
    const sections = done.sections ?? this.#sections.evaluate(context, read, last?.sections)
    if (!isNow(sections))
      return flatMapNow(sections, (sections) => this.#goOn(context, read, { variables, tools, sections }))
    const contexts = done.contexts ?? this.#contexts.evaluate(context, read, last?.contexts)
    if (!isNow(contexts))
      return flatMapNow(contexts, (contexts) => this.#goOn(context, read, { variables, tools, sections, contexts }))
    return last?.variables === variables &&
      last.tools === tools &&
      last.sections === sections &&
      last.contexts === contexts
      ? last
      : new values.Values(variables, tools, sections, contexts)
  }

  #goOn(
    context: AssembleContext,
    read: Read,
    done: Partial<values.Values>
  ): Effect.Effect<values.Values, values.Refusal> {
    const evaluated = this.#evaluate(context, read, done)
    return evaluated instanceof values.Values ? Exit.succeed(evaluated) : evaluated
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
    const listeners = this.#context === context ? this.#admitted : this.#admit(context)
    return flatMapNow(waterfall.run(listeners, base), (result): Effect.Effect<Assembly, AssembleError> => {
      const last = this.#last
      if (last !== undefined && last.base === base && last.result === result) return last.sealed
      const sealed = result === base && this.#composesSealed() ? Result.succeed(base) : seal(base, result)
      if (Result.isFailure(sealed)) return Exit.fail(sealed.failure)
      const exit = Exit.succeed(sealed.success)
      this.#last = { values: from, base, result, sealed: exit }
      return exit
    })
  }

  /** Whether what is composed is sealed already, whatever the values: no section is complete, and none requires tools. */
  #composesSealed(): boolean {
    const { complete, sections } = this.plan
    // Of a copy: the methods of frozen arrays are slow.
    return (this.#isSealed ??=
      complete === undefined && [...sections].every(({ entry }) => entry.requires.length === 0))
  }

  #baseOf(from: values.Values): Result.Result<Assembly, UnknownTool> {
    const last = this.#last
    if (last?.values === from) return Result.succeed(last.base)
    // What other scopes make of a list that they share is no reason to make it anew.
    const tools = last?.values.tools === from.tools ? Result.succeed(last.base.tools) : this.#tools.of(from.tools)
    if (Result.isFailure(tools)) return Result.fail(tools.failure)
    const lists = {
      variables: last?.values.variables === from.variables ? last.base.variables : this.#variables.of(from.variables),
      tools: tools.success,
      sections: last?.values.sections === from.sections ? last.base.sections : this.#sections.of(from.sections),
      contexts: last?.values.contexts === from.contexts ? last.base.contexts : this.#contexts.of(from.contexts)
    }
    return Result.succeed(
      last?.base.variables === lists.variables &&
        last.base.tools === lists.tools &&
        last.base.sections === lists.sections &&
        last.base.contexts === lists.contexts
        ? last.base
        : assemblyOf(this.plan, this.#toolOrder, lists)
    )
  }
}

/** For how many scopes an assembler is kept, at the least. */
const kept = 256

/** The assemblers of a service, one for each scope in use. */
export class Assemblers {
  readonly #kinds: Kinds
  readonly #planOf: (scope: PromptScope) => CachedPlan
  readonly #kept = new Recent<PromptScope, Assembler>(kept)

  constructor(toolOrder: ToolOrder | undefined, sortToolKeys: boolean, planOf: (scope: PromptScope) => CachedPlan) {
    this.#planOf = planOf
    this.#kinds = {
      toolOrder,
      sortToolKeys,
      variables: { stepOf: values.variableStep<Provided>, partOf: variableOf, constants: new WeakMap() },
      sections: { stepOf: values.textStep<Provided>, partOf: sectionOf, constants: new WeakMap() },
      contexts: { stepOf: values.textStep<Provided>, partOf: contextOf, constants: new WeakMap() }
    }
  }

  /** The one for the scope and its plan of now. It shares with those of the ancestors what their plans share. */
  of(scope: PromptScope, plan: Plan<Provided>): Assembler {
    const known = this.#kept.get(scope)
    if (known?.plan === plan) return known
    const ancestors = chain(scope)
    let above: Assembler | undefined
    // A chain that the caches cannot hold would push out of them what it has just put in, at every step.
    if (ancestors.length <= kept / 2) {
      for (const one of ancestors) {
        if (one === scope) break
        const planned = this.#planOf(one)
        above = Result.isSuccess(planned) ? this.#ofAncestor(one, planned.success, above) : undefined
      }
    }
    return this.#make(scope, plan, above)
  }

  #ofAncestor(scope: PromptScope, plan: Plan<Provided>, above: Assembler | undefined): Assembler {
    const known = this.#kept.get(scope)
    return known?.plan === plan ? known : this.#make(scope, plan, above)
  }

  #make(scope: PromptScope, plan: Plan<Provided>, above: Assembler | undefined): Assembler {
    const assembler = new Assembler(scope, plan, this.#kinds, above)
    // A closed scope is forgotten at its end, once and for all.
    if (!scope.closed) this.#kept.set(scope, assembler)
    return assembler
  }

  forget(scope: PromptScope): void {
    this.#kept.delete(scope)
  }
}
