import { assert, describe, it } from "@effect/vitest"
import { byOrderThenName, insert, map, remove } from "../../src/internal/list.ts"

const compare = (a: number, b: number) => a - b

describe("insert", () => {
  it("stands before the first item that comes after it, and the others stay as they were arranged", () => {
    assert.deepStrictEqual(insert([], 1, compare), [1])
    assert.deepStrictEqual(insert([1, 3], 2, compare), [1, 2, 3])
    assert.deepStrictEqual(insert([2, 3], 1, compare), [1, 2, 3])
    assert.deepStrictEqual(insert([1, 2], 3, compare), [1, 2, 3])
    assert.deepStrictEqual(insert([9, 1, 5], 3, compare), [3, 9, 1, 5])
    assert.deepStrictEqual(insert([1, 9, 2], 3, compare), [1, 3, 9, 2])
  })

  it("stands after its equals", () => {
    const [a, b, c] = [{ n: 1 }, { n: 2 }, { n: 1 }]
    assert.deepStrictEqual(
      insert([a, b], c, (x, y) => x.n - y.n).map((one) => [a, b, c].indexOf(one)),
      [0, 2, 1]
    )
  })

  it("gives a new, frozen list", () => {
    const list = [1]
    const result = insert(list, 2, compare)
    assert.deepStrictEqual(list, [1])
    assert.isTrue(Object.isFrozen(result))
  })
})

describe("remove", () => {
  it("drops each item that is meant, in a new, frozen list", () => {
    const list = [1, 2, 3, 4]
    const result = remove(list, (n) => n % 2 === 0)
    assert.deepStrictEqual(result, [1, 3])
    assert.isTrue(Object.isFrozen(result))
    assert.deepStrictEqual(list, [1, 2, 3, 4])
  })

  it("gives the same list where none is meant", () => {
    const list = [1, 3]
    assert.strictEqual(
      remove(list, (n) => n % 2 === 0),
      list
    )
  })
})

describe("map", () => {
  const list = [{ n: 1 }, { n: 2 }, { n: 3 }]

  it("changes each item that is meant, in a new, frozen list of frozen items, and keeps the others themselves", () => {
    const given: Array<object> = []
    const result = map(
      list,
      ({ n }) => n !== 2,
      ({ n }) => {
        const next = { n: n * 10 }
        given.push(next)
        return next
      }
    )
    assert.deepStrictEqual(result, [{ n: 10 }, { n: 2 }, { n: 30 }])
    assert.strictEqual(result[1], list[1])
    assert.isTrue(Object.isFrozen(result) && Object.isFrozen(result[0]) && Object.isFrozen(result[2]))
    assert.isFalse(
      given.some((one) => Object.isFrozen(one)),
      "what the caller gave stays the caller's"
    )
    assert.deepStrictEqual(list, [{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it("gives the same list where nothing changes: none is meant, or each comes back itself", () => {
    const changed = ({ n }: { readonly n: number }) => ({ n: n + 1 })
    assert.strictEqual(
      map(list, () => false, changed),
      list
    )
    assert.strictEqual(
      map(
        list,
        () => true,
        (one) => one
      ),
      list
    )
  })

  it("gives a new one where a single item changes", () => {
    for (const at of [1, 2, 3]) {
      const result = map(
        list,
        ({ n }) => n === at,
        ({ n }) => ({ n: -n })
      )
      assert.deepStrictEqual(
        result.map(({ n }) => n),
        [1, 2, 3].map((n) => (n === at ? -n : n))
      )
    }
  })
})

describe("byOrderThenName", () => {
  it("compares orders as numbers, then names by code units", () => {
    const of = (order: number, name: string) => ({ order, name })
    assert.isBelow(byOrderThenName(of(2, "b"), of(10, "a")), 0)
    assert.isAbove(byOrderThenName(of(10, "a"), of(2, "b")), 0)
    assert.isBelow(byOrderThenName(of(1, "B"), of(1, "a")), 0)
    assert.isAbove(byOrderThenName(of(1, "a"), of(1, "B")), 0)
    assert.strictEqual(byOrderThenName(of(-0, "a"), of(0, "a")), 0)
  })
})
