import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { describeCause, describeOwner, Kind, type Owner, ownerFields } from "../src/Owner.ts"

describe("describeOwner", () => {
  const noun: Record<Kind, string> = {
    section: "section",
    context: "context",
    variable: "variable",
    tools: "tool provider",
    listener: "listener",
    suppressor: "suppressor",
    toolOrder: "toolOrder",
    tool: "tool",
    restriction: "restriction",
    guard: "guard"
  }

  for (const kind of Object.keys(noun) as ReadonlyArray<Kind>) {
    it(`calls a ${kind} by its noun, its name, its scope, and its plugin if it has one`, () => {
      assert.isTrue(Schema.is(Kind)(kind))
      const owner = { kind, entry: "e", scope: "s" }
      assert.strictEqual(describeOwner(owner), `${noun[kind]} "e" of scope "s"`)
      assert.strictEqual(describeOwner({ ...owner, plugin: "p" }), `${noun[kind]} "e" of scope "s" (plugin "p")`)
    })
  }

  it("leaves out the name of what is anonymous, but shows a section's empty name, which is an error", () => {
    assert.strictEqual(describeOwner({ kind: "tools", entry: "", scope: "s" }), 'tool provider of scope "s"')
    assert.strictEqual(describeOwner({ kind: "section", entry: "", scope: "s" }), 'section "" of scope "s"')
  })

  it("says which listener left it so: by name, with its scope and plugin where they are others", () => {
    const owner = { kind: "section", entry: "e", scope: "s" } as const
    const left = (more: Partial<Owner>) => describeOwner({ ...owner, ...more })
    assert.strictEqual(
      left({ listener: { name: "l", scope: "s" } }),
      'section "e" of scope "s" (as listener "l" left it)'
    )
    assert.strictEqual(
      left({ plugin: "p", listener: { name: "l", scope: "s", plugin: "p" } }),
      'section "e" of scope "s" (plugin "p", as listener "l" left it)'
    )
    assert.strictEqual(
      left({ plugin: "p", listener: { name: "l", scope: "agent", plugin: "q" } }),
      'section "e" of scope "s" (plugin "p", as listener "l" of scope "agent" (plugin "q") left it)'
    )
    assert.strictEqual(
      left({ plugin: "p", listener: { name: "l", scope: "agent", plugin: "p" } }),
      'section "e" of scope "s" (plugin "p", as listener "l" of scope "agent" (plugin "p") left it)'
    )
    assert.strictEqual(
      left({ plugin: "p", listener: { name: "l", scope: "s" } }),
      'section "e" of scope "s" (plugin "p", as listener "l" of scope "s" left it)'
    )
  })

  it("quotes names, so that none breaks a line or ends early", () => {
    const owner = { kind: "section", entry: 'a"\n', scope: "\t", plugin: '"' } as const
    assert.strictEqual(describeOwner(owner), String.raw`section "a\"\n" of scope "\t" (plugin "\"")`)
  })
})

describe("ownerFields", () => {
  it("has the fields of an owner and no other, and no plugin that is undefined", () => {
    const owner = { kind: "context", entry: "e", scope: "s", more: 1 } as const
    assert.deepStrictEqual(ownerFields({ ...owner, plugin: undefined }), { kind: "context", entry: "e", scope: "s" })
    assert.deepStrictEqual(ownerFields({ ...owner, plugin: "p" }), {
      kind: "context",
      entry: "e",
      scope: "s",
      plugin: "p"
    })
    const listener = { name: "l", scope: "s" }
    const touched = { kind: "context", entry: "e", scope: "s", listener } as const
    assert.deepStrictEqual(ownerFields(touched), touched)
    assert.notProperty(ownerFields({ ...touched, listener: undefined }), "listener")
  })
})

describe("describeCause", () => {
  const says = (title: string, cause: unknown, said: string) =>
    it(`${title}: ${said}`, () => assert.strictEqual(describeCause(cause), said))

  class Tagged extends Error {
    readonly _tag: unknown
    constructor(tag: unknown, message?: string) {
      super(message)
      this._tag = tag
    }
  }

  describe("of an error is", () => {
    says("its message", new TypeError("no host"), "no host")
    says("its message rather than its tag", new Tagged("Unreachable", "no host"), "no host")
    says("its tag, if it has no message", new Tagged("Unreachable"), "Unreachable")
    says("its name, if it has neither", new TypeError(), "TypeError")
    says("its name, if its tag is no text", new Tagged(7), "Error")
    says("its name, if its tag is empty", new Tagged(""), "Error")
    says("its name, if its message is no text", Object.assign(new RangeError(), { message: 7 }), "RangeError")
  })

  describe("of another object is", () => {
    says("its message", { message: "no host" }, "no host")
    says("its message rather than its tag", { message: "no host", _tag: "Unreachable" }, "no host")
    says("its tag, if it has no message", { _tag: "Unreachable" }, "Unreachable")
    says("its tag, if its message is empty", { message: "", _tag: "Unreachable" }, "Unreachable")
    says("its tag, if its message is no text", { message: 7, _tag: "Unreachable" }, "Unreachable")
    says("all of it, if it has neither", { code: 7 }, '{"code":7}')
    says("all of it, if they are no texts", { message: 7, _tag: 8 }, '{"message":7,"_tag":8}')
  })

  describe("of what is no object is the value", () => {
    says("a text, without quotes", 'a "text"', 'a "text"')
    says("an empty text", "", "")
    says("a number", 42, "42")
    says("a bigint", 1n, "1n")
    says("a boolean", false, "false")
    says("a symbol", Symbol("s"), "Symbol(s)")
    says("null", null, "null")
    says("undefined", undefined, "undefined")
  })

  it("never throws, whatever the value does when it is looked at", () => {
    const hostile = {
      get message(): string {
        throw new Error("not yours")
      }
    }
    assert.strictEqual(describeCause(hostile), "a value that cannot be shown")
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    assert.strictEqual(describeCause(proxy), "a value that cannot be shown")
  })
})
