/** What a trace tells of each contribution, each listener, and sealing. The laws are in `laws/trace.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, JsonPatch, Layer, pipe } from "effect"
import {
  Assembly,
  type Listener,
  Overlays,
  PromptScope,
  Renderer,
  SystemPrompt,
  Template,
  ToolRegistry,
  Trace,
  Waterfall
} from "../src/index.ts"

type Prompt = SystemPrompt["Service"]

const section = (name: string, order = 0, text: Template.Text = name.toUpperCase()) => ({ name, order, text })
const tool = (name: string, description = "") => ({ name, description, parameters: { type: "object" } })

/** Scopes below each other, the farthest first; `at(0)` is the global one. */
const scopes = (...labels: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const all = [PromptScope.global]
    for (const label of labels) all.push((yield* PromptScope.make(label, { parent: all.at(-1)! })).scope)
    return all
  })

const inScope = PromptScope.provide

/** All that the ledger says of the contributions of a name, the nearest first. */
const entriesOf = (trace: Trace.Trace, kind: Trace.Kind, name = ""): ReadonlyArray<Trace.Entry> =>
  trace.entries.filter((entry) => entry.kind === kind && entry.name === name)

const entryOf = (trace: Trace.Trace, kind: Trace.Kind, name = ""): Trace.Entry => {
  const [entry, ...more] = entriesOf(trace, kind, name)
  assert.deepStrictEqual(more, [])
  return entry ?? assert.fail(`no ${kind} ${name}`)
}

const fateOf = (trace: Trace.Trace, kind: Trace.Kind, name = "") => entryOf(trace, kind, name).fate

const stepOf = (trace: Trace.Trace, name: string): Trace.Step =>
  trace.steps.find((step) => step.name === name) ?? assert.fail(`no step ${name}`)

const traced = <E, R>(body: (prompt: Prompt) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    yield* body(prompt)
    return yield* prompt.trace
  }).pipe(Effect.provide(SystemPrompt.layer))

const nothing = { added: [], removed: [], changed: [], moved: [], annotations: [], patch: [] }

// -----------------------------------------------------------------------------
// fates
// -----------------------------------------------------------------------------

describe("the ledger", () => {
  it.effect("says which scope and plugin shadows what, and that no shadowed provider ran", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, preset, agent] = yield* scopes("preset", "agent")
      const never = () => assert.fail("a shadowed provider ran")
      yield* prompt.section({ name: "s", order: 1, text: never, plugin: "core" })
      yield* prompt.section({ name: "s", order: 2, text: never }).pipe(inScope(preset!))
      yield* prompt.section({ name: "s", order: 3, text: "near", plugin: "house" }).pipe(inScope(agent!))
      yield* prompt.context({ name: "c", order: 1, text: never })
      yield* prompt.context({ name: "c", order: 2, text: "near" }).pipe(inScope(preset!))
      yield* prompt.variable("v", never, { plugin: "core" })
      yield* prompt.variable("v", "near").pipe(inScope(agent!))
      const trace = yield* prompt.trace.pipe(inScope(agent!))

      assert.strictEqual(trace.scope, "agent")
      assert.deepStrictEqual(trace.chain, ["global", "preset", "agent"])
      const by = { scope: "agent", plugin: "house" }
      assert.deepStrictEqual(entriesOf(trace, "section", "s"), [
        {
          kind: "section",
          name: "s",
          scope: "agent",
          plugin: "house",
          order: 3,
          ran: true,
          fate: { _tag: "InForce" },
          text: "near"
        },
        { kind: "section", name: "s", scope: "preset", order: 2, ran: false, fate: { _tag: "Shadowed", by } },
        {
          kind: "section",
          name: "s",
          scope: "global",
          plugin: "core",
          order: 1,
          ran: false,
          fate: { _tag: "Shadowed", by }
        }
      ])
      assert.deepStrictEqual(
        entriesOf(trace, "context", "c").map(({ fate, ran, scope }) => [scope, ran, fate]),
        [
          ["preset", true, { _tag: "InForce" }],
          ["global", false, { _tag: "Shadowed", by: { scope: "preset" } }]
        ]
      )
      assert.deepStrictEqual(entriesOf(trace, "variable", "v"), [
        { kind: "variable", name: "v", scope: "agent", ran: true, fate: { _tag: "InForce" } },
        {
          kind: "variable",
          name: "v",
          scope: "global",
          plugin: "core",
          ran: false,
          fate: { _tag: "Shadowed", by: { scope: "agent" } }
        }
      ])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("says who suppresses contexts; the shadowed among them stay shadowed", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, preset, agent] = yield* scopes("preset", "agent")
      yield* prompt.context({ name: "c", order: 1, text: "far" })
      yield* prompt.context({ name: "c", order: 1, text: () => assert.fail("ran") }).pipe(inScope(agent!))
      yield* prompt.persona({ prefix: "p", includeRuntimeContext: false, plugin: "house" }).pipe(inScope(preset!))
      yield* prompt.suppressContexts.pipe(inScope(preset!))
      const trace = yield* prompt.trace.pipe(inScope(agent!))
      const by = [{ scope: "preset" }, { scope: "preset", plugin: "house" }]
      assert.deepStrictEqual(
        entriesOf(trace, "context", "c").map(({ fate, ran, scope, text }) => [scope, ran, fate, text]),
        [
          ["agent", false, { _tag: "Suppressed", by }, undefined],
          ["global", false, { _tag: "Shadowed", by: { scope: "agent" } }, undefined]
        ]
      )
      assert.deepStrictEqual(
        entriesOf(trace, "suppressor"),
        by.map((one) => ({ kind: "suppressor", name: "", ...one, ran: false, fate: { _tag: "InForce" } }))
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("says which complete section displaces the others; their providers ran", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, agent] = yield* scopes("agent")
      yield* prompt.section(section("s"))
      yield* prompt.section({ ...section("whole"), complete: true, plugin: "house" }).pipe(inScope(agent!))
      const trace = yield* prompt.trace.pipe(inScope(agent!))
      assert.deepInclude(entryOf(trace, "section", "s"), {
        ran: true,
        text: "S",
        fate: { _tag: "Displaced", section: "whole", by: { scope: "agent", plugin: "house" } }
      })
      assert.deepStrictEqual(fateOf(trace, "section", "whole"), { _tag: "InForce" })
      assert.notProperty(trace.sealed, "restored")
      assert.deepStrictEqual(
        trace.sealed.dropped.map(({ name, fate }) => [name, fate._tag]),
        [
          ["deployment:persona-prefix", "Displaced"],
          ["s", "Displaced"],
          ["deployment:persona-suffix", "Displaced"]
        ]
      )
      const outside = yield* prompt.trace
      assert.deepStrictEqual(fateOf(outside, "section", "s"), { _tag: "InForce" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("says which required tools are missing, and only those, as the waterfall left them", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.tools([tool("read"), tool("bash")])
          yield* prompt.section({ ...section("a"), requires: ["read", "bash", "grep"] })
          yield* prompt.section({ ...section("b"), requires: ["read"] })
          yield* prompt.listener({ name: "mask", edit: Assembly.removeTool("bash") })
        })
      )
      assert.deepInclude(entryOf(trace, "section", "a"), {
        ran: true,
        fate: { _tag: "ToolsMissing", tools: ["bash", "grep"] }
      })
      assert.deepStrictEqual(fateOf(trace, "section", "b"), { _tag: "InForce" })
      assert.deepStrictEqual(fateOf(trace, "tool", "bash"), {
        _tag: "Removed",
        by: { name: "mask", scope: "global" }
      })
      assert.deepStrictEqual(trace.sealed, {
        dropped: [
          { kind: "section", name: "a", scope: "global", fate: { _tag: "ToolsMissing", tools: ["bash", "grep"] } }
        ]
      })
    })
  )

  it.effect("says what renders to nothing, and does not say so of what does not render", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.variable("none", "")
          yield* prompt.variable("some", "x")
          yield* prompt.section(section("empty", 0, ""))
          yield* prompt.section(section("reference", 0, "{{none}}{{none}}"))
          yield* prompt.section(section("template", 0, Template.text`${Template.ref("none")}`))
          yield* prompt.section(section("value", 0, "{{none}}{{some}}"))
          yield* prompt.section({ ...section("data", 0, "{{none}}"), interpolate: false })
          yield* prompt.section(section("blank", 0, " "))
          yield* prompt.section(section("unknown", 0, "{{nope}}"))
          yield* prompt.section(section("malformed", 0, "{{ x }}"))
          yield* prompt.context({ name: "c", order: 0, text: "{{none}}" })
        })
      )
      const empty = trace.entries.filter((entry) => entry.fate._tag === "Empty").map(({ kind, name }) => [kind, name])
      assert.deepStrictEqual(empty, [
        ["section", "deployment:persona-prefix"],
        ["section", "empty"],
        ["section", "reference"],
        ["section", "template"],
        ["section", "deployment:persona-suffix"],
        ["context", "c"]
      ])
      const [template] = entriesOf(trace, "section", "template")
      assert.strictEqual(String(template?.text), "{{none}}")
    })
  )

  it.effect("an empty value that a listener sets counts, and so does one that it takes away", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.variable("a", "")
          yield* prompt.variable("b", "x")
          yield* prompt.section(section("a", 0, "{{a}}"))
          yield* prompt.section(section("b", 0, "{{b}}"))
          yield* prompt.listener({
            name: "swap",
            edit: (self) => pipe(self, Assembly.setVariable("a", "x"), Assembly.setVariable("b", ""))
          })
        })
      )
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "InForce" })
      assert.deepStrictEqual(fateOf(trace, "section", "b"), { _tag: "Empty" })
      assert.deepStrictEqual(entryOf(trace, "variable", "a").listener, { name: "swap", scope: "global" })
    })
  )

  it.effect("has each tool under its provider, and the names that a provider hides", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, agent] = yield* scopes("agent")
      const files = { schemas: [tool("read")], knownNames: ["write", "read", "edit", "write"] }
      yield* prompt.tools(files, { name: "fs", plugin: "core" })
      yield* prompt.tools([tool("read", "mine"), tool("bash")]).pipe(inScope(agent!))
      const trace = yield* prompt.trace.pipe(inScope(agent!))
      assert.deepStrictEqual(
        trace.entries.filter(({ kind }) => kind === "tools" || kind === "tool"),
        [
          {
            kind: "tools",
            name: "fs",
            scope: "global",
            plugin: "core",
            ran: true,
            fate: { _tag: "InForce" },
            hidden: ["write", "edit"]
          },
          { kind: "tools", name: "", scope: "agent", ran: true, fate: { _tag: "InForce" }, hidden: [] },
          { kind: "tool", name: "bash", scope: "agent", ran: true, fate: { _tag: "InForce" } },
          {
            kind: "tool",
            name: "read",
            scope: "global",
            plugin: "core",
            provider: "fs",
            ran: true,
            fate: { _tag: "InForce" }
          },
          { kind: "tool", name: "read", scope: "agent", ran: true, fate: { _tag: "InForce" } }
        ]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("has registered tools by themselves: which are shown, shadowed, removed, and by whom restricted", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const registry = yield* ToolRegistry
      const [, safe, narrow, below] = yield* scopes("safe", "narrow", "below")
      yield* registry.register({ ...tool("bash"), plugin: "core" })
      yield* registry.register(tool("edit"))
      yield* registry.register(tool("read"))
      yield* registry.register(tool("edit", "mine")).pipe(inScope(narrow!))
      yield* registry.restrict({ deny: ["bash"], plugin: "lock" }).pipe(inScope(safe!))
      yield* registry.restrict({ allow: ["read"] }).pipe(inScope(narrow!))
      yield* prompt.tools({ schemas: [tool("bash", "bare")], knownNames: ["other"] }).pipe(inScope(below!))
      yield* prompt.listener({ name: "mask", edit: Assembly.removeTool("read") }).pipe(inScope(below!))
      const trace = yield* prompt.trace.pipe(inScope(below!))
      const kind = "tool"
      const denied = { list: "deny", scope: "safe", plugin: "lock" } as const
      const notAllowed = { list: "allow", scope: "narrow" } as const
      assert.deepStrictEqual(
        trace.entries.filter((entry) => entry.kind === kind),
        [
          { kind, name: "bash", scope: "below", ran: true, fate: { _tag: "InForce" } },
          {
            kind,
            name: "bash",
            scope: "global",
            plugin: "core",
            ran: false,
            fate: { _tag: "Restricted", by: [denied, notAllowed] }
          },
          {
            kind,
            name: "read",
            scope: "global",
            ran: true,
            fate: { _tag: "Removed", by: { name: "mask", scope: "below" } }
          },
          { kind, name: "edit", scope: "narrow", ran: false, fate: { _tag: "Restricted", by: [notAllowed] } },
          { kind, name: "edit", scope: "global", ran: false, fate: { _tag: "Shadowed", by: { scope: "narrow" } } }
        ]
      )
      assert.deepStrictEqual(
        trace.entries.flatMap((entry) => (entry.kind === "tools" ? [[entry.name, entry.hidden]] : [])),
        [
          ["tool-registry", []],
          ["", ["other"]]
        ]
      )
      assert.deepStrictEqual(JSON.parse(JSON.stringify(Trace.toJson(trace))), Trace.toJson(trace))
      for (const scope of [safe!, narrow!, below!]) {
        const { hidden } = registry.view(scope)
        const { entries } = yield* prompt.trace.pipe(inScope(scope))
        assert.deepStrictEqual(
          hidden.map(({ by, name }) => ({ name, by })),
          entries.flatMap(({ fate, name }) => (fate._tag === "Restricted" ? [{ name, by: fate.by }] : [])),
          "the view says the same"
        )
      }
      // All restrictions of a scope hold, so their order is nobody's.
      const lists = [{ deny: ["bash"] }, { allow: [] }, { deny: ["bash", "read"], plugin: "a" }]
      const told = Effect.fnUntraced(function* (all: typeof lists) {
        const { scope } = yield* PromptScope.make("s")
        for (const one of all) yield* registry.restrict(one).pipe(inScope(scope))
        return JSON.stringify(Trace.toJson(yield* prompt.trace.pipe(inScope(scope))))
      })
      assert.strictEqual(yield* told(lists.toReversed()), yield* told(lists))
    }).pipe(Effect.provide(Layer.provideMerge(ToolRegistry.layer, SystemPrompt.layer)))
  )

  it.effect("is about one moment: what registers while providers run is in neither the assembly nor the ledger", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const started = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      yield* prompt.section({
        name: "slow",
        order: 0,
        text: Effect.andThen(Deferred.succeed(started, undefined), Effect.as(Deferred.await(go), "slow"))
      })
      const fiber = yield* Effect.forkChild(prompt.trace)
      yield* Deferred.await(started)
      yield* prompt.section(section("late"))
      yield* prompt.suppressContexts
      yield* Deferred.succeed(go, undefined)
      const trace = yield* Fiber.join(fiber)
      assert.deepStrictEqual(entriesOf(trace, "section", "late"), [])
      assert.deepStrictEqual(entriesOf(trace, "suppressor"), [])
      assert.deepStrictEqual(
        trace.assembly.sections.map(({ name }) => name),
        ["deployment:persona-prefix", "slow", "deployment:persona-suffix"]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// listeners
// -----------------------------------------------------------------------------

const Note = Context.Reference<string>("test/Note", { defaultValue: () => "" })

/** A prompt with sections a, b and c, tools, a context and a variable, and these listeners, outermost first. */
const listening = (
  ...listeners: ReadonlyArray<Omit<Listener.EditInput, "order"> | Omit<Listener.AroundInput<unknown>, "order">>
) =>
  traced((prompt) =>
    Effect.gen(function* () {
      for (const name of ["a", "b", "c"]) yield* prompt.section(section(name))
      yield* prompt.context({ name: "k", order: 0, text: "K" })
      yield* prompt.variable("v", "1")
      yield* prompt.tools([tool("read"), tool("bash")])
      for (const [order, listener] of listeners.entries()) yield* prompt.listener({ ...listener, order })
    })
  )

describe("the steps", () => {
  it.effect("tell what an edit added, removed and changed, by kind, name and field, with a patch", () =>
    Effect.gen(function* () {
      const trace = yield* listening({
        name: "edit",
        plugin: "house",
        edit: (self) =>
          pipe(
            self,
            Assembly.removeSection("a"),
            Assembly.addSection(section("a-1")),
            Assembly.mapSection("c", (one) => ({ ...one, text: "C2", interpolate: false })),
            Assembly.removeContext("k"),
            Assembly.setVariable("v", "2"),
            Assembly.setVariable("w", undefined),
            Assembly.mapTool("bash", (one) => ({ ...one, description: "d", deferLoading: true })),
            Assembly.annotate(Note, "seen")
          )
      })
      assert.deepStrictEqual(trace.steps, [
        {
          name: "edit",
          scope: "global",
          plugin: "house",
          order: 0,
          kind: "edit",
          ran: true,
          next: "ran",
          handedOn: {
            added: [
              { kind: "section", name: "a-1" },
              { kind: "variable", name: "w" }
            ],
            removed: [
              { kind: "section", name: "a" },
              { kind: "context", name: "k" }
            ],
            changed: [
              { kind: "section", name: "c", fields: ["interpolate", "text"] },
              { kind: "tool", name: "bash", fields: ["deferLoading", "description"] },
              { kind: "variable", name: "v", fields: ["value"] }
            ],
            moved: [],
            annotations: ["test/Note"],
            patch: [
              { op: "remove", path: "/sections/0" },
              {
                op: "add",
                path: "/sections/0",
                value: { name: "a-1", order: 0, text: "A-1", interpolate: true, requires: [] }
              },
              { op: "replace", path: "/sections/2/interpolate", value: false },
              { op: "replace", path: "/sections/2/text", value: "C2" },
              { op: "remove", path: "/contexts/0" },
              { op: "add", path: "/tools/0/deferLoading", value: true },
              { op: "replace", path: "/tools/0/description", value: "d" },
              { op: "add", path: "/variables/1", value: { name: "w", value: null } },
              { op: "replace", path: "/variables/0/value", value: "2" }
            ]
          }
        }
      ])
      const by = { name: "edit", scope: "global", plugin: "house" }
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "Removed", by })
      assert.deepStrictEqual(fateOf(trace, "context", "k"), { _tag: "Removed", by })
      assert.deepInclude(entryOf(trace, "section", "c"), { fate: { _tag: "InForce" }, listener: by, text: "C" })
      assert.deepInclude(entryOf(trace, "tool", "bash"), { fate: { _tag: "InForce" }, listener: by })
      assert.notProperty(entryOf(trace, "tool", "read"), "listener")
      assert.deepStrictEqual(entriesOf(trace, "section", "a-1"), [])
    })
  )

  it.effect("an insertion at the top of many sections is one operation; another order is told as such", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        { name: "top", edit: Assembly.addSection(section("top", -1)) },
        { name: "turn", edit: (self) => ({ ...self, sections: self.sections.toReversed() }) },
        { name: "idle", edit: (self) => ({ ...self, sections: [...self.sections] }) }
      )
      assert.deepStrictEqual(
        stepOf(trace, "top").handedOn?.patch.map(({ op, path }) => `${op} ${path}`),
        ["add /sections/0"]
      )
      assert.deepInclude(stepOf(trace, "turn").handedOn, { added: [], removed: [], changed: [], moved: ["section"] })
      assert.deepStrictEqual(stepOf(trace, "idle").handedOn, nothing)
    })
  )

  it.effect("tools of one name are told apart: a changed one is no other one", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.tools([tool("x", "1"), tool("y")], { name: "p" })
          yield* prompt.tools([tool("x", "2")], { name: "q" })
          yield* prompt.listener({
            name: "l",
            edit: (self) => ({
              ...self,
              tools: self.tools.flatMap((one) => {
                if (one.schema.description === "1") return []
                if (one.schema.description !== "2") return [one]
                return [{ ...one, schema: { ...one.schema, description: "3" } }, one]
              })
            })
          })
        })
      )
      // `p`'s is gone; `q`'s is there, and one that was made of it.
      assert.deepStrictEqual(
        entriesOf(trace, "tool", "x").map(({ fate, provider }) => [provider, fate._tag]),
        [
          ["p", "Removed"],
          ["q", "InForce"]
        ]
      )
    })
  )

  it.effect(
    "tools that say the same stay as many as they are: an edit without effect is none, one that makes two alike is",
    () =>
      Effect.gen(function* () {
        const twins = (first: string, description: string) =>
          traced((prompt) =>
            Effect.gen(function* () {
              yield* prompt.tools([tool("x", first), tool("x", "same")])
              yield* prompt.listener({
                name: "l",
                edit: Assembly.mapTool("x", (one) => ({ ...one, description }))
              })
            })
          )
        const idle = yield* twins("same", "same")
        assert.deepStrictEqual(stepOf(idle, "l").handedOn, nothing)
        assert.deepStrictEqual(
          entriesOf(idle, "tool", "x").map(({ fate, listener }) => [fate._tag, listener]),
          [
            ["InForce", undefined],
            ["InForce", undefined]
          ]
        )
        const alike = yield* twins("other", "same")
        assert.deepStrictEqual(
          alike.assembly.tools.map(({ schema }) => schema.description),
          ["same", "same"]
        )
        assert.deepStrictEqual(stepOf(alike, "l").handedOn?.changed, [
          { kind: "tool", name: "x", fields: ["description"] }
        ])
        assert.sameDeepMembers(
          entriesOf(alike, "tool", "x").map(({ fate, listener }) => [fate._tag, listener?.name]),
          [
            ["InForce", "l"],
            ["InForce", undefined]
          ]
        )
      })
  )

  it.effect("tell of an `around` what it handed on, and what it made of what came back", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        {
          name: "outer",
          around: (self, next) =>
            Effect.map(next(Assembly.removeSection(self, "a")), (back) =>
              pipe(back, Assembly.removeSection("b"), Assembly.addSection(section("late")))
            )
        },
        { name: "inner", edit: Assembly.removeSection("c") }
      )
      const outer = stepOf(trace, "outer")
      assert.deepInclude(outer, { kind: "around", ran: true, next: "ran" })
      assert.deepStrictEqual(outer.handedOn?.removed, [{ kind: "section", name: "a" }])
      assert.deepStrictEqual(outer.returned?.removed, [{ kind: "section", name: "b" }])
      assert.deepStrictEqual(outer.returned?.added, [{ kind: "section", name: "late" }])
      const inner = stepOf(trace, "inner")
      assert.notProperty(inner, "returned")
      assert.deepStrictEqual(
        ["a", "b", "c"].map((name) => fateOf(trace, "section", name)),
        ["outer", "outer", "inner"].map((name): Trace.Fate => ({ _tag: "Removed", by: { name, scope: "global" } }))
      )
    })
  )

  it.effect("a listener that leaves the rest out is seen to, and those further in did not run because of it", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        { name: "outer", edit: (self) => self },
        { name: "short", around: (self) => Effect.succeed(Assembly.removeSection(self, "a")) },
        { name: "inner", edit: () => assert.fail("ran") },
        { name: "innermost", edit: () => assert.fail("ran") }
      )
      assert.deepInclude(stepOf(trace, "outer"), { ran: true, next: "ran", handedOn: nothing })
      const short = stepOf(trace, "short")
      assert.deepInclude(short, { ran: true, next: "skipped" })
      assert.notProperty(short, "handedOn")
      assert.deepStrictEqual(short.returned?.removed, [{ kind: "section", name: "a" }])
      for (const name of ["inner", "innermost"]) {
        assert.deepStrictEqual(stepOf(trace, name), {
          name,
          scope: "global",
          order: name === "inner" ? 2 : 3,
          kind: "edit",
          ran: false,
          next: "skipped"
        })
        assert.deepInclude(entryOf(trace, "listener", name), {
          ran: false,
          fate: { _tag: "NotRun", by: { name: "short", scope: "global" } }
        })
      }
      assert.deepInclude(entryOf(trace, "listener", "short"), { ran: true, fate: { _tag: "InForce" } })
    })
  )

  it.effect("one that goes on when the rest has failed is seen to, and so is the one that failed", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        {
          name: "outer",
          around: (self, next) => Effect.catch(next(Assembly.removeSection(self, "a")), () => Effect.succeed(self))
        },
        { name: "middle", edit: Assembly.removeSection("b") },
        { name: "inner", around: () => Effect.fail("boom") }
      )
      const outer = stepOf(trace, "outer")
      assert.deepInclude(outer, { ran: true, next: "failed", returned: nothing })
      assert.deepStrictEqual(outer.handedOn?.removed, [{ kind: "section", name: "a" }])
      assert.deepInclude(stepOf(trace, "middle"), { ran: true, next: "failed" })
      const inner = stepOf(trace, "inner")
      assert.deepInclude(inner, { ran: true, next: "skipped" })
      assert.notProperty(inner, "returned")
      for (const name of ["a", "b", "c"]) assert.deepStrictEqual(fateOf(trace, "section", name), { _tag: "InForce" })
    })
  )

  it.effect("what one listener removed and another added anew is another part: the contribution is gone", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        { name: "out", edit: Assembly.removeSection("a") },
        { name: "in", edit: Assembly.addSection(section("a", 0, "again")) },
        { name: "touch", edit: Assembly.mapSection("a", (one) => ({ ...one, text: "again!" })) }
      )
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "Removed", by: { name: "out", scope: "global" } })
      assert.deepStrictEqual(trace.assembly.sections.find(({ name }) => name === "a")?.text, "again!")
    })
  )

  it.effect("and so is what a listener further out makes of the new part", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        {
          name: "late",
          around: (self, next) =>
            Effect.map(
              next(self),
              Assembly.mapSection("a", (one) => ({ ...one, text: "late" }))
            )
        },
        { name: "out", edit: Assembly.removeSection("a") },
        { name: "in", edit: Assembly.addSection(section("a", 0, "again")) }
      )
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "Removed", by: { name: "out", scope: "global" } })
    })
  )

  it.effect("a copy beside its original is another tool, which the listener made", () =>
    Effect.gen(function* () {
      const trace = yield* listening({
        name: "twice",
        edit: (self) => ({ ...self, tools: self.tools.flatMap((one) => [{ ...one }, one]) })
      })
      assert.deepStrictEqual(
        trace.assembly.tools.map(({ origin, schema }) => [schema.name, origin.listener?.name]),
        [
          ["bash", "twice"],
          ["bash", undefined],
          ["read", "twice"],
          ["read", undefined]
        ]
      )
      assert.deepStrictEqual(stepOf(trace, "twice").handedOn?.added, [
        { kind: "tool", name: "bash" },
        { kind: "tool", name: "read" }
      ])
    })
  )

  it.effect("an annotation counts as one also with `undefined` in it", () =>
    Effect.gen(function* () {
      const Maybe = Context.Reference<string | undefined>("test/Maybe", { defaultValue: () => "" })
      const trace = yield* listening({ name: "l", edit: Assembly.annotate(Maybe, undefined) })
      assert.deepStrictEqual(stepOf(trace, "l").handedOn?.annotations, ["test/Maybe"])
    })
  )

  it.effect("what was removed and comes back unchanged is in force", () =>
    Effect.gen(function* () {
      const trace = yield* listening(
        {
          name: "keep",
          around: (self, next) => Effect.map(next(self), (back) => ({ ...back, sections: self.sections }))
        },
        { name: "out", edit: Assembly.removeSection("a") }
      )
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "InForce" })
      assert.deepStrictEqual(stepOf(trace, "keep").returned?.added, [{ kind: "section", name: "a" }])
    })
  )

  it.effect("come outermost first, those of other scopes too; a global one is of the global scope", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [, agent] = yield* scopes("agent")
      const idle = (self: Assembly.Assembly) => self
      yield* prompt.listener({ name: "b", order: 1, edit: idle })
      yield* prompt.listener({ name: "a", order: 1, edit: idle }).pipe(inScope(agent!))
      yield* prompt.listener({ name: "g", order: 0, global: true, edit: idle }).pipe(inScope(agent!))
      const trace = yield* prompt.trace.pipe(inScope(agent!))
      assert.deepStrictEqual(
        trace.steps.map(({ name, order, scope }) => [name, order, scope]),
        [
          ["g", 0, "global"],
          ["a", 1, "agent"],
          ["b", 1, "global"]
        ]
      )
      assert.deepStrictEqual(
        trace.entries.filter(({ kind }) => kind === "listener").map(({ name }) => name),
        ["g", "a", "b"]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("sealing", () => {
  it.effect("tells that the complete section was put back, and drops what listeners added beside it", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.section({ ...section("whole"), complete: true })
          yield* prompt.suppressContexts
          yield* prompt.listener({
            name: "l",
            edit: (self) =>
              pipe(
                self,
                Assembly.mapSection("whole", (one) => ({ ...one, text: "half" })),
                Assembly.addSection(section("more")),
                Assembly.addContext({ name: "now", order: 0, text: "NOW" })
              )
          })
        })
      )
      const listener = { name: "l", scope: "global" }
      assert.strictEqual(trace.sealed.restored, "whole")
      assert.deepStrictEqual(
        trace.sealed.dropped.filter(({ listener }) => listener !== undefined),
        [
          {
            kind: "section",
            name: "more",
            scope: "global",
            listener,
            fate: { _tag: "Displaced", section: "whole", by: { scope: "global" } }
          },
          {
            kind: "context",
            name: "now",
            scope: "global",
            listener,
            fate: { _tag: "Suppressed", by: [{ scope: "global" }] }
          }
        ]
      )
      assert.deepInclude(entryOf(trace, "section", "whole"), { fate: { _tag: "InForce" }, text: "WHOLE" })
      assert.notProperty(entryOf(trace, "section", "whole"), "listener")
    })
  )

  it.effect("judges by what a listener made of `requires`", () =>
    Effect.gen(function* () {
      const trace = yield* listening({
        name: "l",
        edit: Assembly.mapSection("a", (one) => ({ ...one, requires: ["grep", "read"] }))
      })
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "ToolsMissing", tools: ["grep"] })
      assert.deepStrictEqual(
        trace.sealed.dropped.map(({ name, listener }) => [name, listener?.name]),
        [["a", "l"]]
      )
    })
  )
})

// -----------------------------------------------------------------------------
// whatever is around it
// -----------------------------------------------------------------------------

describe("SystemPrompt.trace", () => {
  it.effect("works with any waterfall: one that leaves a listener out, or drops a section itself", () =>
    Effect.gen(function* () {
      const picky = Layer.effect(
        Waterfall,
        Effect.map(Waterfall, ({ run }) => ({
          run: (listeners: ReadonlyArray<Listener.Admitted>, base: Assembly.Assembly) =>
            Effect.map(
              run(
                listeners.filter(({ owner }) => owner.entry !== "left out"),
                base
              ),
              Assembly.removeSection("b")
            )
        }))
      ).pipe(Layer.provide(Waterfall.layer))
      const layer = Layer.provide(SystemPrompt.layerNoDeps, [Overlays.layer, picky, Renderer.layer])
      const trace = yield* Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        for (const name of ["a", "b"]) yield* prompt.section(section(name))
        yield* prompt.listener({ name: "left out", edit: () => assert.fail("ran") })
        yield* prompt.listener({ name: "other", order: 1, edit: Assembly.removeSection("a") })
        return yield* prompt.trace
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(fateOf(trace, "listener", "left out"), { _tag: "NotRun" })
      assert.deepInclude(stepOf(trace, "other"), { ran: true, next: "ran" })
      assert.deepStrictEqual(fateOf(trace, "section", "a"), { _tag: "Removed", by: { name: "other", scope: "global" } })
      assert.deepStrictEqual(fateOf(trace, "section", "b"), { _tag: "Removed" })
    })
  )

  /** A prompt service over a waterfall that is made of the usual one. */
  const over = (make: (run: Waterfall["Service"]["run"]) => Waterfall["Service"]["run"]): Layer.Layer<SystemPrompt> => {
    const other = Layer.effect(
      Waterfall,
      Effect.map(Waterfall, ({ run }) => ({ run: make(run) }))
    ).pipe(Layer.provide(Waterfall.layer))
    return Layer.provide(SystemPrompt.layerNoDeps, [Overlays.layer, other, Renderer.layer])
  }

  it.effect("one that gives copies, and changes a section itself", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("same"))
      yield* prompt.section(section("changed"))
      yield* prompt.section({ ...section("dropped"), requires: ["nope"] })
      const trace = yield* prompt.trace
      assert.deepStrictEqual(
        ["same", "changed", "dropped"].map((name) => fateOf(trace, "section", name)),
        [{ _tag: "InForce" }, { _tag: "InForce" }, { _tag: "ToolsMissing", tools: ["nope"] }]
      )
      assert.deepStrictEqual(entryOf(trace, "section", "changed").listener, { name: "waterfall", scope: "global" })
    }).pipe(
      Effect.provide(
        over(
          (run) => (listeners, base) =>
            Effect.map(run(listeners, base), (result) => ({
              ...result,
              sections: result.sections.map((one) => ({ ...one, ...(one.name === "changed" ? { text: "!" } : {}) }))
            }))
        )
      )
    )
  )

  it.effect("one that leaves out a listener: nobody further in is to blame", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.listener({ name: "left out", edit: () => assert.fail("ran") })
      yield* prompt.listener({ name: "short", order: 1, around: (self) => Effect.succeed(self) })
      const trace = yield* prompt.trace
      assert.deepStrictEqual(fateOf(trace, "listener", "left out"), { _tag: "NotRun" })
    }).pipe(Effect.provide(over((run) => (listeners, base) => run(listeners.slice(1), base))))
  )

  it.effect("one that tries again: the last run counts", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let runs = 0
      yield* prompt.section(section("a"))
      yield* prompt.listener({
        name: "l",
        edit: (self) => Assembly.addSection(self, section(`run-${++runs}`))
      })
      yield* prompt.listener({
        name: "flaky",
        order: 1,
        edit: (self) => (runs < 2 ? Effect.fail("later") : Effect.succeed(self))
      })
      const trace = yield* prompt.trace
      assert.deepStrictEqual(stepOf(trace, "l").handedOn?.added, [{ kind: "section", name: "run-2" }])
      assert.deepInclude(stepOf(trace, "flaky"), { next: "ran", handedOn: nothing })
    }).pipe(
      Effect.provide(
        over(
          (run) => (listeners, base) =>
            Effect.retry(
              Effect.suspend(() => run(listeners, base)),
              { times: 1 }
            )
        )
      )
    )
  )

  it.effect("runs providers and listeners that give Effects, once each", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const ran: Array<string> = []
      const noted = <A>(name: string, value: A) =>
        Effect.andThen(Effect.yieldNow, () => Effect.sync(() => (ran.push(name), value)))
      yield* prompt.section({ name: "s", order: 0, text: noted("section", "S") })
      yield* prompt.variable("v", () => noted("variable", "V"))
      yield* prompt.listener({ name: "l", edit: (self) => noted("listener", Assembly.removeSection(self, "s")) })
      const trace = yield* prompt.trace
      assert.deepStrictEqual(ran, ["variable", "section", "listener"])
      assert.deepStrictEqual(fateOf(trace, "section", "s"), { _tag: "Removed", by: { name: "l", scope: "global" } })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("fails with the error of the assembly", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({
        name: "s",
        order: 0,
        text: () => {
          throw new Error("boom")
        },
        plugin: "core"
      })
      const error = yield* Effect.flip(prompt.trace)
      assert.deepInclude(error, { _tag: "ProviderFailure", kind: "section", entry: "s", plugin: "core" })
      assert.deepStrictEqual(String(error), String(yield* Effect.flip(prompt.assemble)))
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("without effectful providers and listeners it is one synchronous step", () => {
    const exit = Effect.runSyncExit(listening({ name: "l", edit: Assembly.removeSection("a") }).pipe(Effect.scoped))
    assert.isTrue(Exit.isSuccess(exit))
  })

  it.effect("a closed scope sees its ancestors' contributions", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(section("far"))
      const closed = yield* Effect.scoped(
        Effect.gen(function* () {
          const { scope } = yield* PromptScope.make("agent")
          yield* prompt.section(section("near")).pipe(inScope(scope))
          return scope
        })
      )
      const trace = yield* prompt.trace.pipe(inScope(closed))
      assert.deepStrictEqual(trace.chain, ["global", "agent"])
      assert.deepStrictEqual(entriesOf(trace, "section", "near"), [])
      assert.deepStrictEqual(fateOf(trace, "section", "far"), { _tag: "InForce" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

// -----------------------------------------------------------------------------
// JSON
// -----------------------------------------------------------------------------

describe("Trace.toJson", () => {
  it.effect("is plain JSON: no functions, no Context; templates show their references", () =>
    Effect.gen(function* () {
      const trace = yield* traced((prompt) =>
        Effect.gen(function* () {
          yield* prompt.variable("v", undefined)
          yield* prompt.section(section("t", 0, Template.text`{{x}} ${Template.ref("v")}`))
          yield* prompt.tools([{ ...tool("read"), deferLoading: true }])
          yield* prompt.listener({ name: "l", edit: Assembly.annotate(Note, "n") })
        })
      )
      const json = Trace.toJson(trace)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(json)), json)
      assert.deepStrictEqual(Object.keys(json), ["scope", "chain", "assembly", "entries", "listeners", "sealed"])
      assert.deepStrictEqual(json["assembly"], {
        scope: "global",
        sections: [
          { name: "deployment:persona-prefix", order: 0, text: "", interpolate: true, requires: [] },
          { name: "t", order: 0, text: "{{x}} {{v}}", interpolate: true, requires: [] },
          { name: "deployment:persona-suffix", order: 10200, text: "", interpolate: true, requires: [] }
        ],
        contexts: [],
        tools: [{ name: "read", description: "", parameters: { type: "object" }, deferLoading: true }],
        variables: [{ name: "v", value: null }],
        complete: null,
        suppressed: false,
        toolOrder: null
      })
      assert.include(JSON.stringify(json["entries"]), `"text":"{{x}} {{v}}"`)
      assert.deepStrictEqual(json["sealed"], { dropped: [] })
    })
  )

  it.effect("a step's patch makes of what it was given what it handed on", () =>
    Effect.gen(function* () {
      const seen: Array<Assembly.Assembly> = []
      const trace = yield* listening(
        { name: "before", edit: (self) => (seen.push(self), self) },
        { name: "l", edit: (self) => pipe(self, Assembly.removeSection("a"), Assembly.removeTool("bash")) },
        { name: "after", edit: (self) => (seen.push(self), self) }
      )
      const [given, handed] = seen
      const patch = stepOf(trace, "l").handedOn?.patch ?? assert.fail()
      assert.deepStrictEqual(JsonPatch.apply(patch, Trace.assemblyToJson(given!)), Trace.assemblyToJson(handed!))
    })
  )
})
