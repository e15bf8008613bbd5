/**
 * A host that is not written with Effect: it speaks Promises, and uses the library through a `ManagedRuntime`. The first
 * part of this file is the recipe of the documentation.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, ManagedRuntime, Option, Result, Scope, Stream } from "effect"
import { Annotations, Plugin, PromptError, PromptScope, Section, SystemPrompt } from "../src/index.ts"

// -----------------------------------------------------------------------------
// the recipe
// -----------------------------------------------------------------------------

/** Registered at the start, for all agents. A Promise becomes an Effect, so that a rejection is typed and names its section. */
const pluginsOf = (readFile: (path: string) => Promise<string>) =>
  Layer.mergeAll(
    Plugin.variable("model", "deepseek-chat"),
    Plugin.section({ name: "model", order: 10, text: "You run on {{model}}.", plugin: "host" }),
    Plugin.section({
      name: "instructions",
      order: Section.orders.FILE_REFERENCE,
      text: () => Effect.tryPromise({ try: () => readFile("AGENTS.md"), catch: (error) => error }),
      plugin: "host"
    })
  )

/** The one runtime of the process. Its layer is built by the first use, or here, to hear of mistakes at once. */
const startHost = async (readFile: (path: string) => Promise<string>) => {
  const app = Layer.provideMerge(
    pluginsOf(readFile),
    SystemPrompt.layerWith({ persona: { prefix: "You are a careful assistant." } })
  )
  const runtime = ManagedRuntime.make(app)
  await runtime.context()

  /** An agent is a prompt scope with its plugin in it, as long as an Effect scope lives. Closing that unmounts the plugin. */
  const startAgent = async (label: string, plugin: Plugin.Plugin, parent?: PromptScope.PromptScope) => {
    const life = await runtime.runPromise(Scope.make())
    const scope = await runtime.runPromise(
      PromptScope.make(label, { parent }).pipe(
        Effect.map((owned) => owned.scope),
        Effect.tap((scope) => Layer.build(Plugin.mount(scope)(plugin))),
        Scope.provide(life),
        Effect.onError((cause) => Scope.close(life, Exit.failCause(cause)))
      )
    )
    return {
      scope,
      runPromise: <A, E>(effect: Effect.Effect<A, E, SystemPrompt>) =>
        runtime.runPromise(PromptScope.provide(scope)(effect)),
      runPromiseExit: <A, E>(effect: Effect.Effect<A, E, SystemPrompt>) =>
        runtime.runPromiseExit(PromptScope.provide(scope)(effect)),
      dispose: () => runtime.runPromise(Scope.close(life, Exit.void))
    }
  }

  return { app, runtime, startAgent }
}

const render = SystemPrompt.use((prompt) => prompt.render)

// -----------------------------------------------------------------------------
// what it does
// -----------------------------------------------------------------------------

const readFile = async (path: string): Promise<string> => `Instructions of ${path}.`

const reviewer = Plugin.persona({ prefix: "You review.", plugin: "reviewer" })

const common = "You run on deepseek-chat.\n\nInstructions of AGENTS.md."

/** What a Promise rejects with. */
const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

describe("a host without Effect", () => {
  it("registers at the start, and renders", async () => {
    const { runtime } = await startHost(readFile)
    const { text, sections } = await runtime.runPromise(render)
    assert.strictEqual(text, `You are a careful assistant.\n\n${common}`)
    assert.deepStrictEqual(
      sections.map(({ name, source }) => [name, source.origin.plugin]),
      [
        ["deployment:persona-prefix", undefined],
        ["model", "host"],
        ["instructions", "host"]
      ]
    )
    assert.strictEqual(
      await runtime.runPromise(render),
      await runtime.runPromise(render),
      "the same while nothing changes"
    )
    await runtime.dispose()
  })

  it("mounts a plugin for the life of an agent, and unmounts it, as often as it likes", async () => {
    const { runtime, startAgent } = await startHost(readFile)
    for (let i = 0; i < 3; i++) {
      const [one, two] = [await startAgent("agent", reviewer), await startAgent("agent", reviewer)]
      for (const agent of [one, two]) {
        assert.strictEqual((await agent.runPromise(render)).text, `You review.\n\n${common}`)
      }
      assert.strictEqual((await runtime.runPromise(render)).text, `You are a careful assistant.\n\n${common}`)
      const { scope } = one
      await one.dispose()
      assert.isTrue(scope.closed)
      const afterwards = await runtime.runPromise(PromptScope.provide(scope)(render))
      assert.strictEqual(afterwards.text, `You are a careful assistant.\n\n${common}`)
      assert.strictEqual((await two.runPromise(render)).text, `You review.\n\n${common}`, "the other one lives on")
      await two.dispose()
    }
    await runtime.dispose()
  })

  it("starts an agent under another one", async () => {
    const { runtime, startAgent } = await startHost(readFile)
    const task = Plugin.section({ name: "task", order: 9000, text: "Review this file." })
    const parent = await startAgent("parent", reviewer)
    const child = await startAgent("child", task, parent.scope)
    assert.strictEqual((await parent.runPromise(render)).text, `You review.\n\n${common}`)
    assert.strictEqual((await child.runPromise(render)).text, `You review.\n\n${common}\n\nReview this file.`)
    await parent.dispose()
    const orphaned = `You are a careful assistant.\n\n${common}\n\nReview this file.`
    assert.strictEqual((await child.runPromise(render)).text, orphaned, "it lives on, and no longer sees its parent")
    await child.dispose()
    await runtime.dispose()
  })

  it("registers one thing by hand, in an Effect scope that it closes", async () => {
    const { runtime } = await startHost(readFile)
    const life = await runtime.runPromise(Scope.make())
    await runtime.runPromise(
      SystemPrompt.use((prompt) => prompt.section({ name: "hint", order: 9000, text: "A hint." })).pipe(
        Scope.provide(life)
      )
    )
    assert.include((await runtime.runPromise(render)).text, "A hint.")
    await runtime.runPromise(Scope.close(life, Exit.void))
    assert.notInclude((await runtime.runPromise(render)).text, "A hint.")
    await runtime.runPromise(Scope.close(life, Exit.void))
    await runtime.dispose()
  })

  it("renders with a scope and with annotations that it is given for one call", async () => {
    const User = Context.Reference<string>("host/User", { defaultValue: () => "nobody" })
    const { runtime, startAgent } = await startHost(readFile)
    const greeting = Plugin.section({
      name: "user",
      order: 20,
      text: ({ annotations }) => `You work for ${Context.get(annotations, User)}.`
    })
    const agent = await startAgent("agent", greeting)
    const { scope } = agent
    const promptFor = async (user: string) => {
      const rendered = await runtime.runPromise(
        render.pipe(PromptScope.provide(scope), Effect.provideService(Annotations, Context.make(User, user)))
      )
      return rendered.sections.find(({ name }) => name === "user")?.text
    }
    assert.deepStrictEqual(await Promise.all(["ada", "bob"].map(promptFor)), ["You work for ada.", "You work for bob."])
    await agent.dispose()
    await runtime.dispose()
  })

  it("watches changes by a callback", async () => {
    const { runtime, startAgent } = await startHost(readFile)
    const revisions: Array<number> = []
    let onRevision = () => {}
    const stop = runtime.runCallback(
      SystemPrompt.use(({ changes }) =>
        Stream.runForEach(changes, (revision) =>
          Effect.sync(() => {
            revisions.push(revision)
            onRevision()
          })
        )
      )
    )
    assert.strictEqual(revisions.length, 1, "the current one")
    const changed = new Promise<void>((resolve) => (onRevision = resolve))
    const agent = await startAgent("agent", reviewer)
    await changed
    assert.isAbove(revisions[1] ?? 0, revisions[0] ?? 0)
    stop()
    await agent.dispose()
    await runtime.dispose()
  })
})

describe("a host without Effect gets typed errors", () => {
  const gone = new Error("ENOENT: AGENTS.md")
  const failing = () => Promise.reject(gone)

  it("as what a Promise rejects with", async () => {
    const { runtime } = await startHost(failing)
    const error = await rejection(runtime.runPromise(render))
    assert.instanceOf(error, PromptError.ProviderFailure)
    assert.deepInclude(error, { kind: "section", entry: "instructions", scope: "global", plugin: "host" })
    assert.strictEqual(error.cause, gone)
    assert.include(error.message, "ENOENT")
    await runtime.dispose()
  })

  it("as an Exit, or as a Result, without a catch", async () => {
    const { runtime, startAgent } = await startHost(readFile)
    const agent = await startAgent("agent", Plugin.section({ name: "a", order: 0, text: "{{modle}}", plugin: "p" }))
    const exit = await agent.runPromiseExit(render)
    const error = Option.getOrThrow(Option.flatMap(Exit.getCause(exit), Cause.findErrorOption))
    assert.deepInclude(error, { _tag: "UnknownVariable", entry: "a", scope: "agent", plugin: "p", nearest: "model" })
    const result = await agent.runPromise(Effect.result(render))
    assert.deepStrictEqual(Result.isFailure(result) ? result.failure : undefined, error)
    await agent.dispose()
    await runtime.dispose()
  })

  it("or goes on with something else", async () => {
    const { runtime } = await startHost(failing)
    const text = await runtime.runPromise(
      render.pipe(
        Effect.map((rendered) => rendered.text),
        Effect.catchTag("ProviderFailure", (error) => Effect.succeed(`Without ${error.entry} of ${error.plugin}.`))
      )
    )
    assert.strictEqual(text, "Without instructions of host.")
    await runtime.dispose()
  })

  it("when it starts, and when an agent does, of which nothing stays", async () => {
    const mistaken = ManagedRuntime.make(SystemPrompt.layerWith({ toolOrder: ["bash"] }))
    const refused = await rejection(mistaken.context())
    assert.instanceOf(refused, PromptError.InvalidToolOrder)
    await mistaken.dispose()

    const { app, runtime, startAgent } = await startHost(readFile)
    const before = await runtime.runPromise(render)
    const twice = Layer.mergeAll(
      Plugin.section({ name: "a", order: 0, text: "A", plugin: "first" }),
      Plugin.section({ name: "a", order: 0, text: "B", plugin: "second" })
    )
    const error = await rejection(startAgent("agent", twice))
    assert.instanceOf(error, PromptError.DuplicateRegistration)
    assert.deepInclude(error, { kind: "section", entry: "a", scope: "agent" })
    assert.sameMembers([error.plugin, error.existingPlugin], ["first", "second"])
    const globally = ManagedRuntime.make(Layer.provide(reviewer, app), { memoMap: runtime.memoMap })
    assert.instanceOf(await rejection(globally.context()), PromptError.DuplicateRegistration)
    await globally.dispose()
    assert.strictEqual(await runtime.runPromise(render), before)
    await runtime.dispose()
  })

  it("and can give up, by a signal", async () => {
    const { runtime } = await startHost(() => new Promise(() => {}))
    const controller = new AbortController()
    const exit = runtime.runPromiseExit(render, { signal: controller.signal })
    controller.abort()
    const ended = await exit
    assert.isTrue(Exit.isFailure(ended) && Cause.hasInterruptsOnly(ended.cause))
    await runtime.dispose()
  })

  it("after it has disposed of the runtime: no prompt is made any more", async () => {
    const { runtime } = await startHost(readFile)
    const prompt = await runtime.runPromise(SystemPrompt)
    await runtime.dispose()
    const error = await rejection(runtime.runPromise(render))
    assert.include(String(error), "disposed")
    // Who still holds the service sees that everything has gone.
    assert.deepStrictEqual((await Effect.runPromise(prompt.assemble)).sections, [])
  })
})
