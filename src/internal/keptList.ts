/**
 * One list of a plan, made again and again at the price of what is different from the time before: where its providers
 * give what they gave, the same parts and the same list come back. The plans of a scope and its ancestors that have the
 * list in common share it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { AssembleContext } from "../AssembleContext.ts"
import type { AssembledTool } from "../Assembly.ts"
import * as Origin from "../Origin.ts"
import type { Provided } from "../Overlay.ts"
import type { Plan } from "../Plan.ts"
import type { UnknownTool } from "../PromptError.ts"
import type { ToolOrder } from "../ToolOrder.ts"
import * as ToolSchema from "../ToolSchema.ts"
import { toolsOf } from "./compose.ts"
import { threw, waitFor } from "./evaluate.ts"
import { AtStart, Constant, isEffect, type Read, valueOf } from "./give.ts"
import { consistsOf } from "./partList.ts"
import { isPromise } from "./rules.ts"
import { type Refusal, type Step as StepOf, type Tools, toolsStep } from "./values.ts"

/** The values of a list at once, or an Effect of them. */
export type Values<V> = ReadonlyArray<V> | Effect.Effect<ReadonlyArray<V>, Refusal>

type Step<V> = StepOf<Provided, V>

interface Made<V, A> {
  readonly values: ReadonlyArray<V>
  readonly list: A
}

const none: ReadonlyArray<never> = Object.freeze([])

export abstract class KeptList<V, A> {
  /** The providers that are no constants, and constants that are refused each time. */
  readonly #steps: ReadonlyArray<Step<V>>
  /** Those that are read when an assembly begins. */
  readonly readers: ReadonlyArray<AtStart>
  #made: Made<V, A> | undefined

  constructor(steps: ReadonlyArray<Step<V>>) {
    this.#steps = steps
    this.readers = steps.length === 0 ? none : steps.flatMap(({ slot }) => (slot instanceof AtStart ? [slot] : []))
  }

  /**
   * Calls the providers. If all of them give what was accepted last, the very same values come back. `last` are those of
   * the scope; without them those of whichever scope was last, since what was accepted for one of them is for all.
   */
  evaluate(context: AssembleContext, read: Read, last: ReadonlyArray<V> | undefined): Values<V> {
    const before = last ?? this.#made?.values ?? (this.#steps.length === 0 ? none : undefined)
    return this.#evaluateFrom(0, context, read, before, before === undefined ? [] : undefined)
  }

  /** `into` has the values of the steps before `start`, then those of `before`; without it all are as `before` so far. */
  #evaluateFrom(
    start: number,
    context: AssembleContext,
    read: Read,
    before: ReadonlyArray<V> | undefined,
    into: Array<V> | undefined
  ): Values<V> {
    const steps = this.#steps
    let taken = into
    for (let i = start; i < steps.length; i++) {
      const step = steps[i]!
      let value: unknown
      try {
        value = valueOf(step.slot, context, read)
      } catch (cause) {
        return Exit.fail(threw(step, cause))
      }
      if (before !== undefined && this.#isAgain(value, before, i)) continue
      const soFar: Array<V> = (taken ??= [...before!])
      if (isEffect(value)) {
        return Effect.flatMap(waitFor(step, value, context), (value) => {
          const isAgain = before !== undefined && this.#isAgain(value, before, i)
          const accepted = isAgain ? Result.succeed(before[i]!) : step.accept(value)
          if (Result.isFailure(accepted)) return Exit.fail(accepted.failure)
          soFar[i] = accepted.success
          return asEffect(this.#evaluateFrom(i + 1, context, read, before, soFar))
        })
      }
      const accepted = step.accept(value)
      if (Result.isFailure(accepted)) return Exit.fail(accepted.failure)
      soFar[i] = accepted.success
    }
    return taken ?? before!
  }

  #isAgain(value: unknown, before: ReadonlyArray<V>, i: number): boolean {
    return value === before[i] || this.saysAgain(value, before[i]!)
  }

  /** Whether a value that is another object than the one accepted before gives the same. */
  protected abstract saysAgain(value: unknown, accepted: V): boolean

  /** The list for these values. */
  of(values: ReadonlyArray<V>): A {
    const before = this.#made
    if (before !== undefined && (before.values === values || this.isSame(before.values, values))) return before.list
    const list = this.make(values, before)
    this.#made = { values, list }
    return list
  }

  protected abstract isSame(before: ReadonlyArray<V>, now: ReadonlyArray<V>): boolean

  protected abstract make(values: ReadonlyArray<V>, before: Made<V, A> | undefined): A
}

/** Whether values are there at once. */
export const isNow = <V>(values: Values<V>): values is ReadonlyArray<V> => Array.isArray(values)

const asEffect = <V>(values: Values<V>): Effect.Effect<ReadonlyArray<V>, Refusal> =>
  isNow(values) ? Exit.succeed(values) : values

/** What a step accepts of its constant; nothing, if it has none or refuses it. */
const constantOf = <V>({ accept, slot }: Step<V>): Result.Result<V, unknown> =>
  slot instanceof Constant ? accept(slot.value) : Result.fail(undefined)

// -----------------------------------------------------------------------------
// variables, sections and contexts
// -----------------------------------------------------------------------------

/** What lists of one kind of entries have in common. */
export interface EntryKind<P extends Contributed, V, A extends Contributed> {
  readonly stepOf: (planned: P) => Step<V>
  readonly partOf: (planned: P, value: V) => A
  /** What was made of the constants of entries: the plans of several scopes, or of one after another, have them. */
  readonly constants: WeakMap<object, A>
}

interface Contributed {
  readonly origin: Origin.Origin
}

/** Each entry of the plan is a part of the assembly. */
export class EntryList<P extends Contributed & { readonly entry: object }, V, A extends Contributed> extends KeptList<
  V,
  ReadonlyArray<A>
> {
  readonly #kind: EntryKind<P, V, A>
  readonly #planned: ReadonlyArray<P>
  /** Of the constants; with gaps for the steps. */
  readonly #parts: ReadonlyArray<A | undefined>
  /** For each step the place of its part. */
  readonly #places: ReadonlyArray<number>

  /** `above` is the list of the parent scope: most of both is the same. */
  constructor(kind: EntryKind<P, V, A>, list: ReadonlyArray<P>, above: EntryList<P, V, A> | undefined) {
    const steps: Array<Step<V>> = []
    const places: Array<number> = []
    const parts: Array<A | undefined> = []
    // A copy that is not frozen: reading a frozen array takes five times as long.
    const planned = [...list]
    const shared = above === undefined || above.#planned.length !== planned.length ? undefined : above
    for (let at = 0; at < planned.length; at++) {
      const one = planned[at]!
      const isShared = shared !== undefined && shared.#planned[at] === one
      const part = isShared ? shared.#parts[at] : constantPart(kind, one)
      if (part === undefined) {
        steps.push(kind.stepOf(one))
        places.push(at)
      }
      parts.push(part)
    }
    super(steps)
    this.#kind = kind
    this.#planned = planned
    this.#parts = parts
    this.#places = places
  }

  protected saysAgain(): boolean {
    return false
  }

  protected isSame(before: ReadonlyArray<V>, now: ReadonlyArray<V>): boolean {
    for (let i = 0; i < now.length; i++) if (before[i] !== now[i]) return false
    return true
  }

  protected make(values: ReadonlyArray<V>, before: Made<V, ReadonlyArray<A>> | undefined): ReadonlyArray<A> {
    const list = [...(before?.list ?? this.#parts)]
    const places = this.#places
    for (let nth = 0; nth < places.length; nth++) {
      const value = values[nth]!
      const at = places[nth]!
      if (before === undefined || before.values[nth] !== value) list[at] = this.#kind.partOf(this.#planned[at]!, value)
    }
    // All are there: each has a constant or a step.
    return Object.freeze(list as Array<A>)
  }
}

/** The part of an entry whose value is a constant that is accepted. */
const constantPart = <P extends Contributed & { readonly entry: object }, V, A extends Contributed>(
  kind: EntryKind<P, V, A>,
  planned: P
): A | undefined => {
  const known = kind.constants.get(planned.entry)
  if (known !== undefined && Origin.equals(known.origin, planned.origin)) return known
  const constant = constantOf(kind.stepOf(planned))
  if (Result.isFailure(constant)) return undefined
  const part = kind.partOf(planned, constant.success)
  kind.constants.set(planned.entry, part)
  return part
}

// -----------------------------------------------------------------------------
// tools
// -----------------------------------------------------------------------------

type Provider = Plan<Provided>["tools"][number]

/** The tools of all providers together, which are refused if the order names one that is not there. */
export class ToolList extends KeptList<Tools, Result.Result<ReadonlyArray<AssembledTool>, UnknownTool>> {
  readonly #providers: ReadonlyArray<Provider>
  readonly #toolOrder: ToolOrder | undefined
  readonly #sortToolKeys: boolean
  /** Of the providers; with gaps for the steps. */
  readonly #constants: ReadonlyArray<Tools | undefined>

  constructor(providers: ReadonlyArray<Provider>, toolOrder: ToolOrder | undefined, sortToolKeys: boolean) {
    const steps: Array<Step<Tools>> = []
    const constants = providers.map((provider): Tools | undefined => {
      const step = toolsStep<Provided>(provider)
      const constant = constantOf(step)
      // What its author can still change is asked for each time, as what a function gives is.
      if (Result.isSuccess(constant) && constant.success.fixed !== undefined) return constant.success
      steps.push(step)
      return undefined
    })
    super(steps)
    this.#providers = providers
    this.#toolOrder = toolOrder
    this.#sortToolKeys = sortToolKeys
    this.#constants = constants
  }

  protected saysAgain(value: unknown, accepted: Tools): boolean {
    return (
      (accepted.fixed !== undefined && value === accepted.fixed) ||
      (accepted.knownNames.length === 0 && givesAgain(value, accepted))
    )
  }

  protected isSame(before: ReadonlyArray<Tools>, now: ReadonlyArray<Tools>): boolean {
    return now.every((tools, nth) => areSame(tools, before[nth]!))
  }

  protected make(given: ReadonlyArray<Tools>): Result.Result<ReadonlyArray<AssembledTool>, UnknownTool> {
    let nth = 0
    const all = this.#constants.map((constant) => constant ?? given[nth++]!)
    return toolsOf(this.#providers, all, this.#toolOrder, this.#sortToolKeys)
  }
}

/** Whether a value gives the tools that were accepted before, be they the very same schemas or others that say the same. */
const givesAgain = (value: unknown, { schemas }: Tools): boolean => {
  try {
    if (!Array.isArray(value) || value.length !== schemas.length || isPromise(value)) return false
    for (let i = 0; i < schemas.length; i++) {
      const input: unknown = value[i]
      if (input !== schemas[i] && !ToolSchema.isUnchanged(input, schemas[i]!)) return false
    }
    return true
  } catch {
    // Whoever accepts it says what is wrong with it.
    return false
  }
}

const areSame = (a: Tools, b: Tools): boolean =>
  a === b || (a.assembled === b.assembled && consistsOf(a.schemas, b.schemas) && consistsOf(a.knownNames, b.knownNames))
