import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Result, Scheduler, Scope } from "effect"
import { type Assembly, PromptScope, SystemPrompt, ToolRegistry } from "../../src/index.ts"
import { observers } from "../../src/internal/scope.ts"
import { patience } from "../support/check.ts"
import { seeded } from "../support/random.ts"
import { runs } from "../support/runs.ts"
import { assembledIn, call, failed, give, layer, shown, test, tool } from "./support.ts"

const namesOf = (assembly: Assembly.Assembly) => assembly.tools.map(({ schema }) => schema.name)

describe("a thousand tools and two hundred scopes", () => {
  const tools = Array.from({ length: 1_000 }, (_, i) => `t${i}`)

  test(
    "each scope has its own view; one that has not changed is not made again",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const random = seeded(200)
      yield* give(...tools)
      const parents: Array<PromptScope.PromptScope> = []
      /** Those with an allow list, which what comes later does not pass. */
      const allowing = new Set<PromptScope.PromptScope>()
      const expected = new Map<PromptScope.PromptScope, ReadonlyArray<string>>()
      for (let i = 0; i < 200; i++) {
        const parent = i % 4 === 0 ? PromptScope.global : parents[random.below(parents.length)]!
        const { scope } = yield* PromptScope.make(`s${i}`, { parent })
        parents.push(scope)
        const deny = tools.filter(() => random.oneIn(10))
        const allow = random.oneIn(3) ? tools.filter(() => !random.oneIn(4)) : undefined
        yield* PromptScope.provide(scope)(registry.restrict({ deny, allow }))
        if (allow !== undefined) allowing.add(scope)
        const above = expected.get(parent) ?? tools.toSorted()
        const [denied, allowed] = [new Set(deny), new Set(allow ?? tools)]
        expected.set(
          scope,
          above.filter((name) => allowed.has(name) && !denied.has(name))
        )
      }
      const views = new Map([...expected.keys()].map((scope) => [scope, registry.view(scope)]))
      for (const [scope, names] of expected) {
        const assembly = yield* assembledIn(scope)
        assert.strictEqual(namesOf(assembly).join(), names.join())
        assert.strictEqual(registry.view(scope), views.get(scope), "the view is the one that was made before")
        assert.strictEqual(yield* assembledIn(scope), assembly, "nothing was made again")
        // Some are admitted, some are not.
        assert.isAbove(names.length, 10)
        assert.isBelow(names.length, 1_000)
        const gone = tools.find((name) => !names.includes(name))!
        assert.strictEqual((yield* failed(assembly, gone))._tag, "ToolNotFound")
        assert.strictEqual(yield* call(assembly, names[0]!), names[0]!)
      }
      // A change in one scope costs those that see it.
      const [first] = parents
      yield* PromptScope.provide(first!)(registry.register(tool("own")))
      for (const scope of parents) {
        const chain = PromptScope.chain(scope)
        const isBelow = chain.includes(first!)
        const admits = isBelow && !chain.some((one) => allowing.has(one))
        assert.strictEqual(registry.view(scope) !== views.get(scope), isBelow)
        assert.strictEqual(namesOf(yield* assembledIn(scope)).includes("own"), scope === first || admits)
      }
    }),
    patience
  )

  test(
    "a scope that registers nothing shares the view of the next one above that does",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      yield* give("a", "b")
      const { scope: parent } = yield* PromptScope.make("parent")
      const { scope: one } = yield* PromptScope.make("one", { parent })
      const { scope: two } = yield* PromptScope.make("two", { parent: one })
      assert.strictEqual(registry.view(one), registry.view(two))
      assert.strictEqual(registry.view(one), registry.view(parent))
      yield* Effect.scoped(PromptScope.provide(one)(registry.register(tool("brief"))))
      assert.strictEqual(registry.view(one), registry.view(parent))
      yield* PromptScope.provide(parent)(registry.restrict({ deny: ["a"] }))
      yield* PromptScope.provide(parent)(registry.register(tool("own")))
      assert.strictEqual(registry.view(one), registry.view(two))
      assert.deepStrictEqual(yield* shown(parent), ["b", "own"])
      assert.deepStrictEqual(yield* shown(two), ["b", "own"])
      yield* PromptScope.provide(parent)(registry.restrict({ allow: [] }))
      assert.deepStrictEqual(yield* shown(parent), ["own"])
      assert.deepStrictEqual(yield* shown(two), [])
      assert.deepStrictEqual((yield* assembledIn(two)).tools, [])
    })
  )
})

describe("a tool that others come and go beside", () => {
  test(
    "is the very part that it was, unless it shadows another one, so that what was made of it holds",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const { scope } = yield* PromptScope.make("agent")
      yield* PromptScope.provide(scope)(give("a"))
      const part = Effect.map(assembledIn(scope), ({ tools }) => tools.find((one) => one.schema.name === "a")!)
      const first = yield* part
      yield* PromptScope.provide(scope)(give("b"))
      yield* give("c")
      assert.strictEqual(yield* part, first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* registry.register(tool("a"))
          const shadowing = yield* part
          assert.deepStrictEqual(shadowing.origin.shadows, [{ scope: "global" }])
          yield* give("d")
          assert.strictEqual(yield* part, shadowing)
        })
      )
      assert.deepStrictEqual(yield* part, first)
    })
  )
})

// -----------------------------------------------------------------------------
// many at once
// -----------------------------------------------------------------------------

/** Fibres that register, restrict, lift and call in scopes that they share; gives what was counted. */
const storm = Effect.fnUntraced(function* (seed: number, fibres: number, steps: number) {
  const registry = yield* ToolRegistry
  const prompt = yield* SystemPrompt
  const counted = {
    registered: 0,
    duplicates: 0,
    lifted: 0,
    restricted: 0,
    refused: 0,
    ran: 0,
    unknown: 0,
    ended: 0,
    rebound: 0
  }
  const shared: Array<PromptScope.Owned> = []
  for (let i = 0; i < 6; i++) {
    shared.push(yield* PromptScope.make(`s${i}`, { parent: i === 0 ? PromptScope.global : shared[i >> 1]!.scope }))
  }
  let serial = 0
  /** The registrations that have not ended, by what they answer. */
  const live = new Set<string>()

  const worker = Effect.fnUntraced(function* (id: number) {
    const random = seeded(seed * 1_000 + id)
    const own: Array<Effect.Effect<void>> = []
    const pause = Effect.suspend(() => Effect.repeat(Effect.yieldNow, { times: random.below(3) }))
    for (let step = 0; step < steps; step++) {
      const scope = random.oneIn(5) ? PromptScope.global : shared[random.below(shared.length)]!.scope
      const name = `t${random.below(8)}`
      const within = PromptScope.provide(scope)
      switch (random.below(6)) {
        case 0:
        case 1: {
          const says = `#${serial++}`
          const lifetime = yield* Scope.make()
          const result = yield* Effect.result(
            registry.register({ ...tool(name, { says }), description: says }).pipe(within, Scope.provide(lifetime))
          )
          if (Result.isFailure(result)) {
            assert.strictEqual(result.failure._tag, "DuplicateRegistration")
            counted.duplicates++
            break
          }
          counted.registered++
          live.add(says)
          own.push(
            Effect.suspend(() => {
              live.delete(says)
              counted.lifted++
              return Scope.close(lifetime, Exit.void)
            })
          )
          break
        }
        case 2: {
          const lifetime = yield* Scope.make()
          const result = yield* Effect.result(registry.restrict({ deny: [name] }).pipe(within, Scope.provide(lifetime)))
          if (Result.isFailure(result)) {
            assert.include(["UnknownTool", "InvalidRegistration"], result.failure._tag)
            counted.refused++
            break
          }
          counted.restricted++
          own.push(Scope.close(lifetime, Exit.void))
          break
        }
        case 3:
          if (own.length > 0) yield* own.splice(random.below(own.length), 1)[0]!
          break
        case 4: {
          const moved = shared[random.below(shared.length)]!
          const result = yield* Effect.result(moved.rebind(shared[random.below(shared.length)]!.scope))
          if (Result.isSuccess(result)) counted.rebound++
          break
        }
        case 5: {
          // Without a pause between them, view and assembly are of one moment.
          const seen = yield* Effect.suspend(() => {
            const before = registry.view(scope)
            return Effect.map(within(prompt.assemble), (assembly) => ({ before, assembly }))
          })
          const { assembly, before } = seen
          assert.deepStrictEqual(
            assembly.tools.map(({ schema }) => schema.description),
            before.tools.map(({ schema }) => schema.description)
          )
          yield* pause
          for (const { schema } of assembly.tools) {
            const result = yield* Effect.suspend(() => {
              const isLive = live.has(schema.description)
              return Effect.map(Effect.result(registry.call(assembly, schema.name, {})), (result) => ({
                isLive,
                result
              }))
            })
            if (Result.isSuccess(result.result)) {
              assert.strictEqual(result.result.success, schema.description)
              counted.ran++
            } else {
              assert.strictEqual(result.result.failure._tag, "ToolWithoutHandler")
              assert.isFalse(result.isLive)
              counted.ended++
            }
          }
          if (!namesOf(assembly).includes(name)) {
            assert.strictEqual((yield* Effect.flip(registry.call(assembly, name, {})))._tag, "ToolNotFound")
            counted.unknown++
          }
        }
      }
      yield* pause
    }
    yield* Effect.all(own, { discard: true })
  })

  yield* Effect.all(
    Array.from({ length: fibres }, (_, id) => worker(id)),
    { concurrency: "unbounded", discard: true }
  )
  assert.strictEqual(live.size, 0)
  for (const { scope } of [...shared, { scope: PromptScope.global }]) {
    assert.deepStrictEqual(registry.view(scope), { tools: [], hidden: [] })
    assert.deepStrictEqual((yield* assembledIn(scope)).tools, [])
  }
  return counted
})

describe("many fibres", () => {
  // Fibres take turns where they say so, and nowhere else: an assertion about one moment is one.
  const atOnce = Effect.provideService(Scheduler.MaxOpsBeforeYield, 1_000_000_000)

  test(
    "two hundred register, restrict, lift, move scopes and call at once: no answer is wrong, and nothing is left",
    Effect.gen(function* () {
      for (let seed = 1; seed <= runs(1, 30); seed++) {
        const counted = yield* storm(seed, 200, 20)
        console.log(`many fibres: ${JSON.stringify(counted)}`)
        assert.isAbove(counted.registered, 50)
        assert.isAbove(counted.duplicates, 100)
        assert.isAbove(counted.restricted, 10)
        assert.isAbove(counted.lifted, 50)
        assert.isAbove(counted.ran, 500)
        assert.isAbove(counted.unknown, 30)
        assert.isAbove(counted.ended, 10)
        assert.isAbove(counted.rebound, 10)
      }
    }).pipe(atOnce),
    patience
  )
})

// -----------------------------------------------------------------------------
// what is left
// -----------------------------------------------------------------------------

/** Opens a scope, uses all of the registry in it, and closes it. Gives what must be gone then. */
const use = Effect.fnUntraced(function* (i: number) {
  const registry = yield* ToolRegistry
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make(`agent-${i}`)
      const handler = () => Effect.succeed(i)
      yield* Effect.gen(function* () {
        yield* registry.register({ ...tool("own"), handler })
        yield* registry.restrict({ deny: ["global"] })
        yield* registry.guard({ name: "g", check: () => undefined })
        const assembly = yield* assembledIn(scope)
        assert.deepStrictEqual(namesOf(assembly), ["own"])
        assert.strictEqual(yield* call(assembly, "own"), i)
      }).pipe(PromptScope.provide(scope))
      return [scope, handler] as const
    })
  )
})

describe("registrations", () => {
  test(
    "that have ended are garbage while their prompt scope is open still, whether or not anybody looks again",
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collectGarbage: () => void = runInNewContext("gc")
      const registry = yield* ToolRegistry
      const refs: Array<WeakRef<object>> = []
      for (let i = 0; i < 20; i++) {
        const { scope } = yield* PromptScope.make(`agent-${i}`)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const handler = () => Effect.succeed(i)
            yield* registry.register({ ...tool("own"), handler })
            assert.lengthOf(registry.view(scope).tools, 1)
            refs.push(new WeakRef(handler))
          }).pipe(PromptScope.provide(scope))
        )
      }
      for (let i = 0; i < 2; i++) {
        yield* Effect.repeat(Effect.yieldNow, { times: 3 })
        collectGarbage()
      }
      assert.isAtMost(refs.filter((ref) => ref.deref() !== undefined).length, 2)
    }),
    patience
  )
})

describe("closed scopes", () => {
  test(
    "thousands that were opened, used and closed leave nothing behind",
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collectGarbage: () => void = runInNewContext("gc")
      yield* give("global")
      const before = yield* assembledIn(PromptScope.global)
      const observing = observers.size
      const refs: Array<WeakRef<object>> = []
      for (let i = 0; i < runs(3_000, 10_000); i++) {
        const used = yield* use(i)
        if (i % 20 === 0) for (const one of used) refs.push(new WeakRef(one))
      }
      assert.strictEqual(observers.size, observing)
      // A WeakRef holds on until the job that made it has ended.
      for (let i = 0; i < 2; i++) {
        yield* Effect.repeat(Effect.yieldNow, { times: 3 })
        collectGarbage()
      }
      assert.isAtMost(refs.filter((ref) => ref.deref() !== undefined).length, 2)
      assert.strictEqual(yield* assembledIn(PromptScope.global), before)
    }),
    patience
  )

  test(
    "are garbage while the Effect scope of what was registered in them is open still",
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collectGarbage: () => void = runInNewContext("gc")
      const registry = yield* ToolRegistry
      const open = yield* Effect.scope
      yield* give("global")
      const refs: Array<WeakRef<object>> = []
      for (let i = 0; i < 100; i++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { scope } = yield* PromptScope.make("brief")
            const handler = () => Effect.succeed(i)
            const check = () => undefined
            const deny = ["global"]
            yield* Effect.all(
              [
                registry.register({ ...tool("own"), handler }),
                registry.guard({ name: "g", check }),
                registry.restrict({ deny })
              ],
              { discard: true }
            ).pipe(PromptScope.provide(scope), Scope.provide(open))
            yield* assembledIn(scope)
            refs.push(new WeakRef(handler), new WeakRef(check))
          })
        )
      }
      for (let i = 0; i < 2; i++) {
        yield* Effect.repeat(Effect.yieldNow, { times: 3 })
        collectGarbage()
      }
      assert.isAtMost(refs.filter((ref) => ref.deref() !== undefined).length, 4)
    }),
    patience
  )

  it.effect("and registries that are gone observe no scope any more", () =>
    Effect.gen(function* () {
      const before = observers.size
      for (let i = 0; i < 10; i++) {
        const during = yield* Effect.provide(
          Effect.sync(() => observers.size),
          layer,
          { local: true }
        )
        assert.isAbove(during, before)
      }
      const prompt = yield* Layer.build(SystemPrompt.layer)
      const alone = observers.size
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.provide(Layer.build(ToolRegistry.layer), prompt)
          assert.strictEqual(observers.size, alone + 1)
        })
      )
      assert.strictEqual(observers.size, alone)
    })
  )
})
