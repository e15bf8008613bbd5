/** What the laws of a waterfall are made of: listeners as data, what they see while they run, and what they should see. */
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Assembly from "../../Assembly.ts"
import { admit } from "../../internal/admit.ts"
import type * as Listener from "../../Listener.ts"
import * as Origin from "../../Origin.ts"
import { describeOwner } from "../../Owner.ts"
import type { WaterfallError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import { Waterfall } from "../../Waterfall.ts"
import { Note } from "../Edit.ts"
import { type Broken, type Law, make } from "../Law.ts"
import { assemblyOf, type Contents, contents, partingOf, showContents } from "./contents.ts"
import { literal } from "./generate.ts"
import { showCause } from "./show.ts"
import { buildAnew, ofLayer } from "./subject.ts"
import { broken, notJudged } from "./verdict.ts"

// -----------------------------------------------------------------------------
// cases
// -----------------------------------------------------------------------------

/** A listener that marks what it gives with its name, unless it fails. */
interface Marking {
  readonly name: string
  readonly scope: "global" | "agent"
  readonly does:
    | "edits"
    | "edits later"
    /** It also marks what the rest gives. */
    | "surrounds"
    | "surrounds later"
    | "leaves out the rest"
    /** From a failure of the rest. */
    | "recovers"
    | "fails"
    | "fails after the rest"
}

export interface Case {
  readonly assembly: Contents
  /** Outermost first. */
  readonly listeners: ReadonlyArray<Marking>
}

/** One of those around each other, if it is there: mostly. */
const slot = Arbitrary.all({
  isThere: literal(false, true, true, true),
  name: literal("a", "b", "c"),
  scope: literal("global", "agent"),
  does: literal(
    "edits",
    "surrounds",
    "leaves out the rest",
    "fails",
    "edits later",
    "surrounds later",
    "recovers",
    "fails after the rest",
    "edits",
    "surrounds",
    "recovers"
  )
})

/** Names say nothing of the order, and are unique in a scope alone. */
const listeners: Arbitrary.Arbitrary<ReadonlyArray<Marking>> = Arbitrary.map(
  Arbitrary.all([slot, slot, slot, slot, slot]),
  (slots) =>
    slots
      .filter(({ isThere }) => isThere)
      .filter((one, i, all) => all.findIndex(({ name, scope }) => name === one.name && scope === one.scope) === i)
      .map(({ does, name, scope }) => ({ name, scope, does }))
)

export const cases: Arbitrary.Arbitrary<Case> = Arbitrary.all({ assembly: contents(), listeners })

export const show = ({ assembly, listeners }: Case) => ({ assembly: showContents(assembly), listeners })

export const fails = ({ does }: Marking): boolean => does === "fails" || does === "fails after the rest"

/** As errors name it. */
export const named = ({ name, scope }: Marking): string => describeOwner({ kind: "listener", entry: name, scope })

// -----------------------------------------------------------------------------
// listeners
// -----------------------------------------------------------------------------

export type Outcome = Exit.Exit<Assembly.Assembly, WaterfallError>

/** What a listener saw when it ran. */
interface Run {
  readonly listener: Marking
  readonly given: Assembly.Assembly
  /** What the rest came to, where it was waited for. */
  rest?: Outcome
}

/** What listeners write down, and what they follow. */
interface Diary {
  /** In the order in which they began. */
  readonly runs: Array<Run>
  /** Whether they give something else than before, as those do that follow a setting. */
  again: boolean
}

/** What a waterfall is given as long as nobody registers or leaves: always the same assembly, and the same list. */
interface Stage {
  readonly base: Assembly.Assembly
  readonly listeners: ReadonlyArray<Listener.Admitted>
  readonly diary: Diary
}

const marks = (assembly: Assembly.Assembly): string => Context.get(assembly.annotations, Note)

const runOf = (listener: Marking, diary: Diary): Listener.Run => {
  const { does, scope } = listener
  const name = scope === "global" ? listener.name : `${listener.name} (${scope})`
  const begin = (given: Assembly.Assembly): Run => {
    const run: Run = { listener, given }
    diary.runs.push(run)
    return run
  }
  const mark = (assembly: Assembly.Assembly, who = name): Assembly.Assembly => {
    const what = diary.again ? `${who} again` : who
    return Assembly.annotate(assembly, Note, marks(assembly) === "" ? what : `${marks(assembly)}, ${what}`)
  }
  const edit = (given: Assembly.Assembly): Assembly.Assembly => mark(begin(given).given)
  const later = <A>(f: () => A): Effect.Effect<A> => Effect.andThen(Effect.yieldNow, Effect.sync(f))
  const around = (given: Assembly.Assembly, next: Listener.Next): Effect.Effect<Assembly.Assembly, WaterfallError> => {
    const run = begin(given)
    return Effect.onExit(next(mark(given)), (exit) => Effect.sync(() => void (run.rest = exit)))
  }
  const after = (assembly: Assembly.Assembly): Assembly.Assembly => mark(assembly, `after ${name}`)
  switch (does) {
    case "edits":
      return { _tag: "Edit", edit }
    case "edits later":
      return { _tag: "Edit", edit: (given) => later(() => edit(given)) }
    case "surrounds":
      return { _tag: "Around", around: (given, next) => Effect.map(around(given, next), after) }
    case "surrounds later":
      return {
        _tag: "Around",
        around: (given, next) =>
          Effect.andThen(
            Effect.yieldNow,
            Effect.flatMap(around(given, next), (one) => later(() => after(one)))
          )
      }
    case "leaves out the rest":
      return { _tag: "Around", around: (given) => Effect.sync(() => edit(given)) }
    case "recovers":
      return {
        _tag: "Around",
        around: (given, next) => Effect.catch(around(given, next), () => Effect.succeed(after(given)))
      }
    case "fails":
      return {
        _tag: "Edit",
        edit: (given) =>
          Effect.andThen(
            later(() => begin(given)),
            Effect.fail("no")
          )
      }
    case "fails after the rest":
      return { _tag: "Around", around: (given, next) => Effect.andThen(around(given, next), Effect.fail("no")) }
  }
}

const admitted = (listener: Marking, order: number, diary: Diary): Listener.Admitted =>
  admit(
    {
      entry: {
        kind: "listener",
        name: listener.name,
        order,
        global: false,
        run: runOf(listener, diary),
        plugin: undefined
      },
      origin: Origin.make({ scope: listener.scope }),
      position: listener.scope === "global" ? 0 : 1
    },
    { scope: PromptScope.global, annotations: Context.empty() }
  )

/** A case as a waterfall is given it: nobody has seen this list and this assembly yet. */
export const stageOf = ({ assembly, listeners }: Case, again = false): Stage => {
  const diary: Diary = { runs: [], again }
  return {
    base: assemblyOf(assembly),
    listeners: Object.freeze(listeners.map((one, order) => admitted(one, order, diary))),
    diary
  }
}

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

type Service = Waterfall["Service"]

/** The waterfall, as nobody has used it before. */
export const build = (waterfall: Layer.Layer<Waterfall, unknown>): Effect.Effect<Service, unknown, Scope.Scope> =>
  Effect.map(buildAnew(waterfall), Context.get(Waterfall))

export const run = (service: Service, { base, listeners }: Omit<Stage, "diary">): Effect.Effect<Outcome> =>
  Effect.exit(Effect.suspend(() => service.run(listeners, base)))

/** A case as it was seen to run. */
interface Seen {
  readonly outcome: Outcome
  /** In the order in which they began. */
  readonly runs: ReadonlyArray<Run>
  /** Each once, in the order in which they first began. */
  readonly ran: ReadonlyArray<Marking>
}

export const watch = (service: Service, stage: Stage): Effect.Effect<Seen> =>
  Effect.suspend(() => {
    const earlier = stage.diary.runs.length
    return Effect.map(run(service, stage), (outcome) => {
      const runs = stage.diary.runs.slice(earlier)
      return { outcome, runs, ran: [...new Set(runs.map(({ listener }) => listener))] }
    })
  })

/** Each listener around the rest: what a waterfall is, as plainly as it can be said. */
export const plain: Service = {
  run: (listeners, base) => {
    const chain = listeners.reduceRight<Listener.Next>(
      (rest, listener) => (assembly) => listener.run(assembly, rest),
      Exit.succeed
    )
    return chain(base)
  }
}

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/** What a law looks at. */
interface Watched {
  readonly listeners: ReadonlyArray<Marking>
  /** What the waterfall does. */
  readonly seen: Seen
  /** What the plain one does with those listeners that ran, in the order in which they began. */
  readonly asRan: Seen
  /** What it does with those, and the others inside of them: whoever ran too early has left nobody out. */
  readonly withOthers: Seen
}

export const failed = notJudged("the waterfall failed in all cases; see the law `passesFailures`")

/** A law of what is seen of one run. Where the waterfall fails by itself, another law says so. */
export const law = (
  waterfall: Layer.Layer<Waterfall, unknown>,
  {
    name,
    ofFailures = false,
    holds,
    ...about
  }: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly ofFailures?: boolean
    readonly holds: (watched: Watched) => Broken | undefined
  }
): Law =>
  make({
    ...about,
    name: `waterfall: ${name}`,
    cases: ofLayer("waterfall", waterfall, cases),
    show,
    holds: ({ assembly, listeners }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const seen = yield* watch(yield* build(waterfall), stageOf({ assembly, listeners }))
          const asRan = yield* watch(plain, stageOf({ assembly, listeners: seen.ran }))
          if (!ofFailures && failsItself(seen.outcome, asRan.outcome)) return yield* failed
          const others = listeners.filter((one) => !seen.ran.includes(one))
          const withOthers = yield* watch(plain, stageOf({ assembly, listeners: [...seen.ran, ...others] }))
          return holds({ listeners, seen, asRan, withOthers })
        })
      )
  })

// -----------------------------------------------------------------------------
// comparing
// -----------------------------------------------------------------------------

const inWords = (outcome: Outcome): string =>
  Exit.isSuccess(outcome) ? "it gave an assembly" : showCause(outcome.cause)

/** It fails, and not with what a listener fails with. */
export const failsItself = (seen: Outcome, usual: Outcome): boolean =>
  Exit.isFailure(seen) && inWords(seen) !== inWords(usual)

/** What came to somebody, and what should have come. */
export interface Glance {
  readonly who: string
  readonly gets: "gives" | "is given"
  readonly expected: Outcome
  readonly seen: Outcome
}

/**
 * What each listener was given, what each got back, innermost first, and what came out. Nothing where others ran than should
 * have: that is the affair of another law.
 */
const glances = ({ asRan, seen }: Watched): ReadonlyArray<Glance> => {
  if (asRan.ran.length !== seen.ran.length) return []
  const pairs = asRan.runs.flatMap((expected) => {
    const found = seen.runs.find(({ listener }) => listener === expected.listener)
    return found === undefined ? [] : [{ who: named(expected.listener), expected, seen: found }]
  })
  return [
    ...pairs.map(({ expected, seen, who }): Glance => ({
      who,
      gets: "is given",
      expected: Exit.succeed(expected.given),
      seen: Exit.succeed(seen.given)
    })),
    ...pairs
      .toReversed()
      .flatMap(({ expected, seen, who }): ReadonlyArray<Glance> =>
        expected.rest === undefined || seen.rest === undefined
          ? []
          : [{ who: `the rest of ${who}`, gets: "gives", expected: expected.rest, seen: seen.rest }]
      ),
    { who: "the waterfall", gets: "gives", expected: asRan.outcome, seen: seen.outcome }
  ]
}

const said = (assembly: Assembly.Assembly): string =>
  marks(assembly) === "" ? "what nobody has marked" : `what is marked ${JSON.stringify(marks(assembly))}`

/** That it is another assembly. */
export const otherResult = ({ expected, gets, seen, who }: Glance): Broken | undefined => {
  if (Exit.isFailure(expected) || Exit.isFailure(seen)) return undefined
  const [was, is] = [expected.value, seen.value]
  if (marks(was) !== marks(is)) return broken(`${who} ${gets} ${said(was)}`, said(is))
  const parting = partingOf(was, is)
  return parting === undefined ? undefined : broken(`${who} ${gets} what only listeners have changed`, parting)
}

/** That it is a failure where there should be none, or another one, or none. */
export const otherFailure = ({ expected, seen, who }: Glance): Broken | undefined => {
  const [was, is] = [inWords(expected), inWords(seen)]
  return was === is ? undefined : broken(`${who}: ${was}`, is)
}

const listed = ({ runs }: Seen): string =>
  runs.length === 0 ? "no runs" : `runs of ${runs.map(({ listener }) => named(listener)).join(", ")}`

/** That others ran, or in another order, or another number of times. */
export const otherRuns = (who: string, expected: Seen, seen: Seen): Broken | undefined => {
  const [was, is] = [listed(expected), listed(seen)]
  return was === is ? undefined : broken(`${who}: ${was}`, is)
}

/** The first of them that is broken. */
export const firstOf = (watched: Watched, judge: (glance: Glance) => Broken | undefined): Broken | undefined =>
  glances(watched)
    .map(judge)
    .find((one) => one !== undefined)
