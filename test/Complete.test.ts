import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, pipe, Result, Schema } from "effect"
import { Assembly, Overlay, Plan, PromptScope, type Rendered, Section, SystemPrompt } from "../src/index.ts"
import type * as Listener from "../src/Listener.ts"
import * as arbitraries from "../src/testing/Arbitraries.ts"
import * as edits from "../src/testing/Edit.ts"
import { assemble, overlay, prompt, refused } from "./support/known.ts"
import { untyped } from "./support/untyped.ts"
import { contexts, sections, tools, variables } from "./support/view.ts"

const tool = (name: string) => ({ name, description: name, parameters: {} })

const plain = (name: string, order: number, text = name): Section.Options => ({ name, order, text })

const complete = (name: string, text: string, order = 0): Section.Options => ({ name, order, text, complete: true })

/** A complete section among others, with one of everything else. */
const all: Overlay.Options = {
  sections: [plain("id", -100, "I"), complete("only", "EXACT {{model}}"), plain("t", 100, "T")],
  contexts: [{ name: "c", order: 0, text: "C" }],
  variables: [{ name: "model", value: "m" }],
  tools: [{ tools: [tool("t1")] }]
}

const listened = (...runs: ReadonlyArray<Listener.Edit>) =>
  assemble([overlay({ ...all, listeners: runs.map((edit, i) => ({ name: `l${i}`, edit })) })])

const only: Assembly.AssembledSection = {
  name: "only",
  order: 0,
  text: "EXACT {{model}}",
  interpolate: true,
  requires: [],
  origin: { scope: "global", shadows: [] }
}

describe("one complete section", () => {
  it("[123] is the whole prompt, although other sections and listeners contributed", () => {
    const assembly = listened(Assembly.addSection(plain("git", 1, "G")))
    assert.deepStrictEqual(assembly.sections, [only])
    assert.strictEqual(assembly.complete, "only")
    assert.strictEqual(prompt(assembly), "EXACT m")
    assert.strictEqual(assemble([overlay({ sections: [plain("a", 0)] })]).complete, undefined)
  })

  const attacks: ReadonlyArray<readonly [what: string, edit: Listener.Edit]> = [
    ["appends a section", Assembly.addSection(plain("git", 1, "G"))],
    ["replaces all sections", (given) => ({ ...given, sections: [untyped(plain("mine", 0))] })],
    ["removes all sections", (given) => ({ ...given, sections: [] })],
    ["changes its text", Assembly.mapSection("only", (section) => ({ ...section, text: "mine" }))],
    [
      "changes it in place",
      (given) => {
        for (const section of given.sections) assert.isFalse(Reflect.set(section, "text", "mine"), "it is frozen")
        assert.isFalse(Reflect.set(given.sections, 0, plain("mine", 0)))
        return given
      }
    ],
    ["replaces it", Assembly.replaceSection({ name: "only", order: 9, text: "mine", interpolate: false })],
    ["deletes it", Assembly.removeSection("only")],
    ["renames it", Assembly.mapSection("only", (section) => ({ ...section, name: "renamed" }))],
    ["moves it", (given) => ({ ...given, sections: given.sections.toReversed() })],
    ["makes it require a tool", Assembly.mapSection("only", (section) => ({ ...section, requires: ["ghost"] }))],
    [
      "deletes it and adds another of its name",
      (given) =>
        pipe(given, Assembly.removeSection("only"), Assembly.addSection({ name: "only", order: 0, text: "mine" }))
    ]
  ]
  for (const [what, edit] of attacks) {
    it(`[124, BC-013] comes back exactly as it was resolved when a listener ${what}`, () => {
      const assembly = listened(edit)
      assert.deepStrictEqual(assembly.sections, [only])
      assert.strictEqual(assembly.complete, "only")
      assert.strictEqual(prompt(assembly), "EXACT m")
    })
  }

  it("[124, BC-013] a listener that says another, or none, is complete is refused and named", () => {
    for (const complete of [undefined, "t"]) {
      const edit: Listener.Edit = (given) => ({ ...given, complete })
      const error = refused([overlay({ ...all, listeners: [{ name: "l0", edit }] })])
      assert.deepInclude(error, { _tag: "InvalidAssembly", entry: "l0", path: "$.complete" })
    }
  })

  it.effect("[124, BC-013] comes back also from effectful listeners around each other, and from a short circuit", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(complete("only", "EXACT"))
      yield* prompt.listener({
        name: "outer",
        order: -1,
        around: (given, next) => Effect.map(next(given), Assembly.removeSection("only"))
      })
      yield* prompt.listener({
        name: "short",
        around: (given) => Effect.succeed({ ...given, sections: [] })
      })
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["only", "EXACT"]])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("[125] tools, variables, contexts and annotations that listeners changed are kept", () => {
    const assembly = listened((given) =>
      pipe(
        given,
        Assembly.addTool(tool("t2")),
        Assembly.setVariable("v", "V"),
        Assembly.addContext({ name: "d", order: 1, text: "D" }),
        Assembly.annotate(edits.Note, "note")
      )
    )
    assert.deepStrictEqual(tools(assembly), ["t1", "t2"])
    assert.deepStrictEqual(variables(assembly), [
      ["model", "m"],
      ["v", "V"]
    ])
    assert.deepStrictEqual(contexts(assembly), [
      ["c", "C"],
      ["d", "D"]
    ])
    assert.strictEqual(Context.get(assembly.annotations, edits.Note), "note")
    assert.deepStrictEqual(assembly.sections, [only])
  })

  it("[126] a variable that a listener changed is used when its text is rendered", () => {
    assert.strictEqual(prompt(listened(Assembly.setVariable("model", "other"))), "EXACT other")
  })

  it("[130] a complete that is not exactly true completes nothing; since it was meant to, it is refused", () => {
    for (const value of [1, "true", {}]) {
      const made = Section.make(untyped({ ...plain("a", 0), complete: value }), "global")
      if (Result.isSuccess(made)) assert.fail("accepted")
      assert.deepInclude(made.failure, { _tag: "InvalidRegistration", entry: "a", field: "complete" })
    }
    const ordinary = assemble([overlay({ sections: [{ ...plain("a", 0), complete: false }, plain("b", 1)] })])
    assert.deepStrictEqual(
      ordinary.sections.map(({ name }) => name),
      ["a", "b"]
    )
  })

  it.effect("[131] the providers of all other sections are evaluated", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const calls: Array<string> = []
      for (const [i, name] of ["a", "only", "z"].entries()) {
        yield* prompt.section({ name, order: i, complete: name === "only", text: () => (calls.push(name), name) })
      }
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["only", "only"]])
      assert.deepStrictEqual(calls, ["a", "only", "z"])
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[131] one of them that throws fails the assembly", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      yield* prompt.section(complete("only", "EXACT"))
      yield* prompt.section({
        name: "displaced",
        order: 1,
        text: () => {
          throw new Error("boom")
        }
      })
      const error = yield* Effect.flip(prompt.assemble)
      assert.deepInclude(error, { _tag: "ProviderFailure", kind: "section", entry: "displaced" })
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("[132] with interpolate: false it renders verbatim", () => {
    const assembly = assemble([overlay({ sections: [{ ...complete("only", "{{ raw }} {{x}}"), interpolate: false }] })])
    assert.strictEqual(prompt(assembly), "{{ raw }} {{x}}")
  })

  it("[133] with an empty text the prompt is empty", () => {
    const assembly = assemble([overlay({ sections: [complete("only", ""), plain("a", 1)] })])
    assert.strictEqual(assembly.sections.length, 1)
    assert.strictEqual(prompt(assembly), "")
  })

  it("listeners see all sections, the complete one among them", () => {
    const seen: Array<ReadonlyArray<string>> = []
    listened((given) => {
      seen.push(given.sections.map(({ name }) => name))
      return given
    })
    assert.deepStrictEqual(seen, [["id", "only", "t"]])
  })

  it("does not go with `requires`", () => {
    const made = Section.make({ ...complete("a", "A"), requires: ["t"] }, "agent")
    if (Result.isSuccess(made)) assert.fail("accepted")
    assert.deepInclude(made.failure, { _tag: "InvalidRegistration", entry: "a", scope: "agent", field: "requires" })
  })
})

describe("two complete sections", () => {
  it.effect("[127] are refused by name, in order, before any provider or listener runs", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      const calls: Array<string> = []
      const note = (what: string) => () => (calls.push(what), what)
      yield* prompt.variable("v", note("variable"))
      yield* prompt.tools(() => (calls.push("tools"), []))
      yield* prompt.context({ name: "c", order: 0, text: note("context") })
      yield* prompt.listener({ name: "l", edit: (assembly) => (calls.push("listener"), assembly) })
      yield* prompt.section({ ...complete("b", "B"), text: note("b"), plugin: "pb" })
      yield* prompt
        .section({ ...complete("a", "A"), text: note("a"), plugin: "pa" })
        .pipe(PromptScope.provide(agent.scope))
      const error = yield* Effect.flip(PromptScope.provide(agent.scope)(prompt.assemble))
      assert.deepInclude(error, {
        _tag: "MultipleCompleteSections",
        scope: "agent",
        sections: [
          { entry: "a", scope: "agent", plugin: "pa" },
          { entry: "b", scope: "global", plugin: "pb" }
        ]
      })
      for (const mention of ['"a"', '"b"', '"agent"', '"global"', '"pa"', '"pb"'])
        assert.include(error.message, mention)
      assert.deepStrictEqual(calls, [])
      assert.deepStrictEqual(sections(yield* prompt.assemble), [["b", "b"]], "elsewhere only one is in force")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it("[127] by order, then by name; three are all named", () => {
    const chain = [overlay({ sections: [complete("b", "B", 1), complete("c", "C", 0), complete("a", "A", 1)] })]
    const error = refused(chain)
    if (error._tag !== "MultipleCompleteSections") assert.fail(error._tag)
    assert.deepStrictEqual(
      error.sections.map(({ entry }) => entry),
      ["c", "a", "b"]
    )
  })

  it("[129, BC-049] a global one and one of another name in a scope: refused for the scope, each with its layer", () => {
    const global = overlay({ sections: [complete("a", "A")] })
    const scoped = overlay({ sections: [complete("b", "B")] }, "agent")
    const error = refused([global, scoped])
    assert.deepInclude(error, {
      _tag: "MultipleCompleteSections",
      sections: [
        { entry: "a", scope: "global" },
        { entry: "b", scope: "agent" }
      ]
    })
    for (const mention of ['"a" of scope "global"', '"b" of scope "agent"']) assert.include(error.message, mention)
    assert.strictEqual(prompt(assemble([global])), "A")
  })
})

describe("scopes", () => {
  it("[BC-049] the nearer of two of one name is the prompt", () => {
    const chain = [
      overlay({ sections: [complete("a", "old")] }),
      overlay({ sections: [complete("a", "new")] }, "agent")
    ]
    assert.strictEqual(prompt(assemble(chain)), "new")
  })

  it.effect("[128, BC-049] one that a plain section shadows is not in force there, and stays so elsewhere", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const agent = yield* PromptScope.make("agent")
      yield* prompt.section(complete("a", "whole"))
      yield* prompt.section(plain("b", 1, "B"))
      yield* prompt.section(plain("a", 0, "part")).pipe(PromptScope.provide(agent.scope))
      const text = Effect.map(prompt.render, (rendered) => rendered.text)
      assert.strictEqual(yield* PromptScope.provide(agent.scope)(text), "part\n\nB")
      assert.strictEqual((yield* PromptScope.provide(agent.scope)(prompt.assemble)).complete, undefined)
      assert.strictEqual(yield* text, "whole")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )

  it.effect("[BC-047] one of an ancestor binds its descendants, unless they shadow it", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const parent = yield* PromptScope.make("parent")
      const child = yield* PromptScope.make("child", { parent: parent.scope })
      yield* prompt.section(complete("only", "P")).pipe(PromptScope.provide(parent.scope))
      yield* prompt.section(plain("persona", 0, "C")).pipe(PromptScope.provide(child.scope))
      const text = PromptScope.provide(child.scope)(Effect.map(prompt.render, (rendered) => rendered.text))
      assert.strictEqual(yield* text, "P")
      yield* prompt.section(plain("only", 1, "")).pipe(PromptScope.provide(child.scope))
      assert.strictEqual(yield* text, "C")
      const rendered: Rendered.Rendered = yield* PromptScope.provide(parent.scope)(prompt.render)
      assert.strictEqual(rendered.text, "P")
    }).pipe(Effect.provide(SystemPrompt.layer))
  )
})

describe("laws", () => {
  let assembled = 0
  afterAll(() => assert.isAtLeast(assembled, 40, "most listeners must do no wrong, else the law says nothing"))

  const flags = Schema.Array(
    Schema.Struct({ name: Schema.Literals(["a", "b", "c"]), complete: Schema.Boolean, order: Schema.Literals([0, 1]) })
  )

  it.prop(
    "at most one complete section survives, and more than one in force is refused",
    [flags, flags],
    ([far, near]) => {
      const distinct = (all: typeof far) => all.filter((one, i) => all.findIndex(({ name }) => name === one.name) === i)
      const sections = [far, near].map((all) => distinct(all).map((one) => ({ ...one, text: one.name })))
      const chain = sections.map((all, i) => overlay({ sections: all }, `scope-${i}`))
      const inForce = new Map(sections.flat().map((one) => [one.name, one]))
      const expected = [...inForce.values()].filter((one) => one.complete)
      const result = Assembly.assemble(chain)
      if (expected.length > 1) {
        if (Result.isSuccess(result)) assert.fail("accepted")
        assert.strictEqual(result.failure._tag, "MultipleCompleteSections")
        return
      }
      const assembly = Result.getOrThrow(result)
      assert.strictEqual(assembly.complete, expected[0]?.name)
      assert.strictEqual(assembly.sections.length, expected.length === 1 ? 1 : inForce.size)
    }
  )

  it.prop(
    "whatever listeners do, the complete section is the prompt, as the plan has it",
    [arbitraries.chain],
    ([chain]) => {
      const made = chain.map(({ label, listeners, sections, ...rest }) =>
        Result.getOrThrow(
          Overlay.make(label, {
            ...rest,
            sections: [
              ...sections.map((one) => ({ ...one, complete: false })).filter(({ name }) => name !== "only"),
              complete("only", label)
            ],
            listeners: listeners.map((one) => ({ ...one, edit: edits.run(one) }))
          })
        )
      )
      const nearest = Result.getOrThrow(Plan.make("x", made)).sections.find(({ entry }) => entry.complete)
      const result = Assembly.assemble(made)
      if (Result.isFailure(result)) return
      assembled++
      assert.deepStrictEqual(
        result.success.sections.map(({ name, text, origin }) => ({ name, text, origin })),
        [{ name: "only", text: chain.at(-1)!.label, origin: nearest!.origin }]
      )
    }
  )
})
