/** What of a list is taken for what it was, and what is looked at again. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Origin from "../../src/Origin.ts"
import { atStart } from "../../src/internal/give.ts"
import { ofRegistry } from "../../src/internal/values.ts"
import * as PromptScope from "../../src/PromptScope.ts"
import { SystemPrompt } from "../../src/SystemPrompt.ts"
import type * as ToolProvider from "../../src/ToolProvider.ts"
import * as ToolSchema from "../../src/ToolSchema.ts"
import { untyped } from "../support/untyped.ts"

const schema = (name: string, description: unknown = name) => ({ name, description, parameters: {} })

const made = (name: string) => ToolSchema.make({ name, description: name, parameters: {} })

const boom = (): never => {
  throw new Error("boom")
}

const assemble = SystemPrompt.use((prompt) => prompt.assemble)

const described = Effect.map(assemble, ({ tools }) => tools.map(({ schema }) => schema.description))

describe("a constant that was refused when it was registered", () => {
  /** A value that its author corrects, twice. */
  interface Case {
    readonly value: unknown
    readonly correct: (to: string) => void
    readonly refused: "InvalidToolSchema" | "ProviderFailure"
  }

  const item = (): { description: unknown } => schema("t", 3)

  const cases: Readonly<Record<string, () => Case>> = {
    "a tool of which is corrected": () => {
      const own = item()
      return { value: [own], correct: (to) => (own.description = to), refused: "InvalidToolSchema" }
    },
    "which has known names": () => {
      const own = item()
      const value = { schemas: [own], knownNames: ["x"] }
      return { value, correct: (to) => (own.description = to), refused: "InvalidToolSchema" }
    },
    "which could not be read": () => {
      const own: Array<unknown> = []
      const define = (descriptor: PropertyDescriptor) =>
        Object.defineProperty(own, 0, { ...descriptor, configurable: true, enumerable: true })
      define({ get: boom })
      return { value: own, correct: (to) => define({ value: made(to) }), refused: "ProviderFailure" }
    },
    "which cannot change, but for what a getter gives": () => {
      let given: unknown
      const get = () => given ?? boom()
      const value = Object.freeze(Object.defineProperty([], 0, { get, enumerable: true }))
      return { value, correct: (to) => (given = made(to)), refused: "ProviderFailure" }
    },
    "which stands in what cannot change": () => {
      const own: Array<unknown> = []
      const define = (descriptor: PropertyDescriptor) =>
        Object.defineProperty(own, 0, { ...descriptor, configurable: true, enumerable: true })
      define({ get: boom })
      const value = Object.freeze({ schemas: own, knownNames: undefined })
      return { value, correct: (to) => define({ value: made(to) }), refused: "ProviderFailure" }
    }
  }

  for (const [what, make] of Object.entries(cases)) {
    it.effect(`is no constant: a list ${what}`, () =>
      Effect.gen(function* () {
        const prompt = yield* SystemPrompt
        const { scope } = yield* PromptScope.make("agent")
        const { correct, refused, value } = make()
        yield* prompt.tools(untyped(value))
        assert.strictEqual((yield* Effect.flip(assemble))._tag, refused)
        correct("one")
        assert.deepStrictEqual(yield* described, ["one"])
        // Another list of tools, which is made while all of them are right.
        yield* prompt.tools([made("z")]).pipe(PromptScope.provide(scope))
        const seen = PromptScope.provide(scope)(described)
        assert.deepStrictEqual(yield* seen, ["one", "z"])
        correct("two")
        assert.deepStrictEqual(yield* seen, ["two", "z"])
        assert.deepStrictEqual(yield* described, ["two"])
      }).pipe(Effect.provide(SystemPrompt.layerTest()))
    )
  }
})

describe("tools that are given again", () => {
  it.effect("in one array that cannot change are not those of another such array", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const [a, b] = [Object.freeze([made("a")]), Object.freeze([made("b")])]
      let given: ToolProvider.Tools = a
      yield* prompt.tools(() => given)
      for (given of [a, b, b, a, [made("b")], a]) {
        assert.deepStrictEqual(
          yield* described,
          given.map(({ description }) => description)
        )
      }
    }).pipe(Effect.provide(SystemPrompt.layerTest()))
  )

  it.effect("in one array that cannot change are looked at again where it inherits them", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const above = [made("a")]
      const heir: Array<ToolSchema.ToolSchema> = Object.setPrototypeOf(Object.assign([], { length: 1 }), above)
      Object.freeze(heir)
      yield* prompt.tools(() => heir)
      assert.deepStrictEqual(yield* described, ["a"])
      above[0] = made("b")
      assert.deepStrictEqual(yield* described, ["b"])
    }).pipe(Effect.provide(SystemPrompt.layerTest()))
  )

  it.effect("in what cannot be read any more are refused", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      let given: ToolProvider.Tools = [made("a")]
      yield* prompt.tools(() => given, { name: "p" })
      assert.deepStrictEqual(yield* described, ["a"])
      for (const hostile of [new Proxy([], { get: boom }), Object.defineProperty([1], 0, { get: boom })]) {
        given = untyped(hostile)
        assert.deepInclude(yield* Effect.flip(assemble), { _tag: "ProviderFailure", kind: "tools", entry: "p" })
      }
    }).pipe(Effect.provide(SystemPrompt.layerTest()))
  )

  it.effect("with the same schemas, but of another owner, are other tools", () =>
    Effect.gen(function* () {
      const prompt = yield* SystemPrompt
      const schemas = [made("a")]
      const of = (plugin: string) =>
        ofRegistry({
          schemas,
          knownNames: [],
          assembled: schemas.map((schema) => ({ schema, origin: Origin.make({ scope: "global", plugin }) })),
          hidden: []
        })
      let given = of("p")
      yield* prompt.tools(untyped(atStart(() => given)))
      const plugins = Effect.map(assemble, ({ tools }) => tools.map(({ origin }) => origin.plugin))
      assert.deepStrictEqual(yield* plugins, ["p"])
      given = of("q")
      assert.deepStrictEqual(yield* plugins, ["q"])
      assert.strictEqual(yield* assemble, yield* assemble)
    }).pipe(Effect.provide(SystemPrompt.layerTest()))
  )
})
