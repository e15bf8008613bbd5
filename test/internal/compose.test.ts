import { assert, describe, it } from "@effect/vitest"
import { assemble, overlay } from "../support/known.ts"

const tool = (version: number) => ({ name: "x", description: "", parameters: { version } })

const versions = (...chain: Parameters<typeof assemble>[0]) =>
  assemble(chain).tools.map(({ schema }) => schema.parameters.version)

describe("tools of one name", () => {
  it("stand by their provider's place in the chain, whatever its name and their JSON", () => {
    const far = overlay({ tools: [{ name: "z", tools: [tool(9)] }] })
    const near = overlay({ tools: [{ name: "a", tools: [tool(5)] }] }, "agent")
    const nearest = overlay({ tools: [{ name: "A", tools: [tool(1)] }] }, "sub-agent")
    assert.deepStrictEqual(versions(far, near, nearest), [9, 5, 1])
  })

  for (const [where, chain] of [
    ["globally", []],
    ["in a scope", [overlay({})]]
  ] as const) {
    it(`of one scope, by the name of the provider, ${where}; none is first`, () => {
      const named = (name: string | undefined, version: number) => ({ name, tools: [tool(version)] })
      const options = [named("b", 1), named("A", 2), named(undefined, 3), named("a", 4)]
      for (const tools of [options, options.toReversed()]) {
        assert.deepStrictEqual(versions(...chain, overlay({ tools }, "scope")), [3, 2, 4, 1])
      }
    })

    it(`of one scope and one name of providers, by their JSON, ${where}`, () => {
      const options = [3, 1, 2].map((version, i) => ({ plugin: `plugin ${i}`, tools: [tool(version)] }))
      for (const tools of [options, options.toReversed()]) {
        assert.deepStrictEqual(versions(...chain, overlay({ tools }, "scope")), [1, 2, 3])
      }
    })
  }
})
