/** What consumers test their own code with: a prompt service with known contents, a recording, a failing provider. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer } from "effect"
import { Annotations, Assembly, Plugin, PromptScope, SystemPrompt } from "effect-preamble"
import { FailingProvider, Recording } from "effect-preamble/testing"

const render = SystemPrompt.use((prompt) => prompt.render)
const assemble = SystemPrompt.use((prompt) => prompt.assemble)

describe("SystemPrompt.layerTest", () => {
  it.effect("has nothing in it but what it is given", () =>
    Effect.gen(function* () {
      const assembly = yield* assemble
      assert.deepStrictEqual(assembly.sections, [])
      assert.deepStrictEqual(assembly.contexts, [])
      assert.deepStrictEqual(assembly.tools, [])
      assert.deepStrictEqual(assembly.variables, [])
      assert.strictEqual((yield* render).text, "")
    }).pipe(Effect.provide(SystemPrompt.layerTest()))
  )

  it.effect("is the real service with these contributions, globally", () =>
    Effect.gen(function* () {
      const { text, snapshot } = yield* render
      assert.strictEqual(text, "You run on m.")
      assert.match(snapshot, /\n\n\{\{as it is\}\}$/u)
      const assembly = yield* assemble
      assert.deepStrictEqual(
        assembly.tools.map((tool) => tool.schema.name),
        ["read", "bash"]
      )
      assert.deepStrictEqual(
        assembly.variables.map(({ name, value }) => [name, value]),
        [
          ["model", "m"],
          ["ticket", undefined]
        ]
      )
      assert.deepStrictEqual(
        assembly.sections.map((section) => section.origin.scope),
        ["global"]
      )
      // Also where it is built for an agent, and for whoever registers more.
      yield* SystemPrompt.use((prompt) => prompt.persona({ prefix: "Mine." }))
      assert.strictEqual((yield* render).text, "Mine.\n\nYou run on m.")
    }).pipe(
      Effect.provide(
        SystemPrompt.layerTest({
          sections: [{ name: "model", order: 1, text: "You run on {{model}}." }],
          contexts: [{ name: "c", order: 1, text: "{{as it is}}", interpolate: false }],
          variables: { model: "m", ticket: undefined },
          tools: [
            { name: "bash", description: "", parameters: {} },
            { name: "read", description: "", parameters: {} }
          ],
          toolOrder: ["read", "<unlisted-tools>"]
        })
      )
    )
  )

  it.effect("registers globally wherever it is built, and each layer in a registry of its own", () =>
    Effect.gen(function* () {
      const layer = SystemPrompt.layerTest({ sections: [{ name: "a", order: 1, text: "x" }] })
      const { scope } = yield* PromptScope.make("agent")
      const first = yield* Layer.build(Layer.fresh(layer)).pipe(PromptScope.provide(scope))
      const second = yield* Layer.build(Layer.fresh(layer))
      yield* Context.get(first, SystemPrompt).section({ name: "b", order: 2, text: "y" })
      assert.strictEqual((yield* Context.get(first, SystemPrompt).render).text, "x\n\ny")
      assert.strictEqual((yield* Context.get(second, SystemPrompt).render).text, "x")
    })
  )

  const wrong: ReadonlyArray<
    readonly [what: string, options: Parameters<typeof SystemPrompt.layerTest>[0], says: RegExp]
  > = [
    ["an empty name", { sections: [{ name: "", order: 1, text: "" }] }, /section "" .* has an invalid name/u],
    ["a name of a variable", { variables: { Model: "m" } }, /variable "Model" .* has an invalid name/u],
    ["a repeated tool order", { toolOrder: ["a", "a"] }, /invalid toolOrder/u],
    [
      "two of one name",
      {
        contexts: [
          { name: "c", order: 1, text: "" },
          { name: "c", order: 2, text: "" }
        ]
      },
      /context "c" of scope "global" is already registered/u
    ]
  ]
  for (const [what, options, says] of wrong) {
    it.effect(`dies of ${what}, and says so`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(SystemPrompt.layerTest(options))))
        if (Exit.isSuccess(exit)) return assert.fail("it was built")
        assert.isTrue(Cause.hasDies(exit.cause))
        assert.match(String(Cause.squash(exit.cause)), says)
      })
    )
  }
})

describe("Recording", () => {
  const Mode = Context.Reference<string>("test/Mode", { defaultValue: () => "write" })

  it.effect("writes down what it saw, and changes nothing", () => {
    const recording = Recording.make()
    const adding = Plugin.listener({
      name: "add",
      order: -1e9,
      edit: Assembly.addSection({ name: "b", order: 2, text: "y" })
    })
    return Effect.gen(function* () {
      const before = recording.entries
      const { scope } = yield* PromptScope.make("agent")
      const assembly = yield* assemble.pipe(
        PromptScope.provide(scope),
        Effect.provideService(Annotations, Context.make(Mode, "read"))
      )
      assert.deepStrictEqual(before, [])
      const [entry, ...others] = recording.entries
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(
        entry?.assembly.sections.map((section) => section.name),
        ["a"]
      )
      assert.deepStrictEqual(entry?.result, Exit.succeed(assembly))
      assert.deepStrictEqual(
        assembly.sections.map((section) => [section.name, section.origin.listener?.name]),
        [
          ["a", undefined],
          ["b", "add"]
        ]
      )
      assert.strictEqual(entry?.context.scope, scope)
      assert.strictEqual(entry && Context.get(entry.context.annotations, Mode), "read")
      recording.clear()
      assert.deepStrictEqual(recording.entries, [])
      yield* render
      assert.lengthOf(recording.entries, 1)
    }).pipe(
      Effect.provide(
        Layer.merge(recording.plugin, adding).pipe(
          Layer.provideMerge(SystemPrompt.layerTest({ sections: [{ name: "a", order: 1, text: "x" }] }))
        )
      )
    )
  })

  it.effect("writes down a failure of the rest, and lets it through; as inner one it sees less", () => {
    const outer = Recording.make()
    const inner = Recording.make({ name: "inner", order: 5 })
    const failing = Plugin.listener({ name: "fails", edit: () => Effect.fail("no") })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(assemble)
      assert.strictEqual(error._tag, "ListenerFailure")
      assert.deepStrictEqual<ReadonlyArray<Exit.Exit<unknown, unknown>>>(
        outer.entries.map((entry) => entry.result),
        [Exit.fail(error)]
      )
      assert.deepStrictEqual(inner.entries, [])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(outer.plugin, inner.plugin, failing).pipe(Layer.provideMerge(SystemPrompt.layerTest()))
      )
    )
  })
})

describe("FailingProvider", () => {
  const registered = (text: Effect.Effect<string, FailingProvider.ProviderFault>) =>
    Plugin.section({ name: "s", order: 1, text }).pipe(Layer.provideMerge(SystemPrompt.layerTest()))

  it.effect("fails in the calls it is told to, and counts", () => {
    const failing = FailingProvider.make("x", { fault: "fails", calls: [2] })
    return Effect.gen(function* () {
      assert.strictEqual((yield* render).text, "x")
      const error = yield* Effect.flip(render)
      assert.strictEqual(
        error.message,
        'section "s" of scope "global" failed: call 2 of this provider was made to go wrong by the test. Correct the provider, or let it handle its failure.'
      )
      assert.strictEqual((yield* render).text, "x")
      assert.deepStrictEqual(failing.counts, { started: 3, succeeded: 2, failed: 1, died: 0, interrupted: 0 })
    }).pipe(Effect.provide(registered(failing.provider)))
  })

  it("refuses what cannot happen", () => {
    const fault: string = "explodes"
    assert.throws(
      () => FailingProvider.make("x", { fault: fault as never }),
      TypeError,
      'fault is "explodes", and must be one of fails, dies, hangs, interrupts'
    )
    for (const call of [0, -1, 1.5, Number.NaN]) {
      assert.throws(
        () => FailingProvider.make("x", { fault: "fails", calls: [1, call] }),
        TypeError,
        `calls has ${call}; calls are counted from 1, so that each must be a whole number greater than 0`
      )
    }
  })

  it.effect("dies in every call, unless it is told which", () => {
    const failing = FailingProvider.make("x", { fault: "dies" })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(render)
      assert.match(error.message, /^section "s" of scope "global" died: call 1/u)
      yield* Effect.flip(render)
      assert.deepStrictEqual(failing.counts, { started: 2, succeeded: 0, failed: 0, died: 2, interrupted: 0 })
    }).pipe(Effect.provide(registered(failing.provider)))
  })

  it.effect("hangs until its caller gives up", () => {
    const failing = FailingProvider.make("x", { fault: "hangs" })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(render, { startImmediately: true })
      yield* Effect.yieldNow
      assert.deepStrictEqual(failing.counts, { started: 1, succeeded: 0, failed: 0, died: 0, interrupted: 0 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(failing.counts, { started: 1, succeeded: 0, failed: 0, died: 0, interrupted: 1 })
    }).pipe(Effect.provide(registered(failing.provider)))
  })

  it.effect("interrupts from within", () => {
    const failing = FailingProvider.make("x", { fault: "interrupts", calls: [1] })
    return Effect.gen(function* () {
      const exit = yield* Effect.exit(render)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.strictEqual((yield* render).text, "x")
      assert.deepStrictEqual(failing.counts, { started: 2, succeeded: 1, failed: 0, died: 0, interrupted: 1 })
    }).pipe(Effect.provide(registered(failing.provider)))
  })
})
