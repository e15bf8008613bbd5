import { assert, describe, it } from "@effect/vitest"
import { nameOf, sameSource, toJson } from "../../src/internal/parts.ts"
import { assemble, overlay } from "../support/known.ts"

const assembly = assemble([
  overlay({
    sections: [{ name: "s", order: 1, text: "{{v}}", requires: ["t", "u"] }],
    contexts: [{ name: "c", order: 2, text: "{{v}}", interpolate: false }],
    variables: [
      { name: "unset", value: undefined },
      { name: "v", value: "" }
    ],
    tools: [
      {
        tools: [
          { name: "t", description: "T", parameters: { a: 1 } },
          { name: "u", description: "U", parameters: {}, deferLoading: true }
        ]
      }
    ]
  })
])

describe("toJson", () => {
  it("is what a part says, and no more", () => {
    assert.deepStrictEqual(assembly.sections.map(toJson), [
      { name: "s", order: 1, text: "{{v}}", interpolate: true, requires: ["t", "u"] }
    ])
    assert.deepStrictEqual(assembly.contexts.map(toJson), [{ name: "c", order: 2, text: "{{v}}", interpolate: false }])
    assert.deepStrictEqual(assembly.variables.map(toJson), [
      { name: "unset", value: null },
      { name: "v", value: "" }
    ])
    assert.deepStrictEqual(assembly.tools.map(toJson), [
      { name: "t", description: "T", parameters: { a: 1 } },
      { name: "u", description: "U", parameters: {}, deferLoading: true }
    ])
  })
})

describe("nameOf", () => {
  it("is the name, which a tool has in its schema", () => {
    const { sections, contexts, variables, tools } = assembly
    assert.deepStrictEqual([...sections, ...contexts, ...variables, ...tools].map(nameOf), [
      "s",
      "c",
      "unset",
      "v",
      "t",
      "u"
    ])
  })
})

describe("sameSource", () => {
  it("holds of two parts of one contribution, also if a listener has changed one", () => {
    const part = assembly.sections[0]!
    const listened = { ...part, origin: { ...part.origin, listener: { name: "l", scope: "global" } } }
    assert.isTrue(sameSource(part, listened))
    assert.isFalse(sameSource(part, { ...part, origin: { ...part.origin, plugin: "p" } }))
    assert.isFalse(sameSource(part, { ...part, origin: { ...part.origin, scope: "agent" } }))
  })
})
