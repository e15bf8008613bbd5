import { assert, describe, it } from "@effect/vitest"
import { Effect, Equal, Exit, HashMap, Option, Scope, Stream } from "effect"
import { Overlays, PromptScope, SystemPrompt } from "../src/index.ts"
import { DuplicateRegistration, ScopeClosed, ScopeCycle } from "../src/PromptError.ts"
import { kinds } from "./support/kinds.ts"
import { builtIns, layer, own } from "./support/registry.ts"
import * as view from "./support/view.ts"

const test = <E>(name: string, self: Effect.Effect<void, E, SystemPrompt | Overlays | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(self, layer))

const labels = (scope: PromptScope.PromptScope) => PromptScope.chain(scope).map(({ label }) => label)

const assembledIn = (scope: PromptScope.PromptScope) =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.assemble))

const sectionsIn = (scope: PromptScope.PromptScope) =>
  Effect.map(assembledIn(scope), (assembly) => view.sections(assembly))

const variablesIn = (scope: PromptScope.PromptScope) =>
  Effect.map(assembledIn(scope), (assembly) => view.variables(assembly))

const section = (scope: PromptScope.PromptScope, name: string, text = name) =>
  SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.section({ name, order: 1, text })))

const revision = Overlays.use(({ changes }) => Effect.map(Stream.runHead(changes), Option.getOrThrow))

/** A prompt scope in an Effect scope of its own. */
const scoped = (label: string, options?: { readonly parent?: PromptScope.PromptScope }) =>
  Effect.gen(function* () {
    const effectScope = yield* Scope.make()
    const owned = yield* Scope.provide(PromptScope.make(label, options), effectScope)
    return { ...owned, close: Scope.close(effectScope, Exit.void) }
  })

describe("making", () => {
  it.effect(
    "[32] global has no parent, and is the parent of a scope made without one; a chain ends with its scope",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(labels(PromptScope.global), ["global"])
        assert.isUndefined(PromptScope.global.parent)
        assert.isFalse(PromptScope.global.closed)
        const { scope } = yield* PromptScope.make("S")
        assert.strictEqual(scope.parent, PromptScope.global)
        assert.deepStrictEqual(PromptScope.chain(scope), [PromptScope.global, scope])
        assert.strictEqual(yield* PromptScope.Current, PromptScope.global)
      })
  )

  it.effect("[33] a chain of parents, farthest first", () =>
    Effect.gen(function* () {
      const { scope: grandparent } = yield* PromptScope.make("G")
      const { scope: parent } = yield* PromptScope.make("P", { parent: grandparent })
      const { scope: child } = yield* PromptScope.make("C", { parent })
      assert.deepStrictEqual(PromptScope.chain(child), [PromptScope.global, grandparent, parent, child])
      assert.deepStrictEqual(labels(grandparent), ["global", "G"])
    })
  )

  test(
    "[41] made in another scope, it is a child of it, and registrations go to the inner one only",
    Effect.gen(function* () {
      const overlays = yield* Overlays
      const { scope: outer } = yield* PromptScope.make("outer")
      const inner = yield* Effect.gen(function* () {
        assert.strictEqual(yield* PromptScope.Current, outer)
        const { scope } = yield* PromptScope.make("inner")
        yield* section(scope, "s")
        return scope
      }).pipe(PromptScope.provide(outer))
      assert.strictEqual(inner.parent, outer)
      assert.deepStrictEqual(
        [inner, outer, PromptScope.global].map((scope) => overlays.size(scope)),
        [1, 0, builtIns]
      )
      assert.deepStrictEqual(yield* sectionsIn(inner), [["s", "s"]])
      assert.deepStrictEqual(yield* sectionsIn(outer), [])
    })
  )

  test(
    "[40] a closed parent is refused, also as the ambient one: no scope exists, and nothing has changed",
    Effect.gen(function* () {
      const { scope: parent, close } = yield* scoped("P")
      yield* close
      const before = yield* revision
      for (const making of [PromptScope.make("C", { parent }), PromptScope.provide(parent)(PromptScope.make("C"))]) {
        const error = yield* Effect.flip(Effect.scoped(making))
        assert.deepStrictEqual(error, new ScopeClosed({ scope: "P" }))
        assert.include(error.message, `prompt scope "P" is closed`)
        assert.include(error.message, "be a parent")
      }
      assert.strictEqual(yield* revision, before)
    })
  )

  test(
    "two scopes of one label stay apart, as keys and in what they hold",
    Effect.gen(function* () {
      const { scope: one } = yield* PromptScope.make("agent")
      const { scope: other } = yield* PromptScope.make("agent")
      assert.isFalse(Equal.equals(one, other))
      assert.isTrue(Equal.equals(one, one))
      assert.strictEqual(HashMap.size(HashMap.make([one, 1], [other, 2])), 2)
      yield* section(one, "s", "one")
      yield* section(other, "s", "other")
      assert.deepStrictEqual(yield* sectionsIn(one), [["s", "one"]])
      assert.deepStrictEqual(yield* sectionsIn(other), [["s", "other"]])
    })
  )

  test(
    "a scope may have the label of global, and is another one",
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("global")
      yield* section(scope, "s")
      assert.deepStrictEqual(yield* sectionsIn(PromptScope.global), [])
      assert.deepStrictEqual(yield* sectionsIn(scope), [["s", "s"]])
    })
  )

  it.effect("isPromptScope tells a scope from what looks like one", () =>
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("S")
      assert.isTrue(PromptScope.isPromptScope(scope))
      assert.isTrue(PromptScope.isPromptScope(PromptScope.global))
      for (const other of [undefined, null, "S", { ...scope }, { label: "S", parent: undefined, closed: false }]) {
        assert.isFalse(PromptScope.isPromptScope(other))
      }
    })
  )

  it.effect("as JSON a scope is its label: a chain of parents does not spill into a log", () =>
    Effect.gen(function* () {
      const { scope } = yield* PromptScope.make("S")
      assert.strictEqual(JSON.stringify({ scope }), `{"scope":{"_id":"PromptScope","label":"S"}}`)
    })
  )
})

describe("moving", () => {
  it.effect("[35] under a descendant of its own is a cycle: the links stay, and the error shows the circle", () =>
    Effect.gen(function* () {
      const { scope: parent, rebind } = yield* PromptScope.make("P")
      const { scope: child } = yield* PromptScope.make("C", { parent })
      const error = yield* Effect.flip(rebind(child))
      assert.deepStrictEqual(error, new ScopeCycle({ scope: "P", parent: "C", chain: ["P", "C", "P"] }))
      assert.include(error.message, `prompt scope "P" cannot have parent "C"`)
      assert.include(error.message, "P → C → P")
      assert.strictEqual(parent.parent, PromptScope.global)
      assert.strictEqual(child.parent, parent)
    })
  )

  it.effect("[36] under itself is a cycle", () =>
    Effect.gen(function* () {
      const { scope, rebind } = yield* PromptScope.make("D")
      const error = yield* Effect.flip(rebind(scope))
      assert.deepStrictEqual(error, new ScopeCycle({ scope: "D", parent: "D", chain: ["D", "D"] }))
      assert.strictEqual(scope.parent, PromptScope.global)
    })
  )

  test(
    "[37] a refused move leaves the old parent, and no change",
    Effect.gen(function* () {
      const { scope: b } = yield* PromptScope.make("B")
      const { scope: a, rebind } = yield* PromptScope.make("A", { parent: b })
      const { scope: d } = yield* PromptScope.make("D", { parent: a })
      yield* section(b, "s", "from B")
      const before = yield* revision
      const error = yield* Effect.flip(rebind(d))
      assert.deepStrictEqual(error, new ScopeCycle({ scope: "A", parent: "D", chain: ["A", "D", "A"] }))
      assert.strictEqual(a.parent, b)
      assert.strictEqual(yield* revision, before)
      assert.deepStrictEqual(yield* sectionsIn(d), [["s", "from B"]])
    })
  )

  it.effect("a long way down is a cycle too, while a cousin or a grandparent is none", () =>
    Effect.gen(function* () {
      const { scope: top, rebind } = yield* PromptScope.make("0")
      const scopes = [top]
      for (let i = 1; i < 50; i++) scopes.push((yield* PromptScope.make(String(i), { parent: scopes[i - 1]! })).scope)
      const error = yield* Effect.flip(rebind(scopes[49]!))
      assert.strictEqual(error._tag, "ScopeCycle")
      assert.deepInclude(error, { chain: [...scopes.map(({ label }) => label), "0"] })
      const { scope: cousin } = yield* PromptScope.make("cousin", { parent: PromptScope.global })
      yield* rebind(cousin)
      assert.deepStrictEqual(labels(scopes[49]!).slice(0, 4), ["global", "cousin", "0", "1"])
      yield* rebind(PromptScope.global)
      assert.strictEqual(top.parent, PromptScope.global)
    })
  )

  test(
    "[38] the next assembly sees the new parent and not the old one, for the scope and its descendants",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: a } = yield* PromptScope.make("A")
      const { scope: b } = yield* PromptScope.make("B")
      const { scope: c, rebind } = yield* PromptScope.make("C", { parent: a })
      const { scope: d } = yield* PromptScope.make("D", { parent: c })
      yield* prompt.variable("of_a", "a").pipe(PromptScope.provide(a))
      yield* prompt.variable("both", "a").pipe(PromptScope.provide(a))
      yield* prompt.variable("of_b", "b").pipe(PromptScope.provide(b))
      yield* prompt.variable("both", "b").pipe(PromptScope.provide(b))
      const inA = [
        ["both", "a"],
        ["of_a", "a"]
      ] as const
      const inB = [
        ["both", "b"],
        ["of_b", "b"]
      ] as const
      for (const [parent, seen] of [
        [a, inA],
        [b, inB],
        [a, inA],
        [PromptScope.global, []]
      ] as const) {
        yield* rebind(parent)
        for (const scope of [c, d]) assert.deepStrictEqual(yield* variablesIn(scope), seen)
        assert.deepStrictEqual([yield* variablesIn(a), yield* variablesIn(b)], [inA, inB])
      }
    })
  )

  it.effect("[34, 39] a parent is given once; only the holder of the owned value moves the scope", () =>
    Effect.gen(function* () {
      const { scope: parent } = yield* PromptScope.make("P")
      const { scope, rebind } = yield* PromptScope.make("S")
      assert.isTrue(Object.isFrozen(scope))
      assert.notProperty(scope, "rebind")
      for (const field of ["parent", "closed", "label"]) {
        assert.isFalse(Reflect.set(scope, field, parent), `${field} can be assigned`)
        assert.isFalse(Reflect.defineProperty(scope, field, { value: parent }), `${field} can be redefined`)
      }
      assert.isFalse(Reflect.setPrototypeOf(scope, { parent }))
      assert.strictEqual(scope.parent, PromptScope.global)
      yield* rebind(parent)
      assert.strictEqual(scope.parent, parent)
    })
  )

  it.effect("a closed scope neither moves nor becomes a parent", () =>
    Effect.gen(function* () {
      const { scope: alive, rebind } = yield* PromptScope.make("alive")
      const dead = yield* scoped("dead")
      yield* dead.close
      assert.deepStrictEqual(yield* Effect.flip(rebind(dead.scope)), new ScopeClosed({ scope: "dead" }))
      assert.strictEqual(alive.parent, PromptScope.global)
      const error = yield* Effect.flip(dead.rebind(alive))
      assert.deepStrictEqual(error, new ScopeClosed({ scope: "dead" }))
      assert.include(error.message, "neither be moved")
      assert.strictEqual(dead.scope.parent, PromptScope.global)
    })
  )
})

describe("visibility", () => {
  test(
    "[42, 43, 44] [329] global ignores scopes; a scope ignores siblings and descendants; one without entries is like global",
    Effect.gen(function* () {
      const { scope: parent } = yield* PromptScope.make("P")
      const { scope: sibling } = yield* PromptScope.make("S")
      const { scope: child } = yield* PromptScope.make("C", { parent })
      for (const [scope, name] of [
        [PromptScope.global, "g"],
        [parent, "p"],
        [sibling, "s"],
        [child, "c"]
      ] as const) {
        yield* section(scope, name)
        yield* SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.variable(name, name)))
        yield* SystemPrompt.use((prompt) =>
          PromptScope.provide(scope)(prompt.tools([{ name, description: "", parameters: {} }]))
        )
        yield* SystemPrompt.use((prompt) => PromptScope.provide(scope)(prompt.context({ name, order: 1, text: name })))
      }
      const seen = (scope: PromptScope.PromptScope) =>
        Effect.map(assembledIn(scope), (assembly) =>
          [
            view.sections(assembly).map(([name]) => name),
            view.variables(assembly).map(([name]) => name),
            view.contexts(assembly).map(([name]) => name),
            view.tools(assembly)
          ].map((names) => names.toSorted().join(""))
        )
      const four = (names: string) => [names, names, names, names]
      assert.deepStrictEqual(yield* seen(PromptScope.global), four("g"))
      assert.deepStrictEqual(yield* seen(parent), four("gp"))
      assert.deepStrictEqual(yield* seen(sibling), four("gs"))
      assert.deepStrictEqual(yield* seen(child), four("cgp"))

      const { scope: unknown } = yield* PromptScope.make("unknown")
      const global = yield* assembledIn(PromptScope.global)
      const without = yield* assembledIn(unknown)
      assert.strictEqual(without.scope, "unknown")
      assert.strictEqual(view.bytes({ ...without, scope: "global" }), view.bytes(global))
    })
  )

  test(
    "[BC-046] a child joins its preset and sees all of it; one made without a parent sees global, and its chain says so",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: preset } = yield* PromptScope.make("preset")
      yield* prompt.section({ name: "ws", order: 10, text: "W" }).pipe(PromptScope.provide(preset))
      const persona = prompt.section({ name: "persona", order: 0, text: "C" })
      const { scope: child } = yield* PromptScope.make("child", { parent: preset })
      const { scope: unlinked } = yield* PromptScope.make("unlinked")
      yield* PromptScope.provide(child)(persona)
      yield* PromptScope.provide(unlinked)(persona)
      assert.strictEqual((yield* PromptScope.provide(child)(prompt.render)).text, "C\n\nW")
      assert.strictEqual((yield* PromptScope.provide(unlinked)(prompt.render)).text, "C")
      assert.strictEqual(unlinked.parent, PromptScope.global)
      assert.deepStrictEqual(labels(child), ["global", "preset", "child"])
    })
  )

  test(
    "[BC-047] a complete section of a parent is the child's whole prompt, unless the child shadows that very section",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: parent } = yield* PromptScope.make("parent")
      const { scope: child } = yield* PromptScope.make("child", { parent })
      yield* prompt.section({ name: "only", order: 0, text: "P", complete: true }).pipe(PromptScope.provide(parent))
      yield* prompt.section({ name: "persona", order: 0, text: "C" }).pipe(PromptScope.provide(child))
      const render = PromptScope.provide(child)(prompt.render)
      assert.strictEqual((yield* render).text, "P")
      const close = yield* own(prompt.section({ name: "only", order: 1, text: "" }).pipe(PromptScope.provide(child)))
      assert.strictEqual((yield* render).text, "C")
      assert.strictEqual((yield* PromptScope.provide(parent)(prompt.render)).text, "P")
      yield* close
      assert.strictEqual((yield* render).text, "P")
    })
  )

  test(
    "the other kinds see their ancestors too: suppressors and listeners reach down and not up",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { scope: parent } = yield* PromptScope.make("P")
      const { scope: child } = yield* PromptScope.make("C", { parent })
      yield* prompt.context({ name: "c", order: 1, text: "now" })
      const ran: Array<string> = []
      for (const scope of [PromptScope.global, parent, child]) {
        yield* prompt
          .listener({
            name: "note",
            edit: (assembly) => {
              ran.push(scope.label)
              return assembly
            }
          })
          .pipe(PromptScope.provide(scope))
      }
      yield* prompt.suppressContexts.pipe(PromptScope.provide(parent))
      for (const [scope, suppressed, listeners] of [
        [PromptScope.global, false, ["global"]],
        [parent, true, ["global", "P"]],
        [child, true, ["global", "P", "C"]]
      ] as const) {
        ran.length = 0
        const assembly = yield* assembledIn(scope)
        assert.strictEqual(assembly.suppressed, suppressed)
        assert.strictEqual(assembly.contexts.length, suppressed ? 0 : 1)
        assert.deepStrictEqual(ran, [...listeners])
      }
    })
  )
})

describe("closing", () => {
  test(
    "[18] takes all that was registered in the scope, whoever's Effect scope it is; then every kind is refused by owner",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      yield* section(PromptScope.global, "far")
      const before = view.bytes(yield* prompt.assemble)
      const { scope, close } = yield* scoped("S")
      // These live in the Effect scope of the test, which is longer.
      for (const { register } of kinds) yield* PromptScope.provide(scope)(register(prompt))
      assert.strictEqual(overlays.size(scope), kinds.length)
      assert.isFalse(scope.closed)
      yield* close
      assert.isTrue(scope.closed)
      assert.strictEqual(overlays.size(scope), 0)
      for (const { kind, entry, register } of kinds) {
        const error = yield* Effect.flip(PromptScope.provide(scope)(register(prompt)))
        assert.deepStrictEqual(error, new ScopeClosed({ scope: "S", kind, entry }))
        assert.include(error.message, `of scope "S"`)
        assert.include(error.message, `prompt scope "S" is closed`)
      }
      const named = prompt.section({ name: "x", order: 1, text: "", plugin: "core" })
      assert.deepStrictEqual(
        yield* Effect.flip(PromptScope.provide(scope)(named)),
        new ScopeClosed({ scope: "S", kind: "section", entry: "x", plugin: "core" })
      )
      const assembly = yield* assembledIn(scope)
      assert.strictEqual(view.bytes({ ...assembly, scope: "global" }), before, "it sees its ancestors and nothing else")
    })
  )

  test(
    "the late finaliser of an entry that went with its scope touches nothing that came after",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const { scope, close } = yield* scoped("S")
      const late = yield* own(
        Effect.all([
          ...kinds.map(({ register }) => PromptScope.provide(scope)(register(prompt))),
          PromptScope.provide(scope)(prompt.listener({ name: "global", global: true, edit: (assembly) => assembly }))
        ])
      )
      yield* close
      yield* prompt.listener({ name: "global", edit: (assembly) => assembly })
      const { scope: again } = yield* PromptScope.make("S")
      for (const { register } of kinds) yield* PromptScope.provide(again)(register(prompt))
      const sizes = () => [again, PromptScope.global].map((one) => overlays.size(one))
      const before = [yield* revision, overlays.plan(again), ...sizes()]
      yield* late
      assert.deepStrictEqual(sizes(), [kinds.length, builtIns + 1])
      const after = [yield* revision, overlays.plan(again), ...sizes()]
      before.forEach((one, i) => assert.strictEqual(after[i], one))
    })
  )

  test(
    "children live on: they do not see it any more, but see its ancestors; they register, and can be moved",
    Effect.gen(function* () {
      const { scope: grandparent } = yield* PromptScope.make("G")
      const { scope: parent, close } = yield* scoped("P", { parent: grandparent })
      const { scope: child, rebind } = yield* PromptScope.make("C", { parent })
      yield* section(PromptScope.global, "a")
      yield* section(grandparent, "b")
      yield* section(parent, "b", "shadow")
      yield* section(parent, "c")
      yield* section(child, "d")
      assert.deepStrictEqual(yield* sectionsIn(child), [
        ["a", "a"],
        ["b", "shadow"],
        ["c", "c"],
        ["d", "d"]
      ])
      yield* close
      assert.isFalse(child.closed)
      const without = [
        ["a", "a"],
        ["b", "b"],
        ["d", "d"]
      ] as const
      assert.deepStrictEqual(yield* sectionsIn(child), without)
      const end = yield* own(section(child, "e"))
      assert.deepStrictEqual(yield* sectionsIn(child), [...without, ["e", "e"]])
      yield* end
      const { scope: grandchild } = yield* PromptScope.make("D", { parent: child })
      assert.deepStrictEqual(yield* sectionsIn(grandchild), without)
      yield* rebind(PromptScope.global)
      assert.deepStrictEqual(yield* sectionsIn(grandchild), [
        ["a", "a"],
        ["d", "d"]
      ])
    })
  )

  test(
    "[19] twice, and at once: both calls end, and what was in it goes once",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const { scope, close } = yield* scoped("S")
      for (const { register } of kinds) yield* PromptScope.provide(scope)(register(prompt))
      const before = yield* revision
      yield* Effect.all([close, close], { concurrency: "unbounded" })
      assert.strictEqual(overlays.size(scope), 0)
      assert.strictEqual(yield* revision, before + 1)
      yield* close
      assert.strictEqual(yield* revision, before + 1)
    })
  )

  test(
    "a global listener ends with the scope it was registered in, or with its Effect scope, whichever is first",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      let ran = 0
      const listener = prompt.listener({
        name: "count",
        global: true,
        edit: (assembly) => {
          ran++
          return assembly
        }
      })
      const runsIn = (scope: PromptScope.PromptScope) =>
        Effect.gen(function* () {
          ran = 0
          yield* assembledIn(scope)
          return ran
        })
      const { scope: other } = yield* PromptScope.make("other")
      const first = yield* scoped("S")
      yield* PromptScope.provide(first.scope)(listener)
      for (const scope of [PromptScope.global, first.scope, other]) assert.strictEqual(yield* runsIn(scope), 1)
      const taken = yield* Effect.flip(PromptScope.provide(other)(listener))
      assert.deepStrictEqual(taken, new DuplicateRegistration({ kind: "listener", entry: "count", scope: "global" }))
      yield* first.close
      for (const scope of [PromptScope.global, first.scope, other]) assert.strictEqual(yield* runsIn(scope), 0)

      const second = yield* scoped("S")
      const end = yield* own(PromptScope.provide(second.scope)(listener))
      assert.strictEqual(yield* runsIn(other), 1)
      yield* end
      assert.strictEqual(yield* runsIn(other), 0)
      yield* second.close
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      yield* PromptScope.provide(other)(listener)
      assert.strictEqual(yield* runsIn(PromptScope.global), 1)
    })
  )

  test(
    "a global listener ends with its scope, also after the last entry of the scope's own overlay has gone",
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const overlays = yield* Overlays
      const { scope, close } = yield* scoped("S")
      const end = yield* own(section(scope, "s"))
      yield* PromptScope.provide(scope)(
        prompt.listener({ name: "l", global: true, edit: () => assert.fail("its scope is closed") })
      )
      yield* end
      assert.strictEqual(overlays.size(scope), 0)
      assert.strictEqual(overlays.size(PromptScope.global), builtIns + 1)
      yield* close
      assert.strictEqual(overlays.size(PromptScope.global), builtIns)
      yield* assembledIn(PromptScope.global)
    })
  )

  test(
    "a scope is closed in every registry it was used in",
    Effect.gen(function* () {
      const { scope, close } = yield* scoped("S")
      yield* section(scope, "s")
      const after = yield* Effect.gen(function* () {
        yield* section(scope, "s", "elsewhere")
        const overlays = yield* Overlays
        assert.deepStrictEqual(yield* sectionsIn(scope), [["s", "elsewhere"]])
        yield* close
        assert.deepStrictEqual(yield* sectionsIn(scope), [])
        return overlays.size(scope)
      }).pipe(Effect.provide(layer, { local: true }))
      assert.strictEqual(after, 0)
      assert.deepStrictEqual(yield* sectionsIn(scope), [])
      assert.strictEqual((yield* Overlays).size(scope), 0)
    })
  )

  test(
    "an owner that fails or is interrupted closes the scope",
    Effect.gen(function* () {
      for (const end of [Effect.fail("no"), Effect.interrupt]) {
        let made: PromptScope.PromptScope = PromptScope.global
        yield* Effect.exit(
          Effect.scoped(
            Effect.gen(function* () {
              made = (yield* PromptScope.make("S")).scope
              yield* section(made, "s")
              return yield* end
            })
          )
        )
        assert.isTrue(made.closed)
        assert.strictEqual((yield* Overlays).size(made), 0)
      }
    })
  )
})
