import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Owner } from "../../src/PromptError.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { check, patience, Tally } from "../support/check.ts"
import { runs } from "../support/runs.ts"
import { anew, harmless, others, placeIn } from "../support/toolChanges.ts"

// `fromUnknown` is what `isUnchanged` must agree with.

const owner: Owner = { kind: "tools", entry: "fs", scope: "global" }

const take = (input: unknown): ToolSchema.ToolSchema => Result.getOrThrow(ToolSchema.fromUnknown(input, owner))

const wouldBe = (input: unknown, before: ToolSchema.ToolSchema): boolean =>
  Result.match(ToolSchema.fromUnknown(input, owner), {
    onFailure: () => false,
    onSuccess: (schema) => ToolSchema.emit(schema) === ToolSchema.emit(before)
  })

/** Asks twice, since what is laid out the first time is used the second time. */
const unchanged = (input: unknown, before: ToolSchema.ToolSchema): boolean => {
  const first = ToolSchema.isUnchanged(input, before)
  assert.strictEqual(ToolSchema.isUnchanged(input, before), first)
  return first
}

const kinds = { ...harmless, ...others }

const tools = Arbitrary.map(
  Arbitrary.all({
    name: Arbitrary.schema(Schema.NonEmptyString),
    description: Arbitrary.schema(Schema.String),
    members: Arbitrary.schema(Schema.Record(Schema.String, Schema.MutableJson)),
    deferLoading: Arbitrary.schema(Schema.Boolean)
  }),
  ({ name, description, members, deferLoading }) => {
    const part = { type: "string", enum: ["read", "write"] }
    const list = [0, "a", null, [true], { 0: 0 }]
    const indexed = { 0: "x", 1: "y" }
    const parameters = { type: "object", zero: 0, part, twin: part, list, indexed, ...members }
    return { name, description, parameters, ...(deferLoading ? { deferLoading } : undefined) }
  }
)

describe("isUnchanged", () => {
  const tally = new Tally()
  const names = Object.keys(kinds)

  it.effect(
    "says what fromUnknown would make of it, whatever is done to a tool, and runs nothing of it",
    () =>
      check(
        Arbitrary.all({
          original: tools,
          name: Arbitrary.schema(Schema.Literals(names)),
          seed: Arbitrary.schema(Schema.Int)
        }),
        ({ original, name, seed }) =>
          Effect.sync(() => {
            const before = take(anew(original))
            let ran = 0
            const place = placeIn(anew(original), seed, () => (ran += 1))
            const input = kinds[name]?.(place)
            const same = unchanged(input, before)
            assert.strictEqual(same, wouldBe(input, before))
            if (name in harmless) assert.isTrue(same)
            assert.strictEqual(ran, 0, "a getter, setter or method ran")
            tally.count(same ? "unchanged" : "changed", ...(same === name in harmless ? [name] : []))
          }),
        { runs: runs(4000, 100_000), seed: 7 }
      ),
    patience
  )

  it("has met every kind, and most that is done to a tool changes it", () => {
    tally.assertShares("isUnchanged", {
      ...Object.fromEntries(names.map((name) => [name, 0.3])),
      unchanged: 25,
      changed: 60
    })
  })

  it("an array that is a proxy is asked for its values, not for their descriptors", () => {
    const tool = (list: unknown) => ({ name: "t", description: "d", parameters: { list } })
    const before = take(tool(["a"]))
    const shows = (get: string) =>
      tool(new Proxy(["a"], { get: (target, key) => (key === "0" ? get : Reflect.get(target, key)) }))
    assert.isTrue(unchanged(shows("a"), before))
    assert.isFalse(unchanged(shows("b"), before))
  })

  it("parameters that are frozen to the depth are not looked into again, and are not taken for others", () => {
    let looks = 0
    const ownKeys = (target: object) => {
      looks += 1
      return Reflect.ownKeys(target)
    }
    const frozen = (parameters: object) => new Proxy(Object.freeze(parameters), { ownKeys })
    const tool = (parameters: object) => ({ name: "t", description: "d", parameters })
    const [one, other] = [tool(frozen({ a: 1 })), tool(frozen({ a: 2 }))]
    const before = take(one)
    take(other)
    looks = 0
    assert.isTrue(unchanged(one, before))
    assert.isTrue(unchanged({ ...one }, before))
    assert.strictEqual(looks, 0)
    assert.isFalse(unchanged(other, before))
  })

  it("what was not made here is no schema to compare with", () => {
    const input = { name: "t", description: "d", parameters: { a: 1 } }
    const before = take(input)
    for (const copy of [{ ...before }, structuredClone(before), Object.freeze({ ...before })]) {
      assert.isFalse(unchanged(input, copy))
      assert.isFalse(unchanged(before, copy))
      assert.isFalse(unchanged(copy, copy))
    }
    assert.isTrue(unchanged(before, before))
    assert.isTrue(unchanged(structuredClone(before), before))
  })

  it("a member that differs is not made up for by one without a value", () => {
    const tool = (parameters: unknown) => ({ name: "t", description: "d", parameters })
    assert.isFalse(unchanged(tool({ a: 9, b: undefined }), take(tool({ a: 1, b: 2 }))))
    assert.isFalse(unchanged(tool({ a: [9, undefined] }), take(tool({ a: [1, 2] }))))
  })

  it("no parameters are the same as none, and a function is none of them, whatever it inherits", () => {
    const tool = (parameters: unknown) => ({ name: "t", description: "d", parameters })
    assert.isTrue(unchanged(tool({}), take(tool({}))))
    for (const prototype of [null, Object.prototype]) {
      assert.isFalse(unchanged(tool({ a: Object.setPrototypeOf(() => 1, prototype) }), take(tool({ a: {} }))))
    }
  })

  it("parts shared over and over, a value without end and one as deep as allowed come to an end", () => {
    const nest = (depth: number): unknown => (depth === 1 ? {} : { a: nest(depth - 1) })
    const tool = (parameters: unknown) => ({ name: "t", description: "d", parameters })
    let part: unknown = {}
    for (let i = 0; i < 60; i++) part = { a: part, b: part }
    const endless = (): object => new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: descriptor })
    const descriptor = () => ({ value: endless(), enumerable: true, configurable: true })
    const before = take(tool(nest(500)))
    for (const parameters of [part, endless(), nest(499), nest(501), nest(5000)]) {
      assert.isFalse(unchanged(tool(parameters), before))
    }
    assert.isTrue(unchanged(tool(nest(500)), before))
  })

  it("a member that every object inherits is none of the parameters", () => {
    const tool = (parameters: unknown) => ({ name: "t", description: "d", parameters })
    const before = take(tool({ a: 1, inherited: 2 }))
    const plain = take(tool({ a: 1 }))
    try {
      Reflect.set(Object.prototype, "inherited", 2)
      assert.isFalse(unchanged(tool({ a: 1 }), before))
      assert.isTrue(unchanged(tool({ a: 1, inherited: 2 }), before))
      // It may be said to differ, since it is read with what it inherits.
      assert.isFalse(unchanged(tool({ a: 1 }), plain))
    } finally {
      Reflect.deleteProperty(Object.prototype, "inherited")
    }
    assert.isTrue(unchanged(tool({ a: 1 }), plain))
  })
})
