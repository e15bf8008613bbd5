import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ToolProvider from "../src/ToolProvider.ts"
import { changeable } from "./support/frozen.ts"

const made = <T>(tools: T) => Result.getOrThrow(ToolProvider.make({ tools }, "agent"))

const tool = (name: string) => ({ name, description: name, parameters: { type: "object" } })

describe("make", () => {
  it("keeps the name and the plugin, if there are any, and cannot be changed", () => {
    const self = Result.getOrThrow(ToolProvider.make({ tools: [], name: "fs", plugin: "core" }, "agent"))
    assert.deepInclude(self, { kind: "tools", name: "fs", plugin: "core" })
    assert.deepInclude(made([]), { kind: "tools", name: undefined, plugin: undefined })
    assert.deepStrictEqual(changeable(self), [])
  })

  it("copies a list of tools, so that its author may change it later", () => {
    const tools = [tool("a"), tool("b")]
    const self = made(tools)
    tools[0]!.description = "changed"
    tools.push(tool("c"))
    assert.deepStrictEqual(self.tools, [tool("a"), tool("b")])
    assert.deepStrictEqual(changeable(self), [])
  })

  it("copies tools with the names that are known, likewise", () => {
    const knownNames = ["hidden"]
    const tools = { schemas: [tool("a")], knownNames }
    const self = made(tools)
    tools.schemas[0]!.description = "changed"
    knownNames.push("later")
    assert.deepStrictEqual(self.tools, { schemas: [tool("a")], knownNames: ["hidden"] })
    assert.deepStrictEqual(changeable(self), [])
    assert.deepStrictEqual(made<ToolProvider.Tools>({ schemas: [tool("a")] }).tools, {
      schemas: [tool("a")],
      knownNames: undefined
    })
  })

  it("leaves what is no tool in its place, and the other tools too", () => {
    const odd = { name: "", description: "no name", parameters: {} }
    const { tools } = made([tool("a"), odd, tool("b")])
    assert.strictEqual(tools[1], odd)
    assert.deepStrictEqual(tools, [tool("a"), odd, tool("b")])
  })

  it("leaves what is no contribution as it is: it gives one, or the assembly refuses it", () => {
    const { proxy, revoke } = Proxy.revocable({ schemas: [] }, {})
    revoke()
    for (const other of [
      () => [],
      // A function is asked for its tools, whatever fields it has.
      Object.assign(() => [tool("given")], { schemas: [tool("field")] }),
      { schemas: { map: () => [] } },
      { schemas: "ab" },
      { tools: [] },
      {},
      null,
      undefined,
      5,
      proxy
    ]) {
      assert.strictEqual(made<unknown>(other).tools, other)
    }
  })

  it("leaves known names that are no list as they are", () => {
    const { tools } = made<unknown>({ schemas: [], knownNames: "ab" })
    assert.deepStrictEqual(tools, { schemas: [], knownNames: "ab" })
  })
})
