import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidToolSchema, type Owner } from "../src/PromptError.ts"
import * as ToolSchema from "../src/ToolSchema.ts"
import { check, patience, Tally } from "./support/check.ts"
import { inOrder } from "./support/inOrder.ts"
import { runs } from "./support/runs.ts"
import * as keys from "./support/toolKeys.ts"

const owner: Owner = { kind: "tools", entry: "fs", scope: "agent", plugin: "core" }

const take = (input: unknown): ToolSchema.ToolSchema => Result.getOrThrow(ToolSchema.fromUnknown(input, owner))

const refusal = (input: unknown): InvalidToolSchema => {
  const result = ToolSchema.fromUnknown(input, owner)
  assert.isTrue(Result.isFailure(result), "expected a refusal")
  return Result.merge(Result.map(result, () => assert.fail("unreachable")))
}

const withParameters = (parameters: unknown) => ({ name: "t", description: "d", parameters })

const at = (parameters: unknown): string => refusal(withParameters(parameters)).path

/** Every object in a value, itself first. */
const containers = (value: unknown, found: Array<object> = []): Array<object> => {
  if (typeof value !== "object" || value === null) return found
  found.push(value)
  for (const key of Object.keys(value)) containers(Reflect.get(value, key), found)
  return found
}

const nest = (depth: number): unknown => {
  let value: unknown = {}
  for (let i = 2; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value]
  return { a: value }
}

const name = Arbitrary.schema(Schema.NonEmptyString)
const parameters = Arbitrary.schema(Schema.Record(Schema.String, Schema.MutableJson))
const tool = Arbitrary.all({
  name,
  description: Arbitrary.schema(Schema.String),
  parameters,
  deferLoading: Arbitrary.schema(Schema.Union([Schema.Boolean, Schema.Json])),
  timeoutMs: Arbitrary.schema(Schema.Number),
  output: Arbitrary.schema(Schema.Json)
})

describe("projection", () => {
  it("[79, BC-037] only the allow-listed fields survive, a user's own property of such a name too", () => {
    const inner = { type: "object", properties: { _background: { type: "boolean" }, execute: { type: "string" } } }
    const self = take({
      ...withParameters(inner),
      execute: () => 1,
      timeoutMs: 5,
      output: {},
      presentCall: () => "",
      annotations: { title: "x" },
      deferLoading: false
    })
    assert.deepStrictEqual(Object.keys(self), ["name", "description", "parameters"])
    assert.deepStrictEqual(self, { name: "t", description: "d", parameters: inner })
  })

  it("[80] deferLoading is kept when it is exactly true", () => {
    for (const deferLoading of [false, undefined, null, "true", 1, {}]) {
      assert.isFalse(Object.hasOwn(take({ ...withParameters({}), deferLoading }), "deferLoading"))
    }
    assert.isTrue(take({ ...withParameters({}), deferLoading: true }).deferLoading)
  })

  it("BC-002: braces in a schema are no template", () => {
    const input = { name: "fill", description: "Replaces {{name}}.", parameters: { description: "{{ x" } }
    assert.deepStrictEqual(take(input), input)
  })

  it("takes class instances as tools, by their own fields", () => {
    class Tool {
      name = "t"
      description = ""
      parameters = { type: "object" }
      execute() {}
    }
    assert.deepStrictEqual(take(new Tool()), { name: "t", description: "", parameters: { type: "object" } })
    assert.strictEqual(refusal(Object.create(withParameters({}))).path, "$.name")
  })

  it("keeps the author's order of keys, which is part of the bytes", () => {
    const self = take(withParameters({ z: 1, a: { y: 1, b: 2 } }))
    assert.strictEqual(ToolSchema.emit(self), `{"name":"t","description":"d","parameters":{"z":1,"a":{"y":1,"b":2}}}`)
  })

  it("holds what is emitted: -0 becomes 0", () => {
    const self = take(withParameters({ minimum: -0, enum: [-0] }))
    assert.isTrue(Object.is(self.parameters["minimum"], 0))
    assert.deepStrictEqual(self.parameters, { minimum: 0, enum: [0] })
  })

  it("keeps an own __proto__ key without touching a prototype", () => {
    const text = `{"__proto__":{"polluted":1},"a":{"__proto__":2}}`
    const self = take(withParameters(JSON.parse(text)))
    assert.strictEqual(JSON.stringify(self.parameters), text)
    assert.strictEqual(Object.getPrototypeOf(self.parameters), Object.prototype)
    assert.isTrue(containers(self).every((one) => Object.isFrozen(one)))
    assert.isFalse("polluted" in {})
  })

  it("passes over what is not enumerable, as JSON does: schema libraries keep their own things there", () => {
    const inner = Object.defineProperty({ type: "object" }, "~standard", { value: { validate: () => 1 } })
    assert.deepStrictEqual(take(withParameters(inner)).parameters, { type: "object" })
  })

  it("takes parts that are shared without a cycle, and objects without a prototype", () => {
    const part = { type: "string" }
    assert.deepStrictEqual(take(withParameters({ a: part, b: [part, part] })).parameters, { a: part, b: [part, part] })
    assert.deepStrictEqual(take(withParameters(Object.assign(Object.create(null), { a: 1 }))).parameters, { a: 1 })
  })

  it.prop("any JSON tool is JSON-equal to its allow-listed part", [tool], ([input]) => {
    const { deferLoading, description, name, parameters } = input
    const expected = { name, description, parameters, ...(deferLoading === true ? { deferLoading } : undefined) }
    assert.strictEqual(JSON.stringify(take(input)), JSON.stringify(expected))
    assert.strictEqual(ToolSchema.emit(take(input)), JSON.stringify(expected))
  })

  it.prop("the result is frozen to the depth and shares no object with the input", [tool], ([input]) => {
    const mine = new Set(containers(input))
    const found = containers(take(input))
    assert.isTrue(found.every((one) => Object.isFrozen(one) && !mine.has(one)))
  })
})

describe("identity", () => {
  it("[81] a provider that changes its object is seen next time and changes no earlier result", () => {
    const parameters = { properties: { a: { type: "string" } }, required: ["a"] }
    const input = withParameters(parameters)
    const before = take(input)
    const text = ToolSchema.emit(before)
    Object.assign(parameters, { properties: {}, required: [] })
    assert.strictEqual(JSON.stringify(before), text)
    assert.deepStrictEqual(take(input).parameters, { properties: {}, required: [] })
    assert.isFalse(Reflect.set(before.parameters, "x", 1))
    assert.isFalse(Object.isFrozen(parameters))
  })

  it.prop("a schema comes back as it is", [tool], ([input]) => {
    const self = take(input)
    assert.strictEqual(take(self), self)
    assert.isTrue(ToolSchema.isToolSchema(self))
    assert.isFalse(ToolSchema.isToolSchema({ ...self }))
    assert.isFalse(ToolSchema.isToolSchema(input))
  })

  it("parameters that are frozen to the depth are copied once, under any name", () => {
    const parameters = Object.freeze({ required: Object.freeze(["a"]), minimum: -0 })
    const first = take({ name: "a", description: "d", parameters })
    assert.strictEqual(take({ name: "a", description: "d", parameters }), first)
    for (const change of [{ name: "b" }, { description: "e" }, { deferLoading: true }]) {
      take({ name: "a", description: "d", parameters })
      const other = take({ name: "a", description: "d", parameters, ...change })
      assert.strictEqual(other.parameters, first.parameters)
      assert.deepStrictEqual(other, { ...first, ...change })
    }
  })

  it("parameters that are frozen only outside are copied every time", () => {
    const required = ["a"]
    const input = withParameters(Object.freeze({ required }))
    const first = take(input)
    required.push("b")
    assert.deepStrictEqual(take(input).parameters, { required: ["a", "b"] })
    assert.deepStrictEqual(first.parameters, { required: ["a"] })
  })

  it("an edited copy keeps the parameters that were copied here, and is checked again", () => {
    const self = take(withParameters({ a: [1] }))
    assert.strictEqual(take({ ...self, description: "other" }).parameters, self.parameters)
    assert.strictEqual(refusal({ ...self, name: "" }).path, "$.name")
  })
})

describe("refusals", () => {
  class Custom {
    readonly field = 1
  }
  const cycle: { self?: unknown } = {}
  cycle.self = [cycle]

  it("[82] a function in the parameters names the tool, its owner and the place", () => {
    const error = refusal(withParameters({ properties: { a: { default: () => 1 } } }))
    assert.strictEqual(error._tag, "InvalidToolSchema")
    assert.deepInclude(error, { ...owner, tool: "t", path: "$.parameters.properties.a.default" })
    assert.match(
      error.message,
      /^tool "t" from tool provider "fs" of scope "agent" \(plugin "core"\) is invalid at \$\./
    )
    assert.match(error.message, /function is not JSON/)
  })

  it("an Effect Schema as a provider's parameters says who takes one, and elsewhere that it is not JSON", () => {
    const whole = withParameters(Schema.Struct({ path: Schema.String }))
    const nested = withParameters({ properties: { path: Schema.String } })
    const registered = { kind: "tool", entry: "t", scope: "agent" } as const
    const asJson = "an Effect Schema is not JSON. Write what it describes as JSON."
    const byPlugin =
      "an Effect Schema is not JSON. Register the tool with Plugin.tool, which takes one, or write a JSON Schema."
    for (const [input, by, path, reason] of [
      [whole, owner, "$.parameters", byPlugin],
      [whole, registered, "$.parameters", asJson],
      [nested, owner, "$.parameters.properties.path", asJson],
      [nested, registered, "$.parameters.properties.path", asJson]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(ToolSchema.fromUnknown(input, by)))
      assert.deepStrictEqual([error.path, error.reason], [path, reason])
    }
  })

  for (const [title, value, word] of [
    ["a symbol", Symbol("s"), "symbol"],
    ["NaN", Number.NaN, "NaN"],
    ["Infinity", Number.POSITIVE_INFINITY, "Infinity"],
    ["-Infinity", Number.NEGATIVE_INFINITY, "-Infinity"],
    ["a BigInt", 1n, "BigInt"],
    ["undefined", undefined, "undefined"],
    ["a Date", new Date(0), "Date"],
    ["a Map", new Map(), "Map"],
    ["a class instance", new Custom(), "Custom"],
    ["an object with another prototype", Object.create({}), "a class"],
    ["a boxed number", Object(1), "Number"],
    ["a cycle", cycle, "contains itself"]
  ] as const) {
    it(`BC-041: ${title} is refused where it stands, in objects and arrays`, () => {
      const tail = value === cycle ? ".self[0]" : ""
      assert.strictEqual(at({ properties: { a: { default: value } } }), `$.parameters.properties.a.default${tail}`)
      assert.strictEqual(at({ enum: ["a", "b", value] }), `$.parameters.enum[2]${tail}`)
      assert.include(refusal(withParameters({ x: value })).reason, word)
    })
  }

  it("BC-041: parameters must be an object", () => {
    for (const parameters of ["string", null, undefined, 1, [], () => 1]) {
      assert.strictEqual(at(parameters), "$.parameters")
    }
    assert.strictEqual(at(cycle), "$.parameters.self[0]")
    assert.include(refusal(withParameters([])).reason, "found an array")
  })

  it("says what is expected of a tool and its name and description, and what came instead", () => {
    for (const [input, path, reason] of [
      [null, "$", "expected a tool with name, description and parameters, found null."],
      [[], "$", "expected a tool with name, description and parameters, found an array."],
      [
        { ...withParameters({}), name: "" },
        "$.name",
        "expected a non-empty string, found an empty string. Name the tool."
      ],
      [{ ...withParameters({}), name: 1 }, "$.name", "expected a non-empty string, found a number. Name the tool."],
      [
        { ...withParameters({}), description: undefined },
        "$.description",
        "expected a string, found undefined. Say what the tool does."
      ]
    ] as const) {
      assert.deepInclude(refusal(input), { path, reason })
    }
  })

  it("refuses holes, named members of arrays and symbol keys", () => {
    // oxlint-disable-next-line no-sparse-arrays
    assert.strictEqual(at({ enum: ["a", , "c"] }), "$.parameters.enum[1]")
    assert.strictEqual(at({ enum: Object.assign([1, 2], { length: 3 }) }), "$.parameters.enum[2]")
    assert.strictEqual(at({ enum: Object.assign(["a"], { extra: 1 }) }), "$.parameters.enum.extra")
    assert.strictEqual(at({ enum: Object.assign(["a"], { [Symbol("s")]: 1 }) }), "$.parameters.enum")
    assert.strictEqual(at({ a: { [Symbol("s")]: 1 } }), "$.parameters.a")
  })

  it("refuses getters without running them", () => {
    let runs = 0
    const get = () => (runs += 1)
    const trap = (target: object, key: string) => Object.defineProperty(target, key, { get, enumerable: true })
    assert.strictEqual(at(trap({}, "x")), "$.parameters.x")
    assert.strictEqual(at({ enum: trap([1], "0") }), "$.parameters.enum[0]")
    for (const key of ["name", "description", "parameters", "deferLoading"]) {
      assert.strictEqual(refusal(trap(withParameters({}), key)).path, `$.${key}`)
    }
    assert.strictEqual(runs, 0)
  })

  it("a proxy that throws, whatever it throws, is a refusal", () => {
    const hostile: object = new Proxy({}, { getPrototypeOf: () => assert.fail("never shown") })
    for (const thrown of [new Error("boom"), "boom", undefined, Object.create(null), hostile]) {
      const boom = () => {
        throw thrown
      }
      for (const trap of ["ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"] as const) {
        const proxy: object = new Proxy({ a: 1 }, { [trap]: boom })
        assert.match(at({ x: proxy }), /^\$\.parameters\.x/)
        if (trap !== "getPrototypeOf") assert.match(refusal(proxy).path, /^\$/)
      }
    }
    for (const thrown of ["boom", new Error("boom")]) {
      const ownKeys = () => {
        throw thrown
      }
      assert.include(refusal(withParameters(new Proxy({}, { ownKeys }))).reason, "boom")
    }
    const revoked = Proxy.revocable([], {})
    revoked.revoke()
    assert.strictEqual(at({ x: revoked.proxy }), "$.parameters.x")
    assert.strictEqual(refusal(revoked.proxy).path, "$")
  })

  it("a value without end is a refusal", () => {
    const endless = (): object => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: descriptor })
    const descriptor = () => ({ value: endless(), enumerable: true, configurable: true })
    assert.include(refusal(withParameters(endless())).reason, "nested deeper")
  })

  it("nesting has a bound far above any schema and far below the stack", () => {
    const self = take(withParameters(nest(500)))
    assert.strictEqual(JSON.parse(ToolSchema.emit(self)).name, "t")
    for (const depth of [501, 100_000]) {
      const error = refusal(withParameters(nest(depth)))
      assert.include(error.reason, "500 levels")
      assert.match(error.path, /^\$\.parameters\.a.{1,8}$/, "the beginning of the path is enough")
    }
  })

  it("parts shared over and over do not explode", () => {
    let part: unknown = {}
    for (let i = 0; i < 60; i++) part = { a: part, b: part }
    assert.include(refusal(withParameters(part)).reason, "values")
  })

  it("quotes keys that are no names of a JSONPath", () => {
    for (const [key, path] of [
      ["x-y", `["x-y"]`],
      ["", `[""]`],
      ["0", `["0"]`],
      ['"\n', String.raw`["\"\n"]`],
      ["$ref", `["$ref"]`],
      ["é", `["é"]`],
      ["_a1", "._a1"],
      ["__proto__", ".__proto__"]
    ] as const) {
      const parameters = Object.defineProperty({}, key, { value: undefined, enumerable: true })
      assert.strictEqual(at(parameters), `$.parameters${path}`)
    }
  })

  it("checks name, description and the tool itself", () => {
    for (const input of [undefined, null, "tool", 1, Symbol("s"), [], () => 1])
      assert.strictEqual(refusal(input).path, "$")
    for (const bad of [undefined, "", 1, {}]) {
      assert.deepInclude(refusal({ ...withParameters({}), name: bad }), { path: "$.name", tool: "" })
    }
    for (const bad of [undefined, null, 1, {}]) {
      assert.deepInclude(refusal({ ...withParameters({}), description: bad }), { path: "$.description", tool: "t" })
    }
    assert.strictEqual(take({ name: "t", description: "", parameters: {} }).description, "")
  })

  const strangers = [() => 1, Symbol("s"), Number.NaN, 1n, undefined, new Date(0), new Set(), new Custom(), cycle]

  it.prop(
    "one foreign value anywhere is found at its place",
    [parameters, Arbitrary.schema(Schema.Array(Schema.Natural)), Arbitrary.schema(Schema.Natural)],
    ([root, steps, choice]) => {
      let path = "$.parameters"
      let parent: object = root
      for (const step of steps) {
        const inner = Object.entries(parent).filter(([, value]) => typeof value === "object" && value !== null)
        const [key, value] = inner[step % Math.max(1, inner.length)] ?? []
        if (key === undefined) break
        path += Array.isArray(parent) ? `[${key}]` : quoted(key)
        parent = value
      }
      const key = Array.isArray(parent) ? String(parent.length) : "stranger"
      path += Array.isArray(parent) ? `[${key}]` : ".stranger"
      const value = strangers[choice % strangers.length]
      Reflect.set(parent, key, value)
      assert.strictEqual(at(root), value === cycle ? `${path}.self[0]` : path)
    },
    { arbitrary: { runs: 400 } }
  )

  const quoted = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)

  it("errors survive encoding", () => {
    const error = refusal(withParameters(null))
    const encoded = JSON.stringify(Schema.encodeUnknownSync(InvalidToolSchema)(error))
    assert.deepStrictEqual(Schema.decodeUnknownSync(InvalidToolSchema)(JSON.parse(encoded)), error)
  })
})

describe("make, emit", () => {
  it("make takes what an author writes and throws the typed error", () => {
    const self = ToolSchema.make({ name: "t", description: "d", parameters: { type: "object" }, execute: () => 1 })
    assert.strictEqual(take(self), self)
    const thrown = Result.getOrThrow(
      Result.flip(Result.try(() => ToolSchema.make({ name: "", description: "d", parameters: {} })))
    )
    assert.instanceOf(thrown, InvalidToolSchema)
    assert.deepInclude(thrown, { kind: "tools", entry: "", scope: "global" })
  })

  it("types: host fields, interfaces and classes are inputs", () => {
    interface HostTool {
      name: string
      description: string
      parameters: { type: string }
      execute: () => number
    }
    expectTypeOf<HostTool>().toExtend<ToolSchema.Input>()
    expectTypeOf<ToolSchema.ToolSchema>().toExtend<ToolSchema.Input>()
    expectTypeOf<{ name: string }>().not.toExtend<ToolSchema.Input>()
    expectTypeOf<HostTool & { parameters: Record<string, unknown> }>().toExtend<ToolSchema.Input>()
    const struct = Schema.Struct({ path: Schema.String })
    expectTypeOf<{ name: string; description: string; parameters: typeof struct }>().not.toExtend<ToolSchema.Input>()
    expectTypeOf(ToolSchema.make).returns.toEqualTypeOf<ToolSchema.ToolSchema>()
  })

  it("emit has one order of fields, whatever the order of the object", () => {
    const odd = { deferLoading: true, parameters: { b: 1, a: 2 }, description: "d", name: "t" } as const
    const text = `{"name":"t","description":"d","parameters":{"b":1,"a":2},"deferLoading":true}`
    assert.strictEqual(ToolSchema.emit(odd), text)
    assert.strictEqual(ToolSchema.emit(take(odd)), text)
  })

  it("emit keeps no text of an object that may still change", () => {
    const open = { name: "t", description: "d", parameters: { a: 1 } }
    assert.include(ToolSchema.emit(open), `"a":1`)
    open.parameters.a = 2
    assert.include(ToolSchema.emit(open), `"a":2`)
  })
})

describe("emitAll", () => {
  it("is the list of what `emit` gives, as one JSON text, empty of none", () => {
    const [a, b] = ["a", "b"].map((name) => ({ name, description: "d", parameters: { type: "object" } }))
    assert.strictEqual(ToolSchema.emitAll([]), "[]")
    assert.strictEqual(ToolSchema.emitAll([a!]), `[${ToolSchema.emit(a!)}]`)
    assert.strictEqual(ToolSchema.emitAll([b!, a!]), `[${ToolSchema.emit(b!)},${ToolSchema.emit(a!)}]`)
  })
})

describe("sortKeys, canonical", () => {
  const sorted = (parameters: unknown): string =>
    JSON.stringify(ToolSchema.sortKeys(take(withParameters(parameters))).parameters)

  it("sorts the keys of objects at every depth, in lists too, and leaves lists as they are", () => {
    const self = take({
      ...withParameters({
        type: "object",
        required: ["b", "a"],
        properties: {
          b: { type: "string", enum: ["z", "y"] },
          a: { anyOf: [{ type: "null", const: null }, { $ref: "#" }] }
        }
      }),
      deferLoading: true
    })
    const text =
      `{"name":"t","description":"d","parameters":{"properties":{"a":{"anyOf":[{"const":null,"type":"null"},{"$ref":"#"}]},` +
      `"b":{"enum":["z","y"],"type":"string"}},"required":["b","a"],"type":"object"},"deferLoading":true}`
    assert.strictEqual(ToolSchema.emit(ToolSchema.sortKeys(self)), text)
    assert.strictEqual(ToolSchema.canonical(self), text)
    assert.isTrue(ToolSchema.isToolSchema(ToolSchema.sortKeys(self)))
    assert.isFalse(Object.hasOwn(ToolSchema.sortKeys(take(withParameters({ b: 1, a: 1 }))), "deferLoading"))
  })

  it("sorts by code units: upper case first, and pairs of surrogates before the end of the basic plane", () => {
    assert.strictEqual(sorted({ b: 1, a: 1, B: 1, aa: 1, "": 1, é: 1 }), `{"":1,"B":1,"a":1,"aa":1,"b":1,"é":1}`)
    assert.strictEqual(sorted({ "\uffff": 1, "\u{1f600}": 1 }), `{"\u{1f600}":1,"\uffff":1}`)
  })

  it("has keys that look like indices first, by their number, since objects have them nowhere else", () => {
    const given = { b: 1, "10": 1, "01": 1, "9": 1, "4294967295": 1, "4294967294": 1, "-1": 1, "0": 1 }
    const text = `{"0":1,"9":1,"10":1,"4294967294":1,"-1":1,"01":1,"4294967295":1,"b":1}`
    assert.strictEqual(sorted(given), text)
    const self = take(withParameters(JSON.parse(text)))
    assert.strictEqual(ToolSchema.sortKeys(self), self)
  })

  it("keeps an own __proto__ key, where it belongs, without touching a prototype", () => {
    const given = `{"b":{"a":1,"__proto__":{"d":1,"c":1}},"__proto__":{"polluted":1},"Z":1,"constructor":1}`
    const self = ToolSchema.sortKeys(take(withParameters(JSON.parse(given))))
    const text = `{"Z":1,"__proto__":{"polluted":1},"b":{"__proto__":{"c":1,"d":1},"a":1},"constructor":1}`
    assert.strictEqual(JSON.stringify(self.parameters), text)
    for (const one of keys.objectsIn(self.parameters)) assert.strictEqual(Object.getPrototypeOf(one), Object.prototype)
    assert.isFalse("polluted" in {})
  })

  it("gives back what is sorted, whole or in part, and works once for each schema", () => {
    const self = take(withParameters({ a: [{ b: 1 }], c: { d: 1, e: 1 } }))
    assert.strictEqual(ToolSchema.sortKeys(self), self)
    const other = take(withParameters({ z: { a: [1] }, y: { b: 1, a: 1 }, x: [{ b: 1 }] }))
    const once = ToolSchema.sortKeys(other)
    assert.strictEqual(ToolSchema.sortKeys(other), once)
    assert.strictEqual(once.parameters["z"], other.parameters["z"])
    assert.strictEqual(once.parameters["x"], other.parameters["x"])
    assert.notStrictEqual(once.parameters["y"], other.parameters["y"])
  })

  it("reaches as deep as schemas do", () => {
    let text = `{"b":1,"a":1}`
    for (let i = 1; i < 500; i++) text = i % 2 === 0 ? `{"d":${text},"c":1}` : `[${text}]`
    const depths = ToolSchema.canonical(take(withParameters({ a: JSON.parse(text.slice(1, -1)) })))
    assert.include(depths, `{"a":1,"b":1}`)
    assert.notInclude(depths, `{"d":`)
  })

  it("makes what was not made here, as make does: it may change later, or be no tool", () => {
    const open = { name: "t", description: "d", parameters: { a: { c: 1 } }, execute: () => 1 }
    const self = ToolSchema.sortKeys(open)
    assert.isTrue(ToolSchema.isToolSchema(self))
    assert.strictEqual(ToolSchema.canonical(open), ToolSchema.emit(self))
    open.parameters.a.c = 2
    assert.deepStrictEqual(self.parameters, { a: { c: 1 } })
    assert.include(ToolSchema.canonical(open), `"c":2`)
    const broken = { ...open, parameters: { a: Number.NaN } }
    for (const f of [ToolSchema.sortKeys, ToolSchema.canonical]) assert.throws(() => f(broken), InvalidToolSchema)
  })

  it.effect(
    "of any schema: sorted at every depth, the same but for that, once and for all, and the author's own stays as it is",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          keys.written,
          (input) =>
            Effect.sync(() => {
              const self = take(input)
              const before = ToolSchema.emit(self)
              const sorted = ToolSchema.sortKeys(self)

              const objects = keys.objectsIn(sorted.parameters)
              for (const one of objects) assert.isTrue(keys.isSorted(one), JSON.stringify(one))
              assert.deepStrictEqual(sorted, self)
              for (const one of keys.containersIn(sorted)) assert.isTrue(Object.isFrozen(one))

              assert.strictEqual(ToolSchema.sortKeys(sorted), sorted)
              assert.strictEqual(ToolSchema.canonical(self), ToolSchema.emit(sorted))
              assert.strictEqual(ToolSchema.canonical(sorted), ToolSchema.emit(sorted))
              assert.strictEqual(
                JSON.stringify(sorted),
                JSON.stringify({ ...self, parameters: inOrder(input.parameters) })
              )
              assert.strictEqual(ToolSchema.canonical(take({ ...sorted })), ToolSchema.canonical(take(input)))

              const was = keys.objectsIn(input.parameters).every(keys.isSorted)
              assert.strictEqual(sorted === self, was)
              const { deferLoading, ...shown } = input
              assert.strictEqual(before, JSON.stringify({ ...shown, ...(deferLoading ? { deferLoading } : undefined) }))
              assert.strictEqual(ToolSchema.emit(take(input)), before)
              assert.strictEqual(JSON.stringify(self), before)

              const all = objects.flatMap(Object.keys)
              tally.count(
                was ? "sorted" : "unsorted",
                ...(keys.objectsIn(input.parameters).slice(1).every(keys.isSorted) ? [] : ["unsorted inside"]),
                ...(all.some(keys.isIndex) ? ["index"] : []),
                ...(all.includes("__proto__") ? ["__proto__"] : []),
                ...(keys.containersIn(sorted).some((one) => Array.isArray(one) && one.length > 1) ? ["list"] : [])
              )
            }),
          { runs: runs(1_000, 50_000), seed: 1 }
        )
        tally.assertShares("sorting keys", {
          sorted: 10,
          unsorted: 30,
          "unsorted inside": 15,
          index: 30,
          __proto__: 10,
          list: 10
        })
      }),
    patience
  )
})

describe("Equivalence, Order", () => {
  const sign = (n: number) => Math.sign(n)

  it("Equivalence passes over the order of keys, and over nothing else", () => {
    const self = take(withParameters({ a: [1, 2], b: { c: 1, d: 2 } }))
    assert.isTrue(ToolSchema.Equivalence(self, take(withParameters({ b: { d: 2, c: 1 }, a: [1, 2] }))))
    assert.isFalse(ToolSchema.Equivalence(self, take(withParameters({ a: [2, 1], b: { c: 1, d: 2 } }))))
    for (const change of [{ name: "u" }, { description: "e" }, { deferLoading: true }]) {
      assert.isFalse(ToolSchema.Equivalence(self, take({ ...self, ...change })))
    }
  })

  it("[78] Order keeps what differs in the order of keys together, whatever else there is", () => {
    const texts = [`{"c":1,"a":1}`, `{"a":1,"c":1}`, `{"b":1}`, `{"a":1,"c":2}`]
    const made = texts.map((text) => take(withParameters(JSON.parse(text))))
    const expected = [`{"a":1,"c":1}`, `{"c":1,"a":1}`, `{"a":1,"c":2}`, `{"b":1}`]
    for (const all of [made, made.toReversed()]) {
      assert.deepStrictEqual(
        all.toSorted(ToolSchema.Order).map(({ parameters }) => JSON.stringify(parameters)),
        expected
      )
    }
  })

  it.effect(
    "equal exactly where nothing but the order of keys differs, as Node says; Order is zero for equal text alone",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          keys.pair,
          ([a, b]) =>
            Effect.sync(() => {
              const [x, y] = [take(a), take(b)]
              const same = keys.saysSame(a, b)
              assert.strictEqual(ToolSchema.Equivalence(x, y), same)
              assert.strictEqual(ToolSchema.Equivalence(y, x), same)
              assert.strictEqual(ToolSchema.canonical(x) === ToolSchema.canonical(y), same)
              const sameText = ToolSchema.emit(x) === ToolSchema.emit(y)
              assert.strictEqual(ToolSchema.Order(x, y) === 0, sameText)
              assert.strictEqual(ToolSchema.Order(x, take(a)), 0)
              tally.count(same ? (sameText ? "same text" : "other order of keys") : "different")
            }),
          { runs: runs(1_000, 50_000), seed: 1 }
        )
        tally.assertShares("equivalence", { "same text": 10, "other order of keys": 10, different: 30 })
      }),
    patience
  )

  it.effect(
    "[78, BC-007] Order is total, and by canonical text before the emitted one",
    () =>
      Effect.gen(function* () {
        const tally = new Tally()
        yield* check(
          Arbitrary.all([keys.pair, keys.pair]),
          ([[a, b], [c]]) =>
            Effect.sync(() => {
              const [x, y, z] = [take(a), take(b), take(c)]
              for (const [p, q, r] of [
                [x, y, z],
                [y, z, x],
                [z, x, y],
                [z, y, x]
              ] as const) {
                assert.strictEqual(sign(ToolSchema.Order(p, q)) + sign(ToolSchema.Order(q, p)), 0)
                if (ToolSchema.Order(p, q) <= 0 && ToolSchema.Order(q, r) <= 0) {
                  assert.isAtMost(ToolSchema.Order(p, r), 0)
                }
                const [m, n] = [ToolSchema.canonical(p), ToolSchema.canonical(q)]
                const isFirst = m === n ? ToolSchema.emit(p) < ToolSchema.emit(q) : m < n
                assert.strictEqual(ToolSchema.Order(p, q) < 0, isFirst)
              }
              const [canonical, emitted] = [ToolSchema.canonical, ToolSchema.emit].map((of) => of(x) < of(y))
              tally.count(canonical === emitted ? "agree" : "differ")
            }),
          { runs: runs(500, 30_000), seed: 1 }
        )
        tally.assertShares("order", { agree: 30, differ: 5 })
      }),
    patience
  )
})
