/**
 * The laws of a `ToolRegistry`: it does what the model does; what a model is shown can be called, and nothing else; what is
 * hidden does not exist; restrictions end, add up and spare a scope's own tools; guards refuse and never force.
 *
 * Each case builds the registry anew, in a prompt service of its own.
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Layer from "effect/Layer"
import * as PromptScope from "../PromptScope.ts"
import type { SystemPrompt } from "../SystemPrompt.ts"
import type { ToolError } from "../ToolError.ts"
import type { ToolRegistry } from "../ToolRegistry.ts"
import { literal } from "./internal/generate.ts"
import {
  admits,
  args,
  build,
  differ,
  law,
  names,
  namesOf,
  openBelow,
  quoted,
  restrict,
  shownTo,
  someNames,
  wish
} from "./internal/registryLaw.ts"
import type { Called } from "./internal/runTools.ts"
import { show } from "./internal/show.ts"
import * as subjects from "./internal/subject.ts"
import { plainSetup, setup } from "./internal/toolPrograms.ts"
import { broken } from "./internal/verdict.ts"
import { type Law, make } from "./Law.ts"
import * as Model from "./ToolRegistryModel.ts"
import * as Program from "./ToolRegistryProgram.ts"

// -----------------------------------------------------------------------------
// models
// -----------------------------------------------------------------------------

/**
 * Makes a law, or several, of a registry whose services are provided, but for the `SystemPrompt` that it feeds.
 *
 * @since 0.1.0
 * @category models
 */
export type Of<A> = (registry: Layer.Layer<ToolRegistry, unknown, SystemPrompt>) => A

// -----------------------------------------------------------------------------
// laws
// -----------------------------------------------------------------------------

/**
 * Whatever is registered, restricted, lifted, moved, ended and called, in whatever order, is answered as by the reference model,
 * step by step: `ToolRegistryModel`.
 *
 * @since 0.1.0
 * @category laws
 */
export const followsModel: Of<Law> = (registry) =>
  make({
    name: "tool registry: follows the model",
    rule: "Each step of a program does what `ToolRegistryModel` says.",
    advice:
      "Compare the step with the rules of `ToolRegistry` and `ToolView`. The other laws say most of them one by one: correct first what they find.",
    cases: subjects.ofLayer("registry", registry, Program.arbitrary),
    show: (program) => program,
    holds: (program) =>
      Effect.map(Program.run(program, registry), (seen) => {
        const expected = Model.run(program)
        const at = expected.findIndex((one, i) => !Equal.equals(one, seen[i]))
        return at === -1 ? undefined : broken(`in step ${at + 1}, ${show(expected[at])}`, show(seen[at]))
      })
  })

/**
 * A call finds a tool if it is in the assembly that the model was shown, and finds nothing else.
 *
 * @since 0.1.0
 * @category laws
 */
export const callsShown: Of<Law> = (registry) =>
  law(registry, {
    name: "shown is callable",
    rule: "A call fails with ToolNotFound if, and only if, the tool is not in the assembly that the model was shown.",
    advice: "Look tools up in the assembly that `call` is given, by their exact name, and nowhere else.",
    before: setup,
    more: Arbitrary.Constant({}),
    holds: Effect.fnUntraced(function* ({ about, machine }) {
      const assembly = yield* machine.assemble(about)
      const shown = namesOf(assembly)
      for (const name of new Set([...shown, ...names])) {
        const seen = yield* machine.call(assembly, name, args)
        const isFound = seen._tag !== "Refused" || seen.failure.tag !== "ToolNotFound"
        const said = `${JSON.stringify(name)}, where the model was shown ${quoted(shown)}: ${show(seen)}`
        if (isFound !== shown.includes(name)) return broken(isFound ? "ToolNotFound" : "a tool that is found", said)
      }
      return undefined
    })
  })

const errorOf = <E>(call: Effect.Effect<unknown, E>): Effect.Effect<E | undefined> =>
  Effect.match(call, { onFailure: (error) => error, onSuccess: () => undefined })

/** All of an error, not only its message. */
const said = (error: ToolError | undefined): string =>
  error === undefined ? "no failure" : `${error.message} (${show({ ...error })})`

/**
 * What is not shown is not there: the error of its call is, to the letter, that of a registry which has nothing but what is shown.
 *
 * @since 0.1.0
 * @category laws
 */
export const hides: Of<Law> = (registry) =>
  law(registry, {
    name: "hidden does not exist",
    rule: "Calling what is not shown gives the error of a registry that has nothing but the tools shown, and nothing runs.",
    advice:
      "Make the error from the requested name and the tools of the assembly alone; hidden tools and other scopes give hints.",
    before: setup,
    more: Arbitrary.Constant({}),
    holds: Effect.fnUntraced(function* ({ about, machine }) {
      const assembly = yield* machine.assemble(about)
      const shown = namesOf(assembly)
      const other = (yield* build(registry)).services
      for (const name of shown) yield* other.registry.register({ name, description: "", parameters: {} })
      const bare = yield* other.prompt.assemble
      for (const name of names.filter((one) => !shown.includes(one))) {
        const { ran } = yield* machine.call(assembly, name, args)
        if (ran.length > 0)
          return broken(`nothing runs for ${JSON.stringify(name)}`, `registration ${ran.join(", ")} ran`)
        const expected = yield* errorOf(other.registry.call(bare, name, args))
        const seen = yield* errorOf(machine.services.registry.call(assembly, name, args))
        if (!Equal.equals(expected, seen)) return broken(said(expected), said(seen))
      }
      return undefined
    })
  })

/**
 * A restriction takes away what it does not admit, and nothing else; and when its Effect scope or its prompt scope ends, all of
 * that is back.
 *
 * @since 0.1.0
 * @category laws
 */
export const restrictionsEnd: Of<Law> = (registry) =>
  law(registry, {
    name: "restrictions end",
    rule: "A restriction hides what it does not admit, and nothing of it is left when its Effect scope or its prompt scope ends.",
    advice:
      "Take it back by a finalizer of the Effect scope that it was made in, and forget all of a prompt scope that closes.",
    before: plainSetup,
    more: Arbitrary.all({ restriction: wish, ends: literal("its Effect scope", "its prompt scope") }),
    holds: Effect.fnUntraced(function* (stage, { ends, restriction }) {
      const middle = yield* openBelow(stage.about)
      const { scope } = yield* openBelow(middle.scope)
      const before = yield* shownTo(stage, scope)
      const lift = yield* restrict(stage, middle.scope, restriction, before)
      const expected = before.filter((name) => admits(restriction, name))
      const during = yield* shownTo(stage, scope)
      if (differ(expected, during)) return broken(`while it is there, ${quoted(expected)}`, quoted(during))
      yield* ends === "its Effect scope" ? lift : middle.close
      const after = yield* shownTo(stage, scope)
      return differ(before, after) ? broken(`once ${ends} has ended, ${quoted(before)}`, quoted(after)) : undefined
    })
  })

/**
 * What a scope registers itself is shown to it and runs, whatever it and the scopes above it restrict.
 *
 * @since 0.1.0
 * @category laws
 */
export const keepsOwn: Of<Law> = (registry) =>
  law(registry, {
    name: "own tools stay",
    rule: "A scope's own tools are shown to it and run, also where it restricts all that it inherits.",
    advice: "Filter only what a scope inherits. Its own tools shadow that, and are never filtered in it.",
    before: plainSetup,
    more: Arbitrary.all({ own: someNames, restrictedFirst: literal(false, true) }),
    holds: Effect.fnUntraced(function* (stage, { own, restrictedFirst }) {
      const { registry } = stage.machine.services
      const { scope } = yield* openBelow(stage.about)
      const restriction = registry.restrict({ allow: [] }).pipe(PromptScope.provide(scope))
      if (restrictedFirst) yield* restriction
      for (const name of own) {
        const options = {
          name,
          description: "",
          parameters: { type: "object" },
          handler: () => Effect.succeed(`own ${name}`)
        }
        yield* registry.register(options).pipe(PromptScope.provide(scope))
      }
      if (!restrictedFirst) yield* restriction
      const assembly = yield* stage.machine.assemble(scope)
      const shown = namesOf(assembly)
      if (differ(own, shown)) return broken(`its own tools: ${quoted(own)}`, quoted(shown))
      for (const name of own) {
        const seen = yield* stage.machine.call(assembly, name, {})
        if (seen._tag !== "Answered" || seen.answer !== `own ${name}`) return broken(`"own ${name}"`, show(seen))
      }
      return undefined
    })
  })

/**
 * Of two restrictions on a chain, both hold: what is shown is what each of them alone would leave.
 *
 * @since 0.1.0
 * @category laws
 */
export const restrictionsAddUp: Of<Law> = (registry) =>
  law(registry, {
    name: "restrictions add up",
    rule: "Under two restrictions, of one scope or of two on its chain, a scope is shown what it is shown under each of them.",
    advice:
      "Show a tool only if every restriction of every scope on the chain admits it: none replaces or widens another.",
    before: plainSetup,
    more: Arbitrary.all({
      upper: wish,
      lower: wish,
      of: literal("one scope", "two scopes"),
      made: literal("upper first", "lower first")
    }),
    holds: Effect.fnUntraced(function* (stage, { lower, made, of, upper }) {
      const above = yield* openBelow(stage.about)
      const below = yield* openBelow(above.scope)
      const shown = shownTo(stage, below.scope)
      const there = yield* shown
      const restrictUpper = restrict(stage, above.scope, upper, there)
      const restrictLower = restrict(stage, of === "one scope" ? above.scope : below.scope, lower, there)
      const liftUpper = yield* restrictUpper
      const underUpper = yield* shown
      yield* liftUpper
      const liftLower = yield* restrictLower
      const underLower = yield* shown
      yield* liftLower
      yield* made === "upper first"
        ? Effect.andThen(restrictUpper, restrictLower)
        : Effect.andThen(restrictLower, restrictUpper)
      const expected = underUpper.filter((name) => underLower.includes(name))
      const both = yield* shown
      const alone = `under the upper alone ${quoted(underUpper)}, under the lower alone ${quoted(underLower)}`
      return differ(expected, both) ? broken(`${quoted(expected)}; ${alone}`, quoted(both)) : undefined
    })
  })

const reachesGuards = (seen: Called): boolean =>
  seen._tag === "Answered" || ["ToolFailure", "ToolRefused", "GuardFailure"].includes(seen.failure.tag)

/** How a call breaks the law with one more guard, which is asked first, in words: what it should have been. */
const unlike = (check: Program.Guard["check"], before: Called, after: Called): string | undefined => {
  if (!reachesGuards(before)) return Equal.equals(before, after) ? undefined : "the same as without the guard"
  if (check === "passes") {
    const [, ...ran] = after.ran
    return Equal.equals(before, { ...after, ran }) ? undefined : "the same as without the guard, once that was asked"
  }
  const tag = check === "refuses" ? "ToolRefused" : "GuardFailure"
  const isRefused = after._tag === "Refused" && after.failure.tag === tag && after.ran.length === 1
  return isRefused ? undefined : `${tag}, and nothing that runs after the guard`
}

/**
 * A guard refuses calls that would have run, and changes nothing of those that would not.
 *
 * @since 0.1.0
 * @category laws
 */
export const guardsRefuse: Of<Law> = (registry) =>
  law(registry, {
    name: "guards only refuse",
    rule: "A call that fails without a guard fails in the same way with it, and one that a guard refuses does not run.",
    advice:
      "Ask the guards last, right before the handler: what they give can only refuse, and what they do wrong refuses, too.",
    before: setup,
    more: Arbitrary.all({ guard: literal("passes", "refuses", "forces", "fails", "dies") }),
    holds: Effect.fnUntraced(function* ({ about, machine }, { guard }) {
      const assembly = yield* machine.assemble(about)
      const all = [...new Set([...namesOf(assembly), ...names])]
      const before = yield* Effect.forEach(all, (name) => machine.call(assembly, name, args))
      // The first one to be asked, so that it decides whatever the others say.
      const options: Program.Guard = { name: " law", check: guard }
      yield* machine.step({ _tag: "Register", scope: 0, contribution: { _tag: "Guard", options } })
      for (const [i, was] of before.entries()) {
        const name = all[i] ?? ""
        const is = yield* machine.call(assembly, name, args)
        const expected = unlike(guard, was, is)
        if (expected !== undefined) {
          return broken(`for ${JSON.stringify(name)}, ${expected}`, `${show(is)}; without the guard ${show(was)}`)
        }
      }
      return undefined
    })
  })

/**
 * All laws of a registry.
 *
 * @since 0.1.0
 * @category laws
 */
export const all: Of<ReadonlyArray<Law>> = (registry) => [
  callsShown(registry),
  hides(registry),
  restrictionsEnd(registry),
  keepsOwn(registry),
  restrictionsAddUp(registry),
  guardsRefuse(registry),
  followsModel(registry)
]
