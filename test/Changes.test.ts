import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Scheduler, Scope, Stream } from "effect"
import { Overlays, PromptScope, SystemPrompt } from "../src/index.ts"
import { kinds, named } from "./support/kinds.ts"
import { layer, own } from "./support/registry.ts"
import * as view from "./support/view.ts"

const test = <E>(name: string, self: Effect.Effect<void, E, SystemPrompt | Overlays | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(self, layer))

const revision = SystemPrompt.use(({ changes }) => Effect.map(Stream.runHead(changes), Option.getOrThrow))

/** Lets all that is due happen: microtasks, then fibres that wait for their turn. */
const settled = Effect.repeat(Effect.yieldNow, { times: 3 })

/** Subscribes, and gives what has arrived, which may be emptied. */
const watch = Effect.gen(function* () {
  const { changes } = yield* SystemPrompt
  const seen: Array<number> = []
  yield* Effect.forkScoped(Stream.runForEach(changes, (one) => Effect.sync(() => seen.push(one))))
  yield* settled
  return seen
})

/** How many deliveries an effect causes once it has ended, and by how much the revision grew. */
const deliveries = <A, E, R>(seen: Array<number>, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* settled
    const before = yield* revision
    seen.length = 0
    yield* effect
    yield* settled
    const grown = (yield* revision) - before
    if (seen.length > 0) assert.strictEqual(seen.at(-1), before + grown, "the newest revision arrives")
    return [seen.length, grown]
  })

describe("what counts as a change", () => {
  test(
    "[22] [31] each registration of each kind is one change, and its removal one; what arrives is a growing number",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const seen = yield* watch
      assert.strictEqual(seen.length, 1, "the current revision comes first")
      for (const { kind, register } of kinds) {
        const scope = yield* Scope.make()
        assert.deepStrictEqual(yield* deliveries(seen, Scope.provide(register(prompt), scope)), [1, 1], kind)
        assert.deepStrictEqual(yield* deliveries(seen, Scope.close(scope, Exit.void)), [1, 1], kind)
        assert.deepStrictEqual(yield* deliveries(seen, Scope.close(scope, Exit.void)), [0, 0], `${kind}, closed again`)
      }
    })
  )

  test(
    "[20] a scope with two registrations that closes is announced once, by a revision that counts both and the scope",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const seen = yield* watch
      const scope = yield* Scope.make()
      const owned = yield* Scope.provide(PromptScope.make("S"), scope)
      yield* Effect.forEach(named.slice(0, 2), ({ register }) => register(prompt)).pipe(
        PromptScope.provide(owned.scope),
        Scope.provide(scope)
      )
      assert.deepStrictEqual(yield* deliveries(seen, Scope.close(scope, Exit.void)), [1, 3])
    })
  )

  test(
    "[23] a failed registration is none, whatever it fails with",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const dead = yield* Scope.make()
      const { scope: closed } = yield* Scope.provide(PromptScope.make("closed"), dead)
      yield* Scope.close(dead, Exit.void)
      for (const { register } of named) yield* register(prompt)
      const seen = yield* watch
      for (const failing of [
        ...named.map(({ register }) => register(prompt)),
        ...kinds.map(({ register }) => PromptScope.provide(closed)(register(prompt))),
        prompt.section({ name: "x", order: Number.NaN, text: "" }),
        prompt.context({ name: "x", order: Number.POSITIVE_INFINITY, text: "" }),
        prompt.variable("X", ""),
        prompt.section({ name: "", order: 0, text: "" }),
        prompt.persona({ prefix: "a second global persona" })
      ]) {
        assert.deepStrictEqual(yield* deliveries(seen, Effect.flip(failing)), [0, 0])
      }
    })
  )

  test(
    "a persona comes as one change and goes as one; refused in its second half, it never was",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      const seen = yield* watch
      const persona = prompt.persona({ prefix: "P", suffix: "S", includeRuntimeContext: false })
      const effectScope = yield* Scope.make()
      const mount = persona.pipe(PromptScope.provide(scope), Scope.provide(effectScope))
      assert.deepStrictEqual(yield* deliveries(seen, mount), [1, 1])
      assert.deepStrictEqual(yield* deliveries(seen, Scope.close(effectScope, Exit.void)), [1, 1])
      const suffix = { name: "deployment:persona-suffix", order: 1, text: "taken" }
      yield* PromptScope.provide(scope)(prompt.section(suffix))
      const overlays = yield* Overlays
      const plan = overlays.plan(scope)
      const failing = Effect.flip(PromptScope.provide(scope)(persona))
      assert.deepStrictEqual(yield* deliveries(seen, failing), [0, 0])
      assert.deepInclude(yield* failing, { _tag: "DuplicateRegistration", entry: suffix.name })
      assert.strictEqual(overlays.size(scope), 1)
      assert.strictEqual(overlays.plan(scope), plan)
    })
  )

  test(
    "no other fibre ever sees half a persona, however often fibres take turns",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope } = yield* PromptScope.make("S")
      const assemble = PromptScope.provide(scope)(prompt.assemble)
      const persona = PromptScope.provide(scope)(
        prompt.persona({ prefix: "P", suffix: "S", includeRuntimeContext: false })
      )
      const seen = new Set<string>()
      const coming = yield* Effect.forkChild(Effect.repeat(Effect.scoped(persona), { times: 50 }))
      while (coming.pollUnsafe() === undefined) {
        const assembly = yield* assemble
        seen.add(`${view.sections(assembly).map(([, text]) => text)} ${assembly.suppressed}`)
        yield* Effect.yieldNow
      }
      assert.sameMembers([...seen], [" false", "P,S true"])
    }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 4))
  )

  test(
    "moving and closing a scope count, for every registry and also for an empty scope; a refused move does not",
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { scope: parent } = yield* PromptScope.make("P")
      const { scope: child, rebind } = yield* Scope.provide(PromptScope.make("C"), scope)
      const seen = yield* watch
      assert.deepStrictEqual(yield* deliveries(seen, rebind(parent)), [1, 1])
      assert.deepStrictEqual(yield* deliveries(seen, Effect.flip(rebind(child))), [0, 0])
      assert.deepStrictEqual(yield* deliveries(seen, Scope.close(scope, Exit.void)), [1, 1])
      assert.deepStrictEqual(yield* deliveries(seen, Effect.flip(rebind(parent))), [0, 0])
    })
  )

  test(
    "[29] a change of any scope reaches every subscriber, in whatever scope it subscribed",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: one } = yield* PromptScope.make("one")
      const { scope: other } = yield* PromptScope.make("other")
      const watchers = yield* Effect.forEach([PromptScope.global, one, other], (scope) =>
        PromptScope.provide(scope)(watch)
      )
      yield* prompt.variable("v", "").pipe(PromptScope.provide(one))
      yield* settled
      const now = yield* revision
      for (const seen of watchers) assert.deepStrictEqual(seen, [now - 1, now])
    })
  )

  test(
    "assembling, rendering and reading are no changes",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const { scope } = yield* PromptScope.make("S")
      const seen = yield* watch
      const reading = PromptScope.provide(scope)(Effect.andThen(prompt.assemble, prompt.render))
      assert.deepStrictEqual(yield* deliveries(seen, reading), [0, 0])
      assert.deepStrictEqual(
        yield* deliveries(
          seen,
          Effect.sync(() => overlays.size(scope))
        ),
        [0, 0]
      )
    })
  )
})

describe("what arrives", () => {
  test(
    "the current revision first, then the newest one of what changed in one go: 1000 changes are few deliveries",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const seen = yield* watch
      const start = yield* revision
      const all = Effect.forEach(Array.from({ length: 1000 }), (_, i) => prompt.variable(`v${i}`, ""), {
        discard: true
      })
      const [arrived, grown] = yield* deliveries(seen, all)
      assert.strictEqual(grown, 1000)
      assert.isBelow(arrived!, 100)
      assert.deepStrictEqual(
        seen,
        seen.toSorted((a, b) => a - b)
      )
      assert.strictEqual(seen.at(-1), start + 1000)
      assert.deepStrictEqual(yield* watch, [start + 1000], "a later subscriber sees the newest one alone")
    })
  )

  test(
    "changes made without a turn in between arrive as one, and no revision arrives twice",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const seen = yield* watch
      const all = Effect.forEach(kinds, ({ register }) => register(prompt))
      const inOneGo = Effect.provideService(all, Scheduler.PreventSchedulerYield, true)
      assert.deepStrictEqual(yield* deliveries(seen, inOneGo), [1, kinds.length])
      yield* prompt.variable("a", "")
      yield* Effect.andThen(settled, watch)
      assert.strictEqual(new Set(seen).size, seen.length)
    })
  )

  test(
    "a change between subscribing and the first delivery is not lost",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { changes } = prompt
      const start = yield* revision
      const seen: Array<number> = []
      const done = yield* Deferred.make<void>()
      // The first delivery itself registers: the subscription was there before.
      yield* Effect.forkScoped(
        Stream.runForEach(changes, (one) =>
          Effect.gen(function* () {
            seen.push(one)
            if (seen.length === 1) yield* prompt.variable("v", "")
            else yield* Deferred.succeed(done, undefined)
          })
        )
      )
      yield* Deferred.await(done)
      assert.deepStrictEqual(seen, [start, start + 1])
    })
  )

  it.effect("the stream ends with its registry", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const services = yield* Scope.provide(Layer.build(layer), scope)
      const fiber = yield* Effect.forkChild(
        SystemPrompt.use(({ changes }) => Stream.runDrain(changes)).pipe(Effect.provideContext(services))
      )
      yield* settled
      assert.isUndefined(fiber.pollUnsafe())
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(fiber)))
    })
  )
})

describe("what a subscriber costs a registration", () => {
  test(
    "a waiting subscriber never runs on the registrar's stack, and sees the registry as it is when all is done",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const seen = yield* watch
      let registering = false
      let inside = 0
      const sizes: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(prompt.changes, () =>
          Effect.sync(() => {
            if (registering) inside++
            sizes.push(overlays.size(PromptScope.global))
          })
        )
      )
      yield* settled
      const before = overlays.size(PromptScope.global)
      sizes.length = 0
      for (let i = 0; i < 100; i++) {
        // One synchronous step: whoever runs meanwhile runs on this stack.
        yield* Effect.gen(function* () {
          registering = true
          yield* prompt.variable(`a${i}`, "")
          yield* prompt.variable(`b${i}`, "")
          registering = false
        }).pipe(Effect.provideService(Scheduler.PreventSchedulerYield, true))
        yield* Effect.yieldNow
      }
      yield* settled
      assert.strictEqual(inside, 0)
      assert.deepStrictEqual(
        sizes,
        Array.from({ length: 100 }, (_, i) => before + 2 * (i + 1)),
        "woken once for each step, after it"
      )
      assert.isAtLeast(seen.length, 100)
    })
  )

  test(
    "a slow subscriber holds up nothing, and is told the newest revision once it comes back",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const gate = yield* Deferred.make<void>()
      const seen: Array<number> = []
      yield* Effect.forkScoped(
        Stream.runForEach(prompt.changes, (one) => {
          seen.push(one)
          return Deferred.await(gate)
        })
      )
      yield* settled
      const start = yield* revision
      assert.deepStrictEqual(seen, [start])
      for (let i = 0; i < 200; i++) {
        yield* prompt.variable(`v${i}`, "")
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(seen, [start])
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      assert.deepStrictEqual(seen, [start, start + 200])
    })
  )

  test(
    "registering costs the same number of microtasks with no, one waiting, and one slow subscriber",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const queue = globalThis.queueMicrotask
      let queued = 0
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          globalThis.queueMicrotask = (task) => {
            queued++
            queue(task)
          }
        }),
        () => Effect.sync(() => (globalThis.queueMicrotask = queue))
      )
      const round = (letter: string) =>
        Effect.gen(function* () {
          yield* settled
          queued = 0
          yield* Effect.forEach(Array.from({ length: 50 }), (_, i) => prompt.variable(`${letter}${i}`, "")).pipe(
            Effect.provideService(Scheduler.PreventSchedulerYield, true)
          )
          return queued
        })
      assert.strictEqual(yield* round("a"), 1)
      yield* watch
      assert.strictEqual(yield* round("b"), 1)
      yield* Effect.forkScoped(Stream.runForEach(prompt.changes, () => Effect.never))
      assert.strictEqual(yield* round("c"), 1)
    })
  )

  test(
    "[24, 25, 26, 27, 30] [BC-055] a subscriber that fails, dies or throws fails no registration of any kind",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const size = overlays.size(PromptScope.global)
      const seen = yield* watch
      const watcher = (end: Effect.Effect<void, string>) =>
        Effect.forkScoped(Stream.runForEach(Stream.drop(prompt.changes, 1), () => end))
      const ends: ReadonlyArray<Effect.Effect<void, string>> = [
        Effect.fail("no"),
        Effect.die("no"),
        Effect.suspend(() => {
          throw new Error("no")
        })
      ]
      for (const { kind, register } of kinds) {
        // Each kind meets watchers that have not failed yet.
        const fibers = yield* Effect.forEach(ends, (end) => watcher(end))
        yield* settled
        assert.deepStrictEqual(yield* deliveries(seen, register(prompt)), [1, 1], kind)
        for (const fiber of fibers) assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)), kind)
      }
      assert.strictEqual(overlays.size(PromptScope.global), size + kinds.length)
      for (const { register } of named) {
        assert.strictEqual((yield* Effect.flip(register(prompt)))._tag, "DuplicateRegistration")
      }
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(assembly), [["s", "section"]])
      assert.deepStrictEqual(view.variables(assembly), [["v", "value"]])
      assert.deepStrictEqual(view.tools(assembly), ["read"])
      assert.isTrue(assembly.suppressed)
    })
  )

  test(
    "[30] the name of a registration that was refused is free",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const odd = { name: "n", order: Number.NaN, text: "" }
      yield* Effect.flip(prompt.section(odd))
      yield* Effect.flip(prompt.context(odd))
      yield* Effect.flip(prompt.listener({ name: "n", order: Number.NaN, edit: (assembly) => assembly }))
      yield* prompt.section({ ...odd, order: 0, text: "section" })
      yield* prompt.context({ ...odd, order: 0, text: "context" })
      yield* prompt.listener({ name: "n", edit: (assembly) => assembly })
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(view.sections(assembly), [["n", "section"]])
      assert.deepStrictEqual(view.contexts(assembly), [["n", "context"]])
    })
  )

  test(
    "[28] nor a removal of any kind: the entry is gone, once, and its name free",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const size = overlays.size(PromptScope.global)
      const seen = yield* watch
      for (const { kind, register } of kinds) {
        const close = yield* own(register(prompt))
        yield* settled
        const fiber = yield* Effect.forkScoped(
          Stream.runForEach(Stream.drop(prompt.changes, 1), () => Effect.die("no"))
        )
        yield* settled
        assert.deepStrictEqual(yield* deliveries(seen, close), [1, 1], kind)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)), kind)
        assert.strictEqual(overlays.size(PromptScope.global), size, kind)
        assert.deepStrictEqual(yield* deliveries(seen, close), [0, 0], `${kind}, closed again`)
      }
      for (const { register } of named) yield* register(prompt)
      assert.deepStrictEqual(view.variables(yield* prompt.assemble), [["v", "value"]])
    })
  )

  test(
    "subscribers that leave are forgotten: after a thousand of them a change is delivered to who is there",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (let i = 0; i < 1000; i++) yield* Stream.runHead(prompt.changes)
      const seen = yield* watch
      assert.deepStrictEqual(yield* deliveries(seen, prompt.variable("v", "")), [1, 1])
    })
  )
})
