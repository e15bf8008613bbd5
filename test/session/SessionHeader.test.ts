import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as SessionHeader from "../../src/session/SessionHeader.ts"
import { changeable } from "../support/frozen.ts"

const row = {
  type: "session",
  version: 4,
  id: "s",
  createdAt: 1785097381464,
  cwd: "/w",
  isSeeded: false,
  delegationDepth: 1,
  parentSession: "p",
  origin: "subagent",
  more: { a: [1] }
}

describe("SessionHeader", () => {
  it("is taken out of anything, frozen, with members that no Schema names", () => {
    const header = Result.getOrThrow(SessionHeader.fromUnknown(row))
    assert.deepStrictEqual<unknown>(header, row)
    assert.deepStrictEqual(changeable(header), [])
  })

  it("is refused at its place", () => {
    for (const [input, path] of [
      [5, "$"],
      [{ ...row, type: "odd" }, "$.type"],
      [{ ...row, version: 5 }, "$.version"],
      [{ ...row, version: "4" }, "$.version"],
      [{ ...row, id: "" }, "$.id"],
      [{ ...row, createdAt: "now" }, "$.createdAt"],
      [{ ...row, isSeeded: 0 }, "$.isSeeded"],
      [{ ...row, delegationDepth: -1 }, "$.delegationDepth"],
      [{ ...row, more: undefined }, "$.more"],
      [{ ...row, createdAt: -0 }, "$.createdAt"],
      [{ ...row, cwd: 5 }, "$.cwd"]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(SessionHeader.fromUnknown(input)))
      assert.strictEqual(error.path, path, error.message)
      assert.match(error.message, /^the header of the session log is invalid at \$/)
    }
    const { isSeeded: _, ...bare } = row
    assert.strictEqual(Result.getOrThrow(Result.flip(SessionHeader.fromUnknown(bare))).path, "$.isSeeded")
  })

  it("of a new session has the current format, and no parent", () => {
    const expected = { type: "session", version: 4, id: "s", createdAt: 5, isSeeded: false, delegationDepth: 0 }
    assert.deepStrictEqual<unknown>(SessionHeader.make({ id: "s", createdAt: 5 }), Result.succeed(expected))
    const header = Result.getOrThrow(SessionHeader.make({ id: "s", createdAt: 5, cwd: "/w" }))
    assert.deepStrictEqual<unknown>(header, { ...expected, cwd: "/w" })
    assert.isTrue(Result.isFailure(SessionHeader.make({ id: "", createdAt: 5 })))
  })

  it("of a fork is that of its parent, whose events it begins with", () => {
    const parent = Result.getOrThrow(SessionHeader.fromUnknown(row))
    const fork = Result.getOrThrow(SessionHeader.fork(parent, { id: "t", createdAt: 7 }))
    assert.deepStrictEqual<unknown>(fork, { ...row, id: "t", createdAt: 7, isSeeded: true, parentSession: "s" })
    assert.deepStrictEqual(changeable(fork), [])
    assert.deepStrictEqual(SessionHeader.fork({ id: "t", createdAt: 7 })(parent), Result.succeed(fork))
    const failed = Result.getOrThrow(Result.flip(SessionHeader.fork(parent, { id: "t", createdAt: Number.NaN })))
    assert.strictEqual(failed.path, "$.createdAt")
  })
})
