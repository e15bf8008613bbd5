import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Assembly, Plugin, type PromptError, PromptScope, SystemPrompt } from "effect-preamble"
import {
  CompositionScopes,
  type Environment,
  layer,
  placesOf,
  type Plugins,
  problemsOf
} from "effect-preamble/composition"
import { accept } from "./support.ts"

/** What keeps the default scope from rendering, each with its places. */
const problemsIn = (
  text: string,
  options: { readonly env?: Environment; readonly plugin?: Plugins.PluginLayer } = {}
) =>
  Effect.gen(function* () {
    const composition = accept(text)
    const plugins = new Map(options.plugin === undefined ? [] : [["p.ts", options.plugin]])
    const assembly = yield* Effect.gen(function* () {
      const { initial } = yield* CompositionScopes
      const prompt = yield* SystemPrompt
      return yield* PromptScope.provide(initial)(prompt.assemble)
    }).pipe(Effect.provide(layer(composition, { env: options.env ?? {}, plugins })))
    const problems = problemsOf(composition, assembly, { env: options.env ?? {} })
    return problems.map((error) => ({
      error,
      places: placesOf(composition, error).map(({ column, line }) => `${line}:${column}`)
    }))
  })

/** The environment variable that an error names, if it names one. */
const environmentOf = (error: PromptError.RenderError) =>
  error._tag === "UndefinedVariable" ? error.environment : undefined

const text = `variables: { a: { env: A_B }, b: null, c: { env: C } }
sections: [{ name: s, order: 0, text: "{{a}} {{b}} {{c}} {{d}} {{D}}" }]
`

describe("problemsOf", () => {
  it.effect("names the environment variables that are not set, and leaves every other problem as it is", () =>
    Effect.gen(function* () {
      const problems = yield* problemsIn(text, { env: { C: "" } })
      assert.deepStrictEqual(
        problems.map(({ error, places }) => [error._tag, environmentOf(error), places]),
        [
          ["UndefinedVariable", { variable: "A_B", scope: "global" }, ["2:40", "1:24"]],
          ["UndefinedVariable", undefined, ["2:46"]],
          ["UnknownVariable", undefined, ["2:58"]],
          ["MalformedGroup", undefined, ["2:64"]]
        ]
      )
      const [a, b] = problems.map(({ error }) => error.message)
      assert.strictEqual(
        a,
        'section "s" of scope "global" needs a value for {{a}} at line 1, column 1 (offset 0): `{{a}} {{b}} {{c}} {{d}} {{D}}`. The environment variable "A_B", which gives it in scope "global", is not set. Set it, shadow {{a}} with another value, or drop the reference.'
      )
      assert.include(b, "let its provider give one")
    })
  )

  it.effect("names the one of the variable that counts: that of the nearest scope", () =>
    Effect.gen(function* () {
      const child = `${text}scopes: { child: { variables: { a: { env: NEAR } } } }\nscope: child\n`
      const [first] = yield* problemsIn(child)
      assert.deepStrictEqual(
        [environmentOf(first!.error), first!.places],
        [{ variable: "NEAR", scope: "child" }, ["2:40", "3:43"]]
      )
    })
  )

  it.effect("names none where a plugin or a listener took the value away", () =>
    Effect.gen(function* () {
      const one = `plugins: [p.ts]\nvariables: { a: { env: A_B } }\nsections: [{ name: s, order: 0, text: "{{a}}" }]\n`
      const listener = Plugin.listener({ name: "l", edit: Assembly.setVariable("a", undefined) })
      const edited = yield* problemsIn(one, { env: { A_B: "set" }, plugin: listener })
      assert.deepStrictEqual(
        edited.map(({ error, places }) => [environmentOf(error), places]),
        [[undefined, ["3:40"]]]
      )
      const shadowed = `${one.replace("plugins: [p.ts]", "scopes: { child: { plugins: [p.ts] } }\nscope: child")}`
      const problems = yield* problemsIn(shadowed, { plugin: Plugin.variable("a", undefined) })
      assert.deepStrictEqual(
        problems.map(({ error }) => environmentOf(error)),
        [undefined]
      )
    })
  )

  it.effect("names none for the variable of a host, though its scope has the label of one of the file", () =>
    Effect.gen(function* () {
      const composition = accept(
        `scopes: { child: { variables: { a: { env: A_B } }, sections: [{ name: s, order: 0, text: "{{a}}" }] } }`
      )
      const assembly = yield* Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const parent = yield* (yield* CompositionScopes).find("child")
        const { scope } = yield* PromptScope.make("child", { parent })
        yield* PromptScope.provide(scope)(prompt.variable("a", undefined, { plugin: "host" }))
        return yield* PromptScope.provide(scope)(prompt.assemble)
      }).pipe(Effect.provide(layer(composition, { env: {} })))
      assert.deepStrictEqual(
        problemsOf(composition, assembly, { env: {} }).map((error) => [error._tag, environmentOf(error)]),
        [["UndefinedVariable", undefined]]
      )
    })
  )

  describe("a host's scope of the label of one of the file, with a variable of the name", () => {
    const composition = accept(
      `sections: [{ name: s, order: 0, text: "{{a}}" }]\nscopes: { child: { variables: { a: { env: A_B } } } }`
    )
    const problemsBelow = (place: "child" | "global", env: Environment) =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const scopes = yield* CompositionScopes
        const { scope } = yield* PromptScope.make("child", { parent: yield* scopes.find(place) })
        yield* PromptScope.provide(scope)(prompt.variable("a", undefined))
        const assembly = yield* PromptScope.provide(scope)(prompt.assemble)
        return problemsOf(composition, assembly, { env }).map((error) => [error._tag, environmentOf(error)])
      }).pipe(Effect.provide(layer(composition, { env })))

    it.effect("is no matter of the environment below that of the file, set or not", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* problemsBelow("child", { A_B: "set" }), [["UndefinedVariable", undefined]])
        assert.deepStrictEqual(yield* problemsBelow("child", {}), [["UndefinedVariable", undefined]])
      })
    )

    it.effect("is none beside it, where the environment variable is set", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* problemsBelow("global", { A_B: "set" }), [["UndefinedVariable", undefined]])
        assert.deepStrictEqual(yield* problemsBelow("global", { A_B: "" }), [["UndefinedVariable", undefined]])
      })
    )
  })

  it.effect("reads the environment of the process where no other is given, as `layer` does", () =>
    Effect.gen(function* () {
      const text = `variables: { a: { env: PREAMBLE_TEST_NOT_SET } }\nsections: [{ name: s, order: 0, text: "{{a}}" }]\n`
      const composition = accept(text)
      const assembly = yield* Effect.flatMap(SystemPrompt, (prompt) => prompt.assemble).pipe(
        Effect.provide(layer(composition))
      )
      assert.deepStrictEqual(problemsOf(composition, assembly).map(environmentOf), [
        { variable: "PREAMBLE_TEST_NOT_SET", scope: "global" }
      ])
    })
  )
})
