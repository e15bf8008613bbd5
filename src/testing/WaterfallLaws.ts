/**
 * The laws of a `Waterfall`: it runs all listeners, each once, the outermost first, and the rest only where it is asked for;
 * it passes on what they give and what they fail with, changes nothing itself, and remembers nothing.
 *
 * Each case builds the waterfall anew, and gives it up to five listeners, which edit, stand around the rest, leave it out,
 * recover from its failure, or fail.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Waterfall } from "../Waterfall.ts"
import { literal } from "./internal/generate.ts"
import { ofLayer } from "./internal/subject.ts"
import { broken } from "./internal/verdict.ts"
import {
  build,
  cases,
  failed,
  fails,
  failsItself,
  firstOf,
  type Glance,
  law,
  named,
  otherFailure,
  otherResult,
  otherRuns,
  plain,
  run,
  show,
  stageOf,
  watch
} from "./internal/waterfallLaw.ts"
import { type Law, make } from "./Law.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * What a waterfall may do although the usual one does not.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** It may leave listeners out. */
  readonly mayLeaveOut?: boolean | undefined
}

/**
 * Makes a law, or several, of a waterfall whose services are provided.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<A> = (waterfall: Layer.Layer<Waterfall, unknown>, options?: Options) => A

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/**
 * Every listener runs, unless one around it leaves the rest out or fails.
 *
 * @since 0.1.0
 * @category laws
 */
export const runsAll: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "runs all",
    rule: "Every listener runs, unless one around it does not call `next` or fails before it does.",
    advice:
      "Run each one of the list: two of one name are two, if their scopes differ. If leaving some out is what the waterfall is for, say mayLeaveOut: true.",
    holds: ({ seen, withOthers }) => {
      const missing = withOthers.ran.find((one) => !seen.ran.includes(one))
      return missing === undefined ? undefined : broken(`a run of ${named(missing)}`, "it did not run")
    }
  })

/**
 * No listener runs twice, unless one fails: a waterfall may try again.
 *
 * @since 0.1.0
 * @category laws
 */
export const runsOnce: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "runs each once",
    rule: "Where none fails, no listener runs a second time.",
    advice: "Keep the result of a run instead of running the listener again: what it does may cost time and money.",
    holds: ({ listeners, seen }) => {
      if (listeners.some(fails)) return undefined
      for (const one of seen.ran) {
        const times = seen.runs.filter(({ listener }) => listener === one).length
        if (times > 1) return broken(`one run of ${named(one)}`, `${times} runs`)
      }
      return undefined
    }
  })

/**
 * They begin in the order in which they are given: the outermost first.
 *
 * @since 0.1.0
 * @category laws
 */
export const keepsOrder: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "outermost first",
    rule: "Listeners begin in the order in which they are given, each inside of the one before it.",
    advice: "Take the list as it comes: it is in order already, by the orders and the names of listeners and by scope.",
    holds: ({ listeners, seen: { ran } }) => {
      for (const [i, one] of ran.entries()) {
        const next = ran[i + 1]
        if (next !== undefined && listeners.indexOf(next) < listeners.indexOf(one)) {
          return broken(`${named(next)} before ${named(one)}`, "it began after it")
        }
      }
      return undefined
    }
  })

/**
 * The rest runs only if a listener runs its `next`: one that does not leaves it out.
 *
 * @since 0.1.0
 * @category laws
 */
export const heedsNext: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "next decides",
    rule: "What is inside of a listener runs only if the listener calls `next` and runs what that gives.",
    advice:
      "Give each listener the rest as its `next`, and run nothing after it: its result is that of the whole rest. One that leaves the rest out means it.",
    holds: ({ asRan, seen }) => {
      const extra = seen.ran.find((one) => !asRan.ran.includes(one))
      const last = asRan.ran.at(-1)
      return extra === undefined || last === undefined
        ? undefined
        : broken(`no run of ${named(extra)}`, `it ran, although ${named(last)} did not run the rest`)
    }
  })

/**
 * Each listener is given what the one around it hands on, and gets back what the rest gives; the waterfall gives what the
 * outermost one gives. It changes nothing itself.
 *
 * @since 0.1.0
 * @category laws
 */
export const passesResults: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "passes on results",
    rule: "A listener is given what the one around it hands on, and gets back what the rest gives. The outermost one's result is the whole.",
    advice:
      "Give `next` what the listener hands on, and return what it returns, to the last field. What the waterfall should change, let a listener change, so that it is named as the origin.",
    holds: (watched) => firstOf(watched, otherResult)
  })

/**
 * A failure of a listener is what those around it get back; it is that of the waterfall if none of them recovers. The
 * waterfall neither fails nor dies by itself.
 *
 * @since 0.1.0
 * @category laws
 */
export const passesFailures: Of<Law> = (waterfall) =>
  law(waterfall, {
    name: "passes on failures",
    rule: "A failure of a listener is what the ones around it get back, and what the waterfall fails with if none of them recovers.",
    advice:
      "Let the error through as it is: it names the listener, and only listeners may recover from it. The waterfall should not fail by itself.",
    ofFailures: true,
    holds: (watched) => firstOf(watched, otherFailure)
  })

/**
 * Each run runs the listeners anew, and gives what it gives alone, whatever the waterfall has run before, the same listeners
 * and assembly too, and whatever it runs meanwhile: agents share it.
 *
 * @since 0.1.0
 * @category laws
 */
export const sameResult: Of<Law> = (waterfall) =>
  make({
    name: "waterfall: remembers nothing",
    rule: "Each run runs the listeners anew and gives what it gives alone, whatever the waterfall has run before or runs meanwhile.",
    advice:
      "Keep the state of a run in the run: begin it inside of the Effect, not in the layer. Listeners may give something else each time, and assemblies of several agents run at the same time.",
    cases: ofLayer(
      "waterfall",
      waterfall,
      Arbitrary.all({
        one: cases,
        other: cases,
        shared: literal("listeners", "nothing", "assembly"),
        when: literal("before", "meanwhile")
      })
    ),
    show: ({ one, other, shared, when }) => ({
      ...show(one),
      [when]: { ...show(other), ...(shared === "nothing" ? undefined : { [shared]: "the same" }) }
    }),
    holds: ({ one, other, shared, when }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const first = yield* watch(yield* build(waterfall), stageOf(one))
          const asRan = yield* watch(plain, stageOf({ ...one, listeners: first.ran }))
          if (failsItself(first.outcome, asRan.outcome)) return yield* failed

          const service = yield* build(waterfall)
          const stage = stageOf(one)
          const others = stageOf(other)
          const [, outcome] = yield* Effect.all(
            [
              run(service, {
                base: shared === "assembly" ? stage.base : others.base,
                listeners: shared === "listeners" ? stage.listeners : others.listeners
              }),
              run(service, stage)
            ],
            { concurrency: when === "before" ? 1 : 2 }
          )
          const glance: Glance = { who: "alone, the waterfall", gets: "gives", expected: first.outcome, seen: outcome }
          const differs = otherFailure(glance) ?? otherResult(glance)
          if (differs !== undefined) return differs

          // Nothing changes but what the listeners follow, which only they know.
          stage.diary.again = true
          const second = yield* watch(yield* build(waterfall), stageOf(one, true))
          const seen = yield* watch(service, stage)
          const who = "run again, the waterfall"
          const last: Glance = { who, gets: "gives", expected: second.outcome, seen: seen.outcome }
          return otherRuns(who, second, seen) ?? otherFailure(last) ?? otherResult(last)
        })
      )
  })

/**
 * All laws of a waterfall that the options do not exempt it from.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = (waterfall, options = {}) => [
  ...(options.mayLeaveOut === true ? [] : [runsAll(waterfall, options)]),
  runsOnce(waterfall, options),
  keepsOrder(waterfall, options),
  heedsNext(waterfall, options),
  passesResults(waterfall, options),
  passesFailures(waterfall, options),
  sameResult(waterfall, options)
]
