import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Assembly, type Listener, PromptScope, SystemPrompt, ToolOrder, ToolRegistry } from "../../src/index.ts"
import * as view from "../support/view.ts"
import { anything, assembled, call, failed, give, layerWith, test, tool } from "./support.ts"

type Tools = Assembly.Assembly["tools"]

/** A listener of tools alone. */
const editing = (edit: (tools: Tools) => ReadonlyArray<unknown>): Listener.Input => ({
  name: "l",
  // What a listener gives is checked: its author may have made parts by hand.
  edit: (assembly) => ({ ...assembly, tools: edit(assembly.tools) as Tools })
})

const listen = (listener: Listener.Input) => SystemPrompt.use((prompt) => prompt.listener(listener))

/** What is assembled while there is one more listener of tools alone, inside of the others. */
const assembledWith = (edit: (tools: Tools) => Tools) =>
  Effect.scoped(Effect.andThen(listen({ ...editing(edit), name: "m", order: 1 }), assembled))

const narrow = { type: "object", properties: { path: { type: "string", pattern: "^/tmp/" } }, required: ["path"] }

/** A tool that takes any path, and notes what it gets. */
const paths = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const got: Array<unknown> = []
  yield* registry.register({
    name: "read",
    description: "",
    parameters: Schema.Struct({ path: Schema.String }),
    handler: (args) => Effect.sync(() => void got.push(args))
  })
  return got
})

describe("what a listener removes", () => {
  test(
    "[315] cannot be called, and fails as what never was; by restriction or not, the sealed view decides",
    Effect.gen(function* () {
      yield* give("read", "rm")
      const before = yield* assembled
      yield* listen({ name: "l", edit: Assembly.removeTool("rm") })
      const registry = yield* ToolRegistry
      const shown = yield* assembled
      assert.deepStrictEqual(view.tools(shown), ["read"])
      const error = yield* failed(shown, "rm")
      assert.strictEqual(error.message, (yield* failed(shown, "qx")).message.replace("qx", "rm"))
      // It is registered, and whoever was shown it may call it.
      assert.strictEqual(yield* call(before, "rm"), "rm")
      assert.strictEqual(registry.view(PromptScope.global).tools.length, 2)
    })
  )

  test(
    "takes the sections along that require it",
    Effect.gen(function* () {
      yield* give("rm")
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "tool:rm", order: 0, text: "Delete.", requires: ["rm"] })
      assert.deepStrictEqual(view.sections(yield* assembled), [["tool:rm", "Delete."]])
      yield* listen(editing(() => []))
      assert.deepStrictEqual(view.sections(yield* assembled), [])
    })
  )
})

describe("what a listener adds", () => {
  test(
    "is shown and has no handler, also under the name of a tool that is hidden",
    Effect.gen(function* () {
      yield* give("rm")
      yield* listen(editing((tools) => [...tools.slice(1), { schema: { ...tool("rm"), description: "Mine" } }]))
      yield* listen({ name: "m", edit: Assembly.addTool({ name: "extra", description: "", parameters: {} }) })
      const shown = yield* assembled
      assert.deepStrictEqual(view.tools(shown).toSorted(), ["extra", "rm"])
      for (const name of ["rm", "extra"]) {
        const error = yield* failed(shown, name)
        assert.deepInclude(error, { _tag: "ToolWithoutHandler", kind: "tool", entry: name, scope: "global" })
        assert.include(error.message, "it comes from a tool provider or a listener.")
      }
    })
  )

  test(
    "beside a registered tool of the name lets that one run, wherever it stands; so do bare providers",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* give("read")
      const bare = { name: "read", description: "A bare one", parameters: {} }
      yield* prompt.tools([bare], { name: "a" })
      yield* prompt.tools([bare], { name: "z" })
      yield* listen(editing((tools) => [{ schema: bare }, ...tools, { schema: bare }]))
      const shown = yield* assembled
      assert.strictEqual(shown.tools.length, 5)
      assert.strictEqual(yield* call(shown, "read"), "read")
      const isOther = ({ schema }: Assembly.AssembledTool) => schema.description !== "Does read"
      const first = (tools: Tools) => tools.toSorted((a, b) => Number(isOther(a)) - Number(isOther(b)))
      for (const arrange of [first, (tools: Tools) => first(tools).toReversed()]) {
        const arranged = yield* assembledWith(arrange)
        assert.strictEqual(arranged.tools.length, 5)
        assert.strictEqual(yield* call(arranged, "read"), "read")
      }
      const others = yield* assembledWith((tools) => tools.filter(isOther))
      assert.strictEqual(others.tools.length, 4)
      assert.strictEqual((yield* failed(others, "read"))._tag, "ToolWithoutHandler")
    })
  )
})

describe("what a listener edits", () => {
  test(
    "is still the tool: its description, and that it loads late",
    Effect.gen(function* () {
      yield* give("a", "read")
      yield* listen({
        name: "l",
        edit: Assembly.mapTool("read", (schema) => ({ ...schema, description: "Another", deferLoading: true }))
      })
      const shown = yield* assembled
      assert.deepInclude(shown.tools[1]!.schema, { description: "Another", deferLoading: true })
      assert.deepStrictEqual(shown.tools[1]!.origin, {
        scope: "global",
        shadows: [],
        listener: { name: "l", scope: "global" }
      })
      assert.strictEqual(yield* call(shown, "read"), "read")
    })
  )

  test(
    "has the parameters that it was shown with: narrower ones hold, and the registered ones still",
    Effect.gen(function* () {
      const got = yield* paths
      yield* listen({ name: "l", edit: Assembly.mapTool("read", (schema) => ({ ...schema, parameters: narrow })) })
      const shown = yield* assembled
      yield* call(shown, "read", { path: "/tmp/a", more: 1 })
      assert.deepStrictEqual(got.splice(0), [{ path: "/tmp/a" }])
      const error = yield* failed(shown, "read", { path: "/etc/passwd" })
      if (error._tag !== "InvalidToolArguments") return assert.fail(error.message)
      assert.strictEqual(error.problems[0]!.path, "$.path")
      assert.strictEqual(error.entry, "read")
      assert.deepStrictEqual(got, [])
    })
  )

  test(
    "with wider parameters takes no more than was registered",
    Effect.gen(function* () {
      const got = yield* paths
      yield* listen({ name: "l", edit: Assembly.mapTool("read", (schema) => ({ ...schema, parameters: anything })) })
      const shown = yield* assembled
      const error = yield* failed(shown, "read", { path: 1 })
      assert.deepInclude(error, { _tag: "InvalidToolArguments", entry: "read" })
      yield* call(shown, "read", { path: "x" })
      assert.deepStrictEqual(got, [{ path: "x" }])
    })
  )

  test(
    "with parameters that cannot be checked cannot be called",
    Effect.gen(function* () {
      const got = yield* paths
      const parameters = { ...narrow, not: { required: ["more"] } }
      yield* listen({ name: "l", edit: Assembly.mapTool("read", (schema) => ({ ...schema, parameters })) })
      const error = yield* failed(yield* assembled, "read", { path: "/tmp/a" })
      assert.deepInclude(error, { _tag: "ToolWithoutHandler", entry: "read" })
      assert.include(error.message, "arguments cannot be checked against it")
      assert.deepStrictEqual(got, [])
    })
  )

  test(
    "by swapping the names of two is an edit of both: what runs is what the name says",
    Effect.gen(function* () {
      yield* give("read", "write")
      yield* listen(
        editing((tools) =>
          tools.map((one) => ({
            ...one,
            schema: { ...one.schema, name: one.schema.name === "read" ? "write" : "read" }
          }))
        )
      )
      const swapped = yield* assembled
      assert.deepStrictEqual(view.tools(swapped), ["write", "read"])
      for (const name of ["read", "write"]) assert.strictEqual(yield* call(swapped, name), name)
    })
  )

  test(
    "renamed alone leaves its old name unknown",
    Effect.gen(function* () {
      yield* give("read")
      yield* listen({ name: "l", edit: Assembly.mapTool("read", (schema) => ({ ...schema, name: "look" })) })
      const shown = yield* assembled
      assert.deepStrictEqual(view.tools(shown), ["look"])
      assert.strictEqual((yield* failed(shown, "read"))._tag, "ToolNotFound")
      assert.strictEqual((yield* failed(shown, "look"))._tag, "ToolWithoutHandler")
    })
  )

  test(
    "in another order is what it was",
    Effect.gen(function* () {
      yield* give("a", "b", "c")
      yield* listen(editing((tools) => tools.toReversed()))
      const shown = yield* assembled
      assert.deepStrictEqual(view.tools(shown), ["c", "b", "a"])
      for (const name of ["a", "b", "c"]) assert.strictEqual(yield* call(shown, name), name)
    })
  )

  test(
    "twice is the same tool twice: the first of them says what is checked",
    Effect.gen(function* () {
      const got = yield* paths
      yield* listen(editing(([one]) => [one, one]))
      const twice = yield* assembled
      assert.deepStrictEqual(view.tools(twice), ["read", "read"])
      yield* call(twice, "read", { path: "/etc" })
      assert.strictEqual(got.length, 1)
    })
  )

  test(
    "by many listeners in a row, each of them by hand, is still the tool",
    Effect.gen(function* () {
      yield* give(...Array.from({ length: 12 }, (_, i) => `t${i}`))
      for (let i = 0; i < 3; i++) {
        yield* listen({
          ...editing((tools) =>
            tools.map(({ origin, schema }) => ({
              origin,
              schema: { name: schema.name, description: `${schema.description}!`, parameters: { ...schema.parameters } }
            }))
          ),
          name: `l${i}`
        } as Listener.Input)
      }
      const shown = yield* assembled
      for (const { origin, schema } of shown.tools) {
        assert.strictEqual(schema.description, `Does ${schema.name}!!!`)
        assert.strictEqual(origin.listener?.name, "l2")
        assert.strictEqual(yield* call(shown, schema.name), schema.name)
      }
    })
  )
})

describe("options of the prompt", () => {
  it.effect("sorted keys: the tools are the ones that were registered, and are called as they were registered", () =>
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const parameters = { type: "object", properties: { b: { not: { type: "string" } }, a: {} } }
      yield* registry.register({
        name: "raw",
        description: "",
        parameters,
        decode: Schema.Struct({ b: Schema.Finite }),
        handler: ({ b }) => Effect.succeed(b)
      })
      yield* registry.register({
        name: "schema",
        description: "",
        parameters: Schema.Struct({ b: Schema.Finite, a: Schema.optionalKey(Schema.Date) }),
        handler: ({ b }) => Effect.succeed(b)
      })
      const shown = yield* assembled
      assert.deepStrictEqual(Object.keys(shown.tools[0]!.schema.parameters), ["properties", "type"])
      assert.deepStrictEqual(shown.tools[0]!.origin, { scope: "global", shadows: [] })
      for (const name of ["raw", "schema"]) assert.strictEqual(yield* call(shown, name, { b: 1, more: 2 }), 1)
    }).pipe(Effect.provide(layerWith({ sortToolKeys: true })))
  )

  it.effect("a tool order: registered tools stand where it says, before listeners", () =>
    Effect.gen(function* () {
      yield* give("a", "read", "z")
      assert.deepStrictEqual(view.tools(yield* assembled), ["z", "a", "read"])
      const prompt = yield* SystemPrompt
      yield* prompt.tools([{ name: "b", description: "", parameters: {} }], { name: "bare" })
      assert.deepStrictEqual(view.tools(yield* assembled), ["z", "a", "b", "read"])
    }).pipe(Effect.provide(layerWith({ toolOrder: ["z", ToolOrder.restMarker, "read"] })))
  )
})
