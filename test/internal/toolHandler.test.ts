import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { ToolSchema } from "../../src/index.ts"
import { decoderOfShown } from "../../src/internal/toolHandler.ts"
import type { Owner } from "../../src/PromptError.ts"

const owner: Owner = { kind: "tool", entry: "t", scope: "agent" }
const schemaOf = (parameters: object) => ToolSchema.make({ name: "t", description: "", parameters })

describe("decoderOfShown", () => {
  it("is made once for each schema: a narrowed tool may be called often", () => {
    const schema = schemaOf({ type: "object" })
    const decoder = Result.getOrThrow(decoderOfShown(schema, owner))
    assert.strictEqual(Result.getOrThrow(decoderOfShown(schema, { ...owner, scope: "other" })), decoder)
    assert.notStrictEqual(Result.getOrThrow(decoderOfShown(schemaOf({ type: "object" }), owner)), decoder)
  })

  it("refuses for each owner by its name what cannot be checked", () => {
    const schema = schemaOf({ type: "object", dependentRequired: { a: ["b"] } })
    for (const scope of ["agent", "other"]) {
      const error = Result.getOrThrow(Result.flip(decoderOfShown(schema, { ...owner, scope })))
      assert.deepInclude(error, { ...owner, scope, _tag: "InvalidToolSchema", tool: "t", path: "$.parameters" })
    }
  })
})
