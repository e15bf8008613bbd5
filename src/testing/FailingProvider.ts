/**
 * A provider that gives its value, except in the calls in which it is to fail, die, hang or be interrupted; it counts all
 * of them. It shows what code does when a section, a variable or a tool provider lets it down.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What becomes of a call: a typed failure, a defect, nothing for ever, or an interruption from within.
 *
 * @since 0.1.0
 * @category models
 */
export type Fault = "fails" | "dies" | "hangs" | "interrupts"

/**
 * How many calls there have been, and how they ended. The rest of them gave the value or is still running.
 *
 * @since 0.1.0
 * @category models
 */
export interface Counts {
  readonly started: number
  readonly succeeded: number
  readonly failed: number
  readonly died: number
  /** From within, or because whoever called gave up. */
  readonly interrupted: number
}

/**
 * A provider with the counts of its calls.
 *
 * @since 0.1.0
 * @category models
 */
export interface FailingProvider<out A> {
  /** For a section, a context, a variable or tools. */
  readonly provider: Effect.Effect<A, ProviderFault>
  /** The counts of this moment. */
  readonly counts: Counts
}

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * What a failing provider fails or dies with. `call` is the number of the call, from 1.
 *
 * @since 0.1.0
 * @category errors
 */
export class ProviderFault extends Schema.TaggedError<ProviderFault>("effect-preamble/testing/ProviderFault")(
  "ProviderFault",
  { call: Schema.Int }
) {
  override get message(): string {
    return `call ${this.call} of this provider was made to go wrong by the test`
  }
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A provider of the value that goes wrong in these calls, counted from 1; by default in all of them. Throws a `TypeError`
 * if there is no such fault, or a call has no such number.
 *
 * **Provider's cache**: that of what it is the provider of.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A>(
  value: A,
  options: { readonly fault: Fault; readonly calls?: ReadonlyArray<number> | undefined }
): FailingProvider<A> => {
  checkOptions(options)
  let counts: Counts = { started: 0, succeeded: 0, failed: 0, died: 0, interrupted: 0 }
  const count = (what: keyof Counts) => {
    counts = Object.freeze({ ...counts, [what]: counts[what] + 1 })
  }
  const provider = Effect.suspend(() => {
    count("started")
    const call = counts.started
    const goesWrong = options.calls === undefined || options.calls.includes(call)
    return Effect.onExit(goesWrong ? faults[options.fault](call) : Effect.succeed(value), (exit) =>
      Effect.sync(() => count(endOf(exit)))
    )
  })
  return {
    provider,
    get counts() {
      return counts
    }
  }
}

/** A test that asks for what cannot happen would be green by mistake. */
const checkOptions = ({
  calls = [],
  fault
}: {
  readonly fault: Fault
  readonly calls?: ReadonlyArray<number> | undefined
}) => {
  if (!Object.hasOwn(faults, fault)) {
    throw new TypeError(`fault is ${JSON.stringify(fault)}, and must be one of ${Object.keys(faults).join(", ")}`)
  }
  const wrong = calls.find((call) => !(Number.isSafeInteger(call) && call > 0))
  if (wrong !== undefined) {
    throw new TypeError(
      `calls has ${wrong}; calls are counted from 1, so that each must be a whole number greater than 0`
    )
  }
}

const faults: Readonly<Record<Fault, (call: number) => Effect.Effect<never, ProviderFault>>> = {
  fails: (call) => Effect.fail(new ProviderFault({ call })),
  dies: (call) => Effect.die(new ProviderFault({ call })),
  hangs: () => Effect.never,
  interrupts: () => Effect.interrupt
}

const endOf = (exit: Exit.Exit<unknown, unknown>): keyof Counts => {
  if (Exit.isSuccess(exit)) return "succeeded"
  if (Cause.hasFails(exit.cause)) return "failed"
  return Cause.hasDies(exit.cause) ? "died" : "interrupted"
}
