import { assert, describe, it } from "@effect/vitest"
import {
  Arbitrary,
  Cause,
  Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  pipe,
  Result,
  Schedule,
  Schema,
  Scope
} from "effect"
import { TestClock } from "effect/testing"
import type { AssembleContext } from "../src/AssembleContext.ts"
import {
  Annotations,
  Assembly,
  type Listener,
  Overlays,
  PromptScope,
  Renderer,
  SystemPrompt,
  ToolOrder,
  Waterfall
} from "../src/index.ts"
import { byCodeUnits } from "../src/internal/codeUnits.ts"
import { InvalidAssembly, ListenerFailure, type WaterfallError } from "../src/PromptError.ts"
import { assemble, overlay } from "./support/known.ts"
import { untyped } from "./support/untyped.ts"
import { sections, tools, variables } from "./support/view.ts"

const add = (name: string, order = 0) => Assembly.addSection({ name, order, text: name })

const tool = (name: string) => ({ name, description: name, parameters: {} })

const names = (assembly: Assembly.Assembly) => sections(assembly).map(([name]) => name)

/** A listener that notes when it is entered. */
const noting = (log: Array<string>, name: string, order?: number): Listener.EditInput => ({
  name,
  order,
  edit: (assembly) => {
    log.push(name)
    return assembly
  }
})

/** Assembles with these listeners alone. */
const assembleWith = (...listeners: ReadonlyArray<Listener.Input<unknown>>) =>
  SystemPrompt.use((prompt) =>
    Effect.scoped(
      Effect.andThen(
        Effect.forEach(listeners, (one) => Effect.orDie(prompt.listener(one)), { discard: true }),
        prompt.assemble
      )
    )
  )

const family = Effect.gen(function* () {
  const grandparent = yield* PromptScope.make("preset")
  const parent = yield* PromptScope.make("agent", { parent: grandparent.scope })
  const child = yield* PromptScope.make("sub", { parent: parent.scope })
  const sibling = yield* PromptScope.make("sibling", { parent: grandparent.scope })
  return { grandparent: grandparent.scope, parent: parent.scope, child: child.scope, sibling: sibling.scope }
})

describe("without listeners", () => {
  it.effect("[103] the result is the base assembly, the one that a listener would have got", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      yield* prompt.tools([tool("t")])
      yield* prompt.variable("v", "V")
      const alone = yield* prompt.assemble
      const seen: Array<Assembly.Assembly> = []
      const listened = yield* assembleWith({ name: "look", edit: (assembly) => (seen.push(assembly), assembly) })
      assert.deepStrictEqual(seen, [alone])
      assert.strictEqual(listened, seen[0], "a listener that changes nothing leaves the very object")
      const around = yield* assembleWith({ name: "around", around: (given, next) => (seen.push(given), next(given)) })
      assert.strictEqual(around, seen[1], "so does one around the rest")
      assert.deepStrictEqual(around, alone)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("order", () => {
  it.effect(
    "[104, 109] lower orders are outer, whatever the order of registration; the inner sees the outer's edits",
    () =>
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<string>> = []
        const listener = (name: string, order: number): Listener.Input => ({
          name,
          order,
          edit: (assembly) => {
            seen.push(names(assembly))
            return Assembly.addSection(assembly, { name, order: 0, text: name })
          }
        })
        const listeners = [listener("a", 5), listener("b", 0), listener("c", -5)]
        for (const registered of [listeners, listeners.toReversed()]) {
          assert.deepStrictEqual(names(yield* assembleWith(...registered)), ["a", "b", "c"])
          assert.deepStrictEqual(seen.splice(0), [[], ["c"], ["b", "c"]])
        }
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[109] of equal orders the name decides, in code units; the default order is 0", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const listeners = [noting(log, "é", 0), noting(log, "b"), noting(log, "B", -0), noting(log, "a", 0.5)]
      for (const registered of [listeners, listeners.toReversed()]) {
        yield* assembleWith(...registered)
        assert.deepStrictEqual(log.splice(0), ["B", "b", "é", "a"])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[114] the child's listener is outer only by its order; on equal order and name the ancestor's is", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const { parent, child } = yield* family
      const log: Array<string> = []
      const register = (scope: PromptScope.PromptScope, name: string, order?: number) =>
        prompt
          .listener({ ...noting(log, name, order), edit: (a) => (log.push(`${name}@${scope.label}`), a) })
          .pipe(PromptScope.provide(scope))
      yield* register(child, "same")
      yield* register(child, "first", -1)
      yield* register(parent, "same")
      yield* register(parent, "zz", -1)
      yield* register(PromptScope.global, "same")
      yield* PromptScope.provide(child)(prompt.assemble)
      assert.deepStrictEqual(log, ["first@sub", "zz@agent", "same@global", "same@agent", "same@sub"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-053] a mask that declares itself outermost has the last word, whatever was loaded first", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.tools([tool("a"), tool("c")])
      const mask: Listener.Input<WaterfallError> = {
        name: "mask",
        order: -1000,
        around: (assembly, next) =>
          Effect.map(next(assembly), (after) => ({
            ...after,
            tools: after.tools.filter((one) => one.schema.name === "a")
          }))
      }
      const adder: Listener.Input = { name: "adder", edit: Assembly.addTool(tool("b")) }
      const last: Listener.Input = { name: "last", order: 1000, edit: Assembly.addTool(tool("d")) }
      for (const registered of [
        [mask, adder, last],
        [last, adder, mask]
      ]) {
        assert.deepStrictEqual(tools(yield* assembleWith(...registered)), ["a"])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-053] of two masks of one order the one whose name is first has the last word", () =>
    Effect.gen(function* () {
      const put = (name: string): Listener.Input<WaterfallError> => ({
        name,
        order: -1000,
        around: (assembly, next) => Effect.map(next(assembly), Assembly.setVariable("last", name))
      })
      for (const registered of [
        [put("m1"), put("m2")],
        [put("m2"), put("m1")]
      ]) {
        assert.deepStrictEqual(variables(yield* assembleWith(...registered)), [["last", "m1"]])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  interface Placed {
    readonly name: string
    readonly order: number
    readonly place: number
  }

  const placed: Arbitrary.Arbitrary<ReadonlyArray<Placed>> = Arbitrary.map(
    Arbitrary.array(
      Arbitrary.all({
        name: Arbitrary.schema(Schema.Literals(["a", "b", "B", "é", "\u{1F600}", "\uFB01"])),
        order: Arbitrary.schema(Schema.Literals([0, -0, 1, -1, 0.5, Number.MAX_VALUE, -1e9])),
        place: Arbitrary.schema(Schema.Literals([0, 1, 2]))
      }),
      { maxLength: 10 }
    ),
    (all) =>
      all.filter((one, i) => all.findIndex((other) => other.name === one.name && other.place === one.place) === i)
  )

  /** The rule word for word, one listener after the other. */
  const naive = (all: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
    const outerThan = (a: Placed, b: Placed) => {
      if (a.order !== b.order) return a.order < b.order
      return a.name === b.name ? a.place < b.place : byCodeUnits(a.name, b.name) < 0
    }
    return all.reduce<ReadonlyArray<Placed>>((sorted, one) => {
      const at = sorted.findIndex((other) => outerThan(one, other))
      return sorted.toSpliced(at === -1 ? sorted.length : at, 0, one)
    }, [])
  }

  it.effect.prop(
    "any listeners of a chain run in the order of a naive sort, pure and in the service",
    [placed],
    ([all]) =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const parent = yield* PromptScope.make("parent")
        const child = yield* PromptScope.make("child", { parent: parent.scope })
        const scopes = [PromptScope.global, parent.scope, child.scope]
        const log: Array<Placed> = []
        const edit = (one: Placed) => (assembly: Assembly.Assembly) => (log.push(one), assembly)
        for (const one of all) {
          yield* prompt
            .listener({ name: one.name, order: one.order, edit: edit(one) })
            .pipe(PromptScope.provide(scopes[one.place]!))
        }
        yield* PromptScope.provide(child.scope)(prompt.assemble)
        const expected = naive(all)
        assert.deepStrictEqual(log.splice(0), expected)
        assemble(
          scopes.map(({ label }, place) =>
            overlay(
              {
                listeners: all
                  .filter((one) => one.place === place)
                  .map((one) => ({ name: one.name, order: one.order, edit: edit(one) }))
              },
              label
            )
          )
        )
        assert.deepStrictEqual(log, expected)
      }).pipe(Effect.scoped, Effect.provide(SystemPrompt.layer))
  )
})

describe("what a listener sees", () => {
  it.effect("[105] sections, contexts and tools in their final order, variables by name", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (const name of ["b", "a"]) {
        yield* prompt.section({ name, order: 0, text: name })
        yield* prompt.context({ name, order: 0, text: name })
        yield* prompt.variable(name, name)
        yield* prompt.tools([tool(name)])
      }
      yield* prompt.tools([tool("z")])
      let seen: Assembly.Assembly | undefined
      yield* assembleWith({ name: "look", edit: (assembly) => (seen = assembly) })
      if (seen === undefined) assert.fail("not called")
      assert.deepStrictEqual(names(seen), ["a", "b"])
      assert.deepStrictEqual(
        seen.contexts.map(({ name }) => name),
        ["a", "b"]
      )
      assert.deepStrictEqual(tools(seen), ["z", "a", "b"])
      assert.deepStrictEqual(variables(seen), [
        ["a", "a"],
        ["b", "b"]
      ])
    }).pipe(Effect.provide(SystemPrompt.layerWith({ toolOrder: ["z", "<unlisted-tools>"] })))
  )

  it.effect("[118] edits, arounds and providers all get the context of the assembly, one frozen object", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      const Key = Context.Reference<string>("test/Key", { defaultValue: () => "none" })
      const seen: Array<AssembleContext> = []
      const take = <A>(context: AssembleContext, value: A) => (seen.push(context), value)
      yield* prompt.variable("v", (context) => take(context, "v"))
      yield* prompt.listener({ name: "edit", edit: (assembly, context) => take(context, assembly) })
      yield* prompt.listener({ name: "around", around: (assembly, next, context) => next(take(context, assembly)) })
      yield* prompt.assemble.pipe(
        PromptScope.provide(agent.scope),
        Effect.provideService(Annotations, Context.make(Key, "mine"))
      )
      assert.strictEqual(seen.length, 3)
      for (const context of seen) {
        assert.strictEqual(context, seen[0])
        assert.isTrue(Object.isFrozen(context))
        assert.strictEqual(context.scope, agent.scope)
        assert.strictEqual(Context.get(context.annotations, Key), "mine")
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  class Store extends Context.Service<Store, { readonly text: string }>()("test/Store") {}

  it.effect("a listener's services are those of whoever registered it, the annotations those of the assembly", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const Agent = Context.Reference<string>("test/Agent", { defaultValue: () => "nobody" })
      const register = (name: string) =>
        prompt.listener({
          name,
          around: (assembly, next) =>
            Effect.gen(function* () {
              const { text } = yield* Store
              const { label } = yield* PromptScope.Current
              const after = yield* next(assembly)
              return Assembly.setVariable(after, name, `${text} ${label} ${yield* Agent}`)
            })
        })
      yield* Effect.provideService(register("a"), Store, { text: "store-a" })
      yield* Effect.provideService(register("b"), Store, { text: "store-b" })
      const agent = yield* PromptScope.make("agent")
      const assembly = yield* prompt.assemble.pipe(
        PromptScope.provide(agent.scope),
        Effect.provideService(Annotations, Context.make(Agent, "ada"))
      )
      assert.deepStrictEqual(variables(assembly), [
        ["a", "store-a agent ada"],
        ["b", "store-b agent ada"]
      ])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("what a listener's plugin captured", () => {
  class Store extends Context.Service<Store, { readonly text: string }>()("test/CapturedStore") {}

  const Tone = Context.Reference<string>("test/Tone", { defaultValue: () => "default" })

  /** What a listener that requires nothing finds around it. */
  const found = Effect.gen(function* () {
    const store = Option.match(yield* Effect.serviceOption(Store), { onNone: () => "none", onSome: ({ text }) => text })
    return `${store} ${yield* Tone}`
  })

  const noteAs = (name: string) => (given: Assembly.Assembly) =>
    Effect.map(found, (what) => Assembly.setVariable(given, name, what))

  type Around = (rest: ReturnType<Listener.Next>) => ReturnType<Listener.Next>

  /** A listener around the rest whose plugin has these services; it notes what it finds before and after. */
  const outer = (store: string, tone: string, around: Around, order = -1) =>
    SystemPrompt.use((prompt) =>
      prompt.listener({
        name: `outer${order}`,
        order,
        around: (given, next) =>
          Effect.gen(function* () {
            const { text } = yield* Store
            const noted = yield* noteAs("outer_before")(given)
            const after = yield* around(next(noted))
            assert.strictEqual((yield* Store).text, text)
            return yield* noteAs("outer_after")(after)
          })
      })
    ).pipe(Effect.provideService(Store, { text: store }), Effect.provideService(Tone, tone))

  const noted = (name: string) => (assembly: Assembly.Assembly) =>
    assembly.variables.find((variable) => variable.name === name)?.value

  const inner = SystemPrompt.use((prompt) => prompt.listener({ name: "z_inner", edit: noteAs("inner") }))

  const arounds: ReadonlyArray<readonly [what: string, around: Around, expected: string]> = [
    ["a listener that adds nothing", (rest) => rest, "none caller"],
    ["one that provides a service", (rest) => Effect.provideService(rest, Store, { text: "given" }), "given caller"],
    ["one that provides a reference", (rest) => Effect.provideService(rest, Tone, "given"), "none given"],
    [
      "one that provides both, and a span",
      (rest) =>
        rest.pipe(
          Effect.withSpan("span"),
          Effect.provideService(Store, { text: "given" }),
          Effect.provideService(Tone, "given")
        ),
      "given given"
    ]
  ]
  for (const [what, around, expected] of arounds) {
    it.effect(`is not seen by those further in, but what it provides around next is: ${what}`, () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        yield* outer("captured", "captured", around)
        yield* inner
        const assembly = yield* Effect.provideService(prompt.assemble, Tone, "caller")
        assert.deepStrictEqual(
          ["outer_before", "inner", "outer_after"].map((name) => noted(name)(assembly)),
          ["captured captured", expected, "captured captured"]
        )
      }).pipe(Effect.provide(SystemPrompt.layer))
    )
  }

  it.effect("is not seen there either when the caller has none of it", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* outer("captured", "captured", (rest) => rest)
      yield* inner
      assert.strictEqual(noted("inner")(yield* prompt.assemble), "none default")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("of two around each other, neither is seen further in, and the inner one sees its own", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* outer("first", "first", (rest) => Effect.provideService(rest, Tone, "of the first"), -2)
      yield* outer("second", "second", (rest) => rest, -1)
      yield* inner
      const assembly = yield* prompt.assemble
      assert.strictEqual(noted("outer_before")(assembly), "second second", "written last by the second")
      assert.strictEqual(noted("inner")(assembly), "none of the first")
      assert.strictEqual(noted("outer_after")(assembly), "first first", "written last by the first")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("by a listener further in is what that one sees, whatever is around it", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* outer("captured", "captured", (rest) => Effect.provideService(rest, Store, { text: "given" }))
      yield* inner.pipe(Effect.provideService(Store, { text: "own" }), Effect.provideService(Tone, "own"))
      assert.strictEqual(noted("inner")(yield* prompt.assemble), "own own")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("leaves spans, scope and annotations of the assembly where they are", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = (yield* PromptScope.make("agent")).scope
      const Agent = Context.Reference<string>("test/WaterfallAgent", { defaultValue: () => "nobody" })
      yield* outer("captured", "captured", Effect.withSpan("around the rest"))
      yield* prompt.listener({
        name: "z_inner",
        edit: (given) =>
          Effect.gen(function* () {
            const span = yield* Effect.orDie(Effect.currentSpan)
            const { label } = yield* PromptScope.Current
            return Assembly.setVariable(given, "inner", [span.name, label, yield* Agent].join())
          })
      })
      const assembly = yield* prompt.assemble.pipe(
        Effect.withSpan("caller"),
        PromptScope.provide(agent),
        Effect.provideService(Annotations, Context.make(Agent, "ada"))
      )
      assert.strictEqual(noted("inner")(assembly), "around the rest,agent,ada")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("what a listener may do", () => {
  it.effect("edit: the rest always runs, on what it gives, plain or by an Effect", () =>
    Effect.gen(function* () {
      const plain: Listener.Input = { name: "a", edit: add("plain") }
      const effectful: Listener.Input = { name: "b", edit: (assembly) => Effect.succeed(add("effectful")(assembly)) }
      const yielding: Listener.Input = {
        name: "c",
        edit: (assembly) => Effect.as(Effect.yieldNow, add("yielding")(assembly))
      }
      const last: Listener.Input = {
        name: "d",
        edit: (assembly) => Assembly.setVariable(assembly, "seen", names(assembly).join())
      }
      const assembly = yield* assembleWith(plain, effectful, yielding, last)
      assert.deepStrictEqual(names(assembly), ["effectful", "plain", "yielding"])
      assert.deepStrictEqual(variables(assembly), [["seen", "effectful,plain,yielding"]])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect(
    "[106, BC-052] an around that does not call next ends it: its value is final, later listeners do not run",
    () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        const assembly = yield* assembleWith(
          { name: "outer", order: -1, around: (given, next) => Effect.map(next(given), add("after")) },
          { name: "short", around: (given) => Effect.succeed(add("short")(given)) },
          noting(log, "later", 1)
        )
        assert.deepStrictEqual(names(assembly), ["after", "short"], "who is further out still gets it")
        assert.deepStrictEqual(log, [])
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[107] what an around does to the result of next wins over inner edits", () =>
    Effect.gen(function* () {
      const assembly = yield* assembleWith(
        { name: "outer", around: (given, next) => Effect.map(next(given), Assembly.setVariable("v", "outer")) },
        { name: "z-inner", edit: Assembly.setVariable("v", "inner") }
      )
      assert.deepStrictEqual(variables(assembly), [["v", "outer"]])
      assert.deepInclude(assembly.variables[0]?.origin, { listener: { name: "outer", scope: "global" } })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("what inner listeners did keeps their names through an around that does something else", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      const assembly = yield* assembleWith(
        { name: "outer", around: (given, next) => Effect.map(next(given), add("by-outer")) },
        {
          name: "z-inner",
          edit: (given) => pipe(given, Assembly.replaceSection({ name: "s", order: 0, text: "T" }), add("by-inner"))
        }
      )
      assert.deepStrictEqual(
        assembly.sections.flatMap(({ name, origin }) =>
          origin.listener === undefined ? [] : [[name, origin.listener.name]]
        ),
        [
          ["by-inner", "z-inner"],
          ["by-outer", "outer"],
          ["s", "z-inner"]
        ]
      )
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("next gets what it is given, also when that is a replacement; given nothing new, the very object", () =>
    Effect.gen(function* () {
      let got: Assembly.Assembly | undefined
      const inner: Listener.Input = { name: "z", edit: (assembly) => (got = assembly) }
      yield* assembleWith({ name: "a", around: (given, next) => next(add("given")(given)) }, inner)
      assert.deepStrictEqual(got && names(got), ["given"])
      let sent: Assembly.Assembly | undefined
      yield* assembleWith({ name: "a", around: (given, next) => next((sent = given)) }, inner)
      assert.strictEqual(got, sent)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[108] a replacement is the result, with nothing of what was there", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      yield* prompt.variable("v", "V")
      yield* prompt.tools([tool("t")])
      const empty = { sections: [], contexts: [], tools: [], variables: [] }
      const replacement = pipe(assemble([]), add("new", 3), Assembly.setVariable("w", "W"))
      for (const edit of [
        (given: Assembly.Assembly) => ({ ...given, ...empty }),
        (): Assembly.Assembly => replacement,
        () => Effect.succeed(replacement)
      ]) {
        const assembly = yield* assembleWith({ name: "replace", plugin: "core", edit })
        const isNew = assembly.sections.length > 0
        assert.deepStrictEqual(names(assembly), isNew ? ["new"] : [])
        assert.deepStrictEqual(tools(assembly), [])
        assert.deepStrictEqual(variables(assembly), isNew ? [["w", "W"]] : [])
        for (const { origin } of [...assembly.sections, ...assembly.variables]) {
          assert.deepStrictEqual(origin, {
            scope: "global",
            plugin: "core",
            listener: { name: "replace", scope: "global", plugin: "core" },
            shadows: []
          })
        }
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[119] a variable that a listener added is used in rendering, one that it changed wins", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "{{old}} {{new}}" })
      yield* prompt.variable("old", "before")
      yield* prompt.listener({
        name: "l",
        edit: (a) => pipe(a, Assembly.setVariable("old", "after"), Assembly.setVariable("new", "N"))
      })
      assert.strictEqual((yield* prompt.render).text, "after N")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[120] what a listener annotates reaches inner listeners and whoever gets the assembly", () =>
    Effect.gen(function* () {
      const Hidden = Context.Reference<ReadonlyArray<string>>("test/Hidden", { defaultValue: () => [] })
      let inner: ReadonlyArray<string> | undefined
      const assembly = yield* assembleWith(
        { name: "a", edit: Assembly.annotate(Hidden, ["bash"]) },
        {
          name: "b",
          edit: (given) => {
            inner = Context.get(given.annotations, Hidden)
            return add("s")(given)
          }
        }
      )
      assert.deepStrictEqual(inner, ["bash"])
      assert.deepStrictEqual(Context.get(assembly.annotations, Hidden), ["bash"])
      assert.deepStrictEqual(Context.get((yield* assembleWith()).annotations, Hidden), [], "the next one has its own")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a listener sets neither scope nor complete nor suppressed nor toolOrder: one that does is refused", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      const forged = { scope: "forged", complete: "s", suppressed: true, toolOrder: untyped(["x"]) }
      for (const [field, value] of Object.entries(forged)) {
        const forge = (given: Assembly.Assembly): Assembly.Assembly => ({ ...given, [field]: value })
        const listeners: ReadonlyArray<Listener.Input<WaterfallError>> = [
          { name: "forge", edit: forge },
          { name: "forge", edit: (given) => Effect.succeed(forge(given)) },
          { name: "forge", around: (given, next) => next(forge(given)) },
          { name: "forge", around: (given, next) => Effect.map(next(given), forge) },
          { name: "forge", around: (given) => Effect.succeed(forge(given)) }
        ]
        for (const listener of listeners) {
          const error = yield* Effect.flip(assembleWith({ ...listener, plugin: "core" }))
          const owner = { kind: "listener", entry: "forge", scope: "global", plugin: "core" } as const
          assert.deepInclude(error, { _tag: "InvalidAssembly", path: `$.${field}`, ...owner })
        }
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("nor may it give an assembly that was made for another scope", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [one, other] = [yield* PromptScope.make("one"), yield* PromptScope.make("other")]
      const elsewhere = yield* PromptScope.provide(other.scope)(prompt.assemble)
      const error = yield* Effect.flip(
        PromptScope.provide(one.scope)(assembleWith({ name: "l", edit: () => elsewhere }))
      )
      assert.deepInclude(error, { _tag: "InvalidAssembly", entry: "l", scope: "one", path: "$.scope" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("many listeners", () => {
  it.effect("thousands of plain edits run, in order, and do not use up the stack", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      for (let i = 0; i < 5000; i++) {
        yield* prompt.listener({ name: `l${i}`, order: i, edit: Assembly.setVariable("last", String(i)) })
      }
      const assembly = yield* prompt.assemble
      assert.strictEqual(assembly.variables.find(({ name }) => name === "last")?.value, "4999")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

/** The usual waterfall, whose listeners or list of them someone else has had first. */
const wrapping = (wrap: (listeners: ReadonlyArray<Listener.Admitted>) => ReadonlyArray<Listener.Admitted>) =>
  SystemPrompt.layerNoDeps.pipe(
    Layer.provide(
      Layer.effect(
        Waterfall,
        Effect.map(Waterfall, (inner) => Waterfall.of({ run: (listeners, base) => inner.run(wrap(listeners), base) }))
      )
    ),
    Layer.provide([Overlays.layer, Waterfall.layer, Renderer.layer])
  )

describe("listeners that another waterfall wraps", () => {
  const log: Array<string> = []
  const runOf =
    ({ owner, run }: Listener.Admitted): Listener.Admitted["run"] =>
    (assembly, next) => {
      log.push(owner.entry)
      return run(assembly, next)
    }

  const ways: ReadonlyArray<readonly [how: string, wrap: (one: Listener.Admitted) => Listener.Admitted]> = [
    ["a copy", (one) => ({ ...one, run: runOf(one) })],
    ["an heir", (one) => Object.create(one, { run: { value: runOf(one) } })],
    [
      "a copy with the prototype",
      (one) =>
        Object.create(Object.getPrototypeOf(one), {
          ...Object.getOwnPropertyDescriptors(one),
          run: { value: runOf(one) }
        })
    ],
    [
      "a proxy",
      (one) => {
        const run = runOf(one)
        return new Proxy({ ...one, run }, { getPrototypeOf: () => Object.getPrototypeOf(one) })
      }
    ]
  ]

  for (const [how, wrap] of ways) {
    it.effect(`run as it says, in order: ${how}`, () =>
      Effect.gen(function* () {
        log.length = 0
        const prompt = yield* SystemPrompt
        yield* prompt.listener({ name: "a", edit: Assembly.setVariable("v", "a") })
        yield* prompt.listener({ name: "b", edit: (assembly) => Effect.succeed(add("s")(assembly)) })
        yield* prompt.listener({ name: "c", around: (assembly, next) => next(assembly) })
        const assembly = yield* prompt.assemble
        assert.deepStrictEqual([log, names(assembly), variables(assembly)], [["a", "b", "c"], ["s"], [["v", "a"]]])
      }).pipe(Effect.provide(wrapping((listeners) => listeners.map(wrap))))
    )
  }

  for (const every of [1, 2]) {
    it.effect(`thousands of them do not use up the stack, each ${every} wrapped`, () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        for (let i = 0; i < 8000; i++) {
          yield* prompt.listener({ name: `l${i}`, order: i, edit: Assembly.setVariable("last", String(i)) })
        }
        assert.deepStrictEqual(variables(yield* prompt.assemble), [["last", "7999"]])
      }).pipe(Effect.provide(wrapping((listeners) => listeners.map((one, i) => (i % every === 0 ? { ...one } : one)))))
    )
  }

  const own: Array<Listener.Admitted> = []
  it.effect("a list that it fills anew is a new list, and the one that it gets is frozen", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.listener({ name: "a", edit: add("a") })
      assert.deepStrictEqual(names(yield* prompt.assemble), ["a"])
      yield* prompt.listener({ name: "b", edit: add("b") })
      assert.deepStrictEqual(names(yield* prompt.assemble), ["b"])
    }).pipe(
      Effect.provide(
        wrapping((listeners) => {
          assert.isTrue(Object.isFrozen(listeners))
          own.splice(0, own.length, ...listeners.slice(-1))
          return own
        })
      )
    )
  )
})

describe("admission", () => {
  it.effect("[BC-081] a listener has one function, `edit` or `around`; else it is not registered", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const same = <A>(value: A): A => value
      for (const [functions, field, mention] of [
        [{}, "edit", "got undefined"],
        [{ run: same }, "edit", "got undefined"],
        [{ edit: 7 }, "edit", "the number 7"],
        [{ edit: Effect.void }, "edit", "an object"],
        [{ around: null }, "around", "null"],
        [{ around: Promise.resolve() }, "around", "a Promise"],
        [{ edit: same, around: same }, "around", "not both"],
        [{ edit: same, around: 7 }, "around", "not both"],
        [{ edit: 7, around: same }, "around", "not both"]
      ] as const) {
        const error = yield* Effect.flip(prompt.listener(untyped({ name: "l", plugin: "core", ...functions })))
        if (error._tag !== "InvalidRegistration") assert.fail(error._tag)
        assert.deepInclude(error, { kind: "listener", entry: "l", scope: "global", plugin: "core", field })
        assert.include(error.reason, mention)
      }
      yield* prompt.listener(untyped({ name: "l", edit: add("s"), around: undefined }))
      assert.deepStrictEqual(names(yield* prompt.assemble), ["s"], "the name was free")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[110–113] a listener runs for its scope and the descendants of it; a global one for all", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scopes = yield* family
      const log: Array<string> = []
      yield* prompt.listener(noting(log, "untagged"))
      yield* prompt.listener(noting(log, "of-child")).pipe(PromptScope.provide(scopes.child))
      yield* prompt.listener(noting(log, "of-parent")).pipe(PromptScope.provide(scopes.parent))
      yield* prompt.listener({ ...noting(log, "for-all"), global: true }).pipe(PromptScope.provide(scopes.sibling))
      const runs = (scope: PromptScope.PromptScope) =>
        Effect.map(PromptScope.provide(scope)(prompt.assemble), () => log.splice(0))
      assert.deepStrictEqual(yield* runs(scopes.child), ["for-all", "of-child", "of-parent", "untagged"])
      assert.deepStrictEqual(yield* runs(scopes.parent), ["for-all", "of-parent", "untagged"])
      assert.deepStrictEqual(yield* runs(scopes.grandparent), ["for-all", "untagged"])
      assert.deepStrictEqual(yield* runs(scopes.sibling), ["for-all", "untagged"])
      assert.deepStrictEqual(yield* runs(PromptScope.global), ["for-all", "untagged"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[113] a global listener ends with the scope it was registered in", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const log: Array<string> = []
      const owner = yield* Scope.make()
      const agent = yield* Scope.provide(PromptScope.make("agent"), owner)
      yield* prompt.listener({ ...noting(log, "for-all"), global: true }).pipe(PromptScope.provide(agent.scope))
      yield* prompt.assemble
      assert.deepStrictEqual(log.splice(0), ["for-all"])
      yield* Scope.close(owner, Exit.void)
      yield* prompt.assemble
      assert.deepStrictEqual(log, [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[115] one added during the run is not called, one removed during the run is", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const scope = yield* Effect.scope
      const log: Array<string> = []
      const removed = yield* Scope.make()
      yield* Scope.provide(prompt.listener(noting(log, "removed", 1)), removed)
      const fresh = ["added"]
      yield* prompt.listener({
        name: "changes-the-registry",
        edit: (assembly) =>
          Effect.gen(function* () {
            for (const name of fresh.splice(0)) yield* Scope.provide(prompt.listener(noting(log, name, 2)), scope)
            yield* Scope.close(removed, Exit.void)
            return assembly
          })
      })
      yield* prompt.assemble
      assert.deepStrictEqual(log.splice(0), ["removed"])
      yield* prompt.assemble
      assert.deepStrictEqual(log, ["added"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect(
    "[122] moving a scope inside a provider admits the listeners of its new parent from the next assembly",
    () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const log: Array<string> = []
        const [one, two] = [yield* PromptScope.make("one"), yield* PromptScope.make("two")]
        const agent = yield* PromptScope.make("agent", { parent: one.scope })
        yield* prompt.listener(noting(log, "of-one")).pipe(PromptScope.provide(one.scope))
        yield* prompt.listener(noting(log, "of-two")).pipe(PromptScope.provide(two.scope))
        yield* prompt.variable("v", Effect.as(Effect.orDie(agent.rebind(two.scope)), "v"))
        const assembleForAgent = PromptScope.provide(agent.scope)(prompt.assemble)
        yield* assembleForAgent
        assert.deepStrictEqual(log.splice(0), ["of-one"])
        yield* assembleForAgent
        assert.deepStrictEqual(log, ["of-two"])
      }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("failures", () => {
  class Missing extends Schema.TaggedError<Missing>("test/Missing")("Missing", { what: Schema.String }) {}

  const boom = new Error("boom")
  const missing = new Missing({ what: "the workspace" })

  const cases: ReadonlyArray<readonly [what: string, run: () => unknown, reason: string, cause: unknown]> = [
    [
      "throws",
      () => {
        throw boom
      },
      "threw",
      boom
    ],
    ["fails", () => Effect.fail(missing), "failed", missing],
    ["dies", () => Effect.die(boom), "died", boom],
    [
      "throws in its Effect",
      () =>
        Effect.sync(() => {
          throw boom
        }),
      "died",
      boom
    ]
  ]

  for (const kind of ["edit", "around"] as const) {
    for (const [what, run, reason, cause] of cases) {
      it.effect(`[117, BC-080] an ${kind} that ${what} fails the assembly with its owner, reason and cause`, () =>
        Effect.gen(function* () {
          const prompt = yield* SystemPrompt
          const agent = yield* PromptScope.make("agent")
          const log: Array<string> = []
          const error = yield* Effect.scoped(
            Effect.gen(function* () {
              yield* prompt.listener(untyped({ name: "L1", plugin: "core", [kind]: () => run() }))
              yield* prompt.listener(noting(log, "later", 1))
              return yield* Effect.flip(prompt.assemble)
            })
          ).pipe(PromptScope.provide(agent.scope))
          if (error._tag !== "ListenerFailure") assert.fail(error._tag)
          assert.deepInclude(error, { kind: "listener", entry: "L1", scope: "agent", plugin: "core", reason })
          assert.strictEqual(error.cause, cause)
          for (const mention of ["L1", "agent", "core", reason]) assert.include(error.message, mention)
          assert.include(error.message, cause === boom ? "boom" : "Missing")
          assert.deepStrictEqual(log, [])
        }).pipe(Effect.provide(SystemPrompt.layer))
      )
    }

    it.effect(`an ${kind} that returns a Promise is told to return an Effect`, () =>
      Effect.gen(function* () {
        // oxlint-disable-next-line unicorn/no-thenable -- promises of other realms and libraries are no instances of Promise
        const thenable = { then: () => undefined }
        for (const run of [() => Promise.resolve(), () => thenable]) {
          for (const given of [run, () => Effect.succeed(run())]) {
            const error = yield* Effect.flip(assembleWith(untyped({ name: "L1", plugin: "core", [kind]: given })))
            if (error._tag !== "InvalidAssembly") assert.fail(error._tag)
            assert.deepInclude(error, { kind: "listener", entry: "L1", scope: "global", plugin: "core", path: "$" })
            assert.include(error.reason, "Promise")
            assert.include(error.message, "Effect.tryPromise")
          }
        }
      }).pipe(Effect.provide(SystemPrompt.layer))
    )

    it.effect(`[121] an ${kind} that returns nothing, at once or by an Effect, is an InvalidAssembly`, () =>
      Effect.gen(function* () {
        for (const run of [() => undefined, () => Effect.void, () => Effect.succeed(null)]) {
          const error = yield* Effect.flip(assembleWith(untyped({ name: "L1", plugin: "core", [kind]: run })))
          if (error._tag !== "InvalidAssembly") assert.fail(error._tag)
          assert.deepInclude(error, { kind: "listener", entry: "L1", scope: "global", plugin: "core", path: "$" })
          assert.include(error.message, "L1")
          assert.match(error.reason, /got (undefined|null)/)
        }
      }).pipe(Effect.provide(SystemPrompt.layer))
    )
  }

  it("[117] a pure listener that throws fails the pure assembly in the same way", () => {
    const chain = [
      overlay(
        {
          listeners: [
            {
              name: "L1",
              plugin: "core",
              edit: () => {
                throw boom
              }
            }
          ]
        },
        "agent"
      )
    ]
    const expected = {
      kind: "listener",
      entry: "L1",
      scope: "agent",
      plugin: "core",
      reason: "threw",
      cause: boom
    } as const
    assert.deepStrictEqual(Assembly.assemble(chain), Result.fail(new ListenerFailure(expected)))
  })

  it.effect("[BC-080] a listener that edits, then throws, leaves the next assembly as it was", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      yield* prompt.tools([tool("t")])
      const before = yield* prompt.assemble
      let broken = true
      yield* prompt.listener({
        name: "L1",
        edit: (assembly) => {
          const edited = pipe(assembly, add("half"), Assembly.removeTool("t"))
          if (broken) throw boom
          return edited.sections.length > 0 ? assembly : edited
        }
      })
      assert.strictEqual((yield* Effect.flip(prompt.assemble))._tag, "ListenerFailure")
      broken = false
      assert.deepStrictEqual(yield* prompt.assemble, before)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a listener that mutates what it is given fails, and changes nothing", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section({ name: "s", order: 0, text: "S" })
      const error = yield* Effect.flip(
        assembleWith({
          name: "L1",
          edit: (assembly) => {
            Object.assign(assembly.sections[0]!, { text: "mutated" })
            return assembly
          }
        })
      )
      if (error._tag !== "ListenerFailure") assert.fail(error._tag)
      assert.deepInclude(error, { entry: "L1", reason: "threw" })
      assert.instanceOf(error.cause, TypeError)
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["s", "S"]])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an inner failure keeps its owner and cause through all outer arounds", () =>
    Effect.gen(function* () {
      const through = (
        name: string,
        order: number,
        around: (rest: ReturnType<Listener.Next>) => ReturnType<Listener.Next>
      ) => ({
        name,
        order,
        around: (assembly: Assembly.Assembly, next: Listener.Next) => around(next(assembly))
      })
      const inner: Listener.Input<Error> = { name: "inner", edit: () => Effect.fail(boom) }
      const error = yield* Effect.flip(
        assembleWith(
          through("maps", -4, (rest) => Effect.map(rest, add("after"))),
          through("rethrows", -3, (rest) => Effect.catch(rest, (failure) => Effect.fail(failure))),
          through("ensures", -2, (rest) => Effect.ensuring(rest, Effect.yieldNow)),
          through("dies", -1, (rest) => Effect.orDie(rest)),
          inner
        )
      )
      if (error._tag !== "ListenerFailure") assert.fail(error._tag)
      assert.deepInclude(error, { entry: "inner", reason: "failed" })
      assert.strictEqual(error.cause, boom)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an ill-formed inner result keeps its owner, too", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        assembleWith(
          { name: "outer", around: (assembly, next) => next(assembly) },
          untyped({ name: "z-inner", edit: () => 1 })
        )
      )
      assert.deepInclude(error, { _tag: "InvalidAssembly", entry: "z-inner", path: "$" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an around that turns an inner failure into one of its own owns that one", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        assembleWith(
          { name: "outer", around: (assembly, next) => Effect.mapError(next(assembly), () => missing) },
          { name: "z-inner", edit: () => Effect.fail(boom) }
        )
      )
      if (error._tag !== "ListenerFailure") assert.fail(error._tag)
      assert.strictEqual(error.entry, "outer")
      assert.strictEqual(error.cause, missing)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an around that fails by itself after the rest succeeded owns its failure", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const error = yield* Effect.flip(
        assembleWith(
          { name: "outer", around: (assembly, next) => Effect.andThen(next(assembly), Effect.fail(boom)) },
          noting(log, "z-inner")
        )
      )
      assert.deepInclude(error, { _tag: "ListenerFailure", entry: "outer", reason: "failed" })
      assert.deepStrictEqual(log, ["z-inner"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("an around may recover from an inner failure, knowing whose it is", () =>
    Effect.gen(function* () {
      let who: string | undefined
      const assembly = yield* assembleWith(
        {
          name: "outer",
          around: (given, next) =>
            Effect.catchTag(next(given), "ListenerFailure", (failure) => {
              who = failure.entry
              return Effect.succeed(add("fallback")(given))
            })
        },
        { name: "x-inner", edit: add("lost") },
        { name: "z-inner", edit: () => Effect.fail(boom) }
      )
      assert.strictEqual(who, "z-inner")
      assert.deepStrictEqual(names(assembly), ["fallback"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("next", () => {
  const around = (
    name: string,
    f: (next: Listener.Next, given: Assembly.Assembly) => Effect.Effect<Assembly.Assembly, unknown>
  ): Listener.Input<unknown> => ({ name, around: (given, next) => f(next, given) })

  const twice: ReadonlyArray<
    readonly [
      what: string,
      run: (next: Listener.Next, given: Assembly.Assembly) => Effect.Effect<Assembly.Assembly, unknown>
    ]
  > = [
    ["one after the other", (next, given) => Effect.andThen(next(given), next(given))],
    ["at once", (next, given) => Effect.map(Effect.all([next(given), next(given)], { concurrency: 2 }), ([a]) => a)],
    [
      "and swallows that failure",
      (next, given) => Effect.catch(Effect.andThen(next(given), next(given)), () => Effect.succeed(given))
    ],
    ["without running the second", (next, given) => (next(given), next(given), Effect.succeed(given))],
    ["on what the first gave", (next, given) => Effect.flatMap(next(given), next)],
    ["in a race", (next, given) => Effect.race(next(given), next(given))],
    [
      "to try again",
      (next, given) => Effect.catch(Effect.andThen(next(given), Effect.fail("again")), () => next(given))
    ]
  ]
  for (const [what, run] of twice) {
    it.effect(
      `[116, BC-052] a listener that calls next twice ${what} fails the assembly; the rest ran once at most`,
      () =>
        Effect.gen(function* () {
          const log: Array<string> = []
          const error = yield* Effect.flip(
            assembleWith(around("greedy", run), noting(log, "rest", 1), {
              name: "outer",
              order: -1,
              around: (a, next) => next(a)
            })
          )
          if (error._tag !== "ListenerFailure") assert.fail(error._tag)
          assert.deepInclude(error, { kind: "listener", entry: "greedy", scope: "global" })
          assert.include(error.message, "next() called more than once")
          assert.isAtMost(log.length, 1)
        }).pipe(Effect.provide(SystemPrompt.layer))
    )
  }

  it.effect("[116] a second run of its effect fails the assembly, also when the listener swallows that", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const runs: ReadonlyArray<(rest: ReturnType<Listener.Next>) => Effect.Effect<Assembly.Assembly, unknown>> = [
        (rest) => Effect.andThen(rest, rest),
        (rest) => Effect.flatMap(rest, (first) => Effect.catch(rest, () => Effect.succeed(first))),
        (rest) => Effect.flatMap(rest, (first) => Effect.as(Effect.repeat(rest, { times: 2 }), first)),
        (rest) => Effect.map(Effect.all([rest, rest], { concurrency: 2 }), ([first]) => first)
      ]
      for (const run of runs) {
        const error = yield* Effect.flip(
          assembleWith(
            around("greedy", (next, given) => run(next(given))),
            noting(log, "rest", 1)
          )
        )
        if (error._tag !== "ListenerFailure") assert.fail(error._tag)
        assert.strictEqual(error.entry, "greedy")
        assert.include(error.message, "run more than once")
        assert.deepStrictEqual(log.splice(0), ["rest"])
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a retry of next does not run the rest again, and blames the one who retries", () =>
    Effect.gen(function* () {
      let runs = 0
      const error = yield* Effect.flip(
        assembleWith(
          around("retries", (next, given) => Effect.retry(next(given), Schedule.recurs(3))),
          {
            name: "z-fails",
            edit: () => {
              runs++
              return Effect.fail("not yet")
            }
          }
        )
      )
      assert.strictEqual(runs, 1)
      assert.deepInclude(error, { _tag: "ListenerFailure", entry: "retries" })
      assert.include(error.message, "run more than once")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("nothing runs before its effect does", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const assembly = yield* assembleWith(
        around("unused", (next, given) => (next(add("dropped")(given)), Effect.succeed(given))),
        noting(log, "rest", 1)
      )
      assert.deepStrictEqual(names(assembly), [])
      assert.deepStrictEqual(log, [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  const leaks: ReadonlyArray<readonly [what: string, end: (given: Assembly.Assembly, next: Listener.Next) => unknown]> =
    [
      ["succeeded", (given) => Effect.succeed(given)],
      ["used it", (given, next) => next(given)],
      ["failed", () => Effect.fail("no")],
      [
        "threw",
        () => {
          throw new Error("no")
        }
      ],
      ["returned a Promise", () => Promise.resolve()],
      ["returned a plain assembly", (given) => given],
      ["was interrupted", () => Effect.interrupt]
    ]
  for (const [what, end] of leaks) {
    it.effect(`[BC-052] next of a listener that ${what} does nothing any more but fail whoever calls it`, () =>
      Effect.gen(function* () {
        const log: Array<string> = []
        let leaked: Listener.Next | undefined
        let rest: ReturnType<Listener.Next> | undefined
        const base = yield* assembleWith()
        yield* Effect.exit(
          assembleWith(
            untyped({
              name: "leaks",
              around: (given: Assembly.Assembly, next: Listener.Next) => {
                leaked = next
                if (what !== "used it") rest = next(given)
                return end(given, next)
              }
            }),
            noting(log, "rest", 1)
          )
        )
        log.splice(0)
        if (leaked === undefined) assert.fail("not called")
        const late = yield* Effect.flip(leaked(base))
        assert.instanceOf(late, ListenerFailure)
        assert.strictEqual(late.entry, "leaks")
        assert.include(late.message, "after the waterfall ended")
        if (rest !== undefined) assert.include((yield* Effect.flip(rest)).message, "after the waterfall ended")
        assert.deepStrictEqual(log, [], "the rest did not run")
      }).pipe(Effect.provide(SystemPrompt.layer))
    )
  }

  it.effect("a plain assembly returned after next was called twice is refused all the same", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        assembleWith(
          untyped({
            name: "greedy",
            around: (given: Assembly.Assembly, next: Listener.Next) => (next(given), next(given), given)
          })
        )
      )
      assert.deepInclude(error, { _tag: "ListenerFailure", entry: "greedy" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("given something that is no assembly, it fails and names who gave it; the rest does not run", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const error = yield* Effect.flip(
        assembleWith(
          around("gives", (next, given) => next({ ...given, sections: untyped("none") })),
          noting(log, "rest", 1)
        )
      )
      assert.deepInclude(error, { _tag: "InvalidAssembly", entry: "gives", path: "$.sections" })
      assert.deepStrictEqual(log, [])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a listener may race the rest against something else, and the loser is interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const assembly = yield* assembleWith(
        around("races", (next, given) => Effect.race(next(given), Effect.succeed(add("fast")(given)))),
        {
          name: "z-slow",
          edit: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
        }
      )
      assert.deepStrictEqual(names(assembly), ["fast"])
      yield* Deferred.await(interrupted)
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a timeout around the rest is a failure of its listener, or its fallback", () =>
    Effect.gen(function* () {
      const slow: Listener.Input = {
        name: "z-slow",
        edit: (assembly) => Effect.delay(Effect.succeed(assembly), "1 hour")
      }
      const failing = yield* Effect.forkChild(
        Effect.flip(
          assembleWith(
            around("patient", (next, given) => Effect.timeout(next(given), "1 second")),
            slow
          )
        )
      )
      const falling = yield* Effect.forkChild(
        assembleWith(
          around("patient", (next, given) =>
            Effect.map(
              Effect.timeoutOption(next(given), "1 second"),
              Option.getOrElse(() => add("fallback")(given))
            )
          ),
          slow
        ).pipe(Effect.provide(Layer.fresh(SystemPrompt.layer)))
      )
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(failing)
      assert.deepInclude(error, { _tag: "ListenerFailure", entry: "patient", reason: "failed" })
      assert.deepStrictEqual(names(yield* Fiber.join(falling)), ["fallback"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("interruption", () => {
  it.effect(
    "[328] of an assembly whose listener waits is interruption, not a failure, and runs finalisers, inner first",
    () =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        const log: Array<string> = []
        const noteInterrupt = (name: string) => Effect.onInterrupt(() => Effect.sync(() => log.push(name)))
        const fiber = yield* Effect.forkChild(
          assembleWith(
            { name: "outer", around: (assembly, next) => noteInterrupt("outer")(next(assembly)) },
            {
              name: "z-waits",
              edit: () => noteInterrupt("waits")(Effect.andThen(Deferred.succeed(started, undefined), Effect.never))
            }
          )
        )
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.deepStrictEqual(log, ["waits", "outer"])
      }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("a listener that interrupts itself interrupts the assembly", () =>
    Effect.gen(function* () {
      for (const listener of [
        { name: "l", edit: () => Effect.interrupt },
        { name: "l", around: () => Effect.interrupt }
      ]) {
        const exit = yield* Effect.exit(assembleWith(listener))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      }
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("another implementation", () => {
  const layerOf = (run: Waterfall["Service"]["run"]) =>
    SystemPrompt.layerNoDeps.pipe(Layer.provide([Overlays.layer, Renderer.layer, Layer.succeed(Waterfall, { run })]))

  const prepared = Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    const calls: Array<string> = []
    yield* prompt.section({ name: "s", order: 0, text: "S" })
    yield* prompt.context({ name: "c", order: 0, text: "C" })
    yield* prompt.listener({ name: "l", edit: (assembly) => (calls.push("l"), add("by-l")(assembly)) })
    return { prompt, calls }
  })

  it.effect("one that runs no listeners changes the result", () =>
    Effect.gen(function* () {
      const { prompt, calls } = yield* prepared
      assert.deepStrictEqual(names(yield* prompt.assemble), ["s"])
      assert.deepStrictEqual(calls, [])
    }).pipe(Effect.provide(layerOf((_listeners, base) => Effect.succeed(base))))
  )

  it.effect("what it does to the assembly is sealed like the work of listeners", () =>
    Effect.gen(function* () {
      const { prompt } = yield* prepared
      yield* prompt.suppressContexts
      yield* prompt.section({ name: "only", order: 9, text: "Only.", complete: true })
      const assembly = yield* prompt.assemble
      assert.deepStrictEqual(sections(assembly), [["only", "Only."]])
      assert.deepStrictEqual(assembly.contexts, [])
      assert.deepStrictEqual(tools(assembly), ["t"])
    }).pipe(
      Effect.provide(
        layerOf((_listeners, base) =>
          Effect.succeed(
            pipe(
              base,
              add("more"),
              Assembly.removeSection("only"),
              Assembly.addTool(tool("t")),
              Assembly.addContext({ name: "x", order: 0, text: "X" })
            )
          )
        )
      )
    )
  )

  it.effect("garbage that it returns is an InvalidAssembly that names it", () =>
    Effect.gen(function* () {
      for (const [garbage, path] of [
        [undefined, "$"],
        [{}, "$.sections"],
        [{ ...assemble([]), tools: [{}] }, "$.tools[0].schema"],
        [{ ...assemble([]), extra: 1 }, "$.extra"]
      ] as const) {
        const error = yield* Effect.flatMap(prepared, ({ prompt }) => Effect.flip(prompt.assemble)).pipe(
          Effect.provide(layerOf(() => Effect.succeed(untyped(garbage))))
        )
        assert.instanceOf(error, InvalidAssembly)
        assert.deepInclude(error, { kind: "listener", entry: "waterfall", scope: "global" })
        assert.strictEqual(error.path, path)
      }
    })
  )

  it.effect("an assembly from elsewhere, of other scope, complete, suppressed or toolOrder, is refused", () =>
    Effect.gen(function* () {
      const toolOrder = Result.getOrThrow(ToolOrder.make([ToolOrder.restMarker]))
      const complete = { name: "f", order: 0, text: "F", complete: true }
      const foreign = [
        [assemble([overlay({}, "elsewhere")]), "$.scope"],
        [assemble([overlay({ sections: [complete] })]), "$.complete"],
        [assemble([overlay({ suppressors: 1 })]), "$.suppressed"],
        [assemble([], { toolOrder }), "$.toolOrder"]
      ] as const
      for (const [assembly, path] of foreign) {
        const error = yield* Effect.flatMap(prepared, ({ prompt }) => Effect.flip(prompt.assemble)).pipe(
          Effect.provide(layerOf(() => Effect.succeed(assembly)))
        )
        assert.deepInclude(error, { _tag: "InvalidAssembly", entry: "waterfall", scope: "global", path })
      }
      const same = yield* Effect.flatMap(prepared, ({ prompt }) => prompt.assemble).pipe(
        Effect.provide(
          layerOf(() => Effect.succeed(assemble([overlay({ sections: [{ ...complete, complete: false }] })])))
        )
      )
      assert.deepStrictEqual(names(same), ["f"], "one that agrees in them is taken as it is")
    })
  )

  /** Three listeners of three owners: an edit, an effectful one, and one around the rest. */
  const threeOwners = Effect.gen(function* () {
    const prompt = yield* SystemPrompt
    const agent = (yield* PromptScope.make("agent")).scope
    const inAgent = PromptScope.provide(agent)
    yield* prompt.section({ name: "s", order: 9, text: "S", plugin: "core" })
    yield* prompt.listener({ name: "a", order: 1, plugin: "pa", edit: add("by-a") })
    yield* inAgent(prompt.listener({ name: "b", order: 2, edit: (given) => Effect.succeed(add("by-b")(given)) }))
    const around = (given: Assembly.Assembly, next: Listener.Next) =>
      Effect.map(
        next(given),
        Assembly.mapSection("s", (one) => ({ ...one, text: `${String(one.text)}!` }))
      )
    yield* inAgent(prompt.listener({ name: "c", order: 3, plugin: "pc", around }))
    return { prompt, inAgent, assemble: inAgent(prompt.assemble) }
  })

  const origins = (assembly: Assembly.Assembly) =>
    assembly.sections.flatMap(({ name, text, origin }) => (text === "" ? [] : [[name, origin] as const]))

  const byA = { scope: "global", plugin: "pa", listener: { name: "a", scope: "global", plugin: "pa" }, shadows: [] }
  const byB = { scope: "agent", listener: { name: "b", scope: "agent" }, shadows: [] }
  const core = { scope: "global", plugin: "core", shadows: [] }
  const byC = { ...core, listener: { name: "c", scope: "agent", plugin: "pc" } }

  /** Runs these in this order, each around the rest. */
  const runAll = (listeners: ReadonlyArray<Listener.Admitted>): Listener.Next =>
    listeners.reduceRight<Listener.Next>(
      (next, listener) => (assembly) => listener.run(assembly, next),
      (assembly) => Effect.succeed(assembly)
    )

  it.effect("one that runs the listeners in reverse, or leaves some out, gets their origins all the same", () =>
    Effect.gen(function* () {
      const runs: ReadonlyArray<readonly [Waterfall["Service"]["run"], ReadonlyArray<readonly [string, object]>]> = [
        [
          (listeners, base) => runAll(listeners.toReversed())(base),
          [
            ["by-a", byA],
            ["by-b", byB],
            ["s", byC]
          ]
        ],
        [
          (listeners, base) => runAll(listeners.filter(({ owner }) => owner.entry !== "b"))(base),
          [
            ["by-a", byA],
            ["s", byC]
          ]
        ],
        [
          (listeners, base) => runAll(listeners.filter(({ owner }) => owner.plugin === undefined))(base),
          [
            ["by-b", byB],
            ["s", core]
          ]
        ],
        [
          (listeners, base) => runAll(listeners.filter(({ order }) => order < 2))(base),
          [
            ["by-a", byA],
            ["s", core]
          ]
        ]
      ]
      for (const [run, expected] of runs) {
        const assembly = yield* Effect.flatMap(threeOwners, ({ assemble }) => assemble).pipe(
          Effect.provide(layerOf(run), { local: true })
        )
        assert.deepStrictEqual(origins(assembly), expected)
      }
    })
  )

  it.effect("one that records what each listener was given and what it passed on, in which order", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const shown = (assembly: Assembly.Assembly) => `${assembly.scope}: ${names(assembly).join()}`
      const recorded: Waterfall["Service"]["run"] = (listeners, base) =>
        listeners.reduceRight<Listener.Next>(
          (next, { owner, run }) =>
            (given) => {
              log.push(`${owner.entry} of ${owner.scope} < ${shown(given)}`)
              return Effect.tap(
                run(given, (passed) => (log.push(`${owner.entry} passes ${names(passed).length}`), next(passed))),
                (result) => Effect.sync(() => log.push(`${owner.entry} > ${names(result).join()}`))
              )
            },
          (assembly) => Effect.succeed(assembly)
        )(base)
      const assembly = yield* Effect.flatMap(threeOwners, ({ assemble }) => assemble).pipe(
        Effect.provide(layerOf(recorded))
      )
      assert.deepStrictEqual(log, [
        "a of global < agent: s",
        "a passes 2",
        "b of agent < agent: by-a,s",
        "b passes 3",
        "c of agent < agent: by-a,by-b,s",
        "c passes 3",
        "c > by-a,by-b,s",
        "b > by-a,by-b,s",
        "a > by-a,by-b,s"
      ])
      assert.deepStrictEqual(origins(assembly), [
        ["by-a", byA],
        ["by-b", byB],
        ["s", byC]
      ])
    })
  )

  const broken: ReadonlyArray<readonly [what: string, listener: object, expected: object]> = [
    ["that throws", { edit: () => assert.fail("boom") }, { _tag: "ListenerFailure", reason: "threw" }],
    ["that fails", { edit: () => Effect.fail("no") }, { _tag: "ListenerFailure", reason: "failed" }],
    ["that dies", { around: () => Effect.die("no") }, { _tag: "ListenerFailure", reason: "died" }],
    ["that gives a Promise", { edit: () => Promise.resolve() }, { _tag: "InvalidAssembly", path: "$" }],
    ["that gives no assembly", { around: () => Effect.succeed(7) }, { _tag: "InvalidAssembly", path: "$" }],
    [
      "that calls next twice",
      { around: (given: Assembly.Assembly, next: Listener.Next) => Effect.andThen(next(given), next(given)) },
      { _tag: "ListenerFailure", reason: "broke the contract of next" }
    ]
  ]
  for (const [what, listener, expected] of broken) {
    it.effect(`under one that runs them in reverse, a listener ${what} is named by the error`, () =>
      Effect.gen(function* () {
        const { prompt, inAgent, assemble } = yield* threeOwners
        yield* inAgent(prompt.listener(untyped({ name: "bad", plugin: "pb", ...listener })))
        const error = yield* Effect.flip(assemble)
        const owner = { kind: "listener", entry: "bad", scope: "agent", plugin: "pb" }
        assert.deepInclude(error, { ...expected, ...owner })
      }).pipe(Effect.provide(layerOf((listeners, base) => runAll(listeners.toReversed())(base))))
    )
  }
})
