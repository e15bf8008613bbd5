/** A trace tells the truth about the assembly: it is the one that is made without tracing, and the ledger accounts for it. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, JsonPatch, Result } from "effect"
import type * as Assembly from "../../src/Assembly.ts"
import * as PromptScope from "../../src/PromptScope.ts"
import * as Rendered from "../../src/Rendered.ts"
import * as Trace from "../../src/Trace.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import * as generate from "../../src/testing/internal/generate.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"

const ways = generate.list(generate.literal(...chains.ways), 12)
const manner = Arbitrary.all({ ways, picks: generate.picks })
const composition = Arbitrary.all([
  generate.choose(arbitraries.renderableChain, arbitraries.chain),
  arbitraries.toolOrder
])

const here = ({ scopes }: chains.Registered) => PromptScope.provide(scopes.at(-1)!)

/** What stands around all other listeners, or within all of them. */
const probe = (order: number) => {
  const seen: { given?: Assembly.Assembly; back?: Assembly.Assembly } = {}
  const register = ({ prompt, scopes }: chains.Registered) =>
    prompt
      .listener({
        name: `probe ${order}`,
        order,
        around: (self, next) => {
          seen.given = self
          return Effect.map(next(self), (back) => (seen.back = back))
        }
      })
      .pipe(PromptScope.provide(scopes[0]!))
  return { seen, register }
}

const kinds = ["section", "context", "variable"] as const
const lists = { section: "sections", context: "contexts", variable: "variables" } as const

const isProbe = (name: string): boolean => name.startsWith("probe ")

describe("SystemPrompt.trace", () => {
  it.effect(
    "gives the assembly that `assemble` gives, or fails with its error",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[chain, toolOrder], manner]) =>
            Effect.gen(function* () {
              const registered = yield* chains.register(chain, { ...manner, toolOrder })
              const trace = yield* Effect.result(registered.prompt.trace.pipe(here(registered)))
              const assembled = yield* Effect.result(registered.assemble)
              assert.deepStrictEqual(
                chains.blamed(
                  chain,
                  Result.map(trace, ({ assembly }) => assembly)
                ),
                chains.blamed(chain, assembled)
              )
              tally.count(Result.isSuccess(trace) ? "assembly" : trace.failure._tag)
            }).pipe(Effect.scoped),
          { runs: 500 }
        )
        tally.assertShares("tracing", { assembly: 40, InvalidAssembly: 0.1 })
      }),
    patience
  )

  it.effect(
    "accounts for every contribution, once, and for every part of the assembly",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[chain, toolOrder], manner]) =>
            Effect.gen(function* () {
              const registered = yield* chains.register(chain, { ...manner, toolOrder })
              const traced = yield* Effect.result(registered.prompt.trace.pipe(here(registered)))
              if (Result.isFailure(traced)) return tally.count("failed")
              const { assembly, entries, steps } = traced.success
              const overlays = chains.pure(chain)
              const suppressed = overlays.some((one) => one.suppressors > 0)
              for (const kind of kinds) {
                const mine = entries.filter((entry) => entry.kind === kind)
                const registrations = overlays.flatMap((one) =>
                  one[lists[kind]].map(({ name, plugin }) => `${one.scope} ${plugin} ${name}`)
                )
                assert.sameMembers(
                  mine.map(({ name, plugin, scope }) => `${scope} ${plugin} ${name}`),
                  registrations
                )
                const nearest = new Set(mine.map(({ name }) => name))
                for (const name of nearest) {
                  const [winner, ...others] = mine.filter((entry) => entry.name === name)
                  // The nearest overlay that has the name.
                  const found = overlays.findLastIndex((one) => one[lists[kind]].some((entry) => entry.name === name))
                  assert.strictEqual(winner!.scope, overlays[found]!.scope)
                  assert.notStrictEqual(winner!.fate._tag, "Shadowed")
                  for (const { fate, ran } of others) {
                    assert.deepStrictEqual(fate, {
                      _tag: "Shadowed",
                      by: {
                        scope: winner!.scope,
                        ...(winner!.plugin === undefined ? undefined : { plugin: winner!.plugin })
                      }
                    })
                    assert.isFalse(ran)
                  }
                  const isSuppressed = kind === "context" && suppressed
                  assert.strictEqual(winner!.fate._tag === "Suppressed", isSuppressed)
                  assert.strictEqual(winner!.ran, !isSuppressed)
                }
                // In force is what is there and was not added by a listener.
                const there = mine.filter(({ fate }) => fate._tag === "InForce" || fate._tag === "Empty")
                const parts: ReadonlyArray<Assembly.AssembledSection | Assembly.AssembledVariable> = [
                  ...(kind === "variable" ? assembly.variables : []),
                  ...(kind === "section" ? assembly.sections : []),
                  ...(kind === "context" ? assembly.contexts.map((one) => ({ ...one, requires: [] })) : [])
                ]
                const stayed = parts.filter(({ name }) => there.some((entry) => entry.name === name))
                assert.strictEqual(stayed.length, there.length, kind)
                for (const part of parts.filter((one) => !stayed.includes(one))) {
                  assert.isDefined(part.origin.listener, `${kind} ${part.name}`)
                }
                for (const part of stayed) {
                  const entry = there.find(({ name }) => name === part.name)!
                  assert.strictEqual(entry.scope, part.origin.scope)
                  assert.deepStrictEqual(entry.listener, part.origin.listener)
                }
                tally.count(...mine.map(({ fate }) => fate._tag))
              }
              const rendered = Rendered.render(assembly)
              if (Result.isSuccess(rendered)) {
                const { sections, contexts } = rendered.success
                for (const [kind, all, shown] of [
                  ["section", assembly.sections, sections],
                  ["context", assembly.contexts, contexts]
                ] as const) {
                  const empty = all.filter((one) => !shown.some(({ source }) => source === one))
                  const told = entries.filter((one) => one.kind === kind && one.fate._tag === "Empty")
                  for (const { name } of told)
                    assert.include(
                      empty.map((one) => one.name),
                      name
                    )
                  for (const { name, origin } of empty) {
                    if (origin.listener === undefined)
                      assert.include(
                        told.map((one) => one.name),
                        name
                      )
                  }
                }
              }
              const tools = entries.filter(({ fate, kind }) => kind === "tool" && fate._tag === "InForce")
              assert.isAtMost(tools.length, assembly.tools.length)
              assert.isAtLeast(
                tools.length,
                assembly.tools.filter(({ origin }) => origin.listener === undefined).length
              )
              const count = (kind: Trace.Kind) => entries.filter((entry) => entry.kind === kind).length
              assert.strictEqual(count("tools"), chain.flatMap((one) => one.tools).length)
              assert.strictEqual(
                count("suppressor"),
                chain.reduce((sum, one) => sum + one.suppressors, 0)
              )
              assert.strictEqual(count("listener"), chain.flatMap((one) => one.listeners).length)
              assert.strictEqual(steps.length, count("listener"))
            }).pipe(Effect.scoped),
          { runs: 600 }
        )
        tally.assertShares("fates", {
          InForce: 50,
          Empty: 30,
          Shadowed: 3,
          Suppressed: 0.5,
          Displaced: 0.5,
          ToolsMissing: 0.5,
          Removed: 0.5
        })
      }),
    patience
  )

  it.effect(
    "has patches that lead from what went into the waterfall to what came out, and a seal that leads to the assembly",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[chain, toolOrder], manner]) =>
            Effect.gen(function* () {
              const registered = yield* chains.register(chain, { ...manner, toolOrder })
              const outermost = probe(-Number.MAX_VALUE)
              yield* outermost.register(registered)
              const traced = yield* Effect.result(registered.prompt.trace.pipe(here(registered)))
              if (Result.isFailure(traced)) return tally.count("failed")
              const { assembly, sealed, steps } = traced.success
              const { back, given } = outermost.seen
              const patches = [
                ...steps.map((step) => step.handedOn),
                ...steps.toReversed().map((step) => step.returned)
              ].flatMap((changes) => changes?.patch ?? [])
              assert.deepStrictEqual(
                JsonPatch.apply(patches, Trace.assemblyToJson(given!)),
                Trace.assemblyToJson(back!)
              )
              for (const { handedOn, name } of steps) {
                const same = handedOn!.patch.length === 0 && handedOn!.annotations.length === 0
                if (isProbe(name)) assert.isTrue(same)
                tally.count(same ? "nothing" : "something", ...(handedOn!.moved.length > 0 ? ["moved"] : []))
              }

              const dropped = (kind: string) =>
                sealed.dropped.filter((one) => one.kind === kind).map(({ name }) => name)
              const left = back!.sections.map(({ name }) => name).filter((name) => !dropped("section").includes(name))
              assert.sameMembers(
                assembly.sections.map(({ name }) => name),
                [...new Set([...left, ...(sealed.restored === undefined ? [] : [sealed.restored])])]
              )
              assert.deepStrictEqual(
                assembly.contexts.map(({ name }) => name),
                back!.contexts.map(({ name }) => name).filter((name) => !dropped("context").includes(name))
              )
              tally.count(...sealed.dropped.map(({ fate }) => fate._tag))
              if (sealed.restored !== undefined) tally.count("restored")
            }).pipe(Effect.scoped),
          { runs: 600 }
        )
        tally.assertShares("steps", { something: 5, moved: 0.1, Displaced: 0.5, ToolsMissing: 0.5 })
      }),
    patience
  )

  it.effect(
    "is the same, as JSON, in whichever order and manner things were registered",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, manner]),
          ([[all, toolOrder], manner]) =>
            Effect.gen(function* () {
              // Providers of one scope that share name and plugin cannot be told apart.
              const chain = all.map((one) => ({
                ...one,
                tools: one.tools.filter(
                  (tools, i) => one.tools.findIndex((x) => x.name === tools.name && x.plugin === tools.plugin) === i
                )
              }))
              const tell = (how: chains.How) =>
                Effect.gen(function* () {
                  const registered = yield* chains.register(chain, how)
                  const traced = yield* Effect.result(registered.prompt.trace.pipe(here(registered)))
                  if (Result.isFailure(traced)) return undefined
                  const { listeners, ...json } = Trace.toJson(traced.success)
                  // Whether a listener is an `edit` or an `around` is part of the manner.
                  const steps = traced.success.steps.map((step) => ({ ...step, kind: undefined, returned: undefined }))
                  assert.strictEqual(JSON.stringify(listeners), JSON.stringify(traced.success.steps))
                  return JSON.stringify([json, steps])
                })
              const plain = yield* tell({ ...chains.plainly, toolOrder })
              assert.strictEqual(yield* tell({ ...manner, toolOrder }), plain)
              tally.count(plain === undefined ? "failed" : "trace")
            }).pipe(Effect.scoped),
          { runs: 300 }
        )
        tally.assertShares("JSON", { trace: 40 })
      }),
    patience
  )
})
