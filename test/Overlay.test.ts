import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  Listener,
  Overlay,
  PromptContext,
  Section,
  Template,
  ToolOrder,
  ToolProvider,
  ToolSchema,
  Variable
} from "../src/index.ts"
import { OverlayTable } from "../src/internal/overlayTable.ts"
import { DuplicateRegistration, InvalidRegistration } from "../src/PromptError.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import * as edits from "../src/testing/Edit.ts"
import { changeable } from "./support/frozen.ts"
import { assemble, overlay } from "./support/known.ts"
import { untyped } from "./support/untyped.ts"
import * as view from "./support/view.ts"

const refused = (options: Overlay.Options, scope = "S") => Result.getOrThrow(Result.flip(Overlay.make(scope, options)))

const same = <A>(value: A): A => value

const section = (name: string, text = name): Section.Options => ({ name, order: 1, text })

describe("make", () => {
  it("holds what it is given, by kind, under the label of its scope", () => {
    const self = overlay(
      {
        sections: [{ ...section("s"), plugin: "p" }],
        contexts: [section("c")],
        variables: [{ name: "v", value: undefined }],
        tools: [{ tools: [] }],
        listeners: [{ name: "l", edit: same }],
        suppressors: 2
      },
      "S"
    )
    assert.deepStrictEqual(self, {
      scope: "S",
      sections: [
        {
          kind: "section",
          name: "s",
          order: 1,
          text: "s",
          complete: false,
          interpolate: true,
          requires: [],
          plugin: "p"
        }
      ],
      contexts: [{ kind: "context", name: "c", order: 1, text: "c", interpolate: true, plugin: undefined }],
      variables: [{ kind: "variable", name: "v", value: undefined, plugin: undefined }],
      tools: [{ kind: "tools", name: undefined, tools: [], plugin: undefined }],
      listeners: [{ kind: "listener", name: "l", order: 0, global: false, run: same, plugin: undefined }],
      suppressors: 2
    })
  })

  it("of nothing is empty", () => {
    const self = overlay({})
    assert.deepStrictEqual(
      [self.sections, self.contexts, self.variables, self.tools, self.listeners, self.suppressors],
      [[], [], [], [], [], 0]
    )
  })

  it("[2, 3, 10, 11] refuses a second entry of a name, per kind, and names both plugins", () => {
    const twice = <A extends object>(one: A) => [
      { ...one, plugin: "one" },
      { ...one, plugin: "two" }
    ]
    for (const [kind, options] of [
      ["section", { sections: twice(section("n")) }],
      ["context", { contexts: twice(section("n")) }],
      ["variable", { variables: twice({ name: "n", value: "" }) }],
      ["listener", { listeners: twice({ name: "n", edit: same }) }]
    ] as const) {
      const expected = { kind, entry: "n", scope: "S", plugin: "two", existingPlugin: "one" }
      assert.deepStrictEqual(refused(options), new DuplicateRegistration(expected))
    }
    assert.isTrue(
      Result.isSuccess(
        Overlay.make("S", {
          sections: [section("n")],
          contexts: [section("n")],
          variables: [{ name: "n", value: "" }],
          listeners: [{ name: "n", edit: same }]
        })
      )
    )
  })

  it("[15, 16] counts tool providers and suppressors: equal ones are several", () => {
    const provider = { name: "fs", tools: [] }
    const self = overlay({ tools: [provider, provider], suppressors: 3 })
    assert.strictEqual(self.tools.length, 2)
    assert.strictEqual(self.suppressors, 3)
    assert.notStrictEqual(Overlay.suppressor(), Overlay.suppressor())
  })

  it("[5, 6, 7, 9] [BC-081] refuses what breaks a rule of its kind, with kind, entry, scope, plugin and field", () => {
    const nan = { ...section("n"), order: Number.NaN, plugin: "p" }
    for (const [kind, field, options] of [
      ["section", "order", { sections: [nan] }],
      ["context", "order", { contexts: [nan] }],
      ["listener", "order", { listeners: [{ ...nan, edit: same }] }],
      ["section", "order", { sections: [{ ...nan, order: untyped("10") }] }],
      ["context", "order", { contexts: [{ ...nan, order: untyped(null) }] }]
    ] as const) {
      const error = refused(options)
      assert.instanceOf(error, InvalidRegistration)
      assert.deepInclude(error, { kind, entry: "n", scope: "S", plugin: "p", field })
      assert.include(error.message, `${kind} "n" of scope "S" (plugin "p")`)
    }
    const named = refused({ variables: [{ name: "A", value: "", plugin: "p" }] })
    assert.deepInclude(named, { kind: "variable", entry: "A", scope: "S", plugin: "p", field: "name" })
    const anonymous = refused({ tools: [{ name: "", tools: [] }] })
    assert.deepInclude(anonymous, { kind: "tools", entry: "", scope: "S", field: "name" })
  })

  it("refuses a listener that is not one `edit`, and says which field is wrong", () => {
    const around = () => same
    for (const [functions, field, mentions] of [
      [{}, "edit", "got undefined"],
      [{ run: same }, "edit", "got undefined"],
      [{ edit: 7 }, "edit", "the number 7"],
      [{ edit: "same" }, "edit", "a string"],
      [{ edit: {} }, "edit", "an object"],
      [{ around }, "around", "SystemPrompt.listener"],
      [{ edit: same, around }, "around", "SystemPrompt.listener"],
      [{ edit: same, around: 7 }, "around", "SystemPrompt.listener"]
    ] as const) {
      const error = refused({ listeners: [untyped({ name: "n", plugin: "p", ...functions })] })
      assert.deepInclude(error, { _tag: "InvalidRegistration", kind: "listener", entry: "n", scope: "S", plugin: "p" })
      assert.propertyVal(error, "field", field)
      for (const mention of ['listener "n" of scope "S" (plugin "p")', field, mentions]) {
        assert.include(error.message, mention)
      }
    }
    assert.isTrue(
      Result.isSuccess(Overlay.make("S", { listeners: [untyped({ name: "n", edit: same, around: undefined })] }))
    )
  })

  it("a name that is no string is described in the reason, and is no entry", () => {
    const error = refused({ sections: [{ ...section("n"), name: untyped({ toString: () => "n" }) }] })
    assert.deepInclude(error, { kind: "section", entry: "", field: "name" })
    assert.include(error.message, "expected a non-empty string, got an object")
  })

  it("a Template with `interpolate: false` is refused: it has references to fill in", () => {
    const text = Template.text`You run on ${Template.ref("model")}.`
    for (const [kind, options] of [
      ["section", { sections: [{ ...section("n"), text, interpolate: false }] }],
      ["context", { contexts: [{ ...section("n"), text, interpolate: false }] }]
    ] as const) {
      assert.deepInclude(refused(options), { _tag: "InvalidRegistration", kind, entry: "n", field: "interpolate" })
    }
  })

  it("[BC-089] names that only look equal are different names, and stay as they were written", () => {
    const names = ["caf\u00e9", "cafe\u0301", "\u0440ersona", "persona"]
    const assembly = assemble([overlay({ sections: names.map((name) => section(name)) })])
    assert.sameMembers(
      view.sections(assembly).map(([name]) => name),
      names
    )
    // They do not shadow each other either.
    const near = overlay({ sections: [section(names[1]!, "near"), section(names[3]!, "near")] }, "S")
    const shadowed = assemble([overlay({ sections: names.map((name) => section(name)) }), near])
    assert.deepStrictEqual(
      new Map(view.sections(shadowed)),
      new Map([
        [names[0]!, names[0]!],
        [names[1]!, "near"],
        [names[2]!, names[2]!],
        [names[3]!, "near"]
      ])
    )
  })
})

describe("the table behind it", () => {
  it("[13, 14] removes exactly the entry it is given, once, and never a later one of the same name", () => {
    const table = new OverlayTable<Overlay.Known>("S")
    const entries = (): ReadonlyArray<Overlay.Entry> => [
      Result.getOrThrow(Section.make(section("n"), "S")),
      Result.getOrThrow(PromptContext.make(section("n"), "S")),
      Result.getOrThrow(Variable.make({ name: "n", value: "" }, "S")),
      Result.getOrThrow(Listener.make({ name: "n", edit: same }, same, "S")),
      Result.getOrThrow(ToolProvider.make({ tools: [] }, "S")),
      Overlay.suppressor()
    ]
    const later = entries()
    for (const [i, one] of entries().entries()) {
      const next = later[i]!
      assert.isFalse(table.remove(one), "it is not there yet")
      assert.isTrue(Result.isSuccess(table.insert(one)))
      assert.isTrue(table.remove(one))
      assert.isTrue(Result.isSuccess(table.insert(next)))
      const before = table.snapshot()
      assert.isFalse(table.remove(one))
      assert.strictEqual(table.size, 1, one.kind)
      assert.strictEqual(table.snapshot(), before)
      assert.isTrue(table.remove(next))
      assert.strictEqual(table.size, 0)
    }
  })

  it("[2] keeps the first entry of a name when it refuses another", () => {
    const table = new OverlayTable<Overlay.Known>("S")
    const first = Result.getOrThrow(Section.make(section("n", "first"), "S"))
    const second = Result.getOrThrow(Section.make(section("n", "second"), "S"))
    table.insert(first)
    const before = table.snapshot()
    assert.isTrue(Result.isFailure(table.insert(second)))
    assert.strictEqual(table.snapshot(), before)
    assert.deepStrictEqual(before.sections, [first])
  })
})

describe("copies", () => {
  it("[21] shares nothing that can change with what it is made from", () => {
    const requires = ["read"]
    const one = { ...section("s"), requires }
    const parameters = { type: "object" }
    const schemas = [{ name: "read", description: "before", parameters }]
    const knownNames = ["hidden"]
    const self = overlay({
      sections: [one],
      tools: [{ tools: schemas }, { name: "z", tools: { schemas, knownNames } }]
    })
    const toolOrder = Result.getOrThrow(ToolOrder.make(["hidden", ToolOrder.restMarker]))
    const before = view.bytes(assemble([self], { toolOrder }))
    requires.push("gone")
    Object.assign(one, { name: "x", text: "after", order: -1 })
    Object.assign(parameters, { type: "after" })
    Object.assign(schemas[0]!, { name: "after", description: "after" })
    schemas.push({ name: "more", description: "", parameters })
    knownNames.length = 0
    assert.strictEqual(view.bytes(assemble([self], { toolOrder })), before)
  })

  it("[21] what is no valid tool is left for the assembly to refuse", () => {
    const invalid = [untyped({ name: "t", description: "", parameters: { f: () => 1 } }), untyped(7)]
    for (const tool of invalid) {
      const made = Result.getOrThrow(ToolProvider.make({ tools: [tool] }, "S"))
      assert.strictEqual(made.tools[0], tool)
    }
    for (const tools of [7, null, "tools", { schemas: 7 }, { knownNames: [] }]) {
      const made = Result.getOrThrow(ToolProvider.make({ tools: untyped(tools) }, "S"))
      assert.strictEqual(made.tools, tools)
    }
    const hostile = new Proxy([], { get: () => assert.fail("read") })
    assert.strictEqual(Result.getOrThrow(ToolProvider.make({ tools: hostile }, "S")).tools, hostile)
  })

  it("[21] a function or anything else that is no contribution is the provider, and taken as it is", () => {
    const provider = () => []
    assert.strictEqual(Result.getOrThrow(ToolProvider.make({ tools: provider }, "S")).tools, provider)
    const options = { name: "n", order: 1, text: provider }
    assert.strictEqual(Result.getOrThrow(Section.make(options, "S")).text, provider)
    assert.strictEqual(Result.getOrThrow(PromptContext.make(options, "S")).text, provider)
    assert.strictEqual(Result.getOrThrow(Variable.make({ name: "n", value: provider }, "S")).value, provider)
  })

  it.prop("[21] is frozen to the depth, whatever it is made from", [arbitraries.overlay], ([options]) => {
    const listeners = options.listeners.map((listener) => ({ ...listener, edit: edits.run(listener) }))
    const self = overlay({ ...options, listeners })
    // What is no valid tool stays as it came.
    const invalid = self.tools
      .flatMap(({ tools }): ReadonlyArray<unknown> => ("schemas" in tools ? tools.schemas : tools))
      .filter((tool) => !ToolSchema.isToolSchema(tool))
    assert.deepStrictEqual(changeable(self, invalid), [])
  })
})
