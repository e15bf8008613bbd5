import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Result, Schema, Scope } from "effect"
import {
  Annotations,
  type Assembly,
  Plugin,
  PromptScope,
  SystemPrompt,
  type ToolCall,
  ToolError,
  ToolRegistry
} from "../../src/index.ts"
import { changeable } from "../support/frozen.ts"
import * as registrations from "../support/registry.ts"
import { untyped } from "../support/untyped.ts"
import {
  anything,
  assembled,
  assembledIn,
  call,
  decoded,
  encoded,
  failed,
  family,
  layer,
  test,
  tool
} from "./support.ts"

class Label extends Context.Reference<string>("test/Label", { defaultValue: () => "none" }) {}
class Files extends Context.Service<Files, { readonly read: (path: string) => Effect.Effect<string, NoFile> }>()(
  "test/Files"
) {}
class NoFile extends Schema.TaggedError<NoFile>()("NoFile", { path: Schema.String }) {
  override get message(): string {
    return `there is no file ${this.path}`
  }
}

const filesOf = (texts: Record<string, string>) =>
  Layer.succeed(Files, {
    read: (path) => {
      const text = texts[path]
      return text === undefined ? Effect.fail(new NoFile({ path })) : Effect.succeed(text)
    }
  })

type Handler<E, R> = (args: unknown, call: ToolCall) => Effect.Effect<unknown, E, R>

/** Registers a tool `t` with this handler, and gives the assembly that shows it. */
const handled = Effect.fnUntraced(function* <E = never, R = never>(handler: Handler<E, R>) {
  const registry = yield* ToolRegistry
  yield* registry.register<typeof anything, typeof anything, E, R>({
    name: "t",
    description: "",
    parameters: anything,
    handler
  })
  return yield* assembled
})

/** A handler whose types nobody has checked. */
const handledUntyped = (handler: (call: ToolCall) => unknown) => handled((_, call) => untyped(handler(call)))

describe("a handler", () => {
  it.effect("has the services of its registration, whoever calls", () =>
    Effect.gen(function* () {
      const assembly = yield* assembled
      const callA = call(assembly, "read", { path: "a" })
      assert.strictEqual(yield* callA, "text of a")
      assert.strictEqual(yield* Effect.provide(callA, filesOf({ a: "another" })), "text of a")
      const error = yield* failed(assembly, "read", { path: "b" })
      assert.deepInclude(error, { _tag: "ToolFailure", entry: "read", scope: "global", plugin: "fs", reason: "failed" })
      if (error._tag === "ToolFailure") assert.deepStrictEqual(error.cause, new NoFile({ path: "b" }))
      assert.strictEqual(error.message, 'tool "read" failed: there is no file b.')
    }).pipe(
      Effect.provide(
        Plugin.tool({
          name: "read",
          description: "Reads a file",
          parameters: Schema.Struct({ path: Schema.String }),
          plugin: "fs",
          handler: ({ path }) => Files.use((files) => files.read(path))
        }).pipe(Layer.provide(filesOf({ a: "text of a" })), Layer.provideMerge(layer))
      )
    )
  )

  test(
    "has what it acquires released when it succeeds, fails, dies and is called off, before the call is over",
    Effect.gen(function* () {
      const log: Array<string> = []
      const started = yield* Deferred.make<void>()
      const acquire = Effect.acquireRelease(
        Effect.sync(() => void log.push("acquired")),
        () => Effect.sync(() => void log.push("released"))
      )
      const view = yield* handled((args) =>
        Effect.gen(function* () {
          yield* acquire
          const { how } = args as { readonly how: string }
          if (how === "fails") return yield* Effect.fail("no")
          if (how === "dies") return yield* Effect.die("no")
          if (how === "waits") {
            yield* Deferred.succeed(started, undefined)
            return yield* Effect.never
          }
          return "ok"
        })
      )
      for (const how of ["succeeds", "fails", "dies"]) {
        const exit = yield* Effect.exit(call(view, "t", { how }))
        assert.strictEqual(Exit.isSuccess(exit), how === "succeeds")
        assert.deepStrictEqual(log.splice(0), ["acquired", "released"], how)
      }
      const fiber = yield* Effect.forkChild(call(view, "t", { how: "waits" }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(log, ["acquired", "released"])
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  test(
    "that interrupts itself interrupts the call: that is no failure of the tool",
    Effect.gen(function* () {
      const exit = yield* Effect.exit(call(yield* handled(() => Effect.interrupt), "t"))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  test(
    "may change its own registration, and end it, while it runs",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const lifetime = yield* Scope.make()
      yield* Scope.provide(
        registry.register({
          ...tool("t"),
          handler: () =>
            Effect.gen(function* () {
              yield* Scope.close(lifetime, Exit.void)
              return (yield* assembled.pipe(Effect.orDie)).tools.length
            })
        }),
        lifetime
      )
      const view = yield* assembled
      assert.strictEqual(yield* call(view, "t"), 0)
      assert.strictEqual((yield* failed(view, "t"))._tag, "ToolWithoutHandler")
    })
  )

  test(
    "is told of the call: frozen, with decoded arguments, the scope of the assembly and the tool's annotations",
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      const registry = yield* ToolRegistry
      const told: Array<ToolCall> = []
      const seen: Array<unknown> = []
      yield* registry
        .register({
          name: "t",
          description: "",
          parameters: Schema.Struct({ n: Schema.NumberFromString }),
          annotations: Context.make(Label, "tool"),
          handler: (args, call) =>
            Effect.gen(function* () {
              told.push(call)
              assert.strictEqual(args, call.arguments)
              seen.push(yield* PromptScope.Current, yield* Label, Context.get(yield* Annotations, Label))
            })
        })
        .pipe(PromptScope.provide(parent))
      const view = yield* assembledIn(child)
      // Whoever calls is elsewhere.
      yield* registry
        .call(view, "t", { n: "3" })
        .pipe(
          PromptScope.provide(other),
          Effect.provideService(Annotations, Context.make(Label, "caller")),
          Effect.provideService(Label, "ambient")
        )
      const [call] = told
      assert.deepStrictEqual(call!.arguments, { n: 3 })
      assert.strictEqual(call!.tool, "t")
      assert.strictEqual(call!.scope, child)
      assert.strictEqual(Context.get(call!.annotations, Label), "tool")
      assert.isTrue(Object.isFrozen(call))
      // The annotations of whoever assembles, or calls, are over all services.
      assert.deepStrictEqual(seen, [child, "caller", "caller"])
    })
  )

  test(
    "is told of the scope that the assembly was made for, wherever it is called",
    Effect.gen(function* () {
      const { child, other } = yield* family
      const view = yield* handled((_, { scope }) => Effect.succeed(scope.label))
      const registry = yield* ToolRegistry
      const callIn = (assembly: Assembly.Assembly) => PromptScope.provide(other)(registry.call(assembly, "t", {}))
      assert.strictEqual(yield* callIn(yield* assembledIn(child)), "child")
      assert.strictEqual(yield* callIn(view), "global")
      const trace = yield* SystemPrompt.use((prompt) => PromptScope.provide(child)(prompt.trace))
      assert.strictEqual(yield* callIn(trace.assembly), "child")
    })
  )

  it.effect("runs as often as it is called, at once if so", () =>
    Effect.gen(function* () {
      const both = yield* Deferred.make<void>()
      let running = 0
      const view = yield* handled(() =>
        Effect.suspend(() => (++running === 2 ? Deferred.succeed(both, undefined) : Deferred.await(both)))
      )
      yield* Effect.all([call(view, "t"), call(view, "t")], { concurrency: 2 })
      assert.strictEqual(running, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("what a handler gives", () => {
  test(
    "is plain JSON, detached and frozen; nothing is null",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const result = { list: [1, { a: "b" }], none: null, zero: -0 }
      for (const [name, given, expected] of [
        ["text", "x", "x"],
        ["number", 0, 0],
        ["flag", false, false],
        ["null", null, null],
        ["nothing", undefined, null],
        ["object", result, { list: [1, { a: "b" }], none: null, zero: 0 }]
      ] as const) {
        yield* registry.register({ ...tool(name), handler: () => Effect.succeed(given) })
        const got = yield* call(yield* assembled, name)
        assert.deepStrictEqual(got, expected)
        assert.deepStrictEqual(changeable(got), [])
      }
      const first = yield* call(yield* assembled, "object")
      result.list.push(2)
      assert.notStrictEqual(first, yield* call(yield* assembled, "object"))
      assert.deepStrictEqual(Object(first).list, [1, { a: "b" }])
    })
  )

  const cycle: { self?: unknown } = {}
  cycle.self = { cycle }
  for (const [what, value, path] of [
    ["a function", () => 1, "$"],
    ["a BigInt", { n: [1n] }, "$.n[0]"],
    ["a Date", { at: new Date(0) }, "$.at"],
    ["a Map", new Map(), "$"],
    ["NaN", { a: Number.NaN }, "$.a"],
    ["an undefined member", { a: undefined }, "$.a"],
    ["a symbol", Symbol("s"), "$"],
    ["a cycle", cycle, "$.self.cycle"],
    ["a getter", { get a() { return 1 } }, "$.a"] // oxfmt-ignore
  ] as const) {
    test(
      `fails the call, with the place, where it is ${what}`,
      Effect.gen(function* () {
        const error = yield* failed(yield* handled(() => Effect.succeed(value)), "t")
        assert.deepInclude(error, {
          _tag: "ToolFailure",
          entry: "t",
          fault: "result",
          reason: `gave a result that is no plain JSON at ${path}`
        })
        assert.match(error.message, /^tool "t" gave a result that is no plain JSON at \$\S*: .+[.]$/)
      })
    )
  }

  test(
    "must be an Effect: a Promise, or a value as it is, is refused and said to be so",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      for (const [given, got] of [
        [Promise.resolve("x"), "got a Promise. Return an Effect"],
        // oxlint-disable-next-line no-thenable -- it passes for one
        [{ then: () => undefined }, "got a Promise"],
        ["x", "got a string"],
        [undefined, "got undefined"],
        [{}, "got an object"],
        [[], "got an array"]
      ] as const) {
        const error = yield* Effect.scoped(
          Effect.flatMap(
            handledUntyped(() => given),
            (view) => failed(view, "t")
          )
        )
        assert.deepInclude(error, { _tag: "ToolFailure", fault: "result", reason: "must return an Effect" })
        assert.include(error.message, got)
      }
      assert.deepStrictEqual(registry.view(PromptScope.global).tools, [])
    })
  )

  test(
    "is a typed failure: of what it fails with, dies of or throws, whatever that is",
    Effect.gen(function* () {
      const hostile = new Proxy({}, { get: () => assert.fail("read"), has: () => assert.fail("read") })
      for (const [reason, handler, said] of [
        ["failed", () => Effect.fail("no such host"), "no such host"],
        ["failed", () => Effect.fail(new NoFile({ path: "x" })), "there is no file x"],
        // A tagged error is an Effect that fails.
        ["failed", () => new NoFile({ path: "y" }), "there is no file y"],
        ["failed", () => Effect.fail({ code: 3 }), "code"],
        ["failed", () => Effect.fail(undefined), "undefined"],
        ["died", () => Effect.die(new TypeError("x is no function")), "x is no function"],
        ["died", () => Effect.die(hostile), "a value that cannot be shown"],
        [
          "died",
          () => {
            throw new RangeError("too far")
          },
          "too far"
        ]
      ] as const) {
        const error = yield* Effect.scoped(Effect.flatMap(handledUntyped(handler), (view) => failed(view, "t")))
        assert.deepInclude(error, {
          _tag: "ToolFailure",
          kind: "tool",
          entry: "t",
          scope: "global",
          fault: reason,
          reason
        })
        assert.include(error.message, `tool "t" ${reason}: `)
        assert.include(error.message, said)
      }
    })
  )
})

describe("a tool without a handler", () => {
  test(
    "is shown, and says why it cannot be called",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      yield* registry.register({ name: "t", description: "", parameters: anything, plugin: "p" })
      const take = yield* registrations.own(registry.register(tool("u")))
      const view = yield* assembled
      yield* take
      const error = yield* failed(view, "t")
      assert.deepInclude(error, { _tag: "ToolWithoutHandler", kind: "tool", entry: "t", scope: "global", plugin: "p" })
      assert.strictEqual(
        error.message,
        'tool "t" of scope "global" (plugin "p") cannot be called: it was registered without a handler. Give it one (a composition\'s tools get theirs as `handlers`), or run its calls yourself.'
      )
      assert.include(
        (yield* failed(view, "u")).message,
        "its registration has ended since, or was made in another ToolRegistry. Assemble again"
      )
    })
  )
})

describe("ToolError", () => {
  const owner = { kind: "tool", entry: "read", scope: "agent", plugin: "fs" } as const
  const guard = { kind: "guard", entry: "ask", scope: "agent" } as const
  const all: ReadonlyArray<readonly [ToolError.ToolError, string]> = [
    [
      new ToolError.ToolNotFound({ tool: "raed", known: ["ls", "read"], nearest: "read" }),
      'there is no tool "raed". Did you mean "read"? Call one of these by its exact name: ls, read.'
    ],
    [
      new ToolError.ToolNotFound({ tool: "x", known: ["ls"], more: 7 }),
      'there is no tool "x". Call one of these by its exact name: ls and 7 more.'
    ],
    [new ToolError.ToolNotFound({ tool: "x", known: [] }), 'there is no tool "x". There are no tools to call.'],
    [
      new ToolError.ToolNotFound({ tool: `re\u200bad\n${"x".repeat(100)}`, known: [] }),
      `there is no tool "re\\u200bad\\n${"x".repeat(67)}…". There are no tools to call.`
    ],
    [
      new ToolError.ToolWithoutHandler({ ...owner, reason: "it has none." }),
      'tool "read" of scope "agent" (plugin "fs") cannot be called: it has none.'
    ],
    [
      new ToolError.InvalidToolArguments({ ...owner, problems: [{ path: "$.a", reason: "Missing key" }], more: 2 }),
      'invalid arguments of tool "read": at $.a: Missing key. There are 2 more problems. Call it again with arguments that fit its parameters.'
    ],
    [
      new ToolError.ToolRefused({ ...guard, tool: "read", reason: "ask first" }),
      'the call of tool "read" was refused by guard "ask" of scope "agent": ask first.'
    ],
    [
      new ToolError.ToolRefused({ ...guard, tool: "read", reason: "Ask first!" }),
      'the call of tool "read" was refused by guard "ask" of scope "agent": Ask first!'
    ],
    [
      new ToolError.GuardFailure({ ...guard, tool: "read", reason: "died", cause: new Error("boom") }),
      'the call of tool "read" was not let through: guard "ask" of scope "agent" died: boom. Correct the guard, or let it handle its failure.'
    ],
    [
      new ToolError.ToolFailure({ ...owner, fault: "failed", reason: "failed", cause: "no such file" }),
      'tool "read" failed: no such file.'
    ]
  ]

  for (const [error, message] of all) {
    it(`says ${message.slice(0, 60)}…, and comes back from JSON saying so`, () => {
      assert.strictEqual(error.message, message)
      const back = decoded(JSON.parse(JSON.stringify(encoded(error))))
      assert.strictEqual(back._tag, error._tag)
      assert.strictEqual(back.message, message)
      assert.deepStrictEqual(encoded(back), encoded(error))
    })
  }

  it("is one of six, and nothing else", () => {
    assert.sameMembers(
      [...new Set(all.map(([error]) => error._tag))],
      ["GuardFailure", "InvalidToolArguments", "ToolFailure", "ToolNotFound", "ToolRefused", "ToolWithoutHandler"]
    )
    for (const other of [{ _tag: "ToolNotFound" }, { _tag: "Other" }, "ToolNotFound", null]) {
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(ToolError.ToolError)(other)))
    }
  })
})
