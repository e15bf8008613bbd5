/** The laws of a listener, each over assemblies around which it runs as it does in the waterfall. */
import * as Arbitrary from "effect/Arbitrary"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Cause from "effect/Cause"
import * as Assembly from "../../Assembly.ts"
import { admit } from "../../internal/admit.ts"
import { byOrderThenName } from "../../internal/list.ts"
import type * as Listener from "../../Listener.ts"
import * as Origin from "../../Origin.ts"
import { InvalidAssembly, ListenerFailure, type WaterfallError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import * as Template from "../../Template.ts"
import * as ToolOrder from "../../ToolOrder.ts"
import { type Broken, type Law, make } from "../Law.ts"
import { assemblyOf, type Contents, contents, type Known, partingOf, showContents } from "./contents.ts"
import { literal } from "./generate.ts"
import { at, start } from "./moment.ts"
import { ownerOf } from "./outcome.ts"
import { showCause } from "./show.ts"
import * as subjects from "./subject.ts"
import { broken, notJudged } from "./verdict.ts"

/** What the rest of the waterfall does. */
type Rest = "gives it back" | "adds a section" | "fails"

export interface Case {
  readonly contents: Contents
  readonly rest: Rest
  readonly annotations: Context.Context<never>
}

export interface Judged {
  readonly listener: Listener.Input<unknown>
  readonly cases: Arbitrary.Arbitrary<Case>
  /** Those in which the rest gives back what it gets. */
  readonly plain: Arbitrary.Arbitrary<Case>
  readonly mayFail: boolean
}

export const judge = (
  listener: Listener.Input<unknown>,
  options: {
    readonly contributions?: Known | undefined
    readonly annotations?: Arbitrary.Arbitrary<Context.Context<never>> | undefined
    readonly mayFail?: boolean | undefined
  }
): Judged => {
  const cases = Arbitrary.all({
    contents: contents(options.contributions),
    rest: literal<Rest>("gives it back", "adds a section", "fails"),
    annotations: options.annotations ?? subjects.noAnnotations
  })
  return {
    listener,
    cases,
    plain: Arbitrary.map(cases, (one): Case => ({ ...one, rest: "gives it back" })),
    mayFail: options.mayFail ?? false
  }
}

const show = ({ annotations, contents, rest }: Case) => ({
  assembly: showContents(contents),
  rest: rest === "gives it back" ? undefined : rest,
  annotations: subjects.showAnnotations(annotations)
})

// -----------------------------------------------------------------------------
// running
// -----------------------------------------------------------------------------

const failureOfRest = new ListenerFailure({
  kind: "listener",
  entry: "the rest",
  scope: "global",
  reason: "failed",
  cause: new Error("the rest of the waterfall failed")
})

const rests: Readonly<Record<Rest, Listener.Next>> = {
  "gives it back": Exit.succeed,
  "adds a section": (assembly) =>
    Exit.succeed(
      Assembly.addSection(assembly, { name: "of the rest", order: 0, text: "of the rest", interpolate: false })
    ),
  fails: () => Exit.fail(failureOfRest)
}

const runOf = ({ around, edit }: Listener.Input<unknown>): Listener.Run =>
  around === undefined ? { _tag: "Edit", edit } : { _tag: "Around", around }

type Outcome = Exit.Exit<Assembly.Assembly, WaterfallError>

/** Runs it as the waterfall does: its result is judged, and `next` can be used once. */
const run = (
  { listener }: Judged,
  assembly: Assembly.Assembly,
  { annotations, rest }: Pick<Case, "annotations" | "rest">
): Effect.Effect<Outcome> => {
  const entry: Listener.Listener<Listener.Run> = {
    kind: "listener",
    name: listener.name,
    order: listener.order ?? 0,
    global: listener.global ?? false,
    run: runOf(listener),
    plugin: listener.plugin
  }
  const admitted = admit(
    { entry, origin: Origin.make({ scope: "global", plugin: listener.plugin }), position: 0 },
    { scope: PromptScope.global, annotations }
  )
  return Effect.exit(Effect.suspend(() => admitted.run(assembly, rests[rest])))
}

const failureOf = (outcome: Outcome): WaterfallError | undefined => {
  const found = Exit.isFailure(outcome) ? Cause.findError(outcome.cause) : undefined
  return found !== undefined && Result.isSuccess(found) ? found.success : undefined
}

const violatesNext = (failure: WaterfallError): boolean =>
  failure._tag === "ListenerFailure" && failure.reason === "broke the contract of next"

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

const gaveNothing = notJudged(
  "the listener gave no assembly in any case; see the laws `succeeds` and `wellFormed`, or give it `contributions`"
)

const law = (
  judged: Judged,
  options: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly plain?: boolean
    /** It also says something about a listener that fails. */
    readonly ofFailures?: boolean
    readonly holds: (
      before: Assembly.Assembly,
      outcome: Outcome,
      one: Case
    ) => readonly [expected: string, seen: string] | undefined
  }
): Law =>
  make({
    name: `listener: ${options.name}`,
    rule: options.rule,
    advice: options.advice,
    cases: options.plain === true ? judged.plain : judged.cases,
    show,
    holds: (one) => {
      const before = assemblyOf(one.contents)
      return Effect.flatMap(run(judged, before, one), (outcome) => {
        const found = options.holds(before, outcome, one)
        if (found !== undefined) return Effect.succeed(broken(...found))
        return Exit.isFailure(outcome) && options.ofFailures !== true ? gaveNothing : Effect.succeed(undefined)
      })
    }
  })

export const succeeds = (judged: Judged): Law =>
  law(judged, {
    name: "does not fail",
    rule: judged.mayFail
      ? "The listener neither throws nor dies, whatever the assembly is."
      : "The listener neither fails, throws nor dies, whatever the assembly is, unless the rest fails.",
    advice:
      "Everything in an assembly is frozen, any part may be missing, and the rest may fail: change copies, handle absence, and fail only with typed errors. If failing is part of its work, say mayFail: true.",
    ofFailures: true,
    holds: (_, outcome, { rest }) => {
      if (Exit.isSuccess(outcome)) return undefined
      const failure = failureOf(outcome)
      if (failure === undefined) return ["no failure", showCause(outcome.cause)]
      if (failure._tag === "InvalidAssembly" || violatesNext(failure) || failure === failureOfRest) return undefined
      const allowed = failure.reason === "failed" && (judged.mayFail || rest === "fails")
      return allowed ? undefined : [judged.mayFail ? "no defect" : "no failure", failure.message]
    }
  })

export const wellFormed = (judged: Judged): Law =>
  law(judged, {
    name: "well-formed result",
    rule: "What the listener gives is a well-formed assembly, whatever it was given.",
    advice:
      "Start from the assembly that it was given and use the edits of `Assembly`; carry data of your own as annotations.",
    holds: (_, outcome) => {
      const failure = failureOf(outcome)
      return failure instanceof InvalidAssembly && failure.entry === judged.listener.name
        ? ["a well-formed assembly", failure.message]
        : undefined
    }
  })

export const callsNextOnce = (judged: Judged): Law =>
  law(judged, {
    name: "next at most once",
    rule: "The listener runs the rest of the waterfall at most once, and only while it runs itself.",
    advice: "Keep what `next` gave instead of calling it again; retry what is inside of the rest, not the rest.",
    holds: (_, outcome) => {
      const failure = failureOf(outcome)
      return failure !== undefined && violatesNext(failure)
        ? ["one run of the rest at most", failure.message]
        : undefined
    }
  })

export const keepsComplete = (judged: Judged): Law =>
  law(judged, {
    name: "keeps a complete section",
    rule: "A section that is the whole prompt comes out of the listener as it went in.",
    advice:
      "Leave the section that `assembly.complete` names alone: sealing puts it back, so that what the listener does to it is lost. If that is all right, say mayTouchComplete: true.",
    plain: true,
    holds: (before, outcome) => {
      if (Exit.isFailure(outcome) || before.complete === undefined) return undefined
      const [was, is] = [before, outcome.value].map(({ sections }) =>
        sections.find(({ name }) => name === before.complete)
      )
      if (was === undefined) return undefined
      const expected = `${ownerOf("section", was)} with its text ${JSON.stringify(was.text.toString())}`
      if (is === undefined) return [expected, "it is gone"]
      return Template.equals(was.text, is.text) && was.interpolate === is.interpolate
        ? undefined
        : [expected, `its text is ${JSON.stringify(is.text.toString())}`]
    }
  })

export const keepsOrder = (judged: Judged): Law =>
  law(judged, {
    name: "keeps the order",
    rule: "Sections and contexts come out of the listener by order, then name, and tools in the configured order.",
    advice:
      "Add with the edits of `Assembly`, which put a part where it belongs. If another order is what the listener is for, say mayReorder: true.",
    plain: true,
    holds: (before, outcome) => {
      if (Exit.isFailure(outcome)) return undefined
      const { contexts, sections, tools } = outcome.value
      const compare = ToolOrder.compare(before.toolOrder)
      return (
        misplaced("section", sections, byOrderThenName) ??
        misplaced("context", contexts, byOrderThenName) ??
        misplaced(
          "tool",
          tools.map((tool) => tool.schema),
          (a, b) => compare(a.name, b.name)
        )
      )
    }
  })

const misplaced = <A extends { readonly name: string; readonly order?: number }>(
  kind: string,
  parts: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): readonly [string, string] | undefined => {
  const named = ({ name, order }: A) =>
    `${kind} ${JSON.stringify(name)}${order === undefined ? "" : ` of order ${order}`}`
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    if (next !== undefined && compare(part, next) > 0) {
      return [`${named(next)} before ${named(part)}`, `${kind} ${JSON.stringify(part.name)} comes first`]
    }
  }
  return undefined
}

export const deterministic = (judged: Judged): Law =>
  make({
    name: "listener: deterministic",
    rule: "The same assembly and context give the same result, at any time.",
    advice:
      "Let the result follow from the assembly and its context alone: no clock, no random numbers, no state that it keeps.",
    cases: Arbitrary.all({ one: judged.cases, later: subjects.span }),
    show: ({ later, one }) => ({ ...show(one), later }),
    holds: ({ later, one }) =>
      Effect.gen(function* () {
        const before = assemblyOf(one.contents)
        const first = yield* run(judged, before, one).pipe(at(start))
        const second = yield* run(judged, before, one).pipe(at({ later: subjects.millisOf(later), luck: 1 }))
        const differs = sameOutcome(first, second)
        return differs === undefined && Exit.isFailure(first) ? yield* gaveNothing : differs
      })
  })

const sameOutcome = (first: Outcome, second: Outcome): Broken | undefined => {
  if (Exit.isSuccess(first) && Exit.isSuccess(second)) {
    const seen = partingOf(first.value, second.value)
    return seen === undefined ? undefined : broken("the result of the first run", seen)
  }
  const [was, is] = [first, second].map((one) => (Exit.isSuccess(one) ? "it gave an assembly" : showCause(one.cause)))
  return was === is ? undefined : broken(`as in the first run, ${was}`, String(is))
}

export const idempotent = (judged: Judged): Law =>
  make({
    name: "listener: idempotent",
    rule: "Run on its own result, the listener changes nothing more.",
    advice: "Look whether the change is there already before making it.",
    cases: judged.plain,
    show,
    holds: (one) =>
      Effect.gen(function* () {
        const first = yield* run(judged, assemblyOf(one.contents), one)
        if (Exit.isFailure(first)) return yield* gaveNothing
        return sameOutcome(first, yield* run(judged, first.value, one))
      })
  })
