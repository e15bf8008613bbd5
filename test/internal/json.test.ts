import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as json from "../../src/internal/json.ts"

const detached = (value: unknown) => Result.getOrThrow(json.inspect((walk) => json.detach(walk, value)))

const problem = (value: unknown) => Result.getOrThrow(Result.flip(json.inspect((walk) => json.detach(walk, value))))

/** The class that an instance is said to be of. */
const classOf = (constructor: unknown) =>
  /^an instance of (.*) is not plain JSON\./u.exec(problem(Object.create({ constructor })).reason)?.[1]

describe("what is no plain JSON", () => {
  const get = () => assert.fail("never run")
  for (const [title, value, path, reason] of [
    ["NaN", Number.NaN, "$", "NaN is not JSON. Write a finite number or leave it out."],
    [
      "undefined",
      [undefined],
      "$[0]",
      "undefined is not JSON. Give a value; a member that is optional can be left out."
    ],
    ["a function", () => 1, "$", "a function is not JSON. Leave it out: what is sent or stored is data."],
    [
      "an Effect Schema",
      { path: Schema.String },
      "$.path",
      "an Effect Schema is not JSON. Write what it describes as JSON."
    ],
    ["a BigInt", 1n, "$", "a BigInt is not JSON. Write a number or a string."],
    ["a symbol", Symbol("s"), "$", "a symbol is not JSON. Write a string."],
    ["an instance", new Date(0), "$", "an instance of Date is not plain JSON. Write what it stands for."],
    [
      "a getter",
      Object.defineProperty({}, "x", { get, enumerable: true }),
      "$.x",
      "a getter is never run. Put the value itself here."
    ],
    [
      "a symbol key",
      { a: { [Symbol("s")]: 1 } },
      "$.a",
      "the key Symbol(s) is a symbol, which JSON cannot carry. Use a string key or remove it."
    ],
    [
      "a named member of an array",
      Object.assign([1], { extra: 1 }),
      "$.extra",
      "an array in JSON has no named members. Remove it or use an object."
    ],
    [
      "a hole",
      Object.assign([1], { length: 2 }),
      "$[1]",
      "the array has a hole here. Fill it (`null` is a value) or shorten the array."
    ]
  ] as const) {
    it(`${title}: ${reason}`, () => assert.deepStrictEqual(problem(value), { path, reason }))
  }

  it("is found at its place, whatever stands before it", () => {
    assert.strictEqual(problem({ a: 1, b: { c: [], d: 2 }, e: [0, [1], { f: 3, g: undefined }] }).path, "$.e[2].g")
  })

  it("a class is named by what is known of it without running anything", () => {
    const named = (name: unknown) => Object.defineProperty(() => 1, "name", { value: name, configurable: true })
    const unnamed = named("")
    Reflect.deleteProperty(unnamed, "name")
    assert.strictEqual(classOf(Map), "Map")
    assert.strictEqual(classOf(unnamed), "a class")
    assert.strictEqual(classOf(named("")), "a class")
    assert.strictEqual(classOf(named(5)), "a class")
    assert.strictEqual(classOf({ name: "no function" }), "a class")
    assert.strictEqual(classOf(undefined), "a class")
  })

  it("what reading it throws is told, if it can be", () => {
    const throwing = (thrown: unknown) =>
      problem(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw thrown
            }
          }
        )
      ).reason
    assert.strictEqual(throwing(new Error("boom")), "reading it threw Error: boom. Give plain data.")
    assert.strictEqual(throwing("boom"), "reading it threw boom. Give plain data.")
    assert.strictEqual(throwing(Object.create(null)), "reading it threw a value that cannot be shown. Give plain data.")
  })
})

describe("what JSON passes over", () => {
  it("is no problem: symbol keys that are not enumerable, or that a Proxy only speaks of", () => {
    assert.deepStrictEqual(detached(Object.defineProperty({ a: 1 }, Symbol("s"), { value: 2 })), { a: 1 })
    const spoken = new Proxy({}, { ownKeys: () => [Symbol("s")], getOwnPropertyDescriptor: () => undefined })
    assert.deepStrictEqual(detached(spoken), {})
  })
})

describe("the bound", () => {
  it("is a million values, shared ones counted each time", () => {
    // One for the list, and for each part one and its members.
    const million = Array.from({ length: 999 }, () => Array.from({ length: 1000 }, () => 0))
    assert.strictEqual(json.inspect((walk) => (json.detach(walk, million), walk.values)).pipe(Result.getOrThrow), 1e6)
    assert.deepStrictEqual(problem([...million, 0]), {
      path: "$[999]",
      reason: "there are more than 1000000 values. Shorten it; a schema can share parts by `$ref`."
    })
  })
})

describe("-0", () => {
  it("becomes what JSON prints for it, and is refused at its place where nothing may be lost", () => {
    assert.strictEqual(1 / Number(detached(-0)), Number.POSITIVE_INFINITY)
    const lossless = (value: unknown) => json.inspect((walk) => json.detach(walk, value), "lossless")
    assert.deepStrictEqual(
      lossless({ a: [0, -0] }),
      Result.fail({ path: "$.a[1]", reason: "-0 does not come back from JSON. Write 0." })
    )
    assert.deepStrictEqual(lossless([0, -1]), Result.succeed([0, -1]))
  })
})

describe("detachObject", () => {
  it("takes an object and nothing else, and says what came instead", () => {
    const found = (value: unknown) =>
      Result.getOrThrow(Result.flip(json.inspect((walk) => json.detachObject(walk, value)))).reason
    for (const [value, what] of [
      [null, "null"],
      [undefined, "undefined"],
      ["", "an empty string"],
      ["x", "a string"],
      [1, "a number"],
      [[], "an array"],
      [() => 1, "a function"]
    ] as const) {
      assert.strictEqual(
        found(value),
        `expected a JSON object, found ${what}. Write { type: "object" } for a tool without parameters.`
      )
    }
    assert.strictEqual(json.describe({}), "an object")
    class Options extends Schema.Class<Options>("Options")({ path: Schema.String }) {}
    for (const schema of [Schema.Struct({ path: Schema.String }), Options]) {
      assert.strictEqual(found(schema), "an Effect Schema is not JSON. Write what it describes as JSON.")
    }
  })
})
