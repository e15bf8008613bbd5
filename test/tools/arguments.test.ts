import { assert, describe } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Option, Schema, SchemaGetter } from "effect"
import { SystemPrompt, type ToolError, ToolRegistry, type ToolOptions, type ToolParameters } from "../../src/index.ts"
import { anything, assembled, call, encoded, failed, test } from "./support.ts"

/** Registers a tool that notes what its handler gets. */
const noting = Effect.fnUntraced(function* <P extends ToolParameters, D extends ToolParameters = P>(
  options: Pick<ToolOptions<P, D>, "parameters" | "decode"> & { readonly name?: string }
) {
  const registry = yield* ToolRegistry
  const got: Array<unknown> = []
  const name = options.name ?? "t"
  yield* registry.register<P, D>({
    ...options,
    name,
    description: "",
    handler: (args) => Effect.sync(() => void got.push(args))
  })
  const view = yield* assembled
  return {
    got,
    /** What the handler got. */
    accepts: (args: unknown) => Effect.map(call(view, name, args), () => got.pop()),
    /** The problems that are told; the handler did not run. */
    refuses: Effect.fnUntraced(function* (args: unknown) {
      const error = yield* Effect.flip(registry.call(view, name, args))
      assert.deepStrictEqual(got, [])
      return error
    })
  }
})

const problems = (error: ToolError.ToolError) =>
  error._tag === "InvalidToolArguments"
    ? error.problems.map(({ path, reason }) => `${path}: ${reason}`)
    : assert.fail(error.message)

// -----------------------------------------------------------------------------
// Effect Schemas
// -----------------------------------------------------------------------------

describe("arguments of an Effect Schema", () => {
  class Range extends Schema.Class<Range>("Range")({ from: Schema.Date, to: Schema.optionalKey(Schema.Date) }) {}

  test(
    "are decoded from JSON: transformations, dates, optional keys, classes; members that it does not name are dropped",
    Effect.gen(function* () {
      const { accepts } = yield* noting({
        parameters: Schema.Struct({
          count: Schema.NumberFromString,
          range: Range,
          note: Schema.optionalKey(Schema.String),
          kind: Schema.Literals(["a", "b"]),
          found: Schema.Option(Schema.Number)
        })
      })
      const got = yield* accepts({
        count: "3",
        range: { from: "2026-01-02T00:00:00.000Z" },
        kind: "b",
        found: { _tag: "Some", value: 1 },
        more: "?"
      })
      assert.deepStrictEqual(got, {
        count: 3,
        range: new Range({ from: new Date("2026-01-02T00:00:00.000Z") }),
        kind: "b",
        found: Option.some(1)
      })
      assert.instanceOf(Object(got).range, Range)
    })
  )

  test(
    "are refused with the place of each problem",
    Effect.gen(function* () {
      const { refuses } = yield* noting({
        parameters: Schema.Struct({
          path: Schema.String,
          "a b": Schema.optionalKey(Schema.Finite),
          lines: Schema.Array(Schema.Struct({ n: Schema.Int }))
        })
      })
      const error = yield* refuses({ "a b": "x", lines: [{ n: 1 }, { n: 1.5 }, {}] })
      assert.deepStrictEqual(problems(error), [
        "$.path: Missing key",
        '$["a b"]: Expected number',
        "$.lines[1].n: Expected an integer",
        "$.lines[2].n: Missing key"
      ])
      assert.strictEqual(
        error.message,
        'invalid arguments of tool "t": at $.path: Missing key. at $["a b"]: Expected number. ' +
          "at $.lines[1].n: Expected an integer. at $.lines[2].n: Missing key. " +
          "Call it again with arguments that fit its parameters."
      )
      assert.deepInclude(error, { _tag: "InvalidToolArguments", kind: "tool", entry: "t", scope: "global" })
      for (const args of [undefined, null, "path", 3, [], () => 1]) {
        assert.match(problems(yield* refuses(args))[0]!, /^\$(\.\w+)?: /)
      }
    })
  )

  test(
    "may need services and time to decode, which are those of the registration",
    Effect.gen(function* () {
      class Offset extends Context.Service<Offset, number>()("test/Offset") {}
      const Shifted = Schema.Finite.pipe(
        Schema.decodeTo(Schema.Finite, {
          decode: SchemaGetter.transformEffect((n: number) =>
            Effect.gen(function* () {
              yield* Effect.yieldNow
              return n + (yield* Offset)
            })
          ),
          encode: SchemaGetter.transform((n: number) => n)
        })
      )
      const { accepts } = yield* noting({ parameters: Schema.Struct({ n: Shifted }) }).pipe(
        Effect.provideService(Offset, 40)
      )
      assert.deepStrictEqual(yield* accepts({ n: 2 }).pipe(Effect.provideService(Offset, 1)), { n: 42 })
    })
  )

  test(
    "that throw while they are decoded fail the tool, by name",
    Effect.gen(function* () {
      const Bad = Schema.String.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.transform((): string => {
            throw new Error("boom")
          }),
          encode: SchemaGetter.transform((s: string) => s)
        })
      )
      const { refuses } = yield* noting({ parameters: Schema.Struct({ s: Bad }) })
      const error = yield* refuses({ s: "x" })
      assert.deepInclude(error, {
        _tag: "ToolFailure",
        entry: "t",
        fault: "arguments",
        reason: "died while its arguments were decoded"
      })
      assert.strictEqual(error.message, 'tool "t" died while its arguments were decoded: boom.')
    })
  )
})

// -----------------------------------------------------------------------------
// raw JSON Schemas
// -----------------------------------------------------------------------------

describe("arguments of a raw JSON Schema", () => {
  const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }

  test(
    "are checked and handed on as they are; an open object takes other members, a closed one does not",
    Effect.gen(function* () {
      const open = yield* noting({ name: "open", parameters: path })
      assert.deepStrictEqual(yield* open.accepts({ path: "a", more: [1] }), { path: "a", more: [1] })
      const closed = yield* noting({ name: "closed", parameters: { ...path, additionalProperties: false } })
      assert.deepStrictEqual(yield* closed.accepts({ path: "a" }), { path: "a" })
      assert.deepStrictEqual(problems(yield* closed.refuses({ path: "a", more: 1 })), [
        "$.more: Expected no excess property"
      ])
      assert.deepStrictEqual(problems(yield* closed.refuses({})), ["$.path: Missing key"])
      for (const args of [undefined, null, "a", 3]) {
        assert.deepStrictEqual(problems(yield* closed.refuses(args)), ["$: Expected object"])
      }
      assert.lengthOf(problems(yield* open.refuses([])), 1)
    })
  )

  for (const [dialect, parameters] of [
    [
      "of draft 2020-12",
      { ...path, $defs: { s: { type: "string", minLength: 2 } }, properties: { path: { $ref: "#/$defs/s" } } }
    ],
    [
      "of draft-07",
      {
        ...path,
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { s: { type: "string", minLength: 2 } },
        properties: { path: { $ref: "#/definitions/s" } }
      }
    ]
  ] as const) {
    test(
      `${dialect} are checked by its definitions`,
      Effect.gen(function* () {
        const { accepts, refuses } = yield* noting({ parameters })
        assert.deepStrictEqual(yield* accepts({ path: "ab" }), { path: "ab" })
        for (const args of [{ path: "a" }, { path: 1 }, {}])
          assert.match(problems(yield* refuses(args))[0]!, /^\$\.path: /)
      })
    )
  }

  test(
    "are checked to any depth by definitions that refer to themselves",
    Effect.gen(function* () {
      const tree = {
        type: "object",
        properties: { in: { type: "array", items: { $ref: "#/$defs/tree" } } },
        required: ["in"]
      }
      const { accepts, refuses } = yield* noting({ parameters: { ...tree, $defs: { tree } } })
      const args = { in: [{ in: [] }, { in: [{ in: [] }] }] }
      assert.deepStrictEqual(yield* accepts(args), args)
      assert.deepStrictEqual(problems(yield* refuses({ in: [{ in: [] }, { in: [{ in: 1 }] }] })), [
        "$.in[1].in[0].in: Expected array"
      ])
    })
  )

  const at = (schema: Schema.Json) => ({ type: "object", properties: { x: schema }, required: ["x"] })
  for (const [keyword, schema, good, bad] of [
    ["enum", { enum: ["a", 1, null] }, 1, 2],
    ["const", { const: "a" }, "a", "b"],
    ["type lists", { type: ["string", "null"] }, null, 1],
    ["integer", { type: "integer" }, 1, 1.5],
    ["minimum", { type: "number", minimum: 1 }, 1, 0],
    ["exclusiveMaximum", { type: "number", exclusiveMaximum: 4 }, 3, 4],
    ["multipleOf", { type: "number", multipleOf: 2 }, 4, 3],
    ["pattern", { type: "string", pattern: "^[a-z]+$" }, "abc", "A"],
    ["maxLength", { type: "string", maxLength: 2 }, "ab", "abc"],
    ["items", { type: "array", items: { type: "number" } }, [1], ["a"]],
    ["minItems", { type: "array", items: {}, minItems: 1 }, [1], []],
    ["uniqueItems", { type: "array", items: {}, uniqueItems: true }, [1, 2], [1, 1]],
    ["prefixItems", { type: "array", prefixItems: [{ type: "string" }], items: false }, ["a"], ["a", 1]],
    ["anyOf", { anyOf: [{ type: "string" }, { type: "number" }] }, 1, true],
    ["oneOf", { oneOf: [{ type: "string" }, { type: "string", minLength: 2 }] }, "a", "ab"],
    ["allOf", { allOf: [{ type: "string" }, { minLength: 2 }] }, "ab", "a"],
    ["minProperties", { type: "object", minProperties: 1 }, { a: 1 }, {}],
    ["propertyNames", { type: "object", propertyNames: { pattern: "^a" } }, { a: 1 }, { b: 1 }],
    ["additionalProperties", { type: "object", additionalProperties: { type: "number" } }, { a: 1 }, { a: "x" }],
    ["false", false, undefined, 1]
  ] as const) {
    test(
      `are checked by ${keyword}`,
      Effect.gen(function* () {
        const parameters = keyword === "false" ? { type: "object", properties: { x: false } } : at(schema)
        const { accepts, refuses } = yield* noting({ parameters })
        if (good !== undefined) assert.deepStrictEqual(yield* accepts({ x: good }), { x: good })
        const told = problems(yield* refuses({ x: bad }))
        assert.isAbove(told.length, 0)
        for (const one of told) assert.match(one, /^\$\.x/)
      })
    )
  }

  for (const [keyword, schema] of [
    ["not", { not: { type: "string" } }],
    // oxlint-disable-next-line no-thenable -- so the keyword is called
    ["if", { if: { type: "string" }, then: { minLength: 3 } }],
    ["patternProperties", { type: "object", patternProperties: { "^a": { type: "string" } } }],
    ["dependentRequired", { type: "object", dependentRequired: { a: ["b"] } }],
    ["contains", { type: "array", contains: { type: "string" } }],
    ["unevaluatedProperties", { type: "object", unevaluatedProperties: false }],
    ["$dynamicRef", { $dynamicRef: "#x" }],
    ["a reference to nothing", { $ref: "#/$defs/nope" }],
    ["a reference elsewhere", { $ref: "https://example.com/schema.json" }],
    ["a pattern that is none", { type: "string", pattern: "(" }],
    ["an enum of objects", { enum: [{ a: 1 }] }],
    // What only drafts before the newest had means nothing in it.
    ["a tuple of an earlier draft", { type: "array", items: [{ type: "string" }] }],
    ["additionalItems", { type: "array", prefixItems: [{}], additionalItems: false }],
    ["dependencies", { type: "object", dependencies: { a: ["b"] } }],
    ["a bound of draft-04", { type: "number", minimum: 2, exclusiveMinimum: true }],
    ["a tuple of an earlier draft far inside", { anyOf: [{ type: "object", properties: { items: { items: [] } } }] }]
  ] as const) {
    test(
      `that cannot be checked (${keyword}) are refused when the tool is registered, unless it says how to decode them`,
      Effect.gen(function* () {
        const registry = yield* ToolRegistry
        const parameters = at(schema)
        const handler = () => Effect.succeed("ran")
        const options = { name: "t", description: "", parameters, plugin: "p" }
        const error = yield* Effect.flip(registry.register({ ...options, handler }))
        assert.deepInclude(error, { _tag: "InvalidToolSchema", kind: "tool", entry: "t", plugin: "p", tool: "t" })
        assert.include(error.message, "$.parameters")
        assert.include(error.message, "Give an Effect Schema as `decode`")
        assert.notInclude(error.message, "\n")
        // Who runs calls elsewhere checks them elsewhere.
        yield* Effect.scoped(registry.register(options))
        yield* registry.register({ ...options, decode: Schema.Struct({ x: Schema.Unknown }), handler })
        const view = yield* assembled
        assert.deepStrictEqual(view.tools[0]!.schema.parameters, parameters)
        assert.strictEqual(yield* call(view, "t", { x: 1 }), "ran")
        assert.deepStrictEqual(problems(yield* failed(view, "t", {})), ["$.x: Missing key"])
      })
    )
  }

  test(
    "are decoded by `decode` instead, and nothing but that",
    Effect.gen(function* () {
      const { accepts, refuses } = yield* noting({
        parameters: { type: "object", properties: { on: { type: "string" } }, required: ["on", "off"] },
        decode: Schema.Struct({ on: Schema.Date })
      })
      assert.deepStrictEqual(yield* accepts({ on: "2026-01-02T00:00:00.000Z" }), {
        on: new Date("2026-01-02T00:00:00.000Z")
      })
      assert.strictEqual(problems(yield* refuses({ on: 1 })).length, 1)
    })
  )

  test(
    "are called as usual where the keys of schemas are sorted for the model",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const prompt = yield* SystemPrompt
      yield* registry.register({
        name: "t",
        description: "",
        parameters: { type: "object", properties: { b: { not: { type: "string" } }, a: {} } },
        decode: Schema.Struct({ b: Schema.Finite }),
        handler: ({ b }) => Effect.succeed(b)
      })
      yield* prompt.listener({
        name: "sorts",
        edit: (assembly) => ({
          ...assembly,
          tools: assembly.tools.map(({ origin, schema }) => ({
            origin,
            schema: {
              name: schema.name,
              description: "Sorted",
              parameters: { properties: { a: {}, b: { not: { type: "string" } } }, type: "object" }
            }
          }))
        })
      })
      const view = yield* assembled
      assert.deepStrictEqual(Object.keys(view.tools[0]!.schema.parameters), ["properties", "type"])
      assert.strictEqual(yield* call(view, "t", { b: 1 }), 1)
    })
  )
})

// -----------------------------------------------------------------------------
// hostile ones
// -----------------------------------------------------------------------------

describe("hostile arguments", () => {
  const both = Effect.gen(function* () {
    const schema = yield* noting({
      name: "schema",
      parameters: Schema.Struct({ a: Schema.String, l: Schema.Array(Schema.Finite) })
    })
    const raw = yield* noting({
      name: "raw",
      parameters: {
        type: "object",
        properties: { a: { type: "string" }, l: { type: "array", items: { type: "number" } } },
        required: ["a", "l"]
      }
    })
    return [schema, raw] as const
  })

  /** What a host logs and a model reads is short. */
  const isShort = (error: ToolError.ToolError) => {
    assert.isBelow(error.message.length, 8_000)
    assert.isBelow(JSON.stringify(encoded(error)).length, 16_000)
  }

  test(
    "are refused in few words, or fail the call: the handler gets none of them",
    Effect.gen(function* () {
      const cycle: { a: unknown; l: Array<unknown> } = { a: {}, l: [] }
      cycle.a = cycle
      cycle.l.push(cycle)
      let deep: unknown = 1
      for (let i = 0; i < 10_000; i++) deep = [deep]
      const trap = () => {
        throw new Error("trap")
      }
      const million = "x".repeat(1_000_000)
      for (const one of yield* both) {
        for (const args of [
          cycle,
          { a: deep, l: deep },
          { a: 1, l: million },
          { [million]: 1, a: 1, l: [] },
          million,
          { a: Symbol("a"), l: [] },
          { a: 1n, l: [1n] },
          { a: "x", l: [1, , 2] }, // oxlint-disable-line no-sparse-arrays -- the hole is the point
          new Map([["a", "x"]]),
          () => ({ a: "x", l: [] })
        ]) {
          const error = yield* one.refuses(args)
          assert.strictEqual(error._tag, "InvalidToolArguments")
          isShort(error)
        }
        const getter = {
          get a() {
            return trap()
          },
          l: []
        }
        const proxy = new Proxy({}, { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap })
        for (const [args, said] of [
          [getter, "a getter is never run"],
          [proxy, "trap"],
          [{ [million]: undefined, a: "x", l: [] }, "undefined is not JSON"]
        ] as const) {
          const error = yield* one.refuses(args)
          assert.strictEqual(error._tag, "InvalidToolArguments")
          assert.include(error.message, said)
          isShort(error)
        }
      }
    })
  )

  test(
    "stay as they are, whatever the handler does with its own",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      const handler = (args: unknown) => {
        const { list } = args as { list: Array<number> }
        return Effect.sync(() => list.push(3))
      }
      const parameters = { type: "object" }
      yield* registry.register({ name: "grow", description: "", parameters, handler })
      const args = { list: [1, 2] }
      const error = yield* Effect.flip(registry.call(yield* assembled, "grow", args))
      assert.deepInclude(error, { _tag: "ToolFailure", reason: "died" })
      assert.deepStrictEqual(args, { list: [1, 2] })
    })
  )

  test(
    "with 100,000 problems: twenty are told, the others counted",
    Effect.gen(function* () {
      const args = { a: "x", l: Array.from({ length: 100_000 }, () => "no") }
      for (const one of yield* both) {
        const error = yield* one.refuses(args)
        if (error._tag !== "InvalidToolArguments") return assert.fail(error.message)
        assert.lengthOf(error.problems, 20)
        assert.strictEqual(error.problems[19]!.path, "$.l[19]")
        assert.strictEqual(error.more, 99_980)
        assert.include(error.message, "There are 99980 more problems.")
        isShort(error)
        const few = yield* one.refuses({ a: "x", l: args.l.slice(0, 20) })
        assert.notProperty(few, "more")
      }
    })
  )

  test(
    "with long paths and long names: each is cut",
    Effect.gen(function* () {
      const registry = yield* ToolRegistry
      yield* registry.register({
        name: "t",
        description: "",
        parameters: Schema.Record(Schema.String, Schema.Finite),
        handler: () => Effect.void
      })
      const error = yield* failed(yield* assembled, "t", { ["k".repeat(100_000)]: "x" })
      if (error._tag !== "InvalidToolArguments") return assert.fail(error.message)
      assert.strictEqual(error.problems[0]!.path.length, 300)
      assert.match(error.problems[0]!.path, /^\$\.k+…$/)
      isShort(error)
    })
  )

  test(
    "that are none of a thousand choices: those are cut, too",
    Effect.gen(function* () {
      const choices = Array.from({ length: 1_000 }, (_, i) => `choice-${i}`)
      for (const { refuses } of [
        yield* noting({ name: "schema", parameters: Schema.Struct({ x: Schema.Literals(choices) }) }),
        yield* noting({ name: "raw", parameters: { type: "object", properties: { x: { enum: choices } } } })
      ]) {
        const error = yield* refuses({ x: "none" })
        if (error._tag !== "InvalidToolArguments") return assert.fail(error.message)
        assert.lengthOf(error.problems, 1)
        assert.isAtMost(error.problems[0]!.reason.length, 300)
        assert.include(error.problems[0]!.reason, "choice-1")
        isShort(error)
      }
    })
  )

  test(
    "named like what all objects have: nothing is taken from a prototype or put into one",
    Effect.gen(function* () {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty"]
      const text = JSON.stringify(Object.fromEntries(names.slice(1).map((key) => [key, { polluted: 1 }])))
      const args: unknown = JSON.parse(`{"__proto__":{"polluted":1},${text.slice(1)}`)
      const raw = yield* noting({ name: "raw", parameters: anything })
      const record = yield* noting({ name: "record", parameters: Schema.Record(Schema.String, Schema.Unknown) })
      for (const { accepts } of [raw, record]) {
        const own = yield* accepts(args)
        assert.sameMembers(Object.keys(Object(own)), names)
        assert.notProperty(Object(Object.getPrototypeOf(own) ?? {}), "polluted")
      }
      assert.notProperty(Object({}), "polluted")
      const strict = yield* noting({
        parameters: { type: "object", properties: { toString: { type: "string" } }, required: ["toString"] }
      })
      assert.match(problems(yield* strict.refuses({})).join(), /^\$\.toString: /)
    })
  )

  test(
    "that take for ever to decode can be called off",
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const Endless = Schema.String.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.transformEffect((s: string) =>
            Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.never), Effect.as(s))
          ),
          encode: SchemaGetter.transform((s: string) => s)
        })
      )
      yield* noting({ parameters: Schema.Struct({ s: Endless }) })
      const fiber = yield* Effect.forkChild(call(yield* assembled, "t", { s: "x" }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue((yield* Fiber.await(fiber))._tag === "Failure")
    })
  )
})
