import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { isVariableName, rule, VariableName, type Checked } from "../src/VariableName.ts"

const decode = Schema.decodeUnknownSync(VariableName)

describe("VariableName", () => {
  const good = ["a", "model", "to_string", "constructor", "a1", "a_", "a__b", "x9_"]
  const bad = [
    "",
    " ",
    " a",
    "a ",
    "a\n",
    "\na",
    "a\r",
    "A",
    "aB",
    "1a",
    "_a",
    "__proto__",
    "a-b",
    "a.b",
    "é",
    "aé",
    "ａ"
  ]

  for (const name of good) {
    it(`accepts ${JSON.stringify(name)}`, () => {
      assert.isTrue(isVariableName(name))
      assert.strictEqual(VariableName.make(name), name)
    })
  }

  for (const name of bad) {
    it(`refuses ${JSON.stringify(name)}`, () => {
      assert.isFalse(isVariableName(name))
      assert.throws(() => VariableName.make(name))
      assert.throws(() => decode(name), `Expected a variable name (${rule})`)
    })
  }

  it("refuses what is no string", () => {
    for (const value of [undefined, null, 1, ["a"], { toString: () => "a" }]) assert.isFalse(isVariableName(value))
  })

  it("accepts exactly the names of the rule, for all strings of one or two ASCII characters", () => {
    const first = "abcdefghijklmnopqrstuvwxyz"
    const later = `${first}0123456789_`
    for (let i = 0; i < 128; i++) {
      const one = String.fromCharCode(i)
      assert.strictEqual(isVariableName(one), first.includes(one), JSON.stringify(one))
      for (let j = 0; j < 128; j++) {
        const two = String.fromCharCode(j)
        assert.strictEqual(
          isVariableName(one + two),
          first.includes(one) && later.includes(two),
          JSON.stringify(one + two)
        )
      }
    }
  })

  it("reaches a JSON Schema as a pattern", () => {
    assert.include(JSON.stringify(Schema.toJsonSchemaDocument(VariableName)), "^[a-z][a-z0-9_]*$")
  })

  it("decodes to a branded string", () => {
    expectTypeOf(decode("model")).toEqualTypeOf<VariableName>()
    expectTypeOf<VariableName>().toExtend<string>()
    expectTypeOf<string>().not.toExtend<VariableName>()
  })

  it("checks literal names while compiling", () => {
    expectTypeOf<Checked<"a">>().toEqualTypeOf<"a">()
    expectTypeOf<Checked<"model_2b">>().toEqualTypeOf<"model_2b">()
    expectTypeOf<Checked<VariableName>>().toEqualTypeOf<VariableName>()
    expectTypeOf<Checked<"">>().toEqualTypeOf<`not a variable name (${typeof rule}): `>()
    expectTypeOf<Checked<"A">>().toEqualTypeOf<`not a variable name (${typeof rule}): A`>()
    expectTypeOf<Checked<"_a">>().toEqualTypeOf<`not a variable name (${typeof rule}): _a`>()
    expectTypeOf<Checked<"1a">>().toEqualTypeOf<`not a variable name (${typeof rule}): 1a`>()
    expectTypeOf<Checked<"a-b">>().toEqualTypeOf<`not a variable name (${typeof rule}): a-b`>()
    expectTypeOf<Checked<"a\n">>().toEqualTypeOf<`not a variable name (${typeof rule}): a\n`>()
    expectTypeOf<Checked<string>>().toEqualTypeOf<"a variable name must be a literal, or a VariableName">()
  })
})
