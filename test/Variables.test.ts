import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Context, Effect, Layer, Scope } from "effect"
import { Plugin, PromptError, PromptScope, SystemPrompt, Template, VariableName, Variables } from "../src/index.ts"
import * as registry from "./support/registry.ts"

class Git extends Context.Service<Git, { readonly branch: Effect.Effect<string> }>()("test/Git") {}
class Model extends Context.Service<Model, string>()("test/Model") {}

const vars = Variables.define({
  model: "deepseek-chat",
  cwd: (context) => `/repos/${context.scope.label}`,
  branch: Effect.flatMap(Git, (git) => git.branch),
  ticket: undefined
})

const git = Layer.succeed(Git, { branch: Effect.succeed("main") })

/** What the global scope renders to, with these plugins. */
const rendered = <E>(...plugins: ReadonlyArray<Plugin.Plugin<E, Git>>) =>
  Layer.build(Layer.mergeAll(Layer.empty, ...plugins)).pipe(
    Effect.andThen(SystemPrompt.use((prompt) => prompt.render)),
    Effect.provide(Layer.merge(registry.layer, git))
  )

const text = (...plugins: ReadonlyArray<Plugin.Plugin<never, Git>>) =>
  Effect.map(rendered(...plugins), (rendered) => rendered.text)

describe("layer", () => {
  it.effect("registers each variable with what gives its value: a value, a function, an Effect, nothing", () =>
    Effect.gen(function* () {
      const section = vars.section({ name: "a", order: 0, text: "{{model}} in {{cwd}} on {{branch}}." })
      assert.strictEqual(yield* text(vars.layer, section), "deepseek-chat in /repos/global on main.")
      const unset = vars.section({ name: "t", order: 0, text: "{{ticket}}" })
      const error = yield* Effect.flip(text(vars.layer, unset))
      assert.instanceOf(error, PromptError.UndefinedVariable)
      assert.deepInclude(error, { variable: "ticket", entry: "t" })
    })
  )

  it.effect("is a plugin like others: it goes into the scope it is mounted in, under the name of the plugin", () =>
    Effect.gen(function* () {
      const agent = yield* PromptScope.make("agent")
      const named = Variables.define({ model: "m", cwd: "/" }, { plugin: "core" })
      yield* Layer.build(Plugin.mount(agent.scope)(named.layer))
      const prompt = yield* SystemPrompt
      const { variables } = yield* PromptScope.provide(agent.scope)(prompt.assemble)
      const origin = { scope: "agent", plugin: "core", shadows: [] }
      assert.deepStrictEqual(variables, [
        { name: "cwd", value: "/", origin },
        { name: "model", value: "m", origin }
      ])
      assert.deepStrictEqual((yield* prompt.assemble).variables, [])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("registers all variables or none, and a bad name that the compiler did not see fails it", () =>
    Effect.gen(function* () {
      const names: Record<string, string> = { model: "m", Model: "m" }
      const error = yield* Effect.flip(Layer.build(Variables.define(names, { plugin: "core" }).layer))
      assert.instanceOf(error, PromptError.InvalidRegistration)
      assert.deepInclude(error, { kind: "variable", entry: "Model", scope: "global", plugin: "core", field: "name" })
      const again = yield* SystemPrompt.use((prompt) => prompt.assemble)
      assert.deepStrictEqual(again.variables, [])
    }).pipe(Effect.provide(registry.layer))
  )

  it.effect("of no variables at all is empty", () =>
    Effect.gen(function* () {
      const none = Variables.define({})
      expectTypeOf(none).toEqualTypeOf<Variables.Variables<never>>()
      assert.strictEqual(yield* text(none.layer, none.section({ name: "a", order: 0, text: "plain" })), "plain")
    })
  )
})

describe("section and context", () => {
  it.effect("are those of Plugin, with all their options", () =>
    Effect.gen(function* () {
      const all = yield* rendered(
        vars.layer,
        vars.section({ name: "b", order: 2, text: Template.text`{{raw}} ${vars.ref("model")}` }),
        vars.section({ name: "a", order: 1, text: () => "{{model}}", plugin: "core" }),
        vars.section({ name: "needs", order: 3, text: "{{model}}", requires: ["bash"] }),
        vars.section({ name: "data", order: 4, text: "{{anything}}", interpolate: false }),
        vars.context({ name: "c", order: 0, text: Effect.succeed("{{cwd}}"), plugin: "core" }),
        vars.context({ name: "d", order: 1, text: "{{cwd}}", interpolate: false })
      )
      assert.deepStrictEqual(
        all.sections.map(({ name, text, source }) => [name, text, source.origin.plugin]),
        [
          ["a", "deepseek-chat", "core"],
          ["b", "{{raw}} deepseek-chat", undefined],
          ["data", "{{anything}}", undefined]
        ]
      )
      assert.deepStrictEqual(
        all.contexts.map(({ name, text, source }) => [name, text, source.origin.plugin]),
        [
          ["c", "/repos/global", "core"],
          ["d", "{{cwd}}", undefined]
        ]
      )
    })
  )

  it.effect("a string is accepted as it is, and rendering finds what the compiler could not", () =>
    Effect.gen(function* () {
      const dynamic: string = "on {{modle}}"
      const error = yield* Effect.flip(text(vars.layer, vars.section({ name: "a", order: 0, text: dynamic })))
      assert.instanceOf(error, PromptError.UnknownVariable)
      assert.deepInclude(error, { variable: "modle", nearest: "model", entry: "a", offset: 3 })
      const late = vars.context({ name: "c", order: 0, text: () => Effect.succeed("{{modle}}") })
      assert.deepInclude(yield* Effect.flip(text(vars.layer, late)), { kind: "context", variable: "modle" })
    })
  )
})

describe("ref", () => {
  it("is a reference to a declared variable", () => {
    assert.isTrue(Template.equals(vars.ref("model"), Template.ref("model")))
    expectTypeOf(vars.ref("model")).toEqualTypeOf<Template.Template<"model">>()
    expectTypeOf(Template.text`${vars.ref("model")} ${vars.ref("cwd")}`).toEqualTypeOf<
      Template.Template<"model" | "cwd">
    >()
  })

  it("throws at once for a name that the compiler could not see to be bad", () => {
    const names: Record<string, string> = {}
    const open = Variables.define(names)
    assert.throws(() => open.ref("Model"), TypeError)
  })
})

/** Has the compiler look at something without running it. */
const compiles: (program: () => unknown) => void = () => {}

// These pass or fail when they are compiled: `npm run check`. An expected error that does not come is an error.
describe("what compiles", () => {
  const dynamic: string = "x"
  const flag: boolean = dynamic === "x"
  const a = { name: "a", order: 0 }

  it("names and services are in the type of the set", () => {
    expectTypeOf(vars).toEqualTypeOf<Variables.Variables<"model" | "cwd" | "branch" | "ticket", Git>>()
    const needy = Variables.define({
      model: Model,
      plain: () => "x",
      maybe: () => (flag ? "x" : Effect.map(Git, () => undefined)),
      either: flag ? "x" : Effect.as(Model, "y"),
      generated: Effect.fnUntraced(function* () {
        return yield* (yield* Git).branch
      }),
      scoped: Effect.as(Effect.scope, "x")
    })
    expectTypeOf(needy.layer).toEqualTypeOf<Plugin.Plugin<never, Model | Git>>()
    expectTypeOf(Variables.define({ scoped: Effect.as(Effect.scope, "x") }).layer).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf<Layer.Error<typeof vars.layer>>().toEqualTypeOf<PromptError.RegistrationError>()
    expectTypeOf<Layer.Services<typeof vars.layer>>().toEqualTypeOf<SystemPrompt | Git>()
  })

  it("a record with a bad name, or with what gives no value, does not", () => {
    const names: Record<string, string> = {}
    expectTypeOf(Variables.define(names)).toEqualTypeOf<Variables.Variables<string>>()
    compiles(() => [
      // @ts-expect-error not a variable name (a–z, then a–z, 0–9, _): Model
      Variables.define({ Model: "x" }),
      // @ts-expect-error not a variable name: a-b
      Variables.define({ fine: "x", "a-b": () => "x" }),
      // @ts-expect-error not a variable name: 1
      Variables.define({ 1: "x" }),
      // @ts-expect-error not a variable name: the empty one
      Variables.define({ "": undefined }),
      // @ts-expect-error a number
      Variables.define({ model: 1 }),
      // @ts-expect-error an Effect of a number
      Variables.define({ model: () => Effect.succeed(1) }),
      // @ts-expect-error a Promise
      Variables.define({ model: async () => "x" })
    ])
  })

  it("a text that refers to declared variables, or to none", () => {
    compiles(() => [
      vars.section({ ...a, text: "" }),
      vars.section({ ...a, text: "plain { text } with }} and {{ open" }),
      vars.section({ ...a, text: "{{model}}, {{cwd}}, {{branch}}}, {{ticket}} {{model}}" }),
      vars.section({ ...a, text: flag ? "{{model}}" : "{{cwd}}" }),
      vars.section({ ...a, text: () => "{{model}}" }),
      vars.section({ ...a, text: ({ scope }) => (scope.closed ? "{{model}}" : "{{cwd}}") }),
      vars.section({ ...a, text: ({ scope }) => (scope.closed ? "{{model}}" : vars.ref("cwd")) }),
      vars.section({ ...a, text: Template.text`${vars.ref("model")}` }),
      vars.section({ ...a, text: () => Template.text`${Template.ref("model")} ${Template.verbatim("{{x}}")}` }),
      vars.section({ ...a, text: Effect.succeed("{{model}}" as const) }),
      vars.section({ ...a, text: () => Effect.succeed(vars.ref("model")) }),
      vars.section({ ...a, text: "{{model}}", interpolate: true }),
      vars.section({ ...a, text: "{{model}}", interpolate: undefined })
    ])
  })

  it("a text of type string, or with a part that is one, as far as nobody can see the name", () => {
    compiles(() => [
      vars.section({ ...a, text: dynamic }),
      vars.section({ ...a, text: () => dynamic }),
      vars.section({ ...a, text: flag ? dynamic : "{{model}}" }),
      vars.section({ ...a, text: Effect.succeed(dynamic) }),
      vars.section({ ...a, text: `${dynamic} {{model}} ${dynamic} {{cwd}}` }),
      vars.section({ ...a, text: `{{${dynamic}}} {{model}}` }),
      vars.section({ ...a, text: `{{model_${dynamic}}}` })
    ])
  })

  it("text that is data is not looked at", () => {
    compiles(() => [
      vars.section({ ...a, text: "{{modle}} {{ x }}", interpolate: false }),
      vars.section({ ...a, text: () => "{{modle}}", interpolate: false }),
      vars.context({ ...a, text: Effect.succeed("{{modle}}" as const), interpolate: false }),
      // @ts-expect-error a Template has references to fill in
      vars.section({ ...a, text: vars.ref("model"), interpolate: false }),
      // @ts-expect-error unknown prompt variable {{modle}}: nobody can see that it will be false
      vars.section({ ...a, text: "{{modle}}", interpolate: flag })
    ])
  })

  it("not a text that refers to another variable, wherever it stands", () => {
    compiles(() => [
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: "You run on {{modle}}." }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: "{{model}} {{modle}} {{cwd}}" }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: flag ? "{{model}}" : "{{modle}}" }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: () => "{{modle}}" }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: ({ scope }) => (scope.closed ? "{{model}}" : "{{modle}}") }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: Effect.succeed("{{modle}}" as const) }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: () => Effect.succeed("{{modle}}" as const) }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: `${dynamic} {{modle}}` }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: `{{${dynamic}}} {{modle}}` }),
      // @ts-expect-error "modle" is not assignable to "model" | …
      vars.section({ ...a, text: Template.ref("modle") }),
      // @ts-expect-error "modle" is not assignable to "model" | …
      vars.section({ ...a, text: () => Template.text`${Template.ref("modle")}` }),
      // @ts-expect-error a name that is known at run time only is not declared
      vars.section({ ...a, text: Template.ref(VariableName.VariableName.make("model")) }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.context({ ...a, text: "{{modle}}" }),
      // @ts-expect-error "modle" is not assignable to "model" | …
      vars.ref("modle")
    ])
  })

  it("nor one whose braces would not render", () => {
    compiles(() => [
      // @ts-expect-error malformed group {{ model }}
      vars.section({ ...a, text: "{{ model }}" }),
      // @ts-expect-error malformed group {{{model}}
      vars.section({ ...a, text: "{{{model}}}" }),
      // @ts-expect-error malformed group {{x-y}}
      vars.section({ ...a, text: "{{x-y}}" }),
      // @ts-expect-error malformed group {{}}
      vars.section({ ...a, text: "{{}}" }),
      // @ts-expect-error malformed group {{ b {{model}}
      vars.section({ ...a, text: "a {{ b {{model}}" })
    ])
  })

  // The texts of the table in spec §12.
  const fine = [
    "",
    "plain",
    "{{a}}",
    "x{{a}}y{{a}}z",
    "{{a}}}",
    "{{a}}}}",
    "{{a}} }}",
    "{a}",
    "{ {a}}",
    "{{a",
    "{{a}",
    "{{a} }",
    "}}",
    "}}{{",
    "{{",
    "{{{",
    "{{{{",
    "{{ {{",
    "{{}",
    "{{a}} {{",
    "{{a}}{{",
    "{{a}} and {{u} x",
    "${X:-{{fallback} stays",
    "\\{{a}}",
    "{{b}}",
    "{{close}}",
    "{{e}}",
    "{{u}}"
  ] as const
  const bad = [
    "{{}}",
    "{{ }}",
    "{{ a }}",
    "{{a }}",
    "{{A}}",
    "{{a-b}}",
    "{{a.b}}",
    "{{1a}}",
    "{{_a}}",
    "{{__proto__}}",
    "{{toString}}",
    "{{a\n}}",
    "{{é}}",
    "{{\u200ba}}",
    "{{a}b}}",
    "{{x{y}}",
    "{{{a}}",
    "{{{a}}}",
    "{{{{a}}}}",
    "{{{}}",
    "{{{}}}",
    "a {{ b {{a}}",
    "{{ {{a}}",
    "{{ {{close}}",
    "x {{a{b}} y {{model}}",
    "{{}} {{nope}}",
    "{{nope}} {{}}",
    "{{nope}}",
    "{{constructor}}",
    "{{to_string}}"
  ] as const

  it("the compiler refuses exactly the texts that rendering refuses", () => {
    const names = ["a", "b", "close", "e", "model", "u"] as const
    type Text<T extends string> = Variables.TextOptions<(typeof names)[number], T, true, never, never>["text"]
    type Verdict<T extends string> = T extends Text<T> ? "compiles" : "does not"
    expectTypeOf<Verdict<(typeof fine)[number]>>().toEqualTypeOf<"compiles">()
    expectTypeOf<Verdict<(typeof bad)[number]>>().toEqualTypeOf<"does not">()
    const values = new Map(names.map((name) => [name, "value"]))
    const renders = (text: string) =>
      Template.problems(text, values, { kind: "section", entry: "a", scope: "global" }).length === 0
    for (const one of fine) assert.isTrue(renders(one), one)
    for (const one of bad) assert.isFalse(renders(one), one)
  })

  it("the sentence is what the compiler says", () => {
    type Text<T extends string, I extends boolean = true> = Variables.TextOptions<"model", T, I, never, never>["text"]
    type Sentence<S extends string> = S | ((context: never) => S)
    expectTypeOf<Text<"{{modle}}">>().toExtend<Sentence<"unknown prompt variable {{modle}}">>()
    expectTypeOf<Text<"{{ model }}">>().toExtend<
      Sentence<"malformed group {{ model }}: a variable name is a–z, then a–z, 0–9, _">
    >()
    expectTypeOf<Text<"{{{model}}}">>().toExtend<
      Sentence<"malformed group {{{model}}: a variable name is a–z, then a–z, 0–9, _">
    >()
    expectTypeOf<"{{model}}">().toExtend<Text<"{{model}}">>()
    expectTypeOf<"{{modle}}">().toExtend<Text<"{{modle}}", false>>()
    expectTypeOf<Parameters<typeof Variables.define<{ readonly Model: "x" }>>[0]>().toEqualTypeOf<{
      readonly Model: "not a variable name (a–z, then a–z, 0–9, _): Model"
    }>()
  })

  it("900 references in one text are fine; a thousand are too deep, and go as a string", () => {
    const one = "Text. {{model}}\n"
    const ten = `${one}${one}${one}${one}${one}${one}${one}${one}${one}${one}` as const
    const hundred = `${ten}${ten}${ten}${ten}${ten}${ten}${ten}${ten}${ten}${ten}` as const
    const most = `${hundred}${hundred}${hundred}${hundred}${hundred}${hundred}${hundred}${hundred}${hundred}` as const
    compiles(() => [
      vars.section({ ...a, text: most }),
      // @ts-expect-error unknown prompt variable {{modle}}
      vars.section({ ...a, text: `${most}{{modle}}` }),
      // @ts-expect-error excessively deep
      vars.section({ ...a, text: `${most}${hundred}` })
    ])
    const thousand: string = `${most}${hundred}`
    compiles(() => vars.section({ ...a, text: thousand }))
  })

  it("what a provider needs is in the type of its layer, but no Effect scope, and its errors are not", () => {
    const section = vars.section({
      ...a,
      text: Effect.fnUntraced(function* () {
        yield* Effect.addFinalizer(() => Effect.void)
        if (flag) return yield* Effect.fail("no")
        return `{{model}} ${yield* Model}`
      })
    })
    expectTypeOf(section).toEqualTypeOf<Plugin.Plugin<never, Model>>()
    expectTypeOf(vars.section({ ...a, text: "" })).toEqualTypeOf<Plugin.Plugin>()
    expectTypeOf(vars.context({ ...a, text: Effect.flatMap(Git, ({ branch }) => branch) })).toEqualTypeOf<
      Plugin.Plugin<never, Git>
    >()
    expectTypeOf(
      vars.context({ ...a, text: ({ scope }) => (scope.closed ? "{{cwd}}" : Effect.as(Scope.Scope, "x")) })
    ).toEqualTypeOf<Plugin.Plugin>()
  })
})
