import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { sha256 } from "../../src/internal/sha256.ts"

const reference = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

describe("sha256", () => {
  it("gives the published digests", () => {
    assert.strictEqual(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    assert.strictEqual(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it("agrees with that of Node at every length around the ends of blocks, and beyond", () => {
    for (let length = 0; length <= 200; length++)
      assert.strictEqual(sha256("x".repeat(length)), reference("x".repeat(length)))
    const long = "äöü€𝄞 ".repeat(20_000)
    assert.strictEqual(sha256(long), reference(long))
  })

  it("counts lone surrogates as U+FFFD", () => {
    for (const text of ["\uD800", "a\uDC00b", "\uDC00\uD800", "\uD834\uDD1E"])
      assert.strictEqual(sha256(text), reference(text))
    assert.strictEqual(sha256("\uD800"), sha256("\uFFFD"))
  })
})
