/** The laws of a plugin, each over cases that are made of a plugin and where it is mounted. */
import * as Arbitrary from "effect/Arbitrary"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Annotations } from "../../AssembleContext.ts"
import { toolsOf } from "../../check/Check.ts"
import { nearest } from "../../internal/nearest.ts"
import { describeOwner, ownerFields } from "../../Owner.ts"
import type { ScopeClosed } from "../../PromptError.ts"
import * as PromptScope from "../../PromptScope.ts"
import * as Rendered from "../../Rendered.ts"
import type { Trace } from "../../Trace.ts"
import { type Broken, type Law, make } from "../Law.ts"
import { literal, picks, shuffled } from "./generate.ts"
import { at, start } from "./moment.ts"
import * as others from "./others.ts"
import { type Outcome, outcomeOf, parting } from "./outcome.ts"
import { showCause } from "./show.ts"
import { build, type Judged, type Setting, shown, type Stage, stage } from "./stage.ts"
import * as subjects from "./subject.ts"
import { broken, type NotJudged, notJudged } from "./verdict.ts"
import * as worlds from "./world.ts"

const list = (all: ReadonlyArray<string>): string =>
  all.length <= 5 ? all.join(", ") : `${all.slice(0, 5).join(", ")} and ${all.length - 5} more`

const unbuilt = notJudged("the plugin did not build in any case; see the law `assembles`")
const unassembled = notJudged("the plugin did not build, assemble and render in any case; see the law `assembles`")

/** A law of a plugin whose cases differ in nothing but their setting. */
const law = (
  judged: Judged,
  {
    name,
    settings = judged.settings,
    holds,
    ...about
  }: {
    readonly name: string
    readonly rule: string
    readonly advice: string
    readonly settings?: Arbitrary.Arbitrary<Setting>
    readonly holds: (
      world: Stage,
      setting: Setting
    ) => Effect.Effect<Broken | undefined, NotJudged | ScopeClosed, Scope.Scope>
  }
): Law =>
  make({
    ...about,
    name: `plugin: ${name}`,
    cases: settings,
    most: judged.most,
    show: shown,
    holds: (setting) => Effect.scoped(Effect.flatMap(stage(judged, setting), (world) => holds(world, setting)))
  })

export const assembles = (judged: Judged): Law =>
  law(judged, {
    name: "assembles",
    rule: "The plugin builds, and what it contributes assembles and renders.",
    advice:
      'Do what the error says. Give what the plugin counts on as `needs` or `variables`; if it is only for prompt scopes, say where: "scope".',
    holds: Effect.fnUntraced(function* (world, setting) {
      const { exit } = yield* build(world, setting, world.scope)
      if (Exit.isFailure(exit)) return broken("a layer that builds", showCause(exit.cause))
      const outcome = yield* world.assemble
      return outcome._tag === "Refused" ? broken("an assembly that renders", outcome.why) : undefined
    })
  })

export const leavesNothing = (judged: Judged): Law =>
  make({
    name: "plugin: leaves nothing behind",
    rule: "When the plugin's layer is closed, or its build fails or is interrupted, nothing of it stays registered.",
    advice:
      "Register in the Effect scope of the layer, by `Layer.effectDiscard` or the constructors of `Plugin`: neither in a scope of your own that nobody closes, nor from a fiber that outlives the layer.",
    cases: Arbitrary.all({
      setting: judged.settings,
      end: literal("closed", "refused", "interrupted"),
      registration: subjects.below(8)
    }),
    show: ({ end, registration, setting }) => ({
      ...shown(setting),
      end: end === "closed" ? end : `${end} at registration ${registration + 1}`
    }),
    holds: (one) => Effect.scoped(leftovers(judged, one))
  })

interface Ending {
  readonly setting: Setting
  readonly end: "closed" | "refused" | "interrupted"
  /** Which registration is refused or interrupted, from 0. */
  readonly registration: number
}

const leftovers = Effect.fnUntraced(function* (judged: Judged, { end, registration, setting }: Ending) {
  const reached = yield* Deferred.make<void>()
  let from = Infinity
  let disturbed = false
  const world = yield* stage(judged, setting, (number, owners) => {
    const isDisturbed = number === from + registration && end !== "closed" && owners.length > 0
    if (!isDisturbed) return Effect.succeed(false)
    disturbed = true
    return end === "refused"
      ? Effect.succeed(true)
      : Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.repeat({ times: 3 }),
          Effect.as(false)
        )
  })
  from = world.registrations()
  const before = world.contents()
  const fiber = yield* Effect.forkChild(world.build(setting.plugin(), world.scope))
  if (end === "interrupted") {
    yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
    yield* Fiber.interrupt(fiber)
  }
  const built = yield* Fiber.await(fiber)
  if (Exit.isSuccess(built)) yield* built.value.close
  // What a fiber of the plugin still does at once is the plugin's doing.
  yield* Effect.repeat(Effect.yieldNow, { times: 10 })
  const { added, removed } = worlds.changesIn(before, world.contents())
  const when = { closed: "its layer is closed", refused: "its build has failed", interrupted: "it was interrupted" }
  if (added.length > 0) return broken(`nothing registered once ${when[end]}`, `${list(added)} is still registered`)
  if (removed.length > 0) {
    return broken("everything of others still registered", `${list(removed)} is registered no more`)
  }
  return Exit.isFailure(built) || (Exit.isFailure(built.value.exit) && !disturbed) ? yield* unbuilt : undefined
})

export const ignoresOrder = (judged: Judged): Law =>
  make({
    name: "plugin: any order of others",
    rule: "Prompt, tools and context snapshot are the same bytes wherever the plugin is built among others.",
    advice:
      "Decide nothing by what is registered while the plugin is built: layers build concurrently. Give every section an order of its own, and leave what depends on others to a listener.",
    cases: Arbitrary.all({
      setting: judged.settings,
      others: others.several,
      place: subjects.below(5),
      picks,
      together: literal(false, true)
    }),
    show: ({ others, picks, place, setting, together }) => ({
      ...shown(setting),
      built: together ? "together with all others" : `after ${Math.min(place, others.length)} of ${others.length}`,
      others: shuffled(others, picks)
    }),
    holds: ({ others: all, picks, place, setting, together }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const plugins: ReadonlyArray<worlds.Complete> = shuffled(all, picks).map(others.pluginOf)
          const first = () =>
            inOrder(judged, setting, [[setting.plugin()], ...all.map((one) => [others.pluginOf(one)])])
          const expected = yield* first()
          if (expected._tag === "Unbuilt") return yield* unassembled
          const second = yield* inOrder(
            judged,
            setting,
            together
              ? [[...plugins, setting.plugin()]]
              : [...plugins].toSpliced(place, 0, setting.plugin()).map((one) => [one])
          )
          if (second._tag === "Unbuilt") return broken("layers that build, as when it is built first", second.why)
          const seen = parting(expected, second, { contexts: true })
          if (seen === undefined) return expected._tag === "Refused" ? yield* unassembled : undefined
          const again = yield* first()
          // What differs by itself is the affair of another law.
          return again._tag === "Unbuilt" || parting(expected, again, { contexts: true }) !== undefined
            ? undefined
            : broken("the same bytes as when it is built first", seen)
        })
      )
  })

/** Builds groups of plugins, one group after the other, each as one layer. */
const inOrder = Effect.fnUntraced(function* (
  judged: Judged,
  setting: Setting,
  groups: ReadonlyArray<ReadonlyArray<worlds.Complete>>
) {
  const world = yield* stage(judged, setting)
  for (const group of groups) {
    const layer = group.reduce((all, one) => Layer.merge(all, one))
    const { exit } = yield* build(world, { ...setting, plugin: () => layer }, world.scope)
    if (Exit.isFailure(exit)) return { _tag: "Unbuilt" as const, why: showCause(exit.cause) }
  }
  return yield* world.assemble.pipe(at(start))
})

export const sameText = (judged: Judged): Law =>
  make({
    name: "plugin: same inputs, same text",
    rule: "Prompt and tools are the same bytes in every assembly with the same inputs, at any time and in any build.",
    advice:
      "Move what changes by itself, such as a time, into a context, which is sent after the history; sort what has no order of its own; take numbers from no counter or random source.",
    cases: Arbitrary.all({
      setting: judged.settings,
      assembly: Arbitrary.map(subjects.below(4), (more) => more + 2),
      later: subjects.span,
      rebuilt: literal(false, true)
    }),
    show: ({ assembly, later, rebuilt, setting }) => ({ ...shown(setting), assembly, later, rebuilt }),
    holds: ({ assembly, later, rebuilt, setting }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const world = yield* stage(judged, setting)
          const { exit } = yield* build(world, setting, world.scope)
          const first = yield* world.assemble.pipe(at(start))
          const then = { later: subjects.millisOf(later), luck: 1 }
          const again = rebuilt ? yield* stage(judged, setting).pipe(at(then)) : world
          if (rebuilt) {
            const built = yield* again.build(setting.plugin(), again.scope).pipe(at(then))
            yield* Effect.addFinalizer(() => built.close)
          }
          for (let number = 2; number <= assembly; number++) {
            const seen = parting(first, yield* again.assemble.pipe(at(then)))
            if (seen !== undefined) return broken("the bytes of the first assembly", `in assembly ${number}, ${seen}`)
          }
          return Exit.isFailure(exit) || first._tag === "Refused" ? yield* unassembled : undefined
        })
      )
  })

export const declaresVariables = (judged: Judged): Law =>
  law(judged, {
    name: "declares its variables",
    rule: "Every variable that a text of the plugin refers to is declared by it, by what it needs, or by `variables`.",
    advice:
      "Register the variable with the plugin, give it as `variables` if a host always has it, or set `interpolate: false` if the braces are literal text.",
    holds: Effect.fnUntraced(function* (world, setting) {
      const { exit } = yield* build(world, setting, world.scope)
      const assembled = yield* world.prompt.assemble.pipe(
        PromptScope.provide(world.scope),
        Effect.provideService(Annotations, setting.annotations),
        Effect.exit
      )
      if (Exit.isFailure(assembled)) return yield* unassembled
      const unknown = Rendered.problems(assembled.value).find((problem) => problem._tag === "UnknownVariable")
      if (unknown !== undefined) return broken("no unknown variable", unknown.message)
      return Exit.isFailure(exit) ? yield* unassembled : undefined
    })
  })

export const requiresKnownTools = (judged: Judged): Law =>
  law(judged, {
    name: "requires known tools",
    rule: "Every tool that a section of the plugin requires is brought by it, by what it needs, or is one of `tools`.",
    advice:
      "Correct the name: a section that requires what nobody has is left out, and nobody is told. Give what brings the tool as `needs`, or its name as `tools` if a host has it, or if it is there only sometimes.",
    holds: Effect.fnUntraced(function* (world, setting) {
      const { exit } = yield* build(world, setting, world.scope)
      const traced = yield* world.prompt.trace.pipe(
        PromptScope.provide(world.scope),
        Effect.provideService(Annotations, setting.annotations),
        Effect.exit
      )
      if (Exit.isFailure(exit) || Exit.isFailure(traced)) return yield* unassembled
      const unknown = unknownTool(traced.value)
      return unknown === undefined ? undefined : broken("tools that somebody has", unknown)
    })
  })

/** The first section of a trace that is left out for a tool which nobody has, not even hidden. */
const unknownTool = (trace: Trace): string | undefined => {
  const known = new Set(toolsOf(trace))
  for (const { fate, name, plugin, scope } of trace.sealed.dropped) {
    const tool = fate._tag === "ToolsMissing" ? fate.tools.find((one) => !known.has(one)) : undefined
    if (tool === undefined) continue
    const near = nearest(tool, known)
    const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`
    return `${describeOwner(ownerFields({ kind: "section", entry: name, scope, plugin }))} requires the tool ${JSON.stringify(tool)}, which nobody has, so it is left out.${hint}`
  }
  return undefined
}

export const mountsTwice = (judged: Judged): Law =>
  law(judged, {
    name: "mounts twice",
    rule: "Mounted into a second scope, the plugin says in each of them what it says when it is alone.",
    advice:
      'Keep no state outside of the layer, and register nothing for all scopes (such as a `global` listener) under a fixed name. If the plugin is there once for all scopes, say where: "global".',
    settings: Arbitrary.map(judged.settings, (setting): Setting => ({ ...setting, mounted: "scope" })),
    holds: Effect.fnUntraced(function* (world, setting) {
      const first = yield* build(world, setting, world.scope)
      if (Exit.isFailure(first.exit)) return yield* unbuilt
      const alone = yield* world.assemble.pipe(at(start))
      const differs = (after: Outcome) => parting(alone, after, { contexts: true })
      // What differs by itself is the affair of another law.
      if (differs(yield* world.assemble.pipe(at(start))) !== undefined) return undefined
      const { scope } = yield* PromptScope.make("agent")
      const second = yield* build(world, setting, scope)
      if (Exit.isFailure(second.exit)) return broken("a second mount that builds", showCause(second.exit.cause))
      const inSecond = outcomeOf(world.prompt, scope, setting.annotations).pipe(at(start))
      const there = differs(yield* inSecond)
      if (there !== undefined) return broken("in the second scope the bytes of the first", there)
      const here = differs(yield* world.assemble.pipe(at(start)))
      if (here !== undefined) return broken("in the first scope the bytes from before the second mount", here)
      yield* first.close
      const left = differs(yield* inSecond)
      if (left !== undefined) return broken("in the second scope the bytes from before the first closed", left)
      return alone._tag === "Refused" ? yield* unassembled : undefined
    })
  })

export const refusesTwice = (judged: Judged): Law =>
  law(judged, {
    name: "registers once",
    rule: "Built again in the same scope, the plugin fails with DuplicateRegistration, and nothing half registered stays.",
    advice:
      "Give contributions fixed names, let the failure of a registration through, and register in the Effect scope of the layer.",
    holds: Effect.fnUntraced(function* (world, setting) {
      // In a scope of its own that it opens, a plugin is alone every time.
      const shared = [...new Set([PromptScope.global, world.scope])]
      const empty = world.contents(shared)
      const first = yield* build(world, setting, world.scope)
      if (Exit.isFailure(first.exit)) return yield* unbuilt
      const before = world.contents()
      const named = worlds.changesIn(empty, world.contents(shared)).added.filter(worlds.isUnique)
      const second = yield* world.build(setting.plugin(), world.scope).pipe(at({ later: 3_600_000, luck: 1 }))
      yield* Effect.addFinalizer(() => second.close)
      if (Exit.isSuccess(second.exit) && named.length > 0) {
        return broken(`DuplicateRegistration of ${list(named)}`, "it was built a second time")
      }
      if (Exit.isFailure(second.exit) && !worlds.isDuplicate(second.exit.cause)) {
        return broken("DuplicateRegistration", showCause(second.exit.cause))
      }
      yield* second.close
      const { added, removed } = worlds.changesIn(before, world.contents())
      const changed = [...added.map((one) => `${one} is left`), ...removed.map((one) => `${one} is gone`)]
      return changed.length === 0 ? undefined : broken("what was registered before the second time", list(changed))
    })
  })
