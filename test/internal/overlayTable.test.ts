import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { OverlayTable } from "../../src/internal/overlayTable.ts"
import * as Listener from "../../src/Listener.ts"
import * as Overlay from "../../src/Overlay.ts"
import * as PromptContext from "../../src/PromptContext.ts"
import * as Section from "../../src/Section.ts"
import * as ToolProvider from "../../src/ToolProvider.ts"
import * as Variable from "../../src/Variable.ts"

/** A new entry of each kind. */
const entries = (): ReadonlyArray<Overlay.Entry> => [
  Result.getOrThrow(Section.make({ name: "x", order: 0, text: "" }, "agent")),
  Result.getOrThrow(PromptContext.make({ name: "x", order: 0, text: "" }, "agent")),
  Result.getOrThrow(Variable.make({ name: "x", value: "" }, "agent")),
  Result.getOrThrow(Listener.pure({ name: "x", edit: (self) => self }, "agent")),
  Result.getOrThrow(ToolProvider.make<ToolProvider.Tools>({ name: "x", tools: [] }, "agent")),
  Overlay.suppressor()
]

describe("OverlayTable", () => {
  it("counts all that it holds", () => {
    const table = new OverlayTable<Overlay.Known>("agent")
    const all = entries()
    assert.strictEqual(table.size, 0)
    all.forEach((entry, i) => {
      assert.isTrue(Result.isSuccess(table.insert(entry)))
      assert.strictEqual(table.size, i + 1, entry.kind)
    })
    all.forEach((entry, i) => {
      assert.isTrue(table.remove(entry))
      assert.strictEqual(table.size, all.length - i - 1, entry.kind)
    })
  })

  it("removes the entry itself, and no other of its kind and name; says whether it was there", () => {
    const table = new OverlayTable<Overlay.Known>("agent")
    const others = entries()
    for (const entry of entries()) table.insert(entry)
    const before = table.snapshot()
    for (const entry of others) assert.isFalse(table.remove(entry), entry.kind)
    assert.deepStrictEqual(table.snapshot(), before)
  })

  it("tells its suppressors apart, which an overlay only counts", () => {
    const table = new OverlayTable<Overlay.Known>("agent")
    assert.deepStrictEqual(table.suppressors, [])
    const two = [Overlay.suppressor("a"), Overlay.suppressor("b")]
    for (const one of two) table.insert(one)
    assert.deepStrictEqual(table.suppressors, two)
    assert.strictEqual(table.snapshot().suppressors, 2)
  })

  it("gives the same snapshot until something changes; an earlier one stays as it was", () => {
    for (const entry of entries()) {
      const table = new OverlayTable<Overlay.Known>("agent")
      const empty = table.snapshot()
      assert.strictEqual(table.snapshot(), empty)
      table.insert(entry)
      const full = table.snapshot()
      assert.notDeepEqual(full, empty, entry.kind)
      assert.strictEqual(table.snapshot(), full)
      table.remove(entry)
      assert.deepStrictEqual(table.snapshot(), empty, entry.kind)
      assert.notDeepEqual(full, empty, entry.kind)
    }
  })
})
