/** What the laws of a registry of tools are made of: a registry in which programs have run, and restrictions. */
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Assembly } from "../../Assembly.ts"
import type { PromptError } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import type * as Restriction from "../../Restriction.ts"
import type { SystemPrompt } from "../../SystemPrompt.ts"
import type { ToolRegistry } from "../../ToolRegistry.ts"
import { type Broken, type Law, make } from "../Law.ts"
import type * as Program from "../ToolRegistryProgram.ts"
import { literal } from "./generate.ts"
import { type Machine, machine } from "./runTools.ts"
import { ofLayer } from "./subject.ts"
import { type NotJudged, notJudged } from "./verdict.ts"

type Subject = Layer.Layer<ToolRegistry, unknown, SystemPrompt>

export const quoted = (names: Iterable<string>): string => {
  const all = [...names].map((name) => JSON.stringify(name))
  return all.length === 0 ? "no tools" : all.join(", ")
}

/** The scope that a law is about. */
const scope = literal(1, 2, 0, 3)

/** What is there when a law begins. */
interface Stage {
  readonly machine: Machine
  readonly about: PromptScope.PromptScope
}

type Holds = Effect.Effect<Broken | undefined, PromptError | NotJudged, Scope.Scope>

/** A law of what is there once a program has run. */
export const law = <A extends object>(
  registry: Subject,
  options: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly before: Arbitrary.Arbitrary<Program.ToolRegistryProgram>
    readonly more: Arbitrary.Arbitrary<A>
    readonly holds: (stage: Stage, more: A) => Holds
  }
): Law =>
  make({
    name: `tool registry: ${options.name}`,
    rule: options.rule,
    advice: options.advice,
    cases: ofLayer("registry", registry, Arbitrary.all({ program: options.before, scope, more: options.more })),
    show: ({ more, program, scope }) => ({ steps: program.steps, scope, ...more }),
    holds: ({ more, program, scope }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const made = yield* build(registry)
          for (const step of program.steps) yield* made.step(step)
          return yield* options.holds({ machine: made, about: made.population.scope(scope) }, more)
        })
      )
  })

export const build = (registry: Subject): Effect.Effect<Machine, NotJudged, Scope.Scope> =>
  Effect.catch(machine(registry, undefined), () =>
    notJudged("the registry did not build in any case; see the law `followsModel`")
  )

/** Names that are often registered, and some that never are. */
export const names: ReadonlyArray<string> = ["bash", "read", "a", "B", "__proto__", "nope", "Bash", "constructor", ""]

/** What fits the tools of programs that take a path. */
export const args = { path: "a" }

export const namesOf = ({ tools }: Assembly): ReadonlyArray<string> => [
  ...new Set(tools.map(({ schema }) => schema.name))
]

/** What a model is shown that is called in this scope. */
export const shownTo = ({ machine }: Stage, scope: PromptScope.PromptScope) =>
  Effect.map(machine.assemble(scope), namesOf)

/** A prompt scope below another one, and what ends it. */
export const openBelow = Effect.fnUntraced(function* (parent: PromptScope.PromptScope) {
  const life = yield* Scope.fork(yield* Effect.scope)
  const { scope } = yield* Scope.provide(PromptScope.make("law", { parent }), life)
  return { scope, close: Scope.close(life, Exit.void) }
})

/** Some of the names that are often registered; shrinks towards none. */
export const someNames: Arbitrary.Arbitrary<ReadonlyArray<string>> = Arbitrary.map(
  Arbitrary.all([literal(false, true), literal(false, true), literal(false, true)]),
  (kept) => ["bash", "read", "a"].filter((_, i) => kept[i])
)

/** A restriction by names of which some may not be there: those are left out. */
interface Wish {
  readonly list: "allow" | "deny"
  readonly tools: ReadonlyArray<string>
}

export const wish: Arbitrary.Arbitrary<Wish> = Arbitrary.all({
  list: literal("deny", "allow"),
  tools: someNames
})

export const admits = ({ list, tools }: Wish, name: string): boolean => tools.includes(name) === (list === "allow")

/** Restricts a scope, and gives what lifts the restriction. */
export const restrict = Effect.fnUntraced(function* (
  { machine }: Stage,
  scope: PromptScope.PromptScope,
  { list, tools }: Wish,
  there: ReadonlyArray<string>
) {
  const life = yield* Scope.fork(yield* Effect.scope)
  const options: Restriction.Options = { [list]: tools.filter((name) => there.includes(name)) }
  yield* machine.services.registry.restrict(options).pipe(PromptScope.provide(scope), Scope.provide(life))
  return Scope.close(life, Exit.void)
})

export const differ = (expected: ReadonlyArray<string>, seen: ReadonlyArray<string>): boolean =>
  expected.length !== seen.length || expected.some((name) => !seen.includes(name))
