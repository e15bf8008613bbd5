import { assert, describe, it } from "@effect/vitest"
import { ScopeClosed } from "../../src/PromptError.ts"
import { stackless } from "../../src/internal/stackless.ts"

class Plain extends stackless(Error) {}

class Failing extends stackless(
  class extends Error {
    constructor() {
      super("x")
      throw new RangeError("in the constructor")
    }
  }
) {}

describe("stackless", () => {
  it("makes errors of their class whose stack has no frames", () => {
    const error = new Plain("what happened")
    assert.instanceOf(error, Plain)
    assert.instanceOf(error, Error)
    assert.strictEqual(error.stack, "Error: what happened")
    assert.notInclude(new ScopeClosed({ scope: "agent" }).stack ?? "", "\n    at ")
  })

  it("leaves the stacks of all other errors as they are, also when the constructor throws", () => {
    const limit = Error.stackTraceLimit
    assert.strictEqual(new Plain("x").message, "x")
    assert.strictEqual(Error.stackTraceLimit, limit)
    assert.throws(() => new Failing(), RangeError)
    assert.strictEqual(Error.stackTraceLimit, limit)
    assert.include(new Error("y").stack ?? "", "\n    at ")
  })

  it("keeps the stack where a host has made the limit read-only", () => {
    const limit = Error.stackTraceLimit
    Object.defineProperty(Error, "stackTraceLimit", { value: limit, writable: false, configurable: true })
    try {
      assert.include(new Plain("x").stack ?? "", "\n    at ")
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", {
        value: limit,
        writable: true,
        configurable: true,
        enumerable: true
      })
    }
  })
})
