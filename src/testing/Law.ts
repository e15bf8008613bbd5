/**
 * A law: something that holds for all cases of a kind, or is broken by one that can be shown.
 *
 * `check` gives a report for each law, as plain data; `assert` fails with what the reports say, and is the one line that
 * a test needs. Both take the same cases on every machine, unless another seed is given, and both repeat one case
 * exactly when they are given its replay token.
 *
 * The laws of plugins, listeners, renderers and tool providers are made by the modules of these names; `make` makes others.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Base64Url } from "effect/encoding"
import * as Exit from "effect/Exit"
import * as Hash from "effect/Hash"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { at, liveClock, start } from "./internal/moment.ts"
import { Annotations } from "../AssembleContext.ts"
import { describeCause } from "../Owner.ts"
import * as PromptScope from "../PromptScope.ts"
import { show, showCause } from "./internal/show.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a case that breaks a law was expected to do, and what it was seen to do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Broken {
  readonly expected: string
  readonly seen: string
}

/**
 * The law held in all cases that were tried.
 *
 * @since 0.1.0
 * @category models
 */
export interface Passed {
  readonly _tag: "Passed"
  readonly law: string
  /** How many cases were tried. */
  readonly runs: number
}

/**
 * The law is broken.
 *
 * @since 0.1.0
 * @category models
 */
export const Failed = Schema.TaggedStruct("Failed", {
  law: Schema.String,
  /** What the law says. */
  rule: Schema.String,
  /** How many cases were tried, the one that failed included. */
  runs: Schema.Int,
  /** How often the case was made smaller, and still failed. */
  shrinks: Schema.Int,
  /** The smallest case found, as text. */
  counterexample: Schema.String,
  expected: Schema.String,
  seen: Schema.String,
  /** What to do about it. */
  advice: Schema.String,
  /** Give it to `check` or `assert` to run exactly this case again. It holds for one version of this package and of `effect`. */
  replay: Schema.String
})

/**
 * The law is broken.
 *
 * @since 0.1.0
 * @category models
 */
export type Failed = typeof Failed.Type

/**
 * What became of a law, as plain data.
 *
 * @since 0.1.0
 * @category models
 */
export type Report = Passed | Failed

/**
 * How laws are checked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many cases of each law are tried. Default 100; fewer where they hardly differ. */
  readonly runs?: number | undefined
  /** Other cases. By default they are always the same ones. */
  readonly seed?: string | number | undefined
  /** The token of a report: only its law is checked, and only with its case. */
  readonly replay?: string | undefined
  /** How long one case may take, in milliseconds; one that takes longer breaks its law. Default 5000. */
  readonly patience?: number | undefined
}

/**
 * A law about one subject, such as a plugin.
 *
 * @since 0.1.0
 * @category models
 */
export interface Law {
  /** Unique among the laws that are checked together. */
  readonly name: string
  /** What it says, in a sentence. */
  readonly rule: string
  /** Checks this law alone; `Law.check` is for users. */
  readonly check: (options: Options) => Effect.Effect<Report, LawMisused>
}

// -----------------------------------------------------------------------------
// errors
// -----------------------------------------------------------------------------

/**
 * Laws are broken. `broken` has the reports of those that are; the message is all of them as text.
 *
 * @since 0.1.0
 * @category errors
 */
export class LawBroken extends Schema.TaggedError<LawBroken>("effect-preamble/testing/LawBroken")("LawBroken", {
  /** How many laws were checked. */
  checked: Schema.Int,
  broken: Schema.Array(Failed)
}) {
  override get message(): string {
    const count = `Broken laws: ${this.broken.length} of ${this.checked}.`
    return [count, ...this.broken.map(format)].join("\n\n")
  }

  /** For test runners that print an error by its fields. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `LawBroken: ${this.message}`
  }
}

/**
 * A law could not be checked as asked: options that make no sense, a replay token of another law or version, or a
 * generator that gives too few cases.
 *
 * @since 0.1.0
 * @category errors
 */
export class LawMisused extends Schema.TaggedError<LawMisused>("effect-preamble/testing/LawMisused")("LawMisused", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

// -----------------------------------------------------------------------------
// constructors
// -----------------------------------------------------------------------------

/**
 * A law of one's own. `holds` gives what is wrong with a case, if anything; it may also fail or die, which breaks the law.
 * It starts at the same time and with the same luck for each case: `Clock`, `Random`, `Date` and `Math.random` are those
 * of the law.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <A>(options: {
  readonly name: string
  readonly rule: string
  readonly advice: string
  readonly cases: Arbitrary.Arbitrary<A>
  readonly holds: (value: A) => Effect.Effect<Broken | undefined, unknown>
  /** How a case is shown; `undefined` if there is only one. */
  readonly show?: ((value: A) => unknown) | undefined
  /** How many runs see all there is to see, where cases hardly differ. */
  readonly most?: number | undefined
}): Law => ({
  name: options.name,
  rule: options.rule,
  check: (how) => run(options, how)
})

interface Definition<A> {
  readonly name: string
  readonly rule: string
  readonly advice: string
  readonly cases: Arbitrary.Arbitrary<A>
  readonly holds: (value: A) => Effect.Effect<Broken | undefined, unknown>
  readonly show?: ((value: A) => unknown) | undefined
  readonly most?: number | undefined
}

const run = <A>(law: Definition<A>, options: Options): Effect.Effect<Report, LawMisused> => {
  const { seed = "preamble", replay, patience = 5000 } = options
  const runs = Math.min(options.runs ?? 100, law.most ?? Infinity)
  const property = (value: A) => judge(law.holds, value, patience)
  const named = `Law ${JSON.stringify(law.name)}`
  const found = Arbitrary.checkEffect(law.cases, property, { runs, seed: Hash.string(`${seed}: ${law.name}`), replay })
  return turn.withPermit(found).pipe(
    // Cases are judged whatever they do: what is left is a token or a generator that is no good.
    Effect.catchDefect((defect) => misused(`${named} cannot be checked: ${describeCause(defect)}`)),
    Effect.flatMap((result): Effect.Effect<Report, LawMisused> => {
      switch (result._tag) {
        case "Passed":
          return Effect.succeed({ _tag: "Passed", law: law.name, runs: result.runs })
        case "Falsified":
          return Effect.succeed(failed(law, result))
        case "Exhausted":
          return misused(
            `${named} has too few cases: its generator refused ${result.discards} of them. Filter less, or generate only what fits.`
          )
        case "ReplayMismatch":
          if (result.reason === "PropertyPassed") return Effect.succeed({ _tag: "Passed", law: law.name, runs: 1 })
          // The small case holds now, and the one that it was made from does not: there is another smallest one.
          return result.reason === "ShrinkPassed"
            ? run(law, { ...options, replay: undefined })
            : misused(`${named} has no such case any more. ${newToken}`)
      }
    })
  )
}

/** Time and luck are those of the process, so that laws of tests that run at the same time take turns. */
const turn = Semaphore.makeUnsafe(1)

const judge = <A>(
  holds: (value: A) => Effect.Effect<Broken | undefined, unknown>,
  value: A,
  patience: number
): Effect.Effect<boolean, Broken> =>
  Effect.suspend(() => holds(value)).pipe(
    at(start),
    // Whatever the test around it is told or runs in.
    PromptScope.provide(PromptScope.global),
    Effect.provideService(Annotations, Context.empty()),
    Effect.timeoutOption(patience),
    // Tests often stop the clock; that must not stop our patience.
    Effect.provideService(Clock.Clock, liveClock),
    Effect.exit,
    Effect.flatMap((exit): Effect.Effect<boolean, Broken> => {
      if (Exit.isFailure(exit)) return Effect.fail({ expected: "no failure", seen: showCause(exit.cause) })
      if (exit.value._tag === "None") {
        return Effect.fail({ expected: "an end", seen: `nothing within ${patience} ms` })
      }
      return exit.value.value === undefined ? Effect.succeed(true) : Effect.fail(exit.value.value)
    })
  )

const failed = <A>(law: Definition<A>, result: Arbitrary.Falsified<A, Broken>): Failed => {
  const shown = law.show === undefined ? result.shrunkInput : law.show(result.shrunkInput)
  const broken = result.failure._tag === "PropertyError" ? result.failure.error : { expected: "true", seen: "false" }
  return {
    _tag: "Failed",
    law: law.name,
    rule: law.rule,
    runs: result.runs,
    shrinks: result.shrinks,
    counterexample: shown === undefined ? "there is only one case" : show(shown),
    expected: broken.expected,
    seen: broken.seen,
    advice: law.advice,
    replay: `${slug(law.name)}~${Base64Url.encode(result.replay)}`
  }
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/**
 * Checks laws, one after the other, and reports on each. A broken law is a report, not a failure.
 *
 * @since 0.1.0
 * @category running
 */
export const check = (
  laws: Law | ReadonlyArray<Law>,
  options: Options = {}
): Effect.Effect<ReadonlyArray<Report>, LawMisused> =>
  Effect.suspend(() => {
    const all = isList(laws) ? laws : [laws]
    const wrong = wrongOptions(options) ?? twins(all)
    if (wrong !== undefined) return misused(wrong)
    if (options.replay === undefined) return Effect.forEach(all, (law) => law.check(options))
    const [slugged = "", token = ""] = options.replay.split("~")
    const law = all.find((one) => slug(one.name) === slugged)
    const replay = replayOf(token)
    if (law === undefined) {
      return misused(
        `The replay token ${JSON.stringify(options.replay)} is of none of these laws: ${all.map((one) => one.name).join("; ")}. Check the law that gave it.`
      )
    }
    return replay === undefined
      ? misused(`The replay token ${JSON.stringify(options.replay)} is damaged. ${newToken}`)
      : Effect.map(law.check({ ...options, replay }), (report) => [report])
  })

/**
 * Checks laws, and fails if one is broken: the one line of a test. Gives the reports if all hold.
 *
 * @since 0.1.0
 * @category running
 */
export const assert = (
  laws: Law | ReadonlyArray<Law>,
  options?: Options
): Effect.Effect<ReadonlyArray<Report>, LawBroken | LawMisused> =>
  Effect.flatMap(check(laws, options), (reports) => {
    const broken = reports.filter((report) => report._tag === "Failed")
    return broken.length === 0
      ? Effect.succeed(reports)
      : Effect.fail(new LawBroken({ checked: reports.length, broken }))
  })

/**
 * `assert` for tests that know Promises only: rejects with the `LawBroken`.
 *
 * @since 0.1.0
 * @category running
 */
export const assertPromise = (laws: Law | ReadonlyArray<Law>, options?: Options): Promise<ReadonlyArray<Report>> =>
  Effect.runPromise(assert(laws, options))

// -----------------------------------------------------------------------------
// destructors
// -----------------------------------------------------------------------------

/**
 * A report as text, for people.
 *
 * @since 0.1.0
 * @category destructors
 */
export const format = (report: Report): string => {
  if (report._tag === "Passed") return `${report.law}: held in ${plural(report.runs, "case")}.`
  const lines = [
    ["Law", report.rule],
    ["Counterexample", report.counterexample],
    ["Expected", report.expected],
    ["Seen", report.seen],
    ["What to do", report.advice],
    ["Replay", `{ replay: ${JSON.stringify(report.replay)} }`]
  ]
  const found = `${report.law}: broken in case ${report.runs}, made smaller ${plural(report.shrinks, "time")}.`
  return [found, ...lines.map(([label, text]) => `  ${label}: ${text?.replaceAll("\n", "\n  ")}`)].join("\n")
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

// -----------------------------------------------------------------------------
// misuse
// -----------------------------------------------------------------------------

const isList = (laws: Law | ReadonlyArray<Law>): laws is ReadonlyArray<Law> => Array.isArray(laws)

const misused = (reason: string): Effect.Effect<never, LawMisused> => Effect.fail(new LawMisused({ reason }))

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")

const wrongOptions = ({ patience, runs }: Options): string | undefined => {
  for (const [option, value] of Object.entries({ runs, patience })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      return `${option} is ${value}, and must be a whole number greater than 0.`
    }
  }
  return undefined
}

const twins = (laws: ReadonlyArray<Law>): string | undefined => {
  const name = laws.find((law, i) => laws.findIndex((other) => slug(other.name) === slug(law.name)) !== i)?.name
  return name === undefined
    ? undefined
    : `Two of the laws are named ${JSON.stringify(name)}, so that their replay tokens could not be told apart. Check them one by one.`
}

const newToken = "Check without the replay token to get a new one."

/** The token of `effect/Arbitrary` in ours; none if it is not even shaped like one. */
const replayOf = (token: string): string | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  try {
    return text !== undefined && Array.isArray(JSON.parse(text)) ? text : undefined
  } catch {
    return undefined
  }
}
