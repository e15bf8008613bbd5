/**
 * A law: something that holds for all cases of a kind, or is broken by one that can be shown.
 *
 * `check` gives a report for each law, as plain data; `assert` fails with what the reports say, and is the one line that
 * a test needs. Both take the same cases on every machine, unless another seed is given, and both repeat one case
 * exactly when they are given its replay token.
 *
 * The laws of plugins, listeners, renderers, waterfalls, tool providers and registries of tools are made by the modules of
 * these names; `make` makes others.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { Base64Url } from "effect/encoding"
import * as Hash from "effect/Hash"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isList, newToken, replayOf, slug, twins, wrongOptions } from "./internal/asked.ts"
import { describeCause } from "../Owner.ts"
import { judge, type Tally } from "./internal/judge.ts"
import { show } from "./internal/show.ts"
import type { Verdict } from "./internal/verdict.ts"

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
 * The law was not judged: its subject failed in all cases, in a way that another law reports.
 *
 * @since 0.1.0
 * @category models
 */
export const Unjudged = Schema.TaggedStruct("Unjudged", {
  law: Schema.String,
  /** How many cases were tried. */
  runs: Schema.Int,
  /** Why none of them says anything, and which law says more. */
  reason: Schema.String
})

/**
 * The law was not judged: its subject failed in all cases, in a way that another law reports.
 *
 * @since 0.1.0
 * @category models
 */
export type Unjudged = typeof Unjudged.Type

/**
 * What became of a law, as plain data.
 *
 * @since 0.1.0
 * @category models
 */
export type Report = Passed | Failed | Unjudged

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
 * How laws are checked by `assertPromise`.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromiseOptions extends Options {
  /** Ends the check when it aborts, as test runners do at the limit of a test; `Date` is then the real one again. */
  readonly signal?: AbortSignal | undefined
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
 * Laws are broken. `broken` has the reports of those that are, `unjudged` of those that no case has judged; the message is
 * all of them as text.
 *
 * @since 0.1.0
 * @category errors
 */
export class LawBroken extends Schema.TaggedError<LawBroken>("effect-preamble/testing/LawBroken")("LawBroken", {
  /** How many laws were checked. */
  checked: Schema.Int,
  broken: Schema.Array(Failed),
  unjudged: Schema.Array(Unjudged)
}) {
  override get message(): string {
    const count = `Broken laws: ${this.broken.length} of ${this.checked}.`
    const unjudged = this.unjudged.length === 0 ? [] : [this.unjudged.map(format).join("\n")]
    return [count, ...this.broken.map(format), ...unjudged].join("\n\n")
  }

  /** For test runners that print an error by its fields. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `LawBroken: ${this.message}`
  }
}

/**
 * A law could not be checked as asked: options that make no sense, a subject that is none, a replay token of another law
 * or version, a generator that gives too few cases, or, by `assert`, no laws at all, and laws that no case has judged.
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
export const make = <A>(definition: Definition<A>): Law => ({
  name: definition.name,
  rule: definition.rule,
  check: (how) => run(definition, how)
})

/**
 * What a law is made from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<A> {
  readonly name: string
  readonly rule: string
  readonly advice: string
  readonly cases: Arbitrary.Arbitrary<A>
  readonly holds: (value: A) => Effect.Effect<Broken | undefined, unknown>
  /** How a case is shown; `undefined` if there is only one. */
  readonly show?: ((value: A) => unknown) | undefined
  /** How many runs see all there is to see, where cases hardly differ. */
  readonly most?: number | undefined
}

const run = <A>(law: Definition<A>, options: Options): Effect.Effect<Report, LawMisused> =>
  Effect.suspend(() => runOnce(law, options))

const runOnce = <A>(law: Definition<A>, options: Options): Effect.Effect<Report, LawMisused> => {
  const { seed = "preamble", replay, patience = 5000 } = options
  const runs = Math.min(options.runs ?? 100, law.most ?? Infinity)
  const tally: Tally = { judged: 0, why: "" }
  const property = (value: A) => judge(law.holds, value, patience, tally)
  const named = `Law ${JSON.stringify(law.name)}`
  const found = Arbitrary.checkEffect(law.cases, property, { runs, seed: Hash.string(`${seed}: ${law.name}`), replay })
  return turn.withPermit(found).pipe(
    // Cases are judged whatever they do: what is left is a token or a generator that is no good.
    Effect.catchDefect((defect) => misused(`${named} cannot be checked: ${describeCause(defect)}`)),
    Effect.flatMap((result): Effect.Effect<Report, LawMisused> => {
      switch (result._tag) {
        case "Passed":
          return Effect.succeed(unbroken(law.name, result.runs, tally))
        case "Falsified":
          return Effect.succeed(failed(law, result))
        case "Exhausted":
          return misused(
            `${named} has too few cases: its generator refused ${result.discards} of them. Filter less, or generate only what fits.`
          )
        case "ReplayMismatch":
          if (result.reason === "PropertyPassed") return Effect.succeed(unbroken(law.name, 1, tally))
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

const unbroken = (law: string, runs: number, { judged, why }: Tally): Passed | Unjudged =>
  judged > 0 ? { _tag: "Passed", law, runs } : { _tag: "Unjudged", law, runs, reason: why }

const failed = <A>(law: Definition<A>, result: Arbitrary.Falsified<A, Verdict>): Failed => {
  const shown = law.show === undefined ? result.shrunkInput : law.show(result.shrunkInput)
  const broken: Verdict =
    result.failure._tag === "PropertyError" ? result.failure.error : { expected: "true", seen: "false" }
  return {
    _tag: "Failed",
    law: law.name,
    rule: law.rule,
    runs: result.runs,
    shrinks: result.shrinks,
    counterexample: shown === undefined ? "there is only one case" : show(shown),
    expected: broken.expected,
    seen: broken.seen,
    advice: broken.advice ?? law.advice,
    replay: `${slug(law.name)}~${Base64Url.encode(result.replay)}`
  }
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

/**
 * Checks laws, one after the other, and reports on each. A broken law is a report, not a failure; it fails only with
 * `LawMisused`.
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
 * Checks laws, and fails if one is broken or was not judged, or if there is none: the one line of a test. Gives the
 * reports if all hold.
 *
 * @since 0.1.0
 * @category running
 */
export const assert = (
  laws: Law | ReadonlyArray<Law>,
  options?: Options
): Effect.Effect<ReadonlyArray<Report>, LawBroken | LawMisused> =>
  Effect.flatMap(check(laws, options), (reports): Effect.Effect<ReadonlyArray<Report>, LawBroken | LawMisused> => {
    const broken = reports.filter((report) => report._tag === "Failed")
    const unjudged = reports.filter((report) => report._tag === "Unjudged")
    if (broken.length > 0) return Effect.fail(new LawBroken({ checked: reports.length, broken, unjudged }))
    if (reports.length === 0) return misused("There are no laws to check, so that the test could not fail.")
    return unjudged.length === 0 ? Effect.succeed(reports) : misused(unjudged.map(format).join("\n"))
  })

/**
 * `assert` for tests that know Promises only: rejects with the `LawBroken`. Give it the `signal` of the test, so that it
 * ends with it.
 *
 * @since 0.1.0
 * @category running
 */
export const assertPromise = (
  laws: Law | ReadonlyArray<Law>,
  { signal, ...options }: PromiseOptions = {}
): Promise<ReadonlyArray<Report>> =>
  Effect.runPromise(assert(laws, options), signal === undefined ? undefined : { signal })

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
  if (report._tag === "Unjudged") return `${report.law}: not judged: ${report.reason}.`
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

const misused = (reason: string): Effect.Effect<never, LawMisused> => Effect.fail(new LawMisused({ reason }))
