import { assert, describe, it } from "@effect/vitest"
import * as held from "../../src/internal/held.ts"

interface Entry {
  readonly kind: string
  readonly name?: string | undefined
}

/** Entries come and go, each time it is its turn; what is held is what a plain set holds. */
const toggled = (entries: ReadonlyArray<Entry>, turns: number): number => {
  let self: held.Held<Entry>
  let most = 0
  const expected = new Set<Entry>()
  for (let turn = 0; turn < turns; turn++) {
    const entry = entries[(7 * turn * turn + 3 * turn + (turn >> 3)) % entries.length]!
    if (expected.delete(entry)) self = held.remove(self, entry)
    else {
      expected.add(entry)
      self = held.add(self, entry)
    }
    most = Math.max(most, expected.size)
    assert.strictEqual(held.size(self), expected.size)
    assert.sameMembers([...held.all(self)], [...expected])
    assert.isTrue(Object.isFrozen(held.all(self)))
    for (const one of entries) assert.strictEqual(held.find(self, one), expected.has(one) ? one : undefined)
  }
  return most
}

describe("held entries", () => {
  it("that have names are those that came and did not go", () => {
    const entries = Array.from({ length: 9 }, (_, i) => ({ kind: "section", name: `s${i}` }))
    assert.isAtLeast(toggled(entries, 500), 6)
    assert.strictEqual(toggled(entries.slice(0, 1), 9), 1)
  })

  it("that may share a name are told apart by themselves", () => {
    const entries = Array.from({ length: 9 }, (_, i) => ({ kind: "tools", name: i % 2 === 0 ? "fs" : undefined }))
    assert.isAtLeast(toggled(entries, 500), 6)
  })

  it("are found by their names", () => {
    const [a, b] = [
      { kind: "section", name: "a" },
      { kind: "section", name: "b" }
    ]
    for (const self of [held.add<Entry>(undefined, a), held.add(held.add<Entry>(undefined, a), b)]) {
      assert.strictEqual(held.find(self, { ...a }), a)
      assert.isUndefined(held.find(self, { ...a, name: "c" }))
    }
  })
})
