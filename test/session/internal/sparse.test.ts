import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as sparse from "../../../src/session/internal/sparse.ts"
import { check, patience, Tally } from "../../support/check.ts"
import { runs } from "../../support/runs.ts"
import { noting } from "../support/noting.ts"

type Map = sparse.Sparse<string>

const from = (keys: ReadonlyArray<number>): Map =>
  keys.reduce<Map>((self, key) => sparse.set(self, key, `v${key}`), sparse.empty())

/** The nodes of a map, by identity. */
const nodes = (self: Map): ReadonlySet<object> => {
  const found = new Set<object>()
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null || !("slots" in node) || !Array.isArray(node.slots)) return
    found.add(node)
    node.slots.forEach(visit)
  }
  visit(self.root)
  return found
}

describe("sparse", () => {
  it("has values by key, in the order of keys, whatever was set first", () => {
    const self = from([5, 40_000, 0, 31, 32, 1023, 1024])
    assert.deepStrictEqual(sparse.values(self), ["v0", "v5", "v31", "v32", "v1023", "v1024", "v40000"])
    assert.strictEqual(self.size, 7)
    for (const key of [0, 5, 31, 32, 1023, 1024, 40_000]) assert.strictEqual(sparse.get(self, key), `v${key}`)
    for (const key of [1, 4, 6, 33, 1025, 39_999, 2 ** 20, 2 ** 40])
      assert.isUndefined(sparse.get(self, key), String(key))
    assert.deepStrictEqual([sparse.first(self), sparse.last(self)], ["v0", "v40000"])
    assert.deepStrictEqual([sparse.first(sparse.empty()), sparse.last(sparse.empty())], [undefined, undefined])
    assert.deepStrictEqual(sparse.values(sparse.empty()), [])
  })

  it("has nothing at what is no key", () => {
    for (const size of [32, 1024]) {
      const self = from(Array.from({ length: size }, (_, i) => i))
      for (const key of [-1, -1024, 0.5, Number.NaN, Infinity]) assert.isUndefined(sparse.get(self, key), String(key))
    }
  })

  it("reaches up to 2³¹, and says so beyond", () => {
    const self = sparse.set(from([3]), 2 ** 31 - 1, "top")
    assert.deepStrictEqual(sparse.values(self), ["v3", "top"])
    assert.strictEqual(sparse.get(self, 2 ** 31 - 1), "top")
    assert.isUndefined(sparse.get(self, 2 ** 31))
    assert.throws(() => sparse.set(self, 2 ** 31, "no"), RangeError)
  })

  it("forgets nodes that hold nothing", () => {
    const self = sparse.remove(from([0, 40_000]), 40_000)
    assert.deepStrictEqual([sparse.last(self), self.size], ["v0", 1])
    const bare = sparse.remove(self, 0)
    assert.isUndefined(bare.root)
    assert.strictEqual(sparse.remove(bare, 0), bare)
    assert.strictEqual(sparse.remove(self, 7), self)
    assert.deepStrictEqual(sparse.values(sparse.set(bare, 9, "v9")), ["v9"])
  })

  it("gives values from a key up, and looks at no more nodes than are asked for", () => {
    const self = from(Array.from({ length: 5_000 }, (_, i) => i))
    const [first] = sparse.ascending(self, 3_000)
    assert.strictEqual(first, "v3000")
    assert.deepStrictEqual([...sparse.ascending(self, 4_998)], ["v4998", "v4999"])
    assert.deepStrictEqual([...sparse.ascending(self, 5_000)], [])
    assert.deepStrictEqual([...sparse.ascending(sparse.empty(), 0)], [])
    for (const key of [0, 3_000, 4_999]) {
      const seen = new Set<object>()
      const [value] = sparse.ascending(noting(self, seen), key)
      assert.deepStrictEqual([value, seen.size], [`v${key}`, 3], "from the root to the value")
    }
  })

  it("includes what it was made of, and what has some of its values under their keys", () => {
    const [few, many] = [from([0, 1, 33]), from([0, 1, 33, 40_000])]
    assert.isTrue(sparse.includes(few, sparse.empty()))
    assert.isFalse(sparse.includes(sparse.empty(), few))
    assert.isTrue(sparse.includes(many, few))
    assert.isTrue(sparse.includes(many, from([1])))
    assert.isFalse(sparse.includes(few, many))
    assert.isFalse(sparse.includes(sparse.set(many, 33, "x"), few))
    // One that had larger keys still has room for them.
    assert.isTrue(sparse.includes(few, sparse.remove(many, 40_000)))
    assert.isFalse(sparse.includes(from([0, 1]), sparse.remove(many, 40_000)))
  })

  it("makes few nodes anew for one more value, however many there are", () => {
    for (const [size, most] of [
      [1_000, 2],
      [100_000, 4]
    ] as const) {
      const before = from(Array.from({ length: size }, (_, i) => i))
      const known = nodes(before)
      for (const after of [sparse.set(before, size, "x"), sparse.set(before, 7, "x"), sparse.remove(before, 500)]) {
        const fresh = [...nodes(after)].filter((node) => !known.has(node))
        assert.isAtMost(fresh.length, most, String(size))
      }
      assert.lengthOf(sparse.values(before), size)
    }
  })

  const key = Arbitrary.map(Arbitrary.schema(Schema.Natural), (n) => [n % 40, n % 3000, n % 70_000][n % 3] ?? 0)
  const step = Arbitrary.all([key, Arbitrary.schema(Schema.Literals(["set", "set", "set", "remove", "again"]))])

  it.effect(
    "is a map that keeps its keys in order, and no version of it ever changes",
    () => {
      const [tally, inclusions] = [new Tally(), new Tally()]
      return Effect.map(
        check(
          Arbitrary.all([Arbitrary.array(step, { minLength: 5, maxLength: 60 }), key, key]),
          ([steps, low, high]) =>
            Effect.sync(() => {
              const plain = new Map<number, string>()
              const versions: Array<readonly [Map, ReadonlyArray<string>, ReadonlyArray<string>]> = []
              const sorted = () => [...plain].toSorted(([a], [b]) => a - b)
              let self: Map = sparse.empty()
              for (const [i, [any, kind]] of steps.entries()) {
                const known = [...plain.keys()]
                const key = kind === "set" ? any : (known[any % Math.max(1, known.length)] ?? any)
                if (kind === "remove") plain.delete(key)
                else plain.set(key, `v${i}`)
                self = kind === "remove" ? sparse.remove(self, key) : sparse.set(self, key, `v${i}`)
                const entries = sorted()
                versions.push([self, entries.map(([, value]) => value), entries.map((entry) => entry.join(" "))])
                tally.count(kind)
              }
              for (const [version, values] of versions) {
                assert.deepStrictEqual(sparse.values(version), values)
                assert.deepStrictEqual([...sparse.descending(version)], values.toReversed())
                assert.strictEqual(version.size, values.length)
                assert.strictEqual(sparse.first(version), values[0])
                assert.strictEqual(sparse.last(version), values.at(-1))
              }
              const last = new Set([...plain].map(([key, value]) => `${key} ${value}`))
              for (const [version, , entries] of versions) {
                const isIncluded = entries.every((entry) => last.has(entry))
                assert.strictEqual(sparse.includes(self, version), isIncluded)
                inclusions.count(isIncluded ? "included" : "not included")
              }
              const [start, end] = [Math.min(low, high), Math.max(low, high)]
              assert.deepStrictEqual(
                sparse.values(self, start, end),
                sorted().flatMap(([key, value]) => (key >= start && key <= end ? [value] : []))
              )
              assert.deepStrictEqual(
                [...sparse.ascending(self, low)],
                sorted().flatMap(([key, value]) => (key >= low ? [value] : []))
              )
              for (const [key, value] of plain) assert.strictEqual(sparse.get(self, key), value)
            }),
          { runs: runs(200, 20_000), seed: 3, size: 60 }
        ),
        () => {
          tally.assertShares("steps", { set: 50, remove: 10, again: 10 })
          inclusions.assertShares("versions", { included: 10, "not included": 50 })
        }
      )
    },
    patience
  )
})
