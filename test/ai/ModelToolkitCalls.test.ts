import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Schema, Stream } from "effect"
import type { Tool } from "effect/ai"
import { Plugin, PromptScope, ToolRegistry } from "../../src/index.ts"
import type { ToolError } from "../../src/ToolError.ts"
import { provided, run, tool, toolkitOf } from "./agent.ts"

/** The one result of a call. */
const handle = (toolkit: Effect.Success<ReturnType<typeof toolkitOf>>, name: string, args: unknown) =>
  Effect.flatMap(toolkit.handle(name, args), (results) =>
    Effect.map(Stream.runCollect(results), (all) => {
      assert.strictEqual(all.length, 1)
      return all[0]!
    })
  )

class Broken extends Schema.TaggedError<Broken>()("Broken", { detail: Schema.String }) {
  override get message(): string {
    return `it is broken: ${this.detail}`
  }
}

describe("handle", () => {
  it.effect("gives the result of the handler, decoded once from what was sent", () =>
    run(
      Effect.gen(function* () {
        const toolkit = yield* toolkitOf()
        assert.deepStrictEqual(yield* handle(toolkit, "on", { day: "2026-11-30T00:00:00.000Z", n: "7" }), {
          result: { year: 2026, next: 8 },
          encodedResult: { year: 2026, next: 8 },
          isFailure: false,
          preliminary: false
        })
        assert.deepInclude(yield* handle(toolkit, "nothing", {}), { result: null, isFailure: false })
      }),
      Plugin.tool({
        name: "on",
        description: "",
        parameters: Schema.Struct({ day: Schema.Date, n: Schema.NumberFromString }),
        handler: ({ day, n }) => Effect.succeed({ year: day.getUTCFullYear(), next: n + 1 })
      }),
      Plugin.tool({
        name: "nothing",
        description: "",
        parameters: Schema.Record(Schema.String, Schema.Never),
        handler: () => Effect.void
      })
    )
  )

  /** Answers with the text for the model; the hook is told the error. */
  const failing = (
    name: string,
    args: unknown,
    expected: { readonly text: string; readonly origin: Tool.FailureOrigin; readonly tag: ToolError["_tag"] }
  ) =>
    Effect.gen(function* () {
      const told: Array<ToolError> = []
      const toolkit = yield* toolkitOf({ onFailure: (error) => Effect.sync(() => void told.push(error)) })
      assert.deepStrictEqual(yield* handle(toolkit, name, args), {
        result: expected.text,
        encodedResult: expected.text,
        isFailure: true,
        failureOrigin: expected.origin,
        preliminary: false
      })
      assert.deepStrictEqual(
        told.map((error) => error._tag),
        [expected.tag]
      )
      return told[0]!
    })

  it.effect("answers wrong arguments with what is wrong, and runs nothing", () => {
    let ran = 0
    return run(
      failing(
        "read",
        { path: 1 },
        {
          text: 'invalid arguments of tool "read": at $.path: Expected string. Call it again with arguments that fit its parameters.',
          origin: "parameters",
          tag: "InvalidToolArguments"
        }
      ),
      tool("read", () => Effect.sync(() => ++ran))
    ).pipe(Effect.map(() => assert.strictEqual(ran, 0)))
  })

  it.effect("tells the typed failure of a handler", () =>
    run(
      failing(
        "read",
        { path: "a" },
        { text: 'tool "read" failed: it is broken: disk.', origin: "handler", tag: "ToolFailure" }
      ),
      tool("read", () => Effect.fail(new Broken({ detail: "disk" })))
    )
  )

  it.effect("tells nothing of a defect, which the host is told", () =>
    Effect.gen(function* () {
      const defect = new Error("password hunter2 of db.internal")
      const text = 'tool "read" did not work, because of a fault that is not yours.'
      const error = yield* run(
        failing("read", { path: "a" }, { text, origin: "handler", tag: "ToolFailure" }),
        tool("read", () => Effect.die(defect))
      )
      assert.include(error, { reason: "died", cause: defect })
    })
  )

  it.effect("tells the reason of a guard, and nothing of one that fails", () =>
    Effect.gen(function* () {
      const refuse = Plugin.guard({ name: "paths", check: () => "not today" })
      const text = 'the call of tool "read" was refused: not today'
      yield* run(failing("read", { path: "a" }, { text, origin: "handler", tag: "ToolRefused" }), tool("read"), refuse)
      const broken = Plugin.guard({ name: "paths", check: () => Effect.fail("hunter2") })
      const other = 'the call of tool "read" was not let through, because of a fault that is not yours.'
      yield* run(
        failing("read", { path: "a" }, { text: other, origin: "handler", tag: "GuardFailure" }),
        tool("read"),
        broken
      )
    })
  )

  it.effect("answers for tools that are shown and have no handler", () =>
    Effect.forEach(["bare", "plain"], (name) =>
      run(
        failing(
          name,
          {},
          {
            text: `tool "${name}" cannot be called here. Go on without it.`,
            origin: "handler",
            tag: "ToolWithoutHandler"
          }
        ),
        provided("p", "bare"),
        Plugin.tool({ name: "plain", description: "", parameters: { type: "object" } })
      )
    )
  )

  it.effect("answers for names that are not shown", () =>
    run(
      failing(
        "raed",
        {},
        {
          text: 'there is no tool "raed". Did you mean "read"? Call one of these by its exact name: read.',
          origin: "handler",
          tag: "ToolNotFound"
        }
      ),
      tool("read")
    )
  )

  it.effect("judges by the assembly that the toolkit was made of", () =>
    run(
      Effect.gen(function* () {
        const { scope } = yield* PromptScope.make("child")
        const registry = yield* ToolRegistry
        const before = yield* PromptScope.provide(scope)(toolkitOf())
        yield* PromptScope.provide(scope)(registry.restrict({ deny: ["read"] }))
        const after = yield* PromptScope.provide(scope)(toolkitOf())
        assert.deepStrictEqual(Object.keys(after.tools), [])
        assert.isFalse((yield* handle(before, "read", { path: "a" })).isFailure)
        assert.isTrue((yield* handle(after, "read", { path: "a" })).isFailure)
      }),
      tool("read")
    )
  )

  it.effect("[BC-034] hides as if there were no such tool", () =>
    run(
      Effect.gen(function* () {
        const { scope } = yield* PromptScope.make("child")
        yield* PromptScope.provide(scope)(ToolRegistry.use((registry) => registry.restrict({ deny: ["rm"] })))
        const toolkit = yield* PromptScope.provide(scope)(toolkitOf())
        assert.deepStrictEqual(Object.keys(toolkit.tools), ["read"])
        const [hidden, unknown] = [yield* handle(toolkit, "rm", {}), yield* handle(toolkit, "xy", {})]
        assert.strictEqual(JSON.stringify(hidden).replaceAll("rm", "xy"), JSON.stringify(unknown))
      }),
      tool("read"),
      tool("rm", () => Effect.die("it ran"))
    )
  )
})

describe("logWithheld", () => {
  it.effect("is what happens by default: what the model is not told is logged, and nothing else", () => {
    const logged: Array<readonly [level: string, message: unknown]> = []
    const logger = Logger.layer([
      Logger.make(({ logLevel, message }) => {
        logged.push([logLevel, Array.isArray(message) ? message[0] : message])
      })
    ])
    return run(
      Effect.gen(function* () {
        const toolkit = yield* toolkitOf()
        yield* handle(toolkit, "typed", { path: "a" })
        yield* handle(toolkit, "typed", {})
        yield* handle(toolkit, "nosuch", {})
        assert.deepStrictEqual(logged, [])
        yield* handle(toolkit, "dies", { path: "a" })
        assert.deepStrictEqual(logged, [["Error", 'tool "dies" died: hunter2.']])
        yield* handle(toolkit, "bare", {})
        assert.strictEqual(logged.length, 2)
      }),
      tool("typed", () => Effect.fail("no")),
      tool("dies", () => Effect.die("hunter2")),
      provided("p", "bare")
    ).pipe(Effect.provide(logger))
  })
})
