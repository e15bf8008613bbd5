import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Assembly from "../../src/Assembly.ts"
import { seal } from "../../src/internal/seal.ts"
import type * as Overlay from "../../src/Overlay.ts"
import { assemble, overlay } from "../support/known.ts"

/** An assembly that a listener's edit has made, so that it has been accepted already. */
const accepted = (options: Overlay.Options): Assembly.Assembly =>
  assemble([
    overlay({
      ...options,
      listeners: [
        { name: "l", edit: (self) => Assembly.addSection(self, { name: "added by a listener", order: 0, text: "" }) }
      ]
    })
  ])

describe("seal", () => {
  it("refuses an assembly of other registrations, though it has been accepted where it belongs", () => {
    const base = assemble([overlay({})])
    const error = Result.getOrThrow(Result.flip(seal(base, accepted({ suppressors: 1 }))))
    assert.deepInclude(error, { kind: "listener", entry: "waterfall", scope: base.scope, path: "$.suppressed" })
  })

  it("leaves what has been accepted as it is: it names no other listener", () => {
    const base = assemble([overlay({})])
    const result = accepted({})
    assert.strictEqual(Result.getOrThrow(seal(base, result)), result)
  })
})
