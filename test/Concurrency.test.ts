import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Result, Scheduler, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Assembly, Overlays, PromptScope, type Provider, SystemPrompt } from "../src/index.ts"
import { observers } from "../src/internal/scope.ts"
import type { AssembleError, RegistrationError } from "../src/PromptError.ts"
import { kinds } from "./support/kinds.ts"
import { type Expected, Model, type ModelEntry, type ModelScope } from "./support/model.ts"
import { type Random, seeded } from "./support/random.ts"
import { builtIns, layer, own } from "./support/registry.ts"
import * as view from "./support/view.ts"

const test = <E>(name: string, self: Effect.Effect<void, E, SystemPrompt | Overlays | Scope.Scope>) =>
  // Many rounds: on a busy machine some of these take longer than the default of 5 s.
  it.effect(name, () => Effect.provide(self, layer), 60_000)

const assembledIn = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.assemble))

const renderedIn = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(Effect.map(prompt.render, ({ text }) => text)))

/** A prompt scope in an Effect scope of its own. */
const scoped = (label: string, parent: PromptScope.PromptScope = PromptScope.global) =>
  Effect.gen(function* () {
    const effectScope = yield* Scope.make()
    const owned = yield* Scope.provide(PromptScope.make(label, { parent }), effectScope)
    return { ...owned, close: Scope.close(effectScope, Exit.void) }
  })

// -----------------------------------------------------------------------------
// many fibres
// -----------------------------------------------------------------------------

/** What the listeners wrote, outermost first. */
const Notes = Context.Reference<ReadonlyArray<string>>("test/Notes", { defaultValue: () => [] })

/** A scope of the registry, and the same one in the model. */
interface Pair {
  readonly owned: PromptScope.Owned
  readonly model: ModelScope
  readonly effectScope: Scope.Closeable
}

const yielding = (turns: number) => Effect.repeat(Effect.yieldNow, { times: turns })

/** A value, a function, or one of two effects; effects let other fibres run before they give it. */
const provider = <A>(random: Random, value: A): Provider<A> => {
  const turns = random.below(4)
  return random.pick<Provider<A>>([
    value,
    () => value,
    Effect.as(yielding(turns), value),
    () => Effect.as(yielding(turns), value)
  ])
}

const register = (
  prompt: SystemPrompt["Service"],
  random: Random,
  { kind, name, order, value, complete, global }: ModelEntry
): Effect.Effect<void, RegistrationError, Scope.Scope> => {
  switch (kind) {
    case "section":
      return prompt.section({ name, order, complete, text: provider(random, value) })
    case "context":
      return prompt.context({ name, order, text: provider(random, value) })
    case "variable":
      return prompt.variable(name, provider(random, value))
    case "tools":
      return prompt.tools(provider(random, [{ name: value, description: "", parameters: {} }]))
    case "suppressor":
      return prompt.suppressContexts
    case "listener": {
      const turns = random.below(3)
      const note = (assembly: Assembly.Assembly) =>
        Assembly.annotate(assembly, Notes, [...Context.get(assembly.annotations, Notes), `${name}=${value}`])
      return prompt.listener({
        name,
        order,
        global,
        edit: (assembly) => (turns === 0 ? note(assembly) : Effect.as(yielding(turns), note(assembly)))
      })
    }
  }
}

const seen = (result: Result.Result<Assembly.Assembly, AssembleError>): Expected => {
  if (Result.isFailure(result)) {
    const error = result.failure
    if (error._tag !== "MultipleCompleteSections") return assert.fail(error.message)
    return { refused: error.sections.map(({ entry }) => entry) }
  }
  const assembly = result.success
  const shown = (all: ReadonlyArray<readonly [name: string, value: string | undefined]>) =>
    all.map(([name, value]) => `${name}=${value}`)
  return {
    sections: shown(view.sections(assembly)),
    contexts: shown(view.contexts(assembly)),
    tools: view.tools(assembly),
    variables: shown(view.variables(assembly)),
    listeners: Context.get(assembly.annotations, Notes)
  }
}

/** Runs writers and readers at once over a few scopes that move, close and are made anew; gives what was counted. */
const storm = Effect.fnUntraced(
  function* (seed: number, writers: number, readers: number) {
    const prompt = yield* SystemPrompt
    const overlays = yield* Overlays
    const model = new Model()
    const counted = {
      checks: 0,
      moved: 0,
      refusals: 0,
      registered: 0,
      notRegistered: 0,
      rebound: 0,
      closed: 0,
      interrupted: 0
    }
    let values = 0

    const makePair = (label: string, parent: Pair | undefined) =>
      Effect.gen(function* () {
        const effectScope = yield* Scope.make()
        const owned = yield* PromptScope.make(label, { parent: parent?.owned.scope ?? PromptScope.global }).pipe(
          Scope.provide(effectScope)
        )
        return {
          owned,
          model: { label, parent: parent?.model ?? model.global, closed: false },
          effectScope
        } satisfies Pair
      })

    const places: Array<Pair> = []
    for (const [label, parent] of [
      ["preset", undefined],
      ["preset", undefined],
      ["agent", 0],
      ["agent", 0],
      ["agent", 1],
      ["sub", 2],
      ["sub", 4]
    ] as const) {
      places.push(yield* makePair(label, parent === undefined ? undefined : places[parent]))
    }
    /** The closed ones too: assembling for them is legal. */
    const everMade = [...places]

    const place = (random: Random): { readonly scope: PromptScope.PromptScope; readonly model: ModelScope } => {
      const at = random.below(places.length + 1)
      const pair = places[at]
      return pair === undefined
        ? { scope: PromptScope.global, model: model.global }
        : { scope: pair.owned.scope, model: pair.model }
    }

    const entry = (random: Random): ModelEntry => {
      const kind = random.pick([
        "section",
        "section",
        "context",
        "variable",
        "tools",
        "listener",
        "suppressor"
      ] as const)
      return {
        kind,
        name: random.pick(["a", "b", "c"]),
        order: kind === "variable" ? 0 : random.below(2),
        value: `v${values++}`,
        complete: kind === "section" && random.oneIn(6),
        global: kind === "listener" && random.oneIn(4)
      }
    }

    /** Registers for a few turns, in step with the model. */
    const registering = (random: Random) =>
      Effect.gen(function* () {
        const at = place(random)
        const one = entry(random)
        // From here to the finaliser nobody else runs.
        const result = yield* Effect.result(PromptScope.provide(at.scope)(register(prompt, random, one)))
        const refusal = model.add(at.model, one)
        assert.strictEqual(Result.isFailure(result) ? result.failure._tag : undefined, refusal)
        if (refusal !== undefined) {
          counted.notRegistered++
          return
        }
        counted.registered++
        yield* Effect.addFinalizer(() => Effect.sync(() => model.remove(one)))
        yield* yielding(random.below(16))
      }).pipe(Effect.scoped)

    const rebinding = (random: Random) =>
      Effect.gen(function* () {
        const pair = places[random.below(places.length)]!
        const parent = place(random)
        const result = yield* Effect.result(pair.owned.rebind(parent.scope))
        const refusal = model.move(pair.model, parent.model)
        assert.strictEqual(Result.isFailure(result) ? result.failure._tag : undefined, refusal)
        if (refusal === undefined) counted.rebound++
      })

    /** Closes a scope in which others register, under children of it, and makes another one in its place. */
    const renewing = (random: Random) =>
      Effect.gen(function* () {
        const at = random.below(places.length)
        const old = places[at]!
        yield* Scope.close(old.effectScope, Exit.void)
        model.close(old.model)
        counted.closed++
        const parent = random.oneIn(2) ? undefined : places[(at + 1 + random.below(places.length - 1)) % places.length]
        places[at] = yield* makePair(old.model.label, parent)
        everMade.push(places[at])
      })

    const writing = (random: Random) =>
      Effect.gen(function* () {
        for (let i = 0; i < 30; i++) {
          yield* random.oneIn(12) ? rebinding(random) : random.oneIn(25) ? renewing(random) : registering(random)
          yield* yielding(random.below(3))
        }
      })

    const reading = (random: Random) =>
      Effect.gen(function* () {
        for (let i = 0; i < 50; i++) {
          const pair = random.oneIn(8) ? everMade[random.below(everMade.length)] : undefined
          const at = pair === undefined ? place(random) : { scope: pair.owned.scope, model: pair.model }
          const version = model.version
          // The assembly takes its snapshot in this same step.
          const expected = model.expected(at.model)
          const result = yield* Effect.result(PromptScope.provide(at.scope)(prompt.assemble))
          assert.deepStrictEqual(seen(result), expected)
          counted.checks++
          if (model.version !== version) counted.moved++
          if ("refused" in expected) counted.refusals++
          yield* yielding(random.below(3))
        }
      })

    const fibers: Array<Fiber.Fiber<void, unknown>> = []
    for (let i = 0; i < writers; i++) fibers.push(yield* Effect.forkChild(Effect.scoped(writing(seeded(seed + i)))))
    for (let i = 0; i < readers; i++) fibers.push(yield* Effect.forkChild(reading(seeded(seed + 10_000 + i))))

    const random = seeded(seed + 20_000)
    for (let i = 0; i < (writers + readers) / 10; i++) {
      yield* yielding(random.below(5))
      const victim = fibers[random.below(fibers.length)]!
      if (victim.pollUnsafe() === undefined) {
        yield* Fiber.interrupt(victim)
        counted.interrupted++
      }
    }
    for (const exit of yield* Fiber.awaitAll(fibers)) {
      if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) yield* exit
    }

    for (const pair of places) {
      yield* Scope.close(pair.effectScope, Exit.void)
      model.close(pair.model)
    }
    assert.strictEqual(model.size, 0)
    assert.strictEqual(overlays.size(PromptScope.global), builtIns)
    for (const { owned } of everMade) assert.strictEqual(overlays.size(owned.scope), 0)
    return counted
  },
  Effect.provideService(Scheduler.PreventSchedulerYield, true)
)

describe("many fibres", () => {
  test(
    "200 of them register, move, close and assemble at once: every assembly is what an oracle saw at its snapshot",
    Effect.gen(function* () {
      const counted = yield* storm(4242, 100, 100)
      console.log(`200 fibres: ${JSON.stringify(counted)}`)
      assert.isAbove(counted.checks, 4000)
      assert.isAbove(counted.moved, 500, "assemblies during which the registry moved")
      for (const [what, least] of [
        ["registered", 1000],
        ["notRegistered", 100],
        ["rebound", 50],
        ["closed", 50],
        ["interrupted", 15],
        ["refusals", 20]
      ] as const) {
        assert.isAtLeast(counted[what], least, what)
      }
    })
  )

  test(
    "[BC-012] two scopes that assemble at once, one held up while the other starts and ends, serve only their own",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const { scope: a } = yield* PromptScope.make("A")
      const { scope: b } = yield* PromptScope.make("B")
      for (const scope of [a, b]) {
        yield* prompt.persona({ prefix: `You serve ${scope.label}` }).pipe(PromptScope.provide(scope))
      }
      const gates = new Map<PromptScope.PromptScope, Deferred.Deferred<void>>()
      yield* prompt.variable("who", ({ scope }) => Effect.as(Effect.yieldNow, scope.label))
      yield* prompt.section({ name: "who", order: 1, text: "{{who}}" })
      yield* prompt.listener({
        name: "waits",
        edit: (assembly, { scope }) => {
          const gate = gates.get(scope)
          return gate === undefined ? assembly : Effect.as(Deferred.await(gate), assembly)
        }
      })
      const plan = overlays.plan(PromptScope.global)
      const global = yield* renderedIn(PromptScope.global)
      const random = seeded(12)
      for (let i = 0; i < 1000; i++) {
        const [first, second] = random.oneIn(2) ? ([a, b] as const) : ([b, a] as const)
        const fibers = new Map<PromptScope.PromptScope, Fiber.Fiber<string, unknown>>()
        gates.clear()
        for (const scope of random.oneIn(3) ? [first, second] : [first]) gates.set(scope, yield* Deferred.make<void>())
        for (const scope of [first, second]) {
          fibers.set(scope, yield* Effect.forkChild(renderedIn(scope)))
          yield* yielding(random.below(4))
        }
        // The one without a gate ends while the first is held up.
        if (!gates.has(second))
          assert.strictEqual(yield* Fiber.join(fibers.get(second)!), `You serve ${second.label}\n\n${second.label}`)
        for (const scope of random.oneIn(2) ? [first, second] : [second, first]) {
          const gate = gates.get(scope)
          if (gate !== undefined) yield* Deferred.succeed(gate, undefined)
          yield* yielding(random.below(3))
        }
        for (const scope of [first, second]) {
          assert.strictEqual(yield* Fiber.join(fibers.get(scope)!), `You serve ${scope.label}\n\n${scope.label}`)
        }
      }
      assert.strictEqual(overlays.plan(PromptScope.global), plan, "the global registrations are what they were")
      assert.strictEqual(yield* renderedIn(PromptScope.global), global)
    })
  )
})

// -----------------------------------------------------------------------------
// plans that are kept
// -----------------------------------------------------------------------------

describe("a stale plan", () => {
  /** Registers one of each kind, whose values say which. */
  const all = (scope: PromptScope.PromptScope, value: string) =>
    SystemPrompt.use((prompt) =>
      Effect.all(
        [
          prompt.section({ name: "s", order: 1, text: value }),
          prompt.context({ name: "c", order: 1, text: value }),
          prompt.variable("v", value),
          prompt.tools([{ name: value, description: "", parameters: {} }]),
          prompt.listener({ name: "l", edit: (assembly) => Assembly.annotate(assembly, Notes, [value]) })
        ],
        { discard: true }
      )
    ).pipe(PromptScope.provide(scope))

  const valuesIn = (scope: PromptScope.PromptScope) =>
    Effect.map(assembledIn(scope), (assembly) => [
      ...view.sections(assembly).map(([, value]) => value),
      ...view.contexts(assembly).map(([, value]) => value),
      ...view.variables(assembly).map(([, value]) => value),
      ...view.tools(assembly),
      ...Context.get(assembly.annotations, Notes)
    ])

  const five = (value: string) => Array.from({ length: 5 }, () => value)

  /** Each scope that sees an overlay must notice what happens in it: itself, a child, a grandchild. */
  const seers = (own: PromptScope.PromptScope) =>
    Effect.gen(function* () {
      const { scope: child } = yield* PromptScope.make("child", { parent: own })
      const { scope: grandchild } = yield* PromptScope.make("grandchild", { parent: child })
      return [own, child, grandchild]
    })

  for (const where of ["global", "a scope"] as const) {
    test(
      `is not used after an overlay (${where}) was emptied and filled again with as much: A, then B, then A again`,
      Effect.gen(function* () {
        const scope = where === "global" ? PromptScope.global : (yield* PromptScope.make("S")).scope
        const scopes = yield* seers(scope)
        for (const value of ["A", "B", "A", "C"]) {
          const close = yield* own(all(scope, value))
          for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), five(value))
          yield* close
        }
        for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), [])
      })
    )

    test(
      `nor if nobody read the emptied overlay (${where}) in between, nor if another scope changed meanwhile`,
      Effect.gen(function* () {
        const scope = where === "global" ? PromptScope.global : (yield* PromptScope.make("S")).scope
        const { scope: other } = yield* PromptScope.make("other")
        const scopes = yield* seers(scope)
        let close: Effect.Effect<void> = Effect.void
        for (const value of ["A", "B", "C"]) {
          yield* close
          close = yield* own(all(scope, value))
          yield* Effect.scoped(all(other, value))
          for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), five(value))
        }
      })
    )
  }

  test(
    "is not used after the scope, or an ancestor of it, moved to a parent that has registered as much",
    Effect.gen(function* () {
      const { scope: a } = yield* PromptScope.make("P")
      const { scope: b } = yield* PromptScope.make("P")
      yield* all(a, "A")
      yield* all(b, "B")
      const { scope, rebind } = yield* PromptScope.make("S", { parent: a })
      const scopes = yield* seers(scope)
      for (const [parent, value] of [
        [a, "A"],
        [b, "B"],
        [a, "A"],
        [b, "B"]
      ] as const) {
        yield* rebind(parent)
        for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), five(value))
      }
      yield* rebind(PromptScope.global)
      for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), [])
    })
  )

  test(
    "is not used after an ancestor closed, nor after another one of its label took its place",
    Effect.gen(function* () {
      const first = yield* scoped("P")
      const { scope, rebind } = yield* PromptScope.make("S", { parent: first.scope })
      const scopes = yield* seers(scope)
      yield* all(first.scope, "A")
      for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), five("A"))
      yield* first.close
      for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), [])
      const second = yield* scoped("P")
      yield* all(second.scope, "B")
      yield* rebind(second.scope)
      for (const one of scopes) assert.deepStrictEqual(yield* valuesIn(one), five("B"))
    })
  )

  test(
    "is not used after a global listener of another scope came or went",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      const notes = Effect.map(assembledIn(scope), ({ annotations }) => Context.get(annotations, Notes))
      for (const value of ["A", "B"]) {
        const other = yield* scoped("other")
        const edit = (assembly: Assembly.Assembly) => Assembly.annotate(assembly, Notes, [value])
        yield* PromptScope.provide(other.scope)(prompt.listener({ name: "l", global: true, edit }))
        assert.deepStrictEqual(yield* notes, [value])
        yield* other.close
        assert.deepStrictEqual(yield* notes, [])
      }
    })
  )
})

// -----------------------------------------------------------------------------
// what is left
// -----------------------------------------------------------------------------

describe("what is left behind", () => {
  const round = Effect.fnUntraced(function* (i: number) {
    const prompt = yield* SystemPrompt
    const { scope } = yield* PromptScope.make("agent")
    yield* Effect.all(
      [
        ...["a", "b", "c"].map((name) => prompt.section({ name, order: 1, text: `${name} ${i}` })),
        prompt.tools([{ name: "read", description: "", parameters: {} }]),
        prompt.tools(() => []),
        prompt.listener({ name: "l", global: i % 2 === 0, edit: (assembly) => assembly })
      ],
      { discard: true }
    ).pipe(PromptScope.provide(scope))
    const assembly = yield* assembledIn(scope)
    assert.deepStrictEqual(
      view.sections(assembly).map(([, text]) => text),
      [`a ${i}`, `b ${i}`, `c ${i}`]
    )
    return scope
  }, Effect.scoped)

  test(
    "[BC-056] after 10,000 scopes that came, registered, assembled and went: no entry, no listener, no observer",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const before = view.bytes(yield* assembledIn(PromptScope.global))
      const watching = observers.size
      for (let i = 0; i < 10_000; i++) {
        const scope = yield* round(i)
        assert.strictEqual(overlays.size(scope), 0)
        assert.isTrue(scope.closed)
      }
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      assert.strictEqual(observers.size, watching)
      assert.strictEqual(view.bytes(yield* assembledIn(PromptScope.global)), before)
      const scope = yield* round(0)
      const prompt = yield* SystemPrompt
      for (const { kind, entry, register } of kinds) {
        const error = yield* Effect.flip(PromptScope.provide(scope)(register(prompt)))
        assert.deepInclude(error, { _tag: "ScopeClosed", scope: "agent", kind, entry })
      }
    })
  )

  it.effect("services that are gone observe no scope any more", () =>
    Effect.gen(function* () {
      const before = observers.size
      for (let i = 0; i < 10; i++) {
        const during = yield* Effect.provide(
          Effect.sync(() => observers.size),
          layer
        )
        // The registry, the assemblers and the renderer each forget what was of a scope.
        assert.strictEqual(during, before + 3)
      }
      assert.strictEqual(observers.size, before)
    })
  )

  test(
    "[BC-056, BC-058] closed scopes are garbage, with all that was registered and assembled in them",
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collectGarbage: () => void = runInNewContext("gc")
      const collect = Effect.gen(function* () {
        // A WeakRef holds on until the job that made it has ended.
        for (let i = 0; i < 2; i++) {
          yield* yielding(3)
          collectGarbage()
        }
      })
      const refs: Array<WeakRef<object>> = []
      for (let i = 0; i < 300; i++) refs.push(new WeakRef(yield* round(i)))
      // Nor is the signal of a host retained, after the assembly has ended.
      const { assemble } = yield* SystemPrompt
      yield* Effect.promise(() => {
        const { signal } = new AbortController()
        refs.push(new WeakRef(signal))
        return Effect.runPromise(Effect.andThen(Effect.yieldNow, assemble), { signal })
      })
      yield* collect
      const alive = refs.filter((ref) => ref.deref() !== undefined).length
      assert.isAtMost(alive, 1)

      // So is what came and went in a scope that lives on.
      const prompt = yield* SystemPrompt
      const open = yield* Effect.scope
      const { scope } = yield* PromptScope.make("lives")
      const entries: Array<WeakRef<object>> = []
      const remembered = <F extends object>(f: F): F => {
        entries.push(new WeakRef(f))
        return f
      }
      for (let i = 0; i < 100; i++) {
        yield* Effect.all(
          [
            prompt.section({ name: "s", order: 1, text: remembered(() => "") }),
            prompt.variable(
              "v",
              remembered(() => "")
            ),
            prompt.tools(remembered(() => [])),
            prompt.listener({ name: "l", edit: remembered((assembly: Assembly.Assembly) => assembly) }),
            prompt.listener({ name: "g", global: true, edit: remembered((assembly: Assembly.Assembly) => assembly) })
          ],
          { discard: true }
        ).pipe(PromptScope.provide(scope), Effect.andThen(assembledIn(scope)), Effect.scoped)
      }
      yield* assembledIn(scope)
      yield* collect
      assert.isAtMost(entries.filter((ref) => ref.deref() !== undefined).length, 5)

      // So is what a closed scope had, while the Effect scope of the registration is still open.
      const left: Array<WeakRef<object>> = []
      for (let i = 0; i < 100; i++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const brief = yield* PromptScope.make("brief")
            const text = () => ""
            left.push(new WeakRef(text))
            yield* prompt
              .section({ name: "s", order: 1, text })
              .pipe(PromptScope.provide(brief.scope), Scope.provide(open))
          })
        )
      }
      yield* collect
      assert.isAtMost(left.filter((ref) => ref.deref() !== undefined).length, 5)
    })
  )
})

// -----------------------------------------------------------------------------
// interruption
// -----------------------------------------------------------------------------

describe("[328] [BC-058] cancelling while a provider or listener hangs", () => {
  const hangs = ["variable", "tools", "section", "context", "edit", "around"] as const
  type Hangs = (typeof hangs)[number]

  /** Registers a contribution that never gives its value, and tells when it began and when its finaliser ran. */
  const hanging = (kind: Hangs) =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const started = yield* Deferred.make<void>()
      let released = false
      const never = Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.ensuring(Effect.sync(() => (released = true)))
      )
      const registrations: Record<Hangs, Effect.Effect<void, RegistrationError, Scope.Scope>> = {
        variable: prompt.variable("v", never),
        tools: prompt.tools(never),
        section: prompt.section({ name: "s", order: 1, text: never }),
        context: prompt.context({ name: "c", order: 1, text: () => never }),
        edit: prompt.listener({ name: "l", edit: () => never }),
        around: prompt.listener({ name: "l", around: (assembly, next) => Effect.andThen(next(assembly), never) })
      }
      return { started, released: () => released, register: registrations[kind] }
    })

  for (const kind of hangs) {
    test(
      `${kind}: it ends at once, runs its finaliser, and leaves a registry that works`,
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const overlays = yield* Overlays
        yield* prompt.variable("a", "works")
        const { started, released, register } = yield* hanging(kind)
        const close = yield* own(register)
        const plan = overlays.plan(PromptScope.global)
        const fiber = yield* Effect.forkChild(prompt.assemble)
        yield* Deferred.await(started)
        assert.isUndefined(fiber.pollUnsafe())
        assert.isFalse(released())
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
        assert.isTrue(released())
        assert.strictEqual(overlays.plan(PromptScope.global), plan)
        yield* close
        assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["a", "works"]])
      })
    )
  }

  test(
    "a time-out does it too, without any help from the provider",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { started, released, register } = yield* hanging("section")
      yield* register
      const fiber = yield* Effect.forkChild(Effect.timeout(prompt.assemble, "20 millis"))
      yield* Deferred.await(started)
      yield* TestClock.adjust("20 millis")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "TimeoutError")
      assert.isTrue(released())
    })
  )

  test(
    "cancelled before it began, it calls no provider",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const never = () => assert.fail("nobody asked for it")
      yield* prompt.variable("v", never)
      yield* prompt.section({ name: "s", order: 1, text: Effect.suspend((): Effect.Effect<string> => never()) })
      const fiber = yield* Effect.forkChild(prompt.assemble)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    })
  )

  test(
    "a host without Effect cancels by a signal",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { started, released, register } = yield* hanging("tools")
      const close = yield* own(register)
      const controller = new AbortController()
      const exit = Effect.runPromiseExit(prompt.assemble, { signal: controller.signal })
      yield* Deferred.await(started)
      controller.abort()
      assert.isTrue(Exit.hasInterrupts(yield* Effect.promise(() => exit)))
      assert.isTrue(released())
      yield* close
      assert.deepStrictEqual(view.tools(yield* prompt.assemble), [])
    })
  )
})
