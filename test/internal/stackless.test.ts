import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
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

  it("is what all typed errors are made of, but for those of tests, where a stack leads to the test", () => {
    const src = fileURLToPath(new URL("../../src/", import.meta.url))
    const tagged = { without: new Array<string>(), with: new Array<string>() }
    for (const file of fs.readdirSync(src, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue
      const code = fs.readFileSync(path.join(src, file), "utf8")
      for (const [, name = "", stackless] of code.matchAll(
        /class (\w+) extends (stackless\()?\s*Schema\.TaggedError</g
      )) {
        tagged[stackless === undefined ? "without" : "with"].push(name)
      }
    }
    assert.isAbove(tagged.with.length, 40)
    assert.deepStrictEqual(tagged.without.sort(), ["LawBroken", "LawMisused", "ProviderFault"])
  })
})
