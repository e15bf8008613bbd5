/**
 * Deviations that no random program meets, because they are about what happens during an assembly, about wrong types, or
 * about the peer's configuration: each shown on the peer, and what is done here instead.
 */
import { Context } from "@deepseek-ai/cordis"
import { type PromptAssembly, renderPrompt, SystemPrompt as PeerPrompt } from "@deepseek-ai/dsh-system-prompt"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Result, Scope, Stream } from "effect"
import { SystemPrompt } from "../../src/index.ts"
import { untyped } from "../support/untyped.ts"
import { boot, type Peer } from "./boot.ts"
import type { deviations } from "./deviations.ts"

type Directed = {
  [Name in keyof typeof deviations]: (typeof deviations)[Name]["shown"] extends "directed" ? Name : never
}[keyof typeof deviations]

interface Both {
  readonly peer: Peer["ctx"]
  readonly ours: SystemPrompt["Service"]
}

const assembled = (ctx: Both["peer"]) => Effect.promise(() => ctx.systemPrompt.assemble())

const text = (assembly: PromptAssembly) => renderPrompt(assembly)

const section = { name: "s", order: 1, text: "{{v}}" }

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure._tag : "none"))

const tests: Record<Directed, (both: Both) => Effect.Effect<void, unknown, Scope.Scope>> = {
  "one snapshot": ({ peer, ours }) =>
    Effect.gen(function* () {
      peer.systemPrompt.variable("a", () => {
        peer.systemPrompt.variable("v", () => "late")
        return ""
      })
      peer.systemPrompt.section(section)
      assert.strictEqual(text(yield* assembled(peer)), "late")

      const scope = yield* Effect.scope
      const late = Effect.orDie(Scope.provide(ours.variable("v", "late"), scope))
      const once = yield* Effect.cached(late)
      yield* ours.variable("a", Effect.as(once, ""))
      yield* ours.section(section)
      assert.strictEqual(yield* tagOf(ours.render), "UnknownVariable")
      assert.strictEqual((yield* ours.render).text, "late")
    }),

  "borrowed contributions": ({ peer, ours }) =>
    Effect.gen(function* () {
      const borrowed = { name: "s", order: 1, text: "before" }
      peer.systemPrompt.section(borrowed)
      yield* ours.section(borrowed)
      borrowed.text = "after"
      assert.strictEqual(text(yield* assembled(peer)), "after")
      assert.strictEqual((yield* ours.render).text, "before")
    }),

  "effectful providers": ({ peer, ours }) =>
    Effect.gen(function* () {
      peer.systemPrompt.variable("v", () => untyped(Promise.resolve("value")))
      peer.systemPrompt.section(section)
      assert.strictEqual(text(yield* assembled(peer)), "[object Promise]")
      yield* ours.variable(
        "v",
        Effect.promise(() => Promise.resolve("value"))
      )
      yield* ours.section(section)
      assert.strictEqual((yield* ours.render).text, "value")
    }),

  "next twice": ({ peer, ours }) =>
    Effect.gen(function* () {
      let runs = 0
      peer.on("system-prompt/assemble", async (_assembly, _context, next) => {
        await next()
        return next()
      })
      peer.on("system-prompt/assemble", (_assembly, _context, next) => {
        runs++
        return next()
      })
      yield* assembled(peer)
      assert.strictEqual(runs, 1)
      yield* ours.listener({
        name: "twice",
        around: (assembly, next) => Effect.andThen(next(assembly), next(assembly))
      })
      assert.strictEqual(yield* tagOf(ours.assemble), "ListenerFailure")
    }),

  "change listeners": ({ peer, ours }) =>
    Effect.gen(function* () {
      const stop = peer.on("system-prompt/change", () => {
        throw new Error("listener")
      })
      assert.throws(() => peer.systemPrompt.section({ ...section, text: "text" }), "listener")
      stop()
      assert.strictEqual(text(yield* assembled(peer)), "")

      const fiber = yield* Effect.forkChild(Stream.runForEach(ours.changes, () => Effect.die("listener")))
      yield* ours.section({ ...section, text: "text" })
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
      assert.strictEqual((yield* ours.render).text, "text")
    }),

  identity: ({ ours }) =>
    Effect.gen(function* () {
      const base = new Context()
      yield* Effect.promise(async () => base.plugin(PeerPrompt, {}))
      const peer = yield* Effect.promise(
        () =>
          new Promise<Context>(
            (resolve) => void base.plugin({ name: "host", inject: ["systemPrompt"], apply: resolve })
          )
      )
      assert.strictEqual(text(yield* assembled(peer)), "You are an AI agent powered by DeepSeek Harness.")
      assert.strictEqual((yield* ours.render).text, "")
    }),

  "aborted signals": ({ peer, ours }) =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const { signal } = controller
      const abort = () => {
        controller.abort()
        return "text"
      }
      peer.systemPrompt.section({ ...section, text: abort })
      assert.strictEqual(text(yield* Effect.promise(() => peer.systemPrompt.assemble({ signal }))), "text")

      const again = new AbortController()
      const stop = Effect.sync(() => again.abort())
      yield* ours.section({ ...section, text: Effect.as(Effect.andThen(stop, Effect.yieldNow), "text") })
      const exit = yield* Effect.promise(() => Effect.runPromiseExit(ours.assemble, { signal: again.signal }))
      assert.isTrue(Exit.hasInterrupts(exit))
    }),

  "order and origin": ({ peer, ours }) =>
    Effect.gen(function* () {
      peer.systemPrompt.section({ ...section, text: "text" })
      yield* ours.section({ ...section, text: "text", plugin: "core" })
      const theirs = (yield* assembled(peer)).sections.find(({ name }) => name === "s")
      assert.deepStrictEqual(theirs, { name: "s", text: "text" })
      const mine = (yield* ours.assemble).sections.find(({ name }) => name === "s")
      assert.deepInclude(mine, { order: 1, origin: { scope: "global", plugin: "core", shadows: [] } })
    }),

  "values of a wrong type": ({ peer, ours }) =>
    Effect.gen(function* () {
      peer.systemPrompt.variable("v", () => untyped(7))
      peer.systemPrompt.section(section)
      assert.strictEqual(text(yield* assembled(peer)), "7")
      yield* ours.variable("v", () => untyped(7))
      assert.strictEqual(yield* tagOf(ours.assemble), "ProviderFailure")
    }),

  "parameters that are no JSON": ({ peer, ours }) =>
    Effect.gen(function* () {
      const schemas = [{ name: "t", description: "", parameters: { maximum: Number.NaN } }]
      peer.systemPrompt.tools(() => ({ schemas }))
      assert.deepStrictEqual((yield* assembled(peer)).tools, schemas)
      yield* ours.tools(schemas)
      assert.strictEqual(yield* tagOf(ours.assemble), "InvalidToolSchema")
    })
}

describe("deviation", () => {
  for (const [name, test] of Object.entries(tests)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const peer = yield* Effect.acquireRelease(
          Effect.promise(() => boot()),
          ({ dispose }) => Effect.promise(dispose)
        )
        yield* SystemPrompt.use((ours) => test({ peer: peer.ctx, ours }))
      }).pipe(Effect.provide(Layer.fresh(SystemPrompt.layer)))
    )
  }
})
