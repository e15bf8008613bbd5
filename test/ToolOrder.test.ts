import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidToolOrder, type Owner, ReservedToolName, UnknownTool } from "../src/PromptError.ts"
import * as ToolOrder from "../src/ToolOrder.ts"
import { untyped } from "./support/untyped.ts"

const R = ToolOrder.restMarker

interface Tool {
  readonly schema: { readonly name: string }
  readonly id: string
}

/** `a1` is a tool named `a`; its digits tell tools of one name apart. */
const tool = (id: string): Tool => ({ schema: { name: id.replace(/\d+$/, "") }, id })

const order = (list: ReadonlyArray<string>): ToolOrder.ToolOrder => Result.getOrThrow(ToolOrder.make(list))

const namesOf = (tools: ReadonlyArray<Tool>) => tools.map((one) => one.schema.name)

const sorted = (ids: ReadonlyArray<string>, list?: ReadonlyArray<string>, hidden: ReadonlyArray<string> = []) => {
  const tools = ids.map(tool)
  const known = new Set([...namesOf(tools), ...hidden])
  const result = ToolOrder.sort(tools, list === undefined ? undefined : order(list), known)
  return Result.map(result, (tools) => tools.map((one) => one.id))
}

const refusedList = (list: ReadonlyArray<string>) => {
  const result = Result.flip(ToolOrder.make(list))
  return Result.getOrThrow(result)
}

describe("make", () => {
  it("[89, 90] a list without the rest marker is refused, the empty one too", () => {
    for (const list of [[], ["read"]]) {
      const error = refusedList(list)
      assert.deepInclude(error, { _tag: "InvalidToolOrder", kind: "toolOrder", entry: "", scope: "global" })
      assert.include(error.message, R)
    }
  })

  it("[91] a name twice is refused by name, the marker likewise", () => {
    for (const entry of ["read", R]) {
      const error = refusedList([entry, "x", R, entry])
      assert.instanceOf(error, InvalidToolOrder)
      assert.strictEqual(error.entry, entry)
      assert.include(error.message, JSON.stringify(entry))
    }
  })

  it("[92] a duplicate is reported before a missing marker", () => {
    assert.strictEqual(refusedList(["a", "b", "b", "a"]).entry, "b")
  })

  it("copies and freezes the list", () => {
    const list = ["a", R]
    const self = order(list)
    list.push("b")
    assert.deepStrictEqual([...self], ["a", R])
    assert.isTrue(Object.isFrozen(self))
  })
})

describe("reserved", () => {
  it("[99, BC-075] a tool named like the marker is refused and its provider named", () => {
    const owner: Owner = { kind: "tools", entry: "fs", scope: "agent", plugin: "core" }
    const expected = new ReservedToolName({ ...owner, tool: R })
    assert.deepStrictEqual(ToolOrder.reserved(R, owner), Result.fail(expected))
    assert.include(expected.message, R)
    for (const name of ["read", `${R} `, "unlisted-tools", ""]) {
      assert.isTrue(Result.isSuccess(ToolOrder.reserved(name, owner)))
    }
  })
})

describe("sort", () => {
  it("[86, BC-007] without an order, by code units of the name, whatever came first", () => {
    const expected = ["B", "Z", "a", "aa", "b", "é", "\u{1f600}", "\ufb01"]
    assert.deepStrictEqual(sorted(expected), Result.succeed(expected))
    assert.deepStrictEqual(sorted(expected.toReversed()), Result.succeed(expected))
    assert.deepStrictEqual(sorted(["zeta", "alpha", "mu"]), Result.succeed(["alpha", "mu", "zeta"]))
  })

  it("[87] listed names stand where the list has them, the rest at the marker", () => {
    assert.deepStrictEqual(
      sorted(["b", "e2", "t", "e1"], ["t", R, "b"], ["e"]),
      Result.succeed(["t", "e2", "e1", "b"]),
      "e1 and e2 are one name here, so they keep their order"
    )
    assert.deepStrictEqual(sorted(["b", "f", "t", "e"], ["t", R, "b"]), Result.succeed(["t", "e", "f", "b"]))
  })

  it("[88] the marker alone is the default order", () => {
    const ids = ["b", "a2", "c", "a1"]
    assert.deepStrictEqual(sorted(ids, [R]), sorted(ids))
  })

  it("[93] unknown names fail in configured order, with the sorted known names and the nearest", () => {
    const result = sorted(["read", "bash"], ["rezd", "bash", R, "wraith"], ["grep"])
    assert.deepStrictEqual(
      result,
      Result.fail(
        new UnknownTool({
          kind: "toolOrder",
          entry: "rezd",
          scope: "global",
          unknown: ["rezd", "wraith"],
          known: ["bash", "grep", "read"],
          nearest: "read"
        })
      )
    )
    const far = Result.getOrThrow(Result.flip(sorted(["read"], ["wraith", R])))
    assert.isFalse("nearest" in far)
  })

  it("[94] with no tools at all the known names are none", () => {
    const error = Result.getOrThrow(Result.flip(sorted([], ["ghost", R])))
    assert.deepStrictEqual(error.known, [])
    assert.include(error.message, "Known tools: none")
  })

  it("[95, 96] a hidden tool takes no place, a mistyped one fails", () => {
    assert.deepStrictEqual(sorted(["read"], ["bash", R], ["bash"]), Result.succeed(["read"]))
    const error = Result.getOrThrow(Result.flip(sorted(["read"], ["basj", R], ["bash"])))
    assert.deepInclude(error, { unknown: ["basj"], nearest: "bash" })
  })

  it("[98] what is known is the caller's union and nothing else", () => {
    const tools = [tool("a")]
    assert.isTrue(Result.isSuccess(ToolOrder.sort(tools, order(["a", "b", R]), new Set(["a", "b"]))))
    assert.isTrue(Result.isFailure(ToolOrder.sort(tools, order(["a", R]), new Set())))
    assert.isTrue(Result.isSuccess(ToolOrder.sort(tools, undefined, new Set())))
  })

  it("[100] all tools of a listed name come together, in incoming order", () => {
    assert.deepStrictEqual(
      sorted(["a1", "b1", "c1", "a2", "b2", "c2"], ["b", R, "a"]),
      Result.succeed(["b1", "b2", "c1", "c2", "a1", "a2"])
    )
  })

  it("names of Object.prototype are names like others", () => {
    assert.deepStrictEqual(
      sorted(["toString", "__proto__", "a"], [R, "constructor", "__proto__"], ["constructor"]),
      Result.succeed(["a", "toString", "__proto__"])
    )
  })

  it("looks at each tool a number of times that grows as n log n", () => {
    const reads = (n: number): number => {
      let count = 0
      const tools = Array.from({ length: n }, (_, i) => ({
        get schema() {
          count += 1
          return { name: `n${(i * 7919) % n}` }
        }
      }))
      const list = Array.from({ length: n / 2 }, (_, i) => `n${(i * 31) % n}`)
      const known = new Set(Array.from({ length: n }, (_, i) => `n${i}`))
      assert.isTrue(Result.isSuccess(ToolOrder.sort(tools, order([R, ...new Set(list)]), known)))
      return count
    }
    // Four times the tools and the list: 4.8 times the looks if n log n, 16 times if names × tools.
    assert.isBelow(reads(4096) / reads(1024), 6)
    assert.isBelow(reads(4096), 4 * 4096 * 12)
  })

  const letter = Schema.Literals(["a", "b", "c", "d", "e", "B", "aa"])
  const letters = Arbitrary.schema(Schema.Array(letter))
  const toolsOf = (names: ReadonlyArray<string>) => names.map((name, i) => tool(`${name}${i}`))
  const all = new Set<string>(letter.literals)
  const lists = Arbitrary.map(
    Arbitrary.all([letters, Arbitrary.schema(Schema.Natural)]),
    ([names, place]): ReadonlyArray<string> => {
      const unique = [...new Set<string>(names)]
      return unique.toSpliced(place % (unique.length + 1), 0, R)
    }
  )
  const sort = (tools: ReadonlyArray<Tool>, list: ReadonlyArray<string>) =>
    Result.getOrThrow(ToolOrder.sort(tools, order(list), all))

  /** The rule word for word, in names × tools. */
  const naive = (tools: ReadonlyArray<Tool>, list: ReadonlyArray<string>): ReadonlyArray<Tool> =>
    list.flatMap((entry) => {
      if (entry !== R) return tools.filter((one) => one.schema.name === entry)
      const rest = [...new Set(namesOf(tools))].filter((name) => !list.includes(name))
      rest.sort((a, b) => (a < b ? -1 : 1))
      return rest.flatMap((name) => tools.filter((one) => one.schema.name === name))
    })

  it.prop("equals the rule word for word, so it is a stable permutation", [letters, lists], ([names, list]) => {
    const tools = toolsOf(names)
    const result = sort(tools, list)
    assert.deepStrictEqual(result, naive(tools, list))
    assert.sameMembers([...result], tools)
    assert.deepStrictEqual(tools, toolsOf(names), "the input stays")
  })

  it.prop(
    "sorting again changes nothing, nor does the incoming order of distinct names",
    [letters, lists],
    ([n, list]) => {
      const tools = toolsOf([...new Set(n)])
      const result = sort(tools, list)
      assert.deepStrictEqual(sort(result, list), result)
      assert.deepStrictEqual(sort(tools.toReversed(), list), result)
    }
  )

  it.prop(
    "make accepts exactly the lists with one marker and no name twice",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", R])), { maxLength: 4 })],
    ([list]) => {
      const valid = new Set(list).size === list.length && list.includes(R)
      assert.strictEqual(Result.isSuccess(ToolOrder.make(list)), valid)
    }
  )

  it("make refuses what is no list of names, as untyped code may give it", () => {
    for (const odd of [5, null, "bash", [5, ToolOrder.restMarker]]) {
      const made = ToolOrder.make(untyped(odd))
      const error = Result.getOrThrow(Result.flip(made))
      assert.deepInclude(
        error,
        { _tag: "InvalidToolOrder", kind: "toolOrder", entry: "", scope: "global" },
        String(odd)
      )
      assert.strictEqual(error.reason, "expected an array of tool names.")
    }
  })
})
