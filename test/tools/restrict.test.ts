import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { PromptScope, type Restriction, SystemPrompt, ToolOrder, ToolRegistry, type ToolView } from "../../src/index.ts"
import type { Owner } from "../../src/PromptError.ts"
import * as registrations from "../support/registry.ts"
import { untyped } from "../support/untyped.ts"
import * as view from "../support/view.ts"
import {
  announced,
  assembled,
  assembledIn,
  call,
  encoded,
  failed,
  family,
  give,
  hidden,
  layerWith,
  shown,
  test,
  tool
} from "./support.ts"

const restrictIn = (scope: PromptScope.PromptScope, options: Restriction.Options) =>
  ToolRegistry.use((registry) => registry.restrict(options)).pipe(PromptScope.provide(scope))

/** A restriction that can be lifted. */
const liftable = (scope: PromptScope.PromptScope, options: Restriction.Options) =>
  registrations.own(restrictIn(scope, options))

const giveIn = (scope: PromptScope.PromptScope, ...names: ReadonlyArray<string>) =>
  PromptScope.provide(scope)(give(...names))

/** What the scope is shown, by the view and by an assembly: they must agree. */
const seenIn = Effect.fnUntraced(function* (scope: PromptScope.PromptScope) {
  const names = yield* shown(scope)
  assert.deepStrictEqual(view.tools(yield* assembledIn(scope)), names)
  return names
})

describe("restrict", () => {
  test(
    "[302] [BC-034] a denied tool is gone from the view, the assembly and execution of one scope; others keep it",
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      yield* give("read", "rm")
      yield* restrictIn(parent, { deny: ["rm"] })
      const registry = yield* ToolRegistry
      assert.deepStrictEqual(yield* seenIn(parent), ["read"])
      assert.deepStrictEqual(registry.view(parent).hidden, [
        { name: "rm", origin: { scope: "global", shadows: [] }, by: [{ list: "deny", scope: "parent" }] }
      ])
      const restricted = yield* assembledIn(parent)
      assert.strictEqual((yield* failed(restricted, "rm"))._tag, "ToolNotFound")
      assert.strictEqual(yield* call(restricted, "read"), "read")
      for (const scope of [PromptScope.global, other]) {
        assert.deepStrictEqual(yield* seenIn(scope), ["read", "rm"])
        assert.deepStrictEqual(yield* hidden(scope), [])
        assert.strictEqual(yield* call(yield* assembledIn(scope), "rm"), "rm")
      }
      assert.deepStrictEqual(yield* seenIn(child), ["read"])
    })
  )

  test(
    "[303] [BC-034] a hidden tool, another scope's and one that never was fail alike, but for the name",
    Effect.gen(function* () {
      const { other, parent } = yield* family
      yield* give("read", "rm")
      yield* giveIn(other, "ls")
      yield* restrictIn(parent, { deny: ["rm"] })
      const restricted = yield* assembledIn(parent)
      const never = yield* failed(restricted, "qx")
      assert.deepStrictEqual(encoded(never), { _tag: "ToolNotFound", tool: "qx", known: ["read"] })
      assert.strictEqual(never.message, 'there is no tool "qx". Call one of these by its exact name: read.')
      for (const name of ["rm", "ls"]) {
        const error = yield* failed(restricted, name)
        assert.deepStrictEqual(encoded(error), { ...Object(encoded(never)), tool: name })
        assert.strictEqual(error.message, never.message.replace("qx", name))
      }
      const none = yield* failed({ ...restricted, tools: [] }, "rm")
      assert.strictEqual(none.message, 'there is no tool "rm". There are no tools to call.')
    })
  )

  test(
    "[304] own tools of the restricting scope stay under an allow list, its children's view of them does not",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      yield* give("read", "rm")
      yield* restrictIn(parent, { allow: ["read"] })
      yield* giveIn(parent, "own", "rm")
      assert.deepStrictEqual(yield* seenIn(parent), ["own", "read", "rm"])
      assert.strictEqual(yield* call(yield* assembledIn(parent), "own"), "own")
      // For the child they are inherited: every restriction of every scope on its chain holds.
      assert.deepStrictEqual(yield* seenIn(child), ["read"])
      assert.deepStrictEqual(yield* hidden(child), ["own", "rm"])
      yield* giveIn(child, "rm")
      assert.deepStrictEqual(yield* seenIn(child), ["read", "rm"])
    })
  )

  test(
    "[305] a tool that comes later passes a deny list and no allow list; one that comes again is denied still",
    Effect.gen(function* () {
      const { other, parent } = yield* family
      yield* give("read")
      const take = yield* registrations.own(give("rm"))
      yield* restrictIn(parent, { allow: ["read"] })
      yield* restrictIn(other, { deny: ["rm"] })
      yield* give("late")
      assert.deepStrictEqual(yield* seenIn(parent), ["read"])
      assert.deepStrictEqual(yield* seenIn(other), ["late", "read"])
      yield* take
      assert.deepStrictEqual(yield* hidden(other), [])
      yield* give("rm")
      assert.deepStrictEqual(yield* seenIn(other), ["late", "read"])
      assert.deepStrictEqual(yield* hidden(parent), ["late", "rm"])
    })
  )

  test(
    "[306] two restrictions intersect; lifting one leaves the other, in whatever order",
    Effect.gen(function* () {
      const { parent } = yield* family
      yield* give("a", "b", "c")
      for (const first of [0, 1] as const) {
        const lifts = [
          yield* liftable(parent, { allow: ["a", "b"] }),
          yield* liftable(parent, { deny: ["b"] })
        ] as const
        const registry = yield* ToolRegistry
        assert.deepStrictEqual(yield* seenIn(parent), ["a"])
        assert.deepStrictEqual(
          registry.view(parent).hidden.map(({ by, name }) => [name, by.map(({ list }) => list)]),
          [
            ["b", ["deny"]],
            ["c", ["allow"]]
          ]
        )
        yield* lifts[first]
        assert.deepStrictEqual(yield* seenIn(parent), first === 0 ? ["a", "c"] : ["a", "b"])
        yield* lifts[first === 0 ? 1 : 0]
        assert.deepStrictEqual(yield* seenIn(parent), ["a", "b", "c"])
      }
      // The same one twice is two.
      const lift = yield* liftable(parent, { deny: ["a"] })
      yield* liftable(parent, { deny: ["a"] })
      yield* lift
      assert.deepStrictEqual(yield* seenIn(parent), ["b", "c"])
    })
  )

  test(
    "[307] a parent's restriction reaches the child, the child's does not reach the parent",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      yield* give("a", "b", "c")
      yield* restrictIn(parent, { deny: ["a"] })
      yield* restrictIn(child, { deny: ["b"] })
      const registry = yield* ToolRegistry
      assert.deepStrictEqual(yield* seenIn(parent), ["b", "c"])
      assert.deepStrictEqual(yield* seenIn(child), ["c"])
      assert.deepStrictEqual(
        registry.view(child).hidden.map(({ by, name }) => ({ name, by })),
        [
          { name: "a", by: [{ list: "deny", scope: "parent" }] },
          { name: "b", by: [{ list: "deny", scope: "child" }] }
        ]
      )
    })
  )

  test(
    "[308] a child restricts what an ancestor has",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      yield* giveIn(parent, "deploy", "read")
      yield* restrictIn(child, { allow: ["read"] })
      assert.deepStrictEqual(yield* seenIn(parent), ["deploy", "read"])
      assert.deepStrictEqual(yield* seenIn(child), ["read"])
      assert.strictEqual((yield* failed(yield* assembledIn(child), "deploy"))._tag, "ToolNotFound")
    })
  )

  test(
    "[309] without a scope, without a list, of unknown or own names, of the reserved name: each is told apart",
    Effect.gen(function* () {
      const { parent, other } = yield* family
      yield* give("read", "write")
      yield* giveIn(parent, "own")
      yield* giveIn(other, "elsewhere")
      const refuse = (scope: PromptScope.PromptScope, options: Restriction.Options) =>
        Effect.flip(restrictIn(scope, { plugin: "p", ...options }))
      const owner: Owner = { kind: "restriction", entry: "", scope: "parent", plugin: "p" }
      const global = yield* refuse(PromptScope.global, { deny: ["read"] })
      assert.deepInclude(global, { ...owner, scope: "global", _tag: "InvalidRegistration", field: "scope" })
      const neither = yield* refuse(parent, {})
      assert.deepInclude(neither, { ...owner, _tag: "InvalidRegistration", field: "allow" })
      for (const options of [
        { deny: ["raed", "own", "elsewhere"] },
        { allow: ["read", "raed", "own"], deny: ["elsewhere"] }
      ]) {
        const unknown = yield* refuse(parent, options)
        assert.deepInclude(unknown, { ...owner, _tag: "UnknownTool", nearest: "read" })
        assert.deepInclude(unknown, { unknown: ["raed", "own", "elsewhere"], known: ["read", "write"] })
        for (const name of ["raed", "own", "elsewhere", "read", "write"]) assert.include(unknown.message, name)
      }
      const reserved = yield* refuse(parent, { deny: ["nosuch", ToolOrder.restMarker] })
      assert.deepInclude(reserved, { ...owner, _tag: "ReservedToolName", tool: ToolOrder.restMarker })
      // Nothing of it was registered.
      assert.deepStrictEqual(yield* seenIn(parent), ["own", "read", "write"])
      assert.lengthOf(new Set([global, neither, reserved].map(({ message }) => message)), 3)
    })
  )

  test(
    "what is no list of names is refused by field, and is not the same as no list",
    Effect.gen(function* () {
      const { parent } = yield* family
      yield* give("a", "b")
      for (const field of ["allow", "deny"] as const) {
        for (const list of [null, "", 0, false, "a", {}, [""], [null], [undefined]]) {
          const options: Restriction.Options = untyped({ allow: [], deny: [], [field]: list })
          const error = yield* Effect.flip(restrictIn(parent, options))
          assert.deepInclude(error, { _tag: "InvalidRegistration", kind: "restriction", scope: "parent", field })
        }
      }
      assert.deepStrictEqual(yield* seenIn(parent), ["a", "b"])
    })
  )

  test(
    "one after another, each alone in its scope: a view is never that of the one before",
    Effect.gen(function* () {
      const { parent } = yield* family
      yield* give("a", "b")
      for (const name of ["a", "b", "a"]) {
        // Nobody looks in between, when nothing is registered in the scope.
        const lift = yield* liftable(parent, { deny: [name] })
        assert.deepStrictEqual(yield* hidden(parent), [name])
        yield* lift
      }
      assert.deepStrictEqual(yield* seenIn(parent), ["a", "b"])
    })
  )

  test(
    "names that a scope inherits and is not shown can be restricted too",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      yield* give("a", "b")
      const lift = yield* liftable(parent, { allow: [] })
      yield* restrictIn(child, { deny: ["a"] })
      assert.deepStrictEqual(yield* seenIn(child), [])
      yield* lift
      assert.deepStrictEqual(yield* seenIn(child), ["b"])
    })
  )

  test(
    "[310] lists are copied when they are registered",
    Effect.gen(function* () {
      const { other, parent } = yield* family
      yield* give("a", "b")
      const allow = ["a"]
      const deny = ["b"]
      yield* restrictIn(parent, { allow })
      yield* restrictIn(other, { deny })
      allow.push("b")
      deny.splice(0, 1, "a")
      assert.deepStrictEqual(yield* seenIn(parent), ["a"])
      assert.deepStrictEqual(yield* seenIn(other), ["a"])
    })
  )

  test(
    "[311] an empty allow list hides all that is inherited, an empty deny list nothing",
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      yield* give("a", "b")
      yield* giveIn(parent, "own")
      yield* restrictIn(parent, { allow: [] })
      yield* restrictIn(other, { deny: [] })
      assert.deepStrictEqual(yield* seenIn(parent), ["own"])
      assert.deepStrictEqual(yield* seenIn(child), [])
      assert.deepStrictEqual(yield* hidden(child), ["a", "b", "own"])
      assert.deepStrictEqual(yield* seenIn(other), ["a", "b"])
    })
  )

  test(
    "[312] a scope's own tool shadows a global one by name: one schema, its handler; the other comes back",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      const registry = yield* ToolRegistry
      yield* registry.register(tool("read", { says: "global", plugin: "core" }))
      yield* giveIn(parent, "x")
      const take = yield* registrations.own(
        PromptScope.provide(parent)(registry.register(tool("read", { says: "parent", plugin: "own" })))
      )
      for (const scope of [parent, child]) {
        const assembly = yield* assembledIn(scope)
        assert.deepStrictEqual(view.tools(assembly), ["read", "x"])
        assert.deepStrictEqual(assembly.tools[0]!.origin, {
          scope: "parent",
          plugin: "own",
          shadows: [{ scope: "global", plugin: "core" }]
        })
        assert.strictEqual(yield* call(assembly, "read"), "parent")
      }
      assert.strictEqual(yield* call(yield* assembled, "read"), "global")
      yield* PromptScope.provide(child)(registry.register(tool("read", { says: "child" })))
      assert.deepStrictEqual((yield* assembledIn(child)).tools[0]!.origin, {
        scope: "child",
        shadows: [
          { scope: "parent", plugin: "own" },
          { scope: "global", plugin: "core" }
        ]
      })
      yield* take
      assert.strictEqual(yield* call(yield* assembledIn(parent), "read"), "global")
      assert.strictEqual(yield* call(yield* assembledIn(child), "read"), "child")
    })
  )

  test(
    "a restriction of the parent hides the global tool that a hidden one shadows, too: names are restricted",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      yield* give("read")
      yield* giveIn(parent, "read")
      yield* restrictIn(child, { deny: ["read"] })
      assert.deepStrictEqual(yield* seenIn(child), [])
      assert.deepStrictEqual(yield* hidden(child), ["read"])
    })
  )

  test(
    "it ends with its Effect scope or its prompt scope, whichever is first, and is refused in one that has ended",
    Effect.gen(function* () {
      yield* give("a")
      const lifetime = yield* Scope.make()
      const { scope } = yield* Scope.provide(PromptScope.make("agent"), lifetime)
      const { scope: child } = yield* PromptScope.make("child", { parent: scope })
      const lift = yield* liftable(scope, { allow: [] })
      assert.deepStrictEqual(yield* seenIn(child), [])
      yield* Scope.close(lifetime, Exit.void)
      assert.deepStrictEqual(yield* seenIn(child), ["a"])
      assert.strictEqual(yield* announced(lift), 0)
      const error = yield* Effect.flip(restrictIn(scope, { deny: ["a"] }))
      assert.deepInclude(error, { _tag: "ScopeClosed", kind: "restriction", scope: "agent" })
    })
  )

  test(
    "a scope under another parent is shown what that one is shown; restrictions go with their scopes",
    Effect.gen(function* () {
      const { child, other, parent, rebind } = yield* family
      yield* give("a", "b")
      yield* giveIn(parent, "p")
      yield* giveIn(other, "o", "a")
      yield* restrictIn(parent, { deny: ["b"] })
      yield* restrictIn(child, { deny: ["a"] })
      assert.deepStrictEqual(yield* seenIn(child), ["p"])
      const before = yield* assembledIn(child)
      yield* rebind(other)
      assert.deepStrictEqual(yield* seenIn(child), ["b", "o"])
      // What the model was shown before can be called still.
      assert.strictEqual(yield* call(before, "p"), "p")
      yield* rebind(PromptScope.global)
      assert.deepStrictEqual(yield* seenIn(child), ["b"])
      yield* rebind(parent)
      assert.deepStrictEqual(yield* seenIn(child), ["p"])
    })
  )

  test(
    "a call is judged by the assembly: restrictions and tools that came since make no difference",
    Effect.gen(function* () {
      const { parent } = yield* family
      yield* give("a", "b")
      const lift = yield* liftable(parent, { deny: ["a"] })
      const before = yield* assembledIn(parent)
      yield* lift
      yield* restrictIn(parent, { deny: ["b"] })
      yield* giveIn(parent, "c", "b")
      assert.strictEqual((yield* failed(before, "a"))._tag, "ToolNotFound")
      assert.strictEqual((yield* failed(before, "c"))._tag, "ToolNotFound")
      assert.strictEqual(yield* call(before, "b"), "b")
      assert.deepStrictEqual(yield* seenIn(parent), ["a", "b", "c"])
    })
  )
})

describe("known names", () => {
  const order = ["write", ToolOrder.restMarker]

  it.effect("[313] restricted tools are known: a tool order may list them, and they take no place", () =>
    Effect.gen(function* () {
      const { child, other, parent } = yield* family
      yield* give("a", "write")
      yield* giveIn(other, "elsewhere")
      yield* restrictIn(parent, { deny: ["write"] })
      for (const scope of [PromptScope.global, other]) {
        assert.strictEqual((yield* assembledIn(scope)).tools[0]!.schema.name, "write")
      }
      for (const scope of [parent, child]) assert.deepStrictEqual(view.tools(yield* assembledIn(scope)), ["a"])
    }).pipe(Effect.provide(layerWith({ toolOrder: order })))
  )

  it.effect(
    "a name that no scope of the chain has is a typo in a tool order; what is hidden by an allow list is none",
    () =>
      Effect.gen(function* () {
        const { parent } = yield* family
        yield* give("a")
        const error = yield* Effect.flip(assembled)
        assert.deepInclude(error, { _tag: "UnknownTool", unknown: ["write"], known: ["a"] })
        yield* restrictIn(parent, { allow: [] })
        yield* give("write")
        assert.deepStrictEqual(view.tools(yield* assembledIn(parent)), [])
      }).pipe(Effect.provide(layerWith({ toolOrder: order })))
  )
})

describe("guidance", () => {
  const guidance = SystemPrompt.use((prompt) =>
    Effect.all(
      [
        prompt.section({ name: "tool:rm", order: 1, text: "Delete with rm.", requires: ["rm"] }),
        prompt.section({ name: "base", order: 0, text: "Be careful." })
      ],
      { discard: true }
    )
  )

  test(
    "[BC-035] a section that requires a tool of the registry goes and comes with it",
    Effect.gen(function* () {
      const { child, parent } = yield* family
      const registry = yield* ToolRegistry
      const names = (scope: PromptScope.PromptScope) =>
        Effect.map(assembledIn(scope), (assembly) => view.sections(assembly).map(([name]) => name))
      yield* guidance
      yield* give("read")
      assert.deepStrictEqual(yield* names(PromptScope.global), ["base"])
      const take = yield* registrations.own(give("rm"))
      assert.deepStrictEqual(yield* names(PromptScope.global), ["base", "tool:rm"])
      const lift = yield* liftable(parent, { deny: ["rm"] })
      assert.deepStrictEqual(yield* names(parent), ["base"])
      assert.deepStrictEqual(yield* names(child), ["base"])
      yield* PromptScope.provide(child)(registry.register(tool("rm")))
      assert.deepStrictEqual(yield* names(child), ["base", "tool:rm"])
      yield* lift
      assert.deepStrictEqual(yield* names(parent), ["base", "tool:rm"])
      yield* take
      assert.deepStrictEqual(yield* names(parent), ["base"])
    })
  )

  test(
    "[314] guidance that looks its tool up is empty where the tool is hidden",
    Effect.gen(function* () {
      const { parent } = yield* family
      const registry = yield* ToolRegistry
      const prompt = yield* SystemPrompt
      const shows = ({ tools }: ToolView.ToolView) => tools.some(({ schema }) => schema.name === "rm")
      yield* prompt.section({
        name: "tool:rm",
        order: 1,
        text: ({ scope }) => (shows(registry.view(scope)) ? "Delete with rm." : "")
      })
      const text = (scope: PromptScope.PromptScope) =>
        Effect.map(PromptScope.provide(scope)(prompt.render), (rendered) => rendered.text)
      assert.strictEqual(yield* text(PromptScope.global), "")
      yield* give("rm")
      const lift = yield* liftable(parent, { deny: ["rm"] })
      assert.strictEqual(yield* text(PromptScope.global), "Delete with rm.")
      assert.strictEqual(yield* text(parent), "")
      yield* lift
      assert.strictEqual(yield* text(parent), "Delete with rm.")
    })
  )
})
