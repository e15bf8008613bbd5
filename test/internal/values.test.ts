import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as values from "../../src/internal/values.ts"
import type * as Overlay from "../../src/Overlay.ts"
import * as Plan from "../../src/Plan.ts"
import * as Template from "../../src/Template.ts"
import * as ToolOrder from "../../src/ToolOrder.ts"
import { assemble, overlay, refused } from "../support/known.ts"
import { untyped } from "../support/untyped.ts"

const tool = (name: string) => ({ name, description: "", parameters: {} })

/** What an untyped plugin may contribute. */
const providing = (tools: unknown) => [overlay({ tools: [{ name: "fs", tools: untyped(tools) }] })]

const failure = (options: Overlay.Options) => {
  const error = refused([overlay(options)])
  assert.strictEqual(error._tag, "ProviderFailure")
  return error._tag === "ProviderFailure" ? [error.reason, String(error.cause)] : []
}

describe("a value of the wrong kind", () => {
  const boom = () => {
    throw new RangeError("boom")
  }
  const hostile = new Proxy({}, { get: boom, has: boom, getPrototypeOf: boom })

  it("is refused with what its provider must give, and what it gave", () => {
    const section = (text: unknown) => ({ sections: [{ name: "s", order: 0, text: untyped(text) }] })
    assert.deepStrictEqual(failure(section(5)), ["must give a string or a Template", "TypeError: got the number 5"])
    assert.deepStrictEqual(failure(section(hostile)), ["gave a value that cannot be read", "RangeError: boom"])
    assert.deepStrictEqual(failure({ variables: [{ name: "v", value: untyped(null) }] }), [
      "must give a string, or undefined for no value",
      "TypeError: got null"
    ])
    for (const [tools, reason, got] of [
      [undefined, "must give an array of tools, or { schemas, knownNames }", "undefined"],
      ["fs", "must give an array of tools, or { schemas, knownNames }", "a string"],
      [{ schemas: { length: 0 } }, "must give an array of tools, or { schemas, knownNames }", "an object"],
      [{ schemas: [], knownNames: "a" }, "must give knownNames as an array of strings", "a string"],
      [{ schemas: [], knownNames: ["a", 5] }, "must give knownNames as an array of strings", "an array"]
    ] as const) {
      assert.deepStrictEqual(failure({ tools: [{ tools: untyped(tools) }] }), [reason, `TypeError: got ${got}`])
    }
  })
})

describe("a Template that a provider gives", () => {
  it("is refused where the text is data, since nobody would fill in its references", () => {
    const data = overlay({ sections: [{ name: "s", order: 0, text: "", interpolate: false }] })
    const [planned] = Result.getOrThrow(Plan.make("global", [data])).sections
    const refusal = Result.getOrThrow(Result.flip(values.textStep(planned!).accept(Template.text`x`)))
    assert.deepInclude(refusal, { _tag: "ProviderFailure", kind: "section", entry: "s", reason: "must give a string" })
  })
})

describe("tools", () => {
  it("one that is no tool, or is named like the rest marker, is refused as such", () => {
    const error = refused(providing([tool("a"), { ...tool("b"), name: "" }]))
    assert.deepInclude(error, { _tag: "InvalidToolSchema", entry: "fs", path: "$.name" })
    assert.deepInclude(refused(providing([tool(ToolOrder.restMarker)])), { _tag: "ReservedToolName", entry: "fs" })
  })

  it("those that are shown and those that are named are known, and no others", () => {
    const known = (tools: unknown) => {
      const toolOrder = Result.getOrThrow(ToolOrder.make(["nowhere", ToolOrder.restMarker]))
      const error = refused(providing(tools), { toolOrder })
      return error._tag === "UnknownTool" ? error.known : error
    }
    assert.deepStrictEqual(known([tool("a")]), ["a"])
    assert.deepStrictEqual(known({ schemas: [tool("a")] }), ["a"])
    assert.deepStrictEqual(known({ schemas: [tool("a")], knownNames: undefined }), ["a"])
    assert.deepStrictEqual(known({ schemas: [tool("a")], knownNames: ["c", "b"] }), ["a", "b", "c"])
    assert.deepStrictEqual(known([]), [])
  })

  it("an array is the tools themselves, whatever else it carries", () => {
    const given = Object.assign([tool("a")], { schemas: [tool("b")], knownNames: ["c"] })
    const { tools } = assemble(providing(given), { toolOrder: undefined })
    assert.deepStrictEqual(
      tools.map(({ schema }) => schema.name),
      ["a"]
    )
    const [planned] = Result.getOrThrow(
      Plan.make(
        "global",
        providing(() => given)
      )
    ).tools
    const { knownNames, schemas } = Result.getOrThrow(values.toolsStep(planned!).accept(given))
    assert.deepStrictEqual([schemas.map(({ name }) => name), knownNames], [["a"], []])
  })

  it("are those that were given, in the order of tools", () => {
    const names = assemble(providing({ schemas: [tool("b"), tool("a")], knownNames: ["c"] })).tools
    assert.deepStrictEqual(
      names.map(({ schema }) => schema.name),
      ["a", "b"]
    )
  })
})
