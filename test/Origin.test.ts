import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Assembly, type Listener, Origin, type Overlay, Persona, PromptScope, SystemPrompt } from "../src/index.ts"
import { assemble, overlay, refused } from "./support/known.ts"

const tool = (name: string, description = "") => ({ name, description, parameters: { type: "object" } })

/** One of each kind of contribution, all of that name or with it in them. */
const oneOfEach = (name: string, plugin: string | undefined): Overlay.Options => ({
  sections: [{ name, order: 1, text: "S", plugin }],
  contexts: [{ name, order: 2, text: "C", plugin }],
  variables: [{ name, value: "V", plugin }],
  tools: [{ name: "fs", plugin, tools: [tool(name)] }]
})

/** The origins of all parts of that name, by kind. */
const originsOf = (self: Assembly.Assembly, name: string) => ({
  section: self.sections.filter((one) => one.name === name).map(({ origin }) => origin),
  context: self.contexts.filter((one) => one.name === name).map(({ origin }) => origin),
  variable: self.variables.filter((one) => one.name === name).map(({ origin }) => origin),
  tool: self.tools.filter(({ schema }) => schema.name === name).map(({ origin }) => origin)
})

const each = (origin: Origin.Origin, tools: ReadonlyArray<Origin.Origin>) => ({
  section: [origin],
  context: [origin],
  variable: [origin],
  tool: tools
})

describe("tools that share a name", () => {
  const named = (description: string) => tool("bash", description)
  const before = assemble([
    overlay({
      tools: [
        { plugin: "core", tools: [named("x")] },
        { plugin: "extra", tools: [named("y")] }
      ]
    })
  ])
  /** Who each tool comes from, and whether the listener is blamed for it. */
  const after = (edit: (self: Assembly.Assembly) => Assembly.Assembly) =>
    assemble([
      overlay({
        tools: [
          { plugin: "core", tools: [named("x")] },
          { plugin: "extra", tools: [named("y")] }
        ],
        listeners: [{ name: "l", edit }]
      })
    ]).tools.map(({ origin, schema }) => [schema.description, origin.plugin, origin.listener?.name])

  it("keep their own origins when one is made to say what the other says", () => {
    assert.deepStrictEqual(
      before.tools.map(({ origin }) => origin.plugin),
      ["core", "extra"]
    )
    assert.deepStrictEqual(
      after((self) => Assembly.mapTool(self, "bash", (schema) => ({ ...schema, description: "y" }))),
      [
        ["y", "core", "l"],
        ["y", "extra", undefined]
      ]
    )
  })

  it("keep their own origins when one that is added says what another said before", () => {
    assert.deepStrictEqual(
      after((self) =>
        Assembly.addTool(
          Assembly.mapTool(self, "bash", (schema) => ({ ...schema, description: "z" })),
          named("y")
        )
      ).toSorted(),
      [
        ["y", undefined, "l"],
        ["z", "core", "l"],
        ["z", "extra", "l"]
      ]
    )
  })

  it("are told apart by their places when several edits go over all of them", () => {
    const describe = (self: Assembly.Assembly, description: string) =>
      Assembly.mapTool(self, "bash", (schema) => ({ ...schema, description }))
    const self = assemble([
      overlay({
        tools: [{ plugin: "core", tools: [named("Walk"), named("")] }],
        listeners: [{ name: "l", edit: (self) => describe(describe(self, ""), "Walk") }]
      })
    ])
    // They stood as "" and "Walk": the first has changed, the second says what it said.
    assert.deepStrictEqual(
      self.tools.map(({ origin, schema }) => [schema.description, origin.listener?.name]),
      [
        ["Walk", "l"],
        ["Walk", undefined]
      ]
    )
  })

  it("are told apart by their origins though they come from one provider", () => {
    const self = assemble([
      overlay({
        tools: [{ plugin: "core", tools: [named("x"), named("y")] }],
        listeners: [
          { name: "l", edit: (self) => Assembly.mapTool(self, "bash", (schema) => ({ ...schema, description: "y" })) }
        ]
      })
    ])
    assert.deepStrictEqual(
      self.tools.map(({ origin }) => origin.listener?.name),
      ["l", undefined]
    )
  })
})

describe("contributions", () => {
  it("know scope and plugin; a tool also its provider", () => {
    const self = assemble([overlay({}), overlay(oneOfEach("x", "core"), "agent")])
    const origin = { scope: "agent", plugin: "core", shadows: [] }
    assert.deepStrictEqual(originsOf(self, "x"), each(origin, [{ ...origin, provider: "fs" }]))
    assert.deepStrictEqual([self.sections[0]?.order, self.contexts[0]?.order], [1, 2])
  })

  it("leave out what nobody said", () => {
    const self = assemble([overlay({ ...oneOfEach("x", undefined), tools: [{ tools: [tool("x")] }] })])
    assert.deepStrictEqual(
      originsOf(self, "x"),
      each({ scope: "global", shadows: [] }, [{ scope: "global", shadows: [] }])
    )
    assert.deepStrictEqual(Object.keys(self.tools[0]!.origin), ["scope", "shadows"])
  })

  it("know all that they shadow, nearest first; tools append and shadow nothing", () => {
    const chain = [
      overlay(oneOfEach("x", "p0")),
      overlay(oneOfEach("x", undefined), "preset"),
      overlay(oneOfEach("other", "p2"), "between"),
      overlay(oneOfEach("x", "p3"), "agent")
    ]
    const self = assemble(chain)
    assert.deepStrictEqual(
      originsOf(self, "x"),
      each({ scope: "agent", plugin: "p3", shadows: [{ scope: "preset" }, { scope: "global", plugin: "p0" }] }, [
        { scope: "global", plugin: "p0", provider: "fs", shadows: [] },
        { scope: "preset", provider: "fs", shadows: [] },
        { scope: "agent", plugin: "p3", provider: "fs", shadows: [] }
      ])
    )
    assert.deepStrictEqual(originsOf(self, "other").section, [{ scope: "between", plugin: "p2", shadows: [] }])
  })

  it("of two scopes of one label say so twice", () => {
    const self = assemble([overlay({}), overlay(oneOfEach("x", "p1"), "agent"), overlay(oneOfEach("x", "p2"), "agent")])
    assert.deepStrictEqual(originsOf(self, "x").variable, [
      { scope: "agent", plugin: "p2", shadows: [{ scope: "agent", plugin: "p1" }] }
    ])
  })

  it("shadow per kind: a context hides no section of its name", () => {
    const self = assemble([
      overlay({ sections: [{ name: "x", order: 0, text: "S" }] }),
      overlay({ contexts: [{ name: "x", order: 0, text: "C" }] }, "agent")
    ])
    assert.deepStrictEqual(originsOf(self, "x"), {
      section: [{ scope: "global", shadows: [] }],
      context: [{ scope: "agent", shadows: [] }],
      variable: [],
      tool: []
    })
  })

  it.effect("that are registered know the label of the scope that was ambient, built-ins the global one", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const preset = (yield* PromptScope.make("preset")).scope
      const agent = (yield* PromptScope.make("agent", { parent: preset })).scope
      yield* prompt.persona({ prefix: "P", plugin: "persona" }).pipe(PromptScope.provide(preset))
      yield* prompt.section({ name: "x", order: 0, text: () => "X", plugin: "core" }).pipe(PromptScope.provide(agent))
      yield* prompt.variable("v", Effect.succeed("V"), { plugin: "core" })
      yield* prompt.tools(() => [tool("read")], { name: "fs", plugin: "core" }).pipe(PromptScope.provide(preset))
      const self = yield* prompt.assemble.pipe(PromptScope.provide(agent))
      assert.strictEqual(self.scope, "agent")
      assert.deepStrictEqual(originsOf(self, Persona.names.prefix).section, [
        { scope: "preset", plugin: "persona", shadows: [{ scope: "global" }] }
      ])
      assert.deepStrictEqual(originsOf(self, "x").section, [{ scope: "agent", plugin: "core", shadows: [] }])
      assert.deepStrictEqual(originsOf(self, "v").variable, [{ scope: "global", plugin: "core", shadows: [] }])
      assert.deepStrictEqual(originsOf(self, "read").tool, [
        { scope: "preset", plugin: "core", provider: "fs", shadows: [] }
      ])
      const global = yield* prompt.assemble
      assert.deepStrictEqual(originsOf(global, Persona.names.prefix).section, [{ scope: "global", shadows: [] }])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("the complete section and the one that requires a tool keep theirs through the seal", () => {
    const far = overlay({ sections: [{ name: "only", order: 0, text: "far", complete: true }] })
    const near = overlay({ sections: [{ name: "only", order: 0, text: "near", complete: true, plugin: "p" }] }, "agent")
    const origin = { scope: "agent", plugin: "p", shadows: [{ scope: "global" }] }
    assert.deepStrictEqual(originsOf(assemble([far, near]), "only").section, [origin])
    const requiring = { name: "r", order: 0, text: "R", requires: ["read"], plugin: "p" }
    const self = assemble([overlay({ sections: [requiring], tools: [{ tools: [tool("read")] }] })])
    assert.deepStrictEqual(originsOf(self, "r").section, [{ scope: "global", plugin: "p", shadows: [] }])
  })
})

describe("listeners", () => {
  const base = overlay(oneOfEach("x", "core"))

  const edited = (edit: Listener.Edit, ...more: ReadonlyArray<Listener.Edit>) =>
    assemble([
      base,
      overlay(
        { listeners: [edit, ...more].map((edit, i) => ({ name: `l${i + 1}`, order: i, plugin: "ext", edit })) },
        "agent"
      )
    ])

  /** How a listener of `edited` is named. */
  const by = (name: string): Origin.Listened => ({ name, scope: "agent", plugin: "ext" })

  const added = { scope: "agent", plugin: "ext", listener: by("l1"), shadows: [] }
  const own = { scope: "global", plugin: "core", shadows: [] }

  it("are the origin of what they add, with their own scope and plugin", () => {
    const self = edited(
      (self) => Assembly.addSection(self, { name: "new", order: 0, text: "N" }),
      (self) => Assembly.addContext(self, { name: "new", order: 0, text: "N" }),
      (self) => Assembly.setVariable(self, "new", "N"),
      (self) => Assembly.addTool(self, tool("new"))
    )
    const addedBy = (name: string) => [{ ...added, listener: by(name) }]
    assert.deepStrictEqual(originsOf(self, "new"), {
      section: addedBy("l1"),
      context: addedBy("l2"),
      variable: addedBy("l3"),
      tool: addedBy("l4")
    })
  })

  it("are named on what they change, which keeps its own scope, plugin, provider and shadows", () => {
    const self = edited(
      (self) => Assembly.mapSection(self, "x", (section) => ({ ...section, text: "changed" })),
      (self) => Assembly.replaceContext(self, { name: "x", order: 0, text: "replaced" }),
      (self) => Assembly.setVariable(self, "x", undefined),
      (self) => Assembly.mapTool(self, "x", (schema) => ({ ...schema, description: "changed" }))
    )
    assert.deepStrictEqual(originsOf(self, "x"), {
      section: [{ ...own, listener: by("l1") }],
      context: [{ ...own, listener: by("l2") }],
      variable: [{ ...own, listener: by("l3") }],
      tool: [{ ...own, provider: "fs", listener: by("l4") }]
    })
    const shadowing = assemble([
      base,
      overlay(oneOfEach("x", "near"), "agent"),
      overlay({
        listeners: [{ name: "l", edit: (self) => Assembly.replaceSection(self, { name: "x", order: 0, text: "" }) }]
      })
    ])
    assert.deepStrictEqual(originsOf(shadowing, "x").section, [
      {
        scope: "agent",
        plugin: "near",
        listener: { name: "l", scope: "global" },
        shadows: [{ scope: "global", plugin: "core" }]
      }
    ])
  })

  it.effect("that are global are of the global scope, wherever they are registered, here as in the service", () =>
    Effect.gen(function* () {
      const listener: Listener.PureInput = {
        name: "all",
        global: true,
        plugin: "ext",
        edit: Assembly.addSection({ name: "new", order: 0, text: "N" })
      }
      const prompt = yield* SystemPrompt
      const inScope = PromptScope.provide((yield* PromptScope.make("agent")).scope)
      yield* inScope(prompt.listener(listener))
      const origin = { scope: "global", plugin: "ext", shadows: [] }
      const expected = [{ ...origin, listener: { name: "all", scope: "global", plugin: "ext" } }]
      assert.deepStrictEqual(originsOf(yield* inScope(prompt.assemble), "new").section, expected)
      const known = overlay({ listeners: [listener] }, "agent")
      for (const chain of [[overlay({}), known], [known]]) {
        assert.deepStrictEqual(originsOf(assemble(chain), "new").section, expected)
      }
      const failing = { ...listener, edit: () => assert.fail() }
      yield* inScope(prompt.listener({ ...failing, name: "fails" }))
      const error = yield* Effect.flip(inScope(prompt.assemble))
      const refusal = refused([overlay({}), overlay({ listeners: [{ ...failing, name: "fails" }] }, "agent")])
      assert.strictEqual(refusal.message, error.message)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("are not named on what they leave alone, move, or copy without a change", () => {
    const copy = <A extends object>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
      all.map((one) => ({ ...one })).toReversed()
    const untouched = originsOf(assemble([base]), "x")
    for (const run of [
      (self: Assembly.Assembly) => self,
      (self: Assembly.Assembly) => Assembly.addSection(self, { name: "new", order: -1, text: "N" }),
      (self: Assembly.Assembly) => ({
        ...self,
        sections: copy(self.sections),
        contexts: copy(self.contexts),
        tools: copy(self.tools),
        variables: copy(self.variables)
      })
    ]) {
      assert.deepStrictEqual(originsOf(edited(run), "x"), untouched)
    }
  })

  it("the last one to change it is named", () => {
    const change = (text: string) => (self: Assembly.Assembly) =>
      Assembly.mapSection(self, "x", (section) => ({ ...section, text }))
    assert.deepStrictEqual(originsOf(edited(change("one"), change("two")), "x").section, [
      { ...own, listener: by("l2") }
    ])
    assert.deepStrictEqual(
      originsOf(
        edited(change("one"), (self) => self),
        "x"
      ).section,
      [{ ...own, listener: by("l1") }]
    )
  })

  it("cannot claim another origin", () => {
    const forged = Origin.make({ scope: "global", plugin: "core", provider: "x", shadows: [{ scope: "else" }] })
    const self = edited((self) => ({
      ...self,
      sections: [
        ...self.sections.map((one) => ({ ...one, text: "changed", origin: forged })),
        { name: "new", order: 9, text: "N", interpolate: true, requires: [], origin: forged }
      ]
    }))
    assert.deepStrictEqual(
      self.sections.map(({ name, origin }) => [name, origin]),
      [
        ["x", { ...own, listener: by("l1") }],
        ["new", added]
      ]
    )
  })
})

describe("make and equals", () => {
  const full = {
    scope: "s",
    plugin: "p",
    provider: "t",
    listener: { name: "l", scope: "m", plugin: "o" },
    shadows: [{ scope: "f", plugin: "q" }, { scope: "g" }]
  }

  it("make leaves out what is absent, copies what it hides, and freezes", () => {
    const shadows = [{ scope: "f" }]
    const self = Origin.make({ scope: "s", plugin: undefined, provider: undefined, listener: undefined, shadows })
    shadows.push({ scope: "g" })
    assert.deepStrictEqual(self, { scope: "s", shadows: [{ scope: "f" }] })
    assert.deepStrictEqual(Object.keys(self), ["scope", "shadows"])
    assert.isTrue(Object.isFrozen(self) && Object.isFrozen(self.shadows))
    assert.deepStrictEqual(Origin.make({ scope: "s" }), { scope: "s", shadows: [] })
    assert.deepStrictEqual(JSON.parse(JSON.stringify(Origin.make(full))), full)
    assert.deepStrictEqual(Object.keys(Origin.make(full)), ["scope", "plugin", "provider", "listener", "shadows"])
  })

  it("two are equal when they say the same, and differ by every field", () => {
    const self = Origin.make(full)
    assert.isTrue(Origin.equals(self, self))
    assert.isTrue(Origin.equals(self, Origin.make(full)))
    const others: ReadonlyArray<Parameters<typeof Origin.make>[0]> = [
      { ...full, scope: "x" },
      { ...full, plugin: "x" },
      { ...full, plugin: undefined },
      { ...full, provider: "x" },
      { ...full, listener: undefined },
      { ...full, listener: { ...full.listener, name: "x" } },
      { ...full, listener: { ...full.listener, scope: "x" } },
      { ...full, listener: { ...full.listener, plugin: "x" } },
      { ...full, listener: { name: full.listener.name, scope: full.listener.scope } },
      { ...full, shadows: [] },
      { ...full, shadows: full.shadows.slice(0, 1) },
      { ...full, shadows: full.shadows.toReversed() },
      { ...full, shadows: [{ scope: "x", plugin: "q" }, { scope: "g" }] },
      { ...full, shadows: [{ scope: "f" }, { scope: "g" }] }
    ]
    for (const other of others) {
      assert.isFalse(Origin.equals(self, Origin.make(other)), JSON.stringify(other))
      assert.isFalse(Origin.equals(Origin.make(other), self), JSON.stringify(other))
    }
  })
})
