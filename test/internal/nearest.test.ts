import { assert, describe, it } from "@effect/vitest"
import { nearest } from "../../src/internal/nearest.ts"

/** How many letters differ, word for word: the last ones are equal, or one is inserted, dropped, replaced, or two are swapped. */
const differ = (a: string, b: string): number => {
  if (a === "" || b === "") return a.length + b.length
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)]
  if (a.at(-1) === b.at(-1)) return differ(restA, restB)
  const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
  return (
    1 +
    Math.min(
      differ(restA, b),
      differ(a, restB),
      differ(restA, restB),
      swapped ? differ(a.slice(0, -2), b.slice(0, -2)) : Infinity
    )
  )
}

/** All words of these letters, up to a length. */
const words = (letters: string, length: number): ReadonlyArray<string> =>
  length === 0 ? [""] : ["", ...words(letters, length - 1).flatMap((word) => [...letters].map((one) => one + word))]

describe("nearest", () => {
  it("a name of three to five letters is meant if one letter differs; of one or two letters none may", () => {
    const all = words("abc", 3)
    for (const name of all) {
      for (const known of all) {
        const most = Math.max(name.length, known.length) < 3 ? 0 : 1
        assert.strictEqual(nearest(name, [known]), differ(name, known) <= most ? known : undefined, `${name} ${known}`)
      }
    }
    assert.isUndefined(nearest("x", ["y", "os", "xy"]))
    assert.strictEqual(nearest("cw", ["os", "cwd"]), "cwd")
  })

  it("of the letters of the longer one, a third may differ", () => {
    const found = (name: string, known: string) => nearest(name, [known]) === known
    for (const [name, meant, not] of [
      ["abcde", "abcdx", "abcxy"],
      ["abcd", "abcdxy", "abcxy"],
      ["abcdef", "abcdxy", "abcxyz"],
      ["abcdef", "abcd", "abc"],
      ["abcdefgh", "abcdefxy", "abcdexyz"],
      ["abcdef", "abcdefxyz", "abcdxyze"],
      ["abcdefghi", "abcdefxyz", "abcdewxyz"]
    ] as const) {
      assert.isTrue(found(name, meant), `${name} ${meant}`)
      assert.isFalse(found(name, not), `${name} ${not}`)
    }
  })

  it("each way to mistype counts once, in any place: dropped, added, replaced, swapped", () => {
    const name = "abcdef"
    const counts = { 1: 0, 2: 0 }
    const edited =
      "bcdef abdef abcde xabcdef abcxdef abcdefx xbcdef abxdef abcdex bacdef abdcef abcdfe badcef bacdfe cdef abcd " +
      "xyabcdef abcdefxy axcdex bcxdef abcdeffx acbdfe dbcaef xabcde cabdef"
    for (const known of edited.split(" ")) {
      const count = differ(name, known)
      assert.isTrue(count === 1 || count === 2, known)
      if (count === 1 || count === 2) counts[count]++
      assert.strictEqual(nearest(name, [known]), known)
    }
    assert.isAtLeast(Math.min(counts[1], counts[2]), 5)
  })

  it("the nearest one is found wherever it stands, and the first of several", () => {
    assert.strictEqual(nearest("abcdef", ["abcdxy", "abcdex", "abcxyf"]), "abcdex")
    assert.strictEqual(nearest("abcdef", ["abcdex", "abcdxy"]), "abcdex")
    assert.strictEqual(nearest("abcdef", ["abcdex", "xbcdef"]), "abcdex")
    assert.strictEqual(nearest("abcdef", ["xbcdef", "abcdex"]), "xbcdef")
    assert.strictEqual(nearest("abcdef", ["abcdex", "abcdef"]), "abcdef")
    assert.isUndefined(nearest("abcdef", []))
  })

  it("upper and lower case are the same letter, and the known name comes as it is", () => {
    assert.strictEqual(nearest("MODEL", ["model"]), "model")
    assert.strictEqual(nearest("model", ["MODEL"]), "MODEL")
  })

  it("names of more than 64 letters are no typos", () => {
    const long = "n".repeat(64)
    assert.strictEqual(nearest(long, [long]), long)
    assert.isUndefined(nearest(`${long}n`, [`${long}n`]))
    assert.isUndefined(nearest(long, [`${long}n`]))
    assert.isUndefined(nearest(`${long}n`, [long]))
  })
})
