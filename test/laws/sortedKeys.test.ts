/** A deployment that sorts the keys of its tools: in the pure assembly, in the services and in a trace, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Result, type Scope } from "effect"
import * as Assembly from "../../src/Assembly.ts"
import * as Difference from "../../src/Difference.ts"
import { PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import * as Rendered from "../../src/Rendered.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import * as arbitraries from "../../src/testing/Arbitraries.ts"
import * as generate from "../../src/testing/internal/generate.ts"
import * as chains from "../support/chains.ts"
import { check, patience, Tally } from "../support/check.ts"
import { inOrder } from "../support/inOrder.ts"
import { runs } from "../support/runs.ts"
import * as keys from "../support/toolKeys.ts"
import { assemble, overlay } from "../support/known.ts"
import { bytes } from "../support/view.ts"

const emitted = (self: Assembly.Assembly) => self.tools.map(({ schema }) => ToolSchema.emit(schema))

const canonical = (self: Assembly.Assembly) => self.tools.map(({ schema }) => ToolSchema.canonical(schema))

const tool = <P extends object>(parameters: P, name = "t") => ({ name, description: "d", parameters })

const unsorted = () => tool({ type: "object", properties: { b: {}, a: {} } })

const sortedText = `{"name":"t","description":"d","parameters":{"properties":{"a":{},"b":{}},"type":"object"}}`

/** Runs in a service that sorts keys, or in the usual one. */
const run = <A, E>(
  program: (prompt: SystemPrompt["Service"]) => Effect.Effect<A, E, Scope.Scope>,
  sortToolKeys?: boolean
) =>
  Layer.build(SystemPrompt.layerWith({ sortToolKeys })).pipe(
    Effect.flatMap((services) => Effect.provide(SystemPrompt.use(program), services)),
    Effect.scoped
  )

describe("sortToolKeys", () => {
  it.effect("is off unless it is true: the order of keys is the author's", () =>
    Effect.gen(function* () {
      for (const off of [undefined, false]) {
        const assembly = yield* run((prompt) => Effect.andThen(prompt.tools([unsorted()]), prompt.assemble), off)
        assert.deepStrictEqual(emitted(assembly), [JSON.stringify(unsorted())])
      }
      assert.deepStrictEqual(emitted(assemble([overlay({ tools: [{ tools: [unsorted()] }] })])), [
        JSON.stringify(unsorted())
      ])
    })
  )

  it.effect("leaves it to a listener to sort by itself: another order of keys is an edit of its own", () =>
    Effect.gen(function* () {
      const edit = Assembly.mapTool("t", ToolSchema.sortKeys)
      const sorting = (sort: boolean) =>
        run(
          (prompt) =>
            Effect.gen(function* () {
              yield* prompt.tools([unsorted()])
              yield* prompt.listener({ name: "sorts", edit })
              const { tools } = yield* prompt.assemble
              return tools.map(({ schema, origin }) => [ToolSchema.emit(schema), origin.listener?.name])
            }),
          sort
        )
      assert.deepStrictEqual(yield* sorting(false), [[sortedText, "sorts"]])
      assert.deepStrictEqual(yield* sorting(true), [[sortedText, undefined]])
    })
  )

  it.effect("sorts what each kind of provider gives, every time, and leaves its origin", () =>
    run(
      (prompt) =>
        Effect.gen(function* () {
          yield* prompt.tools([unsorted()], { name: "value", plugin: "core" })
          yield* prompt.tools(() => ({ schemas: [unsorted()], knownNames: ["hidden"] }), { name: "function" })
          yield* prompt.tools(
            Effect.sync(() => [unsorted()]),
            { name: "effect" }
          )
          yield* prompt.tools([tool({ a: 1 }, "sorted")], { name: "value" })
          for (const assemble of [
            prompt.assemble,
            prompt.assemble,
            Effect.map(prompt.trace, (trace) => trace.assembly)
          ]) {
            const { tools } = yield* assemble
            assert.deepStrictEqual(
              tools.map(({ schema, origin }) => [ToolSchema.emit(schema), origin]),
              [
                [
                  ToolSchema.emit(ToolSchema.make(tool({ a: 1 }, "sorted"))),
                  { scope: "global", provider: "value", shadows: [] }
                ],
                [sortedText, { scope: "global", provider: "effect", shadows: [] }],
                [sortedText, { scope: "global", provider: "function", shadows: [] }],
                [sortedText, { scope: "global", plugin: "core", provider: "value", shadows: [] }]
              ]
            )
          }
        }),
      true
    )
  )

  it.effect("a server that writes its keys in another order each time gives the same bytes", () =>
    Effect.gen(function* () {
      let calls = 0
      const turning = () => (calls++ % 2 === 0 ? tool({ a: 1, b: { c: 1, d: 1 } }) : tool({ b: { d: 1, c: 1 }, a: 1 }))
      const both = (prompt: SystemPrompt["Service"]) =>
        Effect.gen(function* () {
          yield* prompt.tools(() => [turning()])
          const [first, second] = [yield* prompt.assemble, yield* prompt.assemble]
          const side = (assembly: Assembly.Assembly) => ({
            assembly,
            rendered: Result.getOrThrow(Rendered.render(assembly))
          })
          return Difference.make(side(first), side(second))
        })
      assert.isTrue(Difference.isEmpty(yield* run(both, true)))
      // Without it, another order of keys is other bytes, and is told.
      const { changes, tools } = yield* run(both, false)
      assert.deepInclude(changes.tools[0], { _tag: "Changed", name: "t", fields: ["parameters"] })
      assert.strictEqual(tools?.before?.path, "$.parameters.a")
      assert.isAbove(calls, 3)
    })
  )

  it.effect("what gives the same again gives the same assembly again", () =>
    run(
      (prompt) =>
        Effect.gen(function* () {
          const made = ToolSchema.make(unsorted())
          yield* prompt.tools(() => [made])
          yield* prompt.tools([tool({ b: 1, a: 1 }, "u")])
          const assembly = yield* prompt.assemble
          assert.strictEqual(assembly.tools[0]!.schema, ToolSchema.sortKeys(made))
          assert.strictEqual(yield* prompt.assemble, assembly)
        }),
      true
    )
  )

  it.effect("what is shown is still what was registered: a call runs it", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      yield* registry.register({ ...unsorted(), handler: () => Effect.succeed("ran") })
      const { assembly } = yield* SystemPrompt.use((prompt) => prompt.trace)
      for (const view of [assembly, yield* SystemPrompt.use((prompt) => prompt.assemble)]) {
        assert.deepStrictEqual(emitted(view), [sortedText])
        assert.strictEqual(yield* registry.call(view, "t", {}), "ran")
      }
    }).pipe(
      Effect.provide(ToolRegistry.layer.pipe(Layer.provideMerge(SystemPrompt.layerWith({ sortToolKeys: true })))),
      Effect.scoped
    )
  )

  it.effect("leaves what a listener adds to the listener, who can sort it", () =>
    Effect.gen(function* () {
      const added = (sort: boolean) =>
        run(
          (prompt) =>
            Effect.gen(function* () {
              yield* prompt.listener({
                name: "adds",
                edit: Assembly.addTool(sort ? ToolSchema.sortKeys(ToolSchema.make(unsorted())) : unsorted())
              })
              return emitted(yield* prompt.assemble)
            }),
          true
        )
      assert.deepStrictEqual(yield* added(false), [JSON.stringify(unsorted())])
      assert.deepStrictEqual(yield* added(true), [sortedText])
    })
  )

  it.effect("namesakes that are the same then stand by plugin, whatever their authors wrote", () =>
    Effect.gen(function* () {
      for (const [x, y] of [
        [unsorted(), JSON.parse(sortedText)],
        [JSON.parse(sortedText), unsorted()]
      ]) {
        const assembly = yield* run(
          (prompt) =>
            Effect.gen(function* () {
              yield* prompt.tools([y], { plugin: "b" })
              yield* prompt.tools([x], { plugin: "a" })
              return yield* prompt.assemble
            }),
          true
        )
        assert.deepStrictEqual(
          assembly.tools.map(({ origin }) => origin.plugin),
          ["a", "b"]
        )
      }
    })
  )

  it.effect("refuses what is no tool as ever, where it is", () =>
    Effect.gen(function* () {
      const failing = (sort: boolean) =>
        run(
          (prompt) =>
            Effect.andThen(prompt.tools([tool({ b: 1, a: Number.NaN })], { name: "fs" }), Effect.flip(prompt.assemble)),
          sort
        )
      assert.deepStrictEqual(yield* failing(true), yield* failing(false))
    })
  )
})

/** The texts of the tools of one name and provider, in the order in which they have to stand. */
const ordered = (chain: chains.Chain, provider: string, name: string): ReadonlyArray<string> =>
  chain
    .flatMap(({ tools }) => tools.filter((one) => one.name === provider && one.plugin === "keys"))
    .flatMap(({ tools }) => ("schemas" in tools ? tools.schemas : tools).filter((one) => one.name === name))
    .map(({ deferLoading, description, name, parameters }) => {
      const say = (parameters: unknown) =>
        JSON.stringify({ name, description, parameters, ...(deferLoading === true ? { deferLoading } : undefined) })
      return [say(inOrder(parameters)), say(parameters)] as const
    })
    .toSorted(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1))
    .map(([, text]) => text)

/** Chains with one more provider, whose tools have all sorts of keys. */
const composition = Arbitrary.map(
  Arbitrary.all([
    generate.choose(arbitraries.renderableChain, arbitraries.chain),
    generate.list(keys.written, 6),
    generate.list(keys.written, 2)
  ]),
  ([chain, near, far]): chains.Chain =>
    chain.map((one, i) => ({
      ...one,
      tools: [
        ...one.tools,
        ...(i === 0 ? [{ name: "far", plugin: "keys", tools: far }] : []),
        ...(i === chain.length - 1 ? [{ name: "near", plugin: "keys", tools: near }] : [])
      ]
    }))
)

const manner = Arbitrary.all({
  ways: generate.list(generate.literal(...chains.ways), 12),
  picks: generate.picks
})

describe("a chain whose keys are sorted", () => {
  it.effect(
    "is assembled alike by the pure assembly, the service, each time, and a trace, and differs in the order of keys alone",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([composition, arbitraries.toolOrder, manner]),
          ([chain, toolOrder, manner]) =>
            Effect.gen(function* () {
              const how = { ...manner, toolOrder, sortToolKeys: true }
              const { assemble, prompt, scopes } = yield* chains.register(chain, how)
              const scope = scopes.at(-1)!
              const pure = chains.assemble(chain, { scope, toolOrder, sortToolKeys: true })
              const expected = chains.blamed(chain, pure)
              for (const _ of [1, 2])
                assert.deepStrictEqual(chains.blamed(chain, yield* Effect.result(assemble)), expected)
              const traced = yield* Effect.result(PromptScope.provide(scope)(prompt.trace))
              const assembled = Result.map(traced, ({ assembly }) => assembly)
              assert.deepStrictEqual(chains.blamed(chain, assembled), expected)

              // A listener may do anything with what it is given, and its own tools are its own affair.
              const bare = chain.map((one) => ({ ...one, listeners: [] }))
              const on = chains.assemble(bare, { scope, toolOrder, sortToolKeys: true })
              const off = chains.assemble(bare, { scope, toolOrder, sortToolKeys: false })
              if (Result.isFailure(on) || Result.isFailure(off)) {
                assert.deepStrictEqual(chains.blamed(bare, on), chains.blamed(bare, off))
                return tally.count("refused")
              }
              const [sorted, plain] = [on.success, off.success]
              assert.deepStrictEqual(emitted(sorted), canonical(plain))
              assert.strictEqual(bytes({ ...sorted, tools: [] }), bytes({ ...plain, tools: [] }))
              for (const { schema } of sorted.tools) {
                for (const one of keys.objectsIn(schema.parameters)) assert.isTrue(keys.isSorted(one))
              }
              const ranks = ["near", "far"].flatMap((provider) =>
                ["t", "u"].flatMap((name) => {
                  const texts = ordered(chain, provider, name)
                  const shown = plain.tools.filter(
                    ({ origin, schema }) =>
                      schema.name === name && origin.provider === provider && origin.plugin === "keys"
                  )
                  assert.deepStrictEqual(emitted({ ...plain, tools: shown }), texts)
                  return texts.join() === texts.toSorted().join() ? [] : ["by canonical JSON"]
                })
              )
              assert.sameDeepMembers(
                sorted.tools.map(({ origin }) => origin),
                plain.tools.map(({ origin }) => origin)
              )
              tally.count(
                "assembly",
                emitted(plain).every((text, i) => text === canonical(plain)[i]) ? "sorted" : "unsorted",
                ...ranks
              )
            }).pipe(Effect.scoped),
          { runs: runs(300, 10_000), seed: 1 }
        )
        tally.assertShares("sorted chains", { assembly: 40, unsorted: 20, sorted: 5, "by canonical JSON": 2 })
      }),
    patience
  )
})
